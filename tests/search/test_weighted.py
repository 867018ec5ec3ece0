"""Kernels with learned weights as candidates: plain kernels, judged by other rows."""

import numpy as np
import pytest

from reldim.inputs.targets import code_targets
from reldim.search.weighted import ahead_of_constant, fit_weighted
from reldim.search.weights import WEIGHTED

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3)) * [1.0, 100.0, 0.01] + [0.0, 5.0, 7.0]
Y = np.sin(2 * X[:, 0]) + X[:, 1] / 100 + 0.1 * RNG.normal(size=80)


@pytest.fixture(scope="module")
def found():
    return fit_weighted(X, code_targets(Y))


def test_the_kernel_of_the_data_is_that_of_the_scaled_columns(found):
    assert [one.kind for one in found] == [*WEIGHTED]
    for one in found:
        learned = one.fit.kernels[0].kernel
        np.testing.assert_allclose(one.kernel(X), learned(one.fit.rows.X), atol=2e-3)


def test_columns_that_do_not_matter_have_least_weight(found):
    for one in found:
        power = 1 if one.kind == "product" else 2
        weights = np.array(one.kernel.weights) * X.std(axis=0) ** power
        assert weights.argmin() == 2


def test_folds_learn_without_the_rows_that_they_judge(found):
    """Other targets of held-out rows change nothing that a fold learned."""
    fold = found[1].fit.folds[0]
    changed = Y.copy()
    changed[fold.held_out] = RNG.permutation(changed[fold.held_out])
    # Exchanged among each other, so that the mean of all rows stays.
    again = fit_weighted(X, code_targets(changed), kinds=["gaussian"])[0].fit.folds[0]
    np.testing.assert_array_equal(again.held_out, fold.held_out)
    np.testing.assert_allclose(
        again.kernels[0].kernel.weights, fold.kernels[0].kernel.weights, rtol=1e-6
    )


def test_held_out_errors_are_those_of_new_rows(found):
    more = np.random.default_rng(1).normal(size=(2000, 3)) * [1.0, 100.0, 0.01] + [0.0, 5.0, 7.0]
    truth = np.sin(2 * more[:, 0]) + more[:, 1] / 100
    targets = truth + 0.1 * np.random.default_rng(2).normal(size=2000)
    for one in found:
        predicted = one.fit.blend(more)[:, 0] + Y.mean()
        error = np.mean((predicted - targets) ** 2) / targets.var()
        assert one.fit.error == pytest.approx(error, rel=0.6)
        assert one.p_value < 1e-6


def test_noise_is_not_ahead_of_a_constant():
    false = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        one = fit_weighted(
            rng.normal(size=(60, 5)), code_targets(rng.normal(size=60)), kinds=["gaussian"]
        )[0]
        assert one.p_value == ahead_of_constant(one.fit)
        false += one.p_value < 0.05
    assert false <= 1


def test_columns_of_one_source_share_a_weight():
    one = fit_weighted(X[:, [0, 1, 1]], code_targets(Y), ["a", "b", "b"], kinds=["gaussian"])[0]
    first, second, third = one.kernel.weights
    assert second == third != first


def test_constant_columns_and_classes():
    with_constant = np.column_stack([X, np.ones(80)])
    one = fit_weighted(with_constant, code_targets(Y > 0), kinds=["laplacian"])[0]
    assert np.isfinite(one.kernel.weights).all()
    assert one.fit.error < 0.3
