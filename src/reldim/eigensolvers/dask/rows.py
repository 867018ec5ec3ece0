"""Rows of data as blocks that the workers of a cluster hold."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeVar

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers.dask.buckets import first_rows, fold_buckets
from reldim.eigensolvers.dask.clients import computed, factor_bytes, homes, persisted, threads
from reldim.eigensolvers.dask.factor import BlockFactor
from reldim.eigensolvers.dask.frames import lazy_array
from reldim.eigensolvers.dask.tasks import Part, array_parts, lazy_array_of, shared, task, tree
from reldim.exceptions import InputError
from reldim.inputs.duplicates import row_keys
from reldim.inputs.rows import RowBlocks, few, is_lazy
from reldim.inputs.target_checks import checked_targets
from reldim.kernels import Kernel
from reldim.kernels.points import concatenated
from reldim.spectrum.gram import Gram

__all__ = ["DaskBlocks", "rows_of_a_block"]

T = TypeVar("T")

#: Blocks are whole multiples of this many rows, so that they are worked through in the same chunks
#: as data in memory, and to the same bits.
MULTIPLE = 4096

#: Rows of a block: more only where there would be more blocks than a scheduler likes.
USUAL_ROWS = 16 * MULTIPLE
MOST_BLOCKS = 1024

#: Blocks for each task that can run at a time, so that all are busy to the end.
BLOCKS_A_THREAD = 4


def rows_of_a_block(n: int) -> int:
    """Return how many rows to hold together, of n."""
    fair = math.ceil(n / (BLOCKS_A_THREAD * threads()))
    rows = max(min(USUAL_ROWS, fair), math.ceil(n / MOST_BLOCKS))
    return MULTIPLE * math.ceil(rows / MULTIPLE)


@dataclass(frozen=True, eq=False)
class DaskBlocks(RowBlocks):
    """Rows of data as blocks that the workers of a cluster hold.

    Attributes
    ----------
    parts : tuple of Part
        The blocks.
    sizes : tuple of int
        Rows of each.
    shape : tuple of int
        Number of rows, and what a row has of numbers.
    dtype : dtype
        Precision of the numbers.
    sample : points
        The first row, in memory.
    given : tuple of int
        Rows of each chunk that the data came in, which those of the targets must equal.
    ready : bool
        Whether a kernel has validated the rows.
    """

    parts: tuple[Part, ...] = field(repr=False)
    sizes: tuple[int, ...] = field(repr=False)
    shape: tuple[int, ...]
    dtype: Any
    sample: Any = field(repr=False)
    given: tuple[int, ...] = field(repr=False)
    ready: bool

    @classmethod
    def of_array(cls, array: Any, given: tuple[int, ...]) -> "DaskBlocks":
        """Cut a Dask array, whose chunks hold whole rows, into blocks."""
        array = array.rechunk({0: rows_of_a_block(array.shape[0])}, method="tasks")
        parts = tuple(array_parts(array))
        return cls(parts, array.chunks[0], array.shape, array.dtype, None, given, ready=False)

    @classmethod
    def of_points(cls, points: Any) -> "DaskBlocks":
        """Hand prepared points, which are in memory, to the workers."""
        n = int(points.shape[0])
        step = rows_of_a_block(n)
        starts = range(0, n, step)
        parts = persisted(
            [
                task(_same, shared(points[start : start + step]), place=home)
                for start, home in zip(starts, homes(len(starts)), strict=True)
            ]
        )
        sizes = tuple(min(step, n - start) for start in starts)
        dtype = getattr(points, "dtype", None)
        return cls(parts, sizes, points.shape, dtype, points[:1], sizes, ready=True)

    def prepared(self, kernel: Kernel) -> "DaskBlocks":
        """Validate the rows for a kernel, block by block, and hold them in its form."""
        if self.ready:
            kernel.prepare(self.sample)
            return self
        if kernel.domain == "precomputed":
            raise InputError(
                "A kernel matrix must be in memory. Got a Dask collection: pass K.compute(), or "
                "the data and a kernel."
            )
        own = shared(kernel)
        parts = persisted(
            [
                task(_prepared, own, part, start, place=home)
                for home, part, (start, _) in zip(self.homes, self.parts, self.places, strict=True)
            ]
        )
        shapes = computed([task(_described, part) for part in parts])
        if len({*shapes}) > 1:
            raise InputError(
                f"All blocks of X must hold the same kind of data. Got {shapes[0]} and "
                f"{next(shape for shape in shapes if shape != shapes[0])}."
            )
        (sample,) = computed([task(_first, parts[0])])
        row_shape, dtype = shapes[0]
        return replace(
            self,
            parts=parts,
            shape=(self.shape[0], *row_shape),
            dtype=dtype,
            sample=sample,
            ready=True,
        )

    def fold(self, function: Callable[..., T], merge: Callable[[T, T], T], *columns: Any) -> T:
        """Apply a function to each block, and the same rows of columns, and merge the answers."""
        calling = shared(function)
        pieces = [self.pieces(column) for column in columns]
        answers = [
            task(_called, calling, part, *own)
            for part, *own in zip(self.parts, *pieces, strict=True)
        ]
        answer: T
        (answer,) = computed([tree(answers, merge)])
        return answer

    def grouped(self, function: Callable[..., T], merge: Callable[[T, T], T], *columns: Any) -> T:
        """Apply a function to keys and columns of rows, with equal rows in one call, and merge."""
        names = tuple(getattr(column, "name", None) for column in columns)
        known = self._answers.get((function, names))
        if known is None or None in names:
            pieces = [self.pieces(column) for column in columns]
            known = fold_buckets(self._keys, self.shape[0], pieces, function, merge)
            self._answers[function, names] = known
        answer: T = known
        return answer

    def firsts(self, values: Any) -> Any:
        """Tell of each row, in a lazy array, whether no row before it is equal, values and all."""
        pairs = zip(self._keys, self.pieces(values), strict=True)
        keys = [task(_keyed_pairs, own, piece) for own, piece in pairs]
        return self.lazy(first_rows(keys, self.sizes), np.dtype(bool))

    def selected(self, mask: Any) -> "DaskBlocks":
        """Return the rows that a lazy array of truth values marks."""
        parts = [
            task(_masked, part, own)
            for part, own in zip(self.parts, self.pieces(mask), strict=True)
        ]
        sizes = computed([task(_counted, own) for own in self.pieces(mask)])
        kept = [(part, size) for part, size in zip(parts, sizes, strict=True) if size]
        held = persisted([part for part, _ in kept])
        (sample,) = computed([task(_first, held[0])])
        left = tuple(size for _, size in kept)
        shape = (sum(left), *self.shape[1:])
        return replace(self, parts=held, sizes=left, shape=shape, sample=sample, given=left)

    def take(self, index: NDArray[np.intp]) -> Any:
        """Bring some rows into memory, as points."""
        where = self.block_of(index)
        touched = np.unique(where)
        found = computed(
            [task(_taken, self.parts[b], index[where == b] - self.places[b][0]) for b in touched]
        )
        order = np.argsort(np.concatenate([np.flatnonzero(where == b) for b in touched]))
        return concatenated(found)[order]

    def column(self, values: Any) -> Any:
        """Turn values, one for each row, into a lazy array that is cut as the rows are."""
        if is_lazy(values):
            array = lazy_array(values, "y")
            self._check_rows(array.shape[0])
            if array.chunks[0] not in (self.given, self.sizes):
                raise InputError(
                    f"X and y must be cut into the same chunks. Got {few(self.given)} rows per "
                    f"chunk of X, and {few(array.chunks[0])} of y: pass y.rechunk(X.chunks[0]), "
                    "or data frames with the same partitions."
                )
            dtype = array.dtype if array.dtype.kind in "biufc" else np.dtype(str)
            checks = array.map_blocks(_checked_labels, dtype=dtype)
            return self._persisted(checks.rechunk(self._chunks(checks.ndim), method="tasks"))
        checked = checked_targets(values)
        self._check_rows(len(checked))
        return self.held(da.from_array(checked, chunks=self._chunks(checked.ndim)))

    def held(self, values: Any) -> Any:
        """Compute a lazy array with a row for each row, and hold it beside the rows."""
        array = values.rechunk(self._chunks(values.ndim), method="tasks")
        if len(dict(array.__dask_graph__())) <= 2 * len(self.sizes):
            # Chunks and their names: nothing is left to compute.
            return array
        return self._persisted(array)

    def _persisted(self, array: Any) -> Any:
        parts = array_parts(array)
        held = persisted(
            [task(_same, part, place=home) for part, home in zip(parts, self.homes, strict=True)]
        )
        return self.lazy(held, array.dtype, array.shape[1:])

    def row_numbers(self) -> Any:
        """Return the numbers of the rows, in a lazy array."""
        return da.arange(self.shape[0], chunks=(self.sizes,))

    def memory_limit(self, asked: int | None) -> int | None:
        """Return the bytes that a factor may take where the rows are held."""
        most = factor_bytes(asked)
        width = int(np.prod(self.shape[1:], dtype=np.int64))
        held = self.shape[0] * width * getattr(self.dtype, "itemsize", 8)
        return None if most is None else max(1, most - held)

    def factor(self, gram: Gram, random_state: int | None, landmarks: Any) -> BlockFactor:
        """Begin a factor of the kernel matrix whose rows stay with these."""
        return BlockFactor(gram, random_state, landmarks)

    def pieces(self, column: Any) -> Sequence[Any]:
        """Return the part of each block of an array with a row for each row."""
        if is_lazy(column):
            return array_parts(column.rechunk(self._chunks(column.ndim), method="tasks"))
        return [column[start : start + size] for start, size in self.places]

    def lazy(self, parts: Sequence[Any], dtype: Any, shape: tuple[int, ...] = ()) -> Any:
        """Return the parts of all blocks as one Dask array, with ``shape`` for each row."""
        return lazy_array_of(parts, self.sizes, dtype, shape)

    def block_of(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the number of the block that each row is in."""
        return np.searchsorted(np.cumsum(self.sizes), rows, side="right")

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """First row and number of rows of each block."""
        starts = accumulate((0, *self.sizes[:-1]))
        return tuple(zip(starts, self.sizes, strict=True))

    @cached_property
    def homes(self) -> tuple[str | None, ...]:
        """The worker that holds each block; what follows from a block is computed there."""
        return homes(len(self.sizes))

    @cached_property
    def _keys(self) -> tuple[Any, ...]:
        """A number for each row that is equal for equal rows, block by block."""
        return persisted(
            [
                task(_keyed, part, start)
                for part, (start, _) in zip(self.parts, self.places, strict=True)
            ]
        )

    @cached_property
    def _answers(self) -> dict[Any, Any]:
        return {}

    def _chunks(self, dimensions: int) -> tuple[Any, ...]:
        return (self.sizes, *(-1,) * (dimensions - 1))

    def _check_rows(self, rows: int) -> None:
        if rows != self.shape[0]:
            raise InputError(
                f"X and y must have the same number of rows. Got {self.shape[0]} and {rows}."
            )


