"""Significance: is there signal at all.

The question is answered in the basis of kernel PCA components, so that it needs no new
decomposition.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from reldim.inputs.random_state import seed_of

__all__ = ["DRAWS", "beyond_doubt", "least_p_value", "likelihood_ratio", "no_signal_p_value"]

Array = NDArray[np.float64]

#: Draws from the null distribution; the smallest p-value is 1 / (DRAWS + 1).
DRAWS = 999

#: Where as many as these of the first draws are as large as what was observed, there is no signal,
#: and no more are made.
FIRST_DRAWS, ENOUGH = 99, 20

#: Numbers drawn at a time.
BATCH = 2**21


def likelihood_ratio(
    leading: Array, total: Array | float, n: int, q: int, cuts: NDArray[np.intp]
) -> Array:
    r"""Twice the gain in log-likelihood of two variances over one, the best cut taken.

    .. math:: \max_d \; q \left[ n \log \frac{C}{nq} - d \log \sigma_1^2
              - (n-d) \log \sigma_2^2 \right], \qquad \sigma_1 > \sigma_2

    Parameters
    ----------
    leading : ndarray of shape (..., cuts)
        Sum of the energies up to each cut.
    total : float or ndarray of shape (..., 1)
        Sum of all energies.
    n, q : int
        Rows, and free columns of the targets.
    cuts : ndarray of int
        The dimensions that are tried.

    Returns
    -------
    ndarray
        The statistic, 0 where no cut has more variance before than behind it.
    """
    d = cuts.astype(np.float64)
    tiny = np.finfo(np.float64).tiny
    rest = np.maximum(total - leading, total * np.finfo(np.float64).eps)
    s1, s2 = np.maximum(leading, tiny) / (d * q), rest / ((n - d) * q)
    gain = n * np.log(total / (n * q)) - d * np.log(s1) - (n - d) * np.log(s2)
    return np.asarray(np.max(np.where(s1 > s2, q * gain, 0.0), axis=-1, initial=0.0))


def beyond_doubt(n: int) -> float:
    """Return a likelihood ratio that targets without signal pass with probability below e^-15.

    That of one cut passes 2 t with probability of about e^-t, and there are fewer than n cuts.
    """
    return 30.0 + 2.0 * math.log(n)


def no_signal_p_value(
    energies: Array,
    *,
    total: float,
    n: int,
    covariance: Array,
    constant: Array,
    cuts: NDArray[np.intp],
    q: int,
    random_state: int | None,
) -> float:
    r"""Test that targets have nothing to do with the data.

    The statistic is :func:`likelihood_ratio`. For targets that are normal and independent of
    the data the coefficients are normal with the covariance of the targets, whatever the
    kernel, less what centring took away; the null distribution is drawn from there. It needs
    no eigenvectors and does not depend on the order of rows.

    Parameters
    ----------
    energies : ndarray of shape (k,)
        Energies of the centred targets by component.
    total : float
        Sum of all their energies.
    n : int
        Number of independent rows.
    covariance : ndarray of shape (outputs, outputs)
        Covariance of the targets, up to a factor.
    constant : ndarray of shape (k,)
        Coefficients of the constant unit vector, up to sign.
    cuts : ndarray of int
        The dimensions that are tried.
    q : int
        Free columns of the targets.
    random_state : int or None
        Seed; None stands for 0.

    Returns
    -------
    float
        The p-value, at least 1 / 1000; a multiple of 1 / 100 where it is above 0.2.
    """
    if len(cuts) == 0:
        return 1.0
    observed = float(likelihood_ratio(np.cumsum(energies)[cuts - 1], total, n, q, cuts))
    if observed > beyond_doubt(n):
        return 1.0 / (DRAWS + 1)
    variances = np.linalg.eigvalsh(covariance)
    variances = variances[variances > 1e-12 * variances[-1]] / variances.sum()
    rng = np.random.default_rng(seed_of(random_state))
    exceeding = made = 0
    while made < DRAWS:
        left = (FIRST_DRAWS if made < FIRST_DRAWS else DRAWS) - made
        count = min(left, max(1, BATCH // len(energies)))
        leading, totals = _draw(rng, count, n, constant[: int(cuts[-1])], variances)
        drawn = likelihood_ratio(leading[:, cuts - 1], totals, n, q, cuts)
        # Round-off must not make a statistic smaller than itself (ties at 0 are common).
        exceeding += int(np.sum(drawn >= observed * (1 - 1e-12)))
        made += count
        if made == FIRST_DRAWS and exceeding >= ENOUGH:
            break
    return (exceeding + 1.0) / (made + 1)


def least_p_value(counts: NDArray[np.intp] | None) -> float:
    """Return the smallest p-value that labels allow: one over the ways to arrange them.

    Parameters
    ----------
    counts : ndarray of int or None
        Rows of each class; None for numbers, which can be arranged in any way.

    Examples
    --------
    >>> round(least_p_value(np.array([2, 2])), 4)
    0.1667
    """
    if counts is None:
        return 0.0
    return float(np.exp(np.sum(gammaln(counts + 1)) - gammaln(counts.sum() + 1)))


def _draw(
    rng: np.random.Generator, count: int, n: int, constant: Array, variances: Array
) -> tuple[Array, Array]:
    """Draw cumulated energies and totals of ``count`` centred targets without signal."""
    k = len(constant)
    beyond = max(0.0, 1.0 - float(np.sum(constant**2)))
    leading, totals = np.zeros((count, k)), np.zeros((count, 1))
    for variance in variances:
        z = rng.standard_normal((count, k))
        outside = rng.standard_normal((count, 1))
        # Centring removes the part along the constant vector, of which sqrt(beyond) lies
        # outside the first k components: g -> g - (g . c) c.
        along = z @ constant[:, None] + np.sqrt(beyond) * outside
        z -= along * constant
        rest = rng.chisquare(n - k - 1, (count, 1)) if n - k > 1 else np.zeros((count, 1))
        rest += (outside - along * np.sqrt(beyond)) ** 2
        z **= 2
        leading += variance * np.cumsum(z, axis=1)
        totals += variance * (np.sum(z, axis=1, keepdims=True) + rest)
    return leading, totals
