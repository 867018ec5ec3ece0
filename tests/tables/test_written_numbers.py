"""Amounts: numbers written with signs, read as what they say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reldim
from reldim.exceptions import InputError
from reldim.tables.preparation import TableEncoder
from reldim.tables.written_numbers import amounts_in, mostly_amounts


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


ODD = ["unknown", "-", "--", "n.d.", "#DIV/0!", "<0.01"]


class TestStrayCells:
    """Numbers with a few cells that are none."""

    @pytest.mark.parametrize("odd", ODD)
    def test_a_stray_cell_in_a_file_changes_no_verdict(self, odd, tmp_path):
        rng = np.random.default_rng(0)
        a = rng.normal(size=200)
        frame = pd.DataFrame({"a": a.astype(str), "y": 2 * a + 0.1 * rng.normal(size=200)})
        frame.loc[7, "a"] = odd
        frame.to_csv(tmp_path / "a.csv", index=False)
        read = pd.read_csv(tmp_path / "a.csv")
        found = reldim.diagnose(read, "y", kernels="linear")
        assert found.preparation[0] == (
            f"Read a as numbers; 1 of 200 values is no number and counts as missing: {odd!r}."
        )
        assert found.error_estimate < 0.05
        model = found.predictor()
        known = model.predict(pd.DataFrame({"a": [odd, None]}))
        assert known[0] == known[1]
        with pytest.raises(InputError, match="a held amounts such as .*Got 'abc' in row 0"):
            model.predict(pd.DataFrame({"a": ["abc"]}))

    @pytest.mark.parametrize(
        "cells, numbers",
        [
            ([*"0123456789" * 4, "x"], [*range(10)] * 4),
            (["1e-05", "2.5E3"] * 10 + ["x"], [1e-5, 2500] * 10),
            ([1, 2.5] * 10 + ["x"], [1, 2.5] * 10),
            (["$1,200", "$5"] * 10 + ["free"], [1200, 5] * 10),
            (["1,5", "1,234"] * 10 + ["x"], [1.5, 1.234] * 10),
            (["$5"] * 20 + ["?"], [5] * 20),
        ],
        ids=["plain", "exponents", "objects", "amounts", "commas", "a word for missing"],
    )
    def test_read(self, cells, numbers):
        column = pd.Series(cells, dtype=object, name="a")
        how, _ = mostly_amounts(column)
        values = how.read(column)
        assert values[:-1].tolist() == numbers
        assert np.isnan(values[-1])

    @pytest.mark.parametrize(
        "cells",
        [
            [*"123456789", "x"],  # too few
            ["1"] * 18 + ["x", "y"],  # one in ten
            ["1", "2"] * 10,  # no odd one
            ["1", "?"] * 20,  # nor here, and skrub reads it
            [True] * 30 + ["x"],
            ["inf"] * 30 + ["1e400"],
            [],
        ],
    )
    def test_left_alone(self, cells):
        assert mostly_amounts(pd.Series(cells, dtype=object)) is None

    def test_several_odd_cells(self):
        column = pd.Series(["7%"] * 98 + ["x", "y"], name="a")
        assert mostly_amounts(column)[1] == (
            "Read a as numbers ('7%' as 7); 2 of 100 values are no numbers and count as missing, "
            "such as 'x'."
        )

    def test_a_counter_with_a_stray_cell_is_no_feature(self):
        pytest.importorskip("skrub")
        frame = pd.DataFrame({"id": [*map(str, range(99)), "A17"], "b": np.arange(100.0)})
        assert TableEncoder().fit(frame).feature_names_ == ["b"]

    def test_plain_numbers_that_skrub_reads_are_refused_too(self):
        pytest.importorskip("skrub")
        encoder = TableEncoder().fit(pd.DataFrame({"a": ["1", "2", "4"]}))
        with pytest.raises(InputError, match="a held numbers such as '1'.*Got 'abc' in row 1"):
            encoder.transform(pd.DataFrame({"a": ["3", "abc"]}))
