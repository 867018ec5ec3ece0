"""What a column holds, by its values and its name."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from reldim.tables.columns import (
    as_frame,
    as_numbers,
    holds_sequences,
    identifies_rows,
    listed,
    numbers_rows,
    varying,
)


@pytest.mark.parametrize(
    "name, values",
    [
        ("id", [1, 2, 3, 4]),
        ("ID", [900, 17, 230, 5]),
        ("rownames", [1, 2, 3, 4]),
        ("Unnamed: 0", [0, 1, 2, 3]),
        ("index", [5, 6, 7, 8]),
        ("customer_id", [4, 3, 2, 1]),
    ],
)
def test_numbers_rows(name, values):
    assert numbers_rows(pd.Series(values, name=name))


@pytest.mark.parametrize(
    "name, values",
    [
        ("age", [1, 2, 3, 4]),
        ("paid", [1, 2, 3, 4]),
        ("index", [1, 2, 1, 2]),
        ("id", [1.5, 2.5, 3.5, 4.5]),
        ("id", ["a", "b", "c", "d"]),
        ("id", [1]),
    ],
)
def test_numbers_something_else(name, values):
    assert not numbers_rows(pd.Series(values, name=name))


@pytest.mark.parametrize(
    "values, expected",
    [
        (["ACGTA", "CCGTA"], True),
        (["ACGTA", "CCGT"], False),
        (["ACGT", "CCGT"], False),
        (["ACGTA", None], False),
        (["ACG-A", "CCGTA"], False),
        (["apple", "grape", "peach"] * 5, False),
        ([12345, 23456], False),
        ([], False),
    ],
)
def test_holds_sequences(values, expected):
    assert holds_sequences(values) is expected


def test_identifier_is_text_that_never_repeats():
    assert identifies_rows(pd.Series(["Ann Lee", "Bo Ek"]))
    assert not identifies_rows(pd.Series(["Ann Lee", None]))
    assert not identifies_rows(pd.Series(["a long text", "another long text"]))


def test_frame_is_not_copied():
    frame = pd.DataFrame({"a": [1, 2]})
    assert np.shares_memory(as_frame(frame)["a"].to_numpy(), frame["a"].to_numpy())


def test_as_numbers_of_text():
    assert as_numbers(pd.Series(["1", "2"])) is None


def test_varying():
    assert_array_equal(varying(np.array([[1e9, 1.0], [1e9, 1 + 1e-12]])), [False, True])


def test_listed():
    assert listed(range(8)) == "0, 1, 2, 3, 4, 5 and 2 more"
    assert listed(range(7)) == "0, 1, 2, 3, 4, 5, 6"
