"""Repeats: rows of the data that are equal, and what their targets say."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from reldim.inputs.rows import RowBlocks
from reldim.kernels.distances import row_blocks
from reldim.kernels.precomputed import MatrixRows

__all__ = ["first_of_each", "group_means", "group_rows", "independent_part", "row_keys"]

#: Targets of equal rows that vary by less than this share of all targets are taken for copies.
COPIES = 0.1

#: Columns that are compared first.
WIDE = 16

#: Rows of a kernel matrix are equal where their entries are, to this many units of the precision:
#: products of equal rows of X differ by round-off, in blocks of BLAS and at their edges.
ENTRIES = 64


def group_rows(points: Any) -> Any:
    """Give each row a number that is equal for equal rows.

    Parameters
    ----------
    points : prepared points
        The data. Rows of a kind that cannot be compared count as distinct. Points known by their
        kernel values are equal where these are, up to round-off.

    Returns
    -------
    ndarray of int or RowBlocks
        A number for each row, from 0 on; rows in blocks stand for themselves, since they know how
        to bring equal rows together.
    """
    if isinstance(points, RowBlocks):
        return points
    if isinstance(points, MatrixRows):
        return _numbered_kernel_values(points.rows)
    rows = getattr(points, "rows", points)
    if sparse.issparse(rows):
        rows = _sparse_keys(rows)
    if not isinstance(rows, np.ndarray) or (rows.ndim == 2 and rows.dtype.kind not in "biuf"):
        return np.arange(points.shape[0])
    if rows.ndim == 1:
        return _numbered_texts(rows)
    if len(np.unique(_hashed(rows[:, :WIDE]))) == len(rows):
        # Rows that differ in the first columns need no look at the others.
        return np.arange(len(rows))
    return _numbered(rows)


def row_keys(points: Any) -> NDArray[np.uint64] | None:
    """Return a number for each row that is equal for equal rows, and hardly ever for others.

    Returns
    -------
    ndarray of int or None
        The numbers; None where rows cannot be compared.

    Examples
    --------
    >>> keys = row_keys(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> keys == keys[0]
    array([ True, False,  True])
    """
    rows = getattr(points, "rows", points)
    if sparse.issparse(rows):
        rows = _sparse_keys(rows)
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.kind not in "biuf":
        return None
    return _hashed(rows)


def _hashed(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each row that is equal for equal rows, and hardly ever for others."""
    result = np.zeros(len(rows), dtype=np.uint64)
    # The same numbers in another precision are the same rows, and drawn alike.
    dtype = np.dtype(np.float64) if rows.dtype.kind == "f" else rows.dtype
    unsigned = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[dtype.itemsize]
    for column in (column.astype(dtype, copy=False) for column in rows.T):
        # Adding zero turns -0.0 into 0.0, which is equal but has other bits.
        result ^= np.ascontiguousarray(column + column.dtype.type(0)).view(unsigned)
        result *= np.uint64(0x9E3779B97F4A7C15)
        result ^= result >> np.uint64(29)
    return result


def _numbered_texts(rows: NDArray[Any]) -> NDArray[np.intp]:
    if not all(isinstance(row, (str, bytes)) for row in rows):
        # Of other objects it is not known when they are equal: what they print may be the same.
        return np.arange(len(rows))
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.intp)


def _numbered(rows: NDArray[Any]) -> NDArray[np.intp]:
    # Adding zero turns -0.0 into 0.0, which is equal but has other bits.
    rows = np.ascontiguousarray(rows + 0)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, groups = np.unique(keys, return_inverse=True)
    return groups.astype(np.intp)


def _numbered_kernel_values(rows: NDArray[Any]) -> NDArray[np.intp]:
    # Along a random direction equal rows are neighbours, and others no closer than by chance.
    direction = np.random.default_rng(0).standard_normal(rows.shape[1])
    order = np.argsort(rows @ direction, kind="stable")
    differs = np.zeros(len(rows), dtype=np.intp)
    for block in row_blocks(len(rows) - 1, 8 * rows.shape[1]):
        before, after = rows[order[:-1][block]], rows[order[1:][block]]
        nothing = ENTRIES * np.finfo(rows.dtype).eps * np.abs(after).max(axis=1)
        differs[1:][block] = np.abs(after - before).max(axis=1) > nothing
    groups = np.empty(len(rows), dtype=np.intp)
    groups[order] = np.cumsum(differs)
    return groups


