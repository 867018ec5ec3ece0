"""The plot of coefficients."""

import numpy as np
import pytest
from scipy.stats import chi2

from plotting import assert_readable, title
from reldim import plots

pytest.importorskip("matplotlib")


class TestCoefficients:
    def test_draws_the_shares_of_the_components(self, sinc):
        display = plots.CoefficientsDisplay.from_relevance(sinc)
        d, rank = sinc.dimension, sinc.spectrum.rank
        shares = sinc.coefficients[:rank] ** 2 / np.sum(sinc.targets.values**2)
        assert_readable(display.ax_)
        np.testing.assert_allclose(display.relevant_.get_ydata(), shares[:d])
        np.testing.assert_allclose(display.rest_.get_ydata(), shares[d:])
        np.testing.assert_array_equal(display.rest_.get_xdata(), np.arange(d + 1, rank + 1))

    def test_noise_floor_is_the_mean_of_all_other_components(self, sinc):
        display = plots.CoefficientsDisplay.from_relevance(sinc)
        d, total = sinc.dimension, np.sum(sinc.targets.values**2)
        residual = np.sum((sinc.targets.values - sinc.fitted) ** 2)
        floor = residual / total / (sinc.targets.n - d)
        np.testing.assert_allclose(display.floor_.get_ydata(), floor)
        assert f"{d} of 80 components" in title(display.ax_)

    def test_columns_of_several_classes_are_added_up(self, clouds):
        display = plots.CoefficientsDisplay.from_relevance(clouds)
        assert display.freedom == 2
        squares = np.sum(clouds.coefficients**2, axis=1) / np.sum(clouds.targets.values**2)
        np.testing.assert_allclose(display.shares, squares[: clouds.spectrum.rank])

    def test_most_noise_lies_in_the_grey_part(self):
        rng = np.random.default_rng(0)
        z = rng.normal(size=(4000, 2))
        shares = np.sum(z**2, axis=1) / np.sum(z**2)
        display = plots.CoefficientsDisplay(
            shares=shares, dimension=0, interval=(0, 0), noise_floor=1 / 4000, rows=4000, freedom=2
        ).plot()
        grey = display.ax_.patches[0].get_extents().transformed(display.ax_.transData.inverted())
        assert grey.y1 == pytest.approx(chi2.ppf(0.95, 2) / 2 / 4000)
        assert np.mean(shares < grey.y1) == pytest.approx(0.95, abs=0.01)

    def test_no_signal(self, nothing):
        display = plots.CoefficientsDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert "no signal" in title(display.ax_)
        assert len(display.relevant_.get_ydata()) == 0

    def test_single_component_and_no_noise(self):
        display = plots.CoefficientsDisplay(
            shares=[1.0], dimension=1, interval=(1, 1), noise_floor=0.0, rows=5
        ).plot()
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("1 of 5 components carries")
        assert "1 of 5 shown" in display.ax_.get_xlabel()
