r"""Learned weights: which columns a kernel looks at, by the evidence of a Gaussian process.

With targets y of n rows, a kernel matrix K that depends on the logarithms :math:`\theta` of the
weights, noise :math:`\nu`, :math:`C = K + \nu I` and a scale that is chosen best for each of them,
minus the logarithm of the evidence per row is, up to a constant,

.. math:: \tfrac12 \log(y^\top C^{-1} y / n) + \tfrac{1}{2n} \log \det C .

Its gradient takes the inverse of C and sums over pairs of rows, for all weights together. A normal
prior on the logarithms around equal weights holds back what few rows cannot tell. A gradient by
leave-one-out errors was tried too: it finds weights that fit the rows at hand too well.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from reldim.kernels import Gaussian, Kernel, Laplacian, Matern, ProductLaplacian

__all__ = ["WEIGHTED", "LearnedKernel", "learn_weights", "weighted_kernel", "without_group"]

Array = NDArray[np.float64]

#: A function from symmetric M to the sums of M_ij dK_ij / d theta, one per weight.
Gradient = Callable[[Array], Array]

#: Kinds of kernels whose weights can be learned.
WEIGHTED = ("product", "gaussian", "laplacian", "matern")

#: Rows that weights are learned from, steps of the ascent, and standard deviation of the prior.
ROWS, STEPS, SPREAD = 500, 18, 1.0

#: How far logarithms of weights may go from equal ones, down and up; bounds and start of the noise.
REACH = (9.0, 7.0)
NOISE, LEAST_NOISE, MOST_NOISE = 0.1, 1e-6, 30.0

#: Added to the diagonal, so that equal rows leave the matrix invertible.
JITTER = 1e-8

#: Digits of a target in units of their size, so that round-off in their mean is not amplified.
DIGITS = 9

#: What an impossible step counts as.
IMPOSSIBLE = 1e10


@dataclass(frozen=True)
class LearnedKernel:
    """A kernel with learned weights.

    Attributes
    ----------
    kernel : Kernel
        The kernel, with a weight for each coordinate.
    noise : float
        Variance of the noise in units of the kernel's diagonal.
    """

    kernel: Kernel
    noise: float


def weighted_kernel(kind: str, weights: Array, power: float = 1.0) -> Kernel:
    """Return a kernel of a kind with weights of coordinates, or a power of it.

    Parameters
    ----------
    kind : {"product", "gaussian", "laplacian", "matern"}
        The kind of kernel.
    weights : ndarray of shape (coordinates,)
        Weights of differences ("product") or squared differences.
    power : float
        Above 1 for a narrower kernel. A power of a Matérn kernel is one of a smaller length.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> weighted_kernel("gaussian", np.array([1.0, 0.5]), power=2.0)
    Gaussian(width=0.5, weights=(1.0, 0.5))
    """
    values = tuple(float(weight) for weight in weights)
    if kind == "product":
        return ProductLaplacian(1.0 / power, values)
    if kind == "gaussian":
        return Gaussian(1.0 / power, values)
    if kind == "laplacian":
        return Laplacian(1.0 / power, values)
    return Matern(1.5, 1.0 / power, values)


def without_group(kernel: Kernel, groups: NDArray[np.intp], group: int) -> Kernel:
    """Return a kernel with learned weights that ignores a group of coordinates.

    Parameters
    ----------
    kernel : Kernel
        A kernel with weights.
    groups : ndarray of int
        The group of each coordinate.
    group : int
        The group to ignore.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> without_group(Gaussian(1.0, (1.0, 2.0, 3.0)), np.array([0, 1, 1]), 1)
    Gaussian(width=1.0, weights=(1.0, 0.0, 0.0))
    """
    weights = np.where(groups == group, 0.0, np.asarray(kernel.weights))  # type: ignore[attr-defined]
    return replace(kernel, weights=tuple(weights))  # type: ignore[type-var]


def learn_weights(
    X: Array,
    Y: Array,
    groups: NDArray[np.intp],
    kind: str,
    *,
    equal: bool = False,
    seed: int = 0,
) -> LearnedKernel:
    """Learn the weights of a kernel that make targets most likely.

    Parameters
    ----------
    X : ndarray of shape (n, coordinates)
        Coordinates; at most 500 rows are used, drawn at random.
    Y : ndarray of shape (n, outputs)
        Numbers, or indicators of classes.
    groups : ndarray of int
        Coordinates of one group share a weight.
    kind : {"product", "gaussian", "laplacian", "matern"}
        The kind of kernel.
    equal : bool
        Learn one weight for all groups.
    seed : int
        Seed of the draw of rows.

    Returns
    -------
    LearnedKernel
        The kernel and the noise.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> learned = learn_weights(X, np.sin(2 * X[:, :1]), np.arange(3), "gaussian")
    >>> relevant, *others = learned.kernel.weights
    >>> all(relevant > 20 * other for other in others)
    True
    """
    if len(X) > ROWS:
        some = np.sort(np.random.default_rng(seed).permutation(len(X))[:ROWS])
        X, Y = X[some], Y[some]
    Y = Y - Y.mean(axis=0)
    size = float(np.sqrt(np.mean(Y**2)))
    tied = np.zeros_like(groups) if equal else groups
    rows = (_ProductRows if kind == "product" else _RadialRows)(X, tied, kind)
    theta = np.append(rows.start, np.log(NOISE))
    if size > 0:
        down, up = REACH
        bounds = [(start - down, start + up) for start in rows.start]
        theta = minimize(
            _loss,
            theta,
            args=(rows, np.round(Y / size, DIGITS)),
            jac=True,
            method="L-BFGS-B",
            bounds=[*bounds, (np.log(LEAST_NOISE), np.log(MOST_NOISE))],
            options={"maxiter": STEPS, "maxfun": 2 * STEPS},
        ).x
    weights = np.exp(theta[:-1])[tied]
    return LearnedKernel(weighted_kernel(kind, weights), float(np.exp(theta[-1])))


def _loss(theta: Array, rows: "_Rows", Y: Array) -> tuple[float, Array]:
    """Evaluate minus the log evidence per row with its prior, and its gradient."""
    n = len(Y)
    K, gradient = rows(theta[:-1])
    noise = float(np.exp(theta[-1]))
    K[np.diag_indices(n)] += noise + JITTER
    factor, failed = lapack.dpotrf(K, lower=1, overwrite_a=1)
    if failed:
        return IMPOSSIBLE, np.zeros_like(theta)
    inverse, _ = lapack.dpotri(factor, lower=1)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    dual = inverse @ Y
    energy = float(np.sum(Y * dual))
    value = 0.5 * np.log(energy / n) + float(np.log(np.diag(factor)).sum()) / n
    M = 0.5 * (inverse / n - dual @ dual.T / energy)
    slopes = np.append(gradient(M), noise * np.trace(M))
    off = (theta[:-1] - rows.start) / SPREAD
    slopes[:-1] += off / (SPREAD * n)
    return value + 0.5 * float(off @ off) / n, slopes


class _Rows(ABC):
    """Kernel matrices of fixed rows as functions of the logarithms of weights."""

    def __init__(self, X: Array, groups: NDArray[np.intp], kind: str) -> None:
        self.X, self.groups, self.kind = X, groups, kind
        # Columns of unit variance differ by 2 in the mean square, and by about 1 in absolute value.
        columns = max(1.0, float(X.var(axis=0).sum()))
        weight = 1.0 / columns if kind == "product" else 0.5 / columns
        self.start = np.full(int(groups.max()) + 1, np.log(weight))

    @abstractmethod
    def __call__(self, theta: Array) -> tuple[Array, Gradient]:
        """Return the kernel matrix, which may be overwritten, and its gradient."""


class _ProductRows(_Rows):
    """exp(-sum_g w_g |x_g - z_g|), over the pairs of rows, in single precision."""

    def __init__(self, X: Array, groups: NDArray[np.intp], kind: str) -> None:
        super().__init__(X, groups, kind)
        n = len(X)
        self.distances = np.zeros((len(self.start), n * (n - 1) // 2), dtype=np.float32)
        for column, group in zip(X.T, groups, strict=True):
            self.distances[group] += pdist(column[:, None], "cityblock")
        i, j = np.triu_indices(n, 1)
        self.upper = i * n + j

    def __call__(self, theta: Array) -> tuple[Array, Gradient]:
        w = np.exp(theta)
        values = np.exp(-(w.astype(np.float32) @ self.distances))
        K = squareform(values.astype(np.float64), checks=False)
        K[np.diag_indices(len(K))] = 1.0

        def gradient(M: Array) -> Array:
            pairs = M.ravel()[self.upper].astype(np.float32) * values
            return np.asarray(-2 * w * (self.distances @ pairs), dtype=np.float64)

        return K, gradient


class _RadialRows(_Rows):
    """A function of sum_g w_g |x_g - z_g|^2."""

    def __call__(self, theta: Array) -> tuple[Array, Gradient]:
        v = np.exp(theta)[self.groups]
        A = self.X * np.sqrt(v)
        squares = np.sum(A**2, axis=1)
        S = np.maximum(squares[:, None] + squares - 2 * (A @ A.T), 0.0)
        K, slope = _profile(S, self.kind)

        def gradient(M: Array) -> Array:
            H = M * slope
            moments = H.sum(axis=1) @ self.X**2 - np.einsum("ij,ij->j", self.X, H @ self.X)
            sums: Array = np.zeros(len(self.start))
            np.add.at(sums, self.groups, 2 * v * moments)
            return sums

        return K, gradient


def _profile(S: Array, kind: str) -> tuple[Array, Array]:
    """Return a radial kernel of weighted squared distances, and its derivative by them."""
    if kind == "gaussian":
        K = np.exp(-0.5 * S)
        return K, -0.5 * K
    r = np.sqrt(S)
    if kind == "laplacian":
        K = np.exp(-r)
        # Equal rows have no slope: their distance is 0 under all weights.
        return K, np.where(r > 1e-6, -0.5 * K / np.maximum(r, 1e-6), 0.0)
    E = np.exp(-np.sqrt(3.0) * r)
    return (1.0 + np.sqrt(3.0) * r) * E, -1.5 * E
