"""Weights of rows: what a caller passes as sample_weight, and rows that stand for several."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.duplicates import first_of_each, group_rows, independent_part
from reldim.kernels.points import admit

__all__ = ["checked_weights", "counted_rows", "repeated_rows", "with_copies"]

Array = NDArray[np.float64]

#: Weights beyond this, and below its inverse, are divided by the largest.
LARGE = 1e301

#: Decimals of a weight, as a share of the largest, that count.
DIGITS = 12

#: Where the sum of the weights is less than this many times the largest, a single row is left.
SINGLE = 1.001

#: Targets of which two are equal with at least this probability agree by nature, as classes do.
OFTEN = 0.02

#: Rows that one row may stand for on average, where rows are repeated.
MOST_COPIES = 100


def checked_weights(sample_weight: Any, n: int) -> Array | None:
    """Return weights as an array of their own; None where every row counts the same.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        How many rows each row stands for; they need not be whole.
    n : int
        The number of rows.

    Returns
    -------
    ndarray of shape (n,) or None
        The weights.

    Examples
    --------
    >>> checked_weights([1, 0.5], 2)
    array([1. , 0.5])
    >>> checked_weights([2, 2], 2)
    """
    if sample_weight is None:
        return None
    try:
        weights = np.array(admit(sample_weight, "sample_weight"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"sample_weight must be None or one number per row. Got {type(sample_weight).__name__} "
            f"({error})."
        ) from error
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.shape != (n,):
        raise InputError(
            f"sample_weight must be one number for each of the {n} rows. Got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or weights.min() < 0:
        row = int(np.argmin(np.isfinite(weights) & (weights >= 0)))
        raise InputError(
            "sample_weight must hold finite numbers of at least 0. Got "
            f"{weights[row]} in row {row}, counted from 0."
        )
    if not weights.any():
        raise InputError("sample_weight is zero for every row, so that none is left.")
    if not 1 / LARGE < weights.max() < LARGE:
        # Sums and quotients of such numbers leave the range of floats; only ratios matter.
        weights /= weights.max()
    return None if np.ptp(weights) == 0 else weights


def counted_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Array | None]:
    """Leave out rows that do not count.

    Parameters
    ----------
    X : ndarray of shape (n, columns) or sparse matrix
        The data.
    y : ndarray of shape (n,) or (n, outputs)
        The targets, of any type.
    sample_weight : array-like of shape (n,), number or None
        How much each row counts.

    Returns
    -------
    tuple
        The rows that are left, their targets, and their weights as shares of the largest; None
        where all count the same.

    Examples
    --------
    >>> X, y, weights = counted_rows(np.array([[1.0], [2.0], [3.0]]), np.arange(3), [4, 0, 8])
    >>> X.ravel(), y, weights
    (array([1., 3.]), array([0, 2]), array([0.5, 1. ]))
    """
    weights = checked_weights(sample_weight, len(y))
    if weights is None:
        return X, y, None
    # Rounded, so that weights of another size are the same to the bit.
    weights = np.round(weights / weights.max(), DIGITS)
    kept = np.flatnonzero(weights)
    weights = weights[kept]
    if weights.sum() < SINGLE:
        raise InputError(
            "sample_weight leaves a single row. At least 2 are needed, of which none has more than "
            "99.9 % of the weight."
        )
    return X[kept], y[kept], weights if np.ptp(weights) > 0 else None


def with_copies(weights: Array | None, points: Any, y: Any) -> Array | None:
    """Let the first of several equal rows stand for all of them.

    Rows that are equal, target and all, would predict each other when one of them is left out.
    Classes, grades and counts agree by nature: where those of equal rows differ like those of
    others, rows are measurements, and each stands for itself.

    Parameters
    ----------
    weights : ndarray of shape (n,) or None
        The weight of each row; None stands for equal ones.
    points : prepared points
        The data.
    y : ndarray of shape (n,) or (n, outputs)
        The targets, of any type.

    Returns
    -------
    ndarray of shape (n,) or None
        The first of equal rows has the weight of all, the others have 0. None where every row
        counts the same.

    Examples
    --------
    >>> rows = np.array([[1.0], [1.0], [2.0]])
    >>> with_copies(None, rows, np.array([0.0, 0.0, 0.0]))
    array([2., 0., 1.])
    >>> with_copies(None, rows, np.array([0.0, 1.0, 0.0]))
    """
    groups = group_rows(points)
    if len(np.unique(groups)) == len(groups):
        return weights
    targets = _numbered(y)
    counting = slice(None) if weights is None else weights > 0
    if _are_measurements(groups[counting], targets[counting]):
        return weights
    first, copies = first_of_each(groups, targets)
    if len(first) == len(groups) or len(first) < 2:
        return weights
    summed = np.zeros(len(groups))
    summed[first] = np.bincount(copies, weights)
    return summed


def _are_measurements(groups: NDArray[np.intp], targets: Array) -> bool:
    """Tell whether targets agree by nature, and those of equal rows differ like all of them."""
    n = len(groups)
    _, codes, counts = np.unique(targets, axis=0, return_inverse=True, return_counts=True)
    if np.sum(counts * (counts - 1)) < OFTEN * n * (n - 1):
        return False
    _, groups = np.unique(groups, return_inverse=True)
    indicators = np.eye(len(counts))[codes.ravel()]
    return independent_part(indicators - indicators.mean(axis=0), groups)[0] == n


def repeated_rows(weights: Array) -> NDArray[np.intp]:
    """Repeat the numbers of rows as often as their weights say.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        How many rows each row stands for: whole numbers. A factor that all share is left out.

    Returns
    -------
    ndarray of int
        The numbers of rows, in their order.

    Examples
    --------
    >>> repeated_rows(np.array([2.0, 0.0, 4.0]))
    array([0, 2, 2])
    """
    whole = weights == np.round(weights)
    if not whole.all():
        row = int(np.argmin(whole))
        raise InputError(
            "sample_weight must hold whole numbers here, for the relevant dimension counts rows. "
            f"Got {weights[row]:g} in row {row}, counted from 0: KernelRidgeRegressor, "
            "KernelBlendRegressor and their classifiers take any weights."
        )
    counts = np.minimum(weights, 2.0**53).astype(np.int64)
    counts //= np.gcd.reduce(counts)
    if counts.sum() > MOST_COPIES * len(counts):
        raise InputError(
            f"sample_weight may hold {MOST_COPIES} on average, since rows are repeated here. Got "
            f"{counts.mean():.3g}: KernelRidgeRegressor, KernelBlendRegressor and their "
            "classifiers take any weights."
        )
    return np.repeat(np.arange(len(counts)), counts)


def _numbered(y: Any) -> Array:
    """Return numbers that are equal for equal targets, as a column."""
    values = np.asarray(y)
    if values.dtype.kind == "f":
        return values.reshape(len(values), -1)
    try:
        _, numbers = np.unique(values, return_inverse=True)
    except TypeError:
        # What cannot be sorted is refused later, in words of its own.
        numbers = np.arange(values.size)
    return numbers.reshape(len(values), -1).astype(np.float64)
