"""The criterion over the dimension: where it is best, and what else the data allow."""

from typing import TYPE_CHECKING

import numpy as np

from reldim.inputs.duplicates import independent_part
from reldim.plots.canvas import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    Array,
    RelevanceDisplay,
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


class CriterionDisplay(RelevanceDisplay):
    """The criterion that the relevant dimension minimises, over the dimension.

    Parameters
    ----------
    relevance : RelevantDimension
        The estimate.

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

    def _draw(self, ax: "Axes") -> None:
        d, curve = self.relevance.dimension, self.relevance.curve
        without = without_components(self.relevance)
        low, high = self.relevance.interval
        if high > low:
            ax.axvspan(
                max(low, 0.9), max(high, 1.1), color=ORANGE, alpha=0.18, lw=0, label="90% interval"
            )
        dimensions = np.arange(1, len(curve) + 1)
        marker = "." if len(curve) < 40 else ""
        (self.line_,) = ax.plot(dimensions, curve, color=BLUE, marker=marker, label="criterion")
        ax.axhline(without, color=GREY, linestyle=":", label="without any component")
        self.best_ = None
        if d:
            (self.best_,) = ax.plot(
                [d], [curve[d - 1]], color=VERMILION, marker="*", markersize=13, linestyle="",
                label="relevant dimension",
            )  # fmt: skip
        count_axis(ax, len(curve))
        ax.set_ylim(*_view(curve, without))
        ax.set_xlabel("dimension d (number of leading components)")
        ax.set_ylabel(criterion_label(self.relevance.criterion))
        tidy(ax)

    def _finding(self) -> str:
        rd = self.relevance
        low, high = rd.interval
        name = {"likelihood": "likelihood", "leave-one-out": "leave-one-out error"}[rd.criterion]
        if rd.dimension == 0:
            return "No dimension explains the targets better than chance would"
        best = plural(rd.dimension, "dimension")
        if rd.dimension >= len(rd.curve) - 1 > 1:
            return f"The {name} is best at the end of the range, {best}: there may be more"
        return f"The {name} is best at {best} (90% interval {whole(low)} to {whole(high)})"


def _view(curve: Array, without: float) -> tuple[float, float]:
    """Leave out what rises far above the constant prediction: nothing is to be seen there."""
    lowest, highest = min(float(curve.min()), without), float(curve.max())
    top = max(without, float(curve[0]))
    return clear_view(lowest, max(min(highest, top + 0.2 * (top - lowest)), top))


def without_components(relevance: RelevantDimension) -> float:
    """Return the criterion at dimension 0."""
    targets = relevance.targets
    if relevance.criterion == "leave-one-out":
        return float(np.mean(np.sum(targets.values**2, axis=1)))
    n, total = targets.n, float(np.sum(targets.values**2))
    if relevance.variant == "robust":
        n, total = independent_part(targets.values, relevance.spectrum.gram.groups)
    return float(np.log(total / (n * targets.degrees_of_freedom)))
