"""Data files: tables, arrays and sequences, read into features and a target.

A folder of Parquet or NPY files, each with a part of the rows, is read later, by Dask.
"""

import re
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import FileError, InputTypeError, OutOfMemoryError, escaped, in_one_line
from reldim.files.arrays import read_npy, read_npz
from reldim.files.datafile import (
    DataFile,
    check_lengths,
    check_target,
    column_number,
    shape_of,
    told_left_out,
)
from reldim.files.fasta import read_fasta
from reldim.files.folders import read_folder
from reldim.files.frames import TABLES, read_frame
from reldim.files.options import TableOptions
from reldim.files.source import PACKED, Source, open_source
from reldim.files.text import FileTable
from reldim.tables.columns import holds_sequences, listed, numbers_rows
from reldim.tables.written_numbers import read_amounts

__all__ = ["EXTENSIONS", "DataFile", "names_file", "read_data"]

#: Those of files that hold sequences.
_FASTA = (".fasta", ".fa")

#: What can be read, by the ending of the name.
EXTENSIONS = (*TABLES, ".npy", ".npz", *_FASTA)

#: An address; a path has one slash where that had two.
_ADDRESS = re.compile(r"(https?|ftp|s3|gs|file):/", re.IGNORECASE)

_DEFAULT = TableOptions()


