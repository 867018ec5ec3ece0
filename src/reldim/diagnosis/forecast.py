r"""Forecast: the error to expect with more rows.

The curve is a power law that levels off,

.. math:: E(m) = F + (E_n - F) \left( \frac{n}{m} \right)^{r},

for m rows where n are at hand. :math:`E_n` is the error to expect of the predictor that the
diagnosis returns, F the noise estimate: what would be left at any number of rows, as far as these
tell. It is an estimate with an interval, not a bound. The excess of squared errors falls with the
power 4/5, as it does at best where a curve that is twice differentiable is estimated [1]_; that of
mistakes more slowly, with the power 2/3: near the border between classes a fit that is nearly right
still errs. Both powers are the same for all data: the errors of a few small subsamples do not tell
them.

``docs/forecast.md`` says how well this does on real data, beside curves that are fitted to errors
of subsamples by scikit-learn's ``learning_curve``.

.. [1] C. J. Stone, Optimal global rates of convergence for nonparametric regression, Annals of
   Statistics 10 (1982).
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError, InputTypeError
from reldim.relevance.estimation import RelevantDimension
from reldim.relevance.noise import NoiseEstimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reldim.plots.forecast import ForecastDisplay

__all__ = ["REACH", "Forecast", "LearningCurve", "error_with_more", "learning_curve"]

Array = NDArray[np.float64]

#: The excess shrinks with this power of the number of rows: mistakes, and squared errors.
RATES = {"classification": 2 / 3, "regression": 4 / 5}

#: How far a forecast reaches, in multiples of the rows at hand.
REACH = 10

#: Relevant dimensions per row beyond which noise cannot be told from structure not yet learned.
TOO_COMPLEX_TO_TELL = 0.2

#: Probability that the interval is to hold.
COVERAGE = 0.9

#: The corresponding quantile of the normal distribution.
QUANTILE = 1.645

#: Rates that the ends of the interval assume, in multiples of the usual one, and the standard error
#: of the logarithm of an error that is there even with many rows. The lower end of the noise falls
#: with relevant dimensions per row, to nothing where noise cannot be told from structure.
FAST, SLOW = 1.4, 0.5
DOUBT = 0.2

#: Multiples of the rows at hand that are forecast where no numbers of rows are given.
MULTIPLES = (1, 2, 3, 5, 10)

#: Numbers of rows on the way of a curve that is drawn.
STEPS = 25

#: Version of the dictionary that to_dict returns.
SCHEMA = "reldim.forecast/1"


@dataclass(frozen=True)
class LearningCurve:
    """The error as a function of the number of rows.

    Attributes
    ----------
    n : int
        Rows at hand.
    floor : float
        What is estimated to be left at any number of rows. No bound: see ``floor_interval``.
    excess : float
        By how much the error at n rows lies above.
    rows_per_dimension : float
        Rows for each relevant dimension; infinite where there is none.
    chance : float
        Standard error of the logarithm of the error at n rows, by chance alone.
    step : float
        Size of a single mistake, 0 for regression.
    task : {"classification", "regression"}
        Kind of problem.
    floor_interval : tuple of float
        A 90 % interval of what is left at any number of rows.
    """

    n: int
    floor: float
    excess: float
    rows_per_dimension: float
    chance: float
    step: float
    task: str
    floor_interval: tuple[float, float] = (0.0, 1.0)

    @property
    def rate(self) -> float:
        """The power of the number of rows with which the excess shrinks."""
        return RATES[self.task]

    @property
    def has_signal(self) -> bool:
        """Whether there is anything but a constant to learn."""
        return math.isfinite(self.rows_per_dimension)

    def error(self, rows: ArrayLike) -> Array:
        """Return the error to expect with some numbers of rows."""
        return _power_law(self.n, self.floor, self.excess, self.rate, rows)

    def interval(self, rows: ArrayLike) -> tuple[Array, Array]:
        """Return both ends of the 90 % interval of the error.

        Distances are taken between logarithms, where half a mistake is added to every share. The
        distance that chance explains and that between curves add up like independent errors.
        """
        level = self.floor + self.excess
        told = 1.0 - 1.0 / (self.rows_per_dimension * TOO_COMPLEX_TO_TELL)
        low = min(self.floor_interval[0], self.floor) * max(0.0, told)
        high = min(max(self.floor_interval[1], self.floor), level)
        fast = _power_law(self.n, low, level - low, FAST * self.rate, rows)
        slow = _power_law(self.n, high, level - high, SLOW * self.rate, rows)
        middle = self.error(rows) + self.step
        by_chance = QUANTILE * math.hypot(self.chance, DOUBT)
        down = np.hypot(by_chance, _log_ratio(middle, fast + self.step))
        up = np.hypot(by_chance, _log_ratio(slow + self.step, middle))
        lower = np.maximum(middle * np.exp(-down) - self.step, 0.0)
        upper = middle * np.exp(up) - self.step
        return lower, (np.minimum(upper, 1.0) if self.task == "classification" else upper)

    def rows_for(self, error: float) -> float:
        """Return the number of rows at which the curve meets an error; infinite below the floor."""
        if error >= self.floor + self.excess:
            return float(self.n)
        if error <= self.floor:
            return math.inf
        # Logarithms: errors just above the floor are out of any reach, and of floating point.
        steps = math.log(self.excess / (error - self.floor)) / self.rate
        return self.n * math.exp(steps) if steps < 700 else math.inf

    def forecast(self, rows: Any = None) -> "Forecast":
        """Forecast the error for one or several numbers of rows.

        Parameters
        ----------
        rows : int or sequence of int, optional
            Numbers of rows, from those at hand to ten times as many; by default those at hand and
            2, 3, 5 and 10 times as many.

        Returns
        -------
        Forecast
            Errors with intervals.
        """
        rows = [factor * self.n for factor in MULTIPLES] if rows is None else rows
        counts = _checked_rows(rows, self.n)
        lower, upper = self.interval(counts)
        return Forecast(rows=counts, error=self.error(counts), lower=lower, upper=upper, curve=self)


@dataclass(frozen=True)
class Forecast:
    """Errors to expect with more rows of the same kind.

    They are in the units of the error estimate: the share of wrong labels, or for regression the
    mean squared error over the variance of the targets.

    Attributes
    ----------
    rows : ndarray of int
        Numbers of rows.
    error : ndarray
        The errors to expect of the predictor that :func:`~reldim.diagnose` chooses.
    lower, upper : ndarray
        Ends of 90 % intervals of these errors.
    curve : LearningCurve
        What they were read from.

    Examples
    --------
    >>> from reldim import datasets, diagnose
    >>> data = datasets.bananas(200, random_state=3)
    >>> forecast = diagnose(data.X, data.y).forecast([200, 800, 2000])
    >>> bool((np.diff(forecast.error) < 0).all())
    True
    >>> forecast.rows_needed(forecast.error[1])
    800
    """

    rows: NDArray[np.intp]
    error: Array
    lower: Array
    upper: Array
    curve: LearningCurve = field(repr=False)

    @property
    def floor(self) -> float:
        """What is estimated to be left at any number of rows; no bound, see ``floor_interval``."""
        return self.curve.floor

    @property
    def floor_interval(self) -> tuple[float, float]:
        """A 90 % interval of what is left at any number of rows."""
        low, high = self.curve.floor_interval
        return min(low, self.floor), max(high, self.floor)

    @property
    def n(self) -> int:
        """Rows at hand."""
        return self.curve.n

    @property
    def reason(self) -> str:
        """What the forecast rests on, in words."""
        curve = self.curve
        if not curve.has_signal:
            return (
                "No signal was found, so a constant prediction is all there is, and more rows do "
                f"not change its error of {_percent(curve.floor)}. A weak or complex relation may "
                "still show with more rows, which the lower end of the interval allows for."
            )
        now, floor = _percent(float(curve.error(curve.n))), _percent(curve.floor)
        low, high = (_percent(end) for end in self.floor_interval)
        sentence = (
            f"With the {curve.n} rows at hand the error is about {now}. What these kernels leave "
            f"at any number of rows is estimated at {floor} ({low} to {high}); "
        )
        sentence += (
            "more rows hardly help."
            if floor == now
            else f"the rest shrinks with the power {_power(curve.rate)} of the number of rows."
        )
        if curve.rows_per_dimension < 1 / TOO_COMPLEX_TO_TELL:
            sentence += (
                f" With {curve.rows_per_dimension:.1f} rows per relevant dimension, noise can "
                "hardly be told from structure not yet learned: less may be left."
            )
        return sentence

    def rows_needed(self, error: float) -> int | None:
        """Return how many rows bring the error down to a target.

        Parameters
        ----------
        error : float
            The target, in the units of the errors.

        Returns
        -------
        int or None
            At least the rows at hand. None where more is left at any number of rows, or where more
            than ten times the rows at hand are needed; :meth:`explain` tells which.
        """
        needed = self.curve.rows_for(_checked_error(error))
        # Round-off of a target that was read from the curve must not cost a row.
        rows = math.ceil(needed * (1 - 1e-9)) if math.isfinite(needed) else None
        return rows if rows is not None and rows <= REACH * self.n else None

    def explain(self, error: float) -> str:
        """Say in a sentence how many rows a target takes, or why it is out of reach.

        Parameters
        ----------
        error : float
            The target, in the units of the errors.

        Returns
        -------
        str
            The sentence.
        """
        rows, target = self.rows_needed(error), _percent(error)
        if rows == self.n:
            return f"An error of {target} is reached with the {self.n} rows at hand."
        if rows is not None:
            return f"An error of {target} takes about {rows} rows; there are {self.n}."
        target, floor = _told_apart(error, self.floor)
        if not self.curve.has_signal:
            return (
                f"An error of {target} is not reachable with this kernel: it sees no signal, and "
                f"a constant prediction errs by {floor}."
            )
        if error <= self.floor:
            return (
                f"An error of {target} is not to be expected of these kernels: what they leave at "
                f"any number of rows is estimated at {floor}. Look for better "
                "labels or features, or for another kernel."
            )
        target, last = _told_apart(error, float(self.curve.error(REACH * self.n)))
        return (
            f"An error of {target} takes more than {REACH * self.n} rows, ten times those at hand, "
            f"which is as far as the forecast reaches: {last} is forecast there."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the forecast as plain data.

        Returns
        -------
        dict
            Strings, numbers, lists and dictionaries only.
        """
        return {
            "schema": SCHEMA,
            "task": self.curve.task,
            "rows_at_hand": self.n,
            "rows": self.rows.tolist(),
            "error": self.error.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "coverage": COVERAGE,
            "floor": self.floor,
            "floor_interval": list(self.floor_interval),
            "reason": self.reason,
        }

    def plot(self, ax: "Axes | None" = None) -> "ForecastDisplay":
        """Draw the errors with their intervals, for a single number of rows the way to it.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ForecastDisplay
            The display; its figure is ``figure_``.
        """
        from reldim.plots.forecast import ForecastDisplay

        last = int(self.rows.max())
        if len(self.rows) > 2 or last == self.n:
            return ForecastDisplay.from_forecast(self, ax=ax)
        between = np.unique(np.geomspace(self.n, last, STEPS).round().astype(np.intp))
        return ForecastDisplay.from_forecast(self.curve.forecast(between), ax=ax)

    def _repr_html_(self) -> str:
        from reldim.report.notebook import forecast_html

        return forecast_html(self)

    def __str__(self) -> str:
        """Give the forecast as plain text."""
        width = max(len("rows"), *(len(str(count)) for count in self.rows))
        lines = [f"{'rows':>{width}}  error  90% interval"]
        for count, error, low, high in zip(
            self.rows, self.error, self.lower, self.upper, strict=True
        ):
            interval = f"{_percent(low)} to {_percent(high)}"
            lines.append(f"{count:>{width}}  {_percent(error):>5}  {interval}")
        left = f"at any number of rows: about {_percent(self.floor)}"
        return "\n".join([*lines, left, self.reason])

    __repr__ = __str__


