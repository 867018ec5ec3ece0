"""The dense solver: its basis against the whole eigenvectors, and matrices that are no kernels."""

import numpy as np
import pytest

from reldim import kernels
from reldim.eigensolvers.dense import check_eigenvalues, decompose_dense, dense_bytes
from reldim.exceptions import InputError, KernelMatrixError, KernelMatrixWarning
from reldim.spectrum.gram import Gram

X = np.random.default_rng(0).normal(size=(40, 3))
K = kernels.Gaussian(2.0)(X, X)


def decomposed(**options):
    return decompose_dense(Gram.of(kernels.Gaussian(2.0), X), **options)


@pytest.mark.parametrize("center", [False, True])
def test_against_eigh(center):
    H = np.eye(40) - center / 40
    expected = np.linalg.eigvalsh(H @ K @ H / 40)[::-1]
    spectrum = decomposed(center=center)
    np.testing.assert_allclose(spectrum.eigenvalues, np.maximum(expected, 0.0), atol=1e-15)
    U = spectrum.eigenvectors
    np.testing.assert_allclose(U.T @ U, np.eye(40), atol=1e-12)
    np.testing.assert_allclose(H @ K @ H @ U, 40 * U * spectrum.eigenvalues, atol=1e-12)


def test_what_was_not_asked_for_is_not_formed_and_changes_nothing():
    values = np.random.default_rng(1).normal(size=(40, 2))
    spectrum = decomposed()
    before = spectrum.combine(values[:7])
    U = spectrum.basis.vectors(9)
    np.testing.assert_allclose(before, U[:, :7] @ values[:7], atol=1e-13)
    np.testing.assert_allclose(spectrum.combine(values[:7]), before, atol=1e-13)
    np.testing.assert_allclose(spectrum.project(values)[:9], U.T @ values, atol=1e-13)


def test_leading_pairs_are_those_of_all():
    few = decomposed(rank=5)
    assert few.eigenvectors.shape == (40, 5)
    np.testing.assert_array_equal(few.eigenvalues, decomposed().eigenvalues[:5])
    with pytest.raises(InputError, match="from 0 to 5"):
        few.basis.vectors(6)


def test_memory_grows_with_the_square():
    assert dense_bytes(2000) == 4 * dense_bytes(1000) == 2 * dense_bytes(2000, itemsize=4)


@pytest.mark.parametrize("share", [1e-12, 1e-8, 1e-2])
def test_negative_eigenvalues_by_their_size(share, recwarn):
    values = np.array([1.0, 0.5, -share])
    if share > 1e-6:
        with pytest.raises(KernelMatrixError):
            check_eigenvalues(values, 3)
        return
    checked = check_eigenvalues(values, 3)
    assert checked.tolist() == [1.0, 0.5, 0.0]
    assert [warning.category for warning in recwarn] == [KernelMatrixWarning] * (share > 1e-10)
