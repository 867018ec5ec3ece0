"""Dates: which order day, month and year have in a text, and what of a date repeats."""

import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.tables.columns import says_missing
from reldim.tables.written_numbers import LEAST_READ, SHARE_READ, OddValues, odd_cells

__all__ = ["Dates", "date_parts", "dates_in"]

#: Cells that are looked at first.
GLANCE = 50

_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_NUMBERS = {name: 1 + i for i, month in enumerate(_MONTHS) for name in (month, month[:3])}

_TIME = (
    r"(?:(?:\s+|T)(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?)?"
)
_NAME = rf"(?P<month>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\.?"


def _pattern(*dates: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\s*{date}{_TIME}\s*", re.IGNORECASE) for date in dates)


#: Orders of day, month and year. Points stand behind days only: "31.1.2020".
_ORDERS = {
    "year": _pattern(r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"),
    "day": _pattern(
        r"(?P<day>\d{1,2})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4})",
        r"(?P<day>\d\d)(?P<mark>[/.])(?P<month>\d\d)(?P=mark)(?P<year>\d\d)",
    ),
    "month": _pattern(
        r"(?P<month>\d{1,2})(?P<mark>[-/])(?P<day>\d{1,2})(?P=mark)(?P<year>\d{4})",
        r"(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d\d)",
    ),
    "name": _pattern(
        rf"(?P<day>\d{{1,2}})\.?[-/\s]*{_NAME}[-/\s]*(?P<year>\d{{4}}|\d\d)",
        rf"{_NAME}\s*(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}})",
    ),
}

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

#: What a date may be.
_KINDS = (str, dt.date)

#: The other order of the same figures.
_RIVALS = {"day": "month", "month": "day"}


@dataclass(frozen=True)
class Dates:
    """How the texts of a column are read as dates.

    Attributes
    ----------
    order : {"year", "day", "month", "name"}
        What comes first, or that months have names.
    example : str
        A date as it is written.
    odd : tuple of str
        Texts that are no dates and count as missing.

    Examples
    --------
    >>> Dates("day", "31.1.2020").read(pd.Series(["1.2.2020 12:00", None])).tolist()
    [Timestamp('2020-02-01 12:00:00'), NaT]
    """

    order: str
    example: str
    odd: tuple[str, ...] = ()

    def read(self, column: "pd.Series") -> "pd.Series":
        """Read a column as dates, which may have times.

        Parameters
        ----------
        column : Series
            Texts, dates and missing values.

        Returns
        -------
        Series
            The dates, missing values as NaT.
        """
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            return column
        dates: list[Any] = []
        for row, cell in enumerate(column):
            gap = says_missing(cell) or str(cell) in self.odd
            dates.append(None if gap else _moment(cell, self.order))
            if dates[row] is None and not gap:
                raise InputError(
                    f"The column {column.name} held dates such as {self.example!r} when the table "
                    f"was prepared. Got {str(cell)[:50]!r} in row {row}; write it in the same way, "
                    "or mark it as missing."
                )
        return pd.Series(dates, index=column.index, name=column.name, dtype="datetime64[us]")

    def odd_in(self, column: "pd.Series") -> tuple[OddValues, ...]:
        """Count the values of a column that are no dates."""
        cells = [cell for cell in column if not says_missing(cell)]
        odd = [str(cell) for cell in cells if str(cell) in self.odd]
        if not odd:
            return ()
        told = odd_cells(odd, len(cells), "date").partition(" values ")[2]
        return (OddValues(str(column.name), len(odd), len(cells), told),)


def dates_in(column: "pd.Series") -> tuple[Dates | None, str | None]:
    """Tell how to read a column whose texts are dates, all but a few.

    Returns
    -------
    dates : Dates or None
        How to read it. None where fewer than 90 % are dates in one order, and where it cannot be
        told whether days or months come first.
    step : str or None
        Which cells are no dates, or a date of which the order cannot be told.

    Examples
    --------
    >>> dates, step = dates_in(pd.Series(["5-Jan-2020", "17-Feb-2020"]))
    >>> dates.order, step
    ('name', None)
    >>> dates_in(pd.Series(["01/02/20", "01/03/20"]))
    (None, '01/02/20')
    """
    cells = [cell for cell in column if not says_missing(cell)]
    distinct = {cell for cell in cells if isinstance(cell, _KINDS)}
    orders = _likely_orders(cells)
    if not orders:
        return None, None
    order, dates = _likeliest(cells, distinct, orders)
    found = sum(isinstance(cell, _KINDS) and cell in dates for cell in cells)
    if found < len(cells) and found < max(LEAST_READ, SHARE_READ * len(cells)):
        return None, None
    example = next(str(cell) for cell in cells if cell in dates)
    if order in _RIVALS:
        others = _readable(distinct, _RIVALS[order])
        if others - dates:
            return None, None
        if others == dates:
            return None, example
    odd = [str(cell) for cell in cells if not isinstance(cell, _KINDS) or cell not in dates]
    step = f"Read {column.name} as dates{odd_cells(odd, len(cells), 'date')}." if odd else None
    return Dates(order, example, tuple(dict.fromkeys(odd))), step


def date_parts(dates: "pd.Series") -> dict[str, NDArray[np.float64]]:
    r"""Take dates apart into what passes and what repeats.

    What repeats lies on a circle, :math:`(\cos 2\pi t, \sin 2\pi t)` with t from 0 to 1, so that
    December is next to January. Weekdays are a category: there are too few for a curve. All parts
    of a date share a weight, so that one that tells nothing harms the others: days of the month are
    left out.

    Parameters
    ----------
    dates : Series
        The dates, missing ones as NaT; of a time zone the local time counts.

    Returns
    -------
    dict of ndarray
        Columns by their names: "total_seconds" since 1970, the time of the year, the time of the
        day, and the weekdays. Missing dates are NaN.

    Examples
    --------
    >>> parts = date_parts(pd.Series([pd.Timestamp(2024, 1, 1), pd.Timestamp(2024, 7, 1, 12)]))
    >>> parts["weekday = Monday"], parts["time of day (cos)"]
    (array([1., 1.]), array([ 1., -1.]))
    """
    when = dates if dates.dt.tz is None else dates.dt.tz_localize(None)
    known = when.notna().to_numpy()
    start = when.dt.normalize()
    day = ((when - start) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
    of_year = (when.dt.day_of_year.to_numpy(dtype=np.float64) - 1 + day) / 365.25
    weekday = when.dt.day_of_week.to_numpy(dtype=np.float64)
    circles = {"time of year": of_year, "time of day": day}
    seconds = (when - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
    parts = {"total_seconds": np.asarray(seconds, dtype=np.float64)}
    for name, turns in circles.items():
        # Rounded, so that a circle whose place never changes is a constant.
        for word, function in (("sin", np.sin), ("cos", np.cos)):
            parts[f"{name} ({word})"] = np.round(function(2 * np.pi * turns), 12) + 0.0
    for number, name in enumerate(_WEEKDAYS):
        parts[f"weekday = {name}"] = np.where(known, np.equal(weekday, number), np.nan)
    return parts


def _likely_orders(cells: list[Any]) -> list[str]:
    """Return the orders in which some of the first cells are dates, none where most are not."""
    first = cells[:GLANCE]
    counts = {order: sum(_moment(cell, order) is not None for cell in first) for order in _ORDERS}
    likely = [order for order, count in counts.items() if count]
    return likely if max(counts.values()) >= len(first) / 2 else []


def _likeliest(cells: list[Any], distinct: set[Any], orders: list[str]) -> tuple[str, set[Any]]:
    """Return the order in which the most cells are dates, and those that are."""
    counts = Counter(cell for cell in cells if isinstance(cell, _KINDS))
    readable = {order: _readable(distinct, order) for order in orders}
    best = max(readable, key=lambda order: sum(counts[cell] for cell in readable[order]))
    return best, readable[best]


def _readable(cells: set[Any], order: str) -> set[Any]:
    return {cell for cell in cells if _moment(cell, order) is not None}


def _moment(cell: Any, order: str) -> dt.datetime | None:
    """Return a cell as date and time, None for what is none."""
    if isinstance(cell, dt.datetime):
        return cell if cell.tzinfo is None else None
    if isinstance(cell, dt.date):
        return dt.datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001
    if not isinstance(cell, str):
        return None
    matches = (pattern.fullmatch(cell) for pattern in _ORDERS[order])
    return next((_put_together(found) for found in matches if found is not None), None)


def _put_together(found: re.Match[str]) -> dt.datetime | None:
    month = _NUMBERS.get(found["month"].lower()) or int(found["month"])
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    clock = dt.timedelta(hours=hour, minutes=minute, seconds=second)
    if hour > 23 or minute > 59 or second > 59:
        return None
    try:
        day = dt.datetime(_year(found["year"]), month, int(found["day"]))  # noqa: DTZ001
    except ValueError:
        return None
    return day + clock + dt.timedelta(microseconds=int((found["fraction"] or "")[:6].ljust(6, "0")))


def _year(text: str) -> int:
    # Years of two digits as in POSIX: 69 is 1969.
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year >= 69 else 2000)
