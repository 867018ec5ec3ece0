"""Given targets against their denoised version."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.inputs.targets import decide
from reldim.plots.canvas import (
    BLACK,
    BLUE,
    LINES,
    ORANGE,
    Display,
    clear_view,
    literal,
    percent_axis,
    tidy,
)
from reldim.relevance.estimation import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DenoisedDisplay"]

#: More points than this are counted in cells.
MOST_POINTS = 3000

#: A table of more classes than this is coloured only, without numbers.
MOST_NUMBERS = 12

#: More classes than this are numbered on the axes by every second, third, ... name.
MOST_NAMES = 25

#: Characters of the name of a class beside a table.
SHORT = 14


class DenoisedDisplay(Display):
    """Given targets against their denoised version: where the noise is.

    Regression shows one point per row, two classes one histogram of denoised labels per class, more
    classes a table of given by denoised classes.

    Parameters
    ----------
    given : array-like of shape (n,) or (n, outputs)
        The targets; for classes their indices 0, 1, ...
    denoised : array-like of shape (n,) or (n, outputs)
        For regression the denoised targets; for two classes denoised labels on the scale from
        -1 to 1; for more classes the indices of the denoised classes.
    noise_level : float
        How much the two differ.
    dimension : int
        The relevant dimension.
    classes : sequence or None
        Names of the classes; None for regression.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots, relevant_dimension
    >>> data = datasets.bananas(200, random_state=0)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)
    >>> display = plots.DenoisedDisplay.from_relevance(rd)
    >>> display.ax_.get_xlabel()
    'denoised label'
    """

    def __init__(
        self,
        *,
        given: ArrayLike,
        denoised: ArrayLike,
        noise_level: float,
        dimension: int,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.given: NDArray[Any] = np.asarray(given)
        self.denoised: NDArray[Any] = np.asarray(denoised)
        self.noise_level = noise_level
        self.dimension = dimension
        self.classes = None if classes is None else list(classes)

    @classmethod
    def from_relevance(cls, relevance: RelevantDimension, *, ax: "Axes | None" = None) -> Self:
        """Draw the targets behind an estimate.

        Parameters
        ----------
        relevance : RelevantDimension
            The estimate.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        DenoisedDisplay
            The display.
        """
        targets, scores = relevance.targets, relevance.scores
        given: NDArray[Any] = targets.shaped(targets.values + targets.offset)
        denoised: NDArray[Any] = targets.shaped(scores)
        if targets.classes is not None and targets.codes is not None:
            given = targets.codes
            denoised = scores[:, 0] if len(targets.classes) == 2 else decide(scores)
        display = cls(
            given=given,
            denoised=denoised,
            noise_level=relevance.noise_level,
            dimension=relevance.dimension,
            classes=None if targets.classes is None else list(targets.classes),
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        if self.classes is None:
            self._draw_points(ax)
        elif len(self.classes) == 2:
            self._draw_histograms(ax)
        else:
            self._draw_table(ax)

    def _draw_points(self, ax: "Axes") -> None:
        given = self.given.reshape(len(self.given), -1).astype(np.float64)
        denoised = self.denoised.reshape(len(given), -1).astype(np.float64)
        outputs = given.shape[1]
        unit = ""
        if outputs > 1:
            # Columns of different units share the axes.
            centre, spread = given.mean(axis=0), given.std(axis=0)
            spread = np.where(spread > 0, spread, 1.0)
            given, denoised = (given - centre) / spread, (denoised - centre) / spread
            unit = ", in standard deviations"
        if given.size > MOST_POINTS:
            cells = ax.hexbin(
                given.ravel(), denoised.ravel(), gridsize=45, bins="log", mincnt=1, cmap="cividis_r"
            )
            self.figure_.colorbar(cells, ax=ax).set_label("rows per cell")
        else:
            for number in range(outputs):
                color = LINES[number % len(LINES)][0]
                label = f"output {number + 1}" if 1 < outputs <= 6 else None
                ax.plot(
                    given[:, number], denoised[:, number], marker=".", linestyle="", color=color,
                    alpha=0.6, label=label,
                )  # fmt: skip
        view = clear_view(float(given.min()), float(given.max()))
        ax.plot(view, view, color=BLACK, linewidth=1, linestyle="--", label="no noise")
        ax.set_xlim(*view)
        ax.set_ylim(*view)
        ax.set_xlabel(f"given target{unit}")
        ax.set_ylabel(f"denoised target{unit}")
        tidy(ax)
        ax.legend(fontsize="small", loc="best")

    def _draw_histograms(self, ax: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        assert self.classes is not None
        low, high = float(self.denoised.min()), float(self.denoised.max())
        low, high = min(low, -1.2), max(high, 1.2)
        bins = np.linspace(low, high, int(np.clip(2 * np.sqrt(len(self.given)), 16, 40)) + 1)
        for code, (color, hatch) in enumerate([(ORANGE, "///"), (BLUE, "")]):
            rows = self.denoised[self.given == code]
            ax.hist(
                rows, bins=bins.tolist(), histtype="stepfilled", color=color, alpha=0.5,
                edgecolor=color, hatch=hatch, label=f"given label {literal(self.classes[code])}",
            )  # fmt: skip
        ax.axvline(0.0, color=BLACK, linestyle="--", linewidth=1, label="boundary")
        ax.set_xlim(low, high)
        first, second = (literal(name) for name in self.classes)
        coding = "" if (first, second) == ("-1", "1") else f" (-1: {first}, +1: {second})"
        ax.set_xlabel(f"denoised label{coding}")
        ax.set_ylabel("number of rows")
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        tidy(ax)
        ax.legend(fontsize="small", loc="upper center")

    def _table(self) -> NDArray[np.float64]:
        """Return the shares of denoised classes (columns) among the rows of each given class."""
        assert self.classes is not None
        count = len(self.classes)
        table = np.zeros((count, count))
        np.add.at(table, (self.given, self.denoised), 1.0)
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1.0))

    def _draw_table(self, ax: "Axes") -> None:
        table = self._table()
        assert self.classes is not None
        count = len(self.classes)
        from matplotlib.colors import PowerNorm

        # The root makes rare mistakes visible beside the many rows that are right.
        image = ax.imshow(table, cmap="Blues", norm=PowerNorm(0.5, 0.0, 1.0), aspect="auto")
        bar = self.figure_.colorbar(image, ax=ax)
        bar.set_label("part of the rows of the given class")
        percent_axis(bar.ax.yaxis)
        step = -(-count // MOST_NAMES)
        ticks = range(0, count, step)
        names = [literal(self.classes[i], SHORT) for i in ticks]
        long = max(len(name) for name in names) * len(names) > 40
        ax.set_xticks(list(ticks), names, rotation=90 if long else 0)
        ax.set_yticks(list(ticks), names)
        if count <= MOST_NUMBERS:
            for i, j in np.argwhere(table > 0.005):
                shade = "white" if table[i, j] > 0.35 else "black"
                ax.text(
                    j, i, f"{100 * table[i, j]:.0f}", ha="center", va="center", color=shade,
                    fontsize="small",
                )  # fmt: skip
        ax.set_xlabel("denoised class")
        ax.set_ylabel("given class")

    def _finding(self) -> str:
        if self.dimension == 0:
            return "No signal: all denoised targets are the same"
        if self.classes is None:
            return f"The denoised targets leave {self.noise_level:.1%} of the variance as noise"
        text = f"{self.noise_level:.1%} of the labels differ from their denoised version"
        if len(self.classes) > 2 and self.noise_level > 0:
            counts = np.zeros((len(self.classes),) * 2)
            np.add.at(counts, (self.given, self.denoised), 1.0)
            np.fill_diagonal(counts, 0.0)
            i, j = np.unravel_index(int(np.argmax(counts)), counts.shape)
            text += f", most often {literal(self.classes[i])} becomes {literal(self.classes[j])}"
        return text
