"""The data as a diagnosis uses them."""

import numpy as np
import pytest

from reldim import kernels
from reldim.diagnosis.problem import prepare_problem


class TestSource:
    def test_every_row_stands_for_itself_where_none_repeats_another(self, rng):
        problem = prepare_problem(rng.normal(size=(20, 2)), rng.normal(size=20))
        assert problem.source.tolist() == list(range(20))
        assert problem.steps == ()

    def test_a_copy_is_represented_by_the_row_it_repeats(self, rng):
        X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
        order = rng.permutation(np.repeat(np.arange(20), 2))
        problem = prepare_problem(X[order], y[order])
        assert problem.X.shape == (20, 2)
        np.testing.assert_array_equal(problem.X[problem.source], X[order])
        np.testing.assert_allclose(
            problem.targets.values[problem.source, 0], y[order] - y.mean(), atol=1e-12
        )
        assert problem.steps == ("Left out 20 rows that repeat others, features and target alike.",)

    def test_a_kernel_matrix_is_left_as_it_is(self, rng):
        X = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
        K = kernels.Gaussian(1.0)(X)
        problem = prepare_problem(K, X[:, 0], kernels=kernels.Precomputed())
        assert problem.X is K
        assert problem.source.tolist() == list(range(20))


@pytest.fixture
def rng():
    return np.random.default_rng(0)
