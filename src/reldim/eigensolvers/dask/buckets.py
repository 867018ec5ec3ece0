"""Buckets: rows of all blocks sorted by a key, so that equal rows meet.

Each block deals its rows out to a few buckets by the key, and a bucket sees all rows of its keys.
That moves the keys and a few numbers of each row once.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers.dask.clients import computed, persisted
from reldim.eigensolvers.dask.tasks import shared, task, tree

__all__ = ["first_rows", "fold_buckets"]

T = TypeVar("T")

#: Rows of a bucket, about.
BUCKET_ROWS = 10_000_000


def fold_buckets(
    keys: Sequence[Any],
    n: int,
    columns: Sequence[Sequence[Any]],
    function: Callable[..., T],
    merge: Callable[[T, T], T],
) -> T:
    """Apply a function to the keys and columns of each bucket, and merge the answers.

    Parameters
    ----------
    keys : sequence of Part
        Numbers for the rows of each block.
    n : int
        Number of rows.
    columns : sequence of sequences of Part
        Arrays for the rows of each block.
    function : callable
        Called with all keys of a bucket, and the columns beside them.
    merge : callable
        Makes one answer of two.
    """
    count = _bucket_count(n)
    calling = shared(function)
    answers = [
        task(
            _bucket_answer,
            calling,
            [
                task(_dealt, bucket, count, own, *parts)
                for own, *parts in zip(keys, *columns, strict=True)
            ],
        )
        for bucket in range(count)
    ]
    answer: T
    (answer,) = computed([tree(answers, merge)])
    return answer


def first_rows(keys: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """Tell of each row whether it is the first with its key.

    Parameters
    ----------
    keys : sequence of Part
        Numbers for the rows of each block.
    sizes : sequence of int
        Rows of each block.

    Returns
    -------
    tuple of Part
        Truth values for the rows of each block.
    """
    count = _bucket_count(sum(sizes))
    repeated = [
        task(
            _repeated,
            [task(_placed, bucket, count, number, own) for number, own in enumerate(keys)],
        )
        for bucket in range(count)
    ]
    return persisted([task(_unmarked, size, number, repeated) for number, size in enumerate(sizes)])


def _bucket_count(n: int) -> int:
    return max(1, math.ceil(n / BUCKET_ROWS))


def _dealt(
    bucket: int, count: int, keys: NDArray[np.uint64], *columns: NDArray[Any]
) -> tuple[NDArray[Any], ...]:
    own = np.flatnonzero(keys % np.uint64(count) == bucket)
    return keys[own], *(column[own] for column in columns)


def _bucket_answer(function: Callable[..., T], dealt: Sequence[tuple[NDArray[Any], ...]]) -> T:
    return function(*(np.concatenate(parts) for parts in zip(*dealt, strict=True)))


def _placed(
    bucket: int, count: int, number: int, keys: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp]]:
    own = np.flatnonzero(keys % np.uint64(count) == bucket)
    return keys[own], np.full(len(own), number), own


def _repeated(
    placed: Sequence[tuple[NDArray[Any], ...]],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return block and row of all rows but the first of each key."""
    keys, blocks, rows = (np.concatenate(parts) for parts in zip(*placed, strict=True))
    _, first = np.unique(keys, return_index=True)
    others = np.ones(len(keys), dtype=bool)
    others[first] = False
    return blocks[others], rows[others]


def _unmarked(
    size: int, number: int, repeated: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
) -> NDArray[np.bool_]:
    unmarked = np.ones(size, dtype=bool)
    for blocks, rows in repeated:
        unmarked[rows[blocks == number]] = False
    return unmarked
