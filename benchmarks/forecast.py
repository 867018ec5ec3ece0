"""Forecasts from some rows, held against the errors that are reached with more of them.

    python benchmarks/forecast.py                        # sets and generated problems
    python benchmarks/forecast.py --folder DIR           # also tables, see benchmarks/tables.py
    python benchmarks/forecast.py --sets banana,digits --skip-times
    python benchmarks/forecast.py --folder DIR --write   # and into docs/forecast.md

A draw puts the rows of a set into a random order. The first n go to the forecast, the first 4 n and
10 n train the predictor that a diagnosis of them hands out, all others test it. Of a table a
quarter of the training rows goes to the forecast, and all of them train. Generated problems draw
new rows. Times are taken afterwards, one after the other.
"""

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from forecast_sets import RealSet, available, load
from harness import table
from numpy.typing import NDArray
from run import DOCS, write_sections
from run import machine as stamp
from scipy.optimize import curve_fit
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits
from truths import MEASURING
from verdict_truth import draw

from reldim import diagnose
from tables import open_tables

Array = NDArray[np.float64]

PAGE = DOCS / "forecast.md"

#: Draws whose rows nothing was tuned on.
FIRST_DRAW = 1000

#: How far forecasts look, in multiples of the rows at hand; those from a quarter of a table.
MULTIPLES, TO_ALL = (4, 10), (4,)

#: Rows that test a predictor, at most, and rows of generated problems.
TEST_ROWS, GENERATED_ROWS = 3000, 100

#: What the number of threads is read from.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

#: Sets whose times are taken.
TIMED = ("banana", "splice", "image", "digits", "noisy-sinc")

#: Power laws fitted to scikit-learn's learning_curve of a tuned support vector machine: what one
#: does without reldim. They forecast its errors, and are held against those.
MACHINE = "SVM's learning_curve, a + b m^-c"
MACHINE_WITHOUT_FLOOR = "SVM's learning_curve, b m^-c"


@dataclass(frozen=True)
class Result:
    """What a draw came to: errors measured and forecast, by multiples of n."""

    name: str
    group: str
    task: str
    n: int
    multiples: tuple[int, ...]
    now: float
    measured: tuple[float, ...]
    forecast: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    rivals: dict[str, tuple[float, ...]] = field(default_factory=dict)
    measured_machine: tuple[float, ...] = ()


def forecast_and_measure(
    name: str,
    group: str,
    task: str,
    multiples: tuple[int, ...],
    rows: Sequence[tuple[Any, Any]],
    error_of: Callable[[Any], float],
) -> Result:
    """Forecast from the first of several sets of rows, and measure with the others."""
    found = diagnose(*rows[0], task=task)
    # Rows that repeat others do not count; the forecast is for as many times those that do.
    ahead = found.forecast([k * found.n for k in multiples])
    later = [diagnose(*more, task=task, references=False).predictor() for more in rows[1:]]
    return Result(
        name=name,
        group=group,
        task=task,
        n=len(rows[0][1]),
        multiples=multiples,
        now=found.error_estimate,
        measured=tuple(error_of(model) for model in later),
        forecast=tuple(ahead.error.tolist()),
        lower=tuple(ahead.lower.tolist()),
        upper=tuple(ahead.upper.tolist()),
    )


def of_set(name: str, seed: int, *, rivals: bool = True) -> Result:
    """Forecast from one draw of a set."""
    data = load(name)
    order, n = np.random.default_rng(seed).permutation(len(data.y)), data.n
    test = order[MULTIPLES[-1] * n :][:TEST_ROWS]

    def error_of(model: Any) -> float:
        predicted, truth = model.predict(data.X[test]), data.y[test]
        if data.task == "classification":
            return float(np.mean(predicted != truth))
        return float(np.mean((predicted - truth) ** 2) / np.var(data.y))

    rows = [(data.X[order[: k * n]], data.y[order[: k * n]]) for k in (1, *MULTIPLES)]
    found = forecast_and_measure(name, "sets", data.task, MULTIPLES, rows, error_of)
    if not rivals:
        return found
    sizes, errors = learning_curve_points(data, order[:n], seed)
    wanted = np.array([float(k * n) for k in MULTIPLES])
    curves = {
        MACHINE: power_law(sizes, errors, wanted),
        MACHINE_WITHOUT_FLOOR: power_law(sizes, errors, wanted, floor=False),
    }
    return Result(
        **{
            **vars(found),
            "rivals": {rival: tuple(map(float, curve)) for rival, curve in curves.items()},
            "measured_machine": tuple(error_of(machine(data).fit(*more)) for more in rows[1:]),
        }
    )


