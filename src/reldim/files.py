"""Data files: CSV, TSV, NPY and NPZ, read into features and a target."""

import csv
import difflib
import io
import re
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.columns import holds_sequences, listed, numbers_rows
from reldim.exceptions import FileError

__all__ = ["EXTENSIONS", "DataFile", "read_data"]

#: What can be read, by the ending of the name.
EXTENSIONS = (".csv", ".tsv", ".npy", ".npz")

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")


@dataclass(frozen=True, eq=False)
class DataFile:
    """Features and target, as a file holds them.

    Attributes
    ----------
    X : DataFrame, ndarray or list of str
        The features: a table, an array, or sequences.
    y : ndarray
        The target, without gaps.
    target : str
        Where the target came from.
    kind : {"table", "array", "sequences"}
        What ``X`` is.
    steps : tuple of str
        What was done, a sentence each.
    """

    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    target: str
    kind: Literal["table", "array", "sequences"]
    steps: tuple[str, ...]


def read_data(path: str | PathLike[str], target: str | None = None) -> DataFile:
    r"""Read features and a target from a file. Pickled objects are never loaded.

    Parameters
    ----------
    path : path
        A table (``.csv``, ``.tsv``) or arrays (``.npy``, ``.npz``).
    target : str, optional
        For a table, the name of a column. For NPZ the key of the target, "y" by default, next
        to the features in "X". For NPY the number of a column, from 0, or another NPY file.

    Returns
    -------
    DataFile
        The features, the target, and what was done.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "plants.csv")
    ...     _ = path.write_text("height;site\n1,5;a\n2,25;b\n")
    ...     data = read_data(path, "site")
    >>> data.X["height"].tolist(), data.y.tolist()
    ([1.5, 2.25], ['a', 'b'])
    >>> data.steps[0]
    "Read 2 rows and 2 columns from plants.csv, separated by ';', with decimal commas."
    """
    path = Path(path)
    _check_readable(path)
    try:
        if path.suffix.lower() == ".npy":
            data = _from_npy(path, target)
        elif path.suffix.lower() == ".npz":
            data = _from_npz(path, target)
        else:
            data = _from_text(path, target)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
    return _without_gaps(data, path)


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise FileError(f"{path} is a folder. Name a file in it ({', '.join(EXTENSIONS)}).")
    if not path.exists():
        raise FileError(f"{path} does not exist. Check the name and the folder.")
    if path.suffix.lower() not in EXTENSIONS:
        raise FileError(
            f"The name of a data file must end in one of {', '.join(EXTENSIONS)}. "
            f"Got {path.name!r}; rename or convert it."
        )
    if path.stat().st_size == 0:
        raise FileError(f"{path} is empty. Expected a table or arrays.")


def _without_gaps(data: DataFile, path: Path) -> DataFile:
    """Leave out rows without a target; refuse where they are the majority."""
    missing = np.atleast_1d(np.reshape(pd.isna(data.y), (len(data.y), -1)).any(axis=1))
    gaps, n = int(missing.sum()), len(missing)
    if not gaps:
        return data
    if gaps > n / 2:
        raise FileError(
            f"The target {data.target} in {path} is missing in {gaps} of {n} rows. Expected at "
            "most half of them; fill in more, or name another target."
        )
    keep = ~missing
    if data.kind == "sequences":
        X = [row for row, kept in zip(data.X, keep, strict=True) if kept]
    else:
        X = data.X[keep]
    step = f"Left out {gaps} of {n} rows, which have no target."
    return replace(data, X=X, y=data.y[keep], steps=(*data.steps, step))


# Tables


def _from_text(path: Path, target: str | None) -> DataFile:
    text, encoding = _decoded(path)
    separator = "\t" if path.suffix.lower() == ".tsv" else _separator(text)
    names = _column_names(text, separator, path)
    frame = _parsed(text, separator, names, ".", path)
    about = "" if separator in ",\t" else f", separated by {separator!r}"
    if separator != "," and _has_decimal_commas(frame):
        frame = _parsed(text, separator, names, ",", path)
        about += ", with decimal commas"
    if frame.empty:
        raise FileError(f"{path} has a header, but no rows below it. Expected one row a sample.")
    n, d = frame.shape
    steps = [f"Read {n} rows and {d} columns from {path.name}{about}."]
    if encoding == "latin-1":
        steps.append("Read as Latin-1, for it is not UTF-8; check letters with accents.")
    return _with_target(frame, target, path, steps)


