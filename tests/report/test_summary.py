"""The summary: one data object that all views show."""

import json
import re
from copy import copy
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest

from reldim import diagnose, kernels
from reldim.cli import console
from reldim.cli.views import comparison_view, diagnosis_view, verdict_view
from reldim.diagnosis.comparison import Comparison
from reldim.diagnosis.conclusions import Conclusions
from reldim.diagnosis.verdicts import Verdict
from reldim.report.comparison import comparison_page
from reldim.report.page import (
    columns_page,
    diagnosis_page,
    errors_of,
    forecast_page,
    labels_page,
    split_error,
)
from reldim.report.rows import suspicious_rows
from reldim.report.summary import rank_kernels
from reldim.report.words import percent
from reporting import falling_forecast, issue_frame


def printed(view):
    terminal = console.terminal(color=False)
    terminal.width = 200
    with terminal.capture() as captured:
        terminal.print(view)
    return captured.get()


class TestNoiseByWidth:
    def diagnosed(self, noise):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(150, 2))
        y = np.where(X[:, 0] + noise * rng.normal(size=150) > 0, "b", "a")
        return diagnose(X, y, references=False, kernels="gaussian")

    def test_data_that_are_noisy_at_every_width(self):
        found = self.diagnosed(2.0)
        scales = found.summary.noisy_scales
        widths = [row.kernel.width for row in found.tried]
        assert scales.everywhere
        assert {scales.first, scales.last} <= {*widths}
        assert found.to_dict()["noisy_scales"]["first"] == scales.first
        said = scales.sentence.rstrip(".")
        assert said in str(found)
        assert said in unescape(diagnosis_page(found))

    def test_nothing_is_said_of_clear_labels(self):
        found = self.diagnosed(0.0)
        assert found.summary.noisy_scales is None
        assert "noise by width" not in str(found)


class TestSummary:
    def test_every_view_shows_every_figure(self, of_sinc, of_moons):
        for diagnosis in (of_sinc, of_moons):
            views = {
                "text": str(diagnosis),
                "terminal": printed(diagnosis_view(diagnosis)),
                "notebook": unescape(diagnosis._repr_html_()),
            }
            for figure in diagnosis.summary.figures:
                missing = [name for name, view in views.items() if figure.text not in view]
                assert not missing, (figure, missing)

    def test_every_view_names_the_verdicts_that_may_hold(self, of_sinc):
        main = Verdict("RD008", "Main", "warning", "It errs.", "Try.", alternatives=("RD003",))
        other = Verdict("RD005", "Other", "info", "It varies.", "Wait.", alternatives=("RD004",))
        curve = of_sinc.concluded().conclusions.curve
        concluded = Conclusions(main, (other,), of_sinc.noise_estimate, curve)
        found = replace(of_sinc, conclusions=concluded)
        pages = [
            re.sub("<[^>]*>", "", page) for page in (found._repr_html_(), diagnosis_page(found))
        ]
        for view in (str(found), printed(diagnosis_view(found)), *pages):
            assert "Main, or limited by noise" in view
            assert "RD005 Other, or limited by data" in view
        beside = Comparison({"a": found, "b": found}, np.ones((found.problem.targets.n, 2)))
        assert list(beside.table["verdict"]) == ["RD008 Main, or limited by noise"] * 2
        assert "RD008 Main, or limited by noise: a, b" in printed(comparison_view(beside))
        for page in (
            comparison_page(beside),
            columns_page(found),
            forecast_page(found, falling_forecast(80)),
            labels_page(found, suspicious_rows(issue_frame(80, [3]), found)),
        ):
            assert "RD008 Main, or limited by noise" in re.sub("<[^>]*>", "", page)

    def test_numbers_are_those_of_the_diagnosis(self, of_moons):
        summary, found = of_moons.summary, of_moons.to_dict()
        for name in ("dimension", "noise_level", "error_estimate", "p_value", "criterion"):
            assert getattr(summary, name) == getattr(of_moons, name) == found[name]
        assert found["interval"] == [*of_moons.interval]
        assert found["schema"] == "reldim.diagnosis/1"
        assert found["columns"] == 2
        assert found["classes"] == ["lower", "upper"]
        assert json.loads(json.dumps(found, allow_nan=False)) == found

    def test_candidates_agree_with_the_frame(self, of_sinc):
        frame = of_sinc.candidates
        assert frame.to_dict(orient="records") == of_sinc.to_dict()["candidates"]
        assert frame["chosen"].sum() == 1
        assert frame.loc[of_sinc.index, "chosen"]

    def test_noise_comes_with_its_interval(self, of_moons):
        known = replace(
            of_moons.summary,
            noise_estimate=0.2,
            noise_interval=(0.15, 0.261),
            noise_reached=0.25,
            noise_repeats=0.02,
        )
        (figure,) = (f for f in known.figures if f.name == "noise")
        assert figure.text == (
            "20.0% of labels (90% interval 15.0% to 26.1%, models reached 25.0%, "
            "equal rows disagree on 2.0%)"
        )
        parts = split_error(replace(known, error_estimate=0.3, constant_error=0.4))
        assert [part.text for part in parts] == ["10.0%", "10.0%", "20.0%"]
        assert of_moons.summary.noise_estimate == of_moons.noise_estimate.value
        plain = of_moons.to_dict()
        assert plain["noise_interval"] == [*of_moons.noise_estimate.interval]
        assert plain["noise_reached"] == of_moons.noise_estimate.reached
        assert plain["noise_repeats"] == of_moons.noise_estimate.repeats

    def test_one_noise_figure_in_the_headline(self, of_sinc):
        """The papers' in-sample figure is in the details, by the name that says what it is."""
        summary = of_sinc.summary
        residual = percent(summary.training_residual)
        assert residual != percent(summary.noise_estimate)
        assert not [figure for figure in summary.figures if residual in figure.text]
        assert summary.training_residual == of_sinc.noise_level
        found = of_sinc.to_dict()
        assert found["training_residual"] == found["noise_level"]

    def test_noise_says_what_it_rests_on(self, of_sinc):
        (noise,) = (f for f in of_sinc.summary.figures if f.name == "noise")
        assert "judged by 20 kernels and 3 other models on held-out rows" in noise.meaning

    def test_predictor_is_the_one_that_predicts(self, of_sinc, of_moons, of_noise):
        expected = {True: "a blend of kernels", False: "least squares on"}
        for found in (of_sinc, of_moons):
            blended = type(found.predictor()).__name__.startswith("KernelBlend")
            assert found.summary.predictor.startswith(expected[blended])
        assert of_noise.summary.predictor == "a constant"

    def test_other_models_come_best_first(self, of_sinc):
        (figure,) = (f for f in of_sinc.summary.figures if f.name == "other models")
        order = sorted(of_sinc.summary.references, key=lambda one: one.error)
        places = [figure.value.index(one.model) for one in order]
        assert places == sorted(places)

    def test_data_that_a_function_takes_have_no_columns(self):
        def same_start(X, Z):
            return np.array([[float(x[0] == z[0]) for z in Z] for x in X])

        X = ["ACGT", "ACGA", "TCGT", "TCGA", "ACCT", "TCCA"]
        found = diagnose(X, [0, 0, 1, 1, 0, 1], kernels=same_start)
        assert found.summary.columns is None
        assert "6 rows, classification with 2 classes" in diagnosis_page(found)


