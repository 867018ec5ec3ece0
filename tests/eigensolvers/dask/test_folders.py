"""Folders of files as arrays of Dask, read in parts and brought to one scale."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

from reldim.eigensolvers.dask import folders
from reldim.eigensolvers.dask.folders import ParquetFolder, lazy_npy, standardised
from reldim.exceptions import FileError

X = np.random.default_rng(0).normal(size=(10, 3))


def saved(folder, *arrays):
    files = []
    for number, array in enumerate(arrays):
        files.append(folder / f"{number}.npy")
        np.save(files[-1], array)
    return files


def test_arrays_are_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "ROWS", 4)
    lazy = lazy_npy(saved(tmp_path, X[:6], X[6:]))
    assert lazy.chunks == ((4, 2, 4), (3,))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), X)


@pytest.mark.parametrize(
    "second, said",
    [
        (X[:, :2], "same columns and type"),
        (X.astype(np.float32), "same columns and type"),
        (X[:0], "holds no rows"),
        (X.astype(complex), "numbers or text"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, second, said):
    with pytest.raises(FileError, match=said):
        lazy_npy(saved(tmp_path, X, second))


def test_tables_are_read_by_groups_of_rows(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(X, columns=list("abc"))
    for number, part in enumerate((frame[:7], frame[7:])):
        part.to_parquet(tmp_path / f"{number}.parquet", row_group_size=5)
    folder = ParquetFolder.of(sorted(tmp_path.iterdir()))
    lazy = folder.array(["c", "a"])
    assert lazy.chunks[0] == (5, 2, 3)
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), X[:, [2, 0]])
    frame.rename(columns={"a": "z"}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(FileError, match=r"differs from 0\.parquet in a, z"):
        ParquetFolder.of(sorted(tmp_path.iterdir()))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scaling_is_that_of_the_whole(dtype):
    rows = np.column_stack([X, np.ones(10)]).astype(dtype)
    scaled, step = standardised(da.from_array(rows, chunks=(4, 4)))
    values = scaled.compute(scheduler="sync")
    assert values.dtype == dtype
    np.testing.assert_allclose(values, (X - X.mean(axis=0)) / X.std(axis=0), rtol=1e-4)
    assert step == "Scaled 3 columns to mean 0 and variance 1. Left out 1 constant column."
    with pytest.raises(FileError, match="All columns are constant"):
        standardised(da.ones((6, 2), chunks=(3, 2)))
