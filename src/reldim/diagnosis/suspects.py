"""Suspects: columns, and the order of the file, by which rows may depend on each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.inputs.splits import Splits
from reldim.tables.written_dates import dates_in

__all__ = ["LEAST_ROWS", "Suspect", "suspected"]

Array = NDArray[np.float64]

#: Rows below which dependence cannot be told from chance.
LEAST_ROWS = 50

#: A column or target by which a file is sorted changes in one direction but for this share.
SORTED = 0.05

#: Units have at least so many rows on average, and there are at least so many of them.
LEAST_PER_UNIT, LEAST_UNITS = 2.0, 5

#: Different moments that make an order of dates.
LEAST_MOMENTS = 10


@dataclass(frozen=True, eq=False)
class Suspect:
    """A way in which rows may depend on each other.

    Attributes
    ----------
    name : str
        The column that tells; empty for the order of the file.
    splits : Splits
        The division of rows that would keep dependent ones together.
    """

    name: str
    splits: Splits = field(repr=False)

    def take(self, rows: NDArray[np.intp]) -> "Suspect":
        """Return the same for some rows."""
        return replace(self, splits=self.splits.take(rows))

    @property
    def words(self) -> str:
        """Which rows depend on each other."""
        if self.splits.groups is not None:
            return f"rows with the same value of {self.name}"
        return f"rows of similar {self.name}" if self.name else "rows near each other in the file"

    @property
    def option(self) -> str:
        """What to ask for next time."""
        if self.splits.groups is not None:
            return f'groups="{self.name}" (--groups {self.name})'
        if self.name:
            return f'order="{self.name}" (--order {self.name})'
        return (
            "groups= with what names the unit of each row (--groups COLUMN), or order= with their "
            "time (--order COLUMN)"
        )


def suspected(X: Any, values: Array) -> tuple[Suspect, ...]:
    """List ways in which rows may depend on each other, from the columns as they were given.

    A file that is sorted by a column or by the target says nothing by its order.

    Parameters
    ----------
    X : DataFrame, or array of shape (n, columns)
        The data.
    values : ndarray of shape (n, outputs)
        The coded targets.

    Returns
    -------
    tuple of Suspect
        Units first, then orders.

    Examples
    --------
    >>> frame = pd.DataFrame({"who": np.repeat(range(20), 5), "age": np.repeat(range(20), 5) * 1.5})
    >>> frame["x"] = np.random.default_rng(0).normal(size=100)
    >>> [suspect.name for suspect in suspected(frame, frame[["x"]].to_numpy())]
    ['who']
    """
    n = len(values)
    array = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
    if n < LEAST_ROWS or not (isinstance(X, pd.DataFrame) or array):
        return ()
    frame = pd.DataFrame(X)
    ranks = {name: _ranks(frame[name]) for name in frame.columns if frame.columns.is_unique}
    found = [*_units(ranks, n), *_dates(frame, n)]
    by_file = _ascends(values[:, 0]) or any(_ascends(rank) for rank in ranks.values())
    if not by_file:
        found.append(Suspect("", Splits(n, order=np.arange(float(n)))))
    return tuple(found)


def _ranks(column: "pd.Series[Any]") -> Array:
    """Return the places of values in sorted order, -1 for missing ones."""
    try:
        codes = pd.factorize(column, sort=True)[0]
    except TypeError:
        codes = pd.factorize(column.astype(str), sort=True)[0]
    return np.asarray(codes, dtype=np.float64)


def _ascends(values: Array) -> bool:
    """Return whether values change in one direction only."""
    steps = np.diff(values)
    up, down = int(np.sum(steps > 0)), int(np.sum(steps < 0))
    return min(up, down) <= SORTED * max(up, down) and max(up, down) > 0


def _units(ranks: dict[Any, Array], n: int) -> Iterator[Suspect]:
    """Yield columns whose equal values stand together and fix, or order, other columns."""
    for name, rank in ranks.items():
        runs = 1 + int(np.sum(np.diff(rank) != 0))
        units = len(np.unique(rank))
        if runs != units or not LEAST_UNITS <= units <= n / LEAST_PER_UNIT:
            continue
        inner = np.diff(rank) == 0
        others = [other for key, other in ranks.items() if key != name]
        if any(_fixed_or_ascending(np.diff(other), inner) for other in others):
            yield Suspect(str(name), Splits(n, groups=rank.astype(np.intp)))


def _fixed_or_ascending(steps: Array, inner: NDArray[np.bool_]) -> bool:
    """Return whether a column is constant within units, or ascends in each of them anew."""
    within, between = steps[inner], steps[~inner]
    if not within.any():
        return bool(between.any())
    return bool(np.mean(within >= 0) >= 1 - SORTED and np.mean(between < 0) > 0.5)


def _dates(frame: pd.DataFrame, n: int) -> Iterator[Suspect]:
    """Yield columns of dates, which order the rows."""
    for name in frame.columns:
        column = frame[name]
        if not pd.api.types.is_datetime64_any_dtype(column):
            written = None if pd.api.types.is_numeric_dtype(column) else dates_in(column)[0]
            if written is None:
                continue
            column = written.read(column)
        moments = _ranks(column)
        if len(np.unique(moments)) >= LEAST_MOMENTS:
            yield Suspect(str(name), Splits(n, order=moments))
