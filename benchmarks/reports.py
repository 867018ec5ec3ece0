"""The report: how long it takes after a diagnosis, and how large it is."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from harness import measure, table

import reldim

#: Of a report, in megabytes.
LIMIT = 3.0

ROWS = (1000, 10_000, 100_000)


def _prepared(rows: int, classes: int) -> Callable[[], tuple[float, float]]:
    """Diagnose data with some noise; what is timed is the report."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 5))
    scores = 3 * np.sin(X @ rng.normal(size=(5, classes))) + rng.gumbel(size=(rows, classes))
    start = time.perf_counter()
    found = reldim.diagnose(X, np.argmax(scores, axis=1).astype(str))
    # The conclusions belong to the diagnosis, whoever asks for them first.
    found = found.concluded()
    seconds = time.perf_counter() - start

    def write() -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            found.write_report(path)
            return seconds, path.stat().st_size / 1e6

    return write


def report(sizes: tuple[int, ...] = ROWS) -> str:
    """Tabulate time and size of reports."""
    rows = []
    for n in sizes:
        # Ten classes at the largest size would take half an hour and say nothing else.
        for classes in (2, 10) if n < max(sizes) or len(sizes) == 1 else (2,):
            measured = measure(_prepared, n, classes, n=1)
            diagnosis, megabytes = measured.result
            rows.append(
                [
                    str(n),
                    str(classes),
                    f"{diagnosis:.1f} s",
                    f"{measured.seconds:.1f} s",
                    f"{megabytes:.2f} MB",
                ]
            )
    return table(
        "Report",
        ["rows", "classes", "diagnosis", "report after it", "size of the page"],
        rows,
        f"The size is bounded by design; the limit is {LIMIT:g} MB. Half of the time "
        "goes into the effects of columns, the rest into the page and the label issues.",
    )


if __name__ == "__main__":
    print(report(tuple(map(int, sys.argv[1:])) or ROWS))
