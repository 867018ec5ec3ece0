"""Predictions for rows held out: a rare class that is ranked though it is never predicted."""

from types import SimpleNamespace

import numpy as np
import pytest

from reldim.diagnosis.forecast import LearningCurve
from reldim.diagnosis.held_out import HeldOut, rare_class
from reldim.diagnosis.verdicts import judge
from reldim.inputs.targets import code_targets


def judged(y, rare, *, error, noise):
    """Judge a stand-in for an estimate of classes, whose curve is one law."""
    rd = SimpleNamespace(targets=code_targets(y), dimension=5)
    one, base = np.ones(1), rd.targets.constant_error
    curve = LearningCurve(
        len(y), "classification", base, noise * one, (error - noise) * one, one, one
    )
    return judge(rd, 0.001, curve, rare)


class TestRareClass:
    Y = ("fraud",) * 20 + ("fine",) * 380

    def held(self, separation):
        rng = np.random.default_rng(0)
        targets = code_targets(self.Y)
        own = np.asarray(targets.codes == 1, dtype=float)
        odds = -4.0 + separation * own + rng.normal(size=400)
        p = 1 / (1 + np.exp(-odds))
        return HeldOut(np.arange(400), targets, np.column_stack([1 - p, p]), probabilities=True)

    def test_is_ranked_though_it_is_never_predicted(self):
        held = self.held(2.0)
        rare = rare_class(held)
        verdict = judged(self.Y, rare, error=0.05, noise=0.04)
        assert verdict.code == "RD007"
        assert verdict.title == "Too few rows of fraud to predict it"
        for text in ("balanced error", "area under the curve", "20 rows are fraud"):
            assert text in verdict.evidence
        assert "predict_proba" in verdict.advice
        own, other = held.predicted[:20, 1], held.predicted[20:, 1]
        area = np.mean(own[:, None] > other)
        assert verdict.figures["area_under_curve"] == pytest.approx(area)
        assert verdict.figures["balanced_error"] == pytest.approx(
            (np.mean(own <= 0.5) + np.mean(other > 0.5)) / 2
        )
        assert verdict.figures["balanced_error_by_share"] == pytest.approx(
            (np.mean(own <= 0.05) + np.mean(other > 0.05)) / 2, abs=1e-3
        )

    def test_by_chance_it_is_not(self):
        rare = rare_class(self.held(0.0))
        verdict = judged(self.Y, rare, error=0.05, noise=0.04)
        assert verdict.code == "RD007"
        assert "no better than a constant" in verdict.evidence

    def test_stands_beside_other_verdicts(self):
        rare = rare_class(self.held(2.0))
        verdict = judged(self.Y, rare, error=0.03, noise=0.022)
        assert verdict.code == "RD003"
        assert "the area under the curve is" in verdict.evidence
        assert verdict.figures["area_under_curve"] == rare.area

    def test_classes_of_like_size_have_none(self):
        targets = code_targets(["a"] * 50 + ["b"] * 150)
        assert rare_class(HeldOut(np.arange(200), targets, np.zeros((200, 2)))) is None
        assert rare_class(None) is None
