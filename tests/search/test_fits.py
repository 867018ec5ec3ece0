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


def test_a_ridge_over_the_count_of_each_row_is_that_of_repeated_rows():
    rng = np.random.default_rng(0)
    X, Y, counts = rng.normal(size=(40, 2)), rng.normal(size=(40, 3)), rng.integers(1, 5, size=40)
    kernel = kernels.Gaussian(1.0)
    repeated = np.arange(40).repeat(counts)
    weights = ridge_weights(kernel(X[repeated]), Y[repeated], 0.3)
    summed = np.stack([weights[repeated == row].sum(axis=0) for row in range(40)])
    assert_allclose(ridge_weights(kernel(X), Y, 0.3 / counts), summed, atol=1e-10)


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

    def test_counts_are_repeated_rows(self):
        X, codes = load_iris(return_X_y=True)
        X = np.unique(X[codes > 0], axis=0)
        codes = np.random.default_rng(0).integers(0, 2, size=len(X))
        counts = np.random.default_rng(1).integers(1, 4, size=len(X))
        K = kernels.Gaussian(1.0)(X)
        rows = np.arange(len(X)).repeat(counts)
        repeated = kernels.Gaussian(1.0)(X[rows])
        # The cost is over the variance of the kernel on the rows that are passed.
        cost = 3.0 * (1 - repeated.mean()) / (1 - K.mean())
        weights, constant = hinge_weights(K, codes, 2, 3.0, counts.astype(float))
        expected, other = hinge_weights(repeated, codes[rows], 2, cost)
        assert_allclose(K @ weights + constant, K[:, rows] @ expected + other, atol=0.05)
        plain, without = hinge_weights(K, codes, 2, 3.0)
        assert np.abs(K @ (plain - weights) + without - constant).max() > 0.2

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
