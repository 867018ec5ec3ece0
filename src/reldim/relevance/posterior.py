r"""Posterior: what the coefficients tell about signal and noise, and so about the dimension.

The coefficients z of the targets are modelled as signal plus noise,

.. math:: z_m = \theta_m + \varepsilon_m, \qquad
          \theta_m \sim N(0, A\, l_m^{a}), \qquad \varepsilon_m \sim N(0, \sigma^2),

so that the variance of the signal falls with the eigenvalues l, at a rate a that is not known.
Given the rate and the ratio of :math:`\sigma^2` to A, the best A is known; rates and ratios are
taken from a grid, each point weighed by its likelihood. The papers' model, one variance up to d and
another beyond, says where the coefficients change. In this one signal
fades gradually, so that it also says how far a cut can be from the best one.

Least squares on d components errs by
:math:`\sum_{m \le d} (z_m - \theta_m)^2 + \sum_{m > d} \theta_m^2`. The dimension of least error
is where :math:`\sum_{m \le d} (z_m^2 - 2 z_m \theta_m)` is smallest. Draws of :math:`\theta` from
its posterior give the posterior of that dimension. Only the energies :math:`z_m^2` enter, so that
neither the signs of eigenvectors nor the order of rows matter.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.random_state import seed_of

__all__ = ["COVERAGE", "DimensionPosterior", "SignalPosterior", "dimension_interval"]

Array = NDArray[np.float64]

#: Rates at which the variance of the signal may fall with the eigenvalues.
RATES = np.array([0.15, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0])

#: Logarithms of the ratios of noise to the signal of the first component.
LOG_RATIOS = np.linspace(-27.0, 6.0, 67)

#: Draws from the posterior.
DRAWS = 400

#: Probability that the interval for the dimension is to hold.
COVERAGE = 0.9

#: So many variances are multiplied before a logarithm is taken: at worst the product is e^-432.
FACTORS = 16


@dataclass(frozen=True)
class SignalPosterior:
    """Posterior of the signal in the coefficients, computed when it is asked for.

    Parameters
    ----------
    energies : ndarray of shape (k,)
        Energies of the coefficients.
    eigenvalues : ndarray of shape (k,)
        Eigenvalues above zero, in descending order.
    total : float
        Sum of all energies.
    n, q : int
        Rows, and free columns of the targets.
    least : float
        Energy that cannot be told from round-off.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = 0.5 ** np.arange(20)
    >>> z = np.sqrt(1000 * values) * rng.normal(size=20) + rng.normal(size=20)
    >>> found = SignalPosterior(z**2, values, np.sum(z**2) + 80, 100, 1, 1e-9)
    >>> found.shrinkage[[0, 4, 12]].round(1)
    array([1. , 0.9, 0.3])
    >>> round(float(np.sum(found.weights * found.noise)), 1)
    1.0
    """

    energies: Array = field(repr=False)
    eigenvalues: Array = field(repr=False)
    total: float
    n: int
    q: int
    least: float = field(repr=False)

    @cached_property
    def logs(self) -> Array:
        """Logarithms of the eigenvalues, the first of them subtracted; shape (k,)."""
        return np.log(self.eigenvalues / self.eigenvalues[:1])

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue of all as a share of the first; 0 where there are fewer."""
        return float(np.exp(self.logs[-1])) if len(self.logs) == self.n else 0.0

    @property
    def losses(self) -> Array:
        """Negative log-likelihood of each rate and ratio, up to a constant; (rates, ratios)."""
        return self._grid[0]

    @property
    def noise(self) -> Array:
        """The variance of the noise that goes with them; an array of shape (rates, ratios)."""
        return self._grid[1]

    @cached_property
    def _grid(self) -> tuple[Array, Array]:
        n, q, k = self.n, self.q, len(self.energies)
        rest = max(self.total - float(np.sum(self.energies)), 0.0) if k < n else 0.0
        ratios = np.exp(LOG_RATIOS)
        losses, noise = np.empty((2, len(RATES), len(ratios)))
        for i, rate in enumerate(RATES):
            variances = np.exp(rate * self.logs)[:, None] + ratios
            amplitude = self.energies @ (1.0 / variances) + rest / ratios
            amplitude = np.maximum(amplitude, self.least) / (n * q)
            logarithms = _sum_of_logarithms(variances) + (n - k) * LOG_RATIOS
            losses[i] = q / 2 * (n * np.log(amplitude) + logarithms)
            noise[i] = amplitude * ratios
        return losses, noise

    @cached_property
    def weights(self) -> Array:
        """Probability of each rate and ratio, an array of shape (rates, ratios)."""
        return _normalised(self.losses)

    @cached_property
    def shrinkage(self) -> Array:
        """Posterior mean of each component, as a share of its coefficient; shape (k,)."""
        return self._mean_share(RATES > 0)

    @cached_property
    def predictive_shrinkage(self) -> Array:
        """The same over rates of 1 and more: what holds at new points.

        Signal that falls more slowly than the eigenvalues is no function that the kernel carries
        to new points: its mean would run wild between the rows.
        """
        return self._mean_share(RATES >= 1.0)

    def _mean_share(self, kept: NDArray[np.bool_]) -> Array:
        result = np.zeros(len(self.logs))
        ratios = np.exp(LOG_RATIOS)
        for rate, weights in zip(RATES[kept], _normalised(self.losses[kept]), strict=True):
            likely = weights > 1e-9
            signal = np.exp(rate * self.logs)[:, None]
            result += (signal / (signal + ratios[likely])) @ weights[likely]
        return result

    def least_risk(
        self, cuts: NDArray[np.intp], most: int, random_state: int | None = None
    ) -> Array:
        """Return the probability that a dimension is the one of least error.

        Parameters
        ----------
        cuts : ndarray of int
            The dimensions above 0 that can be told apart.
        most : int
            The largest dimension considered.
        random_state : int, optional
            Seed of the draws; None stands for 0.

        Returns
        -------
        ndarray of shape (most + 1,)
            Probabilities of 0, 1, ..., most.
        """
        cuts = cuts[cuts <= min(most, len(self.energies))]
        probabilities = np.zeros(most + 1)
        if len(cuts) == 0:
            probabilities[0] = 1.0
            return probabilities
        rng = np.random.default_rng(seed_of(random_state))
        points = rng.choice(self.weights.size, size=DRAWS, p=self.weights.ravel())
        # Few rates and ratios are likely, and drawn many times.
        points, drawn = np.unique(points, return_inverse=True)
        rates, ratios = np.unravel_index(points, self.weights.shape)
        energies, logs = self.energies[: cuts[-1]], self.logs[: cuts[-1]]
        signal = np.exp(RATES[rates][:, None] * logs)
        share = signal / (signal + np.exp(LOG_RATIOS[ratios])[:, None])
        noise = self.noise.ravel()[points][:, None]
        # z theta, whose mean is share z^2 and whose variance is z^2 share sigma^2.
        # Two roots: the product of two squares of targets may overflow or vanish.
        deviation = np.sqrt(energies * share) * np.sqrt(noise)
        walk = rng.standard_normal((DRAWS, len(energies)))
        walk *= -2.0 * deviation[drawn]
        walk += (energies - 2.0 * share * energies)[drawn]
        walk = np.cumsum(walk, axis=1, out=walk)[:, cuts - 1]
        places = np.append(0, cuts)
        best = places[np.argmin(np.column_stack([np.zeros(DRAWS), walk]), axis=1)]
        np.add.at(probabilities, best, 1.0 / DRAWS)
        return probabilities


