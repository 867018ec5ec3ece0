"""Kernels made of kernels obey the laws of arithmetic."""

import itertools

import numpy as np
import pytest

from reldim import kernels
from reldim.exceptions import InputError, InputTypeError
from reldim.kernels import Gaussian, Laplacian, Linear, Polynomial, Precomputed, WeightedDegree

X = np.random.default_rng(0).normal(size=(8, 3))
Z = np.random.default_rng(1).normal(size=(4, 3))

K1, K2, K3 = Gaussian(width=0.8), Polynomial(degree=2), Laplacian(scale=1.5)
TRIPLES = list(itertools.permutations([K1, K2, K3]))
every_order = pytest.mark.parametrize("k1, k2, k3", TRIPLES)


def close(left, right):
    np.testing.assert_allclose(left, right, rtol=1e-13)


@every_order
class TestLaws:
    def test_sum(self, k1, k2, k3):
        close((k1 + k2)(Z, X), k1(Z, X) + k2(Z, X))

    def test_product(self, k1, k2, k3):
        close((k1 * k2)(Z, X), k1(Z, X) * k2(Z, X))

    def test_product_binds_tighter_than_sum(self, k1, k2, k3):
        close((k1 + k2 * k3)(X), k1(X) + k2(X) * k3(X))
        close((k1 * k2 + k3)(X), k1(X) * k2(X) + k3(X))

    def test_brackets_are_kept(self, k1, k2, k3):
        close(((k1 + k2) * k3)(X), (k1(X) + k2(X)) * k3(X))
        close((k1 * (k2 + k3))(X), k1(X) * (k2(X) + k3(X)))
        assert not np.allclose(((k1 + k2) * k3)(X), (k1 + k2 * k3)(X))

    def test_distributive(self, k1, k2, k3):
        close(((k1 + k2) * k3)(X), (k1 * k3 + k2 * k3)(X))

    def test_associative(self, k1, k2, k3):
        close(((k1 + k2) + k3)(X), (k1 + (k2 + k3))(X))
        close(((k1 * k2) * k3)(X), (k1 * (k2 * k3))(X))

    def test_scaling(self, k1, k2, k3):
        close((2.5 * k1)(X), 2.5 * k1(X))
        close((k1 * 2.5)(X), 2.5 * k1(X))
        close((2.5 * (k1 + k2) * k3)(X), 2.5 * (k1(X) + k2(X)) * k3(X))
        close((k1 + 2.5 * k2)(X), k1(X) + 2.5 * k2(X))

    def test_diagonals_follow(self, k1, k2, k3):
        nested = (k1 + 3.0 * k2) * k3 + k1.normalized()
        close(nested.diagonal(X), np.diag(nested(X)))

    def test_normalized_has_a_unit_diagonal(self, k1, k2, k3):
        k = (k1 + k2 * k3).normalized()
        close(np.diag(k(X)), np.ones(len(X)))
        np.testing.assert_array_equal(k.diagonal(X), np.ones(len(X)))
        assert np.abs(k(X)).max() <= 1 + 1e-12

    def test_normalized_ignores_scale(self, k1, k2, k3):
        close((7.0 * (k1 + k2)).normalized()(Z, X), (k1 + k2).normalized()(Z, X))

    def test_repr_keeps_the_brackets(self, k1, k2, k3):
        nested = [
            k1 + k2 * k3,
            (k1 + k2) * k3,
            k1 + (k2 + k3),
            k1 * (k2 * k3),
            k1 * (2.0 * k2),
            2.0 * k1 * k2,
            2.0 * (3.0 * k1),
            2.0 * (k1 * k2),
            2.0 * (k1 + k2).normalized() + k3.normalized(),
            (k1 * k2).normalized() * (2.0 * k3).normalized(),
        ]
        for k in nested:
            assert eval(repr(k), vars(kernels).copy()) == k  # noqa: S307
        assert len(set(nested)) == len(nested)


def test_structure_of_a_nested_composition():
    mixed = K1 + K2 * K3
    assert mixed == kernels.Sum(K1, kernels.Product(K2, K3))
    mixed = (K1 + K2) * K3
    assert mixed == kernels.Product(kernels.Sum(K1, K2), K3)
    assert 2.0 * K1 == K1 * 2 == kernels.Scaled(K1, 2.0)
    assert K1.normalized() == kernels.Normalized(K1)
    assert K1 + K2 != K2 + K1
    assert K1 + K2 != K1 * K2


@pytest.mark.parametrize("factor", [2, 2.0, np.float64(2), np.float32(2), np.int64(2)])
def test_any_real_number_scales(factor):
    assert repr(factor * K1) == repr(K1 * factor) == "2.0 * Gaussian(width=0.8)"


def test_readable_repr():
    k = 2.0 * (Linear() + Gaussian(width=1.0)).normalized() * Nameless()
    assert repr(k) == "2.0 * (Linear() + Gaussian(width=1.0)).normalized() * Function(<no name>)"


class Nameless:
    """A callable object without a name."""

    def __call__(self, X, Z):
        return X @ Z.T

    def __repr__(self):
        return "<no name>"


