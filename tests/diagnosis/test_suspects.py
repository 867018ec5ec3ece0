"""Suspects: what columns say about rows that depend on each other."""

import numpy as np
import pandas as pd
import pytest

from reldim.diagnosis.suspects import suspected


def test_columns_that_ascend_anew_within_units_are_suspects():
    rng = np.random.default_rng(0)
    city = np.repeat(list("fbdeac"), 20)
    hour = np.concatenate([np.sort(rng.integers(0, 24, 20)) for _ in range(6)])
    frame = pd.DataFrame({"city": city, "hour": hour, "x": rng.normal(size=120)})
    y = rng.normal(size=(120, 1))
    assert [one.name for one in suspected(frame, y)] == ["city", ""]
    # In another order of rows it is a category.
    mixed = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    assert [one.name for one in suspected(mixed, y)] == [""]
    assert [one.name for one in suspected(frame[["city", "x"]], y)] == [""]


@pytest.mark.parametrize("moments", [["month"], ["year", "quarter"]])
def test_panels_are_suspects_in_any_order(moments):
    month = np.tile(np.arange(20), 9)
    frame = pd.DataFrame({"city": np.repeat(list("fbdeacghi"), 20), "month": month})
    frame = frame.assign(year=month // 3, quarter=month % 7)
    frame = frame.sample(frac=0.9, random_state=0).reset_index(drop=True)
    y = np.random.default_rng(0).normal(size=(len(frame), 1))
    assert "city" in [one.name for one in suspected(frame[["city", *moments]], y)]


def test_dates_are_an_order_whether_rows_stand_in_it_or_not():
    rng = np.random.default_rng(0)
    dates = pd.Series(pd.date_range("2024-01-01", periods=100)).sample(frac=1, random_state=0)
    frame = pd.DataFrame({"day": dates.dt.strftime("%Y-%m-%d"), "x": rng.normal(size=100)})
    names = [one.name for one in suspected(frame, rng.normal(size=(100, 1)))]
    assert names == ["day", ""]
