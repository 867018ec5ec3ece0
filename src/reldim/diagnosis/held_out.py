"""Held-out predictions: what the predictor says about rows that had no part in it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.expectation import Expectation
from reldim.diagnosis.problem import Problem
from reldim.inputs.targets import Targets, decide
from reldim.relevance.estimation import RelevantDimension
from reldim.search.blend import Blend

__all__ = ["HeldOut", "RareClass", "hold_out", "predictions_without", "rare_class"]

Array = NDArray[np.float64]

#: Rows that a blend predicts at most, and those that it predicts at a time.
MOST_PREDICTED, CHUNK = 100_000, 4096

#: Share of the largest class from which on counted mistakes say little about the others.
DOMINANT = 0.8


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions for rows that had no part in them.

    Attributes
    ----------
    rows : ndarray of int
        Which rows.
    targets : Targets
        Their targets.
    predicted : ndarray of shape (rows, outputs)
        For numbers predictions without the offset, for classes one column per class: the larger,
        the likelier.
    probabilities : bool
        Whether the columns of classes are probabilities; else they come from least squares, and
        only their differences count.
    """

    rows: NDArray[np.intp] = field(repr=False)
    targets: Targets = field(repr=False)
    predicted: Array = field(repr=False)
    probabilities: bool = False

    @property
    def decided(self) -> NDArray[np.intp]:
        """The class that is predicted for each row."""
        return decide(self.predicted)

    @property
    def residuals(self) -> Array:
        """Given less predicted, for numbers."""
        return np.asarray(self.targets.values - self.predicted)

    @property
    def odds(self) -> Array:
        """Predictions for classes relative to what is expected of any row of these data."""
        shares = np.asarray(self.targets.counts) / self.targets.n
        if self.probabilities:
            return np.asarray(self.predicted / np.maximum(shares, 1.0 / self.targets.n))
        return np.asarray(self.predicted - shares)


def hold_out(rd: RelevantDimension, seen: Expectation) -> HeldOut | None:
    """Gather the held-out predictions of the predictor.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate under the best kernel.
    seen : Expectation
        The errors to expect, and the blend where it is the predictor.

    Returns
    -------
    HeldOut or None
        Those of the blend, or leave-one-out predictions by the relevant components; None for the
        latter where the rows are not in memory.
    """
    targets = rd.targets
    if seen.targets is not None and (seen.blend is not None or seen.dependent):
        held = seen.targets.as_they_are(seen.judged)
        probabilities = seen.blend is not None and held.codes is not None
        return HeldOut(seen.rows[seen.judged], held, seen.predicted, probabilities)
    if not isinstance(targets.values, np.ndarray):
        return None
    rows = np.arange(targets.n)
    if targets.codes is None:
        return HeldOut(rows, targets, rd.left_out)
    scores = rd.leave_one_out
    # Two classes are coded as -1 and 1, with one column.
    by_class = np.hstack([-scores, scores]) / 2 if scores.shape[1] == 1 else scores
    return HeldOut(rows, targets, by_class)


def predictions_without(
    held: HeldOut | None, blend: Blend | None, problem: Problem, rd: RelevantDimension
) -> Array | None:
    """Return what a blend says about each row of the data by a fit without it.

    Parameters
    ----------
    held : HeldOut or None
        Held-out predictions of the predictor.
    blend : Blend or None
        The predictor, where it is a blend.
    problem : Problem
        The data.
    rd : RelevantDimension
        The estimate, whose targets tell the offset of numbers.

    Returns
    -------
    ndarray of shape (n, outputs) or None
        Probabilities of the classes, or numbers without the offset; None where another predictor
        was chosen, beyond 100 000 rows, and where these are not in memory. Rows that the blend was
        not fitted to are predicted by it as it is.
    """
    n = rd.targets.n
    in_memory = isinstance(rd.targets.values, np.ndarray)
    if held is None or blend is None or n > MOST_PREDICTED or not in_memory:
        return None
    predicted = np.empty((n, held.predicted.shape[1]))
    predicted[held.rows] = held.predicted
    others = np.setdiff1d(np.arange(n), held.rows)
    for first in range(0, len(others), CHUNK):
        rows = others[first : first + CHUNK]
        predicted[rows] = blend(np.asarray(problem.X, dtype=np.float64)[rows])
    if held.targets.codes is None:
        predicted += held.targets.offset - rd.targets.offset
    return predicted


