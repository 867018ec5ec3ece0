"""Folders of Parquet or NPY files as Dask collections: a file holds a part of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from dask.base import compute
from numpy.typing import NDArray

from reldim.eigensolvers.dask.frames import type_of, values_of
from reldim.eigensolvers.dask.tasks import lazy_array_of, task
from reldim.exceptions import FileError, MissingDependencyError, counted

__all__ = ["ParquetFolder", "lazy_npy", "standardised"]

#: Rows of a file that are read together.
ROWS = 2**18


@dataclass(frozen=True)
class ParquetFolder:
    """Tables in Parquet files, each with a part of the rows, to be read later.

    Attributes
    ----------
    groups : tuple
        File, number within it and rows of each group of rows.
    kinds : dict
        The types of the columns, by name.
    """

    groups: tuple[tuple[str, int, int], ...] = field(repr=False)
    kinds: dict[str, Any]

    @classmethod
    def of(cls, files: Sequence[Path]) -> "ParquetFolder":
        """Look at what the files hold, without reading the rows.

        Parameters
        ----------
        files : sequence of Path
            The files, in the order of their rows.
        """
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise MissingDependencyError("pyarrow", "A folder of Parquet files", "dask") from error
        groups: list[tuple[str, int, int]] = []
        kinds: dict[str, Any] = {}
        for file in files:
            try:
                opened = parquet.ParquetFile(file)
            except (pa.ArrowException, OSError) as error:
                raise FileError(
                    f"{file} cannot be read as a Parquet table. It is damaged."
                ) from error
            own = opened.schema_arrow.empty_table().to_pandas().dtypes.to_dict()
            kinds = kinds or own
            if own != kinds:
                other = sorted(str(name) for name, _ in kinds.items() ^ own.items())
                raise FileError(
                    f"The files of a folder must have the same columns. {file} differs from "
                    f"{files[0].name} in {', '.join(other[:5])}."
                )
            rows = [opened.metadata.row_group(i).num_rows for i in range(opened.num_row_groups)]
            groups += [(str(file.resolve()), i, size) for i, size in enumerate(rows) if size]
        if not groups:
            raise FileError(f"The Parquet files in {files[0].parent} hold no rows.")
        return cls(tuple(groups), {str(name): kind for name, kind in kinds.items()})

    def array(self, names: Sequence[str]) -> Any:
        """Return some columns as a Dask array; text is an array of objects.

        Returns
        -------
        dask.array.Array
            An array of two dimensions.
        """
        dtype = type_of([self.kinds[name] for name in names])
        parts = [task(_rows_of_group, file, i, list(names), dtype) for file, i, _ in self.groups]
        sizes = [size for _, _, size in self.groups]
        return lazy_array_of(parts, sizes, dtype, (len(names),))


def lazy_npy(files: Sequence[Path]) -> Any:
    """Return arrays in NPY files as one Dask array, to be read later.

    Parameters
    ----------
    files : sequence of Path
        The files, in the order of their rows.
    """
    parts, sizes = [], []
    first = _header(files[0])
    for file in files:
        shape, dtype = _header(file)
        if not shape or (shape[1:], dtype) != (first[0][1:], first[1]):
            raise FileError(
                "Arrays of one folder must have the same columns and type. Got "
                f"{first[0]} of {first[1]} in {files[0]}, and {shape} of {dtype} in {file}."
            )
        if shape[0] == 0:
            raise FileError(f"{file} holds no rows. Remove it from the folder.")
        for start in range(0, shape[0], ROWS):
            stop = min(start + ROWS, shape[0])
            parts.append(task(_rows_of_file, str(file.resolve()), start, stop))
            sizes.append(stop - start)
    return lazy_array_of(parts, sizes, first[1], first[0][1:])


def standardised(X: Any) -> tuple[Any, str]:
    """Bring the columns of a Dask collection to mean 0 and variance 1.

    Returns
    -------
    X : Dask array or data frame
        The same, without columns that are constant.
    step : str
        What was done.
    """
    mean, spread = (np.asarray(figure) for figure in compute(X.mean(axis=0), X.std(axis=0)))
    varies = spread > 0
    if not varies.any():
        raise FileError("All columns are constant: there is nothing to learn from.")
    count, constant = int(varies.sum()), int((~varies).sum())
    mean, spread = mean[varies], spread[varies]
    left_out = f" Left out {counted(constant, 'constant column')}." if constant else ""
    step = f"Scaled {counted(count, 'column')} to mean 0 and variance 1.{left_out}"
    if hasattr(X, "columns"):
        kept = [name for name, own in zip(X.columns, varies, strict=True) if own]
        return X[kept].map_partitions(_scaled, mean, spread), step
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return X[:, np.flatnonzero(varies)].map_blocks(_scaled, mean, spread, dtype=dtype), step


def _scaled(rows: Any, mean: NDArray[Any], spread: NDArray[Any]) -> Any:
    kinds = rows.dtypes if hasattr(rows, "dtypes") else [rows.dtype]
    single = all(kind == np.float32 for kind in kinds)
    return ((rows - mean) / spread).astype(np.float32 if single else np.float64)


def _header(file: Path) -> tuple[tuple[int, ...], Any]:
    array = _opened(str(file))
    if array.dtype.kind not in "biufUS":
        raise FileError(f"{file} must hold numbers or text. Got {array.dtype} instead.")
    return array.shape, array.dtype


def _opened(file: str) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise FileError(
            f"{file} cannot be read as an array of numbers. It is damaged, or holds pickled "
            "objects, which are refused."
        ) from error
    return array


def _rows_of_file(file: str, start: int, stop: int) -> NDArray[Any]:
    return np.array(_opened(file)[start:stop])


def _rows_of_group(file: str, group: int, names: list[str], dtype: Any) -> NDArray[Any]:
    from pyarrow import parquet

    table = parquet.ParquetFile(file).read_row_group(group, columns=names)
    return values_of(table.to_pandas()[names], dtype)
