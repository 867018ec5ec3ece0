"""Columns by matrix products against the kernels themselves."""

import numpy as np
import pytest
from scipy import sparse

from reldim import kernels
from reldim.kernels.points import in_double
from reldim.spectrum.gram import Gram
from reldim.spectrum.kernel_columns import KernelColumns, kernel_values

X = np.random.default_rng(0).normal(loc=5.0, size=(50, 4))


def inner_product(A, B):
    """Multiply as a user would, for dense and sparse rows."""
    product = A @ B.T
    return product.toarray() if sparse.issparse(product) else product


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Gaussian(3.0),
        kernels.InverseMultiquadric(2.0),
        kernels.Laplacian(2.0),
        kernels.Gaussian(3.0, [0.5, 2.0, 0.0, 1.0]),
        kernels.ProductLaplacian(2.0, [0.5, 2.0, 0.0, 1.0]),
        kernels.Linear(),
        kernels.Gaussian(3.0) * kernels.Linear(),
        inner_product,
    ],
    ids=[
        "gaussian",
        "multiquadric",
        "laplacian",
        "weighted",
        "cityblock",
        "linear",
        "product",
        "callable",
    ],
)
@pytest.mark.parametrize(
    "points, tolerance",
    [(X, 1e-12), (X.astype(np.float32), 1e-12), (sparse.csr_array(X), 1e-12)],
    ids=["double", "single", "sparse"],
)
def test_columns_equal_the_kernel(kernel, points, tolerance):
    gram = Gram.of(kernel, points)
    columns = KernelColumns(gram.kernel, gram.points)
    points = in_double(gram.points)
    index = np.array([3, 40, 7])
    block = columns.against(slice(10, 30), columns.landmarks(gram.points[index]))
    expected = gram.kernel.matrix(points, points)
    expected = expected.toarray() if sparse.issparse(expected) else np.asarray(expected)
    np.testing.assert_allclose(block, expected[10:30][:, index], rtol=tolerance, atol=tolerance)
    assert block.dtype == np.float64


def test_columns_may_be_changed_without_harm():
    K = kernels.Gaussian(3.0)(X)
    before = K.copy()
    gram = Gram.of(kernels.Precomputed(), K)
    columns = KernelColumns(gram.kernel, gram.points)
    block = columns.against(slice(0, 50), columns.landmarks(gram.points[np.arange(5)]))
    block[:] = 0.0
    np.testing.assert_array_equal(K, before)


@pytest.mark.parametrize(
    "kernel",
    [kernels.Gaussian(3.0), kernels.Gaussian(3.0, [0.5, 2.0, 0.0, 1.0]), kernels.Laplacian(2.0)],
    ids=repr,
)
def test_values_at_new_points_equal_the_kernel(kernel):
    new = np.random.default_rng(1).normal(loc=5.0, size=(7, 4))
    np.testing.assert_allclose(kernel_values(kernel, new, X), kernel(new, X), atol=1e-13)
