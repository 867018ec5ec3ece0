"""Verdicts: plain rules on a few figures."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from reldim import diagnose
from reldim.diagnosis import conclusions
from reldim.diagnosis.conclusions import _in_order
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
from reldim.relevance.noise import NoiseEstimate

PAGE = Path(__file__).parents[2] / "docs" / "verdicts.md"


def estimate(*, n=200, dimension=5, error=0.5, noise=0.4, p_value=0.001, y=None):
    """Stand in for an estimate of a regression, or of the classes y."""
    targets = code_targets(np.arange(n) + 0.5 if y is None else y)
    return SimpleNamespace(
        targets=targets,
        dimension=dimension,
        error_estimate=error,
        noise_estimate=NoiseEstimate(noise, (noise / 2, 2 * noise)),
        p_value=p_value,
    )


@pytest.mark.parametrize(
    "figures, code",
    [
        ({"dimension": 0, "p_value": 0.001}, "RD001"),
        ({"p_value": 0.051}, "RD001"),
        ({"p_value": 0.05}, "RD003"),
        ({"dimension": 0, "error": 0.01}, "RD001"),
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
    verdict = judge(estimate(**figures))
    assert verdict.code == code
    assert verdict.title == CODES[code]


def test_p_value_and_noise_may_come_from_elsewhere():
    assert judge(estimate(), p_value=0.2).code == "RD001"
    noisy = estimate(noise=0.17)
    assert judge(noisy).code == "RD005"
    assert judge(noisy, noise=NoiseEstimate(0.01, (0.0, 0.1))).code == "RD004"


def test_noise_limits_where_the_forecast_is_flat():
    # Mistakes fall with the power 2/3: 0.75 of the error is left where 0.681 of it is noise.
    y = ["a"] * 100 + ["b"] * 100
    steep, flat = (judge(estimate(y=y, noise=0.2 * s, error=0.2)) for s in (0.68, 0.69))
    assert (steep.code, flat.code) == ("RD005", "RD003")
    assert "With ten times as many rows 15.1% is to be expected." in flat.evidence
    assert steep.advice.startswith("More rows will help")


def test_what_is_solved_may_still_gain_by_more_rows():
    assert "little to add" in judge(estimate(error=0.09, noise=0.08)).advice
    assert "little to add" in judge(estimate(error=1e-5, noise=1e-9)).advice
    # The Boston table: most of what is left is not noise.
    steep = judge(estimate(error=0.094, noise=0.015))
    assert steep.code == "RD002"
    assert "with ten times as many 2.8% is to be expected" in steep.advice


@pytest.mark.parametrize("figures", [{}, {"noise": 0.01}, {"noise": 0.17}])
def test_a_handful_of_rows_gets_no_firm_verdict(figures):
    verdict = judge(estimate(n=29, **figures))
    assert verdict.code == "RD007"
    assert "do not tell noise from structure" in verdict.evidence
    assert judge(estimate(n=29, error=0.09)).code == "RD007"
    assert judge(estimate(n=29, error=0.03)).code == "RD002"


def test_noise_that_may_be_anything_gets_no_firm_verdict():
    wide, narrow = (NoiseEstimate(0.4, (low, 0.9)) for low in (0.08, 0.12))
    few = estimate(n=90)
    verdict = judge(few, noise=wide)
    assert verdict.code == "RD007"
    assert "anything from 8.0% to 90.0%" in verdict.evidence
    assert verdict.figures["noise_high"] == 0.9
    assert judge(few, noise=narrow).code == "RD003"
    # Of more rows the other figures are told well enough.
    assert judge(estimate(n=100), noise=wide).code == "RD003"


def test_few_of_a_class_are_too_few_to_rule_signal_out():
    y = ["a"] * 96 + ["b"] * 4
    verdict = judge(estimate(y=y, dimension=0, p_value=0.5))
    assert verdict.code == "RD007"
    assert "4 of the rarest class" in verdict.evidence
    assert judge(estimate(y=["a"] * 95 + ["b"] * 5, dimension=0)).code == "RD001"


class TestFirm:
    """A verdict names the others that lie within one standard error of its figures."""

    @staticmethod
    def alternatives(error, noise, interval, standard_error=0.0, **figures):
        rd = estimate(error=error, noise=noise, **figures)
        verdict = judge(rd, noise=NoiseEstimate(noise, interval), standard_error=standard_error)
        for code in CODES:
            named = code in verdict.alternatives
            title = CODES[code][0].lower() + CODES[code][1:]
            assert (f"{code} ({title})" in verdict.evidence) == named
            assert (f"If {code} holds, {OTHERWISE.get(code)}." in verdict.advice) == named
        assert ("Not firm" in verdict.evidence) == bool(verdict.alternatives)
        return verdict.code, verdict.alternatives

    def test_noise_that_may_be_structure(self):
        # 0.0701 is noisy, 0.07 is not; the forecast of an error of 0.5 is flat from 0.3515 on.
        assert self.alternatives(0.5, 0.2, (0.2 - 1.645 * 0.1299, 0.2)) == ("RD005", ())
        assert self.alternatives(0.5, 0.2, (0.2 - 1.645 * 0.1301, 0.2)) == ("RD005", ("RD004",))
        assert self.alternatives(0.5, 0.2, (0.2, 0.2 + 1.645 * 0.1514)) == ("RD005", ())
        assert self.alternatives(0.5, 0.2, (0.2, 0.2 + 1.645 * 0.1515)) == ("RD005", ("RD003",))
        assert self.alternatives(0.5, 0.2, (0.0, 1.0))[1] == ("RD003",)
        assert self.alternatives(0.5, 0.1, (0.0, 1.0))[1] == ("RD003", "RD004")

    def test_all_are_named_at_the_top(self):
        firm, open_ = (
            judge(estimate(error=0.5, noise=0.1), noise=NoiseEstimate(0.1, interval))
            for interval in ((0.1, 0.1), (0.0, 1.0))
        )
        assert firm.headline == "RD005 Complex and noisy"
        assert open_.headline == "RD005 Complex and noisy, limited by noise, or limited by data"
        assert str(open_).startswith(f"{open_.headline}. Expected error")

    def test_errors_near_a_bound(self):
        exact = (0.01, 0.01)
        assert self.alternatives(0.08, 0.01, exact, 0.019) == ("RD002", ())
        assert self.alternatives(0.08, 0.01, exact, 0.021) == ("RD002", ("RD004",))
        assert self.alternatives(0.12, 0.01, exact, 0.019) == ("RD004", ())
        assert self.alternatives(0.12, 0.01, exact, 0.021) == ("RD004", ("RD002",))
        assert self.alternatives(0.9, 0.01, exact, 0.06) == ("RD004", ("RD007",))

    def test_an_error_above_that_of_a_constant_may_be_below_it(self):
        assert self.alternatives(1.03, 0.01, (0.01, 0.01), 0.07) == ("RD007", ())
        assert self.alternatives(1.03, 0.01, (0.01, 0.01), 0.09) == ("RD007", ("RD004",))

    def test_signal_that_may_be_none(self):
        rd, noise = estimate(error=1.0, noise=0.2, dimension=0), NoiseEstimate(0.2, (0.2, 0.2))
        found = [judge(rd, noise=noise, error=0.96, standard_error=s) for s in (0.009, 0.02)]
        assert [one.code for one in found] == ["RD001", "RD001"]
        assert [one.alternatives for one in found] == [(), ("RD005",)]
        seen = judge(rd, noise=noise, error=0.94, standard_error=0.02)
        assert (seen.code, seen.alternatives) == ("RD005", ("RD001",))

    def test_what_is_ruled_out_is_not_named(self):
        rd, noise = estimate(error=0.5, noise=0.1), NoiseEstimate(0.1, (0.0, 1.0))
        assert judge(rd, noise=noise).alternatives == ("RD003", "RD004")
        found = judge(rd, noise=noise, ruled_out=["RD003"])
        assert found.alternatives == ("RD004",)
        assert "RD003" not in f"{found.evidence} {found.advice}"

    def test_noise_is_not_named_where_another_model_does_better(self, monkeypatch):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 3))
        y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=60)
        assert diagnose(X, y, references=False).verdict.alternatives == ("RD002", "RD003")
        better = finding("RD008", "warning", "Seen.", "Do.")
        monkeypatch.setattr(conclusions, "_better_model", lambda rd, seen: better)
        first, second, *_ = (found := diagnose(X, y, references=False)).verdict, *found.findings
        assert (first.code, second.code, second.alternatives) == ("RD008", "RD004", ("RD002",))

    def test_a_rare_class_has_its_say_too(self):
        rd = estimate(error=0.096, noise=0.02, y=["a"] * 180 + ["b"] * 20)
        exact = NoiseEstimate(0.02, (0.02, 0.02))
        plain, ranked = (
            judge(rd, noise=exact, error=0.096, rare=one, standard_error=0.003)
            for one in (None, rare(1e-6))
        )
        assert ranked.title == "Too few rows of sick to predict it"
        assert ranked.alternatives == plain.alternatives == ("RD005",)
        assert "Not firm" in ranked.evidence

    def test_a_lower_error_leaves_less_room_for_noise(self):
        # At an error of 0.3 noise of 0.35 is all of it, and the forecast is flat.
        assert self.alternatives(0.55, 0.35, (0.35, 0.35), 0.25) == ("RD005", ("RD003",))

    @pytest.mark.parametrize("figures", [{"p_value": 0.5}, {"n": 20}])
    def test_where_the_figures_do_not_decide(self, figures):
        assert self.alternatives(0.5, 0.2, (0.0, 1.0), 0.3, **figures)[1] == ()

    def test_a_diagnosis_knows_how_far_its_error_may_be_off(self):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(60, 3))
        found = diagnose(X, np.sin(2 * X[:, 0]) + 0.15 * rng.normal(size=60), references=False)
        known = (found.relevance, found.p_value, found.noise_estimate, found.error_estimate)
        sure, again = (judge(*known, standard_error=s) for s in (0, found.error_standard_error))
        assert sure.alternatives != again.alternatives
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
    rd = estimate(**figures)
    verdict = judge(rd)
    for text in (verdict.evidence, verdict.advice):
        assert re.fullmatch(r"[A-Z].*[a-z\d)]\.", text), text
    known = {
        "p_value": rd.p_value,
        "constant_error": 1.0,
        "rows": float(rd.targets.n),
    }
    if rd.dimension > 0:
        known |= {"expected_error": rd.error_estimate, "dimension": float(rd.dimension)}
        if verdict.code != "RD002":
            known |= {"noise": rd.noise_estimate.value}
        if verdict.code in {"RD002", "RD003", "RD004", "RD005"}:
            noise = min(rd.noise_estimate.value, rd.error_estimate)
            known["forecast_error"] = pytest.approx(noise + 10**-0.8 * (rd.error_estimate - noise))
    elif verdict.code == "RD007":
        known["smallest_class"] = float(rd.targets.n)
    assert verdict.figures == known


def test_says_what_is_short():
    assert "but 29 rows are too few" in judge(estimate(n=29, dimension=0)).evidence
    for a, short in ((26, "4 of the rarest class"), (20, "24 rows")):
        verdict = judge(estimate(y=["a"] * a + ["b"] * 4, dimension=0))
        assert f"but {short} are too few" in verdict.evidence


def test_a_fit_no_better_than_a_constant_says_so():
    evidence = judge(estimate(error=1.2)).evidence
    assert (
        "no better than a constant: expected error 120.0%, a constant prediction 100.0%" in evidence
    )
    assert "Expected error 1.0%" in judge(estimate(error=0.01)).evidence


@pytest.mark.parametrize("figures", ALL, ids=str)
def test_severity(figures):
    verdict = judge(estimate(**figures))
    assert verdict.severity == ("good" if verdict.code == "RD002" else "warning")


def test_errors_are_relative_to_the_most_frequent_class():
    y = ["a"] * 80 + ["b"] * 20
    assert estimate(y=y).targets.constant_error == pytest.approx(0.2)
    assert judge(estimate(y=y, error=0.02, noise=0.02)).code == "RD002"
    assert judge(estimate(y=y, error=0.021, noise=0.02)).code == "RD003"
    assert judge(estimate(y=y, error=0.1, noise=0.0141)).code == "RD005"
    assert judge(estimate(y=y, error=0.1, noise=0.0139)).code == "RD004"
    assert estimate(y=["a", "b", "c", "c"]).targets.constant_error == pytest.approx(0.5)
    assert estimate().targets.constant_error == 1.0


def test_evidence_and_figures_hold_the_numbers():
    verdict = judge(estimate(dimension=30, error=0.456, noise=0.234))
    assert "Expected error 45.6%" in verdict.evidence
    assert "constant prediction: 100.0%" in verdict.evidence
    assert "30 relevant dimensions for 200 rows" in verdict.evidence
    assert "6.7 rows per dimension" in verdict.evidence
    assert "About 23.4% is noise" in verdict.evidence
    assert verdict.figures == {
        "p_value": 0.001,
        "expected_error": 0.456,
        "constant_error": 1.0,
        "dimension": 30.0,
        "rows": 200.0,
        "noise": 0.234,
        "forecast_error": pytest.approx(0.234 + 0.222 * 10**-0.8),
    }
    assert "probability 0.34" in judge(estimate(p_value=0.34)).evidence


def test_advice_differs():
    verdicts = [judge(estimate(**figures)) for figures in ALL]
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
        return kernel_limit(Rivals(rows, rival(error, 0.0, family=""), tuple(others), ()), base)

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
    few = estimate(n=25, y=np.array([0] * 21 + [1] * 4), error=0.04)
    assert "Counted mistakes say nothing" not in judge(few, rare=rare(1e-4)).evidence
    as_a_constant = estimate(n=25, y=np.array([0] * 21 + [1] * 4), error=0.16)
    assert "Counted mistakes say nothing" in judge(as_a_constant, rare=rare(1e-4)).evidence
    assert "Counted mistakes say nothing" not in judge(as_a_constant, rare=rare(0.01)).evidence


def reference(name, error):
    return Reference(name, "thresholds", error, 0.01, np.zeros(3))


def test_another_model_is_ahead_by_its_own_lead():
    models = [reference("boosted trees", 0.2), reference("extra trees", 0.3)]
    verdict = model_limit(0.5, 1.0, models, [3.0, 9.0], clearly=2.0)
    assert "boosted trees err by 20.0%" in verdict.evidence
    assert verdict.figures["standard_errors_ahead"] == 3.0


def test_what_limits_comes_first():
    kernel, model, own, noise = (
        finding(code, "warning", "seen", "do") for code in ("RD006", "RD008", "RD004", "RD003")
    )
    assert _in_order(own, None, None) == [own]
    assert _in_order(own, kernel, model) == [kernel, model, own]
    assert _in_order(noise, kernel, None) == [kernel, noise]
    # That noise limits is not true where another kind of model does better.
    assert _in_order(noise, kernel, model) == [kernel, model]
