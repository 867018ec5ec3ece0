"""Folders of Parquet or NPY files, each with a part of the rows, read later and by Dask."""

from pathlib import Path

import pandas as pd

from reldim.exceptions import FileError, counted
from reldim.files.datafile import (
    DataFile,
    check_lengths,
    check_target,
    column_number,
    shape_of,
    told_left_out,
)
from reldim.files.options import TableOptions
from reldim.inputs.rows import picked
from reldim.tables.columns import listed

__all__ = ["files_of_rows", "read_folder"]


def files_of_rows(path: Path) -> tuple[list[Path], list[Path]]:
    """Return the Parquet files and the NPY files of a folder, in the order of their names."""
    tables, arrays = (sorted(path.glob(f"*{ending}")) for ending in (".parquet", ".npy"))
    return tables, arrays


def read_folder(path: Path, target: str | None, options: TableOptions) -> DataFile:
    """Read features and a target from a folder, see :func:`reldim.files.reading.read_data`."""
    options.check_format("", f"the folder {path}")
    tables, arrays = files_of_rows(path)
    if bool(tables) == bool(arrays):
        held = "both kinds" if tables else "neither"
        raise FileError(
            f"A folder of data must hold Parquet files, or NPY files. {path} holds {held}; name "
            "another folder, or a single file."
        )
    files = tables or arrays
    found = counted(len(files), "Parquet file" if tables else "NPY file")
    steps = [f"Found {found} in {path.name}."]
    if tables:
        return _lazy_table(path, tables, target, steps, options)
    return _lazy_array(path, arrays, target, steps, options)


def _lazy_table(
    path: Path, files: list[Path], target: str | None, steps: list[str], options: TableOptions
) -> DataFile:
    from reldim.eigensolvers.dask import ParquetFolder

    table = ParquetFolder.of(files)
    columns = [*table.kinds]
    target = check_target(target, columns, path)
    columns = options.kept([name for name in columns if name != target], path)
    X, y = table.array(columns), table.array([target])[:, 0]
    missing = y.map_blocks(pd.isna, dtype=bool)
    n, count = len(y), int(missing.sum())
    if count:
        steps.append(told_left_out(count, n, target, path))
        X, y = picked(X, ~missing), picked(y, ~missing)
    if X.dtype == object and X.shape[1] == 1:
        return DataFile(X[:, 0], y, target, "sequences", tuple(steps))
    if X.dtype == object:
        others = [name for name in columns if not pd.api.types.is_numeric_dtype(table.kinds[name])]
        raise FileError(
            f"The tables of a folder must have numeric columns beside the target. {path} has other "
            f"values in {listed(others)}: encode them first, "
            "or leave them out."
        )
    return DataFile(X, y, target, "table", tuple(steps))


def _lazy_array(
    path: Path, files: list[Path], target: str | None, steps: list[str], options: TableOptions
) -> DataFile:
    from reldim.eigensolvers.dask import lazy_npy

    X = lazy_npy(files)
    if target is not None and Path(target).is_dir():
        others = sorted(Path(target).glob("*.npy"))
        if not others:
            raise FileError(f"The folder {target} of the target holds no NPY files.")
        y = lazy_npy(others)
        check_lengths(X, y, path, target)
        steps.append(f"Took the target from the folder {Path(target).name}.")
        X = X if X.ndim > 1 else X[:, None]
        X = X[:, [int(name) for name in options.kept([*map(str, range(X.shape[1]))], path)]]
        return DataFile(X, y.rechunk({0: X.chunks[0]}), target, "array", tuple(steps))
    if X.ndim != 2 or X.shape[1] < 2:
        raise FileError(
            f"{path} must hold arrays with a column beside the target. Got {shape_of(X)} instead; "
            "name a folder of other NPY files as the target."
        )
    number = column_number(target, X.shape[1], path)
    rest = [str(column) for column in range(X.shape[1]) if column != number % X.shape[1]]
    steps.append(f"Took the target from column {number}.")
    kept = [int(name) for name in options.kept(rest, path)]
    return DataFile(X[:, kept], X[:, number], f"column {number}", "array", tuple(steps))
