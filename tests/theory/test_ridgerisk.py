"""The error of kernel ridge regression by formula, beside what simulation gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reldim.exceptions import InputError
from reldim.theory import ridge_risk

VALUES = 1.0 / np.arange(1, 41) ** 1.5
ENERGIES = VALUES * np.random.default_rng(5).normal(size=40) ** 2


def simulated(n, ridge, noise, draws=300):
    """Fit kernel ridge regression to normal features of the given variances, many times."""
    rng = np.random.default_rng(1)
    weights = np.sqrt(ENERGIES / VALUES)
    errors = []
    for _ in range(draws):
        features = rng.normal(size=(n, len(VALUES))) * np.sqrt(VALUES)
        y = features @ weights + np.sqrt(noise) * rng.normal(size=n)
        dual = np.linalg.solve(features @ features.T + ridge * np.eye(n), y)
        errors.append(np.sum(VALUES * (features.T @ dual - weights) ** 2) + noise)
    return np.mean(errors)


@pytest.mark.parametrize("n, ridge", [(20, 0.5), (50, 0.5), (50, 5.0), (150, 0.1)])
def test_agrees_with_simulation(n, ridge):
    found = ridge_risk(VALUES, ENERGIES, noise=0.2, n=n, ridge=ridge)
    assert found.error == pytest.approx(simulated(n, ridge, 0.2), rel=0.04)


@given(
    n=st.integers(1, 10_000),
    ridge=st.floats(1e-8, 1e4),
    values=st.lists(st.floats(0.0, 1e3), min_size=1, max_size=20),
)
def test_effective_ridge_solves_its_equation(n, ridge, values):
    found = ridge_risk(values, np.ones(len(values)), noise=0.1, n=n, ridge=ridge)
    total = np.sum(found.learned) + ridge / found.effective_ridge
    assert total == pytest.approx(n, rel=1e-6)


@given(scale=st.floats(1e-3, 1e3))
def test_error_scales_with_the_targets(scale):
    plain = ridge_risk(VALUES, ENERGIES, noise=0.2, n=30, ridge=0.5)
    scaled = ridge_risk(VALUES, scale * ENERGIES, noise=0.2 * scale, n=30, ridge=0.5)
    assert scaled.error == pytest.approx(scale * plain.error)


def test_one_mode_by_hand():
    # n = l / (l + k) + r / k with l = 1, r = 1, n = 2: k^2 = 1/2.
    found = ridge_risk([1.0], [3.0], noise=0.5, n=2, ridge=1.0)
    kappa = np.sqrt(0.5)
    learned = 1 / (1 + kappa)
    assert found.effective_ridge == pytest.approx(kappa)
    assert found.error == pytest.approx(2 / (2 - learned**2) * ((1 - learned) ** 2 * 3.0 + 0.5))


def test_nothing_to_learn_from():
    found = ridge_risk([0.0], [1.0], noise=0.5, n=10, ridge=1.0)
    assert found.effective_ridge == pytest.approx(0.1)
    assert found.error == pytest.approx(1.5)


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"eigenvalues": [1.0, -1.0]}, "eigenvalues must be finite numbers of at least 0"),
        ({"eigenvalues": ["a", "b"]}, "eigenvalues must be finite"),
        ({"energies": [1.0, np.nan]}, "energies must be finite"),
        ({"energies": [1.0]}, "an energy for each eigenvalue. Got 1 and 2"),
        ({"noise": -1.0}, "noise must be a finite number at least 0"),
        ({"ridge": 0.0}, "ridge must be a finite number above 0"),
        ({"n": 0}, "n must be a finite number above 0"),
    ],
)
def test_refuses(changed, message):
    arguments = {
        "eigenvalues": [1.0, 0.5],
        "energies": [1.0, 0.5],
        "noise": 0.1,
        "n": 10,
        "ridge": 1.0,
        **changed,
    }
    with pytest.raises(InputError, match=message):
        ridge_risk(arguments.pop("eigenvalues"), arguments.pop("energies"), **arguments)
