"""Dates written as text: read in one order, odd cells missing, and others refused later."""

import numpy as np
import pandas as pd
import pytest

import reldim
from reldim.exceptions import InputError
from reldim.tables.preparation import TableEncoder, prepare_table
from reldim.tables.written_dates import Dates, date_parts, dates_in

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


def daily_sales(seed, n=500):
    """Days, a promotion, sales that follow weekday and season, and their share of noise."""
    rng = np.random.default_rng(seed)
    days = pd.Series(pd.date_range("2021-03-01", periods=n))
    promotion = rng.random(n) < 0.2
    week = np.array([0, 0, 0, 0, 0.1, 0.4, 0.4])[days.dt.day_of_week]
    season = 0.25 * np.sin(2 * np.pi * days.dt.day_of_year / 365.25)
    mean = (100 * (1 + week) * (1 + season) * (1 + 0.2 * promotion)).to_numpy()
    sales = mean + 0.3 * mean.std() * rng.normal(size=n)
    frame = pd.DataFrame({"day": days.dt.strftime("%d.%m.%Y"), "promotion": promotion})
    return frame, sales, 0.09 / 1.09


def test_weekday_and_season_are_learned_from_one_column():
    X, y, noise = daily_sales(0)
    found = reldim.diagnose(X, y, references=False)
    assert noise < found.error_estimate < 1.6 * noise
    assert [*found.columns.index] == ["day", "promotion"]


class TestParts:
    def test_what_repeats_comes_back_to_where_it_was(self):
        dates = pd.Series(pd.to_datetime(["2023-12-31", "2024-01-01", "2023-07-01"]))
        parts = date_parts(dates)
        year = np.column_stack([parts["time of year (sin)"], parts["time of year (cos)"]])
        assert np.linalg.norm(year[0] - year[1]) < 0.03
        assert np.linalg.norm(year[0] - year[2]) > 1.9

    @pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
    def test_weekdays_and_times_are_local(self, zone):
        dates = pd.Series(pd.date_range("2024-01-01", periods=14, freq="D", tz=zone))
        parts = date_parts(dates + pd.Timedelta(hours=6))
        assert parts["weekday = Monday"].tolist() == [1, 0, 0, 0, 0, 0, 0] * 2
        np.testing.assert_allclose(parts["time of day (sin)"], 1.0)
        total = sum(parts[name] for name in parts if name.startswith("weekday"))
        assert total.tolist() == [1.0] * 14

    def test_missing_dates_are_missing_throughout(self):
        parts = date_parts(pd.Series([pd.Timestamp(0), pd.NaT]))
        assert all(np.isnan(values[1]) for values in parts.values())
        assert not any(np.isnan(values[0]) for values in parts.values())
