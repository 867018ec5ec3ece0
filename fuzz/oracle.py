"""An oracle: what a diagnosis must say, by slow and obvious computations.

Everything is computed anew from the data: the kernel by its formula, all eigenpairs by one call,
the criterion as the paper writes it, leave-one-out by the hat matrix and by leaving rows out.
Nothing of the package is used but the values that are checked.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from reldim import Diagnosis, RelevantDimension, kernels

__all__ = ["Literal", "WrongAnswerError", "check_diagnosis", "check_relevance", "kernel_matrix"]

Array = np.ndarray[Any, np.dtype[Any]]

#: How much larger than the smallest possible round-off a difference may be.
SLACK = 300.0

#: Targets of equal rows that vary by less than this share of all targets belong to copies.
COPIES = 0.1

#: Rows up to which each is left out, and all eigenpairs computed again without it.
MOST_REFITS = 80


class WrongAnswerError(AssertionError):
    """A result that the oracle does not share."""


def kernel_matrix(kernel: kernels.Kernel, X: Any, Z: Any = None) -> Array:
    """Compute a kernel between all pairs of points by its formula."""
    Z = X if Z is None else Z
    match kernel:
        case kernels.Sum():
            return kernel_matrix(kernel.left, X, Z) + kernel_matrix(kernel.right, X, Z)
        case kernels.Product():
            return kernel_matrix(kernel.left, X, Z) * kernel_matrix(kernel.right, X, Z)
        case kernels.Scaled():
            return kernel.factor * kernel_matrix(kernel.kernel, X, Z)
        case kernels.Normalized():
            norms = [
                np.sqrt([kernel_matrix(kernel.kernel, [p], [p])[0, 0] for p in points])
                for points in (X, Z)
            ]
            return kernel_matrix(kernel.kernel, X, Z) / np.outer(*norms)
        case kernels.WeightedDegree():
            return np.array([[_weighted_degree(kernel.degree, x, z) for z in Z] for x in X])
        case kernels.Linear():
            return _numbers(X) @ _numbers(Z).T
        case kernels.Polynomial():
            return (_numbers(X) @ _numbers(Z).T + kernel.constant) ** kernel.degree
    x, z = _numbers(X), _numbers(Z)
    squared = np.array([((row - z) ** 2).sum(axis=1) for row in x])
    match kernel:
        case kernels.Gaussian():
            return np.exp(-squared / (2 * kernel.width))
        case kernels.Laplacian():
            return np.exp(-np.sqrt(squared) / kernel.scale)
        case kernels.InverseMultiquadric():
            return 1 / np.sqrt(squared + kernel.constant**2)
        case kernels.Matern(nu=2.5):
            t = np.sqrt(5 * squared) / kernel.length
            return (1 + t + t**2 / 3) * np.exp(-t)
    raise NotImplementedError(f"no formula for {kernel!r}")


def _rows(X: Any) -> list[Any]:
    given = X.toarray() if sparse.issparse(X) else X.to_numpy() if hasattr(X, "to_numpy") else X
    return [row if isinstance(row, str) else tuple(row) for row in given]


def _numbers(X: Any) -> Array:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def _weighted_degree(degree: int, x: Any, z: Any) -> float:
    total = 0
    for j in range(1, degree + 1):
        matches = sum(list(x[s : s + j]) == list(z[s : s + j]) for s in range(len(x) - j + 1))
        total += (degree - j + 1) * matches
    return float(total)


@dataclass(frozen=True)
class Literal:
    """All eigenpairs of K/n, and what follows from them for some targets."""

    K: Array = field(repr=False)
    y: Array = field(repr=False)
    free: int
    eps: float
    rows: list[Any] = field(repr=False)

    def __post_init__(self) -> None:
        values, vectors = np.linalg.eigh(self.K / len(self.K))
        object.__setattr__(self, "values", values[::-1])
        object.__setattr__(self, "vectors", vectors[:, ::-1])
        energies = np.sum((self.vectors.T @ self.y) ** 2, axis=1)
        object.__setattr__(self, "energies", energies)

    values: Array = field(init=False, repr=False)
    vectors: Array = field(init=False, repr=False)
    energies: Array = field(init=False, repr=False)

    @property
    def n(self) -> int:
        return len(self.y)

    def accuracy(self, d: int) -> float:
        """Bound the angle by which round-off turns the first d eigenvectors."""
        below = self.values[d] if d < self.n else 0.0
        gap = max(self.values[d - 1] - below, np.finfo(float).tiny)
        return float(SLACK * self.eps * np.sqrt(self.n) * self.values[0] / gap)

    def likelihood(self, d: int) -> float:
        """Evaluate Eq. (3) of the paper; of rows and targets that are copies one counts."""
        n, apart = self.independent()
        leading, rest = self.energies[:d].sum(), self.energies[d:].sum() - apart
        s1, s2 = leading / (d * self.free), rest / ((n - d) * self.free)
        return float(d / n * np.log(s1) + (n - d) / n * np.log(s2))

    def independent(self) -> tuple[int, float]:
        """Return how many rows are no copies, and the energy of differences between copies."""
        first: list[int] = []
        apart = 0.0
        for i in range(self.n):
            equal = [j for j in range(self.n) if self.rows[i] == self.rows[j]]
            if equal[0] == i:
                first.append(i)
            apart += float(np.sum((self.y[i] - self.y[equal].mean(axis=0)) ** 2))
        copies = self.n - len(first)
        differ = apart * self.n > COPIES * copies * float(np.sum(self.y**2))
        return (self.n, 0.0) if differ or len(first) < 2 else (len(first), apart)

    def projection(self, d: int) -> Array:
        U = self.vectors[:, :d]
        return np.asarray(U @ (U.T @ self.y))

    def leverages(self, d: int) -> Array:
        return np.asarray((self.vectors[:, :d] ** 2).sum(axis=1))


def check_diagnosis(diagnosis: Diagnosis) -> None:
    """Compare a diagnosis of few rows with the oracle."""
    if not 0 < diagnosis.p_value <= 1:
        raise WrongAnswerError(f"p-value {diagnosis.p_value}")
    low, high = diagnosis.interval
    if not 0 <= low <= diagnosis.dimension <= high:
        raise WrongAnswerError(f"dimension {diagnosis.dimension} outside {diagnosis.interval}")
    for name in ("noise_level", "error_estimate"):
        if not 0 <= getattr(diagnosis, name) < np.inf:
            raise WrongAnswerError(f"{name} {getattr(diagnosis, name)}")
    worst_case = [row.criterion_value + row.criterion_error for row in diagnosis.tried]
    if worst_case[diagnosis.index] > min(worst_case) + 1e-12 * abs(min(worst_case)):
        raise WrongAnswerError("the chosen kernel is not the best of those tried")
    check_relevance(diagnosis.relevance, diagnosis.problem.X)


def check_relevance(rd: RelevantDimension, X: Any) -> None:
    """Compare an estimate from all eigenpairs with the oracle."""
    spectrum, targets, d = rd.spectrum, rd.targets, rd.dimension
    kernel = spectrum.gram.kernel
    if kernel.domain == "precomputed":
        K = np.asarray(X, dtype=np.float64)
    elif isinstance(kernel, kernels.Function):
        K = np.asarray(kernel.function(X, X), dtype=np.float64)
    else:
        K = kernel_matrix(kernel, X)
    eps = float(np.finfo(spectrum.eigenvalues.dtype).eps)
    truth = Literal(K, targets.values, targets.degrees_of_freedom, eps, _rows(X))
    k = len(spectrum.eigenvalues)
    wrong = np.abs(spectrum.eigenvalues - np.maximum(truth.values[:k], 0)).max()
    if wrong > SLACK * eps * np.sqrt(truth.n) * truth.values[0]:
        raise WrongAnswerError(f"eigenvalues differ by {wrong:.2g} of {truth.values[0]:.2g}")
    if d == 0:
        constant = np.broadcast_to(targets.mean - targets.offset, truth.y.shape)
        _compare_errors(rd.noise_level, constant, rd, 0.0, "noise level")
        return
    accuracy = truth.accuracy(d)
    if accuracy > 0.05:
        # A cut that round-off reaches: the projection is not defined to more digits than these.
        return
    size = float(np.linalg.norm(truth.y))
    fitted = truth.projection(d)
    wrong = float(np.linalg.norm(rd.fitted - fitted))
    if wrong > accuracy * size:
        raise WrongAnswerError(f"denoised targets differ by {wrong / size:.2g}")
    _compare_errors(rd.noise_level, fitted, rd, accuracy * size, "noise level")
    _compare_left_out(rd, truth, fitted, accuracy * size)
    _compare_criterion(rd, truth, accuracy)


def _compare_left_out(rd: RelevantDimension, truth: Literal, fitted: Array, wrong: float) -> None:
    free = 1 - truth.leverages(rd.dimension)
    if free.min() < 1e-6:
        return
    left_out = truth.y - (truth.y - fitted) / free[:, None]
    low, high = truth.y.min(axis=0), truth.y.max(axis=0)
    clipped = np.clip(left_out, 1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low)
    _compare_errors(rd.fixed_error, clipped, rd, 10 * wrong / free.min() ** 2, "fixed error")
    if truth.n <= MOST_REFITS and truth.accuracy(rd.dimension) < 1e-6:
        _compare_refitted(rd, truth)


def _compare_refitted(rd: RelevantDimension, truth: Literal) -> None:
    """Compare the error estimate with as many decompositions as there are rows."""
    d, n = rd.dimension, truth.n
    fits, accuracy = np.zeros_like(truth.y), 0.0
    for i in range(n):
        rest = np.arange(n) != i
        less = Literal(truth.K[np.ix_(rest, rest)], truth.y[rest], truth.free, truth.eps, [])
        if d >= n - 1 or less.values[d - 1] < 1e-9 * less.values[0]:
            return
        accuracy = max(accuracy, less.accuracy(d) * less.values[0] / less.values[d - 1])
        U = less.vectors[:, :d]
        components = truth.K[i, rest] @ U / ((n - 1) * less.values[:d])
        fits[i] = components @ (U.T @ less.y)
    if accuracy > 1e-4:
        return
    low, high = truth.y.min(axis=0), truth.y.max(axis=0)
    clipped = np.clip(fits, 1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low)
    wrong = 100 * accuracy * float(np.linalg.norm(truth.y)) + 1e-7 * float(np.abs(truth.y).max())
    _compare_errors(rd.error_estimate, clipped, rd, wrong, "error estimate")


def _compare_criterion(rd: RelevantDimension, truth: Literal, accuracy: float) -> None:
    d = rd.dimension
    rest = truth.energies[d:].sum() / truth.energies.sum()
    if rest < 100 * (accuracy + truth.n * truth.eps ** (4 / 3)):
        return
    tolerance = 10 * accuracy / min(rest, 1 - rest, 1.0) + 1e-9
    wrong = abs(rd.negative_log_likelihood - truth.likelihood(d))
    if wrong > tolerance:
        raise WrongAnswerError(f"likelihood differs by {wrong:.2g} at {d}")
    if rd.criterion != "likelihood" or len(np.unique(rd.spectrum.gram.groups)) < truth.n:
        return
    for other in range(1, truth.n // 2 + 1):
        before, behind = truth.energies[:other].mean(), truth.energies[other:].mean()
        beyond = truth.energies[other:].sum() / truth.energies.sum()
        sharp = truth.accuracy(other) < 1e-3 * beyond
        if sharp and before > behind and truth.likelihood(other) < truth.likelihood(d) - 1e-4:
            raise WrongAnswerError(f"dimension {other} has a higher likelihood than {d}")


def _compare_errors(
    given: float, fitted: Array, rd: RelevantDimension, wrong: float, what: str
) -> None:
    """Compare an error of the package with that of the oracle's predictions."""
    targets = rd.targets
    if targets.codes is None:
        expected = ((targets.values - fitted) ** 2).sum() / (targets.values**2).sum()
        allowed = 1e-9 + 4 * (wrong / np.linalg.norm(targets.values)) * (1 + np.sqrt(expected))
        if abs(given - expected) > allowed * max(1.0, expected):
            raise WrongAnswerError(f"{what} {given} instead of {expected}")
        return
    scores = fitted + targets.offset
    if scores.shape[1] == 1:
        margin, decided = np.abs(scores[:, 0]), (scores[:, 0] > 0).astype(int)
    else:
        ordered = np.sort(scores, axis=1)
        margin, decided = ordered[:, -1] - ordered[:, -2], scores.argmax(axis=1)
    # A row whose score lies within round-off of a tie may go either way.
    tied = margin < 4e-6 + wrong
    errors = decided != targets.codes
    least, most = (errors & ~tied).mean(), (errors | tied).mean()
    if not least - 1e-12 <= given <= most + 1e-12:
        raise WrongAnswerError(f"{what} {given} outside {least} to {most}")
