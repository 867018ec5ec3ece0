"""The plot of a forecast."""

from types import SimpleNamespace

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import plots

pytest.importorskip("matplotlib")


class TestForecast:
    def test_draws_errors_and_intervals(self, diagnosis):
        forecast = diagnosis.forecast([60, 120, 240, 600])
        display = plots.ForecastDisplay.from_forecast(forecast)
        assert_readable(display.ax_)
        np.testing.assert_array_equal(display.line_.get_xdata(), forecast.rows)
        np.testing.assert_array_equal(display.line_.get_ydata(), forecast.error)
        drawn = display.interval_.get_paths()[0].vertices
        for x, low, high in zip(forecast.rows, forecast.lower, forecast.upper, strict=True):
            heights = drawn[drawn[:, 0] == x, 1]
            assert (heights.min(), heights.max()) == (pytest.approx(low), pytest.approx(high))
        names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert f"with any number of rows: {forecast.floor:.1%}" in names
        assert "rows at hand: 60" in names

    @pytest.mark.parametrize("rows", [600, [120, 600]])
    def test_one_or_two_numbers_of_rows_have_bars(self, diagnosis, rows):
        forecast = diagnosis.forecast(rows)
        display = plots.ForecastDisplay.from_forecast(forecast)
        assert_readable(display.ax_)
        ends = [bar[:, 1] for bar in display.interval_.get_segments()]
        np.testing.assert_allclose(ends, np.column_stack([forecast.lower, forecast.upper]))

    @pytest.mark.parametrize(
        "rows, error, said",
        [
            (
                [10, 100, 1000],
                [0.6, 0.5, 0.3],
                "From 10 to 1000 rows the expected error falls from 60.0% to 30.0%",
            ),
            ([100, 1000], [0.5, 0.3], "From 100 to 1000 rows the expected error falls from 50.0%"),
            ([10, 1000], [0.5, 0.48], "the expected error falls little: 50.0% to 48.0%"),
        ],
    )
    def test_title_says_what_more_rows_bring(self, rows, error, said):
        error = np.array(error)
        forecast = SimpleNamespace(
            rows=np.array(rows), error=error, lower=error, upper=error, floor=0.1, n=10
        )
        display = plots.ForecastDisplay(forecast).plot()
        assert_readable(display.ax_)
        assert said in title(display.ax_)

    def test_a_single_number_of_rows_has_a_curve_to_it(self, diagnosis):
        display = diagnosis.forecast(600).plot()
        assert_readable(display.ax_)
        rows = display.line_.get_xdata()
        assert (rows[0], rows[-1]) == (60, 600)
        assert len(rows) > 10

    def test_no_more_rows_than_at_hand(self, diagnosis):
        display = plots.ForecastDisplay.from_forecast(diagnosis.forecast(60))
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("With 60 rows an error of")
