"""Raw targets: y as it comes, brought into an array of one type without missing values."""

from collections import Counter
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError, counted
from reldim.inputs.rows import is_lazy
from reldim.kernels.points import admit

__all__ = [
    "about_dates",
    "categories_of",
    "check_finite",
    "checked_targets",
    "holds_moments",
    "pair_rows",
]

#: Labels of more characters are no labels, and take as much memory in every row.
LONGEST_LABEL = 1000


def pair_rows(X: Any, y: Any, names: tuple[str, str] = ("X", "y")) -> tuple[str, ...]:
    """Pair rows in their order, and see whether two indices of pandas agree with that.

    Parameters
    ----------
    X, y : any
        Features and targets, or two tables of the same rows. What has no index agrees with all.
    names : tuple of str
        What to call them in messages.

    Returns
    -------
    tuple of str
        A sentence where the indices hold different labels, which is fine for rows that belong
        together. The same labels in another order are refused.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [31, 40]}, index=["Ann", "Bob"])
    >>> pair_rows(X, pd.Series([1.5, 2.5], index=["Ann", "Bob"]))
    ()
    >>> pair_rows(X, pd.Series([1.5, 2.5], index=["Ann", "Cid"]))
    ('Paired X and y row by row: 1 of 2 labels of the index of y is not in that of X.',)
    >>> pair_rows(X, pd.Series([2.5, 1.5], index=["Bob", "Ann"]))
    Traceback (most recent call last):
    ...
    reldim.exceptions.InputError: y has the index of X in another order. Write y = ...
    """
    if not all(isinstance(data, (pd.DataFrame, pd.Series)) for data in (X, y)):
        return ()
    if len(X) != len(y) or X.index.equals(y.index):
        return ()
    first, second = names
    others = (Counter(y.index) - Counter(X.index)).total()
    if others:
        are = "is" if others == 1 else "are"
        labels = f"{others} of {counted(len(y), 'label')} of the index of {second}"
        return (f"Paired {first} and {second} row by row: {labels} {are} not in that of {first}.",)
    how = (
        f"Write {second} = {second}.loc[{first}.index]"
        if X.index.is_unique
        else "Labels repeat, so that they cannot tell which rows belong together: sort both alike"
    )
    raise InputError(
        f"{second} has the index of {first} in another order. {how}; or, where the rows belong "
        f"together as they stand, pass {second}.reset_index(drop=True) and the same of {first}."
    )


def checked_targets(y: ArrayLike) -> NDArray[Any]:
    """Return targets as an array of numbers, truth values, text or sortable objects.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, outputs)
        Labels of any type, or numbers.

    Returns
    -------
    ndarray
        The targets, all of one type, none of them missing or infinite.

    Examples
    --------
    >>> checked_targets(["a", "b"])
    array(['a', 'b'], dtype='<U1')
    >>> checked_targets(["a", float("nan")])
    Traceback (most recent call last):
    ...
    reldim.exceptions.InputError: y must not have missing values. Got 1 such row, ...
    """
    if is_lazy(y):
        # Blocks of labels were checked, each by this function, when they were cut.
        lazy: NDArray[Any] = y  # type: ignore[assignment]
        return lazy
    values = _plain(admit(y, "y"))
    if values.ndim not in (1, 2):
        raise InputError(f"y must have one or two dimensions. Got shape {values.shape} instead.")
    if values.size == 0:
        raise InputError("y is empty: expected at least two rows of targets.")
    if values.dtype.names is not None:
        raise InputError(_about_fields(values))
    if values.dtype.kind == "c":
        raise InputError("y must be real numbers or labels. Got complex numbers instead.")
    if values.dtype.kind in "OmM":
        _check_missing(values)
    if values.dtype.kind == "O":
        values = _from_objects(values)
    if values.dtype.kind == "f":
        check_finite(values)
    return values


def _about_fields(values: NDArray[Any]) -> str:
    """Say what to do with a structured array, such as libraries for survival times use."""
    fields = values.dtype.names or ()
    marks = [name for name in fields if values.dtype[name].kind == "b"]
    others = [name for name in fields if values.dtype[name].kind in "iuf"]
    got = f"Got a structured array with the fields {', '.join(map(repr, fields))}"
    if len(fields) == 2 and marks and others:
        return (
            f"Survival times, some of which were cut off, are not supported as targets. {got}: "
            f"keep the rows whose event was seen, X[y[{marks[0]!r}]] and "
            f"y[{others[0]!r}][y[{marks[0]!r}]], or pass y[{marks[0]!r}] as classes."
        )
    return f"y must hold one number or label per row. {got}: pass one of them, y[{fields[0]!r}]."


