"""What the estimators share: validation by the kind of data, and prediction by an expansion."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from reldim.eigensolvers import Solver
from reldim.exceptions import InputError
from reldim.inputs.cores import on_cores
from reldim.inputs.rows import RowBlocks, beside, by_rows, is_lazy
from reldim.inputs.target_checks import pair_rows
from reldim.inputs.targets import Targets, code_targets, decide
from reldim.kernels import Kernel
from reldim.kernels.points import admit
from reldim.relevance.probabilities import class_probabilities
from reldim.search.kernel_arguments import Kernels, domain_of, held
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Floats

__all__ = ["KernelClassifier", "KernelEstimator", "KernelPredictor", "KernelRegressor", "Weights"]


#: How many rows each row stands for; None where all count the same.
Weights = NDArray[np.float64] | None


class KernelEstimator(BaseEstimator):
    """Validation and tags that depend on the kind of data that the kernel takes."""

    kernel: Kernels
    solver: Solver
    n_jobs: int | None

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the kernel as ``kernel__width`` and the like.

        Kernels do not change, so that the estimator gets a new one.

        Parameters
        ----------
        **params
            Parameters by name.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from reldim import KernelRidgeRegressor, kernels
        >>> KernelRidgeRegressor(kernels.Gaussian(width=1.0)).set_params(kernel__width=0.1)
        KernelRidgeRegressor(kernel=Gaussian(width=0.1))
        """
        mark = "kernel__"
        super().set_params(**{k: v for k, v in params.items() if not k.startswith(mark)})
        nested = {k.removeprefix(mark): v for k, v in params.items() if k.startswith(mark)}
        if nested:
            if not isinstance(self.kernel, Kernel):
                raise InputError(
                    f"{', '.join(mark + name for name in nested)}: {type(self).__name__} has "
                    f"kernel={self.kernel!r}, which has no parameters to set. Pass a kernel first, "
                    "such as kernel=kernels.Gaussian(width=1.0)."
                )
            self.kernel = self.kernel.set_params(**nested)
        return self

    def _validated(
        self, X: Any, y: Any = None, *, reset: bool = False, numbers: bool = False
    ) -> Any:
        """Validate as scikit-learn does where X holds numbers, otherwise leave it to the kernel."""
        pair_rows(X, y)
        X, y = admit(X), admit(y, "y")
        if is_lazy(X) or isinstance(X, RowBlocks):
            return self._validated_blocks(X, y, reset=reset)
        domain = domain_of(self.kernel, X)
        if domain not in ("vectors", "precomputed"):
            return X if y is None else (X, y)
        accept_sparse = "csr" if domain == "vectors" else False
        if y is None:
            return validate_data(
                self, X, reset=reset, accept_sparse=accept_sparse, dtype=[np.float64, np.float32]
            )
        return validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse=accept_sparse,
            dtype=[np.float64, np.float32],
            multi_output=numbers or self.__sklearn_tags__().transformer_tags is not None,
            y_numeric=numbers,
            ensure_min_samples=2,
        )

    def _validated_blocks(self, X: Any, y: Any, *, reset: bool) -> Any:
        """Hold names and number of columns against those seen before; workers see the rows."""
        blocks = held(X, self.kernel, self.solver) if y is not None else X
        names = [str(name) for name in getattr(X, "columns", ())]
        example: Any = np.zeros((2, len(names) or X.shape[1]), dtype=np.float32)
        if names:
            example = pd.DataFrame(example, columns=names)
        if len(X.shape) == 2:
            validate_data(self, example, reset=reset)
        return X if y is None else (blocks, beside(blocks, y))

    def _require(self, y: Any) -> None:
        if y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        domain = domain_of(self.kernel)
        tags.input_tags.pairwise = domain == "precomputed"
        tags.input_tags.sparse = domain == "vectors"
        tags.input_tags.string = domain in ("sequences", "any")
        return tags


class KernelPredictor(KernelEstimator):
    """Fit and predict by an expansion; how it is found is the subclass's business."""

    _expansion: Expansion

    @abstractmethod
    def _fit_expansion(self, X: Any, targets: Targets, weights: Weights = None) -> Expansion:
        """Find the function that predicts."""

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to targets, with weights where the subclass takes them."""

    def _counted(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Weights]:
        """Return rows, targets and weights; all rows count the same unless a subclass differs."""
        del sample_weight
        return X, y, None

    @abstractmethod
    def _note(self, targets: Targets) -> None:
        """Remember of the targets what predictions need."""

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        with on_cores(self.n_jobs):
            return self._expansion(self._validated(X))


class KernelRegressor(RegressorMixin, KernelPredictor):
    """Prediction of numbers."""

    _flat: bool

    def _note(self, targets: Targets) -> None:
        self._flat = targets.flat

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to numbers.

        Parameters
        ----------
        X : array-like
            The data.
        y : array-like of shape (n,) or (n, outputs)
            The targets.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._require(y)
        X, y = self._validated(X, y, reset=True, numbers=True)
        X, y, weights = self._counted(X, y, sample_weight)
        targets = code_targets(y, "regression").beside(X)
        self._note(targets)
        with on_cores(self.n_jobs):
            self._expansion = self._fit_expansion(X, targets, weights)
        return self

    def predict(self, X: Any) -> Floats:
        """Predict numbers.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (rows,) or (rows, outputs)
            The predictions.
        """
        scores = self._scores(X)
        return scores[:, 0] if self._flat else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class KernelClassifier(ClassifierMixin, KernelPredictor):
    """Prediction of classes."""

    classes_: NDArray[Any]

    #: Slope of the logistic curve through leave-one-out scores.
    _slope: float

    def _note(self, targets: Targets) -> None:
        assert targets.classes is not None
        self.classes_ = targets.classes

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to classes.

        Parameters
        ----------
        X : array-like
            The data.
        y : array-like of shape (n,)
            The classes, of any type.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._require(y)
        X, y = self._validated(X, y, reset=True)
        if not is_lazy(y):
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        X, y, weights = self._counted(X, y, sample_weight)
        targets = code_targets(y, "classification").beside(X)
        self._note(targets)
        with on_cores(self.n_jobs):
            self._expansion = self._fit_expansion(X, targets, weights)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return scores: above 0 for the second of two classes, or one column per class.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (rows,) or (rows, classes)
            The scores.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (rows,)
            The classes.
        """
        check_is_fitted(self)
        classes = self.classes_
        labels: NDArray[Any] = by_rows(
            lambda scores: np.asarray(classes[decide(scores)]), self._scores(X), dtype=classes.dtype
        )
        return labels

    def _probabilities(self, X: Any) -> Floats:
        """Turn scores of least squares into probabilities."""
        check_is_fitted(self)
        if not hasattr(self, "_slope"):
            raise InputError(
                "The model was saved by a version of reldim that kept no probabilities. Fit it "
                "again."
            )
        slope, scores = self._slope, self._scores(X)
        found: Floats = by_rows(
            lambda rows: class_probabilities(rows, slope),
            scores,
            dtype=scores.dtype,
            width=len(self.classes_),
        )
        return found
