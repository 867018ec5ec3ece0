"""Densities of inputs: what the integral equation of a kernel is weighted by."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError, counted
from reldim.inputs.random_state import generator_of

__all__ = ["Density", "GaussianDensity", "GaussianMixture", "UniformDensity", "as_points"]

Array = NDArray[np.float64]

#: A Gaussian is integrated up to this many standard deviations; beyond lie 1e-19 of its mass.
REACH = 9.0


def as_points(X: ArrayLike, dimensions: int) -> Array:
    """Return points as an array of shape (rows, ``dimensions``); a vector is a column."""
    points = np.asarray(X, dtype=np.float64)
    if points.ndim == 1 and dimensions == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise InputError(
            f"X must hold points with {counted(dimensions, 'column')}. Got shape {points.shape} "
            "instead."
        )
    if not np.all(np.isfinite(points)):
        raise InputError("X must hold finite numbers only. Got NaN or infinity: drop those rows.")
    return points


class Density(ABC):
    """A probability density over points of one or more columns.

    A new density supplies :attr:`box`, :meth:`__call__` and :meth:`sample`.
    """

    @property
    @abstractmethod
    def box(self) -> tuple[tuple[float, float], ...]:
        """For each column, the interval outside of which the density can be neglected."""

    @abstractmethod
    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate the density at points, one value per row."""

    @abstractmethod
    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> Array:
        """Draw ``n`` points, an array of shape (n, columns)."""

    @property
    def dimensions(self) -> int:
        """Number of columns of a point."""
        return len(self.box)


@dataclass(frozen=True)
class GaussianDensity(Density):
    r"""A Gaussian whose columns are independent.

    .. math:: p(x) = \prod_j \frac{1}{\sqrt{2 \pi v_j}}
              \exp\left(-\frac{(x_j - m_j)^2}{2 v_j}\right)

    Parameters
    ----------
    variance : float or sequence of float
        The variances :math:`v_j`, one per column.
    mean : float or sequence of float
        The means :math:`m_j`; one number stands for all columns.

    Examples
    --------
    >>> density = GaussianDensity(variance=0.25)
    >>> density([0.0, 1.0])
    array([0.79788456, 0.10798193])
    """

    variance: float | Sequence[float]
    mean: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        variances = tuple(float(v) for v in np.atleast_1d(np.asarray(self.variance, float)))
        means = np.asarray(self.mean, float)
        if means.ndim > 1 or (means.ndim == 1 and len(means) != len(variances)):
            raise InputError(
                f"mean must be a number, or one for each of the {len(variances)} variances. "
                f"Got {self.mean!r} instead."
            )
        if not all(math.isfinite(v) and v > 0 for v in variances) or not np.all(np.isfinite(means)):
            raise InputError(
                "GaussianDensity: variance must be positive and finite, mean finite. "
                f"Got variance={self.variance!r}, mean={self.mean!r} instead."
            )
        means = np.broadcast_to(means, (len(variances),))
        object.__setattr__(self, "variance", variances)
        object.__setattr__(self, "mean", tuple(float(m) for m in means))

    @property
    def variances(self) -> Array:
        """The variance of each column."""
        return np.asarray(self.variance, dtype=np.float64)

    @property
    def means(self) -> Array:
        """The mean of each column."""
        return np.asarray(self.mean, dtype=np.float64)

    @property
    def box(self) -> tuple[tuple[float, float], ...]:
        """Nine standard deviations to either side."""
        half = REACH * np.sqrt(self.variances)
        return tuple((float(m - h), float(m + h)) for m, h in zip(self.means, half, strict=True))

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate the density."""
        squared = (as_points(X, self.dimensions) - self.means) ** 2 / self.variances
        norm = np.prod(np.sqrt(2 * np.pi * self.variances))
        return np.asarray(np.exp(-0.5 * squared.sum(axis=1)) / norm)

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> Array:
        """Draw points."""
        rng = generator_of(random_state)
        standard = rng.standard_normal((n, self.dimensions))
        return np.asarray(self.means + np.sqrt(self.variances) * standard)


@dataclass(frozen=True)
class GaussianMixture(Density):
    """A mixture of Gaussians, such as two classes that form a bump each.

    Parameters
    ----------
    parts : sequence of GaussianDensity
        The Gaussians, all over as many columns.
    weights : sequence of float, optional
        Their shares, which sum to 1; by default equal.

    Examples
    --------
    >>> two = GaussianMixture([GaussianDensity(0.05, -1.5), GaussianDensity(0.05, 1.5)])
    >>> two.box
    ((-3.512..., 3.512...),)
    """

    parts: Sequence[GaussianDensity]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        if len({part.dimensions for part in parts}) != 1:
            raise InputError(
                "GaussianMixture: parts must be at least one Gaussian, all over as many columns. "
                f"Got {[part.dimensions for part in parts]} columns."
            )
        weights = self.weights or (1.0 / len(parts),) * len(parts)
        shares = tuple(float(w) for w in weights)
        if len(shares) != len(parts) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
            raise InputError(
                f"GaussianMixture: weights must be {len(parts)} numbers of at least 0 that sum to "
                f"1. Got {shares} instead: divide them by their sum."
            )
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "weights", shares)

    @property
    def shares(self) -> Array:
        """The share of each part."""
        return np.asarray(self.weights, dtype=np.float64)

    @property
    def box(self) -> tuple[tuple[float, float], ...]:
        """The smallest box around those of the parts."""
        edges = np.array([part.box for part in self.parts])
        low, high = edges[:, :, 0].min(axis=0), edges[:, :, 1].max(axis=0)
        return tuple((float(a), float(b)) for a, b in zip(low, high, strict=True))

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate the density."""
        values = np.stack([part(X) for part in self.parts])
        return np.asarray(self.shares @ values)

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> Array:
        """Draw points."""
        rng = generator_of(random_state)
        which = rng.choice(len(self.parts), size=n, p=self.shares)
        drawn = np.stack([part.sample(n, rng) for part in self.parts])
        return np.asarray(drawn[which, np.arange(n)])


@dataclass(frozen=True)
class UniformDensity(Density):
    """The same density everywhere in a box.

    Parameters
    ----------
    intervals : sequence of pairs
        The two ends of the box in each column.

    Examples
    --------
    >>> UniformDensity([(0.0, 2.0)])([0.5, 3.0])
    array([0.5, 0. ])
    """

    intervals: Sequence[tuple[float, float]]

    def __post_init__(self) -> None:
        intervals = tuple((float(a), float(b)) for a, b in self.intervals)
        if not intervals or not all(np.isfinite(b - a) and b > a for a, b in intervals):
            raise InputError(
                "UniformDensity: intervals must be pairs (low, high) with low < high, one per "
                f"column. Got {self.intervals!r} instead."
            )
        object.__setattr__(self, "intervals", intervals)

    @property
    def box(self) -> tuple[tuple[float, float], ...]:
        """The box itself."""
        return tuple(self.intervals)

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate the density."""
        points = as_points(X, self.dimensions)
        low, high = np.array(self.intervals).T
        inside: Any = np.all((points >= low) & (points <= high), axis=1)
        return np.asarray(np.where(inside, 1.0 / np.prod(high - low), 0.0))

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> Array:
        """Draw points."""
        low, high = np.array(self.intervals).T
        rng = generator_of(random_state)
        return np.asarray(rng.uniform(low, high, size=(n, self.dimensions)))
