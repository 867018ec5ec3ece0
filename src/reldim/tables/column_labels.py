"""Labels of columns: texts, numbers, dates, and tuples where columns have several levels."""

import difflib
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from reldim.tables.columns import listed

__all__ = ["has_column", "is_label", "may_be_label", "no_such_column", "no_such_label"]


def is_label(y: Any) -> bool:
    """Tell whether y can only be the label of a column: a text, a number or a date by itself.

    Examples
    --------
    >>> is_label("price"), is_label(4), is_label([4, 5]), is_label(True)
    (True, True, False, False)
    """
    if isinstance(y, (bool, np.bool_)) or not pd.api.types.is_scalar(y):
        return False
    return not pd.isna(y)


def has_column(X: Any, y: Any) -> bool:
    """Tell whether y is the label of a column of X, a tuple where columns have several levels.

    Parameters
    ----------
    X : any
        The data; what is no data frame has no labels.
    y : any
        The label, or targets.

    Examples
    --------
    >>> has_column(pd.DataFrame([[1, 2]]), 1), has_column(pd.DataFrame({"a": [1]}), 0)
    (True, False)
    """
    columns = getattr(X, "columns", None)
    if columns is None or not isinstance(y, Hashable):
        return False
    return (is_label(y) or _fits_levels(y, columns)) and y in [*columns]


def may_be_label(y: Any, table: Any) -> bool:
    """Tell whether y is to be looked for among the columns of a table: it cannot be its targets.

    Examples
    --------
    >>> may_be_label("price", pd.DataFrame({"a": [1, 2]})), may_be_label((1, 2), pd.DataFrame())
    (True, False)
    """
    if is_label(y) or has_column(table, y):
        return True
    return _fits_levels(y, table.columns) and len(y) != len(table)


def _fits_levels(y: Any, columns: Any) -> bool:
    return isinstance(y, tuple) and len(y) == getattr(columns, "nlevels", 1) > 1


def no_such_column(wanted: str, names: list[str], table: object) -> str:
    """Say that a table has no such column, and which one may be meant.

    Parameters
    ----------
    wanted : str
        The column that was asked for.
    names : list of str
        Those that there are.
    table : any
        What the table is called in the message.

    Examples
    --------
    >>> no_such_column("lable", ["age", "Label"], "data.csv")
    "data.csv has no column 'lable'. Its columns are age, Label. Did you mean 'Label'?"
    """
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(wanted.casefold(), folded, n=1)
    advice = f" Did you mean {folded[near[0]]!r}?" if near else ""
    return f"{table} has no column {wanted!r}. Its columns are {listed(names, 20)}.{advice}"


def no_such_label(y: Any, labels: list[Any]) -> str:
    """Say that X has no such column, and whether one is written alike but of another type.

    Examples
    --------
    >>> no_such_label("1", [0, 1, 2])
    "X has no column '1'. Its columns are the numbers 0 to 2: pass 1, not '1'."
    """
    alike = [label for label in labels if str(label) == str(y)]
    if not alike and isinstance(y, str) and any(isinstance(label, str) for label in labels):
        return no_such_column(y, [str(label) for label in labels], "X")
    advice = f"pass {_written(alike[0])}, not {_written(y)}" if alike else "pass one of these"
    return f"X has no column {_written(y)}. {_told(labels)}: {advice}."


def _told(labels: list[Any]) -> str:
    """Say which columns there are, and of which type their labels."""
    if labels and all(isinstance(label, (int, np.integer)) for label in labels):
        low, high = min(labels), max(labels)
        if len(labels) > 2 and sorted(labels) == [*range(low, high + 1)]:
            return f"Its columns are the numbers {low} to {high}"
        return f"Its columns are the numbers {listed(labels, 20)}"
    if all(isinstance(label, str) for label in labels):
        return f"Its columns are the texts {listed(map(repr, labels), 20)}"
    return f"Its columns are {listed(map(_written, labels), 20)}"


def _written(label: Any) -> str:
    """Write a label as it is typed in Python."""
    return repr(label.item() if isinstance(label, np.generic) else label)
