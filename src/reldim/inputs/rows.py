"""Blocks of rows: data that are held elsewhere, such as by the workers of a cluster.

What needs all rows is written once, as a function of some rows and a way to merge two answers.
Data in memory and data in blocks are then the same to it. Arrays with a number for each row (the
targets, what is fitted to them) are arrays of NumPy or lazy arrays that follow NumPy's protocols.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError

__all__ = [
    "Moments",
    "RowBlocks",
    "beside",
    "by_rows",
    "few",
    "fold",
    "is_lazy",
    "picked",
    "row_numbers",
    "whole_rows",
]

T = TypeVar("T")

#: Bytes of the rows that are looked at together.
BLOCK_BYTES = 2**26


class RowBlocks(ABC):
    """Rows of data in blocks, none of which is in this process unless asked for.

    Attributes
    ----------
    shape : tuple of int
        Number of rows, and what a row has of numbers.
    sizes : tuple of int
        Rows of each block.
    dtype : dtype
        Precision of the numbers.
    sample : points
        The first row, in memory.
    """

    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    dtype: Any
    sample: Any

    @abstractmethod
    def prepared(self, kernel: Any) -> "RowBlocks":
        """Validate the rows for a kernel, block by block, and hold them in its form."""

    @abstractmethod
    def fold(self, function: Callable[..., T], merge: Callable[[T, T], T], *columns: Any) -> T:
        """Apply a function to each block, and the same rows of columns, and merge the answers."""

    @abstractmethod
    def grouped(self, function: Callable[..., T], merge: Callable[[T, T], T], *columns: Any) -> T:
        """Apply a function to keys and columns of rows, with equal rows in one call, and merge."""

    @abstractmethod
    def firsts(self, values: Any) -> Any:
        """Tell of each row, in a lazy array, whether no row before it is equal, values and all."""

    @abstractmethod
    def selected(self, mask: Any) -> "RowBlocks":
        """Return the rows that a lazy array of truth values marks."""

    @abstractmethod
    def take(self, index: NDArray[np.intp]) -> Any:
        """Bring some rows into memory, as points."""

    @abstractmethod
    def column(self, values: Any) -> Any:
        """Turn values, one for each row, into a lazy array that is cut as the rows are."""

    @abstractmethod
    def held(self, values: Any) -> Any:
        """Compute a lazy array with a row for each row, and hold it beside the rows."""

    @abstractmethod
    def row_numbers(self) -> Any:
        """Return the numbers of the rows, in a lazy array."""

    @abstractmethod
    def memory_limit(self, asked: int | None) -> int | None:
        """Return the bytes that a factor may take where the rows are held."""

    @abstractmethod
    def factor(self, gram: Any, random_state: int | None, landmarks: Any) -> Any:
        """Begin a factor of the kernel matrix whose rows stay with these."""

    def __getitem__(self, rows: Any) -> Any:
        raise InputError(
            "This needs the data in memory, and they are in blocks on a cluster. Pass X.compute(), "
            "or a sample of the rows."
        )


@dataclass(frozen=True)
class Moments:
    """Moments of the columns of some rows; those of other rows can be merged with them.

    Attributes
    ----------
    count : int
        Number of rows.
    mean, squares : ndarray
        Means of the columns, and sums of squared differences from them.
    lowest, highest : ndarray
        Extremes of the columns.
    """

    count: int
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    lowest: NDArray[Any]
    highest: NDArray[Any]

    @classmethod
    def of(cls, rows: NDArray[Any]) -> "Moments":
        """Take the moments of rows of numbers."""
        mean = rows.mean(axis=0, dtype=np.float64)
        squares = np.asarray(np.sum((rows - mean) ** 2, axis=0, dtype=np.float64))
        return cls(len(rows), mean, squares, rows.min(axis=0), rows.max(axis=0))

    @property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviations of the columns."""
        return np.sqrt(self.squares / self.count)

    def merged(self, other: "Moments") -> "Moments":
        """Return the moments of all rows of both."""
        count = self.count + other.count
        step = other.mean - self.mean
        return Moments(
            count,
            self.mean + step * (other.count / count),
            self.squares + other.squares + step**2 * (self.count * other.count / count),
            np.minimum(self.lowest, other.lowest),
            np.maximum(self.highest, other.highest),
        )


