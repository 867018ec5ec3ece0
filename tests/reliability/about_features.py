"""Promises about what is built on a diagnosis: forecasts, label issues, comparisons, pictures."""

import numpy as np

from reldim import compare, diagnose
from reldim.exceptions import InputTypeError
from reliability.promises import GAUSSIAN, LABELS, NUMBERS, RNG, X, promise, refused

N = len(X)


def extremes():
    """Diagnoses with signal, without, and of hardly any rows."""
    return [
        diagnose(X, NUMBERS, kernels=GAUSSIAN),
        diagnose(X, RNG.normal(size=N), kernels=GAUSSIAN),
        diagnose(X[:2], [0, 1], kernels=GAUSSIAN),
        diagnose(X[:3], [0.1, 1.5, 0.7], kernels=GAUSSIAN),
    ]


@promise("features", "a forecast for fewer rows, or for more than ten times as many", "refused")
def forecast_out_of_reach():
    for found in extremes():
        for rows in (0, -1, 10**9):
            refused(lambda f=found, r=rows: f.forecast(r), "forecast")


@promise("features", "a forecast for what is no whole number", "refused")
def forecast_of_nothing():
    found = diagnose(X, NUMBERS, kernels=GAUSSIAN)
    for rows in (1.5, "x", True, float("nan")):
        refused(lambda r=rows: found.forecast(r), "whole number of rows", kind=InputTypeError)


@promise("features", "a forecast without signal, or from few rows", "finite, with an interval")
def forecast_of_extremes():
    for found in extremes():
        ahead = found.forecast(2 * found.n)
        for values in (ahead.error, ahead.lower, ahead.upper):
            assert np.isfinite(values).all()
        assert np.all(ahead.lower <= ahead.error)
        assert np.all(ahead.error <= ahead.upper)


@promise("features", "label issues without signal, or of few rows", "none are claimed")
def label_issues_of_extremes():
    for found in extremes()[1:]:
        issues = found.label_issues
        assert len(issues) == found.n
        assert not issues["is_label_issue"].any()
        assert issues["label_quality"].between(0, 1).all()


@promise("features", "pictures, pages and text without signal, or of few rows", "drawn")
def views_of_extremes(tmp_path):
    for number, found in enumerate(extremes()):
        assert len(found.plot().axes) >= 4
        assert found.verdict.code in str(found)
        found.write_report(tmp_path / f"{number}.html")
        assert (tmp_path / f"{number}.html").stat().st_size < 3e6


@promise(
    "features",
    "hundreds of pictures in one process, without a screen",
    "each goes when the caller lets go of it; pyplot holds what it can show",
)
def many_pictures():
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    found = diagnose(X, NUMBERS, kernels=GAUSSIAN)
    for _ in range(2):
        found.plot()
        found.review_labels().plot()
        found.forecast().plot()
    assert plt.get_fignums() == before


@promise(
    "features",
    "representations with other numbers of rows, missing values, or nothing in them",
    "refused",
)
def compare_what_differs():
    refused(lambda: compare({"a": X, "b": X[:-1]}, NUMBERS), "39 rows in b")
    refused(lambda: compare({"a": X, "b": np.where(X > 1, np.nan, X)}, NUMBERS), "b: X must hold")
    refused(lambda: compare({"a": X, "b": np.ones((N, 2))}, NUMBERS), "b: All rows of X are equal")
    refused(lambda: compare({"a": X, "b": X}, np.ones(N)), "one class only")


@promise("features", "one representation, or none", "refused")
def compare_nothing():
    refused(lambda: compare({}, LABELS), "Two or more representations")
    refused(lambda: compare({"a": X}, LABELS), "Two or more representations")
