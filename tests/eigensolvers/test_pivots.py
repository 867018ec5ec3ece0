"""Pivots: which rows are drawn, and the factor that they give."""

import itertools

import numpy as np
import pytest

from reldim import kernels
from reldim.eigensolvers import lowrank
from reldim.eigensolvers.lowrank import Factor, spectrum_of_factor
from reldim.spectrum.gram import Gram


def cloud(n=300, features=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, features))


def grown(X, kernel, rank, **settings):
    factor = Factor(Gram.of(kernel, X), rank, **settings)
    factor.grow(rank)
    return factor


class TestFactor:
    def test_the_approximation_is_exact_on_the_pivots(self):
        X = cloud()
        factor = grown(X, kernels.Gaussian(2.0), 40)
        K = kernels.Gaussian(2.0)(X)
        F = factor.columns[:, :40]
        np.testing.assert_allclose(F @ F[factor.pivots].T, K[:, factor.pivots], atol=1e-10)

    def test_it_equals_the_nystroem_approximation_of_its_pivots(self):
        X = cloud()
        factor = grown(X, kernels.Gaussian(2.0), 25)
        K = kernels.Gaussian(2.0)(X)
        s = factor.pivots
        expected = K[:, s] @ np.linalg.solve(K[np.ix_(s, s)], K[s])
        F = factor.columns[:, :25]
        np.testing.assert_allclose(F @ F.T, expected, atol=1e-8)

    def test_what_is_left_of_the_diagonal_is_known(self):
        X = cloud()
        factor = grown(X, kernels.Gaussian(2.0), 30)
        F = factor.columns[:, :30]
        np.testing.assert_allclose(factor.left, 1 - np.sum(F**2, axis=1), atol=1e-12)
        assert factor.residual == pytest.approx(300 - np.sum(F**2))

    def test_growing_in_steps_keeps_the_first_columns(self):
        factor = Factor(Gram.of(kernels.Gaussian(2.0), cloud()), 60)
        factor.grow(20)
        before, pivots = factor.columns[:, :20].copy(), list(factor.pivots)
        factor.grow(60)
        np.testing.assert_array_equal(factor.columns[:, :20], before)
        assert factor.pivots[:20] == pivots
        F = factor.columns
        np.testing.assert_allclose(factor.inner, F.T @ F, atol=1e-11)

    def test_rows_in_chunks_give_the_same_factor(self, monkeypatch):
        X = cloud(100)
        whole = grown(X, kernels.Gaussian(2.0), 30)
        monkeypatch.setattr(lowrank, "CHUNK", 7)
        chunks = grown(X, kernels.Gaussian(2.0), 30)
        assert chunks.pivots == whole.pivots
        np.testing.assert_allclose(chunks.columns, whole.columns, atol=1e-12)

    def test_seeds_repeat_and_differ(self):
        X = cloud()
        pivots = [
            grown(X, kernels.Gaussian(2.0), 30, random_state=seed).pivots
            for seed in (None, 0, 1, 1)
        ]
        assert pivots[0] == pivots[1]
        assert pivots[2] == pivots[3]
        assert pivots[1] != pivots[2]
        assert all(len(set(some)) == 30 for some in pivots)

    def test_pivots_are_distributed_as_if_drawn_one_by_one(self):
        """Compare the frequency of ordered pairs with the probabilities of drawing them."""
        X = np.array([[0.0], [0.3], [1.0], [3.0]])
        K = kernels.Gaussian(0.5)(X)
        expected = np.zeros((4, 4))
        for i, j in itertools.permutations(range(4), 2):
            left = np.diag(K) - K[:, i] ** 2 / K[i, i]
            left[i] = 0.0
            expected[i, j] = K[i, i] / np.trace(K) * left[j] / left.sum()
        seen = np.zeros((4, 4))
        gram = Gram.of(kernels.Gaussian(0.5), X)
        draws = 1000
        for seed in range(draws):
            factor = Factor(gram, 2, random_state=seed)
            factor.grow(2)
            seen[factor.pivots[0], factor.pivots[1]] += 1
        spread = np.sqrt(draws * expected * (1 - expected))
        assert np.all(np.abs(seen - draws * expected) <= 4.5 * spread + 1e-9)

    def test_duplicated_rows_exhaust_the_rank(self):
        X = np.repeat(cloud(20), 15, axis=0)
        factor = grown(X, kernels.Gaussian(2.0), 100)
        assert factor.exhausted
        assert factor.rank == 20
        spectrum = spectrum_of_factor(factor)
        assert spectrum.is_complete
        assert spectrum.rank == 20

    def test_one_large_row_among_small_ones_ends(self):
        # What is left of each row is round-off beside the large one, but not beside its own.
        X = np.vstack([[1e9, 0.0], 1e-3 * cloud(200, 2)])
        factor = grown(X, kernels.Linear(), 50)
        assert factor.exhausted
        assert factor.rank <= 3

    def test_own_landmarks_in_their_order(self):
        X = cloud()
        factor = Factor(Gram.of(kernels.Gaussian(2.0), X), 5, landmarks=[7, 3, 7, 250, 11])
        factor.grow(5)
        assert factor.pivots == [7, 3, 250, 11]

    @pytest.mark.parametrize("seed", range(3))
    def test_more_landmarks_leave_less(self, seed):
        X = cloud(seed=seed)
        left = [grown(X, kernels.Gaussian(1.0), rank).residual for rank in (10, 40, 160)]
        assert left[0] > left[1] > left[2] > 0
