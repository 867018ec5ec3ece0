"""Blend: an average of few kernels with learned weights, judged by rows that had no part in it.

A member is a kind of kernel whose weights are learned (or equal), fitted by least squares with a
ridge for numbers and by hinge loss for classes. Five folds are cross-fitted: everything that is
learned, weights and all, is learned without the rows that are held out. Held-out predictions choose
how strong each fit is and how much it counts, and tell the error to expect.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar, nnls
from sklearn.exceptions import ConvergenceWarning

from reldim.inputs.cores import side_by_side
from reldim.inputs.random_state import seed_of
from reldim.inputs.splits import Folds, Splits
from reldim.inputs.targets import Targets
from reldim.search.coordinates import Coordinates
from reldim.search.fits import couple, hinge_weights, ridge_weights
from reldim.search.forms import (
    AS_LEARNED,
    NARROWER,
    ROUGH,
    ROUGHER,
    WIDER,
    Form,
    formed,
    has_form,
    kernel_of_form,
)
from reldim.search.weights import LearnedKernel, learn_weights, likeliest, promising, weights_of
from reldim.spectrum.expansion import Expansion

__all__ = [
    "MEMBERS",
    "MOST_ROWS",
    "Blend",
    "CrossFit",
    "Fold",
    "Member",
    "Rows",
    "cross_fit",
    "cross_predict",
    "rows_of",
    "some_of",
]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Strengths that are tried, each a form of the kernel, and the penalty of the ridge over the noise
#: that was learned, or the cost of the hinge loss.
Strength = tuple[Form, float]

PENALTIES: tuple[Strength, ...] = (
    (AS_LEARNED, 0.1),
    (AS_LEARNED, 0.6),
    (AS_LEARNED, 4.0),
    (NARROWER, 0.1),
    (NARROWER, 0.6),
    (WIDER, 0.05),
    (ROUGH, 0.6),
    (ROUGHER, 0.1),
)
COSTS: tuple[Strength, ...] = (
    (AS_LEARNED, 1.0),
    (AS_LEARNED, 10.0),
    (AS_LEARNED, 100.0),
    (NARROWER, 1.0),
    (NARROWER, 10.0),
    (WIDER, 1000.0),
)

#: Costs from which on a fit is left out where another had this share of the rows at its bound: they
#: cannot be told apart by the kernel, and a larger cost would take long to fit them all the same.
HIGH_COST, AT_BOUND = 100.0, 0.3

#: Rows that a blend is fitted to at most: the time grows with their cube.
MOST_ROWS = 2000

#: Rows of a fold that strengths are tried on at most; the best is then fitted to all of them.
TRIAL_ROWS = 1000

#: Columns with less than this share of the largest weight are left out of equal weights where that
#: makes the held-out loss clearly smaller, by fits of plain strength.
LITTLE, CLEARLY_LESS = 0.05, 0.85
PLAIN_PENALTY, PLAIN_COST = 1.0, 10.0

#: Columns that weights are learned of at most. Of more, these are the ones that by themselves go
#: with the targets most closely, linearly or by their squares; equal weights see all of them.
MOST_COLUMNS = 300

#: How strongly the parts of the members are pulled to equal ones, and the least part that counts.
PULL, LEAST_PART = 500.0, 0.01

#: Bounds of the logarithm of the slope that turns decisions into probabilities.
SLOPES = (-2.5, 3.0)


@dataclass(frozen=True)
class Member:
    """What a member of the blend is made of.

    Attributes
    ----------
    kind : str
        The kind of kernel.
    equal : bool
        Whether all columns weigh the same.
    """

    kind: str
    equal: bool = False


#: A column that matters only rarely gets no weight: equal weights stay in the blend.
MEMBERS = (
    Member("product"),
    Member("product", equal=True),
    Member("gaussian"),
    Member("gaussian", equal=True),
    Member("laplacian"),
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Coordinates and targets of some rows.

    Attributes
    ----------
    X : ndarray of shape (n, coordinates)
        Coordinates.
    Y : ndarray of shape (n, outputs)
        Numbers, or indicators of the classes.
    codes : ndarray of int or None
        The classes; None for numbers.
    groups : ndarray of int
        Coordinates of one group share a weight.
    counts : ndarray of shape (n,) or None
        How many rows each row stands for; None where all are alike.
    """

    X: Array
    Y: Array
    codes: Indices | None
    groups: Indices
    counts: Array | None = None

    def take(self, rows: Indices) -> "Rows":
        """Return some of the rows."""
        codes = None if self.codes is None else self.codes[rows]
        counts = None if self.counts is None else self.counts[rows]
        return Rows(self.X[rows], self.Y[rows], codes, self.groups, counts)

    def mean(self, values: Array) -> Array:
        """Return the mean of one value, or of several, per row."""
        return np.asarray(np.average(values, axis=0, weights=self.counts))

    def losses(self, predicted: Array, judged: Indices) -> Array:
        """Return 1 for each wrong class, or squared residuals over the variance of the targets."""
        if self.codes is not None:
            return np.asarray(predicted.argmax(axis=1) != self.codes[judged], dtype=np.float64)
        centred = self.Y - self.mean(self.Y)
        residuals = np.sum((predicted - self.Y[judged]) ** 2, axis=1)
        return np.asarray(residuals / self.mean(np.sum(centred**2, axis=1)))

    @property
    def decisions(self) -> int:
        """Numbers that a fit gives for a row: one per output, or per pair of classes."""
        return self.Y.shape[1] if self.codes is None else comb(self.Y.shape[1], 2)

    @property
    def strengths(self) -> tuple[Strength, ...]:
        """What is tried for them."""
        return PENALTIES if self.codes is None else COSTS


