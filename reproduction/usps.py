"""Handwritten digits: eigenvalues of the whole kernel matrix, and "4 against the rest"."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigvalsh
from scipy.ndimage import gaussian_filter
from scipy.optimize import brentq
from scipy.special import expit

from reldim import LowRankGPClassifier, kernels
from reproduction import sets
from reproduction.cache import compute

__all__ = ["SCALES", "full_errors", "lowrank_errors", "spectra"]

Array = NDArray[np.float64]

#: The paper's exp(-|x - y|² / (0.5 · 16²)), as a width.
WIDTH = 0.5 * 16**2 / 2

#: What is done to the pixels: nothing, they lie in [-1, 1]; they are shrunk to the variance of 1/4
#: a pixel that the paper speaks of; they are shrunk to an interval of length 1; or the images are
#: smoothed until the pixels have the variance of 1/4.
SCALES = ("as given", "variance 1/4", "length 1", "smoothed")


@functools.lru_cache(maxsize=1)
def digits() -> tuple[Array, NDArray[np.bool_], Array, NDArray[np.bool_]]:
    """Return training rows, which of them are fours, and the same for the test rows."""
    data = sets.load("usps")
    resample = data.resamples[0]
    X, fours = data.X.astype(np.float64), data.y == 4
    train, test = resample.train, resample.test
    return X[train], fours[train], X[test], fours[test]


def prepare(X: Array, scale: str) -> Array:
    """Scale or smooth images."""
    if scale == "smoothed":
        return smooth(X, smoothing())
    if scale == "variance 1/4":
        return X * np.sqrt(0.25 / digits()[0].var(axis=0).mean())
    return X * {"as given": 1.0, "length 1": 0.5}[scale]


def smooth(X: Array, deviation: float) -> Array:
    """Blur images by a Gaussian of so many pixels; outside of them is background."""
    images = X.reshape(-1, 16, 16)
    blurred = gaussian_filter(images, (0, deviation, deviation), mode="constant", cval=-1.0)
    return np.asarray(blurred.reshape(len(X), -1))


@functools.lru_cache(maxsize=1)
def smoothing() -> float:
    """Find the blur that leaves the pixels an average variance of 1/4."""

    def excess(deviation: float) -> float:
        return float(smooth(digits()[0], deviation).var(axis=0).mean()) - 0.25

    return float(brentq(excess, 0.3, 2.0, xtol=1e-3))


def spectra(jobs: int) -> list[dict[str, Any]]:
    """Count the eigenvalues that hold 95 and 99 % of the variance, for each scale."""
    return compute(spectrum, "usps-spectrum-1-folder", [(scale,) for scale in SCALES], jobs=jobs)


def spectrum(scale: str) -> dict[str, Any]:
    """Compute all eigenvalues, and no vectors, of the kernel matrix."""
    X = prepare(digits()[0], scale)
    matrix = kernels.Gaussian(WIDTH)(X)
    values = np.maximum(eigvalsh(matrix, overwrite_a=True, check_finite=False)[::-1], 0.0)
    share = np.cumsum(values) / values.sum()
    return {
        "scale": scale,
        "smoothing": smoothing() if scale == "smoothed" else 0.0,
        "variance": float(X.var(axis=0).mean()),
        "m95": int(np.searchsorted(share, 0.95)) + 1,
        "m99": int(np.searchsorted(share, 0.99)) + 1,
        "share256": float(share[255]),
        "share1024": float(share[1023]),
    }


def lowrank_errors(scale: str, rank: int) -> dict[str, Any]:
    """Classify with the leading part of the kernel matrix."""
    X, y, X_test, y_test = digits()
    X, X_test = prepare(X, scale), prepare(X_test, scale)
    kernel = kernels.Gaussian(WIDTH)
    model = LowRankGPClassifier(kernel, rank=rank, solver="lowrank", random_state=0).fit(X, y)
    return {
        "errors": int(np.sum(model.predict(X_test) != y_test)),
        "evidence": model.evidence_,
        "tests": len(y_test),
    }


def full_errors(scale: str) -> dict[str, Any]:
    """Classify with the whole kernel matrix: Laplace's approximation by Cholesky factors."""
    X, y, X_test, y_test = digits()
    X, X_test = prepare(X, scale), prepare(X_test, scale)
    kernel = kernels.Gaussian(WIDTH)
    K = kernel(X)
    f = np.zeros(len(y))
    for _ in range(30):
        p = expit(f)
        root = np.sqrt(p * (1 - p))
        b = root**2 * f + y - p
        B = root[:, None] * K * root
        B[np.diag_indices_from(B)] += 1.0
        solver = cho_factor(B, lower=True, overwrite_a=True, check_finite=False)
        new = K @ (b - root * cho_solve(solver, root * (K @ b), check_finite=False))
        change, f = float(np.abs(new - f).max()), new
        if change < 1e-6:
            break
    # The sign of the latent mean decides.
    mean = kernel(X_test, X) @ (y - expit(f))
    return {"errors": int(np.sum((mean > 0) != y_test)), "tests": len(y_test)}
