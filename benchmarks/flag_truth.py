"""Flags of labels and of numbers, and the test of uneven noise, against known truth.

Two tables of calibration.py, ``flags-of-classes`` and ``flags-of-numbers``. Nothing was tuned on
the families in MEASURED; rules were worked out on those in TRIED.
"""

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from harness import table
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.datasets import make_moons
from verdict_truth import spread

from reldim import datasets, diagnose

Array = NDArray[np.float64]
Rng = np.random.Generator

ROWS = 400

#: A function of columns, and how many columns there are.
Shape = tuple[int, Callable[[Array], Array]]


def _friedman(X: Array) -> Array:
    U = (np.tanh(X) + 1) / 2
    bent = 10 * np.sin(np.pi * U[:, 0] * U[:, 1]) + 20 * (U[:, 2] - 0.5) ** 2
    return np.asarray(bent + 10 * U[:, 3] + 5 * U[:, 4])


#: Functions that rules were worked out on, and others that they are measured on.
TRIED: dict[str, Shape] = {
    "linear": (5, lambda X: X @ np.array([1.0, 0.8, -0.6, 0.4, 0.0])),
    "product": (4, lambda X: X[:, 0] * X[:, 1] + 0.5 * X[:, 2]),
    "additive": (4, lambda X: np.sin(1.5 * X[:, 0]) + X[:, 1] + 0.5 * X[:, 2] ** 2),
}
MEASURED: dict[str, Shape] = {
    "Friedman's": (7, _friedman),
    "quadratic": (3, lambda X: X[:, 0] ** 2 + X[:, 1] * X[:, 2] - X[:, 1]),
    "wave": (3, lambda X: np.sin(2 * X[:, 0] + X[:, 1]) + 0.3 * X[:, 2]),
    "step": (4, lambda X: 2.0 * (X[:, 0] > 0) + X[:, 1] - 0.5 * np.abs(X[:, 2])),
}

#: Classes that are drawn by themselves.
CLOUDS_TRIED = ("3 clouds", "4 clouds")
CLOUDS_MEASURED = ("waveform", "moons", "5 clouds")


@dataclass(frozen=True)
class Drawn:
    """Rows, targets as given, the right ones, and what noise does in each row."""

    X: Array
    y: NDArray[Any]
    right: NDArray[Any]
    scale: Array | None = None

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """The rows whose targets were exchanged."""
        return np.asarray(self.y != self.right)


def cut(shape: Shape, overlap: float, rng: Rng, n: int = ROWS) -> tuple[Array, NDArray[np.intp]]:
    """Make two classes that overlap by so much: the error of the true function."""
    columns, function = shape
    X = rng.standard_normal((n, columns))
    pilot = function(rng.standard_normal((4000, columns)))
    height = (pilot - np.median(pilot)) / pilot.std()
    low, high = 1e-6, 20.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if np.mean(expit(-np.abs(height) / middle)) < overlap else (low, middle)
        )
    share = expit((function(X) - np.median(pilot)) / pilot.std() / low)
    return X, (rng.uniform(size=n) < share).astype(np.intp)


def clouds(name: str, rng: Rng, n: int = ROWS) -> tuple[Array, NDArray[np.intp]]:
    """Draw classes that overlap a little."""
    if name == "moons":
        X, y = make_moons(n, noise=0.2, random_state=int(rng.integers(2**31)))
        return X, y.astype(np.intp)
    if name == "waveform":
        data = datasets.waveform(n, random_state=int(rng.integers(2**31)))
        return data.X, (data.y > 0).astype(np.intp)
    count = int(name[0])
    centres = rng.standard_normal((count, 5))
    centres *= 2.2 / np.sqrt(np.mean(np.sum((centres - centres.mean(axis=0)) ** 2, axis=1) / 3))
    y = rng.integers(0, count, n)
    return centres[y] + rng.standard_normal((n, 5)), y


