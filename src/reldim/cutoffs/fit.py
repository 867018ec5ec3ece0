"""A fit on the components that a rule keeps: least squares, or another loss for classes."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.cutoffs.losses import check_loss, log_odds, minimise_loss
from reldim.cutoffs.rules import Cut, CutOff, Fixed
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.targets import Targets, decide
from reldim.relevance.criteria import left_out_residual
from reldim.relevance.estimation import RelevantDimension, estimate
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.spectrum import Spectrum

__all__ = ["CutOffFit", "as_cutoff", "fit_cutoff"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CutOffFit:
    r"""Kernel principal component regression at a cut.

    .. math:: f(x) = \sum_{m \le d} \frac{l_m}{l_m + \rho} \, z_m f_m(x)

    With :math:`\rho = 0` this is least squares on the leading components.

    Attributes
    ----------
    relevance : RelevantDimension
        What follows from the dimension of the cut.
    cut : Cut
        Where the spectrum was cut, and why.
    ridge : float
        The ridge :math:`\rho`, on the scale of the eigenvalues of K/n.
    criterion_value : float
        By what kernels are compared.
    average : bool
        Average over the posterior instead of cutting: every component by its posterior mean.
    denoised : bool
        Fit the classes that least squares predicts for the rows instead of those given.
    loss : {"squared", "logistic", "hinge"}
        What is minimised on the components.
    """

    relevance: RelevantDimension = field(repr=False)
    cut: Cut
    ridge: float
    criterion_value: float
    average: bool = False
    denoised: bool = False
    loss: str = "squared"

    @classmethod
    def of(cls, rd: RelevantDimension, *, average: bool = False) -> "CutOffFit":
        """Fit least squares at the dimension of an estimate, or averaged over its posterior.

        Parameters
        ----------
        rd : RelevantDimension
            The estimate.
        average : bool
            Average over the posterior.
        """
        return cls(rd, Cut(rd.dimension, reason="as given"), 0.0, rd.criterion_value, average)

    @property
    def criterion_error(self) -> float:
        """What round-off may add to the criterion, where that is the one of the relevance."""
        return self.relevance.criterion_error if self.cut.error is None else 0.0

    @property
    def dimension(self) -> int:
        """The number of components kept."""
        return self.cut.dimension

    @property
    def shrinkage(self) -> Array:
        """The factor of each component that is kept."""
        rd = self.relevance
        values = rd.spectrum.eigenvalues[: rd.dimension].astype(np.float64)
        return np.asarray(values / (values + self.ridge))

    @cached_property
    def expansion(self) -> Expansion:
        """The fitted function."""
        return Expansion.of(self.relevance.spectrum, *self._solution)

    @cached_property
    def noise_level(self) -> float:
        """In-sample error, as in :class:`reldim.RelevantDimension`."""
        if self._averages:
            return self.relevance.averaged_errors[0]
        if self._plain or self.relevance.dimension == 0:
            return self.relevance.noise_level
        return self.relevance.targets.error(self._fitted)

    @cached_property
    def error_estimate(self) -> float:
        """Leave-one-out error; with a ridge or averaged in closed form, the components fixed.

        It is that of least squares on the given targets, also where something else is fitted.
        """
        rd = self.relevance
        if self._averages:
            return rd.averaged_errors[1]
        if self.ridge == 0.0 or rd.dimension == 0:
            return rd.error_estimate
        shrinkage = self.shrinkage
        leverage = rd.spectrum.basis.map_rows(lambda U: U**2 @ shrinkage, rd.dimension)
        values = rd.targets.values
        fitted = rd.spectrum.combine(shrinkage[:, None] * rd.leading_coefficients)
        residual = left_out_residual(values - fitted, values, leverage[:, None])
        return rd.targets.error(values - residual)

    @property
    def _averages(self) -> bool:
        return self.average and self.relevance.dimension > 0

    @property
    def _plain(self) -> bool:
        return self.ridge == 0.0 and self.loss == "squared" and not self.denoised

    @cached_property
    def _solution(self) -> tuple[Array, Array]:
        """Coefficients of the components, and the constant."""
        rd = self.relevance
        offset = rd.targets.offset
        if rd.dimension == 0:
            constant = log_odds(rd.targets) if self.loss == "logistic" else rd.targets.mean
            return rd.leading_coefficients, constant
        if self._averages:
            return rd.averaged_coefficients, offset
        if self.loss != "squared":
            assert rd.targets.codes is not None
            codes = decide(rd.scores) if self.denoised else rd.targets.codes
            if np.ptp(codes) > 0:
                return minimise_loss(rd.spectrum, codes, rd.dimension, self.loss, self.ridge)
        z = rd.leading_coefficients
        if self.denoised and rd.targets.classes is not None:
            classes = rd.targets.coded(rd.scores)
            if np.any(offset):
                offset = np.asarray(classes.mean(axis=0))
            z = rd.spectrum.project(classes - offset)[: rd.dimension]
        return np.asarray(self.shrinkage[:, None] * z), offset

    @cached_property
    def _fitted(self) -> Array:
        z, constant = self._solution
        # Without the offset of the targets, as they expect it.
        return self.relevance.spectrum.combine(z) + (constant - self.relevance.targets.offset)


def fit_cutoff(
    spectrum: Spectrum,
    targets: Targets,
    rule: CutOff | None = None,
    *,
    criterion: str = "likelihood",
    ridge: float = 0.0,
    average: bool = False,
    denoised: bool = False,
    loss: str = "squared",
    random_state: int | None = None,
) -> CutOffFit:
    """Cut a spectrum by a rule and fit what is left, by least squares or another loss.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    targets : Targets
        The coded targets.
    rule : CutOff, optional
        Where to cut, by default at the relevant dimension.
    criterion : {"likelihood", "leave-one-out"}
        What the relevant dimension is estimated by, and kernels are compared by unless the rule
        validates them itself.
    ridge : float
        Ridge after projection, on the scale of the eigenvalues of K/n.
    average : bool
        Average over the posterior of the signal instead of cutting.
    denoised : bool
        Fit the classes that least squares predicts for the rows; numbers are the same either way.
    loss : {"squared", "logistic", "hinge"}
        What is minimised on the components; others than "squared" are for classes.
    random_state : int, optional
        Seed.

    Returns
    -------
    CutOffFit
        The fit.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels
    >>> from reldim.cutoffs import Threshold, fit_cutoff
    >>> from reldim.inputs.targets import code_targets
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(1.0), data.X)
    >>> fit_cutoff(spectrum, code_targets(data.y), Threshold(0.01)).cut.dimension
    6
    """
    if not (math.isfinite(ridge) and ridge >= 0):
        raise InputError(
            "ridge must be a finite number of at least 0, on the scale of the eigenvalues of K/n. "
            f"Got {ridge} instead."
        )
    check_loss(loss)
    if average and ridge > 0:
        raise InputError(
            "average shrinks every component by itself and takes no ridge beside it. Got a ridge "
            f"of {ridge}: pass one of the two."
        )
    if average and (denoised or loss != "squared"):
        raise InputError(
            "average is for least squares on the given targets. Got "
            f"{'denoised targets' if denoised else f'loss={loss!r}'}: leave average out."
        )
    cut = None if rule is None else rule.cut(spectrum, targets)
    dimension = None if cut is None else cut.dimension
    if dimension is not None and not spectrum.is_complete:
        # More eigenpairs can be had, and are asked for where the dimension is not well inside.
        dimension = min(dimension, spectrum.rank)
    rd = estimate(
        spectrum, targets, dimension=dimension, criterion=criterion, random_state=random_state
    )
    if cut is None:
        cut = Cut(rd.dimension, reason="relevant dimension")
    value = rd.criterion_value if cut.error is None else cut.error
    return CutOffFit(rd, cut, float(ridge), value, average, denoised, loss)


def as_cutoff(dimension: Any) -> CutOff | None:
    """Turn the parameter ``dimension`` of an estimator into a rule; None stays None.

    Examples
    --------
    >>> as_cutoff(5)
    Fixed(dimension=5)
    """
    if dimension is None or isinstance(dimension, CutOff):
        return dimension
    if isinstance(dimension, Integral) and not isinstance(dimension, bool):
        return Fixed(int(dimension))
    raise InputTypeError(
        "dimension must be None, a whole number, or a rule of reldim.cutoffs such as "
        f"Threshold(0.01) or CrossValidated(). Got {dimension!r} of type "
        f"{type(dimension).__name__} instead."
    )
