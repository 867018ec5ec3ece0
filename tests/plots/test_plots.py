"""Plots: what is drawn is what was computed, every axis is labelled, titles say the finding."""

import subprocess
import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import reldim
from reldim import datasets, decompose, kernels, plots, relevant_dimension, theory
from reldim.exceptions import InputError, MissingDependencyError
from reldim.plots import canvas
from reldim.plots.candidates import place_kernels
from reldim.plots.criterion import without_components
from reldim.relevance.estimation import estimate

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def sinc():
    data = datasets.noisy_sinc(80, random_state=1)
    return relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)


@pytest.fixture(scope="module")
def bananas():
    data = datasets.bananas(90, random_state=0)
    y = np.where(data.y > 0, "up", "down")
    return relevant_dimension(decompose(kernels.Gaussian(width=0.5), data.X), y)


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(0)
    y = np.repeat(["red", "green", "blue"], 25)
    X = rng.normal(size=(75, 2)) + np.repeat([[0, 0], [0, 3], [3, 0]], 25, axis=0)
    return relevant_dimension(decompose(kernels.Gaussian(width=2.0), X), y)


@pytest.fixture(scope="module")
def nothing():
    rng = np.random.default_rng(3)
    return reldim.diagnose(rng.normal(size=(60, 3)), rng.normal(size=60), random_state=0)


@pytest.fixture(scope="module")
def diagnosis():
    data = datasets.noisy_sinc(60, random_state=1)
    return reldim.diagnose(data.X, data.y, random_state=0)


def title(ax):
    return ax.get_title(loc="left").replace("\n", " ")


def assert_readable(*axes):
    """Check what every plot must have, by drawing it."""
    for ax in axes:
        assert ax.get_xlabel(), "the x axis has no label"
        assert ax.get_ylabel(), "the y axis has no label"
        assert title(ax), "the title says nothing"
        assert max(map(len, ax.get_title(loc="left").split("\n"))) <= canvas.TITLE_LETTERS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes[0].figure.canvas.draw()


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
        assert len(zero.curve) == 1
        display = plots.CriterionDisplay.from_relevance(zero)
        np.testing.assert_array_equal(display.curve, sinc.curve)
        assert "better than chance" in title(display.ax_)

    def test_minimum_at_the_end_of_the_range(self):
        display = plots.CriterionDisplay(
            curve=-np.arange(10.0), dimension=10, interval=(9, 10), without=0.0
        ).plot()
        assert "there may be more" in title(display.ax_)

    def test_explosion_of_leave_one_out_does_not_hide_the_minimum(self):
        curve = np.array([0.9, 0.5, 0.6, 1e6, 1e8])
        display = plots.CriterionDisplay(
            curve=curve, dimension=2, interval=(2, 2), criterion="leave-one-out", without=1.0
        ).plot()
        assert_readable(display.ax_)
        assert display.ax_.get_ylim()[1] < 1.5
        alone = plots.CriterionDisplay(curve=curve, dimension=2, interval=(2, 2)).plot()
        assert alone.ax_.get_ylim()[1] > 1e8


