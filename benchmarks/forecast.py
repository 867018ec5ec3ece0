"""Forecasts from n rows, held against errors measured with 4 n and 10 n rows.

    python benchmarks/forecast.py                          # all tables, to the terminal
    python benchmarks/forecast.py --sets banana,digits --draws 1
    python benchmarks/forecast.py --write                  # and into docs/forecast.md

A draw puts the rows of a set into a random order. The first n go to the forecast and to its rivals,
the first 4 n and 10 n train the same predictor, all others test it. Accuracy runs on all cores, one
thread each; times are taken afterwards, one after the other.
"""

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from forecast_sets import RealSet, available, load
from harness import table
from numpy.typing import NDArray
from scipy.optimize import curve_fit
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

from reldim import Diagnosis, KernelPCClassifier, KernelPCRegressor, diagnose
from reldim.theory import ridge_risk

Array = NDArray[np.float64]

PAGE = Path(__file__).parents[1] / "docs" / "forecast.md"

#: Draws whose rows nothing was tuned on.
FIRST_DRAW = 1000

#: How far forecasts look, in multiples of the rows at hand.
MULTIPLES = (4, 10)

#: Rows that test a predictor, at most.
TEST_ROWS = 3000

#: What the number of threads is read from.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

#: Sets whose times are taken.
TIMED = ("banana", "splice", "image", "digits", "noisy-sinc")

RIVALS = {
    "learning_curve, a + b m^-c": "the power law with a floor, fitted to learning_curve",
    "learning_curve, b m^-c": "the power law without one, fitted to learning_curve",
    "spectrum": "the formula of reldim.theory.ridge_risk",
    "subsamples": "a + b m^-c fitted to tests of subsamples and leave-one-out",
}

#: The same for a tuned support vector machine: its own errors are forecast, and held against those
#: that it makes.
RIVALS_OF_MACHINES = {
    "SVM's learning_curve, a + b m^-c": "the power law with a floor",
    "SVM's learning_curve, b m^-c": "the power law without one",
}


@dataclass(frozen=True)
class Result:
    """What a draw of a set came to: errors measured and forecast, by multiples of n."""

    name: str
    task: str
    n: int
    measured: tuple[float, ...]
    forecast: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    rivals: dict[str, tuple[float, ...]]
    measured_machine: tuple[float, ...]

    def truth(self, rival: str) -> tuple[float, ...]:
        """Return what a rival is to forecast."""
        return self.measured_machine if rival in RIVALS_OF_MACHINES else self.measured


def predictor(data: RealSet, kernels: Any = None) -> Any:
    """Return the predictor whose error is forecast."""
    return (KernelPCClassifier if data.task == "classification" else KernelPCRegressor)(kernels)


def machine(data: RealSet) -> Any:
    """Return a support vector machine, tuned inside: what many use today."""
    model = SVC() if data.task == "classification" else SVR()
    prefix = type(model).__name__.lower()
    grid = {f"{prefix}__C": np.logspace(-1, 3, 5), f"{prefix}__gamma": np.logspace(-4, 0, 5)}
    return GridSearchCV(make_pipeline(StandardScaler(), model), grid, cv=3)


def measured_error(data: RealSet, rows: Array, test: Array, model: Any) -> float:
    """Return the error of a predictor on test rows."""
    model = model.fit(data.X[rows], data.y[rows])
    predicted, truth = model.predict(data.X[test]), data.y[test]
    if data.task == "classification":
        return float(np.mean(predicted != truth))
    return float(np.mean((predicted - truth) ** 2) / np.var(data.y))


def rows_of(data: RealSet, draw: int) -> NDArray[np.intp]:
    """Put the rows into a random order."""
    return np.random.default_rng(draw).permutation(len(data.y))


def run(task: tuple[str, int]) -> Result:
    """Forecast from one draw of a set, and measure."""
    warnings.simplefilter("ignore")
    name, draw = task
    data = load(name)
    order, n = rows_of(data, draw), data.n
    test = order[MULTIPLES[-1] * n :][:TEST_ROWS]
    rows = order[:n]
    diagnosis = diagnose(data.X[rows], data.y[rows], task=data.task)
    found = diagnosis.forecast([k * diagnosis.n for k in MULTIPLES])
    sizes, errors = learning_curve_points(data, rows, predictor(data), draw)
    wanted = np.array([float(k * n) for k in MULTIPLES])
    rivals = {
        "learning_curve, a + b m^-c": power_law(sizes, errors, wanted),
        "learning_curve, b m^-c": power_law(sizes, errors, wanted, floor=False),
        "spectrum": by_spectrum(diagnosis),
        "subsamples": power_law(*subsamples(data, rows, diagnosis, draw), wanted),
    }
    sizes, errors = learning_curve_points(data, rows, machine(data), draw)
    for rival, floor in zip(RIVALS_OF_MACHINES, (True, False), strict=True):
        rivals[rival] = power_law(sizes, errors, wanted, floor=floor)

    def measured(make: Callable[[RealSet], Any]) -> tuple[float, ...]:
        return tuple(measured_error(data, order[: k * n], test, make(data)) for k in MULTIPLES)

    return Result(
        name=name,
        task=data.task,
        n=n,
        measured=measured(predictor),
        forecast=tuple(found.error.tolist()),
        lower=tuple(found.lower.tolist()),
        upper=tuple(found.upper.tolist()),
        rivals={name: tuple(map(float, values)) for name, values in rivals.items()},
        measured_machine=measured(machine),
    )


