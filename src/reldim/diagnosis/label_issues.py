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

Where a blend of kernels with learned weights predicts, its held-out predictions stand in their
place.

*Classes.* A row looks like the class a that is predicted for it without its own label. For each
other class b the rows that look like a, and carry a or b, are put in order by how close they lie to
the border between both: v = 0 is the row that is farthest from b, v = 1 the closest. Where classes
overlap, b is the less likely the farther a row lies from the border; a label that was exchanged
by mistake is found anywhere. So

.. math:: P(b \mid v) = \varepsilon_{ab} + (1 - \varepsilon_{ab})\, h(v), \qquad
          h(v) = \tfrac12 \sum_j p_j v^{c_j}, \quad \sum_j p_j = 1,

where h is even odds at the border and falls to nothing, in one form on both sides of it. What is
likely is averaged over: no wrong label at all; one share :math:`\varepsilon` in all pairs of
classes; and a share of its own in each pair, which may be none. The quality of a label is the
probability that it belongs to the overlap, :math:`h / (h + (1 - h)\, \varepsilon)`. Where overlap
explains as much, nothing is flagged: then outcomes are uncertain, not labels wrong. Equal rows with
different labels are not judged: classes overlap there, and no feature tells which one is right.

*Numbers.* A wrong number is taken for one of another row: its density is that of all numbers. A
right one is off by noise with Student's t, in units of the noise that is expected in its row (see
:mod:`reldim.relevance.noise_scale`). Degrees of freedom, size of the noise and the share of wrong
numbers are averaged over, each combination by its likelihood; so heavy tails, where they explain as
much as wrong numbers do, leave nothing to flag. The quality is the probability that the number is
right.
"""

from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import gaussian_kde, norm, t
from sklearn.isotonic import isotonic_regression

from reldim.diagnosis.held_out import HeldOut
from reldim.diagnosis.problem import Problem
from reldim.exceptions import InputError
from reldim.inputs.duplicates import independent_part
from reldim.inputs.targets import Targets, decide
from reldim.relevance.criteria import left_out_residual, own_leverage, spread_over_clusters
from reldim.relevance.dimension import MOST_WORK
from reldim.relevance.estimation import RelevantDimension
from reldim.relevance.leave_one_out import within_range
from reldim.relevance.noise_scale import NoiseScale
from reldim.spectrum.spectrum import Spectrum

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelNoise", "WrongShare", "columns_of", "judge_labels", "wrong_shares"]

#: Influences that would take more than MOST_WORK operations are estimated, from so many random
#: combinations of eigenvectors; those above a twentieth are computed, for at most so many rows.
COMBINATIONS = 64
LARGE = 0.05
MOST_EXACT = 5000

Array = NDArray[np.float64]

#: Share of the flagged rows that may be right, where no caller says another.
FALSE_DISCOVERIES = 0.1

#: Shares of wrong labels that are considered for a pair of classes, and how likely it is beforehand
#: that there are none.
SHARES = np.linspace(0.0, 0.45, 31)
NO_WRONG = 0.1

#: How likely it is beforehand that overlap falls as a single power of the place.
ONE_POWER = 0.8

#: Rows that a pair of classes must have, and places on the way from far off to the border.
LEAST_OF_A_PAIR = 10
CELLS = 100


def _forms() -> tuple[Array, Array]:
    """Return forms of overlap, and the logarithms of their probabilities beforehand.

    A form is the probability of the other class by place, half at the border, falling as a power
    of the place, or as an average of two. Two normal clouds that overlap by a third have 0.5; the
    smallest power leaves room for borders that are not where they are predicted. Single powers have
    most of the probability: borders are alike all along.
    """
    powers = (0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0, 64.0, np.inf)
    places: Array = (np.arange(CELLS) + 0.5) / CELLS
    single = 0.5 * places ** np.array(powers)[:, None]
    mixed = [
        part * one + (1.0 - part) * other
        for one, other in combinations(single, 2)
        for part in (0.25, 0.5, 0.75)
    ]
    logs = [
        np.full(len(rows), np.log(part / len(rows)))
        for rows, part in ((single, ONE_POWER), (mixed, 1.0 - ONE_POWER))
    ]
    # Honest exceptions are never impossible.
    return np.maximum(np.vstack([single, mixed]), 1e-4), np.concatenate(logs)


OVERLAPS, FORMS = _forms()

#: Targets that differ by less than this share of the largest are equal.
SAME = 1e-12

#: Degrees of freedom of the noise, its width over that which the median of residuals tells, and
#: shares of wrong numbers that are considered; how likely it is beforehand that there are none.
FREEDOMS = (2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 30.0)
WIDTHS = np.exp(np.linspace(-0.4, 0.3, 11))
WRONG = np.concatenate([[0.0], np.geomspace(0.003, 0.3, 12)])
NO_WRONG_NUMBER = 0.2

#: Share of wrong numbers that may lie beyond all others, as slips of the decimal point do.
BEYOND = 0.2

#: Residuals that these are judged by at most, and combinations that are left out as too unlikely.
MOST_FITTED, UNLIKELY = 2000, 1e-6

#: The median of the absolute value of a standard normal number.
MEDIAN = float(norm.ppf(0.75))


def judge_labels(
    rd: RelevantDimension,
    problem: Problem | None = None,
    predicted: Array | None = None,
    *,
    false_discovery_rate: float = FALSE_DISCOVERIES,
) -> "pd.DataFrame":
    """Judge the target of every row, see :func:`reldim.find_label_issues`.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate.
    problem : Problem, optional
        The data it was made from. Rows that were left out because they repeat others then have a
        row in the answer as well.
    predicted : ndarray of shape (n, outputs), optional
        What the predictor says about each row without it, where that is not least squares on the
        components: probabilities of the classes, or numbers.
    false_discovery_rate : float
        Which share of the rows that are flagged may be right after all, on average.

    Returns
    -------
    DataFrame
        One row for each row of the data.
    """
    import pandas as pd

    rate = _checked_rate(false_discovery_rate)
    rows = _Rows.of(rd, predicted)
    given = rows if problem is None else rows.given(problem)
    if rd.targets.classes is None:
        quality = _number_quality(rows, given)
    else:
        judged = rows.can_judge if rows.can_judge.any() else np.ones_like(rows.can_judge)
        quality = LabelNoise.of(rows.leads, rows.codes, judged).quality(given.leads, given.codes)
    q_values = _running_mean(quality, given.can_judge)
    flagged = _flagged(quality, q_values, rate)
    columns = {
        "is_label_issue": flagged & given.can_judge,
        "label_quality": quality,
        "given_label": given.labels,
        "predicted_label": given.predicted_labels,
        "q_value": q_values,
        "can_judge": given.can_judge,
    }
    if rd.targets.classes is None:
        columns["residual"] = _cells(given.targets.shaped(given.residual))
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class WrongShare:
    """The share of wrong labels among the rows that look like a class.

    Attributes
    ----------
    share, spread : float
        The share, and its standard deviation. Rows that lie between classes do not count as wrong.
    flagged : int
        How many of the rows are flagged.
    """

    share: float
    spread: float
    flagged: int


def wrong_shares(rd: RelevantDimension, held: HeldOut, least: int) -> dict[int, WrongShare]:
    """Estimate the share of wrong labels among the rows that look like each class.

    By the same test as :func:`judge_labels`, at a false discovery rate of 10 %.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate.
    held : HeldOut
        Held-out predictions of classes.
    least : int
        Rows below which a class is left out.

    Returns
    -------
    dict
        For classes as whole numbers.
    """
    rows = _Rows.of(rd)
    leads, codes, judged = rows.leads, rows.codes, rows.can_judge
    if held.probabilities:
        leads, codes = _leads(held.predicted), codes[held.rows]
        judged = _comparable(rd)[held.rows]
    if not judged.any():
        return {}
    noise = LabelNoise.of(leads, codes, judged)
    quality = noise.quality(leads, codes)
    flagged = _flagged(quality, _running_mean(quality, judged), FALSE_DISCOVERIES) & judged
    counts = np.bincount(noise.looks)
    return {
        c: WrongShare(*noise.share(c), int(np.sum(flagged & (noise.looks == c))))
        for c in np.flatnonzero(counts >= least).tolist()
    }


def _flagged(quality: Array, q_values: Array, rate: float) -> NDArray[np.bool_]:
    """Return the targets that look wrong: as a whole at this rate, and each rather than not."""
    return np.asarray((q_values <= rate) & (quality < 0.5))


def _comparable(rd: RelevantDimension) -> NDArray[np.bool_]:
    """Return which rows have others of their class, and no equal row of another class."""
    codes, counts = np.asarray(rd.targets.codes), rd.targets.counts
    assert counts is not None
    return np.asarray((counts[codes] > 1) & ~_contested(rd.spectrum.gram.groups, codes))


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
    by_predictor : ndarray of shape (n, outputs) or None
        What the predictor says without the row, where it is another one: probabilities of classes,
        or numbers on the coded scale.
    free : ndarray of shape (n,)
        One less the leverage.
    can_judge : ndarray of bool
        Whether other rows say enough.
    scale : ndarray of shape (n, outputs)
        For numbers, the noise that is expected in each row.
    """

    targets: Targets
    coded: Array
    labels: NDArray[Any]
    fitted: Array
    predicted: Array
    by_predictor: Array | None
    free: Array
    can_judge: NDArray[np.bool_]
    scale: Array

    @classmethod
    def of(cls, rd: RelevantDimension, by_predictor: Array | None = None) -> "_Rows":
        targets, spectrum = rd.targets, rd.spectrum
        kept, noise = _kept_shares(rd)
        values = np.asarray(targets.values)
        z = rd.coefficients.reshape(len(rd.coefficients), -1)[: len(kept)]
        fitted = np.asarray(spectrum.combine(kept[:, None] * z))
        own = _influence(spectrum, kept) + own_leverage(spectrum)
        free = np.maximum(1.0 - own, 1e-10)
        can_judge = noise / free < np.sum(values.var(axis=0))
        if by_predictor is not None:
            can_judge = np.ones_like(can_judge)
        if targets.counts is not None:
            can_judge &= _comparable(rd)
        found = cls(
            targets=targets,
            coded=values,
            labels=_cells(targets.labels(values + targets.offset)),
            fitted=fitted,
            predicted=within_range(
                values - left_out_residual(values - fitted, values, own[:, None]), values
            ),
            by_predictor=by_predictor,
            free=free,
            can_judge=can_judge,
            scale=np.ones_like(values),
        )
        return found if targets.classes is not None else found._with_scale(columns_of(spectrum))

    def _with_scale(self, columns: Array | None) -> "_Rows":
        """Return the same rows with the noise that is expected in each of them."""
        residuals, predicted = self.scaled_residual, self.coded - self.residual
        # Residuals of round-off are not told apart.
        least = np.sqrt(np.finfo(np.float64).eps) * np.sqrt(np.mean(self.coded**2, axis=0))
        scales = [
            NoiseScale.of(own, fit, columns).at_rows
            for own, fit in zip(residuals.T, predicted.T, strict=True)
        ]
        # One of several targets may be constant: nothing of it is off.
        return replace(
            self, scale=np.maximum(np.column_stack(scales), np.where(least > 0, least, 1.0))
        )

    @property
    def residual(self) -> Array:
        """Given less predicted, for numbers."""
        return self.coded - (self.predicted if self.by_predictor is None else self.by_predictor)

    @property
    def scaled_residual(self) -> Array:
        """Residuals of even variance: where others say little about a row, it may lie far off."""
        if self.by_predictor is not None:
            return self.residual
        return np.asarray(self.residual * np.sqrt(self.free)[:, None])

    @property
    def codes(self) -> NDArray[np.intp]:
        """The given classes as whole numbers."""
        return decide(self.coded + self.targets.offset)

    @property
    def leads(self) -> Array:
        """How far each class lies ahead of the others."""
        if self.by_predictor is not None:
            return _leads(self.by_predictor)
        scores = self.predicted + self.targets.offset
        # Two classes are coded as -1 and 1, with one column.
        return _leads(np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores)

    @property
    def predicted_labels(self) -> NDArray[Any]:
        """What the other rows make of each row."""
        if self.by_predictor is None:
            return _cells(self.targets.labels(self.predicted + self.targets.offset))
        if self.targets.classes is None:
            return _cells(self.targets.shaped(self.by_predictor + self.targets.offset))
        return np.asarray(self.targets.classes[decide(self.by_predictor)])

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
            by_predictor=None if self.by_predictor is None else self.by_predictor[source],
            free=np.where(other, 1.0, self.free[source]),
            can_judge=self.can_judge[source],
            scale=self.scale[source],
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


