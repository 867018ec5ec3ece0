"""Kernel ridge regression in closed form against refits."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from oracles import ridge_left_out, ridge_left_out_with_intercept
from reldim import decompose, kernels
from reldim.exceptions import InputError
from reldim.inputs.targets import code_targets
from reldim.relevance.ridge import default_alphas, fit_ridge

N = 40
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 2))
NEW = rng.normal(size=(9, 2))
Y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=N) + 5.0
LABELS = np.where(X[:, 0] + X[:, 1] ** 2 > 1.2, "in", "out")
THREE = np.digitize(X[:, 0], [-0.5, 0.7])
BOTH = np.column_stack([Y, X[:, 1] ** 2])
ALPHAS = np.geomspace(1e-6, 1.0, 7)

every_kernel = pytest.mark.parametrize(
    "kernel",
    [
        kernels.Gaussian(width=0.5),
        kernels.Laplacian(scale=1.0),  # full rank
        kernels.Linear(),  # rank 2 of 40
        kernels.Gaussian(width=1e-6),  # close to the identity
    ],
    ids=repr,
)
every_y = pytest.mark.parametrize(
    "y", [Y, BOTH, LABELS, THREE], ids=["numbers", "two outputs", "two classes", "three classes"]
)


@every_kernel
@every_y
class TestLeaveOneOut:
    def test_equals_n_refits(self, kernel, y):
        targets = code_targets(y)
        fit = fit_ridge(decompose(kernel, X), targets, ALPHAS)
        K = kernel(X)
        left_out = [ridge_left_out(K, targets.values, N * a) for a in ALPHAS]
        errors = [np.sum((targets.values - p) ** 2) / N for p in left_out]
        np.testing.assert_allclose(fit.curve, errors, rtol=1e-6)
        best = int(np.argmin(errors))
        assert fit.alpha == ALPHAS[best]
        assert fit.criterion_value == pytest.approx(errors[best], rel=1e-6)
        assert fit.error_estimate == pytest.approx(targets.error(left_out[best]), rel=1e-6)

    def test_centred_equals_n_refits_with_an_intercept(self, kernel, y):
        targets = code_targets(y)
        fit = fit_ridge(decompose(kernel, X, center=True), targets, ALPHAS)
        K, given = kernel(X), targets.values + targets.offset
        left_out = [ridge_left_out_with_intercept(K, given, N * a) for a in ALPHAS]
        errors = [np.sum((given - p) ** 2) / N for p in left_out]
        np.testing.assert_allclose(fit.curve, errors, rtol=1e-6)
        best = int(np.argmin(np.round(errors, 9)))
        assert fit.error_estimate == pytest.approx(
            targets.error(left_out[best] - targets.offset), rel=1e-6
        )


@every_kernel
@every_y
def test_predictions_equal_those_of_scikit_learn(kernel, y):
    targets = code_targets(y)
    fit = fit_ridge(decompose(kernel, X), targets, [1e-3])
    model = KernelRidge(alpha=N * 1e-3, kernel="precomputed").fit(kernel(X), targets.values)
    for rows in (X, NEW):
        expected = model.predict(kernel(rows, X)) + targets.offset
        np.testing.assert_allclose(fit.expansion(rows), expected, atol=1e-8)


def test_degrees_of_freedom_are_the_trace_of_the_hat_matrix():
    kernel, alpha = kernels.Gaussian(width=0.5), 0.02
    fit = fit_ridge(decompose(kernel, X), code_targets(Y), [alpha])
    K = kernel(X)
    hat = K @ np.linalg.inv(K + N * alpha * np.eye(N))
    assert fit.degrees_of_freedom == pytest.approx(np.trace(hat))


def test_classes_are_judged_by_squares_and_reported_by_counts():
    targets = code_targets(LABELS)
    kernel = kernels.Gaussian(width=0.5)
    fit = fit_ridge(decompose(kernel, X), targets)
    left_out = ridge_left_out(kernel(X), targets.values, N * fit.alpha)
    wrong = np.mean(np.where(left_out[:, 0] > 0, "out", "in") != LABELS)
    assert fit.error_estimate == pytest.approx(wrong)


@pytest.mark.parametrize("center", [False, True])
def test_a_penalty_below_round_off_interpolates(center):
    kernel = kernels.Laplacian(scale=1.0)
    targets = code_targets(Y)
    fit = fit_ridge(decompose(kernel, X, center=center), targets, [1e-300])
    reference = ridge_left_out_with_intercept if center else ridge_left_out
    left_out = reference(kernel(X), targets.values, 0.0)
    expected = np.sum((targets.values - left_out) ** 2) / N
    assert fit.criterion_value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(fit.expansion(X)[:, 0], Y, atol=1e-8)


def test_a_row_of_its_own_direction_without_penalty():
    # The last row is orthogonal to all others, which are duplicated: rank below n, leverage 1.
    points = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    targets = code_targets([1.0, 2.5, 3.0, 4.0, -7.0], "regression")
    fit = fit_ridge(decompose(kernels.Linear(), points), targets, [1e-14])
    left_out = np.empty((5, 1))
    for i in range(5):
        others = np.arange(5) != i
        left_out[i] = points[i] @ np.linalg.pinv(points[others]) @ targets.values[others]
    expected = np.sum((targets.values - left_out) ** 2) / 5
    assert fit.criterion_value == pytest.approx(expected, rel=1e-6)


def test_single_precision_agrees_with_double(monkeypatch):
    monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)
    kernel = kernels.Gaussian(width=0.05)
    targets = code_targets(Y)
    single = fit_ridge(decompose(kernel, X.astype(np.float32)), targets, ALPHAS)
    double = fit_ridge(decompose(kernel, X), targets, ALPHAS)
    np.testing.assert_allclose(single.curve, double.curve, rtol=1e-3)
    assert single.expansion(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("center", [False, True])
def test_leave_one_out_sees_through_interpolation(center):
    # Under a kernel close to the identity the others say nothing about a row but their mean.
    spectrum = decompose(kernels.Gaussian(width=1e-8), X, center=center)
    fit = fit_ridge(spectrum, code_targets(Y))
    assert fit.error_estimate == pytest.approx(1.0, abs=0.06)


def test_default_parameters_end_at_the_largest_eigenvalue():
    spectrum = decompose(kernels.Gaussian(width=0.5), X)
    alphas = default_alphas(spectrum)
    assert alphas[-1] == pytest.approx(spectrum.eigenvalues[0])
    assert np.all(np.diff(alphas) > 0)
    fit = fit_ridge(spectrum, code_targets(Y))
    np.testing.assert_array_equal(fit.alphas, alphas)
    assert fit.alpha in alphas
    assert alphas[0] < fit.alpha < alphas[-1]


def test_a_single_parameter_need_not_be_a_list():
    assert fit_ridge(decompose(kernels.Linear(), X), code_targets(Y), 0.5).alpha == 0.5


@pytest.mark.parametrize(
    "alphas", [0.0, -1.0, [], [1.0, np.nan], [1.0, np.inf], [[1.0, 2.0]], "large", [None]]
)
def test_what_is_no_list_of_parameters(alphas):
    with pytest.raises(InputError, match="alphas must be positive numbers, on the scale .*Got"):
        fit_ridge(decompose(kernels.Linear(), X), code_targets(Y), alphas)
