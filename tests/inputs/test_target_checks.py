"""Targets that are refused: what was expected, what came, and what to do."""

import enum

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from reldim.exceptions import InputError
from reldim.inputs.target_checks import pair_rows
from reldim.inputs.targets import code_targets

WORDS = ["b", "a", "b", "c", "a", "c"]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


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
        with pytest.raises(InputError, match=r"Got 1 such row, at row 2\. Remove this row or"):
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
        with pytest.raises(InputError, match=r"missing values. Got 1 such row, at row 1\. Remove"):
            code_targets(y)

    def test_row_of_a_missing_value_in_several_columns(self):
        y = np.array([[1, 2, 3], [1, None, 3], [1, 2, 3]], dtype=object)
        with pytest.raises(InputError, match="1 such row, at row 1"):
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

    def test_survival_times(self):
        y = np.array([(True, 5.0), (False, 2.5)], dtype=[("seen", "?"), ("time", "f8")])
        with pytest.raises(
            InputError, match="Survival times.*fields 'seen', 'time': keep"
        ) as error:
            code_targets(y)
        assert "y['time'][y['seen']]" in str(error.value)

    def test_other_fields(self):
        y = np.array([(1, 5.0), (2, 2.5)], dtype=[("a", "i8"), ("b", "f8")])
        with pytest.raises(InputError, match=r"fields 'a', 'b': pass one of them, y\['a'\]"):
            code_targets(y)

    DAYS = pd.date_range("2024-01-01", periods=30)

    @pytest.mark.parametrize(
        "y",
        [
            DAYS,
            DAYS.to_numpy(),
            pd.Series(DAYS.tz_localize("Europe/Berlin")),
            DAYS.to_pydatetime(),
            [day.date() for day in DAYS],
            DAYS.to_period("D"),
        ],
    )
    @pytest.mark.parametrize("task", ["auto", "regression"])
    def test_dates(self, y, task):
        with pytest.raises(InputError, match=r"y holds dates such as 2024-01-01.*\.dt\.days"):
            code_targets(y, task)

    @pytest.mark.parametrize("y", [DAYS - DAYS[0], (DAYS - DAYS[0]).to_pytimedelta()])
    def test_durations(self, y):
        with pytest.raises(InputError, match=r"y holds durations such as .*total_seconds"):
            code_targets(y)

    def test_few_dates_are_classes(self):
        twice = pd.Series([*self.DAYS, *self.DAYS])
        assert len(code_targets(twice, "classification").classes) == 30
        assert len(code_targets(twice.astype("category")).classes) == 30
        assert len(code_targets(twice.iloc[[0, 1, 30, 31]]).classes) == 2


class TestPairing:
    X = pd.DataFrame({"a": range(4)}, index=list("abcd"))

    @pytest.mark.parametrize("y", [[1, 2, 3, 4], np.arange(4), pd.Series([1, 2], list("ab")), None])
    def test_what_has_no_index_or_other_rows(self, y):
        assert pair_rows(self.X, y) == ()
        assert pair_rows(np.eye(4), pd.Series(range(4))) == ()

    def test_another_order(self):
        y = pd.Series(range(4), list("dabc"))
        with pytest.raises(InputError, match=r"Write y = y\.loc\[X\.index\]; or, where") as error:
            pair_rows(self.X, y)
        assert "y.reset_index(drop=True)" in str(error.value)
        assert pair_rows(self.X, y.loc[self.X.index]) == ()
        assert pair_rows(self.X.reset_index(drop=True), y.reset_index(drop=True)) == ()

    def test_several_columns_and_levels(self):
        X = self.X.set_index(pd.MultiIndex.from_product([[0, 1], ["u", "v"]]))
        with pytest.raises(InputError, match="in another order"):
            pair_rows(X, X.iloc[::-1])

    def test_labels_that_repeat(self):
        X, y = self.X.set_index(pd.Index([0, 0, 1, 2])), pd.Series(range(4), [0, 1, 0, 2])
        with pytest.raises(InputError, match="Labels repeat, .* sort both alike"):
            pair_rows(X, y)
        assert "2 of 4 labels" in pair_rows(X, y.set_axis([0, 1, 1, 1]))[0]

    def test_other_labels(self):
        (step,) = pair_rows(self.X, pd.Series(range(4)))
        assert step.startswith("Paired X and y row by row: 4 of 4 labels of the index of y are")
