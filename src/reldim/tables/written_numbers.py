"""Amounts: numbers written as text with signs of percent, currency and thousands."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import InputError

__all__ = ["Amounts", "amounts_in", "grouped", "read_amounts", "ungrouped"]

#: What may stand before or after the digits.
_MARK = r"[$€£¥₹₩₽%]|USD|EUR|GBP|CHF|JPY"

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


@dataclass(frozen=True)
class Amounts:
    """How the texts of a column are read as numbers.

    Attributes
    ----------
    point : {".", ","}
        What stands before the fraction.
    example : str
        A text with a sign of percent, currency or thousands, and what it is read as.

    Examples
    --------
    >>> Amounts(".", "").read(pd.Series(["$1,234.50", "(20)", None], name="price"))
    array([1234.5,  -20. ,     nan])
    """

    point: str
    example: str

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
            if _is_gap(text):
                continue
            number = _value(str(text), self.point)
            if number is None:
                raise InputError(
                    f"The column {column.name} held amounts such as {self.example} when the table "
                    f"was prepared. Got {str(text)[:50]!r} in row {row}; correct it, or mark it as "
                    "missing."
                )
            values[row] = number
        return values


def amounts_in(column: "pd.Series") -> Amounts | None:
    """Tell how to read a column whose texts are all amounts, at least one with a sign.

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
    >>> amounts_in(pd.Series(["12", "7.5"])) is None, amounts_in(pd.Series(["5%", "n"])) is None
    (True, True)
    """
    texts = [text for text in column if not _is_gap(text)]
    if not texts or not all(isinstance(text, str) for text in texts):
        return None
    for point in _likely_points(texts):
        values = [_value(text, point) for text in texts]
        signed = next((i for i, text in enumerate(texts) if _has_sign(text)), None)
        if None not in values and signed is not None:
            return Amounts(point, f"{texts[signed]!r} as {values[signed]:.10g}")
    return None


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


def _is_gap(value: object) -> bool:
    # Of a list in a cell pandas would say for each part whether it is missing.
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def _has_sign(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False


def _value(text: str, point: str) -> float | None:
    found = _STYLES[point].fullmatch(text)
    if found is None or not (found["whole"] or found["fraction"]):
        return None
    if (found["negative"] == "(") != text.rstrip().endswith(")"):
        return None
    whole = re.sub(r"\D", "", found["whole"] or "0")
    size = float(f"{whole}.{found['fraction'] or '0'}")
    negative = (found["negative"] is not None) != (found["minus"] in ("-", "\u2212"))
    return -size if negative else size