def of_table(folder: str, name: str, seed: int) -> Result:
    """Forecast from a quarter of the training rows of a table."""
    (one,) = open_tables(Path(folder), [name])
    X, y = one.training
    order = np.random.default_rng(seed).permutation(one.train)
    rows = [
        (X.iloc[part].reset_index(drop=True), y.iloc[part].reset_index(drop=True))
        for part in (order[: one.train // 4], order)
    ]
    return forecast_and_measure(
        name,
        "tables",
        one.task,
        TO_ALL,
        rows,
        lambda model: one.error_of(model.predict(one.test[0])),
    )


def of_problem(name: str, seed: int) -> Result:
    """Forecast from rows of a generated problem."""
    rng = np.random.default_rng([list(MEASURING).index(name), seed, 8])
    problem = MEASURING[name](rng)
    drawn = [draw(problem, k * GENERATED_ROWS, rng) for k in (1, *MULTIPLES)]
    test = problem.draw(TEST_ROWS, rng)
    return forecast_and_measure(
        name,
        "generated",
        problem.task,
        MULTIPLES,
        [(one.X, one.y) for one in drawn],
        lambda model: problem.error(test, model.predict(test.X)),
    )


def run(task: tuple[str, ...]) -> Result:
    """Do one task: what kind, and its arguments."""
    warnings.simplefilter("ignore")
    kind, *arguments, seed = task
    work: Any = {"set": of_set, "table": of_table, "problem": of_problem}[kind]
    return work(*arguments, int(seed))


def machine(data: RealSet) -> Any:
    """Return a support vector machine, tuned inside: what many use today."""
    model = SVC() if data.task == "classification" else SVR()
    prefix = type(model).__name__.lower()
    grid = {f"{prefix}__C": np.logspace(0, 2, 3), f"{prefix}__gamma": np.logspace(-3, 0, 4)}
    return GridSearchCV(make_pipeline(StandardScaler(), model), grid, cv=3)


def learning_curve_points(data: RealSet, rows: Array, seed: int) -> tuple[Array, Array]:
    """Return the sizes and errors of scikit-learn's learning_curve, as it is by default."""
    classes = data.task == "classification"
    folds = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=seed)
    sizes, _, scores = learning_curve(
        machine(data),
        data.X[rows],
        data.y[rows],
        cv=folds,
        scoring="accuracy" if classes else "neg_mean_squared_error",
        shuffle=True,
        random_state=seed,
    )
    errors = 1.0 - scores if classes else -scores / np.var(data.y[rows])
    # Small samples may hold one class only, which no classifier is fitted to.
    known = np.isfinite(errors).any(axis=1)
    return sizes[known].astype(np.float64), np.nanmean(errors[known], axis=1)


def power_law(sizes: Array, errors: Array, wanted: Array, *, floor: bool = True) -> Array:
    """Fit a + b m^-c by least squares, all of them above zero, and evaluate it."""

    def with_floor(m: Array, a: float, b: float, c: float) -> Array:
        return a + b * m**-c

    def without(m: Array, b: float, c: float) -> Array:
        return b * m**-c

    function: Callable[..., Array] = with_floor if floor else without
    start = [float(errors.min()) / 2, 1.0, 0.5] if floor else [1.0, 0.5]
    upper = [np.inf, np.inf, 5.0] if floor else [np.inf, 5.0]
    lower = [0.0] * len(start)
    try:
        found, _ = curve_fit(
            function, sizes, errors, p0=start, bounds=(lower, upper), max_nfev=20000
        )
    except (RuntimeError, TypeError):
        return np.full(len(wanted), errors[-1])
    return function(wanted, *found)


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.1f}"


