"""Kernel PCA coefficients of the targets, with the cut and the noise floor."""

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2

from reldim.plots.canvas import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    Array,
    Display,
    count_axis,
    percent_axis,
    tidy,
    whole,
)
from reldim.relevance.estimation import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CoefficientsDisplay"]

#: Below this share of the noise floor nothing is shown.
LOWEST = 1e-3


class CoefficientsDisplay(Display):
    """Size of the kernel PCA coefficients, the cut between signal and noise, the noise floor.

    Where components carry label information their coefficients stand out; noise has the same
    size, on average, in all of them.

    Parameters
    ----------
    shares : array-like of shape (k,)
        Share of each component in the sum of squares of the targets.
    dimension : int
        The cut: components up to this one are relevant.
    interval : tuple of int
        Lowest and highest dimension that the data allow.
    noise_floor : float
        Mean share of the components beyond the cut.
    rows : int
        Number of rows, and so of components in all.
    freedom : int
        Free columns of the targets; squared coefficients of noise follow a chi-squared
        distribution with as many degrees of freedom.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
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

    def __init__(
        self,
        *,
        shares: ArrayLike,
        dimension: int,
        interval: tuple[int, int],
        noise_floor: float,
        rows: int,
        freedom: int = 1,
    ) -> None:
        self.shares: Array = np.asarray(shares, dtype=np.float64)
        self.dimension = dimension
        self.interval = interval
        self.noise_floor = noise_floor
        self.rows = rows
        self.freedom = freedom

    @classmethod
    def from_relevance(cls, relevance: RelevantDimension, *, ax: "Axes | None" = None) -> Self:
        """Draw the coefficients behind an estimate.

        Parameters
        ----------
        relevance : RelevantDimension
            The estimate.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        CoefficientsDisplay
            The display.
        """
        targets, d = relevance.targets, relevance.dimension
        total = float(np.sum(targets.values**2))
        squares = relevance.coefficients.reshape(len(relevance.coefficients), -1) ** 2
        shares = squares.sum(axis=1) / total
        # In the null space eigenvectors, and so coefficients, are a matter of chance.
        shown = shares[: max(relevance.spectrum.rank, 1)]
        display = cls(
            shares=shown,
            dimension=d,
            interval=relevance.interval,
            noise_floor=max(0.0, 1.0 - float(shares[:d].sum())) / (targets.n - d),
            rows=targets.n,
            freedom=targets.degrees_of_freedom,
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        d, k = self.dimension, len(self.shares)
        component = np.arange(1, k + 1)
        low, high = self.interval
        if self.noise_floor > 0:
            usual = self.noise_floor * float(chi2.ppf(0.95, self.freedom)) / self.freedom
            ax.axhspan(
                0, usual, color=GREY, alpha=0.13, linewidth=0, label="95% of noise lies here"
            )
        if high > max(low, 0):
            ax.axvspan(
                max(low, 0.4) + 0.5,
                high + 0.5,
                color=ORANGE,
                alpha=0.18,
                lw=0,
                label="90% interval",
            )
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
            self.noise_floor, color=VERMILION, linestyle="--", label="noise floor (mean)"
        )
        if d:
            ax.axvline(d + 0.5, color=VERMILION, linewidth=1.2)
        self._set_scales()
        ax.legend(fontsize="small", loc="best")

    def _set_scales(self) -> None:
        ax, k = self.ax_, len(self.shares)
        count_axis(ax, k)
        ax.set_yscale("log")
        positive = self.shares[self.shares > 0]
        top = float(positive.max(initial=self.noise_floor or 1e-12))
        least = float(positive.min(initial=top))
        bottom = self.noise_floor * LOWEST
        ax.set_ylim(min(max(bottom, least / 2), top / 10), top * 2)
        percent_axis(ax.yaxis)
        some = "" if k >= self.rows else f", {whole(k)} of {whole(self.rows)} shown"
        ax.set_xlabel(f"component (1 = largest variance{some})")
        ax.set_ylabel("share of the sum of squares of the targets")
        tidy(ax)

    def _finding(self) -> str:
        if self.dimension == 0:
            return "No component stands out from the noise: no signal found"
        carry = "carries" if self.dimension == 1 else "carry"
        low, high = self.interval
        return (
            f"{whole(self.dimension)} of {whole(self.rows)} components {carry} the targets "
            f"(90% interval {whole(low)} to {whole(high)})"
        )
