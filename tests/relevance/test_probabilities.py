"""Slopes of logistic curves, against a plain maximisation of the likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from reldim.relevance.probabilities import class_probabilities, fit_slope

RNG = np.random.default_rng(0)


def literal_loss(slope, scores, codes):
    """Platt's loss, one row and one class at a time."""
    classes = scores.shape[1]
    counts = [sum(codes == c) for c in range(classes)]
    total = 0.0
    for row, code in zip(scores, codes, strict=True):
        logits = slope * row
        for c in range(classes):
            share = 1 / (counts[code] + classes)
            wanted = (counts[code] + 1) * share if c == code else share
            total -= wanted * (logits[c] - np.log(np.sum(np.exp(logits))))
    return total


@pytest.mark.parametrize("classes", [2, 3])
def test_slope_minimises_the_loss(classes):
    scores = RNG.uniform(size=(60, classes))
    codes = np.array([RNG.choice(classes, p=np.exp(3 * s) / np.exp(3 * s).sum()) for s in scores])
    given = (scores[:, 1:] - scores[:, :1]) if classes == 2 else scores
    best = minimize_scalar(literal_loss, bounds=(0.01, 50), args=(scores, codes), method="bounded")
    assert fit_slope(given, codes) == pytest.approx(best.x, rel=1e-3)


def test_weights_are_repeated_rows():
    scores, codes = RNG.normal(size=(40, 3)), RNG.integers(0, 3, size=40)
    counts = RNG.integers(0, 5, size=40)
    repeated = fit_slope(scores.repeat(counts, axis=0), codes.repeat(counts))
    assert fit_slope(scores, codes, counts.astype(float)) == pytest.approx(repeated, rel=1e-6)


def test_scores_that_are_all_right_have_a_finite_slope():
    codes = np.repeat([0, 1], 50)
    slope = fit_slope(np.where(codes == 1, 1.0, -1.0)[:, None], codes)
    # Of 50 rows that are right, one of 52 is taken for wrong.
    assert class_probabilities(np.array([[1.0]]), slope)[0, 1] == pytest.approx(51 / 52)


def test_many_rows_are_thinned_evenly():
    scores = RNG.uniform(-1, 1, size=(100_000, 1))
    codes = (RNG.random(100_000) < 1 / (1 + np.exp(-5 * scores[:, 0]))).astype(int)
    assert fit_slope(scores, codes) == pytest.approx(5, rel=0.1)
