"""Bounds of generalisation, each term against its definition."""

import math

import pytest

from reldim.exceptions import InputError
from reldim.theory import cutoff_bound, margin_dimension, threshold, vc_bound


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
