"""Shrinkage against simulated posteriors, and counts against their definition."""

import numpy as np
import pytest
from scipy import optimize, special

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.exceptions import InputError
from reldim.theory import (
    classification_shrinkage,
    component_counts,
    explained_variance_count,
    regression_shrinkage,
    visible_count,
)


def cosine(x):
    """A function of unit norm for x uniform in [0, 1]."""
    return np.sqrt(2) * np.cos(np.pi * x)


@pytest.mark.parametrize("eigenvalue", [0.5, 0.02, 0.002])
def test_regression_shrinkage_is_that_of_the_posterior_mean(eigenvalue):
    n, noise = 400, 4.0
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(300):
        phi = cosine(rng.uniform(size=n))
        y = 1.0 * phi + np.sqrt(noise) * rng.standard_normal(n)
        ratios.append(phi @ y / (phi @ phi + noise / eigenvalue))
    expected = regression_shrinkage(eigenvalue, n, noise)
    assert np.mean(ratios) == pytest.approx(expected, abs=4 * np.std(ratios) / np.sqrt(300))


@pytest.mark.parametrize("eigenvalue", [0.5, 0.02, 0.002])
def test_classification_shrinkage_is_that_of_the_posterior_mode(eigenvalue):
    """Appendix B of Williams and Seeger, with a coefficient small enough for its expansion."""
    n, true = 400, 0.3
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(300):
        phi = cosine(rng.uniform(size=n))
        t = rng.uniform(size=n) < special.expit(true * phi)

        def slope(alpha, phi=phi, t=t):
            return np.sum((t - special.expit(alpha * phi)) * phi) - alpha / eigenvalue

        ratios.append(optimize.brentq(slope, -5, 5) / true)
    expected = classification_shrinkage(eigenvalue, n)
    assert np.mean(ratios) == pytest.approx(expected, abs=4 * np.std(ratios) / np.sqrt(300) + 0.02)


def test_the_rule_of_four_is_shrinkage_by_half():
    n = 250
    assert classification_shrinkage(4.0 / n, n) == pytest.approx(0.5)


def test_counts_against_their_definition():
    data = datasets.noisy_sinc(150, random_state=3)
    K = kernels.Gaussian(0.3)(data.X)
    values = np.linalg.eigvalsh(K)[::-1]
    spectrum = decompose(kernels.Gaussian(0.3), data.X)
    assert visible_count(spectrum) == sum(value > 4 for value in values)
    for fraction in (0.5, 0.9, 0.95, 0.99, 0.999):
        covered, count = 0.0, 0
        while covered < fraction * np.trace(K):
            covered += values[count]
            count += 1
        assert explained_variance_count(spectrum, fraction) == count


def test_all_of_the_variance_needs_no_more_than_the_rank():
    X = np.repeat(np.eye(3), 10, axis=0)
    spectrum = decompose(kernels.Linear(), X)
    assert explained_variance_count(spectrum, 1.0) == 3


def test_counts_of_a_classification_and_of_a_regression():
    data = datasets.noisy_sinc(200, noise=0.2, random_state=0)
    spectrum = decompose(kernels.Gaussian(0.5), data.X)
    numbers = component_counts(relevant_dimension(spectrum, data.y), (0.9,))
    assert numbers.level == pytest.approx(0.04, rel=0.25)
    assert list(numbers.explained) == [0.9]
    assert 0 < numbers.degrees_of_freedom < 200
    classes = component_counts(relevant_dimension(spectrum, np.sign(data.X[:, 0])))
    assert classes.level == 4.0
    assert classes.visible == visible_count(spectrum)
    np.testing.assert_allclose(
        classes.shrinkage, classification_shrinkage(spectrum.eigenvalues, 200)
    )


@pytest.mark.parametrize("noise, hint", [(0.0, "shrinks the others"), (2.0, "all relevant ones")])
def test_the_sentence_says_what_the_counts_mean(noise, hint):
    """A sharp boundary takes components that noise would drown."""
    X = np.linspace(-3, 3, 100)[:, None]
    score = X[:, 0] + noise * np.random.default_rng(0).standard_normal(100)
    labels = np.where(score > 0, "a", "b")
    counts = component_counts(relevant_dimension(decompose(kernels.Gaussian(1.0), X), labels))
    assert hint in counts.sentence
    assert (counts.relevant > counts.visible) == (noise == 0)


class TestBadInput:
    def test_negative_or_infinite_eigenvalues(self):
        for values in ([-0.1], [np.nan], [np.inf]):
            with pytest.raises(InputError, match="eigenvalues must be finite"):
                classification_shrinkage(values, 10)

    def test_no_rows(self):
        with pytest.raises(InputError, match="n must be a number of rows"):
            regression_shrinkage([1.0], 0, 1.0)

    @pytest.mark.parametrize("noise", [-1.0, np.nan, np.inf])
    def test_noise_that_is_no_variance(self, noise):
        with pytest.raises(InputError, match="noise_variance"):
            regression_shrinkage([1.0], 10, noise)

    @pytest.mark.parametrize("fraction", [0.0, -0.5, 1.5, np.nan])
    def test_fraction_out_of_range(self, fraction):
        spectrum = decompose(kernels.Linear(), [[1.0], [2.0]])
        with pytest.raises(InputError, match="share of the variance"):
            explained_variance_count(spectrum, fraction)

    def test_spectrum_that_is_too_short(self):
        X = np.linspace(0, 10, 50)[:, None]
        spectrum = decompose(kernels.Gaussian(0.01), X, rank=3)
        with pytest.raises(InputError, match="larger rank"):
            explained_variance_count(spectrum, 0.9)
        scaled = decompose(100.0 * kernels.Gaussian(0.01), X, rank=3)
        with pytest.raises(InputError, match="larger rank"):
            visible_count(scaled)

    def test_without_noise_nothing_is_shrunk(self):
        np.testing.assert_array_equal(regression_shrinkage([1.0, 0.0], 10, 0.0), 1.0)
