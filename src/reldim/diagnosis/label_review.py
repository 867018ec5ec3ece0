"""LabelReview: the targets that look wrong, the most suspicious first."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reldim.plots.labels import LabelIssuesDisplay

__all__ = ["LabelReview"]

#: Rows that a text or a notebook shows.
SHOWN = 20

#: The columns that are shown.
COLUMNS = ("given_label", "predicted_label", "label_quality")


@dataclass(frozen=True)
class LabelReview:
    """The targets that look wrong, to be looked at one by one.

    Attributes
    ----------
    issues : DataFrame
        The judgement of every row, see :func:`reldim.find_label_issues`.

    Examples
    --------
    >>> from reldim import datasets, diagnose
    >>> data = datasets.twonorm(200, random_state=2)
    >>> y = data.y.copy()
    >>> y[:5] = -y[:5]
    >>> review = diagnose(data.X, y, references=False).review_labels()
    >>> sorted(review.flagged.index.tolist())
    [0, 1, 2, 3, 4]
    """

    issues: pd.DataFrame = field(repr=False)

    @property
    def flagged(self) -> pd.DataFrame:
        """The rows that look wrong, the most suspicious first; the index counts rows from 0."""
        return self.issues[self.issues["is_label_issue"]].sort_values(
            "label_quality", kind="stable"
        )

    @property
    def conclusion(self) -> str:
        """What was found, in a sentence or two."""
        found, total = len(self.flagged), len(self.issues)
        told = f"{found or 'None'} of {total} targets {'look' if found > 1 else 'looks'}"
        unknown = int((~self.issues["can_judge"]).sum())
        more = f" {unknown} cannot be judged." if unknown else ""
        return f"{told} wrong.{more}"

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """What is shown: number of the row, given, predicted, quality."""
        shown = self.flagged[[*COLUMNS]].head(SHOWN)
        return [(number, *row) for number, row in zip(shown.index, shown.to_numpy(), strict=True)]

    def plot(self, ax: "Axes | None" = None) -> "LabelIssuesDisplay":
        """Draw the targets that look wrong among the others.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        LabelIssuesDisplay
            The display; its figure is ``figure_``.
        """
        from reldim.plots.labels import LabelIssuesDisplay

        return LabelIssuesDisplay.from_issues(self.issues, ax=ax)

    def _repr_html_(self) -> str:
        from reldim.report.notebook import review_html

        return review_html(self)

    def __str__(self) -> str:
        """Give the review as plain text."""
        shown = self.flagged[[*COLUMNS]].head(SHOWN)
        if shown.empty:
            return self.conclusion
        more = len(self.flagged) - len(shown)
        rest = f"\n... and {more} more, see .flagged" if more else ""
        return f"{self.conclusion}\n\n{shown.to_string(float_format='{:.4g}'.format)}{rest}"

    __repr__ = __str__
