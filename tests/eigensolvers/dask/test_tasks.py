"""Tasks put together to graphs: what is computed, and how often."""

import operator

import dask
import dask.array as da
import numpy as np
import pytest

from reldim.eigensolvers.dask import tasks
from reldim.eigensolvers.dask.tasks import Graph, array_parts, lazy_array_of, shared, task, tree


def computed(*parts):
    (values,) = dask.compute(Graph(parts), scheduler="sync")
    return values


def test_a_task_computes_what_it_refers_to_once():
    calls = []

    def seen(value):
        calls.append(value)
        return value + 1

    first = task(seen, 1)
    assert computed(task(operator.add, first, first), task(sum, [first, 5])) == (4, 7)
    assert calls == [1]


@pytest.mark.parametrize("count", [1, 2, 8, 9, 65])
def test_a_tree_merges_all_answers_in_order(count):
    leaves = [task(str, i) for i in range(count)]
    (merged,) = computed(tree(leaves, operator.add))
    assert merged == "".join(map(str, range(count)))


def test_what_is_shared_is_in_the_graph_once():
    array = np.arange(5.0)
    part = shared(array)
    graph = Graph([task(np.sum, part), task(np.max, part)]).__dask_graph__()
    assert len(graph) == 3
    assert computed(task(np.sum, part), task(np.max, part)) == (10.0, 4.0)


def test_chunks_of_an_array_go_there_and_back():
    X = np.arange(12.0).reshape(6, 2)
    parts = array_parts(da.from_array(X, chunks=(4, 2)))
    assert [len(value) for value in computed(*parts)] == [4, 2]
    lazy = lazy_array_of([task(operator.neg, part) for part in parts], (4, 2), X.dtype, (2,))
    assert lazy.chunks == ((4, 2), (2,))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), -X)


def test_keys_are_never_the_same():
    assert len({task(str, 1).key for _ in range(5)}) == 5
    assert tasks._new_key("x") != tasks._new_key("x")
