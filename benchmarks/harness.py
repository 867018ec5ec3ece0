"""Time, peak memory and result of a function, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
from joblib.externals.loky import get_reusable_executor


@dataclass(frozen=True)
class Measurement:
    """Median seconds, peak memory in MB beyond the start, and what the function returned."""

    seconds: float
    megabytes: float
    result: Any


def peak_megabytes() -> float:
    """Return the largest memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run(connection: Any, function: Callable[..., Any], arguments: tuple[Any, ...], n: int) -> None:
    seconds = []
    result = None
    # By default child processes use one core, since there may be many of them.
    with joblib.parallel_config(n_jobs=-1):
        prepared = function(*arguments)
        before = peak_megabytes()
        for _ in range(n):
            start = time.perf_counter()
            result = prepared()
            seconds.append(time.perf_counter() - start)
    connection.send((statistics.median(seconds), peak_megabytes() - before, result))
    # joblib's workers wait five minutes for more to do, and this process would wait for them.
    get_reusable_executor(reuse=True).shutdown(kill_workers=True)


def measure(function: Callable[..., Callable[[], Any]], *arguments: Any, n: int = 3) -> Measurement:
    """Measure ``function(*arguments)()``: the outer call prepares, the inner one is timed.

    A process of its own gives each contender a fresh heap, so that peak memory is its own.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(theirs, function, arguments, n))
    process.start()
    theirs.close()
    try:
        seconds, megabytes, result = ours.recv()
    except EOFError:
        raise RuntimeError(f"{function.__name__}{arguments} died; see above") from None
    finally:
        process.join()
    return Measurement(seconds, megabytes, result)


def in_turn(
    functions: Sequence[Callable[..., Callable[[], Any]]],
    *arguments: Any,
    rounds: int = 5,
    n: int = 3,
) -> list[Measurement]:
    """Measure several functions in turn, again and again, so that a slow minute hits them all."""
    seen = [[measure(function, *arguments, n=n) for function in functions] for _ in range(rounds)]
    return [
        Measurement(
            statistics.median(one.seconds for one in of_one),
            max(one.megabytes for one in of_one),
            of_one[-1].result,
        )
        for of_one in zip(*seen, strict=True)
    ]


def table(title: str, header: list[str], rows: list[list[str]], remark: str = "") -> str:
    """Lay out a table in Markdown."""
    lines = [f"## {title}", ""]
    lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    if remark:
        lines += ["", remark]
    return "\n".join([*lines, ""])
