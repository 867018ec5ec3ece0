"""Verdicts: plain rules on a few figures."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from reldim import diagnose
from reldim.diagnosis import conclusions
from reldim.diagnosis.conclusions import _in_order
from reldim.diagnosis.forecast import LearningCurve
from reldim.diagnosis.held_out import RareClass
from reldim.diagnosis.references import Reference
from reldim.diagnosis.rivals import Rivals
from reldim.diagnosis.verdicts import (
    CODES,
    OTHERWISE,
    Verdict,
    finding,
    grid_edge,
    judge,
    kernel_limit,
    model_limit,
    scale_gap,
    weights_limit,
)
from reldim.inputs.targets import code_targets

PAGE = Path(__file__).parents[2] / "docs" / "verdicts.md"


def estimate(*, n=200, dimension=5, y=None):
    """Stand in for an estimate of a regression, or of the classes y."""
    targets = code_targets(np.arange(n) + 0.5 if y is None else y)
    return SimpleNamespace(targets=targets, dimension=dimension)


def laws(*figures, n=200, constant=1.0, signal=True):
    """Make a curve of laws, each an error, a floor and a weight, that fall with the power 4/5."""
    errors, floors, weights = np.array([(*row, 1.0)[:3] for row in figures]).T
    powers, weights = np.full(len(errors), 0.8), weights / weights.sum()
    return LearningCurve(
        n, "regression", constant, floors, errors - floors, powers, weights, has_signal=signal
    )


def judged(*, error=0.5, noise=0.4, p_value=0.001, rare=None, ruled_out=(), **figures):
    rd = estimate(**figures)
    base = rd.targets.constant_error
    curve = laws((error, min(noise, error)), n=rd.targets.n, constant=base)
    if rd.dimension == 0:
        curve = curve.without_signal()
    return judge(rd, p_value, curve, rare, ruled_out)


@pytest.mark.parametrize(
    "figures, code",
    [
        ({"dimension": 0, "p_value": 0.001}, "RD001"),
        ({"p_value": 0.051}, "RD001"),
        ({"p_value": 0.05}, "RD003"),
        ({"dimension": 0, "n": 30}, "RD001"),
        ({"dimension": 0, "n": 29}, "RD007"),
        ({"error": 0.1}, "RD002"),
        ({"error": 0.101}, "RD003"),
        ({"noise": 0.3515}, "RD003"),
        ({"noise": 0.3514}, "RD005"),
        ({"noise": 0.0701}, "RD005"),
        ({"noise": 0.07}, "RD004"),
        ({"error": 0.95}, "RD007"),
        ({"error": 0.94}, "RD005"),
    ],
)
def test_rules(figures, code):
    verdict = judged(**figures)
    assert verdict.code == code
    assert verdict.title == CODES[code]
    assert verdict.alternatives == ()


def test_what_is_solved_may_still_gain_by_more_rows():
    assert "little to add" in judged(error=0.09, noise=0.08).advice
    assert "little to add" in judged(error=1e-5, noise=1e-9).advice
    # The Boston table: most of what is left is not noise.
    steep = judged(error=0.094, noise=0.015)
    assert steep.code == "RD002"
    assert "with ten times as many 2.8% is to be expected" in steep.advice


@pytest.mark.parametrize("figures", [{}, {"noise": 0.01}, {"noise": 0.17}])
def test_a_handful_of_rows_gets_no_firm_verdict(figures):
    verdict = judged(n=29, **figures)
    assert verdict.code == "RD007"
    assert "do not tell noise from structure" in verdict.evidence
    assert judged(n=29, error=0.09).code == "RD007"
    assert judged(n=29, error=0.03).code == "RD002"


def test_noise_that_may_be_anything_gets_no_firm_verdict():
    wide, narrow = (laws((0.9, low), (0.9, 0.89), n=90) for low in (0.08, 0.12))
    verdict = judge(estimate(n=90), 0.001, wide)
    assert verdict.code == "RD007"
    assert "anything from 8.0% to 89.0%" in verdict.evidence
    assert verdict.figures["noise_high"] == 0.89
    assert judge(estimate(n=90), 0.001, narrow).code != "RD007"
    # Of more rows the other figures are told well enough.
    assert judge(estimate(n=100), 0.001, wide).code != "RD007"


def test_few_of_a_class_are_too_few_to_rule_signal_out():
    y = ["a"] * 96 + ["b"] * 4
    verdict = judged(y=y, dimension=0, p_value=0.5)
    assert verdict.code == "RD007"
    assert "4 of the rarest class" in verdict.evidence
    assert judged(y=["a"] * 95 + ["b"] * 5, dimension=0).code == "RD001"


class TestFirm:
    """A verdict is what most laws say, and names what others say that are as likely as not."""

    @staticmethod
    def alternatives(*figures, **others):
        verdict = judge(estimate(), 0.001, laws(*figures), **others)
        for code in CODES:
            named = code in verdict.alternatives
            title = CODES[code][0].lower() + CODES[code][1:]
            assert (f"{code} ({title})" in verdict.evidence) == named
            assert (f"If {code} holds, {OTHERWISE.get(code)}." in verdict.advice) == named
        assert ("Not firm" in verdict.evidence) == bool(verdict.alternatives)
        return verdict.code, verdict.alternatives

    def test_noise_that_may_be_structure(self):
        noisy, quiet, flat = (0.5, 0.2), (0.5, 0.05), (0.5, 0.4)
        assert self.alternatives((*noisy, 0.76), (*quiet, 0.24)) == ("RD005", ())
        assert self.alternatives((*noisy, 0.74), (*quiet, 0.26)) == ("RD005", ("RD004",))
        assert self.alternatives((*noisy, 0.26), (*quiet, 0.74)) == ("RD004", ("RD005",))
        assert self.alternatives((*noisy, 0.4), (*flat, 0.6)) == ("RD003", ("RD005",))
        thirds = ((*noisy, 0.4), (*quiet, 0.3), (*flat, 0.3))
        assert self.alternatives(*thirds) == ("RD005", ("RD003", "RD004"))

    def test_errors_near_a_bound(self):
        assert self.alternatives((0.08, 0.01, 0.7), (0.12, 0.01, 0.3)) == ("RD002", ("RD004",))
        assert self.alternatives((0.08, 0.01, 0.8), (0.12, 0.01, 0.2)) == ("RD002", ())
        assert self.alternatives((0.09, 0.01, 0.4), (0.14, 0.01, 0.6)) == ("RD004", ("RD002",))

    def test_all_are_named_at_the_top(self):
        firm = judge(estimate(), 0.001, laws((0.5, 0.2)))
        several = judge(estimate(), 0.001, laws((0.5, 0.2, 0.4), (0.5, 0.4, 0.3), (0.5, 0.05, 0.3)))
        assert firm.headline == "RD005 Complex and noisy"
        assert several.headline == "RD005 Complex and noisy, limited by noise, or limited by data"
        assert str(several).startswith(f"{several.headline}. Expected error")

    def test_what_is_ruled_out_is_not_named(self):
        figures = ((0.5, 0.2, 0.4), (0.5, 0.4, 0.3), (0.5, 0.05, 0.3))
        assert self.alternatives(*figures, ruled_out=["RD003"])[1] == ("RD004",)

    def test_noise_is_not_named_where_another_model_does_better(self, monkeypatch):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 3))
        y = np.sin(2 * X[:, 0]) + rng.normal(size=60)
        own = diagnose(X, y, references=False).verdict
        assert "RD003" in (own.code, *own.alternatives)
        better = finding("RD008", "warning", "Seen.", "Do.")
        monkeypatch.setattr(conclusions, "_better_model", lambda rd, seen: better)
        found = diagnose(X, y, references=False)
        assert found.verdict.code == "RD008"
        assert not any("RD003" in (one.code, *one.alternatives) for one in found.findings)

    def test_a_rare_class_has_its_say_too(self):
        rd = estimate(y=["a"] * 180 + ["b"] * 20)
        curve = laws((0.096, 0.02, 0.6), (0.09, 0.02, 0.4), constant=0.1)
        plain, ranked = (judge(rd, 0.001, curve, one) for one in (None, rare(1e-6)))
        assert plain.code == "RD005"
        assert "area under the curve" in ranked.evidence
        assert ranked.alternatives == plain.alternatives

    @pytest.mark.parametrize("figures", [{"p_value": 0.5}, {"n": 20}])
    def test_where_the_figures_do_not_decide(self, figures):
        curve = laws((0.5, 0.2, 0.5), (0.5, 0.4, 0.5), n=figures.get("n", 200))
        found = judge(estimate(n=figures.get("n", 200)), figures.get("p_value", 0.001), curve)
        assert found.alternatives == ()

    def test_a_diagnosis_takes_its_verdict_from_its_curve(self):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(60, 3))
        found = diagnose(X, np.sin(2 * X[:, 0]) + 0.15 * rng.normal(size=60), references=False)
        again = judge(found.relevance, found.p_value, found.forecast().curve)
        assert found.verdict == again
        assert found.to_dict()["verdict"]["alternatives"] == list(again.alternatives)


ALL = (
    {"dimension": 0},
    {"error": 0.01},
    {},
    {"noise": 0.01},
    {"noise": 0.17},
    {"error": 1.2},
    {"dimension": 0, "n": 20},
)


@pytest.mark.parametrize("figures", ALL, ids=str)
def test_every_verdict_has_sentences_and_figures(figures):
    verdict = judged(**figures)
    given = {"n": 200, "dimension": 5, "error": 0.5, "noise": 0.4, **figures}
    for text in (verdict.evidence, verdict.advice):
        assert re.fullmatch(r"[A-Z].*[a-z\d)]\.", text), text
    known = {"p_value": 0.001, "constant_error": 1.0, "rows": float(given["n"])}
    if given["dimension"] > 0:
        noise = min(given["noise"], given["error"])
        known |= {"expected_error": given["error"], "dimension": float(given["dimension"])}
        if verdict.code != "RD002":
            known |= {"noise": noise}
        if verdict.code in {"RD002", "RD003", "RD004", "RD005"}:
            known["forecast_error"] = noise + 10**-0.8 * (given["error"] - noise)
    elif verdict.code == "RD007":
        known["smallest_class"] = float(given["n"])
    assert verdict.figures == pytest.approx(known)


def test_says_what_is_short():
    assert "but 29 rows are too few" in judged(n=29, dimension=0).evidence
    for a, short in ((26, "4 of the rarest class"), (20, "24 rows")):
        verdict = judged(y=["a"] * a + ["b"] * 4, dimension=0)
        assert f"but {short} are too few" in verdict.evidence


def test_a_fit_no_better_than_a_constant_says_so():
    evidence = judged(error=1.2).evidence
    assert (
        "no better than a constant: expected error 120.0%, a constant prediction 100.0%" in evidence
    )
    assert "Expected error 1.0%" in judged(error=0.01).evidence


@pytest.mark.parametrize("figures", ALL, ids=str)
def test_severity(figures):
    verdict = judged(**figures)
    assert verdict.severity == ("good" if verdict.code == "RD002" else "warning")


def test_errors_are_relative_to_the_most_frequent_class():
    y = ["a"] * 80 + ["b"] * 20
    assert estimate(y=y).targets.constant_error == pytest.approx(0.2)
    assert judged(y=y, error=0.02, noise=0.02).code == "RD002"
    assert judged(y=y, error=0.021, noise=0.02).code == "RD003"
    assert judged(y=y, error=0.1, noise=0.0141).code == "RD005"
    assert judged(y=y, error=0.1, noise=0.0139).code == "RD004"
    assert estimate(y=["a", "b", "c", "c"]).targets.constant_error == pytest.approx(0.5)
    assert estimate().targets.constant_error == 1.0


def test_evidence_and_figures_hold_the_numbers():
    verdict = judged(dimension=30, error=0.456, noise=0.234)
    assert "Expected error 45.6%" in verdict.evidence
    assert "constant prediction: 100.0%" in verdict.evidence
    assert "30 relevant dimensions for 200 rows" in verdict.evidence
    assert "6.7 rows per dimension" in verdict.evidence
    assert "About 23.4% is noise" in verdict.evidence
    assert "probability 0.34" in judged(p_value=0.34).evidence


def test_advice_differs():
    verdicts = [judged(**figures) for figures in ALL]
    assert len({verdict.advice for verdict in verdicts}) == len(ALL)
    more_rows = {verdict.code for verdict in verdicts if "ollect more rows" in verdict.advice}
    assert more_rows == {"RD001", "RD004", "RD007"}


def rival(error, likelihood, dimension=3, family="laplacian"):
    return SimpleNamespace(
        kernel=f"kernel of {family}",
        family=family,
        dimension=dimension,
        error_estimate=error,
        negative_log_likelihood=likelihood,
    )


class TestKernelLimit:
    def limit(self, others, error=0.4, base=1.0, rows=100):
        return kernel_limit(Rivals(rows, rival(error, 0.0, family=""), tuple(others)), base)

    def test_a_clearly_better_kernel(self):
        found = self.limit([rival(0.3, -0.05), rival(0.2, -0.2, family="polynomial")])
        assert found.code == "RD006"
        assert "'kernel of polynomial' expects an error of 20.0% on 100 rows" in found.evidence
        assert "40.0%" in found.evidence
        assert "--kernel polynomial" in found.advice
        assert found.severity == "warning"
        assert found.figures == {
            "expected_error": 0.4,
            "rival_error": 0.2,
            "likelihood_ahead": pytest.approx(20.0),
            "rows": 100.0,
        }

    def test_solved_is_relative_to_a_constant(self):
        better = [rival(0.01, -0.5)]
        assert self.limit(better, error=0.06, base=0.5) is not None
        assert self.limit(better, error=0.05, base=0.5) is None

    @pytest.mark.parametrize(
        "others, error",
        [
            ([], 0.4),
            ([rival(0.35, -0.2)], 0.4),
            ([rival(0.2, -0.039)], 0.4),
            ([rival(0.2, -0.2, dimension=0)], 0.4),
            ([rival(0.01, -0.5)], 0.1),
        ],
        ids=["none", "no lower error", "not ahead", "no signal", "solved"],
    )
    def test_no_better_kernel(self, others, error):
        assert self.limit(others, error) is None

    def test_bounds(self):
        assert self.limit([rival(0.34, -0.04)]) is not None
        assert self.limit([rival(0.341, -0.04)]) is None

    def test_few_rows_do_not_tell_kernels_apart(self):
        assert self.limit([rival(0.2, -2.0)], rows=30) is not None
        assert self.limit([rival(0.2, -2.0)], rows=29) is None

    def test_without_rivals(self):
        assert kernel_limit(None, 1.0) is None


def test_further_findings():
    edge = grid_edge("The best kernel lies at the edge.")
    assert (edge.code, edge.severity) == ("RD010", "info")
    assert edge.evidence == "The best kernel lies at the edge."
    gap = scale_gap(1234.5)
    assert (gap.code, gap.severity) == ("RD011", "warning")
    assert "a factor of 1234" in gap.evidence
    assert gap.figures == {"ratio": 1234.5}
    assert "--scale" in gap.advice
    assert "scale=True" in gap.advice
    assert "wider range" in edge.advice
    unscaled = grid_edge("The best kernel lies at the edge.", 50.0)
    assert "a factor of 50" in unscaled.evidence
    assert "scale=True" in unscaled.advice


def test_in_one_paragraph():
    verdict = Verdict("RD010", "Title", "info", "Seen.", "Do.")
    assert str(verdict) == "RD010 Title. Seen. Do."
    assert verdict.figures == {}
    assert hash(verdict) == hash(Verdict("RD010", "Title", "info", "Seen.", "Do.", {"a": 1.0}))


def test_codes_are_never_given_twice():
    assert len(set(CODES.values())) == len(CODES)
    assert all(code.startswith("RD") and len(code) == 5 for code in CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_section_with_an_anchor(code):
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(f"({code.lower()})=\n") == 1
    assert page.count(f"## {code} {CODES[code]}\n") == 1


class TestWeightsLimit:
    def limit(self, error=0.2, base=1.0, equal=0.4, ahead=3.0):
        return weights_limit(error, base, (equal, ahead), clearly=2.0)

    def test_learned_weights_are_clearly_better(self):
        (found,) = self.limit()
        assert (found.code, found.title) == ("RD006", "Limited by equal weights")
        assert (
            "alike err by 40.0% on held-out rows, with learned weights by 20.0%" in found.evidence
        )
        assert found.figures["error_with_equal_weights"] == 0.4

    def test_bounds(self):
        assert self.limit(ahead=2.01)
        assert not self.limit(ahead=2.0)
        assert self.limit(error=0.34)
        assert not self.limit(error=0.341)
        assert self.limit(error=0.01, equal=0.06, base=0.5)
        assert not self.limit(error=0.01, equal=0.05, base=0.5)
        assert weights_limit(0.2, 1.0, None, clearly=2.0) == []


def rare(p_value):
    return RareClass("sick", 4, 0.99, p_value, 0.1, 0.1, 2)


def test_ranks_stand_for_mistakes_only_where_these_say_nothing():
    y = np.array([0] * 21 + [1] * 4)
    assert "Counted mistakes say nothing" not in judged(y=y, error=0.04, rare=rare(1e-4)).evidence
    as_a_constant = {"y": y, "error": 0.16, "noise": 0.0}
    assert "Counted mistakes say nothing" in judged(**as_a_constant, rare=rare(1e-4)).evidence
    assert "Counted mistakes say nothing" not in judged(**as_a_constant, rare=rare(0.01)).evidence


def reference(name, error):
    return Reference(name, "thresholds", error, 0.01, np.zeros(3))


def test_another_model_is_ahead_by_its_own_lead():
    models = [reference("boosted trees", 0.2), reference("extra trees", 0.3)]
    verdict = model_limit(0.5, 1.0, models, [3.0, 9.0], clearly=2.0)
    assert "boosted trees err by 20.0%" in verdict.evidence
    assert verdict.figures["standard_errors_ahead"] == 3.0


def test_what_limits_comes_first():
    kernel, model, own, noise, apart = (
        finding(code, "warning", "seen", "do")
        for code in ("RD006", "RD008", "RD004", "RD003", "RD020")
    )
    assert _in_order(own, None, None, None) == [own]
    assert _in_order(own, kernel, model, None) == [kernel, model, own]
    assert _in_order(noise, kernel, None, None) == [kernel, noise]
    # That noise limits is not true where another kind of model does better.
    assert _in_order(noise, kernel, model, None) == [kernel, model]
    # Of mixed rows neither praise nor limits are true where rows depend on each other.
    assert _in_order(own, kernel, None, apart) == [apart, kernel]
