"""Families of kernels: a parameter on a grid that follows the scale of the data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.kernels import (
    Gaussian,
    InverseMultiquadric,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    WeightedDegree,
    squared_distances,
)

__all__ = ["FAMILIES", "Family", "family_of", "width_range"]

#: Number of widths on the default grid, as in the papers.
STEPS = 20

#: How far the grid may be continued on either side.
MORE_STEPS = 10

#: Rows from which the scale of the data is taken.
SAMPLE = 400

#: Squared distances below this lose digits.
SMALLEST = 1e-280


@dataclass(frozen=True)
class Family:
    """Kernels numbered by a step; more steps may follow on either side.

    Attributes
    ----------
    name : str
        Name of the family.
    make : callable
        The kernel of a step.
    first, last : int
        The steps that are tried.
    lowest, highest : int
        How far the range may be extended.
    """

    name: str
    make: Callable[[int], Kernel]
    first: int
    last: int
    lowest: int
    highest: int

    @classmethod
    def of_list(cls, name: str, kernels: Sequence[Kernel]) -> "Family":
        """Make a family of kernels that cannot be extended."""
        return cls(name, kernels.__getitem__, 0, len(kernels) - 1, 0, len(kernels) - 1)


def width_range(points: Any) -> tuple[float, float]:
    """Return the range of Gaussian widths that suits the data.

    From a tenth of the squared distance between nearest neighbours, where the kernel matrix
    is close to the identity, to a hundred times the median squared distance, where the kernel
    is close to linear. Rows are picked by value, so their order does not matter.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n, features)
        The data.

    Returns
    -------
    low, high : float
        The range.
    """
    n = points.shape[0]
    key = points @ np.random.default_rng(0).standard_normal(points.shape[1])
    order = np.argsort(np.asarray(key).ravel(), kind="stable")
    picked = order[np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.intp))]
    squared = np.asarray(squared_distances(points[picked], points), dtype=np.float64)
    if not np.isfinite(squared).all():
        raise InputError(
            "The distances between the rows of X are too large for floating point. Change the "
            "unit of X, or standardise its columns."
        )
    positive = np.where(squared > 1e-12 * squared.max(initial=0.0), squared, np.nan)
    if np.isnan(positive).all():
        raise InputError(
            "All rows of X are equal, so no kernel can tell them apart. Check the features."
        )
    some = positive[~np.isnan(positive).all(axis=1)]
    typical = float(np.nanmedian(some))
    if typical < SMALLEST:
        raise InputError(
            f"Squared distances between the rows of X are as small as {typical:.2g}, beyond the "
            "precision of floating point. Change the unit of X, or standardise its columns."
        )
    nearest = float(np.median(np.nanmin(some, axis=1)))
    return min(nearest / 10, typical / 100), 100 * typical


def family_of(name: str, points: Any) -> Family:
    """Return the family of a name, with its grid set to the scale of the data.

    Parameters
    ----------
    name : str
        One of ``FAMILIES``.
    points : prepared points
        The data.

    Returns
    -------
    Family
        The family.
    """
    if name not in _MAKERS:
        raise InputError(f"A family of kernels is one of {', '.join(FAMILIES)}. Got {name!r}.")
    return _MAKERS[name](points)


def _grid(name: str, points: Any, make: Callable[[float], Kernel], power: float) -> Family:
    low, high = width_range(points)
    ratio = (high / low) ** (1 / (STEPS - 1))

    def at(step: int) -> Kernel:
        # Three digits: a table that can be read, and no trace of the order of summation.
        return make(float(f"{(low * ratio**step) ** power:.3g}"))

    return Family(name, at, 0, STEPS - 1, -MORE_STEPS, STEPS - 1 + MORE_STEPS)


def _gaussian(points: Any) -> Family:
    return _grid("gaussian", points, lambda width: Gaussian(width=width), 1.0)


def _laplacian(points: Any) -> Family:
    return _grid("laplacian", points, lambda scale: Laplacian(scale=scale), 0.5)


def _matern(points: Any) -> Family:
    return _grid("matern", points, lambda length: Matern(nu=2.5, length=length), 0.5)


def _multiquadric(points: Any) -> Family:
    return _grid(
        "inverse-multiquadric", points, lambda constant: InverseMultiquadric(constant=constant), 0.5
    )


def _polynomial(points: Any) -> Family:
    squares = points.multiply(points) if hasattr(points, "multiply") else points**2
    typical = float(np.mean(np.asarray(squares.sum(axis=1)))) or 1.0
    constant = float(f"{typical:.3g}")
    degrees = [Polynomial(degree=degree, constant=constant) for degree in range(1, 7)]
    # Degree 1 is a natural end, not the edge of a range.
    return Family.of_list("polynomial", degrees)


def _linear(points: Any) -> Family:
    del points  # the linear kernel has no parameter
    return Family.of_list("linear", [Linear()])


def _weighted_degree(points: Any) -> Family:
    length = int(points.shape[1])
    degrees: NDArray[np.intp] = np.unique([d for d in (1, 2, 3, 5, 8, 12, 20, 30) if d <= length])
    return Family.of_list(
        "weighted-degree", [WeightedDegree(degree=int(degree)).normalized() for degree in degrees]
    )


_MAKERS: dict[str, Callable[[Any], Family]] = {
    "gaussian": _gaussian,
    "laplacian": _laplacian,
    "matern": _matern,
    "polynomial": _polynomial,
    "linear": _linear,
    "inverse-multiquadric": _multiquadric,
    "weighted-degree": _weighted_degree,
}

FAMILIES = tuple(_MAKERS)
