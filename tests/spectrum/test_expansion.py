"""Functions of new points against the components that they are made of."""

import numpy as np
import pytest
from scipy import sparse

from oracles import centred_kernels, leading_components
from reldim import decompose, kernels
from reldim.exceptions import InputError
from reldim.spectrum import gram
from reldim.spectrum.expansion import Expansion

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
NEW = rng.normal(size=(8, 2))
COEFFICIENTS = rng.normal(size=(5, 3))
OFFSET = np.array([1.0, -2.0, 0.5])
KERNEL = kernels.Gaussian(width=1.0)


@pytest.mark.parametrize("center", [False, True])
def test_sum_of_components(center):
    spectrum = decompose(KERNEL, X, center=center)
    K, K_new = KERNEL(X), KERNEL(NEW, X)
    if center:
        K, K_new = centred_kernels(K, K_new)
    expansion = Expansion.of(spectrum, COEFFICIENTS, OFFSET)
    signs = np.sign(np.sum(spectrum.eigenvectors[:, :5] * leading_components(K, 5), axis=0))
    expected = leading_components(K, 5, K_new) * signs @ COEFFICIENTS + OFFSET
    np.testing.assert_allclose(expansion(NEW), expected, atol=1e-9)
    at_data = spectrum.eigenvectors[:, :5] @ COEFFICIENTS + OFFSET
    np.testing.assert_allclose(expansion(X), at_data, atol=1e-9)
    by_components = spectrum.components(NEW, 5) @ COEFFICIENTS + OFFSET
    np.testing.assert_allclose(expansion(NEW), by_components, atol=1e-9)


def test_no_components_leave_the_constant():
    expansion = Expansion.of(decompose(KERNEL, X), np.empty((0, 3)), OFFSET)
    np.testing.assert_array_equal(expansion(NEW), np.tile(OFFSET, (8, 1)))


def test_blocks_change_nothing(monkeypatch):
    expansion = Expansion.of(decompose(KERNEL, X), COEFFICIENTS, OFFSET)
    whole = expansion(NEW)
    monkeypatch.setattr(gram, "BLOCK_BYTES", 8 * 30 * 3)
    np.testing.assert_allclose(expansion(NEW), whole, rtol=1e-14)


def test_the_offset_is_not_changed():
    offset = OFFSET.copy()
    Expansion.of(decompose(KERNEL, X, center=True), COEFFICIENTS, offset)
    np.testing.assert_array_equal(offset, OFFSET)


def test_precomputed_takes_rows_of_the_matrix():
    expansion = Expansion.of(decompose(kernels.Precomputed(), KERNEL(X)), COEFFICIENTS, OFFSET)
    same = Expansion.of(decompose(KERNEL, X), COEFFICIENTS, OFFSET)
    np.testing.assert_allclose(expansion(KERNEL(NEW, X)), same(NEW), atol=1e-9)


def test_sparse_rows():
    expansion = Expansion.of(decompose(KERNEL, X), COEFFICIENTS, OFFSET)
    np.testing.assert_allclose(expansion(sparse.csr_array(NEW)), expansion(NEW), atol=1e-10)


def test_precision_is_that_of_the_kernel():
    single = Expansion.of(decompose(KERNEL, X.astype(np.float32)), COEFFICIENTS, OFFSET)
    assert single(NEW.astype(np.float32)).dtype == np.float32
    assert single(NEW).dtype == np.float64


def test_new_points_must_fit():
    expansion = Expansion.of(decompose(KERNEL, X), COEFFICIENTS, OFFSET)
    with pytest.raises(InputError, match="same number of columns. Got 1 and 2"):
        expansion(NEW[:, :1])


@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_values_beyond_single_precision_are_given_in_double(unit):
    X = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    kernel = kernels.Gaussian(1.0)
    weights = unit * np.random.default_rng(1).normal(size=(20, 1))
    values = Expansion(kernel, X, X, weights, np.zeros(1))(X)
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, kernel(X).astype(np.float64) @ weights, rtol=1e-4)
    assert Expansion(kernel, X, X, weights / unit, np.zeros(1))(X).dtype == np.float32