def _sparse_keys(rows: Any) -> NDArray[np.float64]:
    # Two projections on fixed random directions: unequal rows agree in both by no chance.
    directions = np.random.default_rng(0).standard_normal((rows.shape[1], 2))
    return np.asarray(rows @ directions)


def independent_part(values: NDArray[np.float64], groups: Any) -> tuple[int, float]:
    """Return how many independent rows there are, and the energy of their targets.

    Equal rows with equal targets are copies: they count once, whatever their number. Where the
    targets of equal rows differ like those of other rows, they are repeated measurements, and
    every row counts.

    Parameters
    ----------
    values : ndarray of shape (n, outputs)
        The coded targets.
    groups : ndarray of int or RowBlocks
        What :func:`group_rows` returned.

    Returns
    -------
    n : int
        Number of independent rows.
    energy : float
        Sum of squares of the targets, without differences between copies.

    Examples
    --------
    >>> independent_part(np.array([[1.0], [1.0], [-1.0]]), np.array([0, 0, 1]))
    (2, 3.0)
    >>> independent_part(np.array([[1.0], [-1.0], [-1.0]]), np.array([0, 0, 1]))
    (3, 3.0)
    """
    n = len(values)
    if isinstance(groups, RowBlocks):
        counted = groups.grouped(_energies_by_key, np.add, values)
    else:
        counted = _energies(groups, values)
    distinct, total, between = int(counted[0]), float(counted[1]), float(counted[2])
    if distinct == n:
        return n, total
    within = max(0.0, total - between)
    if within / (n - distinct) > COPIES * total / n or distinct < 2:
        return n, total
    return distinct, between


def first_of_each(
    groups: NDArray[np.intp], values: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find rows that are equal, targets and all.

    Parameters
    ----------
    groups : ndarray of int
        What :func:`group_rows` returned.
    values : ndarray of shape (n, outputs)
        The coded targets.

    Returns
    -------
    first : ndarray of int
        The first row of each kind.
    kind : ndarray of int
        The kind of each row.

    Examples
    --------
    >>> first_of_each(np.array([0, 0, 0]), np.array([[1.0], [2.0], [1.0]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    _, first, kind = np.unique(
        np.column_stack([groups, values]), axis=0, return_index=True, return_inverse=True
    )
    return first, kind.ravel()


def group_means(values: NDArray[np.float64], groups: Any) -> NDArray[np.float64]:
    """Replace the targets of equal rows by their mean.

    A function of the rows has one value at equal rows. What their targets differ by is orthogonal
    to every such function, and so to every eigenvector of a kernel whose eigenvalue is not zero.

    Parameters
    ----------
    values : ndarray of shape (n, outputs)
        The coded targets.
    groups : ndarray of int or RowBlocks
        What :func:`group_rows` returned. Targets beside rows in blocks are returned as they are.

    Returns
    -------
    ndarray of shape (n, outputs)
        The means; the very same array where no rows are equal.

    Examples
    --------
    >>> group_means(np.array([[1.0], [2.0], [5.0]]), np.array([0, 0, 1]))
    array([[1.5],
           [1.5],
           [5. ]])
    """
    if isinstance(groups, RowBlocks):
        return values
    distinct = int(groups.max(initial=-1)) + 1
    if distinct == len(values):
        return values
    sums = np.zeros((distinct, values.shape[1]))
    np.add.at(sums, groups, values)
    means: NDArray[np.float64] = (sums / np.bincount(groups)[:, None])[groups]
    return means


def _energies(groups: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the number of groups, the energy of all values, and that of their means by group."""
    total = np.sum(values**2)
    distinct = int(groups.max(initial=-1)) + 1
    if distinct == len(values):
        return np.array([distinct, total, total])
    return np.array([distinct, total, np.sum(group_means(values, groups) ** 2)])


def _energies_by_key(keys: NDArray[np.uint64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, groups = np.unique(keys, return_inverse=True)
    return _energies(groups.astype(np.intp), values)
