"""Adaptive decomposition: as many eigenpairs as a judgement on the targets needs.

A judge makes of a spectrum a value of a criterion and a dimension. The rank of a low-rank
spectrum is grown until the judgement no longer depends on it: the factor's own first columns
give the judgement at a smaller rank for next to nothing.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from reldim.eigensolvers import (
    check_solver,
    decompose_gram,
    held_by,
    lowrank_capacity,
    make_factor,
)
from reldim.eigensolvers.dense import dense_bytes
from reldim.eigensolvers.lowrank import lowrank_bytes, spectrum_of_factor
from reldim.eigensolvers.pivots import PivotedFactor
from reldim.inputs.cores import side_by_side
from reldim.inputs.memory import fits
from reldim.inputs.rows import RowBlocks
from reldim.spectrum.gram import Gram
from reldim.spectrum.spectrum import Spectrum

__all__ = [
    "FIRST_RANK",
    "Judged",
    "Judgement",
    "Plan",
    "Prospect",
    "Standing",
    "glance_bytes",
    "judge_further",
    "judge_kernel",
]

#: Below this many rows a dense decomposition takes no time worth saving.
FEW_ROWS = 1000

#: Rank to begin with, and how much of it the comparison uses.
FIRST_RANK = 256
PART = 0.7

#: A judgement is settled where the criterion changes by less than this share of its scale, ...
SETTLED = 5e-4

#: ... the dimension lies well inside the rank, ...
INSIDE = 0.5

#: ... and no more than this share of the trace is left, or the rank has come this far: what is
#: left of a kernel matrix close to the identity may hold as much as what was seen.
UNSEEN = 0.3
FAR = 1024

#: Up to this many rows the dense solver has the last word; its time grows with their cube.
DENSE_FOLLOWS = 2500

#: Largest rank where it does not follow, and from how many rows on it is ``FAR``: a judgement that
#: is not settled then is said not to be.
MOST_RANK = 2048
MANY_ROWS = 20_000

#: Where the dense solver follows, the last step to the largest rank may be this large: a judgement
#: on the way costs about as much as the columns that it may save.
LAST_LEAP = 3

#: Where the dense solver follows and this share of the trace is left at the first ranks, none that
#: is cheaper than the dense solver has been seen to settle.
HOPELESS = 0.15

#: A kernel is given up where even this many times its last gain would not make it the best;
#: twice as many where much is unseen. Between kernels at equal rank it is the difference in gains
#: that counts.
HOPE = 4.0
HOPE_AT_EQUAL_RANK = 1.0


class Judged(Protocol):
    """What kernels are compared by."""

    @property
    def criterion_value(self) -> float:
        """The criterion; lower is better."""
        ...

    @property
    def criterion_error(self) -> float:
        """What round-off may add to it."""
        ...

    @property
    def dimension(self) -> int:
        """How many components matter."""
        ...


J = TypeVar("J", bound=Judged)


@dataclass(frozen=True)
class Plan:
    """How spectra are to be computed.

    Attributes
    ----------
    solver : {"auto", "dense", "lowrank", "dask"}
        Which solver.
    center : bool
        Centre in feature space.
    random_state : int or None
        Seed.
    scale : float
        Scale of the criterion.
    memory : int or None
        Bytes to keep to; None stands for what is available.
    """

    solver: str = "auto"
    center: bool = False
    random_state: int | None = None
    scale: float = 1.0
    memory: int | None = None

    def __post_init__(self) -> None:
        check_solver(self.solver)


@dataclass(frozen=True)
class Prospect:
    """What may be hoped of a kernel at a larger rank.

    Attributes
    ----------
    rank : int
        The rank so far.
    hope : float
        The lowest criterion value that more eigenpairs may be hoped to bring.
    at_equal_rank : bool
        Whether only a larger rank can tell: the kernel is then compared with what others had
        at the same rank, not with what they came to later.
    """

    rank: int
    hope: float
    at_equal_rank: bool = False


@dataclass(frozen=True)
class Judgement(Generic[J]):
    """A judgement, and how far it can be relied on.

    Attributes
    ----------
    judged : Judged
        What the judge made of the last spectrum.
    settled : bool
        Whether more eigenpairs would change nothing that matters.
    prospect : Prospect
        What a larger rank may bring.
    path : tuple of (int, float)
        The ranks on the way, and the criterion value at each.
    factor : PivotedFactor or None
        What the spectrum was made from, where it can still grow.
    capacity : int
        The rank that the factor can grow to.
    unseen : float
        Share of the trace of the kernel matrix that the spectrum does not hold.
    """

    judged: J = field(repr=False)
    settled: bool
    prospect: Prospect
    path: tuple[tuple[int, float], ...] = ()
    factor: PivotedFactor | None = field(default=None, repr=False)
    capacity: int = 0
    unseen: float = 0.0

    @property
    def rank(self) -> int:
        """Rank of the last spectrum."""
        return self.prospect.rank


class Standing:
    """The best criterion values so far: over all, and at each rank."""

    def __init__(self) -> None:
        self._paths: dict[Hashable, tuple[tuple[int, float], ...]] = {}

    def note(self, name: Hashable, judgement: Judgement[Any]) -> None:
        """Take down how a kernel came along."""
        last = (judgement.rank, judgement.judged.criterion_value)
        self._paths[name] = (*judgement.path, last)

    @property
    def least(self) -> float:
        """The best value of all."""
        return min((path[-1][1] for path in self._paths.values()), default=float("inf"))

    def at(self, rank: int) -> float:
        """Return the best value that any kernel had up to a rank."""
        reached = ([v for r, v in path if r <= rank] for path in self._paths.values())
        return min((values[-1] for values in reached if values), default=float("inf"))

    def allows(self, prospect: Prospect) -> bool:
        """Tell whether a kernel may still become the best."""
        rival = self.at(prospect.rank) if prospect.at_equal_rank else self.least
        return prospect.hope <= rival


def judge_kernel(
    gram: Gram,
    judge: Callable[[Spectrum], J],
    plan: Plan,
    *,
    standing: Standing | None = None,
    glance: bool = False,
    after_block: Callable[[int, int], None] | None = None,
) -> Judgement[J]:
    """Decompose as far as a judgement needs.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    judge : callable
        Makes of a spectrum something with a criterion value and a dimension.
    plan : Plan
        How to compute spectra.
    standing : Standing, optional
        How other kernels came along; one that cannot become the best is given up early.
    glance : bool
        Stop at the first rank, settled or not; how others came along plays no part then.
    after_block : callable, optional
        Told the rank as it grows, and the one it grows to.

    Returns
    -------
    Judgement
        The judgement.
    """
    gram = held_by(plan.solver, gram)
    if _is_dense(gram, plan):
        return _dense(gram, judge, plan)
    ranks = _Ranks.of(gram, plan, others=standing is not None)
    factor = make_factor(gram, ranks.first if glance else ranks.capacity, plan.random_state)
    path: tuple[tuple[int, float], ...] = ()
    rank = ranks.first
    while True:
        factor.grow(rank, _told(after_block, rank))
        # Where the dense solver has the last word, kernels are compared by what they come to.
        judgement = _judge_factor(factor, judge, plan, at_equal_rank=not ranks.dense_follows)
        judgement = replace(judgement, path=path, capacity=ranks.capacity)
        if judgement.settled or glance or _is_given_up(judgement, standing):
            return judgement
        if ranks.end_at(rank, judgement.unseen):
            return _dense(gram, judge, plan) if ranks.dense_follows else judgement
        path = (*path, (rank, judgement.judged.criterion_value))
        rank = ranks.after(rank)


@dataclass(frozen=True)
class _Ranks:
    """The ranks at which the factor of a kernel is judged.

    ``first`` and ``last`` are the ends; alone in memory the factor may grow to ``capacity``.
    """

    first: int
    last: int
    capacity: int
    dense_follows: bool

    @classmethod
    def of(cls, gram: Gram, plan: Plan, *, others: bool) -> "_Ranks":
        """Plan the ranks for a kernel, which shares the memory with the best of others."""
        capacity = lowrank_capacity(gram, plan.memory)
        last = lowrank_capacity(gram, plan.memory, factors=2) if others else capacity
        dense_follows = (
            plan.solver == "auto"
            and not isinstance(gram.points, RowBlocks)
            and gram.n <= DENSE_FOLLOWS
            and fits(dense_bytes(gram.n), plan.memory)
        )
        if dense_follows:
            # Beyond this rank the dense solver is as quick.
            capacity = last = min(last, max(FIRST_RANK, gram.n // 3))
        else:
            most = MOST_RANK if gram.n <= MANY_ROWS else FAR
            capacity, last = min(capacity, most), min(last, most)
        return cls(min(FIRST_RANK, last), last, capacity, dense_follows)

    def end_at(self, rank: int, unseen: float) -> bool:
        """Tell whether no further rank is worth a try, with this share of the trace unseen."""
        return rank >= self.last or (self.dense_follows and unseen > HOPELESS)

    def after(self, rank: int) -> int:
        """Return the rank that follows."""
        if self.dense_follows and LAST_LEAP * rank >= self.last:
            return self.last
        return min(2 * rank, self.last)


def judge_further(
    judgement: Judgement[J],
    judge: Callable[[Spectrum], J],
    plan: Plan,
    *,
    after_block: Callable[[int, int], None] | None = None,
) -> Judgement[J]:
    """Use all memory for one kernel, where its judgement is not settled.

    Parameters
    ----------
    judgement : Judgement
        What there is.
    judge, plan, after_block
        As in :func:`judge_kernel`.

    Returns
    -------
    Judgement
        The same, or one from a larger rank.
    """
    factor, capacity = judgement.factor, judgement.capacity
    while factor is not None and not judgement.settled and factor.rank < capacity:
        rank = min(2 * factor.rank, capacity)
        factor.grow(rank, _told(after_block, rank))
        judgement = _judge_factor(factor, judge, plan, at_equal_rank=True)
    return judgement


def glance_bytes(gram: Gram, plan: Plan) -> int:
    """Return the memory that the first look at a kernel takes."""
    if _is_dense(gram, plan):
        return dense_bytes(gram.n)
    return lowrank_bytes(gram.n, FIRST_RANK, itemsize=8)


def _told(
    after_block: Callable[[int, int], None] | None, rank: int
) -> Callable[[int], None] | None:
    """Return what a factor tells its rank to, while it grows to another."""
    return None if after_block is None else lambda reached: after_block(reached, rank)


def _is_dense(gram: Gram, plan: Plan) -> bool:
    """Tell whether the dense solver comes first."""
    if isinstance(gram.points, RowBlocks):
        return False
    return plan.solver == "dense" or (plan.solver == "auto" and gram.n <= FEW_ROWS)


def _is_given_up(judgement: Judgement[Any], standing: Standing | None) -> bool:
    return standing is not None and not standing.allows(judgement.prospect)


def _judge_factor(
    factor: PivotedFactor, judge: Callable[[Spectrum], J], plan: Plan, *, at_equal_rank: bool
) -> Judgement[J]:
    """Judge the spectrum of a factor, and compare it with that of its first columns."""

    def judged_at(rank: int) -> tuple[Spectrum, J]:
        spectrum = spectrum_of_factor(factor, rank=rank, center=plan.center)
        return spectrum, judge(spectrum)

    if factor.exhausted:
        _, judged = judged_at(factor.rank)
        prospect = Prospect(factor.rank, judged.criterion_value)
        return Judgement(judged, settled=True, prospect=prospect)
    # A cluster has cores of its own.
    run = map if isinstance(factor.gram.points, RowBlocks) else side_by_side
    ranks = [factor.rank, int(PART * factor.rank)]
    (spectrum, judged), (_, part) = run(judged_at, ranks)
    value = judged.criterion_value
    change = abs(part.criterion_value - value)
    share = spectrum.residual / spectrum.trace if spectrum.trace > 0 else 0.0
    unseen = share > UNSEEN
    settled = (
        change <= SETTLED * plan.scale
        and judged.dimension <= INSIDE * factor.rank
        and (not unseen or factor.rank >= FAR)
    )
    times = (2 if unseen else 1) * (HOPE_AT_EQUAL_RANK if at_equal_rank else HOPE)
    hope = value - times * change - SETTLED * plan.scale
    prospect = Prospect(factor.rank, hope, at_equal_rank)
    return Judgement(judged, settled=settled, prospect=prospect, factor=factor, unseen=share)


def _dense(gram: Gram, judge: Callable[[Spectrum], J], plan: Plan) -> Judgement[J]:
    spectrum = decompose_gram(gram, solver="dense", center=plan.center, memory=plan.memory)
    judged = judge(spectrum)
    prospect = Prospect(gram.n, judged.criterion_value)
    return Judgement(judged, settled=True, prospect=prospect)