class TestPlainFunctions:
    def test_on_either_side(self):
        def inner(X, Z):
            return X @ Z.T

        expected = Linear()(X) + K1(X)
        close((K1 + inner)(X), expected)
        close((inner + K1)(X), expected)
        close((K1 * inner)(X), Linear()(X) * K1(X))
        close((inner * K1)(X), Linear()(X) * K1(X))

    def test_sees_strings_beside_a_string_kernel(self):
        seen = []

        def equal(X, Z):
            seen.extend([*X, *Z])
            return [[float(x == z) for z in Z] for x in X]

        words = ["GAT", "TAC", "GAC"]
        k = (WeightedDegree(degree=2) + equal).normalized() + WeightedDegree(degree=1)
        expected = WeightedDegree(degree=2)(words) + np.eye(3)
        lengths = np.sqrt(np.diag(expected))
        close(k(words), expected / np.outer(lengths, lengths) + WeightedDegree(degree=1)(words))
        assert set(seen) == set(words)

    def test_two_functions(self):
        k = kernels.Function(np.equal.outer) + kernels.Function(np.equal.outer)
        assert k.domain == "any"
        np.testing.assert_array_equal(k(["a", "b"]), 2 * np.eye(2))

    def test_matrix_that_the_function_keeps_is_not_overwritten(self):
        kept = np.ones((3, 3))

        def constant(X, Z):
            return kept

        for k in (2.0 * kernels.Function(constant), constant + K1, constant * (3.0 * K1)):
            k(X[:3])
        np.testing.assert_array_equal(kept, np.ones((3, 3)))

    def test_precision_is_that_of_the_finer_part(self):
        def third(X, Z):
            return np.full((len(X), len(Z)), 1 / 3, dtype=np.float32)

        for k in (third + K1, K1 + third):
            matrix = k(X)
            assert matrix.dtype == np.float64
            close(matrix, np.float32(1 / 3) + K1(X))

    def test_precomputed_matrix_is_not_overwritten(self):
        matrix = K1(X)
        before = matrix.copy()
        (2.0 * Precomputed() + Precomputed().normalized() * Precomputed())(matrix)
        np.testing.assert_array_equal(matrix, before)


class TestRefusals:
    @pytest.mark.parametrize("operation", [kernels.Sum, kernels.Product])
    def test_different_kinds_of_data(self, operation):
        with pytest.raises(InputError, match=r"on vectors and WeightedDegree\(degree=2\) on seq"):
            operation(K1, WeightedDegree(degree=2))

    def test_different_kinds_of_data_deep_inside(self):
        with pytest.raises(InputError, match="same kind of data"):
            (K1 + K2) * (2.0 * Precomputed().normalized())

    @pytest.mark.parametrize("factor", [0, -1.0, np.inf, np.nan])
    def test_factor(self, factor):
        with pytest.raises(InputError, match="factor must be a positive finite number"):
            factor * K1

    @pytest.mark.parametrize("factor", [True, "2"])
    def test_factor_of_another_type(self, factor):
        with pytest.raises(InputTypeError, match="factor must be a positive finite number"):
            kernels.Scaled(K1, factor)

    @pytest.mark.parametrize("other", [1.0, "linear", None, np.ones(3)], ids=str)
    def test_sum_with_something_else(self, other):
        with pytest.raises(InputTypeError, match=r"must be one of reldim.kernels.*Got"):
            K1 + other
        with pytest.raises(InputTypeError, match=r"must be one of reldim.kernels.*Got"):
            other + K1

    def test_class_in_place_of_a_kernel(self):
        with pytest.raises(InputTypeError, match="Got the class Linear: create one"):
            K1 + Linear

    def test_normalized_where_the_diagonal_is_zero(self):
        with pytest.raises(InputError, match=r"Got 0.0 at row 1 from Linear\(\): leave such"):
            Linear().normalized()([[1.0, 2.0], [0.0, 0.0]])
        with pytest.raises(InputError, match="at row 0"):
            Linear().normalized().diagonal([[0.0]])

    def test_every_part_checks_the_data(self):
        k = K1 + kernels.ARDGaussian(weights=(1.0, 2.0))
        with pytest.raises(InputError, match="has 2 weights"):
            k(X)


class TestParameters:
    def test_those_of_inner_kernels_have_the_way_to_them_in_their_name(self):
        k = 2.0 * kernels.Gaussian(1.0) + kernels.Polynomial(3, 1.0) * kernels.Linear()
        assert k.get_params()["left__kernel__width"] == 1.0
        changed = k.set_params(left__kernel__width=5.0, left__factor=3.0, right__left__degree=2)
        assert changed == 3.0 * kernels.Gaussian(5.0) + kernels.Polynomial(2, 1.0) * (
            kernels.Linear()
        )
        assert k.get_params()["left__kernel__width"] == 1.0, "kernels do not change"

    def test_a_kernel_is_exchanged_before_its_parameters_are_set(self):
        k = kernels.Gaussian(1.0) + kernels.Linear()
        changed = k.set_params(right__scale=4.0, right=kernels.Laplacian(1.0))
        assert changed == kernels.Gaussian(1.0) + kernels.Laplacian(4.0)

    def test_what_has_no_parameters(self):
        with pytest.raises(InputError, match="which is 1.0 and no kernel"):
            kernels.Gaussian(1.0).set_params(width__factor=2.0)

    def test_new_values_are_checked(self):
        with pytest.raises(InputError, match="width must be a positive finite number"):
            kernels.Gaussian(1.0).set_params(width=-1.0)