def rows_of(
    X: Array, targets: Targets, coordinates: Coordinates, counts: Array | None = None
) -> Rows:
    """Return the coordinates of all rows beside their targets."""
    codes, Y = targets.codes, targets.values
    if counts is not None:
        counts = counts * (len(counts) / counts.sum())
    if codes is not None and targets.classes is not None:
        Y = np.eye(len(targets.classes))[codes]
    return Rows(coordinates(X), Y, codes, coordinates.groups, counts)


@dataclass(frozen=True, eq=False)
class Blend:
    """A function of new rows: an average of members.

    Attributes
    ----------
    coordinates : Coordinates
        What members see of a row.
    expansions : tuple of Expansion
        The members: predictions, or decisions between pairs of classes.
    parts : ndarray
        How much each counts; they sum to one.
    slopes : ndarray
        For classes, what turns decisions of each member into probabilities.
    classes : int
        Number of classes, 0 for numbers.
    """

    coordinates: Coordinates
    expansions: tuple[Expansion, ...]
    parts: Array
    slopes: Array
    classes: int

    def __call__(self, X: Any) -> Array:
        """Return predictions, or probabilities of the classes, of shape (rows, outputs)."""
        points = self.coordinates(X)
        total = np.zeros((len(points), 1))
        for expansion, part, slope in zip(self.expansions, self.parts, self.slopes, strict=True):
            values = np.asarray(expansion(points), dtype=np.float64)
            total = total + part * (couple(values, self.classes, slope) if self.classes else values)
        return total


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows that a fold learned from, rows that it held out, and the kernels that it learned.

    ``place`` is where its held-out rows stand among those of all folds.
    """

    learned_from: Indices
    held_out: Indices
    place: Indices
    kernels: tuple[LearnedKernel, ...]


@dataclass(frozen=True, eq=False)
class CrossFit:
    """A blend, and what it predicts for rows that had no part in it.

    Attributes
    ----------
    blend : Blend
        Fitted to all rows.
    rows : Rows
        The rows.
    held_out : ndarray of shape (judged, outputs)
        For each row that is judged, predictions or probabilities by folds without it.
    judged : ndarray of int
        The rows that folds held out: all of them, but for rows in an order and folds of the caller.
    folds : tuple of Fold
        The folds.
    members : tuple of Member
        What was blended.
    parts : ndarray
        How much each of them counts.
    kernels : tuple of LearnedKernel
        Their kernels: learned from all rows, or from those of a fold where that makes all targets
        likelier.
    with_equal_weights : ndarray of shape (n, outputs) or None
        What members with equal weights of all columns predict alone for held-out rows; None where
        there are none.
    """

    blend: Blend
    rows: Rows = field(repr=False)
    held_out: Array = field(repr=False)
    judged: Indices = field(repr=False)
    folds: tuple[Fold, ...] = field(repr=False)
    members: tuple[Member, ...]
    parts: Array
    kernels: tuple[LearnedKernel, ...]
    with_equal_weights: Array | None = field(default=None, repr=False)

    @cached_property
    def losses(self) -> Array:
        """The loss of each row by folds without it, in the units of the error.

        1 for a wrong class; a squared residual over the variance of the targets.
        """
        return self.rows.losses(self.held_out, self.judged)

    @property
    def losses_with_equal_weights(self) -> Array | None:
        """The same for members with equal weights of all columns; None where there are none."""
        alone = self.with_equal_weights
        return None if alone is None else self.rows.losses(alone, self.judged)

    @property
    def error(self) -> float:
        """The error to expect on new rows."""
        return float(self.rows.take(self.judged).mean(self.losses))


def cross_fit(
    X: Array,
    targets: Targets,
    coordinates: Coordinates,
    *,
    splits: Splits | None = None,
    counts: Array | None = None,
    members: Sequence[Member] = MEMBERS,
    random_state: int | None = None,
) -> CrossFit:
    """Fit members to all rows and to those of each fold, and blend them.

    Parameters
    ----------
    X : ndarray of shape (n, columns)
        The data.
    targets : Targets
        Their targets.
    coordinates : Coordinates
        What members see of a row.
    splits : Splits, optional
        How rows are divided, by default one by one.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for, above 0: in what is fitted, learned and judged.
    members : sequence of Member
        What to blend.
    random_state : int, optional
        Seed of the folds, and of the rows that weights are learned from.

    Returns
    -------
    CrossFit
        The blend and its held-out predictions.
    """
    seed = seed_of(random_state)
    rows = rows_of(X, targets, coordinates, counts)
    split = (splits or Splits(len(rows.X), rows.codes)).folds(seed)
    tried = _try_members(rows, split, members, seed, whole=True)
    with warnings.catch_warnings():
        # A fit that has not quite converged is as good a member.
        warnings.simplefilter("ignore", ConvergenceWarning)
        kernels = [tried.whole, *(fold.kernels for fold in tried.folds)]
        learned = _likeliest_of_all(members, rows, kernels, seed)
        strengths = [rows.strengths[place] for place in tried.chosen]
        kept = np.flatnonzero(tried.parts)
        expansions = tuple(
            side_by_side(lambda i: _expansion(rows, learned[i], strengths[i]), kept.tolist())
        )
    classes = 0 if rows.codes is None else rows.Y.shape[1]
    return CrossFit(
        Blend(coordinates, expansions, tried.parts[kept], tried.slopes[kept], classes),
        rows,
        tried.blended(),
        split.judged,
        tried.folds,
        tuple(members),
        tried.parts,
        learned,
        tried.blended(tried.equal) if tried.equal else None,
    )


def cross_predict(found: CrossFit, folds: Folds, *, random_state: int | None = None) -> Array:
    """Predict held-out rows by the members of a blend that learn anew from other rows.

    Parameters
    ----------
    found : CrossFit
        The blend.
    folds : Folds
        Rows to learn from, and rows that are held out.
    random_state : int, optional
        Seed of the rows that weights are learned from.

    Returns
    -------
    ndarray of shape (judged, outputs)
        Predictions, or probabilities of classes.
    """
    return _try_members(found.rows, folds, found.members, seed_of(random_state)).blended()


@dataclass(frozen=True, eq=False)
class _Tried:
    """Members that were tried on folds: kernels, strengths, predictions, and parts in the blend."""

    rows: Rows
    folds: tuple[Fold, ...]
    whole: tuple[LearnedKernel, ...]
    chosen: list[int]
    slopes: Array
    predicted: Array
    parts: Array
    equal: list[int]
    judged: Indices

    def blended(self, some: Sequence[int] | None = None) -> Array:
        """Blend the predictions for each fold by parts that the other folds tell."""
        predicted = self.predicted if some is None else self.predicted[some]
        blended = np.zeros(predicted.shape[1:])
        everywhere = np.arange(len(self.judged))
        for fold in self.folds:
            others = np.setdiff1d(everywhere, fold.place)
            judges = self.rows.take(self.judged[others])
            parts = blend_parts(predicted[:, others], judges.Y, judges.counts)
            blended[fold.place] = np.tensordot(parts, predicted[:, fold.place], 1)
        return blended


def _try_members(
    rows: Rows, split: Folds, members: Sequence[Member], seed: int, *, whole: bool = False
) -> _Tried:
    """Learn kernels in each fold, and from all rows where these are asked for; predict the rest."""
    parts = [train for train, _ in split.pairs]
    everything = [np.arange(len(rows.X))] if whole else []
    ways = list(
        side_by_side(lambda part: _learn(members, rows.take(part), seed), [*parts, *everything])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        picked = _pick_ways(rows, split, ways)
        kernels = [tuple(one[way] for one, way in zip(each, picked, strict=True)) for each in ways]
        folds = tuple(
            Fold(*pair, place, own)
            for pair, place, own in zip(split.pairs, split.places, kernels, strict=False)
        )
        chosen, slopes, predicted = _choose_strengths(rows, folds, split.judged, seed)
    judges = rows.take(split.judged)
    return _Tried(
        rows,
        folds,
        kernels[-1],
        chosen,
        slopes,
        predicted,
        blend_parts(predicted, judges.Y, judges.counts),
        [i for i, member in enumerate(members) if member.equal and not picked[i]],
        split.judged,
    )


def some_of(rows: Indices, most: int, seed: int = 0) -> Indices:
    """Draw so many rows where there are more: the first ones are alike where rows are sorted.

    Parameters
    ----------
    rows : ndarray of int
        Row numbers.
    most : int
        How many to return at most.
    seed : int
        Seed of the draw.

    Returns
    -------
    ndarray of int
        The rows, or some of them in ascending order.

    Examples
    --------
    >>> some_of(np.arange(5), 5)
    array([0, 1, 2, 3, 4])
    >>> len(some_of(np.arange(5), 3))
    3
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:most])


