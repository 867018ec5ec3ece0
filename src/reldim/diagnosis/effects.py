r"""Effects: what the denoised target does along a column.

The fit :math:`f` is the blend of kernels with learned weights. Along a column of numbers its
*accumulated local effect* is shown (Apley and Zhu, 2020): the column is cut at quantiles
:math:`z_0 < z_1 < \ldots`, and

.. math:: g(z_k) = \sum_{j \le k} \frac{1}{n_j} \sum_{i : z_{j-1} < x_i \le z_j}
          f(z_j, \mathrm{rest}_i) - f(z_{j-1}, \mathrm{rest}_i)

is moved so that its mean over the rows is that of the fit. A row is only ever moved to the ends of
its own interval, so that no row is looked at that could not be there: where columns go together,
partial dependence asks for combinations that do not exist, and kernels answer them by the mean.

Categories have no neighbours. Each is given to all rows in turn, and the fit is averaged: this is
partial dependence.

The band comes from the folds: each learned its weights without a fifth of the rows, and the spread
of the five curves gives the standard error of a grouped jackknife.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.columns import COVERAGE, leading_member
from reldim.diagnosis.problem import Problem
from reldim.inputs.cores import side_by_side
from reldim.inputs.rows import RowBlocks
from reldim.search.blend import CrossFit, some_of
from reldim.search.fits import ridge_weights
from reldim.search.row_steps import points_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Effect", "column_effects"]

Array = NDArray[np.float64]

#: A function of prepared rows, of shape (rows, outputs).
Function = Callable[[Array], Array]

#: Rows that a curve rests on at most, and rows that categories are given to.
ROWS, CATEGORY_ROWS = 500, 200

#: Intervals of a column of numbers, categories and classes that are shown at most.
INTERVALS, CATEGORIES, CLASSES = 20, 20, 10

#: Numbers beyond these quantiles are left out: a curve would be mostly about single rows.
TAILS = (0.01, 0.99)

#: A dip or peak by this share of the range is named.
CLEAR = 0.2

#: Probabilities that change by less hardly change.
LITTLE = 0.05

#: Rows of a fold that are fitted at most.
FOLD_ROWS = 1000


@dataclass(frozen=True)
class Effect:
    """What the denoised target does along a column.

    Attributes
    ----------
    name : str
        The column.
    kind : {"numbers", "dates", "categories"}
        What it holds.
    places : tuple of float or str
        Where the target is looked at: numbers, dates as seconds since 1970, or categories.
    outputs : tuple of str
        What is predicted: "target", or the classes.
    values : tuple of tuple of float
        For each output the predictions at the places: numbers in the unit of the target, or
        probabilities of the class.
    low, high : tuple of tuple of float
        90 % band of the values.
    rows : tuple of int
        Rows around each place: of the category, or nearer to this place than to the next.
    of_numbers : bool
        Whether targets are numbers, not classes.
    """

    name: str
    kind: str
    places: tuple[float | str, ...]
    outputs: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    rows: tuple[int, ...]
    of_numbers: bool

    @property
    def labels(self) -> "tuple[float | str | pd.Timestamp, ...]":
        """The places as a table has them: numbers, dates, or categories."""
        if self.kind != "dates":
            return self.places
        import pandas as pd

        return tuple(pd.Timestamp(float(place), unit="s") for place in self.places)

    @property
    def shown(self) -> tuple[int, ...]:
        """The outputs that are worth a look: of two classes the second tells all."""
        two = len(self.outputs) == 2 and not self.of_numbers
        return (1,) if two else tuple(range(len(self.outputs)))

    @property
    def quantity(self) -> str:
        """What the values are."""
        if self.of_numbers:
            return "predicted target"
        return f"probability of {self.outputs[1]}" if len(self.shown) == 1 else "probability"

    @property
    def finding(self) -> str:
        """What happens along the column, in a few words."""
        if self.of_numbers and len(self.shown) > 1:
            return f"{self.name}: what the targets do"
        # Of several classes the one that changes most.
        output = max(self.shown, key=lambda j: float(np.ptp(self.values[j])))
        what = "the target" if self.of_numbers else self.outputs[output]
        values = np.array(self.values[output])
        if not self.of_numbers and np.ptp(values) < LITTLE:
            return f"{self.name}: changes little by itself"
        if self.kind == "categories":
            return f"{self.name}: {what} is highest for {self.places[int(values.argmax())]}"
        first, last = values[0], values[-1]
        dips = min(first, last) - values.min() > CLEAR * np.ptp(values)
        peaks = values.max() - max(first, last) > CLEAR * np.ptp(values)
        if dips or peaks:
            way = "falls, then rises" if dips else "rises, then falls"
            return f"{self.name}: {what} {'rises and falls' if dips and peaks else way}"
        way = "rises" if last > first else "falls"
        return f"{self.name}: {what} {way} from {first:.3g} to {last:.3g}"


def column_effects(
    found: CrossFit, problem: Problem, names: Sequence[str], seed: int
) -> tuple[Effect, ...]:
    """Tell what the denoised target does along columns.

    Parameters
    ----------
    found : CrossFit
        A blend with its folds.
    problem : Problem
        The data as they were used.
    names : sequence of str
        The columns to look at.
    seed : int
        Seed of the draw of rows.

    Returns
    -------
    tuple of Effect
        One per column of numbers, dates or categories; text has no order and is left out.
    """
    targets, data = problem.targets, problem.X
    drawn = np.sort(np.random.default_rng(seed).permutation(targets.n)[:ROWS])
    if not isinstance(data, RowBlocks):
        # In an order that does not depend on where rows stand.
        drawn = np.lexsort(np.asarray(data, dtype=np.float64).T)[drawn]
    X = np.asarray(points_of(data, drawn), dtype=np.float64)
    shown, outputs = _outputs(problem)
    offset = targets.offset if targets.classes is None else np.zeros(1)
    fits: list[Function] = [lambda rows: found.blend(rows) + offset, *_fold_fits(found)]
    columns = [column for name in names if (column := _column(problem, X, name)) is not None]
    return tuple(
        side_by_side(
            lambda column: _effect(
                column, fits, X, shown, outputs, classes=targets.classes is not None
            ),
            columns,
        )
    )


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of a table, as prepared rows hold it.

    Attributes
    ----------
    name, kind : str
        The column, and what it holds.
    own : ndarray of int
        The features that it was turned into.
    place : ndarray of int
        For each row the number of its place; -1 for rows without one.
    rows : ndarray of int
        For each place a row that is there.
    labels : tuple of float or str
        What the places are called.
    """

    name: str
    kind: str
    own: NDArray[np.intp]
    place: NDArray[np.intp]
    rows: NDArray[np.intp]
    labels: tuple[float | str, ...]


