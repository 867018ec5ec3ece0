"""Data files: CSV, TSV, Parquet, NPY, NPZ and FASTA, read into features and a target.

A folder of Parquet or NPY files, each with a part of the rows, is read later, by Dask.
"""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import FileError, InputTypeError
from reldim.files.arrays import read_npy, read_npz, read_parquet
from reldim.files.datafile import DataFile, column_number, no_such_column, shape_of
from reldim.files.fasta import read_fasta
from reldim.files.folders import read_folder
from reldim.files.text import read_table
from reldim.tables.columns import holds_sequences, listed, numbers_rows

__all__ = ["EXTENSIONS", "DataFile", "read_data"]

#: What can be read, by the ending of the name.
EXTENSIONS = (".csv", ".tsv", ".parquet", ".npy", ".npz", ".fasta", ".fa")

#: Those of files that hold sequences.
_FASTA = (".fasta", ".fa")


def read_data(path: str | PathLike[str], target: str | None = None) -> DataFile:
    r"""Read features and a target from a file. Pickled objects are never loaded.

    Parameters
    ----------
    path : path
        A table (``.csv``, ``.tsv``, ``.parquet``), arrays (``.npy``, ``.npz``), sequences
        (``.fasta``, ``.fa``), or a folder of Parquet or NPY files, in the order of their names.
    target : str, optional
        For a table, the name of a column. For NPZ the key of the target, "y" by default, next
        to the features in "X". For NPY the number of a column, from 0. For FASTA the name of a
        pair in the headers, such as ``label`` in ``label=donor``, or the number of a field. For all
        but NPZ also another file: NPY, or a table of one column, for FASTA also one of names and
        targets. For a folder of NPY files also another such folder.

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
            return read_folder(path, target)
        _check_readable(path)
        if path.suffix.lower() == ".npy":
            data = _from_npy(path, target)
        elif path.suffix.lower() == ".npz":
            data = _from_npz(path, target)
        elif path.suffix.lower() in _FASTA:
            data = _from_fasta(path, target)
        elif path.suffix.lower() == ".parquet":
            frame = read_parquet(path)
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
        raise FileError(no_such_column(target, columns, path))
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
    return Path(target).suffix.lower() in (".csv", ".tsv", ".parquet", ".npy")


def _read_target(path: Path) -> NDArray[Any]:
    """Read the target from a file of its own: an array, or a table of one column."""
    _check_readable(path)
    if path.suffix.lower() == ".npy":
        return np.atleast_1d(read_npy(path))
    frame = _read_table(path)
    if frame.shape[1] != 1:
        raise FileError(
            f"A file that is named as the target must have one column. {path} has the columns "
            f"{listed(frame.columns, 20)}."
        )
    return _values(frame.iloc[:, 0])


def _read_table(path: Path) -> pd.DataFrame:
    return read_parquet(path) if path.suffix.lower() == ".parquet" else read_table(path).frame


# Sequences


def _from_fasta(path: Path, target: str | None) -> DataFile:
    found = read_fasta(path)
    if target is None or not _names_file(target):
        y = _plain(found.target(target, path))
        return DataFile(found.rows, y, str(target), "sequences", found.steps)
    other = Path(target)
    named = _by_name(found.names, other) if other.suffix.lower() != ".npy" else None
    y = _read_target(other) if named is None else named
    if len(y) != len(found.rows):
        raise FileError(
            f"There must be a target for each sequence. Got {len(found.rows)} sequences in {path} "
            f"and {len(y)} targets in {other}."
        )
    steps = (*found.steps, f"Took the target from {other.name}.")
    return DataFile(found.rows, y, other.name, "sequences", steps)


def _by_name(names: list[str], path: Path) -> NDArray[Any] | None:
    """Read a table of names and targets, None where it has a single column."""
    _check_readable(path)
    frame = _read_table(path)
    if frame.shape[1] != 2:
        return None
    keys = frame.iloc[:, 0].astype(str)
    unknown = [name for name in names if name not in set(keys)]
    if unknown or keys.duplicated().any():
        what = f"no target for {listed(unknown, 5)}" if unknown else "names that occur twice"
        raise FileError(
            f"A table of names and targets must name each sequence once. {path} has {what}."
        )
    values = _values(frame.iloc[:, 1])
    place = {key: i for i, key in enumerate(keys)}
    return values[[place[name] for name in names]]


def _plain(values: list[str | None]) -> NDArray[Any]:
    """Return numbers where all values are numbers."""
    column = pd.Series(values, dtype=object)
    numbers = pd.to_numeric(column, errors="coerce")
    return _values(numbers if numbers.notna().equals(column.notna()) else column)


# Arrays


def _from_npy(path: Path, target: str | None) -> DataFile:
    X = read_npy(path)
    if target is not None and _names_file(target):
        steps = [f"Read an array of {shape_of(X)} from {path.name}, the target from {target}."]
        return _arrays(X, _read_target(Path(target)), Path(target).name, path, steps)
    if X.ndim != 2:
        raise FileError(
            f"{path} must hold an array of rows and columns. Got {shape_of(X)} instead; name "
            "another .npy file as the target of a single column."
        )
    number = column_number(target, X.shape[1], path)
    if X.shape[1] == 1:
        raise FileError(f"{path} has no column beside the target. Expected features.")
    steps = [f"Read an array of {shape_of(X)} from {path.name}, the target from column {number}."]
    return _arrays(np.delete(X, number, axis=1), X[:, number], f"column {number}", path, steps)


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
    steps = [f"Read arrays X ({shape_of(X)}) and {key} ({shape_of(y)}) from {path.name}."]
    return _arrays(X, y, key, path, steps)


def _arrays(
    X: NDArray[Any], y: NDArray[Any], target: str, path: Path, steps: list[str]
) -> DataFile:
    if X.ndim == 0 or y.ndim == 0 or len(X) != len(y):
        raise FileError(
            f"Features and target must have as many rows each. Got {shape_of(X)} and {shape_of(y)} "
            f"from {path}."
        )
    if X.size == 0:
        raise FileError(f"{path} holds an array without values ({shape_of(X)}). Expected rows.")
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
