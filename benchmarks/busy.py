"""Diagnoses beside other work: two busy processes, another diagnosis, or nothing.

``RELDIM_BEFORE=folder/src`` adds an older version of the package as a column.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from harness import table
from problems import Data, rough, smooth

SIZES = (442, 2000, 10_000)
ROUNDS = 2

#: At the most this many times the time of one core under the same load, and of one alone.
GOAL_BUSY, GOAL_TWO = 1.5, 2.5

#: Keeps a core busy, and ends with the benchmark, however that ends.
LOOP = "import os; own = os.getppid()\nwhile os.getppid() == own: sum(range(100_000))"

#: Asks for what older versions did: Gaussian kernels, and no other models.
PLAIN = "--plain"

ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def problem(name: str, n: int) -> Data:
    """Return a data set by its name."""
    if name == "diabetes":
        from sklearn.datasets import load_diabetes

        X, y = load_diabetes(return_X_y=True)
        return X, y
    return {"smooth": smooth, "rough": rough}[name](n)


def problems(sizes: tuple[int, ...]) -> list[tuple[str, int]]:
    """Return names and rows: a real table of 442 rows, and a smooth and a rough problem."""
    return [
        (name, n) for n in sizes for name in (("diabetes",) if n == 442 else ("smooth", "rough"))
    ]


def diagnosed(name: str, n: int, **options: Any) -> float:
    """Return the seconds of a whole diagnosis, verdict included, in a process that is warm."""
    import reldim

    X, y = problem(name, n)
    reldim.diagnose(X[:60], y[:60], **options).verdict  # noqa: B018 - computed when asked for
    start = time.perf_counter()
    reldim.diagnose(X, y, **options).verdict  # noqa: B018
    return time.perf_counter() - start


def started(
    name: str, n: int, *options: str, one_core: bool = False, before: bool = False
) -> subprocess.Popen:
    """Begin a diagnosis in a process of its own."""
    environment = {key: value for key, value in os.environ.items() if key not in ONE_CORE}
    environment |= ONE_CORE if one_core else {}
    if before:
        environment["PYTHONPATH"] = os.environ["RELDIM_BEFORE"]
    command = [sys.executable, "-W", "ignore", __file__, "--one", name, str(n), *options]
    return subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.PIPE, text=True
    )


def seconds(process: subprocess.Popen) -> float:
    """Wait for a diagnosis, and return the seconds that it took."""
    printed, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{process.args} ended with {process.returncode}")
    return float(printed)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep cores busy by Python loops."""
    with ExitStack() as stack:
        for _ in range(processes):
            loop = subprocess.Popen([sys.executable, "-c", LOOP])  # noqa: S603
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        yield


def one_round(name: str, n: int) -> dict[str, float]:
    """Measure every case once, so that a slow minute hits them all."""
    found: dict[str, float] = {}
    for load, suffix in ((0, ""), (2, " busy")):
        with busy(load):
            found["one" + suffix] = seconds(started(name, n, one_core=True))
            found["all" + suffix] = seconds(started(name, n))
    pair = [started(name, n), started(name, n)]
    found["two"] = max(seconds(process) for process in pair)
    return found


def same_work(sizes: tuple[int, ...] = SIZES, rounds: int = 3) -> str:
    """Tabulate what an older version did, by both: Gaussian kernels, and no other models."""
    rows = []
    for name, n in problems(sizes):
        seen = [
            (seconds(started(name, n, before=True)), seconds(started(name, n, PLAIN)))
            for _ in range(rounds)
        ]
        before, now = (statistics.median(times) for times in zip(*seen, strict=True))
        rows.append([f"{n:,}, {name}", f"{before:.2f}", f"{now:.2f}", f"**{before / now:.1f}**"])
    return table(
        "The same work before and now",
        ["rows, problem", "before, s", "now, s", "ratio"],
        rows,
        "Quiet machine. Before: `diagnose(X, y)` of the version with threads of BLAS "
        "(`RELDIM_BEFORE=folder/src`), which tried Gaussian kernels only; now: "
        '`diagnose(X, y, kernels="gaussian", references=False)`. What a whole diagnosis does '
        "beyond that, weights of columns and other models, is in the table above.",
    )


def others(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS) -> str:
    """Tabulate diagnoses on a quiet and on a busy machine."""
    rows = []
    for name, n in problems(sizes):
        seen = [one_round(name, n) for _ in range(rounds)]
        t = {case: statistics.median(one[case] for one in seen) for case in seen[0]}
        rows.append(
            [
                f"{n:,}, {name}",
                f"{t['one']:.2f}",
                f"{t['all']:.2f}",
                f"{t['one busy']:.2f}",
                f"{t['all busy']:.2f}",
                f"**{t['all busy'] / t['one busy']:.2f}**",
                f"{t['two']:.2f}",
                f"**{t['two'] / t['all']:.2f}**",
            ]
        )
    return table(
        "Beside other work",
        [
            "rows, problem",
            "one core, s",
            "all cores, s",
            "busy: one core, s",
            "busy: all cores, s",
            "busy: all / one",
            "two at a time, s",
            "two / one at a time",
        ],
        rows,
        "Whole diagnoses, verdict included, each in a process of its own. Busy: beside two Python "
        f"loops; the goal is at most {GOAL_BUSY:g} times the time of one core under the same load. "
        f"Two diagnoses at a time: at most {GOAL_TWO:g} times one.",
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        plain = {"kernels": "gaussian", "references": False} if PLAIN in sys.argv else {}
        print(diagnosed(sys.argv[2], int(sys.argv[3]), **plain))
    else:
        print(others(tuple(map(int, sys.argv[1:])) or SIZES))
