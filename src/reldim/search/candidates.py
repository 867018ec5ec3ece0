"""The kernels to try on a data set, and the choice among them."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers import decompose_gram
from reldim.exceptions import GridEdgeWarning, InputError
from reldim.inputs.cores import on_cores, side_by_side
from reldim.inputs.memory import fits, memory_limit
from reldim.inputs.random_state import seed_of
from reldim.inputs.rows import RowBlocks
from reldim.inputs.splits import Splits
from reldim.inputs.stages import Progress, listening, tell
from reldim.inputs.targets import Targets
from reldim.kernels import Kernel
from reldim.kernels.weighted_rows import RowWeighted
from reldim.relevance.estimation import RelevantDimension, estimate
from reldim.search.families import Family
from reldim.search.growing_rank import (
    FIRST_RANK,
    Judged,
    Judgement,
    Plan,
    Prospect,
    Standing,
    glance_bytes,
    judge_further,
    judge_kernel,
)
from reldim.search.kernel_arguments import Kernels, Source, held, resolve
from reldim.search.permutation_test import ChoiceTest
from reldim.search.row_steps import SECOND_STEP, points_of, row_steps
from reldim.search.thinned import Outline
from reldim.spectrum.gram import Gram
from reldim.spectrum.spectrum import Spectrum

__all__ = ["Candidate", "Search", "choose", "search"]

Indices = NDArray[np.intp]

#: A kernel's family and its step there.
Place = tuple[int, int]

#: Steps by which a grid is extended at a time.
EXTENSION = 5

#: A criterion that still falls by more than this share of its scale at the end of a range.
STILL_FALLING = 1e-3

#: Beyond this many rows the blocks of rows of one kernel keep the cores as busy as several kernels
#: would, in less memory.
MANY_ROWS = 2**15

#: Steps at which kernels are compared; at a further one only the best is tried.
MOST_STEPS = 2

#: Below this it is flat, as where no kernel sees any signal: no more range is tried.
FALLING = 1e-6


@dataclass(frozen=True)
class Candidate:
    """A kernel that was tried, and what came of it.

    Attributes
    ----------
    name : str
        The kernel in words.
    kernel : Kernel
        The kernel.
    dimension : int
        Relevant dimension.
    negative_log_likelihood, criterion_value : float
        Eq. (3) of the paper and the criterion of the choice; lower is better.
    criterion_error : float
        What round-off may add to the criterion; kernels are compared by the sum.
    noise_level, p_value : float
        As in :class:`~reldim.RelevantDimension`.
    fixed_error : float
        Leave-one-out error in closed form, the components held fixed.
    rank : int
        Rank of the spectrum that these rest on.
    rows : int
        Rows that these rest on: of many rows, only the best kernel sees all of them.
    settled : bool
        Whether a larger rank would change nothing that matters; False for kernels that were
        given up because they could not become the best, and for one that is the best at the
        largest rank that is tried.
    outline : Outline
        What its spectrum shows, thinned to what a picture needs.
    """

    name: str
    kernel: Kernel
    dimension: int
    negative_log_likelihood: float
    criterion_value: float
    criterion_error: float
    noise_level: float
    fixed_error: float
    p_value: float
    rank: int
    rows: int
    settled: bool
    outline: Outline = field(repr=False)

    @classmethod
    def of(cls, name: str, kernel: Kernel, judgement: Judgement[RelevantDimension]) -> "Candidate":
        """Keep of an estimate what the table of candidates shows."""
        rd = judgement.judged
        # Components held fixed: anew for every row takes all eigenvectors, and as long again.
        # Before the noise level, which follows from the same eigenvectors.
        fixed_error = rd.fixed_error
        return cls(
            name=name,
            kernel=kernel,
            dimension=rd.dimension,
            negative_log_likelihood=rd.negative_log_likelihood,
            criterion_value=rd.criterion_value,
            criterion_error=rd.criterion_error,
            noise_level=rd.noise_level,
            fixed_error=fixed_error,
            p_value=rd.p_value,
            rank=judgement.rank,
            rows=rd.targets.n,
            settled=judgement.settled,
            outline=Outline.of(rd),
        )

    def without_signal(self, rd: RelevantDimension) -> "Candidate":
        """Return the row of an estimate of dimension 0, where what was seen may be chance."""
        return replace(
            self,
            dimension=rd.dimension,
            noise_level=rd.noise_level,
            fixed_error=rd.fixed_error,
            outline=Outline.of(rd),
        )


J = TypeVar("J", bound=Judged)
R = TypeVar("R")


@dataclass(frozen=True)
class Search(Generic[J, R]):
    """The best kernel of those tried.

    Attributes
    ----------
    best : Judged
        What the judge made of the best kernel.
    index : int
        Its place among the rows.
    rows : tuple
        What was kept of each kernel, by family and parameter.
    edge : str or None
        Where the best kernel lies at the edge of its range: a sentence about it.
    p_value : float or None
        Probability that targets without signal look as structured under the best of as many
        kernels, where it was computed.
    """

    best: J = field(repr=False)
    index: int
    rows: tuple[R, ...]
    edge: str | None = None
    p_value: float | None = None


def choose(
    X: Any,
    targets: Targets,
    kernels: Kernels = None,
    *,
    dimension: int | None = None,
    criterion: str = "likelihood",
    solver: str = "auto",
    center: bool = False,
    random_state: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
    splits: Splits | None = None,
) -> Search[RelevantDimension, Candidate]:
    """Try kernels on a data set and choose the one with the best criterion.

    Parameters
    ----------
    X : array-like
        The data.
    targets : Targets
        The coded targets.
    kernels : None, str, Kernel, callable, sequence or mapping
        What to try: kernels, names of families, or a mapping from names to kernels. By default
        Gaussian kernels, for sequences weighted-degree kernels.
    dimension : int, optional
        A fixed dimension, by default the relevant one.
    criterion : {"likelihood", "leave-one-out"}
        What to choose by.
    solver : str
        Passed to :func:`~reldim.decompose`.
    center : bool
        Centre in feature space.
    random_state : int, optional
        Seed.
    progress : callable, optional
        Called as ``progress("kernels", done, total)``, and for large data in between as
        ``progress("landmarks", done, total)``.
    memory : int, optional
        Bytes to keep to, by default what is available.
    splits : Splits, optional
        What may change places in a test for signal, by default single rows.

    Returns
    -------
    Search
        The best estimate, and a :class:`Candidate` for each kernel.

    Examples
    --------
    >>> from reldim import datasets
    >>> from reldim.inputs.targets import code_targets
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> search = choose(data.X, code_targets(data.y))
    >>> search.best.dimension, len(search.rows)
    (7, 20)
    """
    X = held(X, kernels, solver)
    targets = targets.beside(X)
    if center:
        targets = targets.centred()
    judge = partial(estimate, dimension=dimension, criterion=criterion, random_state=random_state)
    sought = partial(
        search,
        X,
        targets,
        kernels,
        judge=lambda spectrum: judge(spectrum, targets),
        tolerance=1.0 if criterion == "likelihood" else float(np.mean(targets.values**2)),
        solver=solver,
        center=center,
        random_state=random_state,
        progress=progress,
        memory=memory,
    )
    test = ChoiceTest(targets, random_state, splits)
    found = sought(keep=partial(_keep, test), judge_some=judge)
    if all(row.rows == targets.n for row in found.rows) or test.is_beyond_doubt:
        return replace(found, p_value=test.p_value)
    if targets.n > SECOND_STEP:
        return replace(found, p_value=_p_value_in_parts(found, random_state, memory, splits))
    # Little or no signal: all kernels have to be asked, on all rows.
    test = ChoiceTest(targets, random_state, splits)
    return replace(sought(keep=partial(_keep, test)), p_value=test.p_value)


def _keep(
    test: ChoiceTest, name: str, kernel: Kernel, judgement: Judgement[RelevantDimension]
) -> Candidate:
    """Keep a row of the table; kernels that saw all rows take part in the test."""
    if judgement.judged.targets.n == test.n:
        test.see(judgement.judged.spectrum)
    return Candidate.of(name, kernel, judgement)


def _p_value_in_parts(
    found: "Search[RelevantDimension, Candidate]",
    random_state: int | None,
    memory: int | None,
    splits: Splits | None,
) -> float:
    """Test for signal on the rows that kernels were chosen by, and on all others.

    The first part sees every kernel, as in :class:`ChoiceTest`. The others see the best of them
    only, and had no part in choosing it. The smaller p-value of the two counts, twice.
    """
    rd = found.best
    points, center = rd.spectrum.gram.points, rd.spectrum.center
    *_, rows = row_steps(points, rd.targets, seed_of(random_state))
    part = choose(
        points_of(points, rows),
        rd.targets.subset(rows).in_memory(),
        [row.kernel for row in found.rows],
        criterion=rd.criterion,
        center=center,
        random_state=random_state,
        memory=memory,
        splits=None if splits is None else splits.take(rows),
    )
    assert part.p_value is not None
    if splits is not None or isinstance(points, RowBlocks):
        return part.p_value
    others = np.setdiff1d(np.arange(rd.targets.n), rows)
    gram = Gram(part.best.spectrum.gram.kernel, points[others])
    rank = min(FIRST_RANK, gram.n)
    spectrum = decompose_gram(
        gram, rank=rank, center=center, random_state=random_state, memory=memory
    )
    rest = estimate(spectrum, rd.targets.subset(others), random_state=random_state)
    return min(1.0, 2 * min(part.p_value, rest.p_value))


def search(
    X: Any,
    targets: Targets,
    kernels: Kernels,
    *,
    judge: Callable[[Spectrum], J],
    keep: Callable[[str, Kernel, Judgement[J]], R],
    tolerance: float,
    judge_some: Callable[[Spectrum, Targets], J] | None = None,
    weights: NDArray[np.float64] | None = None,
    solver: str = "auto",
    center: bool = False,
    random_state: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Search[J, R]:
    """Judge the spectrum of each kernel, extend ranges whose edge is best, keep the best.

    Parameters
    ----------
    X, targets, kernels, solver, center, random_state, progress, memory
        As in :func:`choose`.
    judge : callable
        Makes of a spectrum something with a ``criterion_value``. Only the best is held, since
        it may hold its spectrum.
    keep : callable
        What to keep of each: ``keep(name, kernel, judgement)``. Like ``judge`` it is called in
        several threads.
    tolerance : float
        Scale of the criterion: a thousandth of it is no difference.
    judge_some : callable, optional
        The same as ``judge`` with the targets of some rows. Where it is given, kernels on grids
        are tried on few of many rows first, and only the best sees all of them.
    weights : ndarray of shape (n,), optional
        How much each row counts, 1 on average: kernels are then :class:`RowWeighted`.

    Returns
    -------
    Search
        The best and the rows.
    """
    with on_cores() as jobs, listening(progress):
        sources, gram = resolve(kernels, held(X, kernels, solver))
        if gram.n != targets.n:
            raise InputError(
                f"X and y must have the same number of rows. Got {gram.n} and {targets.n}."
            )
        if weights is not None:
            sources = [source.weighted(weights) for source in sources]
            gram = Gram(RowWeighted(gram.kernel), sources[0].points)
        # Asked once: kernels that run side by side would see what others take at the moment.
        memory = memory if isinstance(gram.points, RowBlocks) else memory_limit(memory)
        plan = Plan(solver, center, random_state, tolerance, memory)
        trial = _Trial(sources, gram, plan, judge, keep, jobs)
        steps = [] if judge_some is None else _steps(trial, targets, judge_some)
        found, edge = _in_steps(trial, steps)
        # Nothing else is held by now, so the best kernel may take all of the memory.
        found.add(trial.last_look(found.best))
    if edge is not None:
        warnings.warn(edge, GridEdgeWarning, stacklevel=4)
    order = sorted(found.rows)
    rows = tuple(found.rows[place] for place in order)
    return Search(found.best.judgement.judged, order.index(found.best.place), rows, edge)


def _steps(
    trial: "_Trial[J, R]", targets: Targets, judge_some: Callable[[Spectrum, Targets], J]
) -> "list[_Trial[J, R]]":
    """Return the same kernels over fewer rows, in steps; nothing where rows or kernels are few."""
    points = trial.gram.points
    grids = all(family.last > family.first for family in trial.families)
    shared = all(source.points is points for source in trial.sources)
    if trial.gram.kernel.domain != "vectors" or not (grids and shared):
        return []

    def over(rows: Indices) -> "_Trial[J, R]":
        held = targets.subset(rows).in_memory()
        return trial.over(points_of(points, rows), lambda spectrum: judge_some(spectrum, held))

    return [over(rows) for rows in row_steps(points, targets, seed_of(trial.plan.random_state))]


def _in_steps(
    trial: "_Trial[J, R]", steps: "Sequence[_Trial[J, R]]"
) -> "tuple[_Found[J, R], str | None]":
    """Try all kernels at the first step, those around the best at the next, the best at the last.

    Returns also a sentence where the best kernel lies at the edge of its range, None elsewhere.
    """
    families, tolerance = trial.families, trial.plan.scale

    def edge(found: _Found[J, R]) -> str | None:
        return _edge_sentence(families, found.values, found.winner, tolerance)

    first, *others = [*steps, trial]
    more = partial(_extension, families, tolerance=tolerance)
    found = _try(first, first.places, more)
    sentence = edge(found)
    for number, step in enumerate(others, start=1):
        before = found
        if number < MOST_STEPS:
            around = _around(families, before.values, before.winner)
            found = _try(step, around, partial(_uphill, families), before)
            sentence = edge(found)
        else:
            found = _try(step, [before.winner], lambda _: [], before)
    return found, sentence


def _try(
    trial: "_Trial[J, R]",
    places: Sequence[Place],
    more: Callable[[dict[Place, float]], list[Place]],
    before: "_Found[J, R] | None" = None,
) -> "_Found[J, R]":
    """Judge kernels, and more of them as long as what came of these asks for it."""
    found = _Found[J, R](trial.tell, {} if before is None else before.rows)
    while places:
        # A glance at all of them tells which are worth a closer look.
        found.add(trial.glances(places))
        while (promising := found.promising()) is not None:
            found.add(trial.closer_look(promising, found.standing))
        places = more(found.values)
    return found


def _around(families: list[Family], values: dict[Place, float], winner: Place) -> list[Place]:
    """Return the best kernel and its neighbours, and the best of each other family."""
    number, step = winner
    near = [step, *_untried(families[number], step, {step})]
    best = {
        other: _winner({place: value for place, value in values.items() if place[0] == other})
        for other in {place[0] for place in values} - {number}
    }
    return [*((number, one) for one in near), *best.values()]


def _uphill(families: list[Family], values: dict[Place, float]) -> list[Place]:
    """Return the neighbours of the best kernel that were not tried yet."""
    number, step = _winner(values)
    tried = {s for f, s in values if f == number}
    return [(number, one) for one in _untried(families[number], step, tried)]


def _untried(family: Family, step: int, tried: set[int]) -> list[int]:
    near = (step - 1, step + 1)
    return [one for one in near if family.lowest <= one <= family.highest and one not in tried]


@dataclass(frozen=True)
class _Look(Generic[J, R]):
    """A look at a kernel: its place, what came of it, and the row that is kept of that."""

    place: Place
    judgement: Judgement[J]
    row: R


@dataclass(frozen=True)
class _Trial(Generic[J, R]):
    """Kernels over a data set, and how they are looked at."""

    sources: Sequence[Source]
    gram: Gram
    plan: Plan
    judge: Callable[[Spectrum], J]
    keep: Callable[[str, Kernel, Judgement[J]], R]
    jobs: int

    @property
    def families(self) -> list[Family]:
        return [source.family for source in self.sources]

    @property
    def places(self) -> list[Place]:
        """The kernels to begin with."""
        return [
            (number, step)
            for number, family in enumerate(self.families)
            for step in range(family.first, family.last + 1)
        ]

    def over(self, points: Any, judge: Callable[[Spectrum], J]) -> "_Trial[J, R]":
        """Return the same kernels over some of the rows, which are in memory."""
        sources = [replace(source, points=points) for source in self.sources]
        solver = "auto" if self.plan.solver == "dask" else self.plan.solver
        memory = memory_limit(None) if self.plan.memory is None else self.plan.memory
        plan = replace(self.plan, solver=solver, memory=memory)
        gram = Gram(self.gram.kernel, points)
        return replace(self, sources=sources, gram=gram, plan=plan, judge=judge)

    def glances(self, places: Sequence[Place]) -> Iterator[_Look[J, R]]:
        """Judge kernels at their first rank, which does not depend on how others came along."""
        together = self._fits_side_by_side()
        look = partial(self._look, standing=Standing(), glance=True, told=not together)
        kernels = zip(places, self._grams(places), strict=True)
        return side_by_side(look, kernels) if together else map(look, kernels)

    def closer_look(self, place: Place, standing: Standing) -> Iterator[_Look[J, R]]:
        """Judge a kernel until it is settled, or given up beside others."""
        (gram,) = self._grams([place])
        yield self._look((place, gram), standing=standing)

    def last_look(self, best: _Look[J, R]) -> Iterator[_Look[J, R]]:
        """Judge the best kernel with all of the memory, where it is not settled."""
        before = best.judgement
        judgement = judge_further(before, self.judge, self.plan, after_block=self._tell_landmarks)
        if judgement is not before:
            yield self._kept(best.place, judgement)

    def tell(self, done: int) -> None:
        """Tell how many kernels were looked at."""
        tell("kernels", done, max(len(self.places), done))

    def _look(
        self,
        kernel: tuple[Place, Gram],
        *,
        standing: Standing,
        glance: bool = False,
        told: bool = True,
    ) -> _Look[J, R]:
        place, gram = kernel
        judgement = judge_kernel(
            gram,
            self.judge,
            self.plan,
            standing=standing,
            glance=glance,
            after_block=self._tell_landmarks if told else None,
        )
        return self._kept(place, judgement)

    def _kept(self, place: Place, judgement: Judgement[J]) -> _Look[J, R]:
        number, step = place
        kernel = self.families[number].make(step)
        name = self.sources[number].label or repr(kernel)
        return _Look(place, judgement, self.keep(name, kernel, judgement))

    def _grams(self, places: Sequence[Place]) -> list[Gram]:
        kernels = [self.families[number].make(step) for number, step in places]
        points = [self.sources[number].points for number, _ in places]
        return [
            shared if own is self.gram.points else Gram(kernel, own)
            for kernel, shared, own in zip(kernels, self.gram.sharing(kernels), points, strict=True)
        ]

    def _fits_side_by_side(self) -> bool:
        """Tell whether kernels run side by side; otherwise the blocks of rows of each do."""
        if self.jobs == 1 or isinstance(self.gram.points, RowBlocks):
            return False
        # Beside those that run one waits to be taken, and the best is held.
        together = (self.jobs + 2) * glance_bytes(self.gram, self.plan)
        return self.gram.n <= MANY_ROWS and fits(together, self.plan.memory)

    def _tell_landmarks(self, reached: int, rank: int) -> None:
        tell("landmarks", reached, rank)


class _Found(Generic[J, R]):
    """What came of the kernels so far; of the spectra only the best one's is held."""

    def __init__(self, tell: Callable[[int], None], rows: Mapping[Place, R]) -> None:
        self._tell = tell
        #: Of all kernels, also those that were tried on fewer rows before.
        self.rows: dict[Place, R] = dict(rows)
        self.values: dict[Place, float] = {}
        self._certain: dict[Place, float] = {}
        self.standing = Standing()
        self._unsettled: dict[Place, Prospect] = {}
        self._best: _Look[J, R] | None = None

    @property
    def winner(self) -> Place:
        """The best kernel: of those that agree in all but round-off one whose value is certain."""
        return _winner(self._certain)

    @property
    def best(self) -> _Look[J, R]:
        """What came of it."""
        assert self._best is not None
        return self._best

    def add(self, looks: Iterable[_Look[J, R]]) -> None:
        for look in looks:
            self._add(look)
            self._tell(len(self.rows))

    def _add(self, look: _Look[J, R]) -> None:
        place, judgement = look.place, look.judgement
        # A second look goes as far as it can; there is no third.
        if judgement.settled or place in self.values:
            self._unsettled.pop(place, None)
        else:
            self._unsettled[place] = judgement.prospect
        self.rows[place] = look.row
        judged = judgement.judged
        self.values[place] = judged.criterion_value
        self._certain[place] = judged.criterion_value + judged.criterion_error
        self.standing.note(place, judgement)
        if place == self.winner:
            self._best = look

    def promising(self) -> Place | None:
        """Return the kernel that is worth another look: it may be better than the best."""
        hopeful = [p for p, seen in self._unsettled.items() if self.standing.allows(seen)]
        if hopeful:
            return min(hopeful, key=lambda place: (self._unsettled[place].hope, place))
        # A second look may have cost the former best its place, and the new one was let go.
        return None if self.best.place == self.winner else self.winner


