"""Kernel PCA up to the relevant dimension of the targets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from reldim.eigensolvers import Solver, decompose
from reldim.eigensolvers.unlabelled import SharedVectors
from reldim.estimators.base import KernelEstimator
from reldim.estimators.preimages import pre_images
from reldim.exceptions import InputError, counted
from reldim.inputs.cores import on_cores
from reldim.inputs.targets import AnyTask, code_targets
from reldim.kernels import Kernel
from reldim.kernels.points import admit
from reldim.relevance.estimation import Criterion, estimate
from reldim.search.candidates import choose
from reldim.search.kernel_arguments import Kernels
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Floats
from reldim.spectrum.spectrum import Spectrum

__all__ = ["RelevantKernelPCA"]


class RelevantKernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    r"""Kernel PCA on the components that carry label information.

    The columns are the kernel principal components :math:`\sqrt{n l_m} f_m(x)`, as scikit-learn's
    ``KernelPCA`` scales them, up to the relevant dimension of the targets. Where no signal is
    found one component is kept, so that a pipeline goes on.

    Parameters
    ----------
    kernel : Kernel, callable, str, list or None
        The kernel, or several to choose from. None tries Gaussian kernels on a grid of widths.
    dimension : int, optional
        A fixed number of components; by default it is estimated.
    criterion : {"likelihood", "leave-one-out"}
        What kernel and dimension are chosen by.
    task : {"auto", "classification", "regression"}
        Kind of problem that y poses.
    center : bool
        Centre in feature space, as ``KernelPCA`` does.
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
    dimension_ : int
        The relevant dimension; ``transform`` returns this many columns, but at least one.
    eigenvalues_ : ndarray
        The leading eigenvalues of K/n.

    Examples
    --------
    >>> from reldim import RelevantKernelPCA, datasets
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> RelevantKernelPCA().fit_transform(data.X, data.y).shape
    (100, 7)
    """

    def __init__(
        self,
        kernel: Kernels = None,
        *,
        dimension: int | None = None,
        criterion: Criterion = "likelihood",
        task: AnyTask = "auto",
        center: bool = False,
        solver: Solver = "auto",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.dimension = dimension
        self.criterion = criterion
        self.task = task
        self.center = center
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None, unlabelled: Any = None) -> Self:
        """Choose kernel and dimension for the targets.

        Parameters
        ----------
        X : array-like
            The data.
        y : array-like
            The targets.
        unlabelled : array-like, optional
            Further rows without targets. The components are those of all rows; kernel and
            dimension are chosen by the rows with targets.

        Returns
        -------
        RelevantKernelPCA
            The fitted transformer.
        """
        self._require(y)
        X, y = self._validated(X, y, reset=True)
        targets = code_targets(y, self.task)
        with on_cores(self.n_jobs):
            rd = choose(
                X,
                targets,
                self.kernel,
                dimension=self.dimension,
                criterion=self.criterion,
                solver=self.solver,
                center=self.center,
                random_state=self.random_state,
            ).best
            spectrum = rd.spectrum
            if unlabelled is not None:
                spectrum = self._with_unlabelled(spectrum.gram.kernel, X, unlabelled)
                rd = estimate(
                    spectrum,
                    targets,
                    dimension=self.dimension,
                    criterion=self.criterion,
                    random_state=self.random_state,
                )
                assert isinstance(spectrum.basis, SharedVectors)
                spectrum = spectrum.basis.joint
            self.kernel_ = spectrum.gram.kernel
            self.dimension_ = rd.dimension
            count = max(1, rd.dimension)
            self.eigenvalues_ = spectrum.eigenvalues[:count]
            leading = spectrum.basis.vectors(count)
            # The sign of an eigenvector is a matter of chance; its largest entry is made positive.
            signs = np.where(np.asarray(leading.max(axis=0) >= -leading.min(axis=0)), 1.0, -1.0)
            scale = signs * np.sqrt(spectrum.n * self.eigenvalues_.astype(np.float64))
            self._expansion = Expansion.of(spectrum, np.diag(scale), np.zeros(count))
        self._n_features_out = count
        return self

    def _with_unlabelled(self, kernel: Kernel, X: Any, unlabelled: Any) -> Spectrum:
        return decompose(
            kernel,
            X,
            unlabelled=self._validated(unlabelled),
            solver=self.solver,
            center=self.center,
            random_state=self.random_state,
        )

    def fit_transform(self, X: Any, y: ArrayLike | None = None, **fit_params: Any) -> Floats:
        """Fit, then return the components of the data.

        Parameters
        ----------
        X : array-like
            The data.
        y : array-like
            The targets.
        **fit_params : dict
            ``unlabelled``, see :meth:`fit`.

        Returns
        -------
        ndarray of shape (n, components)
            The components.
        """
        return self.fit(X, y, **fit_params).transform(X)

    def transform(self, X: Any) -> Floats:
        """Return the relevant components at new points.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (rows, components)
            The components.
        """
        check_is_fitted(self)
        with on_cores(self.n_jobs):
            return self._expansion(self._validated(X))

    def inverse_transform(self, X: Any) -> Floats:
        """Return points whose components come close to those given: pre-images.

        Noise that is not in the relevant components is left behind, so that
        ``inverse_transform(transform(X))`` denoises the rows. Under a Gaussian kernel this is the
        fixed point of Mika et al.; under other kernels of vectors it is an average of the rows
        with the nearest components.

        Parameters
        ----------
        X : array-like of shape (rows, components)
            Components, as ``transform`` returns them.

        Returns
        -------
        ndarray of shape (rows, features)
            Points of the input space.

        References
        ----------
        S. Mika, B. Schölkopf, A. Smola, K.-R. Müller, M. Scholz, G. Rätsch. Kernel PCA and
        De-Noising in Feature Spaces. Advances in Neural Information Processing Systems 11, 1999.

        Examples
        --------
        >>> import numpy as np
        >>> from reldim import RelevantKernelPCA, kernels
        >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
        >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
        >>> noisy = circle + 0.2 * np.random.default_rng(0).standard_normal((60, 2))
        >>> model = RelevantKernelPCA(kernels.Gaussian(0.5), dimension=5).fit(noisy, circle[:, 0])
        >>> denoised = model.inverse_transform(model.transform(noisy))
        >>> before, after = (np.abs(np.hypot(*rows.T) - 1).mean() for rows in (noisy, denoised))
        >>> bool(after < 0.7 * before)
        True
        """
        check_is_fitted(self)
        components = check_array(admit(X), dtype=[np.float64, np.float32])
        if components.shape[1] != self._n_features_out:
            raise InputError(
                f"X must have {counted(self._n_features_out, 'column')}, the components that "
                f"transform returns. Got {components.shape[1]} instead."
            )
        with on_cores(self.n_jobs):
            found = pre_images(
                self._expansion, components.astype(np.float64, copy=False), center=self.center
            )
        return found.astype(components.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
