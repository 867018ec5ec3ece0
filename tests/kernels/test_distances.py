"""Squared distances are exact where it matters: near zero, far from the origin, in float32."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from reldim.exceptions import InputError
from reldim.kernels import squared_distances

# On both sides of the number of columns where the algorithm changes.
few_and_many = pytest.mark.parametrize("columns", [1, 3, 32, 33, 80])


def literal(X, Z):
    """Sum the squared differences in extended precision, coordinate by coordinate."""
    X, Z = np.asarray(X, dtype=np.longdouble), np.asarray(Z, dtype=np.longdouble)
    result = np.zeros((len(X), len(Z)), dtype=np.longdouble)
    for i in range(len(X)):
        for j in range(len(Z)):
            for k in range(X.shape[1]):
                result[i, j] += (X[i, k] - Z[j, k]) ** 2
    return result.astype(np.float64)


def sample(columns, rows=7, seed=0, offset=0.0):
    return np.random.default_rng(seed).normal(size=(rows, columns)) + offset


@few_and_many
class TestDense:
    def test_equals_the_formula(self, columns):
        X, Z = sample(columns), sample(columns, rows=4, seed=1)
        np.testing.assert_allclose(squared_distances(X, Z), literal(X, Z), rtol=1e-12)

    @pytest.mark.parametrize("offset, digits", [(300.0, 1e-13), (1e6, 1e-9)])
    def test_far_from_the_origin(self, columns, offset, digits):
        X = sample(columns, offset=offset)
        np.testing.assert_allclose(squared_distances(X), literal(X, X), rtol=digits)

    def test_close_pairs_keep_their_digits(self, columns):
        X = sample(columns)
        Z = X + 1e-7 * sample(columns, seed=2)
        np.testing.assert_allclose(squared_distances(X, Z), literal(X, Z), rtol=1e-9)

    def test_equal_rows_have_distance_zero(self, columns):
        X = sample(columns, rows=20, offset=5.0)
        np.testing.assert_array_equal(np.diag(squared_distances(X)), 0)
        np.testing.assert_array_equal(np.diag(squared_distances(X, X.copy())), 0)
        twice = squared_distances(np.vstack([X, X]))
        np.testing.assert_array_equal(np.diag(twice[:20, 20:]), 0)

    def test_exactly_symmetric_and_never_negative(self, columns):
        distances = squared_distances(sample(columns, rows=50))
        np.testing.assert_array_equal(distances, distances.T)
        assert distances.min() >= 0

    def test_float32_is_accurate(self, columns):
        X = sample(columns, offset=1e3).astype(np.float32)
        distances = squared_distances(X)
        assert distances.dtype == np.float32
        np.testing.assert_allclose(distances, literal(X, X), rtol=1e-6)

    def test_mixed_precision_gives_float64(self, columns):
        X, Z = sample(columns).astype(np.float32), sample(columns, seed=1)
        distances = squared_distances(X, Z)
        assert distances.dtype == np.float64
        np.testing.assert_allclose(distances, literal(X, Z), rtol=1e-12)

    def test_blocks_fit_together(self, columns):
        # 1600 x 1600 numbers are more than one block of rows.
        X = sample(columns, rows=1600)
        distances = squared_distances(X)
        rows = np.array([0, 3, 1300, 1310, 1311, 1599])
        np.testing.assert_allclose(
            distances[np.ix_(rows, rows)], literal(X[rows], X[rows]), rtol=1e-12
        )
        np.testing.assert_array_equal(distances, distances.T)
        np.testing.assert_allclose(squared_distances(X, X.copy()), distances, rtol=1e-9)


class TestSparse:
    def data(self, rows=12, columns=200, seed=0, dtype=np.float64):
        values = np.random.default_rng(seed).normal(size=(rows, columns))
        return sparse.csr_array(np.where(values > 1.2, values, 0.0).astype(dtype))

    def test_equals_the_formula(self):
        X, Z = self.data(), self.data(rows=5, seed=1)
        expected = literal(X.toarray(), Z.toarray())
        np.testing.assert_allclose(squared_distances(X, Z), expected, rtol=1e-12)
        np.testing.assert_allclose(squared_distances(X.toarray(), Z), expected, rtol=1e-12)
        np.testing.assert_allclose(squared_distances(X, Z.toarray()), expected, rtol=1e-12)

    def test_equal_rows_have_distance_zero(self):
        X = self.data()
        np.testing.assert_array_equal(np.diag(squared_distances(X)), 0)
        np.testing.assert_array_equal(np.diag(squared_distances(X, X.copy())), 0)
        np.testing.assert_array_equal(np.diag(squared_distances(X, X.toarray())), 0)

    def test_float32(self):
        X = self.data(dtype=np.float32)
        distances = squared_distances(X)
        assert distances.dtype == np.float32
        np.testing.assert_allclose(distances, literal(X.toarray(), X.toarray()), rtol=1e-6)

    def test_float32_is_accurate_far_from_the_origin(self):
        X = self.data(dtype=np.float32).toarray()
        X[:, 0] = 300.1 + X[:, 1]
        distances = squared_distances(sparse.csr_array(X))
        np.testing.assert_allclose(distances, literal(X, X), rtol=1e-6)

    def test_entries_stored_twice_are_added(self):
        X = sparse.csr_array(([1.0, 2.0, 5.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
        np.testing.assert_array_equal(squared_distances(X), [[0, 34], [34, 0]])


def test_columns_must_fit():
    with pytest.raises(InputError, match=r"same number of columns\. Got 2 and 3"):
        squared_distances(np.ones((4, 2)), np.ones((4, 3)))


small = st.floats(-1e3, 1e3, allow_nan=False, width=32)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 40)), elements=small))
def test_triangle_inequality(X):
    distances = np.sqrt(squared_distances(X))
    detours = distances[:, :, None] + distances[None, :, :]
    assert (distances <= detours.min(axis=1) * (1 + 1e-9) + 1e-12).all()
