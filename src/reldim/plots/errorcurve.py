"""Error curves: what the leading components leave unexplained."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.plots.canvas import (
    LINES,
    Array,
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
    curves : sequence of array-like
        e(1), e(2), ... for each kernel.
    dimensions : sequence of int
        Their relevant dimensions.
    names : sequence of str
        Their names.
    best : int or None
        Index of the kernel that fits best, where they can be compared.

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

    def __init__(
        self,
        *,
        curves: Sequence[ArrayLike],
        dimensions: Sequence[int],
        names: Sequence[str],
        best: int | None = None,
    ) -> None:
        self.curves: list[Array] = [np.asarray(curve, dtype=np.float64) for curve in curves]
        self.dimensions = list(dimensions)
        self.names = list(names)
        self.best = best

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
        return cls.from_relevances({"": relevance}, ax=ax)

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
        display = cls(
            curves=[error_curve(relevance) for relevance in relevances.values()],
            dimensions=[relevance.dimension for relevance in relevances.values()],
            names=list(relevances),
            best=_best(list(relevances.values())),
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        self.lines_ = []
        several = len(self.curves) > 1
        for number, (curve, d) in enumerate(zip(self.curves, self.dimensions, strict=True)):
            color, style = LINES[number % len(LINES)]
            label = f"{literal(self.names[number])} ({plural(d, 'dimension')})" if several else None
            d_axis = np.arange(1, len(curve) + 1)
            self.lines_ += ax.plot(d_axis, curve, color=color, linestyle=style, label=label)
            if d:
                dot = None if several else f"relevant dimension {d}"
                ax.plot(d, curve[d - 1], color=color, marker="o", linestyle="", label=dot)
        count_axis(ax, max(len(curve) for curve in self.curves))
        ax.set_ylim(0, 1.03)
        percent_axis(ax.yaxis)
        ax.set_xlabel("dimension d (number of leading components)")
        ax.set_ylabel("part of the targets not explained, e(d)")
        tidy(ax)
        if any(self.dimensions) or several:
            ax.legend(fontsize="small", loc="best")

    def _finding(self) -> str:
        if not any(self.dimensions):
            return "No signal: no number of components explains the targets"
        if self.best is None:
            return "What the leading components leave unexplained"
        d = self.dimensions[self.best]
        explained = 1.0 - float(self.curves[self.best][d - 1]) if d else 0.0
        verb = "explains" if d == 1 else "explain"
        text = f"{plural(d, 'dimension')} {verb} {explained:.0%} of the targets"
        if len(self.curves) == 1:
            return text
        return f"{literal(self.names[self.best])} fits best: {text}"


def _best(relevances: list[RelevantDimension]) -> int | None:
    """Return the estimate of the largest likelihood; only for equal targets it can be compared."""
    values = [relevance.targets.values for relevance in relevances]
    if any(not np.array_equal(other, values[0]) for other in values):
        return None
    return int(np.argmin([relevance.negative_log_likelihood for relevance in relevances]))
