"""Check what a diagnosis says about columns against known truth; print tables.

python benchmarks/columns.py [--write] [--draws N] [--folder FOLDER] [relevant | noise | junk ...]

``junk`` adds columns of noise and an identifier to real tables of FOLDER: NAME.csv.gz, training
rows first, and reference.json with target, task and number of training rows. ``--write`` puts the
tables into docs/calibration.md.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import table
from numpy.typing import NDArray
from run import DOCS, publish

from reldim import Diagnosis, diagnose

Array = NDArray[np.float64]
Rng = np.random.Generator

PAGE = DOCS / "calibration.md"

#: What counts as significant.
LEVEL = 0.05

#: Tables that junk is added to, with few and many rows, numbers and categories, both tasks.
JUNK_TABLES = (
    "airfoil",
    "bikes",
    "boston",
    "concrete",
    "insurance",
    "penguins",
    "tic-tac-toe",
    "vehicle",
)
JUNK = 20


def _friedman(X: Array) -> Array:
    U = (np.tanh(X) + 1) / 2
    bend = 20 * (U[:, 2] - 0.5) ** 2
    return 10 * np.sin(np.pi * U[:, 0] * U[:, 1]) + bend + 10 * U[:, 3] + 5 * U[:, 4]


#: A function of columns, how many of the first columns matter, noise, and whether it makes classes.
FUNCTIONS: dict[str, tuple[Callable[[Array], Array], int, float, bool]] = {
    "Friedman's": (_friedman, 5, 1.0, False),
    "sin(3a) + b": (lambda X: np.sin(3 * X[:, 0]) + X[:, 1], 2, 0.3, False),
    "a b + c": (lambda X: X[:, 0] * X[:, 1] + X[:, 2], 3, 0.3, False),
    "a + b > 0, classes": (lambda X: 2 * (X[:, 0] + X[:, 1]), 2, 0.5, True),
    "a b > 0, classes": (lambda X: 2 * X[:, 0] * X[:, 1], 2, 0.2, True),
}


def relevant(draws: int, _: Path | None) -> str:
    """Find known relevant columns among 20, on 400 rows."""
    rows = []
    for name, (function, count, noise, classes) in FUNCTIONS.items():
        found, false, first = [], [], []
        for seed in range(draws):
            rng = np.random.default_rng([seed, 7])
            X = rng.normal(size=(400, 20))
            y = function(X) + noise * rng.normal(size=400)
            names = [f"x{i}" for i in range(20)]
            d = _diagnosed(pd.DataFrame(X, columns=names), (y > 0).astype(int) if classes else y)
            columns = d.columns.loc[names]
            hits = columns["p_value"].to_numpy() <= LEVEL
            found.append(hits[:count].mean())
            false.append(hits[count:].mean())
            ranked = columns["share"].to_numpy().argsort()[::-1][:count]
            first.append(np.mean(ranked < count))
        rows.append(
            [
                name,
                str(count),
                f"{np.mean(found):.0%}",
                f"{np.mean(first):.0%}",
                f"{np.mean(false):.1%}",
            ]
        )
    head = ["function", "matter", "found", "among the first", "others called significant"]
    title = f"Columns that matter: 400 rows, 20 columns, {draws} draws per function"
    return table(title, head, rows)


def noise(draws: int, _: Path | None) -> str:
    """Count false alarms where nothing matters, on 100 rows."""
    rows = []
    for p in (5, 20, 50):
        for kind in ("numbers", "two classes"):
            alarms, columns = [], []
            for seed in range(draws):
                rng = np.random.default_rng([seed, p])
                X = rng.normal(size=(100, p))
                y = rng.normal(size=100) if kind == "numbers" else rng.permutation(100) % 2
                d = _diagnosed(X, y)
                alarms.append(d.verdict.code not in {"RD001", "RD007"})
                columns.append((d.columns["p_value"] <= LEVEL).sum() / p)
            rows.append([str(p), kind, f"{np.mean(alarms):.1%}", f"{np.mean(columns):.1%}"])
    head = ["columns", "targets", "signal reported", "columns called significant"]
    return table(
        f"Where no column matters: 100 rows, {draws} draws each",
        head,
        rows,
        "Signal is reported where the verdict of the whole diagnosis, learned weights included, is "
        "neither RD001 nor RD007.",
    )


def junk(draws: int, folder: Path | None) -> str:
    """Add columns of noise and an identifier to real tables."""
    if folder is None:
        sys.exit("junk needs --folder with tables")
    reference = json.loads((folder / "reference.json").read_text())
    rows, ratios = [], []
    for name in JUNK_TABLES[: draws or None]:
        about = reference[name]
        frame = pd.read_csv(folder / f"{name}.csv.gz")
        y, n = frame.pop(about["target"]), about["train"]
        plain = _test_error(frame, y, n, about["task"])[0]
        rng = np.random.default_rng(0)
        noisy = frame.copy()
        for i in range(JUNK):
            noisy[f"junk {i}"] = rng.normal(size=len(frame))
        noisy.insert(0, "row id", [f"r{i:05d}" for i in rng.permutation(len(frame))])
        error, d = _test_error(noisy, y, n, about["task"])
        added = [f"junk {i}" for i in range(JUNK)]
        named = {*d.droppable.names} if d.droppable else set()
        ratios.append((error + 1 / (len(y) - n)) / (plain + 1 / (len(y) - n)))
        significant = int((d.columns.loc[added, "p_value"] <= LEVEL).sum())
        rows.append(
            [
                name,
                f"{plain:.1%}",
                f"{error:.1%}",
                f"{len(named & set(added))} of {JUNK}",
                str(significant),
                "yes" if any("row id" in step for step in d.preparation) else "no",
            ]
        )
    mean = float(np.exp(np.mean(np.log(ratios))))
    head = [
        "table",
        "test error",
        "with junk",
        "junk named as droppable",
        "junk called significant",
        "identifier named",
    ]
    return table(
        "Columns of noise",
        head,
        rows,
        f"{JUNK} columns of random numbers and an identifier are added to tables. With them the "
        f"test error is {mean:.3f} times as large (geometric mean). Significant: p ≤ {LEVEL:g}.",
    )


def _diagnosed(X: Any, y: Any, **options: Any) -> Diagnosis:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return diagnose(X, y, references=False, **options)


def _test_error(frame: pd.DataFrame, y: pd.Series, n: int, task: str) -> tuple[float, Diagnosis]:
    d = _diagnosed(frame[:n], y[:n], task=task)
    guess = np.asarray(d.predictor().predict(frame[n:].reset_index(drop=True)))
    truth = y[n:].to_numpy()
    if task == "classification":
        return float(np.mean(guess.astype(str) != truth.astype(str))), d
    return float(np.mean((guess - truth) ** 2) / np.var(truth)), d


TABLES = {"relevant": relevant, "noise": noise, "junk": junk}


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(TABLES))
    parser.add_argument("--draws", type=int, help="draws per row of a table")
    parser.add_argument("--folder", type=Path, help="real tables, for junk")
    parser.add_argument("--write", action="store_true", help="write into docs/calibration.md")
    options = parser.parse_args()
    for name in options.names or TABLES:
        text = TABLES[name](options.draws or (0 if name == "junk" else 100), options.folder)
        publish(PAGE, f"columns-{name}", text, write=options.write)


if __name__ == "__main__":
    main()