def learning_curve(
    relevance: RelevantDimension,
    *,
    error: float | None = None,
    noise: NoiseEstimate | None = None,
    signal: bool | None = None,
) -> LearningCurve:
    """Read the curve of a data set from its estimate.

    Parameters
    ----------
    relevance : RelevantDimension
        The estimate from all rows.
    error : float, optional
        The error to expect of the predictor, by default that of the estimate.
    noise : NoiseEstimate, optional
        The noise in the targets, by default that of the estimate.
    signal : bool, optional
        Whether the predictor sees anything but a constant, by default whether the kernel does.

    Returns
    -------
    LearningCurve
        The curve.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, relevant_dimension
    >>> data = datasets.noisy_sinc(100, noise=0.3, random_state=0)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(1.0), data.X), data.y)
    >>> curve = learning_curve(rd)
    >>> bool(curve.floor == rd.noise_estimate.value), bool(curve.error(100) == rd.error_estimate)
    (True, True)
    """
    targets, d = relevance.targets, relevance.dimension
    signal = d > 0 if signal is None else signal
    noise = relevance.noise_estimate if noise is None else noise
    # A predictor that does worse than a constant is not used.
    error = min(relevance.error_estimate if error is None else error, targets.constant_error)
    floor = min(noise.value, error) if signal else error
    return LearningCurve(
        n=targets.n,
        floor=floor,
        excess=error - floor,
        rows_per_dimension=targets.n / max(d, 1) if signal else math.inf,
        chance=_chance(relevance, error),
        step=0.5 / targets.n if targets.codes is not None else 0.0,
        task=targets.task,
        floor_interval=noise.interval,
    )


