"""Kernel ridge regression, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import cross_val_predict

from estimating import GAUSSIAN, NEW, SINC
from reldim import (
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    kernels,
)
from reldim.exceptions import InputError


class TestRidge:
    @pytest.mark.parametrize("alpha", [1e-4, 0.1])
    def test_equals_that_of_scikit_learn(self, alpha):
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[alpha]).fit(SINC.X, SINC.y)
        mean = SINC.y.mean()
        reference = KernelRidge(alpha=60 * alpha, kernel="rbf", gamma=1 / 0.6)
        reference.fit(SINC.X, SINC.y - mean)
        np.testing.assert_allclose(model.predict(NEW), reference.predict(NEW) + mean, atol=1e-8)
        assert model.alpha_ == alpha

    def test_error_estimate_equals_leave_one_out(self):
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01], center=True).fit(SINC.X, SINC.y)
        # Left out, 59 rows remain, and the penalty 60 alpha is 59 times a larger alpha.
        refit = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01 * 60 / 59], center=True)
        left_out = cross_val_predict(refit, SINC.X, SINC.y, cv=60)
        error = np.sum((SINC.y - left_out) ** 2) / np.sum((SINC.y - SINC.y.mean()) ** 2)
        assert model.error_estimate_ == pytest.approx(error, rel=1e-6)

    def test_kernel_and_parameter_are_chosen_together(self):
        widths = [kernels.Gaussian(w) for w in (0.01, 0.3, 30.0)]
        model = KernelRidgeRegressor(widths).fit(SINC.X, SINC.y)
        errors = [KernelRidgeRegressor(k).fit(SINC.X, SINC.y).error_estimate_ for k in widths]
        assert model.kernel_ == widths[int(np.argmin(errors))]
        assert model.error_estimate_ == pytest.approx(min(errors))

    def test_parameters_are_checked(self):
        with pytest.raises(InputError, match="alphas must be positive numbers"):
            KernelRidgeRegressor(GAUSSIAN, alphas=[0.0]).fit(SINC.X, SINC.y)

    def test_centring_gives_classes_an_intercept(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 1))
        y = X[:, 0] > 1.0
        plain = KernelRidgeClassifier(kernels.Linear()).fit(X, y)
        centred = KernelRidgeClassifier(kernels.Linear(), center=True).fit(X, y)
        assert centred.error_estimate_ < 0.5 * plain.error_estimate_
