"""Which columns matter: their shares of the signal, and what the target does along them."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from reldim.diagnosis.columns import ColumnShare
from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.effects import Effect
from reldim.exceptions import InputError
from reldim.plots.canvas import (
    BLACK,
    BLUE,
    GREY,
    LINES,
    Display,
    headline,
    literal,
    percent_axis,
    plural,
    several_axes,
    tidy,
)
from reldim.tables.columns import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

__all__ = ["ColumnsDisplay", "EffectsDisplay"]

#: Columns that are drawn.
MOST = 20

#: Columns that the title names.
NAMED = 3

#: Columns whose effects are drawn, panels beside each other, and their size in inches.
PANELS, BESIDE, PANEL = 6, 3, (4.0, 3.2)

#: Classes that are drawn.
CLASSES = len(LINES)


class ColumnsDisplay(Display):
    """Horizontal bars: the share of the signal that each column carries, with intervals.

    Parameters
    ----------
    shares : sequence of ColumnShare
        The columns, the most important first.
    kept : collection of str
        The columns that cannot be left out.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    bars_ : BarContainer
        The bars, the most important one first.

    Examples
    --------
    >>> from reldim import plots
    >>> from reldim.diagnosis.columns import ColumnShare
    >>> shares = [
    ...     ColumnShare("size", 0.9, 0.8, 1.0, error_without=0.5, p_value=0.001),
    ...     ColumnShare("town", 0.1, 0.0, 0.2, error_without=0.1, p_value=0.4),
    ... ]
    >>> display = plots.ColumnsDisplay(shares, kept=["size"]).plot()
    >>> display.ax_.get_title(loc="left")
    'size carries 90% of the signal; 1 column seems not needed'
    """

    def __init__(self, shares: Sequence[ColumnShare], kept: Collection[str]) -> None:
        self.shares = tuple(shares)
        self.kept = frozenset(kept)

    @classmethod
    def from_diagnosis(cls, diagnosis: Diagnosis, *, ax: "Axes | None" = None) -> Self:
        """Draw the shares of a diagnosis.

        Parameters
        ----------
        diagnosis : Diagnosis
            The diagnosis; one without shares is refused, with the reason.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ColumnsDisplay
            The display.
        """
        rows = diagnosis.column_shares
        if not rows:
            raise InputError(f"There are no shares of columns to draw. {diagnosis.columns_note}")
        return cls(rows, {row.name for row in diagnosis.summary.columns_that_matter}).plot(ax)

    def _draw(self, ax: "Axes") -> None:
        shown, places = self.shares[:MOST], np.arange(min(MOST, len(self.shares)))
        if len(shown) < len(self.shares):
            ax.annotate(
                f"and {len(self.shares) - len(shown)} more", (1.0, 0.02), xycoords="axes fraction",
                ha="right", color=GREY,
            )  # fmt: skip
        share = np.array([row.share for row in shown])
        ends = np.array([(row.share - row.low, row.high - row.share) for row in shown]).T
        colors = [BLUE if row.name in self.kept else GREY for row in shown]
        self.bars_: BarContainer = ax.barh(places, share, color=colors, height=0.7)
        ax.errorbar(
            share, places, xerr=np.abs(ends), fmt="none", ecolor=BLACK, elinewidth=1.2, capsize=3
        )
        ax.set_yticks(places, [literal(row.name) for row in shown])
        ax.invert_yaxis()
        ax.set_xlim(0.0, min(1.0, 1.08 * max(row.high for row in self.shares)) or 1.0)
        percent_axis(ax.xaxis)
        ax.set_xlabel("share of the signal, with 90% interval")
        ax.set_ylabel("column")
        tidy(ax)
        ax.grid(visible=False, axis="y")

    def _finding(self) -> str:
        kept = [row for row in self.shares if row.name in self.kept]
        if not kept:
            return "No column matters beyond chance"
        first = kept[:NAMED]
        # Dollar signs would begin a formula.
        names = listed([literal(row.name) for row in first])
        carry = "carries" if len(first) == 1 else "carry"
        text = f"{names} {carry} {sum(row.share for row in first):.0%} of the signal"
        idle = len(self.shares) - len(kept)
        seem = "seems" if idle == 1 else "seem"
        return f"{text}; {plural(idle, 'column')} {seem} not needed" if idle else text


class EffectsDisplay:
    """One panel per column: the prediction along it, the other columns as they are in the rows.

    Numbers and dates have curves (accumulated local effects), categories one dot each; bands and
    bars are 90 % intervals. Of two classes the second is drawn.

    Parameters
    ----------
    effects : sequence of Effect
        What to draw.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes, one per column.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from reldim.diagnosis.effects import Effect
    >>> from reldim import plots
    >>> effect = Effect(
    ...     "size", "numbers", (1.0, 2.0), ("target",), ((5.0, 7.0),), ((4.0, 6.0),),
    ...     ((6.0, 8.0),), (10, 10), of_numbers=True,
    ... )
    >>> plots.EffectsDisplay([effect]).plot().axes_[0].get_title(loc="left")
    'size: the target rises from 5 to 7'
    """

    def __init__(self, effects: Sequence[Effect]) -> None:
        self.effects = tuple(effects)

    @classmethod
    def from_diagnosis(
        cls,
        diagnosis: Diagnosis,
        columns: Sequence[str] | None = None,
        *,
        ax: "Axes | Sequence[Axes] | None" = None,
    ) -> Self:
        """Draw what the denoised target does along columns.

        Parameters
        ----------
        diagnosis : Diagnosis
            The diagnosis; one without effects is refused, with the reason.
        columns : sequence of str, optional
            Columns to draw, by default the six that matter most.
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per column, by default on a new figure.

        Returns
        -------
        EffectsDisplay
            The display.
        """
        curves = {curve.name: curve for curve in diagnosis.effect_curves}
        if not curves:
            reason = diagnosis.columns_note or "No column of numbers or categories matters."
            raise InputError(f"There are no effects to draw. {reason}")
        unknown = [name for name in columns or () if name not in curves]
        if unknown:
            raise InputError(
                f"There are effects of {listed(curves)}. Got {listed(unknown)} instead."
            )
        wanted = [*curves][:PANELS] if columns is None else columns
        return cls([curves[name] for name in wanted]).plot(ax)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per column, by default on a new figure.

        Returns
        -------
        EffectsDisplay
            The display itself.
        """
        count = len(self.effects)
        if ax is None:
            across = min(count, BESIDE)
            down = -(-count // across)
            size = (PANEL[0] * across, PANEL[1] * down)
            self.figure_, made = several_axes(None, down, across, size)
            for empty in made[count:]:
                empty.remove()
            axes = made[:count]
        else:
            self.figure_, axes = several_axes(ax, 1, count, (0.0, 0.0))
        self.axes_: NDArray[Any] = axes
        for one, effect in zip(self.axes_, self.effects, strict=True):
            _draw_effect(one, effect)
        return self


def _draw_effect(ax: "Axes", effect: Effect) -> None:
    shown = effect.shown[:CLASSES]
    categories = effect.kind == "categories"
    if categories:
        x: Any = np.arange(len(effect.places))
        ax.set_xticks(x, [literal(label, 14) for label in effect.labels])
        if len(x) > 3:
            ax.tick_params(axis="x", labelrotation=45)
    else:
        x = np.array(effect.labels, dtype="datetime64[s]" if effect.kind == "dates" else float)
    for j, (color, style) in zip(shown, LINES, strict=False):
        values, low, high = (np.array(one[j]) for one in (effect.values, effect.low, effect.high))
        name = literal(effect.outputs[j]) if len(shown) > 1 else None
        if categories:
            ends = np.vstack([values - low, high - values])
            ax.errorbar(x, values, yerr=ends, fmt="o", color=color, capsize=3, label=name)
        else:
            ax.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0)
            ax.plot(x, values, color=color, linestyle=style, label=name)
    if effect.kind == "dates":
        from matplotlib import dates

        locator = dates.AutoDateLocator(maxticks=5)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    ax.set_xlabel(literal(effect.name))
    ax.set_ylabel(literal(effect.quantity, 40))
    headline(ax, literal(effect.finding, 60))
    tidy(ax)
