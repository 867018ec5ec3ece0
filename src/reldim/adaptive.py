"""Adaptive decomposition: as many eigenpairs as a judgement on the targets needs.

A judge makes of a spectrum a value of a criterion and a dimension. The rank of a low-rank
spectrum is grown until the judgement no longer depends on it: the factor's own first columns
give the judgement at a smaller rank for next to nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from reldim.eigensolvers import (
    DENSE_ROWS,
    check_solver,
    decompose_gram,
    lowrank_capacity,
)
from reldim.eigensolvers.dense import dense_bytes
from reldim.eigensolvers.lowrank import Factor, spectrum_of_factor
from reldim.gram import Gram
from reldim.memory import fits
from reldim.spectrum import Spectrum

__all__ = ["Judged", "Judgement", "Plan", "judge_kernel"]

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

#: A kernel is given up where even this many times its last gain would not make it the best;
#: twice as many where much is unseen.
HOPE = 4.0


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
    solver : {"auto", "dense", "lowrank"}
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
class Judgement(Generic[J]):
    """A judgement, and how far it can be relied on.

    Attributes
    ----------
    judged : Judged
        What the judge made of the last spectrum.
    rank : int
        Rank of that spectrum.
    settled : bool
        Whether more eigenpairs would change nothing that matters.
    hope : float
        The lowest criterion value that more eigenpairs may be hoped to bring.
    """

    judged: J = field(repr=False)
    rank: int
    settled: bool
    hope: float


def judge_kernel(
    gram: Gram,
    judge: Callable[[Spectrum], J],
    plan: Plan,
    *,
    best: float = float("inf"),
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
    best : float
        The best criterion value so far; a kernel that cannot reach it is given up early.
    glance : bool
        Stop at the first rank, settled or not.
    after_block : callable, optional
        Told the rank as it grows, and the one it grows to.

    Returns
    -------
    Judgement
        The judgement.
    """
    if plan.solver == "dense" or (plan.solver == "auto" and gram.n <= FEW_ROWS):
        return _dense(gram, judge, plan)
    limit = lowrank_capacity(gram, plan.memory)
    dense_is_left = (
        plan.solver == "auto" and gram.n <= DENSE_ROWS and fits(dense_bytes(gram.n), plan.memory)
    )
    if dense_is_left:
        # Beyond this rank the dense solver is as quick.
        limit = min(limit, max(FIRST_RANK, gram.n // 3))
    rank = min(FIRST_RANK, limit)
    factor = Factor(gram, rank if glance else limit, plan.random_state)

    def tell(reached: int) -> None:
        if after_block is not None:
            after_block(reached, rank)

    while True:
        factor.grow(rank, tell)
        judgement = _judge_factor(factor, judge, plan)
        if judgement.settled or glance or judgement.hope > best:
            return judgement
        if rank >= limit:
            return _dense(gram, judge, plan) if dense_is_left else judgement
        rank = min(2 * rank, limit)


def _judge_factor(factor: Factor, judge: Callable[[Spectrum], J], plan: Plan) -> Judgement[J]:
    spectrum = spectrum_of_factor(factor, center=plan.center)
    judged = judge(spectrum)
    value = judged.criterion_value
    if factor.exhausted:
        return Judgement(judged, factor.rank, settled=True, hope=value)
    part = judge(spectrum_of_factor(factor, rank=int(PART * factor.rank), center=plan.center))
    change = abs(part.criterion_value - value)
    unseen = spectrum.residual > UNSEEN * spectrum.trace
    settled = (
        change <= SETTLED * plan.scale
        and judged.dimension <= INSIDE * factor.rank
        and (not unseen or factor.rank >= FAR)
    )
    hope = value - (2 if unseen else 1) * HOPE * change - SETTLED * plan.scale
    return Judgement(judged, factor.rank, settled=settled, hope=hope)


def _dense(gram: Gram, judge: Callable[[Spectrum], J], plan: Plan) -> Judgement[J]:
    spectrum = decompose_gram(gram, solver="dense", center=plan.center, memory=plan.memory)
    judged = judge(spectrum)
    return Judgement(judged, gram.n, settled=True, hope=judged.criterion_value)
