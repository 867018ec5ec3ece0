"""Buckets: rows with equal keys meet, wherever their blocks are."""

import dask
import numpy as np
import pytest

from reldim.eigensolvers.dask import buckets
from reldim.eigensolvers.dask.buckets import first_rows, fold_buckets
from reldim.eigensolvers.dask.tasks import Graph, task

KEYS = np.array([7, 3, 7, 9, 3, 3, 8, 7, 0], dtype=np.uint64)
SIZES = (4, 3, 2)
BLOCKS = np.split(KEYS, np.cumsum(SIZES)[:-1])


@pytest.fixture(params=[2, 4, 100])
def parts(request, monkeypatch):
    monkeypatch.setattr(buckets, "BUCKET_ROWS", request.param)
    return [task(np.array, block.tolist(), np.uint64) for block in BLOCKS]


def test_every_key_is_seen_by_one_call(parts):
    columns = [[task(np.array, [float(key) for key in block]) for block in BLOCKS]]
    seen = fold_buckets(parts, len(KEYS), columns, counted, merged)
    assert seen == {key: KEYS.tolist().count(key) for key in KEYS.tolist()}


def counted(keys, values):
    np.testing.assert_array_equal(keys, values)
    return {key: keys.tolist().count(key) for key in keys.tolist()}


def merged(one, other):
    assert not one.keys() & other.keys()
    return one | other


def test_the_first_row_of_each_key_is_marked(parts):
    (marks,) = dask.compute(Graph(first_rows(parts, SIZES)), scheduler="sync")
    expected = [KEYS.tolist().index(key) == place for place, key in enumerate(KEYS.tolist())]
    assert np.concatenate(marks).tolist() == expected
