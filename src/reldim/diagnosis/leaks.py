"""Leaks: a single column that tells the target almost without mistakes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.problem import Problem
from reldim.diagnosis.verdicts import Verdict, finding
from reldim.inputs.duplicates import group_rows
from reldim.inputs.targets import Targets

__all__ = ["find_leak", "left_out_mistakes", "left_out_variance", "on_one_line"]

Array = NDArray[np.float64]

#: A column tells the target where it leaves at most this share of a constant prediction's error.
TELLS_ALL = 0.01

#: A target is made from a column where it is the same multiple of it in this share of the rows, up
#: to a constant; lines that are tried, how close rows must lie, and distinct targets on a line.
ON_ONE_LINE = 0.5
LINES, EXACT, LEAST_VALUES = 40, 1e-4, 10

#: Columns that are looked at, and mistakes of a constant prediction below which chance could do it.
MOST_COLUMNS = 1000
LEAST_MISTAKES = 10


def find_leak(problem: Problem, points: Any, targets: Targets) -> Iterator[Verdict]:
    """Yield whether a column of the table tells the target on its own.

    Parameters
    ----------
    problem : Problem
        The data as they were used, which tell what columns are called.
    points : array-like
        The rows as a kernel sees them; nothing is found in what is no matrix of numbers.
    targets : Targets
        Their targets.

    Yields
    ------
    Verdict
        The finding, which names the column.
    """
    if not isinstance(points, np.ndarray) or points.ndim != 2 or points.dtype.kind != "f":
        return
    columns = _columns(problem, points.shape[1])
    if len(columns) < 2 or targets.n * targets.constant_error < LEAST_MISTAKES:
        return
    for name, places in list(columns.items())[:MOST_COLUMNS]:
        left = _left_unexplained(points[:, places], targets)
        told = f"{name} alone tells the target almost without mistakes."
        figures = {"column": float(places[0])}
        if left is None or left > TELLS_ALL:
            share = on_one_line(points[:, places[0]], targets) if len(places) == 1 else 0.0
            if share < ON_ONE_LINE:
                continue
            told = (
                f"In {share:.0%} of the rows the target is a multiple of the same column, "
                f"{name[0].lower()}{name[1:]}, up to a constant. The other rows may have been read "
                "in another unit, or with another decimal sign."
            )
            figures["share"] = share
        yield finding(
            "RD016",
            "warning",
            told,
            "Check that it is known before the target is: columns made from the target, or "
            "written down after it, are no use on new rows.",
            figures,
        )
        return


def _columns(problem: Problem, count: int) -> dict[str, list[int]]:
    """Return the columns of the table in words, each with the places of its encoding."""
    if problem.table is None or not problem.table.sources:
        return {f"Column {j}": [j] for j in range(count)}
    columns: dict[str, list[int]] = {}
    for place, source in enumerate(problem.table.sources):
        columns.setdefault(f"The column {source}", []).append(place)
    return columns


def _left_unexplained(values: Array, targets: Targets) -> float | None:
    """Return the share of a constant prediction's error that a column leaves, or None."""
    if targets.codes is not None:
        wrong = left_out_mistakes(values, targets.codes)
        return wrong / (targets.n - int(np.bincount(targets.codes).max()))
    if targets.values.shape[1] > 1 or np.ptp(values) == 0:
        return None
    if values.shape[1] == 1:
        return 1.0 - float(stats.spearmanr(values[:, 0], targets.values[:, 0])[0]) ** 2
    return left_out_variance(values, targets.values[:, 0])


def left_out_mistakes(values: Array, codes: NDArray[np.intp]) -> int:
    """Count the rows whose class the other rows do not tell by the values of one column.

    Among equal values the others' majority predicts. A number that occurs once is predicted by the
    two next to it, and counts as a mistake where both predict another class; a category that
    occurs once is always one.

    Parameters
    ----------
    values : ndarray of shape (n, places)
        The column; several places hold the encoding of a category.
    codes : ndarray of shape (n,)
        The classes as whole numbers.

    Returns
    -------
    int
        The number of mistakes.

    Examples
    --------
    >>> values = np.array([[0.0], [0.0], [1.0], [1.0], [1.0], [1.0]])
    >>> left_out_mistakes(values, np.array([0, 0, 1, 1, 1, 0]))
    1
    """
    groups = _groups(values)
    counts = np.zeros((int(groups.max()) + 1, int(codes.max()) + 1), dtype=np.intp)
    np.add.at(counts, (groups, codes), 1)
    own = counts[groups, codes]
    others = counts[groups]
    others[np.arange(len(codes)), codes] = 0
    wrong = own - 1 <= others.max(axis=1)
    if values.shape[1] == 1:
        alone = counts.sum(axis=1)[groups] == 1
        majority = np.concatenate([[-1], counts.argmax(axis=1), [-1]])
        beside = (majority[groups] == codes) | (majority[groups + 2] == codes)
        wrong = np.where(alone, ~beside, wrong)
    return int(wrong.sum())


def left_out_variance(values: Array, y: Array) -> float:
    """Return the share of variance that means over equal rows leave, each row left out of its own.

    Parameters
    ----------
    values : ndarray of shape (n, places)
        The encoding of a category.
    y : ndarray of shape (n,)
        The targets.

    Returns
    -------
    float
        The share; a row that is alone with its category is predicted by the mean of all.
    """
    groups = _groups(values)
    sizes, sums = np.bincount(groups), np.bincount(groups, y)
    others = sizes[groups] - 1
    means = np.where(others > 0, (sums[groups] - y) / np.maximum(others, 1), y.mean())
    return float(np.sum((y - means) ** 2) / np.sum((y - y.mean()) ** 2))


def on_one_line(values: Array, targets: Targets) -> float:
    """Return the share of rows whose target is the same linear function of a column, exactly.

    Lines through pairs of rows are tried. Rows count that lie on the line to four digits of the
    spread of the targets, unless few values, or one of them, make up most of them.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The column.
    targets : Targets
        The targets; for classes the share is 0.

    Returns
    -------
    float
        The largest share.

    Examples
    --------
    >>> from reldim.inputs.targets import code_targets
    >>> x = np.arange(1.0, 41.0) ** 1.5
    >>> y = 2.5 * np.where(np.arange(40) % 4 == 0, x / 1000, x)
    >>> on_one_line(x, code_targets(y))
    0.75
    """
    if targets.codes is not None or targets.values.shape[1] > 1:
        return 0.0
    x, y = np.asarray(values, dtype=np.float64), targets.values[:, 0]
    # In an order that depends on what rows hold, not on where they stand.
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    pairs = np.random.default_rng(0).integers(0, len(x), size=(LINES, 2))
    near = EXACT * float(y.std())
    best = 0.0
    for i, j in pairs:
        if x[i] == x[j] or y[i] == y[j]:
            continue
        slope = (y[j] - y[i]) / (x[j] - x[i])
        on = np.abs(y - y[i] - slope * (x - x[i])) <= near
        counts = np.unique(y[on], return_counts=True)[1]
        if on.mean() > best and len(counts) >= LEAST_VALUES and counts.max() <= on.sum() / 4:
            best = float(on.mean())
    return best


def _groups(values: Array) -> NDArray[np.intp]:
    """Give equal rows equal numbers; those of a single column ascend with it."""
    if values.shape[1] > 1:
        return np.asarray(group_rows(values))
    return np.unique(values[:, 0], return_inverse=True)[1]
