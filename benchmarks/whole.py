"""Whole diagnoses, verdict, noise, columns and references included, beside what users run today."""

from __future__ import annotations

import cProfile
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Measurement, in_turn, measure, table
from numpy.typing import NDArray
from problems import Data

#: Rows, and columns, of the problems.
SIZES = ((1000, 20), (10_000, 8), (100_000, 8))

#: Rows at which a support vector machine is cross-validated at most.
SVC_ROWS = 10_000


def problem(kind: str, n: int, columns: int) -> Data:
    """Draw two classes: with a smooth border in all columns, or a rough one in four of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, columns))
    if kind == "smooth":
        score = X.sum(axis=1) / np.sqrt(columns) + 0.5 * (X[:, 0] ** 2 - 1)
    else:
        score = np.sin(3 * X[:, 0]) + X[:, 1] + X[:, 2] * X[:, 3]
    return X, np.where(score + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)


def ours(kind: str, n: int, columns: int) -> Callable[[], Any]:
    """Diagnose, with the verdict."""
    import reldim

    X, y = problem(kind, n, columns)
    reldim.diagnose(X[:60], y[:60]).verdict  # noqa: B018 - imports come before the clock

    def run() -> Any:
        found = reldim.diagnose(X, y)
        return found.verdict.code, found.error_estimate

    return run


def cross_validated(kind: str, n: int, columns: int) -> Callable[[], Any]:
    """Cross-validate one support vector machine, at 10 000 rows at most."""
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import SVC

    X, y = problem(kind, min(n, SVC_ROWS), columns)
    return lambda: ("", 1 - cross_val_score(SVC(), X, y, cv=5).mean())


def million(kind: str, n: int, columns: int) -> Callable[[], Any]:
    """Diagnose in single precision, within eight gigabytes."""
    from harness import peak_megabytes

    import reldim

    X, y = problem(kind, n, columns)
    X = X.astype(np.float32)
    reldim.diagnose(X[:60], y[:60]).verdict  # noqa: B018 - imports come before the clock

    def run() -> Any:
        found = reldim.diagnose(X, y)
        return found.verdict.code, found.error_estimate, peak_megabytes()

    return run


def grid_search(kind: str, n: int, columns: int) -> Callable[[], Any]:
    """Tune a support vector machine by five times five settings and five folds."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    X, y = problem(kind, n, columns)
    grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-3, 1, 5) / columns}
    search = GridSearchCV(SVC(), grid, cv=5, n_jobs=-1)
    return lambda: ("", 1 - search.fit(X, y).best_score_)


def whole() -> str:
    """Measure whole diagnoses beside support vector machines."""
    rows = [_from_the_command_line()]
    for n, columns in SIZES:
        for kind in ("smooth", "rough"):
            contender = grid_search if n <= 1000 else cross_validated
            rounds = 3 if n <= SVC_ROWS else 1
            mine, theirs = in_turn([ours, contender], kind, n, columns, rounds=rounds, n=1)
            name = "GridSearchCV(SVC), 25 settings" if n <= 1000 else "one SVC, 5 folds"
            rows.append(_row(f"{n:,} x {columns}, {kind}", mine, name, theirs))
    rows += _millions()
    header = ["work", "diagnosis", "verdict, error", "memory", "beside", "time", "error", "ratio"]
    note = (
        f"`ratio`: time of the diagnosis over the other. Support vector machines see {SVC_ROWS:,} "
        "rows at most; memory of a million rows is that of the whole process."
    )
    return table("Whole diagnoses", header, rows, note)


#: Stages of a diagnosis, and the function that does all of one and nothing of another.
STAGES = {
    "search among kernels": ("diagnosis/diagnosis.py", "diagnose_problem"),
    "weights of columns": ("search/blend.py", "_learn"),
    "strengths of fits, in folds": ("search/blend.py", "_choose_strengths"),
    "cut-off in the same folds": ("diagnosis/expectation.py", "_cut_off_in_folds"),
    "other models": ("diagnosis/references.py", "compare_models"),
    "noise": ("diagnosis/conclusions.py", "_noise"),
}


