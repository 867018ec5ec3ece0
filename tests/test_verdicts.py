"""Verdicts: plain rules on a few figures."""

from types import SimpleNamespace

import numpy as np
import pytest

from reldim.targets import code_targets
from reldim.verdicts import CODES, Verdict, constant_error, grid_edge, judge, scale_gap


def estimate(*, n=200, dimension=5, error=0.5, noise=0.4, p_value=0.001, y=None):
    """Stand in for an estimate of a regression, or of the classes y."""
    targets = code_targets(np.arange(n) + 0.5 if y is None else y)
    return SimpleNamespace(
        targets=targets,
        dimension=dimension,
        error_estimate=error,
        noise_level=noise,
        p_value=p_value,
    )


@pytest.mark.parametrize(
    "figures, code",
    [
        ({"dimension": 0, "p_value": 0.001}, "RD001"),
        ({"p_value": 0.051}, "RD001"),
        ({"p_value": 0.05}, "RD003"),
        ({"dimension": 0, "error": 0.01}, "RD001"),
        ({"error": 0.1}, "RD002"),
        ({"error": 0.101}, "RD003"),
        ({"error": 0.05, "dimension": 90}, "RD002"),
        ({"dimension": 20}, "RD003"),
        ({"dimension": 21}, "RD005"),
        ({"dimension": 40}, "RD005"),
        ({"dimension": 41}, "RD004"),
        ({"dimension": 30, "noise": 0.08}, "RD004"),
        # Of 30 fitted dimensions in 200 rows, 0.09 left in the sample stands for 0.106 of noise.
        ({"dimension": 30, "noise": 0.09}, "RD005"),
        ({"dimension": 20, "noise": 0.01}, "RD003"),
    ],
)
def test_rules(figures, code):
    verdict = judge(estimate(**figures))
    assert verdict.code == code
    assert verdict.title == CODES[code]


def test_severity():
    severities = {
        judge(estimate(**figures)).code: judge(estimate(**figures)).severity
        for figures in ({"dimension": 0}, {"error": 0.01}, {}, {"dimension": 90}, {"dimension": 30})
    }
    assert severities.pop("RD002") == "good"
    assert severities == dict.fromkeys(["RD001", "RD003", "RD004", "RD005"], "warning")


def test_errors_are_relative_to_the_most_frequent_class():
    y = ["a"] * 80 + ["b"] * 20
    assert constant_error(estimate(y=y)) == pytest.approx(0.2)
    assert judge(estimate(y=y, error=0.02, noise=0.02)).code == "RD002"
    assert judge(estimate(y=y, error=0.021, noise=0.02)).code == "RD003"
    assert constant_error(estimate(y=["a", "b", "c", "c"])) == pytest.approx(0.5)
    assert constant_error(estimate()) == 1.0


def test_evidence_holds_the_figures():
    verdict = judge(estimate(dimension=30, error=0.456, noise=0.321))
    assert "Expected error 45.6%" in verdict.evidence
    assert "constant prediction: 100.0%" in verdict.evidence
    assert "30 relevant dimensions for 200 rows" in verdict.evidence
    assert "6.7 rows a dimension" in verdict.evidence
    assert "32.1%" in verdict.evidence
    assert "probability 0.34" in judge(estimate(p_value=0.34)).evidence


def test_advice_differs():
    verdicts = [
        judge(estimate(**figures))
        for figures in ({"dimension": 0}, {"error": 0.01}, {}, {"dimension": 90}, {"dimension": 30})
    ]
    assert len({verdict.advice for verdict in verdicts}) == 5
    more_rows = {verdict.code for verdict in verdicts if "collect more rows" in verdict.advice}
    assert more_rows == {"RD001", "RD004"}


def test_further_findings():
    edge = grid_edge("The best kernel lies at the edge.")
    assert (edge.code, edge.severity) == ("RD010", "info")
    assert edge.evidence == "The best kernel lies at the edge."
    gap = scale_gap(1234.5)
    assert (gap.code, gap.severity) == ("RD011", "warning")
    assert "a factor of 1234" in gap.evidence
    assert "StandardScaler" in gap.advice


def test_in_one_paragraph():
    verdict = Verdict("RD010", "Title", "info", "Seen.", "Do.")
    assert str(verdict) == "RD010 Title. Seen. Do."


def test_codes_are_never_given_twice():
    assert len(set(CODES.values())) == len(CODES)
    assert all(code.startswith("RD") and len(code) == 5 for code in CODES)
