"""Rows that repeat: found whatever the kind of data, and counted by what their targets say."""

import numpy as np
import pytest
from scipy import sparse

from reldim import kernels
from reldim.inputs.duplicates import group_means, group_rows, independent_part, row_keys
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


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Polynomial(3, 1.0)], ids=repr)
def test_rows_of_a_kernel_matrix_are_equal_where_those_of_the_data_are(kernel, dtype):
    # Products of matrices give equal rows entries that differ in the last digits.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)).astype(dtype)[rng.integers(60, size=60)]
    noisy = kernel(X) * (1 + 4 * np.finfo(dtype).eps * rng.uniform(-1, 1, size=(60, 60)))
    points = Gram.of(kernels.Precomputed(), noisy.astype(dtype)).points
    assert partition(group_rows(points)) == partition(group_rows(X))
    some = rng.permutation(60)[:30]
    assert partition(group_rows(points[some])) == partition(group_rows(X[some]))


def test_rows_of_a_kernel_matrix_that_differ_slightly_are_distinct():
    X = np.array([[1.0], [1.0 + 1e-12], [1.0]])
    points = Gram.of(kernels.Precomputed(), kernels.Linear()(X)).points
    assert partition(group_rows(points)) == {frozenset({0, 2}), frozenset({1})}


def test_keys_do_not_depend_on_the_precision():
    """Rows are drawn by their keys: other keys would be another sample, and another answer."""
    rows = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    np.testing.assert_array_equal(row_keys(rows), row_keys(rows.astype(np.float64)))
    sparse_rows = sparse.csr_array(rows)
    np.testing.assert_array_equal(row_keys(sparse_rows), row_keys(sparse_rows.astype(np.float64)))


def test_means_of_equal_rows():
    rng = np.random.default_rng(0)
    values, groups = rng.normal(size=(30, 2)), rng.integers(8, size=30)
    expected = [values[groups == group].mean(axis=0) for group in groups]
    np.testing.assert_allclose(group_means(values, groups), expected)
    assert group_means(values, np.arange(30)) is values


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
