"""Targets: which task they pose, how they are coded, and what is decided from them."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reldim.exceptions import InputError
from reldim.inputs.targets import MOST_CLASSES, code_targets, decide, detect_task, told_of

FRACTIONS = [0.5, 1.25, 3.0, -2.0]
WORDS = ["b", "a", "b", "c", "a", "c"]
# Strings of variable width came with NumPy 2.
VARIABLE = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object


class TestDetection:
    @pytest.mark.parametrize(
        "y, task, reason",
        [
            (np.array([0, 1, 1, 0]), "classification", "2 distinct values"),
            (np.array([0, 1, 2, 1, 2, 0]), "classification", "3 distinct whole numbers"),
            (np.array([0, 1, 2, 1, 2, 0], dtype=np.uint8), "classification", "3 distinct whole"),
            (np.array([0.0, 1.0, 2.0, 1.0, 2.0, 0.0]), "classification", "3 distinct whole"),
            (np.array([0.25, 0.75, 0.75]), "classification", "2 distinct values"),
            (np.array(FRACTIONS), "regression", "numbers with fractions"),
            (np.array(FRACTIONS, dtype=np.float32), "regression", "numbers with fractions"),
            (np.arange(50), "regression", "50 distinct whole numbers"),
            (np.array([3, 1, 2]), "regression", "3 distinct whole numbers"),
            (np.array([True, False, True]), "classification", "2 distinct labels"),
            (np.array(WORDS), "classification", "3 distinct labels"),
            (np.array([b"x", b"y", b"x"]), "classification", "2 distinct labels"),
            (np.array(WORDS, dtype=object), "classification", "3 distinct labels"),
            (np.array(WORDS, dtype=VARIABLE), "classification", "3 distinct labels"),
            (np.array([True, False, True], dtype=object), "classification", "2 distinct labels"),
            (np.array([1, 2, 3, 1, 2, 3], dtype=object), "classification", "3 distinct whole"),
            (np.array(FRACTIONS, dtype=object), "regression", "numbers with fractions"),
            (np.array([1, 0.5, 2, np.float32(3)], dtype=object), "regression", "with fractions"),
            (np.array(["2020-01-01", "2021-01-01"] * 2, dtype="M8[D]"), "classification", "2 dist"),
            (pd.Series(WORDS), "classification", "3 distinct labels"),
            (pd.Series(WORDS, dtype="string"), "classification", "3 distinct labels"),
            (pd.Series(WORDS, dtype=object), "classification", "3 distinct labels"),
            (pd.Series([1, 0, 2] * 3, dtype="Int64"), "classification", "3 distinct whole"),
            (pd.Series(FRACTIONS, dtype="Float64"), "regression", "numbers with fractions"),
            (pd.Series([True, False] * 2, dtype="boolean"), "classification", "2 distinct labels"),
            (pd.Series(FRACTIONS * 2, dtype="category"), "classification", "column of categories"),
            (pd.Categorical(range(40)).repeat(2), "classification", "a column of categories"),
            (pd.DataFrame({"y": pd.Categorical(range(40)).repeat(2)}), "classification", "categ"),
            (pd.DataFrame({"y": WORDS}), "classification", "3 distinct labels"),
            (np.array(FRACTIONS)[:, None], "regression", "numbers with fractions"),
            (np.column_stack([FRACTIONS, FRACTIONS]), "regression", "2 columns of targets"),
            ([[1, 2], [2, 1], [1, 1]], "regression", "2 columns of targets"),
            (WORDS, "classification", "3 distinct labels"),
            ((1.5, 2.5, 4.0), "regression", "numbers with fractions"),
        ],
    )
    def test_by_type_and_values(self, y, task, reason):
        targets = code_targets(y)
        assert targets.task == task
        assert reason in targets.reason

    @pytest.mark.parametrize("distinct", [MOST_CLASSES, MOST_CLASSES + 1])
    def test_many_whole_numbers_are_measurements(self, distinct):
        y = np.arange(distinct).repeat(3)
        assert (detect_task(y)[0] == "classification") == (distinct <= MOST_CLASSES)

    def test_whole_numbers_with_few_rows_each_are_measurements(self):
        assert detect_task(np.arange(5).repeat(2))[0] == "classification"
        assert detect_task(np.append(np.arange(5).repeat(2)[:-1], 7))[0] == "regression"

    def test_what_is_asked_for_wins(self):
        assert code_targets([0, 1, 0, 1], "regression").task == "regression"
        assert code_targets([0.5, 0.5, 1.5, 2.5], "classification").task == "classification"
        assert code_targets([0, 1, 0, 1], "regression").reason == "as asked"

    def test_unknown_task(self):
        with pytest.raises(
            InputError, match=r"one of auto, classification, regression\. Got 'ranking'"
        ):
            code_targets([0, 1], "ranking")


class TestCoding:
    def test_two_classes_are_minus_and_plus_one_in_sorted_order(self):
        targets = code_targets(["yes", "no", "yes", "yes"])
        np.testing.assert_array_equal(targets.values, [[1], [-1], [1], [1]])
        np.testing.assert_array_equal(targets.offset, [0])
        np.testing.assert_array_equal(targets.mean, [0.5])
        assert targets.classes.tolist() == ["no", "yes"]
        assert targets.codes.tolist() == [1, 0, 1, 1]
        assert targets.degrees_of_freedom == 1
        assert targets.n == 4

    def test_more_classes_are_centred_indicators(self):
        targets = code_targets([*WORDS, "a", "a"])
        indicators = np.array([[word == c for c in "abc"] for word in [*WORDS, "a", "a"]], float)
        shares = indicators.mean(axis=0)
        np.testing.assert_allclose(targets.values, indicators - shares, atol=1e-15)
        np.testing.assert_allclose(targets.offset, shares)
        np.testing.assert_allclose(targets.mean, shares)
        assert targets.degrees_of_freedom == 2

    def test_measurements_are_centred(self):
        targets = code_targets(FRACTIONS)
        np.testing.assert_allclose(targets.values[:, 0], np.array(FRACTIONS) - np.mean(FRACTIONS))
        np.testing.assert_allclose(targets.offset, [np.mean(FRACTIONS)])
        np.testing.assert_allclose(targets.mean, targets.offset)
        assert targets.classes is None
        assert targets.codes is None

    def test_several_outputs_are_free_of_each_other(self):
        y = np.random.default_rng(0).normal(size=(10, 3))
        targets = code_targets(y)
        np.testing.assert_allclose(targets.values, y - y.mean(axis=0), atol=1e-15)
        assert targets.degrees_of_freedom == 3

    def test_some_constant_columns_are_fine(self):
        assert code_targets([[1.0, 0.5], [1.0, 1.5], [1.0, 0.0]]).values.shape == (3, 2)

    def test_shape_of_predictions_follows_y(self):
        scores = np.ones((4, 1))
        assert code_targets(FRACTIONS).shaped(scores).shape == (4,)
        assert code_targets(np.array(FRACTIONS)[:, None]).shaped(scores).shape == (4, 1)
        assert code_targets(pd.DataFrame({"y": FRACTIONS})).shaped(scores).shape == (4, 1)

    def test_nullable_whole_numbers_stay_whole(self):
        classes = code_targets(pd.Series([2, 7, 7, 2], dtype="Int64")).classes
        assert classes.dtype.kind == "i"
        assert classes.tolist() == [2, 7]

    def test_strings_of_several_types_are_one(self):
        y = np.array(["a", np.str_("b"), "a", np.str_("a")], dtype=object)
        assert code_targets(y).codes.tolist() == [0, 1, 0, 0]

    def test_labels_of_one_sortable_type(self):
        days = [dt.date(2024, 1, 2), dt.date(2024, 1, 1)]
        targets = code_targets(np.array(days * 2, dtype=object))
        assert targets.classes.tolist() == days[::-1]

    def test_centred_moves_the_mean_into_the_offset(self):
        targets = code_targets(["a", "b", "b", "b"])
        centred = targets.centred()
        np.testing.assert_allclose(centred.values[:, 0], [-1.5, 0.5, 0.5, 0.5])
        np.testing.assert_allclose(centred.offset, [0.5])
        np.testing.assert_allclose(centred.values + centred.offset, targets.values)
        again = centred.centred()
        np.testing.assert_array_equal(again.values, centred.values)
        np.testing.assert_array_equal(again.offset, centred.offset)

    @given(st.lists(st.sampled_from(["x", "y", "z"]), min_size=4, max_size=30))
    def test_labels_come_back_from_their_coding(self, y):
        assume(len(set(y)) > 1)
        targets = code_targets(y)
        assert targets.labels(targets.values + targets.offset).tolist() == y
        assert targets.error(targets.values) == 0.0

    @given(
        st.lists(st.integers(-1000, 1000), min_size=3, max_size=30), st.sampled_from([1e-9, 1, 1e9])
    )
    def test_numbers_come_back_from_their_coding(self, whole, unit):
        y = np.array(whole) * unit
        assume(np.ptp(y) > 0)
        targets = code_targets(y, "regression")
        np.testing.assert_allclose(targets.values[:, 0] + targets.offset, y, rtol=1e-12, atol=unit)
        assert abs(targets.values.sum()) <= 1e-9 * np.abs(y).max()


class TestDecisions:
    def test_sign_decides_between_two_classes(self):
        assert decide(np.array([[-0.5], [0.5], [0.0]])).tolist() == [0, 1, 0]

    def test_largest_column_decides_among_more(self):
        assert decide(np.array([[0.1, 0.5, 0.4], [0.6, 0.3, 0.1]])).tolist() == [1, 0]

    def test_ties_within_round_off_go_to_the_first_class(self):
        assert decide(np.array([[0.5, 0.5 + 1e-15], [0.5, 0.6]])).tolist() == [0, 1]
        assert decide(np.array([[1e-16], [-1e-16]])).tolist() == [0, 0]

    def test_numbers_are_their_own_labels(self):
        scores = np.array([[1.0], [2.0], [3.0], [4.0]])
        np.testing.assert_array_equal(code_targets(FRACTIONS).labels(scores), scores[:, 0])

    def test_share_of_wrong_classes(self):
        targets = code_targets(["a", "b", "b", "a"])
        assert targets.error(np.array([[-1.0], [2.0], [-0.1], [0.1]])) == 0.5

    def test_normalised_mean_squared_error(self):
        y = np.array([1.0, 2.5, 4.0, 0.0])
        predicted = np.array([1.0, 2.0, 3.0, 1.0])
        expected = np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2)
        fitted = predicted[:, None] - y.mean()
        assert code_targets(y).error(fitted) == pytest.approx(expected)

    def test_mean_has_an_error_of_one(self):
        targets = code_targets(FRACTIONS)
        assert targets.error(np.zeros((4, 1))) == pytest.approx(1.0)


class TestTold:
    """What is said of targets that are neither one number nor one plain class per row."""

    def told(self, y, task="auto"):
        return " ".join(told_of(y, code_targets(y, task)))

    @pytest.mark.parametrize("dtype", [float, bool, np.int8])
    def test_several_labels(self, dtype):
        y = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]).astype(dtype)
        assert "3 columns of the target, 0 and 1 for labels of which a row may" in self.told(y)

    def test_one_class_in_several_columns(self):
        assert "np.argmax(y, axis=1)" in self.told(np.eye(3)[[0, 1, 2, 0]])

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_times_and_events(self, order):
        pairs = [(3.5, 1), (1.25, 0), (7.0, 1), (2.0, True)]
        assert "no survival analysis" in self.told([[row[i] for i in order] for row in pairs])

    @pytest.mark.parametrize(
        "y",
        [
            [0.5, 1.5, 2.0],
            ["a", "b", "a"],
            [[0.5, 1.0], [1.5, 2.0], [2.0, 0.0]],
            [[0.5, 1.0], [-1.5, 0.0], [2.0, 0.0]],
            [[0.5, 1.0, 1.0], [1.5, 0.0, 0.0], [2.0, 0.0, 1.0]],
            pd.Series(["a", "b", "a"], dtype="category"),
        ],
    )
    def test_nothing_to_say(self, y):
        assert self.told(y) == ""

    def test_ordered_categories(self):
        sizes = pd.CategoricalDtype(["small", "medium", "large", "huge"], ordered=True)
        y = pd.Series(["large", "small", "medium", "small"], dtype=sizes)
        assert "(small < medium < large) as classes" in self.told(y)
        assert code_targets(y).reason == "a column of ordered categories"
        assert self.told(y.cat.codes, "regression") == ""
        assert "1 < 2 < 3" in self.told(pd.Categorical([3, 1, 2, 1], ordered=True))
