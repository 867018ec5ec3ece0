"""The low-rank Gaussian process classifier beside scikit-learn's full one.

    python benchmarks/gp_classifier.py                      # to the terminal
    python benchmarks/gp_classifier.py --rows 1000 --repeats 1
    python benchmarks/gp_classifier.py --output docs/benchmarks-gp.md

Every timing runs in a process of its own, on one thread, so that peak memory is that of the method
and neither profits from more cores. The data of the second table come from the folder that the
environment variable RELDIM_DATA names, by default ../shared/data beside the repository.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The last line of the page.
SIX_SETS = (
    "Errors of the whole and the reduced matrix on the six sets of Williams and Seeger are in the "
    "[reproduction of their Table 2](reproduction/williams-table2.md)."
)

WIDTH, AMPLITUDE, TEST_ROWS = 5.0, 10.0, 2000


def draw(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Draw two classes in five dimensions: a smooth boundary, some of the labels noisy."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, (f + 0.3 * rng.standard_normal(n) > 0).astype(int)


def measure(method: str, rows: int) -> dict[str, float]:
    """Fit and predict once, in this process."""
    X, y = draw(rows, 0)
    new, truth = draw(TEST_ROWS, 1)
    model: Any
    if method == "scikit-learn":
        from sklearn.gaussian_process import GaussianProcessClassifier
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel

        kernel = ConstantKernel(AMPLITUDE) * RBF(np.sqrt(WIDTH))
        model = GaussianProcessClassifier(kernel, optimizer=None)
    else:
        from reldim import LowRankGPClassifier, kernels

        model = LowRankGPClassifier(AMPLITUDE * kernels.Gaussian(WIDTH), rank=0.99)
    small, labels = draw(50, 2)
    model.fit(small, labels).predict_proba(small)  # imports are not what is measured
    start, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    fitted, fitted_cpu = time.perf_counter(), time.process_time()
    p = model.predict_proba(new)[:, 1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "fit": fitted - start,
        "fit_cpu": fitted_cpu - cpu,
        "predict": time.perf_counter() - fitted,
        "error": float(np.mean((p > 0.5) != truth)),
        "log_loss": float(-np.mean(np.log(np.where(truth, p, 1 - p)))),
        "peak_mb": peak / 1024,
        "rank": float(getattr(model, "rank_", rows)),
    }


def measure_apart(method: str, rows: int, repeats: int) -> dict[str, float]:
    """Measure in fresh processes on one thread; return medians."""
    names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
    single = dict.fromkeys(names, "1")
    runs = []
    for _ in range(repeats):
        command = [sys.executable, str(Path(__file__)), "--measure", method, "--rows", str(rows)]
        done = subprocess.run(  # noqa: S603 - this very file
            command, env={**os.environ, **single}, capture_output=True, text=True, check=True
        )
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def head(columns: list[str]) -> list[str]:
    """Return the first two lines of a table."""
    return [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]


def time_table(rows: int, repeats: int) -> list[str]:
    """Make the table of times, as lines of Markdown."""
    about = (
        f"Two classes in five dimensions, the same fixed kernel {AMPLITUDE:g} exp(-|x - z|² / "
        f"{2 * WIDTH:g}), `optimizer=None`; reldim keeps 99 % of the variance. One thread, median "
        f"of {repeats} runs, each in a process of its own; {TEST_ROWS} test rows. Processor time "
        "is beside the clock since other work may share the machine."
    )
    columns = ["method", "rank", "fit, s", "fit, s of processor", "predict, s", "test error"]
    lines = [
        f"## Time at n = {rows}",
        "",
        about,
        "",
        *head([*columns, "log loss", "peak memory, MB"]),
    ]
    results = {m: measure_apart(m, rows, repeats) for m in ("scikit-learn", "reldim")}
    lines.extend(
        f"| {method} | {r['rank']:.0f} | {r['fit']:.2f} | {r['fit_cpu']:.2f} | "
        f"{r['predict']:.2f} | {r['error']:.3f} | {r['log_loss']:.3f} | {r['peak_mb']:.0f} |"
        for method, r in results.items()
    )
    full, low = results["scikit-learn"], results["reldim"]
    ratio = (
        f"Ratio of fitting times: {full['fit'] / low['fit']:.1f} by the clock, "
        f"{full['fit_cpu'] / low['fit_cpu']:.1f} by processor time."
    )
    lines += ["", ratio, ""]
    return lines


def main() -> None:
    """Read the arguments, measure, print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.rows)))
        return
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [
        "# Benchmark: Gaussian process classification",
        "",
        f"Made by `python benchmarks/gp_classifier.py --output docs/benchmarks-gp.md` ({machine}).",
        "",
        *time_table(arguments.rows, arguments.repeats),
        SIX_SETS,
        "",
    ]
    print("\n".join(lines), flush=True)
    if arguments.output is not None:
        arguments.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
