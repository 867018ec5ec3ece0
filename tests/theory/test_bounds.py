"""Each bound against what it bounds, and each of its terms against the definition."""

import math

import numpy as np
import pytest

from reldim.exceptions import InputError
from reldim.theory import (
    GaussianEigensystem,
    coefficient_bound,
    cosine_eigensystem,
    cutoff_bound,
    eigenvalue_bound,
    margin_dimension,
    sin_theta,
    tail_sum_bound,
    threshold,
    truncate,
    truncation_bound,
    vc_bound,
)

SYSTEM = GaussianEigensystem(width=0.5, variance=1.0, terms=30)
ALPHA = np.array([1.0, -2.0, 1.5, 0.0, 0.7, -0.4, 0.2, 0.1])
FINITE = cosine_eigensystem([1.0, 0.6, 0.3, 0.1, 0.02])


class TestTheorem1:
    def test_terms_against_a_literal_reading(self):
        n, r, delta = 60, 6, 0.1
        X = SYSTEM.density.sample(n, random_state=0)
        found = coefficient_bound(SYSTEM, ALPHA, X, orders=[r], delta=delta)
        lam, psi = SYSTEM.eigenvalues, SYSTEM.functions(X)
        alpha = np.zeros(30)
        alpha[:8] = ALPHA
        g = sum(alpha[l] * lam[l] * psi[:, l] for l in range(30))
        K = np.array([[np.exp(-((x - z) ** 2)) for z in X[:, 0]] for x in X[:, 0]]) / n
        l, U = np.linalg.eigh(K)
        l, U = l[::-1], U[:, ::-1]
        Psi = psi[:, :r] / math.sqrt(n)
        truncated = Psi @ np.diag(lam[:r]) @ Psi.T
        lt = np.sort(np.linalg.eigvalsh(truncated))[::-1][:r]
        a = sum(abs(value) for value in alpha[:r])
        inverse = np.linalg.norm(np.linalg.pinv(Psi), 2)
        error = np.linalg.norm(K - truncated, 2)
        T = math.sqrt(sum((alpha[j] * lam[j]) ** 2 for j in range(r, 30)))
        F = np.linalg.norm(alpha)
        assert found.sizes[0] == pytest.approx(a)
        assert found.D[0] == pytest.approx(2 * a * inverse)
        assert found.E[0] == pytest.approx(2 * r * a * inverse * error)
        assert found.truncation_error[0] == pytest.approx(T)
        assert found.supremum == pytest.approx(F)
        assert found.T[0] == pytest.approx(T + math.sqrt(F * T) * (1 / (n * delta)) ** 0.25)
        for i in range(10):
            c = sum(l[i] / 2 <= lt[j] <= 2 * l[i] for j in range(r))
            assert found.clusters[0, i] == c
            assert found.coefficients[i] == pytest.approx(
                abs(U[:, i] @ g) / math.sqrt(n), abs=1e-12
            )
            assert found.by_order[0, i] == pytest.approx(
                l[i] * c * found.D[0] + found.E[0] + found.T[0]
            )

    def test_supremum_bounds_the_function_and_what_truncation_leaves(self):
        x = np.linspace(-5, 5, 2001)
        terms = SYSTEM.functions(x, 8) * (ALPHA * SYSTEM.eigenvalues[:8])
        for r in range(8):
            assert np.abs(terms[:, r:].sum(axis=1)).max() <= np.linalg.norm(ALPHA)

    @pytest.mark.parametrize("n, delta", [(50, 0.5), (200, 0.1)])
    def test_holds_as_often_as_promised_under_a_gaussian_density(self, n, delta):
        rng = np.random.default_rng(0)
        repeats = 40
        held = sum(
            coefficient_bound(
                SYSTEM, ALPHA, SYSTEM.density.sample(n, rng), orders=range(2, 20, 3), delta=delta
            ).holds()
            for _ in range(repeats)
        )
        assert held >= (1 - delta) * repeats

    def test_of_a_degenerate_kernel_holds_without_an_error_term(self):
        rng = np.random.default_rng(0)
        for _ in range(50):
            X = FINITE.density.sample(80, rng)
            found = coefficient_bound(
                FINITE, [1.0, -1.0, 2.0, 0.5, 1.0], X, orders=[5], supremum=2 * FINITE.trace
            )
            assert found.T[0] == 0.0
            assert found.E[0] < 1e-11
            assert found.holds()
            # What is left scales with the eigenvalue: nothing lies beyond the rank.
            assert np.all(found.coefficients[5:] < 1e-12)

    def test_the_smallest_over_all_orders_is_taken(self):
        X = SYSTEM.density.sample(40, random_state=1)
        found = coefficient_bound(SYSTEM, ALPHA, X)
        np.testing.assert_array_equal(found.bound, found.by_order.min(axis=0))
        assert found.orders == tuple(range(1, 31))
        assert set(found.best_orders) <= set(found.orders)

    def test_falls_with_the_eigenvalue_where_it_scales(self):
        X = SYSTEM.density.sample(300, random_state=2)
        found = coefficient_bound(SYSTEM, ALPHA, X, orders=range(4, 30))
        assert found.bound[10] < 0.05 * found.bound[0]

    def test_bad_input(self):
        X = SYSTEM.density.sample(10, random_state=0)
        with pytest.raises(InputError, match="delta must be a probability"):
            coefficient_bound(SYSTEM, ALPHA, X, delta=0.0)
        with pytest.raises(InputError, match="at most 30"):
            coefficient_bound(SYSTEM, np.ones(31), X)
        with pytest.raises(InputError, match="finite numbers"):
            coefficient_bound(SYSTEM, [np.nan], X)
        with pytest.raises(InputError, match="between 1 and 10"):
            coefficient_bound(SYSTEM, ALPHA, X, orders=[11])


