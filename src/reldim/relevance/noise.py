r"""Noise: what no predictor can explain, estimated with an interval.

The papers' noise level compares the targets with their own fit. It reads low where many dimensions
were fitted, and high where structure is still unlearned. Two other figures are nearer to the truth:

- *Numbers.* Under a Gaussian process with the kernel the variance of the noise has a likelihood of
  its own, in which signal fades gradually, every variance being as likely as any other of the
  same order beforehand.
- *Classes.* The fit that is averaged over the posterior makes fewer mistakes on the rows that it
  has seen than the Bayes rule would, and more on rows that are left out: the middle of the two,
  under the most likely kernel, is one figure. The other is the variance of the noise in the coded
  labels, read as the share of labels that were flipped at random. It sees structure that the fit
  has not learned yet, but takes a blurred border between classes for flips. The mean of both errs
  less than either.

These are figures of one kernel on the rows that it was chosen by. A diagnosis reads its noise from
held-out rows instead, see ``reldim.diagnosis.forecast``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, chi2

from reldim.relevance.posterior import COVERAGE, LOG_RATIOS, RATES, SignalPosterior

__all__ = [
    "HELD_OUT_NOISE",
    "HELD_OUT_RATIOS",
    "NoiseEstimate",
    "NoiseProfile",
    "NoisyScales",
    "bayes_error",
    "flipped_share",
    "held_out_losses",
    "noise_share",
    "noisy_scales",
    "unexplained",
]

Array = NDArray[np.float64]

#: Table 4 of Braun, Buhmann and Müller (2008) calls a set low-dimensional up to between 24 and 36
#: components, and noisy from a noise level between 8.8 and 9.2 %.
LOW, NOISY = 30, 0.09

#: Ratios of noise to signal, and variances of the noise as shares of the mean square of the
#: targets, that held-out rows are judged under.
HELD_OUT_RATIOS = np.logspace(-3.0, 2.0, 11)
HELD_OUT_NOISE = np.logspace(-2.5, 0.05, 60)

#: For the interval the evidence counts with this power: no kernel is more than roughly right.
CAUTION = 0.3


@dataclass(frozen=True)
class NoiseEstimate:
    """The noise in the targets, in the units of the noise level.

    Attributes
    ----------
    value : float
        The Bayes error, or for regression the variance of the noise over that of the targets.
    interval : tuple of float
        A 90 % interval.
    reached : float or None
        What models reached, with the chance of these rows: noise is no larger.
    repeats : float
        What rows with equal columns and different targets leave to any model: noise is no smaller.

    Examples
    --------
    >>> from reldim import datasets, diagnose
    >>> data = datasets.noisy_sinc(200, noise=0.3, random_state=0)
    >>> estimate = diagnose(data.X, data.y).noise_estimate
    >>> low, high = estimate.interval
    >>> bool(low < 0.3**2 / data.y.var() < high)
    True
    """

    value: float
    interval: tuple[float, float]
    reached: float | None = None
    repeats: float = 0.0


@dataclass(frozen=True)
class NoiseProfile:
    """How likely a kernel makes each variance of the noise.

    Attributes
    ----------
    losses : ndarray
        Negative log-likelihoods; those of kernels on the same rows can be compared.
    variances : ndarray
        The variances that they belong to, on the scale of the coded targets.
    """

    losses: Array = field(repr=False)
    variances: Array = field(repr=False)

    @classmethod
    def of(cls, signal: SignalPosterior) -> "NoiseProfile":
        """Take the likelihoods of a Gaussian process: signal in proportion to eigenvalues."""
        row = int(np.flatnonzero(RATES == 1.0)[0])
        # What all components have alike cannot be told from noise, as under a narrow kernel.
        shared = signal.smallest / np.exp(LOG_RATIOS)
        return cls(signal.losses[row], signal.noise[row] * (1.0 + shared))

    @property
    def steps(self) -> Array:
        """Steps between the logarithms of the variances, which the likelihoods are summed over.

        Below the smallest eigenvalue of a rough kernel all ratios of noise to signal stand for one
        variance; as many points of their grid as there are must not count as many times.
        """
        if len(self.variances) == 1:
            return np.ones(1)
        return np.asarray(np.abs(np.gradient(np.log(self.variances))))


def noise_share(profile: NoiseProfile, n: int, total: float) -> NoiseEstimate:
    """Estimate the variance of the noise over that of the targets.

    Parameters
    ----------
    profile : NoiseProfile
        What the kernel says.
    n : int
        Number of rows times free columns of the targets.
    total : float
        Sum of squares of the targets.

    Returns
    -------
    NoiseEstimate
        The estimate; both ends of the interval lie between 0 and 1.

    Examples
    --------
    >>> profile = NoiseProfile(np.array([50.0, 0.0, 50.0]), np.array([0.1, 0.2, 0.3]))
    >>> noise_share(profile, 1000, 1000.0).value
    0.2
    """
    losses, steps, shares = profile.losses, profile.steps, profile.variances * n / total
    weights = _normalised(losses, steps, 1.0)
    cautious = _normalised(losses, steps, CAUTION)
    likely = cautious > 1e-9
    tail = (1.0 - COVERAGE) / 2
    low, high = (
        _quantile(level, shares[likely], cautious[likely], n) for level in (tail, 1.0 - tail)
    )
    value = min(1.0, float(weights @ shares))
    return NoiseEstimate(value, (min(low, value), max(min(high, 1.0), value)))


def held_out_losses(K: Array, between: Array, new: Array, learned: Array, held: Array) -> Array:
    r"""Return how unlikely other rows make held-out ones, for each noise and ratio to the signal.

    Under a Gaussian process the held-out targets are normal, given those that were learned from.
    With the matrices :math:`K_{aa}, K_{ah}, K_{hh}`, a ratio :math:`\rho` and the noise
    :math:`\nu` their mean and covariance are

    .. math:: K_{ha} (K_{aa} + \rho I)^{-1} y_a, \qquad
              \tfrac{\nu}{\rho} (K_{hh} - K_{ha} (K_{aa} + \rho I)^{-1} K_{ah} + \rho I) .

    Parameters
    ----------
    K, between, new : ndarray
        The matrices.
    learned, held : ndarray of shape (rows, outputs)
        Targets of mean 0.

    Returns
    -------
    ndarray of shape (len(HELD_OUT_RATIOS), len(HELD_OUT_NOISE))
        Minus the log-likelihoods, with the noise in units of the mean square of the targets.
    """
    outputs = held.shape[1]
    values, vectors = np.linalg.eigh(K)
    B, z = vectors.T @ between, vectors.T @ learned
    noise = HELD_OUT_NOISE * float(np.mean(learned**2))
    answer = np.empty((len(HELD_OUT_RATIOS), len(noise)))
    for place, ratio in enumerate(HELD_OUT_RATIOS):
        weighed = (B / (np.maximum(values, 0.0) + ratio)[:, None]).T
        spread, turn = np.linalg.eigh(new - weighed @ B + ratio * np.eye(len(new)))
        spread = np.maximum(spread, np.finfo(np.float64).eps * ratio)
        squares = np.sum((turn.T @ (held - weighed @ z)) ** 2, axis=1)
        variances = noise[:, None] / ratio * spread
        answer[place] = 0.5 * np.sum(outputs * np.log(variances) + squares / variances, axis=1)
    return answer


def flipped_share(variance: float, classes: int) -> float:
    r"""Return how many labels must be flipped at random for class indicators to vary so much.

    Where a share f of the labels went to one of the other C - 1 classes, the indicators vary by

    .. math:: v = 1 - (1 - f)^2 - \frac{f^2}{C - 1}

    around the truth.

    Parameters
    ----------
    variance : float
        The variance v, summed over the indicators of all classes.
    classes : int
        Their number C.

    Returns
    -------
    float
        The share f, at most (C - 1) / C: then labels say nothing.

    Examples
    --------
    >>> round(flipped_share(1 - 0.9**2 - 0.1**2, 2), 6)
    0.1
    """
    most = (classes - 1) / classes
    return most * (1.0 - math.sqrt(max(0.0, 1.0 - variance / most)))


def bayes_error(inside: float, outside: float, flipped: float, n: int) -> NoiseEstimate:
    """Estimate the Bayes error from shares of mistakes, and from the variance of the noise.

    Parameters
    ----------
    inside : float
        Mistakes on the rows that were fitted.
    outside : float
        Mistakes on rows that were left out.
    flipped : float
        What the variance of the noise amounts to, see :func:`flipped_share`.
    n : int
        Number of rows.

    Returns
    -------
    NoiseEstimate
        The mean of the third and of the middle of the first two; the interval adds to these two
        what chance does to shares of n rows.

    Examples
    --------
    >>> estimate = bayes_error(0.08, 0.12, 0.06, 200)
    >>> round(estimate.value, 2), tuple(round(end, 3) for end in estimate.interval)
    (0.08, (0.053, 0.162))
    """
    lower, upper = sorted((inside, outside))
    value = ((inside + outside) / 2 + flipped) / 2
    tail = (1.0 - COVERAGE) / 2
    low = float(beta.ppf(tail, lower * n + 0.5, (1 - lower) * n + 0.5)) if lower * n >= 1 else 0.0
    high = float(beta.ppf(1 - tail, upper * n + 0.5, (1 - upper) * n + 0.5))
    return NoiseEstimate(value, (min(low, value), max(high, value)))


def unexplained(constant: float, estimate: NoiseEstimate) -> NoiseEstimate:
    """Say of targets without signal that all of them is noise, as far as was seen.

    Parameters
    ----------
    constant : float
        The error of the best constant.
    estimate : NoiseEstimate
        What would be said if there were signal; its lower end is kept.
    """
    low, high = estimate.interval
    return NoiseEstimate(constant, (min(low, constant), max(high, constant)))


def _normalised(losses: Array, steps: Array, power: float) -> Array:
    weights = steps * np.exp(-power * (losses - losses.min()))
    return np.asarray(weights / weights.sum())


def _quantile(level: float, shares: Array, weights: Array, n: int) -> float:
    """Return a quantile of the variance: each likely one, blurred by chance in n numbers."""
    low, high = float(shares.min()) / 4, float(shares.max()) * 4
    for _ in range(60):
        middle = np.sqrt(low * high)
        below = float(weights @ chi2.sf(n * shares / middle, n))
        low, high = (middle, high) if below < level else (low, middle)
    return float(np.sqrt(low * high))


@dataclass(frozen=True)
class NoisyScales:
    """Widths of a kernel at which a data set is low-dimensional and noisy.

    Attributes
    ----------
    first, last : float
        The smallest and the largest of them.
    everywhere : bool
        Whether these are all widths at which rows resemble each other.
    """

    first: float
    last: float
    everywhere: bool

    @property
    def sentence(self) -> str:
        """The same in words."""
        found = f"Low-dimensional and noisy from width {self.first:.3g} to {self.last:.3g}"
        return (
            f"{found}, at every width where rows resemble each other."
            if self.everywhere
            else (f"{found}, but not at every width.")
        )


def noisy_scales(
    widths: Sequence[float],
    dimensions: Sequence[int],
    noise_levels: Sequence[float],
    signals: Sequence[SignalPosterior],
    *,
    low: int = LOW,
    noisy: float = NOISY,
) -> NoisyScales | None:
    r"""Find the longest range of widths at which a data set is low-dimensional and noisy.

    A data set that is both at every scale is likely to be noisy (section 6.2 of the JMLR paper).
    Widths are left out where the kernel matrix is near the identity, since its eigenvectors are
    single rows there. It is where

    .. math:: \frac{(\sum_m l_m)^2}{\sum_m l_m^2} \ge \frac n2 ,

    which under a kernel with k(x, x) = 1 says that the squared similarities of a row to all others
    sum to no more than its similarity to itself.

    Parameters
    ----------
    widths : sequence of float
        Widths of one family of kernels, in any order.
    dimensions : sequence of int
        The relevant dimension at each width; 0 is low.
    noise_levels : sequence of float
        The noise level at each width.
    signals : sequence of SignalPosterior
        What each estimate rests on, with its eigenvalues.
    low : int
        The largest dimension that is called low.
    noisy : float
        The smallest noise level that is called noisy.

    Returns
    -------
    NoisyScales or None
        None where there are not two such widths in a row, or no signal at any of them.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. On Relevant Dimensions in Kernel Feature Spaces.
    Journal of Machine Learning Research 9, 2008, section 6.2.
    """
    order = np.argsort(widths)
    seen = [place for place in order if not _near_identity(signals[place])]
    holds = [dimensions[place] <= low and noise_levels[place] >= noisy for place in seen]
    edges = np.flatnonzero(np.diff([False, *holds, False]))
    runs = [seen[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    longest = max(runs, key=len, default=[])
    if len(longest) < 2 or not any(dimensions[place] for place in longest):
        return None
    first, last = (float(widths[place]) for place in (longest[0], longest[-1]))
    return NoisyScales(first, last, everywhere=len(longest) == len(seen))


def _near_identity(signal: SignalPosterior) -> bool:
    values = signal.eigenvalues
    return bool(np.sum(values) ** 2 >= 0.5 * signal.n * np.sum(values**2))
