"""Blends of kernels that learn which columns to look at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from reldim.exceptions import InputError, counted
from reldim.inputs.cores import on_cores
from reldim.inputs.random_state import seed_of
from reldim.inputs.row_weights import counted_rows
from reldim.inputs.rows import by_rows
from reldim.inputs.splits import Splits
from reldim.inputs.target_checks import pair_rows
from reldim.inputs.targets import Targets, code_targets
from reldim.kernels.points import admit
from reldim.relevance.noise_scale import NoiseScale, conformal_quantile
from reldim.search.blend import MOST_COLUMNS, MOST_ROWS, Blend, cross_fit
from reldim.search.coordinates import Coordinates
from reldim.search.drawn_rows import rows_to_fit

__all__ = ["KernelBlendClassifier", "KernelBlendRegressor"]

Array = NDArray[np.float64]

#: Rows, their targets, and what was predicted for them by fits without them.
HeldOutRows = tuple[Array, Targets, Array]

#: Rows that a draw of many must hold at least, for numbers; of classes two rows each.
LEAST_DRAWN = 10


class _KernelBlend(BaseEstimator):
    """What the regressor and the classifier share."""

    _blend: Blend

    def __init__(
        self,
        *,
        sources: Sequence[object] | None = None,
        max_rows: int = MOST_ROWS,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.sources = sources
        self.max_rows = max_rows
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def from_blend(
        cls,
        blend: Blend,
        targets: Targets,
        error: float,
        held_out: HeldOutRows,
        *,
        sources: Sequence[object] | None = None,
        random_state: int | None = None,
    ) -> Self:
        """Turn a blend into a fitted predictor.

        Parameters
        ----------
        blend : Blend
            The blend.
        targets : Targets
            The targets that it was fitted to.
        error : float
            The error to expect.
        held_out : tuple of ndarray, Targets and ndarray
            Rows, their targets, and predictions or probabilities for them by fits without them.
        sources : sequence, optional
            The column of the table that each column comes from.
        random_state : int, optional
            The seed that it was fitted with.

        Returns
        -------
        KernelBlendRegressor or KernelBlendClassifier
            The predictor. A clone of it fits all kernels of a blend anew.
        """
        model = cls(sources=sources, random_state=random_state)
        model.n_features_in_ = len(blend.coordinates.centre)
        model._adopt(blend, targets, error, held_out)
        return model

    def _fit(
        self, X: Array, targets: Targets, counts: Array | None, units: NDArray[np.intp] | None
    ) -> Self:
        if self.sources is not None and len(self.sources) != X.shape[1]:
            raise InputError(
                f"sources must name a column of the table for each of the {X.shape[1]} columns of "
                f"X. Got {counted(len(self.sources), 'name')}."
            )
        classes = 0 if targets.classes is None else len(targets.classes)
        least = max(LEAST_DRAWN, 2 * classes)
        if not isinstance(self.max_rows, Integral) or self.max_rows < least:
            raise InputError(
                f"max_rows must be a whole number of at least {least}: folds take that many rows. "
                f"Got {self.max_rows!r}."
            )
        seed = seed_of(self.random_state)
        splits = Splits(targets.n, targets.codes, units)
        rows = rows_to_fit(X, targets, int(self.max_rows), seed, weights=counts, splits=splits)
        X, targets = X[rows], targets.subset(rows)
        counts = None if counts is None else counts[rows]
        with on_cores(self.n_jobs):
            coordinates = Coordinates.of(X, self.sources)
            found = cross_fit(
                X,
                targets,
                coordinates,
                splits=splits.take(rows),
                counts=counts,
                random_state=self.random_state,
            )
        judged = found.judged
        held_out = X[judged], targets.as_they_are(judged), found.held_out
        self._adopt(found.blend, targets, found.error, held_out)
        return self

    @abstractmethod
    def _adopt(self, blend: Blend, targets: Targets, error: float, held_out: HeldOutRows) -> None:
        """Take over a blend."""

    def _rows(self, X: Any) -> Array:
        return np.asarray(validate_data(self, admit(X), reset=False, dtype=np.float64))

    def _values(self, X: Any) -> Array:
        return self._blend(self._rows(X))


class KernelBlendRegressor(RegressorMixin, _KernelBlend):
    """Regression by an average of kernels that learn which columns to look at.

    Five kernels (a product over columns and a Gaussian one, each with learned and equal weights,
    and a Laplacian one with learned weights) are fitted by ridge regression. Held-out predictions
    of five folds, in which all of this is learned anew, choose how strongly each is fitted and how
    much it counts. Columns are put on a common scale first, far values bent inwards.

    Parameters
    ----------
    sources : sequence, optional
        For each column of X the column of a table that it comes from: columns with equal sources,
        such as those of one category, share a weight. By default each column has its own.
    max_rows : int
        Rows that are fitted at most, drawn at random whatever their weights: the time grows with
        their cube.
    n_jobs : int, optional
        Folds that run side by side, in scikit-learn's sense; None stands for all usable cores.
    random_state : int, optional
        Seed of folds and draws. None stands for a fixed seed.

    Attributes
    ----------
    error_estimate_ : float
        The error to expect, from rows that had no part in a fit: normalised mean squared.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import KernelBlendRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 8))
    >>> model = KernelBlendRegressor().fit(X, np.sin(2 * X[:, 0]) + X[:, 1])
    >>> model.error_estimate_ < 0.1
    True
    """

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit to numbers.

        Parameters
        ----------
        X : array-like of shape (n, columns)
            The data.
        y : array-like of shape (n,) or (n, outputs)
            The targets.
        sample_weight : array-like of shape (n,), optional
            How much each row counts, in learned weights of columns, in fits, and in the errors by
            which they are chosen. A row of weight 2 is one row, on one side of each fold, where a
            row that is repeated may be on both.
        groups : array-like of shape (n,), optional
            The unit of each row, such as a patient: rows of one unit are on one side of each fold,
            and the expected error is that of new units. Requested by ``set_fit_request``.

        Returns
        -------
        self
            The fitted estimator.
        """
        pair_rows(X, y)
        X, y = admit(X), admit(y, "y")
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        units = _units_that_count(X, groups, sample_weight)
        X, y, counts = counted_rows(X, y, sample_weight)
        return self._fit(X, code_targets(y, "regression"), counts, units)

    def predict(self, X: Any, return_std: bool = False) -> Any:  # noqa: FBT001, FBT002 - as Gaussian processes of scikit-learn
        """Predict numbers.

        Parameters
        ----------
        X : array-like or Dask collection
            New rows.
        return_std : bool
            Also return by how much predictions are expected to be off, as a standard deviation of
            normal noise, learned from held-out predictions: it follows the prediction and the
            columns.

        Returns
        -------
        ndarray or Dask array of shape (rows,) or (rows, outputs)
            The predictions; with ``return_std`` a pair of them and their standard deviations.
        """
        check_is_fitted(self, "_blend")
        predicted = self._by_output(lambda rows: self._values(rows) + self._offset, X)
        return (predicted, self._by_output(self._noise, X)) if return_std else predicted

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Array, Array]:
        """Predict intervals that hold new targets with some probability.

        Held-out predictions tell how many standard deviations of a row an interval must reach
        (conformal prediction), so that it holds the level on average over rows like those of the
        fit, whatever their noise. Each row that was fitted counts once, whatever its weight.

        Parameters
        ----------
        X : array-like or Dask collection
            New rows.
        level : float
            The probability, between 0 and 1.

        Returns
        -------
        low, high : ndarray or Dask array of shape (rows,) or (rows, outputs)
            The ends; infinite where too few rows were fitted for the level.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 2))
        >>> y = X[:, 0] + np.exp(X[:, 1]) / 10 * rng.normal(size=300)
        >>> low, high = KernelBlendRegressor().fit(X, y).predict_interval([[0, -1], [0, 2]])
        >>> bool(high[1] - low[1] > 4 * (high[0] - low[0]))
        True
        """
        check_is_fitted(self, "_blend")
        _check_level(level)
        predicted, spread = self.predict(X, return_std=True)
        halves = np.array([conformal_quantile(scores, level) for scores in self._scores.T])
        reach = spread * (halves[0] if self._flat else halves)
        return predicted - reach, predicted + reach

    def _by_output(self, function: Callable[[Any], Array], X: Any) -> Any:
        width = None if self._flat else len(self._offset)

        def answer(rows: Any) -> Array:
            values = function(rows)
            return np.asarray(values[:, 0] if self._flat else values)

        return by_rows(answer, X, dtype=np.float64, width=width)

    def _noise(self, X: Any) -> Array:
        rows = self._rows(X)
        columns, values = _columns(self._blend, rows), self._blend(rows)
        pairs = zip(self._scales, values.T, strict=True)
        return np.column_stack([scale(fit, columns) for scale, fit in pairs])

    def _adopt(self, blend: Blend, targets: Targets, error: float, held_out: HeldOutRows) -> None:
        self._blend = blend
        self._offset, self._flat = targets.offset, targets.flat
        self.error_estimate_ = error
        rows, given, predicted = held_out
        columns, residuals = _columns(blend, rows), given.values - predicted
        self._scales = tuple(
            NoiseScale.of(off, fit, columns)
            for off, fit in zip(residuals.T, predicted.T, strict=True)
        )
        spread = np.column_stack([scale.at_rows for scale in self._scales])
        sizes = np.abs(residuals)
        # Where most residuals are exactly 0, so is the scale.
        spread = np.maximum(spread, np.finfo(np.float64).eps * sizes.max(axis=0))
        self._scores = np.divide(sizes, spread, out=np.zeros_like(sizes), where=spread > 0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class KernelBlendClassifier(ClassifierMixin, _KernelBlend):
    """Classification by an average of kernels that learn which columns to look at.

    As :class:`KernelBlendRegressor`, with support vector machines for all pairs of classes in place
    of ridge regression. Probabilities come from logistic curves through held-out decisions.

    Parameters
    ----------
    sources : sequence, optional
        For each column of X the column of a table that it comes from: columns with equal sources,
        such as those of one category, share a weight. By default each column has its own.
    max_rows : int
        Rows that are fitted at most, drawn at random whatever their weights: the time grows with
        their cube.
    n_jobs : int, optional
        Folds that run side by side, in scikit-learn's sense; None stands for all usable cores.
    random_state : int, optional
        Seed of folds and draws. None stands for a fixed seed.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    error_estimate_ : float
        The error to expect, from rows that had no part in a fit: the share of wrong classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reldim import KernelBlendClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelBlendClassifier().fit(X, y).error_estimate_ < 0.07
    True
    """

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit to classes.

        Parameters
        ----------
        X : array-like of shape (n, columns)
            The data.
        y : array-like of shape (n,)
            The classes, of any type.
        sample_weight : array-like of shape (n,), optional
            How much each row counts, in learned weights of columns, in fits, and in the errors by
            which they are chosen. A row of weight 2 is one row, on one side of each fold, where a
            row that is repeated may be on both.
        groups : array-like of shape (n,), optional
            The unit of each row, such as a patient: rows of one unit are on one side of each fold,
            and the expected error is that of new units. Requested by ``set_fit_request``.

        Returns
        -------
        self
            The fitted estimator.
        """
        pair_rows(X, y)
        X, y = admit(X), admit(y, "y")
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        units = _units_that_count(X, groups, sample_weight)
        X, y, counts = counted_rows(X, y, sample_weight)
        return self._fit(X, code_targets(y, "classification"), counts, units)

    def predict_proba(self, X: Any) -> Array:
        """Predict probabilities of the classes.

        Parameters
        ----------
        X : array-like or Dask collection
            New rows.

        Returns
        -------
        ndarray or Dask array of shape (rows, classes)
            The probabilities.
        """
        check_is_fitted(self, "_blend")
        shares: Array = by_rows(self._values, X, dtype=np.float64, width=len(self.classes_))
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes.

        Parameters
        ----------
        X : array-like or Dask collection
            New rows.

        Returns
        -------
        ndarray or Dask array of shape (rows,)
            The classes.
        """
        check_is_fitted(self, "_blend")

        def decided(rows: Any) -> NDArray[Any]:
            return np.asarray(self.classes_[self._values(rows).argmax(axis=1)])

        classes: NDArray[Any] = by_rows(decided, X, dtype=self.classes_.dtype)
        return classes

    def predict_set(self, X: Any, level: float = 0.9) -> NDArray[np.bool_]:
        """Predict sets of classes that hold the right one with some probability.

        A class is in the set where its probability is at least as large as that of the right class
        is, with the asked probability, in held-out predictions (conformal prediction). The
        likeliest class always is: where one class is right more often than asked, sets are too.

        Parameters
        ----------
        X : array-like or Dask collection
            New rows.
        level : float
            The probability, between 0 and 1.

        Returns
        -------
        ndarray or Dask array of bool of shape (rows, classes)
            Whether each class, in the order of ``classes_``, is in the set of a row.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> sets = KernelBlendClassifier().fit(X, y).predict_set(X, level=0.99)
        >>> bool(sets[y == 0].sum(axis=1).max() == 1), bool(sets[y > 0].sum(axis=1).max() == 2)
        (True, True)
        """
        check_is_fitted(self, "_blend")
        _check_level(level)
        bound = conformal_quantile(self._scores, level)

        def chosen(rows: Any) -> NDArray[np.bool_]:
            shares = self._values(rows)
            least = np.minimum(1.0 - bound, shares.max(axis=1, keepdims=True))
            return np.asarray(shares >= least)

        sets: NDArray[np.bool_] = by_rows(chosen, X, dtype=np.bool_, width=len(self.classes_))
        return sets

    def _adopt(self, blend: Blend, targets: Targets, error: float, held_out: HeldOutRows) -> None:
        assert targets.classes is not None
        self._blend, self.classes_ = blend, targets.classes
        self.error_estimate_ = error
        _, given, shares = held_out
        assert given.codes is not None
        self._scores = 1.0 - shares[np.arange(len(shares)), given.codes]


def _columns(blend: Blend, X: Array) -> Array | None:
    """Return what noise may depend on beside the prediction; of too many columns none."""
    columns = blend.coordinates(X)
    return columns if columns.shape[1] <= MOST_COLUMNS else None


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise InputError(f"level must be a probability between 0 and 1. Got {level!r}.")


def _units_that_count(
    X: Array, groups: ArrayLike | None, sample_weight: ArrayLike | None
) -> NDArray[np.intp] | None:
    """Return the units of rows whose weight is above 0."""
    said = Splits.of(len(X), None, groups=groups)
    if said is None:
        return None
    _, units, _ = counted_rows(X, said.groups, sample_weight)
    left = Splits.of(len(units), None, groups=units)
    return None if left is None else left.groups
