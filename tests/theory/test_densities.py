"""Densities against the moments of their samples."""

import numpy as np
import pytest

from reldim.theory import GaussianDensity, GaussianMixture

TWO_BUMPS = GaussianMixture([GaussianDensity(0.05, -1.5), GaussianDensity(0.05, 1.5)])


@pytest.mark.parametrize("density", [GaussianDensity((1.0, 2.0), 1.0), TWO_BUMPS], ids=repr)
def test_samples_have_the_moments_of_their_density(density):
    X = density.sample(20_000, random_state=0)
    assert X.shape == (20_000, density.dimensions)
    if density.dimensions == 2:
        np.testing.assert_allclose(X.var(axis=0), [1.0, 2.0], rtol=0.05)
        np.testing.assert_allclose(X.mean(axis=0), 1.0, atol=0.05)
    else:
        assert X.var() == pytest.approx(0.05 + 1.5**2, rel=0.05)
