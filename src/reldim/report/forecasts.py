"""The errors to expect with more rows, as plain data."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reldim.diagnosis.forecast import REACH, Forecast
from reldim.report.summary import percent

__all__ = ["ForecastTable", "forecast_rows", "tabulate_forecast"]

#: Numbers of rows.
STEPS = 25


@dataclass(frozen=True)
class ForecastTable:
    """Errors to expect with more rows.

    Attributes
    ----------
    rows : tuple of int
        Numbers of rows.
    error, lower, upper : tuple of float
        The errors to expect, and the ends of their intervals.
    floor : float
        What is estimated to be left at any number of rows.
    now : int
        The number of rows at hand.
    title, reason : str
        What the forecast says, and what it rests on.
    """

    rows: tuple[int, ...]
    error: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    floor: float
    now: int
    title: str
    reason: str


def forecast_rows(n: int) -> NDArray[np.intp]:
    """Return numbers of rows to forecast for, from n to as far as forecasts reach.

    Parameters
    ----------
    n : int
        The number of rows at hand.

    Returns
    -------
    ndarray of int
        In ascending order; the double of n is among them.

    Examples
    --------
    >>> rows = forecast_rows(200)
    >>> int(rows[0]), 400 in rows, int(rows[-1])
    (200, True, 2000)
    """
    spaced = np.geomspace(n, REACH * n, STEPS).round()
    return np.unique(np.append(spaced, 2 * n).astype(np.intp))


def tabulate_forecast(forecast: Forecast) -> ForecastTable:
    """Take from a forecast what its picture shows.

    Parameters
    ----------
    forecast : Forecast
        Made for :func:`forecast_rows`.
    """
    n, rows = forecast.n, forecast.rows
    now, double = (
        percent(float(forecast.error[np.searchsorted(rows, count)])) for count in (n, 2 * n)
    )
    title = (
        f"Twice as many rows would bring the error from {now} to {double}"
        if double != now
        else f"Twice as many rows would leave the error at {now}"
    )
    return ForecastTable(
        rows=tuple(rows.tolist()),
        error=tuple(forecast.error.tolist()),
        lower=tuple(forecast.lower.tolist()),
        upper=tuple(forecast.upper.tolist()),
        floor=forecast.floor,
        now=n,
        title=title,
        reason=forecast.reason,
    )
