"""Fits under one kernel, against scikit-learn and their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC

from reldim import kernels
from reldim.search.fits import couple, hinge_weights, ridge_weights


def test_ridge_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 2)), rng.normal(size=(40, 3))
    K = kernels.Gaussian(1.0)(X)
    expected = KernelRidge(alpha=0.3, kernel="precomputed").fit(K, Y).dual_coef_
    assert_allclose(ridge_weights(K, Y, 0.3), expected)


class TestHinge:
    @pytest.mark.parametrize("classes", [2, 3])
    def test_weights_are_the_machine(self, classes):
        X, codes = load_iris(return_X_y=True)
        rows = codes < classes
        X, codes = X[rows], codes[rows]
        K = kernels.Gaussian(1.0)(X)
        weights, constant = hinge_weights(K, codes, classes, 3.0)
        machine = SVC(C=3.0 / (1 - K.mean()), kernel="precomputed", tol=1e-2)
        machine.set_params(decision_function_shape="ovo").fit(K, codes)
        decisions = machine.decision_function(K).reshape(len(X), -1)
        # For two classes scikit-learn counts for the second one.
        sign = -1 if classes == 2 else 1
        assert_allclose(K @ weights + constant, sign * decisions, atol=1e-10)

    def test_a_class_that_no_row_has_is_undecided(self):
        X, codes = load_iris(return_X_y=True)
        rows = codes > 0
        weights, constant = hinge_weights(kernels.Gaussian(1.0)(X[rows]), codes[rows], 3, 1.0)
        assert not weights[:, :2].any()
        assert not constant[:2].any()
        assert weights[:, 2].any()

    def test_a_single_class_wins_all_its_pairs(self):
        weights, constant = hinge_weights(np.eye(4), np.ones(4, dtype=int), 3, 1.0)
        assert not weights.any()
        assert constant.tolist() == [-1.0, 0.0, 1.0]


def test_coupled_probabilities_are_those_of_consistent_pairs():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    decisions = np.log(np.column_stack([p[:, i] / p[:, j] for i, j in [(0, 1), (0, 2), (1, 2)]]))
    assert_allclose(couple(decisions, 3, 1.0), p, rtol=1e-12)
