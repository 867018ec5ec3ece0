r"""How far eigenvalues, their tail sums and eigenvectors of a sample may stray.

The slides of Müller and Braun (2007) give the bounds on eigenvalues and on tail sums in the form

.. math:: |l_i - \lambda_i| \le \lambda_i \, C + E, \qquad
          \Big| \sum_{i > d} l_i - \Lambda_{>d} \Big| \le C' \sqrt{\Lambda_{>d}} + E'

without constants. The constants here are derived in the docstrings of the functions.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from reldim.exceptions import InputError
from reldim.theory.bounds import Truncation, check_delta, largest_diagonal, truncate
from reldim.theory.densities import as_points
from reldim.theory.eigenfunctions import Eigensystem

__all__ = [
    "EigenvalueBound",
    "SinTheta",
    "TailSumBound",
    "eigenvalue_bound",
    "sin_theta",
    "tail_sum_bound",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SinTheta:
    r"""Theorem 2: how far an eigenvector turns when its matrix is perturbed.

    Attributes
    ----------
    perturbation : float
        :math:`\|E\|`.
    gap : float
        Distance of the perturbed eigenvalue from the eigenvalues of the block that is left.
    bound : float
        Their ratio; infinite for a gap of zero.
    sine : float
        What is bounded: the part of the perturbed eigenvector that lies in that block.
    """

    perturbation: float
    gap: float
    bound: float
    sine: float


def sin_theta(A: ArrayLike, E: ArrayLike, index: int, kept: ArrayLike) -> SinTheta:
    r"""Bound the part of a perturbed eigenvector outside of a block of eigenvectors.

    With :math:`A = U_1 L_1 U_1^\top + U_2 L_2 U_2^\top` and
    :math:`(A + E) \tilde x = \tilde l \tilde x`,

    .. math:: \|U_2^\top \tilde x\| \le \frac{\|E\|}{\min_i |\tilde l - [L_2]_{ii}|}

    Parameters
    ----------
    A, E : array-like of shape (n, n)
        Symmetric matrices.
    index : int
        Which eigenpair of A + E, from 0 for the largest eigenvalue.
    kept : array-like of int
        Which eigenvectors of A form :math:`U_1`, from 0 for the largest eigenvalue.

    Returns
    -------
    SinTheta
        The bound, its terms, and what it bounds.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. On Relevant Dimensions in Kernel Feature Spaces.
    Journal of Machine Learning Research 9, 2008, theorem 2; a case of theorem 6.2 of C. Davis and
    W. M. Kahan, The Rotation of Eigenvectors by a Perturbation III, 1970.

    Examples
    --------
    >>> sin_theta([[2.0, 0.0], [0.0, 1.0]], [[0.0, 0.1], [0.1, 0.0]], index=0, kept=[0])
    SinTheta(perturbation=0.1, gap=1.0099, bound=0.0990, sine=0.0985)
    """
    plain, change = _symmetric(A, "A"), _symmetric(E, "E")
    n = len(plain)
    if change.shape != plain.shape:
        raise InputError(f"A and E must be of one shape. Got {plain.shape} and {change.shape}.")
    block = np.unique(np.asarray(kept, dtype=np.intp))
    if not 0 <= index < n or block.size >= n or np.any((block < 0) | (block >= n)):
        raise InputError(
            f"index must lie below {n}, and kept hold fewer than {n} indices below {n}. "
            f"Got index={index}, kept={kept!r}."
        )
    values, vectors = linalg.eigh(plain)
    values, vectors = values[::-1], vectors[:, ::-1]
    perturbed, turned = linalg.eigh(plain + change)
    l, x = perturbed[::-1][index], turned[:, ::-1][:, index]
    left = np.setdiff1d(np.arange(n), block)
    gap = float(np.abs(l - values[left]).min())
    norm = float(np.abs(linalg.eigvalsh(change)).max())
    return SinTheta(
        perturbation=norm,
        gap=gap,
        bound=norm / gap if gap > 0 else float("inf"),
        sine=float(np.linalg.norm(vectors[:, left].T @ x)),
    )


@dataclass(frozen=True)
class EigenvalueBound:
    r"""How far each eigenvalue of a sample may be from that of the operator.

    Attributes
    ----------
    truncation : Truncation
        The norms :math:`\|\tilde C\|` and :math:`\|\tilde E\|` at the order r.
    eigenvalues : ndarray of shape (count,)
        :math:`l_i` of K/n.
    limits : ndarray of shape (count,)
        :math:`\lambda_i` of the operator.
    relative : ndarray of shape (count,)
        The part :math:`\lambda_i \|\tilde C\|`, or beyond the order :math:`\lambda_i`.
    absolute : float
        The part :math:`\|\tilde E\|`.
    """

    truncation: Truncation
    eigenvalues: Array = field(repr=False)
    limits: Array = field(repr=False)
    relative: Array = field(repr=False)
    absolute: float

    @property
    def bound(self) -> Array:
        """The sum of both parts."""
        return np.asarray(self.relative + self.absolute)

    @property
    def error(self) -> Array:
        """What is bounded: the distance of each eigenvalue from its limit."""
        return np.asarray(np.abs(self.eigenvalues - self.limits))


def eigenvalue_bound(system: Eigensystem, X: ArrayLike, order: int) -> EigenvalueBound:
    r"""Bound the distance of sample eigenvalues from those of the operator.

    .. math:: |l_i - \lambda_i| \le \lambda_i \|\tilde C\| + \|\tilde E\| \quad (i \le r), \qquad
              |l_i - \lambda_i| \le \lambda_i + \|\tilde E\| \quad (i > r)

    The nonzero eigenvalues of the truncated matrix are those of
    :math:`\tilde\Lambda^{1/2} \tilde\Psi^\top \tilde\Psi \tilde\Lambda^{1/2}`, which by
    Ostrowski's theorem differ from :math:`\lambda_i` by a factor within :math:`\|\tilde C\|` of 1;
    by Weyl's theorem truncation moves an eigenvalue by at most :math:`\|\tilde E\|`. No chance is
    involved: both norms are those of the sample.

    Parameters
    ----------
    system : Eigensystem
        The kernel's eigenvalues and eigenfunctions.
    X : array-like
        The sample.
    order : int
        The order r of truncation.

    Returns
    -------
    EigenvalueBound
        The bound, its terms, and what it bounds.

    References
    ----------
    M. L. Braun. Accurate Error Bounds for the Eigenvalues of the Kernel Matrix. Journal of
    Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from reldim.theory import GaussianEigensystem, eigenvalue_bound
    >>> system = GaussianEigensystem(width=1.0)
    >>> seen = eigenvalue_bound(system, system.density.sample(200, random_state=0), order=6)
    >>> bool((seen.error <= seen.bound).all())
    True
    """
    points = as_points(X, system.dimensions)
    truncation = truncate(system, points, order)
    count = min(system.count, len(points))
    limits = system.eigenvalues[:count]
    within = np.arange(count) < order
    return EigenvalueBound(
        truncation=truncation,
        eigenvalues=_sample_eigenvalues(system, points)[:count],
        limits=limits,
        relative=np.where(within, limits * truncation.defect, limits),
        absolute=truncation.kernel_error,
    )


@dataclass(frozen=True)
class TailSumBound:
    r"""Where the sum of all sample eigenvalues but the first d may lie.

    Attributes
    ----------
    dimension : int
        The number d of eigenvalues that are left out.
    delta : float
        Probability that the upper bound fails.
    limit : float
        :math:`\Lambda_{>d}` of the operator.
    tail : float
        What is bounded: :math:`\sum_{i > d} l_i` of the sample.
    spread : float
        :math:`C' \sqrt{\Lambda_{>d}}` with :math:`C' = \sqrt{2 K \log(1/\delta) / n}`.
    range_term : float
        :math:`E' = K \log(1/\delta) / (3 n)`.
    trace_shift : float
        Trace of K/n less that of the operator.
    leading : float
        :math:`\|\tilde C\| \sum_{i \le d} \lambda_i`.
    left_out : float
        Trace of what truncation leaves out of K/n.
    """

    dimension: int
    delta: float
    limit: float
    tail: float
    spread: float
    range_term: float
    trace_shift: float
    leading: float
    left_out: float

    @property
    def upper(self) -> float:
        """Holds with probability 1 - delta."""
        return self.limit + self.spread + self.range_term

    @property
    def lower(self) -> float:
        """Holds for every sample."""
        return max(0.0, self.limit + self.trace_shift - self.leading - self.left_out)


def tail_sum_bound(
    system: Eigensystem,
    X: ArrayLike,
    dimension: int,
    *,
    order: int | None = None,
    delta: float = 0.05,
    supremum: float | None = None,
) -> TailSumBound:
    r"""Bound the variance that kernel PCA of a sample leaves beyond the first d components.

    Above: kernel PCA leaves no more than the projection on the first d directions of the operator,
    which is the mean of n independent numbers in [0, K] of mean :math:`\Lambda_{>d}` and variance
    at most :math:`K \Lambda_{>d}`. By Bernstein's inequality, with probability
    :math:`1 - \delta`,

    .. math:: \sum_{i > d} l_i \le \Lambda_{>d}
              + \sqrt{\frac{2 K \log(1/\delta)}{n}} \sqrt{\Lambda_{>d}}
              + \frac{K \log(1/\delta)}{3 n} .

    Below: the sum of the d largest eigenvalues of K/n is at most that of the truncated matrix plus
    the trace of what was left out, so

    .. math:: \sum_{i > d} l_i \ge \Lambda_{>d} + (\operatorname{tr} K/n - \operatorname{tr} T)
              - \|\tilde C\| \sum_{i \le d} \lambda_i - \operatorname{tr} \tilde E .

    Parameters
    ----------
    system : Eigensystem
        The kernel's eigenvalues and eigenfunctions.
    X : array-like
        The sample.
    dimension : int
        The number d of components.
    order : int, optional
        Order of truncation for the lower bound, at least d; by default the one that gives the
        largest lower bound.
    delta : float
        Probability that the upper bound fails.
    supremum : float, optional
        K, the largest k(x, x) where the density is positive. By default that of the system, which
        is known where k(x, x) is the same everywhere; for other kernels it has to be passed.

    Returns
    -------
    TailSumBound
        Both bounds, their terms, and what they bound.

    References
    ----------
    G. Blanchard, O. Bousquet, L. Zwald. Statistical Properties of Kernel Principal Component
    Analysis. Machine Learning 66, 2007, for bounds of this form.

    Examples
    --------
    >>> from reldim.theory import GaussianEigensystem, tail_sum_bound
    >>> system = GaussianEigensystem(width=1.0)
    >>> seen = tail_sum_bound(system, system.density.sample(500, random_state=0), dimension=2)
    >>> bool(seen.lower <= seen.tail <= seen.upper)
    True
    """
    check_delta(delta)
    points = as_points(X, system.dimensions)
    K = largest_diagonal(system, supremum, points)
    n = len(points)
    most = min(system.count, n)
    if not 1 <= dimension <= most or (order is not None and not dimension <= order <= most):
        raise InputError(
            f"dimension must lie between 1 and {most}, and order between dimension and {most}. "
            f"Got dimension={dimension}, order={order}."
        )
    orders = range(dimension, most + 1) if order is None else [order]
    leading_sum = float(system.eigenvalues[:dimension].sum())
    seen = min(
        (truncate(system, points, r) for r in orders),
        key=lambda t: t.defect * leading_sum + t.kernel_error_trace,
    )
    sample = _sample_eigenvalues(system, points)
    limit = system.tail(dimension)
    log = float(np.log(1.0 / delta))
    return TailSumBound(
        dimension=dimension,
        delta=delta,
        limit=limit,
        tail=float(sample[dimension:].sum()),
        spread=float(np.sqrt(2 * K * log / n * limit)),
        range_term=K * log / (3 * n),
        trace_shift=float(sample.sum()) - system.trace,
        leading=seen.defect * leading_sum,
        left_out=seen.kernel_error_trace,
    )


def _sample_eigenvalues(system: Eigensystem, points: Array) -> Array:
    matrix = np.asarray(system.kernel(points)) / len(points)
    return np.maximum(linalg.eigvalsh(matrix)[::-1], 0.0)


def _symmetric(matrix: ArrayLike, name: str) -> Array:
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not np.all(np.isfinite(values)):
        raise InputError(f"{name} must be a finite square matrix. Got shape {values.shape}.")
    if not np.allclose(
        values, values.T, rtol=0, atol=1e-10 * max(1.0, float(np.abs(values).max()))
    ):
        raise InputError(f"{name} must be symmetric: pass ({name} + {name}.T) / 2 if it should be.")
    return values
