"""Weights of rows, and rows that stand for several."""

import numpy as np
import pytest

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.row_weights import (
    checked_weights,
    counted_rows,
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


@pytest.mark.parametrize("classes", [False, True])
def test_the_first_of_equal_rows_has_the_weight_of_all(classes):
    X = np.array([[1.0], [2.0], [1.0], [1.0], [2.0]])
    y = np.array(list("abaab")) if classes else np.array([[0.0], [5.0], [0.0], [1.0], [5.0]])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    found, plain = (with_copies(w, X, y, classes=classes) for w in (weights, None))
    # Of numbers the fourth row has the features of the first, but not its target.
    assert found.tolist() == ([13.0, 18.0, 0, 0, 0] if classes else [5.0, 18.0, 0, 8.0, 0])
    assert plain.tolist() == ([3.0, 2.0, 0, 0, 0] if classes else [2.0, 2.0, 0, 1.0, 0])


@pytest.mark.parametrize("names", ["abc", "acb", "bca", [1, 2, 3], [9.0, 1.0, 4.0]])
def test_classes_of_equal_rows_that_differ_are_measurements_whatever_they_are_called(names):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(60, 1)).astype(float)
    weights = rng.uniform(1, 2, size=60)
    differing, agreeing = rng.integers(0, 3, size=60), X[:, 0].astype(int) % 3
    y = np.array(list(names))[differing]
    assert with_copies(None, X, y, classes=True) is None
    assert with_copies(weights, X, y, classes=True) is weights
    y = np.array(list(names))[agreeing]
    assert np.count_nonzero(with_copies(None, X, y, classes=True)) == 4


def test_rows_of_no_weight_do_not_tell_whether_classes_differ():
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [1.0]]), np.array(list("aabbb"))
    assert with_copies(None, X, y, classes=True) is None
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    assert with_copies(weights, X, y, classes=True).tolist() == [2.0, 0.0, 2.0, 0.0, 0.0]


def test_numbers_are_copies_whatever_their_type():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(40, 1)).astype(float), rng.integers(0, 5, size=40)
    whole, floats = (with_copies(None, X, y.astype(t), classes=False) for t in (int, float))
    assert whole.tolist() == floats.tolist()


def test_rows_that_differ_keep_their_weights():
    X, weights = np.arange(4.0)[:, None], np.arange(4.0)
    assert with_copies(weights, X, X, classes=False) is weights
    assert with_copies(None, X, X, classes=False) is None


def test_rows_that_all_count_alike_stay_as_they_are():
    X, y = np.arange(4.0)[:, None], np.arange(4.0)
    rows, targets, counts = counted_rows(X, y, np.full(4, 2.0))
    assert rows is X
    assert targets is y
    assert counts is None
    rows, targets, counts = counted_rows(X, y, [0, 2, 2, 2])
    assert targets.tolist() == [1.0, 2.0, 3.0]
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
    with pytest.raises(InputError, match="none has more than 99.9 % of the weight"):
        counted_rows(X, y, np.array([1.0, 1e9, 1.0]))


@pytest.mark.parametrize("size", [1e307, 1e-310])
def test_sums_of_very_large_and_very_small_weights_are_numbers(size):
    weights = checked_weights(size * np.array([1.0, 2.0, 4.0]), 3)
    assert weights == pytest.approx([0.25, 0.5, 1.0])
