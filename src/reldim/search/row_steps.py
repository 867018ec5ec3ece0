"""Rows in steps: all kernels on few rows, those that come close on more, the best on all of them.

Kernels that cannot be told apart on some thousand rows need not be told apart on more.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from reldim.inputs.duplicates import row_keys
from reldim.inputs.rows import RowBlocks, picked
from reldim.inputs.targets import Targets

__all__ = ["SECOND_STEP", "is_constant", "points_of", "row_steps"]

Indices = NDArray[np.intp]

#: Up to this many rows kernels are tried on all of them.
FEW_ROWS = 700

#: Rows that all kernels are tried on, and rows that those around the best are tried on.
FIRST_STEP, SECOND_STEP = 500, 2000

#: Rows of each class that come first.
OF_EACH_CLASS = 2


def row_steps(points: Any, targets: Targets, seed: int = 0) -> list[Indices]:
    """Draw the rows of each step but the last, which has all of them.

    Parameters
    ----------
    points : ndarray, sparse matrix or RowBlocks
        The data.
    targets : Targets
        Their targets.
    seed : int
        Seed for rows that are held elsewhere. Rows in memory are drawn by what they hold, so that
        their order does not matter.

    Returns
    -------
    list of ndarray of int
        Row numbers, each step within the next; empty where rows are few, or classes many.

    Examples
    --------
    >>> from reldim.inputs.targets import code_targets
    >>> X = np.random.default_rng(0).normal(size=(3000, 2))
    >>> [len(rows) for rows in row_steps(X, code_targets(X[:, 0]))]
    [500, 2000]
    """
    n = points.shape[0]
    classes = 0 if targets.classes is None else len(targets.classes)
    if n <= FEW_ROWS or OF_EACH_CLASS * classes > FIRST_STEP // 2:
        return []
    order = _drawn_order(points, seed)
    if order is None:
        return []
    if targets.codes is not None:
        order = _each_class_first(order, np.asarray(targets.codes))
    elif is_constant(np.asarray(picked(targets.values, np.sort(order[:FIRST_STEP])))):
        order = _another_first(order, targets.values)
    return [np.sort(order[:step]) for step in (FIRST_STEP, SECOND_STEP) if step < n]


def points_of(points: Any, rows: Indices) -> Any:
    """Return some rows, in memory."""
    return points.take(rows) if isinstance(points, RowBlocks) else points[rows]


def is_constant(values: NDArray[Any]) -> bool:
    """Tell whether all rows are equal.

    Examples
    --------
    >>> is_constant(np.zeros((3, 1))), is_constant(np.eye(2))
    (True, False)
    """
    return bool((values == values[0]).all())


def _drawn_order(points: Any, seed: int) -> Indices | None:
    """Return rows in an order drawn at random; None where their order would matter."""
    if isinstance(points, RowBlocks):
        return np.random.default_rng(seed).permutation(points.shape[0])
    if not (isinstance(points, np.ndarray) or sparse.issparse(points)):
        return None
    keys = row_keys(points)
    return None if keys is None else np.argsort(keys, kind="stable")


def _another_first(order: Indices, values: Any) -> Indices:
    """Move the row whose targets are farthest from those of the first one to the front."""
    far = int(np.sum((values - values[order[0]]) ** 2, axis=1).argmax())
    return np.concatenate([[far], order[order != far]])


def _each_class_first(order: Indices, codes: Indices) -> Indices:
    """Move the first rows of each class to the front."""
    sorted_codes = codes[order]
    later = np.ones(len(order), dtype=bool)
    for code in np.unique(codes):
        later[np.flatnonzero(sorted_codes == code)[:OF_EACH_CLASS]] = False
    return order[np.argsort(later, kind="stable")]
