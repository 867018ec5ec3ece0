"""Diagnoses and comparisons as plain text."""

from types import SimpleNamespace

import pandas as pd

from reldim.diagnosis.verdicts import Verdict
from reldim.report.text import HEADINGS, NEXT, cells, comparison_text, diagnosis_text


def row(name, *, behind=False):
    return {
        "name": name,
        "behind": behind,
        "dimension": 3,
        "interval_low": 2,
        "interval_high": 11,
        "noise_estimate": 0.05,
        "error_estimate": 0.125,
        "squared_error": 0.5,
        "evidence": -1.0,
        "area": 0.25,
        "verdict": "RD002",
    }


def test_cells_follow_the_headings():
    written = dict(zip(HEADINGS, cells(pd.Series(row("a", behind=True))), strict=True))
    assert written[""] == "<"
    assert written["90%"] == "2-11"
    assert (written["noise"], written["error"]) == ("5.0%", "12.5%")
    assert written["evidence"] == "-1.000"


def test_columns_of_a_comparison_are_aligned():
    targets = SimpleNamespace(reason="numbers")
    diagnosis = SimpleNamespace(relevance=SimpleNamespace(targets=targets))
    comparison = SimpleNamespace(
        diagnoses={"a": diagnosis, "much longer": diagnosis},
        n=50,
        task="regression",
        table=pd.DataFrame([row("a"), row("much longer", behind=True)]),
        conclusion="a is best.",
    )
    lines = comparison_text(comparison).splitlines()
    assert lines[0] == "2 representations of 50 rows, regression (numbers)"
    head, first, second = lines[3:6]
    assert head.index("verdict") == first.index("RD002") == second.index("RD002")
    assert second.startswith("  <  much longer")


def test_a_diagnosis_shows_verdict_figures_and_notes():
    verdict = Verdict("RD002", "Solved", "good", "It fits.", "Use it.", alternatives=("RD003",))
    figure = SimpleNamespace(name="rows", text="50")
    summary = SimpleNamespace(
        verdict=verdict, figures=[figure], preparation=["Scaled."], findings=["Few rows."]
    )
    text = diagnosis_text(summary)
    assert text.startswith("RD002 Solved, or limited by noise\n  It fits.\n  Use it.\n")
    assert f"  {'rows':20}50\n  {'done':20}Scaled.\n  {'note':20}Few rows." in text
    assert text.endswith(NEXT)
