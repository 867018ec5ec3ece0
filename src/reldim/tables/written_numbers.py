"""Amounts: numbers written as text with signs of percent, currency, thousands, and units."""

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.tables.columns import LARGEST, is_missing, says_missing

__all__ = [
    "LEAST_READ",
    "SHARE_READ",
    "Amounts",
    "OddValues",
    "amounts_in",
    "grouped",
    "mostly_amounts",
    "odd_cells",
    "read_amounts",
    "sentinels_in",
    "ungrouped",
]

#: So many cells of a column must be numbers, or dates, and so large a share, for others to be odd.
LEAST_READ = 10
SHARE_READ = 0.9

#: Cells that are looked at first.
GLANCE = 200

#: What may stand before or after the digits.
_MARK = r"[$€£¥₹₩₽%]|USD|EUR|GBP|CHF|JPY"
_MARKS_ONLY = re.compile(_MARK)

#: What may separate thousands beside a point or comma: an apostrophe, and blanks that do not break.
_BLANKS = "'\u2019\u00a0\u202f"


def _pattern(group: str, point: str) -> re.Pattern[str]:
    digits = rf"\d{{1,3}}(?:[{group}{_BLANKS}]\d{{3}})+|\d+"
    return re.compile(
        rf"\s*(?P<negative>[-\u2212(])?\s*(?P<before>{_MARK})?\s*(?P<minus>[-\u2212+])?"
        rf"(?P<whole>{digits})?(?:{re.escape(point)}(?P<fraction>\d*))?"
        rf"\s*(?P<after>{_MARK})?\s*\)?\s*"
    )


#: English and continental writing, by the sign of the fraction. English comes first: "1,234" is
#: taken for thousands, and the step that reports it shows how a value was read.
_STYLES = {".": _pattern(",", "."), ",": _pattern(".", ",")}

_WITH_EXPONENT = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)[eE][-+]?\d+\s*")

#: A number with a unit such as "kg", "°C" or "km/h".
_WITH_UNIT = re.compile(
    r"\s*(?P<number>.*?[\d.])\s*(?P<unit>[°µ]?[^\W\d_]{1,12}(?:/[^\W\d_]{1,8})?)\.?\s*"
)

#: Units that multiply: beside numbers without them, "12k" is not 12.
_MULTIPLIERS = frozenset({"k", "m", "b", "t", "bn", "mn", "mio", "mrd", "tsd", "million"})

#: Distinct values of a column beside which one may stand for a missing value, by how much it lies
#: farther from them than they from each other, and by how many times a negative number must be more
#: frequent than those next to it.
LEAST_BESIDE, FARTHER, PILED, NEAREST = 10, 2.0, 5.0, 10

#: Words that stand where a number is not known, beside what has neither letters nor digits.
_UNKNOWN = frozenset(
    {"unknown", "missing", "not available", "not known", "no value", "n.a.", "n.d.", "nd", "tbd"}
    | {"unbekannt", "k.a.", "fehlt", "inconnu", "desconocido"}
)


@dataclass(frozen=True)
class OddValues:
    """Values of a column that look like mistakes, and what was made of them.

    Attributes
    ----------
    column : str
        The column.
    count, total : int
        How many they are, of how many values.
    told : str
        What they are and what was made of them, as the end of a sentence.

    Examples
    --------
    >>> str(OddValues("weight", 2, 200, "are no numbers and count as missing, such as '-'"))
    "weight: 2 of 200 values are no numbers and count as missing, such as '-'"
    """

    column: str
    count: int
    total: int
    told: str

    def __str__(self) -> str:
        """Give the column, the counts and the rest of the sentence."""
        return f"{self.column}: {self.count} of {self.total} values {self.told}"


