"""The target of a table: a column that is named, amounts as text, levels in several spellings."""

from typing import Any

import numpy as np
import pandas as pd

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.rows import is_lazy
from reldim.inputs.target_checks import about_dates
from reldim.inputs.targets import MOST_CLASSES
from reldim.tables.column_labels import may_be_label, no_such_label
from reldim.tables.columns import as_pandas
from reldim.tables.levels import in_one_spelling, joined_levels
from reldim.tables.written_dates import dates_in
from reldim.tables.written_numbers import read_amounts

__all__ = ["split_column", "split_target"]


def split_target(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Take the target out of a table where y names a column, and read what is written as text.

    Amounts become numbers, and labels that differ in capitals or blanks only are joined.

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
    >>> split_target([[1]] * 5, ["yes", "no", "Yes ", "no", "yes"])[1].tolist()
    ['yes', 'no', 'yes', 'no', 'yes']
    """
    X, y = split_column(X, y)
    texts = _texts(y)
    if texts is None:
        return X, y, ()
    numbers, step = read_amounts(texts)
    joined = joined_levels(texts) if step is None else None
    if joined is not None:
        spellings, odd = joined
        told = f"Joined labels of the target: {odd.count} of {odd.total} values {odd.told}."
        labels = in_one_spelling(texts, spellings)
        # An array has no index, and is not to get one.
        return X, labels if isinstance(y, pd.Series) else labels.to_numpy(), (told,)
    if step is None:
        _check_dates(texts)
        return X, y, ()
    # An array has no index, and is not to get one.
    read = pd.Series(numbers, texts.index, name=texts.name) if isinstance(y, pd.Series) else numbers
    return X, read, (step,)


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


def _check_dates(texts: "pd.Series[Any]") -> None:
    """Refuse texts that are dates, unless they are as few as classes are."""
    distinct = texts.drop_duplicates()
    if len(distinct) <= MOST_CLASSES:
        return
    dates, example = dates_in(distinct)
    if dates is not None or example is not None:
        raise InputError(about_dates(example if dates is None else dates.example))


def _texts(y: Any) -> "pd.Series[Any] | None":
    """Return targets that may be amounts as a column, None for all others."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "OU":
        return pd.Series(y, dtype=object)
    if isinstance(y, (list, tuple)) and y and all(isinstance(value, str) for value in y):
        return pd.Series(y, dtype=object)
    if isinstance(y, pd.Series) and pd.api.types.infer_dtype(y, skipna=True) == "string":
        return y
    return None
