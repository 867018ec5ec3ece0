"""Data files: CSV, TSV, Parquet, NPY and NPZ, read into features and a target.

A folder of Parquet or NPY files, each with a part of the rows, is read later, by Dask.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.arrayfiles import read_npy, read_npz
from reldim.blocks import picked
from reldim.columns import holds_sequences, listed, numbers_rows
from reldim.exceptions import FileError, InputTypeError, MissingDependencyError
from reldim.textfiles import is_number, read_table

__all__ = ["EXTENSIONS", "DataFile", "read_data"]

#: What can be read, by the ending of the name.
EXTENSIONS = (".csv", ".tsv", ".parquet", ".npy", ".npz")


@dataclass(frozen=True, eq=False)
class DataFile:
    """Features and target, as a file holds them.

    Attributes
    ----------
    X : DataFrame, ndarray, list of str or Dask collection
        The features: a table, an array, or sequences.
    y : ndarray or Dask collection
        The target, without gaps.
    target : str
        Where the target came from.
    kind : {"table", "array", "sequences"}
        What ``X`` is.
    steps : tuple of str
        What was done, a sentence each.
    rows : ndarray of int
        The place of each row in the file, from 0; empty for what Dask reads.
    """

    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    target: str
    kind: Literal["table", "array", "sequences"]
    steps: tuple[str, ...]
    rows: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)


def read_data(path: str | PathLike[str], target: str | None = None) -> DataFile:
    r"""Read features and a target from a file. Pickled objects are never loaded.

    Parameters
    ----------
    path : path
        A table (``.csv``, ``.tsv``, ``.parquet``), arrays (``.npy``, ``.npz``), or a folder of
        Parquet or NPY files, in the order of their names.
    target : str, optional
        For a table, the name of a column. For NPZ the key of the target, "y" by default, next
        to the features in "X". For NPY the number of a column, from 0. For tables and NPY also
        another file: NPY, or a table of one column. For a folder of NPY files also another such
        folder.

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
    if not isinstance(path, (str, PathLike)):
        raise InputTypeError(f"path must be the name of a file. Got {path!r} instead.")
    if target is not None and not isinstance(target, str):
        raise InputTypeError(
            "target must be a text: the name of a column, or its number such as '3'. Got "
            f"{target!r} of type {type(target).__name__} instead."
        )
    path = Path(path)
    try:
        if path.is_dir():
            return _from_folder(path, target)
        _check_readable(path)
        if path.suffix.lower() == ".npy":
            data = _from_npy(path, target)
        elif path.suffix.lower() == ".npz":
            data = _from_npz(path, target)
        elif path.suffix.lower() == ".parquet":
            frame = _read_parquet(path)
            steps = [f"Read {len(frame)} rows and {frame.shape[1]} columns from {path.name}."]
            data = _with_target(frame, target, path, steps)
        else:
            data = _from_text(path, target)
    except OSError as error:
        reason = " ".join(str(error.strerror or error).split()).rstrip(".")
        raise FileError(f"{path} cannot be read: {reason}.") from error
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
    if len(data.y) < 2:
        raise FileError(f"{path} holds one row. Expected at least two, and better a hundred.")
    missing = np.atleast_1d(np.reshape(pd.isna(data.y), (len(data.y), -1)).any(axis=1))
    gaps, n = int(missing.sum()), len(missing)
    if not gaps:
        return replace(data, rows=np.arange(n))
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
    return replace(data, X=X, y=data.y[keep], steps=(*data.steps, step), rows=np.flatnonzero(keep))


# Tables


def _from_text(path: Path, target: str | None) -> DataFile:
    table = read_table(path)
    return _with_target(table.frame, target, path, [*table.steps])


