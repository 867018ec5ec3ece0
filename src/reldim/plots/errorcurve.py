"""Error curves: what the leading components leave unexplained."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np

from reldim.plots.canvas import (
    LINES,
    Display,
    count_axis,
    literal,
    percent_axis,
    plural,
    tidy,
)
from reldim.relevance.error_curve import error_curve
from reldim.relevance.estimation import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ErrorCurveDisplay"]


class ErrorCurveDisplay(Display):
    r"""What is left of the targets after the leading d components, for one kernel or several.

    .. math:: e(d) = 1 - \sum_{m \le d} \|z_m\|^2 / \|y\|^2

    A curve that falls early belongs to a kernel, or a representation, in which the problem is
    simple. Beyond the relevant dimension (the dot) a curve falls by fitting noise.

    Parameters
    ----------
    relevances : mapping from str to RelevantDimension
        The estimates by name.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    lines_ : list of Line2D
        The curves.

    References
    ----------
    G. Montavon, M. L. Braun, K.-R. Müller. Kernel Analysis of Deep Networks. Journal of Machine
    Learning Research 12, 2011.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots, relevant_dimension
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)
    >>> display = plots.ErrorCurveDisplay.from_relevance(rd)
    >>> display.ax_.get_title(loc="left")
    '7 dimensions explain 61% of the targets'
    """

    def __init__(self, relevances: Mapping[str, RelevantDimension]) -> None:
        self.relevances = dict(relevances)
        self.curves = {name: error_curve(rd) for name, rd in self.relevances.items()}

    @classmethod
    def from_relevance(cls, relevance: RelevantDimension, *, ax: "Axes | None" = None) -> Self:
        """Draw the curve behind an estimate.

        Parameters
        ----------
        relevance : RelevantDimension
            The estimate.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ErrorCurveDisplay
            The display.
        """
        return cls({"": relevance}).plot(ax)

    @classmethod
    def from_relevances(
        cls, relevances: Mapping[str, RelevantDimension], *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the curves of several kernels or representations.

        Parameters
        ----------
        relevances : mapping from str to RelevantDimension
            The estimates by name.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ErrorCurveDisplay
            The display.
        """
        return cls(relevances).plot(ax)

    def _draw(self, ax: "Axes") -> None:
        self.lines_ = []
        several = len(self.curves) > 1
        for number, (name, curve) in enumerate(self.curves.items()):
            d = self.relevances[name].dimension
            color, style = LINES[number % len(LINES)]
            label = f"{literal(name)} ({plural(d, 'dimension')})" if several else None
            d_axis = np.arange(1, len(curve) + 1)
            self.lines_ += ax.plot(d_axis, curve, color=color, linestyle=style, label=label)
            if d:
                dot = None if several else f"relevant dimension {d}"
                ax.plot(d, curve[d - 1], color=color, marker="o", linestyle="", label=dot)
        count_axis(ax, max(len(curve) for curve in self.curves.values()))
        ax.set_ylim(0, 1.03)
        percent_axis(ax.yaxis)
        ax.set_xlabel("dimension d (number of leading components)")
        ax.set_ylabel("part of the targets not explained, e(d)")
        tidy(ax)

    def _finding(self) -> str:
        if not any(rd.dimension for rd in self.relevances.values()):
            return "No signal: no number of components explains the targets"
        values = [rd.targets.values for rd in self.relevances.values()]
        if any(not np.array_equal(other, values[0]) for other in values):
            # Likelihoods are of the same targets, or cannot be compared.
            return "What the leading components leave unexplained"
        best = min(self.curves, key=lambda name: self.relevances[name].negative_log_likelihood)
        d = self.relevances[best].dimension
        explained = 1.0 - float(self.curves[best][d - 1]) if d else 0.0
        verb = "explains" if d == 1 else "explain"
        text = f"{plural(d, 'dimension')} {verb} {explained:.0%} of the targets"
        return text if len(self.curves) == 1 else f"{literal(best)} fits best: {text}"
