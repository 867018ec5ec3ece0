"""Criteria as functions of the dimension, at their ends."""

import numpy as np
import pytest

from reldim import decompose, kernels
from reldim.relevance.criteria import floor, leave_one_out_curve, left_out_residual

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
Y = RNG.normal(size=(12, 2))


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_leave_one_out_curve(count, center):
    values = Y - Y.mean(axis=0)
    spectrum = decompose(kernels.Gaussian(2.0), X, center=center)
    U = spectrum.eigenvectors[:, :count]
    expected = []
    for d in range(1, count + 1):
        S = U[:, :d] @ U[:, :d].T + (1 / 12 if center else 0)
        residual = (values - S @ values) / (1 - np.diag(S))[:, None]
        expected.append(np.sum(residual**2) / 12)
    found = leave_one_out_curve(spectrum, U.T @ values, values)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.shape == (count,)


def test_a_row_that_stands_alone_is_predicted_by_nothing():
    leverage = np.array([0.5, 1.0, 1.0 - 1e-11, 1.0 - 1e-9])
    found = left_out_residual(np.full(4, 1e-3), np.full(4, 7.0), leverage)
    np.testing.assert_allclose(found, [2e-3, 7.0, 7.0, 1e6], rtol=1e-6)


def test_energy_that_is_error_grows_with_rows_and_falls_with_digits():
    eps = np.finfo(np.float64).eps
    assert floor(3.0, 100, np.dtype(np.float64)) == pytest.approx(300.0 * eps ** (4 / 3))
    single = np.finfo(np.float32).eps
    assert floor(3.0, 100, np.dtype(np.float32)) == pytest.approx(300.0 * single ** (4 / 3))
