"""Columns of a table: what they hold, and whether there is anything to learn from it."""

import re
from collections.abc import Iterable
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import InputError, InputTypeError, escaped
from reldim.kernels.points import admit

__all__ = [
    "as_frame",
    "as_given",
    "as_numbers",
    "as_pandas",
    "check_names",
    "holds_sequences",
    "identifies_rows",
    "is_missing",
    "library_of",
    "listed",
    "numbers_rows",
    "printable",
    "says_missing",
    "varying",
]

Column = pd.Series

#: Squares of larger numbers come close to overflow.
LARGEST = 1e150

#: Words that mark missing values, as skrub takes them.
_MISSING_WORDS = frozenset(
    {"", "?", "...", "na", "n/a", "nan", "-nan", "none", "null", "<na>", "#na", "#n/a", "#n/a n/a"}
    | {"1.#qnan", "-1.#qnan", "1.#ind", "-1.#ind"}
)

#: Characters of a name in a message.
LONGEST_NAME = 200

#: A counter with such a name numbers the rows.
_COUNTER = re.compile(r"(unnamed: \d+|row[ _.]?names?|index|(.*[ _.-])?id)", re.IGNORECASE)


def as_frame(table: Any) -> pd.DataFrame:
    """Return a table whose columns have distinct strings as names.

    Returns
    -------
    DataFrame
        The table; nothing is copied where that is not needed.

    Examples
    --------
    >>> as_frame([[1, "a"], [2, "b"]]).columns.tolist()
    ['0', '1']
    """
    table = as_pandas(admit(table))
    if isinstance(table, pd.DataFrame):
        frame = table.copy(deep=False)
    else:
        # Objects, so that numbers beside text stay numbers.
        values = table if isinstance(table, np.ndarray) else np.asarray(table, dtype=object)
        if values.ndim != 2:
            raise InputTypeError(
                "A table must be a DataFrame or a two-dimensional array. Got "
                f"{type(table).__name__} with {values.ndim} dimensions instead."
            )
        frame = pd.DataFrame(values).infer_objects()
    frame.columns = pd.Index([str(name) for name in frame.columns], dtype=object)
    check_names(frame)
    if frame.empty:
        n, d = frame.shape
        raise InputError(f"A table needs rows and columns. Got {n} rows and {d} columns.")
    return frame


def as_pandas(table: Any) -> Any:
    """Return a table of another library as a data frame, and anything else as it is.

    Parameters
    ----------
    table : any
        Data of any kind; tables of polars and pyarrow are taken over column by column.

    Examples
    --------
    >>> as_pandas([[1, 2]])
    [[1, 2]]
    """
    if library_of(table) == "polars":
        # Not by to_pandas, which asks for pyarrow.
        return pd.DataFrame({name: _polars_values(table[name]) for name in table.columns})
    if _home(table) == "pyarrow" and hasattr(table, "to_pandas"):
        return table.to_pandas()
    return table


def library_of(table: Any) -> str:
    """Tell which library answers are to come back in: "polars" for its frames, else "pandas".

    A frame that is yet to be computed is refused before its columns are asked for, which polars
    warns of.

    Examples
    --------
    >>> library_of(pd.DataFrame())
    'pandas'
    """
    if _home(table) != "polars":
        return "pandas"
    if hasattr(table, "collect"):
        raise InputTypeError(
            "A table must hold its values. Got a LazyFrame, which is yet to be computed; pass "
            "its collect()."
        )
    return "polars" if hasattr(table, "columns") else "pandas"


