r"""Laplace approximation of a logistic Gaussian process, in the leading eigenspace of its kernel.

With :math:`K \approx F F^\top`, F of shape (n, M), the latent values are :math:`f = F w` with
independent standard normal weights w. The posterior mode maximises

.. math:: \Psi(w) = \sum_i \log \sigma(y_i f_i) - \tfrac12 \|w\|^2, \qquad
          \sigma(f) = \frac{1}{1 + e^{-f}},

by Newton steps :math:`(I + F^\top W F)^{-1} \nabla \Psi` with
:math:`W_{ii} = \pi_i (1 - \pi_i)`, which cost :math:`O(M^2 n)`. By the identity of Woodbury this is
the Newton step of the full process with K replaced by :math:`F F^\top`, and by that of Sylvester
:math:`|I + W^{1/2} F F^\top W^{1/2}| = |I + F^\top W F|`, so the evidence is

.. math:: \log q(y) = \sum_i \log \sigma(y_i f_i) - \tfrac12 \|w\|^2
          - \tfrac12 \log |I + F^\top W F| .
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, special

from reldim.exceptions import InputError
from reldim.inputs.rows import is_lazy
from reldim.spectrum.gram import row_blocks

__all__ = ["LaplaceFit", "fit_laplace", "logistic_gaussian"]

Array = NDArray[np.float64]

#: Newton converges quadratically: a step that promises less than this changes the last digits only.
PROMISE = 1e-13

#: No concave problem has been seen to need more.
MOST_STEPS = 200


@dataclass(frozen=True)
class LaplaceFit:
    r"""The posterior of a two-class logistic Gaussian process in weight space.

    Attributes
    ----------
    weights : ndarray of shape (M,)
        The mode w.
    factor : ndarray of shape (M, M)
        Lower Cholesky factor of :math:`I + F^\top W F`, the inverse covariance of the weights.
    latent : ndarray of shape (n,)
        The latent values F w at the data.
    log_likelihood, penalty, log_determinant : float
        The terms of the evidence: :math:`\sum_i \log \sigma(y_i f_i)`,
        :math:`\tfrac12 \|w\|^2` and :math:`\tfrac12 \log |I + F^\top W F|`.
    steps : int
        Newton steps taken.
    """

    weights: Array = field(repr=False)
    factor: Array = field(repr=False)
    latent: Array = field(repr=False)
    log_likelihood: float
    penalty: float
    log_determinant: float
    steps: int

    @property
    def evidence(self) -> float:
        """Log marginal likelihood in Laplace's approximation."""
        return self.log_likelihood - self.penalty - self.log_determinant

    def predict(self, features: Array, rest: ArrayLike = 0.0) -> tuple[Array, Array]:
        r"""Predict the latent mean and variance at new points.

        .. math:: \phi^\top w, \qquad \phi^\top (I + F^\top W F)^{-1} \phi + r

        Parameters
        ----------
        features : ndarray of shape (rows, M)
            The features :math:`\phi` of the new points, a row each.
        rest : array-like of shape (rows,)
            Prior variance r that the features leave out, :math:`k(x, x) - \|\phi\|^2`.

        Returns
        -------
        mean, variance : ndarray of shape (rows,)
            The moments.
        """
        inner = linalg.solve_triangular(self.factor, features.T, lower=True)
        variance = np.einsum("ij,ij->j", inner, inner) + np.maximum(rest, 0.0)
        return np.asarray(features @ self.weights), np.asarray(variance)