@dataclass(frozen=True)
class Amounts:
    """How the texts of a column are read as numbers.

    Attributes
    ----------
    point : {".", ","}
        What stands before the fraction.
    example : str
        A text, with a sign of percent, currency or thousands if there is one, and what it is read
        as.
    odd : tuple of str
        Texts that are no numbers and count as missing.
    unit : str
        A unit that may stand behind a number and does not change it; empty for none.

    Examples
    --------
    >>> Amounts(".", "").read(pd.Series(["$1,234.50", "(20)", None], name="price"))
    array([1234.5,  -20. ,     nan])
    >>> Amounts(".", "", odd=("unknown",)).read(pd.Series(["12", "unknown"]))
    array([12., nan])
    >>> Amounts(".", "", unit="kg").read(pd.Series(["12", "5 kg", "5.5Kg"]))
    array([12. ,  5. ,  5.5])
    """

    point: str
    example: str
    odd: tuple[str, ...] = ()
    unit: str = ""

    def read(self, column: "pd.Series") -> NDArray[np.float64]:
        """Read a column as numbers.

        Parameters
        ----------
        column : Series
            Texts, numbers and missing values.

        Returns
        -------
        ndarray
            The numbers, missing values as NaN.
        """
        values = np.full(len(column), np.nan)
        for row, text in enumerate(column):
            if is_missing(text) or str(text) in self.odd:
                continue
            number = _number(text, self.point, self.unit)
            if number is None:
                raise InputError(
                    f"The column {column.name} held amounts such as {self.example} when the table "
                    f"was prepared. Got {str(text)[:50]!r} in row {row}; correct it, or mark it as "
                    "missing."
                )
            values[row] = number
        return values

    def odd_in(self, column: "pd.Series") -> tuple[OddValues, ...]:
        """Count the values of a column that are no numbers, and those that alone have a unit.

        Examples
        --------
        >>> column = pd.Series([*map(str, range(97)), "5 kg", "-", "-"], name="weight")
        >>> for odd in mostly_amounts(column)[0].odd_in(column):
        ...     print(odd)
        weight: 2 of 100 values are no numbers and count as missing, such as '-'
        weight: 1 of 100 values has a unit, which was taken for that of all: '5 kg' as 5
        """
        cells = [cell for cell in column if not says_missing(cell)]
        name, total = str(column.name), len(cells)
        odd = [str(cell) for cell in cells if str(cell) in self.odd]
        found = []
        if odd:
            told = odd_cells(odd, total, "number").partition(" values ")[2]
            found.append(OddValues(name, len(odd), total, told))
        with_unit = [cell for cell in cells if self.unit and _unit_of(cell) == self.unit]
        if with_unit and len(with_unit) + len(odd) < total:
            have = "has" if len(with_unit) == 1 else "have"
            number = _number(with_unit[0], self.point, self.unit)
            told = f"{have} a unit, which was taken for that of all: {with_unit[0]!r} as {number:g}"
            found.append(OddValues(name, len(with_unit), total, told))
        return tuple(found)


def amounts_in(column: "pd.Series") -> Amounts | None:
    """Tell how to read a column whose texts are all amounts, one with a sign or all with a unit.

    Returns
    -------
    Amounts or None
        None where some text is no amount, or all are plain numbers.

    Examples
    --------
    >>> amounts_in(pd.Series(["12%", "7.5%"])).example
    "'12%' as 12"
    >>> amounts_in(pd.Series(["1.250,00 €", "3,10 €"])).example
    "'1.250,00 €' as 1250"
    >>> amounts_in(pd.Series(["5 kg", "12 kg"])).example
    "'5 kg' as 5"
    >>> amounts_in(pd.Series(["12", "7.5"])) is None, amounts_in(pd.Series(["5%", "n"])) is None
    (True, True)
    """
    texts = [text for text in column if not is_missing(text)]
    if not texts or not all(isinstance(text, str) for text in texts):
        return None
    unit = _unit_of(texts[0])
    if unit and any(_unit_of(text) != unit for text in texts):
        return None
    for point in _likely_points([_without_unit(text, unit) for text in texts]):
        values = [_value(text, point, unit) for text in texts]
        signed = next((i for i, text in enumerate(texts) if _has_sign(text)), None)
        if None not in values and signed is not None:
            return Amounts(point, f"{texts[signed]!r} as {values[signed]:.10g}", unit=unit)
    return None


def mostly_amounts(column: "pd.Series", *, declared: bool = False) -> tuple[Amounts, str] | None:
    """Tell how to read a column of numbers in which a few cells are none.

    Parameters
    ----------
    column : Series
        Texts, numbers and missing values.
    declared : bool
        The column is known to hold numbers: one of them is enough.

    Returns
    -------
    amounts : Amounts
        How to read it.
    step : str
        What is done, and the first cell that is no number.

    Notes
    -----
    None where fewer than 10 cells, or fewer than 90 % of those that are not missing or called
    unknown, are numbers; and where all are plain numbers or missing. A unit may stand behind some
    of the numbers; if there are several units, numbers with a rarer one are odd.

    Examples
    --------
    >>> column = pd.Series([*map(str, range(199)), "unknown"], name="a")
    >>> mostly_amounts(column)[1]
    "Read a as numbers; 1 of 200 values is no number and counts as missing: 'unknown'."
    """
    cells = [cell for cell in column if not says_missing(cell)]
    told = [cell for cell in cells[:GLANCE] if not _says_unknown(cell)]
    _, first = _best_reading(told, _common_unit(told))
    if first.count(None) > len(first) / 2 and not declared:
        return None
    unit = _common_unit(cells)
    point, numbers = _best_reading(cells, unit)
    found = len(numbers) - numbers.count(None)
    unknown = sum(_says_unknown(cell) for cell in cells)
    if found < (1 if declared else max(LEAST_READ, SHARE_READ * (len(cells) - unknown))):
        return None
    known = [i for i, number in enumerate(numbers) if number is not None]
    signed = next((i for i in known if _has_sign(str(cells[i]))), None)
    if found == len(cells) and signed is None and not declared:
        return None
    shown = known[0] if signed is None else signed
    example = f"{str(cells[shown])!r} as {numbers[shown]:.10g}"
    odd = [str(cell) for cell, number in zip(cells, numbers, strict=True) if number is None]
    words = [cell for cell in column if isinstance(cell, str) and says_missing(cell)]
    how = "" if signed is None else f" ({example})"
    step = f"Read {column.name} as numbers{how}{odd_cells(odd, len(cells), 'number')}."
    return Amounts(point, example, tuple(dict.fromkeys([*odd, *words])), unit), step


