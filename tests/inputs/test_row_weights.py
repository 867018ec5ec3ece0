"""Weights of rows, and rows that stand for several."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.row_weights import (
    checked_weights,
    counted_rows,
    independent_rows,
    with_copies,
)


@pytest.mark.parametrize("equal", [None, 2.0, [1, 1, 1], np.full(3, 0.25)])
def test_equal_weights_are_none(equal):
    assert checked_weights(equal, 3) is None


def test_weights_are_a_copy():
    given = np.array([1.0, 0.0, 2.5])
    weights = checked_weights(given, 3)
    given[0] = 7.0
    assert weights.tolist() == [1.0, 0.0, 2.5]


@pytest.mark.parametrize(
    "weights, kind, said",
    [
        ("abc", InputTypeError, "one number per row"),
        ([1.0, 2.0], InputError, r"each of the 3 rows. Got shape \(2,\)"),
        ([1.0, np.nan, 1.0], InputError, "nan in row 1"),
        ([1.0, 1.0, -2.0], InputError, r"-2.0 in row 2"),
        ([0.0, 0.0, 0.0], InputError, "zero for every row"),
    ],
)
def test_what_is_refused(weights, kind, said):
    with pytest.raises(kind, match=said):
        checked_weights(weights, 3)


def test_the_first_of_equal_rows_has_the_weight_of_all():
    X = np.array([[1.0], [2.0], [1.0], [1.0], [2.0]])
    y = np.array([[0.0], [5.0], [0.0], [0.1], [5.0]])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    # The fourth row has the features of the first, but not quite its target.
    assert with_copies(weights, X, y).tolist() == [5.0, 18.0, 0.0, 8.0, 0.0]
    assert with_copies(None, X, y).tolist() == [2.0, 2.0, 0.0, 1.0, 0.0]


def test_measurements_are_no_copies():
    X = np.array([[1.0], [2.0], [1.0], [1.0], [2.0]])
    y = np.array([0.0, 5.0, 0.0, 5.0, 0.0])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert with_copies(weights, X, y) is weights
    assert with_copies(None, X, y) is None


def test_rows_that_differ_keep_their_weights():
    X, weights = np.arange(4.0)[:, None], np.arange(4.0)
    assert with_copies(weights, X, X) is weights
    assert with_copies(None, X, X) is None


TARGETS = pytest.mark.parametrize(
    "y", [np.array([0.0, 5.0, 0.0, 9.0, 5.0]), np.array(list("abaxb")), np.array([3, 1, 3, 9, 1])]
)


@TARGETS
def test_copies_are_brought_together_and_rows_of_no_weight_are_left_out(y):
    X = np.array([[1.0], [2.0], [1.0], [3.0], [2.0]])
    rows, targets, counts = independent_rows(X, y, [1.0, 0.0, 4.0, 0.0, 16.0])
    assert rows.ravel().tolist() == [1.0, 2.0]
    assert targets.tolist() == [y[0], y[1]]
    assert counts.tolist() == [5.0, 16.0]


@TARGETS
def test_measurements_stay(y):
    X = np.array([[1.0], [1.0], [2.0], [2.0], [2.0]])
    for weights in (None, np.ones(5)):
        rows, targets, counts = independent_rows(X, y, weights)
        assert rows.tolist() == X.tolist()
        assert targets.tolist() == y.tolist()
        assert counts is None
    rows, targets, counts = independent_rows(X, y, [2, 0, 1, 3, 1])
    assert rows.ravel().tolist() == [1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert targets.tolist() == y[[0, 0, 2, 3, 3, 3, 4]].tolist()
    assert counts is None
    rows, targets, counts = independent_rows(X, y, [0.5, 0.0, 1, 1.5, 2])
    assert targets.tolist() == y[[0, 2, 3, 4]].tolist()
    assert counts.tolist() == [0.5, 1, 1.5, 2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=3))
def test_whole_weights_are_repeated_rows(rows):
    X, y, counts = np.array(rows).T
    # Equal weights are none, whatever their size.
    assume(np.ptp(counts) > 0 and counts.sum() > 1)

    def told(*given):
        X, y, weights = independent_rows(*given)
        weights = np.ones(len(y)) if weights is None else weights
        found = sorted(zip(X.ravel().tolist(), y.tolist(), weights.tolist(), strict=True))
        # Where all count the same, how much does not matter.
        return [(x, target, weight / found[0][2]) for x, target, weight in found]

    X = X[:, None].astype(float)
    assert told(X, y, counts) == told(X.repeat(counts, axis=0), y.repeat(counts), None)


def test_rows_that_all_count_alike_stay_as_they_are():
    X, y = np.arange(4.0)[:, None], np.arange(4.0)
    for bring in (counted_rows, independent_rows):
        rows, targets, counts = bring(X, y, np.full(4, 2.0))
        assert rows is X
        assert targets is y
        assert counts is None


def test_weights_count_beside_the_largest():
    X, y = np.arange(4.0)[:, None], np.arange(4.0)
    rows, targets, counts = counted_rows(X, y, [0.0, 4.0, 1e-20, 8.0])
    assert rows.ravel().tolist() == targets.tolist() == [1.0, 3.0]
    assert counts.tolist() == [0.5, 1.0]


def test_a_single_row_that_counts_is_refused():
    X, y = np.arange(3.0)[:, None], np.arange(3.0)
    with pytest.raises(InputError, match="sample_weight leaves a single row"):
        counted_rows(X, y, np.array([0.0, 1.0, 0.0]))


@pytest.mark.parametrize("size", [1e307, 1e-310])
def test_sums_of_very_large_and_very_small_weights_are_numbers(size):
    weights = checked_weights(size * np.array([1.0, 2.0, 4.0]), 3)
    assert weights == pytest.approx([0.25, 0.5, 1.0])
