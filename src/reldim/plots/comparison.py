"""Representations side by side: their errors, and how sure the distance to the best is."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from reldim.diagnosis.comparison import Comparison
from reldim.plots.canvas import BLUE, GREY, VERMILION, Display, literal, tidy

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
    comparison : Comparison
        The comparison.

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
    >>> from reldim import compare, datasets
    >>> data = datasets.noisy_sinc(60, noise=0.1, random_state=0)
    >>> display = compare({"x": data.X, "sign": data.X > 0}, data.y).plot()
    >>> display.ax_.get_title(loc="left")[:9]
    'x is best'
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

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
        return cls(comparison).plot(ax)

    def _draw(self, ax: "Axes") -> None:
        names = self.comparison.names
        place = {name: i for i, name in enumerate(self.comparison.diagnoses)}
        losses = self.comparison.losses[:, [place[name] for name in names]]
        errors, apart = losses.mean(axis=0), losses - losses[:, :1]
        margins = QUANTILE * apart.std(axis=0, ddof=1) / np.sqrt(max(len(losses), 2))
        heights = -np.arange(len(names))
        ax.axvline(errors[0], color=GREY, linestyle="--", linewidth=1.0)
        self.bars_: Any = ax.errorbar(
            errors, heights, xerr=margins, fmt="none", ecolor=GREY, capsize=4
        )
        for behind, color, marker, label in (
            (False, BLUE, "o", "best, or as good within chance"),
            (True, VERMILION, "s", "worse beyond chance"),
        ):
            some = np.flatnonzero(np.asarray(self.comparison.behind) == behind)
            if len(some):
                ax.plot(
                    errors[some], heights[some], color=color, marker=marker, linestyle="",
                    label=label,
                )  # fmt: skip
        ax.set_yticks(heights, [literal(name) for name in names])
        ax.set_ylim(heights[-1] - 0.6, 0.6)
        ax.set_xlim(left=0.0)
        ax.set_xlabel("leave-one-out squared error (a constant prediction has 1)")
        ax.set_ylabel("representation")
        tidy(ax)

    def _finding(self) -> str:
        return literal(self.comparison.conclusion, 200)