def _home(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


def as_given(frame: pd.DataFrame, library: str) -> pd.DataFrame:
    """Return a data frame as one of the library that the data came in.

    Parameters
    ----------
    frame : DataFrame
        The frame. An index with a name becomes a column, where there is no index.
    library : {"pandas", "polars"}
        What :func:`library_of` told.

    Returns
    -------
    DataFrame
        Of pandas or polars; of pandas where polars is not installed.
    """
    if library != "polars":
        return frame
    try:
        pl = import_module("polars")
    except ImportError:
        # The diagnosis may have been saved elsewhere.
        return frame
    if frame.index.name is not None:
        frame = frame.reset_index()
    columns = {str(name): frame[name].tolist() for name in frame}
    given: pd.DataFrame = pl.DataFrame(columns, strict=False)
    return given


def _polars_values(column: Any) -> Any:
    values = column.to_numpy()
    # Nested columns stay objects, which are refused by name later.
    return values if values.ndim == 1 else list(values)


def check_names(frame: pd.DataFrame) -> None:
    """Refuse a table in which two columns have the same name."""
    twice = frame.columns[frame.columns.duplicated()].unique()
    if len(twice):
        raise InputError(
            f"Each column must have a name of its own. Got {listed(twice)} more than once; "
            "rename or remove columns."
        )


def as_numbers(column: Column) -> NDArray[np.float64] | None:
    """Return a column as numbers.

    Returns
    -------
    ndarray or None
        Truth values as 0 and 1, durations in seconds, missing values as NaN. None where the
        column holds anything but numbers.

    Examples
    --------
    >>> as_numbers(pd.Series([True, None, False], dtype=object))
    array([ 1., nan,  0.])
    >>> as_numbers(pd.Series(["1", "2"])) is None
    True
    """
    numbers = _read_numbers(column)
    if numbers is None:
        return None
    wrong = int((np.abs(numbers) > LARGEST).sum())
    if wrong:
        raise InputError(
            f"Columns must hold finite numbers. Got {wrong} beyond {LARGEST:g} in "
            f"{column.name}; correct them, or mark them as missing."
        )
    return numbers


def _read_numbers(column: Column) -> NDArray[np.float64] | None:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return None
    if pd.api.types.is_complex_dtype(dtype):
        raise InputError(
            f"Columns must hold real numbers. Got complex numbers in {column.name}; "
            "pass their real and imaginary parts as two columns."
        )
    if pd.api.types.is_numeric_dtype(dtype):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if pd.api.types.is_timedelta64_dtype(dtype):
        return np.asarray(column.dt.total_seconds(), dtype=np.float64)
    if not pd.api.types.is_object_dtype(dtype):
        return None
    missing = column.isna().to_numpy(dtype=np.bool_)
    values = column.to_numpy(dtype=object)
    if not all(isinstance(value, (Real, Decimal, np.bool_)) for value in values[~missing]):
        _refuse_containers(column)
        return None
    pairs = zip(values, missing, strict=True)
    return np.array([np.nan if absent else float(value) for value, absent in pairs])


def _refuse_containers(column: Column) -> None:
    for value in column:
        if isinstance(value, (list, tuple, set, dict, np.ndarray)):
            raise InputError(
                f"A cell must hold a number, a text or a date. Got {type(value).__name__} in "
                f"{column.name}; make columns of its parts."
            )


def numbers_rows(column: Column) -> bool:
    """Tell whether a column, by its name and its whole numbers, only numbers the rows.

    Returns
    -------
    bool
        True where the column is called id, index, rownames or as pandas calls a column without
        a name, and counts up by one or hardly ever repeats a number.

    Examples
    --------
    >>> numbers_rows(pd.Series([7, 8, 9], name="patient_id"))
    True
    >>> numbers_rows(pd.Series([7, 8, 9], name="age"))
    False
    """
    if not _COUNTER.fullmatch(str(column.name)) or column.isna().any():
        return False
    if not pd.api.types.is_integer_dtype(column.dtype) or len(column) < 2:
        return False
    counts = bool((np.diff(column.to_numpy(dtype=np.int64)) == 1).all())
    return counts or column.nunique() >= 0.9 * len(column)


def identifies_rows(column: Column) -> bool:
    """Tell whether a short text is different in every row, as in a name or an identifier.

    Returns
    -------
    bool
        True where no text occurs twice and texts have fewer than three words on average.

    Examples
    --------
    >>> identifies_rows(pd.Series(["a-17", "a-18", "b-02"]))
    True
    >>> identifies_rows(pd.Series(["a-17", "a-18", "a-17"]))
    False
    """
    if column.isna().any() or column.nunique() < len(column) or holds_sequences(column):
        return False
    words = sum(len(str(value).split()) for value in column)
    return words < 3 * len(column)


def holds_sequences(values: Iterable[Any]) -> bool:
    """Tell whether values are sequences over an alphabet, such as DNA.

    Returns
    -------
    bool
        True where all are strings of letters, of one length of at least 5, with at most 30
        different ones, and at least half of the strings are distinct: a few words that are repeated
        all over are categories.

    Examples
    --------
    >>> holds_sequences(["ACGTA", "CCGTA", "TTGAC"])
    True
    >>> holds_sequences(["ACGTA", "CCG"]), holds_sequences(["10:30", "11:45"])
    (False, False)
    """
    rows = list(values)
    if not rows or not all(isinstance(row, str) and row.isalpha() for row in rows):
        return False
    distinct = set(rows)
    lengths = {len(row) for row in distinct}
    letters: set[str] = set().union(*distinct)
    few_words = len(distinct) < len(rows) / 2
    return len(lengths) == 1 and lengths.pop() >= 5 and len(letters) <= 30 and not few_words


def says_missing(value: object) -> bool:
    """Tell whether a cell is missing, or a word for that such as "n/a".

    Examples
    --------
    >>> says_missing(None), says_missing(" "), says_missing("?"), says_missing("0")
    (True, True, True, False)
    """
    if isinstance(value, str):
        return value.strip().lower() in _MISSING_WORDS
    return is_missing(value)


def is_missing(value: object) -> bool:
    """Tell whether a cell is missing.

    Examples
    --------
    >>> is_missing(None), is_missing([None]), is_missing("")
    (True, False, False)
    """
    if isinstance(value, str):
        return False
    # Of a list in a cell pandas would say for each part whether it is missing.
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def varying(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which columns vary by more than round-off.

    Parameters
    ----------
    values : ndarray of shape (n, columns)
        The columns, no value missing.

    Examples
    --------
    >>> varying(np.array([[1.0, 0.3], [2.0, 0.1 + 0.2]]))
    array([ True, False])
    """
    round_off = 8 * np.finfo(np.float64).eps * np.abs(values).max(axis=0)
    return np.asarray(np.ptp(values, axis=0) > round_off)


def printable(name: object) -> str:
    r"""Write a name that a file may have chosen: in one line, and nothing a terminal obeys.

    Returns
    -------
    str
        The name, with control characters written out, and cut where it is very long.

    Examples
    --------
    >>> printable("height"), printable("a\n\x1b[2J")
    ('height', 'a\\n\\x1b[2J')
    """
    text = str(name)
    return escaped(text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}...")


def listed(names: Iterable[object], most: int = 6) -> str:
    """Write names in a row, and no more of them than one cares to read.

    Examples
    --------
    >>> listed("abc"), listed(range(100), most=3)
    ('a, b, c', '0, 1, 2 and 97 more')
    """
    every = [printable(name) for name in names]
    more = len(every) - most
    return ", ".join(every) if more <= 1 else f"{', '.join(every[:most])} and {more} more"
