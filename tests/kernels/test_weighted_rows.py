"""Rows of weight w count as w rows."""

import numpy as np

from reldim import kernels
from reldim.kernels.weighted_rows import RowWeighted, WeightedRows

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(5, 2)), RNG.normal(size=(3, 2))
FACTORS = np.array([1.0, 2.0, 0.0, 0.5, 3.0])
INNER = kernels.Gaussian(1.5)
KERNEL = RowWeighted(INNER)
ROWS = WeightedRows(INNER.prepare(X), FACTORS)


def test_matrix_and_diagonal_against_the_formula():
    matrix = KERNEL.matrix(ROWS, ROWS)
    expected = [[a * INNER(x[None], z[None])[0, 0] * b for z, b in zip(X, FACTORS, strict=True)]
                for x, a in zip(X, FACTORS, strict=True)]  # fmt: skip
    np.testing.assert_allclose(matrix, expected, rtol=1e-12)
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_allclose(KERNEL.diagonal_of(ROWS), np.diag(matrix))


def test_new_points_have_the_factor_one():
    new = KERNEL.prepare(Z, ROWS)
    assert new.factors.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(KERNEL.matrix(new, ROWS), INNER(Z, X) * FACTORS)
    assert KERNEL.prepare(ROWS) is ROWS


def test_parts_are_put_together_again():
    both = WeightedRows.below_each_other([ROWS[:2], ROWS[2:]])
    np.testing.assert_array_equal(both.factors, FACTORS)
    np.testing.assert_array_equal(KERNEL.matrix(both, both), KERNEL.matrix(ROWS, ROWS))
    assert both.shape == (5,)


def test_weighted_least_squares_is_least_squares_on_repeated_rows():
    weights, y = np.array([1, 2, 3, 1, 2]), RNG.normal(size=5)
    rows = WeightedRows(X, np.sqrt(weights))
    K = RowWeighted(kernels.Linear()).matrix(rows, rows)
    dual = np.linalg.solve(K + np.eye(5), np.sqrt(weights) * y)
    weighted = X.T @ (np.sqrt(weights) * dual)
    R, t = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    np.testing.assert_allclose(weighted, np.linalg.solve(R.T @ R + np.eye(2), R.T @ t))
