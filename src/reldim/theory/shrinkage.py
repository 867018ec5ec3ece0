r"""Which components a sample of n rows can determine: shrinkage, and counts that follow from it.

A Gaussian process prior shrinks the coefficient of an eigenfunction with eigenvalue
:math:`\lambda` by a factor, for regression with noise variance :math:`\sigma^2` and for
classification with a logistic link:

.. math:: \frac{\lambda}{\lambda + \sigma^2 / n}, \qquad \frac{\lambda}{\lambda + 4 / n}

(Williams and Seeger 2000, eqs. 10 and 23; 4 is the inverse slope of the logistic function at 0).
So a component of a classification is lost unless the eigenvalue :math:`n \lambda` of K exceeds
about 4. These factors depend on the inputs alone, the relevant dimension on the targets as well.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError
from reldim.relevance.estimation import RelevantDimension
from reldim.spectrum.spectrum import Spectrum

__all__ = [
    "ComponentCounts",
    "classification_shrinkage",
    "component_counts",
    "explained_variance_count",
    "regression_shrinkage",
    "ridge_of_dimension",
    "visible_count",
]

Array = NDArray[np.float64]

#: Inverse slope of the logistic function at 0.
LOGISTIC = 4.0


def regression_shrinkage(eigenvalues: ArrayLike, n: int, noise_variance: float) -> Array:
    r"""Compute the shrinkage of the coefficients of a regression.

    .. math:: \hat\alpha_i / \alpha_i \approx \frac{\lambda_i}{\lambda_i + \sigma^2 / n}

    Parameters
    ----------
    eigenvalues : array-like
        Eigenvalues of the operator, or of K/n.
    n : int
        Number of rows.
    noise_variance : float
        Variance of the noise in the targets.

    Returns
    -------
    ndarray
        Factors from 0, lost, to 1, kept.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, eq. 10.

    Examples
    --------
    >>> regression_shrinkage([0.5, 0.01, 0.0001], n=100, noise_variance=1.0)
    array([0.980..., 0.5 , 0.0099...])
    """
    values, rows = _checked(eigenvalues, n)
    if not (math.isfinite(noise_variance) and noise_variance >= 0):
        raise InputError(
            f"noise_variance must be a finite number of at least 0. Got {noise_variance} instead."
        )
    return _shrink(values, noise_variance / rows)


def classification_shrinkage(eigenvalues: ArrayLike, n: int) -> Array:
    r"""Compute the shrinkage of the coefficients of a classification with a logistic link.

    .. math:: \hat\alpha_i / \alpha_i \approx \frac{\lambda_i}{\lambda_i + 4 / n}

    for small coefficients; large ones, which saturate the link, are shrunk more.

    Parameters
    ----------
    eigenvalues : array-like
        Eigenvalues of the operator, or of K/n.
    n : int
        Number of rows.

    Returns
    -------
    ndarray
        Factors from 0, lost, to 1, kept.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, eq. 23.

    Examples
    --------
    >>> classification_shrinkage([0.5, 0.04, 0.0004], n=100)
    array([0.925..., 0.5 , 0.0099...])
    """
    values, rows = _checked(eigenvalues, n)
    return _shrink(values, LOGISTIC / rows)


def visible_count(spectrum: Spectrum) -> int:
    r"""Count the components that a classification can use: eigenvalues of K above 4.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.

    Returns
    -------
    int
        How many :math:`n l_m > 4`, those that are shrunk by less than half.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> visible_count(decompose(kernels.Gaussian(width=1.0), data.X))
    5
    """
    above = int(np.sum(spectrum.n * spectrum.eigenvalues > LOGISTIC))
    if above == len(spectrum.eigenvalues) and not spectrum.is_complete:
        raise InputError(
            f"All of the {above} eigenvalues at hand exceed 4, so there may be more: decompose "
            "with a larger rank."
        )
    return above


def explained_variance_count(spectrum: Spectrum, fraction: float) -> int:
    r"""Count the leading components that hold a share of the variance in feature space.

    .. math:: M = \min \Big\{ m : \sum_{i \le m} l_i \ge
              \text{fraction} \cdot \operatorname{tr}(K)/n \Big\}

    The papers' M95 and M99 are those of 0.95 and 0.99.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    fraction : float
        Share of the variance, above 0 and at most 1.

    Returns
    -------
    int
        The number of components.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, section 3.3.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=1.0), data.X)
    >>> explained_variance_count(spectrum, 0.95), explained_variance_count(spectrum, 0.99)
    (5, 7)
    """
    if not (math.isfinite(fraction) and 0 < fraction <= 1):
        raise InputError(
            f"fraction must be a share of the variance above 0 and at most 1. Got {fraction}."
        )
    covered = np.cumsum(spectrum.eigenvalues.astype(np.float64))
    # Round-off in the sum must not ask for one component more.
    slack = spectrum.resolution
    reached = covered >= fraction * spectrum.trace - slack
    if not reached.any():
        raise InputError(
            f"The {len(covered)} eigenpairs at hand hold {covered[-1] / spectrum.trace:.4f} of the "
            f"variance, less than {fraction}: decompose with a larger rank."
        )
    return int(np.argmax(reached)) + 1


@dataclass(frozen=True)
class ComponentCounts:
    """How many components there are, by what is asked of them.

    Attributes
    ----------
    n : int
        Number of rows.
    relevant : int
        The relevant dimension: components that carry label information.
    interval : tuple of int
        Its interval.
    visible : int
        Components that a prior with this kernel shrinks by less than half.
    level : float
        The eigenvalue of K above which that is so: 4 for a classification, the variance of the
        noise for a regression.
    explained : dict of float to int
        Components that hold each share of the variance.
    shrinkage : ndarray
        Factor of each component, for the task at hand.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, relevant_dimension
    >>> data = datasets.noisy_sinc(200, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=0.5), data.X)
    >>> counts = component_counts(relevant_dimension(spectrum, data.y))
    >>> counts.relevant, counts.visible, counts.explained
    (7, 11, {0.95: 7, 0.99: 9})
    """

    n: int
    relevant: int
    interval: tuple[int, int]
    visible: int
    level: float
    explained: dict[float, int]
    shrinkage: Array = field(repr=False)

    @property
    def degrees_of_freedom(self) -> float:
        """Sum of the shrinkage factors: how many components the prior lets through."""
        return float(self.shrinkage.sum())

    @property
    def sentence(self) -> str:
        """What the counts say beside each other."""
        held = ", ".join(f"{share:.0%} in {m}" for share, m in self.explained.items())
        start = f"Of {self.n} components {self.relevant} carry label information; variance: {held}."
        if self.relevant > self.visible:
            return (
                f"{start} Only {self.visible} have an eigenvalue of K above {self.level:.3g}: a "
                "prior with this kernel shrinks the others by more than half, although the targets "
                "use them. A larger amplitude or more rows would let them through."
            )
        return (
            f"{start} {self.visible} have an eigenvalue of K above {self.level:.3g}, so all "
            "relevant ones can be learned from these rows."
        )


def component_counts(
    estimate: RelevantDimension, fractions: tuple[float, ...] = (0.95, 0.99)
) -> ComponentCounts:
    """Put the relevant dimension beside the counts that depend on the inputs alone.

    Parameters
    ----------
    estimate : RelevantDimension
        What :func:`reldim.relevant_dimension` returned.
    fractions : tuple of float
        Shares of the variance to count components for.

    Returns
    -------
    ComponentCounts
        The counts.
    """
    spectrum, targets = estimate.spectrum, estimate.targets
    if targets.task == "classification":
        level = LOGISTIC
    else:
        residual = targets.values + targets.offset - estimate.scores
        free = max(1, spectrum.n - estimate.dimension)
        level = float(np.sum(residual**2) / (free * targets.values.shape[1]))
    factors = _shrink(spectrum.eigenvalues.astype(np.float64), level / spectrum.n)
    return ComponentCounts(
        n=spectrum.n,
        relevant=estimate.dimension,
        interval=estimate.interval,
        visible=int(np.sum(factors > 0.5)),
        level=level,
        explained={share: explained_variance_count(spectrum, share) for share in fractions},
        shrinkage=factors,
    )


def ridge_of_dimension(estimate: RelevantDimension) -> float:
    r"""Read a ridge parameter off the spectrum, at the relevant dimension.

    .. math:: \rho = \sqrt{l_d \, l_{d + 1}}, \qquad \frac{l_m}{l_m + \rho} > \tfrac12
              \iff m \le d

    The ridge that keeps more than half of each relevant component and less than half of every
    other one. It takes no search, where :class:`reldim.KernelRidgeRegressor` searches by
    leave-one-out.

    Parameters
    ----------
    estimate : RelevantDimension
        What :func:`reldim.relevant_dimension` returned.

    Returns
    -------
    float
        The ridge on the scale of the eigenvalues of K/n; the ``alpha`` of scikit-learn's
        ``KernelRidge`` is n times as large.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, relevant_dimension
    >>> data = datasets.noisy_sinc(200, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=0.5), data.X)
    >>> ridge_of_dimension(relevant_dimension(spectrum, data.y))
    0.0198...
    """
    values = estimate.spectrum.eigenvalues.astype(np.float64)
    d = estimate.dimension
    if d == 0:
        raise InputError(
            "No component is relevant, so that no finite ridge is large enough: predict the mean."
        )
    smallest = estimate.spectrum.resolution
    following = max(float(values[d]) if d < len(values) else 0.0, smallest)
    return math.sqrt(max(float(values[d - 1]), smallest) * following)


def _checked(eigenvalues: ArrayLike, n: int) -> tuple[Array, int]:
    values = np.asarray(eigenvalues, dtype=np.float64)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError("eigenvalues must be finite and at least 0. Set round-off below 0 to 0.")
    if isinstance(n, bool) or n < 1:
        raise InputError(f"n must be a number of rows of at least 1. Got {n!r} instead.")
    return values, int(n)


def _shrink(values: Array, level: float) -> Array:
    # Without noise nothing is shrunk, not even what has no variance: 0/0 stands for 1 there.
    return np.divide(values, values + level, out=np.ones_like(values), where=values + level > 0)