def is_lazy(X: Any) -> bool:
    """Tell whether data are a collection of Dask, to be computed later.

    Returns
    -------
    bool
        True for arrays and data frames of Dask.

    Examples
    --------
    >>> is_lazy(np.ones(3))
    False
    """
    return hasattr(type(X), "__dask_graph__")


def fold(points: Any, function: Callable[..., T], merge: Callable[[T, T], T], *columns: Any) -> T:
    """Apply a function to blocks of rows and merge what it returns, wherever the rows are.

    Parameters
    ----------
    points : prepared points or RowBlocks
        The data.
    function : callable
        Called with some rows, and the same rows of the columns.
    merge : callable
        Makes one answer of two.
    *columns : array
        Values for each row.

    Examples
    --------
    >>> fold(np.arange(6.0).reshape(3, 2), np.sum, lambda a, b: a + b)
    np.float64(15.0)
    """
    if isinstance(points, RowBlocks):
        return points.fold(function, merge, *columns)
    n = points.shape[0]
    width = int(np.prod(points.shape[1:], dtype=np.int64))
    step = max(1, BLOCK_BYTES // max(1, 8 * width))
    blocks = (slice(start, start + step) for start in range(0, n, step))
    parts = (function(points[rows], *(column[rows] for column in columns)) for rows in blocks)
    return reduce(merge, parts)


def by_rows(function: Callable[[Any], Any], X: Any, *, dtype: Any, width: int | None = None) -> Any:
    """Apply a function of rows to data in memory, or lazily to each block of a Dask collection.

    Parameters
    ----------
    function : callable
        Makes an array with as many rows of an array of rows.
    X : array or Dask collection
        The rows.
    dtype : dtype
        Type of what the function returns.
    width : int, optional
        Number of columns of what it returns, by default a single dimension.
    """
    if not is_lazy(X):
        return function(X)
    array = X.to_dask_array() if hasattr(X, "to_dask_array") else X
    whole_rows(array)

    def typed(rows: Any) -> Any:
        return np.asarray(function(rows)).astype(dtype, copy=False)

    if width is None:
        drop = list(range(1, array.ndim))
        return array.map_blocks(typed, dtype=dtype, drop_axis=drop, meta=np.empty(0, dtype))
    new = [1] if array.ndim == 1 else None
    chunks = (array.chunks[0], (width,))
    meta = np.empty((0, 0), dtype)
    return array.map_blocks(typed, dtype=dtype, new_axis=new, chunks=chunks, meta=meta)


def whole_rows(array: Any, name: str = "X") -> None:
    """Refuse a Dask array whose rows are cut into pieces.

    Parameters
    ----------
    array : Dask array
        The array.
    name : str
        What to call it in messages.
    """
    if array.ndim > 1 and any(len(chunks) > 1 for chunks in array.chunks[1:]):
        raise InputError(
            f"Each chunk of {name} must hold whole rows. Got chunks of {few(array.chunks[1])} "
            f"columns: pass {name}.rechunk({{1: -1}})."
        )


def few(sizes: Sequence[int]) -> str:
    """Write the first of many sizes, for messages.

    Examples
    --------
    >>> few((10, 10, 10, 4))
    '10, 10, 10, ...'
    """
    return ", ".join(str(size) for size in sizes[:3]) + (", ..." if len(sizes) > 3 else "")


def beside(points: Any, values: Any) -> Any:
    """Bring values, one for each row, to where the rows are.

    Returns
    -------
    array-like or Dask array
        The values, in memory where the rows are, and otherwise cut into the same blocks.
    """
    if isinstance(points, RowBlocks):
        return points.column(values)
    return values.compute() if is_lazy(values) else values


def picked(array: Any, rows: Any) -> Any:
    """Return some rows of an array; of a lazy one the sizes of its chunks are found out."""
    chosen = array[rows]
    if is_lazy(chosen) and np.isnan(sum(chosen.chunks[0])):
        chosen.compute_chunk_sizes()
    return chosen


def row_numbers(points: Any) -> Any:
    """Return the numbers of the rows, in an array that is where the rows are."""
    if isinstance(points, RowBlocks):
        return points.row_numbers()
    return np.arange(points.shape[0])
