"""What an estimate says beyond its dimension: averaged targets and the noise that is left."""

import numpy as np
import pytest

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.relevance import dimension


class TestAveraging:
    def test_is_the_posterior_mean_of_the_coefficients(self, problem):
        spectrum, y = problem
        rd = relevant_dimension(spectrum, y)
        k = int(np.sum(spectrum.eigenvalues > 1e-9 * spectrum.eigenvalues[0]))
        U = spectrum.eigenvectors[:, :k]
        expected = y.mean() + U @ (rd.signal.predictive_shrinkage[:k] * (U.T @ (y - y.mean())))
        np.testing.assert_allclose(rd.averaged, expected, atol=1e-9)

    def test_some_rows_stand_for_many(self, monkeypatch):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(6000, 2))
        y = np.where(np.sin(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=6000) > 0, "b", "a")
        spectrum = decompose(kernels.Gaussian(2.0), X, solver="lowrank", rank=60)
        whole = relevant_dimension(spectrum, y).averaged_errors
        monkeypatch.setattr(dimension, "MOST_WORK", 0)
        part = relevant_dimension(spectrum, y).averaged_errors
        assert part != whole
        np.testing.assert_allclose(part, whole, atol=0.01)
        monkeypatch.setattr(dimension, "ENOUGH_ROWS", 5999)
        nearly = relevant_dimension(spectrum, y).averaged_errors
        np.testing.assert_allclose(nearly, whole, atol=2 / 6000)

    def test_errs_less_than_the_cut_on_average(self):
        cut, averaged = [], []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(80, 2))
            truth = np.sin(2 * X[:, 0]) * X[:, 1]
            rd = relevant_dimension(
                decompose(kernels.Gaussian(1.0), X), truth + 0.3 * rng.normal(size=80)
            )
            cut.append(np.mean((rd.denoised - truth) ** 2))
            averaged.append(np.mean((rd.averaged - truth) ** 2))
        assert np.mean(averaged) < 0.95 * np.mean(cut)

    def test_without_signal_is_a_constant(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        rd = relevant_dimension(decompose(kernels.Gaussian(1.0), X), y)
        assert rd.dimension == 0
        np.testing.assert_allclose(rd.averaged, y.mean())


class TestExpansion:
    def test_at_the_rows_it_is_the_fit(self, problem):
        spectrum, y = problem
        rd = relevant_dimension(spectrum, y)
        np.testing.assert_allclose(rd.expansion(spectrum.gram.points)[:, 0], rd.denoised, atol=1e-8)

    def test_without_signal_it_is_the_mean(self, problem):
        spectrum, _ = problem
        y = 3.0 + np.random.default_rng(1).normal(size=spectrum.n)
        rd = relevant_dimension(spectrum, y)
        assert rd.dimension == 0
        np.testing.assert_allclose(rd.expansion(spectrum.gram.points), y.mean(), rtol=1e-12)

    def test_is_held_to_twice_the_range_under_a_kernel_of_constant_diagonal(self, problem):
        spectrum, y = problem
        middle, half = (y.max() + y.min()) / 2, y.max() - y.min()
        bounds = relevant_dimension(spectrum, y).bounds
        np.testing.assert_allclose(bounds[:, 0], [middle - half, middle + half])
        linear = decompose(kernels.Linear(), spectrum.gram.points)
        assert relevant_dimension(linear, y).bounds is None


class TestLimit:
    @pytest.mark.parametrize("variant", ["paper", "robust"])
    def test_a_problem_too_complex_for_its_rows_reaches_half_of_them(self, variant):
        # The likelihood of sin(35 x) falls up to d = n/2 in many a draw of 100 rows.
        reached = 0
        for seed in range(12):
            data = datasets.sine(100, frequency=35.0, noise=0.1, random_state=seed)
            spectrum = decompose(kernels.Gaussian(1e-3), data.X)
            rd = relevant_dimension(spectrum, data.y, variant=variant)
            assert rd.at_limit == (rd.dimension == 50)
            reached += rd.at_limit
        assert 0 < reached <= 12

    def test_a_simple_problem_does_not(self, problem):
        spectrum, y = problem
        assert not relevant_dimension(spectrum, y).at_limit

    def test_it_is_that_of_the_search_where_one_is_given(self, problem):
        spectrum, y = problem
        d = relevant_dimension(spectrum, y).dimension
        assert relevant_dimension(spectrum, y, max_dimension=d).at_limit

    def test_there_is_none_where_all_components_are_taken(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        rd = relevant_dimension(decompose(kernels.Linear(), X), X @ [1.0, 2.0, 3.0])
        assert rd.dimension == 3
        assert not rd.at_limit