def planted(family: str, how: str, number: int) -> Drawn:
    """Draw classes, and exchange labels."""
    shapes = {**TRIED, **MEASURED}
    rng = np.random.default_rng(_seed(family, how, number))
    overlap = float(how.split()[1].rstrip("%")) / 100 if how.startswith("overlap") else 0.02
    X, right = cut(shapes[family], overlap, rng) if family in shapes else clouds(family, rng)
    count, y = int(right.max()) + 1, right.copy()
    kind, _, much = how.partition(" ")
    if kind == "random":
        wrong = rng.permutation(len(y))[: round(float(much.rstrip("%")) / 100 * len(y))]
        y[wrong] = (y[wrong] + rng.integers(1, count, len(wrong))) % count
    if kind == "one-sided":
        rows = rng.permutation(np.flatnonzero(right == 0))
        wrong = rows[: len(rows) // 5]
        middles = np.array([X[right == c].mean(axis=0) for c in range(count)])
        nearest = np.argsort(np.sum((middles - middles[0]) ** 2, axis=1))[1]
        y[wrong] = 1 if count == 2 else nearest
    if kind == "corner":
        direction = rng.standard_normal(X.shape[1])
        corner = np.argsort(X @ direction)[: len(y) // 5]
        wrong = rng.permutation(corner)[: len(corner) // 3]
        y[wrong] = (y[wrong] + rng.integers(1, count, len(wrong))) % count
    return Drawn(X, y, right)


def measured(family: str, how: str, number: int) -> Drawn:
    """Draw numbers with some kind of noise, and exchange some of them."""
    columns, function = {**TRIED, **MEASURED}[family]
    rng = np.random.default_rng(_seed(family, how, number))
    X = rng.standard_normal((ROWS, columns))
    truth = function(X)
    truth = (truth - truth.mean()) / truth.std()
    noise, _, wrong = how.partition(", ")
    scale = np.ones(ROWS)
    if noise == "uneven":
        # Along a column: the variances of the outer fifths differ by a factor of about 120.
        scale = np.exp(0.85 * X[:, number % columns])
    if noise == "with the target":
        scale = np.exp(0.7 * truth)
    if noise == "in a part":
        scale = np.where(X[:, number % columns] > 0.8, 4.0, 1.0)
    scale = 0.3 * scale / np.sqrt(np.mean(scale**2))
    drawn = (
        rng.standard_t(2.5, ROWS) / np.sqrt(5) if noise == "heavy" else rng.standard_normal(ROWS)
    )
    right = truth + scale * drawn
    y = right.copy()
    if wrong:
        rows = rng.permutation(ROWS)[: ROWS // 20]
        y[rows] = right[np.roll(rows, 1)]
    return Drawn(X, y, right, scale)


def _seed(*parts: Any) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6], "little")


HOW = (
    *("none", "random 5%", "random 10%", "random 20%", "one-sided", "corner"),
    *("overlap 5%", "overlap 10%", "overlap 20%", "overlap 30%"),
)
NOISES = ("normal", "heavy", "uneven", "with the target", "in a part")


def _flagged(task: tuple[str, str, str, int]) -> dict[str, Any]:
    kind, *rest = task
    drawn = (planted if kind == "classes" else measured)(*rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = diagnose(drawn.X, drawn.y, references=False, random_state=0)
        flags = found.label_issues["is_label_issue"].to_numpy()
    codes = {one.code for one in found.findings}
    return {
        "how": task[2],
        "wrong": int(drawn.wrong.sum()),
        "found": int(np.sum(flags & drawn.wrong)),
        "false": int(np.sum(flags & ~drawn.wrong)),
        "RD012": "RD012" in codes,
        "RD013": "RD013" in codes,
    }


def _table(title: str, tasks: list[tuple[str, str, str, int]], jobs: int, code: str) -> str:
    frame = pd.DataFrame(spread(_flagged, tasks, jobs))
    rows = []
    for how, part in frame.groupby("how", sort=False):
        wrong, found, false = (int(part[name].sum()) for name in ("wrong", "found", "false"))
        share = f"{false / (found + false):.0%}" if found + false else "-"
        recall = f"{found / wrong:.0%}" if wrong else "-"
        per_set = f"{false / len(part):.2f}"
        cells = [f"{len(part)}", f"{wrong}", recall, share, per_set, f"{part[code].sum()}"]
        rows.append([str(how), *cells])
    head = ["what", "draws", "wrong", "found", "of flags false", "false per 400 rows", code]
    return table(title, head, rows, f"{ROWS} rows each, families that nothing was tuned on.")


def classes(draws: int | None, jobs: int) -> str:
    """Exchange labels of classes in several ways, or none where classes overlap."""
    tasks = [
        ("classes", family, how, number)
        for how in HOW
        for number in range(draws or 5)
        for family in (MEASURED if how.startswith("overlap") else (*MEASURED, *CLOUDS_MEASURED))
    ]
    return _table("Flags of classes", tasks, jobs, "RD013")


def numbers(draws: int | None, jobs: int) -> str:
    """Exchange numbers where noise is normal, heavy or uneven, or none."""
    tasks = [
        ("numbers", family, noise + wrong, number)
        for noise in NOISES
        for wrong in ("", ", 5% exchanged")
        for number in range(draws or 8)
        for family in MEASURED
    ]
    return _table("Flags of numbers", tasks, jobs, "RD012")
