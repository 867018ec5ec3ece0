"""Soak: random diagnoses in one process, each held against the oracle, and the memory watched.

python -m fuzz.soak --minutes 60 --write docs/reliability.md
"""

import argparse
import gc
import os
import secrets
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from fuzz.oracle import check_diagnosis
from fuzz.problems import Problem, damaged, random_problem
from fuzz.record import record
from reldim import diagnose
from reldim.exceptions import ReldimError, ReldimWarning

#: A fixed problem is diagnosed again and again: what it takes must not grow.
EVERY = 50

#: Problems before memory is looked at: caches of Python and BLAS fill up first.
WARM_UP = 300


def resident_bytes() -> int:
    """Return the memory of the process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def try_problem(rng: np.random.Generator, most_rows: int) -> tuple[str, str | None]:
    """Diagnose a random problem; return what came of it, and what was wrong with it."""
    problem = random_problem(rng, most_rows)
    spoilt = rng.random() < 0.2
    if spoilt:
        problem = damaged(rng, problem)
    try:
        outcome = run(problem)
    except ReldimError:
        # Few rows may fall into one class; all others that were not spoilt must be taken.
        honest = not spoilt and len(problem.y) >= 20
        return "refused", f"{problem.what}\n{traceback.format_exc()}" if honest else None
    except Exception:
        return "failed", f"{problem.what}\n{traceback.format_exc()}"
    return (outcome, f"not refused: {problem.what}") if spoilt else (outcome, None)


def run(problem: Problem) -> str:
    """Diagnose and compare with the oracle."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ReldimWarning)
        diagnosis = diagnose(problem.X, problem.y, **problem.options)
        diagnosis.to_dict()
        predicted = diagnosis.predictor().predict(problem.X)
        if len(predicted) != len(problem.y):
            raise AssertionError(f"{len(predicted)} predictions for {len(problem.y)} rows")
        check_diagnosis(diagnosis)
    return "signal" if diagnosis.dimension else "no signal"


def main() -> int:
    """Run for some minutes; the exit code is the number of faults, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rows", type=int, default=400, help="largest number of rows")
    parser.add_argument("--seed", type=int, help="by default another one each time")
    parser.add_argument("--write", type=Path, help="page whose figures are brought up to date")
    options = parser.parse_args()
    seed = secrets.randbits(32) if options.seed is None else options.seed
    start, tried, faults = time.monotonic(), Counter[str](), []
    memory: list[tuple[float, int]] = []
    number = 0
    while time.monotonic() - start < 60 * options.minutes:
        number += 1
        rng = np.random.default_rng([seed, number])
        outcome, fault = try_problem(rng, options.rows)
        tried[outcome] += 1
        if fault is not None:
            faults.append(fault)
            print(f"FAULT in problem {number} of seed {seed}: {fault}", flush=True)
        if number % EVERY == 0 and number >= WARM_UP:
            gc.collect()
            memory.append((time.monotonic() - start, resident_bytes()))
    minutes = (time.monotonic() - start) / 60
    growth = grown(memory)
    summary = {
        "soak-minutes": f"{minutes:.0f}" if minutes >= 1 else f"{minutes:.1f}",
        "soak-diagnoses": str(number),
        "soak-outcomes": ", ".join(f"{count} {name}" for name, count in sorted(tried.items())),
        "soak-faults": str(len(faults)),
        "soak-growth": f"{growth / 2**20:.1f} MiB",
        "soak-memory": f"{memory[-1][1] / 2**20:.0f} MiB" if memory else "not measured",
    }
    for name, figure in summary.items():
        print(f"{name}: {figure}")
    if options.write is not None:
        record(options.write, summary)
    return int(bool(faults))


def grown(memory: list[tuple[float, int]]) -> float:
    """Return how much more memory the last third of a run took than the middle one, in bytes."""
    third = len(memory) // 3
    if third < 2:
        return 0.0
    sizes = np.array([size for _, size in memory], dtype=np.float64)
    return float(np.median(sizes[-third:]) - np.median(sizes[third : 2 * third]))


if __name__ == "__main__":
    sys.exit(main())
