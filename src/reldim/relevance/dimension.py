"""RelevantDimension: an estimate, and all that follows from it."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.targets import Targets
from reldim.relevance.criteria import left_out_residual, own_leverage
from reldim.relevance.leave_one_out import refitted_error, target_bounds, within_range
from reldim.relevance.noise import (
    NoiseEstimate,
    NoiseProfile,
    bayes_error,
    flipped_share,
    noise_share,
    unexplained,
)
from reldim.relevance.posterior import DimensionPosterior, SignalPosterior
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.spectrum import Spectrum

__all__ = ["MOST_WORK", "RelevantDimension"]

Array = NDArray[np.float64]

#: Components whose eigenvalues are below this share of the first are round-off at new points.
SMALLEST = 1e-9

#: Round-off turns a component by so many units of the precision, over its distance from others.
TURNED = 10.0

#: Operations that exact figures of all rows under all components may take; beyond them some rows
#: stand for all.
MOST_WORK = 2e10
ENOUGH_ROWS = 5000


@dataclass(frozen=True)
class RelevantDimension:
    """The relevant dimension of a data set under a kernel, and what follows from it.

    Attributes
    ----------
    dimension : int
        Number of leading kernel PCA components that carry label information; 0 means that
        no signal was found.
    p_value : float
        Probability that targets without any relation to the data look as structured as these.
    curve : ndarray
        The criterion: ``curve[d - 1]`` is its value at dimension d, scaled as in the papers.
        In the robust variant, values inside a cluster of eigenvalues are interpolated.
    coefficients : ndarray of shape (k,) or (k, outputs)
        Kernel PCA coefficients z = U^T y of the coded targets.
    negative_log_likelihood : float
        Eq. (3) at the dimension; the number by which kernels are compared.
    criterion : {"likelihood", "leave-one-out"}
        What was minimised.
    criterion_value : float
        Its value at the dimension.
    variant : {"robust", "paper"}
        How it was minimised.
    uncertainty : DimensionPosterior
        What the posterior and the interval of the dimension are computed from.
    targets : Targets
        The coded targets.
    spectrum : Spectrum
        What the estimate rests on.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import decompose, kernels, relevant_dimension
    >>> x = np.linspace(-3, 3, 100).reshape(-1, 1)
    >>> y = np.sin(x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=100)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), x), y)
    >>> rd.dimension
    6
    >>> bool(rd.noise_level < 0.03)
    True
    """

    dimension: int
    p_value: float
    curve: Array = field(repr=False)
    coefficients: Array = field(repr=False)
    negative_log_likelihood: float
    criterion: str
    criterion_value: float
    variant: str
    uncertainty: DimensionPosterior = field(repr=False)
    targets: Targets = field(repr=False)
    spectrum: Spectrum = field(repr=False)

    @cached_property
    def criterion_error(self) -> float:
        r"""What round-off in the kernel matrix may add to the criterion.

        It turns the component m by about eps l_1 / (l_m - l_{d+1}) out of the relevant ones, in any
        direction, and the energy R beyond them changes by the products with the coefficients there:

        .. math:: \frac{\Delta R}{R} \approx \frac{2}{\sqrt{n R}}
                  \Big( \sum_{m \le d} \theta_m^2 \|z_m\|^2 \Big)^{1/2}, \qquad
                  \theta_m = \frac{10\, \varepsilon\, l_1}{l_m - l_{d+1}} .

        Kernels are compared by the criterion and this together: of wide kernels, which agree in
        all but round-off, the one whose figure is certain is chosen on every machine.
        """
        values = np.append(self.spectrum.eigenvalues.astype(np.float64), 0.0)
        d, signal = self.dimension, self.signal
        energies = np.sum(self.leading_coefficients**2, axis=1)
        rest = max(signal.total - float(np.sum(energies)), signal.least)
        eps = float(np.finfo(self.spectrum.eigenvalues.dtype).eps)
        gaps = np.maximum(values[:d] - values[d], eps * values[0])
        turned = np.minimum(1.0, TURNED * eps * values[0] / gaps)
        change = 2.0 * np.sqrt(float(np.sum(turned**2 * energies)) / (signal.n * rest))
        scale = 1.0 if self.criterion == "likelihood" else self.criterion_value
        return float(np.log1p(change)) * scale

    @property
    def at_limit(self) -> bool:
        """Whether the dimension is the largest that was considered, by default half of the rows.

        The criterion may have its minimum beyond: the kernel sees a problem that is too complex
        for so few rows, or is too narrow. False where there are no further components to consider.
        """
        largest, rank = len(self.curve), self.spectrum.rank
        cuts = self.spectrum.cuts
        last = largest if self.variant == "paper" else max(cuts[cuts <= largest], default=0)
        return bool(largest < rank and 0 < last == self.dimension)

    @property
    def signal(self) -> SignalPosterior:
        """What the coefficients tell about signal and noise."""
        return self.uncertainty.signal

    @property
    def posterior(self) -> Array:
        """Probability of each dimension 0, 1, ... to be the one of least error.

        The error is that of least squares on the leading components.
        """
        return self.uncertainty.probabilities

    @cached_property
    def interval(self) -> tuple[int, int]:
        """Dimensions that hold 90 % of the posterior probability, widened to hold the estimate."""
        return self.uncertainty.interval(self.dimension)

    @cached_property
    def fitted(self) -> Array:
        """Projection of the coded targets, without their offset; shape (n, outputs)."""
        targets = self.targets
        if self.dimension == 0:
            return np.zeros_like(targets.values) + (targets.mean - targets.offset)
        return self.spectrum.combine(self.leading_coefficients)

    @property
    def scores(self) -> Array:
        """Denoised targets on the coded scale, an array of shape (n, outputs)."""
        return self.fitted + self.targets.offset

    @cached_property
    def expansion(self) -> Expansion:
        """Least squares on the relevant components as a function of new points, coded targets."""
        targets = self.targets
        offset = targets.offset if self.dimension else targets.mean
        # A view of every second number is multiplied in another order, and small eigenvalues
        # enlarge the round-off: with a copy the function is that of the estimators to the bit.
        coefficients = np.ascontiguousarray(self.leading_coefficients)
        return Expansion.of(self.spectrum, coefficients, offset)

    @property
    def bounds(self) -> Array | None:
        """What predictions of numbers are held to, the least and the largest; None for none."""
        diagonal, targets = self.spectrum.gram.diagonal(), self.targets
        # Under a kernel that grows without bounds, such as a linear one, so may predictions.
        bounded = float(diagonal.max()) <= (1.0 + 1e-6) * float(diagonal.min())
        return target_bounds(targets.values) + targets.offset if bounded else None

    @property
    def denoised(self) -> Array:
        """Targets freed of noise: their projection on the relevant components.

        For two classes the sign tells the class; for more classes the largest column does.
        """
        return self.targets.shaped(self.scores)

    @cached_property
    def denoised_labels(self) -> NDArray[Any]:
        """Denoised targets as labels of the given kind; for regression as :attr:`denoised`."""
        return self.targets.labels(self.scores)

    @property
    def averaged(self) -> Array:
        """Targets freed of noise without a cut: each component by its posterior mean.

        Components that hardly matter fade instead of being in or out, so that the answer depends
        less on a single dimension; on average it errs less than :attr:`denoised`.
        """
        targets = self.targets
        if self.dimension == 0:
            return self.denoised
        return targets.shaped(self.spectrum.combine(self.averaged_coefficients) + targets.offset)

    @cached_property
    def noise_level(self) -> float:
        """In-sample difference between given and denoised targets (paper, Eq. 6).

        The share of labels that differ; for regression the normalised mean squared error.
        """
        return self.targets.error(self.fitted)

    @cached_property
    def leverages(self) -> Array:
        r"""Influence of each target on its own fit, :math:`s_i = \sum_{m \le d} [u_m]_i^2`.

        Centring in feature space fits a constant as well, which adds 1/n.
        """
        constant = own_leverage(self.spectrum)
        if self.dimension == 0:
            return np.full(self.targets.n, constant)
        squares = self.spectrum.basis.map_rows(lambda U: np.sum(U**2, axis=1), self.dimension)
        return squares + constant

    @cached_property
    def left_out(self) -> Array:
        """Leave-one-out fits of the coded targets, without their offset; shape (n, outputs).

        They are held to twice the range of the targets.
        """
        values = self.targets.values
        if self.dimension == 0:
            return self.fitted
        # Leverages first: they take eigenvectors, with which the fit costs next to nothing.
        leverages = self.leverages[:, None]
        residual = left_out_residual(values - self.fitted, values, leverages)
        return within_range(values - residual, values)

    @property
    def leave_one_out(self) -> Array:
        """Leave-one-out predictions on the coded scale, an array of shape (n, outputs)."""
        return self.left_out + self.targets.offset

    @cached_property
    def fixed_error(self) -> float:
        """Leave-one-out error in closed form, the components held fixed: low for few rows."""
        return self.targets.error(self.left_out)

    @cached_property
    def error_estimate(self) -> float:
        """Leave-one-out error: what to expect on new rows, in the units of the noise level.

        The components are computed anew without each row, see
        ``reldim.relevance.leave_one_out``; beyond 5000 rows, for data centred in feature space,
        with unlabelled rows and in the papers' variant they are held fixed.
        """
        own = self.spectrum.basis.of_rows
        if self.variant == "paper" or self.dimension == 0 or not own:
            return self.fixed_error
        return refitted_error(self.spectrum, self.targets, self.dimension, self.left_out)

    @cached_property
    def noise_estimate(self) -> NoiseEstimate:
        """The noise in the targets: what no predictor can explain, with an interval.

        In the units of the noise level, which is the in-sample figure of the papers.
        """
        targets = self.targets
        profile = NoiseProfile.of(self.signal)
        estimate = noise_share(profile, targets.degrees_of_freedom * targets.n, targets.energy)
        if targets.counts is not None:
            inside, outside = self.posterior_mean_errors
            # Labels of two classes are coded as -1 and 1: twice what their indicators vary by.
            unit = 2.0 if targets.values.shape[1] == 1 else 1.0
            variance = estimate.value * targets.energy / (unit * targets.n)
            flipped = flipped_share(variance, len(targets.counts))
            estimate = bayes_error(inside, outside, flipped, targets.n)
        return unexplained(self.noise_level, estimate) if self.dimension == 0 else estimate

    @cached_property
    def averaged_errors(self) -> tuple[float, float]:
        """In-sample and leave-one-out error of the averaged fit."""
        return self._errors_under(self._predictive_shrinkage)

    @cached_property
    def posterior_mean_errors(self) -> tuple[float, float]:
        """The same for the posterior mean at the rows, whether or not it holds elsewhere."""
        return self._errors_under(self._known(self.signal.shrinkage))

    def _errors_under(self, shrinkage: Array) -> tuple[float, float]:
        targets, weights = self.targets, self._shrunk(shrinkage)
        if targets.n * len(shrinkage) ** 2 > MOST_WORK and targets.n > ENOUGH_ROWS:
            # Influences take as many operations as the factor did; some rows tell enough.
            rows = np.sort(np.random.default_rng(0).permutation(targets.n)[:ENOUGH_ROWS])
            codes = None if targets.codes is None else np.asarray(targets.codes[rows])
            targets = replace(targets, values=np.asarray(targets.values[rows]), codes=codes)
            U = self.spectrum.basis.some_rows(rows, len(shrinkage)).astype(np.float64, copy=False)
            fitted, own = U @ weights, U**2 @ shrinkage
        else:
            fitted = self.spectrum.combine(weights)
            own = self.spectrum.basis.map_rows(lambda U: U**2 @ shrinkage, len(shrinkage))
        values = targets.values
        residual = left_out_residual(values - fitted, values, own[:, None])
        return targets.error(fitted), targets.error(values - residual)

    @property
    def leading_coefficients(self) -> Array:
        """Coefficients of the relevant components, an array of shape (dimension, outputs)."""
        return self.coefficients.reshape(len(self.coefficients), -1)[: self.dimension]

    @property
    def averaged_coefficients(self) -> Array:
        """Posterior means of the coefficients, an array of shape (components, outputs)."""
        return self._shrunk(self._predictive_shrinkage)

    def _shrunk(self, shrinkage: Array) -> Array:
        z = self.coefficients.reshape(len(self.coefficients), -1)[: len(shrinkage)]
        return np.asarray(shrinkage[:, None] * z)

    @property
    def _predictive_shrinkage(self) -> Array:
        return self._known(self.signal.predictive_shrinkage)

    def _known(self, shrinkage: Array) -> Array:
        """Leave out components whose eigenvalues are too small to carry them to new points."""
        values = self.spectrum.eigenvalues[: len(shrinkage)]
        return shrinkage[: int(np.sum(values > SMALLEST * values[:1]))]
