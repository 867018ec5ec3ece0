"""Expectation: what the predictor errs on new rows, and what other models do on the same rows."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from reldim.diagnosis.forecast import LearningCurve
from reldim.diagnosis.problem import Problem
from reldim.diagnosis.references import Reference, compare_models, row_losses
from reldim.eigensolvers import decompose_gram
from reldim.inputs.cores import side_by_side
from reldim.inputs.random_state import seed_of
from reldim.inputs.rows import RowBlocks
from reldim.inputs.splits import Folds, Splits
from reldim.inputs.stages import tell
from reldim.inputs.targets import Targets, decide
from reldim.relevance.estimation import RelevantDimension, estimate
from reldim.relevance.noise import HELD_OUT_NOISE, held_out_losses
from reldim.search.blend import MOST_ROWS, CrossFit, cross_fit, cross_predict
from reldim.search.coordinates import Coordinates
from reldim.search.drawn_rows import draw_rows, ordered_by_content
from reldim.search.row_steps import is_constant
from reldim.spectrum.gram import Gram

__all__ = [
    "LEAST_ROWS",
    "MOST_CLASSES",
    "Expectation",
    "expect",
    "too_many_classes",
    "too_small_classes",
]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows below which neither weights nor other models are worth a look.
LEAST_ROWS = 20

#: Classes that blends tell apart at most: each pair of them takes a fit of its own.
MOST_CLASSES = 30

#: Standard errors by which the cut-off must be ahead of a blend, row by row, to be preferred.
AHEAD = 1.0

#: The closed-form error of a kernel that was chosen by the same rows reads low by about this much.
FLATTERED = 1.05

#: Where the kernels of the search see nothing, a blend must be ahead of a constant by more than
#: chance does with this probability.
BY_CHANCE = 0.001

#: By what the rows of a fold are divided for the errors with fewer of them, and the fewest rows
#: that are learned from.
DIVISORS = (2, 4, 8)
LEAST_LEARNED = 10

#: Rows that noise is looked for in at most.
NOISE_ROWS = 400

#: Held-out rows that are enough to see how much more fewer rows to learn from err.
ENOUGH = 600


@dataclass(frozen=True)
class Expectation:
    """Errors on rows that had no part in a fit.

    Attributes
    ----------
    curve : LearningCurve
        The error by the number of rows.
    blend : CrossFit or None
        The predictor where it is a blend of kernels with learned weights; None where it is least
        squares on the relevant components.
    learned : CrossFit or None
        Kernels with learned weights that see signal, whether or not they predict best.
    references : tuple of Reference
        Other models, on the same rows.
    ahead : tuple of float
        By how many standard errors each of them is ahead of the predictor, row by row.
    signal_p_value : float
        Probability that a blend without any signal is ahead of a constant by as much.
    targets : Targets or None
        The targets of the rows that were tried on.
    X : ndarray or None
        Their columns of numbers.
    rows : ndarray of int
        The numbers of these rows.
    judged : ndarray of int
        Which of these rows were held out.
    predicted, losses : ndarray of shape (judged, ...)
        What the predictor says about them, as in :class:`~reldim.diagnosis.held_out.HeldOut`, and
        what it errs.
    dependent : bool
        Whether rows depend on each other, so that single rows tell nothing by being left out.
    equal_weights : tuple of float or None
        Where a blend predicts: the error with equal weights of all columns, and by how many
        standard errors the blend is ahead of it.
    """

    curve: LearningCurve = field(repr=False)
    blend: CrossFit | None = field(default=None, repr=False)
    learned: CrossFit | None = field(default=None, repr=False)
    references: tuple[Reference, ...] = ()
    ahead: tuple[float, ...] = ()
    signal_p_value: float = 1.0
    targets: Targets | None = field(default=None, repr=False)
    X: Array | None = field(default=None, repr=False)
    rows: Indices = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)
    judged: Indices = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)
    predicted: Array = field(default_factory=lambda: np.zeros((0, 1)), repr=False)
    losses: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    dependent: bool = False
    equal_weights: tuple[float, float] | None = None

    @property
    def error(self) -> float:
        """The error to expect of the predictor, which learns from all rows."""
        return float(self.curve.error(self.curve.n))

    @property
    def standard_error(self) -> float:
        """How far it may be off."""
        return self.curve.standard_error


def expect(
    problem: Problem,
    rd: RelevantDimension,
    *,
    learn: bool,
    references: bool,
    random_state: int | None = None,
) -> Expectation:
    """Tell the error of the best predictor at hand, and of other models.

    Parameters
    ----------
    problem : Problem
        The data as they were used.
    rd : RelevantDimension
        The estimate under the best kernel.
    learn : bool
        Try kernels with learned weights.
    references : bool
        Try models of other kinds.
    random_state : int, optional
        Seed.

    Returns
    -------
    Expectation
        The errors.
    """
    targets, seed = rd.targets, seed_of(random_state)
    drawn = _rows_to_try(problem, rd, seed)
    if drawn is None:
        return Expectation(_curve_without_folds(rd))
    tried = _Experiment(rd, drawn, drawn.splits.folds(seed), seed)
    found = tried.learned(problem) if learn else None
    splits, judged = drawn.splits, tried.folds.judged
    p_value = 1.0 if found is None else splits.p_value(_gain(found), judged)
    learned = None if rd.dimension == 0 and p_value > BY_CHANCE else found
    found = learned
    if learned is not None:
        predicted, losses = learned.held_out, learned.losses
    # In closed form, which leaves out single rows and reads low, it may be no better already.
    if learned is None or splits.dependent or rd.error_estimate < learned.error:
        own = tried.cut_off(tried.folds)
        cut_off = tried.losses(own, judged)
        # Of many rows the blend sees some, least squares on components all.
        sees_more = drawn.targets.n < targets.n and not splits.dependent
        if (
            learned is None
            or splits.lead(losses - cut_off, judged) > AHEAD
            or (sees_more and FLATTERED * rd.error_estimate < learned.error)
        ):
            found, predicted, losses = None, own, cut_off
    curve = tried.curve(found, losses, targets.n)
    models = tried.references() if references else ()
    ahead = tuple(splits.lead(losses - model.losses, judged) for model in models)
    # Models learned from the rows of a fold; with all rows they would gain about as much.
    gain = float(curve.error(curve.n)) / max(float(losses.mean()), 1e-12)
    return Expectation(
        curve,
        found,
        learned,
        tuple(model.scaled(min(1.0, gain)) for model in models),
        ahead,
        p_value,
        drawn.targets,
        drawn.X,
        drawn.rows,
        judged,
        predicted,
        losses,
        splits.dependent,
        None if found is None else tried.with_equal_weights(found),
    )


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Rows in memory that are tried on, what kernels see of them, and their targets."""

    rows: Indices
    points: Any
    targets: Targets
    splits: Splits
    X: Array | None


