"""Amounts: numbers written with signs, read as what they say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reldim
from reldim.exceptions import InputError
from reldim.tables.preparation import TableEncoder, prepare_table
from reldim.tables.written_numbers import amounts_in, mostly_amounts, sentinels_in


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
            ["1"] * 17 + ["x", "y", "z"],  # more than one in ten
            ["2", "3", "4", "5more"] * 10,  # a level
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


def dirty_weights(seed, n=200):
    """Numbers as text, of which every seventh has a unit or is a word; and the numbers."""
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(1, 90, n).round(1)
    cells = pd.Series(numbers.astype(str), name="m", dtype=object)
    odd = rng.permutation(n)[: n // 7]
    with_unit, unknown = odd[::2], odd[1::2]
    cells[with_unit] = [f"{numbers[i]} kg" for i in with_unit]
    cells[unknown] = "unknown"
    return cells, numbers, with_unit, unknown


class TestUnits:
    @pytest.mark.parametrize("seed", range(5))
    def test_units_and_words_are_read_and_counted(self, seed):
        cells, numbers, with_unit, unknown = dirty_weights(seed)
        how, _ = mostly_amounts(cells)
        values = how.read(cells)
        assert np.isnan(values[unknown]).all()
        known = np.setdiff1d(np.arange(len(cells)), unknown)
        np.testing.assert_array_equal(values[known], numbers[known])
        counts = [odd.count for odd in how.odd_in(cells)]
        assert counts == [len(unknown), len(with_unit)]

    def test_a_rarer_unit_is_odd(self):
        cells = pd.Series([*map(str, range(40)), "5 kg", "6 kg", "700 g"], dtype=object, name="m")
        how, step = mostly_amounts(cells)
        assert how.read(cells)[-3:].tolist()[:2] == [5, 6]
        assert how.odd == ("700 g",)
        assert "'700 g'" in step

    @pytest.mark.parametrize(
        "texts, numbers",
        [
            (["5 kg", "7.5kg", "12 Kg."], [5, 7.5, 12]),
            (["1 year", "3 years"], [1, 3]),
            (["20 °C", "-3 °C"], [20, -3]),
            (["1.200,5 km/h", "80 km/h"], [1200.5, 80]),
            (["12k", "13k"], [12, 13]),
        ],
    )
    def test_one_unit_everywhere(self, texts, numbers):
        assert read(texts) == numbers

    def test_thousands_beside_plain_numbers_are_odd(self):
        column = pd.Series(["1", "2", "3"] * 10 + ["12k", "13k"], dtype=object)
        assert mostly_amounts(column)[0].odd == ("12k", "13k")

    @pytest.mark.parametrize("texts", [["1st", "2nd"], ["10am", "9pm"], ["5 kg", "500 g"]])
    def test_several_units(self, texts):
        assert read(texts) is None


class TestSentinels:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("mark", [-999, -9999.0, 999, 99])
    def test_far_nines_are_missing_values(self, seed, mark):
        rng = np.random.default_rng(seed)
        values = rng.integers(18, 60, 300).astype(float)
        values[rng.permutation(300)[:9]] = mark
        assert sentinels_in(values) == (mark,)
        table = prepare_table(pd.DataFrame({"a": values}), scale=False)
        np.testing.assert_array_equal(table.X[:, 1], values == mark)
        assert table.X[:, 0].max() < 60
        assert table.odd[0].count == 9
        assert table.steps[0].startswith(
            f"Took {mark:g} in a for a missing value, in 9 of 300 rows"
        )

    def test_a_pile_at_minus_one(self):
        rng = np.random.default_rng(0)
        days = rng.integers(0, 400, 500).astype(float)
        days[:200] = -1
        assert sentinels_in(days) == (-1,)

    @pytest.mark.parametrize(
        "draw",
        [
            lambda rng: rng.normal(size=400),
            lambda rng: rng.normal(size=400).round(1),
            lambda rng: rng.standard_t(2, 400),
            lambda rng: rng.exponential(100, 400).round(),
            lambda rng: rng.lognormal(3, 2, 400).round(),
            lambda rng: rng.poisson(3, 400) - 1,
            lambda rng: rng.integers(0, 100, 400),
            lambda rng: rng.integers(-1, 30, 400),
            lambda rng: rng.integers(-1, 2, 400),
        ],
    )
    def test_plain_numbers_have_none(self, draw):
        for seed in range(50):
            assert sentinels_in(np.asarray(draw(np.random.default_rng(seed)), dtype=float)) == ()
