"""Targets that look wrong: given and predicted numbers, or qualities of labels."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.plots.canvas import (
    BLUE,
    GREY,
    VERMILION,
    Array,
    Display,
    count_axis,
    plural,
    tidy,
    whole,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LabelIssuesDisplay"]

#: At least so many rows are shown where qualities are.
FEW = 50


class LabelIssuesDisplay(Display):
    """Rows whose targets look wrong, among the others.

    Numbers are shown against what all other rows predict, labels by their quality, the most
    suspicious first.

    Parameters
    ----------
    quality : array-like of float
        The quality of each label.
    flagged : array-like of bool
        Whether each looks wrong.
    given, predicted : array-like of float or None
        For numbers the targets, and what other rows make of them.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    points_, flagged_ : Line2D
        The rows, and those that look wrong.

    Examples
    --------
    >>> from reldim import plots
    >>> display = plots.LabelIssuesDisplay(
    ...     quality=[0.9, 0.01, 0.8], flagged=[False, True, False]
    ... ).plot()
    >>> display.ax_.get_title(loc="left")
    '1 of 3 targets looks wrong'
    """

    def __init__(
        self,
        *,
        quality: ArrayLike,
        flagged: ArrayLike,
        given: ArrayLike | None = None,
        predicted: ArrayLike | None = None,
    ) -> None:
        self.quality: Array = np.asarray(quality, dtype=np.float64)
        self.flagged: NDArray[np.bool_] = np.asarray(flagged, dtype=bool)
        self.given = None if given is None else np.asarray(given, dtype=np.float64)
        self.predicted = None if predicted is None else np.asarray(predicted, dtype=np.float64)

    @classmethod
    def from_issues(cls, issues: Any, *, ax: "Axes | None" = None) -> Self:
        """Draw what :func:`reldim.find_label_issues` returned.

        Parameters
        ----------
        issues : DataFrame
            One row for each row of the data.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        LabelIssuesDisplay
            The display.
        """
        # Several columns of numbers are tuples, which have no axis of their own.
        numbers = "residual" in issues.columns and not isinstance(issues["residual"][0], tuple)
        display = cls(
            quality=issues["label_quality"],
            flagged=issues["is_label_issue"],
            given=issues["given_label"] if numbers else None,
            predicted=issues["predicted_label"] if numbers else None,
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        if self.given is not None and self.predicted is not None:
            x, y, flagged = self.predicted, self.given, self.flagged
            ends = [float(min(x.min(), y.min())), float(max(x.max(), y.max()))]
            ax.plot(ends, ends, color=GREY, linewidth=1.0, label="given as predicted")
            ax.set_xlabel("predicted by the other rows")
            ax.set_ylabel("given")
        else:
            order = np.argsort(self.quality, kind="stable")
            order = order[: max(FEW, 3 * int(self.flagged.sum()))]
            x, y = np.arange(1.0, len(order) + 1), self.quality[order]
            flagged = self.flagged[order]
            count_axis(ax, len(order))
            ax.set_ylim(-0.03, 1.03)
            ax.set_xlabel("row, the most suspicious first")
            ax.set_ylabel("quality of the label (1: right)")
        (self.points_,) = ax.plot(
            x[~flagged], y[~flagged], color=BLUE, marker=".", linestyle="", label="others"
        )
        (self.flagged_,) = ax.plot(
            x[flagged], y[flagged], color=VERMILION, marker="s", linestyle="",
            label="looks wrong" if flagged.any() else None,
        )  # fmt: skip
        tidy(ax)
        ax.legend(fontsize="small", loc="best")

    def _finding(self) -> str:
        found, total = int(self.flagged.sum()), len(self.flagged)
        if not found:
            return f"None of {plural(total, 'target')} looks wrong"
        verb = "looks" if found == 1 else "look"
        return f"{whole(found)} of {plural(total, 'target')} {verb} wrong"