def learning_curve_points(data: RealSet, rows: Array, model: Any, draw: int) -> tuple[Array, Array]:
    """Return the sizes and errors of scikit-learn's learning_curve, as it is by default."""
    classes = data.task == "classification"
    folds = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=draw)
    sizes, _, scores = learning_curve(
        model,
        data.X[rows],
        data.y[rows],
        cv=folds,
        scoring="accuracy" if classes else "neg_mean_squared_error",
        shuffle=True,
        random_state=draw,
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


def by_spectrum(diagnosis: Diagnosis) -> Array:
    """Forecast by the formula for kernel ridge regression with the best ridge.

    For classes the error is taken to fall as the squared error of the coded labels does.
    """
    rd = diagnosis.relevance
    n, d, targets = diagnosis.n, rd.dimension, rd.targets
    energies = np.sum(rd.coefficients.reshape(len(rd.coefficients), -1) ** 2, axis=1)
    noise = (targets.energy - energies[:d].sum()) / (n - d)
    signal = np.where(np.arange(len(energies)) < d, np.maximum(energies - noise, 0.0), 0.0) / n
    values = rd.spectrum.eigenvalues.astype(np.float64)
    ridges = values[0] * np.geomspace(1e-6, 1e2, 17)

    def risk(rows: int) -> float:
        risks = (ridge_risk(values, signal, noise=noise, n=rows, ridge=r) for r in ridges)
        return min(found.error for found in risks)

    errors = np.array([risk(k * n) for k in MULTIPLES])
    if targets.codes is None:
        return errors / (targets.energy / n)
    return rd.error_estimate * errors / risk(n)


def subsamples(data: RealSet, rows: Array, diagnosis: Diagnosis, draw: int) -> tuple[Array, Array]:
    """Fit on eighths, quarters and halves of the rows, test on the others; at n leave one out."""
    near = diagnosis.tried[max(0, diagnosis.index - 1) : diagnosis.index + 2]
    kernels = [row.kernel for row in near]
    rng = np.random.default_rng(draw)
    sizes, errors = [], []
    for parts in (8, 4, 2):
        found = [
            measured_error(data, part, np.setdiff1d(rows, part), predictor(data, kernels))
            for part in np.array_split(rng.permutation(rows), parts)
            if data.task == "regression" or len(np.unique(data.y[part])) > 1
        ]
        sizes.append(len(rows) / parts)
        errors.append(float(np.mean(found)) if found else np.nan)
    known = np.isfinite(errors)
    points = np.array([*np.array(sizes)[known], len(rows)])
    return points, np.array([*np.array(errors)[known], diagnosis.error_estimate])


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.1f}"


def accuracy(results: list[Result]) -> str:
    """Make the table of errors, in percentage points."""
    rows, gathered = [], []
    for name in dict.fromkeys(result.name for result in results):
        draws = [result for result in results if result.name == name]
        truth = np.median([result.measured for result in draws], axis=0)
        ours = np.mean([result.forecast for result in draws], axis=0)
        errors = [_off([one.forecast for one in draws], [one.measured for one in draws])]
        errors += [
            _off([one.rivals[rival] for one in draws], [one.truth(rival) for one in draws])
            for rival in (*RIVALS, *RIVALS_OF_MACHINES)
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
        "Accuracy",
        [
            "set",
            "n",
            "forecast (measured) at 4 n",
            "at 10 n",
            "forecast",
            *(f"`{rival}`" if "_" in rival else rival for rival in (*RIVALS, *RIVALS_OF_MACHINES)),
        ],
        rows,
        "The last columns are mean absolute differences from the measured errors, over draws and "
        "both horizons, in percentage points: of labels, or of the variance of a number. Forecasts "
        "of the SVM's error are held against its own errors.",
    )


