"""The plot of candidates: families are lines, the best kernel a star."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import reldim
from plotting import assert_readable, title
from reldim import datasets, kernels, plots
from reldim.exceptions import InputError
from reldim.plots import canvas
from reldim.plots.candidates import place_kernels

pytest.importorskip("matplotlib")


class TestCandidates:
    def test_draws_the_table_of_candidates(self, diagnosis):
        display = plots.CandidatesDisplay.from_diagnosis(diagnosis)
        table = diagnosis.candidates
        assert_readable(display.axes_[-1])
        widths = [row.kernel.width for row in diagnosis.tried]
        for key in ("dimension", "noise_level", "error_estimate"):
            (line,) = display.lines_[key]
            np.testing.assert_array_equal(line.get_xdata(), widths)
            np.testing.assert_array_equal(line.get_ydata(), table[key])
        (line,) = display.lines_["criterion"]
        np.testing.assert_array_equal(line.get_ydata(), table["criterion_value"])
        assert title(display.axes_[0]).endswith(f"is the best of {len(table)} kernels")
        assert display.axes_[-1].get_xlabel() == "Gaussian kernel: width in squared units of X"

    def test_one_panel_on_given_axes(self, diagnosis):
        _, ax = canvas.pyplot().subplots()
        display = plots.CandidatesDisplay.from_diagnosis(diagnosis, panels=["errors"], ax=ax)
        assert display.axes_[0] is ax
        assert_readable(ax)
        chosen = diagnosis.candidate_errors[diagnosis.index]
        assert title(ax).startswith(f"Leave-one-out error {chosen:.1%},")

    def test_title_has_the_error_of_the_estimate(self, diagnosis):
        judged = SimpleNamespace(**{**vars(diagnosis.relevance), "error_estimate": 0.1234})
        found = replace(diagnosis, relevance=judged)
        display = plots.CandidatesDisplay.from_diagnosis(found, panels=["errors"])
        assert title(display.axes_[0]).startswith("Leave-one-out error 12.3%,")

    def test_families_are_lines_and_single_kernels_levels(self):
        data = datasets.bananas(60, random_state=0)
        found = reldim.diagnose(
            data.X, data.y, kernels=["laplacian", "polynomial", "linear"], random_state=0
        )
        display = plots.CandidatesDisplay.from_diagnosis(found)
        assert_readable(display.axes_[-1])
        laplacian, polynomial, linear = display.lines_["dimension"]
        assert list(polynomial.get_xdata()) == [1, 2, 3, 4, 5, 6]
        assert len(laplacian.get_xdata()) >= 20
        assert list(linear.get_xdata()) == [0, 1]
        assert linear.get_ydata()[0] == found.tried[-1].dimension
        assert "Polynomial: degree" in display.axes_[-1].get_xlabel()
        names = [t.get_text() for t in display.axes_[-1].get_legend().get_texts()]
        assert {"Laplacian", "Polynomial", "Linear()", "noise level (dashed)"} <= set(names)

    def test_kernels_without_a_common_parameter_stand_side_by_side(self):
        data = datasets.bananas(60, random_state=0)
        mapping = {"narrow": kernels.Gaussian(0.1), "sum": kernels.Linear() + kernels.Gaussian(1.0)}
        found = reldim.diagnose(data.X, data.y, kernels=mapping)
        display = plots.CandidatesDisplay.from_diagnosis(found)
        ticks = [label.get_text() for label in display.axes_[-1].get_xticklabels()]
        assert ticks == ["narrow", "sum"]
        assert list(display.lines_["dimension"][0].get_xdata()) == [0, 1]

    def test_single_kernel(self):
        data = datasets.bananas(40, random_state=0)
        found = reldim.diagnose(data.X, data.y, kernels=kernels.Gaussian(1.0))
        display = plots.CandidatesDisplay.from_diagnosis(found)
        assert title(display.axes_[0]) == "Gaussian(width=1.0) was the only kernel"

    def test_kernels_that_were_given_up_are_hollow(self, diagnosis):
        two = diagnosis.tried[:2]
        found = SimpleNamespace(
            tried=(replace(two[0], noise_level=0.1), replace(two[1], settled=False)),
            candidate_errors=(0.1, 0.1),
            index=0,
            n=diagnosis.n,
            dimension=1,
            relevance=diagnosis.relevance,
        )
        display = plots.CandidatesDisplay(found).plot(panels=["dimension", "errors"])
        assert title(display.axes_[1]).startswith("Leave-one-out error 10.0%, noise level 10.0%")
        hollow = [line for line in display.axes_[0].lines if line.get_markerfacecolor() == "white"]
        assert [list(line.get_xdata()) for line in hollow] == [[two[1].kernel.width]]

    def test_no_signal(self, nothing):
        display = plots.CandidatesDisplay.from_diagnosis(nothing)
        assert [title(ax).split(" ")[0] for ax in display.axes_] == ["No", "No", "Expected"]
        low, high = display.axes_[0].get_ylim()
        assert high - low > 0.01, "round-off fills the axes"

    @pytest.mark.parametrize("panels", [[], ["error"]])
    def test_unknown_panels_are_refused(self, diagnosis, panels):
        with pytest.raises(InputError, match="criterion, dimension, errors"):
            plots.CandidatesDisplay.from_diagnosis(diagnosis, panels=panels)

    def test_wrong_number_of_axes_is_refused(self, diagnosis):
        _, axes = canvas.pyplot().subplots(2)
        with pytest.raises(InputError, match="3 panels: ax must be None or 3 axes. Got 2"):
            plots.CandidatesDisplay.from_diagnosis(diagnosis, ax=axes)


class TestParameters:
    def test_kernels_that_differ_in_two_numbers_stand_alone(self):
        tried = [kernels.Matern(1.5, 1.0), kernels.Matern(2.5, 2.0), kernels.Linear()]
        assert [p.value for p in place_kernels(tried, ["a", "b", "c"])] == [None] * 3

    def test_normalised_kernels_are_placed_by_what_they_normalise(self):
        tried = [kernels.WeightedDegree(degree).normalized() for degree in (1, 3)]
        placed = place_kernels(tried, ["a", "b"])
        assert [(p.family, p.parameter, p.value) for p in placed] == [
            ("WeightedDegree", "degree", 1.0),
            ("WeightedDegree", "degree", 3.0),
        ]

    def test_fields_that_are_no_numbers_do_not_place(self):
        tried = [kernels.ARDGaussian([1.0, 2.0]), kernels.ARDGaussian([2.0, 1.0])]
        assert [p.family for p in place_kernels(tried, ["a", "b"])] == ["a", "b"]
