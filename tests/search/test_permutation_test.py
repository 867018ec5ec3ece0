"""The test for signal after a choice among kernels."""

import numpy as np
import pytest

from reldim import decompose, kernels
from reldim.inputs.splits import Splits
from reldim.inputs.targets import code_targets
from reldim.relevance.criteria import spread_over_clusters
from reldim.relevance.significance import likelihood_ratio
from reldim.search.permutation_test import PERMUTATIONS, ChoiceTest

WIDTHS = (0.05, 0.5, 5.0)


@pytest.fixture(scope="module")
def spectra():
    X = np.random.default_rng(0).normal(size=(50, 2))
    return [decompose(kernels.Gaussian(width), X) for width in WIDTHS]


def seen(spectra, y, **settings):
    test = ChoiceTest(code_targets(y), **settings)
    for spectrum in spectra:
        test.see(spectrum)
    return test


def by_loop(spectra, y, seed):
    """Compute the sum of ratios for the targets and for each permutation, one at a time."""
    targets = code_targets(y)
    values = targets.values - (targets.mean - targets.offset)

    def total(permuted):
        found = [0.0]
        for spectrum in spectra:
            cuts = spectrum.cuts[spectrum.cuts <= len(y) // 2]
            energies = np.sum((spectrum.eigenvectors.T @ permuted) ** 2, axis=1)
            energies = spread_over_clusters(energies, spectrum, float(np.sum(values**2)))
            leading = np.cumsum(energies)[cuts - 1]
            ratio = likelihood_ratio(
                leading, float(np.sum(values**2)), len(y), targets.degrees_of_freedom, cuts
            )
            found.append(float(ratio))
        return sum(found)

    rng = np.random.default_rng(seed)
    observed = total(values)
    null = [total(values[rng.permutation(len(y))]) for _ in range(PERMUTATIONS)]
    return (1 + sum(ratio >= observed * (1 - 1e-9) for ratio in null)) / (PERMUTATIONS + 1)


@pytest.mark.parametrize("kind", ["numbers", "two classes", "three classes", "two outputs"])
def test_equals_one_permutation_at_a_time(spectra, kind, monkeypatch):
    rng = np.random.default_rng(1)
    y = {
        "numbers": rng.normal(size=50),
        "two classes": rng.choice(["a", "b"], size=50, p=[0.3, 0.7]),
        "three classes": rng.integers(0, 3, size=50),
        "two outputs": rng.normal(size=(50, 2)),
    }[kind]
    assert seen(spectra, y, random_state=3).p_value == by_loop(spectra, y, 3)
    # However few permutations are made at a time.
    monkeypatch.setattr("reldim.search.permutation_test.BATCH", 1000)
    assert seen(spectra, y, random_state=3).p_value == by_loop(spectra, y, 3)


def test_level_after_the_choice(spectra):
    rng = np.random.default_rng(2)
    p = np.array([seen(spectra, rng.normal(size=50)).p_value for _ in range(150)])
    # 7.5 cases are expected at the level of 5 %; 17 or more have a probability of 1e-3.
    assert np.sum(p <= 0.05) <= 16
    assert 0.3 < p.mean() < 0.75


@pytest.mark.parametrize("kind", ["skewed", "rare"])
def test_level_where_few_rows_hold_most_of_the_variance(kind):
    rng = np.random.default_rng(6)
    p = []
    for _ in range(60):
        X = rng.normal(size=(100, 2))
        y = rng.lognormal(sigma=2.0, size=100) if kind == "skewed" else np.arange(100) < 3
        p.append(seen([decompose(kernels.Gaussian(w), X) for w in (0.1, 0.3, 1.0, 3.0)], y).p_value)
    # Ratios that would be beyond doubt for normal targets are held against permutations.
    assert min(p) >= 0.005
    # 3 cases are expected at the level of 5 %; 10 or more have a probability of 1e-3.
    assert np.sum(np.array(p) <= 0.05) <= 9


def test_signal_in_few_rows_is_told_by_permutations(spectra):
    y = np.exp(60 * spectra[2].eigenvectors[:, 1])
    assert seen(spectra, y).p_value == 0.005


def test_signal_beyond_doubt_needs_no_permutations(spectra, monkeypatch):
    y = 10 * spectra[2].eigenvectors[:, 1] + 0.01 * np.random.default_rng(3).normal(size=50)
    monkeypatch.setattr(np.random, "default_rng", None)
    assert seen(spectra[::-1], y).p_value == 0.001


def test_seeds(spectra):
    y = np.random.default_rng(4).normal(size=50) + 2 * spectra[2].eigenvectors[:, 1]
    p = [seen(spectra, y, random_state=seed).p_value for seed in (None, 0, 1)]
    assert p[0] == p[1] != p[2]


def test_few_labels_allow_no_small_p_value():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    spectrum = decompose(kernels.Gaussian(1.0), X)
    assert seen([spectrum], ["a", "a", "b", "b"]).p_value >= 1 / 6


def test_holds_its_level_where_units_are_of_unequal_sizes():
    below = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 12, 16)
        unit = np.repeat(np.arange(16), sizes)
        X = rng.normal(size=(16, 2))[unit] + 0.1 * rng.normal(size=(len(unit), 2))
        y = rng.normal(size=16)[unit] + 0.3 * rng.normal(size=len(unit))
        test = ChoiceTest(code_targets(y), seed, Splits(len(unit), groups=unit))
        for width in (0.3, 1.0, 3.0):
            test.see(decompose(kernels.Gaussian(width), X))
        below += test.p_value < 0.05
    # Targets spread over several units would be significant in nearly all draws.
    assert below <= 5
