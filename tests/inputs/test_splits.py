"""Splits: what is held out together, what is exchanged, and what a standard error counts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.model_selection import GroupKFold, ShuffleSplit

from reldim.exceptions import InputError
from reldim.inputs.splits import Folds, Splits

UNITS = np.repeat(np.arange(12), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8])


def everyone(folds):
    return np.sort(np.concatenate([test for _, test in folds.pairs]))


class TestFolds:
    @given(st.integers(0, 5), st.sampled_from(["rows", "classes", "units", "both"]))
    def test_each_row_is_held_out_once_by_rows_that_it_is_not_among(self, seed, kind):
        n = len(UNITS)
        codes = np.arange(n) % 3 if kind in {"classes", "both"} else None
        groups = UNITS if kind in {"units", "both"} else None
        folds = Splits(n, codes, groups).folds(seed)
        assert everyone(folds).tolist() == folds.judged.tolist() == list(range(n))
        for (train, test), place in zip(folds.pairs, folds.places, strict=True):
            assert not np.isin(test, train).any()
            assert len(train) + len(test) == n
            assert folds.judged[place].tolist() == test.tolist()
            if groups is not None:
                assert not np.isin(groups[test], groups[train]).any()

    def test_classes_keep_their_shares(self):
        codes = np.repeat([0, 1], [80, 20])
        for train, test in Splits(100, codes).folds(0).pairs:
            assert np.mean(codes[train]) == np.mean(codes[test]) == 0.2

    def test_fewer_units_than_folds(self):
        folds = Splits(6, groups=np.array([0, 0, 1, 1, 2, 2])).folds(0)
        assert len(folds.pairs) == 3

    def test_later_rows_are_predicted_from_earlier_ones_after_a_gap(self):
        time = np.random.default_rng(0).permutation(120).astype(float)
        folds = Splits(120, order=time).folds(0)
        assert len(folds.pairs) == 5
        for train, test in folds.pairs:
            assert time[test].min() - time[train].max() == 5.0
            assert np.ptp(time[test]) == 19.0
        assert sorted(time[folds.judged]) == list(range(20, 120))

    def test_rows_of_one_moment_stay_together(self):
        time = np.repeat(np.arange(12.0), 10)
        for train, test in Splits(120, order=time).folds(0).pairs:
            assert not np.isin(time[test], time[train]).any()

    def test_rows_may_be_held_out_several_times_or_never(self):
        pairs = list(ShuffleSplit(4, test_size=0.3, random_state=0).split(np.zeros((10, 1))))
        folds = Folds.of(pairs)
        assert folds.judged.tolist() == sorted(np.concatenate([test for _, test in pairs]))
        for (_, test), place in zip(pairs, folds.places, strict=True):
            assert folds.judged[place].tolist() == test.tolist()
        assert sorted(np.concatenate(folds.places)) == list(range(12))
        assert folds.rows_learned_from == 7


class TestFewerRows:
    def test_are_nested_and_hold_whole_units(self):
        splits = Splits(len(UNITS), groups=UNITS)
        folds = splits.folds(0)
        half, quarter = (splits.smaller(folds, divisor, 1) for divisor in (2, 4))
        for (train, test), (some, same), (few, _) in zip(
            folds.pairs, half.pairs, quarter.pairs, strict=True
        ):
            assert same.tolist() == test.tolist()
            assert len(some) == len(train) // 2
            assert set(few) < set(some) < set(train)
            kept = [np.isin(train[UNITS[train] == u], some) for u in set(UNITS[train])]
            # One unit may be cut.
            assert sum(0 < own.mean() < 1 for own in kept) < 2

    def test_of_rows_in_an_order_the_latest_stay(self):
        splits = Splits(60, order=np.arange(60.0))
        folds = splits.folds(0)
        train, some = folds.pairs[-1][0], splits.smaller(folds, 4, 0).pairs[-1][0]
        assert some.tolist() == train[-len(some) :].tolist()

    def test_two_of_each_class_stay(self):
        codes = np.array([0] * 94 + [1] * 6)
        splits = Splits(100, codes)
        for train, _ in splits.smaller(splits.folds(0), 8, 0).pairs:
            assert np.sum(codes[train] == 1) >= 2

    def test_a_draw_is_of_units(self):
        drawn = Splits(len(UNITS), groups=UNITS).draw(30, 0)
        assert len(drawn) == 30
        assert (np.diff(drawn) > 0).all()
        shares = [np.isin(np.flatnonzero(UNITS == u), drawn).mean() for u in set(UNITS)]
        assert sum(0 < share < 1 for share in shares) < 2
        assert Splits(5).draw(10, 0).tolist() == list(range(5))


class TestExchange:
    def test_rows_that_are_alike_change_places_freely(self):
        order = Splits(50).exchanged(np.random.default_rng(0))
        assert sorted(order) == list(range(50))

    def test_units_of_one_size_change_places_whole(self):
        groups = np.random.default_rng(1).permutation(np.repeat(np.arange(6), 4))
        order = Splits(24, groups=groups).exchanged(np.random.default_rng(0))
        assert sorted(order) == list(range(24))
        for unit in range(6):
            assert len(set(groups[order[groups == unit]])) == 1

    def test_rows_of_a_unit_get_targets_of_one_unit_whatever_their_sizes(self):
        order = Splits(len(UNITS), groups=UNITS).exchanged(np.random.default_rng(0))
        givers = [set(UNITS[order[unit == UNITS]]) for unit in range(12)]
        assert sorted(giver for (giver,) in givers) == list(range(12))
        for unit, (giver,) in enumerate(givers):
            times = np.bincount(order[unit == UNITS], minlength=len(UNITS))[giver == UNITS]
            assert np.ptp(times) <= 1

    def test_rows_in_an_order_are_shifted_in_a_circle(self):
        time = np.random.default_rng(1).permutation(30).astype(float)
        order = Splits(30, order=time).exchanged(np.random.default_rng(0))
        steps = (time[order] - time) % 30
        assert len(set(steps)) == 1
        assert steps[0] > 0


class TestChance:
    LOSSES = np.random.default_rng(0).exponential(size=(2, len(UNITS)))

    def test_of_single_rows_is_the_usual_one(self):
        one = self.LOSSES[0]
        usual = one.std(ddof=1) / np.sqrt(len(one))
        assert_allclose(Splits(len(one)).standard_error(one), usual)

    def test_adds_up_the_losses_of_a_unit_first(self):
        splits, k = Splits(len(UNITS), groups=UNITS), len(UNITS)
        total = np.zeros((2, 2))
        for unit in range(12):
            own = sum(
                self.LOSSES[:, i] - self.LOSSES.mean(axis=1) for i in range(k) if UNITS[i] == unit
            )
            total += np.outer(own, own)
        assert_allclose(splits.covariance(self.LOSSES), total * 12 / 11 / k**2)

    def test_rows_held_out_twice_count_once(self):
        rows = np.repeat(np.arange(10), 2)
        values = np.random.default_rng(0).normal(size=10)
        twice = Splits(10).standard_error(np.repeat(values, 2), rows)
        assert_allclose(twice, Splits(10).standard_error(values))

    @pytest.mark.parametrize("kind", ["units", "time"])
    def test_holds_its_level_where_rows_of_a_unit_are_alike(self, kind):
        rng, false = np.random.default_rng(0), 0
        unit = np.repeat(np.arange(40), 10)
        splits = (
            Splits(400, groups=unit) if kind == "units" else Splits(400, order=np.arange(400.0))
        )
        for _ in range(400):
            gain = rng.normal(size=40)[unit] + 0.3 * rng.normal(size=400)
            false += splits.p_value(gain) < 0.05
        # Rows one by one would be found significant in a third of the draws.
        assert 0.02 * 400 < false < 0.09 * 400

    def test_a_single_unit_tells_nothing(self):
        assert Splits(4, groups=np.zeros(4, int)).standard_error(np.arange(4.0)) == 0.0


class TestTake:
    def test_keeps_what_belongs_to_the_rows(self):
        given = ((np.array([0, 1, 2]), np.array([3, 4])), (np.array([3, 4]), np.array([0])))
        splits = Splits(5, np.arange(5), UNITS[:5], np.arange(5.0), given)
        some = splits.take(np.array([4, 1, 3]))
        assert some.codes.tolist() == [4, 1, 3]
        assert some.order.tolist() == [4.0, 1.0, 3.0]
        # The second fold has no row left to predict.
        ((train, test),) = some.given
        assert (train.tolist(), test.tolist()) == ([1], [2, 0])
        assert splits.dependent
        assert not Splits(3).dependent


class TestSaid:
    def test_nothing_was_said(self):
        assert Splits.of(5, None) is None

    def test_units_of_one_row_are_as_if_none_were_named(self):
        assert Splits.of(30, None, groups=range(30)) is None
        assert Splits.of(30, None, groups=range(30), order=range(30)).groups is None

    @pytest.mark.parametrize(
        "groups", [list("aabbc"), np.array([7, 7, 2, 2, 9]), pd.Series(["x", "x", 1, 1, 2.5])]
    )
    def test_units_of_any_type(self, groups):
        found = Splits.of(5, None, groups=groups).groups
        assert [found[0] == found[1], found[2] == found[3], len(set(found))] == [True, True, 3]

    def test_dates_and_numbers(self):
        dates = pd.Series(pd.date_range("2024-01-01", periods=12)[::-1])
        for order in (dates, dates.astype(str), range(12, 0, -1)):
            found = Splits.of(12, None, order=order).order
            assert (np.diff(found) < 0).all()

    def test_a_splitter_of_scikit_learn_sees_units(self):
        found = Splits.of(60, None, groups=np.arange(60) // 5, cv=GroupKFold(4))
        for train, test in found.folds(0).pairs:
            assert not np.isin(found.groups[test], found.groups[train]).any()

    @pytest.mark.parametrize(
        "said, why",
        [
            ({"groups": [1] * 30}, "at least two units.*All 30 rows have the same value"),
            ({"groups": [1, 2]}, "one value for each of the 30 rows. Got 2"),
            ({"groups": [None, *range(29)]}, "missing in 1 of 30, first in row 0"),
            ({"order": ["soon"] * 30}, "numbers or dates that ascend with time. Got 'soon'"),
            ({"order": [1, 2] * 15}, "at least 10 different moments.*Got 2"),
            ({"cv": 3}, "cv must be a splitter of scikit-learn, or pairs"),
            ({"cv": []}, "Got 0 folds"),
            ({"cv": [([0, 1], [30])]}, "from 0 to 29"),
            ({"cv": [([0, 1], [1, 2])]}, "predicts rows that it learns from"),
        ],
    )
    def test_says_what_is_wrong(self, said, why):
        with pytest.raises(InputError, match=why):
            Splits.of(30, None, **said)