def error_with_more(task: str, error: float, noise: float, times: float = REACH) -> float:
    """Return the error to expect with a multiple of the rows at hand.

    Parameters
    ----------
    task : {"classification", "regression"}
        Kind of problem.
    error : float
        The error with the rows at hand.
    noise : float
        What is left at any number of rows.
    times : float
        By how much the rows are multiplied.

    Returns
    -------
    float
        What the curve of :func:`learning_curve` says.

    Examples
    --------
    >>> round(error_with_more("regression", 0.5, 0.4), 3)
    0.416
    """
    floor = min(noise, error)
    return float(_power_law(1, floor, error - floor, RATES[task], times))


def _power(rate: float) -> str:
    return str(Fraction(rate).limit_denominator(9))


def _power_law(n: int, floor: float, excess: float, rate: float, rows: ArrayLike) -> Array:
    return np.asarray(floor + excess * (n / np.asarray(rows, dtype=np.float64)) ** rate)


def _log_ratio(larger: Array, smaller: Array) -> Array:
    """Return the logarithm of a ratio, at least 0, and 0 where there is no error at all."""
    tiny = np.finfo(np.float64).tiny
    return np.log(np.maximum(larger, tiny) / np.maximum(np.minimum(smaller, larger), tiny))


def _chance(relevance: RelevantDimension, level: float) -> float:
    """Return the standard error of the logarithm of an error, as chance in n rows makes it."""
    targets = relevance.targets
    if targets.codes is not None:
        # Of a share: half a mistake is added, as in the interval.
        return math.sqrt((1.0 - level) / (level * targets.n + 0.5))
    squares = np.sum((targets.values - relevance.left_out) ** 2, axis=1)
    mean = max(float(np.mean(squares)), np.finfo(np.float64).tiny)
    return float(np.std(squares)) / mean / math.sqrt(targets.n)


