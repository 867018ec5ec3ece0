"""Kernel PCR against spectral cut-off, with the dense and the low-rank solver."""

import math

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import LinearRegression, Ridge

from reldim import KernelPCRegressor, datasets, decompose, kernels
from reldim.cutoffs import CrossValidated, ExplainedVariance, Threshold, as_cutoff, fit_cutoff
from reldim.inputs.targets import code_targets

KERNEL = kernels.Gaussian(1.0)


def spectral_cutoff(K, K_new, y, m, *, center):
    """Truncated singular value decomposition in feature space (Mosci et al., eq. 9)."""
    n = len(K)
    if center:
        H = np.eye(n) - 1 / n
        K_new = (K_new - K.mean(axis=0)) @ H
        K = H @ K @ H
    sigma, U = np.linalg.eigh(K / n)
    sigma, U = sigma[::-1], U[:, ::-1]
    alpha = sum(U[:, j] * (U[:, j] @ y) / (n * sigma[j]) for j in range(m))
    return K_new @ alpha


class TestEquivalence:
    @pytest.mark.parametrize("center", [False, True])
    @pytest.mark.parametrize("m", [1, 4, 9])
    def test_kernel_pcr_equals_spectral_cutoff(self, sinc, m, center):
        train, new = sinc
        model = KernelPCRegressor(KERNEL, dimension=m, center=center).fit(train.X, train.y)
        expected = spectral_cutoff(
            KERNEL(train.X), KERNEL(new.X, train.X), train.y - train.y.mean(), m, center=center
        )
        np.testing.assert_allclose(model.predict(new.X), expected + train.y.mean(), atol=1e-10)

    @pytest.mark.parametrize("m", [1, 4, 9])
    def test_centred_it_equals_least_squares_on_kernel_pca(self, sinc, m):
        train, new = sinc
        pca = KernelPCA(m, kernel="precomputed").fit(KERNEL(train.X))
        linear = LinearRegression().fit(pca.transform(KERNEL(train.X)), train.y)
        expected = linear.predict(pca.transform(KERNEL(new.X, train.X)))
        model = KernelPCRegressor(KERNEL, dimension=m, center=True).fit(train.X, train.y)
        np.testing.assert_allclose(model.predict(new.X), expected, atol=1e-9)

    def test_uncentred_it_equals_least_squares_on_projected_features(self):
        """A polynomial kernel has features that can be written down."""
        rng = np.random.default_rng(0)
        X, new = rng.standard_normal((50, 2)), rng.standard_normal((20, 2))
        y = X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(50)

        def features(X):
            a, b = X.T
            r = math.sqrt(2)
            return np.column_stack([np.ones(len(X)), r * a, r * b, a**2, b**2, r * a * b])

        _, _, V = np.linalg.svd(features(X), full_matrices=False)
        projected = features(X) @ V[:3].T
        w, *_ = np.linalg.lstsq(projected, y - y.mean(), rcond=None)
        model = KernelPCRegressor(kernels.Polynomial(2), dimension=3).fit(X, y)
        expected = features(new) @ V[:3].T @ w + y.mean()
        np.testing.assert_allclose(model.predict(new), expected, atol=1e-10)

    @pytest.mark.parametrize("ridge", [1e-3, 0.1])
    def test_ridge_after_projection(self, sinc, ridge):
        train, new = sinc
        n, m = 120, 6
        pca = KernelPCA(m, kernel="precomputed").fit(KERNEL(train.X))
        linear = Ridge(alpha=n * ridge).fit(pca.transform(KERNEL(train.X)), train.y)
        expected = linear.predict(pca.transform(KERNEL(new.X, train.X)))
        model = KernelPCRegressor(KERNEL, dimension=m, center=True, ridge=ridge)
        model.fit(train.X, train.y)
        np.testing.assert_allclose(model.predict(new.X), expected, atol=1e-9)
        fitted = model.predict(train.X)
        nmse = np.sum((train.y - fitted) ** 2) / np.sum((train.y - train.y.mean()) ** 2)
        assert model.noise_level_ == pytest.approx(nmse)
        assert model.noise_level_ < model.error_estimate_

    def test_ridge_left_out_in_closed_form(self, sinc):
        """The shortcut equals refits on a basis that is held fixed."""
        train, _ = sinc
        ridge, m = 0.01, 5
        spectrum = decompose(KERNEL, train.X)
        targets = code_targets(train.y, "regression")
        fit = fit_cutoff(spectrum, targets, as_cutoff(m), ridge=ridge)
        U, l = spectrum.eigenvectors[:, :m], spectrum.eigenvalues[:m]
        scaled = U * np.sqrt(120 * l)
        y = targets.values[:, 0]
        wrong = 0.0
        for i in range(120):
            rest = np.arange(120) != i
            inner = scaled[rest].T @ scaled[rest] + 120 * ridge * np.eye(m)
            w = np.linalg.solve(inner, scaled[rest].T @ y[rest])
            wrong += (y[i] - scaled[i] @ w) ** 2
        assert fit.error_estimate == pytest.approx(wrong / np.sum(y**2))


class TestLowRankSolver:
    """Rules ask for more eigenpairs where a few do not do."""

    @pytest.fixture(scope="class")
    @staticmethod
    def many():
        return datasets.noisy_sinc(1200, noise=0.2, random_state=0)

    @pytest.mark.parametrize("rule", [12, 300, Threshold(1e-3), ExplainedVariance(0.9)], ids=repr)
    def test_same_cut_as_the_dense_solver(self, many, rule):
        kernel = kernels.Gaussian(1e-5)
        dense, low = (
            KernelPCRegressor(kernel, dimension=rule, solver=solver).fit(many.X, many.y)
            for solver in ("dense", "lowrank")
        )
        assert low.dimension_ == pytest.approx(dense.dimension_, abs=2)
        assert low.score(many.X, many.y) == pytest.approx(dense.score(many.X, many.y), abs=0.01)

    def test_cross_validation(self, many):
        rule = CrossValidated(folds=3)
        dense, low = (
            KernelPCRegressor(KERNEL, dimension=rule, solver=solver).fit(many.X, many.y)
            for solver in ("dense", "lowrank")
        )
        assert low.cut_.error == pytest.approx(dense.cut_.error, rel=1e-3)
