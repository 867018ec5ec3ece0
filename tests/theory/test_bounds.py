"""Each bound against what it bounds, and each of its terms against the definition."""

import math

import numpy as np
import pytest

from reldim import kernels
from reldim.exceptions import InputError
from reldim.theory import (
    GaussianEigensystem,
    coefficient_bound,
    cosine_eigensystem,
    solve_by_sampling,
    tail_sum_bound,
    truncate,
    truncation_bound,
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


class TestSupremum:
    """K of the bounds is the largest k(x, x), not 1."""

    def test_comes_from_the_kernel_where_its_diagonal_is_constant(self):
        X = np.random.default_rng(0).normal(size=(60, 1))
        for amplitude in (0.3, 1.0, 100.0):
            system = solve_by_sampling(amplitude * kernels.Gaussian(0.5), X, count=5)
            found = coefficient_bound(system, [1.0, 2.0], X, orders=[2])
            assert system.supremum == pytest.approx(amplitude)
            assert found.supremum == pytest.approx(amplitude * math.sqrt(5))
            lemma = truncation_bound(system, 60, 3)
            assert lemma == truncation_bound(system, 60, 3, supremum=system.supremum)

    def test_100_times_a_gaussian_has_100_times_its_bounds(self):
        X = np.random.default_rng(0).normal(size=(60, 1))
        plain, large = (
            tail_sum_bound(solve_by_sampling(c * kernels.Gaussian(0.5), X, count=9), X, 3)
            for c in (1.0, 100.0)
        )
        assert large.upper == pytest.approx(100 * plain.upper)
        assert large.tail <= large.upper

    @pytest.mark.parametrize(
        "bound",
        [
            lambda **K: coefficient_bound(FINITE, [1.0], FINITE.density.sample(30, 0), **K),
            lambda **K: tail_sum_bound(FINITE, FINITE.density.sample(30, 0), 2, **K),
            lambda **K: truncation_bound(FINITE, 30, 2, **K),
        ],
    )
    def test_is_asked_for_where_it_differs_between_points(self, bound):
        with pytest.raises(InputError, match="supremum must be passed"):
            bound()
        with pytest.raises(InputError, match="no k.x, x. exceeds"):
            bound(supremum=1.0)
        assert bound(supremum=2 * FINITE.trace) is not None

    @pytest.mark.parametrize("wrong", [0.0, -1.0, 0.5, math.inf, math.nan])
    def test_bad_input(self, wrong):
        with pytest.raises(InputError, match="finite number that no k"):
            truncation_bound(SYSTEM, 100, 5, supremum=wrong)


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
