"""Dates written as text: read in one order, odd cells missing, and others refused later."""

import numpy as np
import pandas as pd
import pytest

import reldim
from reldim.exceptions import InputError
from reldim.tables.preparation import TableEncoder, prepare_table
from reldim.tables.written_dates import Dates, dates_in

pytest.importorskip("skrub")

N = 200
DAYS = pd.date_range("2019-11-03", periods=N)
ISO = [*DAYS.strftime("%Y-%m-%d")]


def frame_of(dates):
    return pd.DataFrame({"d": dates, "x": np.random.default_rng(0).normal(size=N)})


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%d.%m.%Y",
        "%d/%m/%y",
        "%m/%d/%Y",
        "%d-%b-%Y",
        "%d %B %Y",
        "%b %d, %Y",
    ],
)
def test_one_form(form):
    column = pd.Series([*DAYS.strftime(form)])
    dates, step = dates_in(column)
    assert dates.read(column).tolist() == [*DAYS]
    assert step is None


def test_times_in_some_rows():
    texts = [f"{text} 12:00:00" if i % 10 == 0 else text for i, text in enumerate(ISO)]
    table = prepare_table(frame_of(texts))
    assert {"d: time of year (sin)", "d: time of day (cos)", "d: total_seconds"} <= {
        *table.feature_names
    }
    assert dates_in(pd.Series(texts))[0].read(pd.Series(texts))[0] == pd.Timestamp(
        "2019-11-03 12:00"
    )


def test_an_odd_cell_is_missing_and_it_is_said():
    table = prepare_table(frame_of([*ISO[:-1], "unknown"]))
    assert "d is missing" in table.feature_names
    assert table.steps[0] == (
        "Read d as dates; 1 of 200 values is no date and counts as missing: 'unknown'."
    )
    new = pd.DataFrame({"d": ["unknown", None], "x": [0.0, 0.0]})
    unknown, missing = table.transformer.transform(new)
    np.testing.assert_array_equal(unknown, missing)


def test_moments_beside_a_text():
    column = pd.Series([*DAYS[:-1].to_pydatetime(), "soon"], dtype=object)
    dates, step = dates_in(column)
    assert dates.odd == ("soon",)
    assert "'soon'" in step


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-01-01"] * 17 + ["a", "b", "c"],  # more than one in ten
        ["2020-01-01"] * 5 + ["a"],  # too few to tell
        ["31/01/2020", "01/31/2020"] * 20,  # both orders
        ["10:30", "11:45"],
        ["2020-01-01T00:00:00Z"] * 20,  # with a zone, for skrub
        [None, "?"],
    ],
)
def test_what_is_left_alone(texts):
    assert dates_in(pd.Series(texts)) == (None, None)


class TestDayOrMonth:
    def test_left_out_with_the_reason(self):
        steps = prepare_table(
            frame_of([f"01/{1 + i % 12:02d}/{i // 12:02d}" for i in range(N)])
        ).steps
        assert steps[0] == "Left out d: another text in every row."
        assert "d looks like dates such as '01/01/00'" in steps[1]
        assert "day and month cannot be told apart: they were not read as dates" in steps[1]

    def test_skrub_takes_the_month_first_and_it_is_said(self):
        steps = prepare_table(frame_of([f"01/{1 + i % 12:02d}/{2000 + i}" for i in range(N)])).steps
        assert "they were read with the month first" in steps[1]

    def test_points_stand_behind_days(self):
        column = pd.Series(["01.02.2020", "01.03.2020"])
        assert dates_in(column)[0].read(column)[0] == pd.Timestamp("2020-02-01")


class TestNewRows:
    encoder = TableEncoder().fit(frame_of(ISO))

    def rows(self, value):
        return self.encoder.transform(pd.DataFrame({"d": [value], "x": [0.0]}))

    @pytest.mark.parametrize("value", ["2020-07-01 12:00", pd.Timestamp("2020-07-01 12:00")])
    def test_times(self, value):
        names = [*self.encoder.feature_names_]
        noon, day, none = self.rows(value)[0], self.rows("2020-07-01")[0], self.rows(None)[0]
        j = names.index("d: total_seconds")
        assert noon[j] > day[j] > none[j]

    @pytest.mark.parametrize(
        "value", ["01.07.2020", "garbage", "2020-02-30", "2020-07-01 25:00", 7, "2020-07-01T10:00Z"]
    )
    def test_no_dates_are_refused(self, value):
        with pytest.raises(
            InputError, match=f"held dates such as '2019-11-03'.*Got '{value}' in row 0"
        ):
            self.rows(value)

    @pytest.mark.parametrize("value", [None, "", "?", "NaN", pd.NaT])
    def test_missing_ones_are_missing(self, value):
        np.testing.assert_array_equal(self.rows(value), self.rows(None))

    def test_dates_that_only_skrub_reads(self):
        encoder = TableEncoder().fit(frame_of([*DAYS.strftime("%m/%d/%Y 11:00 AM")]))
        with pytest.raises(InputError, match="d held dates such as .*Got 'garbage' in row 0"):
            encoder.transform(pd.DataFrame({"d": ["garbage"], "x": [0.0]}))

    def test_moments_stay_as_they_are(self):
        assert Dates("year", "2020-01-01").read(pd.Series(DAYS)).tolist() == [*DAYS]


def test_saved_and_loaded(tmp_path):
    frame = frame_of([*ISO[:-1], "unknown"])
    model = reldim.diagnose(frame, frame["x"], kernels="linear").predictor()
    reldim.save(model, tmp_path / "model.reldim")
    again = reldim.load(tmp_path / "model.reldim")
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(InputError, match="held dates such as"):
        again.predict(frame.assign(d="garbage"))