def _learn(
    members: Sequence[Member], rows: Rows, seed: int
) -> tuple[tuple[LearnedKernel, LearnedKernel], ...]:
    """Learn the kernels of all members, in two ways.

    Rough radial kernels begin where the Gaussian one ends, and see the columns that it gives
    weight. Equal weights are given to all columns, and to those that have some weight in the
    product kernel; kernels of other members are twice the same.
    """
    learn = partial(learn_weights, rows.X, rows.Y, rows.groups, counts=rows.counts, seed=seed)
    some = promising(rows.X, rows.Y, rows.groups, MOST_COLUMNS, rows.counts)
    kinds = {member.kind for member in members if not member.equal}
    found: dict[str, LearnedKernel] = {}
    if "product" in kinds or any(member.equal for member in members):
        found["product"] = learn("product", seen=some)
    if kinds - {"product"}:
        found["gaussian"] = learn("gaussian", seen=some)
    for kind in kinds - set(found):
        found[kind] = learn(kind, start=found["gaussian"], seen=some)
    answers = []
    for member in members:
        if member.equal:
            seen = _weighty(found["product"])
            ways = (learn(member.kind, equal=True), learn(member.kind, equal=True, seen=seen))
        else:
            ways = (found[member.kind], found[member.kind])
        answers.append(ways)
    return tuple(answers)


