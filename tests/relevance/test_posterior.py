"""The posterior of the signal, against integration and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.relevance import posterior
from reldim.relevance.posterior import LOG_RATIOS, RATES, SignalPosterior, dimension_interval

VALUES = 0.7 ** np.arange(30)


def draw(rng, n=60, amplitude=200.0, noise=1.0, rate=1.0):
    """Draw coefficients from the model; those beyond the eigenvalues are noise."""
    theta = np.sqrt(amplitude * VALUES**rate) * rng.normal(size=len(VALUES))
    z = theta + np.sqrt(noise) * rng.normal(size=len(VALUES))
    rest = noise * rng.chisquare(n - len(VALUES))
    return theta, z, rest


def test_losses_are_those_of_normal_densities_at_the_best_amplitude():
    _, z, rest = draw(np.random.default_rng(0))
    found = SignalPosterior(z**2, VALUES, np.sum(z**2) + rest, 60, 1, 1e-12)
    differences = []
    for i, j in ((0, 30), (4, 40), (6, 50)):
        ratio = np.exp(LOG_RATIOS[j])
        amplitude = found.noise[i, j] / ratio
        beyond = np.sqrt(rest / 30)

        def likelihood(size, i=i, ratio=ratio, beyond=beyond):
            spread = np.sqrt(size * (VALUES ** RATES[i] + ratio))
            inside = stats.norm.logpdf(z, scale=spread).sum()
            return inside + 30 * stats.norm.logpdf(beyond, scale=np.sqrt(size * ratio))

        differences.append(likelihood(amplitude) + found.losses[i, j])
        assert likelihood(amplitude) > max(
            likelihood(1.05 * amplitude), likelihood(amplitude / 1.05)
        )
    np.testing.assert_allclose(differences, differences[0])


def test_weights_and_shrinkage_are_probabilities():
    _, z, rest = draw(np.random.default_rng(1))
    found = SignalPosterior(z**2, VALUES, np.sum(z**2) + rest, 60, 1, 1e-12)
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights.min() >= 0.0
    assert np.all(np.diff(found.shrinkage) <= 0)
    assert 0.9 < found.shrinkage[0] <= 1.0
    assert found.shrinkage[-1] < 0.3


def test_averaging_errs_less_than_the_best_single_cut_of_many_draws():
    rng = np.random.default_rng(2)
    averaged, cut = [], []
    for _ in range(100):
        theta, z, rest = draw(rng, amplitude=30.0)
        found = SignalPosterior(z**2, VALUES, np.sum(z**2) + rest, 60, 1, 1e-12)
        averaged.append(np.sum((found.shrinkage * z - theta) ** 2))
        cut.append([np.sum((z[:d] - theta[:d]) ** 2) + np.sum(theta[d:] ** 2) for d in range(30)])
    assert np.mean(averaged) < np.min(np.mean(cut, axis=0))


def test_interval_holds_the_dimension_of_least_error():
    rng = np.random.default_rng(3)
    cuts = np.arange(1, 31)
    inside = 0
    for rate in (0.5, 1.0, 2.0) * 40:
        theta, z, rest = draw(rng, amplitude=10 ** rng.uniform(0.5, 3), rate=rate)
        found = SignalPosterior(z**2, VALUES, np.sum(z**2) + rest, 60, 1, 1e-12)
        probabilities = found.least_risk(cuts, 30)
        low, high = dimension_interval(probabilities, int(np.argmax(probabilities)))
        walk = np.append(0.0, np.cumsum(z**2 - 2 * z * theta))
        inside += low <= np.argmin(walk) <= high
    assert 0.84 <= inside / 120 <= 0.98


def test_only_cuts_get_probability():
    _, z, rest = draw(np.random.default_rng(4))
    found = SignalPosterior(z**2, VALUES, np.sum(z**2) + rest, 60, 1, 1e-12)
    cuts = np.array([2, 5, 11, 29, 44])
    probabilities = found.least_risk(cuts, 30)
    assert probabilities.shape == (31,)
    assert probabilities.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(probabilities)) <= {0, 2, 5, 11, 29}
    assert found.least_risk(cuts[:0], 3).tolist() == [1.0, 0.0, 0.0, 0.0]


def test_seed_repeats_and_changes_draws():
    _, z, rest = draw(np.random.default_rng(5))
    found = SignalPosterior(z**2, VALUES, np.sum(z**2) + rest, 60, 1, 1e-12)
    cuts = np.arange(1, 31)
    first, again, other = (found.least_risk(cuts, 30, seed) for seed in (None, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0
    assert abs(np.sum(np.arange(31) * (first - other))) < 1.5


def test_noiseless_targets():
    found = SignalPosterior(np.array([1.0, 0.5, 0.0]), VALUES[:3], 1.5, 50, 1, 1e-12)
    assert np.isfinite(found.losses).all()
    np.testing.assert_allclose(found.shrinkage[:2], 1.0, atol=1e-3)


def test_without_components_all_is_noise():
    found = SignalPosterior(np.zeros(0), np.zeros(0), 10.0, 10, 1, 1e-12)
    assert found.shrinkage.shape == (0,)
    np.testing.assert_allclose(found.noise, 1.0)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-6, 1e6))
def test_units_of_the_targets_do_not_matter(seed, scale):
    _, z, rest = draw(np.random.default_rng(seed))
    total = np.sum(z**2) + rest
    one = SignalPosterior(z**2, VALUES, total, 60, 1, 1e-12)
    other = SignalPosterior(z**2 * scale, 3.0 * VALUES, total * scale, 60, 1, 1e-12 * scale)
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-9)
    np.testing.assert_allclose(other.noise, one.noise * scale, rtol=1e-9)
    cuts = np.arange(1, 31)
    np.testing.assert_array_equal(one.least_risk(cuts, 30), other.least_risk(cuts, 30))


@pytest.mark.parametrize(
    "probabilities, dimension, expected",
    [
        ([0.5, 0.5], 0, (0, 1)),
        ([0.96, 0.04], 0, (0, 0)),
        ([0.01, 0.5, 0.48, 0.01], 1, (1, 2)),
        ([0.01, 0.5, 0.48, 0.01], 3, (1, 3)),
        ([0.0, 0.0, 1.0], 1, (1, 2)),
    ],
)
def test_interval(probabilities, dimension, expected):
    assert dimension_interval(np.array(probabilities), dimension) == expected


def test_interval_narrows_with_data():
    widths = []
    for n in (50, 800):
        data = datasets.noisy_sinc(n, noise=0.1, random_state=0)
        rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)
        low, high = rd.interval
        widths.append((high - low) / rd.dimension)
    assert widths[1] <= widths[0]
    assert posterior.COVERAGE == 0.9
