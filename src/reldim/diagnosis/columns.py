"""Which columns matter: their shares of the signal, and what the error would be without them.

Everything is read off folds: a kernel with weights that were learned from the other rows is fitted
to these rows, and looks at the held-out ones.

- *Share.* The fit is evaluated with the values of one column exchanged among held-out rows; half of
  the mean squared change is the part of its variance that rests on the column, interactions
  included (the total effect of sensitivity analysis). Shares are these over their sum.
- *Error without.* The same kernel without the column is fitted again. By how much the held-out
  losses rise, row by row, gives the error and a one-sided t test.

Columns with the same information divide its share: each alone may seem to matter little.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse import issparse

from reldim.diagnosis.expectation import (
    LEAST_ROWS,
    MOST_CLASSES,
    too_many_classes,
    too_small_classes,
)
from reldim.diagnosis.problem import Problem
from reldim.inputs.cores import side_by_side
from reldim.kernels import Kernel
from reldim.relevance.estimation import SIGNIFICANCE
from reldim.search.blend import CrossFit, Fold, Rows, some_of
from reldim.search.fits import ridge_weights
from reldim.search.weights import LearnedKernel, weights_of, without_group

__all__ = [
    "COVERAGE",
    "NO_SIGNAL",
    "ColumnShare",
    "Droppable",
    "column_shares",
    "droppable_columns",
    "leading_member",
    "why_no_shares",
]

Array = NDArray[np.float64]

#: Rows of a fold that are fitted at most, and held-out rows that are looked at.
ROWS = 500

#: A column whose exchange changes less than this share of the variance is not looked at.
NOTHING = 1e-4

#: Columns that raise the error by less than this share of what is explained can be left out.
LITTLE = 0.01

#: What is said where columns could be weighed, but carry nothing.
NO_SIGNAL = "No column carries signal: they predict the target no better than chance."

#: Probability that the interval of a share is to hold.
COVERAGE = 0.9


@dataclass(frozen=True)
class ColumnShare:
    """How much a column of the table matters.

    Attributes
    ----------
    name : str
        The column.
    share : float
        Its share of the signal, between 0 and 1; the shares of all columns sum to 1.
    low, high : float
        90 % interval of the share, from how much it differs between folds, which have most of
        their rows in common.
    error_without : float
        The error to expect without the column.
    p_value : float
        Probability that a column that does not matter raises the error by as much.
    """

    name: str
    share: float
    low: float
    high: float
    error_without: float
    p_value: float


@dataclass(frozen=True)
class Droppable:
    """Columns that can be left out together.

    Attributes
    ----------
    names : tuple of str
        The columns, the one of least share first.
    error_without : float
        The error to expect without all of them.
    p_value : float
        Probability that columns that do not matter raise the error by as much.
    """

    names: tuple[str, ...]
    error_without: float
    p_value: float


def column_shares(
    found: CrossFit, names: Sequence[str], error: float | None = None
) -> tuple[ColumnShare, ...]:
    """Tell how much each column of the table matters.

    Parameters
    ----------
    found : CrossFit
        A blend with its folds.
    names : sequence of str
        Names of the groups of coordinates.
    error : float, optional
        The error to expect with all columns, by default that of the blend.

    Returns
    -------
    tuple of ColumnShare
        One per column, the largest share first.
    """
    lead = leading_member(found)
    answers = list(
        side_by_side(lambda fold: _look(found.rows, fold, fold.kernels[lead]), found.folds)
    )
    rises = np.concatenate([rise for rise, _ in answers], axis=1)
    effects = np.array([effect for _, effect in answers])
    totals = np.maximum(effects.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    shares = effects / totals
    mean = shares.mean(axis=0)
    folds = len(shares)
    # Each fold learned from most of the rows that the others did: the grouped jackknife.
    spread = np.sqrt((folds - 1) * shares.var(axis=0))
    half = stats.t.ppf((1 + COVERAGE) / 2, folds - 1) * spread
    rows = [
        ColumnShare(
            name,
            float(mean[g]),
            float(max(0.0, mean[g] - half[g])),
            float(min(1.0, mean[g] + half[g])),
            _error_without(found, rises[g], error),
            _p_value(rises[g]),
        )
        for g, name in enumerate(names)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.share, row.p_value, row.name)))


def droppable_columns(
    found: CrossFit, names: Sequence[str], shares: Sequence[ColumnShare], error: float
) -> Droppable:
    """Find the columns that can be left out together.

    A column that another one repeats seems not to matter by itself, and so does the other: both
    cannot be left out. So columns are left out in the order of their shares, as long as held-out
    losses do not rise beyond chance, or rise by next to nothing.

    Parameters
    ----------
    found : CrossFit
        A blend with its folds.
    names : sequence of str
        Names of the groups of coordinates.
    shares : sequence of ColumnShare
        How much each of them matters, the most important first.
    error : float
        The error to expect with all columns.

    Returns
    -------
    Droppable
        The columns, and the error to expect without them.
    """
    lead = leading_member(found)
    explained = float(np.sum(found.rows.Y.var(axis=0))) * _unit(found) - found.error
    little = error + LITTLE * max(0.0, explained)
    idle = [
        row.name
        for row in reversed(shares)
        if row.p_value > SIGNIFICANCE or row.error_without < little
    ]

    places = {name: place for place, name in enumerate(names)}

    def rises(count: int) -> Array:
        groups = [places[name] for name in idle[:count]]
        own = np.isin(found.rows.groups, groups)
        parts = side_by_side(
            lambda fold: _rises_without(found.rows, fold, fold.kernels[lead], own), found.folds
        )
        return np.concatenate(list(parts))

    # Most often all of them can go; else the largest number is found by halving.
    low, high, count = 0, len(idle) + 1, len(idle)
    kept = np.zeros(2)
    while high - low > 1:
        tried = rises(count)
        if _p_value(tried) > SIGNIFICANCE or _error_without(found, tried, error) < little:
            low, kept = count, tried
        else:
            high = count
        count = (low + high) // 2
    return Droppable(tuple(idle[:low]), _error_without(found, kept, error), _p_value(kept))


def why_no_shares(problem: Problem, kernel: Kernel, *, named: bool) -> str:
    """Say why a diagnosis has no shares of columns.

    Parameters
    ----------
    problem : Problem
        The data as they were used.
    kernel : Kernel
        The kernel that was chosen.
    named : bool
        Whether the caller named kernels.

    Returns
    -------
    str
        A sentence.
    """
    X, n = problem.X, problem.targets.n
    reasons = {
        "A kernel matrix holds no columns, so that none can be weighed.": (
            kernel.domain == "precomputed"
        ),
        "Kernels of sequences have no weights of columns. Pass columns of numbers.": (
            kernel.domain == "sequences"
        ),
        "Kernels that are named weigh columns alike. Leave them out.": named,
        "Weights are not learned from sparse data. Pass the columns of interest as an array.": (
            issparse(X)
        ),
        "There is a single column: whatever can be learned, it carries.": (
            np.ndim(X) == 2 and len(problem.column_names) < 2
        ),
        f"Too few rows to learn weights of columns: {n}, or too few of a class.": (
            n < LEAST_ROWS or too_small_classes(problem.targets)
        ),
        f"Weights of columns are learned for {MOST_CLASSES} classes at most.": (
            too_many_classes(problem.targets)
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), NO_SIGNAL)


def _rises_without(rows: Rows, fold: Fold, learned: LearnedKernel, own: NDArray[np.bool_]) -> Array:
    """Return rises of the held-out loss without some coordinates."""
    part, new = (rows.take(some_of(each, ROWS)) for each in (fold.learned_from, fold.held_out))
    mean = part.Y.mean(axis=0)
    penalty = learned.noise
    blind = without_group(learned.kernel, own.astype(np.intp), 1)
    losses = [
        np.sum(
            (
                new.Y
                - mean
                - k(new.X, part.X) @ ridge_weights(_matrix(k, part.X), part.Y - mean, penalty)
            )
            ** 2,
            axis=1,
        )
        for k in (learned.kernel, blind)
    ]
    return np.asarray(losses[1] - losses[0])


def _error_without(found: CrossFit, rises: Array, error: float | None) -> float:
    """Return the error to expect where losses rise by so much."""
    base = found.error if error is None else error
    return base + max(0.0, float(rises.mean())) * _unit(found)


def leading_member(found: CrossFit) -> int:
    """Return the number of the member with learned weights that counts most."""
    parts = [
        -1.0 if member.equal else float(part)
        for member, part in zip(found.members, found.parts, strict=True)
    ]
    return int(np.argmax(parts))


def _look(rows: Rows, fold: Fold, learned: LearnedKernel) -> tuple[Array, Array]:
    """Return rises of the held-out loss without each column, and the effect of each."""
    groups = int(rows.groups.max()) + 1
    rows, learned = _with_weight(rows, learned)
    part, new = (rows.take(some_of(each, ROWS)) for each in (fold.learned_from, fold.held_out))
    mean = part.Y.mean(axis=0)
    penalty = learned.noise
    dual = ridge_weights(_matrix(learned.kernel, part.X), part.Y - mean, penalty)
    predicted = learned.kernel(new.X, part.X) @ dual
    losses = np.sum((new.Y - mean - predicted) ** 2, axis=1)
    rises, effects = np.zeros((groups, len(new.X))), np.zeros(groups)
    order = np.random.default_rng(len(new.X)).permutation(len(new.X))
    least = NOTHING * float(np.sum(part.Y.var(axis=0)))
    for group in np.unique(rows.groups):
        exchanged = new.X.copy()
        own = rows.groups == group
        exchanged[:, own] = new.X[order][:, own]
        moved = learned.kernel(exchanged, part.X) @ dual
        effects[group] = 0.5 * float(np.mean(np.sum((moved - predicted) ** 2, axis=1)))
        if effects[group] > least:
            blind = without_group(learned.kernel, rows.groups, group)
            weights = ridge_weights(_matrix(blind, part.X), part.Y - mean, penalty)
            other = blind(new.X, part.X) @ weights
            rises[group] = np.sum((new.Y - mean - other) ** 2, axis=1) - losses
    return rises, effects


def _with_weight(rows: Rows, learned: LearnedKernel) -> tuple[Rows, LearnedKernel]:
    """Leave out coordinates without any weight, which change nothing."""
    weights = weights_of(learned.kernel)
    if weights.all():
        return rows, learned
    some = weights > 0
    kernel = replace(learned.kernel, weights=tuple(weights[some]))  # type: ignore[type-var]
    part = replace(rows, X=rows.X[:, some], groups=rows.groups[some])
    return part, replace(learned, kernel=kernel)


def _matrix(kernel: Kernel, X: Array) -> Array:
    return np.asarray(kernel(X), dtype=np.float64)


def _unit(found: CrossFit) -> float:
    """Return what a unit of squared loss is in units of the error; for classes by proportion."""
    Y = found.rows.Y
    if found.rows.codes is None:
        return 1.0 / max(float(Y.var(axis=0).sum()), np.finfo(np.float64).tiny)
    squared = float(np.mean(np.sum((Y[found.judged] - found.held_out) ** 2, axis=1)))
    return found.error / max(squared, 1e-12)


def _p_value(rises: Array) -> float:
    """Test whether losses rise on the whole."""
    spread = float(rises.std(ddof=1)) / np.sqrt(len(rises))
    if spread == 0.0:
        return 1.0
    return float(stats.t.sf(float(rises.mean()) / spread, len(rises) - 1))
