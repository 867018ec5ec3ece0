"""Dependence: rows that are less alike than they seem to be independent.

Rows of one unit, days of a series and near copies of rows predict each other, so that held-out
errors of mixed rows are too low. Three kinds of evidence are looked for without being asked:

- rows in an order (that of the file, or of a date): extra trees err more where neighbours in the
  order are held out together than where rows are mixed;
- a column whose values name units (its rows stand together, and other columns are constant or
  ascend within them): extra trees err more where units are held out whole;
- twins: rows whose nearest neighbour is much nearer than distances to further neighbours lead one
  to expect.

The columns that may tell are listed by :mod:`reldim.diagnosis.suspects`.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from reldim.diagnosis.expectation import Expectation
from reldim.diagnosis.references import compare_models
from reldim.diagnosis.suspects import LEAST_ROWS, Suspect
from reldim.diagnosis.verdicts import Verdict, finding
from reldim.inputs.splits import Folds, Splits
from reldim.search.blend import CrossFit, cross_predict
from reldim.search.drawn_rows import draw_rows

__all__ = ["find_dependence"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: How sure a test must be, and by how much errors must differ.
SURE, MUCH = 0.001, 1.1

#: Losses below this share of the mean are alike.
LITTLE = 0.1

#: Rows have twins where distances to neighbours jump by such a factor, which chance does with such
#: a probability at one place; the share of rows that do.
LEAST_GAP, BY_CHANCE, MANY_TWINS = 2.0, 0.02, 0.25
NEAR, FAR = 10, 20

#: Rows whose neighbours are looked at.
ROWS = 1000


def find_dependence(suspects: tuple[Suspect, ...], seen: Expectation, seed: int) -> Verdict | None:
    """Judge whether rows depend on each other, and what that does to the error.

    Parameters
    ----------
    suspects : tuple of Suspect
        Ways in which they may.
    seen : Expectation
        The experiment, in which rows were mixed.
    seed : int
        Seed of the trees.

    Returns
    -------
    Verdict or None
        The finding, None where nothing shows or where the caller said how rows depend.
    """
    targets, X = seen.targets, seen.X
    if targets is None or X is None or seen.dependent or targets.n < LEAST_ROWS:
        return None
    known = [model.losses for model in seen.references if model.model == "extra trees"]
    mixed = known[0] if known else _trees(seen, Splits(targets.n, targets.codes).folds(seed), seed)
    found = []
    for suspect in suspects:
        splits = suspect.splits.take(seen.rows)
        folds = _apart(splits, seed)
        if folds is None:
            continue
        losses = _trees(seen, folds, seed)
        told = _rises(splits, mixed, losses)
        if not told and splits.groups is not None and seen.blend is not None:
            # Trees may miss a unit that kernels know by its other columns.
            told = _rises(splits, seen.losses, _blended(seen.blend, folds))
        if told:
            found.append(_finding(suspect.words, suspect.option, seen, folds, losses, mixed))
    if found:
        return max(found, key=lambda one: one.figures["error_apart"])
    return _twins(seen, mixed, seed)


def _rises(splits: Splits, mixed: Array, apart: Array) -> bool:
    """Return whether losses clearly rise where rows are kept apart."""
    # By squares a few rows may hide the others, by logarithms many small rises show.
    little = LITTLE * mixed.mean() + np.finfo(np.float64).tiny
    rises = (apart - mixed, np.log(apart + little) - np.log(mixed + little))
    return bool(apart.mean() > MUCH * mixed.mean() and min(map(splits.p_value, rises)) <= SURE)


def _blended(blend: CrossFit, folds: Folds) -> Array:
    """Return the losses of the members of a blend that learn anew in other folds."""
    return blend.rows.losses(cross_predict(blend, folds), folds.judged)


def _apart(splits: Splits, seed: int) -> Folds | None:
    """Divide rows into units, or stretches of an order, that are held out whole."""
    if splits.groups is not None:
        return splits.folds(seed) if len(np.unique(splits.groups)) > 1 else None
    assert splits.order is not None
    rank = np.argsort(np.argsort(splits.order, kind="stable"), kind="stable")
    return Splits(splits.n, groups=rank * 5 // splits.n).folds(seed)


def _trees(seen: Expectation, folds: Folds, seed: int) -> Array:
    """Return the losses of extra trees, row by row."""
    assert seen.targets is not None
    assert seen.X is not None
    splits = Splits(seen.targets.n)
    (found,) = compare_models(seen.X, seen.targets, folds, splits, seed, only=("extra trees",))
    return found.losses


def _twins(seen: Expectation, mixed: Array, seed: int) -> Verdict | None:
    """Find rows whose nearest neighbour is nearer than further ones lead one to expect."""
    assert seen.targets is not None
    assert seen.X is not None
    some = draw_rows(seen.targets, ROWS, seed) if seen.targets.n > ROWS else None
    X = seen.X
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    if X.shape[1] == 0 or len(X) <= 2 * FAR:
        return None
    asked = X if some is None else X[some]
    distances, neighbours = (np.asarray(one) for one in KDTree(X).query(asked, FAR + 1))
    distances, neighbours = distances[:, 1:], neighbours[:, 1:]
    usable = (distances[:, 0] > 0) & (distances[:, -1] > distances[:, NEAR - 1])
    if usable.mean() < 0.5:
        return None
    # Distances to further neighbours grow with the root of their number of the dimension.
    growth = np.median(np.log(distances[usable, -1] / distances[usable, NEAR - 1]))
    dimension = np.log(FAR / NEAR) / float(growth)
    # Of rows in no groups the next distance is t times the k-th with probability t^-kd.
    places = np.arange(1, FAR)
    gap = np.maximum(LEAST_GAP, BY_CHANCE ** (-1.0 / (places * dimension)))
    # Equal rows are not usable, and have no distance to divide by.
    before = np.where(distances[:, :-1] > 0, distances[:, :-1], np.inf)
    steps = distances[:, 1:] / before
    gaps = (steps > gap) & usable[:, None]
    share = float(gaps.any(axis=1).mean())
    if share < MANY_TWINS:
        return None
    rows = np.arange(len(X)) if some is None else some
    # Rows before the last gap belong together.
    last = np.where(gaps.any(axis=1), FAR - 1 - gaps[:, ::-1].argmax(axis=1), 0)
    close = np.arange(FAR) < last[:, None]
    groups = _joined(len(X), rows, neighbours, close)
    splits = Splits(len(X), groups=groups)
    folds = _apart(splits, seed)
    if folds is None:
        return None
    losses = _trees(seen, folds, seed)
    if not _rises(splits, mixed, losses):
        return None
    return _finding(
        f"rows that nearly repeat each other ({share:.0%} of them have a twin)",
        "groups= with what names the origin of each row (--groups COLUMN), or leave near copies "
        "out",
        seen,
        folds,
        losses,
        mixed,
    )


def _joined(n: int, rows: Indices, neighbours: Indices, close: NDArray[np.bool_]) -> Indices:
    """Give twins the same number."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first, second = np.repeat(rows, close.sum(axis=1)), neighbours[close]
    links = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def _finding(
    words: str, option: str, seen: Expectation, folds: Folds, losses: Array, mixed: Array
) -> Verdict:
    """Say what depends, and what the error is where dependent rows are kept apart."""
    trees = float(losses.mean()), float(mixed.mean())
    before, apart = seen.error, seen.error * trees[0] / max(trees[1], 1e-12)
    if seen.blend is not None:
        apart = float(_blended(seen.blend, folds).mean())
    return finding(
        "RD020",
        "warning",
        f"It seems that {words} depend on each other. Where such rows are kept apart, the "
        f"predictor errs by {apart:.1%} instead of {before:.1%} (extra trees: {trees[0]:.1%} "
        f"instead of {trees[1]:.1%}). For new rows that are not like this the larger figure holds.",
        f"Diagnose again with {option}: all figures here rest on mixed rows, and are too good for "
        "new units or later times.",
        {
            "error_mixed": before,
            "error_apart": apart,
            "trees_mixed": trees[1],
            "trees_apart": trees[0],
        },
    )
