"""Eigenfunctions of a kernel under a density of inputs."""

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.exceptions import InputError, counted
from reldim.plots.canvas import LINES, Array, Display, tidy
from reldim.theory import Density, Eigensystem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EigenfunctionsDisplay"]

#: Points along the axis.
GRID = 400


class EigenfunctionsDisplay(Display):
    """The first eigenfunctions of a kernel along a line, over the density of the inputs.

    They are what kernel PCA components become as the sample grows.

    Parameters
    ----------
    x : array-like of shape (points,)
        Where the functions are known.
    functions : array-like of shape (points, count)
        The functions, a column each.
    eigenvalues : array-like of shape (count,)
        Their eigenvalues.
    density : array-like of shape (points,)
        The density of the inputs.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    lines_ : list of Line2D
        The functions.

    Examples
    --------
    >>> from reldim import plots, theory
    >>> system = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=4)
    >>> display = plots.EigenfunctionsDisplay.from_system(system, system.density)
    >>> display.ax_.get_title(loc="left")
    'The first 4 eigenfunctions hold 96% of the variance'
    """

    def __init__(
        self,
        *,
        x: ArrayLike,
        functions: ArrayLike,
        eigenvalues: ArrayLike,
        density: ArrayLike,
        trace: float,
    ) -> None:
        self.x: Array = np.asarray(x, dtype=np.float64)
        self.functions: Array = np.asarray(functions, dtype=np.float64)
        self.eigenvalues: Array = np.asarray(eigenvalues, dtype=np.float64)
        self.density: Array = np.asarray(density, dtype=np.float64)
        self.trace = trace

    @classmethod
    def from_system(
        cls, system: Eigensystem, density: Density, *, count: int = 4, ax: "Axes | None" = None
    ) -> Self:
        """Draw the eigenfunctions of a kernel under a density.

        Parameters
        ----------
        system : Eigensystem
            The eigenfunctions, of one column.
        density : Density
            The density of the inputs.
        count : int
            How many, at most those at hand.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        EigenfunctionsDisplay
            The display.
        """
        if system.dimensions != 1 or density.dimensions != 1:
            raise InputError(
                "Eigenfunctions are drawn along a line. Got functions of "
                f"{counted(system.dimensions, 'column')} and a density of {density.dimensions}."
            )
        count = min(count, system.count)
        x = np.linspace(*density.box[0], GRID)
        display = cls(
            x=x,
            functions=system.functions(x[:, None], count),
            eigenvalues=system.eigenvalues[:count],
            density=np.asarray(density(x[:, None])).ravel(),
            trace=system.trace,
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        # Far from the data eigenfunctions may grow without bound, and it means nothing.
        dense = self.density > 0.01 * self.density.max()
        reach = float(np.abs(self.functions[dense]).max())
        shade = 0.8 * reach * self.density / self.density.max()
        ax.fill_between(self.x, shade, color="0.88", linewidth=0, label="density (scaled)")
        self.lines_ = []
        for number in range(self.functions.shape[1]):
            color, style = LINES[number % len(LINES)]
            label = f"eigenfunction {number + 1}, eigenvalue {self.eigenvalues[number]:.3g}"
            self.lines_ += ax.plot(
                self.x, self.functions[:, number], color=color, linestyle=style, label=label
            )
        ax.axhline(0.0, color="0.5", linewidth=0.8)
        ax.set_xlim(self.x[0], self.x[-1])
        ax.set_ylim(-1.15 * reach, 1.15 * reach)
        ax.set_xlabel("input x")
        ax.set_ylabel("eigenfunction (unit variance under the density)")
        tidy(ax)
        ax.legend(fontsize="small", loc="best")

    def _finding(self) -> str:
        count = len(self.eigenvalues)
        part = float(self.eigenvalues.sum()) / self.trace
        if count == 1:
            return f"The first eigenfunction holds {part:.0%} of the variance"
        return f"The first {count} eigenfunctions hold {part:.0%} of the variance"