def _with_target(frame: pd.DataFrame, target: str | None, path: Path, steps: list[str]) -> DataFile:
    columns = [*frame.columns]
    if target is None:
        raise FileError(
            f"A target must be named (on the command line by --target). {path} has the columns "
            f"{listed(columns, 20)}."
        )
    if target in columns:
        y, X = _values(frame[target]), frame.drop(columns=target)
    elif _names_file(target):
        y, X, target = _read_target(Path(target)), frame, Path(target).name
        steps.append(f"Took the target from {target}.")
    else:
        raise FileError(_no_such_column(target, columns, path))
    if not X.columns.size:
        raise FileError(f"{path} has no column beside the target {target}. Expected features.")
    if len(y) != len(X):
        raise FileError(
            f"Features and target must have as many rows each. Got {len(X)} in {path} and "
            f"{len(y)} in {target}."
        )
    rest = [name for name in X.columns if not numbers_rows(X[name])]
    if len(rest) == 1 and holds_sequences(X[rest[0]]):
        rows = X[rest[0]].tolist()
        steps.append(f"Took {rest[0]} as sequences of {len(rows[0])} letters.")
        return DataFile(rows, y, target, "sequences", tuple(steps))
    return DataFile(X, y, target, "table", tuple(steps))


def _values(column: "pd.Series[Any]") -> NDArray[Any]:
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    return column.to_numpy() if numeric else column.to_numpy(dtype=object)


def _names_file(target: str) -> bool:
    return Path(target).suffix.lower() in EXTENSIONS and not target.lower().endswith(".npz")


def _read_target(path: Path) -> NDArray[Any]:
    """Read the target from a file of its own: an array, or a table of one column."""
    _check_readable(path)
    if path.suffix.lower() == ".npy":
        return np.atleast_1d(read_npy(path))
    frame = _read_parquet(path) if path.suffix.lower() == ".parquet" else read_table(path).frame
    if frame.shape[1] != 1:
        raise FileError(
            f"A file that is named as the target must have one column. {path} has the columns "
            f"{listed(frame.columns, 20)}."
        )
    return _values(frame.iloc[:, 0])


def _no_such_column(target: str, columns: Sequence[str], path: Path) -> str:
    folded = {name.casefold(): name for name in columns}
    near = difflib.get_close_matches(target.casefold(), folded, n=1)
    if near:
        advice = f" Did you mean {folded[near[0]]!r}?"
    elif all(is_number(name) for name in columns):
        advice = " The first line looks like data: add a line with names above it."
    elif path.suffix.lower() == ".tsv" and len(columns) == 1:
        advice = " Tabs separate them in a file that ends in .tsv; rename it if others do."
    elif len(columns) == 1 and re.search(r"\S\s+\S", columns[0]):
        advice = (
            " They seem to be separated by blanks: separate them by commas, semicolons or tabs."
        )
    else:
        advice = ""
    return f"{path} has no column {target!r}. Its columns are {listed(columns, 20)}.{advice}"


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise MissingDependencyError("pyarrow", "A Parquet file", "parquet") from error
    except Exception as error:
        # Damage shows in pyarrow as one of two errors, and in the remarks of pandas as any other.
        reason = " ".join(str(error).split()).rstrip(".")
        raise FileError(
            f"{path} cannot be read as a Parquet table: {reason}. It is damaged, or of another "
            "format than its ending says."
        ) from error
    frame.columns = frame.columns.astype(str)
    return frame


# Folders


def _from_folder(path: Path, target: str | None) -> DataFile:
    tables, arrays = (sorted(path.glob(f"*{ending}")) for ending in (".parquet", ".npy"))
    if bool(tables) == bool(arrays):
        held = "both kinds" if tables else "neither"
        raise FileError(
            f"A folder of data must hold Parquet files, or NPY files. {path} holds {held}; name "
            "another folder, or a single file."
        )
    files = tables or arrays
    steps = [f"Found {len(files)} {'Parquet' if tables else 'NPY'} files in {path.name}."]
    if tables:
        return _lazy_table(path, tables, target, steps)
    return _lazy_array(path, arrays, target, steps)


