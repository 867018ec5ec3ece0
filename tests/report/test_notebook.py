"""Tables for notebooks: what a comparison and a forecast show there."""

import pytest

from reldim import compare, datasets, diagnose

DATA = datasets.noisy_sinc(60, noise=0.1, random_state=0)


def test_a_comparison_shows_conclusion_and_table():
    found = compare({"<x>": DATA.X, "sign": DATA.X > 0}, DATA.y)
    page = found._repr_html_()
    assert found.conclusion.split(".")[0].replace("<x>", "&lt;x&gt;") in page
    assert page.index("&lt;x&gt;") < page.index(">sign<")
    assert "<x>" not in page
    assert "RD0" in page


def test_a_forecast_shows_one_row_per_number_of_rows():
    forecast = diagnose(DATA.X, DATA.y, references=False).forecast()
    assert forecast.rows.tolist() == [60, 120, 180, 300, 600]
    page = forecast._repr_html_()
    assert page.count("<tr>") == 6
    assert f"{forecast.error[-1]:.1%}" in page
    assert repr(forecast) == str(forecast)


def test_answers_come_back_in_the_library_of_the_data():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"x": DATA.X[:, 0], "y": DATA.y})
    found = diagnose(frame, "y")
    for table in (found.candidates, found.columns, found.references, found.label_issues):
        assert isinstance(table, pl.DataFrame)
    assert found.columns.columns[0] == "name"
    assert isinstance(compare({"a": frame, "b": frame}, "y").table, pl.DataFrame)
    assert "RD0" in str(found)
