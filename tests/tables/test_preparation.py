"""Tables of any kind become numbers, and the steps say how."""

import datetime as dt
import os
import pickle
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from reldim.exceptions import InputError, InputTypeError, MissingDependencyError
from reldim.tables.preparation import TableEncoder, needs_preparation, prepare_table

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="no data folder: set RELDIM_DATA to run this test"
)
N = 60


@pytest.fixture
def mixed():
    """A table with a column of every kind."""
    return pd.DataFrame(
        {
            "id": range(100, 100 + N),
            "age": [31.0, np.nan, 40.0, 25.5] * 15,
            "town": ["Ulm", "Bonn", None, "Ulm", "Kiel", "Bonn"] * 10,
            "when": [None if i % 10 == 0 else f"2024-{1 + i % 12:02d}-03" for i in range(N)],
            "note": [f"the quick brown fox number {i}" for i in range(N)],
            "price": ["1.5", "?", "2.25", "7"] * 15,
            "paid": [True, False, None] * 20,
            "code": [f"x{i:03d}" for i in range(N)],
            "same": ["k"] * N,
            "void": [None] * N,
        }
    )


class TestPlainNumbers:
    def test_are_only_scaled(self):
        frame = pd.DataFrame({"a": [1, 2, 3, 6], "b": [0.5, 0.5, 1.0, 2.0]})
        table = prepare_table(frame)
        assert_allclose(table.X, (frame - frame.mean()) / frame.std(ddof=0))
        assert table.feature_names == ("a", "b")
        assert table.steps == ("Scaled all 2 columns to mean 0 and variance 1.",)

    def test_stay_as_they_are_without_scaling(self):
        frame = pd.DataFrame({"a": [1, 2, 3], "b": [2.0, 1e9, 3.0]})
        table = prepare_table(frame, scale=False)
        assert_array_equal(table.X, frame)
        assert table.X.dtype == np.float64
        assert table.steps == ()

    def test_need_no_skrub(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "skrub", None)
        table = prepare_table(pd.DataFrame({"a": [1, 2, None], "b": [True, False, True]}))
        assert table.feature_names == ("a", "b", "a is missing")

    def test_constant_column_is_left_out(self):
        table = prepare_table(pd.DataFrame({"a": [1, 2, 3], "b": [0.3, 0.1 + 0.2, 0.3]}))
        assert table.feature_names == ("a",)
        assert table.steps[0] == "Left out b: the same value in every row."

    def test_input_is_not_changed(self, mixed):
        before = mixed.copy(deep=True)
        prepare_table(mixed)
        pd.testing.assert_frame_equal(mixed, before)


