"""Suspects: columns, and the order of the file, by which rows may depend on each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.inputs.splits import Splits
from reldim.tables.written_dates import dates_in

__all__ = ["LEAST_ROWS", "Suspect", "suspected"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows below which dependence cannot be told from chance.
LEAST_ROWS = 50

#: A column or target by which a file is sorted changes in one direction but for this share.
SORTED = 0.05

#: Units have at least so many rows on average, and there are at least so many of them.
LEAST_PER_UNIT, LEAST_UNITS = 2.0, 5

#: Different values of a column that makes moments with another one, as months and years do.
MOST_MOMENTS = 50

#: Share of all pairs of unit and moment that rows of a panel fill.
PANEL = 0.5

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
    >>> who = np.repeat(range(20), 5)
    >>> frame = pd.DataFrame({"who": who, "age": 20 + who // 2})
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
    """Yield columns with several rows per value, which fix, order or cross other columns."""
    for name, rank in ranks.items():
        units = np.unique(rank, return_inverse=True)[1]
        count = int(units.max()) + 1
        if not LEAST_UNITS <= count <= n / LEAST_PER_UNIT:
            continue
        others = [
            np.unique(other, return_inverse=True)[1] for key, other in ranks.items() if key != name
        ]
        together = 1 + int(np.sum(np.diff(units) != 0)) == count
        few = [other for other in others if LEAST_UNITS <= other.max() < MOST_MOMENTS]
        moments = [first * MOST_MOMENTS + second for first, second in combinations(few, 2)]
        if any(
            _fixed(units, other) or _crossed(units, other) or (together and _anew(units, other))
            for other in others
        ) or any(_crossed(units, np.unique(both, return_inverse=True)[1]) for both in moments):
            yield Suspect(str(name), Splits(n, groups=units.astype(np.intp)))


def _fixed(units: Indices, other: Indices) -> bool:
    """Return whether a column has one value within each unit, and not the same in all."""
    pairs = np.unique(units * (int(other.max()) + 1) + other)
    count = int(units.max()) + 1
    return len(pairs) == count and LEAST_UNITS <= int(other.max()) + 1 <= count


def _crossed(units: Indices, other: Indices) -> bool:
    """Return whether each unit has each value of a column once, or nearly so: a panel."""
    size = int(other.max()) + 1
    pairs = np.unique(units * size + other)
    return len(pairs) == len(units) > PANEL * size * (int(units.max()) + 1) and size > LEAST_UNITS


def _anew(units: Indices, other: Indices) -> bool:
    """Return whether a column ascends in each unit anew, where rows of a unit stand together."""
    steps, inner = np.diff(other), np.diff(units) == 0
    within, between = steps[inner], steps[~inner]
    return bool(
        within.any()
        and np.mean(within >= 0) >= 1 - SORTED
        and len(between) > 0
        and np.mean(between < 0) > 0.5
    )


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
