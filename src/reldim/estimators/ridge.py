"""Kernel ridge regression with closed-form leave-one-out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reldim.estimators.base import KernelClassifier, KernelPredictor, KernelRegressor
from reldim.inputs.targets import Targets
from reldim.kernels import Kernel
from reldim.relevance.ridge import RidgeFit, fit_ridge
from reldim.search.candidates import search
from reldim.search.growing_rank import Judgement
from reldim.search.kernel_arguments import Kernels
from reldim.spectrum.expansion import Expansion

__all__ = ["KernelRidgeClassifier", "KernelRidgeRegressor"]


class _ByRidge(KernelPredictor):
    """Kernel ridge regression, kernel and parameter by closed-form leave-one-out."""

    def __init__(
        self,
        kernel: Kernels = None,
        *,
        alphas: ArrayLike | None = None,
        center: bool = False,
        solver: str = "auto",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.alphas = alphas
        self.center = center
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_expansion(self, X: Any, targets: Targets) -> Expansion:
        def keep(
            name: str, kernel: Kernel, judgement: Judgement[RidgeFit]
        ) -> tuple[str, Kernel, float]:
            return name, kernel, judgement.judged.criterion_value

        found = search(
            X,
            targets,
            self.kernel,
            judge=lambda spectrum: fit_ridge(spectrum, targets, self.alphas),
            keep=keep,
            tolerance=float(np.mean(targets.values**2)),
            solver=self.solver,
            center=self.center,
            random_state=self.random_state,
        )
        self.kernel_ = found.best.expansion.kernel
        self.alpha_ = found.best.alpha
        self.degrees_of_freedom_ = found.best.degrees_of_freedom
        self.error_estimate_ = found.best.error_estimate
        return found.best.expansion


class KernelRidgeRegressor(KernelRegressor, _ByRidge):
    """Kernel ridge regression with an intercept, tuned by closed-form leave-one-out.

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
    error_estimate_ : float
        Leave-one-out error, normalised mean squared.

    Examples
    --------
    >>> from reldim import KernelRidgeRegressor, datasets
    >>> train, test = (datasets.noisy_sinc(300, noise=0.1, random_state=s) for s in (0, 1))
    >>> model = KernelRidgeRegressor().fit(train.X, train.y)
    >>> bool(model.score(test.X, test.truth) > 0.98)
    True
    """


class KernelRidgeClassifier(KernelClassifier, _ByRidge):
    """Kernel ridge classifier, tuned by closed-form leave-one-out.

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
    """
