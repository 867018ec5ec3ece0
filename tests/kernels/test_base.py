"""A user's function as a kernel: what it gets, and what it may return."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import laplacian_kernel

from reldim import kernels
from reldim.exceptions import InputError, InputTypeError, KernelMatrixError

X = np.random.default_rng(0).normal(size=(5, 2))


def returning(value):
    def constant(X, Z):
        return value

    return kernels.Function(constant)


class TestAsKernel:
    def test_kernel_is_returned_as_it_is(self):
        kernel = kernels.Linear()
        assert kernels.as_kernel(kernel) is kernel

    def test_callable_is_wrapped(self):
        assert kernels.as_kernel(laplacian_kernel) == kernels.Function(laplacian_kernel)

    @pytest.mark.parametrize("other", ["rbf", 3.0, None, X], ids=type)
    def test_refusals(self, other):
        message = rf"such as Gaussian\(width=1.0\), or a function.* of type {type(other).__name__}"
        with pytest.raises(InputTypeError, match=f"(?s){message}"):
            kernels.as_kernel(other)

    def test_class_in_place_of_a_kernel(self):
        with pytest.raises(InputTypeError, match="Got the class Gaussian: create one"):
            kernels.as_kernel(kernels.Gaussian)

    def test_function_wants_a_callable(self):
        with pytest.raises(InputTypeError, match="must be a callable .* Got 3 instead"):
            kernels.Function(3)


class TestPeers:
    def test_function_of_scikit_learn(self):
        np.testing.assert_array_equal(kernels.Function(laplacian_kernel)(X), laplacian_kernel(X, X))

    def test_gaussian_process_kernel_can_be_hashed(self):
        kernel = kernels.Function(RBF(0.7))
        twin = kernels.Function(RBF(0.7))
        assert kernel == twin
        assert hash(kernel) == hash(twin)
        assert kernel != kernels.Function(RBF(0.8))
        np.testing.assert_allclose(kernel(X), kernels.Gaussian(width=0.49)(X), rtol=1e-12)


class TestValues:
    @pytest.mark.parametrize(
        "value",
        [
            np.eye(5, dtype=int),
            np.eye(5, dtype=bool),
            np.eye(5).tolist(),
            sparse.csr_array(np.eye(5)),
            pd.DataFrame(np.eye(5)),
        ],
        ids=type,
    )
    def test_become_an_array_of_float64(self, value):
        matrix = returning(value)(X)
        assert type(matrix) is np.ndarray
        assert matrix.dtype == np.float64
        np.testing.assert_array_equal(matrix, np.eye(5))

    def test_float32_stays(self):
        assert returning(np.eye(5, dtype=np.float32))(X).dtype == np.float32

    @pytest.mark.parametrize(
        "value, message",
        [
            (1.0, r"a matrix of shape \(5, 5\), .*Got shape \(\) instead: turn a function k"),
            (np.eye(4), r"a matrix of shape \(5, 5\), .*Got shape \(4, 4\) instead"),
            (np.ones(5), r"a matrix of shape \(5, 5\), .*Got shape \(5,\) instead"),
            ([[1.0], [1.0, 2.0]], r"a matrix\. "),
            (np.full((5, 5), "a"), r"real numbers\. Got entries of type <U1"),
            (np.full((5, 5), 1j), r"real numbers\. Got entries of type complex128"),
            (np.full((5, 5), np.nan), r"finite numbers\. Got NaN or infinity"),
            (np.full((5, 5), np.inf), r"finite numbers\. Got NaN or infinity"),
        ],
    )
    def test_refusals_name_the_function(self, value, message):
        with pytest.raises(
            KernelMatrixError, match=rf"^Function\(constant\) must return {message}"
        ):
            returning(value)(X)

    def test_error_inside_the_function_comes_through(self):
        def broken(X, Z):
            raise ZeroDivisionError("the user's own")

        with pytest.raises(ZeroDivisionError, match="the user's own"):
            kernels.Function(broken)(X)


class TestPoints:
    def test_function_gets_rows_of_the_data(self):
        seen = []

        def spy(X, Z):
            seen.append((X, Z))
            return np.zeros((len(X), len(Z)))

        kernels.Function(spy)(["a", "bb"], pd.Series(["c", "dd", "e"]))
        (first, second), *rest = seen
        assert first.tolist() == ["a", "bb"]
        assert second.tolist() == ["c", "dd", "e"]
        assert not rest

    def test_points_must_fit(self):
        with pytest.raises(InputError, match=r"same shape\. Got \(2,\) and \(3,\) per point"):
            kernels.Function(laplacian_kernel)(X, np.ones((4, 3)))

    def test_diagonal_by_blocks(self):
        sizes = []

        def inner(X, Z):
            sizes.append(len(X))
            return X @ Z.T

        many = np.random.default_rng(1).normal(size=(150, 3))
        diagonal = kernels.Function(inner).diagonal(many)
        np.testing.assert_allclose(diagonal, (many**2).sum(axis=1), rtol=1e-13)
        assert sizes == [64, 64, 22]