def _column(problem: Problem, X: Array, name: str) -> _Column | None:
    """Find the places of a column; None for text, and where there is one place only."""
    table = problem.table
    features: tuple[str, ...]
    if table is None or not table.sources:
        own, features = np.array([problem.column_names.index(name)]), (name,)
    else:
        own = np.flatnonzero([source == name for source in table.sources])
        features = tuple(table.feature_names[j] for j in own)
    if any(feature.startswith(f"{name} = ") for feature in features):
        return _categories(name, X, own, features)
    key = next((f for f in (name, f"{name}: total_seconds") if f in features), None)
    if key is None:
        return None
    feature = int(own[features.index(key)])
    mark = f"{name} is missing"
    known = np.ones(len(X), dtype=np.bool_)
    if mark in features:
        marks = X[:, own[features.index(mark)]]
        known = marks == marks.min()
    values = X[:, feature]
    edges = _edges(values[known])
    if len(edges) < 2:
        return None
    rows = np.array([np.flatnonzero(known & (values == edge))[0] for edge in edges])
    inside = known & (values >= edges[0]) & (values <= edges[-1])
    place = np.where(inside, np.maximum(np.searchsorted(edges, values), 1), -1)
    units = edges if table is None else table.transformer.in_units(feature, edges)
    labels = tuple(float(f"{value:.10g}") for value in units)
    return _Column(name, "numbers" if key == name else "dates", own, place, rows, labels)


def _edges(values: Array) -> Array:
    """Return the values at which a column of numbers is cut, all of them where they are few."""
    distinct = np.unique(values)
    if len(distinct) <= INTERVALS + 1:
        return np.asarray(distinct)
    levels = np.linspace(*TAILS, INTERVALS + 1)
    return np.unique(np.quantile(values, levels, method="nearest"))


