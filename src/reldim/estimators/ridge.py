"""Kernel ridge regression with closed-form leave-one-out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from reldim.eigensolvers import Solver
from reldim.estimators.base import KernelClassifier, KernelPredictor, KernelRegressor, Weights
from reldim.exceptions import InputError
from reldim.inputs.random_state import seed_of
from reldim.inputs.row_weights import checked_weights, with_copies
from reldim.inputs.rows import RowBlocks, is_lazy
from reldim.inputs.targets import Targets
from reldim.kernels import Kernel
from reldim.kernels.points import as_rows
from reldim.kernels.precomputed import MatrixRows
from reldim.relevance.probabilities import fit_slope
from reldim.relevance.ridge import RidgeFit, fit_ridge, fit_ridge_by_gradients
from reldim.search.candidates import search
from reldim.search.growing_rank import Judgement
from reldim.search.kernel_arguments import Kernels, domain_of
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Floats, Gram

__all__ = ["KernelRidgeClassifier", "KernelRidgeRegressor"]

#: The solver that is no decomposition.
GRADIENTS = "gradients"


class _ByRidge(KernelPredictor):
    """Kernel ridge regression, kernel and parameter by closed-form leave-one-out."""

    def __init__(
        self,
        kernel: Kernels = None,
        *,
        alphas: ArrayLike | None = None,
        center: bool = False,
        solver: Solver = "auto",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.alphas = alphas
        self.center = center
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _counted(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Weights]:
        """Let the first of several copies stand for all, and leave out rows that do not count.

        Rows of a precomputed matrix and sequences stay, with a weight of 0: new rows must fit to
        all of them.
        """
        if is_lazy(y) or isinstance(X, RowBlocks):
            if sample_weight is not None:
                raise InputError(
                    "sample_weight is for data in memory. Got data that a cluster holds."
                )
            return X, y, None
        if self.center:
            if checked_weights(sample_weight, len(y)) is not None:
                raise InputError(
                    "sample_weight and center=True do not go together: kernels are centred by the "
                    "plain mean of all rows. Leave one of the two out."
                )
            return X, y, None
        domain = domain_of(self.kernel, X)
        weights = checked_weights(sample_weight, len(y))
        if domain == "precomputed":
            points: Any = MatrixRows(np.asarray(X), None)
        else:
            points = X if domain == "vectors" else as_rows(X)
        if points.shape[0] == len(y):
            weights = with_copies(weights, points, y)
        if weights is None or domain != "vectors":
            return X, y, weights
        kept = np.flatnonzero(weights)
        return X[kept], y[kept], weights[kept]

    def _fit_expansion(self, X: Any, targets: Targets, weights: Weights = None) -> Expansion:
        relative = None if weights is None else weights * (len(weights) / weights.sum())

        def keep(
            name: str, kernel: Kernel, judgement: Judgement[RidgeFit]
        ) -> tuple[str, Kernel, float]:
            return name, kernel, judgement.judged.criterion_value

        found = search(
            X,
            targets,
            self.kernel,
            judge=lambda spectrum: fit_ridge(spectrum, targets, self.alphas, relative),
            keep=keep,
            tolerance=float(np.mean(targets.values**2)),
            weights=relative,
            solver=self.solver,
            center=self.center,
            random_state=self.random_state,
        )
        self.kernel_ = found.best.expansion.kernel
        self.alpha_ = found.best.alpha
        self.degrees_of_freedom_ = found.best.degrees_of_freedom
        self.error_estimate_ = found.best.error_estimate
        self._note_left_out(found.best, targets, weights)
        return found.best.expansion

    def _note_left_out(self, fit: RidgeFit, targets: Targets, weights: Weights) -> None:
        """Take from leave-one-out predictions what is needed later: for numbers, nothing."""


class KernelRidgeRegressor(KernelRegressor, _ByRidge):
    """Kernel ridge regression with an intercept, tuned by closed-form leave-one-out.

    Rows that are equal, target and all, count in full in the fit, and are left out together; singly
    where targets are few numbers, and those of equal rows differ like those of others.

    Parameters
    ----------
    kernel : Kernel, callable, str, list or None
        The kernel, or several to choose from. None tries Gaussian kernels on a grid of widths.
    alphas : array-like, optional
        Ridge parameters to try, on the scale of the eigenvalues of K/n; n times these are the
        ``alpha`` of scikit-learn's ``KernelRidge``. By default a grid below the largest one.
    center : bool
        Centre in feature space. Targets are centred in any case.
    solver : str
        Passed to :func:`reldim.decompose`; or "gradients" for a single kernel that has no low
        rank, such as a narrow one: conjugate gradients, preconditioned by the leading eigenpairs,
        take n^2 operations per step, and hold the matrix only where it fits into memory.
        Parameters are then judged on a tenth of the rows, and ``degrees_of_freedom_`` is not
        computed.
    n_jobs : int, optional
        Kernels, or blocks of rows, that are worked on side by side, see :func:`reldim.diagnose`.
    random_state : int, optional
        Seed.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel that was chosen.
    alpha_ : float
        The parameter that was chosen.
    degrees_of_freedom_ : float
        How many components the fit amounts to.
    error_estimate_ : float
        Leave-one-out error, normalised mean squared.
    steps_ : int
        Steps of conjugate gradients, where they are the solver.

    Examples
    --------
    >>> from reldim import KernelRidgeRegressor, datasets
    >>> train, test = (datasets.noisy_sinc(300, noise=0.1, random_state=s) for s in (0, 1))
    >>> model = KernelRidgeRegressor().fit(train.X, train.y)
    >>> bool(model.score(test.X, test.truth) > 0.98)
    True
    """

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to numbers.

        Parameters
        ----------
        X : array-like
            The data.
        y : array-like of shape (n,) or (n, outputs)
            The targets.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for: whole numbers are the same as repeated rows.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _counted(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Weights]:
        if self.solver != GRADIENTS:
            return super()._counted(X, y, sample_weight)
        if sample_weight is not None or self.center:
            raise InputError(
                f"solver={GRADIENTS!r} takes neither sample_weight nor center=True. Leave them "
                "out, or pass solver='lowrank'."
            )
        return X, y, None

    def _fit_expansion(self, X: Any, targets: Targets, weights: Weights = None) -> Expansion:
        if self.solver != GRADIENTS:
            return super()._fit_expansion(X, targets, weights)
        if is_lazy(X) or isinstance(X, RowBlocks):
            raise InputError(f"solver={GRADIENTS!r} needs the data in memory. Pass solver='dask'.")
        if not callable(self.kernel):
            raise InputError(
                f"solver={GRADIENTS!r} takes one kernel, such as kernels.Gaussian(width=0.1). "
                f"Got {self.kernel!r}."
            )
        gram = Gram.of(self.kernel, X)
        fit = fit_ridge_by_gradients(gram, targets, self.alphas, seed_of(self.random_state))
        self.kernel_ = gram.kernel
        self.alpha_, self.steps_ = fit.alpha, fit.steps
        self.error_estimate_ = fit.error_estimate
        return fit.expansion


class KernelRidgeClassifier(KernelClassifier, _ByRidge):
    """Kernel ridge classifier, tuned by closed-form leave-one-out.

    Rows that are equal, class and all, count in full in the fit, and are left out together; singly,
    where the classes of equal rows differ like those of others, as in tables of few kinds of rows.

    Parameters
    ----------
    kernel : Kernel, callable, str, list or None
        The kernel, or several to choose from. None tries Gaussian kernels on a grid of widths.
    alphas : array-like, optional
        Ridge parameters to try, on the scale of the eigenvalues of K/n.
    center : bool
        Centre in feature space.
    solver : str
        Passed to :func:`reldim.decompose`.
    n_jobs : int, optional
        Kernels, or blocks of rows, that are worked on side by side, see :func:`reldim.diagnose`.
    random_state : int, optional
        Seed.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel that was chosen.
    alpha_ : float
        The parameter that was chosen.
    degrees_of_freedom_ : float
        How many components the fit amounts to.
    classes_ : ndarray
        The classes.
    error_estimate_ : float
        Leave-one-out share of wrong classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reldim import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRidgeClassifier().fit(X, y)
    >>> bool(model.error_estimate_ < 0.06)
    True
    >>> model.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to classes.

        Parameters
        ----------
        X : array-like
            The data.
        y : array-like of shape (n,)
            The classes, of any type.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for: whole numbers are the same as repeated rows.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        They come from a logistic curve through leave-one-out scores, and the most probable class is
        the one that is predicted.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (rows, classes)
            The probabilities, in the order of ``classes_``.
        """
        return self._probabilities(X)

    def _note_left_out(self, fit: RidgeFit, targets: Targets, weights: Weights) -> None:
        self._slope = fit_slope(fit.left_out, targets.codes, weights)
