"""The column of a data frame that y names, by any label: a text, a number, or several of them."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from reldim.exceptions import InputError
from reldim.inputs.rows import is_lazy
from reldim.tables.columns import as_pandas, listed
from reldim.tables.targets import no_such_column, split_target

__all__ = ["has_column", "is_label", "take_target"]


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


def _fits_levels(y: Any, columns: Any) -> bool:
    return isinstance(y, tuple) and len(y) == getattr(columns, "nlevels", 1) > 1


def take_target(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Take the target out of a data frame where y is the label of a column.

    Parameters
    ----------
    X : any
        The data.
    y : str, number, tuple or array-like
        The label of a column of X, or the targets.

    Returns
    -------
    X, y : any
        Features and targets; as they were given where there is nothing to do.
    steps : tuple of str
        What was done, a sentence each.

    Examples
    --------
    >>> X, y, steps = take_target(pd.DataFrame([[31, 5], [40, 7]]), 1)
    >>> X.columns.tolist(), y.tolist()
    ([0], [5, 7])
    """
    table = X if is_lazy(X) else as_pandas(X)
    if not hasattr(table, "columns") or not hasattr(table, "drop"):
        return split_target(X, y)
    if has_column(table, y):
        if isinstance(y, str):
            return split_target(X, y)
        rest, column = table.drop(columns=[y]), table[y]
        if getattr(column, "ndim", 1) > 1:
            raise InputError(f"X has more than one column {y!r}. Rename all but one.")
        # What is written about a target takes its name for a text.
        return split_target(rest, column.rename(str(y)))
    if is_label(y) or (_fits_levels(y, table.columns) and len(y) != len(table)):
        raise InputError(_no_such_label(y, [*table.columns]))
    return split_target(X, y)


def _no_such_label(y: Any, labels: list[Any]) -> str:
    """Say that there is no such column, and whether one is written alike but of another type."""
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
