"""The learning curve to come: what error to expect with more rows."""

from typing import TYPE_CHECKING, Any, Self

from reldim.diagnosis.forecast import Forecast
from reldim.plots.canvas import (
    BLUE,
    GREY,
    VERMILION,
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
    forecast : Forecast
        The forecast.

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
    >>> from reldim import datasets, diagnose, plots
    >>> data = datasets.bananas(100, random_state=3)
    >>> forecast = diagnose(data.X, data.y, references=False).forecast([100, 200, 1000])
    >>> plots.ForecastDisplay.from_forecast(forecast).ax_.get_title(loc="left")
    'From 100 to 1000 rows the expected error falls from ...% to ...%'
    """

    def __init__(self, forecast: Forecast) -> None:
        self.forecast = forecast

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
        return cls(forecast).plot(ax)

    def _draw(self, ax: "Axes") -> None:
        forecast = self.forecast
        rows, ends = forecast.rows, (forecast.lower, forecast.upper)
        band: dict[str, Any] = {"color": BLUE, "label": "90% interval"}
        if len(rows) > 2:
            self.interval_: Any = ax.fill_between(rows, *ends, alpha=0.18, linewidth=0, **band)
        else:
            self.interval_ = ax.vlines(rows, *ends, alpha=0.4, linewidth=5, **band)
        marker = "." if len(rows) < 40 else ""
        (self.line_,) = ax.plot(
            rows, forecast.error, color=BLUE, marker=marker, label="expected error"
        )
        label = f"with any number of rows: {forecast.floor:.1%}"
        ax.axhline(forecast.floor, color=GREY, linestyle="--", label=label)
        label = f"rows at hand: {whole(forecast.n)}"
        ax.axvline(forecast.n, color=VERMILION, linewidth=1.2, label=label)
        count_axis(ax, float(rows[-1]), min(float(rows[0]), forecast.n))
        ax.set_ylim(0.0, 1.08 * float(forecast.upper.max()))
        percent_axis(ax.yaxis)
        ax.set_xlabel("number of rows")
        ax.set_ylabel("expected error on new rows")
        tidy(ax)

    def _finding(self) -> str:
        rows, error = self.forecast.rows, self.forecast.error
        first, last = float(error[0]), float(error[-1])
        if rows[0] == rows[-1]:
            return f"With {whole(rows[0])} rows an error of {last:.1%} is to be expected"
        span = f"From {whole(rows[0])} to {whole(rows[-1])} rows the expected error"
        if first - last < LITTLE * first:
            return f"{span} falls little: {first:.1%} to {last:.1%}"
        return f"{span} falls from {first:.1%} to {last:.1%}"
