r"""Label issues: rows whose targets the other rows contradict.

Every row is predicted from all others. Component m of the targets is kept in the share
:math:`w_m = \max(0, 1 - \sigma_2^2 / e_m)`, where :math:`\sigma_2^2` is the variance beyond the
relevant dimension and :math:`e_1 \ge e_2 \ge \dots` are the descending numbers nearest to the
energies of the coefficients: components fade as signal does, instead of being in or out. The fit is
a linear map :math:`H = U \operatorname{diag}(w) U^\top` of the targets, so leaving row i out has
the closed form

.. math:: \hat y_{-i} = \frac{[H y]_i - h_i y_i}{1 - h_i}, \qquad h_i = H_{ii} .

It is the mean of :math:`y_i` given all others for normal targets with the covariance
:math:`\sigma_2^2 (I - H)^{-1}`, and the variance that goes with it is
:math:`\sigma_2^2 / (1 - h_i)`. Where this is no smaller than the variance of the targets, the other
rows say nothing about the row: it cannot be judged.

*Classes.* With scores :math:`s_{ic}` from the other rows, the right class of row i is c with
probability :math:`p_{ic} \propto e^{b s_{ic}}`, and a share :math:`\varepsilon` of all labels was
exchanged for another of the C classes. The given label g was then seen with probability
:math:`(1 - \varepsilon) p_{ig} + \varepsilon (1 - p_{ig}) / (C - 1)`, and the first term is the
part of it in which the label is right. This part, averaged over the posterior of b and
:math:`\varepsilon`, is the quality of the label. Classes that overlap make b small, exchanged
labels make :math:`\varepsilon` large: where the data cannot tell which, both remain possible, and
nothing is flagged.

*Numbers.* The residuals :math:`(y_i - \hat y_{-i}) \sqrt{1 - h_i} / \sigma` are compared with a
normal distribution, :math:`\sigma` taken from the median of their sizes, which a few wrong numbers
do not change. The quality is the p-value.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from scipy.stats import false_discovery_control, norm
from sklearn.isotonic import isotonic_regression

from reldim.diagnosis.problem import Problem
from reldim.exceptions import InputError
from reldim.inputs.duplicates import independent_part
from reldim.inputs.targets import Targets, decide
from reldim.relevance.criteria import left_out_residual, own_leverage, spread_over_clusters
from reldim.relevance.dimension import MOST_WORK
from reldim.relevance.estimation import RelevantDimension
from reldim.relevance.leave_one_out import within_range
from reldim.spectrum.spectrum import Spectrum

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["judge_labels"]

#: Influences that would take more than MOST_WORK operations are estimated, from so many random
#: combinations of eigenvectors; those above a twentieth are computed, for at most so many rows.
COMBINATIONS = 64
LARGE = 0.05
MOST_EXACT = 5000

Array = NDArray[np.float64]

#: Slopes b that are considered; scores of classes lie mostly between 0 and 1.
SLOPES = (1.0, 40.0)

#: Shares of wrong labels that are considered.
MOST_WRONG = 0.45

#: Points a side of the grid over both, and how often it is narrowed down to where the weight is.
POINTS, ROUNDS = 15, 3

#: Points of the grid with less than this share of the weight are left out of the next one.
LITTLE = 1e-4

#: Targets that differ by less than this share of the largest are equal.
SAME = 1e-12

#: The median of the absolute value of a standard normal number.
MEDIAN = float(norm.ppf(0.75))


def judge_labels(
    rd: RelevantDimension, problem: Problem | None = None, *, false_discovery_rate: float = 0.1
) -> "pd.DataFrame":
    """Judge the target of every row, see :func:`reldim.find_label_issues`.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate.
    problem : Problem, optional
        The data it was made from. Rows that were left out because they repeat others then have a
        row in the answer as well.
    false_discovery_rate : float
        Which share of the rows that are flagged may be right after all, on average.

    Returns
    -------
    DataFrame
        One row for each row of the data.
    """
    import pandas as pd

    rate = _checked_rate(false_discovery_rate)
    rows = _Rows.of(rd)
    given = rows if problem is None else rows.given(problem)
    if rd.targets.classes is None:
        quality = _number_quality(rows, given)
        q_values = _adjusted(quality, given.can_judge)
        flagged = q_values <= rate
    else:
        quality = _label_quality(rows, given)
        q_values = _running_mean(quality, given.can_judge)
        flagged = (q_values <= rate) & (quality < 0.5)
    columns = {
        "is_label_issue": flagged & given.can_judge,
        "label_quality": quality,
        "given_label": given.labels,
        "predicted_label": _cells(given.targets.labels(given.predicted + given.targets.offset)),
        "q_value": q_values,
        "can_judge": given.can_judge,
    }
    if rd.targets.classes is None:
        columns["residual"] = _cells(given.targets.shaped(given.residual))
    return pd.DataFrame(columns)


def _checked_rate(rate: float) -> float:
    if not isinstance(rate, (int, float, np.number)) or not 0 < rate < 1:
        raise InputError(
            "false_discovery_rate must lie between 0 and 1, such as 0.1: the share of flagged "
            f"rows that may be right. Got {rate!r} instead."
        )
    return float(rate)


def _influence(spectrum: Spectrum, kept: Array) -> Array:
    """Return the part of each row in its own fit: squares of eigenvectors, weighed by shares.

    Where that takes as many operations as the factor did, random combinations of the eigenvectors
    give it to a fifth of itself, which is enough where it is small; the rest is computed.
    """
    basis, n = spectrum.basis, spectrum.n
    if n * len(kept) ** 2 <= MOST_WORK:
        return np.asarray(basis.map_rows(lambda U: U**2 @ kept, len(kept)))
    mixing = np.random.default_rng(0).standard_normal((len(kept), COMBINATIONS))
    mixing *= np.sqrt(kept / COMBINATIONS)[:, None]
    own: Array = np.sum(np.asarray(spectrum.combine(mixing)) ** 2, axis=1)
    # Those that might be large, and not more than fit into memory in one piece.
    rows = np.sort(np.argsort(own)[::-1][: max(1, int(np.sum(own > LARGE / 2)))][:MOST_EXACT])
    vectors = basis.some_rows(rows, len(kept)).astype(np.float64, copy=False)
    own[rows] = vectors**2 @ kept
    return own


@dataclass(frozen=True)
class _Rows:
    """Targets, and what the other rows say about them.

    Attributes
    ----------
    targets : Targets
        Where offset and classes come from.
    coded : ndarray of shape (n, outputs)
        Coded targets.
    labels : ndarray
        Targets as they were given.
    fitted, predicted : ndarray of shape (n, outputs)
        Fits with the row itself and without it, on the coded scale.
    free : ndarray of shape (n,)
        One less the leverage.
    can_judge : ndarray of bool
        Whether other rows say enough.
    """

    targets: Targets
    coded: Array
    labels: NDArray[Any]
    fitted: Array
    predicted: Array
    free: Array
    can_judge: NDArray[np.bool_]

    @classmethod
    def of(cls, rd: RelevantDimension) -> "_Rows":
        targets, spectrum = rd.targets, rd.spectrum
        kept, noise = _kept_shares(rd)
        values = np.asarray(targets.values)
        z = rd.coefficients.reshape(len(rd.coefficients), -1)[: len(kept)]
        fitted = np.asarray(spectrum.combine(kept[:, None] * z))
        own = _influence(spectrum, kept) + own_leverage(spectrum)
        free = np.maximum(1.0 - own, 1e-10)
        can_judge = noise / free < np.sum(values.var(axis=0))
        if targets.counts is not None:
            can_judge &= targets.counts[np.asarray(targets.codes)] > 1
        return cls(
            targets=targets,
            coded=values,
            labels=_cells(targets.labels(values + targets.offset)),
            fitted=fitted,
            predicted=within_range(
                values - left_out_residual(values - fitted, values, own[:, None]), values
            ),
            free=free,
            can_judge=can_judge,
        )

    @property
    def residual(self) -> Array:
        return self.coded - self.predicted

    def given(self, problem: Problem) -> "_Rows":
        """Return the rows that were given, those that were left out among them."""
        labels, values = self._coded(problem)
        source = np.asarray(problem.source)
        if len(source) != len(values):
            raise InputError(
                "Rows that repeat others were left out on the cluster, and their numbers are not "
                "known. Pass the relevance of the diagnosis alone: the answer then has a row for "
                "each row that was kept."
            )
        # A copy with another target than the row that stands for it was left out of the fit: it
        # is predicted by the fit as it is.
        apart = np.abs(values - self.coded[source]) > SAME * np.abs(self.coded).max(axis=0)
        other = np.any(apart, axis=1)
        return _Rows(
            targets=self.targets,
            coded=values,
            labels=_cells(labels),
            fitted=self.fitted[source],
            predicted=np.where(other[:, None], self.fitted[source], self.predicted[source]),
            free=np.where(other, 1.0, self.free[source]),
            can_judge=self.can_judge[source],
        )

    def _coded(self, problem: Problem) -> tuple[NDArray[Any], Array]:
        labels, targets = np.asarray(problem.y), self.targets
        if targets.classes is None:
            numbers = labels.reshape(len(labels), -1).astype(np.float64)
            return numbers, numbers - targets.offset
        codes = np.searchsorted(targets.classes, labels.ravel())
        # One row of each class tells how it is coded.
        _, first = np.unique(np.asarray(targets.codes), return_index=True)
        return labels.ravel(), self.coded[first][codes]


def _kept_shares(rd: RelevantDimension) -> tuple[Array, float]:
    """Return how much of each component is kept, and the variance of the noise.

    At most half as many components are kept as there are rows.
    """
    targets, spectrum, d = rd.targets, rd.spectrum, rd.dimension
    n, total = independent_part(targets.values, spectrum.gram.groups)
    z = rd.coefficients.reshape(len(rd.coefficients), -1)
    energies = spread_over_clusters(np.sum(z**2, axis=1), spectrum, total, n)
    unseen = max(0.0, total - float(np.sum(energies))) if len(energies) < n else 0.0
    noise = (float(np.sum(energies[d:])) + unseen) / (n - d)
    descending = isotonic_regression(energies, increasing=False)[: max(d, n // 2)]
    shares = 1.0 - noise / np.maximum(descending, np.finfo(np.float64).tiny)
    return np.maximum(shares, 0.0), noise


def _cells(values: NDArray[Any]) -> NDArray[Any]:
    """Make a column of values, of tuples where a row has several."""
    if values.ndim == 1 or values.shape[1] == 1:
        return values.ravel()
    cells = np.empty(len(values), dtype=object)
    cells[:] = [tuple(row) for row in values.tolist()]
    return cells


# Classes


def _label_quality(rows: _Rows, given: _Rows) -> Array:
    """Return the probability that each label is right; the model is fitted to ``rows``."""
    scores, codes = _scores(rows)
    slopes, shares, weights = _posterior(scores, codes)
    scores, codes = _scores(given)
    others = scores.shape[1] - 1
    quality = np.zeros(len(codes))
    for slope, row in zip(slopes, weights, strict=True):
        p = _own(scores, codes, slope)
        for share, weight in zip(shares, row, strict=True):
            right, wrong = (1.0 - share) * p, share / others * (1.0 - p)
            quality += weight * right / (right + wrong)
    return np.minimum(quality, 1.0)


def _scores(rows: _Rows) -> tuple[Array, NDArray[np.intp]]:
    """Return one column per class, and the given classes."""
    offset = rows.targets.offset
    return _by_class(rows.predicted + offset), decide(rows.coded + offset)


def _by_class(scores: Array) -> Array:
    # Two classes are coded as -1 and 1, with one column.
    return np.hstack([-scores, scores]) / 2 if scores.shape[1] == 1 else scores


def _own(scores: Array, codes: NDArray[np.intp], slope: float) -> Array:
    """Return the probability of the given class, before labels were exchanged."""
    return np.asarray(softmax(slope * scores, axis=1)[np.arange(len(codes)), codes])


def _posterior(scores: Array, codes: NDArray[np.intp]) -> tuple[Array, Array, Array]:
    """Return slopes, shares of wrong labels, and the probability of each pair of them.

    Both are even on their scales to begin with, slopes on a logarithmic one.
    """
    others = scores.shape[1] - 1
    low, high = SLOPES
    log_slopes = np.linspace(np.log(low), np.log(high), POINTS)
    shares = np.linspace(0.0, MOST_WRONG, POINTS)
    weights = np.empty((POINTS, POINTS))
    for remaining in reversed(range(ROUNDS)):
        for i, slope in enumerate(np.exp(log_slopes)):
            p = _own(scores, codes, slope)
            for j, share in enumerate(shares):
                weights[i, j] = np.sum(np.log((1.0 - share) * p + share / others * (1.0 - p)))
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        if remaining:
            log_slopes = _narrowed(log_slopes, weights.sum(axis=1))
            shares = _narrowed(shares, weights.sum(axis=0))
    return np.exp(log_slopes), shares, weights


def _narrowed(points: Array, weights: Array) -> Array:
    """Return as many points, from the one before those that matter to the one after them."""
    matter = np.flatnonzero(weights > LITTLE)
    first, last = max(matter[0] - 1, 0), min(matter[-1] + 1, len(points) - 1)
    return np.linspace(points[first], points[last], len(points))


def _running_mean(quality: Array, judged: NDArray[np.bool_]) -> Array:
    """Return the mean of all qualities up to each one's: the share of right labels among them."""
    q_values = np.ones(len(quality))
    ordered, group = np.unique(quality[judged], return_inverse=True)
    if len(ordered):
        counts = np.bincount(group)
        q_values[judged] = (np.cumsum(ordered * counts) / np.cumsum(counts))[group]
    return q_values


# Numbers


def _number_quality(rows: _Rows, given: _Rows) -> Array:
    """Return the probability that a right target lies as far off as each one."""
    judged = rows.can_judge if rows.can_judge.any() else np.ones(len(rows.coded), dtype=bool)
    sizes = np.abs(rows.residual[judged]) * np.sqrt(rows.free[judged])[:, None]
    # Residuals of round-off are not told apart.
    least = np.sqrt(np.finfo(np.float64).eps) * np.sqrt(np.mean(rows.coded**2, axis=0))
    sigma = np.maximum(np.median(sizes, axis=0) / MEDIAN, least)
    ratios = np.abs(given.residual) * np.sqrt(given.free)[:, None] / sigma
    # The largest of several residuals is tested for all of them.
    p = 2 * norm.sf(ratios.max(axis=1)) * ratios.shape[1]
    return np.asarray(np.minimum(p, 1.0))


def _adjusted(p_values: Array, judged: NDArray[np.bool_]) -> Array:
    """Return p-values as adjusted by Benjamini and Hochberg (1995); 1 for rows not judged."""
    q_values = np.ones(len(p_values))
    if judged.any():
        q_values[judged] = false_discovery_control(p_values[judged])
    return q_values