def _winner(values: dict[Place, float]) -> Place:
    # Among equals the first family, and of its kernels the widest.
    return min(values, key=lambda place: (values[place], place[0], -place[1]))


def _extension(families: list[Family], values: dict[Place, float], tolerance: float) -> list[Place]:
    """Return the next kernels to try where the criterion falls to the edge of a range."""
    number, step = _winner(values)
    family = families[number]
    tried = [s for f, s in values if f == number]
    low, high = min(tried), max(tried)
    least = FALLING * tolerance
    if step == high and high < family.highest and _fall(values, (number, step), -1) > least:
        last = min(high + EXTENSION, family.highest)
        return [(number, s) for s in range(high + 1, last + 1)]
    if step == low and low > family.lowest and _fall(values, (number, step), 1) > least:
        last = max(low - EXTENSION, family.lowest)
        return [(number, s) for s in range(low - 1, last - 1, -1)]
    return []


def _fall(values: dict[Place, float], place: Place, inward: int) -> float:
    """Return by how much the criterion falls with the last step to an edge."""
    number, step = place
    return values.get((number, step + inward), float("inf")) - values[place]


def _edge_sentence(
    families: list[Family], values: dict[Place, float], winner: Place, tolerance: float
) -> str | None:
    number, step = winner
    family = families[number]
    if family.lowest == family.first and family.highest == family.last:
        return None
    inward = {family.lowest: 1, family.highest: -1}.get(step)
    if inward is None or _fall(values, winner, inward) <= STILL_FALLING * tolerance:
        return None
    return (
        f"The best kernel of the {family.name} family, {family.make(step)!r}, lies at the edge "
        "of the range that was tried. A kernel beyond it, or of another family, may be better."
    )
