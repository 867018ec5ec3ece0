"""Targets that a file does not have: what is said about them."""

from pathlib import Path

import numpy as np
import pytest

from reldim.exceptions import FileError
from reldim.files.datafile import DataFile, column_number, no_such_target, shape_of


@pytest.mark.parametrize(
    "target, columns, name, said",
    [
        ("widht", ["width", "size"], "a.csv", "width"),
        ("y", ["1.5", "2"], "a.csv", "add a line with names"),
        ("y", ["a,b"], "a.tsv", "Tabs separate"),
        ("y", ["a b"], "a.csv", "--sep ' '"),
    ],
)
def test_a_message_says_what_may_be_wrong(target, columns, name, said):
    assert said in no_such_target(target, columns, Path(name))


@pytest.mark.parametrize("target, number", [("0", 0), ("2", 2), ("-1", -1), ("-3", -3)])
def test_columns_are_counted_from_either_end(target, number):
    assert column_number(target, 3, Path("a.npy")) == number


@pytest.mark.parametrize("target", ["3", "-4", "y", "1.0", None, "9" * 40])
def test_other_columns_are_refused(target):
    with pytest.raises(FileError, match="a column from 0 to 2"):
        column_number(target, 3, Path("a.npy"))


def test_only_the_target_of_a_table_has_a_name():
    y = np.arange(3)
    named = DataFile(None, y, "size", "table", ()).named_target()
    assert (named.name, named.tolist()) == ("size", [0, 1, 2])
    assert DataFile(None, y, "size", "array", ()).named_target() is y
    assert [shape_of(np.zeros(shape)) for shape in ((), (2, 3))] == ["a single value", "2 x 3"]