def fit_laplace(features: Array, positive: ArrayLike, start: Array | None = None) -> LaplaceFit:
    """Find the posterior mode by Newton's method, and the evidence there.

    Parameters
    ----------
    features : ndarray or Dask array of shape (n, M)
        F, whose products are the kernel matrix.
    positive : array-like of bool, shape (n,)
        Which rows are of the second class.
    start : ndarray of shape (M,), optional
        Where to start, by default at 0.

    Returns
    -------
    LaplaceFit
        The posterior.

    References
    ----------
    C. K. I. Williams, D. Barber. Bayesian Classification with Gaussian Processes. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 20, 1998; for the low rank
    C. K. I. Williams, M. Seeger, ICML 2000, section 4.

    Examples
    --------
    >>> fit = fit_laplace(np.array([[1.0], [-1.0]]), [True, False])
    >>> fit.weights
    array([0.6748])
    """
    lazy = is_lazy(features)
    F: Any = features if lazy else np.asarray(features, dtype=np.float64)
    target: Any = positive if lazy else np.asarray(positive, dtype=bool)
    if F.ndim != 2 or target.shape != (len(F),):
        raise InputError(
            "features must have a row, and positive an entry, for each point. "
            f"Got shapes {F.shape} and {target.shape}."
        )
    y = np.where(target, 1.0, -1.0)
    w = np.zeros(F.shape[1]) if start is None else start
    f = F @ w
    value = _objective(y, f, w)
    steps = 0
    while True:
        pi = special.expit(f)
        gradient = np.asarray(F.T @ (target - pi)) - w
        factor = _factor(F, pi)
        step = linalg.cho_solve((factor, True), gradient)
        promise = float(gradient @ step) / 2
        if promise <= PROMISE * max(1.0, abs(value)) or steps == MOST_STEPS:
            break
        size = 1.0
        # The logistic flattens: a full step from afar may overshoot.
        while _objective(y, F @ (w + size * step), w + size * step) < value and size > 1e-8:
            size /= 2
        w = w + size * step
        f = F @ w
        value = _objective(y, f, w)
        steps += 1
    likelihood = float(np.sum(special.log_expit(y * f)))
    return LaplaceFit(
        weights=w,
        factor=factor,
        latent=f,
        log_likelihood=likelihood,
        penalty=float(w @ w) / 2,
        log_determinant=float(np.sum(np.log(np.diag(factor)))),
        steps=steps,
    )


def logistic_gaussian(mean: ArrayLike, variance: ArrayLike) -> Array:
    r"""Average the logistic function over a Gaussian.

    .. math:: \int \sigma(f) \, N(f \mid \mu, s^2) \, df = \int \sigma'(t) \,
              \Phi\Big(\frac{\mu - t}{s}\Big) dt

    Both integrands are analytic in a strip, so the trapezoidal rule converges geometrically: the
    left one is used for s < 1, the right one beyond. The error is below 1e-12 for every s.

    Parameters
    ----------
    mean, variance : array-like of shape (rows,)
        Moments of the Gaussian.

    Returns
    -------
    ndarray of shape (rows,)
        Probabilities.

    Examples
    --------
    >>> logistic_gaussian([0.0, 2.0, 2.0], [1.0, 0.0, 9.0]).round(4)
    array([0.5   , 0.8808, 0.7174])
    """
    mu, spread = np.broadcast_arrays(
        np.atleast_1d(np.asarray(mean, dtype=np.float64)), np.sqrt(np.asarray(variance, float))
    )
    result = np.empty(mu.shape)
    for rows in row_blocks(len(mu), 4 * 8 * 161):
        result[rows] = _averaged(mu[rows], spread[rows])
    return np.clip(result, 0.0, 1.0)


def _averaged(mu: Array, spread: Array) -> Array:
    result = np.empty(mu.shape)
    narrow = spread < 1.0
    t = np.linspace(-9.0, 9.0, 73)
    weights = np.exp(-(t**2) / 2) * (t[1] - t[0]) / np.sqrt(2 * np.pi)
    values = special.expit(mu[narrow][:, None] + spread[narrow][:, None] * t)
    result[narrow] = values @ weights
    wide = ~narrow
    t = np.linspace(-40.0, 40.0, 161)
    weights = special.expit(t) * special.expit(-t) * (t[1] - t[0])
    values = special.ndtr((mu[wide][:, None] - t) / spread[wide][:, None])
    result[wide] = values @ weights
    return result


def _factor(F: Array, pi: Array) -> Array:
    scaled = F * np.sqrt(pi * (1.0 - pi))[:, None]
    inner = np.array(scaled.T @ scaled)
    inner[np.diag_indices_from(inner)] += 1.0
    return np.asarray(linalg.cholesky(inner, lower=True, check_finite=False))


def _objective(y: Array, f: Array, w: Array) -> float:
    return float(np.sum(special.log_expit(y * f)) - w @ w / 2)
