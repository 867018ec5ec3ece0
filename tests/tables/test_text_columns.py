"""Columns that are not numbers: which say something, and how skrub encodes them."""

import numpy as np
import pandas as pd
import pytest

from reldim.exceptions import FileError
from reldim.tables.text_columns import TextColumns, sort_columns

pytest.importorskip("skrub")

N = 60
FRAME = pd.DataFrame(
    {
        "town": np.array(["Ulm", "Bonn", "Kiel"])[np.arange(N) % 3],
        "day": pd.date_range("2024-01-01", periods=N),
        "empty": [None] * N,
        "name": [f"id-{i:03d}" for i in range(N)],
    }
)


def test_what_says_nothing_is_told_apart():
    assert sort_columns(FRAME) == (["town", "day"], ["empty"], ["name"])


def test_an_encoding_says_what_it_did_and_where_columns_come_from():
    columns = TextColumns(FRAME[["town", "day"]])
    assert {*columns.sources.values()} == {"town", "day"}
    assert {"town = Ulm", "town = Bonn", "town = Kiel", "day: day"} <= {*columns.names_out}
    said = " ".join(columns.steps())
    assert "Took dates apart" in said
    assert "Encoded town as categories" in said


def test_categories_are_columns_of_zeros_and_ones():
    columns = TextColumns(FRAME[["town"]])
    encoded = dict(zip(columns.names_out, columns.encode(FRAME), strict=True))
    np.testing.assert_array_equal(encoded["town = Ulm"], FRAME["town"] == "Ulm")
    unknown = columns.encode(pd.DataFrame({"town": ["Rome"]}))
    assert [column.tolist() for column in unknown] == [[0.0]] * 3


def test_a_copy_encodes_the_same_or_says_why_not():
    parts = TextColumns(FRAME[["town"]]).parts()
    again = TextColumns.from_parts(parts)
    np.testing.assert_array_equal(again.encode(FRAME), TextColumns(FRAME[["town"]]).encode(FRAME))
    with pytest.raises(FileError, match="gives other numbers"):
        TextColumns.from_parts({**parts, "mark": "another"})