def accuracy(results: list[Result]) -> str:
    """Make the table of errors on sets, in percentage points."""
    rows, gathered = [], []
    rivals = list(results[0].rivals)
    for name in dict.fromkeys(result.name for result in results):
        draws = [result for result in results if result.name == name]
        truth = np.median([result.measured for result in draws], axis=0)
        ours = np.mean([result.forecast for result in draws], axis=0)
        errors = [off([one.forecast for one in draws], [one.measured for one in draws])]
        errors += [
            off([one.rivals[rival] for one in draws], [one.measured_machine for one in draws])
            for rival in rivals
        ]
        gathered.append((draws[0].task, errors))
        figures = [f"{percent(a)} ({percent(b)})" for a, b in zip(ours, truth, strict=True)]
        rows.append([name, f"{draws[0].n}", *figures, *(percent(error) for error in errors)])
    for task, title in (("classification", "classes"), ("regression", "numbers"), ("", "all")):
        chosen = [errors for kind, errors in gathered if task in {kind, ""}]
        if chosen:
            means = np.mean(chosen, axis=0)
            label = f"**mean of {len(chosen)}, {title}**"
            rows.append([label, "", "", "", *(f"**{percent(mean)}**" for mean in means)])
    return table(
        "Accuracy on sets",
        [
            "set",
            "n",
            "forecast (measured) at 4 n",
            "at 10 n",
            "forecast",
            *(f"`{rival}`" for rival in rivals),
        ],
        rows,
        "The last columns are mean absolute differences from the measured errors, over draws and "
        "both horizons, in percentage points: of labels, or of the variance of a number. Forecasts "
        "of the SVM's error are held against its own errors.",
    )


def off(forecast: list[tuple[float, ...]], measured: list[tuple[float, ...]]) -> float:
    """Return the mean distance of forecasts from the errors that the median draw measured."""
    return float(np.mean(np.abs(np.array(forecast) - np.median(measured, axis=0))))


def from_a_quarter(results: list[Result]) -> str:
    """Make the table of forecasts from a quarter of a table, one by one."""
    rows = [
        [
            one.name,
            f"{one.n}",
            percent(one.now),
            percent(one.forecast[0]),
            f"{percent(one.lower[0])} to {percent(one.upper[0])}",
            percent(one.measured[0]),
            "yes" if holds(one, 0) else "no",
        ]
        for one in results
    ]
    return table(
        "From a quarter of a table to all of it",
        ["table", "rows", "error now", "forecast for all", "interval", "reached", "held"],
        rows,
        "In percent. Rows are a quarter of the training rows; the error that is reached is that of "
        "the predictor of all of them on the test rows.",
    )


def holds(one: Result, place: int) -> bool:
    """Tell whether the interval holds the measured error."""
    return one.lower[place] <= one.measured[place] <= one.upper[place]


def bias(results: list[Result]) -> str:
    """Make the table of bias and coverage by kind of data and horizon."""
    rows = []
    for group in dict.fromkeys(one.group for one in results):
        for task, title in (("classification", "classes"), ("regression", "numbers")):
            part = [one for one in results if (one.group, one.task) == (group, task)]
            for place, k in enumerate(part[0].multiples if part else ()):
                rows.append(_bias_row(f"{group}, {title}, {k} n", [(one, place) for one in part]))
    everything = [(one, place) for one in results for place in range(len(one.multiples))]
    rows.append(_bias_row("**all**", everything))
    return table(
        "Bias and intervals",
        [
            "forecasts",
            "number",
            "forecast over reached",
            "error now over reached",
            "intervals that hold",
            "that lie above",
            "median width",
        ],
        rows,
        "Ratios are geometric means, 0.2 % added to both sides; an interval is to hold the error "
        "that is reached in 90 %. Widths in percentage points.",
    )


