"""Rows that repeat: found whatever the kind of data, and counted by what their targets say."""

import numpy as np
import pytest
from scipy import sparse

from reldim import kernels
from reldim.inputs.duplicates import group_rows, independent_part
from reldim.spectrum.gram import Gram


def partition(groups):
    """Tell which rows are together, whatever the numbers."""
    return {frozenset(np.flatnonzero(groups == number)) for number in set(groups)}


EXPECTED = {frozenset({0, 2}), frozenset({1}), frozenset({3})}


@pytest.mark.parametrize(
    "points",
    [
        np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0], [0.0, 2.0]]),
        np.array([[1, 2], [1, 3], [1, 2], [0, 2]], dtype=np.uint8),
        np.array([[1.0, 0.0], [1.0, 3.0], [1.0, -0.0], [0.0, 2.0]], dtype=np.float32),
        sparse.csr_array([[1.0, 0.0], [1.0, 3.0], [1.0, 0.0], [0.0, 2.0]]),
        np.array(["ab", "b", "ab", "c"], dtype=object),
        Gram.of(
            kernels.Precomputed(),
            np.array([[2.0, 0, 2, 0], [0, 1, 0, 0], [2, 0, 2, 0], [0, 0, 0, 3]]),
        ).points,
    ],
    ids=["float64", "codes", "minus zero", "sparse", "objects", "precomputed"],
)
def test_equal_rows_get_equal_numbers(points):
    assert partition(group_rows(points)) == EXPECTED


def test_rows_that_cannot_be_compared_are_distinct():
    class Opaque:
        shape = (3,)

    np.testing.assert_array_equal(group_rows(Opaque()), [0, 1, 2])


def test_without_repeats_every_row_counts():
    values = np.array([[1.0], [2.0], [3.0]])
    assert independent_part(values, np.arange(3)) == (3, 14.0)


def test_copies_count_once():
    values = np.array([[1.0], [2.0], [1.0], [2.0]])
    n, energy = independent_part(values, np.array([0, 1, 0, 1]))
    assert (n, energy) == (2, pytest.approx(10.0))


def test_repeated_measurements_count_each():
    values = np.random.default_rng(0).normal(size=(40, 1))
    n, energy = independent_part(values, np.repeat(np.arange(10), 4))
    assert (n, energy) == (40, pytest.approx(np.sum(values**2)))


def test_one_distinct_row_is_no_sample():
    values = np.array([[1.0], [1.0], [1.0]])
    assert independent_part(values, np.zeros(3, dtype=np.intp))[0] == 3
