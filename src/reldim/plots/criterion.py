"""The criterion over the dimension: where it is best, and what else the data allow."""

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.inputs.duplicates import independent_part
from reldim.plots.canvas import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    Array,
    Display,
    clear_view,
    count_axis,
    plural,
    tidy,
    whole,
)
from reldim.relevance.estimation import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CriterionDisplay", "criterion_label", "without_components"]

_LABELS = {
    "likelihood": "negative log-likelihood per row",
    "leave-one-out": "leave-one-out squared error",
}


def criterion_label(criterion: str) -> str:
    """Return what an axis of a criterion is called."""
    return f"{_LABELS[criterion]} (lower is better)"


class CriterionDisplay(Display):
    """The criterion that the relevant dimension minimises, over the dimension.

    Parameters
    ----------
    curve : array-like of shape (most,)
        The criterion at the dimensions 1, 2, ..., most.
    dimension : int
        The estimate.
    interval : tuple of int
        Lowest and highest dimension that the data allow.
    criterion : {"likelihood", "leave-one-out"}
        What the curve shows.
    without : float or None
        The criterion at dimension 0, a constant prediction.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    line_ : Line2D
        The curve.
    best_ : Line2D or None
        The mark of the estimate; None where it is 0.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots, relevant_dimension
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)
    >>> display = plots.CriterionDisplay.from_relevance(rd)
    >>> display.ax_.get_title(loc="left")
    'The likelihood is best at 7 dimensions (90% interval ...)'
    """

    def __init__(
        self,
        *,
        curve: ArrayLike,
        dimension: int,
        interval: tuple[int, int],
        criterion: str = "likelihood",
        without: float | None = None,
    ) -> None:
        self.curve: Array = np.asarray(curve, dtype=np.float64)
        self.dimension = dimension
        self.interval = interval
        self.criterion = criterion
        self.without = without

    @classmethod
    def from_relevance(cls, relevance: RelevantDimension, *, ax: "Axes | None" = None) -> Self:
        """Draw the criterion behind an estimate.

        Parameters
        ----------
        relevance : RelevantDimension
            The estimate.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        CriterionDisplay
            The display.
        """
        display = cls(
            curve=relevance.curve,
            dimension=relevance.dimension,
            interval=relevance.interval,
            criterion=relevance.criterion,
            without=without_components(relevance),
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        d = self.dimension
        low, high = self.interval
        if high > low:
            ax.axvspan(
                max(low, 0.9), max(high, 1.1), color=ORANGE, alpha=0.18, lw=0, label="90% interval"
            )
        dimensions = np.arange(1, len(self.curve) + 1)
        marker = "." if len(self.curve) < 40 else ""
        (self.line_,) = ax.plot(
            dimensions, self.curve, color=BLUE, marker=marker, label="criterion"
        )
        if self.without is not None:
            ax.axhline(self.without, color=GREY, linestyle=":", label="without any component")
        self.best_ = None
        if d:
            (self.best_,) = ax.plot(
                [d], [self.curve[d - 1]], color=VERMILION, marker="*", markersize=13, linestyle="",
                label="relevant dimension",
            )  # fmt: skip
        count_axis(ax, len(self.curve))
        ax.set_ylim(*self._view())
        ax.set_xlabel("dimension d (number of leading components)")
        ax.set_ylabel(criterion_label(self.criterion))
        tidy(ax)
        ax.legend(fontsize="small", loc="best")

    def _view(self) -> tuple[float, float]:
        """Leave out what rises far above the constant prediction: nothing is to be seen there."""
        lowest, highest = float(self.curve.min()), float(self.curve.max())
        if self.without is not None:
            lowest = min(lowest, self.without)
            top = max(self.without, float(self.curve[0]))
            highest = max(min(highest, top + 0.2 * (top - lowest)), top)
        return clear_view(lowest, highest)

    def _finding(self) -> str:
        low, high = self.interval
        name = {"likelihood": "likelihood", "leave-one-out": "leave-one-out error"}[self.criterion]
        if self.dimension == 0:
            return "No dimension explains the targets better than chance would"
        if self.dimension >= len(self.curve) - 1 > 1:
            last = plural(self.dimension, "dimension")
            return f"The {name} is best at the end of the range, {last}: there may be more"
        best = f"The {name} is best at {plural(self.dimension, 'dimension')}"
        return f"{best} (90% interval {whole(low)} to {whole(high)})"


def without_components(relevance: RelevantDimension) -> float:
    """Return the criterion at dimension 0."""
    targets = relevance.targets
    if relevance.criterion == "leave-one-out":
        return float(np.mean(np.sum(targets.values**2, axis=1)))
    n, total = targets.n, float(np.sum(targets.values**2))
    if relevance.variant == "robust":
        n, total = independent_part(targets.values, relevance.spectrum.gram.groups)
    return float(np.log(total / (n * targets.degrees_of_freedom)))