def _likeliest_of_all(
    members: Sequence[Member],
    rows: Rows,
    kernels: Sequence[Sequence[LearnedKernel]],
    seed: int,
) -> tuple[LearnedKernel, ...]:
    """Choose the kernels that predict: those learned from all rows, or from the rows of a fold.

    Predictions for held-out rows have no part in it.
    """
    choose = partial(likeliest, rows.X, rows.Y, rows.groups, counts=rows.counts, seed=seed)
    return tuple(
        own[0] if member.equal else choose(member.kind, own)
        for member, own in zip(members, zip(*kernels, strict=True), strict=True)
    )


def _weighty(learned: LearnedKernel) -> NDArray[np.bool_]:
    """Tell which coordinates have some weight."""
    weights = weights_of(learned.kernel)
    return np.asarray(weights >= LITTLE * weights.max())


def _pick_ways(
    rows: Rows,
    split: Folds,
    ways: Sequence[Sequence[tuple[LearnedKernel, LearnedKernel]]],
) -> list[int]:
    """Choose for each member whether columns of little weight are left out, by held-out loss.

    It is the loss that counts in the end: what leaves smaller squares may tell classes apart far
    worse.
    """
    strength = (AS_LEARNED, PLAIN_PENALTY if rows.codes is None else PLAIN_COST)

    def predict(task: tuple[int, int, int]) -> Array:
        number, member, way = task
        train, test = split.pairs[number]
        part, learned = rows.take(some_of(train, TRIAL_ROWS)), ways[number][member][way]
        return np.asarray(_predictions(part, rows.X[test], learned, [strength])[0])

    members = range(len(ways[0]))
    differ = [m for m in members if any(one[m][0] is not one[m][1] for one in ways)]
    numbers = range(len(split.pairs))
    tasks = [(number, m, way) for m in differ for way in (0, 1) for number in numbers]
    count = len(split.judged)
    raw = {(m, way): np.zeros((count, rows.decisions)) for m in differ for way in (0, 1)}
    for (number, m, way), values in zip(tasks, side_by_side(predict, tasks), strict=True):
        raw[m, way][split.places[number]] = values
    judges = rows.take(split.judged)
    loss = {key: _Loss.of(judges, one).value for key, one in raw.items()}
    return [int(m in differ and loss[m, 1] < CLEARLY_LESS * loss[m, 0]) for m in members]


