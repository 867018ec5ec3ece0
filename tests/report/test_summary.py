"""The summary: one data object that all views show."""

import json
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest

from reldim import diagnose
from reldim.cli import console
from reldim.cli.views import diagnosis_view
from reldim.report.page import split_error
from reldim.report.summary import percent, plain
from reporting import page_of


class TestSummary:
    def test_every_view_shows_every_figure(self, of_sinc, of_moons):
        for diagnosis in (of_sinc, of_moons):
            terminal = console.terminal(color=False)
            terminal.width = 200
            with terminal.capture() as captured:
                terminal.print(diagnosis_view(diagnosis))
            views = {
                "text": str(diagnosis),
                "terminal": captured.get(),
                "notebook": unescape(diagnosis._repr_html_()),
            }
            for figure in diagnosis.summary.figures:
                missing = [name for name, view in views.items() if figure.text not in view]
                assert not missing, (figure, missing)

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
        known = replace(of_moons.summary, noise_estimate=0.2, noise_interval=(0.15, 0.261))
        (figure,) = (f for f in known.figures if f.name == "noise level")
        assert figure.text.endswith("of labels (estimate 20.0%, 90% interval 15.0% to 26.1%)")
        parts = split_error(replace(known, error_estimate=0.3, constant_error=0.4))
        assert [part.text for part in parts] == ["10.0%", "10.0%", "20.0%"]
        assert of_moons.summary.noise_estimate == of_moons.noise_estimate.value
        assert of_moons.to_dict()["noise_interval"] == [*of_moons.noise_estimate.interval]

    def test_data_that_a_function_takes_have_no_columns(self):
        def same_start(X, Z):
            return np.array([[float(x[0] == z[0]) for z in Z] for x in X])

        X = ["ACGT", "ACGA", "TCGT", "TCGA", "ACCT", "TCCA"]
        found = diagnose(X, [0, 0, 1, 1, 0, 1], kernels=same_start)
        assert found.summary.columns is None
        assert "6 rows, classification with 2 classes" in page_of(found)

    def test_huge_errors_are_only_called_large(self):
        assert percent(2976430.0) == "over 1000%"
        assert percent(0.1234) == "12.3%"

    @pytest.mark.parametrize(
        "value, expected",
        [
            (np.float64(1.5), 1.5),
            (np.int64(3), 3),
            (np.True_, True),
            (None, None),
            (pd.Timestamp("2024-01-02"), "2024-01-02 00:00:00"),
            (np.array([1, 2]), "[1 2]"),
        ],
        ids=str,
    )
    def test_plain(self, value, expected):
        found = plain(value)
        assert found == expected
        assert type(found) is type(expected)
