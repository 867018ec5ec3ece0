"""Targets that look wrong: given and predicted numbers, or qualities of labels."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from reldim.plots.canvas import (
    BLUE,
    GREY,
    VERMILION,
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
    issues : DataFrame
        What :func:`reldim.find_label_issues` returned: one row for each row of the data.

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
    >>> import pandas as pd
    >>> from reldim import plots
    >>> issues = pd.DataFrame(
    ...     {"label_quality": [0.9, 0.01, 0.8], "is_label_issue": [False, True, False]}
    ... )
    >>> plots.LabelIssuesDisplay.from_issues(issues).ax_.get_title(loc="left")
    '1 of 3 targets looks wrong'
    """

    def __init__(self, issues: Any) -> None:
        self.issues = issues

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
        return cls(issues).plot(ax)

    def _draw(self, ax: "Axes") -> None:
        flagged: NDArray[np.bool_] = np.asarray(self.issues["is_label_issue"], dtype=bool)
        # Several columns of numbers are tuples, which have no axis of their own.
        if "residual" in self.issues.columns and not isinstance(self.issues["residual"][0], tuple):
            x, y = (
                np.asarray(self.issues[f"{name}_label"], dtype=np.float64)
                for name in ("predicted", "given")
            )
            ends = [float(min(x.min(), y.min())), float(max(x.max(), y.max()))]
            ax.plot(ends, ends, color=GREY, linewidth=1.0, label="given as predicted")
            ax.set_xlabel("predicted by the other rows")
            ax.set_ylabel("given")
        else:
            quality = np.asarray(self.issues["label_quality"], dtype=np.float64)
            order = np.argsort(quality, kind="stable")[: max(FEW, 3 * int(flagged.sum()))]
            x, y = np.arange(1.0, len(order) + 1), quality[order]
            flagged = flagged[order]
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

    def _finding(self) -> str:
        found, total = int(self.issues["is_label_issue"].sum()), len(self.issues)
        if not found:
            return f"None of {plural(total, 'target')} looks wrong"
        verb = "looks" if found == 1 else "look"
        return f"{whole(found)} of {plural(total, 'target')} {verb} wrong"