class TestRanking:
    @pytest.fixture
    def made(self, of_sinc):
        """A diagnosis whose kernels are made of kinds, dimensions and criteria."""

        def make(rows, chosen=0, criterion="likelihood"):
            first = of_sinc.summary.candidates[0]
            trials = tuple(
                replace(
                    first,
                    kernel=f"{kernel} {number}",
                    dimension=dimension,
                    negative_log_likelihood=value,
                    criterion_value=-value,
                    chosen=number == chosen,
                )
                for number, (kernel, dimension, value) in enumerate(rows)
            )
            summary = replace(of_sinc.summary, candidates=trials, criterion=criterion)
            kinds = {"G": kernels.Gaussian(1.0), "L": kernels.Laplacian(1.0)}
            tried = [SimpleNamespace(kernel=kinds[kernel]) for kernel, *_ in rows]
            return SimpleNamespace(summary=summary, tried=tried)

        return make

    def test_sorted_by_the_criterion_and_none_is_lost(self, of_sinc, of_moons, of_noise):
        for found in (of_sinc, of_moons, of_noise):
            ranked = rank_kernels(found)
            values = [row.value for row in ranked]
            assert values == sorted(values)
            names = [name for row in ranked for name in (row.trial.kernel, *row.alike)]
            assert sorted(names) == sorted(row.name for row in found.tried)
            assert sum(row.trial.chosen for row in ranked) == 1

    def test_neighbours_that_come_to_the_same_are_folded(self, made):
        rows = [("G", 5, 2.0), ("G", 4, 1.0), ("G", 4, 1.0004), ("G", 4, 0.9999)]
        first, second = rank_kernels(made(rows, chosen=2))
        # The chosen one stands for them although another is better by round-off.
        assert (first.trial.kernel, first.alike) == ("G 2", ("G 1", "G 3"))
        assert (second.trial.kernel, second.alike) == ("G 0", ())

    @pytest.mark.parametrize(
        "rows",
        [
            [("G", 4, 1.0), ("G", 5, 1.0)],
            [("G", 4, 1.0), ("G", 4, 1.01)],
            [("G", 4, 1.0), ("L", 4, 1.0)],
            [("G", 4, 1.0), ("G", 9, 3.0), ("G", 4, 1.0)],
        ],
        ids=["dimension", "criterion", "kind", "not neighbours"],
    )
    def test_others_keep_their_row(self, made, rows):
        assert [len(row.alike) for row in rank_kernels(made(rows))] == [0] * len(rows)

    def test_other_criterion(self, made):
        found = made([("G", 4, 1.0), ("G", 5, 2.0)], criterion="leave-one-out")
        assert [row.value for row in rank_kernels(found)] == [-2.0, -1.0]


class TestFinding:
    def test_errors_of_a_finding_stand_side_by_side_in_every_view(self, of_sinc):
        figures = {"error_mixed": 0.1, "error_apart": 0.4}
        finding = Verdict("RD020", "Rows <seem> to depend", "warning", "It rises.", "Ask.", figures)
        found = copy(of_sinc)
        vars(found)["summary"] = replace(of_sinc.summary, findings=(finding,))
        page = diagnosis_page(found)
        block = page.partition("RD020</span>")[2].partition("</figure>")[0]
        assert "Rows &lt;seem&gt; to depend" in block
        assert re.findall(r'<th scope="row">(\w+)</th>', block) == ["mixed", "apart"]
        assert re.findall(r'width="([\d.]+)" height="10"', block) == ["250.0", "1000.0"]
        assert re.findall(r"<td>([\d.%]+)</td>", block) == ["10.0%", "40.0%"]
        assert "RD020 Rows <seem> to depend. It rises. Ask." in str(found)
        assert "RD020 Rows &lt;seem&gt; to depend" in found._repr_html_()
        assert "RD020 Rows <seem> to depend" in printed(verdict_view(finding))
        assert found.to_dict()["findings"][0]["figures"] == figures

    def test_other_figures_are_no_errors_to_compare(self):
        figures = {"rows": 3.0, "error_apart": 0.1}
        assert errors_of(Verdict("RD014", "Repeated", "info", "", "", figures)) == ()