def _rows_to_try(problem: Problem, rd: RelevantDimension, seed: int) -> _Drawn | None:
    """Draw rows that are fitted, from this process or from a cluster; None for other data.

    None as well where they are too few to fit anything.
    """
    targets, points = rd.targets, rd.spectrum.gram.points
    if targets.n < LEAST_ROWS or too_small_classes(targets):
        return None
    vectors = rd.spectrum.gram.kernel.domain in {"vectors", "any"}
    if isinstance(points, RowBlocks):
        rows = draw_rows(targets, MOST_ROWS, seed)
        X = _numbers(problem.rows_at(rows)) if vectors else None
        if X is None:
            return None
        order = ordered_by_content(X, targets.as_they_are(rows))
        # Rows of blocks are taken in ascending order.
        held = targets.as_they_are(rows).as_they_are(order)
        own, X = X[order], X[order]
        drawn = _Drawn(rows[order], own, held, Splits(held.n, held.codes), X)
    else:
        targets = targets.in_memory()
        X = _numbers(problem.X) if vectors else None
        seen = points if sparse.issparse(points) else X
        order = np.arange(targets.n) if seen is None else ordered_by_content(seen, targets)
        splits = problem.splits.take(order)
        rows = order[splits.draw(MOST_ROWS, seed)]
        held = targets.as_they_are(rows)
        drawn = _Drawn(
            rows,
            _in_double(points[rows]),
            held,
            problem.splits.take(rows),
            None if X is None else X[rows],
        )
    return None if is_constant(np.asarray(drawn.targets.values)) else drawn


def _in_double(points: Any) -> Any:
    """Return rows of single precision in double: the same numbers are to err the same."""
    single = isinstance(points, np.ndarray) and points.dtype == np.float32
    return points.astype(np.float64) if single else points


