"""Bounds of generalisation, each term against its definition."""

import math

import numpy as np
import pytest

from reldim import datasets, decompose, kernels
from reldim.exceptions import InputError
from reldim.theory import cutoff_bound, margin_dimension, split_bound, threshold, vc_bound


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


class TestSplitBound:
    def test_terms_against_a_literal_reading(self):
        data = datasets.twonorm(200, random_state=0)
        kernel = kernels.Gaussian(20.0)
        found = split_bound(kernel, data.X, data.y, eta=0.1, random_state=3)
        order = np.random.default_rng(3).permutation(200)
        first, second = order[:100], order[100:]
        spectrum = decompose(kernel, data.X[first])
        y = np.where(data.y[second] == np.unique(data.y)[1], 1.0, -1.0)
        F = spectrum.components(data.X[second], min(50, spectrum.rank))
        # Residuals of least squares with d components tell the coefficients of a nested basis.
        left = [y - y.mean()]
        for d in range(1, F.shape[1] + 1):
            design = np.column_stack([np.ones(100), F[:, :d]])
            left.append(y - design @ np.linalg.lstsq(design, y, rcond=None)[0])
        rest = np.array([r @ r for r in left])
        n = 99
        lengths = [
            d / n * np.log((rest[0] - rest[d]) / d) + (n - d) / n * np.log(rest[d] / (n - d))
            for d in range(1, F.shape[1] + 1)
        ]
        d = int(np.argmin(lengths)) + 1
        risk = np.mean((y - left[d] > 0) != (y > 0))
        inside = (d + 1) * (math.log(200 / (d + 1)) + 1) - math.log(0.1 / F.shape[1] / 4)
        assert (found.dimension, found.candidates, found.basis_rows) == (d, F.shape[1], 100)
        assert found.bound.empirical_risk == risk
        assert found.bound.total == pytest.approx(risk + math.sqrt(inside / 100))
        scores = found.function(data.X[second])[:, 0]
        np.testing.assert_allclose(scores, y - left[d], atol=1e-8)

    def test_holds_for_what_it_predicts(self):
        kernel = kernels.Gaussian(20.0)
        test = datasets.twonorm(5000, random_state=100)
        for seed in range(5):
            train = datasets.twonorm(1000, random_state=seed)
            found = split_bound(kernel, train.X, train.y)
            risk = np.mean((found.function(test.X)[:, 0] > 0) != (test.y > 0))
            assert risk <= found.total < 0.4

    def test_of_labels_at_random_it_does_not_promise_less_than_chance(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(400, 2)), rng.choice(["a", "b"], size=400)
        for width in (0.01, 1.0, 100.0):
            assert split_bound(kernels.Gaussian(width), X, y).total >= 0.5

    def test_the_same_seed_gives_the_same_halves(self):
        data = datasets.twonorm(60, random_state=0)
        one, other = (split_bound(kernels.Gaussian(9.0), data.X, data.y) for _ in range(2))
        assert one.bound == other.bound

    def test_bad_input(self):
        data = datasets.twonorm(60, random_state=0)
        kernel = kernels.Gaussian(9.0)
        with pytest.raises(InputError, match="two classes"):
            split_bound(kernel, data.X, np.arange(60) % 3)
        with pytest.raises(InputError, match="at least 20 rows"):
            split_bound(kernel, data.X[:10], data.y[:10])
        with pytest.raises(InputError, match="one per label"):
            split_bound(kernel, data.X, data.y[:50])
        with pytest.raises(InputError, match="delta must be a probability"):
            split_bound(kernel, data.X, data.y, eta=1.0)