class TestErrorCurve:
    def test_is_what_least_squares_leaves(self, bananas):
        display = plots.ErrorCurveDisplay.from_relevance(bananas)
        assert_readable(display.ax_)
        U, y = bananas.spectrum.eigenvectors, bananas.targets.values[:, 0]
        left = [np.sum((y - U[:, :d] @ (U[:, :d].T @ y)) ** 2) / np.sum(y**2) for d in (1, 5, 20)]
        np.testing.assert_allclose(display.lines_[0].get_ydata()[[0, 4, 19]], left)
        assert f"{bananas.dimension} dimensions explain" in title(display.ax_)

    def test_several_curves_have_names(self, sinc, bananas):
        display = plots.ErrorCurveDisplay.from_relevances({"one": sinc, "$two$": bananas})
        assert_readable(display.ax_)
        assert len(display.lines_) == 2
        texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert texts[0] == f"one ({sinc.dimension} dimensions)"
        assert texts[1].startswith(r"\$two\$ (")
        assert title(display.ax_) == "What is left of the targets after the leading components"

    def test_best_of_several_kernels_is_the_most_likely(self):
        data = datasets.noisy_sinc(80, random_state=1)
        found = {
            f"width {width}": relevant_dimension(decompose(kernels.Gaussian(width), data.X), data.y)
            for width in (0.01, 1.0, 1000.0)
        }
        display = plots.ErrorCurveDisplay.from_relevances(found)
        d, left = found["width 1.0"].dimension, display.curves[1]
        assert title(display.ax_) == (
            f"width 1.0 fits best: {d} dimensions explain {1 - left[d - 1]:.0%} of the targets"
        )

    def test_no_signal(self, nothing):
        display = plots.ErrorCurveDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("No signal")
        assert display.ax_.get_legend() is None


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
        assert f"{diagnosis.error_estimate:.1%}" in title(ax)

    def test_title_has_the_error_of_the_diagnosis(self, diagnosis):
        judged = SimpleNamespace(**{**vars(diagnosis.relevance), "error_estimate": 0.1234})
        found = replace(diagnosis, relevance=judged)
        display = plots.CandidatesDisplay.from_diagnosis(found, panels=["errors"])
        assert title(display.axes_[0]).startswith("Expected error 12.3%,")

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

    def test_kernels_that_were_given_up_are_hollow(self):
        display = plots.CandidatesDisplay(
            names=["a", "b"],
            families=["G", "G"],
            parameters=[1.0, 2.0],
            parameter_names=["width", "width"],
            criterion_values=[0.1, 0.2],
            dimensions=[1, 2],
            noise_levels=[0.1, 0.1],
            error_estimates=[0.1, 0.1],
            chosen=0,
            settled=[True, False],
        ).plot(panels=["dimension", "errors"])
        assert title(display.axes_[1]).startswith("Expected error 10.0%, noise level 10.0%")
        hollow = [line for line in display.axes_[0].lines if line.get_markerfacecolor() == "white"]
        assert [list(line.get_xdata()) for line in hollow] == [[2.0]]

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

    def test_of_a_diagnosis_equals_that_of_its_data(self):
        data = datasets.noisy_sinc(60, random_state=1)
        found = reldim.diagnose(data.X, data.y, random_state=0)
        tried = [row.kernel for row in found.tried]
        left = plots.CriterionMapDisplay.from_diagnosis(found)
        right = plots.CriterionMapDisplay.from_data(data.X, data.y, kernels=tried, random_state=0)
        np.testing.assert_allclose(left.values, right.values, atol=1e-9)
        assert left.relevant == right.relevant
        assert (left.best, left.without) == (right.best, pytest.approx(right.without))

    def test_family_by_name(self):
        data = datasets.noisy_sinc(30, random_state=0)
        display = plots.CriterionMapDisplay.from_data(data.X, data.y, kernels="laplacian")
        assert len(display.parameters) == 20
        assert display.label == "Laplacian kernel: scale in units of X"

    def test_no_signal(self, nothing):
        display = plots.CriterionMapDisplay.from_diagnosis(nothing)
        assert_readable(display.ax_)
        assert title(display.ax_) == "No kernel of the family sees any signal"

    def test_kernels_of_several_types_are_refused(self, sinc, bananas):
        with pytest.raises(InputError, match="one type that differ in one number"):
            plots.CriterionMapDisplay.from_relevances([sinc])


