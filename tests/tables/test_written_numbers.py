"""Amounts: numbers written with signs, read as what they say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim.exceptions import InputError
from reldim.tables.preparation import TableEncoder
from reldim.tables.written_numbers import amounts_in


def read(texts):
    column = pd.Series(texts, name="price")
    found = amounts_in(column)
    return None if found is None else found.read(column).tolist()


@pytest.mark.parametrize(
    "texts, numbers",
    [
        (["12%", "7.5 %", "-3%"], [12, 7.5, -3]),
        (["$1,234", "$12", "-$5", "$-5"], [1234, 12, -5, -5]),
        (["1,234,567", "12"], [1234567, 12]),
        (["(1,200)", "300"], [-1200, 300]),
        (["1'234.5 CHF", "10 CHF"], [1234.5, 10]),
        (["€ 5", "€ .5", "€ 5."], [5, 0.5, 5]),
        (["1.234,56 €", "2,5 €"], [1234.56, 2.5]),
        (["1\u202f000 €", "12 €"], [1000, 12]),
        (["\u22125%", "+5%"], [-5, 5]),
        (["5%", None], [5, None]),
    ],
)
def test_signs(texts, numbers):
    values = read(texts)
    assert [None if np.isnan(v) else v for v in values] == numbers


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "2.5"],  # plain numbers are for others
        ["5%", "five"],
        ["1,23", "4,5,6"],
        ["%", "$"],
        ["(5", "6%"],
        ["5)", "6%"],
        ["12,34,567"],
        ["2020-01-01", "5%"],
        [None, None],
        [5.0, "5%"],
        ["", "5%"],
        ["1" * 400 + "x"],
    ],
)
def test_what_is_no_amount(texts):
    assert read(texts) is None


def test_thousands_come_before_fractions_and_the_example_shows_it():
    column = pd.Series(["1,234", "5,678"])
    assert amounts_in(column).example == "'1,234' as 1234"


@settings(deadline=None)
@given(st.lists(st.integers(-(10**12), 10**12), min_size=1))
def test_written_by_python_and_read_back(numbers):
    assert read([f"${number:,}" for number in numbers]) == numbers


@settings(deadline=None)
@given(st.text(alphabet="0123456789.,-()$€% '", max_size=12))
def test_any_text_is_a_number_or_none(text):
    values = read([text])
    assert values is None or np.isfinite(values).all()


class TestInTables:
    frame = pd.DataFrame({"price": ["$1,000", "$3,000", None, "$2,000"], "b": [1.0, 2.0, 3.0, 5.0]})

    def test_become_numbers_and_it_is_said(self):
        encoder = TableEncoder(scale=False)
        values = encoder.fit_transform(self.frame)
        np.testing.assert_array_equal(values[:, 0], [1000, 3000, 2000, 2000])
        assert encoder.steps_[0] == (
            "Read amounts written as text as numbers: price ('$1,000' as 1000)."
        )

    def test_new_rows_may_hold_plain_numbers(self):
        encoder = TableEncoder(scale=False).fit(self.frame)
        new = encoder.transform(pd.DataFrame({"price": [5.0], "b": [1.0]}))
        assert new[0, 0] == 5.0

    def test_new_rows_that_are_none_are_refused(self):
        encoder = TableEncoder(scale=False).fit(self.frame)
        with pytest.raises(InputError, match=r"price held amounts such as .*Got 'soon' in row 0"):
            encoder.transform(pd.DataFrame({"price": ["soon"], "b": [1.0]}))
