"""Spectra of several kernels compared."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from reldim.plots.canvas import (
    LINES,
    Display,
    count_axis,
    literal,
    percent_axis,
    plural,
    tidy,
)
from reldim.spectrum.spectrum import Spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SpectraDisplay"]

#: How much of the variance the legend speaks of.
PART = 0.95


class SpectraDisplay(Display):
    """Eigenvalues of kernel matrices, as shares of their trace.

    A spectrum that falls fast belongs to a smooth kernel: few components hold nearly all of the
    variance. A flat one belongs to a kernel so narrow that every row is a world of its own.

    Parameters
    ----------
    spectra : mapping from str to Spectrum
        The spectra by name.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    lines_ : list of Line2D
        The spectra.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots
    >>> X = datasets.noisy_sinc(100, random_state=0).X
    >>> spectra = {f"w={w}": decompose(kernels.Gaussian(width=w), X) for w in (0.1, 10)}
    >>> display = plots.SpectraDisplay.from_spectra(spectra)
    >>> display.ax_.get_title(loc="left")
    '95% of the variance: 2 components under w=10, 13 under w=0.1'
    """

    def __init__(self, spectra: Mapping[str, Spectrum]) -> None:
        # Beyond the numerical rank eigenvalues are round-off.
        self.shares: dict[str, NDArray[np.floating[Any]]] = {
            name: spectrum.eigenvalues[: max(spectrum.rank, 1)] / spectrum.trace
            for name, spectrum in spectra.items()
        }

    @classmethod
    def from_spectra(cls, spectra: Mapping[str, Spectrum], *, ax: "Axes | None" = None) -> Self:
        """Draw spectra.

        Parameters
        ----------
        spectra : mapping from str to Spectrum
            The spectra by name.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        SpectraDisplay
            The display.
        """
        return cls(spectra).plot(ax)

    def _draw(self, ax: "Axes") -> None:
        self.lines_ = []
        for number, (name, share) in enumerate(self.shares.items()):
            color, style = LINES[number % len(LINES)]
            needed = _needed(share)
            where = "more than computed" if needed is None else f"{plural(needed, 'component')}"
            self.lines_ += ax.plot(
                np.arange(1, len(share) + 1), share, color=color, linestyle=style,
                marker="." if len(share) < 40 else "", label=f"{literal(name)} ({where})",
            )  # fmt: skip
        count_axis(ax, max(len(share) for share in self.shares.values()))
        ax.set_yscale("log")
        ax.set_ylim(bottom=max(1e-10, min(float(share[-1]) for share in self.shares.values()) / 2))
        percent_axis(ax.yaxis)
        ax.set_xlabel("component (1 = largest variance)")
        ax.set_ylabel("share of the variance in feature space")
        tidy(ax)
        ax.legend(fontsize="small", title=f"for {PART:.0%} of the variance", loc="best")

    def _finding(self) -> str:
        needed = {literal(name): _needed(share) for name, share in self.shares.items()}
        known = sorted((d, name) for name, d in needed.items() if d is not None)
        if not known:
            return f"No spectrum covers {PART:.0%} of its variance: ask for more components"
        (least, first), (most, last) = known[0], known[-1]
        text = f"{PART:.0%} of the variance: {plural(least, 'component')} under {first}"
        return text if len(known) == 1 else f"{text}, {most} under {last}"


def _needed(share: NDArray[np.floating[Any]]) -> int | None:
    """Return how many components hold most of the variance, None where too few are known."""
    covered = np.cumsum(share)
    return int(np.argmax(covered >= PART)) + 1 if covered[-1] >= PART else None