class TestMixedTable:
    def test_result_is_complete_and_scaled(self, mixed):
        table = prepare_table(mixed)
        assert np.isfinite(table.X).all()
        assert_allclose(table.X.mean(axis=0), 0, atol=1e-10)
        week = np.array([name.startswith("when: weekday") for name in table.feature_names])
        assert_allclose(table.X[:, ~week].std(axis=0), 1)
        assert_allclose(table.X[:, week].var(axis=0).sum(), 1)
        assert table.X.shape == (N, len(table.feature_names))

    def test_steps_name_every_column(self, mixed):
        steps = prepare_table(mixed).steps
        assert steps == (
            "Left out void: no values.",
            "Left out id: it numbers the rows.",
            (
                "Took dates apart into seconds, the time of the year, the weekday and the time of "
                "the day: when."
            ),
            "Left out code: another text in every row.",
            "Read the text in price as numbers.",
            (
                "Encoded town, same as categories, a column of 0 and 1 each (a missing value is "
                "one too)."
            ),
            "Encoded the text in note by its character n-grams, in 30 columns.",
            (
                "Filled 56 missing values in age, when, price, paid with the median; further "
                "columns mark them."
            ),
            "Left out same = k: the same value in every row.",
            "Scaled all 51 columns to mean 0 and variance 1.",
        )

    def test_columns_follow_the_order_of_the_table(self, mixed):
        names = prepare_table(mixed[["town", "age", "price"]]).feature_names
        assert names == (
            "town = Bonn",
            "town = Kiel",
            "town = Ulm",
            "town = nan",
            "age",
            "price",
            "age is missing",
            "price is missing",
        )

    def test_gaps_get_the_median_and_a_mark(self):
        frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 8.0], "b": [1.0, 2.0, 3.0, 4.0]})
        X = prepare_table(frame, scale=False).X
        assert_array_equal(X, [[1, 1, 0], [3, 2, 1], [3, 3, 0], [8, 4, 0]])

    def test_parts_of_a_date_share_one_mark(self):
        when = pd.Series(pd.date_range("2020-01-01", periods=40, freq="17D"))
        names = prepare_table(pd.DataFrame({"when": when.where(when.index != 3)})).feature_names
        assert [name for name in names if name.endswith("is missing")] == ["when is missing"]
        assert names[-1] == "when is missing"

    def test_is_deterministic(self, mixed):
        assert_array_equal(prepare_table(mixed).X, prepare_table(mixed).X)

    def test_large_whole_numbers_keep_their_digits(self):
        frame = pd.DataFrame({"a": [2**24 + i for i in range(4)], "c": list("xyxy")})
        assert_array_equal(prepare_table(frame, scale=False).X[:, 0], frame["a"])

    def test_output_name_may_equal_a_column(self):
        frame = pd.DataFrame({"a": list("xyzx"), "a_x": [1.0, 2.0, 3.0, 5.0]})
        table = prepare_table(frame, scale=False)
        assert table.feature_names == ("a = x", "a = y", "a = z", "a_x")
        assert table.sources == ("a", "a", "a", "a_x")
        assert_array_equal(table.X[:, 3], frame["a_x"])


class TestKindsOfColumns:
    @pytest.mark.parametrize(
        "values",
        [
            pd.array([1, None, 3, 4], dtype="Int64"),
            pd.array([1.0, None, 3.0, 4.0], dtype="Float64"),
            np.array([1, None, 3, 4], dtype=object),
            [Decimal(1), None, Decimal(3), Decimal(4)],
            pd.to_timedelta([1, None, 3, 4], unit="s"),
        ],
        ids=["Int64", "Float64", "object", "Decimal", "timedelta"],
    )
    def test_numbers_with_a_gap(self, values):
        X = prepare_table(pd.DataFrame({"a": values}), scale=False).X
        assert_array_equal(X, [[1, 0], [3, 1], [3, 0], [4, 0]])

    @pytest.mark.parametrize("dtype", [bool, object, "boolean"])
    def test_truth_values(self, dtype):
        frame = pd.DataFrame({"a": pd.Series([True, False, True], dtype=dtype)})
        assert_array_equal(prepare_table(frame, scale=False).X, [[1], [0], [1]])

    @pytest.mark.parametrize("dtype", [object, "str", "string", "category"])
    def test_categories(self, dtype):
        frame = pd.DataFrame({"a": pd.Series(["x", "y", "z", "x"], dtype=dtype)})
        table = prepare_table(frame, scale=False)
        assert table.feature_names == ("a = x", "a = y", "a = z")
        assert_array_equal(table.X, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])

    def test_two_categories_make_one_column(self):
        assert prepare_table(pd.DataFrame({"a": list("xyyx")})).feature_names == ("a = y",)

    def test_numbers_as_categories(self):
        table = prepare_table(pd.DataFrame({"a": pd.Categorical([3, 1, 2, 1])}))
        assert table.feature_names == ("a = 1", "a = 2", "a = 3")

    def test_text_and_numbers_in_one_column(self):
        table = prepare_table(pd.DataFrame({"a": [1, "u", "v", 1, "u", "v"]}))
        assert table.feature_names == ("a = 1", "a = u", "a = v")

    @pytest.mark.parametrize(
        "dates",
        [
            pd.date_range("2020-01-01", periods=30, freq="20D"),
            pd.date_range("2020-01-01", periods=30, freq="20D", tz="Europe/Berlin"),
            [dt.date(2020 + i // 12, 1 + i % 12, 5 + i % 7) for i in range(30)],
            [f"{1 + i % 28:02d}/{1 + i % 12:02d}/{2020 + i % 2}" for i in range(30)],
        ],
        ids=["datetime", "time zone", "date objects", "text"],
    )
    def test_dates(self, dates):
        names = prepare_table(pd.DataFrame({"d": dates})).feature_names
        assert {"d: total_seconds", "d: time of year (sin)", "d: weekday = Monday"} <= {*names}

    def test_text_of_many_words_is_no_identifier(self):
        table = prepare_table(pd.DataFrame({"t": [f"a text of words {i}" for i in range(50)]}))
        assert table.X.shape == (50, 30)

    def test_sequences_beside_numbers_are_no_identifier(self):
        letters = np.random.default_rng(0).choice(list("ACGT"), (50, 20))
        frame = pd.DataFrame({"dna": ["".join(row) for row in letters], "a": range(50)})
        assert "dna: 00" in prepare_table(frame).feature_names

    def test_array_of_objects(self):
        table = prepare_table(np.array([[1, "x"], [2, "y"], [4, "x"]], dtype=object))
        assert table.feature_names == ("0", "1 = y")

    def test_sparse_columns(self):
        frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0.0, 1.0])})
        assert_array_equal(prepare_table(frame, scale=False).X, [[0], [0], [1]])

    def test_text_that_only_marks_gaps(self):
        table = prepare_table(pd.DataFrame({"a": [1, 2, 4], "b": ["?", "n/a", ""]}))
        assert table.feature_names == ("a",)
        assert table.steps[0] == "Left out b: no values."

    def test_names_that_are_no_strings(self):
        frame = pd.DataFrame({0: [1, 2, 3], ("a", 1): [1, 2, 4]})
        assert prepare_table(frame).feature_names == ("0", "('a', 1)")


