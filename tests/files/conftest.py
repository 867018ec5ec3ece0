"""A table of every kind of column, and files to write."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def table():
    """Numbers, categories, dates and missing values."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)).round(3), columns=["width", "height"])
    frame["town"] = rng.choice(["Ulm", "Bonn", "Köln"], 40)
    frame["count"] = rng.integers(0, 9, 40)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 40), "D")
    frame.loc[[3, 7], "height"] = np.nan
    frame["kind"] = np.where(frame["width"] + 0.3 * frame["count"] > 1, "large", "small")
    return frame


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