def _choose_strengths(
    rows: Rows, folds: Sequence[Fold], judged: Indices, seed: int
) -> tuple[list[int], Array, Array]:
    """Choose the strength of each member by held-out loss.

    Returns its place among those that were tried, for classes the slope of probabilities, and the
    held-out predictions, or probabilities, of all members.
    """
    tried = [
        [place for place, (form, _) in enumerate(rows.strengths) if has_form(own.kernel, form)]
        for own in folds[0].kernels
    ]
    losses = _held_out_losses(rows, folds, judged, tried, TRIAL_ROWS, seed)
    if max(len(fold.learned_from) for fold in folds) > TRIAL_ROWS:
        # More rows may do with a narrower kernel.
        tried = [_best_and_narrower(rows, own) for own in losses]
        losses = _held_out_losses(rows, folds, judged, tried, len(rows.X), seed)
    best = [min(own, key=lambda place: own[place].value) for own in losses]
    found = [own[place] for own, place in zip(losses, best, strict=True)]
    return best, np.array([one.slope for one in found]), np.stack([one.held_out for one in found])


def _best_and_narrower(rows: Rows, losses: Mapping[int, "_Loss"]) -> list[int]:
    """Return the best strength, and the best with the form of the kernel that follows."""
    order = sorted(losses, key=lambda place: losses[place].value)
    power = {place: max(rows.strengths[place][0]) for place in order}
    narrower = [place for place in order if power[place] > power[order[0]]]
    return [order[0], *sorted(narrower, key=power.__getitem__)[:1]]


def _held_out_losses(
    rows: Rows,
    folds: Sequence[Fold],
    judged: Indices,
    tried: Sequence[Sequence[int]],
    most: int,
    seed: int,
) -> list[dict[int, "_Loss"]]:
    """Return for each member the losses of some strengths, fitted to so many rows at most."""
    raw = _held_out(rows, folds, len(judged), tried, most, seed)
    judges = rows.take(judged)
    return [
        {place: _Loss.of(judges, one) for place, one in zip(places, own, strict=True)}
        for places, own in zip(tried, raw, strict=True)
    ]


def _held_out(
    rows: Rows,
    folds: Sequence[Fold],
    count: int,
    tried: Sequence[Sequence[int]],
    most: int,
    seed: int,
) -> list[Array]:
    """Predict held-out rows; return arrays of shape (strengths, count, outputs), one per member."""

    def predict(task: tuple[Fold, int]) -> Array:
        fold, member = task
        some = some_of(fold.learned_from, most, seed)
        strengths = [rows.strengths[place] for place in tried[member]]
        new = rows.X[fold.held_out]
        return _predictions(rows.take(some), new, fold.kernels[member], strengths)

    raw = [np.zeros((len(places), count, rows.decisions)) for places in tried]
    tasks = [(fold, member) for fold in folds for member in range(len(tried))]
    for (fold, member), values in zip(tasks, side_by_side(predict, tasks), strict=True):
        raw[member][:, fold.place] = values
    return raw


def _predictions(
    rows: Rows, new: Array, learned: LearnedKernel, strengths: Sequence[Strength]
) -> Array:
    """Predict new rows by fits of several strengths under one kernel."""
    K = np.asarray(learned.kernel(rows.X), dtype=np.float64)
    between = np.asarray(learned.kernel(new, rows.X), dtype=np.float64)
    predicted: list[Array] = []
    crowded = False
    for form, strength in strengths:
        if crowded and strength >= HIGH_COST:
            predicted.append(predicted[-1])
            continue
        weights, constant = _fit(rows, formed(K, form), learned.noise, strength)
        predicted.append(formed(between, form) @ weights + constant)
        crowded = rows.codes is not None and _share_at_bound(rows, weights) > AT_BOUND
    return np.stack(predicted)