def _bias_row(name: str, part: list[tuple[Result, int]]) -> list[str]:
    def ratio(figures: list[float]) -> str:
        reached = np.array([one.measured[place] for one, place in part])
        return f"{np.exp(np.mean(np.log((np.array(figures) + 0.002) / (reached + 0.002)))):.2f}"

    return [
        name,
        f"{len(part)}",
        ratio([one.forecast[place] for one, place in part]),
        ratio([one.now for one, _ in part]),
        f"{np.mean([holds(one, place) for one, place in part]):.0%}",
        f"{np.mean([one.measured[place] < one.lower[place] for one, place in part]):.0%}",
        percent(statistics.median(one.upper[place] - one.lower[place] for one, place in part)),
    ]


def seconds(work: Callable[[], Any], runs: int = 3) -> float:
    """Return the time that some work takes, the median of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def times(names: list[str]) -> str:
    """Make the table of times."""
    rows = []
    for name in names:
        data = load(name)
        chosen = np.random.default_rng(FIRST_DRAW).permutation(len(data.y))[: data.n]
        X, y, task = data.X[chosen], data.y[chosen], data.task
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = diagnose(X, y, task=task)
            alone = seconds(lambda found=found: found.forecast())
            whole = seconds(lambda X=X, y=y, task=task: diagnose(X, y, task=task).forecast())
            peer = seconds(
                lambda data=data, rows=chosen: learning_curve_points(data, rows, FIRST_DRAW), 1
            )
        figures = [f"{1000 * alone:.1f}", f"{whole:.1f}", f"{peer:.1f}", f"{peer / whole:.1f}"]
        rows.append([name, f"{data.n}", *figures])
    return table(
        "Time",
        [
            "set",
            "n",
            "`forecast` alone, ms",
            "with the diagnosis, s",
            "`learning_curve` of a tuned SVM, s",
            "ratio",
        ],
        rows,
        "One thread, medians of three. The SVM is tuned inside by three-fold cross-validation over "
        "twelve pairs of C and gamma. A diagnosis tries other models too.",
    )


def tasks_of(asked: argparse.Namespace) -> list[tuple[str, ...]]:
    """Return what is to be done."""
    draws = [str(FIRST_DRAW + number) for number in range(asked.draws)]
    tasks = [("set", name, seed) for name in asked.sets.split(",") if name for seed in draws]
    if asked.folder is not None:
        names = [path.name.removesuffix(".csv.gz") for path in asked.folder.glob("*.csv.gz")]
        tasks += [("table", str(asked.folder), name, draws[0]) for name in sorted(names)]
    problems = [name for name in MEASURING if not name.startswith("nothing")]
    return tasks + [("problem", name, seed) for name in problems for seed in draws]


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(available()), help="names, with commas between")
    parser.add_argument("--folder", type=Path, help="tables, see benchmarks/tables.py")
    parser.add_argument("--draws", type=int, default=1, help="random orders of each set")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--skip-times", action="store_true", help="accuracy only")
    parser.add_argument("--write", action="store_true", help="replace the tables on the page")
    asked = parser.parse_args()
    # Read by the libraries when the workers start: several of them share the cores.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        results = list(pool.map(run, tasks_of(asked)))
    parts = [bias(results)]
    for group, tabulate in (("tables", from_a_quarter), ("sets", accuracy)):
        chosen = [one for one in results if one.group == group]
        parts += [tabulate(chosen)] if chosen else []
    if not asked.skip_times:
        timed = [name for name in TIMED if name in asked.sets.split(",")]
        with threadpool_limits(1):
            parts += [times(timed)] if timed else []
    text = "\n".join([*parts, f"*{stamp()}*\n"])
    print(text)
    if asked.write:
        write_sections(PAGE, {"tables": f"\n{text}"})


if __name__ == "__main__":
    main()
