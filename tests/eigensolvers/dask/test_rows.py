"""Rows in blocks: taken, folded and counted once."""

import numpy as np
import pytest

from lazily import KERNEL, lazy, problem
from reldim import decompose
from reldim.eigensolvers import in_blocks
from reldim.eigensolvers.dask.rows import rows_of_a_block
from reldim.exceptions import InputError
from reldim.inputs.duplicates import group_rows, independent_part
from reldim.inputs.rows import fold, row_numbers

pytestmark = pytest.mark.usefixtures("small_blocks")


class TestRows:
    def test_copies_count_once(self, monkeypatch):
        X, y = problem(90)
        X, y = np.tile(X, (2, 1)), np.tile(y, 2)[:, None]
        monkeypatch.setattr("reldim.eigensolvers.dask.buckets.BUCKET_ROWS", 50)
        blocks = in_blocks(lazy(X, 40)).prepared(KERNEL)
        expected = independent_part(y, group_rows(X))
        assert independent_part(blocks.column(y), group_rows(blocks)) == pytest.approx(expected)
        assert expected[0] == 90

    def test_taken_in_the_order_asked_for(self):
        X, _ = problem(300)
        blocks = in_blocks(lazy(X)).prepared(KERNEL)
        index = np.array([299, 0, 64, 63, 150, 0])
        np.testing.assert_array_equal(blocks.take(index), X[index])

    def test_folded(self):
        X, y = problem(300)
        blocks = in_blocks(lazy(X)).prepared(KERNEL)
        for points, column in ((X, y), (blocks, blocks.column(y))):
            total = fold(points, lambda rows, own: rows.T @ own, np.add, column)
            np.testing.assert_allclose(total, X.T @ y)
        np.testing.assert_array_equal(row_numbers(blocks), np.arange(300))

    def test_blocks_are_whole_multiples_and_not_too_many(self, monkeypatch):
        monkeypatch.setattr("reldim.eigensolvers.dask.rows.threads", lambda: 2)
        assert rows_of_a_block(100) == 64
        assert rows_of_a_block(10**9) % 64 == 0
        assert 10**9 / rows_of_a_block(10**9) <= 1024

    def test_points_of_a_cluster_are_not_indexed(self):
        X, _ = problem(100)
        with pytest.raises(InputError, match=r"needs the data in memory.*X.compute"):
            in_blocks(lazy(X))[3]

    def test_what_many_tasks_share_is_in_a_graph_once(self):
        X, _ = problem(500)
        graph = decompose(KERNEL, lazy(X), rank=60).eigenvectors.__dask_graph__()
        functions = [key for key in dict(graph) if str(key).startswith("function")]
        assert len(functions) == 1
