"""Adaptive decomposition: as many eigenpairs as a judgement on the targets needs.

A judge makes of a spectrum a value of a criterion and a dimension. The rank of a low-rank
spectrum is grown until the judgement no longer depends on it: the factor's own first columns
give the judgement at a smaller rank for next to nothing.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from reldim.eigensolvers import (
    DENSE_ROWS,
    check_solver,
    decompose_gram,
    held_by,
    lowrank_capacity,
    make_factor,
)
from reldim.eigensolvers.dense import dense_bytes
from reldim.eigensolvers.lowrank import spectrum_of_factor
from reldim.eigensolvers.pivots import PivotedFactor
from reldim.inputs.memory import fits
from reldim.inputs.rows import RowBlocks
from reldim.spectrum.gram import Gram
from reldim.spectrum.spectrum import Spectrum

__all__ = ["Judged", "Judgement", "Plan", "Prospect", "Standing", "judge_further", "judge_kernel"]

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
        Stop at the first rank, settled or not.
    after_block : callable, optional
        Told the rank as it grows, and the one it grows to.

    Returns
    -------
    Judgement
        The judgement.
    """
    gram = held_by(plan.solver, gram)
    solver = "dask" if isinstance(gram.points, RowBlocks) else plan.solver
    if solver == "dense" or (solver == "auto" and gram.n <= FEW_ROWS):
        return _dense(gram, judge, plan)
    capacity = lowrank_capacity(gram, plan.memory)
    # The factor of the best kernel so far is held beside the one that is tried.
    limit = capacity if standing is None else lowrank_capacity(gram, plan.memory, factors=2)
    dense_is_left = (
        solver == "auto" and gram.n <= DENSE_ROWS and fits(dense_bytes(gram.n), plan.memory)
    )
    if dense_is_left:
        # Beyond this rank the dense solver is as quick.
        capacity = limit = min(limit, max(FIRST_RANK, gram.n // 3))
    rank = min(FIRST_RANK, limit)
    factor = make_factor(gram, rank if glance else capacity, plan.random_state)
    path: tuple[tuple[int, float], ...] = ()

    def tell(reached: int) -> None:
        if after_block is not None:
            after_block(reached, rank)

    while True:
        factor.grow(rank, tell)
        # Where the dense solver has the last word, kernels are compared by what they come to.
        judgement = _judge_factor(factor, judge, plan, at_equal_rank=not dense_is_left)
        judgement = replace(judgement, path=path, capacity=capacity)
        given_up = standing is not None and not standing.allows(judgement.prospect)
        if judgement.settled or glance or given_up:
            return judgement
        if rank >= limit or (dense_is_left and judgement.unseen > HOPELESS):
            return _dense(gram, judge, plan) if dense_is_left else judgement
        path = (*path, (rank, judgement.judged.criterion_value))
        rank = limit if dense_is_left and LAST_LEAP * rank >= limit else min(2 * rank, limit)


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

        def tell(reached: int, rank: int = rank) -> None:
            if after_block is not None:
                after_block(reached, rank)

        factor.grow(rank, tell)
        judgement = _judge_factor(factor, judge, plan, at_equal_rank=True)
    return judgement


def _judge_factor(
    factor: PivotedFactor, judge: Callable[[Spectrum], J], plan: Plan, *, at_equal_rank: bool
) -> Judgement[J]:
    spectrum = spectrum_of_factor(factor, center=plan.center)
    judged = judge(spectrum)
    value = judged.criterion_value
    if factor.exhausted:
        return Judgement(judged, settled=True, prospect=Prospect(factor.rank, value))
    part = judge(spectrum_of_factor(factor, rank=int(PART * factor.rank), center=plan.center))
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
