"""The plot of coefficients."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2

from plotting import assert_readable, title
from reldim import plots

pytest.importorskip("matplotlib")


def estimated(z, dimension=0, rows=None, freedom=1):
    """What is drawn of an estimate with these coefficients."""
    targets = SimpleNamespace(energy=np.sum(z**2), n=rows or len(z), degrees_of_freedom=freedom)
    return SimpleNamespace(
        coefficients=z,
        dimension=dimension,
        interval=(dimension, dimension),
        targets=targets,
        spectrum=SimpleNamespace(rank=len(z)),
    )


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
        squares = np.sum(clouds.coefficients**2, axis=1) / np.sum(clouds.targets.values**2)
        np.testing.assert_allclose(display.shares, squares[: clouds.spectrum.rank])

    def test_most_noise_lies_in_the_grey_part(self):
        rng = np.random.default_rng(0)
        z = rng.normal(size=(4000, 2))
        shares = np.sum(z**2, axis=1) / np.sum(z**2)
        display = plots.CoefficientsDisplay(estimated(z, freedom=2)).plot()
        grey = display.ax_.patches[0].get_extents().transformed(display.ax_.transData.inverted())
        assert grey.y1 == pytest.approx(chi2.ppf(0.95, 2) / 2 / 4000)
        assert np.mean(shares < grey.y1) == pytest.approx(0.95, abs=0.01)

    def test_no_signal(self, nothing):
        display = plots.CoefficientsDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert "no signal" in title(display.ax_)
        assert len(display.relevant_.get_ydata()) == 0

    def test_single_component_and_no_noise(self):
        relevance = estimated(np.ones((1, 1)), dimension=1, rows=5)
        display = plots.CoefficientsDisplay(relevance).plot()
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("1 of 5 components carries")
        assert "1 of 5 shown" in display.ax_.get_xlabel()
