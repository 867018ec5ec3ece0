"""The spread of noise over components, against draws."""

import numpy as np
import pytest

from reldim import datasets, decompose, kernels
from reldim.exceptions import InputError
from reldim.theory import label_variances, noise_spread


class TestNoise:
    data = datasets.bananas(80, random_state=0)
    spectrum = decompose(kernels.Gaussian(0.5), data.X, solver="dense")

    def test_variances_are_the_diagonal_of_the_rotated_covariance(self):
        rows = np.random.default_rng(0).uniform(0, 2, 80)
        U = self.spectrum.eigenvectors
        spread = noise_spread(self.spectrum, rows)
        np.testing.assert_allclose(spread.variances, np.diag(U.T @ np.diag(rows) @ U), atol=1e-12)
        assert spread.variances.max() <= spread.bound == rows.max()
        assert spread.variances.mean() == pytest.approx(spread.mean)

    def test_equal_rows_give_an_even_floor(self):
        spread = noise_spread(self.spectrum, np.full(80, 0.09))
        np.testing.assert_allclose(spread.variances, 0.09)

    def test_labels_drawn_anew_vary_as_much(self):
        g = np.asarray(self.data.truth)
        rng = np.random.default_rng(0)
        labels = np.where(rng.uniform(size=(4000, 80)) < (1 + g) / 2, 1.0, -1.0)
        seen = np.var((labels - g) @ self.spectrum.eigenvectors, axis=0)
        expected = noise_spread(self.spectrum, label_variances(g)).variances
        np.testing.assert_allclose(seen, expected, rtol=0.15, atol=0.005)

    def test_mistakes(self):
        with pytest.raises(InputError, match="80 finite numbers"):
            noise_spread(self.spectrum, np.ones(79))
        with pytest.raises(InputError, match="between -1 and 1"):
            label_variances([1.5])
