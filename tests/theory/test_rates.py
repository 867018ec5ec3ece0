"""Rates, noise, ridge and concentration, against sums, draws and matrices written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.exceptions import InputError
from reldim.theory import (
    ExponentialDecay,
    PolynomialDecay,
    concentration,
    error_rates,
    ridge_of_dimension,
    threshold,
)


class TestDecay:
    @given(st.floats(1.5, 6.0), st.integers(1, 30))
    def test_tail_of_powers_against_their_sum(self, exponent, order):
        terms = np.arange(order + 1, 200_000, dtype=np.float64)
        rest = (200_000 - 0.5) ** (1 - exponent) / (exponent - 1)
        expected = np.sum(terms**-exponent) + rest
        assert PolynomialDecay(exponent).tail(order) == pytest.approx(expected, rel=1e-6)

    @given(st.floats(0.1, 3.0), st.integers(1, 30))
    def test_tail_of_exponentials_against_their_sum(self, rate, order):
        expected = np.sum(np.exp(-rate * np.arange(order + 1, order + 1000)))
        assert ExponentialDecay(rate).tail(order) == pytest.approx(expected)

    def test_slowest_term_has_the_power_of_the_paper(self):
        decay = PolynomialDecay(20.0)
        orders = np.array([100, 200, 400])
        slowest = [r**2.5 * decay.eigenvalue(r) ** -0.25 * decay.tail(r) ** 0.5 for r in orders]
        slopes = np.diff(np.log(slowest)) / np.diff(np.log(orders))
        np.testing.assert_allclose(slopes, decay.slowest_exponent, atol=0.06)
        assert decay.slowest_exponent == -2.0
        assert decay.vanishes

    @pytest.mark.parametrize("exponent, vanishes", [(12.0, False), (12.5, True)])
    def test_limit_of_twelve(self, exponent, vanishes):
        decay = PolynomialDecay(exponent)
        assert decay.vanishes is vanishes
        sizes = [error_rates(decay, r, 1).additive for r in (1000, 100_000)]
        assert (sizes[1] < sizes[0]) is vanishes

    def test_rates_fall_with_rows_to_their_limit(self):
        for decay in (PolynomialDecay(4.0), ExponentialDecay(0.5)):
            sizes = [error_rates(decay, 5, n).additive for n in (10**2, 10**6, 10**20)]
            assert sizes[0] > sizes[1] > sizes[2]
            assert sizes[2] == pytest.approx(error_rates(decay, 5, 1).limit, rel=2e-3)

    def test_assumption_of_the_theorem(self):
        assert PolynomialDecay(3.0).assumption
        assert not PolynomialDecay(2.5).assumption

    @pytest.mark.parametrize("make", [lambda: PolynomialDecay(1.0), lambda: ExponentialDecay(0.0)])
    def test_what_does_not_fall_is_refused(self, make):
        with pytest.raises(InputError, match="must be a"):
            make()

    def test_orders_and_rows_are_checked(self):
        with pytest.raises(InputError, match="order must be at least 1"):
            error_rates(PolynomialDecay(2.0), 0, 10)
        with pytest.raises(InputError, match="n must be"):
            error_rates(PolynomialDecay(2.0), 1, 0)


class TestRidge:
    def test_more_than_half_is_kept_of_relevant_components_alone(self):
        data = datasets.noisy_sinc(150, random_state=0)
        spectrum = decompose(kernels.Gaussian(0.5), data.X)
        rd = relevant_dimension(spectrum, data.y)
        values = spectrum.eigenvalues
        kept = values / (values + ridge_of_dimension(rd))
        assert np.sum(kept > 0.5) == rd.dimension

    def test_no_signal_has_no_ridge(self):
        rng = np.random.default_rng(0)
        spectrum = decompose(kernels.Gaussian(1.0), rng.standard_normal((60, 2)))
        rd = relevant_dimension(spectrum, rng.standard_normal(60))
        assert rd.dimension == 0
        with pytest.raises(InputError, match="No component is relevant"):
            ridge_of_dimension(rd)


class TestConcentration:
    def test_second_bound_is_the_threshold(self):
        assert concentration(500, radius=2.0, kappa=1.5).operator == threshold(500, kappa=1.5)

    @given(st.integers(10, 10**6), st.floats(0.1, 5.0), st.floats(0.1, 5.0), st.floats(0.5, 2.0))
    def test_first_bound_is_the_formula(self, n, radius, largest, kappa):
        bound = concentration(n, radius=radius, largest_target=largest, kappa=kappa, eta=0.1)
        expected = 2 * np.sqrt(2) * kappa * (largest + radius) * np.log(40) / np.sqrt(n)
        assert bound.targets == pytest.approx(expected)

    def test_samples_keep_both_bounds(self):
        """Linear kernel on the unit disc: feature space is the plane, operators are 2 x 2."""
        rng = np.random.default_rng(0)
        w = np.array([0.6, -0.3])
        bound = concentration(200, radius=float(np.linalg.norm(w)), largest_target=1.0, eta=0.5)
        for _ in range(200):
            angle, radius = rng.uniform(0, 2 * np.pi, 200), np.sqrt(rng.uniform(size=200))
            X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
            y = np.where(rng.uniform(size=200) < (1 + X @ w) / 2, 1.0, -1.0)
            operator = X.T @ X / 200
            assert np.linalg.norm(X.T @ y / 200 - operator @ w) <= bound.targets
            # E(x x^T) of the uniform density on the disc is I / 4.
            assert np.linalg.norm(operator - np.eye(2) / 4, "fro") <= bound.operator
