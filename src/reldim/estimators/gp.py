"""Gaussian processes in the leading eigenspace of their kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from sklearn.utils.validation import check_is_fitted

from reldim.cutoffs import ExplainedVariance
from reldim.eigensolvers import Solver
from reldim.estimators.base import KernelClassifier, KernelPredictor, KernelRegressor, Weights
from reldim.estimators.laplace import LaplaceFit, fit_laplace, logistic_gaussian
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.cores import on_cores
from reldim.inputs.rows import by_rows
from reldim.inputs.targets import Targets
from reldim.kernels import Kernel
from reldim.relevance.estimation import estimate
from reldim.relevance.gp_evidence import Evidence, evidence_of
from reldim.search.candidates import search
from reldim.search.kernel_arguments import Kernels
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Floats
from reldim.spectrum.spectrum import Spectrum

__all__ = ["LowRankGPClassifier", "LowRankGPRegressor"]

Array = NDArray[np.float64]

#: Factors that are tried where kernels are searched for: latent functions of unit variance
#: cannot say that a class is certain.
AMPLITUDES = (1.0, 10.0, 100.0, 1000.0)

#: Scale of differences in evidence per row: a thousandth of it is no difference.
TOLERANCE = 1.0


@dataclass(frozen=True)
class _Posterior:
    """The best posterior under a kernel."""

    spectrum: Spectrum = field(repr=False)
    count: int
    amplitude: float
    fits: tuple[LaplaceFit, ...] = field(repr=False)

    @property
    def evidence(self) -> float:
        return sum(fit.evidence for fit in self.fits)

    @property
    def criterion_value(self) -> float:
        return -self.evidence

    @property
    def criterion_error(self) -> float:
        # The evidence is a smooth function of the kernel matrix, whatever its condition.
        return 0.0

    @property
    def dimension(self) -> int:
        return self.count

    @property
    def scales(self) -> Array:
        values = self.spectrum.eigenvalues[: self.count].astype(np.float64)
        return np.asarray(np.sqrt(self.amplitude * self.spectrum.n * values))


class _LowRankGP(KernelPredictor):
    """What both share: the number of components, and the variance that they leave out."""

    rank: float | str
    random_state: int | None
    kernel_: Kernel
    amplitude_: float

    def _left_out(self, X: Any, features: Array) -> Array:
        kernel = self.kernel_
        if kernel.domain == "precomputed":
            return np.zeros(len(features))
        points = kernel.prepare(X, reference=self._expansion.reference)
        prior = self.amplitude_ * np.asarray(kernel.diagonal_of(points), dtype=np.float64)
        return np.asarray(np.maximum(prior - np.sum(features**2, axis=1), 0.0))

    def _count(self, spectrum: Spectrum, targets: Targets) -> int:
        """Turn the parameter ``rank`` into a number of components of this spectrum."""
        if self.rank == "relevant":
            count = estimate(spectrum, targets, random_state=self.random_state).dimension
        elif isinstance(self.rank, Integral):
            count = int(self.rank)
        else:
            count = ExplainedVariance(float(self.rank)).cut(spectrum, targets).dimension
        return max(1, min(count, spectrum.rank))

    def _check_rank(self) -> None:
        rank: Any = self.rank
        if isinstance(rank, bool) or not isinstance(rank, str | Real):
            raise InputTypeError(
                'rank must be a number of components, a share of the variance, or "relevant". '
                f"Got {rank!r} of type {type(rank).__name__} instead."
            )
        if isinstance(rank, str):
            usable = rank == "relevant"
        elif isinstance(rank, Integral):
            usable = int(rank) >= 1
        else:
            usable = 0 < float(rank) < 1
        if not usable:
            raise InputError(
                "rank must be a whole number of components from 1, a share of the variance "
                f'between 0 and 1, or "relevant". Got {rank!r} instead.'
            )


class LowRankGPClassifier(KernelClassifier, _LowRankGP):
    r"""Gaussian process classifier with a logistic link, in the leading eigenspace of its kernel.

    The kernel matrix is replaced by its M leading terms,
    :math:`K_M = \sum_{m \le M} n l_m u_m u_m^\top`, and the posterior by Laplace's approximation,
    at :math:`O(M^2 n)` a Newton step. At new points the latent variance includes what the leading
    terms leave of k(x, x), so that at full rank mode, evidence and variance are those of the full
    process. For a precomputed kernel k(x, x) is unknown, and that part is left out.

    More than two classes are told apart one against the rest, all from the same decomposition,
    and the probabilities divided by their sum, as scikit-learn's ``GaussianProcessClassifier`` does
    by default.

    Parameters
    ----------
    kernel : Kernel, callable, str, list or None
        The kernel, or several to choose from by evidence. None tries Gaussian kernels on a grid of
        widths.
    rank : int, float or "relevant"
        M: a number of components; or a share of the variance, below 1, that they are to hold; or
        the relevant dimension of the labels.
    amplitudes : array-like, optional
        Factors of the kernel to choose from by evidence; they share a decomposition. By default a
        single kernel is taken as it is, and 1, 10, 100 and 1000 are tried where kernels are
        searched for.
    solver : str
        Passed to :func:`reldim.decompose`.
    n_jobs : int, optional
        Kernels, or blocks of rows, that are worked on side by side, see :func:`reldim.diagnose`.
    random_state : int, optional
        Seed.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel that was chosen, the amplitude not included.
    amplitude_ : float
        The factor of the kernel that was chosen.
    rank_ : int
        The number of components M.
    evidence_ : float
        Log marginal likelihood; for more than two classes the sum over the classes.
    explained_variance_ : float
        Share of the variance that the M components hold.
    newton_steps_ : tuple of int
        Newton steps of each class against the rest, one number for two classes.
    classes_ : ndarray
        The classes.

    See Also
    --------
    reldim.theory.iterative_mode : The same mode by conjugate gradients, without eigenvectors.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reldim import LowRankGPClassifier, kernels
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LowRankGPClassifier(100.0 * kernels.Gaussian(width=2.0), rank=0.99).fit(X, y)
    >>> model.rank_, bool(model.score(X, y) > 0.95)
    (16, True)
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.91, 0.03, 0.06]])
    """

    def __init__(
        self,
        kernel: Kernels = None,
        *,
        rank: float | str = 0.99,
        amplitudes: ArrayLike | None = None,
        solver: Solver = "auto",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.rank = rank
        self.amplitudes = amplitudes
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_expansion(self, X: Any, targets: Targets, weights: Weights = None) -> Expansion:
        assert weights is None
        self._check_rank()
        amplitudes = self._checked_amplitudes()

        def judge(spectrum: Spectrum) -> _Posterior:
            return _posterior(spectrum, targets, self._count(spectrum, targets), amplitudes)

        best = search(
            X,
            targets,
            self.kernel,
            judge=judge,
            keep=lambda name, _kernel, _judgement: name,
            tolerance=TOLERANCE * targets.n,
            solver=self.solver,
            random_state=self.random_state,
        ).best
        spectrum, count = best.spectrum, best.count
        self.kernel_ = spectrum.gram.kernel
        self.amplitude_ = best.amplitude
        self.rank_ = count
        self.evidence_ = best.evidence
        held = spectrum.eigenvalues[:count].sum(dtype=np.float64)
        self.explained_variance_ = float(held / spectrum.trace)
        self.newton_steps_ = tuple(fit.steps for fit in best.fits)
        self._fits = best.fits
        return Expansion.of(spectrum, np.diag(best.scales), np.zeros(count))

    def latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the latent function.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        mean, variance : ndarray of shape (rows,) or (rows, classes)
            The moments of the posterior; for two classes a positive mean speaks for the second.
        """
        check_is_fitted(self)
        count = len(self._fits)
        with on_cores(self.n_jobs):
            moments = by_rows(
                self._moments, self._validated(X), dtype=np.dtype(np.float64), width=2 * count
            )
        mean, variance = moments[:, :count], moments[:, count:]
        if count == 1:
            return mean[:, 0], variance[:, 0]
        return mean, variance

    def _moments(self, X: Any) -> Array:
        """Return the means for all classes, and beside them the variances."""
        features = np.asarray(self._expansion(X), dtype=np.float64)
        rest = self._left_out(X, features)
        moments = [fit.predict(features, rest) for fit in self._fits]
        return np.column_stack([part for parts in zip(*moments, strict=True) for part in parts])

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (rows, classes)
            Probabilities, in the order of ``classes_``.
        """
        p = self._one_against_rest(X)
        if p.shape[1] == 1:
            return np.concatenate([1.0 - p, p], axis=1)
        shares: Floats = p / p.sum(axis=1, keepdims=True)
        return shares

    def _scores(self, X: Any) -> Floats:
        """Return log odds of the probabilities, each class against the rest."""
        log_odds: Floats = special.logit(self._one_against_rest(X))
        return log_odds

    def _one_against_rest(self, X: Any) -> Array:
        check_is_fitted(self)
        count = len(self._fits)

        def averaged(rows: Any) -> Array:
            moments = self._moments(rows)
            p = logistic_gaussian(moments[:, :count].ravel(), moments[:, count:].ravel())
            # A probability of exactly 0 or 1 has no odds, and all of a row must not be 0.
            tiny = np.finfo(np.float64).eps
            return np.clip(p.reshape(-1, count), tiny, 1.0 - tiny)

        p: Array = by_rows(averaged, self._validated(X), dtype=np.dtype(np.float64), width=count)
        return p

    def _checked_amplitudes(self) -> Sequence[float]:
        if self.amplitudes is None:
            # A single kernel is a function; families are names, and several are in a list.
            return (1.0,) if callable(self.kernel) else AMPLITUDES
        values = np.atleast_1d(np.asarray(self.amplitudes, dtype=np.float64))
        if values.ndim != 1 or not values.size or not np.all(np.isfinite(values) & (values > 0)):
            raise InputError(
                f"amplitudes must be positive finite numbers. Got {self.amplitudes!r} instead."
            )
        return [float(value) for value in values]


@dataclass(frozen=True)
class _Regression:
    """What a kernel, cut to some components, makes of numbers."""

    spectrum: Spectrum = field(repr=False)
    count: int
    fit: Evidence
    scale: float

    @property
    def evidence(self) -> float:
        return self.fit.value * self.scale

    @property
    def criterion_value(self) -> float:
        return -self.evidence

    @property
    def criterion_error(self) -> float:
        return 0.0

    @property
    def dimension(self) -> int:
        return self.count

    @property
    def variances(self) -> Array:
        """The prior variances of the coefficients."""
        values = self.spectrum.eigenvalues[: self.count].astype(np.float64)
        return np.asarray(self.fit.signal * values)


class LowRankGPRegressor(KernelRegressor, _LowRankGP):
    r"""Gaussian process regression in the leading eigenspace of its kernel.

    The kernel matrix is replaced by its M leading terms, in whose basis the posterior is diagonal:
    with :math:`z = U^\top y`, amplitude C and noise variance v,

    .. math:: f(x) \sim N\Big(\sum_{m \le M} \frac{C n l_m}{C n l_m + v} z_m f_m(x),\;
              \sum_{m \le M} \frac{C n l_m \, v}{C n l_m + v} f_m(x)^2 + C r(x)\Big)

    where r(x) is what the leading terms leave of k(x, x). A fit takes :math:`O(n M)` operations
    once the eigenpairs are known. C and v have the largest evidence. At full rank mean, variance
    and evidence are those of the full process. For a precomputed kernel k(x, x) is unknown, and r
    is left out. Several columns of targets share C and v. The mean of the targets is subtracted
    first and added to predictions.

    Parameters
    ----------
    kernel : Kernel, callable, str, list or None
        The kernel, or several to choose from by evidence. None tries Gaussian kernels on a grid of
        widths.
    rank : int, float or "relevant"
        M: a number of components; or a share of the variance, below 1, that they are to hold; or
        the relevant dimension of the targets. What they leave of a function with little noise
        counts as noise, so that the default leaves less than that of the classifier.
    solver : str
        Passed to :func:`reldim.decompose`.
    n_jobs : int, optional
        Kernels, or blocks of rows, that are worked on side by side, see :func:`reldim.diagnose`.
    random_state : int, optional
        Seed.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel that was chosen, the amplitude not included.
    amplitude_ : float
        C, the factor of the kernel.
    noise_variance_ : float
        v, the variance of the noise.
    rank_ : int
        The number of components M.
    evidence_ : float
        Log marginal likelihood, summed over the columns of the targets.
    explained_variance_ : float
        Share of the variance that the M components hold.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, sections 3 and 4.

    Examples
    --------
    >>> from reldim import LowRankGPRegressor, datasets, kernels
    >>> data = datasets.noisy_sinc(200, noise=0.1, random_state=0)
    >>> model = LowRankGPRegressor(kernels.Gaussian(width=1.0)).fit(data.X, data.y)
    >>> model.rank_, round(model.noise_variance_**0.5, 2)
    (10, 0.1)
    >>> mean, deviation = model.predict([[0.0]], return_std=True)
    """

    def __init__(
        self,
        kernel: Kernels = None,
        *,
        rank: float | str = 0.9999,
        solver: Solver = "auto",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.rank = rank
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_expansion(self, X: Any, targets: Targets, weights: Weights = None) -> Expansion:
        assert weights is None
        self._check_rank()
        scale = float(targets.n * targets.degrees_of_freedom)

        def judge(spectrum: Spectrum) -> _Regression:
            count = self._count(spectrum, targets)
            return _Regression(spectrum, count, evidence_of(spectrum, targets, count), scale)

        best = search(
            X,
            targets,
            self.kernel,
            judge=judge,
            keep=lambda name, _kernel, _judgement: name,
            tolerance=TOLERANCE * targets.n,
            solver=self.solver,
            random_state=self.random_state,
        ).best
        spectrum, count, noise = best.spectrum, best.count, best.fit.noise
        self.kernel_ = spectrum.gram.kernel
        self.amplitude_ = best.fit.signal / spectrum.n
        self.noise_variance_ = noise
        self.rank_ = count
        self.evidence_ = best.evidence
        held = spectrum.eigenvalues[:count].sum(dtype=np.float64)
        self.explained_variance_ = float(held / spectrum.trace)
        prior = best.variances
        # Features of unit prior variance, in which the posterior is diagonal.
        self._shrunk = noise / (prior + noise)
        z = spectrum.project(targets.values)[:count]
        self._weights = np.sqrt(prior)[:, None] * z / (prior + noise)[:, None]
        self._offset = targets.offset
        return Expansion.of(spectrum, np.diag(np.sqrt(prior)), np.zeros(count))

    def latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the function, without the noise.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        mean : ndarray of shape (rows,) or (rows, outputs)
            The mean of the posterior.
        variance : ndarray of shape (rows,)
            Its variance, the same for all outputs.
        """
        moments = self._moments(X)
        mean = moments[:, :-1]
        return (mean[:, 0] if self._flat else mean), moments[:, -1]

    def predict(self, X: Any, return_std: bool = False) -> Any:  # noqa: FBT001, FBT002
        """Predict numbers, and the deviation of new targets from them.

        Parameters
        ----------
        X : array-like
            New points.
        return_std : bool
            Return the standard deviation of a new target as well, its noise included.

        Returns
        -------
        ndarray of shape (rows,) or (rows, outputs)
            The mean; with ``return_std`` a pair of it and of the deviation, of shape (rows,).
        """
        mean, variance = self.latent(X)
        return (mean, np.sqrt(variance + self.noise_variance_)) if return_std else mean

    def _moments(self, X: Any) -> Array:
        """Return the means of all outputs, and beside them the variance."""
        check_is_fitted(self)

        def moments(rows: Any) -> Array:
            features = np.asarray(self._expansion(rows), dtype=np.float64)
            variance = features**2 @ self._shrunk + self._left_out(rows, features)
            return np.column_stack([features @ self._weights + self._offset, variance])

        width = self._weights.shape[1] + 1
        with on_cores(self.n_jobs):
            found: Array = by_rows(
                moments, self._validated(X), dtype=np.dtype(np.float64), width=width
            )
        return found


def _posterior(
    spectrum: Spectrum, targets: Targets, count: int, amplitudes: Sequence[float]
) -> _Posterior:
    """Fit at each amplitude, one class against the rest, and keep what has the best evidence."""
    assert targets.classes is not None
    assert targets.codes is not None
    values = spectrum.eigenvalues[:count].astype(np.float64)
    vectors = spectrum.basis.vectors(count).astype(np.float64, copy=False)
    features = vectors * np.sqrt(spectrum.n * values)
    positives = (
        [targets.codes == 1]
        if len(targets.classes) == 2
        else [targets.codes == code for code in range(len(targets.classes))]
    )
    tried = []
    for amplitude in amplitudes:
        scaled = features * np.sqrt(amplitude)
        fits = tuple(fit_laplace(scaled, positive) for positive in positives)
        tried.append(_Posterior(spectrum, count, amplitude, fits))
    return max(tried, key=lambda posterior: posterior.evidence)
