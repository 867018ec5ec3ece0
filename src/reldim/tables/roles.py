"""Roles: what each column of a table is taken for, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from reldim.exceptions import InputError
from reldim.tables.columns import listed, says_missing

__all__ = ["ColumnRole", "Role", "check_roles", "code_reason"]

Role = Literal[
    "number", "category", "code", "date", "text", "identifier", "group", "constant", "dropped"
]

#: Roles that a user may declare.
DECLARED = tuple(role for role in get_args(Role) if role not in {"constant", "dropped"})

#: Digits of equal length from which on texts are taken for names, and how often each must recur on
#: average: numbers that were measured have fewer digits, or hardly recur.
LEAST_DIGITS, RECURS = 5, 2.0


@dataclass(frozen=True)
class ColumnRole:
    """What a column is taken for.

    Attributes
    ----------
    column : str
        The column.
    role : str
        One of "number", "category", "code" (digits that are names), "date", "text", "identifier"
        (another one in every row), "group" (rows that belong together), "constant" and "dropped".
    reason : str
        Why, such as "declared" or "leading zeros".

    Examples
    --------
    >>> str(ColumnRole("zip", "code", "leading zeros such as '01234'"))
    "zip: code (leading zeros such as '01234')"
    """

    column: str
    role: str
    reason: str

    def __str__(self) -> str:
        """Give the column, the role and the reason."""
        return f"{self.column}: {self.role} ({self.reason})"


def check_roles(roles: Mapping[str, str] | None, drop: Any, names: list[str]) -> None:
    """Refuse roles that there are not, and columns that the table does not have.

    Examples
    --------
    >>> check_roles({"zip": "category"}, ("note",), ["zip", "note", "age"])
    """
    for name in [*(roles or {}), *drop]:
        if name not in names:
            raise InputError(
                f"Roles must name columns of the table. Got {name!r}; its columns are "
                f"{listed(names, 20)}."
            )
    for name, role in (roles or {}).items():
        if role not in DECLARED:
            raise InputError(
                f"A role must be one of {listed(DECLARED, 10)}. Got {role!r} for the column {name}."
            )


def code_reason(column: "pd.Series") -> str | None:
    """Tell why digits of a text column are names and no numbers; None where they are numbers.

    Parameters
    ----------
    column : Series
        Texts, and missing values.

    Examples
    --------
    >>> code_reason(pd.Series(["01234", "20095"]))
    "leading zeros such as '01234'"
    >>> code_reason(pd.Series(["80331", "20095"] * 3))
    'texts of 5 digits each, of which most recur'
    >>> code_reason(pd.Series(["80331", "20095"])) is None, code_reason(pd.Series([1, 2])) is None
    (True, True)
    """
    cells = [cell for cell in column if not says_missing(cell)]
    if not cells or not all(isinstance(cell, str) for cell in cells):
        return None
    texts = [cell.strip() for cell in cells]
    if not all(text.isdecimal() for text in texts):
        return None
    zeros = next((text for text in texts if len(text) > 1 and text[0] == "0"), None)
    if zeros is not None:
        return f"leading zeros such as {zeros!r}"
    lengths = np.unique([len(text) for text in texts])
    if len(lengths) == 1 and lengths[0] >= LEAST_DIGITS and len(texts) >= RECURS * len({*texts}):
        return f"texts of {lengths[0]} digits each, of which most recur"
    return None
