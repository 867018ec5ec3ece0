"""Weights of rows: what a caller passes as sample_weight, and rows that stand for several."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.duplicates import first_of_each, group_rows, independent_part

__all__ = [
    "checked_weights",
    "counted_rows",
    "independent_rows",
    "repeated_rows",
    "with_copies",
]

Array = NDArray[np.float64]

#: Weights beyond this, and below its inverse, are divided by the largest.
LARGE = 1e301

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
        weights = np.array(sample_weight, dtype=np.float64)
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
        The rows that are left, their targets, and their weights beside the largest; None where all
        count the same.

    Examples
    --------
    >>> X, y, weights = counted_rows(np.array([[1.0], [2.0], [3.0]]), np.arange(3), [4, 0, 8])
    >>> X.ravel(), y, weights
    (array([1., 3.]), array([0, 2]), array([0.5, 1. ]))
    """
    weights = checked_weights(sample_weight, len(y))
    if weights is None:
        return X, y, None
    weights /= weights.max()
    # What is smaller is lost in round-off beside the largest.
    kept = np.flatnonzero(weights > np.finfo(np.float64).eps)
    if len(kept) < 2:
        raise InputError("sample_weight leaves a single row. At least 2 are needed.")
    return X[kept], y[kept], weights[kept]


def independent_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Array | None]:
    """Bring rows into a form in which each can be left out without the others.

    The first of several copies stands for all, since copies would predict each other. Where the
    targets of equal rows differ like those of other rows, they are measurements: each stays, and a
    row that stands for several by a whole weight is repeated. Rows of weight 0 are left out.

    Parameters
    ----------
    X : ndarray of shape (n, columns) or sparse matrix
        The data.
    y : ndarray of shape (n,) or (n, outputs)
        The targets, of any type.
    sample_weight : array-like of shape (n,), number or None
        How many rows each row stands for.

    Returns
    -------
    tuple
        The rows, their targets, and how many each stands for; None where all count the same.

    Examples
    --------
    >>> X = np.array([[1.0], [1.0], [2.0]])
    >>> _, y, weights = independent_rows(X, np.array([0.0, 0.0, 1.0]), None)
    >>> y, weights
    (array([0., 1.]), array([2., 1.]))
    >>> _, y, weights = independent_rows(X, np.array([0.0, 5.0, 1.0]), [2, 1, 1])
    >>> y, weights
    (array([0., 0., 5., 1.]), None)
    """
    weights = checked_weights(sample_weight, len(y))
    rows, counts = _as_often_as_said(weights, len(y))
    if _are_measurements(X, y, rows):
        return X[rows], y[rows], counts
    weights = _with_first_of_each(weights, X, y)
    if weights is None:
        return X, y, None
    kept = np.flatnonzero(weights)
    return X[kept], y[kept], weights[kept]


def with_copies(weights: Array | None, points: Any, y: Any) -> Array | None:
    """Let the first of several copies stand for all of them, where every row has to stay.

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
    >>> with_copies(None, rows, np.array([0.0, 0.0, 1.0]))
    array([2., 0., 1.])
    >>> with_copies(None, rows, np.array([0.0, 1.0, 0.0]))
    """
    rows, _ = _as_often_as_said(weights, len(y))
    return (
        weights if _are_measurements(points, y, rows) else _with_first_of_each(weights, points, y)
    )


def _as_often_as_said(weights: Array | None, n: int) -> tuple[NDArray[np.intp], Array | None]:
    """Repeat the numbers of rows by their weights, or return weights that are no counts beside."""
    if weights is None:
        return np.arange(n), None
    if (weights == np.round(weights)).all() and weights.sum() <= MOST_COPIES * n:
        return np.repeat(np.arange(n), weights.astype(np.intp)), None
    rows = np.flatnonzero(weights)
    return rows, weights[rows]


def _are_measurements(points: Any, y: Any, rows: NDArray[np.intp]) -> bool:
    """Tell whether equal rows are measurements of the same, not copies of each other."""
    groups = group_rows(points)
    if len(np.unique(groups)) == len(groups):
        return False
    values = _numbered(y)[rows]
    _, groups = np.unique(groups[rows], return_inverse=True)
    return independent_part(values - values.mean(axis=0), groups)[0] == len(rows)


def _with_first_of_each(weights: Array | None, points: Any, y: Any) -> Array | None:
    groups = group_rows(points)
    first, copies = first_of_each(groups, _numbered(y))
    if len(first) == len(groups):
        return weights
    summed = np.zeros(len(groups))
    summed[first] = np.bincount(copies, weights)
    return summed


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
            f"{counts.mean():.3g}: KernelRidgeRegressor and KernelRidgeClassifier take more."
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
