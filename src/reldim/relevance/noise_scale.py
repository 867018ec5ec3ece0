r"""Noise scale: how large noise is to be expected in each row, and intervals that follow it.

The logarithm of a squared held-out residual is that of the variance of its row plus noise of its
own, whatever that variance is. It is regressed on the prediction and all columns, and on their
squares, with a ridge that leave-one-out errors choose; where nothing goes with the size of the
noise, the ridge leaves a constant. The scale of a row that was learned from is read without it, by
the closed form

.. math:: \hat l_{-i} = l_i - (l_i - \hat l_i) / (1 - h_i) .

A prediction interval takes the quantile of held-out residuals over their scales, and multiplies it
by the scale at a new row (split conformal prediction with scaled scores, Lei et al., 2018).
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["NoiseScale", "conformal_quantile", "prediction_interval"]

Array = NDArray[np.float64]

#: Residuals below and above these multiples of the median size count as if they were as large: a
#: logarithm of next to nothing would count more than all others, and a few gross mistakes are no
#: uneven noise.
LEAST_SIZE, LARGEST_SIZE = 0.05, 6.0

#: Penalties that are tried, beside columns of mean square 1.
PENALTIES = np.geomspace(1e-3, 1e3, 13)

#: Rows per column of the regression at least; of more columns the leading combinations are taken.
ROWS_PER_COLUMN = 10

#: Columns end at so many standard deviations, so that no new row is far from all that were seen.
FARTHEST = 3.0

#: The median of the absolute value of a standard normal number.
MEDIAN = float(stats.norm.ppf(0.75))


@dataclass(frozen=True, eq=False)
class NoiseScale:
    """How large noise is to be expected, as a function of the prediction and the columns.

    Attributes
    ----------
    at_rows : ndarray of shape (n,)
        Standard deviation of normal noise that is expected in each row, by the other rows.
    p_value : float
        Probability that even noise goes as closely with the prediction and the columns: an F test
        of the logarithms on these alone, without squares.
    t_values : ndarray of shape (1 + columns,)
        How closely the logarithms go with the prediction and with each column, the others fixed;
        0 where there are too few rows to tell.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, (300, 1))
    >>> found = NoiseScale.of(np.exp(x[:, 0]) * rng.normal(size=300), 2 * x[:, 0], x)
    >>> found.p_value < 1e-6
    True
    >>> found(np.array([-2.0, 2.0]), np.array([[-1.0], [1.0]])).round(1)
    array([0.3, 2.2])
    """

    at_rows: Array = field(repr=False)
    p_value: float
    t_values: Array = field(repr=False)
    _middle: Array = field(repr=False)
    _spread: Array = field(repr=False)
    _weights: Array = field(repr=False)
    _constant: float = field(repr=False)

    @classmethod
    def of(cls, residuals: Array, predicted: Array, columns: Array | None = None) -> "NoiseScale":
        """Learn from held-out residuals of some rows.

        Parameters
        ----------
        residuals : ndarray of shape (n,)
            Given less predicted, by fits without the row.
        predicted : ndarray of shape (n,)
            These predictions.
        columns : ndarray of shape (n, columns), optional
            What else the noise may depend on.
        """
        given = _joined(predicted, columns)
        middle, spread = given.mean(axis=0), given.std(axis=0)
        spread = np.where(spread > 1e-12 * np.abs(given).max(axis=0), spread, np.inf)
        sizes = np.abs(residuals)
        typical = float(np.median(sizes))
        if typical == 0.0:
            typical = max(float(sizes.max()), np.finfo(np.float64).tiny)
        logs = 2.0 * np.log(np.clip(sizes / typical, LEAST_SIZE, LARGEST_SIZE))
        design = _powers(given, middle, spread)
        weights, constant, left_out = _ridge(design, logs)
        # The logarithm of a squared normal number is not that of its variance on average: medians.
        ratio = float(np.median(sizes / np.exp(left_out / 2.0))) / MEDIAN
        p_value, t_values = _test(_clipped(given, middle, spread), logs)
        return cls(
            ratio * np.exp(left_out / 2.0),
            p_value,
            t_values,
            middle,
            spread,
            weights,
            constant + 2.0 * float(np.log(max(ratio, np.finfo(np.float64).tiny))),
        )

    def __call__(self, predicted: Array, columns: Array | None = None) -> Array:
        """Return the standard deviation that is expected in new rows.

        Parameters
        ----------
        predicted : ndarray of shape (rows,)
            Predictions for them.
        columns : ndarray of shape (rows, columns), optional
            Their columns, as many as were learned from.
        """
        design = _powers(_joined(predicted, columns), self._middle, self._spread)
        return np.asarray(np.exp((design @ self._weights + self._constant) / 2.0))


def prediction_interval(
    predicted: Array, scale: Array, residuals: Array, scales: Array, level: float = 0.9
) -> tuple[Array, Array]:
    r"""Return intervals that hold new targets with some probability.

    The quantile of :math:`|r_i| / s_i` at the level :math:`\lceil (n + 1) p \rceil / n` times the
    scale at a new row. It holds the level on average over new rows, whatever the noise, up to the
    dependence of held-out predictions on each other.

    Parameters
    ----------
    predicted, scale : ndarray of shape (rows,)
        Predictions for new rows, and the noise that is expected there.
    residuals, scales : ndarray of shape (n,)
        Held-out residuals, and the noise that was expected in these rows without them.
    level : float
        Probability that an interval is to hold.

    Returns
    -------
    low, high : ndarray of shape (rows,)
        The ends; infinite where there are too few residuals for the level.

    Examples
    --------
    >>> residuals = np.array([-1.0, 2.0, -3.0, 4.0])
    >>> prediction_interval(np.array([10.0]), np.array([0.5]), residuals, np.ones(4), 0.6)
    (array([8.5]), array([11.5]))
    """
    half = conformal_quantile(np.abs(residuals) / scales, level)
    return predicted - half * scale, predicted + half * scale


def conformal_quantile(scores: Array, level: float) -> float:
    r"""Return the bound that the score of a new row keeps to with some probability.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        How far held-out predictions were off.
    level : float
        The probability.

    Returns
    -------
    float
        The score at the place :math:`\lceil (n + 1) p \rceil`; infinite where rows are too few.

    Examples
    --------
    >>> conformal_quantile(np.arange(1.0, 11.0), 0.9), conformal_quantile(np.ones(5), 0.9)
    (10.0, inf)
    """
    # One less round-off: 0.9 of 10 rows is the ninth.
    place = int(np.ceil((len(scores) + 1) * level - 1e-9)) - 1
    return np.inf if place >= len(scores) else float(np.sort(scores)[max(place, 0)])


def _joined(predicted: Array, columns: Array | None) -> Array:
    first = np.asarray(predicted, dtype=np.float64).reshape(-1, 1)
    if columns is None or columns.shape[1] == 0:
        return first
    return np.hstack([first, np.asarray(columns, dtype=np.float64)])


def _clipped(given: Array, middle: Array, spread: Array) -> Array:
    return np.clip((given - middle) / spread, -FARTHEST, FARTHEST)


def _powers(given: Array, middle: Array, spread: Array) -> Array:
    """Return standardised columns and their squares."""
    standard = _clipped(given, middle, spread)
    return np.hstack([standard, standard**2 - 1.0])


def _ridge(design: Array, values: Array) -> tuple[Array, float, Array]:
    """Return weights, the constant, and predictions of each value without it."""
    n, middle, mean = len(values), design.mean(axis=0), float(values.mean())
    U, s, Vt = np.linalg.svd(design - middle, full_matrices=False)
    z, best = U.T @ (values - mean), None
    for penalty in [*PENALTIES, np.inf]:
        kept = s**2 / (s**2 + n * penalty)
        leverage = U**2 @ kept + 1.0 / n
        off = (values - mean - U @ (kept * z)) / np.maximum(1.0 - leverage, 1e-6)
        loss = float(np.mean(off**2))
        # A constant unless another is better by more than round-off.
        if best is None or loss <= best[0] * (1.0 + 1e-9):
            best = (loss, kept, off)
    assert best is not None
    _, kept, off = best
    inverse = np.divide(kept, s, out=np.zeros_like(s), where=s > 1e-12 * max(s[0], 1e-300))
    weights = Vt.T @ (inverse * z)
    return weights, mean - float(middle @ weights), values - off


def _test(standard: Array, logs: Array) -> tuple[float, Array]:
    """Return the p-value of an F test of a linear regression, and t values of its columns."""
    n, count = standard.shape
    centred = standard - standard.mean(axis=0)
    U, s, Vt = np.linalg.svd(centred, full_matrices=False)
    rank = min(int(np.sum(s > 1e-10 * max(s[0], 1e-300))), max(1, n // ROWS_PER_COLUMN))
    values = logs - logs.mean()
    z = U[:, :rank].T @ values
    explained, total = float(z @ z), float(values @ values)
    rest, freedom = total - explained, n - 1 - rank
    if s[0] == 0.0 or freedom < 1 or rest <= 0.0:
        return 1.0, np.zeros(count)
    p_value = float(stats.f.sf((explained / rank) / (rest / freedom), rank, freedom))
    inverse = Vt[:rank].T / s[:rank]
    error = np.sqrt(rest / freedom * np.sum(inverse**2, axis=1))
    return p_value, np.divide(inverse @ z, error, out=np.zeros(count), where=error > 0)
