"""Words: how values are written."""

import numpy as np
import pandas as pd
import pytest

from reldim.report.words import cell_text, numbers, percent, plain


def test_huge_errors_are_only_called_large():
    assert percent(2976430.0) == "over 1000%"
    assert percent(0.1234) == "12.3%"


@pytest.mark.parametrize(
    "value, expected",
    [
        (np.float64(1.5), 1.5),
        (np.int64(3), 3),
        (np.True_, True),
        (None, None),
        (pd.Timestamp("2024-01-02"), "2024-01-02 00:00:00"),
        (np.array([1, 2]), "[1 2]"),
    ],
    ids=str,
)
def test_plain(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "value, text",
    [
        (None, "–"),
        (pd.NA, "–"),
        (pd.NaT, "–"),
        (12, "12"),
        ([1, 2], "[1, 2]"),
        ((0.5, 1 / 3), "0.5, 0.333333"),
        (True, "True"),
    ],
    ids=str,
)
def test_cells(value, text):
    assert cell_text(value) == text


def test_numbers_of_a_picture():
    assert numbers([1 / 3, np.inf, np.nan, -2e-7]) == (0.33333, None, None, -2e-7)
