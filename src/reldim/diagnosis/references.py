"""References: what other kinds of models reach on the same rows."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reldim.inputs.splits import Folds, Splits
from reldim.inputs.stages import tell
from reldim.inputs.targets import Targets
from reldim.search.weights import promising

__all__ = ["TREES", "Reference", "compare_models", "row_losses"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Trees of a forest, and rounds of boosting.
TREES, ROUNDS = 50, 50

#: Columns that models see at most: of more, those that go with the targets most closely by
#: themselves, chosen anew in each fold.
MOST_COLUMNS = 500


@dataclass(frozen=True)
class Reference:
    """A model of scikit-learn, cross-validated.

    Attributes
    ----------
    model : str
        What it is called.
    sees : str
        What it sees that a smooth kernel does not.
    error : float
        Its error, in the units of the error estimate.
    standard_error : float
        How far the error may be off by the chance of these rows.
    losses : ndarray
        The loss of each row by folds without it.
    """

    model: str
    sees: str
    error: float
    standard_error: float
    losses: Array = field(repr=False, compare=False)

    def scaled(self, factor: float) -> "Reference":
        """Return the model with errors that are so many times as large."""
        return replace(self, error=factor * self.error, standard_error=factor * self.standard_error)


def compare_models(
    X: Array,
    targets: Targets,
    folds: Folds,
    splits: Splits,
    seed: int = 0,
    only: Sequence[str] = (),
) -> tuple[Reference, ...]:
    """Cross-validate a linear model, boosted trees and extremely randomised trees.

    Parameters
    ----------
    X : ndarray of shape (n, columns)
        Numbers, scaled where a linear model is to use them.
    targets : Targets
        Their targets.
    folds : Folds
        Rows to learn from, and rows to predict.
    splits : Splits
        What of the losses is independent.
    seed : int
        Seed of the models.
    only : sequence of str
        Names of models, by default all.

    Returns
    -------
    tuple of Reference
        The models, in this order; several targets have no boosted trees.
    """
    makers = _makers(targets, seed)
    makers = {name: make for name, make in makers.items() if not only or name in only}
    given, unit = _given(targets)
    shape = (len(folds.judged), *given.shape[1:])
    predictions = {name: np.zeros(shape) for name in makers}
    # One after the other: trees of few rows hold the lock of the interpreter for most of the time,
    # and two threads that wait for it take half as long again. A linear model that has not quite
    # converged is as good a reference.
    with threadpool_limits(limits=1, user_api="openmp"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fold, ((train, test), place) in enumerate(zip(folds.pairs, folds.places, strict=True)):
            tell("references", fold, len(folds.pairs))
            some = promising(X[train], targets.values[train], np.arange(X.shape[1]), MOST_COLUMNS)
            seen = X if some is None else X[:, some]
            for name, make in makers.items():
                predictions[name][place] = _predicted(make(), seen[train], given[train], seen[test])
    tell("references", len(folds.pairs), len(folds.pairs))
    losses = {
        name: row_losses(targets, unit * predicted.reshape(len(predicted), -1), folds.judged)
        for name, predicted in predictions.items()
    }
    return tuple(
        Reference(
            name, _SEES[name], float(own.mean()), splits.standard_error(own, folds.judged), own
        )
        for name, own in losses.items()
    )


def _predicted(model: Any, X: Array, given: NDArray[Any], new: Array) -> NDArray[Any]:
    """Fit a model and predict new rows; where all rows are of one class, that class."""
    if given.dtype.kind == "i" and (given == given[0]).all():
        return np.full(len(new), given[0])
    return np.asarray(model.fit(X, given).predict(new))


def row_losses(targets: Targets, predicted: NDArray[Any], judged: Indices | None = None) -> Array:
    """Return the loss of each row: 1 for a wrong class, else a squared residual over the variance.

    Parameters
    ----------
    targets : Targets
        The targets.
    predicted : ndarray of shape (n,) or (n, outputs)
        Numbers of classes, or predictions without the offset.
    judged : ndarray of int, optional
        Which rows they are for, by default all of them.

    Returns
    -------
    ndarray of shape (n,)
        The losses; their mean is the error.
    """
    rows = slice(None) if judged is None else judged
    if targets.codes is not None:
        return np.asarray(predicted.ravel() != targets.codes[rows], dtype=np.float64)
    centred = targets.values - targets.values.mean(axis=0)
    residuals = np.sum((targets.values[rows] - predicted) ** 2, axis=1)
    return np.asarray(residuals / np.mean(np.sum(centred**2, axis=1)))


#: Names of the models, and what they see.
_SEES = {
    "linear model": "straight lines, which it carries beyond the rows at hand",
    "boosted trees": "thresholds in single columns, and interactions of a few",
    "extra trees": "thresholds in single columns, and interactions of many",
}


def _given(targets: Targets) -> tuple[NDArray[Any], float]:
    """Return what models learn: classes, or numbers of a size near 1, and their unit.

    Extra trees stop where the variance is below round-off of 1. The unit is a power of 2, which
    changes no digit.
    """
    if targets.codes is not None:
        return targets.codes, 1.0
    size = float(np.abs(targets.values).max())
    unit = float(2.0 ** round(math.log2(size))) if size > 0 else 1.0
    values = targets.values / unit
    return (values[:, 0] if values.shape[1] == 1 else values), unit


def _boosting(targets: Targets, seed: int) -> dict[str, Any]:
    """Return the settings of boosted trees.

    Fewer and smaller trees than scikit-learn's defaults: on tables of up to 2000 rows they err as
    little, in 40 % of the time. Each round grows one tree per class beyond two.
    """
    classes = 2 if targets.classes is None else len(targets.classes)
    rounds = ROUNDS if classes == 2 else max(ROUNDS // 2, 3 * ROUNDS // classes)
    return {"max_iter": rounds, "learning_rate": 0.15, "max_leaf_nodes": 15, "random_state": seed}


def _makers(targets: Targets, seed: int) -> dict[str, Callable[[], Any]]:
    """Return what makes each model; scikit-learn's trees are imported when they are wanted."""
    from sklearn import ensemble, linear_model

    if targets.codes is not None:
        return {
            "linear model": lambda: linear_model.LogisticRegression(max_iter=200, tol=1e-3),
            "boosted trees": lambda: ensemble.HistGradientBoostingClassifier(
                **_boosting(targets, seed)
            ),
            "extra trees": lambda: ensemble.ExtraTreesClassifier(TREES, random_state=seed),
        }
    makers: dict[str, Callable[[], Any]] = {
        "linear model": lambda: linear_model.RidgeCV(np.logspace(-3, 4, 15)),
        "boosted trees": lambda: ensemble.HistGradientBoostingRegressor(**_boosting(targets, seed)),
        "extra trees": lambda: ensemble.ExtraTreesRegressor(TREES, random_state=seed),
    }
    if targets.values.shape[1] > 1:
        del makers["boosted trees"]
    return makers
