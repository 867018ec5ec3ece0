r"""Bounds on the error of learning: spectral cut-off, and classes of finite VC dimension."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from reldim.eigensolvers import decompose
from reldim.exceptions import InputError, counted
from reldim.inputs.random_state import generator_of
from reldim.inputs.targets import code_targets
from reldim.kernels import as_kernel
from reldim.relevance.criteria import floor, likelihood_curve
from reldim.spectrum.expansion import Expansion
from reldim.theory.bounds import check_delta

__all__ = [
    "Concentration",
    "CutOffBound",
    "SplitBound",
    "VCBound",
    "concentration",
    "cutoff_bound",
    "margin_dimension",
    "split_bound",
    "threshold",
    "vc_bound",
]


@dataclass(frozen=True)
class Concentration:
    r"""How far averages over a sample stray from what they estimate.

    Attributes
    ----------
    n : int
        Number of rows.
    eta : float
        Probability that one of the bounds fails.
    targets : float
        :math:`\delta_1`, which bounds :math:`\|h - h_z\|`: the targets, averaged in feature space,
        against the regression function averaged in the same way.
    operator : float
        :math:`\delta_2`, which bounds :math:`\|T - T_x\|`, the covariance operators.
    """

    n: int
    eta: float
    targets: float
    operator: float


def concentration(
    n: int, *, radius: float, largest_target: float = 1.0, eta: float = 0.05, kappa: float = 1.0
) -> Concentration:
    r"""Evaluate lemma 1 of Mosci et al., on which their theorems rest.

    With probability at least :math:`1 - \eta` both hold,

    .. math:: \|h - h_z\| \le \delta_1 = \frac{2 \sqrt 2 \, \kappa (M + R)}{\sqrt n}
              \log \frac 4 \eta, \qquad
              \|T - T_x\| \le \delta_2 = \frac{2 \sqrt 2 \, \kappa^2}{\sqrt n} \log \frac 4 \eta

    with :math:`h_z = \frac1n \sum_i y_i \Phi(x_i)` and :math:`h = T_x f_\rho`.

    Parameters
    ----------
    n : int
        Number of rows.
    radius : float
        R, a bound on the norm of the regression function in the space of the kernel.
    largest_target : float
        M, a bound on the absolute targets.
    eta : float
        Probability that one of the bounds fails.
    kappa : float
        Square root of the largest k(x, x).

    Returns
    -------
    Concentration
        Both bounds.

    References
    ----------
    S. Mosci, L. Rosasco, A. Verri. Dimensionality Reduction and Generalization. ICML 2007, lemma 1.

    Examples
    --------
    >>> bound = concentration(10_000, radius=1.0)
    >>> round(bound.targets, 3), round(bound.operator, 3)
    (0.248, 0.124)
    """
    operator = threshold(n, eta=eta, kappa=kappa)
    _check_positive(radius=radius, largest_target=largest_target)
    return Concentration(n, eta, operator / kappa * (largest_target + radius), operator)


def threshold(n: int, *, eta: float = 0.05, kappa: float = 1.0) -> float:
    r"""Threshold on the eigenvalues of K/n at which spectral cut-off is consistent.

    .. math:: \lambda_n = \frac{2 \sqrt 2 \, \kappa^2 \log(4 / \eta)}{\sqrt n}

    The bound holds for any distribution, so the threshold is far too high for a given data set:
    for small n it exceeds all eigenvalues. Use it to see how a safe choice falls with n;
    ``KernelPCRegressor(dimension=Threshold(threshold(n)))`` cuts there.

    Parameters
    ----------
    n : int
        Number of rows.
    eta : float
        Probability that the bound fails.
    kappa : float
        Square root of the largest k(x, x).

    Returns
    -------
    float
        The threshold.

    References
    ----------
    S. Mosci, L. Rosasco, A. Verri. Dimensionality Reduction and Generalization. ICML 2007,
    theorem 1.

    Examples
    --------
    >>> threshold(10_000)
    0.1239...
    """
    check_delta(eta)
    _check_positive(n=n, kappa=kappa)
    return 2.0 * math.sqrt(2.0) * kappa**2 * math.log(4.0 / eta) / math.sqrt(n)


@dataclass(frozen=True)
class CutOffBound:
    r"""Bound on the excess error of spectral cut-off, and its two parts.

    Attributes
    ----------
    n : int
        Number of rows.
    eta : float
        Probability that the bound fails.
    level : float
        The threshold :math:`\lambda` on the eigenvalues.
    smallest_level : float
        :math:`\lambda_n`, below which the theorem does not hold.
    approximation : float
        :math:`8 \lambda R^2`, which falls as more components are kept.
    sample : float
        :math:`8 C / (\lambda n)`, which grows as more components are kept.
    constant : float
        :math:`C = 8 \kappa^2 (M + R)^2 \log(4 / \eta)^2`.
    """

    n: int
    eta: float
    level: float
    smallest_level: float
    approximation: float
    sample: float
    constant: float

    @property
    def total(self) -> float:
        """The bound: both parts together."""
        return self.approximation + self.sample

    @property
    def misclassification(self) -> float:
        """For +-1 labels, the bound on the error rate above that of the Bayes rule (eq. 4)."""
        return math.sqrt(self.total)


def cutoff_bound(
    n: int,
    *,
    radius: float,
    largest_target: float = 1.0,
    level: float | None = None,
    eta: float = 0.05,
    kappa: float = 1.0,
) -> CutOffBound:
    r"""Evaluate theorem 2 of Mosci et al., at :math:`\lambda_n` theorem 1.

    With probability at least :math:`1 - \eta`

    .. math:: \mathcal E(f^\lambda) - \mathcal E(f_\rho) \le 8 \Big( \lambda R^2
              + \frac{C}{\lambda n} \Big), \qquad
              C = 8 \kappa^2 (M + R)^2 \Big( \log \frac 4 \eta \Big)^2

    for :math:`\lambda_n \le \lambda < 1`, and for :math:`\lambda = \lambda_n` the right side is
    :math:`\frac{16 \sqrt 2}{\sqrt n} (\kappa^2 R^2 + (M + R)^2) \log \frac 4 \eta`.

    Parameters
    ----------
    n : int
        Number of rows.
    radius : float
        R, a bound on the norm of the regression function in the space of the kernel.
    largest_target : float
        M, a bound on the absolute targets.
    level : float, optional
        The threshold :math:`\lambda`, by default :math:`\lambda_n`.
    eta : float
        Probability that the bound fails.
    kappa : float
        Square root of the largest k(x, x).

    Returns
    -------
    CutOffBound
        The bound and its terms.

    References
    ----------
    S. Mosci, L. Rosasco, A. Verri. Dimensionality Reduction and Generalization. ICML 2007.

    Examples
    --------
    >>> bound = cutoff_bound(1_000_000, radius=1.0)
    >>> round(bound.approximation, 4), round(bound.sample, 4)
    (0.0992, 0.3966)
    """
    smallest = threshold(n, eta=eta, kappa=kappa)
    chosen = smallest if level is None else level
    _check_positive(radius=radius, largest_target=largest_target, level=chosen)
    # Theorem 1 states no upper limit for lambda_n, theorem 2 needs a level below 1.
    if level is not None and not smallest <= level < 1.0:
        raise InputError(
            f"level must lie between lambda_n = {smallest:.4g} and 1 for the theorem to hold. "
            f"Got {level} instead: take more rows, or leave level out."
        )
    log = math.log(4.0 / eta)
    constant = 8.0 * kappa**2 * (largest_target + radius) ** 2 * log**2
    return CutOffBound(
        n=n,
        eta=eta,
        level=chosen,
        smallest_level=smallest,
        approximation=8.0 * chosen * radius**2,
        sample=8.0 * constant / (chosen * n),
        constant=constant,
    )


@dataclass(frozen=True)
class VCBound:
    """Vapnik's bound on the risk of a class of finite VC dimension.

    Attributes
    ----------
    n : int
        Number of rows.
    dimension : int
        VC dimension.
    eta : float
        Probability that the bound fails.
    empirical_risk : float
        Share of training errors.
    confidence : float
        The square root that is added to it.
    """

    n: int
    dimension: int
    eta: float
    empirical_risk: float
    confidence: float

    @property
    def total(self) -> float:
        """The bound; above 1 it says nothing."""
        return self.empirical_risk + self.confidence


def vc_bound(empirical_risk: float, dimension: int, n: int, *, eta: float = 0.05) -> VCBound:
    r"""Evaluate the VC bound of the slides.

    .. math:: R[f] \le R_{emp}[f]
              + \sqrt{\frac{d \left(\log \frac{2 n}{d} + 1\right) - \log(\eta / 4)}{n}}

    Parameters
    ----------
    empirical_risk : float
        Share of training errors, between 0 and 1.
    dimension : int
        VC dimension d, such as that of :func:`margin_dimension`, or the number of kernel PCA
        components plus one for hyperplanes on them.
    n : int
        Number of rows.
    eta : float
        Probability that the bound fails.

    Returns
    -------
    VCBound
        The bound and its terms.

    References
    ----------
    V. N. Vapnik. The Nature of Statistical Learning Theory. Springer 1995, as in the slides of
    K.-R. Müller and M. L. Braun, Denoising and Dimension Reduction in Feature Space, 2007.

    Examples
    --------
    >>> vc_bound(0.1, dimension=10, n=10_000).total
    0.19507
    """
    check_delta(eta)
    _check_positive(dimension=dimension, n=n)
    if not 0 <= empirical_risk <= 1:
        raise InputError(f"empirical_risk must lie between 0 and 1. Got {empirical_risk} instead.")
    if dimension > 2 * n:
        raise InputError(
            f"The bound needs at least half as many rows as the VC dimension, {dimension}. "
            f"Got {counted(n, 'row')}."
        )
    inside = dimension * (math.log(2.0 * n / dimension) + 1.0) - math.log(eta / 4.0)
    return VCBound(n, dimension, eta, float(empirical_risk), math.sqrt(inside / n))


#: Rows of either half below which no bound would come below 1.
LEAST_ROWS = 10


@dataclass(frozen=True)
class SplitBound:
    r"""What is certain of a classifier on relevant components: components and labels apart.

    Attributes
    ----------
    basis_rows : int
        Rows that the components were computed from, without their labels.
    dimension : int
        The relevant dimension d, estimated on the other rows.
    candidates : int
        How many dimensions could have been chosen.
    bound : VCBound
        The bound for hyperplanes on d components, on the other rows and with a probability of
        failing of eta over the number of candidates.
    function : Expansion
        The classifier: where it is positive it predicts the second class.
    """

    basis_rows: int
    dimension: int
    candidates: int
    bound: VCBound
    function: Expansion = field(repr=False)

    @property
    def total(self) -> float:
        """With probability 1 - eta the error on new rows is at most this; from 1 on it is void."""
        return min(1.0, self.bound.total)


def split_bound(
    kernel: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    eta: float = 0.05,
    random_state: int | None = None,
) -> SplitBound:
    r"""Bound the error of a classifier on relevant components, for a sample of any size.

    Kernel PCA components depend on the rows, so that a bound for a fixed space does not hold for
    them. Here half of the rows, without their labels, gives the components :math:`f_1, \dots, f_D`;
    for the other half these are fixed functions. There the relevant dimension d is estimated and
    hyperplanes :math:`\operatorname{sign}(b + \sum_{m \le d} w_m f_m)` of VC dimension d + 1 are
    fitted by least squares. With probability :math:`1 - \eta` Vapnik's bound holds for all d at
    once, if each has :math:`\eta / D`:

    .. math:: R \le R_{emp} + \sqrt{rac{(d + 1) \left(\log rac{2 n}{d + 1} + 1
    ight)
              - \log rac{\eta}{4 D}}{n}}

    Nothing else is assumed but that rows are drawn independently from one distribution; kernel and
    width must not have been chosen by the labels of these rows. It is a worst case: for few hundred
    rows it says little, and cross-validation says more.

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel.
    X : array-like of shape (n, columns)
        The rows.
    y : array-like of shape (n,)
        Labels of two classes.
    eta : float
        Probability that the bound fails.
    random_state : int, optional
        Seed of the division into halves. None stands for a fixed seed.

    Returns
    -------
    SplitBound
        The bound, its terms, and the classifier that it holds for.

    Examples
    --------
    >>> from reldim import datasets, kernels
    >>> data = datasets.twonorm(4000, random_state=0)
    >>> found = split_bound(kernels.Gaussian(width=50.0), data.X, data.y)
    >>> found.dimension, round(found.bound.empirical_risk, 3), round(found.total, 2)
    (2, 0.021, 0.16)
    """
    check_delta(eta)
    rows, targets = np.asarray(X), code_targets(y, "classification")
    if targets.classes is None or len(targets.classes) != 2:
        raise InputError("y must have two classes: the bound is for one hyperplane between them.")
    if rows.ndim != 2 or len(rows) != targets.n or len(rows) < 2 * LEAST_ROWS:
        raise InputError(
            f"X must be an array of at least {2 * LEAST_ROWS} rows, one per label. Got shape "
            f"{rows.shape} and {counted(targets.n, 'label')}."
        )
    order = generator_of(0 if random_state is None else random_state).permutation(len(rows))
    first, second = order[: len(rows) // 2], order[len(rows) // 2 :]
    spectrum = decompose(as_kernel(kernel), rows[first])
    values, n = targets.values[second], len(second)
    most = min(spectrum.rank, n // 2)
    components = np.asarray(spectrum.components(rows[second], most), dtype=np.float64)
    # In an orthonormal basis of the same nested spaces, after the constant, d is read from the
    # coefficients as it is from those of the eigenvectors.
    Q, R = linalg.qr(np.column_stack([np.ones(n), components]), mode="economic")
    z = Q.T @ values
    energies, total = z[1:, 0] ** 2, float(np.sum(values**2) - z[0, 0] ** 2)
    least = floor(total, n, np.dtype(np.float64))
    curve = likelihood_curve(energies, total, n - 1, 1, most, least)
    d = int(np.argmin(curve)) + 1
    weights = linalg.lstsq(R[: d + 1, : d + 1], z[: d + 1])[0]
    function = Expansion.of(spectrum, weights[1:], weights[0])
    wrong = (function(rows[second])[:, 0] > 0) != (values[:, 0] > 0)
    bound = vc_bound(float(np.mean(wrong)), d + 1, n, eta=eta / most)
    return SplitBound(len(first), d, most, bound, function)


def margin_dimension(radius: float, norm: float, dimensions: int | None = None) -> int:
    r"""Bound the VC dimension of hyperplanes with a margin.

    .. math:: d \le \min\{\lfloor R^2 \|w\|^2 \rfloor + 1, \; N + 1\}

    Parameters
    ----------
    radius : float
        R, radius of the smallest sphere around the data in feature space.
    norm : float
        Norm of w of the hyperplane in canonical form, the inverse of the margin.
    dimensions : int, optional
        N, the number of dimensions of the space; None for an infinite one.

    Returns
    -------
    int
        The bound.

    Examples
    --------
    >>> margin_dimension(radius=1.0, norm=3.0), margin_dimension(1.0, 3.0, dimensions=2)
    (10, 3)
    """
    _check_positive(radius=radius, norm=norm)
    by_margin = math.floor(radius**2 * norm**2) + 1
    return by_margin if dimensions is None else min(by_margin, dimensions + 1)


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{name} must be a positive finite number. Got {value} instead.")
