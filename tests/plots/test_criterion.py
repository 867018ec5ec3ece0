"""The plot of the criterion."""

from dataclasses import replace

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import datasets, decompose, kernels, plots, relevant_dimension
from reldim.plots.criterion import without_components
from reldim.relevance.estimation import estimate

pytest.importorskip("matplotlib")


class TestCriterion:
    def test_draws_the_curve_and_its_minimum(self, sinc):
        display = plots.CriterionDisplay.from_relevance(sinc)
        assert_readable(display.ax_)
        np.testing.assert_array_equal(display.line_.get_ydata(), sinc.curve)
        assert display.best_.get_xdata() == [sinc.dimension]
        assert display.best_.get_ydata() == [sinc.criterion_value]
        low, high = sinc.interval
        assert f"best at {sinc.dimension} dimensions (90% interval {low} to {high})" in title(
            display.ax_
        )

    @pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
    @pytest.mark.parametrize("variant", ["robust", "paper"])
    @pytest.mark.parametrize("copied", [False, True])
    def test_level_without_components_is_the_criterion_at_zero(self, criterion, variant, copied):
        data = datasets.bananas(30, random_state=0)
        X, y = (np.tile(data.X, (2, 1)), np.tile(data.y, 2)) if copied else (data.X, data.y)
        spectrum = decompose(kernels.Gaussian(width=1.0), X)
        rd = relevant_dimension(spectrum, y, criterion=criterion, variant=variant)
        zero = estimate(spectrum, rd.targets, dimension=0, criterion=criterion, variant=variant)
        assert without_components(rd) == pytest.approx(zero.criterion_value)

    def test_no_signal(self, nothing):
        display = plots.CriterionDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert display.best_ is None
        assert "better than chance" in title(display.ax_)

    def test_dimension_that_was_set_to_zero_still_shows_the_curve(self, sinc):
        zero = estimate(sinc.spectrum, sinc.targets, dimension=0)
        display = plots.CriterionDisplay.from_relevance(zero)
        np.testing.assert_array_equal(display.line_.get_ydata(), sinc.curve)
        assert "better than chance" in title(display.ax_)

    def test_minimum_at_the_end_of_the_range(self, sinc):
        last = len(sinc.curve)
        relevance = replace(sinc, curve=-np.arange(float(last)), dimension=last)
        display = plots.CriterionDisplay.from_relevance(relevance)
        assert title(display.ax_).endswith(f"range, {last} dimensions: there may be more")

    def test_explosion_of_leave_one_out_does_not_hide_the_minimum(self, sinc):
        curve = np.array([0.9, 0.5, 0.6, 1e6, 1e8])
        relevance = replace(sinc, curve=curve, dimension=2, criterion="leave-one-out")
        display = plots.CriterionDisplay.from_relevance(relevance)
        assert_readable(display.ax_)
        assert display.ax_.get_ylim()[1] < 1.5
