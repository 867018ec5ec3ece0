"""Problems that the benchmarks share: known truth, any number of rows."""

import numpy as np
from numpy.typing import NDArray

Data = tuple[NDArray[np.float64], NDArray[np.float64]]


def smooth(n: int, features: int = 5, seed: int = 0) -> Data:
    """Draw a smooth function of three features with noise of a fifth of its variance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features))
    truth = np.sin(1.5 * X[:, 0]) * X[:, 1] + np.cos(X[:, 2])
    return X, truth + 0.45 * truth.std() * rng.normal(size=n)


def rough(n: int, seed: int = 0) -> Data:
    """Draw two classes whose border is rough in four features; four more do not matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    score = np.sin(3 * X[:, 0]) + X[:, 1] + X[:, 2] * X[:, 3]
    return X, np.where(score + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)


def waves(n: int, seed: int = 0) -> Data:
    """Draw two classes whose border is a wave in the first of five features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    score = np.sin(3 * X[:, 0]) + X[:, 1]
    return X, np.where(score + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)


#: Problems of a sweep, by name.
PROBLEMS = {"smooth": smooth, "rough": waves}


def widths(count: int = 20) -> NDArray[np.float64]:
    """Return widths from narrow to wide for data of unit variance in a few features."""
    return np.logspace(-1, 3, count)


def algorithm_1(K: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[int, float, float, float]:
    """Estimate as the paper writes it: eigh, then the loop, denoising and leave-one-out."""
    n = len(y)
    _, U = np.linalg.eigh(K / n)
    U = U[:, ::-1]
    z = U.T @ y
    c = np.cumsum(z**2)[: n // 2]
    d = np.arange(1, n // 2 + 1)
    curve = d / n * np.log(c / d) + (n - d) / n * np.log((z @ z - c) / (n - d))
    best = int(np.argmin(curve)) + 1
    T = U[:, :best]
    fitted = T @ (T.T @ y)
    left_out = (y - fitted) / (1 - np.sum(T**2, axis=1))
    total = np.sum((y - y.mean()) ** 2)
    noise, error = np.sum((y - fitted) ** 2) / total, np.sum(left_out**2) / total
    return best, float(curve.min()), float(noise), float(error)