class TestNewRows:
    def test_same_rows_give_the_same_numbers(self, mixed):
        table = prepare_table(mixed)
        assert_array_equal(table.transformer.transform(mixed), table.X)

    def test_order_of_columns_and_further_columns_do_not_matter(self, mixed):
        table = prepare_table(mixed)
        other = mixed[mixed.columns[::-1]].assign(more=1)
        assert_array_equal(table.transformer.transform(other), table.X)

    def test_unknown_category_and_new_gap(self):
        frame = pd.DataFrame({"a": list("xyzx"), "b": [1.0, 2.0, 3.0, 5.0]})
        encoder = TableEncoder(scale=False).fit(frame)
        new = pd.DataFrame({"a": ["w", None], "b": [None, 7.0]})
        assert_array_equal(encoder.transform(new), [[0, 0, 0, 2.5], [0, 0, 0, 7]])

    def test_missing_column(self, mixed):
        encoder = TableEncoder().fit(mixed)
        with pytest.raises(InputError, match="without age, with the columns id, town"):
            encoder.transform(mixed.drop(columns="age"))

    def test_text_in_a_column_of_numbers(self):
        encoder = TableEncoder().fit(pd.DataFrame({"a": [1, 2, 3]}))
        with pytest.raises(InputError, match="column a held numbers"):
            encoder.transform(pd.DataFrame({"a": ["x", "y"]}))

    def test_in_a_pipeline_cloned_and_pickled(self, mixed):
        y = np.arange(N) % 2
        model = clone(make_pipeline(TableEncoder(), LogisticRegression())).fit(mixed, y)
        again = pickle.loads(pickle.dumps(model))  # noqa: S301
        assert_array_equal(again.predict(mixed), model.predict(mixed))

    def test_set_output(self, mixed):
        encoder = TableEncoder().set_output(transform="pandas")
        out = encoder.fit_transform(mixed)
        assert list(out.columns) == list(encoder.get_feature_names_out())


