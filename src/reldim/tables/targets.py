"""The target of a table: a column that is named, and amounts that are written as text."""

from typing import Any

import numpy as np
import pandas as pd

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.rows import is_lazy
from reldim.tables.column_labels import may_be_label, no_such_label
from reldim.tables.columns import as_pandas
from reldim.tables.written_numbers import read_amounts

__all__ = ["split_column", "split_target"]


def split_target(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Take the target out of a table where y names a column, and read amounts as numbers.

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
    >>> frame = pd.DataFrame({"age": [31, 40], "price": ["$1,500", "$950"]})
    >>> X, y, steps = split_target(frame, "price")
    >>> X.columns.tolist(), y.tolist()
    (['age'], [1500.0, 950.0])
    """
    X, y = split_column(X, y)
    texts = _texts(y)
    if texts is None:
        return X, y, ()
    numbers, step = read_amounts(texts)
    if step is None:
        return X, y, ()
    return X, pd.Series(numbers, name=texts.name), (step,)


def split_column(X: Any, y: Any, parameter: str = "y") -> tuple[Any, Any]:
    """Take a column out of a table where its label is given.

    Parameters
    ----------
    X : any
        The data.
    y : str, number, tuple or array-like
        The label of a column of X, or the values themselves.
    parameter : str
        What the caller calls it.

    Returns
    -------
    X, y : any
        The table without the column, and the column; as they were given for values.
    """
    table = X if is_lazy(X) else as_pandas(X)
    if not hasattr(table, "columns") or not hasattr(table, "drop"):
        if isinstance(y, str):
            raise InputTypeError(
                f"{parameter} may be the name of a column where X is a data frame. Got {parameter}="
                f"{y!r} and X of type {type(X).__name__}; pass the values themselves."
            )
        return X, y
    if not may_be_label(y, table):
        return X, y
    labels = [*table.columns]
    if y not in labels:
        raise InputError(no_such_label(y, labels))
    if labels.count(y) > 1:
        raise InputError(f"X has {labels.count(y)} columns named {y!r}. Rename all but one.")
    # What is written about a target takes its name for a text.
    return table.drop(columns=[y]), table[y].rename(str(y))


def _texts(y: Any) -> "pd.Series[Any] | None":
    """Return targets that may be amounts as a column, None for all others."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "OU":
        return pd.Series(y, dtype=object)
    if isinstance(y, (list, tuple)) and y and all(isinstance(value, str) for value in y):
        return pd.Series(y, dtype=object)
    if isinstance(y, pd.Series) and pd.api.types.infer_dtype(y, skipna=True) == "string":
        return y
    return None