class TestLemmas:
    @pytest.mark.parametrize("r", [1, 3, 8])
    def test_lemma_2(self, r):
        for seed in range(10):
            seen = truncate(SYSTEM, SYSTEM.density.sample(400, seed), r)
            assert seen.pseudo_inverse_norm <= seen.pseudo_inverse_bound * (1 + 1e-12)

    def test_lemma_2_is_silent_for_dependent_sample_vectors(self):
        seen = truncate(SYSTEM, SYSTEM.density.sample(20, 0), 19)
        assert seen.defect >= 1
        assert seen.pseudo_inverse_bound == math.inf

    @pytest.mark.parametrize("r", [2, 5, 10])
    def test_lemma_3_holds_as_often_as_promised(self, r):
        n, delta, repeats = 100, 0.2, 50
        bound = truncation_bound(SYSTEM, n, r, delta=delta)
        rng = np.random.default_rng(0)
        seen = [truncate(SYSTEM, SYSTEM.density.sample(n, rng), r) for _ in range(repeats)]
        assert np.mean([s.defect < bound.defect for s in seen]) >= 1 - delta
        assert np.mean([s.kernel_error < bound.kernel_error for s in seen]) >= 1 - delta

    def test_lemma_3_terms(self):
        n, r, delta, K = 1000, 4, 0.05, 2.0
        bound = truncation_bound(SYSTEM, n, r, delta=delta, supremum=K)
        lam = SYSTEM.eigenvalues
        tail = 1 - lam[:r].sum()
        assert bound.defect == pytest.approx(r * math.sqrt(r * (r + 1) * K / (lam[3] * n * delta)))
        assert bound.kernel_error == pytest.approx(
            lam[3] + tail + math.sqrt(2 * K * tail / (n * delta))
        )

    def test_bad_input(self):
        with pytest.raises(InputError, match="order lie between 1 and 30"):
            truncation_bound(SYSTEM, 100, 31)


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


class TestGeneralisation:
    def test_theorem_1_is_theorem_2_at_its_threshold(self):
        n, R, M, kappa, eta = 500, 2.0, 3.0, 1.5, 0.1
        found = cutoff_bound(n, radius=R, largest_target=M, eta=eta, kappa=kappa)
        log = math.log(4 / eta)
        expected = 16 * math.sqrt(2 / n) * (kappa**2 * R**2 + (M + R) ** 2) * log
        assert found.total == pytest.approx(expected)
        assert found.level == threshold(n, eta=eta, kappa=kappa)
        assert found.level == pytest.approx(2 * math.sqrt(2) * kappa**2 * log / math.sqrt(n))
        assert found.misclassification == pytest.approx(math.sqrt(expected))

    def test_theorem_2_terms(self):
        found = cutoff_bound(10**6, radius=2.0, level=0.1, eta=0.05)
        C = 8 * 9 * math.log(80) ** 2
        assert found.constant == pytest.approx(C)
        assert found.approximation == pytest.approx(8 * 0.1 * 4)
        assert found.sample == pytest.approx(8 * C / (0.1 * 10**6))

    def test_bound_falls_with_the_root_of_n(self):
        few, many = (cutoff_bound(n, radius=1.0).total for n in (100, 10_000))
        assert few / many == pytest.approx(10.0)

    def test_vc_bound(self):
        found = vc_bound(0.1, dimension=3, n=200, eta=0.1)
        inside = 3 * (math.log(400 / 3) + 1) - math.log(0.025)
        assert found.confidence == pytest.approx(math.sqrt(inside / 200))
        assert found.total == pytest.approx(0.1 + found.confidence)

    def test_margin_dimension(self):
        assert margin_dimension(2.0, 1.6) == 11
        assert margin_dimension(2.0, 1.6, dimensions=5) == 6

    def test_bad_input(self):
        with pytest.raises(InputError, match="between lambda_n"):
            cutoff_bound(100, radius=1.0, level=1e-3)
        with pytest.raises(InputError, match="radius must be"):
            cutoff_bound(100, radius=-1.0)
        with pytest.raises(InputError, match="kappa must be"):
            threshold(100, kappa=math.inf)
        with pytest.raises(InputError, match="probability"):
            threshold(100, eta=1.0)
        with pytest.raises(InputError, match="empirical_risk"):
            vc_bound(1.5, 2, 10)
        with pytest.raises(InputError, match="half as many rows"):
            vc_bound(0.5, 30, 10)