class TestRefusals:
    @pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200])
    def test_numbers_out_of_range(self, value):
        with pytest.raises(InputError, match="Got 1 beyond 1e\\+150 in b; correct"):
            prepare_table(pd.DataFrame({"a": [1, 2], "b": [value, 1.0]}))

    def test_complex_numbers(self):
        with pytest.raises(InputError, match="complex numbers in a"):
            prepare_table(pd.DataFrame({"a": [1j, 2]}))

    def test_lists_in_cells(self):
        with pytest.raises(InputError, match="Got list in a; make columns"):
            prepare_table(pd.DataFrame({"a": [[1], [2]]}))

    def test_names_given_twice(self):
        frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
        with pytest.raises(InputError, match="Got a more than once"):
            prepare_table(frame)

    @pytest.mark.parametrize(
        "frame", [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame(index=[0, 1])]
    )
    def test_empty_table(self, frame):
        with pytest.raises(InputError, match="A table needs rows and columns"):
            prepare_table(frame)

    @pytest.mark.parametrize("values", [np.arange(3), np.zeros((2, 2, 2)), 7])
    def test_array_that_is_no_table(self, values):
        with pytest.raises(InputTypeError, match="two-dimensional"):
            prepare_table(values)

    def test_nothing_left(self):
        frame = pd.DataFrame({"id": [1, 2, 3], "name": ["ann", "bob", "cy"], "one": [1, 1, 1]})
        with pytest.raises(InputError, match="No column is left to learn from. Left out id"):
            prepare_table(frame)

    def test_without_skrub(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "skrub", None)
        with pytest.raises(MissingDependencyError, match=r"\(town\).*reldim\[tables\]"):
            prepare_table(pd.DataFrame({"town": ["Ulm", "Bonn"], "a": [1, 2]}))


class TestNeedsPreparation:
    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"a": [1, 2]}),
            pd.DataFrame({"a": ["x", "y"]}),
            pd.DataFrame({"a": [1.0, None]}),
            pd.DataFrame({"a": ["ACGTA", "CCGTA"], "b": [1, 2]}),
        ],
    )
    def test_yes(self, frame):
        assert needs_preparation(frame)

    @pytest.mark.parametrize(
        "data",
        [
            pd.DataFrame({"a": ["ACGTA", "CCGTA"]}),
            np.array([[1.0], [np.nan]]),
            ["ACGTA", "CCGTA"],
        ],
    )
    def test_no(self, data):
        assert not needs_preparation(data)


@needs_data
class TestRealTables:
    def test_pima(self):
        table = prepare_table(pd.read_csv(DATA / "mass" / "Pima.tr.csv").drop(columns="type"))
        assert table.feature_names == ("npreg", "glu", "bp", "skin", "bmi", "ped", "age")

    def test_biopsy_has_gaps_and_two_counters(self):
        table = prepare_table(pd.read_csv(DATA / "mass" / "biopsy.csv").drop(columns="class"))
        assert table.steps[0] == "Left out rownames, ID: they number the rows."
        assert "Filled 16 missing values in V6" in table.steps[1]

    def test_crabs_has_categories(self):
        table = prepare_table(pd.read_csv(DATA / "mass" / "crabs.csv").drop(columns="BD"))
        assert table.feature_names[:2] == ("sp = O", "sex = M")


class TestOrderedCategories:
    SIZES = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    FRAME = pd.DataFrame({"size": pd.Series(["large", "small", None, "medium"], dtype=SIZES)})

    def test_become_ranks(self):
        table = prepare_table(self.FRAME, scale=False)
        assert table.steps[0] == (
            "Took the ordered categories in size as ranks: small < medium < large."
        )
        np.testing.assert_array_equal(table.X[:, 0], [3, 1, 2, 2])
        assert table.feature_names == ("size", "size is missing")

    def test_of_new_rows(self):
        encoder = prepare_table(self.FRAME, scale=False).transformer
        for other in (["large", "none", "small"], pd.Categorical(["large", "none", "small"])):
            rows = encoder.transform(pd.DataFrame({"size": other}))
            np.testing.assert_array_equal(rows[:, 0], [3, 2, 1])

    def test_categories_without_order_stay_apart(self):
        frame = pd.DataFrame({"size": pd.Categorical(["a", "b", "a", "c"])})
        assert prepare_table(frame).feature_names == ("size = a", "size = b", "size = c")

    def test_many_of_them(self):
        grades = pd.Categorical(range(9), ordered=True)
        (step, *_) = prepare_table(pd.DataFrame({"grade": grades})).steps
        assert step.endswith("as ranks: 0 < 1 < 2 < 3 < ... < 8.")