def columns_of(spectrum: Spectrum) -> Array | None:
    """Return the columns of numbers that noise may depend on.

    Parameters
    ----------
    spectrum : Spectrum
        What was decomposed.

    Returns
    -------
    ndarray of shape (n, columns) or None
        None for other data.
    """
    points = spectrum.gram.points
    numbers = isinstance(points, np.ndarray) and points.ndim == 2 and points.dtype.kind == "f"
    return points.astype(np.float64) if numbers and len(points) == spectrum.n else None


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


def _leads(scores: Array) -> Array:
    """Return by how much each class lies ahead of the best of the others."""
    ordered = np.sort(scores, axis=1)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    return np.asarray(scores - np.where(scores == best, second, best))


def _contested(groups: Any, codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell which rows have the features of others that carry another label."""
    if not isinstance(groups, np.ndarray):
        # Of rows on a cluster, only the worker that holds them knows which are equal.
        return np.zeros(len(codes), dtype=bool)
    _, first = np.unique(groups, return_index=True)
    differs = codes != codes[first][groups]
    return np.asarray(np.bincount(groups, weights=differs)[groups] > 0)


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """How likely labels of each class were exchanged for those of each other class.

    Attributes
    ----------
    leads : ndarray of shape (n, classes)
        By how much each class lies ahead of the best of the others, in the rows that tell.
    looks, codes : ndarray of int
        The class that is predicted for each of these rows, and the one that was given.
    judged : ndarray of bool
        The rows that the shares rest on.
    posterior : dict
        For a pair of classes, of which a row looks like the first and is given the second, the
        probability of each share of wrong labels and each form of overlap; shape (shares, forms).
    """

    leads: Array = field(repr=False)
    looks: NDArray[np.intp] = field(repr=False)
    codes: NDArray[np.intp] = field(repr=False)
    judged: NDArray[np.bool_] = field(repr=False)
    posterior: dict[tuple[int, int], Array] = field(repr=False)

    @classmethod
    def of(cls, leads: Array, codes: NDArray[np.intp], judged: NDArray[np.bool_]) -> "LabelNoise":
        """Average over no wrong labels, one share in all pairs, and a share of its own in each."""
        looks = decide(leads) if leads.shape[1] > 1 else np.zeros(len(leads), dtype=np.intp)
        found = cls(leads, looks, codes, judged, {})
        tables = {pair: found._likelihoods(*pair) for pair in found._pairs()}
        found.posterior.update(_posteriors(tables))
        return found

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of classes with enough rows to tell."""
        classes = range(self.leads.shape[1])
        pairs = [(a, b) for a in classes for b in classes if a != b]
        return [(a, b) for a, b in pairs if self._of_pair(a, b).sum() >= LEAST_OF_A_PAIR]

    def _of_pair(self, a: int, b: int) -> NDArray[np.bool_]:
        """Return the rows that look like one class and carry its label or that of another."""
        return np.asarray(self.judged & (self.looks == a) & np.isin(self.codes, [a, b]))

    def _depths(self, asked: Array, a: int, b: int) -> Array:
        """Return where rows that look like a class lie: 0 far from the other one, 1 beside it."""
        known = np.sort(self.leads[self._of_pair(a, b), b])
        below, up_to = (np.searchsorted(known, asked, side) for side in ("left", "right"))
        return np.asarray((below + up_to) / (2.0 * len(known)))

    def _likelihoods(self, a: int, b: int) -> Array:
        """Return the log-likelihood of each share of wrong labels and each form of overlap."""
        rows = self._of_pair(a, b)
        cells = _cells_of(self._depths(self.leads[rows, b], a, b))
        other = self.codes[rows] == b
        with_other = np.bincount(cells[other], minlength=CELLS).astype(np.float64)
        with_own = np.bincount(cells[~other], minlength=CELLS).astype(np.float64)
        shares = SHARES[:, None, None]
        exchanged = np.log(shares + (1.0 - shares) * OVERLAPS) @ with_other
        return np.asarray(exchanged + np.log((1.0 - shares) * (1.0 - OVERLAPS)) @ with_own)

    def quality(self, leads: Array, codes: NDArray[np.intp]) -> Array:
        """Return the probability that the label of each row is right."""
        looks, quality = decide(leads), np.ones(len(leads))
        others = np.where(np.arange(leads.shape[1]) == looks[:, None], -np.inf, leads)
        for (a, b), posterior in self.posterior.items():
            rows = np.flatnonzero((looks == a) & (codes == b))
            cells = _cells_of(self._depths(leads[rows, b], a, b))
            shares = SHARES[:, None, None]
            right = OVERLAPS / (OVERLAPS + (1.0 - OVERLAPS) * shares)
            quality[rows] = np.tensordot(posterior, right, 2)[cells]
            # A label that agrees is wrong where the row is of the other class after all.
            rows = np.flatnonzero((looks == a) & (codes == a) & (np.argmax(others, axis=1) == b))
            cells = _cells_of(self._depths(leads[rows, b], a, b))
            overlap = posterior.sum(axis=0) @ OVERLAPS
            back = self.posterior.get((b, a))
            share = 0.0 if back is None else float(back.sum(axis=1) @ SHARES)
            quality[rows] = ((1.0 - overlap) / (1.0 - overlap + overlap * share))[cells]
        return quality

    def share(self, looks: int) -> tuple[float, float]:
        """Return which share of the rows that look like a class carry a wrong label.

        And its standard deviation.
        """
        total = self.judged & (self.looks == looks)
        mean, variance = 0.0, 0.0
        for (a, b), posterior in self.posterior.items():
            if a == looks:
                part = self._of_pair(a, b).sum() / total.sum()
                weights = posterior.sum(axis=1)
                own = float(weights @ SHARES)
                mean += part * own
                variance += part**2 * (float(weights @ SHARES**2) - own**2)
        return mean, float(np.sqrt(max(variance, 0.0)))


def _cells_of(depths: Array) -> NDArray[np.intp]:
    return np.minimum((depths * CELLS).astype(np.intp), CELLS - 1)


def _posteriors(tables: dict[tuple[int, int], Array]) -> dict[tuple[int, int], Array]:
    """Return the probability of shares and forms for each pair of classes.

    Both sides of a border have the same form. Beforehand it is as likely that labels were exchanged
    alike in all pairs as that each pair has a share of its own, one pair on average.
    """
    if not tables:
        return {}
    borders: dict[frozenset[int], list[tuple[int, int]]] = {}
    for pair in tables:
        borders.setdefault(frozenset(pair), []).append(pair)
    some = np.log(1.0 / (len(SHARES) - 1))
    often = 1.0 / max(len(tables), 2)
    prior = np.full((len(SHARES), 1), some + np.log(often))
    prior[0] = np.log(1.0 - often)
    # Per border, over forms: the same share on both sides, and a share of its own on each.
    alike, apart = {}, {}
    for border, pairs in borders.items():
        alike[border] = FORMS + np.sum([tables[pair] for pair in pairs], axis=0)
        apart[border] = FORMS + np.sum([_log_sum(tables[p] + prior, 0) for p in pairs], axis=0)
    together = np.sum([_log_sum(table, 1) for table in alike.values()], axis=0)
    together[0] += np.log(NO_WRONG)
    together[1:] += np.log((1.0 - NO_WRONG) / 2.0) + some
    own = float(np.sum([_log_sum(table, 0) for table in apart.values()]))
    own += np.log((1.0 - NO_WRONG) / 2.0)
    total = _log_sum(np.append(together, own), 0)
    found = {}
    for border, pairs in borders.items():
        forms = np.exp(alike[border] - _log_sum(alike[border], 1)[:, None])
        for pair in pairs:
            table = tables[pair] + prior
            within = np.exp(table - _log_sum(table, 0))
            weights = np.exp(apart[border] - _log_sum(apart[border], 0))
            found[pair] = (
                np.exp(together - total)[:, None] * forms + np.exp(own - total) * within * weights
            )
    return found


def _log_sum(values: Array, axis: int) -> Array:
    return np.asarray(logsumexp(values, axis=axis))


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
    """Return the probability that each target is right: all of its numbers where it has several."""
    judged = rows.can_judge if rows.can_judge.any() else np.ones_like(rows.can_judge)
    quality = np.ones(len(given.coded))
    for j in range(rows.coded.shape[1]):
        known, asked = (_Noise(one, j) for one in (rows, given))
        quality *= known.quality(judged, asked)
    return quality


class _Noise:
    """Residuals of one target in units of the noise that is expected, and numbers of other rows.

    Attributes
    ----------
    sizes : ndarray of shape (n,)
        Residuals over their scales.
    numbers, scale : ndarray of shape (n,)
        The numbers, and the scales.
    """

    def __init__(self, rows: _Rows, output: int) -> None:
        self.numbers, self.scale = rows.coded[:, output], rows.scale[:, output]
        self.sizes = rows.scaled_residual[:, output] / self.scale

    def quality(self, judged: NDArray[np.bool_], asked: "_Noise") -> Array:
        """Average over tails, size of the noise and the share of wrong numbers."""
        # In the order of sizes, so that the order of rows does not matter.
        order = np.lexsort((self.numbers, self.sizes))
        order = order[judged[order]]
        order = order[:: max(1, int(np.ceil(len(order) / MOST_FITTED)))]
        pool, typical = self.numbers[order], float(np.median(np.abs(self.sizes[order]))) / MEDIAN
        if np.ptp(pool) == 0.0 or typical == 0.0:
            return np.ones(len(asked.numbers))
        others = gaussian_kde(pool)
        middle, spread = float(np.median(pool)), float(pool.std())

        def density(one: "_Noise") -> Array:
            beyond = t.pdf((one.numbers - middle) / spread, FREEDOMS[0]) / spread
            mixed = (1.0 - BEYOND) * others(one.numbers) + BEYOND * beyond
            return np.asarray(mixed * one.scale)

        known, new = density(self), density(asked)
        shares = WRONG[:, None]
        prior = np.full(len(WRONG), np.log((1.0 - NO_WRONG_NUMBER) / (len(WRONG) - 1)))
        prior[0] = np.log(NO_WRONG_NUMBER)
        models, weights = [], []
        for freedom, width in product(FREEDOMS, typical * WIDTHS):
            right = (1.0 - shares) * t.pdf(self.sizes[order] / width, freedom) / width
            models.append((freedom, width))
            weights.append(prior + np.log(right + shares * known[order]).sum(axis=1))
        logs = np.array(weights)
        posterior = np.exp(logs - logs.max())
        posterior /= posterior.sum()
        quality = np.zeros(len(asked.numbers))
        for i, k in np.argwhere(posterior > UNLIKELY):
            freedom, width = models[i]
            right = (1.0 - WRONG[k]) * t.pdf(asked.sizes / width, freedom) / width
            total = np.maximum(right + WRONG[k] * new, np.finfo(np.float64).tiny)
            # Where both vanish, a number that is beyond all tails is not one of the other rows.
            quality += posterior[i, k] * np.where(right + WRONG[k] * new > 0, right / total, 0.0)
        return np.asarray(quality / posterior[posterior > UNLIKELY].sum())
