"""Drawn rows: which rows a fit sees, and in what order.

Folds are divisions of rows in an order. Where that is the order of their content, neither folds nor
what follows from them change when the rows of a file are shuffled.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from reldim.inputs.splits import Splits
from reldim.inputs.targets import Targets

__all__ = ["draw_rows", "draw_with_rare_rows", "ordered_by_content", "rows_to_fit"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


def rows_to_fit(
    X: ArrayLike,
    targets: Targets,
    most: int,
    seed: int,
    *,
    weights: NDArray[np.float64] | None = None,
    splits: Splits | None = None,
) -> Indices:
    """Return the rows that a blend is fitted to, a draw of them where there are many.

    Parameters
    ----------
    X : array-like of shape (n, columns)
        The data.
    targets : Targets
        Their targets.
    most : int
        How many rows to return at most.
    seed : int
        Seed of the draw.
    weights : ndarray of shape (n,), optional
        The weights of the rows, which order rows that are equal, target and all.
    splits : Splits, optional
        What is drawn together, by default single rows.

    Returns
    -------
    ndarray of int
        Rows, in the order of what they hold.
    """
    order = ordered_by_content(X, targets, weights)
    splits = splits or Splits(targets.n, targets.codes)
    return order[splits.take(order).draw(most, seed)]


def ordered_by_content(
    X: Any, targets: Targets, weights: NDArray[np.float64] | None = None
) -> Indices:
    """Return rows in the order of their last column, then of the one before, and so on.

    Parameters
    ----------
    X : array-like or csr_array of shape (n, columns)
        The data.
    targets : Targets
        Their targets, which order equal rows.
    weights : ndarray of shape (n,), optional
        Their weights, which order those that have equal targets, too.

    Returns
    -------
    ndarray of int
        All rows.
    """
    last = () if weights is None else (weights,)
    columns = (_ranks(X),) if sparse.issparse(X) else np.asarray(X).T
    return np.lexsort((*last, *targets.values.T, *columns))


def _ranks(X: Any) -> Indices:
    """Rank sparse rows as if they were dense, entry by entry from the last column on."""
    X = X.copy()
    X.eliminate_zeros()
    X.sort_indices()
    counts, ranks = np.diff(X.indptr), np.zeros(X.shape[0], dtype=np.intp)
    for place in range(counts.max(initial=0)):
        rows = np.flatnonzero(counts > place)
        entries = X.indptr[rows + 1] - 1 - place
        # Where others have a zero, rows with a positive entry come last, the more so the later it
        # is; with a negative one first.
        keys = np.zeros((2, X.shape[0]))
        keys[0, rows] = X.data[entries]
        keys[1, rows] = np.sign(X.data[entries]) * (X.indices[entries] + 1.0)
        table = np.vstack([keys, ranks])
        order = np.lexsort(table)
        ranks[order[1:]] = np.cumsum(np.diff(table[:, order]).any(axis=0))
        ranks[order[0]] = 0
        if ranks.max() == len(ranks) - 1:
            break
    return ranks


def draw_rows(targets: Targets, most: int, seed: int) -> Indices:
    """Draw rows by their places, with at least two of each class.

    Parameters
    ----------
    targets : Targets
        The targets of all rows.
    most : int
        How many rows to draw at most.
    seed : int
        Seed.

    Returns
    -------
    ndarray of int
        Rows in ascending order.
    """
    codes = None if targets.codes is None else np.asarray(targets.codes)
    return Splits(targets.n, codes).draw(most, seed)


def draw_with_rare_rows(targets: Targets, most: int, seed: int) -> tuple[Indices, Array | None]:
    """Draw rows by their places, with as many of each rare class as there is room for.

    Half of the draw is divided evenly among the classes: a class with fewer rows than its part
    keeps all of them. The rest is drawn in proportion.

    Parameters
    ----------
    targets : Targets
        The targets of all rows.
    most : int
        How many rows to draw at most.
    seed : int
        Seed.

    Returns
    -------
    rows : ndarray of int
        Rows in ascending order.
    counts : ndarray of shape (rows,) or None
        How many rows each of them stands for; None where no class is rare, and all stand for as
        many.

    Examples
    --------
    >>> from reldim.inputs.targets import code_targets
    >>> fraud = code_targets(np.repeat([0, 1], [990, 10]), "classification")
    >>> rows, counts = draw_with_rare_rows(fraud, 100, 0)
    >>> int(np.sum(rows >= 990)), np.unique(counts)
    (10, array([ 1., 11.]))
    """
    if targets.n <= most or targets.codes is None:
        return draw_rows(targets, most, seed), None
    codes = np.asarray(targets.codes)
    sizes = np.bincount(codes)
    part = most // (2 * len(sizes))
    if (sizes * most >= part * targets.n).all():
        return draw_rows(targets, most, seed), None
    quotas = np.minimum(sizes, part)
    spare = sizes - quotas
    shares = (most - quotas.sum()) * spare / spare.sum()
    quotas += np.floor(shares).astype(np.intp)
    # What rounding has left goes where most of it was cut off.
    quotas[np.argsort(np.floor(shares) - shares, kind="stable")[: most - quotas.sum()]] += 1
    order = np.random.default_rng(seed).permutation(targets.n)
    drawn = [order[codes[order] == code][:quota] for code, quota in enumerate(quotas)]
    rows = np.sort(np.concatenate(drawn))
    return rows, (sizes / np.maximum(quotas, 1))[codes[rows]]
