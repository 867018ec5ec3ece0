r"""Bounds on kernel PCA coefficients, eigenvalues and eigenvectors, with all of their terms.

Letters of Braun, Buhmann and Müller (2008), appendix B: eigenpairs :math:`(l_i, u_i)` of K/n;
:math:`\lambda_\ell, \psi_\ell` those of the operator; a tilde for what is truncated to the first r
terms; :math:`\tilde\Psi_{i\ell} = \psi_\ell(X_i)/\sqrt n`;
:math:`g = \sum_\ell \alpha_\ell \lambda_\ell \psi_\ell` the function that is to be learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from reldim.exceptions import InputError
from reldim.theory.densities import as_points
from reldim.theory.eigenfunctions import ROUND_OFF, Eigensystem
from reldim.theory.quadrature import MASS

__all__ = [
    "CoefficientBound",
    "Truncation",
    "TruncationBound",
    "coefficient_bound",
    "truncate",
    "truncation_bound",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Truncation:
    r"""A sample seen through the first r terms of a kernel.

    Attributes
    ----------
    order : int
        The number of terms r.
    n : int
        Number of rows.
    eigenvalues : ndarray of shape (r,)
        Eigenvalues :math:`\tilde l_j` of the truncated kernel matrix.
    kernel_error : float
        :math:`\|\tilde E\|`, the norm of what truncation leaves out of K/n.
    kernel_error_trace : float
        Trace of the same matrix.
    defect : float
        :math:`\|\tilde C\| = \|\tilde\Psi^\top \tilde\Psi - I\|`.
    pseudo_inverse_norm : float
        :math:`\|\tilde\Psi^+\|`; infinite where the sample vectors are dependent.
    """

    order: int
    n: int
    eigenvalues: Array = field(repr=False)
    kernel_error: float
    kernel_error_trace: float
    defect: float
    pseudo_inverse_norm: float

    @property
    def pseudo_inverse_bound(self) -> float:
        r"""Lemma 2: :math:`(1 - \|\tilde C\|)^{-1/2}`; infinite where the defect reaches 1."""
        return float("inf") if self.defect >= 1 else float((1.0 - self.defect) ** -0.5)


def truncate(system: Eigensystem, X: ArrayLike, order: int) -> Truncation:
    """Compare the kernel matrix of a sample with that of the truncated kernel.

    Parameters
    ----------
    system : Eigensystem
        The kernel's eigenvalues and eigenfunctions.
    X : array-like
        The sample.
    order : int
        Number of terms, from 1 to the number of rows.

    Returns
    -------
    Truncation
        The error matrices' norms; Lemma 2 is its ``pseudo_inverse_bound``.

    Examples
    --------
    >>> from reldim.theory import GaussianEigensystem, truncate
    >>> system = GaussianEigensystem(width=1.0, variance=1.0)
    >>> seen = truncate(system, system.density.sample(300, random_state=0), order=4)
    >>> bool(seen.pseudo_inverse_norm <= seen.pseudo_inverse_bound)
    True
    """
    points = as_points(X, system.dimensions)
    return _truncate(system, points, np.asarray(system.kernel(points)) / len(points), order)


def _truncate(system: Eigensystem, points: Array, matrix: Array, order: int) -> Truncation:
    n = len(points)
    if not 1 <= order <= min(n, system.count):
        raise InputError(
            f"The order must lie between 1 and {min(n, system.count)}, the smaller of the rows and "
            f"the eigenpairs at hand. Got {order} instead."
        )
    psi = system.functions(points, order) / np.sqrt(n)
    scaled = psi * np.sqrt(system.eigenvalues[:order])
    difference = matrix - scaled @ scaled.T
    singular = linalg.svdvals(psi)
    return Truncation(
        order=order,
        n=n,
        eigenvalues=np.asarray(linalg.svdvals(scaled) ** 2),
        kernel_error=_spectral_norm(difference),
        kernel_error_trace=float(np.trace(difference)),
        defect=float(np.abs(singular**2 - 1.0).max()),
        pseudo_inverse_norm=float(1.0 / singular[-1]) if singular[-1] > 0 else float("inf"),
    )


@dataclass(frozen=True)
class TruncationBound:
    r"""Lemma 3: what the error matrices of a sample of n rows stay below, before it is drawn.

    Attributes
    ----------
    order, n : int
        Number of terms r and of rows.
    delta : float
        Probability that a bound fails.
    defect : float
        :math:`r \sqrt{r (r + 1) K / (\lambda_r n \delta)}`, which bounds :math:`\|\tilde C\|`.
    eigenvalue, tail, fluctuation : float
        The terms :math:`\lambda_r`, :math:`\Lambda_{>r}` and
        :math:`\sqrt{2 K \Lambda_{>r} / (n \delta)}` of the bound on :math:`\|\tilde E\|`.
    """

    order: int
    n: int
    delta: float
    defect: float
    eigenvalue: float
    tail: float
    fluctuation: float

    @property
    def kernel_error(self) -> float:
        r"""The bound on :math:`\|\tilde E\|`: the sum of its three terms."""
        return self.eigenvalue + self.tail + self.fluctuation


def truncation_bound(
    system: Eigensystem, n: int, order: int, *, delta: float = 0.05, supremum: float | None = None
) -> TruncationBound:
    r"""Evaluate Lemma 3 of the paper for a known eigensystem.

    .. math:: \|\tilde C\| < r \sqrt{\frac{r (r + 1) K}{\lambda_r n \delta}}, \qquad
              \|\tilde E\| < \lambda_r + \Lambda_{>r} + \sqrt{\frac{2 K \Lambda_{>r}}{n \delta}}

    Parameters
    ----------
    system : Eigensystem
        The kernel's eigenvalues.
    n : int
        Number of rows.
    order : int
        Number of terms r.
    delta : float
        Probability that a bound fails.
    supremum : float, optional
        K, the largest k(x, x) where the density is positive. By default that of the system, which
        is known where k(x, x) is the same everywhere; for other kernels it has to be passed.

    Returns
    -------
    TruncationBound
        Both bounds and their terms.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. On Relevant Dimensions in Kernel Feature Spaces.
    Journal of Machine Learning Research 9, 2008, appendix B.4.

    Examples
    --------
    >>> from reldim.theory import GaussianEigensystem, truncation_bound
    >>> truncation_bound(GaussianEigensystem(width=1.0), n=1000, order=5).kernel_error
    0.0393
    """
    check_delta(delta)
    K = largest_diagonal(system, supremum)
    if n < 1 or not 1 <= order <= system.count:
        raise InputError(
            f"n must be at least 1 and order lie between 1 and {system.count}. "
            f"Got n={n}, order={order}."
        )
    eigenvalue, tail = float(system.eigenvalues[order - 1]), system.tail(order)
    return TruncationBound(
        order=order,
        n=n,
        delta=delta,
        defect=float(order * np.sqrt(order * (order + 1) * K / (eigenvalue * n * delta))),
        eigenvalue=eigenvalue,
        tail=tail,
        fluctuation=float(np.sqrt(2 * K * tail / (n * delta))),
    )


@dataclass(frozen=True)
class CoefficientBound:
    r"""Theorem 1: how fast the coefficients of a learnable function decay, term by term.

    For each order r and each component i, with probability above :math:`1 - \delta`,

    .. math:: \frac{1}{\sqrt n} |u_i^\top g(X)| < l_i c_i D + E + T .

    Rows of the arrays of shape (orders, n) belong to orders, columns to components.

    Attributes
    ----------
    orders : tuple of int
        The orders r that were tried.
    n : int
        Number of rows.
    delta : float
        Probability that the bound fails.
    eigenvalues : ndarray of shape (n,)
        :math:`l_i`, eigenvalues of K/n.
    coefficients : ndarray of shape (n,)
        What is bounded: :math:`|u_i^\top g(X)| / \sqrt n` of this sample.
    clusters : ndarray of int, shape (orders, n)
        :math:`c_i`, eigenvalues of the truncated matrix between :math:`l_i/2` and :math:`2 l_i`.
    sizes : ndarray of shape (orders,)
        :math:`\tilde a = \sum_{\ell \le r} |\alpha_\ell|`.
    truncations : tuple of Truncation
        The norms of the error matrices of each order.
    supremum : float
        F, a bound of g and of what truncation leaves of it.
    truncation_error : ndarray of shape (orders,)
        :math:`\tilde T`, the norm of what truncation leaves of g.
    D, E, T : ndarray of shape (orders,)
        :math:`D = 2 \tilde a \|\tilde\Psi^+\|`,
        :math:`E = 2 r \tilde a \|\tilde\Psi^+\| \|\tilde E\|`,
        :math:`T = \tilde T + \sqrt{F \tilde T} (n \delta)^{-1/4}`.
    """

    orders: tuple[int, ...]
    n: int
    delta: float
    eigenvalues: Array = field(repr=False)
    coefficients: Array = field(repr=False)
    clusters: NDArray[np.intp] = field(repr=False)
    sizes: Array = field(repr=False)
    truncations: tuple[Truncation, ...] = field(repr=False)
    supremum: float
    truncation_error: Array = field(repr=False)
    D: Array = field(repr=False)
    E: Array = field(repr=False)
    T: Array = field(repr=False)

    @property
    def scaling(self) -> Array:
        """The part l_i c_i D that falls with the eigenvalue, an array of shape (orders, n)."""
        return np.asarray(self.eigenvalues * self.clusters * self.D[:, None])

    @property
    def by_order(self) -> Array:
        """The bound of each order, an array of shape (orders, n)."""
        return np.asarray(self.scaling + (self.E + self.T)[:, None])

    @property
    def bound(self) -> Array:
        """The smallest over the orders, for each component."""
        return np.asarray(self.by_order.min(axis=0))

    @property
    def best_orders(self) -> NDArray[np.intp]:
        """The order that gives the smallest bound of each component."""
        return np.asarray(np.array(self.orders)[self.by_order.argmin(axis=0)])

    def holds(self, round_off: float = 1e-12) -> bool:
        """Tell whether no coefficient of this sample exceeds its bound by more than round-off."""
        return bool(np.all(self.coefficients <= self.bound + round_off))


def coefficient_bound(
    system: Eigensystem,
    alpha: ArrayLike,
    X: ArrayLike,
    *,
    orders: Sequence[int] | None = None,
    delta: float = 0.05,
    supremum: float | None = None,
) -> CoefficientBound:
    r"""Evaluate Theorem 1 of the paper on a sample, for a kernel whose eigensystem is known.

    The function is :math:`g = \sum_\ell \alpha_\ell \lambda_\ell \psi_\ell`, which lies in the
    range of the integral operator. As F serves :math:`K \|\alpha\|_2`, which bounds g and what
    truncation leaves of it (appendix B.2). All but T holds for every sample; chance enters by
    the Chebyshev inequality in T, for one order fixed beforehand. Where the smallest of several
    orders is taken, as in the paper, divide ``delta`` by their number to be strict.

    Parameters
    ----------
    system : Eigensystem
        The kernel's eigenvalues and eigenfunctions.
    alpha : array-like
        The coefficients, at most as many as there are eigenpairs.
    X : array-like
        The sample.
    orders : sequence of int, optional
        Orders of truncation to take the smallest bound of, by default all that are at hand.
    delta : float
        Probability that the bound fails.
    supremum : float, optional
        K, the largest k(x, x) where the density is positive. By default that of the system, which
        is known where k(x, x) is the same everywhere; for other kernels it has to be passed.

    Returns
    -------
    CoefficientBound
        The bound, its terms, and the coefficients of this sample.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. On Relevant Dimensions in Kernel Feature Spaces.
    Journal of Machine Learning Research 9, 2008, theorem 1.

    Examples
    --------
    >>> from reldim.theory import GaussianEigensystem, coefficient_bound
    >>> system = GaussianEigensystem(width=1.0, variance=1.0, terms=12)
    >>> X = system.density.sample(100, random_state=0)
    >>> bound = coefficient_bound(system, [1.0, -1.0, 0.5], X)
    >>> bound.holds()
    True
    """
    check_delta(delta)
    points = as_points(X, system.dimensions)
    K = largest_diagonal(system, supremum, points)
    n = len(points)
    weights = np.zeros(system.count)
    given = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    if given.ndim != 1 or len(given) > system.count or not np.all(np.isfinite(given)):
        raise InputError(
            f"alpha must hold at most {system.count} finite numbers, one per eigenpair. "
            f"Got shape {given.shape}."
        )
    weights[: len(given)] = given
    tried = tuple(range(1, min(n, system.count) + 1)) if orders is None else tuple(orders)
    matrix = np.asarray(system.kernel(points)) / n
    values, vectors = linalg.eigh(matrix)
    l = np.maximum(values[::-1], 0.0)
    g = system.functions(points) @ (weights * system.eigenvalues)
    seen = tuple(_truncate(system, points, matrix, order) for order in tried)
    sizes = np.array([np.abs(weights[:r]).sum() for r in tried])
    inverse = np.array([t.pseudo_inverse_norm for t in seen])
    errors = np.array([t.kernel_error for t in seen])
    left = np.array([np.sqrt(np.sum((weights * system.eigenvalues)[r:] ** 2)) for r in tried])
    F = K * float(np.linalg.norm(weights))
    return CoefficientBound(
        orders=tried,
        n=n,
        delta=delta,
        eigenvalues=l,
        coefficients=np.abs(vectors[:, ::-1].T @ g) / np.sqrt(n),
        clusters=np.stack([_clusters(l, t.eigenvalues) for t in seen]),
        sizes=sizes,
        truncations=seen,
        supremum=F,
        truncation_error=left,
        D=2.0 * sizes * inverse,
        E=2.0 * np.array(tried) * sizes * inverse * errors,
        T=left + np.sqrt(F * left) * (n * delta) ** -0.25,
    )


def largest_diagonal(
    system: Eigensystem, supremum: float | None, points: Array | None = None
) -> float:
    """Return K, the largest k(x, x): as it was passed, or as the system knows it.

    A bound that is smaller than k(x, x) at one of the ``points``, or than its mean, is refused:
    what would follow from it is not true.
    """
    diagonal = np.empty(0) if points is None else system.kernel.diagonal(points)
    # The mean of k(x, x) is as exact as the quadrature that found it.
    mean = system.trace * (1 - MASS)
    seen = float(np.max(diagonal, initial=mean if system.supremum is None else system.supremum))
    known = system.supremum if supremum is None else float(supremum)
    if known is None:
        raise InputError(
            "supremum must be passed where k(x, x) differs between points: the largest k(x, x) "
            f"where the density is positive. It is at least {seen:.4g} here."
        )
    if not np.isfinite(known) or known < seen * (1 - ROUND_OFF):
        raise InputError(
            "supremum must be a finite number that no k(x, x) exceeds. "
            f"Got {known:.4g}, and k(x, x) reaches {seen:.4g}: pass the largest k(x, x)."
        )
    return known


def check_delta(delta: float) -> None:
    """Refuse what is not a probability strictly between 0 and 1."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be a probability between 0 and 1. Got {delta} instead.")


def _clusters(l: Array, truncated: Array) -> NDArray[np.intp]:
    close = (truncated >= l[:, None] / 2) & (truncated <= 2 * l[:, None])
    return np.asarray(close.sum(axis=1))


def _spectral_norm(matrix: Array) -> float:
    values = linalg.eigvalsh(matrix)
    return float(max(-values[0], values[-1]))
