"""The table of a forecast."""

import numpy as np
import pytest

from reldim.diagnosis.forecast import RATES
from reldim.report.forecasts import forecast_rows
from reporting import falling_forecast


class TestForecast:
    def test_rows_ascend_from_those_at_hand(self):
        for n in (2, 3, 10, 777, 100_000):
            rows = forecast_rows(n)
            assert np.all(np.diff(rows) > 0)
            assert (rows[0], rows[-1]) == (n, 10 * n)
            assert 2 * n in rows

    def test_title_compares_with_twice_the_rows(self):
        table = falling_forecast(100, floor=0.1, excess=0.1)
        expected = 0.1 + 0.1 / 2 ** RATES["classification"]
        assert (
            table.title == f"Twice as many rows would bring the error from 20.0% to {expected:.1%}"
        )
        assert table.error[table.rows.index(200)] == pytest.approx(expected)
        assert "100 rows at hand" in table.reason
        flat = falling_forecast(100, floor=0.3, excess=0.0)
        assert flat.title == "Twice as many rows would leave the error at 30.0%"
