"""Which columns matter: their shares of the signal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.exceptions import InputError
from reldim.plots.canvas import BLACK, BLUE, GREY, Array, Display, literal, percent_axis, tidy
from reldim.tables.columns import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

__all__ = ["ColumnsDisplay"]

#: Columns that are drawn.
MOST = 20

#: Columns that the title names.
NAMED = 3


class ColumnsDisplay(Display):
    """Horizontal bars: the share of the signal that each column carries, with intervals.

    Parameters
    ----------
    names : sequence of str
        The columns, the most important first.
    share, low, high : array-like of float
        Their shares and the ends of their intervals.
    matters : array-like of bool, optional
        Which of them cannot be left out, by default all.

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
    >>> display = plots.ColumnsDisplay(
    ...     names=["size", "town"], share=[0.9, 0.1], low=[0.8, 0.0], high=[1.0, 0.2],
    ...     matters=[True, False],
    ... ).plot()
    >>> display.ax_.get_title(loc="left")
    'size carries 90% of the signal; 1 column can be dropped'
    """

    def __init__(
        self,
        *,
        names: Sequence[str],
        share: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        matters: ArrayLike | None = None,
    ) -> None:
        self.names = list(names)
        self.share: Array = np.asarray(share, dtype=np.float64)
        self.low: Array = np.asarray(low, dtype=np.float64)
        self.high: Array = np.asarray(high, dtype=np.float64)
        self.matters = np.asarray(
            np.ones(len(self.names)) if matters is None else matters, dtype=np.bool_
        )

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
        kept = {row.name for row in diagnosis.summary.columns_that_matter}
        display = cls(
            names=[row.name for row in rows],
            share=[row.share for row in rows],
            low=[row.low for row in rows],
            high=[row.high for row in rows],
            matters=[row.name in kept for row in rows],
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        count = min(MOST, len(self.names))
        if count < len(self.names):
            ax.annotate(
                f"and {len(self.names) - count} more", (1.0, 0.02), xycoords="axes fraction",
                ha="right", color=GREY,
            )  # fmt: skip
        share, places = self.share[:count], np.arange(count)
        ends = np.abs(np.vstack([share - self.low[:count], self.high[:count] - share]))
        self.bars_: BarContainer = ax.barh(
            places, share, color=[BLUE if m else GREY for m in self.matters[:count]], height=0.7
        )
        ax.errorbar(share, places, xerr=ends, fmt="none", ecolor=BLACK, elinewidth=1.2, capsize=3)
        ax.set_yticks(places, [literal(name) for name in self.names[:count]])
        ax.invert_yaxis()
        ax.set_xlim(0.0, min(1.0, 1.08 * float(self.high.max())) or 1.0)
        percent_axis(ax.xaxis)
        ax.set_xlabel("share of the signal, with 90% interval")
        ax.set_ylabel("column")
        tidy(ax)
        ax.grid(visible=False, axis="y")

    def _finding(self) -> str:
        kept = np.flatnonzero(self.matters)
        if not len(kept):
            return "No column matters beyond chance"
        first = kept[:NAMED]
        # Dollar signs would begin a formula.
        names = listed([literal(self.names[j]) for j in first])
        carry = "carries" if len(first) == 1 else "carry"
        text = f"{names} {carry} {self.share[first].sum():.0%} of the signal"
        idle = len(self.names) - len(kept)
        if not idle:
            return text
        return f"{text}; {idle} {'column' if idle == 1 else 'columns'} can be dropped"
