"""Kernel PCA coefficients of the targets, with the cut and the noise floor."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2

from reldim.plots.canvas import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    Array,
    RelevanceDisplay,
    count_axis,
    percent_axis,
    tidy,
    whole,
)
from reldim.relevance.estimation import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CoefficientsDisplay", "target_shares"]

#: Below this share of the noise floor nothing is shown.
LOWEST = 1e-3


class CoefficientsDisplay(RelevanceDisplay):
    """Size of the kernel PCA coefficients, the cut between signal and noise, the noise floor.

    Where components carry label information their coefficients stand out; noise has the same
    size, on average, in all of them.

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
    shares : ndarray
        Share of each component in the sum of squares of the targets.
    relevant_, rest_ : Line2D
        The points on either side of the cut.
    floor_ : Line2D
        The noise floor.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots, relevant_dimension
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)
    >>> display = plots.CoefficientsDisplay.from_relevance(rd)
    >>> display.ax_.get_title(loc="left")
    '7 of 100 components carry the targets (90% interval ...)'
    """

    def __init__(self, relevance: RelevantDimension) -> None:
        super().__init__(relevance)
        # In the null space eigenvectors, and so coefficients, are a matter of chance.
        self.shares = target_shares(relevance)[: max(relevance.spectrum.rank, 1)]

    def _draw(self, ax: "Axes") -> None:
        relevance, d = self.relevance, self.relevance.dimension
        component = np.arange(1, len(self.shares) + 1)
        low, high = relevance.interval
        left = max(0.0, 1.0 - float(self.shares[:d].sum()))
        noise_floor = left / (relevance.targets.n - d)
        if noise_floor > 0:
            # Squared coefficients of noise are chi-squared, free columns of targets added up.
            freedom = relevance.targets.degrees_of_freedom
            usual = noise_floor * float(chi2.ppf(0.95, freedom)) / freedom
            ax.axhspan(
                0, usual, color=GREY, alpha=0.13, linewidth=0, label="95% of noise lies here"
            )
        if high > max(low, 0):
            start = max(low, 0.4) + 0.5
            ax.axvspan(start, high + 0.5, color=ORANGE, alpha=0.18, lw=0, label="90% interval")
        parts = []
        for part, color, label in (
            (slice(d, None), GREY, "other components"),
            (slice(None, d), BLUE, "relevant components"),
        ):
            size = 6.0 if len(self.shares[part]) < 300 else 3.0
            parts += ax.plot(
                component[part], self.shares[part], marker=".", linestyle="", markersize=size,
                color=color, label=label if len(self.shares[part]) else None,
            )  # fmt: skip
        self.rest_, self.relevant_ = parts
        self.floor_ = ax.axhline(
            noise_floor, color=VERMILION, linestyle="--", label="noise floor (mean)"
        )
        if d:
            ax.axvline(d + 0.5, color=VERMILION, linewidth=1.2)
        self._set_scales(ax, noise_floor)

    def _set_scales(self, ax: "Axes", noise_floor: float) -> None:
        k, rows = len(self.shares), self.relevance.targets.n
        count_axis(ax, k)
        ax.set_yscale("log")
        positive = self.shares[self.shares > 0]
        top = float(positive.max(initial=noise_floor or 1e-12))
        least = float(positive.min(initial=top))
        bottom = noise_floor * LOWEST
        ax.set_ylim(min(max(bottom, least / 2), top / 10), top * 2)
        percent_axis(ax.yaxis)
        some = "" if k >= rows else f", {whole(k)} of {whole(rows)} shown"
        ax.set_xlabel(f"component (1 = largest variance{some})")
        ax.set_ylabel("share of the sum of squares of the targets")
        tidy(ax)

    def _finding(self) -> str:
        d, (low, high) = self.relevance.dimension, self.relevance.interval
        if d == 0:
            return "No component stands out from the noise: no signal found"
        carry = "carries" if d == 1 else "carry"
        return (
            f"{whole(d)} of {whole(self.relevance.targets.n)} components {carry} the targets "
            f"(90% interval {whole(low)} to {whole(high)})"
        )


def target_shares(relevance: RelevantDimension) -> Array:
    """Return the share of each component in the sum of squares of the targets."""
    squares = relevance.coefficients.reshape(len(relevance.coefficients), -1) ** 2
    return np.asarray(squares.sum(axis=1) / relevance.targets.energy)
