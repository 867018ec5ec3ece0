"""Squared distances and inner products between all pairs of points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from reldim.exceptions import InputError
from reldim.kernels.points import FloatArray, Points, as_vectors, in_double

__all__ = [
    "absolute_distances_between",
    "dense",
    "inner_products_between",
    "row_blocks",
    "squared_distances",
    "squared_distances_between",
    "squared_norms",
]

# Differences coordinate by coordinate beat matrix products up to about this many columns.
_FEW_COLUMNS = 32
# Temporaries of one block of rows; small enough that symmetry saves nearly half of the work.
_BLOCK_BYTES = 2**24
# |a|^2 + |b|^2 - 2ab loses digits when a and b are close: below this share of |a|^2 + |b|^2 the
# distance is computed again from the difference a - b.
_CLOSE = 1e-6


def squared_distances(X: Any, Z: Any = None) -> FloatArray:
    r"""Squared Euclidean distances between all rows of two sets of points.

    .. math:: D_{ij} = \|x_i - z_j\|^2 = \sum_k (x_{ik} - z_{jk})^2

    Equal rows have distance exactly 0, and without `Z` the result is exactly symmetric. A family of
    radial kernels can share one such matrix: see :meth:`reldim.kernels.Radial.profile`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Points, one per row.
    Z : array-like or sparse matrix of shape (m, d), optional
        Other points; `X` itself by default.

    Returns
    -------
    ndarray of shape (n, m)
        float32 where all data is float32, float64 otherwise; sums are always taken in float64.

    Examples
    --------
    >>> from reldim.kernels import squared_distances
    >>> squared_distances([[0.0, 0.0], [3.0, 4.0]])
    array([[ 0., 25.],
           [25.,  0.]])
    """
    if Z is None or Z is X:
        A = as_vectors(X)
        return squared_distances_between(A, A)
    B = as_vectors(Z)
    return squared_distances_between(as_vectors(X, B), B)


def squared_distances_between(A: Points, B: Points) -> FloatArray:
    """Compute :func:`squared_distances` of prepared points, without another check of them."""
    same = A is B
    distances: FloatArray = np.empty(
        (A.shape[0], B.shape[0]), dtype=np.result_type(A.dtype, B.dtype)
    )
    is_sparse = sparse.issparse(A) or sparse.issparse(B)
    right = B.astype(np.float64, copy=False)
    # Distances do not change under a shift, but the round-off of the expansion grows with |b|.
    centre = None if is_sparse or A.shape[1] <= _FEW_COLUMNS else right.mean(axis=0)
    shifted = right if centre is None else right - centre
    for rows in row_blocks(A.shape[0], 8 * B.shape[0]):
        first = rows.start if same else 0
        left = A[rows].astype(np.float64, copy=False)
        if is_sparse:
            block = _expanded(left, right[first:], left, right[first:])
        elif centre is None:
            block = cdist(left, right[first:], "sqeuclidean")
        else:
            block = _expanded(left - centre, shifted[first:], left, right[first:])
        _check_range(block, distances.dtype, "squared distances")
        distances[rows, first:] = block
        if same:
            square = distances[rows, rows]
            distances[rows, rows] = np.minimum(square, square.T)
            distances[rows.stop :, rows] = distances[rows, rows.stop :].T
    return distances


def absolute_distances_between(A: Points, B: Points) -> FloatArray:
    """Compute the sums of absolute differences between all rows of prepared points."""
    left, right = (dense(points).astype(np.float64, copy=False) for points in (A, B))
    distances: FloatArray = np.empty(
        (A.shape[0], B.shape[0]), dtype=np.result_type(A.dtype, B.dtype)
    )
    for rows in row_blocks(A.shape[0], 8 * B.shape[0]):
        block = cdist(left[rows], right, "cityblock")
        _check_range(block, distances.dtype, "distances")
        distances[rows] = block
    return distances


def inner_products_between(A: Points, B: Points) -> FloatArray:
    """Compute all inner products of the rows of prepared points; sums are taken in float64."""
    dtype = np.result_type(A.dtype, B.dtype)
    if dtype == np.float64 and not (sparse.issparse(A) or sparse.issparse(B)):
        with np.errstate(over="ignore", invalid="ignore"):
            products: FloatArray = A @ B.T
        _check_range(np.abs(products), dtype, "inner products")
        return products
    # A product of sparse matrices is itself sparse, and larger than a dense one when it is full.
    products = np.empty((A.shape[0], B.shape[0]), dtype=dtype)
    left, right = in_double(A), in_double(B)
    for rows in row_blocks(A.shape[0], 8 * B.shape[0]):
        with np.errstate(over="ignore", invalid="ignore"):
            block = dense(left[rows] @ right.T)
        _check_range(np.abs(block), dtype, "inner products")
        products[rows] = block
    return products


def row_blocks(n: int, bytes_per_row: int, block_bytes: int = _BLOCK_BYTES) -> Iterator[slice]:
    """Cut ``range(n)`` into slices of rows that take at most `block_bytes` each."""
    step = max(1, block_bytes // max(1, bytes_per_row))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def dense(values: Any) -> Any:
    """Return a sparse matrix as an array, and anything else as it is."""
    is_sparse = sparse.issparse(values)
    return values.toarray() if is_sparse else values


def _check_range(values: FloatArray, dtype: np.dtype[Any], what: str) -> None:
    """Refuse values that overflow: a kernel of infinity is a number, and a wrong one."""
    # A comparison with NaN is false.
    if values.size and not values.max() <= np.finfo(dtype).max:
        raise InputError(
            f"The {what} of the rows of X are too large for {dtype}. Change the unit of X, or "
            "standardise its columns."
        )


def squared_norms(A: Points) -> FloatArray:
    """Compute the inner product of each row with itself; sums are taken in float64."""
    norms: FloatArray
    if isinstance(A, sparse.csr_array):
        norms = np.asarray(in_double(A).power(2).sum(axis=1)).ravel()
    else:
        norms = np.einsum("ij,ij->i", A, A, dtype=np.float64)
    with np.errstate(over="ignore"):
        return norms.astype(A.dtype, copy=False)


def _expanded(left: Points, right: Points, left_rows: Points, right_rows: Points) -> FloatArray:
    """|a|^2 + |b|^2 - 2ab, with close pairs computed again from the unshifted rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        a, b = squared_norms(left)[:, None], squared_norms(right)
        distances: FloatArray = dense(left @ right.T)
        distances *= -2.0
        distances += a
        distances += b
    i, j = np.nonzero(distances < _CLOSE * (a + b))
    for pairs in row_blocks(i.size, 8 * left.shape[1]):
        difference = left_rows[i[pairs]] - right_rows[j[pairs]]
        distances[i[pairs], j[pairs]] = squared_norms(difference)
    return distances
