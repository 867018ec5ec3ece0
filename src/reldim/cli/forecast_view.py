"""The terminal: a forecast to read."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from reldim.diagnosis.forecast import Forecast

__all__ = ["forecast_view"]

#: Letters of a bar that stands for an error of the first row.
BAR = 30


def forecast_view(forecast: "Forecast", error: float | None = None) -> RenderableType:
    """Lay out a forecast: the answer to a question, the table, what it rests on.

    Parameters
    ----------
    forecast : Forecast
        The forecast.
    error : float, optional
        A target error to answer about.

    Returns
    -------
    renderable
        What a console prints.
    """
    unit = "of labels" if forecast.curve.task == "classification" else "of variance"
    parts: list[RenderableType] = []
    if error is not None:
        parts += [Text(forecast.explain(error), style="bold"), Text()]
    parts += [Text(f"Error to expect, {unit}", style="bold"), _table(forecast), Text()]
    parts.append(Padding(Text(forecast.reason), (0, 0, 0, 2)))
    return Group(*parts)


def _table(forecast: "Forecast") -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 1), header_style="dim")
    for heading in ("rows", "error", "90% interval"):
        table.add_column(heading, justify="right")
    table.add_column("")
    largest = float(forecast.error.max()) or 1.0
    for rows, error, low, high in zip(
        forecast.rows, forecast.error, forecast.lower, forecast.upper, strict=True
    ):
        bar = "█" * max(1, round(BAR * float(error) / largest))
        table.add_row(
            f"{rows}",
            f"{error:.1%}",
            f"{low:.1%} to {high:.1%}",
            Text(bar, style="cyan"),
            style="bold" if rows == forecast.n else None,
        )
    table.add_row("floor", f"{forecast.floor:.1%}", "", "", style="dim")
    return table
