"""Eigenvalues and eigenspaces of a matrix that is changed a little, against their bounds."""

import math

import numpy as np
import pytest

from reldim.exceptions import InputError
from reldim.theory import (
    GaussianEigensystem,
    cosine_eigensystem,
    eigenvalue_bound,
    sin_theta,
    tail_sum_bound,
)

SYSTEM = GaussianEigensystem(width=0.5, variance=1.0, terms=30)
FINITE = cosine_eigensystem([1.0, 0.6, 0.3, 0.1, 0.02])


class TestSinTheta:
    @pytest.mark.parametrize("seed", range(20))
    def test_holds_for_random_matrices(self, seed):
        rng = np.random.default_rng(seed)
        A, E = rng.standard_normal((2, 8, 8))
        A, E = A + A.T, 0.1 * (E + E.T)
        for index in range(8):
            found = sin_theta(A, E, index, kept=[index])
            assert found.sine <= min(1.0, found.bound) + 1e-12
            block = sin_theta(A, E, index, kept=range(4))
            assert block.sine <= block.bound + 1e-12
            assert block.perturbation == pytest.approx(np.linalg.norm(E, 2))

    def test_terms_of_a_case_done_by_hand(self):
        found = sin_theta(np.diag([3.0, 1.0, 0.0]), np.diag([0.5, 0.0, 0.0]), 0, kept=[0])
        assert (found.perturbation, found.gap, found.sine) == (0.5, 2.5, 0.0)

    def test_no_gap_no_bound(self):
        assert sin_theta(np.eye(3), np.zeros((3, 3)), 0, kept=[0]).bound == math.inf

    def test_bad_input(self):
        with pytest.raises(InputError, match="symmetric"):
            sin_theta([[0.0, 1.0], [0.0, 0.0]], np.eye(2), 0, [0])
        with pytest.raises(InputError, match="square matrix"):
            sin_theta(np.ones((2, 3)), np.eye(2), 0, [0])
        with pytest.raises(InputError, match="of one shape"):
            sin_theta(np.eye(2), np.eye(3), 0, [0])
        with pytest.raises(InputError, match="kept"):
            sin_theta(np.eye(2), np.eye(2), 0, [0, 1])


class TestEigenvalues:
    @pytest.mark.parametrize("order", [1, 4, 10])
    def test_bound_holds_on_every_sample(self, order):
        for seed in range(20):
            found = eigenvalue_bound(SYSTEM, SYSTEM.density.sample(60, seed), order)
            assert np.all(found.error <= found.bound + 1e-13)

    def test_of_a_degenerate_kernel_the_bound_is_relative(self):
        found = eigenvalue_bound(FINITE, FINITE.density.sample(500, 0), 5)
        assert found.absolute < 1e-12
        assert np.all(found.error <= found.limits * found.truncation.defect + 1e-13)

    @pytest.mark.parametrize("d", [1, 3, 6])
    def test_tail_sums_stay_within_their_bounds(self, d):
        rng = np.random.default_rng(0)
        seen = [tail_sum_bound(SYSTEM, SYSTEM.density.sample(150, rng), d) for _ in range(20)]
        assert all(s.lower <= s.tail for s in seen)
        assert np.mean([s.tail <= s.upper for s in seen]) >= 0.95
        assert seen[0].limit == pytest.approx(1 - SYSTEM.eigenvalues[:d].sum())

    def test_terms_of_the_upper_bound(self):
        found = tail_sum_bound(SYSTEM, SYSTEM.density.sample(100, 0), 2, order=9, delta=0.1)
        log = math.log(10)
        assert found.spread == pytest.approx(math.sqrt(2 * log / 100 * found.limit))
        assert found.range_term == pytest.approx(log / 300)

    def test_bad_input(self):
        X = SYSTEM.density.sample(20, 0)
        with pytest.raises(InputError, match="dimension must lie"):
            tail_sum_bound(SYSTEM, X, 0)
        with pytest.raises(InputError, match="order between"):
            tail_sum_bound(SYSTEM, X, 5, order=4)