def _lazy_table(path: Path, files: list[Path], target: str | None, steps: list[str]) -> DataFile:
    from reldim.eigensolvers.dask import ParquetFolder

    table = ParquetFolder.of(files)
    columns = [*table.kinds]
    if target is None:
        raise FileError(
            f"A target must be named (on the command line by --target). {path} has the columns "
            f"{listed(columns, 20)}."
        )
    if target not in columns:
        raise FileError(_no_such_column(target, columns, path))
    if len(columns) == 1:
        raise FileError(f"{path} has no column beside the target {target}. Expected features.")
    X, y = table.array([name for name in columns if name != target]), table.array([target])[:, 0]
    missing = y.map_blocks(pd.isna, dtype=bool)
    n, gaps = len(y), int(missing.sum())
    if gaps > n / 2:
        raise FileError(
            f"The target {target} in {path} is missing in {gaps} of {n} rows. Expected at most "
            "half of them; fill in more, or name another target."
        )
    if gaps:
        X, y = picked(X, ~missing), picked(y, ~missing)
        steps.append(f"Left out {gaps} of {n} rows, which have no target.")
    if X.dtype == object and X.shape[1] == 1:
        return DataFile(X[:, 0], y, target, "sequences", tuple(steps))
    if X.dtype == object:
        others = [name for name in columns if not pd.api.types.is_numeric_dtype(table.kinds[name])]
        raise FileError(
            f"The tables of a folder must have numeric columns beside the target. {path} has other "
            f"values in {listed([name for name in others if name != target])}: encode them first, "
            "or leave them out."
        )
    return DataFile(X, y, target, "table", tuple(steps))


def _lazy_array(path: Path, files: list[Path], target: str | None, steps: list[str]) -> DataFile:
    from reldim.eigensolvers.dask import lazy_npy

    X = lazy_npy(files)
    if target is not None and Path(target).is_dir():
        others = sorted(Path(target).glob("*.npy"))
        if not others:
            raise FileError(f"The folder {target} of the target holds no NPY files.")
        y = lazy_npy(others)
        if len(y) != len(X):
            raise FileError(
                f"Features and target must have as many rows each. Got {len(X)} in {path} and "
                f"{len(y)} in {target}."
            )
        steps.append(f"Took the target from the folder {Path(target).name}.")
        X = X if X.ndim > 1 else X[:, None]
        return DataFile(X, y.rechunk({0: X.chunks[0]}), target, "array", tuple(steps))
    if X.ndim != 2 or X.shape[1] < 2:
        raise FileError(
            f"{path} must hold arrays with a column beside the target. Got {_shape(X)} instead; "
            "name a folder of other NPY files as the target."
        )
    number = _column_number(target, X.shape[1], path)
    rest = [column for column in range(X.shape[1]) if column != number % X.shape[1]]
    steps.append(f"Took the target from column {number}.")
    return DataFile(X[:, rest], X[:, number], f"column {number}", "array", tuple(steps))


# Arrays


def _from_npy(path: Path, target: str | None) -> DataFile:
    X = read_npy(path)
    if target is not None and _names_file(target):
        steps = [f"Read an array of {_shape(X)} from {path.name}, the target from {target}."]
        return _arrays(X, _read_target(Path(target)), Path(target).name, path, steps)
    if X.ndim != 2:
        raise FileError(
            f"{path} must hold an array of rows and columns. Got {_shape(X)} instead; name "
            "another .npy file as the target of a single column."
        )
    number = _column_number(target, X.shape[1], path)
    if X.shape[1] == 1:
        raise FileError(f"{path} has no column beside the target. Expected features.")
    steps = [f"Read an array of {_shape(X)} from {path.name}, the target from column {number}."]
    return _arrays(np.delete(X, number, axis=1), X[:, number], f"column {number}", path, steps)


def _column_number(target: str | None, columns: int, path: Path) -> int:
    is_number = target is not None and re.fullmatch(r"-?[0-9]{1,18}", target)
    number = int(target) if target is not None and is_number else columns
    if not -columns <= number < columns:
        what = "folder" if path.is_dir() else "file"
        raise FileError(
            f"The target of {path} must be a column from 0 to {columns - 1}, or another .npy "
            f"{what}. Got {target!r} instead."
        )
    return number


def _from_npz(path: Path, target: str | None) -> DataFile:
    key = "y" if target is None else target
    names, arrays = read_npz(path, ("X", key))
    absent = [name for name in ("X", key) if name not in arrays]
    if absent:
        raise FileError(
            f"{path} has no array {absent[0]!r}. Expected the features in 'X' and the target "
            f"in 'y' or where you say. Its arrays are {listed(names, 20) or 'none'}."
        )
    X, y = arrays["X"], arrays[key]
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


def _shape(array: NDArray[Any]) -> str:
    return " x ".join(str(size) for size in array.shape) or "a single value"
