"""Plain data: every value comes back equal and of the same type."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from reldim.exceptions import InputTypeError
from reldim.files.plain_data import PlainReader, PlainWriter

TABLE = pd.DataFrame(
    {
        "a": [1.5, np.nan, -2.0],
        "site": ["u", None, "v"],
        "kind": pd.Categorical(["k", "l", "k"]),
        "day": pd.date_range("2024-01-01", periods=3),
        "moment": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin"),
        "born": [dt.date(1990, 1, 1), dt.date(1991, 2, 3), dt.date(1992, 3, 4)],
        "flag": [True, False, True],
        "mixed": [1, "n", 2],
    }
)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.dates()
    | st.datetimes().map(lambda moment: moment.replace(fold=0))
)
PLAIN_ARRAYS = arrays.arrays(
    arrays.floating_dtypes() | arrays.integer_dtypes() | arrays.unicode_string_dtypes(),
    arrays.array_shapes(max_dims=2, max_side=4),
)


class TestPlainData:
    def same(self, value):
        writer = PlainWriter(lambda value: None)
        text = json.dumps(writer.plain(value), allow_nan=False)
        return PlainReader(writer.arrays, {}).value(json.loads(text))

    @settings(deadline=None)
    @given(
        st.recursive(
            SCALARS,
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.tuples(inner, inner)
                | st.dictionaries(SCALARS, inner, max_size=3)
            ),
            max_leaves=10,
        )
    )
    def test_values_come_back_equal_and_of_the_same_type(self, value):
        again = self.same(value)
        assert again == value
        assert repr(again) == repr(value)

    @settings(deadline=None)
    @given(PLAIN_ARRAYS)
    def test_arrays(self, array):
        again = self.same([array, array])
        assert again[0] is again[1]
        assert again[0].dtype == array.dtype
        assert again[0].tobytes() == array.tobytes()

    def test_what_json_lacks(self):
        assert self.same((float("inf"), -float("inf"))) == (float("inf"), -float("inf"))
        assert np.isnan(self.same(float("nan")))
        assert self.same([np.float64(0.1), np.int8(3), np.bool_(1), np.str_("a")]) == [
            0.1, 3, True, "a",
        ]  # fmt: skip
        assert self.same([pd.NA, pd.NaT]) == [None, None]

    def test_arrays_of_objects(self):
        again = self.same(np.array([["a", None], [1, (2, 3)]], dtype=object))
        assert again.tolist() == [["a", None], [1, (2, 3)]]
        assert again.dtype == object

    @pytest.mark.parametrize("column", ["site", "kind", "day", "moment", "born", "flag", "mixed"])
    def test_columns(self, column):
        frame = TABLE[[column]]
        pd.testing.assert_frame_equal(self.same(frame), frame)

    def test_strange_names_of_columns(self):
        frame = pd.DataFrame([[1, 2.5]], columns=["", 3])
        pd.testing.assert_frame_equal(self.same(frame), frame, check_column_type=False)

    @pytest.mark.parametrize(
        "value", [object(), {1, 2}, 1j, np.zeros(2, dtype=[("a", "f8")]), b"x", np.ma.array([1.0])]
    )
    def test_what_is_not_plain(self, value):
        with pytest.raises(InputTypeError, match="cannot be saved"):
            PlainWriter(lambda value: None).plain(value)
