r"""Learned weights: which columns a kernel looks at, by the evidence of a Gaussian process.

With targets y of n rows, a kernel matrix K that depends on the logarithms :math:`\theta` of the
weights, noise :math:`\nu`, :math:`C = K + \nu I` and a scale that is chosen best for each of them,
minus the logarithm of the evidence per row is, up to a constant (a row that stands for w rows has
the noise :math:`\nu / w`),

.. math:: \tfrac12 \log(y^\top C^{-1} y / n) + \tfrac{1}{2n} \log \det C .

Its gradient takes the inverse of C and sums over pairs of rows, for all weights together. Student's
prior on the logarithms around equal weights holds back what few rows cannot tell, but lets go of
columns that clearly do not matter, however many they are. A gradient by leave-one-out errors was
tried too: it finds weights that fit the rows at hand too well. In the end columns of little weight
are left out if the evidence, less one for each column as Akaike has it, is no smaller without them.

The ascent begins with few rows, where a step costs little, and goes on with more. Few steps hold
back as well: more of them fit the rows at hand too closely. A rough radial kernel may begin where
the Gaussian one has ended, which finds columns that matter only together more often than the
product one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.distance import pdist

from reldim.eigensolvers.lapack import cholesky, inverse_of_factor, solve_with_factor
from reldim.inputs.cores import one_blas_thread
from reldim.kernels import Gaussian, Kernel, Laplacian, Matern, ProductLaplacian

__all__ = [
    "WEIGHTED",
    "LearnedKernel",
    "learn_weights",
    "likeliest",
    "promising",
    "weighted_kernel",
    "weights_of",
    "without_group",
]

Array = NDArray[np.float64]
Singles = NDArray[np.float32]

#: Kinds of kernels whose weights can be learned.
WEIGHTED = ("product", "gaussian", "laplacian", "matern")

#: Rows that weights are learned from and steps of the ascent: first, and then with more rows. The
#: second stage is all there is where another kernel is the start.
STAGES = ((250, 14), (500, 6))

#: Rows and steps for a single weight.
EQUAL_STAGES = ((250, 10),)

#: Distances of pairs of rows that are held at most, one per column; rows are fewer beyond.
MOST_DISTANCES = 2**24
LEAST_ROWS = 100

#: Scale of the prior, and its degrees of freedom.
SPREAD, FREEDOM = 3.0, 2.0

#: Shares of the largest weight: columns below one of them may be left out.
LITTLE_SHARES = (0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)

#: How far logarithms of weights may go from equal ones, down and up; bounds and start of the noise.
REACH = (9.0, 7.0)
NOISE, LEAST_NOISE, MOST_NOISE = 0.1, 1e-5, 30.0

#: Added to the diagonal, so that equal rows leave the matrix invertible.
JITTER = 1e-7

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
        Above 1 for a narrower kernel: a power of it, or for "matern" a smaller length.

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


def weights_of(kernel: Kernel) -> Array:
    """Return the weights of coordinates of a kernel that has some."""
    return np.asarray(kernel.weights, dtype=np.float64)  # type: ignore[attr-defined]


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
    weights = np.where(groups == group, 0.0, weights_of(kernel))
    return replace(kernel, weights=tuple(weights))  # type: ignore[type-var]


def promising(
    X: Array, Y: Array, groups: NDArray[np.intp], most: int, counts: Array | None = None
) -> NDArray[np.bool_] | None:
    """Choose the groups of coordinates that by themselves go with the targets most closely.

    Parameters
    ----------
    X : ndarray of shape (n, coordinates)
        Coordinates.
    Y : ndarray of shape (n, outputs)
        Numbers, or indicators of classes.
    groups : ndarray of int
        The group of each coordinate.
    most : int
        Number of groups.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for.

    Returns
    -------
    ndarray of bool or None
        Whether each coordinate belongs to one of them, by the correlation of it or of its square
        with an output; None where there are no more groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> promising(X, X[:, 1:2] + X[:, 2:3] ** 2, np.arange(4), 2)
    array([False,  True,  True, False])
    """
    count = int(groups.max()) + 1
    if count <= most:
        return None
    X = X - np.average(X, axis=0, weights=counts)
    seen = np.maximum(_squared_correlations(X, Y, counts), _squared_correlations(X**2, Y, counts))
    best = np.zeros(count)
    np.maximum.at(best, groups, seen)
    return np.isin(groups, np.argsort(-best, kind="stable")[:most])


def _squared_correlations(X: Array, Y: Array, counts: Array | None) -> Array:
    """Return for each column the largest squared correlation with an output."""
    X, Y = (values - np.average(values, axis=0, weights=counts) for values in (X, Y))
    if counts is not None:
        X, Y = (np.sqrt(counts)[:, None] * values for values in (X, Y))
    norms = np.outer(np.sum(X**2, axis=0), np.sum(Y**2, axis=0))
    return np.asarray(((X.T @ Y) ** 2 / np.maximum(norms, np.finfo(np.float64).tiny)).max(axis=1))


def learn_weights(
    X: Array,
    Y: Array,
    groups: NDArray[np.intp],
    kind: str,
    *,
    equal: bool = False,
    start: LearnedKernel | None = None,
    seen: NDArray[np.bool_] | None = None,
    counts: Array | None = None,
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
    start : LearnedKernel, optional
        A Gaussian kernel that was learned from the same rows, for a Laplacian or Matérn one to
        begin with. What has no weight in it gets none.
    seen : ndarray of bool, optional
        Which coordinates to look at; the others have no weight.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for: its targets are their mean, and have as much less noise.
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
    if start is not None:
        weighed = weights_of(start.kernel) > 0
        seen = weighed if seen is None else seen & weighed
    if seen is not None and not seen.all():
        part = np.unique(groups[seen], return_inverse=True)[1]
        if start is not None:
            own = weights_of(start.kernel)[seen]
            start = replace(start, kernel=weighted_kernel("gaussian", own))
        found = learn_weights(
            X[:, seen], Y, part, kind, equal=equal, start=start, counts=counts, seed=seed
        )
        weights = np.zeros(X.shape[1])
        weights[seen] = weights_of(found.kernel)
        return replace(found, kernel=weighted_kernel(kind, weights))
    tied = np.zeros_like(groups) if equal else groups
    centre = _equal_weights(X, tied, kind)
    theta = np.append(centre, np.log(NOISE)) if start is None else _carried(start, tied)
    stages = EQUAL_STAGES if equal else STAGES if start is None else STAGES[-1:]
    for rows, steps in stages if np.ptp(Y, axis=0).any() else ():
        some = _some_rows(len(X), rows, len(centre), seed)
        pairs = _Pairs(X[some], tied, kind, _some_of(counts, some))
        targets = _scaled(Y, counts)[some]
        # With one thread of BLAS the same rows give the same bits, inside a diagnosis and outside.
        with one_blas_thread():
            theta = _ascend(theta, centre, pairs, targets, steps)
            if not equal and start is None and (rows, steps) == stages[-1]:
                theta = _needed(theta, pairs, targets)
    weights = np.exp(theta[:-1])[tied]
    return LearnedKernel(weighted_kernel(kind, weights), float(np.exp(theta[-1])))


def likeliest(
    X: Array,
    Y: Array,
    groups: NDArray[np.intp],
    kind: str,
    learned: Sequence[LearnedKernel],
    *,
    counts: Array | None = None,
    seed: int = 0,
) -> LearnedKernel:
    """Choose the kernel that makes targets most likely, less one for each column that it sees.

    An ascent may end beside what another one finds that began with other rows.

    Parameters
    ----------
    X : ndarray of shape (n, coordinates)
        Coordinates; at most 500 rows are used, those that weights are learned from in the end.
    Y : ndarray of shape (n, outputs)
        Numbers, or indicators of classes.
    groups : ndarray of int
        Coordinates of one group share a weight.
    kind : {"product", "gaussian", "laplacian", "matern"}
        The kind of all kernels.
    learned : sequence of LearnedKernel
        Kernels to choose among; of equally likely ones the first.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for.
    seed : int
        Seed of the draw of rows.

    Returns
    -------
    LearnedKernel
        One of them.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> first, second = (LearnedKernel(Gaussian(1.0, w), 0.1) for w in [(1, 0, 0), (0, 1, 0)])
    >>> likeliest(X, np.sin(X[:, 1:2]), np.arange(3), "gaussian", [first, second]) is second
    True
    """
    if not np.ptp(Y, axis=0).any():
        return learned[0]
    weights = np.stack([weights_of(one.kernel) for one in learned])
    seen = np.flatnonzero(weights.any(axis=0))
    part, places = np.unique(groups[seen], return_index=True, return_inverse=True)[1:]
    some = _some_rows(len(X), STAGES[-1][0], len(part), seed)
    pairs = _Pairs(X[np.ix_(some, seen)], places, kind, _some_of(counts, some))
    targets = _scaled(Y, counts)[some]
    with np.errstate(divide="ignore"):
        thetas = np.log(weights[:, seen[part]])
    noise = np.log([one.noise for one in learned])
    with one_blas_thread():
        found = [
            _unlikeliness(np.append(theta, own), pairs, targets)
            for theta, own in zip(thetas, noise, strict=True)
        ]
    return learned[int(np.argmin(found))]


def _some_rows(n: int, most: int, columns: int, seed: int) -> NDArray[np.intp]:
    """Draw rows to learn from, few enough that a distance per column of their pairs can be held."""
    most = min(most, _most_rows(columns))
    return np.sort(np.random.default_rng(seed).permutation(n)[:most])


def _some_of(counts: Array | None, rows: NDArray[np.intp]) -> Array | None:
    return None if counts is None else counts[rows]


def _scaled(Y: Array, counts: Array | None) -> Array:
    """Return targets of mean 0 and size 1, rounded."""
    Y = Y - np.average(Y, axis=0, weights=counts)
    size = float(np.sqrt(np.average(np.mean(Y**2, axis=1), weights=counts)))
    return np.asarray(np.round(Y / size, DIGITS))


def _equal_weights(X: Array, groups: NDArray[np.intp], kind: str) -> Array:
    """Return the logarithms of equal weights under which rows are neither equal nor all apart."""
    # Columns of unit variance differ by 2 in the mean square, and by about 1 in absolute value.
    columns = max(1.0, float(X.var(axis=0).sum()))
    weight = 1.0 / columns if kind == "product" else 0.5 / columns
    return np.full(int(groups.max()) + 1, np.log(weight))


def _carried(start: LearnedKernel, groups: NDArray[np.intp]) -> Array:
    """Turn weights of a Gaussian kernel into those of a rough one that falls as far between rows.

    Squared differences of a column are 2 in the mean: the exponent of a Gaussian kernel is the sum
    of the weights, that of a rough one the square root of twice the sum. The noise is kept.
    """
    w = weights_of(start.kernel)
    first = np.unique(groups, return_index=True)[1]
    return np.append(np.log(0.5 * float(w.sum()) * w[first]), np.log(start.noise))


def _most_rows(columns: int) -> int:
    """Return how many rows have few enough pairs that a distance per column can be held."""
    return max(LEAST_ROWS, int(np.sqrt(2 * MOST_DISTANCES / columns)))


def _ascend(theta: Array, centre: Array, pairs: "_Pairs", Y: Array, steps: int) -> Array:
    """Take steps towards weights of higher evidence."""
    down, up = REACH
    bounds = [(one - down, one + up) for one in centre]
    bounds.append((np.log(LEAST_NOISE), np.log(MOST_NOISE)))
    low, high = np.transpose(bounds)
    found = minimize(
        _loss,
        np.clip(theta, low, high),
        args=(centre, pairs, Y),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": steps, "maxfun": 2 * steps},
    )
    return np.asarray(found.x)


def _needed(theta: Array, pairs: "_Pairs", Y: Array) -> Array:
    """Give no weight to columns of little weight that the evidence can do without."""
    logs = theta[:-1]
    best, answer = np.inf, theta
    # From the fewest columns on, once for each number of them.
    kept = {int(np.sum(logs >= logs.max() + np.log(share))): share for share in LITTLE_SHARES[::-1]}
    for share in {**kept, len(logs): 0.0}.values():
        tried = theta.copy()
        if share:
            tried[:-1][logs < logs.max() + np.log(share)] = -np.inf
        score = _unlikeliness(tried, pairs, Y)
        if score < best:
            best, answer = score, tried
    return answer


def _unlikeliness(theta: Array, pairs: "_Pairs", Y: Array) -> float:
    """Return minus the log evidence, and one for each column that has weight."""
    found = _Evidence.of(theta, pairs, Y)
    return np.inf if found is None else len(Y) * found.value + float(np.isfinite(theta).sum() - 1)


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Minus the log evidence per row, and what it is made of: y C^-1 y, C^-1 y, the factor of C."""

    value: float
    energy: float
    dual: Array
    factor: Array
    gradient: Callable[[Array], Array]

    @classmethod
    def of(cls, theta: Array, pairs: "_Pairs", Y: Array) -> "_Evidence | None":
        """Evaluate it; None where C cannot be factored, or all targets are equal."""
        C, gradient = pairs(theta[:-1], 1.0 + float(np.exp(theta[-1])) * pairs.noise + JITTER)
        if not cholesky(C):
            return None
        dual = np.asarray(solve_with_factor(C, Y), dtype=np.float64)
        energy = float(np.sum(Y * dual))
        if energy <= 0:
            return None
        value = 0.5 * np.log(energy / len(Y)) + float(np.log(np.diag(C)).sum()) / len(Y)
        return cls(value, energy, dual, C, gradient)


