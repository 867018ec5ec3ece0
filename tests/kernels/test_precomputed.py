"""Matrices in place of data."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from reldim.exceptions import InputError, KernelMatrixError
from reldim.kernels import Gaussian, Linear, Precomputed

POINTS = np.random.default_rng(0).normal(size=(6, 2))
NEW = np.random.default_rng(1).normal(size=(4, 2))
K = Gaussian(width=1.0)(POINTS)
K_NEW = Gaussian(width=1.0)(NEW, POINTS)


def test_matrix_comes_back():
    np.testing.assert_array_equal(Precomputed()(K), K)
    np.testing.assert_array_equal(Precomputed()(K_NEW, K), K_NEW)
    np.testing.assert_array_equal(Precomputed().diagonal(K), np.diag(K))


def test_whole_matrix_is_not_copied():
    points = Precomputed().prepare(K)
    assert Precomputed().matrix(points, points) is K
    assert np.shares_memory(Precomputed().matrix(points[1:3], points), K)


def test_all_points_in_another_order():
    points = Precomputed().prepare(K)
    order = np.array([3, 1, 0, 2, 5, 4])
    np.testing.assert_array_equal(Precomputed().matrix(points, points[order]), K[:, order])


def test_slices_of_slices():
    points = Precomputed().prepare(K)
    part = points[np.array([5, 0, 3])][1:]
    assert part.shape[0] == 2
    np.testing.assert_array_equal(Precomputed().matrix(part, part), K[np.ix_([0, 3], [0, 3])])
    np.testing.assert_array_equal(Precomputed().diagonal_of(part), K[[0, 3], [0, 3]])


def test_new_points_against_some_of_the_training_points():
    points = Precomputed().prepare(K)
    new = Precomputed().prepare(K_NEW, reference=points)
    some = points[np.array([4, 2])]
    np.testing.assert_array_equal(Precomputed().matrix(new, some), K_NEW[:, [4, 2]])
    np.testing.assert_array_equal(Precomputed().matrix(new[2:], points), K_NEW[2:])
    beside_some = Precomputed().prepare(K_NEW, reference=some)
    np.testing.assert_array_equal(Precomputed().matrix(beside_some, some), K_NEW[:, [4, 2]])


def test_composed_with_itself():
    k = (Precomputed() * Precomputed() + 2.0 * Precomputed()).normalized()
    expected = K**2 + 2 * K
    lengths = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(k(K), expected / np.outer(lengths, lengths), rtol=1e-14)


def test_beside_a_function_of_the_rows():
    def inner(X, Z):
        return X @ Z.T

    k = Precomputed() + inner
    np.testing.assert_allclose(k(K), K + K @ K.T, rtol=1e-14)
    np.testing.assert_allclose(k(K_NEW, K), K_NEW + K_NEW @ K.T, rtol=1e-14)
    np.testing.assert_allclose(k.diagonal(K), np.diag(K + K @ K.T), rtol=1e-14)


@pytest.mark.parametrize("X", [K.tolist(), pd.DataFrame(K), K.astype(object)], ids=type)
def test_forms(X):
    matrix = Precomputed()(X)
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, K)


def test_float32_stays_and_integers_become_float64():
    assert Precomputed()(K.astype(np.float32)).dtype == np.float32
    assert Precomputed()(np.eye(3, dtype=int)).dtype == np.float64


def test_asymmetric_matrix_is_left_to_the_decomposition():
    matrix = np.array([[1.0, 2.0], [3.0, 1.0]])
    np.testing.assert_array_equal(Precomputed()(matrix), matrix)


@pytest.mark.parametrize(
    "X, message",
    [
        (K_NEW, r"must have shape \(n, n\)\. Got \(4, 6\) instead: pass the kernel values"),
        (np.ones(3), r"must have shape \(n, n\)\. Got \(3,\) instead"),
        (np.ones((0, 0)), r"must have shape \(n, n\)\. Got \(0, 0\) instead"),
        (np.ones((2, 2, 2)), r"Got \(2, 2, 2\) instead"),
        ([[1.0, 2.0], [2.0]], r"numbers only\. Got entries that are not"),
        (np.array([[object()]]), r"numbers only\. Got entries that are not"),
        ([["a"]], r"real numbers\. Got entries of type <U1"),
        ([[1j]], r"real numbers\. Got entries of type complex128"),
        ([[1.0, 0.0], [np.nan, 1.0]], r"finite numbers only.* first in row 1, column 0"),
        ([[np.inf]], r"finite numbers only.* first in row 0, column 0"),
    ],
)
def test_refusals(X, message):
    with pytest.raises(KernelMatrixError, match=message):
        Precomputed()(X)


def test_sparse_matrix_is_refused():
    with pytest.raises(InputError, match=r"must be dense\. Got a sparse one: pass K\.toarray"):
        Precomputed()(sparse.csr_array(K))


def test_new_points_need_a_column_for_each_training_point():
    message = r"must have 6 columns, one for each training point\. Got shape \(4, 5\)"
    with pytest.raises(InputError, match=message):
        Precomputed()(K_NEW[:, :5], K)
    with pytest.raises(KernelMatrixError, match=r"must have shape \(m, n\)\. Got \(6,\)"):
        Precomputed()(K_NEW[0], K)


def test_diagonal_of_new_points_is_unknown():
    points = Precomputed().prepare(K)
    new = Precomputed().prepare(K_NEW, reference=points)
    with pytest.raises(InputError, match="diagonal of new points is unknown"):
        Precomputed().diagonal_of(new)
    with pytest.raises(InputError, match="diagonal of new points is unknown"):
        Precomputed().normalized()(K_NEW, K)


def test_kernel_between_new_points_is_unknown():
    points = Precomputed().prepare(K)
    new = Precomputed().prepare(K_NEW, reference=points)
    with pytest.raises(InputError, match="kernel between new points is unknown"):
        Precomputed().matrix(new, new)


def test_not_beside_kernels_of_vectors():
    with pytest.raises(InputError, match=r"Precomputed\(\) on precomputed and Linear\(\) on vec"):
        Precomputed() + Linear()
