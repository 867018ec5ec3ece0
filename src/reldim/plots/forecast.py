"""The learning curve to come: what error to expect with more rows."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.diagnosis.forecast import Forecast
from reldim.plots.canvas import (
    BLUE,
    GREY,
    VERMILION,
    Array,
    Display,
    count_axis,
    percent_axis,
    tidy,
    whole,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ForecastDisplay"]

#: A fall by less than this share of the error is called little.
LITTLE = 0.1


class ForecastDisplay(Display):
    """The errors to expect with other numbers of rows, with intervals and the floor.

    Parameters
    ----------
    rows : array-like of int
        Numbers of rows, ascending.
    error, lower, upper : array-like of float
        The errors to expect, and the ends of their intervals.
    floor : float
        What no number of rows goes below.
    now : int or None
        The number of rows at hand.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    line_ : Line2D
        The errors to expect.
    interval_ : PolyCollection or LineCollection
        Their intervals: a band, or for one or two numbers of rows a bar each.

    Examples
    --------
    >>> from reldim import plots
    >>> display = plots.ForecastDisplay(
    ...     rows=[100, 1000], error=[0.5, 0.42], lower=[0.45, 0.4], upper=[0.55, 0.47], floor=0.4
    ... ).plot()
    >>> display.ax_.get_title(loc="left")
    'From 100 to 1000 rows the expected error falls from 50.0% to 42.0%'
    """

    def __init__(
        self,
        *,
        rows: ArrayLike,
        error: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        floor: float,
        now: int | None = None,
    ) -> None:
        self.rows: Array = np.asarray(rows, dtype=np.float64)
        self.error: Array = np.asarray(error, dtype=np.float64)
        self.lower: Array = np.asarray(lower, dtype=np.float64)
        self.upper: Array = np.asarray(upper, dtype=np.float64)
        self.floor = floor
        self.now = now

    @classmethod
    def from_forecast(cls, forecast: Forecast, *, ax: "Axes | None" = None) -> Self:
        """Draw a forecast.

        Parameters
        ----------
        forecast : Forecast
            The forecast, for several numbers of rows.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ForecastDisplay
            The display.
        """
        display = cls(
            rows=forecast.rows,
            error=forecast.error,
            lower=forecast.lower,
            upper=forecast.upper,
            floor=forecast.floor,
            now=forecast.n,
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        if len(self.rows) > 2:
            self.interval_: Any = ax.fill_between(
                self.rows, self.lower, self.upper, color=BLUE, alpha=0.18, linewidth=0,
                label="90% interval",
            )  # fmt: skip
        else:
            self.interval_ = ax.vlines(
                self.rows, self.lower, self.upper, color=BLUE, alpha=0.4, linewidth=5,
                label="90% interval",
            )  # fmt: skip
        (self.line_,) = ax.plot(
            self.rows, self.error, color=BLUE, marker="." if len(self.rows) < 40 else "",
            label="expected error",
        )  # fmt: skip
        ax.axhline(
            self.floor,
            color=GREY,
            linestyle="--",
            label=f"with any number of rows: {self.floor:.1%}",
        )
        if self.now is not None:
            label = f"rows at hand: {whole(self.now)}"
            ax.axvline(self.now, color=VERMILION, linewidth=1.2, label=label)
        first = float(self.rows[0]) if self.now is None else min(float(self.rows[0]), self.now)
        count_axis(ax, float(self.rows[-1]), first)
        top = float(self.upper.max())
        ax.set_ylim(0.0, 1.08 * top)
        percent_axis(ax.yaxis)
        ax.set_xlabel("number of rows")
        ax.set_ylabel("expected error on new rows")
        tidy(ax)
        ax.legend(fontsize="small", loc="best")

    def _finding(self) -> str:
        start, first = float(self.rows[0]), float(self.error[0])
        if self.now is not None and self.rows[0] <= self.now <= self.rows[-1]:
            start = self.now
            first = float(np.interp(np.log(start), np.log(self.rows), self.error))
        last = float(self.error[-1])
        span = f"From {whole(start)} to {whole(self.rows[-1])} rows the expected error"
        if start == self.rows[-1]:
            return f"With {whole(start)} rows an error of {last:.1%} is to be expected"
        if first - last < LITTLE * first:
            return f"{span} falls little: {first:.1%} to {last:.1%}"
        return f"{span} falls from {first:.1%} to {last:.1%}"