def odd_cells(odd: list[str], total: int, kind: str) -> str:
    """Write how many cells are no numbers, or no dates, and the first of them.

    Parameters
    ----------
    odd : list of str
        The cells.
    total : int
        How many cells there are.
    kind : str
        What the others are.

    Examples
    --------
    >>> odd_cells(["-", "soon"], 200, "date")
    "; 2 of 200 values are no dates and count as missing, such as '-'"
    """
    if not odd:
        return ""
    if len(odd) == 1:
        return f"; 1 of {total} values is no {kind} and counts as missing: {odd[0][:50]!r}"
    return (
        f"; {len(odd)} of {total} values are no {kind}s and count as missing, such as "
        f"{odd[0][:50]!r}"
    )


def sentinels_in(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return numbers at the edges of a range that look like marks of missing values.

    - Nines, such as 99 and -999, far from all others; a positive one must recur.
    - The only negative number, a whole one, far more frequent than the numbers next to it.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The numbers, missing ones as NaN.

    Examples
    --------
    >>> ages = np.arange(18.0, 60.0)
    >>> sentinels_in(np.concatenate([ages, [-999.0]])), sentinels_in(ages)
    ((-999.0,), ())
    >>> sentinels_in(np.concatenate([ages, np.full(40, -1.0)]))
    (-1.0,)
    """
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    found = []
    for end, others, beside in (
        (0, distinct[1:], counts[1:]),
        (-1, distinct[:-1], counts[-2::-1]),
    ):
        if len(others) < LEAST_BESIDE:
            continue
        value, count = float(distinct[end]), int(counts[end])
        apart = abs(value - (others[0] if end == 0 else others[-1]))
        far = bool(apart > FARTHER * np.diff(others).max())
        nines = abs(value) >= 99 and {*f"{abs(value):.10g}"} == {"9"}
        only_negative = value < 0 <= others[0] and value.is_integer()
        piled = count >= LEAST_READ and count >= PILED * beside[:NEAREST].mean()
        marked = nines and (far or only_negative) and (value < 0 or count > 1)
        if marked or (only_negative and piled and count > beside.max()):
            found.append(value)
    return tuple(found)


def read_amounts(column: "pd.Series") -> tuple[NDArray[Any], str | None]:
    """Read a target that is written as amounts, such as "$24,000".

    Returns
    -------
    values : ndarray
        Numbers where all texts are amounts, else the values as they are.
    step : str or None
        What was done, where something was.

    Examples
    --------
    >>> read_amounts(pd.Series(["$24,000", "$950"], name="price"))
    (array([24000.,   950.]), "Read the target price as numbers ('$24,000' as 24000).")
    """
    amounts = amounts_in(column)
    if amounts is None:
        return column.to_numpy(), None
    named = "" if column.name is None else f" {column.name}"
    return amounts.read(column), f"Read the target{named} as numbers ({amounts.example})."


def grouped(texts: "pd.Series[str]", mark: str) -> bool:
    """Tell whether a mark may stand between the thousands of numbers.

    Parameters
    ----------
    texts : Series of str
        The numbers, none of them missing.
    mark : str
        A point, a comma, an apostrophe or a blank.

    Returns
    -------
    bool
        True where the mark occurs, three digits follow wherever it does, and no number without it
        has more than three.

    Examples
    --------
    >>> grouped(pd.Series(["17.042", "950"]), "."), grouped(pd.Series(["17.042", "1.5"]), ".")
    (True, False)
    >>> grouped(pd.Series(["17.042", "1950"]), "."), grouped(pd.Series(["1.250,5", "3,5"]), ".")
    (False, True)
    """
    point = "," if mark == "." else "."
    number = (
        rf"\s*[-+\u2212]?(?:0|[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})*)"
        rf"(?:{re.escape(point)}\d*)?\s*"
    )
    marked = texts.str.contains(mark, regex=False)
    return bool(marked.any() and texts.str.fullmatch(number).all())


def ungrouped(texts: "pd.Series[str]", mark: str) -> "pd.Series[float]":
    """Read numbers with a mark between their thousands.

    Parameters
    ----------
    texts : Series of str
        What :func:`grouped` says yes to; some may be missing.
    mark : str
        The mark.

    Examples
    --------
    >>> ungrouped(pd.Series(["17.042", "950,5", None]), ".").tolist()
    [17042.0, 950.5, nan]
    """
    point = "," if mark == "." else "."
    plain = texts.str.strip().str.replace(mark, "", regex=False).str.replace("\u2212", "-")
    return plain.str.replace(point, ".", regex=False).astype(np.float64)


def _likely_points(texts: list[str]) -> list[str]:
    """Return the marks of fractions, the likelier first."""
    digits = pd.Series([re.sub(rf"{_MARK}|[()\s]", "", text) for text in texts], dtype=object)
    # "17.042 €" beside "950 €": three digits behind every point, and none behind the others.
    points = grouped(digits, ".") and not digits.str.contains(".", regex=False).all()
    return [*reversed(_STYLES)] if points else [*_STYLES]


def _best_reading(cells: list[Any], unit: str) -> tuple[str, list[float | None]]:
    """Return the mark of fractions that reads the most cells, and what it reads."""
    # Odd cells are no numbers in any writing, and say nothing about the marks.
    texts = [_without_unit(cell, unit) for cell in cells if isinstance(cell, str)]
    amounts = [text for text in texts if any(_value(text, point) is not None for point in _STYLES)]
    readings = {
        point: [_number(cell, point, unit) for cell in cells]
        for point in _likely_points(amounts or ["0"])
    }
    best = min(readings, key=lambda point: readings[point].count(None))
    return best, readings[best]


def _says_unknown(cell: object) -> bool:
    """Tell whether a cell is a word for an unknown value, or nothing but marks such as "--"."""
    if not isinstance(cell, str):
        return False
    return cell.strip().lower() in _UNKNOWN or not any(letter.isalnum() for letter in cell)


def _common_unit(cells: list[Any]) -> str:
    """Return the most frequent unit of numbers, if it can be taken for that of all."""
    units = [_unit_of(cell) for cell in cells]
    counts = Counter(unit for unit in units if unit)
    if not counts:
        return ""
    unit = max(counts, key=lambda unit: (counts[unit], unit))
    if counts[unit] == len(cells):
        return unit
    # "5more" beside 2, 3 and 4 is a level, and its end no unit.
    own = {cell for cell, its in zip(cells, units, strict=True) if its == unit}
    recurs = counts[unit] > 1 and len(own) == 1 and len({*cells}) < LEAST_BESIDE
    return "" if recurs or unit in _MULTIPLIERS else unit


def _unit_of(cell: object) -> str:
    """Return the unit behind a number, in one spelling; empty where there is none."""
    found = _WITH_UNIT.fullmatch(cell) if isinstance(cell, str) else None
    if found is None or all(_value(found["number"], point) is None for point in _STYLES):
        return ""
    if _MARKS_ONLY.fullmatch(found["unit"]):
        return ""
    unit = found["unit"].casefold()
    return unit.removesuffix("s") if len(unit) > 2 else unit


def _without_unit(text: str, unit: str) -> str:
    """Return the number before a unit, and any other text as it is."""
    if not unit or _unit_of(text) != unit:
        return text
    found = _WITH_UNIT.fullmatch(text)
    return text if found is None else found["number"]


def _has_sign(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False


def _number(cell: object, point: str, unit: str = "") -> float | None:
    """Return a cell as a number, None for what is none."""
    if isinstance(cell, (Real, Decimal)) and not isinstance(cell, bool):
        number = float(cell)
        return number if abs(number) <= LARGEST else None
    return _value(cell, point, unit) if isinstance(cell, str) else None


def _value(text: str, point: str, unit: str = "") -> float | None:
    text = _without_unit(text, unit)
    if point == "." and _WITH_EXPONENT.fullmatch(text):
        number = float(text)
        return number if abs(number) <= LARGEST else None
    found = _STYLES[point].fullmatch(text)
    if found is None or not (found["whole"] or found["fraction"]):
        return None
    if (found["negative"] == "(") != text.rstrip().endswith(")"):
        return None
    whole = re.sub(r"\D", "", found["whole"] or "0")
    size = float(f"{whole}.{found['fraction'] or '0'}")
    if size > LARGEST:
        return None
    negative = (found["negative"] is not None) != (found["minus"] in ("-", "\u2212"))
    return -size if negative else size