def _loss(theta: Array, centre: Array, pairs: "_Pairs", Y: Array) -> tuple[float, Array]:
    """Evaluate minus the log evidence per row with its prior, and its gradient."""
    n = len(Y)
    noise = float(np.exp(theta[-1]))
    found = _Evidence.of(theta, pairs, Y)
    if found is None:
        return IMPOSSIBLE, np.zeros_like(theta)
    C, dual, energy = found.factor, found.dual, found.energy
    inverse_of_factor(C)
    # The derivative of the value by C, below the diagonal and on it.
    M = pairs.below(C) / n - pairs.products(dual) / energy
    on_diagonal, squares = np.sum(pairs.noise * np.diag(C)), np.sum(pairs.noise[:, None] * dual**2)
    slopes = np.append(found.gradient(M), 0.5 * noise * float(on_diagonal / n - squares / energy))
    off = (theta[:-1] - centre) / SPREAD
    slopes[:-1] += (FREEDOM + 1) * off / (FREEDOM + off**2) / (SPREAD * n)
    prior = 0.5 * (FREEDOM + 1) * float(np.log1p(off**2 / FREEDOM).sum()) / n
    return found.value + prior, slopes


class _Pairs:
    """Kernel matrices of fixed rows as functions of the logarithms of weights.

    Kept for each pair of rows i > j and for each weight: the sum of absolute or squared differences
    of the coordinates that share it, in single precision. A row that stands for several has as much
    less of the noise.
    """

    def __init__(
        self, X: Array, groups: NDArray[np.intp], kind: str, counts: Array | None = None
    ) -> None:
        n = len(X)
        self.kind = kind
        self.noise = np.ones(n) if counts is None else 1.0 / counts
        metric: Literal["cityblock", "sqeuclidean"]
        metric = "cityblock" if kind == "product" else "sqeuclidean"
        members = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
        self.distances = np.zeros((len(members), n * (n - 1) // 2), dtype=np.float32)
        for group, own in enumerate(members):
            self.distances[group] = pdist(X[:, own], metric)
        # pdist goes through rows of the upper half, which are columns of the lower one.
        self.j, self.i = np.triu_indices(n, 1)
        # Places in a matrix in Fortran order.
        self.places = self.j * n + self.i
        self.matrix = np.empty((n, n), order="F")

    def __call__(self, theta: Array, diagonal: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the lower half of the matrix, and its gradient.

        The gradient is a function from M, one number per pair, to the sums of M dK / d theta over
        pairs, one per weight. The matrix may be overwritten, and is by the next call.
        """
        w = np.exp(theta)
        values, slope = _profile(w.astype(np.float32) @ self.distances, self.kind)
        flat = self.matrix.ravel(order="K")
        flat[self.places] = values
        flat[:: len(self.matrix) + 1] = diagonal

        def gradient(M: Array) -> Array:
            slope[...] *= M
            return np.asarray(w * (self.distances @ slope), dtype=np.float64)

        return self.matrix, gradient

    def below(self, matrix: Array) -> Array:
        """Return what stands below the diagonal, one number per pair."""
        return np.asarray(matrix.ravel(order="K")[self.places])

    def products(self, dual: Array) -> Array:
        """Return the inner products of rows, one number per pair."""
        if dual.shape[1] == 1:
            return np.asarray(dual[self.i, 0] * dual[self.j, 0])
        return self.below(np.asfortranarray(dual @ dual.T))


def _profile(t: Singles, kind: str) -> tuple[Singles, Singles]:
    """Return a kernel of weighted distances or squared distances, and its derivative by them."""
    if kind == "product":
        K = np.exp(-t)
        return K, -K
    if kind == "gaussian":
        K = np.exp(-0.5 * t)
        return K, -0.5 * K
    r = np.sqrt(t)
    if kind == "laplacian":
        K = np.exp(-r)
        # Equal rows have no slope: their distance is 0 under all weights.
        return K, np.where(r > 1e-6, -0.5 * K / np.maximum(r, 1e-6), 0.0)
    E = np.exp(-np.sqrt(3.0) * r)
    return (1.0 + np.sqrt(3.0) * r) * E, -1.5 * E
