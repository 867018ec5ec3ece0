"""The dense solver beside numpy.linalg.eigh."""

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import in_turn, table
from problems import PROBLEMS, algorithm_1, smooth

from reldim import decompose, kernels, relevant_dimension
from reldim.inputs.targets import code_targets
from reldim.relevance.estimation import estimate
from reldim.search.growing_rank import Plan, judge_kernel
from reldim.spectrum.gram import Gram


def with_eigh(n: int, width: float) -> Callable[[], Any]:
    """Estimate from a full eigendecomposition."""
    X, y = smooth(n)
    K = kernels.Gaussian(width)(X)
    y = y - y.mean()

    def run() -> Any:
        _, U = np.linalg.eigh(K / n)
        z = U[:, ::-1].T @ y
        c = np.cumsum(z**2)[: n // 2]
        d = np.arange(1, n // 2 + 1)
        curve = d / n * np.log(c / d) + (n - d) / n * np.log((z @ z - c) / (n - d))
        return int(np.argmin(curve)) + 1, float(curve.min())

    return run


def with_reldim(n: int, width: float) -> Callable[[], Any]:
    """Estimate from the dense solver."""
    X, y = smooth(n)
    K = kernels.Gaussian(width)(X)

    def run() -> Any:
        spectrum = decompose(kernels.Precomputed(), K, solver="dense")
        rd = relevant_dimension(spectrum, y)
        return rd.dimension, rd.negative_log_likelihood

    return run


def with_growing_rank(n: int, width: float) -> Callable[[], Any]:
    """Estimate as diagnose does: the rank grows until the estimate no longer depends on it."""
    X, y = smooth(n)
    K = kernels.Gaussian(width)(X)
    targets = code_targets(y)

    def run() -> Any:
        gram = Gram.of(kernels.Precomputed(), K)
        rd = judge_kernel(gram, lambda spectrum: estimate(spectrum, targets), Plan()).judged
        return rd.dimension, rd.negative_log_likelihood

    return run


def likelihood() -> str:
    """Compare one kernel, likelihood only, on the same matrix."""
    rows = []
    for n in (2000, 4000):
        for width in (1.0, 5.0, 50.0):
            contenders = (with_eigh, with_reldim, with_growing_rank)
            rounds, runs = (7, 5) if n == 2000 else (2, 3)
            peer, dense, auto = in_turn(contenders, n, width, rounds=rounds, n=runs)
            rows.append(
                [
                    f"{n}",
                    f"{width:g}",
                    f"{peer.seconds:.2f}",
                    *(
                        f"{r.seconds:.2f} (**{peer.seconds / r.seconds:.1f}**)"
                        for r in (dense, auto)
                    ),
                    " / ".join(str(r.result[0]) for r in (peer, dense, auto)),
                    " / ".join(f"{abs(peer.result[1] - r.result[1]):.0e}" for r in (dense, auto)),
                    " / ".join(f"{r.megabytes:.0f}" for r in (peer, dense, auto)),
                ]
            )
    return table(
        "One Gaussian kernel, likelihood",
        ["n", "width", "eigh, s", "dense, s (ratio)", "auto, s (ratio)", "d", "difference", "MB"],
        rows,
        "The same kernel matrix for all: `numpy.linalg.eigh` and Algorithm 1; `decompose(..., "
        "solver='dense')` and `relevant_dimension`; and what `diagnose` does (`solver='auto'`), "
        "which grows the rank until the estimate no longer depends on it. 5 features; the three in "
        "turn, medians of 7 rounds of 5 (n = 4000: of 2 rounds of 3). The dense solver leaves out "
        "the back-transformation.",
    )


def sweep_with_eigh(problem: str, n: int, widths: list[float]) -> Callable[[], Any]:
    """Read Algorithm 1 literally for each width."""
    X, y = PROBLEMS[problem](n)
    y = y - y.mean()

    def run() -> Any:
        return [algorithm_1(kernels.Gaussian(width)(X), y) for width in widths]

    return run