def _numbers(X: Any) -> Array | None:
    """Return columns of numbers in memory, None for other data."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float64)
    return None


def _curve_without_folds(rd: RelevantDimension) -> LearningCurve:
    """Return what a single error tells, by leaving out single rows in closed form."""
    error, targets = rd.error_estimate, rd.targets
    spread = 0.0
    if isinstance(targets.values, np.ndarray):
        fits = rd.left_out
        losses = row_losses(
            targets, fits if targets.codes is None else decide(fits + targets.offset)
        )
        spread = float(losses.var(ddof=1)) / len(losses)
    return LearningCurve.of(
        [float(targets.n)],
        np.array([error]),
        np.array([[spread]]),
        n=targets.n,
        task=targets.task,
        constant=targets.constant_error,
    )


@dataclass(frozen=True, eq=False)
class _Experiment:
    """Models that are fitted to the rows of folds, and judged by those that these hold out."""

    rd: RelevantDimension
    drawn: _Drawn
    folds: Folds
    seed: int

    def learned(self, problem: Problem) -> CrossFit | None:
        """Fit the blend; None where there are no columns to weigh, or too many classes."""
        X, targets = self.drawn.X, self.drawn.targets
        if X is None or X.shape[1] < 2 or too_many_classes(targets):
            return None
        sources = None if problem.table is None else problem.table.sources
        coordinates = Coordinates.of(X, sources or None)
        tell("weights")
        return cross_fit(X, targets, coordinates, splits=self.drawn.splits, random_state=self.seed)

    def cut_off(self, folds: Folds) -> Array:
        """Predict by least squares on relevant components, the kernel as it was chosen."""
        held, kernel = self.drawn.targets, self.rd.spectrum.gram.kernel
        targets = held.subset(np.arange(held.n))

        def predict(pair: tuple[Indices, Indices]) -> Array:
            train, test = pair
            some = self.drawn.points
            if is_constant(targets.values[train]):
                return np.tile(targets.values[train][:1], (len(test), 1))
            spectrum = decompose_gram(
                Gram(kernel, some[train]), center=self.rd.spectrum.center, random_state=self.seed
            )
            fit = estimate(spectrum, targets.subset(train), criterion=self.rd.criterion)
            scores, bounds = fit.expansion(some[test]), fit.bounds
            if targets.codes is None and bounds is not None:
                scores = scores.clip(*bounds)
            return np.asarray(scores - targets.offset, dtype=np.float64)

        predicted = np.zeros((len(folds.judged), targets.values.shape[1]))
        found = side_by_side(predict, folds.pairs)
        for place, own in zip(folds.places, found, strict=True):
            predicted[place] = own
        if targets.codes is None:
            return predicted
        scores = predicted + targets.offset
        # Two classes are coded as -1 and 1, with one column.
        return np.hstack([-scores, scores]) / 2 if scores.shape[1] == 1 else scores

    def with_equal_weights(self, found: CrossFit) -> tuple[float, float]:
        """Return the error with equal weights of all columns, and how far a blend is ahead of it.

        Where no member has equal weights of all columns, the search among kernels has them.
        """
        losses, judged = found.losses_with_equal_weights, self.folds.judged
        if losses is None:
            losses = self.losses(self.cut_off(self.folds), judged)
        return float(losses.mean()), self.drawn.splits.lead(losses - found.losses, judged)

    def losses(self, predicted: Array, judged: Indices) -> Array:
        """Return what predictions for the rows that are judged err."""
        targets = self.drawn.targets
        decided = predicted if targets.codes is None else decide(predicted)
        return row_losses(targets, decided, judged)

    def curve(self, found: CrossFit | None, losses: Array, n: int) -> LearningCurve:
        """Return the error of the predictor by the number of rows that it learns from."""
        splits, count = self.drawn.splits, len(losses)
        some = self._enough_folds()
        places = np.sort(np.concatenate(self.folds.places[: len(some.pairs)]))
        rows, by_size = [self.folds.rows_learned_from], [losses]
        for divisor in DIVISORS:
            fewer = splits.smaller(some, divisor, self.seed)
            if min(len(train) for train, _ in fewer.pairs) < LEAST_LEARNED:
                break
            predicted = (
                self.cut_off(fewer)
                if found is None
                else cross_predict(found, fewer, random_state=self.seed)
            )
            # What more rows gain is known of some rows, and of all what these folds err.
            rise = self.losses(predicted, fewer.judged) - losses[places]
            own = losses.copy()
            own[places] += count / len(places) * rise
            rows.append(fewer.rows_learned_from)
            by_size.append(own)
        table = np.stack(by_size)
        covariance = splits.covariance(table, self.folds.judged)
        if self.drawn.targets.codes is not None:
            # That there is no mistake among k rows leaves shares of up to 3 in k possible.
            covariance = covariance + 3.0 / count**2
        errors = table.mean(axis=1)
        if found is None and self.drawn.targets.n < n and not splits.dependent:
            # All rows were fitted too, and single ones left out in closed form.
            rows, errors = [float(n), *rows], np.append(self.rd.error_estimate, errors)
            covariance = np.pad(covariance, ((1, 0), (1, 0)))
            covariance[0, 0] = covariance[1, 1] * count / n
        return LearningCurve.of(
            rows,
            errors,
            covariance,
            n=n,
            task=self.drawn.targets.task,
            constant=self.drawn.targets.constant_error,
            fitted=self.drawn.targets.n if found is not None else n,
            noise=self.noise(found),
        )

    def noise(self, found: CrossFit | None) -> tuple[Array, Array] | None:
        """Return shares of noise, and how unlikely held-out rows make them.

        Kernels were learned without these rows. None for classes, and for rows that depend on each
        other.
        """
        targets, splits = self.drawn.targets, self.drawn.splits
        if targets.codes is not None or splits.dependent:
            return None
        some = splits.draw(NOISE_ROWS, self.seed)
        if found is None:
            kernels = [[self.rd.spectrum.gram.kernel]] * len(self.folds.pairs)
            points = self.drawn.points
        else:
            members = np.flatnonzero(found.parts)
            kernels = [[fold.kernels[i].kernel for i in members] for fold in found.folds]
            points = found.rows.X
        Y = targets.values - targets.values.mean(axis=0)

        def losses(task: tuple[int, int]) -> Array:
            number, member = task
            train, test = (np.intersect1d(part, some) for part in self.folds.pairs[number])
            kernel, rows, new = kernels[number][member], points[train], points[test]
            K, between, own = (
                np.asarray(kernel.matrix(*pair), dtype=np.float64)
                for pair in ((rows, rows), (rows, new), (new, new))
            )
            return held_out_losses(K, between, own, Y[train], Y[test])

        count = len(kernels[0])
        tasks = [(number, member) for member in range(count) for number in range(len(kernels))]
        found_losses = np.array(list(side_by_side(losses, tasks)))
        # Summed over folds; of members and ratios the likeliest count most.
        by_member = found_losses.reshape(count, len(kernels), *found_losses.shape[1:]).sum(axis=1)
        return HELD_OUT_NOISE, -logsumexp(-by_member, axis=(0, 1))

    def _enough_folds(self) -> Folds:
        """Return folds that hold out enough rows to see what fewer rows to learn from cost."""
        splits, folds = self.drawn.splits, self.folds
        if splits.dependent:
            # A few units are no draw of all, and of an order the first folds learn from less.
            return folds
        return Folds.of(folds.pairs[: math.ceil(len(folds.pairs) * ENOUGH / splits.n)])

    def references(self) -> tuple[Reference, ...]:
        """Cross-validate other models on the same folds; none for data that are no columns."""
        X = self.drawn.X
        if X is None:
            return ()
        return compare_models(
            _standardised(X), self.drawn.targets, self.folds, self.drawn.splits, self.seed
        )


def _gain(found: CrossFit) -> Array:
    """Return by how much a constant errs more on each row, in squares."""
    Y = found.rows.Y
    without = np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)[found.judged]
    return np.asarray(without - np.sum((Y[found.judged] - found.held_out) ** 2, axis=1))


def too_small_classes(targets: Targets) -> bool:
    """Tell whether classes are too small, on the whole or one of them, to be learned in folds.

    Parameters
    ----------
    targets : Targets
        The targets.

    Returns
    -------
    bool
        False for numbers.
    """
    counts = targets.counts
    return counts is not None and bool(counts.min() < 2 or targets.n < 4 * len(counts))


def too_many_classes(targets: Targets) -> bool:
    """Tell whether there are more classes than blends tell apart."""
    return targets.classes is not None and len(targets.classes) > MOST_CLASSES


def _standardised(X: Array) -> Array:
    """Return columns of mean 0 and variance 1: trees take single precision, in any unit."""
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