def read_data(
    path: str | PathLike[str], target: str | None = None, options: TableOptions = _DEFAULT
) -> DataFile:
    r"""Read features and a target from a file. Pickled objects are never loaded.

    Parameters
    ----------
    path : path
        A table (``.csv``, ``.tsv``, ``.txt``, ``.dat``, ``.parquet``, ``.feather``, ``.xlsx``,
        ``.xls``, ``.json``, ``.jsonl``, ``.ndjson``, ``.db``, ``.sqlite``), arrays (``.npy``,
        ``.npz``), sequences (``.fasta``, ``.fa``), any of them packed (``.gz``, ``.bz2``, ``.xz``,
        ``.zip`` with one member), or a folder of Parquet or NPY files, in the order of their names.
        ``-`` is standard input.
    target : str, optional
        For a table, the name of a column. For NPZ the key of the target, "y" by default, next
        to the features in "X". For NPY the number of a column, from 0. For FASTA the name of a
        pair in the headers, such as ``label`` in ``label=donor``, or the number of a field. For all
        but NPZ also another file: NPY, or a table of one column, for FASTA also one of names and
        targets. For a folder of NPY files also another such folder.
    options : TableOptions
        How to read it, and which columns to take.

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
            return read_folder(path, target, options)
        source = _opened(path)
        if source.ending in TABLES:
            data = _from_table(read_frame(source, options), target, source, options)
        else:
            options.check_format(source.ending, source.name)
            data = _OTHERS[source.ending](source, target, options)
    except MemoryError as error:
        raise OutOfMemoryError(
            f"{escaped(str(path))} needs more memory than this process may use. Nothing is wrong "
            "with the file: raise the limit, close other programs, or take a random subset of its "
            "rows."
        ) from error
    except OSError as error:
        reason = in_one_line(error.strerror or error).rstrip(".")
        raise FileError(f"{path} cannot be read: {reason}.") from error
    return _with_target(data, source.path)


def _guess(path: Path) -> str:
    """Name a file of the same folder that may be meant."""
    try:
        # Without their endings, which make all names of a format alike.
        names = {file.stem: file.name for file in path.parent.iterdir() if file.is_file()}
    except OSError:
        return ""
    near = get_close_matches(path.stem, names, n=1, cutoff=0.8)
    return f" Did you mean {names[near[0]]!r}?" if near else ""


def _opened(path: Path) -> Source:
    if path.is_dir():
        raise FileError(f"{path} is a folder. Name a file in it ({', '.join(EXTENSIONS)}).")
    if str(path) != "-" and not path.exists():
        if _ADDRESS.match(str(path)):
            raise FileError(
                f"{path} is an address, and reldim uses no network. Download the file, for example "
                "by curl -O, and name the copy."
            )
        raise FileError(f"{path} does not exist. Check the name and the folder.{_guess(path)}")
    if path.is_file() and path.stat().st_size == 0:
        raise FileError(f"{path} is empty. Expected a table or arrays.")
    source = open_source(path)
    if source.ending not in EXTENSIONS:
        raise FileError(
            f"The name of a data file must end in one of {', '.join(EXTENSIONS)}, also packed "
            f"({', '.join(PACKED)}). Got {path.name!r}; rename or convert it."
        )
    if source.size == 0:
        raise FileError(f"{source.name} is empty. Expected a table or arrays.")
    return source


def _with_target(data: DataFile, path: Path) -> DataFile:
    """Leave out rows without a target; refuse where they are the majority."""
    if len(data.y) < 2:
        raise FileError(f"{path} holds one row. Expected at least two, and better a hundred.")
    missing = np.atleast_1d(np.reshape(pd.isna(data.y), (len(data.y), -1)).any(axis=1))
    count, n = int(missing.sum()), len(missing)
    if not count:
        return replace(data, rows=np.arange(n))
    step = told_left_out(count, n, data.target, path)
    keep = ~missing
    if data.kind == "sequences":
        X = [row for row, kept in zip(data.X, keep, strict=True) if kept]
    else:
        X = data.X[keep]
    return replace(data, X=X, y=data.y[keep], steps=(*data.steps, step), rows=np.flatnonzero(keep))


# Tables


def _from_table(
    table: FileTable, target: str | None, source: Source, options: TableOptions
) -> DataFile:
    frame, steps, path = table.frame, [*table.steps], source.path
    if target is not None and target not in frame.columns and names_file(target):
        y, X, name = _read_target(Path(target), options, steps), frame, Path(target).name
        steps.append(f"Took the target from {name}.")
        check_lengths(X, y, path, name)
        target = name
    else:
        target = check_target(target, [*frame.columns], path)
        y, X = _values(frame[target], steps), frame.drop(columns=target)
    X = X[_kept([*X.columns], options, path, steps)]
    types = zip(X.columns, X.dtypes, strict=True)
    texts = [name for name, dtype in types if not pd.api.types.is_numeric_dtype(dtype)]
    others = (X[name] for name in X.columns if name not in texts)
    if len(texts) == 1 and all(map(numbers_rows, others)) and holds_sequences(X[texts[0]]):
        rows = X[texts[0]].tolist()
        steps.append(f"Took {texts[0]} as sequences of {len(rows[0])} letters.")
        return DataFile(rows, y, target, "sequences", tuple(steps))
    return DataFile(X, y, target, "table", tuple(steps))


def _kept(names: list[str], options: TableOptions, path: Path, steps: list[str]) -> list[str]:
    """Return the features that are wanted, and say how many are left out."""
    kept = options.kept(names, path)
    if len(kept) < len(names):
        steps.append(f"Kept {len(kept)} of {len(names)} columns, as asked: {listed(kept)}.")
    return kept


def _values(column: "pd.Series[Any]", steps: list[str]) -> NDArray[Any]:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy()
    numbers, step = read_amounts(column)
    if step is not None:
        steps.append(step)
        return numbers
    return column.to_numpy(dtype=object)


def names_file(target: str) -> bool:
    """Tell whether a target that is no column is a file of its own, by the ending of its name.

    Examples
    --------
    >>> names_file("labels.csv.gz"), names_file("sepal.length")
    (True, False)
    """
    path = Path(target)
    ending = path.suffix.lower()
    return (Path(path.stem).suffix.lower() if ending in PACKED else ending) in (*TABLES, ".npy")


def _read_target(path: Path, options: TableOptions, steps: list[str]) -> NDArray[Any]:
    """Read the target from a file of its own: an array, or a table of one column."""
    source = _opened(path)
    if source.ending == ".npy":
        return np.atleast_1d(read_npy(source))
    frame = _target_table(source, options)
    if frame.shape[1] != 1:
        raise FileError(
            f"A file that is named as the target must have one column. {path} has the columns "
            f"{listed(frame.columns, 20)}."
        )
    return _values(frame.iloc[:, 0], steps)


def _target_table(source: Source, options: TableOptions) -> pd.DataFrame:
    return read_frame(source, options.of_target(source.ending)).frame


# Sequences


def _from_fasta(source: Source, target: str | None, options: TableOptions) -> DataFile:
    if options.columns or options.drop:
        raise FileError(
            f"Sequences have no columns. Leave --columns and --drop out for {source.name}."
        )
    found = read_fasta(source, options.encoding)
    steps = [*found.steps]
    if target is None or not names_file(target):
        y = _plain(found.target(target, source.name))
        return DataFile(found.rows, y, str(target), "sequences", found.steps)
    other = Path(target)
    named = _by_name(found.names, other, options, steps) if other.suffix.lower() != ".npy" else None
    y = _read_target(other, options, steps) if named is None else named
    if len(y) != len(found.rows):
        raise FileError(
            f"There must be a target for each sequence. Got {len(found.rows)} sequences in "
            f"{source.name} and {len(y)} targets in {other}."
        )
    steps.append(f"Took the target from {other.name}.")
    return DataFile(found.rows, y, other.name, "sequences", tuple(steps))


def _by_name(
    names: list[str], path: Path, options: TableOptions, steps: list[str]
) -> NDArray[Any] | None:
    """Read a table of names and targets, None where it has a single column."""
    frame = _target_table(_opened(path), options)
    if frame.shape[1] != 2:
        return None
    keys = frame.iloc[:, 0].astype(str)
    unknown = [name for name in names if name not in set(keys)]
    if unknown or keys.duplicated().any():
        what = f"no target for {listed(unknown, 5)}" if unknown else "names that occur twice"
        raise FileError(
            f"A table of names and targets must name each sequence once. {path} has {what}."
        )
    values = _values(frame.iloc[:, 1], steps)
    place = {key: i for i, key in enumerate(keys)}
    return values[[place[name] for name in names]]


def _plain(values: list[str | None]) -> NDArray[Any]:
    """Return numbers where all values are numbers."""
    column = pd.Series(values, dtype=object)
    numbers = pd.to_numeric(column, errors="coerce")
    return (numbers if numbers.notna().equals(column.notna()) else column).to_numpy()


# Arrays


def _from_npy(source: Source, target: str | None, options: TableOptions) -> DataFile:
    X, path = read_npy(source), source.path
    if target is not None and names_file(target):
        steps = [f"Read an array of {shape_of(X)} from {path.name}, the target from {target}."]
        y = _read_target(Path(target), options, steps)
        return _arrays(X, y, Path(target).name, path, steps, options)
    if X.ndim != 2:
        raise FileError(
            f"{path} must hold an array of rows and columns. Got {shape_of(X)} instead; name "
            "another .npy file as the target of a single column."
        )
    number = column_number(target, X.shape[1], path)
    if X.shape[1] == 1:
        raise FileError(f"{path} has no column beside the target. Expected features.")
    steps = [f"Read an array of {shape_of(X)} from {path.name}, the target from column {number}."]
    names = [str(j) for j in range(X.shape[1]) if j != number % X.shape[1]]
    y, rest = X[:, number], np.delete(X, number, axis=1)
    return _arrays(rest, y, f"column {number}", path, steps, options, names)


def _from_npz(source: Source, target: str | None, options: TableOptions) -> DataFile:
    key, path = "y" if target is None else target, source.path
    names, arrays = read_npz(source, ("X", key))
    absent = [name for name in ("X", key) if name not in arrays]
    if absent:
        raise FileError(
            f"{path} has no array {absent[0]!r}. Expected the features in 'X' and the target "
            f"in 'y' or where you say. Its arrays are {listed(names, 20) or 'none'}."
        )
    X, y = arrays["X"], arrays[key]
    steps = [f"Read arrays X ({shape_of(X)}) and {key} ({shape_of(y)}) from {path.name}."]
    return _arrays(X, y, key, path, steps, options)


def _arrays(
    X: NDArray[Any],
    y: NDArray[Any],
    target: str,
    path: Path,
    steps: list[str],
    options: TableOptions,
    names: list[str] | None = None,
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
    if X.ndim == 2 and (options.columns or options.drop):
        # Columns of arrays are named by their numbers in the file.
        names = [str(j) for j in range(X.shape[1])] if names is None else names
        kept = _kept(names, options, path, steps)
        X = X[:, [names.index(name) for name in kept]]
    return DataFile(X, y, target, "array", tuple(steps))


_OTHERS = {".npy": _from_npy, ".npz": _from_npz, ".fasta": _from_fasta, ".fa": _from_fasta}
