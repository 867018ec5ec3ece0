"""Families of kernels: a parameter on a grid that follows the scale of the data."""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.inputs.duplicates import row_keys
from reldim.inputs.rows import RowBlocks, fold
from reldim.kernels import (
    Gaussian,
    InverseMultiquadric,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    WeightedDegree,
    squared_distances,
)
from reldim.kernels.distances import squared_norms
from reldim.kernels.points import concatenated, in_double

__all__ = [
    "FAMILIES",
    "SKLEARN_NAMES",
    "Family",
    "KernelName",
    "family_of",
    "named_kernel",
    "width_range",
]

#: Names that callers may pass: families, and what scikit-learn calls them.
KernelName = Literal[
    "gaussian",
    "laplacian",
    "matern",
    "polynomial",
    "linear",
    "inverse-multiquadric",
    "weighted-degree",
    "rbf",
    "poly",
    "cosine",
    "precomputed",
]

#: Number of widths on the default grid, as in the papers.
STEPS = 20

#: How far the grid may be continued on either side.
MORE_STEPS = 10

#: Rows from which the scale of the data is taken.
SAMPLE = 400

#: Beyond this many rows a random choice of them stands for all; only the nearest neighbours of a
#: few rows are looked for everywhere, so many rows at a time.
MANY = 50_000
SOME = 5000
FEW = 100
STEP = 2**16

#: Squared distances below this lose digits.
SMALLEST = 1e-280
SMALLEST_SINGLE = 1e-34


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
    everything = points
    points = _some_rows(points)
    n = points.shape[0]
    key = points @ np.random.default_rng(0).standard_normal(points.shape[1])
    order = np.argsort(np.asarray(key).ravel(), kind="stable")
    picked = order[np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.intp))]
    squared = squared_distances(in_double(points[picked]), in_double(points))
    if not squared.any():
        raise InputError(_no_distances(points))
    # By the median, not the largest: a single row far off must not make all others look equal.
    positive = np.where(squared > 1e-12 * np.median(squared[squared > 0]), squared, np.nan)
    some = positive[~np.isnan(positive).all(axis=1)]
    typical = float(np.nanmedian(some))
    if typical < (SMALLEST_SINGLE if points.dtype == np.float32 else SMALLEST):
        raise InputError(
            f"Squared distances between the rows of X are as small as {typical:.2g}, beyond the "
            "precision of floating point. Change the unit of X, or standardise its columns."
        )
    nearest = float(np.median(np.nanmin(some, axis=1)))
    if everything.shape[0] > MANY:
        few = in_double(points[picked[:: SAMPLE // FEW]])
        nearest = float(np.median(_nearest(everything, few, float(np.nanmin(positive)))))
    return min(nearest / 10, typical / 100), 100 * typical


def _some_rows(points: Any) -> Any:
    """Return the rows from which the scale of the data is taken, in memory."""
    n = points.shape[0]
    if n > MANY:
        _, rows = fold(points, _smallest_keys, _smaller_keys)
        return rows
    return points.take(np.arange(n)) if isinstance(points, RowBlocks) else points


def _smallest_keys(rows: Any) -> tuple[NDArray[np.uint64], Any]:
    """Return the rows with the smallest keys: a random choice that no order of rows changes."""
    keys = row_keys(rows)
    assert keys is not None
    order = np.argsort(keys, kind="stable")[:SOME]
    return keys[order], rows[order]


def _smaller_keys(first: Any, second: Any) -> tuple[NDArray[np.uint64], Any]:
    keys = np.concatenate([first[0], second[0]])
    order = np.argsort(keys, kind="stable")[:SOME]
    return keys[order], concatenated([first[1], second[1]])[order]


def _nearest(points: Any, few: Any, least: float) -> NDArray[np.float64]:
    """Return the squared distance of each of a few rows to the nearest of all that differ."""

    def nearest(rows: Any) -> NDArray[np.float64]:
        found = np.full(few.shape[0], np.inf)
        for start in range(0, rows.shape[0], STEP):
            squared = squared_distances(few, in_double(rows[start : start + STEP]))
            np.minimum(found, np.where(squared > least, squared, np.inf).min(axis=1), out=found)
        return found

    return fold(points, nearest, np.minimum)


def _no_distances(points: Any) -> str:
    rows = points.toarray() if hasattr(points, "toarray") else points
    if np.ptp(np.asarray(rows, dtype=np.float64), axis=0).any():
        return (
            "The differences between the rows of X are so small that their squares vanish. Change "
            "the unit of X, or standardise its columns."
        )
    return "All rows of X are equal, so no kernel can tell them apart. Check the features."


def named_kernel(name: str) -> str | Kernel:
    """Return what a name stands for: the name of a family, or a kernel without parameters.

    Parameters
    ----------
    name : str
        One of ``FAMILIES``, or a name that scikit-learn has for a kernel.

    Returns
    -------
    str or Kernel
        A family, or the kernel.

    Examples
    --------
    >>> named_kernel("rbf"), named_kernel("precomputed")
    ('gaussian', Precomputed())
    """
    if name in _NO_KERNELS:
        raise InputError(f"kernel={name!r}: {_NO_KERNELS[name]}")
    return SKLEARN_NAMES.get(name, name)


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
        near = difflib.get_close_matches(str(name), FAMILIES, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"A family of kernels is one of {', '.join(FAMILIES)}. Got {name!r}.{guess}"
        )
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


def _total_square(rows: Any) -> float:
    # In double precision: squares have twice the range of the numbers.
    with np.errstate(over="ignore"):
        return float(np.sum(squared_norms(rows.astype(np.float64))))


def _polynomial(points: Any) -> Family:
    total = fold(points, _total_square, add)
    typical = total / points.shape[0]
    if not 0.0 < typical < np.inf:
        raise InputError(
            "The squared lengths of the rows of X must be positive and finite for polynomial "
            f"kernels. Got {typical:g} on average. Change the unit of X, or check the features."
        )
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

#: What scikit-learn calls kernels by other names, or has as kernels and not as families.
SKLEARN_NAMES: dict[str, str | Kernel] = {
    "rbf": "gaussian",
    "poly": "polynomial",
    "cosine": Linear().normalized(),
    "precomputed": Precomputed(),
}

#: Its names for what is no family here, and what to do instead.
_NO_KERNELS = {
    "sigmoid": (
        "the sigmoid function is not positive semi-definite, and its matrix has no spectrum to "
        "analyse. Take 'rbf' or 'poly', or compute the matrix, repair it and pass "
        "'precomputed'."
    ),
    "chi2": "pass the function, sklearn.metrics.pairwise.chi2_kernel, in place of its name.",
    "additive_chi2": (
        "the additive chi-squared function is not positive semi-definite. Pass "
        "sklearn.metrics.pairwise.chi2_kernel, or compute the matrix and pass 'precomputed'."
    ),
}