class TestDenoised:
    def test_regression_draws_given_against_denoised(self, sinc):
        display = plots.DenoisedDisplay.from_relevance(sinc)
        assert_readable(display.ax_)
        points = display.ax_.lines[0]
        np.testing.assert_allclose(
            points.get_xdata(), (sinc.targets.values + sinc.targets.offset)[:, 0]
        )
        np.testing.assert_allclose(points.get_ydata(), sinc.denoised)
        assert f"{sinc.noise_level:.1%}" in title(display.ax_)

    def test_many_rows_are_counted_in_cells(self):
        rng = np.random.default_rng(0)
        y = rng.normal(size=5000)
        display = plots.DenoisedDisplay(given=y, denoised=y, noise_level=0.0, dimension=3).plot()
        assert_readable(display.ax_)
        assert display.ax_.collections[0].get_array().sum() == 5000

    def test_several_outputs_in_standard_deviations(self):
        rng = np.random.default_rng(0)
        Y = rng.normal(size=(50, 3)) * [1.0, 100.0, 0.0] + [0.0, 1e4, 2.0]
        display = plots.DenoisedDisplay(given=Y, denoised=Y, noise_level=0.0, dimension=3).plot()
        assert_readable(display.ax_)
        assert "standard deviations" in display.ax_.get_xlabel()
        np.testing.assert_allclose(np.std(display.ax_.lines[1].get_xdata()), 1.0)
        np.testing.assert_allclose(display.ax_.lines[2].get_xdata(), 0.0, atol=1e-9)

    def test_two_classes_count_every_row_once(self, bananas):
        display = plots.DenoisedDisplay.from_relevance(bananas)
        assert_readable(display.ax_)
        codes = bananas.targets.codes
        np.testing.assert_array_equal(display.given, codes)
        wrong = np.mean((display.denoised > 0) != (codes == 1))
        assert wrong == pytest.approx(bananas.noise_level)
        assert display.ax_.get_xlabel() == "denoised label (-1: down, +1: up)"
        heights = [p.get_path().vertices[:, 1].max() for p in display.ax_.patches]
        assert max(heights) <= 90

    def test_more_classes_make_a_table(self, clouds):
        display = plots.DenoisedDisplay.from_relevance(clouds)
        assert_readable(display.ax_)
        shares = display.ax_.images[0].get_array()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        given, found = clouds.targets.codes, display.denoised
        for i in range(3):
            for j in range(3):
                assert shares[i, j] == pytest.approx(np.mean(found[given == i] == j))
        assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["blue", "green", "red"]

    def test_title_names_the_most_frequent_exchange(self):
        display = plots.DenoisedDisplay(
            given=[0, 0, 1, 1, 2, 2, 2],
            denoised=[0, 0, 1, 1, 0, 0, 2],
            noise_level=2 / 7,
            dimension=4,
            classes=["a", "b", "c"],
        ).plot()
        assert title(display.ax_).endswith("most often c becomes a")

    def test_a_hundred_classes_are_not_all_named(self):
        codes = np.arange(100)
        names = [f"a rather long name {i}" for i in codes]
        display = plots.DenoisedDisplay(
            given=codes, denoised=codes, noise_level=0.0, dimension=99, classes=names
        ).plot()
        assert_readable(display.ax_)
        assert len(display.ax_.get_yticklabels()) == 25
        assert not display.ax_.texts

    def test_no_signal(self, nothing):
        display = plots.DenoisedDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("No signal")


class TestComponents:
    def test_draws_components_on_a_grid(self, bananas):
        display = plots.ComponentsDisplay.from_relevance(bananas, count=2)
        assert_readable(*display.axes_)
        x, y = display.grid
        corner = bananas.spectrum.components(np.array([[x[3], y[7]]]), 2)[0]
        np.testing.assert_allclose(display.values[:, 7, 3], corner)
        shares = bananas.coefficients[:2] ** 2 / 90
        np.testing.assert_allclose(display.shares, shares)
        assert f"{shares[1]:.1%}" in title(display.axes_[1])

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
        rng = np.random.default_rng(0)
        points = rng.normal(size=(2000, 2))
        display = plots.ComponentsDisplay(
            grid=([0, 1], [0, 1]), values=np.zeros((1, 2, 2)), eigenvalues=[1.0], points=points
        ).plot()
        assert len(display.axes_[0].lines[0].get_xdata()) == 500

    def test_other_data_than_planes_are_refused(self, sinc, bananas):
        with pytest.raises(InputError, match="two numbers. Got data of shape"):
            plots.ComponentsDisplay.from_relevance(sinc)
        with pytest.raises(InputError, match="count must lie between 1 and"):
            plots.ComponentsDisplay.from_relevance(bananas, count=0)