def _with_target(frame: pd.DataFrame, target: str | None, path: Path, steps: list[str]) -> DataFile:
    columns = [*frame.columns]
    if target is None:
        raise FileError(
            f"A target must be named (on the command line by --target). {path} has the columns "
            f"{listed(columns, 20)}."
        )
    if target not in columns:
        raise FileError(_no_such_column(target, columns, path))
    column = frame[target]
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    y = column.to_numpy() if numeric else column.to_numpy(dtype=object)
    X = frame.drop(columns=target)
    if not X.columns.size:
        raise FileError(f"{path} has no column beside the target {target}. Expected features.")
    rest = [name for name in X.columns if not numbers_rows(X[name])]
    if len(rest) == 1 and holds_sequences(X[rest[0]]):
        rows = X[rest[0]].tolist()
        steps.append(f"Took {rest[0]} as sequences of {len(rows[0])} letters.")
        return DataFile(rows, y, target, "sequences", tuple(steps))
    return DataFile(X, y, target, "table", tuple(steps))


def _no_such_column(target: str, columns: Sequence[str], path: Path) -> str:
    folded = {name.casefold(): name for name in columns}
    near = difflib.get_close_matches(target.casefold(), folded, n=1)
    if near:
        advice = f" Did you mean {folded[near[0]]!r}?"
    elif all(_is_number(name) for name in columns):
        advice = " The first line looks like data: add a line with names above it."
    else:
        advice = ""
    return f"{path} has no column {target!r}. Its columns are {listed(columns, 20)}.{advice}"


def _decoded(path: Path) -> tuple[str, str]:
    raw = path.read_bytes()
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    if encoding != "utf-16" and b"\0" in raw:
        raise FileError(f"{path} is not a text file. Expected a table; check the file's ending.")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text, encoding = raw.decode("latin-1"), "latin-1"
    if not text.strip():
        raise FileError(f"{path} is empty. Expected a header and rows.")
    return text, encoding


def _separator(text: str) -> str:
    """Return the separator that cuts the first lines into equally many fields, the most."""

    def merit(separator: str) -> tuple[bool, int, int]:
        header, *rows = [len(row) for row in _first_rows(text, separator)]
        # R leaves the name of its first column out, so that the header is one field shorter.
        regular = len({*rows}) <= 1 and all(0 <= row - header <= 1 for row in rows)
        return regular and max(header, *rows, 0) > 1, header, max(rows, default=0)

    return max(",;\t", key=merit)


def _first_rows(text: str, separator: str) -> list[list[str]]:
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) == 50:
                break
    except csv.Error:
        # A field beyond the limit of the module: pandas has the last word.
        pass
    return rows


def _column_names(text: str, separator: str, path: Path) -> list[str]:
    header, *rows = _first_rows(text, separator)
    names = [name.strip() for name in header]
    if rows and all(len(row) == len(header) + 1 for row in rows):
        trailing = all(not row[-1].strip() for row in rows)
        names = [*names, ""] if trailing else ["", *names]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise FileError(
            f"Each column must have a name of its own. {path} has {listed(twice)} more than once."
        )
    return [name or f"Unnamed: {i}" for i, name in enumerate(names)]


def _parsed(text: str, separator: str, names: list[str], decimal: str, path: Path) -> pd.DataFrame:
    try:
        with warnings.catch_warnings():
            # Rows that are all longer than the header bring a warning, and a loss of data.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                io.StringIO(text),
                sep=separator,
                decimal=decimal,
                names=names,
                header=0,
                index_col=False,
                na_values=["?"],
                skipinitialspace=True,
                low_memory=False,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        reason = (
            " ".join(str(error).split())
            .removeprefix("Error tokenizing data. C error: ")
            .rstrip(".")
        )
        raise FileError(
            f"{path} is not a regular table: {reason}. Every row must have as many fields as the "
            "header; put text that contains the separator in quotes."
        ) from error


