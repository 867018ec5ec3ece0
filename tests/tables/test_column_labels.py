"""Columns that y names: texts, numbers, dates and tuples, and labels that no column has."""

import json

import numpy as np
import pandas as pd
import pytest

from reldim import compare, diagnose, find_label_issues, load
from reldim.exceptions import InputError
from reldim.tables.column_labels import has_column, is_label
from reldim.tables.targets import split_target

LEVELS = pd.MultiIndex.from_tuples([("x", 0), ("x", 1), ("y", "t")])
DATES = pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])


def table(columns=None, rows=60):
    """A table whose last column follows the first."""
    values = np.random.default_rng(0).normal(size=(rows, 3))
    values[:, 2] = values[:, 0] + 0.3 * values[:, 2]
    return pd.DataFrame(values, columns=columns)


@pytest.fixture(scope="module")
def found():
    return diagnose(table(), 2, references=False)


class TestTaking:
    @pytest.mark.parametrize(
        "columns, y",
        [
            (None, 2),
            (None, np.int64(2)),
            ([0, "a", 5], 5),
            ([0.5, 1.5, 2.5], 2.5),
            (["a", "b", "c"], "c"),
            (DATES, DATES[2]),
            (LEVELS, ("y", "t")),
        ],
    )
    def test_a_label_of_any_type(self, columns, y):
        frame = table(columns)
        X, target, steps = split_target(frame, y)
        assert [*X.columns] == [*frame.columns[:2]]
        np.testing.assert_array_equal(target, frame.iloc[:, 2])
        assert target.name == str(y)
        assert steps == ()

    def test_amounts_are_read(self):
        frame = pd.DataFrame([[1, "$1,500"], [2, "$950"]])
        _, target, steps = split_target(frame, 1)
        assert target.tolist() == [1500.0, 950.0]
        assert len(steps) == 1

    @pytest.mark.parametrize("y", [[1, 2], (1, 2), np.array([1, 2]), pd.Series([1, 2])], ids=type)
    def test_targets_stay_as_they_are(self, y):
        frame = table(rows=2)
        X, target, _ = split_target(frame, y)
        assert X is frame
        assert target is y

    def test_two_columns_of_one_label(self):
        with pytest.raises(InputError, match="X has 2 columns named 1. Rename all but one"):
            split_target(table([0, 1, 1]), 1)


class TestNoSuchColumn:
    @pytest.mark.parametrize(
        "columns, y, said",
        [
            (
                None,
                "2",
                "X has no column '2'. Its columns are the numbers 0 to 2: pass 2, not '2'.",
            ),
            (None, "22", "X has no column '22'. Its columns are the numbers 0 to 2: pass one of"),
            (None, 7, "X has no column 7. Its columns are the numbers 0 to 2: pass one of these."),
            ([1, 5, 9], 2, "X has no column 2. Its columns are the numbers 1, 5, 9: pass one of"),
            (["a", "b", "2"], 2, "Its columns are the texts 'a', 'b', '2': pass '2', not 2."),
            ([0, 1, "a"], "1", "Its columns are 0, 1, 'a': pass 1, not '1'."),
            (["a", "b", "c"], "C", "Its columns are a, b, c. Did you mean 'c'?"),
            (LEVELS, "y", "Its columns are ('x', 0), ('x', 1), ('y', 't'): pass one of these."),
            (LEVELS, ("y", "q"), "X has no column ('y', 'q'). Its columns are ('x', 0), "),
        ],
    )
    def test_says_which_there_are(self, columns, y, said):
        with pytest.raises(InputError) as caught:
            split_target(table(columns), y)
        assert said in str(caught.value)

    def test_a_number_is_no_column_of_an_array(self):
        assert not has_column(np.eye(3), 1)
        with pytest.raises(InputError, match="y must have one or two dimensions"):
            diagnose(np.eye(3), 1)

    @pytest.mark.parametrize("y", [None, True, np.True_, float("nan"), [1], {}, object()], ids=type)
    def test_what_is_no_label(self, y):
        assert not is_label(y)
        assert not has_column(table(), y)


class TestDiagnosis:
    def test_is_the_same_as_with_targets(self, found):
        frame = table()
        other = diagnose(frame[[0, 1]], frame[2], references=False)
        assert found.to_dict() == other.to_dict()

    def test_everything_that_follows_works(self, found, tmp_path):
        assert [*found.columns.index] == ["0", "1"]
        found.to_json(tmp_path / "a.json")
        shares = json.loads((tmp_path / "a.json").read_text())["column_shares"]
        assert {row["name"] for row in shares} == {"0", "1"}
        found.write_report(tmp_path / "a.html", data=table())
        found.save(tmp_path / "a.reldim")
        assert load(tmp_path / "a.reldim").columns.equals(found.columns)
        assert len(found.predictor().predict(table()[[0, 1]])) == 60

    def test_labels_that_look_wrong(self):
        assert len(find_label_issues(table(), 2)) == 60


class TestComparison:
    def test_of_tables(self):
        frame = table()
        found = compare({"both": frame, "one": frame[[1, 2]]}, 2, kernels="linear")
        assert found.best == "both"

    def test_of_tables_with_several_levels(self):
        frame = table(LEVELS)
        tables = {"both": frame, "one": frame[[("x", 1), ("y", "t")]]}
        assert compare(tables, ("y", "t"), kernels="linear").best == "both"

    def test_of_kernels(self):
        found = compare(table(), 2, kernels=["gaussian", "linear"])
        assert {*found.diagnoses} == {"gaussian", "linear"}

    def test_no_table_has_the_column(self):
        with pytest.raises(InputError, match="y names the column 7, which no representation has"):
            compare({"a": table(), "b": table()}, 7)