# What the workers run. Each is a function of its arguments alone.


def _prepared(kernel: Kernel, rows: Any, start: int) -> Any:
    try:
        return kernel.prepare(rows)
    except InputError as error:
        raise InputError(f"{error} (In the block that begins at row {start}.)") from error


def _checked_labels(labels: Any, block_info: Any = None) -> Any:
    try:
        checked = checked_targets(labels)
    except InputError as error:
        start = block_info[0]["array-location"][0][0] if block_info else 0
        raise InputError(f"{error} (In the chunk that begins at row {start}.)") from error
    return checked.astype(str) if checked.dtype.kind not in "biufc" else checked


def _same(rows: Any) -> Any:
    return rows


def _described(points: Any) -> tuple[tuple[int, ...], Any]:
    return tuple(points.shape[1:]), getattr(points, "dtype", None)


def _first(points: Any) -> Any:
    return points[:1]


def _taken(points: Any, rows: NDArray[np.intp]) -> Any:
    return points[rows]


def _keyed_pairs(keys: NDArray[np.uint64], values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return keys of rows together with numbers beside them."""
    both = row_keys(np.column_stack([keys, np.asarray(row_keys(np.asarray(values)))]))
    return np.asarray(both)


def _masked(points: Any, mask: NDArray[np.bool_]) -> Any:
    return points[np.flatnonzero(mask)]


def _counted(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))


def _keyed(points: Any, start: int) -> NDArray[np.uint64]:
    keys = row_keys(points)
    if keys is None:
        # Rows that cannot be compared are distinct.
        return np.arange(start, start + points.shape[0], dtype=np.uint64)
    return keys


def _called(function: Callable[..., T], *arguments: Any) -> T:
    return function(*arguments)
