"""The dense solver beside numpy.linalg.eigh."""

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import measure, table
from problems import algorithm_1, smooth

from reldim import decompose, kernels, relevant_dimension


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


def likelihood() -> str:
    """Compare one kernel, likelihood only, on the same matrix."""
    rows = []
    for n in (2000, 4000):
        for width in (1.0, 5.0, 50.0):
            peer = measure(with_eigh, n, width, n=5)
            ours = measure(with_reldim, n, width, n=5)
            rows.append(
                [
                    f"{n}",
                    f"{width:g}",
                    f"{peer.seconds:.2f}",
                    f"{ours.seconds:.2f}",
                    f"**{peer.seconds / ours.seconds:.2f}**",
                    f"{peer.result[0]} / {ours.result[0]}",
                    f"{abs(peer.result[1] - ours.result[1]):.0e}",
                    f"{peer.megabytes:.0f} / {ours.megabytes:.0f}",
                ]
            )
    return table(
        "One Gaussian kernel, likelihood, dense",
        ["n", "width", "eigh, s", "reldim, s", "ratio", "d", "difference", "MB"],
        rows,
        "`numpy.linalg.eigh` and Algorithm 1 against `decompose(..., solver='dense')` and "
        "`relevant_dimension` on the same kernel matrix, 5 features, medians of 5.",
    )


def sweep_with_eigh(n: int, widths: list[float]) -> Callable[[], Any]:
    """Read Algorithm 1 literally for each width."""
    X, y = smooth(n)
    y = y - y.mean()

    def run() -> Any:
        return [algorithm_1(kernels.Gaussian(width)(X), y) for width in widths]

    return run
