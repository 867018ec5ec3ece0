"""Rows that depend on each other: what is found without being asked, levels of tests, and errors.

    python benchmarks/dependence.py findings      # RD020 on dependent and on independent rows
    python benchmarks/dependence.py levels 100    # p-values of targets without signal, 100 draws
    python benchmarks/dependence.py errors 3      # expected and true errors, three draws

Each prints a Markdown table.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim import diagnose
from reldim.diagnosis.dependence import find_dependence
from reldim.diagnosis.expectation import Expectation
from reldim.diagnosis.forecast import LearningCurve
from reldim.diagnosis.problem import prepare_problem
from reldim.inputs.cores import on_cores
from reldim.inputs.splits import Splits
from reldim.inputs.targets import code_targets
from reldim.search.candidates import choose
from reldim.search.drawn_rows import rows_to_fit

Array = NDArray[np.float64]
Rng = np.random.Generator
Rows = tuple[Any, NDArray[Any]]

LEVEL = 0.05


def units(rng: Rng, k: int, size: int, *, noise: float = 0.3) -> Rows:
    """Draw rows of units whose columns say who they are, and nothing about their targets."""
    unit = np.repeat(np.arange(k), size)
    X = rng.normal(size=(k, 5))[unit] + 0.1 * rng.normal(size=(len(unit), 5))
    return X, rng.normal(size=k)[unit] + noise * rng.normal(size=len(unit))


def labels(rng: Rng, k: int = 45, size: int = 8) -> Rows:
    """Draw rows of units that have one label each."""
    X, _ = units(rng, k, size)
    return X[:, :4], np.repeat(rng.integers(0, 2, k), size)


def copies(rng: Rng, n: int = 130) -> Rows:
    """Draw rows with labels at random, each in three near copies."""
    X = rng.normal(size=(n, 4))
    near = [X + 0.01 * rng.normal(size=X.shape) for _ in range(3)]
    return np.vstack(near), np.tile(rng.integers(0, 2, n), 3)


def series(rng: Rng, n: int, memory: float, columns: int) -> Array:
    """Draw autoregressive series, beginning where such series are; of memory 1, random walks."""
    shocks = rng.normal(size=(n, columns))
    if memory < 1.0:
        shocks[0] /= np.sqrt(1.0 - memory**2)
    for t in range(1, n):
        shocks[t] += memory * shocks[t - 1]
    return shocks


def walks(rng: Rng, n: int = 400) -> Rows:
    """Draw random walks on random walks."""
    steps = series(rng, n, 1.0, 5)
    return steps[:, :4], steps[:, 4]


def echoes(rng: Rng, n: int = 500) -> Rows:
    """Draw autoregressive series, of which one carries half of the target."""
    steps = series(rng, n, 0.95, 5)
    return steps[:, :4], steps[:, 4] + steps[:, 0]


def drift(rng: Rng, n: int = 500) -> Rows:
    """Draw rows whose coefficients change slowly."""
    X = rng.normal(size=(n, 3))
    slopes = np.cumsum(0.15 * rng.normal(size=(n, 3)), axis=0)
    return X, (X * slopes).sum(axis=1) + 0.3 * rng.normal(size=n)


def shuffled(rng: Rng) -> Rows:
    """Draw rows of units in any order, without a column that names them."""
    X, y = units(rng, 60, 10)
    order = rng.permutation(len(y))
    return X[order], y[order]


def identified(rng: Rng) -> Rows:
    """Draw a table that names its units, and has a column that is constant within them."""
    X, y = units(rng, 60, 10)
    frame = pd.DataFrame(X[:, :2] + rng.normal(size=(600, 2))).add_prefix("x")
    frame["patient"] = np.repeat(np.arange(60), 10)
    frame["age"] = np.repeat(rng.integers(20, 80, 60), 10)
    return frame, y


def numbers(rng: Rng, n: int = 300) -> Rows:
    """Draw independent rows of numbers."""
    X = rng.normal(size=(n, 5))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)


def clean(rng: Rng, n: int = 300) -> Rows:
    """Draw a smooth function without noise."""
    X = rng.uniform(size=(n, 4))
    return X, np.sin(3 * X[:, 0]) + X[:, 1]


def curve(rng: Rng, n: int = 300) -> Rows:
    """Draw rows along a curve in four columns."""
    t = rng.uniform(size=n)
    return np.column_stack([np.sin(5 * t), np.cos(5 * t), t, t**2]), t + 0.1 * rng.normal(size=n)


def single(rng: Rng, n: int = 300) -> Rows:
    """Draw a function of one column."""
    X = rng.uniform(size=(n, 1))
    return X, np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=n)


def classes(rng: Rng, n: int = 300) -> Rows:
    """Draw two classes that overlap."""
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def counts(rng: Rng, n: int = 300) -> Rows:
    """Draw counts, of which many rows are equal."""
    X = rng.poisson(2.0, size=(n, 3)).astype(float)
    return X, rng.poisson(X[:, 0] + 1.0).astype(float)


def categories(rng: Rng, n: int = 300) -> Rows:
    """Draw a table of categories only."""
    frame = pd.DataFrame(rng.integers(0, 4, size=(n, 5))).astype(str).add_prefix("c")
    return frame, np.where((frame["c0"] == "1") ^ (rng.uniform(size=n) < 0.2), "a", "b")


def mixed(rng: Rng, n: int = 300) -> Rows:
    """Draw numbers, codes, cities, and a number that each row has alone."""
    X = rng.normal(size=(n, 3))
    frame = pd.DataFrame(X).add_prefix("x")
    frame["code"] = rng.integers(0, 12, n)
    frame["city"] = np.array(list("abcdefghij"))[rng.integers(0, 10, n)]
    frame["id"] = np.arange(n)
    return frame, X[:, 0] + 0.1 * frame["code"].to_numpy() + rng.normal(size=n)


def dated(rng: Rng, n: int = 300) -> Rows:
    """Draw the same with dates that do not matter."""
    frame, y = mixed(rng, n)
    days = pd.to_timedelta(np.sort(rng.integers(0, 500, n)), "D")
    return frame.assign(day=pd.Timestamp("2024-01-01") + days), y


def ordered(make: Callable[[Rng], Rows], column: int | str | None) -> Callable[[Rng], Rows]:
    """Sort rows by a column, or by their target."""

    def draw(rng: Rng) -> Rows:
        X, y = make(rng)
        frame = pd.DataFrame(X)
        order = np.argsort(y if column is None else frame[column].to_numpy(), kind="stable")
        if isinstance(X, pd.DataFrame):
            return frame.iloc[order].reset_index(drop=True), y[order]
        return X[order], y[order]

    return draw


DEPENDENT: dict[str, Callable[[Rng], Rows]] = {
    "60 units of 10 rows": lambda rng: units(rng, 60, 10),
    "60 units of 5 rows": lambda rng: units(rng, 60, 5),
    "25 units of 20 rows": lambda rng: units(rng, 25, 20),
    "one label per unit, 45 of 8 rows": labels,
    "random labels, three near copies": copies,
    "random walks on random walks": walks,
    "AR 0.95": echoes,
    "drifting coefficients": drift,
    "60 units of 10 rows, shuffled": shuffled,
    "60 patients, named, in a table": identified,
}

INDEPENDENT: dict[str, Callable[[Rng], Rows]] = {
    "numbers": numbers,
    "smooth function without noise": clean,
    "one column": single,
    "along a curve": curve,
    "two classes": classes,
    "counts, rows repeat": counts,
    "sorted by a column": ordered(numbers, 0),
    "sorted by the target": ordered(numbers, None),
    "sorted by class": ordered(classes, None),
    "categories only": categories,
    "categories, sorted by one": ordered(categories, "c0"),
    "numbers, codes and categories": mixed,
    "the same with dates": dated,
}


def is_found(X: Any, y: Any) -> bool:
    """Return whether RD020 is given, judged by trees alone, which takes no search of kernels."""
    with on_cores(1):
        problem = prepare_problem(X, y)
        rows = rows_to_fit(problem.X, problem.targets, 2000, 0)
        one = np.ones(1)
        seen = Expectation(
            LearningCurve(problem.targets.n, problem.targets.task, 1.0, 0 * one, one, one, one),
            targets=problem.targets.as_they_are(rows),
            X=np.asarray(problem.X, float)[rows],
            rows=rows,
            judged=np.arange(len(rows)),
        )
        return find_dependence(problem.suspects, seen, 0) is not None


def findings(draws: int) -> Iterator[str]:
    """Yield how often RD020 is given; of independent rows ten times as many tables are drawn."""
    yield "| rows | draws | RD020 |"
    yield "|---|---|---|"
    for kinds, total in ((DEPENDENT, draws * len(DEPENDENT)), (INDEPENDENT, 10 * draws)):
        count = -(-total // len(kinds))
        found = 0
        for name, make in kinds.items():
            own = sum(is_found(*make(np.random.default_rng(seed))) for seed in range(count))
            found += own
            yield f"| {name} | {count} | {own} |"
        kind = "dependent" if kinds is DEPENDENT else "independent"
        share = found / (count * len(kinds))
        yield f"| **all {kind}** | {count * len(kinds)} | {found} ({share:.1%}) |"


def without_signal(rng: Rng, kind: str) -> tuple[Array, Array, Splits]:
    """Draw dependent rows, and targets that depend in the same way and on nothing else."""
    n = 300
    if kind.startswith("AR"):
        steps = series(rng, n, float(kind.split()[1]), 4)
        return steps[:, :3], steps[:, 3], Splits(n, order=np.arange(float(n)))
    sizes = {
        "units of 5 rows": np.full(60, 5),
        "units of 20 rows": np.full(20, 20),
        "units of 1 to 29 rows": rng.integers(1, 30, 25),
    }[kind]
    unit = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(sizes), 3))[unit] + 0.1 * rng.normal(size=(len(unit), 3))
    y = rng.normal(size=len(sizes))[unit] + 0.3 * rng.normal(size=len(unit))
    return X, y, Splits(len(unit), groups=unit)


NULLS = (
    "units of 5 rows",
    "units of 20 rows",
    "units of 1 to 29 rows",
    "AR 0.6",
    "AR 0.95",
)


def levels(draws: int) -> Iterator[str]:
    """Yield how often p-values lie below 0.05, with and without knowing what depends."""
    yield "| targets without signal | draws | p < 0.05, rows exchanged | p < 0.05 as dependent |"
    yield "|---|---|---|---|"
    for kind in NULLS:
        below = np.zeros(2)
        for seed in range(draws):
            X, y, splits = without_signal(np.random.default_rng(seed), kind)
            with on_cores(1):
                for i, said in enumerate((None, splits)):
                    found = choose(X, code_targets(y), splits=said, random_state=seed)
                    assert found.p_value is not None
                    below[i] += found.p_value < LEVEL
        yield f"| {kind} | {draws} | {below[0] / draws:.0%} | {below[1] / draws:.0%} |"


def cut(rows: Rows, n: int) -> tuple[Rows, Rows]:
    """Divide rows into the first ones and those that follow."""
    X, y = rows
    return (X[:n], y[:n]), (X[n:], y[n:])


#: Rows and new rows, which are of other units or later, and what is said of the former.
ERRORS: dict[str, tuple[Callable[[Rng], tuple[Rows, Rows]], dict[str, Any]]] = {
    "60 units of 10 rows, columns that do not matter": (
        lambda rng: (units(rng, 60, 10), units(rng, 60, 10)),
        {"groups": np.repeat(np.arange(60), 10)},
    ),
    "one label per unit, 45 of 8 rows": (
        lambda rng: (labels(rng), labels(rng)),
        {"groups": np.repeat(np.arange(45), 8)},
    ),
    "random labels, 130 rows in three near copies": (
        lambda rng: (copies(rng), copies(rng)),
        {"groups": np.tile(np.arange(130), 3)},
    ),
    "random walks on random walks": (
        lambda rng: cut(walks(rng, 600), 400),
        {"order": np.arange(400)},
    ),
    "drifting coefficients": (
        lambda rng: cut(drift(rng, 600), 500),
        {"order": np.arange(500)},
    ),
}


def expected_and_true(rows: Rows, new: Rows, said: dict[str, Any]) -> tuple[str, float, float]:
    """Return the code of the verdict, the error that is expected, and that on new rows."""
    found = diagnose(*rows, references=False, n_jobs=1, **said)
    predicted = found.predictor().predict(new[0])
    if rows[1].dtype.kind == "i":
        true = float(np.mean(predicted != new[1]))
    else:
        true = float(np.mean((predicted - new[1]) ** 2) / np.var(rows[1]))
    return found.verdict.code, found.error_estimate, true


def errors(draws: int) -> Iterator[str]:
    """Yield expected and true errors, by rows as if independent and by what depends; medians."""
    yield "| rows | asked | verdicts | expected | true on new units or later rows |"
    yield "|---|---|---|---|---|"
    for name, (make, said) in ERRORS.items():
        for asked in ({}, said):
            codes, figures = set(), []
            for seed in range(draws):
                code, *own = expected_and_true(*make(np.random.default_rng(seed)), asked)
                codes.add(code)
                figures.append(own)
            expected, true = np.median(figures, axis=0)
            option = f"`{next(iter(asked))}=`" if asked else "nothing"
            words = ", ".join(sorted(codes))
            yield f"| {name} | {option} | {words} | {expected:.0%} | {true:.0%} |"


def main(what: str, draws: int) -> None:
    """Print a table."""
    measured = {"findings": findings, "levels": levels, "errors": errors}[what]
    for line in measured(draws):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
