"""What all plots share: axes to draw on, colours, scales and titles."""

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError, MissingDependencyError, in_one_line
from reldim.relevance.estimation import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "BLACK",
    "BLUE",
    "GREEN",
    "GREY",
    "LINES",
    "ORANGE",
    "PURPLE",
    "SKY",
    "VERMILION",
    "Array",
    "Display",
    "RelevanceDisplay",
    "clear_view",
    "count_axis",
    "headline",
    "literal",
    "new_axes",
    "percent_axis",
    "plural",
    "pyplot",
    "several_axes",
    "tidy",
    "whole",
]

Array = NDArray[np.float64]

# The palette of Okabe and Ito, which people with any colour vision can tell apart.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE, GREY = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#767676",
)  # fmt: skip

#: Lines differ in style as well as in colour, so that they survive a black and white printer.
LINES = (
    (BLUE, "-"),
    (VERMILION, "--"),
    (GREEN, "-."),
    (PURPLE, ":"),
    (ORANGE, "-"),
    (SKY, "--"),
    (BLACK, "-."),
)

#: Back ends of matplotlib that write files: pyplot would hold their figures for no one to see.
FILES_ONLY = frozenset({"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"})

#: Characters of a title that fit above axes of the default size.
TITLE_CHARACTERS = 68

#: Characters of a name that are shown.
NAME_CHARACTERS = 24


def pyplot() -> Any:
    """Import matplotlib's pyplot, or say how to install it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingDependencyError("matplotlib", "A plot", "plots") from error
    return plt


def new_axes(
    rows: int = 1, columns: int = 1, size: tuple[float, float] | None = None
) -> tuple["Figure", "NDArray[Any]"]:
    """Return a new figure and a list of axes on it.

    Pyplot holds the figure where it can show it: in a window, in a notebook, and in its interactive
    mode. Elsewhere the figure goes when the caller lets go of it.

    Parameters
    ----------
    rows, columns : int
        How the axes are laid out.
    size : tuple of float, optional
        Width and height in inches.
    """
    plt = pyplot()
    from reldim.plots.notebook_figure import NotebookFigure

    figure: Figure
    if plt.isinteractive() or plt.get_backend().lower() not in FILES_ONLY:
        figure = plt.figure(figsize=size, layout="constrained", FigureClass=NotebookFigure)
    else:
        figure = NotebookFigure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


class Display(ABC):
    """A plot on one axes, with the finding above it."""

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw, by default on a new figure.
        """
        self.ax_ = new_axes()[1][0] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        headline(self.ax_, self._finding())
        return self

    @abstractmethod
    def _draw(self, ax: "Axes") -> None:
        """Draw all but the title."""

    @abstractmethod
    def _finding(self) -> str:
        """Say in one sentence what the plot shows."""


class RelevanceDisplay(Display):
    """A plot of what is behind an estimate of the relevant dimension."""

    def __init__(self, relevance: RelevantDimension) -> None:
        self.relevance = relevance

    @classmethod
    def from_relevance(cls, relevance: RelevantDimension, *, ax: "Axes | None" = None) -> Self:
        """Draw what is behind an estimate.

        Parameters
        ----------
        relevance : RelevantDimension
            The estimate.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        RelevanceDisplay
            The display.
        """
        return cls(relevance).plot(ax)


def several_axes(
    ax: "Axes | Sequence[Axes] | None", rows: int, columns: int, size: tuple[float, float]
) -> tuple["Figure | SubFigure", "NDArray[Any]"]:
    """Return a list of axes to draw on and their figure, new where none are given.

    Parameters
    ----------
    ax : Axes, sequence of Axes, or None
        Axes that were given, as many as there are panels.
    rows, columns : int
        How new axes are laid out.
    size : tuple of float
        Width and height of a new figure in inches.

    Returns
    -------
    figure : Figure
        The figure.
    axes : ndarray of Axes
        One axes per panel.
    """
    count = rows * columns
    if ax is None:
        return new_axes(rows, columns, size)
    given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(given) != count:
        raise InputError(
            f"This plot has {count} panels: ax must be None or {count} axes. Got {len(given)}."
        )
    return given[0].figure, given


def headline(ax: "Axes", text: str) -> None:
    """Put the finding above the axes, in as many lines as it takes."""
    lines = len(textwrap.wrap(text, TITLE_CHARACTERS))
    # Lines of about the same length, and no lonely last word.
    even = next(
        width
        for width in range(len(text) // lines, TITLE_CHARACTERS + 1)
        if len(textwrap.wrap(text, width)) == lines
    )
    ax.set_title(textwrap.fill(text, even), loc="left", fontsize="medium")


def tidy(ax: "Axes") -> None:
    """Leave out the frame where no scale is, draw a faint grid, and name what has a label."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e4e4e4", linewidth=0.7)
    ax.set_axisbelow(True)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small", loc="best")


def count_axis(ax: "Axes", last: float, first: float = 1.0) -> None:
    """Let x count ``first``, ..., ``last``: logarithmic, with whole numbers as ticks."""
    from matplotlib.ticker import FixedLocator, NullLocator

    last = max(last, 2 * first)
    steps = (1, 2, 5) if last < 5000 * first else (1,)
    ticks = [s * 10**p for p in range(12) for s in steps if first <= s * 10**p <= last]
    ax.set_xscale("log")
    ax.set_xlim(0.9 * first, 1.1 * last)
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(_formatter(whole))


def percent_axis(axis: "Axis") -> None:
    """Write shares as percentages."""
    axis.set_major_formatter(_formatter(_percent))


def _percent(value: float) -> str:
    digits, _, power = f"{100 * value:.0e}".partition("e")
    if 0 < abs(value) < 1e-6:
        raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"10{raised}%" if digits == "1" else f"{digits}·10{raised}%"
    return f"{100 * value:.3g}%"


def _formatter(write: Callable[[float], str]) -> Any:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _position: write(value))


def clear_view(
    low: float, high: float, margin: float = 0.06, least: float = 0.0
) -> tuple[float, float]:
    """Return limits of an axis that leave some room around a range, also around a single value.

    The range is at least ``least`` wide: round-off is not to fill the axes.
    """
    least = least or 0.05 * max(abs(high), abs(low), 1e-12)
    more = max(0.0, least - (high - low)) / 2
    room = margin * max(high - low, least)
    return low - more - room, high + more + room


def literal(value: object, characters: int = NAME_CHARACTERS) -> str:
    """Return a user's text as it is to be shown: short, in one line, without formulas."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    line = in_one_line(value)
    if len(line) > characters:
        # Names that begin alike often differ at the end.
        end = characters // 3
        line = f"{line[: characters - 1 - end]}…{line[-end:]}"
    # A dollar sign would begin a formula, and a name with one need not be a formula.
    return line.replace("$", r"\$")


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, as in "1 row" and "2 rows"."""
    return f"{whole(count)} {noun}" if count == 1 else f"{whole(count)} {noun}s"


def whole(value: float) -> str:
    """Return a whole number in groups of three digits where it has more than four."""
    return f"{value:.0f}" if abs(value) < 10_000 else f"{value:,.0f}".replace(",", "\N{THIN SPACE}")
