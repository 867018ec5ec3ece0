"""Given targets against their denoised version."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.targets import decide
from reldim.plots.canvas import (
    BLACK,
    BLUE,
    LINES,
    ORANGE,
    RelevanceDisplay,
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


class DenoisedDisplay(RelevanceDisplay):
    """Given targets against their denoised version: where the noise is.

    Regression shows one point per row, two classes one histogram of denoised labels per class, more
    classes a table of given by denoised classes.

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
    given, denoised : ndarray
        For numbers the targets; for two classes the indices of the given ones, and denoised labels
        on the scale from -1 to 1; for more classes the indices of both.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, plots, relevant_dimension
    >>> data = datasets.bananas(200, random_state=0)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)
    >>> display = plots.DenoisedDisplay.from_relevance(rd)
    >>> display.ax_.get_xlabel()
    'denoised label'
    """

    def __init__(self, relevance: RelevantDimension) -> None:
        super().__init__(relevance)
        targets, scores = relevance.targets, relevance.scores
        self.classes = None if targets.classes is None else [*targets.classes]
        self.given: NDArray[Any] = targets.values + targets.offset
        self.denoised: NDArray[Any] = scores
        if self.classes is not None and targets.codes is not None:
            self.given = targets.codes
            self.denoised = scores[:, 0] if len(self.classes) == 2 else decide(scores)

    def _draw(self, ax: "Axes") -> None:
        if self.classes is None:
            self._draw_points(ax)
        elif len(self.classes) == 2:
            self._draw_histograms(ax, *map(literal, self.classes))
        else:
            self._draw_table(ax, self.classes)

    def _draw_points(self, ax: "Axes") -> None:
        given, denoised, unit = self.given, self.denoised, ""
        outputs = given.shape[1]
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

    def _draw_histograms(self, ax: "Axes", first: str, second: str) -> None:
        from matplotlib.ticker import MaxNLocator

        low, high = float(self.denoised.min()), float(self.denoised.max())
        low, high = min(low, -1.2), max(high, 1.2)
        bins = np.linspace(low, high, int(np.clip(2 * np.sqrt(len(self.given)), 16, 40)) + 1)
        looks = ((first, ORANGE, "///"), (second, BLUE, ""))
        for code, (name, color, hatch) in enumerate(looks):
            rows = self.denoised[self.given == code]
            ax.hist(
                rows, bins=bins.tolist(), histtype="stepfilled", color=color, alpha=0.5,
                edgecolor=color, hatch=hatch, label=f"given label {name}",
            )  # fmt: skip
        ax.axvline(0.0, color=BLACK, linestyle="--", linewidth=1, label="boundary")
        ax.set_xlim(low, high)
        coding = "" if (first, second) == ("-1", "1") else f" (-1: {first}, +1: {second})"
        ax.set_xlabel(f"denoised label{coding}")
        ax.set_ylabel("number of rows")
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        tidy(ax)
        ax.legend(fontsize="small", loc="upper center")

    def _counts(self, classes: int) -> NDArray[np.float64]:
        """Return the rows of each given class (rows) by their denoised class (columns)."""
        counts = np.zeros((classes, classes))
        np.add.at(counts, (self.given, self.denoised), 1.0)
        return counts

    def _draw_table(self, ax: "Axes", classes: Sequence[Any]) -> None:
        count = len(classes)
        counts = self._counts(count)
        table = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        from matplotlib.colors import PowerNorm

        # The root makes rare mistakes visible beside the many rows that are right.
        image = ax.imshow(table, cmap="Blues", norm=PowerNorm(0.5, 0.0, 1.0), aspect="auto")
        bar = self.figure_.colorbar(image, ax=ax)
        bar.set_label("part of the rows of the given class")
        percent_axis(bar.ax.yaxis)
        step = -(-count // MOST_NAMES)
        ticks = range(0, count, step)
        names = [literal(classes[i], SHORT) for i in ticks]
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
        noise, classes = self.relevance.noise_level, self.classes
        if self.relevance.dimension == 0:
            return "No signal: all denoised targets are the same"
        if classes is None:
            return f"The denoised targets leave {noise:.1%} of the variance as noise"
        text = f"{noise:.1%} of the labels differ from their denoised version"
        if len(classes) > 2 and noise > 0:
            counts = self._counts(len(classes))
            np.fill_diagonal(counts, 0.0)
            i, j = np.unravel_index(int(np.argmax(counts)), counts.shape)
            text += f", most often {literal(classes[i])} becomes {literal(classes[j])}"
        return text
