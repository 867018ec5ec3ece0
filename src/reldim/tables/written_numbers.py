"""Amounts: numbers written as text with signs of percent, currency and thousands."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import InputError

__all__ = ["Amounts", "amounts_in"]

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

    Parameters
    ----------
    column : Series
        A column.

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
    for point in _STYLES:
        values = [_value(text, point) for text in texts]
        signed = next((i for i, text in enumerate(texts) if _has_sign(text)), None)
        if None not in values and signed is not None:
            return Amounts(point, f"{texts[signed]!r} as {values[signed]:.10g}")
    return None


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
