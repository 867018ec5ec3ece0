"""p-values against simulation and brute force."""

import numpy as np
import pytest
from scipy import stats

from reldim import decompose, kernels, relevant_dimension
from reldim.relevance import significance
from reldim.relevance.significance import beyond_doubt, likelihood_ratio, no_signal_p_value


def test_likelihood_ratio_equals_the_formula_by_loop():
    rng = np.random.default_rng(0)
    n, q = 30, 2
    energies = rng.chisquare(2, size=n) * np.where(np.arange(n) < 4, 10.0, 1.0)
    best = 0.0
    for d in range(1, 16):
        s1, s2 = energies[:d].sum() / (d * q), energies[d:].sum() / ((n - d) * q)
        if s1 > s2:
            one = n * np.log(energies.sum() / (n * q))
            best = max(best, q * (one - d * np.log(s1) - (n - d) * np.log(s2)))
    cuts = np.arange(1, 16)
    leading = np.cumsum(energies)[cuts - 1]
    assert likelihood_ratio(leading, energies.sum(), n, q, cuts) == pytest.approx(best)


def test_null_quantiles_are_those_of_independent_normal_coefficients():
    # Reference values for n = 50 and 200: simulated by the formula, 95 % and 99 % points.
    rng = np.random.default_rng(1)
    for n, expected in ((50, 5.3), (200, 6.5)):
        energies = np.cumsum(rng.normal(size=(4000, n)) ** 2, axis=1)
        cuts = np.arange(1, n // 2 + 1)
        drawn = likelihood_ratio(energies[:, cuts - 1], energies[:, -1:], n, 1, cuts)
        assert np.quantile(drawn, 0.95) == pytest.approx(expected, abs=0.6)


@pytest.mark.parametrize("width", [0.05, 1.0, 50.0])
def test_p_values_of_noise_are_uniform(width):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    spectrum = decompose(kernels.Gaussian(width=width), X)
    p = np.array([relevant_dimension(spectrum, rng.normal(size=60)).p_value for _ in range(200)])
    # Where no cut has more variance before than behind it the p-value is 1, so that only the
    # lower part is uniform.
    for level in (0.05, 0.2, 0.5):
        assert stats.binomtest(int(np.sum(p <= level)), 200, level).pvalue > 1e-3


def test_p_value_falls_as_signal_grows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 1))
    spectrum = decompose(kernels.Gaussian(width=1.0), X)
    noise = rng.normal(size=60)
    p = [
        relevant_dimension(spectrum, a * np.sin(2 * X[:, 0]) + noise).p_value
        for a in (0.0, 0.5, 1.0, 3.0)
    ]
    assert p[0] > 0.05
    assert p[0] > p[1] > p[2] >= p[3] == 0.001


def test_without_a_cut_nothing_is_significant():
    p = no_signal_p_value(
        np.ones(10),
        total=10.0,
        n=10,
        covariance=np.eye(1),
        constant=np.zeros(10),
        cuts=np.zeros(0, dtype=np.intp),
        q=1,
        random_state=None,
    )
    assert p == 1.0


def test_seed_changes_draws_and_repeats():
    rng = np.random.default_rng(4)
    spectrum = decompose(kernels.Gaussian(width=1.0), rng.normal(size=(60, 1)))
    y = rng.normal(size=60) + 0.4 * spectrum.eigenvectors[:, 1] * np.sqrt(60)
    p = [relevant_dimension(spectrum, y, random_state=seed).p_value for seed in (None, 0, 1, 1)]
    assert p[0] == p[1]
    assert p[2] == p[3]
    assert p[1] != p[2]


def test_clear_p_values_take_fewer_draws(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 2))
    spectrum = decompose(kernels.Gaussian(width=1.0), X)
    targets = [rng.normal(size=80) + signal * X[:, 0] for signal in (0.0, 0.0, 0.0, 0.5, 3.0)]
    few = [relevant_dimension(spectrum, y).p_value for y in targets]
    monkeypatch.setattr(significance, "ENOUGH", 1000)
    all_of_them = [relevant_dimension(spectrum, y).p_value for y in targets]
    np.testing.assert_allclose(few, all_of_them, atol=0.15)
    for short, full in zip(few, all_of_them, strict=True):
        # (20 + 1) / (99 + 1) is the smallest that is clear.
        hundredths = 100 * short
        assert short == full or hundredths == pytest.approx(max(21, round(hundredths)))
    assert any(p >= 0.21 for p in few)
    assert any(p < 0.05 for p in few)


def test_beyond_doubt_is_beyond_all_draws_of_noise():
    rng = np.random.default_rng(5)
    for n in (20, 200):
        energies = np.cumsum(rng.normal(size=(4000, n)) ** 2, axis=1)
        cuts = np.arange(1, n // 2 + 1)
        drawn = likelihood_ratio(energies[:, cuts - 1], energies[:, -1:], n, 1, cuts)
        assert drawn.max() < beyond_doubt(n)