def _off(forecast: list[tuple[float, ...]], measured: list[tuple[float, ...]]) -> float:
    """Return the mean distance of forecasts from the errors that the median draw measured."""
    return float(np.mean(np.abs(np.array(forecast) - np.median(measured, axis=0))))


def coverage(results: list[Result]) -> str:
    """Make the table of intervals: how often they hold what was measured."""
    rows = []
    for task, title in (("classification", "classes"), ("regression", "numbers")):
        chosen = [result for result in results if result.task == task]
        for place, k in enumerate(MULTIPLES):
            if not chosen:
                continue
            inside = [r.lower[place] <= r.measured[place] <= r.upper[place] for r in chosen]
            below = [r.measured[place] < r.lower[place] for r in chosen]
            width = statistics.median(r.upper[place] - r.lower[place] for r in chosen)
            rows.append(
                [
                    f"{title}, {k} n",
                    f"{len(chosen)}",
                    f"{np.mean(inside):.0%}",
                    f"{np.mean(below):.0%}",
                    percent(width),
                ]
            )
    return table(
        "Intervals",
        ["forecasts", "number", "hold the measured error", "lie above it", "median width"],
        rows,
        "Their nominal coverage is 90 %.",
    )


def seconds(work: Callable[[], Any], runs: int = 3) -> float:
    """Return the time that some work takes, the median of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def ahead(X: Array, y: Array, task: str) -> tuple[float, float]:
    """Time a diagnosis and a forecast of the errors at all horizons, medians of seven runs."""
    both = []
    for _ in range(7):
        start = time.perf_counter()
        diagnosis = diagnose(X, y, task=task)
        middle = time.perf_counter()
        diagnosis.forecast([k * diagnosis.n for k in MULTIPLES])
        both.append((time.perf_counter() - start, time.perf_counter() - middle))
    whole, forecast = np.median(both, axis=0)
    return float(whole), float(forecast)


def times(names: list[str]) -> str:
    """Make the table of times."""
    rows = []
    for name in names:
        data = load(name)
        chosen = rows_of(data, FIRST_DRAW)[: data.n]
        X, y = data.X[chosen], data.y[chosen]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, alone = ahead(X, y, data.task)
            fit = seconds(lambda X=X, y=y, data=data: predictor(data).fit(X, y), runs=7)
            same, machine_time = (
                seconds(
                    lambda m=model, data=data, rows=chosen: learning_curve_points(
                        data, rows, m, FIRST_DRAW
                    )
                )
                for model in (predictor(data), machine(data))
            )
        rows.append(
            [
                name,
                f"{data.n}",
                f"{1000 * ours:.0f}",
                f"{1000 * alone:.1f}",
                f"{1000 * fit:.0f}",
                f"{same:.1f}",
                f"{machine_time:.1f}",
                f"{same / alone:.0f}",
                f"{same / ours:.1f}",
                f"{machine_time / ours:.0f}",
            ]
        )
    return table(
        "Time",
        [
            "set",
            "n",
            "`diagnose` and `forecast`, ms",
            "`forecast` alone, ms",
            "one fit of the predictor, ms",
            "`learning_curve` of the same predictor, s",
            "of a tuned SVM, s",
            "ratio of `forecast`, same predictor",
            "with the diagnosis, same predictor",
            "with the diagnosis, SVM",
        ],
        rows,
        "One thread, medians of seven, of `learning_curve` of three. `learning_curve` fits the "
        "predictor 25 times, to 8 to 80 % of the rows, which takes as long as 14 to 20 fits to all "
        "of them. A diagnosis takes a little longer than one fit, and returns the predictor: after "
        "it only the forecast takes time. The SVM is tuned inside by three-fold "
        "cross-validation over five values each of C and gamma.",
    )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(available()), help="names, with commas between")
    parser.add_argument("--draws", type=int, default=3, help="random orders of each set")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--skip-times", action="store_true", help="accuracy only")
    parser.add_argument("--write", action="store_true", help="replace the tables on the page")
    asked = parser.parse_args()
    names = [name for name in asked.sets.split(",") if name]
    tasks = [(name, FIRST_DRAW + draw) for name in names for draw in range(asked.draws)]
    # Read by the libraries when the workers start: several of them share the cores.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        results = list(pool.map(run, tasks))
    text = f"{accuracy(results)}\n{coverage(results)}"
    if not asked.skip_times:
        with threadpool_limits(1):
            text += "\n" + times([name for name in names if name in TIMED])
    print(text)
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        start, end = "<!-- tables -->\n", "<!-- end tables -->"
        head, tail = page[: page.index(start) + len(start)], page[page.index(end) :]
        PAGE.write_text(f"{head}\n{text}\n{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
