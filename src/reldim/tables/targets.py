"""The target of a table: a column that is named, and amounts that are written as text."""

import difflib
from typing import Any

import numpy as np
import pandas as pd

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.rows import is_lazy
from reldim.tables.columns import as_pandas, listed
from reldim.tables.written_numbers import read_amounts

__all__ = ["no_such_column", "split_target"]


def split_target(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Take the target out of a table where y names a column, and read amounts as numbers.

    Parameters
    ----------
    X : any
        The data.
    y : str or array-like
        The name of a column of X, or the targets.

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
    if isinstance(y, str):
        table = X if is_lazy(X) else as_pandas(X)
        if not hasattr(table, "columns") or not hasattr(table, "drop"):
            raise InputTypeError(
                "y may be the name of a column where X is a data frame. Got y="
                f"{y!r} and X of type {type(X).__name__}; pass the targets themselves."
            )
        names = [*table.columns]
        if y not in names:
            raise InputError(no_such_column(y, [str(name) for name in names], "X"))
        if names.count(y) > 1:
            raise InputError(f"X has {names.count(y)} columns named {y!r}. Rename all but one.")
        X, y = table.drop(columns=[y]), table[y]
    texts = _texts(y)
    if texts is None:
        return X, y, ()
    numbers, step = read_amounts(texts)
    if step is None:
        return X, y, ()
    return X, pd.Series(numbers, name=texts.name), (step,)


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


def _texts(y: Any) -> "pd.Series[Any] | None":
    """Return targets that may be amounts as a column, None for all others."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "OU":
        return pd.Series(y, dtype=object)
    if isinstance(y, (list, tuple)) and y and all(isinstance(value, str) for value in y):
        return pd.Series(y, dtype=object)
    if isinstance(y, pd.Series) and pd.api.types.infer_dtype(y, skipna=True) == "string":
        return y
    return None
