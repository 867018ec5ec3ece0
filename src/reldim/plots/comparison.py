"""Representations side by side: their errors, and how sure the distance to the best is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.diagnosis.comparison import Comparison
from reldim.plots.canvas import BLUE, GREY, VERMILION, Array, Display, literal, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ComparisonDisplay"]

#: The quantile of the normal distribution for 90 % intervals.
QUANTILE = 1.645


class ComparisonDisplay(Display):
    """The leave-one-out errors of representations, the best on top.

    Bars are 90 % intervals of the difference to the best: one that ends to the right of the
    line through the best is worse than it, whatever both find hard.

    Parameters
    ----------
    names : sequence of str
        What is compared, the best first.
    errors : array-like of float
        Leave-one-out squared errors, relative to a constant prediction.
    margins : array-like of float
        Half widths of the intervals of the differences to the best; 0 for the best.
    behind : sequence of bool
        Whether each is worse than the best beyond chance.
    conclusion : str
        What it comes to.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    bars_ : ErrorbarContainer
        The intervals.

    Examples
    --------
    >>> from reldim import plots
    >>> display = plots.ComparisonDisplay(
    ...     names=["raw", "logarithm"], errors=[0.2, 0.5], margins=[0.0, 0.1],
    ...     behind=[False, True], conclusion="raw is best.",
    ... ).plot()
    >>> display.ax_.get_title(loc="left")
    'raw is best.'
    """

    def __init__(
        self,
        *,
        names: Sequence[str],
        errors: ArrayLike,
        margins: ArrayLike,
        behind: Sequence[bool],
        conclusion: str,
    ) -> None:
        self.names = list(names)
        self.errors: Array = np.asarray(errors, dtype=np.float64)
        self.margins: Array = np.asarray(margins, dtype=np.float64)
        self.behind = list(behind)
        self.conclusion = conclusion

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, ax: "Axes | None" = None) -> Self:
        """Draw a comparison.

        Parameters
        ----------
        comparison : Comparison
            The comparison.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ComparisonDisplay
            The display.
        """
        names = comparison.names
        place = {name: i for i, name in enumerate(comparison.diagnoses)}
        losses = comparison.losses[:, [place[name] for name in names]]
        apart = losses - losses[:, :1]
        display = cls(
            names=names,
            errors=losses.mean(axis=0),
            margins=QUANTILE * apart.std(axis=0, ddof=1) / np.sqrt(max(len(losses), 2)),
            behind=comparison.behind,
            conclusion=comparison.conclusion,
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        heights = -np.arange(len(self.names))
        ax.axvline(self.errors[0], color=GREY, linestyle="--", linewidth=1.0)
        self.bars_: Any = ax.errorbar(
            self.errors, heights, xerr=self.margins, fmt="none", ecolor=GREY, capsize=4
        )
        for behind, color, marker, label in (
            (False, BLUE, "o", "best, or as good within chance"),
            (True, VERMILION, "s", "worse beyond chance"),
        ):
            some = np.flatnonzero(np.asarray(self.behind) == behind)
            if len(some):
                ax.plot(
                    self.errors[some], heights[some], color=color, marker=marker, linestyle="",
                    label=label,
                )  # fmt: skip
        ax.set_yticks(heights, [literal(name) for name in self.names])
        ax.set_ylim(heights[-1] - 0.6, 0.6)
        ax.set_xlim(left=0.0)
        ax.set_xlabel("leave-one-out squared error (a constant prediction has 1)")
        ax.set_ylabel("representation")
        tidy(ax)
        ax.legend(fontsize="small", loc="best")

    def _finding(self) -> str:
        return literal(self.conclusion, 200)
