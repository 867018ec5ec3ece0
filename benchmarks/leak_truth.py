"""Columns that tell the target: how often innocent ones are accused, and planted ones found.

`find_leak` looks at the encoded columns of a table and at the targets, not at any fit, so that it
is called here without a diagnosis around it.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from harness import table
from numpy.typing import NDArray
from verdict_truth import spread

from reldim.diagnosis.leaks import find_leak
from reldim.inputs.targets import code_targets

Rng = np.random.Generator

SIZES = (100, 300, 1000, 3000, 10_000)

#: Tables in a cell, by default; a tenth of it for planted leaks.
DRAWS = 200

#: Targets that ignore all columns.
TARGETS: dict[str, Callable[[Rng, int], NDArray[Any]]] = {
    "two classes, even": lambda rng, n: rng.integers(0, 2, n).astype(str),
    "two classes, one in ten": lambda rng, n: (rng.random(n) < 0.1).astype(str),
    "three classes": lambda rng, n: rng.choice(["a", "b", "c"], n),
    "numbers": lambda rng, n: rng.standard_normal(n),
}


def innocent(rng: Rng, n: int) -> pd.DataFrame:
    """Draw columns of coin flips, dice, categories and numbers."""
    levels = np.array([f"level {i}" for i in range(40)])
    return pd.DataFrame(
        {
            **{f"coin {i}": rng.integers(0, 2, n) for i in range(3)},
            "rare coin": (rng.random(n) < 0.05).astype(int),
            "die": rng.integers(1, 7, n),
            **{f"category of {k}": rng.choice(levels[:k], n) for k in (2, 6, 40)},
            **{f"number {i}": rng.standard_normal(n) for i in range(3)},
            "rounded": rng.standard_normal(n).round(1),
        }
    )


#: Ways in which a column may hold the target, for classes and for numbers.
LEAKS: dict[str, tuple[str, Callable[[NDArray[Any], Rng], NDArray[Any]]]] = {
    "the class in other words": ("class", lambda y, _: np.char.add("is ", y)),
    "the class as a number": ("class", lambda y, _: np.unique(y, return_inverse=True)[1]),
    "a number apart by class": (
        "class",
        lambda y, rng: np.unique(y, return_inverse=True)[1] + rng.uniform(0, 0.4, len(y)),
    ),
    "the class, 2 in 1000 wrong": (
        "class",
        lambda y, rng: np.where(rng.random(len(y)) < 0.002, rng.permutation(y), y),
    ),
    "subclasses": (
        "class",
        lambda y, rng: np.char.add(y.astype(str), rng.integers(0, 4, len(y)).astype(str)),
    ),
    "a multiple": ("number", lambda y, _: 2.5 * y),
    "another unit": ("number", lambda y, _: 32 + 1.8 * y),
    "its exponential": ("number", lambda y, _: np.exp(y)),
    "rounded to two digits": ("number", lambda y, _: y.round(2)),
    "read in two units": (
        "number",
        lambda y, rng: np.where(rng.random(len(y)) < 0.2, y / 1000, y),
    ),
}


def found_in(frame: pd.DataFrame, y: NDArray[Any]) -> str | None:
    """Return what is said about a column that tells the target, or None.

    Categories become one column per level here, and not by a preparation, which takes long.
    """
    parts, sources = [], []
    for name in frame:
        column = frame[name].to_numpy()
        if column.dtype.kind in "biuf":
            part = column[:, None].astype(np.float64)
        else:
            part = np.eye(frame[name].nunique())[np.unique(column, return_inverse=True)[1]]
        parts.append(part)
        sources += [name] * part.shape[1]
    problem: Any = SimpleNamespace(table=SimpleNamespace(sources=tuple(sources)))
    verdict = next(find_leak(problem, np.hstack(parts), code_targets(y)), None)
    return None if verdict is None else verdict.evidence


def accused(task: tuple[str, int, int]) -> bool:
    """Tell whether an innocent column is accused."""
    kind, n, seed = task
    rng = np.random.default_rng([n, seed, 6])
    return found_in(innocent(rng, n), TARGETS[kind](rng, n)) is not None


def caught(task: tuple[str, int, int]) -> bool:
    """Tell whether a planted column is found, by its name."""
    way, n, seed = task
    rng = np.random.default_rng([n, seed, 7])
    kind, leak = LEAKS[way]
    y = TARGETS["three classes" if kind == "class" else "numbers"](rng, n)
    told = found_in(innocent(rng, n).assign(**{"paid later": leak(y, rng)}), y)
    return told is not None and "column paid later" in told


def counted(
    found: Callable[[tuple[str, int, int]], bool], kind: str, draws: int, jobs: int
) -> list[str]:
    """Count what is found among the draws, one cell per number of rows."""
    tasks = {n: [(kind, n, seed) for seed in range(draws)] for n in SIZES}
    return [f"{sum(spread(found, tasks[n], jobs))} of {draws}" for n in SIZES]


def leaks(draws: int | None, jobs: int) -> str:
    """Count false accusations and planted leaks that are found."""
    draws = draws or DRAWS
    rows = [
        [f"{title}: {kind}", *counted(found, kind, count, jobs)]
        for title, found, kinds, count in (
            ("coin flips", accused, TARGETS, draws),
            ("planted", caught, LEAKS, max(1, draws // 10)),
        )
        for kind in kinds
    ]
    return table(
        "Leaks",
        ["tables", *(f"{n} rows" for n in SIZES)],
        rows,
        "Coin flips: tables of twelve columns (0/1, dice, categories of 2 to 40 levels, numbers) "
        "and targets that ignore them; how many get RD016. Planted: the same columns beside one "
        "that holds the target; how many get RD016 that names it.",
    )
