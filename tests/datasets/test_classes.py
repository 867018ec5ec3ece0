"""Generators of classes against what is known of their distributions."""

import numpy as np
import pytest
from scipy.stats import norm

from reldim import datasets
from reldim.exceptions import InputError


def test_bayes_error_of_twonorm():
    data = datasets.twonorm(40_000, random_state=0)
    error = np.mean(np.sign(data.truth) != data.y)
    assert error == pytest.approx(norm.cdf(-2), abs=0.003)


def test_classes_of_ringnorm_are_as_wide_as_they_should_be():
    data = datasets.ringnorm(20_000, random_state=0)
    inner, outer = data.X[data.y < 0], data.X[data.y > 0]
    assert inner.std(axis=0) == pytest.approx(1.0, abs=0.05)
    assert outer.std(axis=0) == pytest.approx(2.0, abs=0.1)
    assert inner.mean(axis=0) == pytest.approx(2 / np.sqrt(20), abs=0.05)


def test_waveform_of_two_classes():
    data = datasets.waveform(20_000, pair=(1, 2), random_state=0)
    j = np.arange(1, 22)
    h = {name: np.maximum(6.0 - np.abs(j - c), 0.0) for name, c in ((1, 11), (2, 15), (3, 7))}
    np.testing.assert_allclose(data.X[data.y > 0].mean(axis=0), (h[1] + h[3]) / 2, atol=0.06)
    np.testing.assert_allclose(data.X[data.y < 0].mean(axis=0), (h[2] + h[3]) / 2, atol=0.06)
    assert abs(data.y.mean()) < 0.03
    # Among rows of equal expected label the labels have that mean.
    for low, high in ((-1.0, -0.8), (-0.3, 0.3), (0.8, 1.0)):
        chosen = (data.truth >= low) & (data.truth <= high)
        assert data.y[chosen].mean() == pytest.approx(data.truth[chosen].mean(), abs=0.05)
    with pytest.raises(InputError, match="two of the classes 0, 1 and 2"):
        datasets.waveform(10, pair=(1, 1))


def test_waveform_has_unit_noise_and_a_third_of_positives():
    data = datasets.waveform(20_000, random_state=0)
    assert np.mean(data.y > 0) == pytest.approx(1 / 3, abs=0.02)
    # The first and the last point lie outside all triangles.
    assert data.X[:, [0, 20]].std(axis=0) == pytest.approx(1.0, abs=0.03)


def test_mixture_of_three_has_no_sign_to_tell():
    data = datasets.mixture(90, means=(-1, 0, 1), variances=(0.1, 0.2, 0.3), random_state=0)
    assert data.truth is None
    assert set(data.y) == {0.0, 1.0, 2.0}