class TestSpectra:
    def test_draws_eigenvalues_and_counts_components(self, sinc, bananas):
        spectra = {"sinc": sinc.spectrum, "bananas": bananas.spectrum}
        display = plots.SpectraDisplay.from_spectra(spectra)
        assert_readable(display.ax_)
        for line, spectrum in zip(display.lines_, spectra.values(), strict=True):
            shares = spectrum.eigenvalues / spectrum.trace
            np.testing.assert_allclose(line.get_ydata(), shares[: spectrum.rank])
            needed = next(d for d in range(1, 80) if shares[:d].sum() >= 0.95)
            assert any(
                f"({needed} components)" in text.get_text()
                for text in display.ax_.get_legend().get_texts()
            )

    def test_spectrum_that_is_cut_short_says_so(self):
        display = plots.SpectraDisplay(shares=[[0.2, 0.1]], names=["narrow"]).plot()
        assert "ask for more components" in title(display.ax_)
        assert "more than computed" in display.ax_.get_legend().get_texts()[0].get_text()

    def test_single_spectrum(self):
        display = plots.SpectraDisplay(shares=[[0.96, 0.03]], names=["wide"]).plot()
        assert title(display.ax_) == "95% of the variance: 1 component under wide"


class TestEigenfunctions:
    def test_draws_the_functions(self):
        system = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=3)
        display = plots.EigenfunctionsDisplay.from_system(system, system.density, count=9)
        assert_readable(display.ax_)
        assert len(display.lines_) == 3
        x = display.lines_[1].get_xdata()
        np.testing.assert_allclose(display.lines_[1].get_ydata(), system.functions(x)[:, 1])
        part = system.eigenvalues.sum() / system.trace
        assert title(display.ax_) == f"The first 3 eigenfunctions hold {part:.0%} of the variance"

    def test_single_function(self):
        system = theory.GaussianEigensystem(width=1.0, variance=1.0, terms=2)
        display = plots.EigenfunctionsDisplay.from_system(system, system.density, count=1)
        assert "first eigenfunction holds" in title(display.ax_)

    def test_functions_of_a_plane_are_refused(self):
        system = theory.GaussianEigensystem(width=1.0, variance=(1.0, 1.0), terms=2)
        with pytest.raises(InputError, match="along a line. Got functions of 2 columns"):
            plots.EigenfunctionsDisplay.from_system(system, system.density)


class TestForecast:
    def test_draws_errors_and_intervals(self, diagnosis):
        forecast = diagnosis.forecast([60, 120, 240, 600])
        display = plots.ForecastDisplay.from_forecast(forecast)
        assert_readable(display.ax_)
        np.testing.assert_array_equal(display.line_.get_xdata(), forecast.rows)
        np.testing.assert_array_equal(display.line_.get_ydata(), forecast.error)
        drawn = display.interval_.get_paths()[0].vertices
        for x, low, high in zip(forecast.rows, forecast.lower, forecast.upper, strict=True):
            heights = drawn[drawn[:, 0] == x, 1]
            assert (heights.min(), heights.max()) == (pytest.approx(low), pytest.approx(high))
        names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert f"with any number of rows: {forecast.floor:.1%}" in names
        assert "rows at hand: 60" in names

    @pytest.mark.parametrize("rows", [600, [120, 600]])
    def test_one_or_two_numbers_of_rows_have_bars(self, diagnosis, rows):
        forecast = diagnosis.forecast(rows)
        display = plots.ForecastDisplay.from_forecast(forecast)
        assert_readable(display.ax_)
        ends = [bar[:, 1] for bar in display.interval_.get_segments()]
        np.testing.assert_allclose(ends, np.column_stack([forecast.lower, forecast.upper]))

    @pytest.mark.parametrize(
        "error, now, said",
        [
            (
                [0.6, 0.5, 0.3],
                10,
                "From 10 to 1000 rows the expected error falls from 60.0% to 30.0%",
            ),
            ([0.6, 0.5, 0.3], 100, "From 100 to 1000 rows the expected error falls from 50.0%"),
            ([0.5, 0.49, 0.48], None, "the expected error falls little: 50.0% to 48.0%"),
            ([0.5, 0.49, 0.48], 5000, "From 10 to 1000 rows"),
        ],
    )
    def test_title_says_what_more_rows_bring(self, error, now, said):
        display = plots.ForecastDisplay(
            rows=[10, 100, 1000], error=error, lower=error, upper=error, floor=0.1, now=now
        ).plot()
        assert_readable(display.ax_)
        assert said in title(display.ax_)

    def test_no_more_rows_than_at_hand(self, diagnosis):
        display = plots.ForecastDisplay.from_forecast(diagnosis.forecast(60))
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("With 60 rows an error of")


