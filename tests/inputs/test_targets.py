"""Targets: which task they pose, how they are coded, and what is refused."""

import datetime as dt
import enum

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from reldim.exceptions import InputError
from reldim.inputs.targets import MOST_CLASSES, code_targets, decide, detect_task

FRACTIONS = [0.5, 1.25, 3.0, -2.0]
WORDS = ["b", "a", "b", "c", "a", "c"]

# Strings of variable width came with NumPy 2.
VARIABLE = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


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


class TestRefusals:
    @pytest.mark.parametrize(
        "y",
        [
            np.array([1.0, np.nan, np.nan]),
            [0.5, float("nan"), float("inf")],
            np.array([1.0, -np.inf, np.inf], dtype=np.float32),
        ],
    )
    def test_not_finite(self, y):
        with pytest.raises(
            InputError, match=r"NaN or infinity. Got 2 such rows, the first at row 1.*Remove"
        ):
            code_targets(y)

    @pytest.mark.parametrize("word", ["nan", "inf"])
    def test_text_that_reads_as_not_finite(self, word):
        with pytest.raises(InputError, match=r"NaN or infinity. Got 1 such rows.*row 2"):
            code_targets(["1", "2", word], "regression")

    @pytest.mark.parametrize(
        "y",
        [
            np.array(["a", None, "b"], dtype=object),
            np.array(["a", np.nan, "b"], dtype=object),
            np.array(["a", pd.NA, "b"], dtype=object),
            pd.Series(["a", None, "b"]),
            pd.Series(["a", None, "b"], dtype="string"),
            pd.Series(["a", None, "b"], dtype="category"),
            pd.Series([1, None, 2], dtype="Int64"),
            pd.Series([1.5, None, 2], dtype="Float64"),
            pd.Series([True, None, False], dtype="boolean"),
            np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="M8[D]"),
            ["a", None, "b"],
        ],
    )
    def test_missing(self, y):
        with pytest.raises(InputError, match=r"missing values. Got 1 such rows.* row 1\. Remove"):
            code_targets(y)

    def test_row_of_a_missing_value_in_several_columns(self):
        y = np.array([[1, 2, 3], [1, None, 3], [1, 2, 3]], dtype=object)
        with pytest.raises(InputError, match="the first at row 1"):
            code_targets(y)

    def test_masked(self):
        with pytest.raises(InputError, match="masked array with masked entries. Remove"):
            code_targets(np.ma.masked_array([1.5, 2.0, 3.0], mask=[False, True, False]))

    def test_nothing_masked_is_fine(self):
        assert code_targets(np.ma.masked_array([1.5, 2.0, 3.0])).n == 3

    @pytest.mark.parametrize("y", [[0.1] * 7, np.full(5, 1e9), np.zeros(4), [[2.0, 3.0]] * 4])
    def test_constant(self, y):
        with pytest.raises(InputError, match=r"y is constant \(every target is .*right column"):
            code_targets(y, "regression")

    def test_round_off_is_constant(self):
        y = 0.1 + np.array([0, 1, -1, 0]) * np.spacing(0.1)
        with pytest.raises(InputError, match="y is constant"):
            code_targets(y, "regression")

    @pytest.mark.parametrize("y", [["a", "a", "a"], [1, 1], [True, True], [0.5, 0.5]])
    def test_one_class(self, y):
        with pytest.raises(InputError, match=r"one class only \(.*right column"):
            code_targets(y)

    def test_every_row_its_own_class(self):
        with pytest.raises(InputError, match=r"Every one of the 4 rows has a class .*right column"):
            code_targets(list("abcd"))
        with pytest.raises(InputError, match=r"choose the task 'regression'"):
            code_targets(["1.5", "2.5", "3.5", "4.5"], "classification")
        with pytest.raises(InputError, match=r"3 of its values are numbers; .* is 'N.A.' \(row 2"):
            code_targets(["1.5", "2.5", "N.A.", "4.5"])

    def test_two_rows_of_two_classes_are_fine(self):
        assert code_targets(["a", "b"]).n == 2

    @pytest.mark.parametrize(
        "y, names",
        [
            (["a", 1, "b"], "int, str"),
            ([b"a", "b", "a"], "bytes, str"),
            ([1.5, "x", 2], "float, int, str"),
        ],
    )
    def test_mixed_types(self, y, names):
        with pytest.raises(InputError, match=rf"one type. Got a mix of {names}. Convert"):
            code_targets(np.array(y, dtype=object))

    def test_objects_without_an_order(self):
        y = np.array([Colour.RED, Colour.BLUE, Colour.RED], dtype=object)
        with pytest.raises(InputError, match="can be sorted. Got objects of type Colour"):
            code_targets(y)

    def test_sparse(self):
        with pytest.raises(InputError, match=r"dense. Got a sparse matrix; pass y.toarray\(\)"):
            code_targets(sparse.csr_array(np.eye(3)))

    @pytest.mark.parametrize("y", [np.zeros((2, 2, 2)), 3.0, "abc"])
    def test_dimensions(self, y):
        with pytest.raises(InputError, match=r"one or two dimensions. Got shape \(.*\) instead"):
            code_targets(y)

    def test_ragged(self):
        with pytest.raises(InputError, match="one per row. Got rows of unequal length"):
            code_targets([[1.0, 2.0], [3.0]])

    @pytest.mark.parametrize("y", [[], np.zeros((3, 0)), np.zeros((0, 2))])
    def test_empty(self, y):
        with pytest.raises(InputError, match="y is empty: expected at least two rows"):
            code_targets(y)

    @pytest.mark.parametrize("task, y", [("regression", [1.5]), ("classification", ["a"])])
    def test_one_row(self, task, y):
        with pytest.raises(InputError, match=r"At least two rows are needed. Got 1\."):
            code_targets(y, task)

    def test_complex(self):
        with pytest.raises(InputError, match="real numbers or labels. Got complex numbers"):
            code_targets(np.array([1 + 1j, 2.0]))

    def test_labels_for_regression(self):
        with pytest.raises(
            InputError, match=r"Regression needs numbers.*but y holds '.*task 'classification'"
        ):
            code_targets(WORDS, "regression")

    def test_none(self):
        with pytest.raises(InputError, match="y is None: expected a target for each row"):
            code_targets(None)

    def test_a_subset_is_centred_anew(self):
        rows = np.array([0, 2, 3])
        some = code_targets([1.0, 2.5, 4.0, 0.5]).subset(rows)
        np.testing.assert_allclose(some.values[:, 0] + some.offset, [1.0, 4.0, 0.5])
        assert some.values.mean() == pytest.approx(0.0)
        labels = code_targets(["a", "b", "a", "b"]).subset(rows)
        np.testing.assert_array_equal(labels.values[:, 0], [-1, -1, 1])
        np.testing.assert_array_equal(labels.codes, [0, 0, 1])
        assert labels.mean[0] == pytest.approx(-1 / 3)

    def test_several_columns_for_classification(self):
        with pytest.raises(InputError, match=r"one column of labels, but y has 2 columns. Pass"):
            code_targets(np.eye(2), "classification")

    def test_squares_must_not_overflow(self):
        with pytest.raises(InputError, match=r"must not exceed 1e\+140.*up to 1e\+200. Change"):
            code_targets([1e200, -1e200, 0.5], "regression")

    def test_squares_must_not_vanish(self):
        with pytest.raises(InputError, match=r"more than 1e-140.*up to 2e-200. Change the unit"):
            code_targets([-1e-200, 3e-200, 1e-200], "regression")