def _share_at_bound(rows: Rows, weights: Array) -> float:
    """Return the share of rows with a weight as large as any, which is where a cost holds them."""
    sizes = np.abs(weights).max(axis=1)
    if rows.counts is not None:
        sizes = sizes / rows.counts
    return float(np.mean(sizes >= 0.999 * sizes.max()))


def _expansion(rows: Rows, learned: LearnedKernel, strength: Strength) -> Expansion:
    """Fit all rows by one kernel with one strength."""
    kernel = kernel_of_form(learned.kernel, strength[0])
    K = np.asarray(kernel(rows.X), dtype=np.float64)
    weights, constant = _fit(rows, K, learned.noise, strength[1])
    used = np.flatnonzero(np.any(weights != 0, axis=1))
    return Expansion(kernel, rows.X[:1], rows.X[used], weights[used], constant)


def _fit(rows: Rows, K: Array, noise: float, strength: float) -> tuple[Array, Array]:
    """Return the weights of kernel values and a constant."""
    if rows.codes is None:
        mean, penalty = rows.mean(rows.Y), noise * strength
        own = penalty if rows.counts is None else penalty / rows.counts
        return ridge_weights(K, rows.Y - mean, own), mean
    return hinge_weights(K, rows.codes, rows.Y.shape[1], strength, rows.counts)


@dataclass(frozen=True, eq=False)
class _Loss:
    """The loss of held-out predictions.

    ``held_out`` are the predictions, or for classes probabilities; ``slope`` turned decisions into
    these, and makes the loss least.
    """

    value: float
    slope: float
    held_out: Array

    @classmethod
    def of(cls, rows: Rows, raw: Array) -> "_Loss":
        """Judge predictions, or decisions between pairs of classes."""
        if rows.codes is None:
            return cls(float(rows.mean(np.mean((raw - rows.Y) ** 2, axis=1))), 1.0, raw)
        classes, own = rows.Y.shape[1], (np.arange(len(raw)), rows.codes)

        def log_loss(log_slope: float) -> float:
            shares = couple(raw, classes, np.exp(log_slope))
            return -float(rows.mean(np.log(shares[own] + 1e-6)))

        found = minimize_scalar(log_loss, bounds=SLOPES, method="bounded", options={"xatol": 0.05})
        slope = float(np.exp(found.x))
        return cls(float(found.fun), slope, couple(raw, classes, slope))


def blend_parts(predictions: Array, Y: Array, counts: Array | None = None) -> Array:
    """Return how much each member counts, by least squares on held-out predictions.

    Parts are not negative and sum to one. They are pulled to equal ones, the more the fewer rows
    there are; a member that is far behind drops out at any size.

    Parameters
    ----------
    predictions : ndarray of shape (members, rows, outputs)
        Held-out predictions.
    Y : ndarray of shape (rows, outputs)
        The targets.
    counts : ndarray of shape (rows,), optional
        How many rows each row stands for.

    Returns
    -------
    ndarray of shape (members,)
        The parts.

    Examples
    --------
    >>> Y = np.linspace(-1, 1, 50)[:, None]
    >>> blend_parts(np.stack([Y + 0.01, Y - 0.01, 0 * Y]), Y).round(2)
    array([0.5, 0.5, 0. ])
    """
    count = len(predictions)
    if counts is not None:
        # Parts sum to one, so that a constant for all is of no account.
        middle, root = np.average(Y, axis=0, weights=counts), np.sqrt(counts)[:, None]
        predictions, Y = root * (predictions - middle), root * (Y - middle)
    A, b = predictions.reshape(count, -1).T, Y.ravel()
    scale = max(float(np.linalg.norm(Y - Y.mean(axis=0))), 1e-12)
    residual = min(float(np.mean(np.sum((one - Y) ** 2, axis=1))) for one in predictions)
    tie, one = np.sqrt(PULL * residual) + 1e-9 * scale, 1e3 * scale
    left = np.vstack([A, one * np.ones((1, count)), tie * np.eye(count)])
    parts = nnls(left, np.concatenate([b, [one], np.full(count, tie / count)]))[0]
    parts /= parts.sum()
    parts[parts < LEAST_PART] = 0.0
    return np.asarray(parts / parts.sum())