class TestOverview:
    def test_four_plots_and_the_verdict(self, diagnosis):
        figure = diagnosis.plot()
        labelled = [ax for ax in figure.axes if ax.get_xlabel()]
        assert len(labelled) == 4
        assert_readable(*labelled)
        assert figure.get_suptitle().startswith(f"{diagnosis.verdict.code} ")

    def test_single_kernel_shows_its_error_curve(self):
        data = datasets.bananas(40, random_state=0)
        figure = reldim.diagnose(data.X, data.y, kernels=kernels.Gaussian(1.0)).plot()
        assert "not explained" in figure.axes[2].get_ylabel()

    def test_no_signal(self, nothing):
        assert_readable(*nothing.plot().axes)

    def test_does_not_touch_settings(self, diagnosis):
        import matplotlib as mpl

        before = dict(mpl.rcParams)
        diagnosis.plot()
        assert dict(mpl.rcParams) == before


class TestCanvas:
    @settings(max_examples=100, deadline=None)
    @given(st.text(max_size=80))
    def test_any_name_can_be_drawn(self, name):
        shown = canvas.literal(name)
        assert "\n" not in shown
        assert len(shown.replace(r"\$", "$")) <= canvas.NAME_LETTERS
        assert shown.count("$") == shown.count(r"\$")

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=30))
    def test_titles_are_wrapped_and_complete(self, words):
        _, ax = canvas.axes_on(None)
        canvas.headline(ax, " ".join(words))
        lines = ax.get_title(loc="left").split("\n")
        canvas.pyplot().close("all")
        assert " ".join(lines).split() == words
        assert max(map(len, lines)) <= canvas.TITLE_LETTERS

    def test_whole_numbers_are_grouped(self):
        assert canvas.whole(9999) == "9999"
        assert canvas.whole(1_000_000) == "1\N{THIN SPACE}000\N{THIN SPACE}000"

    def test_percentages(self):
        shown = [canvas._percent(value) for value in (0.0, 1e-10, 3e-8, 1e-5, 0.125, 1.0)]
        assert shown == ["0%", "10⁻⁸%", "3·10⁻⁶%", "0.001%", "12.5%", "100%"]

    @pytest.mark.parametrize("low, high", [(0.0, 1.0), (2.0, 2.0), (0.0, 0.0), (-1e-15, 1e-15)])
    def test_view_holds_the_range_with_some_room(self, low, high):
        bottom, top = canvas.clear_view(low, high)
        assert bottom < low
        assert high < top


class TestWithoutMatplotlib:
    def test_message_says_what_to_install(self, monkeypatch, diagnosis):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'reldim\[plots\]'"):
            diagnosis.plot()
        with pytest.raises(MissingDependencyError, match="matplotlib"):
            plots.CoefficientsDisplay.from_relevance(diagnosis.relevance)

    def test_import_of_plots_does_not_import_matplotlib(self):
        code = "import sys, reldim.plots; sys.exit('matplotlib' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
