"""Data sets from a folder that the user names."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import FileError
from reproduction.sets.catalogue import CATALOGUE, Entry
from reproduction.sets.divided import DividedSet, official_resamples

__all__ = ["VARIABLE", "data_folder", "holds", "read_folder"]

#: The environment variable that names the folder.
VARIABLE = "RELDIM_DATA"


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the data folder: the one given, or the one that ``RELDIM_DATA`` names, or None.

    Parameters
    ----------
    folder : path, optional
        A folder.

    Returns
    -------
    Path or None
        The folder, whether it exists or not.
    """
    named = os.environ.get(VARIABLE) if folder is None else folder
    return Path(named).expanduser() if named else None


def holds(folder: Path | None, name: str) -> bool:
    """Tell whether the folder has the files of a data set."""
    files = CATALOGUE[name].files
    return folder is not None and bool(files) and all((folder / file).is_file() for file in files)


def read_folder(name: str, folder: Path) -> DividedSet:
    """Read a data set from the folder.

    Returns
    -------
    DividedSet
        The data, with the divisions that the folder holds.
    """
    entry = CATALOGUE[name]
    assert entry.files, name
    paths = [folder / file for file in entry.files]
    for path in paths:
        if not path.is_file():
            raise FileError(
                f"The data set {name!r} is read from {'/'.join(path.parts[-2:])} in the folder "
                f"{str(folder)!r}, and there is no such file. Point {VARIABLE} to the folder that "
                "holds it."
            )
    reader = _read_arrays if paths[0].suffix == ".npz" else _TABLES[name]
    return reader(entry, paths)


def _read_arrays(entry: Entry, paths: list[Path]) -> DividedSet:
    with np.load(paths[0], allow_pickle=False) as arrays:
        X, y = arrays["X"], arrays["y"]
        resamples = (
            official_resamples(arrays["train_idx"], arrays["test_idx"])
            if "train_idx" in arrays
            else ()
        )
    X = X if X.dtype == np.float32 else X.astype(np.float64)
    return _dataset(entry, X, y.astype(np.int64), resamples)


def _read_splice(entry: Entry, paths: list[Path]) -> DividedSet:
    table = pd.read_csv(paths[0])
    sequences = table["sequence"].str.strip().to_numpy(dtype=object)
    return _dataset(entry, sequences, table["class"].str.strip().to_numpy(dtype=str))


def _read_pair(target: str) -> Callable[[Entry, list[Path]], DividedSet]:
    """Make a reader of a table in two files, one of training and one of test rows."""

    def read(entry: Entry, paths: list[Path]) -> DividedSet:
        train, test = (pd.read_csv(path).drop(columns="rownames") for path in paths)
        both = pd.concat([train, test], ignore_index=True)
        rows = np.arange(len(both))
        resamples = official_resamples(rows[: len(train)], rows[len(train) :])
        return _dataset(entry, *_split(both, target), resamples)

    return read


def _read_crabs(entry: Entry, paths: list[Path]) -> DividedSet:
    table = pd.read_csv(paths[0]).drop(columns=["rownames", "sp", "index"])
    return _dataset(entry, *_split(table, "sex"))


def _read_biopsy(entry: Entry, paths: list[Path]) -> DividedSet:
    table = pd.read_csv(paths[0]).drop(columns=["rownames", "ID"]).dropna()
    return _dataset(entry, *_split(table, "class"))


def _split(table: pd.DataFrame, target: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    y = table[target]
    labels = y.to_numpy(dtype=str) if y.dtype.kind not in "iuf" else y.to_numpy()
    return table.drop(columns=target).to_numpy(dtype=np.float64), labels


def _dataset(entry: Entry, X: Any, y: Any, resamples: Any = ()) -> DividedSet:
    return DividedSet(
        entry.name,
        X,
        y,
        description=entry.description,
        source="folder",
        resamples=resamples,
        sizes=entry.sizes,
    )


_TABLES: dict[str, Callable[[Entry, list[Path]], DividedSet]] = {
    "splice-strings": _read_splice,
    "pima": _read_pair("type"),
    "synth": _read_pair("yc"),
    "crabs": _read_crabs,
    "biopsy": _read_biopsy,
}