def _has_decimal_commas(frame: pd.DataFrame) -> bool:
    texts = [frame[name].dropna() for name in frame.columns if frame[name].dtype.kind == "O"]
    # Whole numbers among them have no comma, as spreadsheets write them.
    return any(
        any(_DECIMAL_COMMA.fullmatch(str(value)) for value in text)
        and all(_DECIMAL_COMMA.fullmatch(str(v)) or _is_number(str(v)) for v in text)
        for text in texts
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# Arrays


def _from_npy(path: Path, target: str | None) -> DataFile:
    X = _array(path)
    if target is not None and target.lower().endswith(".npy"):
        _check_readable(Path(target))
        steps = [f"Read an array of {_shape(X)} from {path.name}, the target from {target}."]
        return _arrays(X, _array(Path(target)), Path(target).name, path, steps)
    if X.ndim != 2:
        raise FileError(
            f"{path} must hold an array of rows and columns. Got {_shape(X)} instead; name "
            "another .npy file as the target of a single column."
        )
    number = int(target) if target is not None and re.fullmatch(r"-?\d+", target) else X.shape[1]
    if not -X.shape[1] <= number < X.shape[1]:
        raise FileError(
            f"The target of {path} must be a column from 0 to {X.shape[1] - 1}, or another .npy "
            f"file. Got {target!r} instead."
        )
    if X.shape[1] == 1:
        raise FileError(f"{path} has no column beside the target. Expected features.")
    steps = [f"Read an array of {_shape(X)} from {path.name}, the target from column {number}."]
    return _arrays(np.delete(X, number, axis=1), X[:, number], f"column {number}", path, steps)


def _from_npz(path: Path, target: str | None) -> DataFile:
    key = "y" if target is None else target
    with path.open("rb") as file:
        arrays = _loaded(file, path)
        absent = [name for name in ("X", key) if name not in arrays.files]
        if absent:
            raise FileError(
                f"{path} has no array {absent[0]!r}. Expected the features in 'X' and the target "
                f"in 'y' or where you say. Its arrays are {listed(arrays.files, 20)}."
            )
        X, y = _member(arrays, "X", path), _member(arrays, key, path)
    steps = [f"Read arrays X ({_shape(X)}) and {key} ({_shape(y)}) from {path.name}."]
    return _arrays(X, y, key, path, steps)


def _arrays(
    X: NDArray[Any], y: NDArray[Any], target: str, path: Path, steps: list[str]
) -> DataFile:
    if X.ndim == 0 or y.ndim == 0 or len(X) != len(y):
        raise FileError(
            f"Features and target must have as many rows each. Got {_shape(X)} and {_shape(y)} "
            f"from {path}."
        )
    if X.size == 0:
        raise FileError(f"{path} holds an array without values ({_shape(X)}). Expected rows.")
    if X.dtype.kind in "US" and (X.ndim == 1 or X.dtype.itemsize in (1, 4)):
        rows = ["".join(np.atleast_1d(row).astype(str)) for row in X]
        steps.append(f"Took X as sequences of {len(rows[0])} letters.")
        return DataFile(rows, y, target, "sequences", tuple(steps))
    if X.dtype.kind not in "biuf":
        raise FileError(f"{path} must hold numbers or sequences. Got {X.dtype} instead.")
    X = X.astype(np.float64) if X.dtype.kind == "b" else X
    if X.ndim == 1:
        steps.append("Took the one-dimensional X as a single feature.")
        X = X[:, None]
    return DataFile(X, y, target, "array", tuple(steps))


def _array(path: Path) -> NDArray[Any]:
    with path.open("rb") as file:
        return np.asarray(_loaded(file, path))


def _loaded(file: BinaryIO, path: Path) -> Any:
    try:
        loaded = np.load(file, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(_not_arrays(path)) from error
    if isinstance(loaded, np.ndarray) == (path.suffix.lower() == ".npz"):
        raise FileError(f"{path} holds another format than its ending says; rename it.")
    return loaded


def _member(arrays: Any, key: str, path: Path) -> NDArray[Any]:
    try:
        return np.asarray(arrays[key])
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(_not_arrays(path)) from error


def _not_arrays(path: Path) -> str:
    return (
        f"{path} cannot be read as arrays of numbers or text. It is damaged, or holds pickled "
        "objects, which are refused because they can run any code; save plain arrays."
    )


def _shape(array: NDArray[Any]) -> str:
    return " x ".join(str(size) for size in array.shape) or "a single value"
