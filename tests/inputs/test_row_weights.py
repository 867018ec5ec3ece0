"""Weights of rows, and rows that stand for several."""

import numpy as np
import pytest

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.row_weights import checked_weights, counted_rows, with_copies


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
    y = np.array([[0.0], [5.0], [0.0], [1.0], [5.0]])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    # The fourth row has the features of the first, but not its target.
    assert with_copies(weights, X, y).tolist() == [5.0, 18.0, 0.0, 8.0, 0.0]
    assert with_copies(None, X, y).tolist() == [2.0, 2.0, 0.0, 1.0, 0.0]


def test_rows_that_differ_keep_their_weights():
    X, weights = np.arange(4.0)[:, None], np.arange(4.0)
    assert with_copies(weights, X, X) is weights
    assert with_copies(None, X, X) is None


@pytest.mark.parametrize(
    "y", [np.array([0.0, 5.0, 0.0, 1.0, 5.0]), np.array(list("abaob")), np.array([3, 1, 3, 2, 1])]
)
def test_rows_that_count_are_kept_with_what_they_stand_for(y):
    X = np.array([[1.0], [2.0], [1.0], [1.0], [2.0]])
    rows, targets, counts = counted_rows(X, y, np.array([1.0, 0.0, 4.0, 0.0, 16.0]))
    assert rows.ravel().tolist() == [1.0, 2.0]
    assert targets.tolist() == [y[0], y[1]]
    assert counts.tolist() == [5.0, 16.0]


def test_rows_that_all_count_alike_stay_as_they_are():
    X, y = np.arange(4.0)[:, None], np.arange(4.0)
    rows, targets, counts = counted_rows(X, y, np.full(4, 2.0))
    assert rows is X
    assert targets is y
    assert counts is None


def test_a_single_row_that_counts_is_refused():
    X, y = np.arange(3.0)[:, None], np.arange(3.0)
    with pytest.raises(InputError, match="sample_weight leaves a single row"):
        counted_rows(X, y, np.array([0.0, 1.0, 0.0]))