def shares(kind: str, n: int, columns: int) -> tuple[float, dict[str, float]]:
    """Return the seconds of a diagnosis on one core, and what share of them each stage takes."""
    import reldim

    X, y = problem(kind, n, columns)
    reldim.diagnose(X[:60], y[:60], n_jobs=1).verdict  # noqa: B018 - imports come before the clock
    profiler = cProfile.Profile(time.process_time)
    start = time.process_time()
    profiler.runcall(lambda: reldim.diagnose(X, y, n_jobs=1).verdict)
    seconds = time.process_time() - start
    timed = pstats.Stats(profiler).stats  # type: ignore[attr-defined]

    def spent(place: str, function: str) -> float:
        own = [
            figures[3]
            for (path, _, name), figures in timed.items()
            if name == function and path.endswith(place)
        ]
        return float(sum(own)) / seconds

    of_stages = {stage: spent(*function) for stage, function in STAGES.items()}
    return seconds, {**of_stages, "all else": 1.0 - sum(of_stages.values())}


def profile() -> str:
    """Say what takes the time of a diagnosis."""
    problems = (("rough", 1000, 20), ("smooth", 10_000, 8), ("smooth", 100_000, 8))
    found = [shares(*one) for one in problems]
    header = ["", *(f"{n:,} x {columns}, {kind}" for kind, n, columns in problems)]
    rows = [["seconds, one core", *(f"{seconds:.0f}" for seconds, _ in found)]]
    rows += [[stage, *(f"{own[stage]:.0%}" for _, own in found)] for stage in found[0][1]]
    return table("What takes the time", header, rows, "Under a profiler, which takes some itself.")


def without_weights(kind: str, n: int, columns: int) -> Callable[[], Any]:
    """Diagnose, with the verdict, under kernels that weigh all columns alike."""
    import reldim

    X, y = problem(kind, n, columns)
    reldim.diagnose(X[:60], y[:60], kernels="gaussian").verdict  # noqa: B018 - imports come first

    def run() -> Any:
        found = reldim.diagnose(X, y, kernels="gaussian")
        return found.verdict.code, found.error_estimate

    return run


def learned() -> str:
    """Measure what learned weights of columns add to a diagnosis."""
    rows = []
    for n, columns in ((1000, 20), (1000, 50), (10_000, 50)):
        for kind in ("smooth", "rough"):
            mine, plain = in_turn([ours, without_weights], kind, n, columns, rounds=3, n=1)
            rows.append(_row(f"{n:,} x {columns}, {kind}", mine, "the same without", plain))
    header = ["work", "diagnosis", "verdict, error", "memory", "beside", "time", "error", "ratio"]
    remark = 'Without: `kernels="gaussian"`, whose kernels weigh all columns alike.'
    return table("What learned weights of columns add", header, rows, remark)


def _row(work: str, mine: Measurement, name: str, theirs: Measurement) -> list[str]:
    code, error = mine.result
    return [
        work,
        f"{mine.seconds:.1f} s",
        f"{code}, {error:.1%}",
        f"{mine.megabytes:.0f} MB",
        name,
        f"{theirs.seconds:.1f} s",
        "" if np.isnan(theirs.result[1]) else f"{theirs.result[1]:.1%}",
        f"{mine.seconds / theirs.seconds:.2f}",
    ]


def _millions(n: int = 1_000_000) -> list[list[str]]:
    """Diagnose a million rows beside the products of ten factors of rank 1000."""
    from large import products

    floor = measure(products, n, 1000, "float32", n=3)
    rows = []
    for kind in ("smooth", "rough"):
        mine = measure(million, kind, n, 10, n=1)
        code, error, peak = mine.result
        mine = Measurement(mine.seconds, peak, (code, error))
        theirs = Measurement(10 * floor.seconds, 0.0, ("", np.nan))
        rows.append(_row(f"{n:,} x 10, {kind}", mine, "products of ten factors", theirs))
    return rows


def _from_the_command_line(rounds: int = 5) -> list[str]:
    """Diagnose 442 rows from the command line, beside the start of Python with two libraries."""
    from sklearn.datasets import load_diabetes

    start = [sys.executable, "-c", "import pandas, sklearn.ensemble, sklearn.svm"]
    times: NDArray[np.float64] = np.zeros((rounds, 2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "diabetes.csv"
        load_diabetes(as_frame=True, scaled=False).frame.to_csv(path, index=False)
        mine = [sys.executable, "-m", "reldim", "diagnose", str(path), "--target", "target"]
        for number in range(rounds):
            for place, command in enumerate((mine, start)):
                begun = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True)  # noqa: S603
                times[number, place] = time.perf_counter() - begun
    ours, theirs = np.median(times, axis=0)
    beside = "start of Python with pandas and scikit-learn"
    work = "442 x 10, command line, real table"
    return [work, f"{ours:.1f} s", "", "", beside, f"{theirs:.1f} s", "", f"{ours / theirs:.2f}"]


if __name__ == "__main__":
    print(whole())
