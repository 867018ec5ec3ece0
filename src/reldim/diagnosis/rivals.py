"""Rivals: kernels of other families on the same rows, to tell whether the kernel is what limits."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers import decompose_gram
from reldim.eigensolvers.dense import dense_bytes
from reldim.exceptions import InputError
from reldim.inputs.cores import side_by_side
from reldim.inputs.memory import fits
from reldim.inputs.rows import RowBlocks
from reldim.inputs.targets import Targets
from reldim.kernels import Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from reldim.relevance.estimation import RelevantDimension, estimate
from reldim.search.families import family_of
from reldim.spectrum.gram import Gram

__all__ = ["Rival", "Rivals", "find_rivals"]

#: Rows on which all families are tried.
ROWS = 400

#: Up to as many rows on which those that look better are tried again: what is ahead on few rows
#: need not be so on more.
MORE_ROWS = 2000

#: Each how many-th kernel of a family is tried.
FAMILIES: dict[str, tuple[type[Kernel], int]] = {
    "gaussian": (Gaussian, 3),
    "laplacian": (Laplacian, 4),
    "matern": (Matern, 4),
    "polynomial": (Polynomial, 1),
    "linear": (Linear, 1),
}


@dataclass(frozen=True)
class Rival:
    """A kernel that might do better, and how well it does.

    Attributes
    ----------
    family : str
        Its family.
    relevance : RelevantDimension
        The estimate under it.
    """

    family: str
    relevance: RelevantDimension = field(repr=False)

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.relevance.spectrum.gram.kernel

    @property
    def dimension(self) -> int:
        """Relevant dimension."""
        return self.relevance.dimension

    @property
    def negative_log_likelihood(self) -> float:
        """As in :class:`~reldim.RelevantDimension`."""
        return self.relevance.negative_log_likelihood

    @property
    def error_estimate(self) -> float:
        """Leave-one-out error, computed when it is asked for."""
        return self.relevance.error_estimate


@dataclass(frozen=True)
class Rivals:
    """Kernels of other families beside the one that was chosen.

    Attributes
    ----------
    rows : int
        Rows that they were tried on.
    chosen : Rival
        The chosen kernel on these rows.
    others : tuple of Rival
        The best kernel of each other family, by likelihood; where there was a second look on more
        rows, of those that seemed better.
    """

    rows: int
    chosen: Rival
    others: tuple[Rival, ...]

    @property
    def best(self) -> Rival | None:
        """The most likely rival, None where there is no rival."""
        return min(self.others, key=lambda rival: rival.negative_log_likelihood, default=None)

    @property
    def ahead(self) -> float:
        """By how much the log-likelihood of the best rival exceeds that of the chosen kernel."""
        if self.best is None:
            return -np.inf
        chosen = self.chosen.negative_log_likelihood
        return self.rows * (chosen - self.best.negative_log_likelihood)


def find_rivals(
    rd: RelevantDimension, tried: Sequence[Kernel], memory: int | None = None
) -> Rivals | None:
    """Try families of kernels that were not tried yet.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate under the chosen kernel.
    tried : sequence of Kernel
        All kernels that were tried; their families are left out.
    memory : int, optional
        Bytes to keep to, by default what is available; a second look that takes more is left out.

    Returns
    -------
    Rivals or None
        None where there are none: for data that are not numbers, or on a cluster.

    Examples
    --------
    >>> from reldim import decompose, kernels, relevant_dimension
    >>> x = np.linspace(-3, 3, 60).reshape(-1, 1)
    >>> rd = relevant_dimension(decompose(kernels.Linear(), x), np.sin(2 * x[:, 0]) + x[:, 0])
    >>> rivals = find_rivals(rd, [kernels.Linear()])
    >>> rivals.best.error_estimate < 0.01 < 0.1 < rivals.chosen.error_estimate
    True
    """
    points = rd.spectrum.gram.points
    if rd.spectrum.gram.kernel.domain != "vectors" or isinstance(points, RowBlocks):
        return None
    sample = _Sample.of(rd, ROWS)
    if sample is None:
        return None
    found = sample.judged(_kernels(sample.points, tried))
    better = _better(sample.chosen, found)
    more = min(rd.targets.n, MORE_ROWS)
    # Three decompositions are held at the end, each half of what it took.
    if better and len(sample.rows) < more and fits(2 * dense_bytes(more), memory):
        closer = _Sample.of(rd, more)
        if closer is not None:
            sample, found = closer, closer.judged(better)
    best: dict[str, Rival] = {}
    for one in sorted(found, key=lambda one: one.relevance.criterion_value):
        best.setdefault(one.family, one)
    return Rivals(
        len(sample.rows),
        Rival("", sample.chosen),
        tuple(best[family] for family in FAMILIES if family in best),
    )


@dataclass(frozen=True)
class _Sample:
    """Some of the rows, to try kernels on."""

    rows: NDArray[np.intp]
    points: Any
    targets: Targets
    chosen: RelevantDimension

    @classmethod
    def of(cls, rd: RelevantDimension, most: int) -> "_Sample | None":
        """Take at most so many rows; None where a class gets lost."""
        points, targets = rd.spectrum.gram.points, rd.targets
        rows = _some_rows(points, most)
        if len(rows) == targets.n:
            return cls(rows, points, targets, rd)
        kept = targets.subset(rows)
        if kept.counts is not None and kept.counts.min() < 2:
            return None
        points = points[rows]
        return cls(rows, points, kept, _judged(rd.spectrum.gram.kernel, points, kept))

    def judged(self, kernels: Iterable[tuple[str, Kernel]]) -> list[Rival]:
        """Return the estimates under kernels of some families."""

        def judged(named: tuple[str, Kernel]) -> Rival | None:
            family, kernel = named
            # No caller asked for it: a kernel that overflows in the unit of X is no rival.
            with suppress(InputError):
                return Rival(family, _judged(kernel, self.points, self.targets))
            return None

        return [rival for rival in side_by_side(judged, kernels) if rival is not None]


def _kernels(points: Any, tried: Sequence[Kernel]) -> Iterator[tuple[str, Kernel]]:
    """Yield some kernels of each family that was not tried."""
    for family, (kind, step) in FAMILIES.items():
        if any(isinstance(kernel, kind) for kernel in tried):
            continue
        with suppress(InputError):
            grid = family_of(family, points)
            for place in range(grid.first, grid.last + 1, step):
                yield family, grid.make(place)


def _better(chosen: RelevantDimension, found: Sequence[Rival]) -> list[tuple[str, Kernel]]:
    """Return the likeliest kernel where it is ahead of the chosen one."""
    first = min(found, key=lambda one: one.negative_log_likelihood, default=None)
    if first is None or first.negative_log_likelihood >= chosen.negative_log_likelihood:
        return []
    return [(first.family, first.kernel)]


def _judged(kernel: Kernel, points: Any, targets: Targets) -> RelevantDimension:
    return estimate(decompose_gram(Gram.of(kernel, points), solver="dense"), targets)


def _some_rows(points: Any, most: int) -> NDArray[np.intp]:
    """Return rows from all over the data, whatever their order is."""
    n = points.shape[0]
    if n <= most:
        return np.arange(n)
    key = points @ np.random.default_rng(0).standard_normal(points.shape[1])
    order = np.argsort(np.asarray(key).ravel(), kind="stable")
    return np.sort(order[np.linspace(0, n - 1, most).round().astype(np.intp)])
