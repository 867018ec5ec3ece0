"""Kernel PCA components over a two-dimensional input, as contours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from reldim.exceptions import InputError
from reldim.plots.canvas import BLACK, Array, headline, several_axes
from reldim.plots.coefficients import target_shares
from reldim.relevance.estimation import RelevantDimension
from reldim.spectrum.spectrum import Spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ComponentsDisplay"]

#: Points of the grid along each side.
GRID = 60

#: Of more rows than this a part is shown.
MOST_POINTS = 500

_MARKERS = ("o", "^", "s", "D", "v", "P", "X")


class ComponentsDisplay:
    """The leading kernel PCA components as functions of a two-dimensional input.

    The first ones vary slowly and follow the clumps of the data; the contour at zero is drawn
    thick.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum, over data with two columns.
    count : int
        How many components, at most its rank.
    relevance : RelevantDimension, optional
        The estimate behind which they stand: it knows the classes of the rows, which then differ
        in their marks, and what each component says about the targets.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes, one per component.
    figure_ : Figure
        Their figure.
    grid : tuple of ndarray
        Values of the two features along the sides of the grid.
    values : ndarray of shape (count, len(grid[1]), len(grid[0]))
        The components on the grid.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots
    >>> data = datasets.bananas(100, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=1.0), data.X)
    >>> display = plots.ComponentsDisplay.from_spectrum(spectrum, count=4)
    >>> len(display.axes_)
    4
    """

    def __init__(
        self, spectrum: Spectrum, *, count: int = 6, relevance: RelevantDimension | None = None
    ) -> None:
        points = spectrum.gram.points
        if not isinstance(points, np.ndarray) or points.ndim != 2 or points.shape[1] != 2:
            raise InputError(
                "Contours need rows of two numbers. Got data of shape "
                f"{getattr(points, 'shape', 'unknown')}: choose two columns, or draw the spectrum."
            )
        if not 1 <= count <= spectrum.rank:
            raise InputError(
                f"count must lie between 1 and {spectrum.rank}, the numerical rank. Got {count}."
            )
        self.points, self.relevance = points, relevance
        self.eigenvalues = spectrum.eigenvalues[:count]
        self.grid = tuple(_side(column) for column in points.T)
        mesh = np.stack(np.meshgrid(*self.grid), axis=-1).reshape(-1, 2).astype(points.dtype)
        values = spectrum.components(mesh, count).T
        self.values: Array = np.asarray(values, dtype=np.float64).reshape(count, GRID, GRID)

    @classmethod
    def from_spectrum(
        cls, spectrum: Spectrum, *, count: int = 6, ax: "Axes | Sequence[Axes] | None" = None
    ) -> Self:
        """Draw the components of a spectrum.

        Parameters
        ----------
        spectrum : Spectrum
            The spectrum, over data with two columns.
        count : int
            How many components, at most its rank.
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per component, by default on a new figure.

        Returns
        -------
        ComponentsDisplay
            The display.
        """
        return cls(spectrum, count=count).plot(ax)

    @classmethod
    def from_relevance(
        cls,
        relevance: RelevantDimension,
        *,
        count: int = 6,
        ax: "Axes | Sequence[Axes] | None" = None,
    ) -> Self:
        """Draw the components behind an estimate, with what each says about the targets.

        Parameters
        ----------
        relevance : RelevantDimension
            The estimate, for data with two columns.
        count : int
            How many components, at most the rank of the spectrum.
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per component, by default on a new figure.

        Returns
        -------
        ComponentsDisplay
            The display.
        """
        return cls(relevance.spectrum, count=count, relevance=relevance).plot(ax)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per component, by default on a new figure.

        Returns
        -------
        ComponentsDisplay
            The display itself.
        """
        count = len(self.values)
        columns = next(c for c in (3, 2, 1) if count % c == 0 and c <= count)
        rows = count // columns
        size = (1.2 + 3.2 * columns, 0.4 + 2.9 * rows)
        self.figure_, self.axes_ = several_axes(ax, rows, columns, size)
        for number, axes in enumerate(self.axes_):
            self._draw(axes, number)
        return self

    def _draw(self, ax: Any, number: int) -> None:
        values = self.values[number]
        largest = float(np.abs(values).max()) or 1.0
        levels = np.linspace(-largest, largest, 12)
        ax.contourf(*self.grid, values, levels=levels, cmap="PuOr")
        if values.min() < 0 < values.max():
            ax.contour(*self.grid, values, levels=[0.0], colors=BLACK, linewidths=1.6)
        step = max(1, -(-len(self.points) // MOST_POINTS))
        points = self.points[::step]
        codes = None if self.relevance is None else self.relevance.targets.codes
        groups = np.zeros(len(points)) if codes is None else codes[::step]
        for marker, group in zip(_MARKERS * len(points), np.unique(groups), strict=False):
            part = points[groups == group]
            face = "white" if group != np.unique(groups)[0] else "#444444"
            ax.plot(
                part[:, 0], part[:, 1], marker=marker, linestyle="", markersize=3,
                markerfacecolor=face, markeredgecolor="#222222", markeredgewidth=0.5,
            )  # fmt: skip
        ax.set_xlim(self.grid[0][0], self.grid[0][-1])
        ax.set_ylim(self.grid[1][0], self.grid[1][-1])
        ax.set_xlabel("feature 1")
        ax.set_ylabel("feature 2")
        finding = f"component {number + 1}, variance {self.eigenvalues[number]:.2g}"
        if self.relevance is not None:
            share = target_shares(self.relevance)[number]
            finding = f"component {number + 1}: {share:.1%} of the targets"
        headline(ax, finding)


def _side(values: Array) -> Array:
    """Return places along a side of the grid, with some room around the values."""
    low, high = values.min(), values.max()
    room = 0.08 * (high - low) or 1.0
    return np.linspace(low - room, high + room, GRID)
