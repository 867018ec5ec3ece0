"""The map of the criterion over kernels."""

import numpy as np
import pytest

import reldim
from plotting import assert_readable, title
from reldim import datasets, decompose, kernels, plots, relevant_dimension
from reldim.exceptions import InputError

pytest.importorskip("matplotlib")


class TestCriterionMap:
    def test_draws_the_curves_of_all_kernels(self):
        data = datasets.noisy_sinc(40, random_state=0)
        widths = [3.0, 0.3, 1.0]
        judged = [
            relevant_dimension(decompose(kernels.Gaussian(width), data.X), data.y)
            for width in widths
        ]
        display = plots.CriterionMapDisplay.from_relevances(judged)
        assert_readable(display.ax_)
        np.testing.assert_array_equal(display.parameters, [0.3, 1.0, 3.0])
        drawn = np.ma.filled(display.mesh_.get_array(), np.nan)
        for row, rd in zip(drawn, [judged[1], judged[2], judged[0]], strict=True):
            np.testing.assert_allclose(row[: len(rd.curve)], rd.curve)
            assert np.isnan(row[len(rd.curve) :]).all()
        best = min(judged, key=lambda rd: rd.criterion_value)
        width = best.spectrum.gram.kernel.width
        assert title(display.ax_) == f"Best at width {width:.3g} with {best.dimension} dimensions"

    def test_draws_the_distance_between_given_and_denoised_targets(self):
        data = datasets.noisy_sinc(40, random_state=0)
        widths = [0.3, 1.0, 3.0]
        display = plots.CriterionMapDisplay.from_data(
            data.X, data.y, kernels=[kernels.Gaussian(w) for w in widths], show="distance"
        )
        assert_readable(display.ax_)
        y = data.y - data.y.mean()
        for row, width in zip(display.values, widths, strict=True):
            U = np.linalg.eigh(kernels.Gaussian(width)(data.X))[1][:, ::-1][:, :6]
            left = [np.sum((y - U[:, :d] @ (U[:, :d].T @ y)) ** 2) for d in range(1, 7)]
            np.testing.assert_allclose(row[:6], np.array(left) / np.sum(y**2), atol=1e-9)
        with pytest.raises(InputError, match="show must be 'criterion' or 'distance'"):
            plots.CriterionMapDisplay.from_data(data.X, data.y, show="noise")

    def test_of_a_diagnosis_equals_that_of_its_data(self):
        data = datasets.noisy_sinc(60, random_state=1)
        found = reldim.diagnose(data.X, data.y, random_state=0)
        tried = [row.kernel for row in found.tried]
        left = plots.CriterionMapDisplay.from_diagnosis(found)
        right = plots.CriterionMapDisplay.from_data(data.X, data.y, kernels=tried, random_state=0)
        np.testing.assert_allclose(left.values, right.values, atol=1e-9)
        relevant = [trace.relevant for trace in left.traces]
        assert relevant == [trace.relevant for trace in right.traces]
        assert left.best.kernel == right.best.kernel
        assert left.without == pytest.approx(right.without)

    def test_family_by_name(self):
        data = datasets.noisy_sinc(30, random_state=0)
        display = plots.CriterionMapDisplay.from_data(data.X, data.y, kernels="laplacian")
        assert len(display.parameters) == 20
        assert display.ax_.get_ylabel() == "Laplacian kernel: scale in units of X"

    def test_no_signal(self, nothing):
        display = plots.CriterionMapDisplay.from_diagnosis(nothing)
        assert_readable(display.ax_)
        assert title(display.ax_) == "No kernel of the family sees any signal"

    def test_kernels_of_several_types_are_refused(self, sinc, bananas):
        with pytest.raises(InputError, match="one type that differ in one number"):
            plots.CriterionMapDisplay.from_relevances([sinc])
