"""The plot of components."""

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import decompose, kernels, plots
from reldim.exceptions import InputError

pytest.importorskip("matplotlib")


class TestComponents:
    def test_draws_components_on_a_grid(self, bananas):
        display = plots.ComponentsDisplay.from_relevance(bananas, count=2)
        assert_readable(*display.axes_)
        x, y = display.grid
        corner = bananas.spectrum.components(np.array([[x[3], y[7]]]), 2)[0]
        np.testing.assert_allclose(display.values[:, 7, 3], corner)
        shares = bananas.coefficients[:2] ** 2 / 90
        for ax, share in zip(display.axes_, shares, strict=True):
            assert f"{share:.1%} of the targets" in title(ax)

    def test_every_class_has_its_mark(self, clouds):
        display = plots.ComponentsDisplay.from_relevance(clouds, count=1)
        marks = [line.get_marker() for line in display.axes_[0].lines]
        assert len(set(marks)) == 3
        assert sum(len(line.get_xdata()) for line in display.axes_[0].lines) == 75

    def test_of_a_spectrum_alone(self, bananas):
        display = plots.ComponentsDisplay.from_spectrum(bananas.spectrum)
        assert len(display.axes_) == 6
        assert title(display.axes_[0]).startswith("component 1, variance")

    def test_many_rows_are_thinned(self):
        points = np.random.default_rng(0).normal(size=(2000, 2))
        spectrum = decompose(kernels.Linear(), points)
        display = plots.ComponentsDisplay.from_spectrum(spectrum, count=1)
        assert len(display.axes_[0].lines[0].get_xdata()) == 500

    def test_other_data_than_planes_are_refused(self, sinc, bananas):
        with pytest.raises(InputError, match="two numbers. Got data of shape"):
            plots.ComponentsDisplay.from_relevance(sinc)
        with pytest.raises(InputError, match="count must lie between 1 and"):
            plots.ComponentsDisplay.from_relevance(bananas, count=0)
