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


def test_the_first_of_equal_rows_has_the_weight_of_all():
    X = np.array([[1.0], [2.0], [1.0], [1.0], [2.0]])
    y = np.array([[1000.0], [1005.0], [1000.0], [1001.0], [1005.0]])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    many = np.arange(5.0, 60.0)[:, None]
    X, y, rest = np.vstack([X, many]), np.vstack([y, many]), np.ones(55)
    # The fourth row has the features of the first, but not its target.
    found = with_copies(np.concatenate([weights, rest]), X, y)
    assert found[:5].tolist() == [5.0, 18.0, 0.0, 8.0, 0.0]
    assert with_copies(None, X, y)[:5].tolist() == [2.0, 2.0, 0.0, 1.0, 0.0]
    assert found[5:].tolist() == rest.tolist()


NAMES = [[*"abc"], [*"acb"], [*"bca"], [1, 2, 3], [9.0, 1.0, 4.0]]


@pytest.mark.parametrize("names", NAMES)
def test_few_targets_that_differ_are_measurements_whatever_they_are(names):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(60, 1)).astype(float)
    weights = rng.uniform(1, 2, size=60)
    differing, agreeing = rng.integers(0, 3, size=60), X[:, 0].astype(int) % 3
    y = np.array(names)[differing]
    assert with_copies(None, X, y) is None
    assert with_copies(weights, X, y) is weights
    y = np.array(names)[agreeing]
    assert np.count_nonzero(with_copies(None, X, y)) == 4


def test_many_targets_that_agree_are_copies_though_others_differ():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(100, 1)).astype(float), rng.normal(size=100)
    found = with_copies(None, np.tile(X, (3, 1)), np.tile(y, 3))
    assert found.tolist() == [3.0] * 100 + [0.0] * 200


def test_rows_of_no_weight_do_not_tell_whether_targets_differ():
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [1.0]]), np.array(list("aabbb"))
    assert with_copies(None, X, y) is None
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    assert with_copies(weights, X, y).tolist() == [2.0, 0.0, 2.0, 0.0, 0.0]


def test_rows_that_are_all_the_same_stay():
    assert with_copies(None, np.ones((5, 1)), np.ones(5)) is None


def test_rows_that_differ_keep_their_weights():
    X, weights = np.arange(4.0)[:, None], np.arange(4.0)
    assert with_copies(weights, X, X) is weights
    assert with_copies(None, X, X) is None


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
