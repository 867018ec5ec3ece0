"""The two regression problems of the JMLR paper, drawn again and again."""

from typing import Any

import numpy as np

from reldim import datasets
from reproduction.cache import compute
from reproduction.sweep import sweep

__all__ = ["WIDTHS", "draw", "sweep_toys"]

#: Section 4.4 of the JMLR paper.
WIDTHS = np.geomspace(1e-6, 1e2, 20)

TEST_ROWS = 1000


def draw(problem: str, n: int, seed: int) -> datasets.Dataset:
    """Draw the "complex" or the "noisy" problem of Figure 7."""
    if problem == "complex":
        return datasets.sine(n, frequency=35.0, noise=0.1, random_state=seed)
    return datasets.noisy_sinc(n, noise=0.3, random_state=seed)


def sweep_toys(problem: str, n: int, count: int, jobs: int) -> list[dict[str, Any]]:
    """Sweep several draws of a problem over the widths."""
    tasks = [(problem, n, seed) for seed in range(count)]
    return compute(sweep_toy, "toys-2", tasks, jobs=jobs)


def sweep_toy(problem: str, n: int, seed: int) -> dict[str, Any]:
    """Sweep one draw; squared errors are also given without normalisation."""
    train, test = draw(problem, n, seed), draw(problem, TEST_ROWS, 10_000 + seed)
    rows: dict[str, Any] = sweep(train.X, train.y, test.X, test.y, WIDTHS)
    return {**rows, "variance": float(train.y.var()), "test_variance": float(test.y.var())}
