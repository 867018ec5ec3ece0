"""Frames that come back in the library that the data came in, with a stand-in for polars."""

import sys
import types

import numpy as np
import pandas as pd
import pytest

from reldim import compare, datasets, diagnose, find_label_issues
from reldim.tables.columns import as_given, library_of


class Column:
    def __init__(self, values):
        self.values = np.asarray(values)

    def to_numpy(self):
        return self.values


class Frame:
    """What as_pandas and as_given ask of a frame of polars."""

    __module__ = "polars.dataframe.frame"

    def __init__(self, columns, *, strict=True):
        del strict
        self._columns = dict(columns)
        self.columns = list(columns)
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def __getitem__(self, name):
        return Column(self._columns[name])

    def __len__(self):
        return self.shape[0]


@pytest.fixture
def polars(monkeypatch):
    module = types.ModuleType("polars")
    module.DataFrame, module.Series = Frame, Column
    monkeypatch.setitem(sys.modules, "polars", module)


DATA = datasets.noisy_sinc(60, noise=0.1, random_state=0)


@pytest.mark.usefixtures("polars")
def test_tables_of_a_diagnosis_and_a_comparison():
    frame = Frame({"x": DATA.X[:, 0], "y": DATA.y})
    found = diagnose(frame, "y", references=False)
    plain = diagnose(pd.DataFrame({"x": DATA.X[:, 0], "y": DATA.y}), "y", references=False)
    for name in ("candidates", "references", "label_issues"):
        theirs, ours = getattr(found, name), getattr(plain, name)
        assert isinstance(theirs, Frame)
        assert theirs.columns == ours.columns.tolist()
    assert found.columns.columns[0] == "name"
    assert isinstance(find_label_issues(frame, "y"), Frame)
    assert isinstance(find_label_issues(found), Frame)
    assert found.review_labels().conclusion == plain.review_labels().conclusion
    both = compare({"a": frame, "b": Frame({"z": DATA.X[:, 0] ** 2, "y": DATA.y})}, "y")
    assert isinstance(both.table, Frame)
    assert isinstance(both.differences, Frame)
    assert both.best in str(both)
    mixed = compare({"a": frame, "b": DATA.X**2}, "y")
    assert isinstance(mixed.table, pd.DataFrame)


def test_without_polars_pandas_is_what_there_is(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    frame = pd.DataFrame({"a": [1]})
    assert as_given(frame, "polars") is frame
    assert library_of(Frame({"a": [1]})) == "polars"
    assert library_of(Column([1])) == library_of(frame) == "pandas"