def _check_missing(values: NDArray[Any]) -> None:
    missing = np.asarray(pd.isna(values)).reshape(len(values), -1).any(axis=1)
    if missing.any():
        raise InputError(
            f"y must not have missing values. Got {_such_rows(missing)}. Remove "
            f"{'this row' if missing.sum() == 1 else 'these rows'}."
        )


def check_finite(numbers: NDArray[np.floating[Any]]) -> None:
    """Refuse numbers that are not finite, and name the first row of them."""
    bad = ~np.isfinite(numbers).reshape(len(numbers), -1).all(axis=1)
    if bad.any():
        one = bad.sum() == 1
        raise InputError(
            f"y must not contain NaN or infinity. Got {_such_rows(bad)}. Remove "
            f"{'this row or fill in its target' if one else 'these rows or fill in their targets'}."
        )


def _such_rows(wrong: NDArray[np.bool_] | np.bool_) -> str:
    """Say how many rows are wrong, and which is the first of them."""
    count, first = int(wrong.sum()), int(np.argmax(wrong))
    return f"{counted(count, 'such row')}, {'' if count == 1 else 'the first '}at row {first}"


def categories_of(y: Any) -> pd.CategoricalDtype | None:
    """Return the categories where y is a column of categories of pandas."""
    column = y.iloc[:, 0] if isinstance(y, pd.DataFrame) and y.shape[1] == 1 else y
    dtype = getattr(column, "dtype", None)
    return dtype if isinstance(dtype, pd.CategoricalDtype) else None


def holds_moments(values: NDArray[Any]) -> bool:
    """Tell whether targets are dates, periods or durations rather than numbers or names."""
    if values.dtype.kind in "mM":
        return True
    kinds = (date, timedelta, pd.Period)
    return values.dtype.kind == "O" and all(isinstance(value, kinds) for value in values.ravel())


def about_dates(example: Any) -> str:
    """Say that dates, or durations, are no targets, and what to pass instead."""
    if isinstance(example, (timedelta, np.timedelta64)):
        return (
            f"y holds durations such as {example}, which have no unit by themselves. Pass numbers, "
            "such as y.dt.total_seconds(), or y / np.timedelta64(1, 's') of an array."
        )
    return (
        f"y holds dates such as {example}, which are no target by themselves. Pass a number, such "
        "as the days since the first, (y - y.min()).dt.days, or classes, such as y.dt.month; "
        "y.astype('category') makes each date a class."
    )


def _plain(y: ArrayLike) -> NDArray[Any]:
    if hasattr(y, "toarray"):
        raise InputError("y must be dense. Got a sparse matrix; pass y.toarray() instead.")
    dtype = getattr(y, "dtype", None)
    if dtype is not None and not isinstance(dtype, np.dtype):
        # Extension types of pandas (strings, categories, nullable numbers) become objects.
        return np.asarray(y, dtype=object)
    try:
        values = np.asarray(y)
        if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
            # NumPy writes numbers and missing values beside text as text, a NaN as the label "nan".
            values = np.asarray(y, dtype=object)
    except ValueError as error:
        raise InputError(
            "y must be a sequence of labels or numbers, one per row. Got rows of unequal length."
        ) from error
    return values


def _from_objects(values: NDArray[Any]) -> NDArray[Any]:
    kinds = {type(v) for v in values.ravel()}
    if kinds <= {bool, np.bool_}:
        return values.astype(bool)
    for numbers, dtype in (((int, np.integer), np.int64), ((Real, Decimal), np.float64)):
        if all(issubclass(kind, numbers) for kind in kinds):
            # Whole numbers too large for 64 bits are left to floating point.
            with suppress(OverflowError, ValueError):
                return values.astype(dtype)
    if all(issubclass(kind, str) for kind in kinds):
        _check_texts(values)
        return values.astype(str)
    if len(kinds) == 1:
        _check_order(values, next(iter(kinds)))
        return values
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise InputError(
        f"Labels in y must be of one type. Got a mix of {names}. Convert them, for example by "
        "str, so that equal labels are equal."
    )


def _check_texts(values: NDArray[Any]) -> None:
    for row, text in enumerate(values.reshape(len(values), -1)[:, 0]):
        if len(text) > LONGEST_LABEL:
            raise InputError(
                f"Labels in y must have at most {LONGEST_LABEL} characters. Got a text of "
                f"{len(text)} characters in row {row}. Check that the right column was chosen."
            )
        if text.endswith("\0"):
            # Arrays of text leave it out, so that two labels would become one.
            raise InputError(
                f"Labels in y must not end in a null character. Got {text!r} in row {row}. "
                "Remove it."
            )


def _check_order(values: NDArray[Any], kind: type) -> None:
    try:
        np.sort(values, axis=None)
    except (ArithmeticError, TypeError) as error:
        raise InputError(
            f"Labels in y must be strings, numbers or of a type that can be sorted. Got objects of "
            f"type {kind.__name__}. Convert them, for example by str."
        ) from error
