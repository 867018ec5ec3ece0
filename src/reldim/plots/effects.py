"""Effects: what the denoised target does along the columns that matter."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.effects import Effect
from reldim.exceptions import InputError
from reldim.plots.canvas import LINES, headline, literal, several_axes, tidy
from reldim.tables.columns import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EffectsDisplay"]

#: Columns that are drawn, panels beside each other, and their size in inches.
MOST, BESIDE, PANEL = 6, 3, (4.0, 3.2)

#: Classes that are drawn.
CLASSES = len(LINES)


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
        wanted = [*curves][:MOST] if columns is None else columns
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
            _draw(one, effect)
        return self


def _draw(ax: "Axes", effect: Effect) -> None:
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
        name = literal(effect.outputs[j])
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
    if len(shown) > 1:
        ax.legend(fontsize="small")
