r"""Rules of spectral cut-off: how many kernel PCA components least squares may use.

A rule looks at a spectrum and at coded targets and returns a :class:`Cut`. The estimators take a
rule as their parameter ``dimension``:

=============================================  =====================================================
``KernelPCRegressor(dimension=...)``           keeps
=============================================  =====================================================
``None``                                       the relevant dimension by the parameter ``criterion``
``7``                                          seven components
``Threshold(0.01)``                            components with an eigenvalue of at least 0.01
``ExplainedVariance(0.99)``                    those that hold 99 % of the variance
``Relevant("leave-one-out", margin="log")``    the relevant dimension plus log n
``CrossValidated(folds=5)``                    those above the best threshold of 5-fold validation
=============================================  =====================================================
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.inputs.targets import Targets
from reldim.relevance.estimation import CRITERIA, estimate
from reldim.spectrum.spectrum import Spectrum
from reldim.theory.shrinkage import explained_variance_count

__all__ = [
    "Cut",
    "CutOff",
    "ExplainedVariance",
    "Fixed",
    "Relevant",
    "Threshold",
    "count_above",
    "within_rank",
]

Array = NDArray[np.float64]

MARGINS = ("none", "log", "sqrt")


@dataclass(frozen=True)
class Cut:
    """Where a rule cuts a spectrum.

    Attributes
    ----------
    dimension : int
        Number of components kept.
    threshold : float or None
        The threshold on the eigenvalues of K/n that was applied, if one was.
    error : float or None
        Mean validation error at the threshold, for cross-validation.
    thresholds, errors : ndarray or None
        All thresholds that cross-validation tried, descending, and their mean errors.
    reason : str
        Why this many.
    """

    dimension: int
    threshold: float | None = None
    error: float | None = None
    thresholds: Array | None = field(default=None, repr=False)
    errors: Array | None = field(default=None, repr=False)
    reason: str = ""


class CutOff(ABC):
    """A rule of spectral cut-off."""

    @abstractmethod
    def cut(self, spectrum: Spectrum, targets: Targets) -> Cut:
        """Choose the number of components.

        Parameters
        ----------
        spectrum : Spectrum
            The decomposition.
        targets : Targets
            The coded targets.

        Returns
        -------
        Cut
            Where to cut.
        """


@dataclass(frozen=True)
class Fixed(CutOff):
    """A given number of components.

    Parameters
    ----------
    dimension : int
        The number.

    Examples
    --------
    >>> from reldim.cutoffs import Fixed
    >>> Fixed(3)
    Fixed(dimension=3)
    """

    dimension: int

    def cut(self, spectrum: Spectrum, targets: Targets) -> Cut:
        """Return the number that was given."""
        return Cut(int(self.dimension), reason="as given")


@dataclass(frozen=True)
class Threshold(CutOff):
    r"""Components whose eigenvalue reaches a threshold, :math:`l_m \ge \lambda`.

    Parameters
    ----------
    value : float
        The threshold on the eigenvalues of K/n, or with ``relative`` on their ratio to the largest.
    relative : bool
        Measure against the largest eigenvalue.

    References
    ----------
    S. Mosci, L. Rosasco, A. Verri. Dimensionality Reduction and Generalization. ICML 2007.

    Examples
    --------
    >>> from reldim import KernelPCRegressor, datasets, kernels
    >>> from reldim.cutoffs import Threshold
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> model = KernelPCRegressor(kernels.Gaussian(1.0), dimension=Threshold(0.01))
    >>> model.fit(data.X, data.y).dimension_
    6
    """

    value: float
    relative: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and self.value > 0):
            raise InputError(f"Threshold: value must be positive and finite. Got {self.value}.")

    def cut(self, spectrum: Spectrum, targets: Targets) -> Cut:
        """Count the eigenvalues that reach the threshold."""
        level = self.value * (float(spectrum.eigenvalues[0]) if self.relative else 1.0)
        return Cut(count_above(spectrum, level), level, reason=f"eigenvalues from {level:.3g}")


@dataclass(frozen=True)
class ExplainedVariance(CutOff):
    """Leading components that hold a share of the variance in feature space.

    Parameters
    ----------
    fraction : float
        The share.

    Examples
    --------
    >>> from reldim.cutoffs import ExplainedVariance
    >>> ExplainedVariance(0.95)
    ExplainedVariance(fraction=0.95)
    """

    fraction: float

    def __post_init__(self) -> None:
        if not 0 < self.fraction < 1:
            raise InputError(
                "ExplainedVariance: fraction must be a share of the variance between 0 and 1. "
                f"Got {self.fraction} instead."
            )

    def cut(self, spectrum: Spectrum, targets: Targets) -> Cut:
        """Count the components; all that are at hand, where they do not hold the share."""
        held = 1.0 - spectrum.residual / spectrum.trace
        if held < self.fraction and not spectrum.is_complete:
            return Cut(spectrum.rank, reason=f"all at hand, with {held:.1%} of the variance")
        count = explained_variance_count(spectrum, self.fraction)
        return Cut(within_rank(spectrum, count), reason=f"{self.fraction:.0%} of the variance")


@dataclass(frozen=True)
class Relevant(CutOff):
    r"""The relevant dimension, with a margin that grows with n if wanted.

    Projections stay consistent for any dimension that grows more slowly than n, so
    :math:`d + \log n` or :math:`d + \sqrt n` costs little and guards against a dimension that was
    underestimated. Where no signal was found, nothing is added.

    Parameters
    ----------
    criterion : {"likelihood", "leave-one-out"}
        How the relevant dimension is estimated.
    margin : {"none", "log", "sqrt"}
        What is added to it, rounded up.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. Denoising and Dimension Reduction in Feature Space.
    NIPS 2006, section 4.

    Examples
    --------
    >>> from reldim import KernelPCRegressor, datasets, kernels
    >>> from reldim.cutoffs import Relevant
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> rule = Relevant(margin="log")
    >>> KernelPCRegressor(kernels.Gaussian(1.0), dimension=rule).fit(data.X, data.y).dimension_
    12
    """

    criterion: str = "likelihood"
    margin: str = "none"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("criterion", self.criterion, CRITERIA),
            ("margin", self.margin, MARGINS),
        ):
            if value not in allowed:
                raise InputError(
                    f"Relevant: {name} must be one of {', '.join(allowed)}. Got {value!r} instead."
                )

    def cut(self, spectrum: Spectrum, targets: Targets) -> Cut:
        """Estimate the relevant dimension and add the margin."""
        d = estimate(spectrum, targets, criterion=self.criterion).dimension
        n = spectrum.n
        margin = {"none": 0, "log": math.ceil(math.log(n)), "sqrt": math.ceil(math.sqrt(n))}
        more = margin[self.margin] if d else 0
        reason = f"relevant dimension {d}" + (f" and {more} more" if more else "")
        return Cut(within_rank(spectrum, d + more), reason=reason)


def count_above(spectrum: Spectrum, level: float) -> int:
    """Count eigenvalues from ``level`` on; a cluster of equal eigenvalues is kept as a whole."""
    count = int(np.sum(spectrum.eigenvalues >= level))
    if count == 0:
        return 0
    beyond: Any = spectrum.cuts[spectrum.cuts >= count]
    return within_rank(spectrum, int(beyond[0]) if len(beyond) else count)


def within_rank(spectrum: Spectrum, count: int) -> int:
    """Limit a number of components to those that least squares can use."""
    return max(0, min(count, spectrum.rank, spectrum.n - 1))
