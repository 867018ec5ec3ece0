"""Rivals: kernels of other families on the same rows, to tell whether the kernel is what limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.blocks import RowBlocks
from reldim.eigensolvers import decompose_gram
from reldim.exceptions import InputError
from reldim.families import family_of
from reldim.gram import Gram
from reldim.kernels import Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from reldim.noise import NoiseProfile
from reldim.relevance import RelevantDimension, estimate
from reldim.targets import Targets

__all__ = ["Rival", "Rivals", "find_rivals"]

#: Rows that are looked at. More would tell kernels apart that hardly differ.
ROWS = 400

#: A rival is taken for more likely where its log-likelihood is ahead by this much in all.
AHEAD = 2.0

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
        """Leave-one-out error, computed when somebody asks for it."""
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
        The best kernel of each other family, by likelihood.
    profiles : tuple of NoiseProfile
        What all kernels that were tried say about the noise.
    """

    rows: int
    chosen: Rival
    others: tuple[Rival, ...]
    profiles: tuple[NoiseProfile, ...] = field(repr=False)

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

    @property
    def likeliest(self) -> RelevantDimension:
        """The estimate under the best rival where it is clearly ahead, else the chosen one."""
        best = self.best
        return self.chosen.relevance if best is None or self.ahead < AHEAD else best.relevance


def find_rivals(rd: RelevantDimension, tried: Sequence[Kernel]) -> Rivals | None:
    """Try families of kernels that were not tried yet.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate under the chosen kernel.
    tried : sequence of Kernel
        All kernels that were tried; their families are left out.

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
    rows = _some_rows(points)
    targets = rd.targets
    if len(rows) < targets.n:
        kept = targets.subset(rows)
        if kept.counts is not None and kept.counts.min() < 2:
            return None
        points, targets = points[rows], kept
    chosen = rd if targets is rd.targets else _judged(rd.spectrum.gram.kernel, points, targets)
    profiles, others = [], []
    for family, (kind, step) in FAMILIES.items():
        if any(isinstance(kernel, kind) for kernel in tried):
            continue
        try:
            grid = family_of(family, points)
            found = [
                _judged(grid.make(place), points, targets)
                for place in range(grid.first, grid.last + 1, step)
            ]
        except InputError:
            # Nobody asked for it: a family that overflows in the unit of X is no rival.
            continue
        profiles += [NoiseProfile.of(one.signal) for one in found]
        others.append(Rival(family, min(found, key=lambda one: one.criterion_value)))
    return Rivals(len(rows), Rival("", chosen), tuple(others), tuple(profiles))


def _judged(kernel: Kernel, points: Any, targets: Targets) -> RelevantDimension:
    return estimate(decompose_gram(Gram.of(kernel, points), solver="dense"), targets)


def _some_rows(points: Any) -> NDArray[np.intp]:
    """Return rows from all over the data, whatever their order is."""
    n = points.shape[0]
    if n <= ROWS:
        return np.arange(n)
    key = points @ np.random.default_rng(0).standard_normal(points.shape[1])
    order = np.argsort(np.asarray(key).ravel(), kind="stable")
    return np.sort(order[np.linspace(0, n - 1, ROWS).round().astype(np.intp)])
