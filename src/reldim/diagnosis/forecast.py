r"""Forecast: the error to expect with more rows.

A law with three unknowns,

.. math:: E(m) = F + (E_n - F) \left( \frac{n}{m} \right)^{r},

is held against the errors of fits to all rows of a fold, a half, a quarter and an eighth of them,
on the same held-out rows. All laws on a grid keep a weight: the likelihood of these errors, whose
covariance follows from the losses of the rows, times a prior of the power r. The error with any
number of rows, what is left at any number of rows (the floor F, the noise) and their intervals are
read from these weights.

``docs/forecast.md`` says how well this does on real data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from reldim.exceptions import InputError, InputTypeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reldim.plots.forecast import ForecastDisplay

__all__ = ["REACH", "Forecast", "LearningCurve"]

Array = NDArray[np.float64]

#: How far a forecast reaches, in multiples of the rows at hand.
REACH = 10

#: Probability that the interval is to hold.
COVERAGE = 0.9

#: The quantiles at its ends.
ENDS = ((1.0 - COVERAGE) / 2, (1.0 + COVERAGE) / 2)

#: Prior of the power: the median, and the standard deviation of its logarithm.
POWER, SPREAD = 0.9, 0.4

#: No curve is exactly a law: an error is off by this share of itself, and by this share of what it
#: lies above the error with the most rows.
OFF, OFF_ABOVE = 0.05, 0.2

#: The grid: powers, floors as shares of the error, errors in standard errors from the measured one.
POWERS = np.geomspace(0.15, 2.0, 25)
FLOORS = np.linspace(0.0, 1.0, 41)
ERRORS = np.linspace(-4.0, 3.0, 43)

#: Share of laws that begin late beforehand; the power with which held-out likelihood counts, since
#: no kernel is more than roughly right, and how often it is of no account.
LATE, CAUTION, ASTRAY = 0.1, 0.5, 0.2

#: Laws of less than this share of the largest weight are left out.
UNLIKELY = 1e-4

#: Multiples of the rows at hand that are forecast where no numbers of rows are given.
MULTIPLES = (1, 2, 3, 5, 10)

#: Numbers of rows on the way of a curve that is drawn.
STEPS = 25

#: Version of the dictionary that to_dict returns.
SCHEMA = "reldim.forecast/1"


@dataclass(frozen=True)
class LearningCurve:
    """The error as a function of the number of rows: laws, and how likely each of them is.

    Attributes
    ----------
    n : int
        Rows at hand.
    task : {"classification", "regression"}
        Kind of problem.
    constant : float
        The error of the best constant, which no predictor that is used exceeds.
    floors, excesses, powers : ndarray of shape (laws,)
        What each law leaves at any number of rows, by how much the error at n rows lies above, and
        the power with which that shrinks.
    weights : ndarray of shape (laws,)
        How likely each of them is; they sum to one.
    rows, errors : tuple of float
        The numbers of rows that folds learned from, and the errors that were measured.
    has_signal : bool
        Whether there is anything but a constant to learn.
    """

    n: int
    task: str
    constant: float
    floors: Array = field(repr=False)
    excesses: Array = field(repr=False)
    powers: Array = field(repr=False)
    weights: Array = field(repr=False)
    rows: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()
    has_signal: bool = True

    @classmethod
    def of(
        cls,
        rows: Sequence[float],
        errors: Array,
        covariance: Array,
        *,
        n: int,
        task: str,
        constant: float,
        fitted: int | None = None,
        noise: tuple[Array, Array] | None = None,
    ) -> "LearningCurve":
        """Weigh all laws by errors that were measured.

        Parameters
        ----------
        rows : sequence of float
            Numbers of rows that were learned from, the largest first.
        errors : ndarray of shape (sizes,)
            The errors with so many rows.
        covariance : ndarray of shape (sizes, sizes)
            Their covariance by the chance of the rows that were predicted.
        n : int
            Rows at hand.
        task : {"classification", "regression"}
            Kind of problem.
        constant : float
            The error of the best constant.
        fitted : int, optional
            Rows that the predictor is fitted to where it is a draw of them; the error with the rows
            at hand is the error with so many.
        noise : pair of ndarray, optional
            Shares of noise, and how unlikely held-out rows make each of them. Where it is given,
            laws that begin late are tried as well: up to some number of rows a constant errs less.

        Returns
        -------
        LearningCurve
            The curve.

        Examples
        --------
        >>> rows = np.array([800.0, 400.0, 200.0, 100.0])
        >>> curve = LearningCurve.of(
        ...     rows, 0.3 + 8 / rows, 1e-6 * np.eye(4), n=1000, task="regression", constant=1.0
        ... )
        >>> bool(curve.interval(10_000)[0] < 0.3008 < curve.interval(10_000)[1])
        True
        """
        most = np.asarray(rows, dtype=np.float64) / rows[0]
        off = (OFF * errors) ** 2 + (OFF_ABOVE * np.maximum(errors - errors[0], 0.0)) ** 2
        precision = np.linalg.inv(covariance + np.diag(off + (1e-4 * constant) ** 2))
        first = errors[0] + math.sqrt(covariance[0, 0] + off[0]) * ERRORS
        first = np.unique(np.clip(first, 0.0, None))
        levels, shares, powers = (
            grid.ravel() for grid in np.meshgrid(first, FLOORS, POWERS, indexing="ij")
        )
        floors = shares * levels
        excesses = levels - floors
        said = floors[:, None] + excesses[:, None] * most ** -powers[:, None]
        prior = -0.5 * (np.log(powers / POWER) / SPREAD) ** 2
        misfit = said - errors
        logs = prior - 0.5 * np.sum((misfit @ precision) * misfit, axis=1)
        weights = np.exp(logs - logs.max())
        if noise is not None:
            misfit = np.minimum(said, constant) - np.minimum(errors, constant)
            late = prior - 0.5 * np.sum((misfit @ precision) * misfit, axis=1)
            weights = (1.0 - LATE) * weights + LATE * np.exp(late - logs.max())
            weights *= _told_by_noise(floors, levels, *noise)
        excesses = excesses * (rows[0] / (fitted or n)) ** powers
        # A predictor that does worse than a constant is not used.
        excesses = np.minimum(excesses, np.maximum(constant - floors, 0.0))
        curve = cls(
            n,
            task,
            constant,
            np.minimum(floors, constant),
            excesses,
            powers,
            weights,
            tuple(float(count) for count in rows),
            tuple(float(error) for error in errors),
        )
        return curve._weighed(1.0)

    def respecting(self, difference: float, standard_error: float) -> "LearningCurve":
        """Weigh laws by what a better model reached: no floor lies above that but by chance.

        Parameters
        ----------
        difference, standard_error : float
            By how much another model errs more than the predictor, below 0 for a better one.

        Returns
        -------
        LearningCurve
            The same laws with other weights.
        """
        chance = max(standard_error, 1e-4 * self.constant)
        return self._weighed(ndtr((self.excesses + difference) / chance))

    def _weighed(self, factor: Array | float) -> "LearningCurve":
        weights = self.weights * factor
        kept = weights > UNLIKELY * weights.max()
        return replace(
            self,
            floors=self.floors[kept],
            excesses=self.excesses[kept],
            powers=self.powers[kept],
            weights=weights[kept] / weights[kept].sum(),
        )

    def without_signal(self) -> "LearningCurve":
        """Return the curve of data in which no signal was found: constant, as far as was seen."""
        return replace(self, has_signal=False)

    @property
    def floor(self) -> float:
        """What is estimated to be left at any number of rows. No bound: see ``floor_interval``.

        The median of the laws, since verdicts are what most of them say.
        """
        return self._quantiles(self.floors, 0.5)[0] if self.has_signal else self.constant

    @property
    def floor_interval(self) -> tuple[float, float]:
        """A 90 % interval of what is left at any number of rows."""
        low, high = self._quantiles(self.floors, *ENDS)
        return low, high if self.has_signal else self.constant

    def laws(self, rows: float) -> Array:
        """Return the error that each law gives with a number of rows."""
        return np.asarray(self.floors + self.excesses * (self.n / rows) ** self.powers)

    def probability(self, holds: NDArray[np.bool_]) -> float:
        """Return how likely the laws are of which something holds."""
        return float(self.weights @ holds)

    def error(self, rows: ArrayLike) -> Array:
        """Return the error to expect with some numbers of rows."""
        counts = np.asarray(rows, dtype=np.float64)
        if not self.has_signal:
            return np.full(counts.shape, self.constant)
        errors = [self.weights @ self.laws(count) for count in counts.ravel()]
        return np.reshape(np.array(errors, dtype=np.float64), counts.shape)

    @property
    def standard_error(self) -> float:
        """How far the error with the rows at hand may be off."""
        laws = self.laws(self.n)
        return float(np.sqrt(self.weights @ (laws - self.weights @ laws) ** 2))

    def interval(self, rows: ArrayLike) -> tuple[Array, Array]:
        """Return both ends of the 90 % interval of the error."""
        counts = np.asarray(rows, dtype=np.float64)
        ends = np.array([self._quantiles(self.laws(count), *ENDS) for count in counts.ravel()])
        low, high = (np.reshape(end, counts.shape) for end in ends.T)
        return low, high if self.has_signal else np.full(counts.shape, self.constant)

    def _quantiles(self, values: Array, *shares: float) -> list[float]:
        """Return quantiles of a figure of the laws."""
        order = np.argsort(values, kind="stable")
        below = np.cumsum(self.weights[order])
        places = np.minimum(np.searchsorted(below, shares), len(order) - 1)
        return [float(value) for value in values[order[places]]]

    def rows_for(self, error: float) -> float:
        """Return the number of rows at which the curve meets an error; infinite beyond its reach.

        Examples
        --------
        >>> one = np.ones(1)
        >>> LearningCurve(100, "regression", 1.0, 0.2 * one, 0.1 * one, one, one).rows_for(0.25)
        200.0
        """
        if error >= float(self.error(self.n)):
            return float(self.n)
        low, high = math.log(self.n), math.log(REACH * self.n)
        if float(self.error(REACH * self.n)) > error:
            return math.inf
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (
                (middle, high) if float(self.error(math.exp(middle))) > error else (low, middle)
            )
        return float(np.round(math.exp(high), 3))

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
        return self.curve.floor_interval

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
        measured = ", ".join(
            f"{_percent(error)} with {count:.0f}"
            for count, error in zip(curve.rows, curve.errors, strict=True)
        )
        return (
            f"With the {curve.n} rows at hand the error is about {now}. What is left at any number "
            f"of rows is estimated at {floor} ({low} to {high}). Errors that were measured, by the "
            f"number of rows that was learned from: {measured}."
        )

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


def _told_by_noise(floors: Array, levels: Array, shares: Array, losses: Array) -> Array:
    """Return how likely held-out rows make floors, or any floor up to the error."""
    steps = np.gradient(shares)
    weights = np.exp(-CAUTION * (losses - losses.min()))
    density = weights / steps / weights.sum()
    told = np.interp(floors, shares, density, left=density[0], right=0.0)
    return np.asarray((1.0 - ASTRAY) * told + ASTRAY / np.maximum(levels, shares[0]))


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