@dataclass(frozen=True)
class RareClass:
    """How rows of rare classes are predicted where one class makes up most rows.

    Attributes
    ----------
    name : str
        The rare class; the smallest of several.
    rows : int
        Its rows.
    area : float
        Area under the receiver operating characteristic: the probability that a row of the class
        is ranked above another one; the mean over classes where there are more than two.
    p_value : float
        Probability that a ranking by chance does as well.
    balanced_error : float
        The mean over classes of the share of their rows that is predicted wrongly.
    balanced_error_by_share : float
        The same where a row is given to the class that is likelier than in all rows.
    classes : int
        Number of classes: a constant prediction has a balanced error of 1 - 1 / classes.
    """

    name: str
    rows: int
    area: float
    p_value: float
    balanced_error: float
    balanced_error_by_share: float
    classes: int

    @property
    def figures(self) -> dict[str, float]:
        """The numbers by name."""
        return {
            "rare_class_rows": float(self.rows),
            "area_under_curve": self.area,
            "area_p_value": self.p_value,
            "balanced_error": self.balanced_error,
            "balanced_error_by_share": self.balanced_error_by_share,
        }

    @property
    def sentence(self) -> str:
        """The numbers in words."""
        return (
            f"Where all classes count the same, the balanced error is {self.balanced_error:.1%}, "
            f"or {self.balanced_error_by_share:.1%} with a threshold at the share of each class "
            f"(a constant: {1 - 1 / self.classes:.1%}); the area under the curve is "
            f"{self.area:.2f} (by chance: 0.50)."
        )


def rare_class(held: HeldOut | None) -> RareClass | None:
    """Judge predictions of rare classes.

    Parameters
    ----------
    held : HeldOut or None
        Held-out predictions.

    Returns
    -------
    RareClass or None
        None for numbers, and where no class makes up 80 % of the rows.

    Examples
    --------
    >>> from reldim.inputs.targets import code_targets
    >>> targets = code_targets(["no"] * 9 + ["yes"])
    >>> scores = np.array([[0.9, 0.1]] * 8 + [[0.6, 0.4], [0.7, 0.3]])
    >>> found = rare_class(HeldOut(np.arange(10), targets, scores, True))
    >>> found.name, round(found.area, 2), found.balanced_error
    ('yes', 0.89, 0.5)
    """
    if held is None or held.targets.codes is None or held.targets.classes is None:
        return None
    codes, counts = held.targets.codes, np.asarray(held.targets.counts)
    if counts.max() < DOMINANT * len(codes) or counts.min() < 1:
        return None
    smallest = int(np.argmin(counts))
    asked = range(len(counts)) if len(counts) > 2 else [smallest]
    odds = held.odds
    tests = [_ranking(odds, codes, c) for c in asked]
    return RareClass(
        name=str(held.targets.classes[smallest]),
        rows=int(counts[smallest]),
        area=float(np.mean([area for area, _ in tests])),
        p_value=min(1.0, len(tests) * min(p for _, p in tests)),
        balanced_error=_balanced(held.decided, codes),
        balanced_error_by_share=_balanced(decide(odds), codes),
        classes=len(counts),
    )


def _ranking(scores: Array, codes: NDArray[np.intp], c: int) -> tuple[float, float]:
    """Return the area under the curve of one class against the others, and its p-value."""
    others = np.delete(scores, c, axis=1).max(axis=1)
    margin, own = scores[:, c] - others, codes == c
    found = stats.mannwhitneyu(margin[own], margin[~own], alternative="greater")
    return float(found.statistic) / (own.sum() * (~own).sum()), float(found.pvalue)


def _balanced(decided: NDArray[np.intp], codes: NDArray[np.intp]) -> float:
    return float(np.mean([np.mean(decided[codes == c] != c) for c in np.unique(codes)]))