def _categories(
    name: str, X: Array, own: NDArray[np.intp], features: tuple[str, ...]
) -> _Column | None:
    _, first, place, counts = np.unique(
        X[:, own], axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    most = np.argsort(-counts, kind="stable")[:CATEGORIES]
    if len(most) < 2:
        return None
    number = np.full(len(counts), -1)
    number[most] = np.arange(len(most))
    rows = first[most]
    # A category is where its feature has the larger of two values.
    high = X[:, own].max(axis=0)
    return _Column(
        name,
        "categories",
        own,
        number[place.ravel()],
        rows,
        tuple(_label(name, features, X[row, own] == high) for row in rows),
    )


def _label(name: str, features: tuple[str, ...], here: NDArray[np.bool_]) -> str:
    """Return the category of a row from the features that mark it."""
    marked = [
        f.removeprefix(f"{name} = ") for f, is_here in zip(features, here, strict=True) if is_here
    ]
    if not marked:
        return f"not {features[0].removeprefix(f'{name} = ')}"
    return "missing" if marked[0] == "nan" else marked[0]


def _outputs(problem: Problem) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which outputs are shown, and what they are called."""
    targets = problem.targets
    if targets.classes is None:
        count = len(targets.offset)
        named = ("target",) if count == 1 else tuple(f"target {j}" for j in range(count))
        return np.arange(min(count, CLASSES)), named[:CLASSES]
    assert targets.counts is not None
    most = np.sort(np.argsort(-targets.counts, kind="stable")[:CLASSES])
    return most, tuple(str(targets.classes[j]) for j in most)


def _fold_fits(found: CrossFit) -> list[Function]:
    """Fit the rows of each fold by the leading kernel with the weights that it learned."""
    lead, coordinates = leading_member(found), found.blend.coordinates

    def fit(fold: int) -> Function:
        learned = found.folds[fold].kernels[lead]
        part = found.rows.take(some_of(found.folds[fold].learned_from, FOLD_ROWS))
        mean = part.Y.mean(axis=0)
        K = np.asarray(learned.kernel(part.X), dtype=np.float64)
        dual = ridge_weights(K, part.Y - mean, learned.noise)
        return lambda rows: np.asarray(learned.kernel(coordinates(rows), part.X) @ dual + mean)

    return list(side_by_side(fit, range(len(found.folds))))


def _effect(
    column: _Column,
    fits: Sequence[Function],
    X: Array,
    shown: NDArray[np.intp],
    outputs: tuple[str, ...],
    *,
    classes: bool,
) -> Effect:
    trace = _averaged if column.kind == "categories" else _accumulated
    (centre, curve), *folds = [trace(column, fit, X) for fit in fits]
    fitted = (centre + curve)[:, shown].T
    spread = np.array([fold[:, shown].T for _, fold in folds])
    count = len(folds)
    # Each fold has most of its rows in common with the others.
    error = np.sqrt((count - 1) * spread.var(axis=0))
    half = stats.t.ppf((1 + COVERAGE) / 2, count - 1) * error
    ends = [fitted, fitted - half, fitted + half]
    if classes:
        ends = [np.clip(end, 0.0, 1.0) for end in ends]
    rows = np.bincount(column.place[column.place >= 0], minlength=len(column.labels))
    if column.kind != "categories":
        # The rows of an interval are shared by its ends.
        rows = (rows + np.append(rows[1:], 0) + 1) // 2
    values, low, high = (
        tuple(tuple(float(f"{v:.6g}") for v in one) for one in end) for end in ends
    )
    return Effect(
        column.name,
        column.kind,
        column.labels,
        outputs,
        values,
        low,
        high,
        tuple(rows.tolist()),
        of_numbers=not classes,
    )


def _accumulated(column: _Column, fit: Function, X: Array) -> tuple[Array, Array]:
    """Return the mean of a fit, and its accumulated local effect around it."""
    inside = np.flatnonzero(column.place >= 0)
    place = column.place[inside]
    ends = []
    for shift in (0, -1):
        moved = X[inside]
        moved[:, column.own] = X[column.rows[place + shift]][:, column.own]
        ends.append(fit(moved))
    steps = np.zeros((len(column.rows), ends[0].shape[1]))
    counts = np.bincount(place, minlength=len(steps)).astype(np.float64)
    np.add.at(steps, place, ends[0] - ends[1])
    curve = np.cumsum(steps / np.maximum(counts, 1.0)[:, None], axis=0)
    middle = 0.5 * (curve[1:] + curve[:-1])
    centred = curve - np.average(middle, axis=0, weights=counts[1:])
    return fit(X).mean(axis=0), np.asarray(centred)


def _averaged(column: _Column, fit: Function, X: Array) -> tuple[Array, Array]:
    """Return the mean of a fit, and what it is around it with each category in all rows."""
    rows = X[some_of(np.arange(len(X)), CATEGORY_ROWS)]
    values = []
    for row in column.rows:
        moved = rows.copy()
        moved[:, column.own] = X[row, column.own]
        values.append(fit(moved).mean(axis=0))
    centre = fit(X).mean(axis=0)
    return centre, np.array(values) - centre
