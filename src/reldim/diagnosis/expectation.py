"""Expectation: what the predictor errs on new rows, and what other models do on the same rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.diagnosis.problem import Problem
from reldim.diagnosis.references import Reference, compare_models, row_losses
from reldim.eigensolvers import decompose_gram
from reldim.inputs.cores import side_by_side
from reldim.inputs.random_state import seed_of
from reldim.inputs.rows import RowBlocks, is_lazy, picked
from reldim.inputs.targets import Targets, decide
from reldim.relevance.estimation import SIGNIFICANCE, RelevantDimension, estimate
from reldim.search.blend import MOST_ROWS, CrossFit, Fold, cross_fit, folds_of
from reldim.search.coordinates import Coordinates
from reldim.search.drawn_rows import draw_rows, ordered_by_content, rows_to_fit
from reldim.search.row_steps import is_constant, points_of
from reldim.search.weighted import ahead_of_constant
from reldim.spectrum.gram import Gram

__all__ = [
    "LEAST_ROWS",
    "MOST_CLASSES",
    "Expectation",
    "expect",
    "learned_estimates",
    "too_many_classes",
    "too_small_classes",
]

Array = NDArray[np.float64]

#: Rows below which neither weights nor other models are worth a look.
LEAST_ROWS = 20

#: Rows on which learned kernels are looked at for noise at most.
NOISE_ROWS = 1000

#: The closed-form error of a kernel that was chosen by the same rows reads low by about this much.
FLATTERED = 1.05

#: Classes that blends tell apart at most: each pair of them takes a fit of its own.
MOST_CLASSES = 30

#: Standard errors by which the cut-off must be ahead of a blend, row by row, to be preferred.
AHEAD = 1.0


@dataclass(frozen=True)
class Expectation:
    """Errors on rows that had no part in a fit.

    Attributes
    ----------
    error : float
        The error to expect of the predictor.
    standard_error : float
        How far it may be off by the chance of these rows.
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
        The targets of the rows that the blend was fitted to.
    rows : ndarray of int
        The numbers of these rows.
    equal_weights : tuple of float or None
        Where a blend predicts: the error with equal weights of all columns, and by how many
        standard errors the blend is ahead of it.
    """

    error: float
    standard_error: float
    blend: CrossFit | None = field(default=None, repr=False)
    learned: CrossFit | None = field(default=None, repr=False)
    references: tuple[Reference, ...] = ()
    ahead: tuple[float, ...] = ()
    signal_p_value: float = 1.0
    targets: Targets | None = field(default=None, repr=False)
    rows: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)
    equal_weights: tuple[float, float] | None = None


def expect(
    problem: Problem,
    rd: RelevantDimension,
    *,
    learn: bool,
    references: bool,
    random_state: int | None = None,
    sole: CrossFit | None = None,
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
    sole : CrossFit, optional
        Where the estimate is under a kernel with learned weights: its folds, which alone may judge.

    Returns
    -------
    Expectation
        The errors.
    """
    targets, seed = rd.targets, seed_of(random_state)
    vectors = rd.spectrum.gram.kernel.domain in {"vectors", "any"}
    drawn = _rows_in_memory(problem.X, targets, seed) if vectors else None
    if drawn is None or is_constant(drawn.targets.values):
        return Expectation(rd.error_estimate, _chance_of(rd))
    rows, held = drawn.rows, drawn.targets
    found = sole
    if found is None and learn and drawn.X.shape[1] > 1 and not too_many_classes(held):
        found = _learned(drawn.X, held, problem, random_state)
    p_value = 1.0 if found is None else ahead_of_constant(found)
    nothing = rd.dimension == 0 and p_value > (0.001 if sole is None else SIGNIFICANCE)
    learned = None if nothing else found
    cut_off_losses = _cut_off_losses(rd, rows, held)
    losses, error = cut_off_losses, rd.error_estimate
    if learned is None:
        found = None
    elif sole is not None:
        losses, error = sole.losses, sole.error
    elif len(rows) < targets.n and FLATTERED * rd.error_estimate < learned.error:
        # The cut-off sees all rows, the blend some of them.
        found = None
    else:
        cut_off = _cut_off_in_folds(rd, rows, held, learned)
        if cut_off is not None and _standard_errors(learned.losses - cut_off) > AHEAD:
            found, losses, error = None, cut_off, float(cut_off.mean())
        else:
            losses, error = learned.losses, learned.error
    chance = float(losses.std(ddof=1)) / np.sqrt(len(losses))
    models = _references(drawn.X, held, found, seed) if references else ()
    ahead = tuple(_standard_errors(losses - model.losses) for model in models)
    equal = (
        None if found is None or sole is not None else _with_equal_weights(found, cut_off_losses)
    )
    return Expectation(error, chance, found, learned, models, ahead, p_value, held, rows, equal)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Rows in memory that blends and other models are fitted to, and their targets."""

    rows: NDArray[np.intp]
    X: Array
    targets: Targets


def _rows_in_memory(X: Any, targets: Targets, seed: int) -> _Drawn | None:
    """Draw rows that are fitted, from this process or from a cluster; None for other data.

    None as well where they are too few to fit anything.
    """
    numbers = isinstance(X, (np.ndarray, RowBlocks)) and len(X.shape) == 2
    if not numbers or X.dtype.kind not in "biuf":
        return None
    if targets.n < LEAST_ROWS or too_small_classes(targets):
        return None
    if isinstance(X, np.ndarray):
        targets = targets.in_memory()
        rows = rows_to_fit(X, targets, MOST_ROWS, seed)
        return _Drawn(rows, np.asarray(X, dtype=np.float64)[rows], targets.as_they_are(rows))
    rows = draw_rows(targets, MOST_ROWS, seed)
    some, held = np.asarray(X.take(rows), dtype=np.float64), targets.as_they_are(rows)
    order = ordered_by_content(some, held)
    return _Drawn(rows[order], some[order], held.as_they_are(order))


def _chance_of(rd: RelevantDimension) -> float:
    """Return how far the error of an estimate may be off; 0 where a cluster holds the rows."""
    if not isinstance(rd.targets.values, np.ndarray):
        return 0.0
    losses = _cut_off_losses(rd, np.arange(rd.targets.n), rd.targets)
    return float(losses.std(ddof=1) / np.sqrt(len(losses)))


def _with_equal_weights(found: CrossFit, cut_off: Array) -> tuple[float, float]:
    """Return the error with equal weights of all columns, and how far a blend is ahead of it.

    Where no member has equal weights of all columns, the search among kernels has them.
    """
    alone = found.losses_with_equal_weights
    losses = cut_off if alone is None else alone
    return float(losses.mean()), _standard_errors(losses - found.losses)


def _cut_off_in_folds(
    rd: RelevantDimension, rows: NDArray[np.intp], held: Targets, found: CrossFit
) -> Array | None:
    """Return losses of least squares on relevant components, by the folds of a blend.

    None where the closed form, which leaves out single rows and so reads lower, is no better.
    """
    if rd.error_estimate >= found.error:
        return None
    points, kernel = points_of(rd.spectrum.gram.points, rows), rd.spectrum.gram.kernel
    held = held.subset(np.arange(held.n))

    def predict(fold: Fold) -> Array:
        train = fold.learned_from
        spectrum = decompose_gram(Gram(kernel, points[train]), center=rd.spectrum.center)
        fit = estimate(spectrum, held.subset(train), criterion=rd.criterion)
        scores = fit.expansion(points[fold.held_out])
        if held.codes is not None:
            return decide(scores).astype(np.float64)
        bounds = fit.bounds
        return (scores if bounds is None else scores.clip(*bounds)) - held.offset

    predicted = np.zeros(len(rows) if held.codes is not None else held.values.shape)
    for fold, own in zip(found.folds, side_by_side(predict, found.folds), strict=True):
        predicted[fold.held_out] = own
    return row_losses(held, predicted)


def learned_estimates(found: CrossFit, targets: Targets) -> list[RelevantDimension]:
    """Estimate the relevant dimension under the learned kernels of a blend, on some of its rows.

    Parameters
    ----------
    found : CrossFit
        The blend.
    targets : Targets
        The targets of its rows.

    Returns
    -------
    list of RelevantDimension
        One per member that counts, all from the same rows; all rows where these are few.
    """
    rows = draw_rows(targets, NOISE_ROWS, 0)
    points, held = found.rows.X[rows], targets if len(rows) == targets.n else targets.subset(rows)
    counting = [found.kernels[i].kernel for i in np.flatnonzero(found.parts)]
    return list(
        side_by_side(
            lambda kernel: estimate(decompose_gram(Gram.of(kernel, points), solver="dense"), held),
            counting,
        )
    )


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


def _cut_off_losses(rd: RelevantDimension, rows: NDArray[np.intp], held: Targets) -> Array:
    """Return the losses of some rows by least squares on the relevant components without them."""
    fits, targets = rd.left_out, rd.targets
    if lazy := is_lazy(fits):
        order = np.argsort(rows)
        fits, targets = np.asarray(picked(fits, rows[order]))[np.argsort(order)], held
    losses = row_losses(targets, fits if targets.codes is None else decide(fits + targets.offset))
    return losses if lazy else losses[rows]


def _learned(X: Array, targets: Targets, problem: Problem, random_state: int | None) -> CrossFit:
    sources = None if problem.table is None else problem.table.sources
    return cross_fit(X, targets, Coordinates.of(X, sources or None), random_state=random_state)


def _references(
    X: Array, targets: Targets, found: CrossFit | None, seed: int
) -> tuple[Reference, ...]:
    """Cross-validate other models, on the folds of the blend where there is one."""
    split = (
        folds_of(targets.n, targets.codes, seed)
        if found is None
        else [(fold.learned_from, fold.held_out) for fold in found.folds]
    )
    return compare_models(_standardised(X), targets, split, seed)


def _standardised(X: Array) -> Array:
    """Return columns of mean 0 and variance 1: trees take single precision, in any unit."""
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _standard_errors(differences: Array) -> float:
    """Return how many standard errors a mean lies above zero."""
    spread = float(differences.std(ddof=1)) / np.sqrt(len(differences))
    return float(differences.mean()) / spread if spread > 0 else 0.0