def _checked_rows(rows: Any, n: int) -> NDArray[np.intp]:
    try:
        counts = np.atleast_1d(np.asarray(rows))
    except ValueError:
        counts = np.empty(0)
    whole = counts.dtype.kind in "iu" or (
        counts.dtype.kind == "f" and np.isfinite(counts).all() and (counts == counts.round()).all()
    )
    if counts.ndim != 1 or counts.size == 0 or not whole:
        raise InputTypeError(
            "forecast takes a whole number of rows, or a sequence of them, such as "
            f"{4 * n} or [{2 * n}, {4 * n}]. Got {rows!r} instead."
        )
    low, high = int(counts.min()), int(counts.max())
    if low < n:
        raise InputError(
            f"A forecast begins with the {n} rows at hand. Got {low}: to see the error with fewer "
            "rows, fit on some of them and test on the others."
        )
    if high > REACH * n:
        raise InputError(
            f"A forecast from {n} rows reaches up to ten times as many, {REACH * n}. Got {high}: "
            "ask for fewer, or diagnose more rows."
        )
    return counts.astype(np.intp)


def _checked_error(error: Any) -> float:
    if isinstance(error, bool) or not isinstance(error, (Real, Integral)):
        raise InputTypeError(
            f"A target error is a number, such as 0.05 for 5%. Got {error!r} of type "
            f"{type(error).__name__} instead."
        )
    value = float(error)
    if not (math.isfinite(value) and value >= 0.0):
        raise InputError(f"A target error is at least 0, such as 0.05 for 5%. Got {error} instead.")
    return value


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _told_apart(first: float, second: float) -> tuple[str, str]:
    """Write two shares with as many digits as tell them apart, up to six."""
    for digits in range(1, 7):
        shares = f"{first:.{digits}%}", f"{second:.{digits}%}"
        if shares[0] != shares[1]:
            return shares
    return _percent(first), _percent(second)
