"""Single against double precision: the same numbers, twenty tables, two diagnoses each.

    python benchmarks/precision.py --folder DIR          # all tables; DIR as for tables.py
    python benchmarks/precision.py --folder DIR offset   # some of them

Real tables are reduced to their columns of numbers, which are standardised. Numbers are rounded
to single precision first, so that both diagnoses are given the same ones.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import table
from numpy.typing import NDArray
from problems import Data, rough, smooth, waves

from reldim import Diagnosis, diagnose
from reldim.exceptions import ReldimError
from tables import open_tables, parser_of_tables

#: Real tables of 3000 rows and more.
REAL = ("abalone", "compactiv", "phoneme", "puma32h", "skillcraft", "spambase")


def normal(
    n: int, columns: int, noise: float, change: Callable[[Any], Any] = lambda X: X
) -> Callable[[], Data]:
    """Return what draws normal columns, changes them, and adds noise to a sine and a line."""

    def draw() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, columns))
        return change(X), np.sin(2 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n)

    return draw


def pure_noise() -> Data:
    """Draw targets that have nothing to do with the columns."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 10)), rng.normal(size=3000)


def three_classes() -> Data:
    """Draw three overlapping classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=4000)
    return rng.normal(size=(4000, 6)) + y[:, None] * np.array([1.0, 0.5, 0, 0, 0, 0]), y


#: Generated tables by name.
GENERATED: dict[str, Callable[[], Data]] = {
    "smooth": lambda: smooth(3000),
    "smooth, 50 columns": lambda: smooth(3000, 50),
    "rough": lambda: rough(3000),
    "waves": lambda: waves(4000),
    "no noise": normal(3000, 5, 0.0),
    "12 columns": normal(3000, 12, 0.3),
    "12 columns, no noise": normal(3000, 12, 0.0),
    "16 columns": normal(6000, 16, 0.5),
    "8 columns, many rows": normal(12_000, 8, 0.5),
    "2 columns, many rows": normal(20_000, 2, 0.5),
    "offset": normal(3000, 6, 0.3, lambda X: X + 1000),
    "heavy tails": normal(3000, 6, 0.3, lambda X: X**3),
    "three classes": three_classes,
    "pure noise": pure_noise,
}


def chosen(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, NDArray[Any], Any]]:
    """Yield names, columns and targets of the tables that were asked for."""
    for name in [name for name in GENERATED if not names or name in names]:
        yield name, *GENERATED[name]()
    real = [name for name in REAL if not names or name in names]
    for one in open_tables(folder, real) if real else ():
        X = one.X.select_dtypes("number").dropna(axis=1).to_numpy(dtype=np.float64)
        X = X[:, X.std(axis=0) > 0]
        yield one.name, (X - X.mean(axis=0)) / X.std(axis=0), one.y.to_numpy()


def told(X: NDArray[Any], y: Any) -> tuple[Diagnosis | ReldimError, float]:
    """Return a diagnosis, or the error that it ended in, and how long it took."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: Diagnosis | ReldimError = diagnose(X, y, kernels="gaussian", references=False)
        except ReldimError as error:
            found = error
    return found, time.perf_counter() - start


def row_of(name: str, X: NDArray[Any], y: Any) -> list[str]:
    """Diagnose a table in both precisions."""
    single = X.astype(np.float32)
    cells = [name, f"{X.shape[0]} x {X.shape[1]}"]
    errors = []
    for rows in (single, single.astype(np.float64)):
        found, seconds = told(rows, y)
        if isinstance(found, ReldimError):
            cells.append("failed")
            continue
        errors.append(found.error_estimate)
        cells.append(
            f"{found.verdict.code}, {found.error_estimate:.4f}, {found.dimension}, {seconds:.0f} s"
        )
    difference = f"{errors[0] / errors[1] - 1:+.2%}" if len(errors) == 2 else "-"
    print(*cells, difference, flush=True)
    return [*cells, difference]


def main() -> None:
    """Run what was asked for."""
    asked = parser_of_tables(__doc__).parse_args()
    rows = [row_of(*one) for one in chosen(asked.folder, asked.names)]
    print(
        table(
            "Single against double precision",
            ["table", "rows x columns", "float32", "float64", "error, float32 / float64 - 1"],
            rows,
            "Verdict, expected error, relevant dimension and seconds of `diagnose(X, y, "
            'kernels="gaussian", references=False)`.',
        )
    )


if __name__ == "__main__":
    main()
