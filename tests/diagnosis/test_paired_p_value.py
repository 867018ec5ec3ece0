"""Tests of losses on the same rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reldim.diagnosis.comparison import holm, paired_p_value

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array)


class TestPairedPValue:
    def test_is_that_of_the_t_test(self):
        rng = np.random.default_rng(0)
        first, second = rng.exponential(size=(2, 30))
        difference = first - second
        t = difference.mean() / (difference.std(ddof=1) / np.sqrt(30))
        expected = 2 * stats.t.sf(abs(t), 29)
        assert paired_p_value(first, second) == pytest.approx(expected)
        assert paired_p_value(second, first) == pytest.approx(expected)

    def test_level_for_skewed_losses(self):
        rng = np.random.default_rng(1)
        draws = 2000
        rejected = 0
        for _ in range(draws):
            shared = rng.chisquare(1, size=50)
            first, second = shared * rng.chisquare(1, size=(2, 50))
            rejected += paired_p_value(first, second) <= 0.05
        # Three standard errors beyond 3 % and 6 %.
        assert 0.03 - 3 * 0.004 < rejected / draws < 0.06 + 3 * 0.005

    def test_what_is_hard_for_both_cancels(self):
        rng = np.random.default_rng(2)
        hard = 100 * rng.chisquare(1, size=40)
        gain = 1 + 0.5 * rng.normal(size=40)
        assert paired_p_value(hard, hard + gain) < 1e-6
        assert stats.ttest_ind(hard, hard + gain).pvalue > 0.5

    def test_equal_losses_are_no_difference(self):
        losses = np.array([0.1, 0.7, 0.3])
        assert paired_p_value(losses, losses) == 1.0
        assert paired_p_value(losses, losses * (1 + 1e-13)) == 1.0
        assert paired_p_value(np.zeros(3), np.zeros(3)) == 1.0

    def test_the_same_difference_in_every_row_is_beyond_doubt(self):
        losses = np.linspace(0, 1, 20)
        assert paired_p_value(losses, losses + 0.5) < 1e-12

    def test_one_row_tells_nothing(self):
        assert paired_p_value(np.array([0.0]), np.array([1.0])) == 1.0

    @given(st.integers(0, 1000), st.floats(1e-6, 1e6))
    def test_does_not_depend_on_the_unit_of_the_losses(self, seed, unit):
        first, second = np.random.default_rng(seed).exponential(size=(2, 12))
        scaled = paired_p_value(unit * first, unit * second)
        assert scaled == pytest.approx(paired_p_value(first, second), rel=1e-6)


def holm_by_steps(p):
    """Reject the smallest against 1/m, the next against 1/(m-1), ...; give the least level."""
    adjusted = {}
    reached = 0.0
    remaining = list(range(len(p)))
    while remaining:
        i = min(remaining, key=lambda j: (p[j], j))
        reached = max(reached, min(1.0, len(remaining) * p[i]))
        adjusted[i] = reached
        remaining.remove(i)
    return np.array([adjusted[i] for i in range(len(p))])


class TestHolm:
    @given(p_values)
    def test_equals_the_procedure_step_by_step(self, p):
        np.testing.assert_allclose(holm(p), holm_by_steps(p))

    @given(p_values)
    def test_lies_between_the_p_value_and_bonferroni(self, p):
        adjusted = holm(p)
        assert (adjusted >= p).all()
        assert (adjusted <= np.minimum(1.0, len(p) * p)).all()

    @given(p_values, st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order(self, p, random):
        order = list(range(len(p)))
        random.shuffle(order)
        np.testing.assert_array_equal(holm(p[order]), holm(p)[order])