@dataclass(frozen=True)
class DimensionPosterior:
    """Posterior of the dimension of least error, computed when it is asked for.

    Attributes
    ----------
    signal : SignalPosterior
        What the coefficients tell about signal and noise.
    cuts : ndarray of int
        The dimensions above 0 that can be told apart.
    largest : int
        The largest dimension considered.
    random_state : int or None
        Seed of the draws.
    """

    signal: SignalPosterior = field(repr=False)
    cuts: NDArray[np.intp] = field(repr=False)
    largest: int
    random_state: int | None = None

    @cached_property
    def probabilities(self) -> Array:
        """Probabilities of the dimensions 0, 1, ..., largest."""
        return self.signal.least_risk(self.cuts, self.largest, self.random_state)

    def interval(self, dimension: int) -> tuple[int, int]:
        """Return the interval that holds 90 % of the probability, and the estimate."""
        return dimension_interval(self.probabilities, dimension)


def dimension_interval(posterior: Array, dimension: int) -> tuple[int, int]:
    """Return the central interval of the posterior, widened to hold the estimate.

    Parameters
    ----------
    posterior : ndarray
        Probabilities of 0, 1, ...
    dimension : int
        The estimate.

    Examples
    --------
    >>> dimension_interval(np.array([0.01, 0.5, 0.48, 0.01]), 1)
    (1, 2)
    """
    cumulated = np.cumsum(posterior)
    tail = (1 - COVERAGE) / 2
    low = int(np.searchsorted(cumulated, tail))
    high = min(int(np.searchsorted(cumulated, 1 - tail)), len(posterior) - 1)
    return min(low, dimension), max(high, dimension)


def _normalised(losses: Array) -> Array:
    weights = np.exp(losses.min() - losses)
    return np.asarray(weights / weights.sum())


def _sum_of_logarithms(values: Array) -> Array:
    """Return the sum of the logarithms of each column."""
    whole = len(values) // FACTORS * FACTORS
    products = values[:whole].reshape(-1, FACTORS, values.shape[1]).prod(axis=1)
    logarithms = np.log(products).sum(axis=0) + np.log(values[whole:]).sum(axis=0)
    return np.asarray(logarithms)
