"""Kernels between vectors: invariances, shared distances, parameters."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import RBF, Matern
from sklearn.metrics import pairwise

from reldim import kernels
from reldim.exceptions import InputError, InputTypeError

X = np.random.default_rng(0).normal(size=(10, 4))
Z = np.random.default_rng(1).normal(size=(6, 4))

RADIAL = [
    kernels.Gaussian(width=0.9),
    kernels.Laplacian(scale=1.1),
    kernels.Matern(nu=0.5, length=0.7),
    kernels.Matern(nu=1.5, length=0.7),
    kernels.Matern(nu=2.5, length=0.7),
    kernels.InverseMultiquadric(constant=0.5),
]
INNER = [
    kernels.Linear(),
    kernels.Polynomial(degree=1),
    kernels.Polynomial(degree=4, constant=0.2),
]
every_radial = pytest.mark.parametrize("kernel", RADIAL, ids=repr)
every_inner = pytest.mark.parametrize("kernel", INNER, ids=repr)
every_profile = pytest.mark.parametrize("kernel", RADIAL + INNER, ids=repr)

coordinates = st.floats(-10, 10, allow_nan=False, width=32)
tables = arrays(np.float64, st.tuples(st.integers(1, 7), st.just(3)), elements=coordinates)


@every_radial
class TestRadial:
    @settings(max_examples=25, deadline=None)
    @given(X=tables, shift=arrays(np.float64, 3, elements=coordinates))
    def test_translation_changes_nothing(self, kernel, X, shift):
        np.testing.assert_allclose(kernel(X + shift), kernel(X), rtol=1e-9, atol=1e-7)

    @settings(max_examples=25, deadline=None)
    @given(X=tables, seed=st.integers(0, 1000))
    def test_permutation_of_rows_permutes_the_matrix(self, kernel, X, seed):
        order = np.random.default_rng(seed).permutation(len(X))
        np.testing.assert_array_equal(kernel(X[order]), kernel(X)[np.ix_(order, order)])

    def test_rotation_changes_nothing(self, kernel):
        rotation, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(4, 4)))
        np.testing.assert_allclose(kernel(X @ rotation), kernel(X), rtol=1e-12)

    def test_decreases_with_distance(self, kernel):
        values = kernel.profile(np.linspace(0, 10, 50))
        assert (np.diff(values) < 0).all()
        assert values[-1] > 0

    def test_profile_of_shared_distances_is_the_kernel(self, kernel):
        distances = kernels.squared_distances(Z, X)
        np.testing.assert_array_equal(kernel.profile(distances), kernel(Z, X))

    def test_far_points_give_zero_and_never_nan(self, kernel):
        for dtype in (np.float32, np.float64):
            value = kernel.profile(np.array([np.finfo(dtype).max / 2]))
            assert 0 <= value[0] < 1e-15


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Gaussian(width=1e-300),
        kernels.Laplacian(scale=1e-300),
        kernels.Matern(nu=0.5, length=1e-300),
        kernels.Matern(nu=1.5, length=1e-300),
        kernels.Matern(nu=2.5, length=1e-300),
    ],
    ids=repr,
)
def test_very_narrow_kernel_is_the_identity(kernel, dtype):
    far = np.array([[0.0], [1e15], [-1e15]], dtype=dtype)
    np.testing.assert_array_equal(kernel(far), np.eye(3))


@every_inner
def test_profile_of_shared_inner_products_is_the_kernel(kernel):
    np.testing.assert_array_equal(kernel.profile(Z @ X.T), kernel(Z, X))


@every_profile
class TestProfile:
    def test_leaves_its_argument_alone(self, kernel):
        values = kernels.squared_distances(X)
        before = values.copy()
        result = kernel.profile(values)
        np.testing.assert_array_equal(values, before)
        assert not np.shares_memory(result, values)

    def test_overwrites_when_asked(self, kernel):
        values = kernels.squared_distances(X)
        expected = kernel.profile(values)
        result = kernel.profile(values, overwrite=True)
        assert result is values
        np.testing.assert_array_equal(result, expected)

    @pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 3, 2), (0, 4)])
    def test_takes_any_shape(self, kernel, shape):
        values = np.full(shape, 2.0)
        expected = kernel.profile(np.array([[2.0]]))[0, 0]
        np.testing.assert_array_equal(kernel.profile(values), np.full(shape, expected))

    def test_integers_are_not_cut(self, kernel):
        expected = kernel.profile(np.array([1.0, 2.0]))
        np.testing.assert_array_equal(kernel.profile(np.array([1, 2]), overwrite=True), expected)

    def test_keeps_float32(self, kernel):
        assert kernel.profile(np.ones(3, dtype=np.float32)).dtype == np.float32


def test_matern_by_blocks():
    # More rows than one block of the polynomial holds.
    values = np.linspace(0, 4, 2100 * 1100).reshape(2100, 1100)
    t = math.sqrt(3) * np.sqrt(values)
    result = kernels.Matern(nu=1.5, length=1.0).profile(values)
    np.testing.assert_allclose(result, (1 + t) * np.exp(-t), rtol=1e-12)


class TestPeers:
    def test_gaussian_width_is_the_squared_length_scale(self):
        ours = kernels.Gaussian(width=0.49)
        np.testing.assert_allclose(ours(Z, X), RBF(length_scale=0.7)(Z, X), rtol=1e-12)

    @pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
    def test_matern(self, nu):
        ours = kernels.Matern(nu=nu, length=0.7)
        peer = Matern(length_scale=0.7, nu=nu)
        np.testing.assert_allclose(ours(Z, X), peer(Z, X), rtol=1e-12)

    def test_laplacian_is_the_roughest_matern(self):
        np.testing.assert_allclose(
            kernels.Laplacian(scale=0.7)(X), kernels.Matern(nu=0.5, length=0.7)(X), rtol=1e-14
        )

    def test_equal_weights_are_a_gaussian(self):
        # sum w (x - z)^2 / (2 d) = |x - z|^2 / (2 w')  with  w' = d / w
        ard = kernels.ARDGaussian(weights=[0.5] * 4)
        np.testing.assert_allclose(ard(X), kernels.Gaussian(width=8.0)(X), rtol=1e-12)

    @pytest.mark.parametrize(
        "make",
        [
            kernels.ARDGaussian,
            lambda weights: kernels.Gaussian(2.0, weights),
            lambda weights: kernels.Laplacian(2.0, weights),
            lambda weights: kernels.Matern(2.5, 2.0, weights),
            lambda weights: kernels.ProductLaplacian(2.0, weights),
        ],
        ids=["ard", "gaussian", "laplacian", "matern", "product"],
    )
    def test_column_of_weight_zero_is_ignored(self, make):
        other = X.copy()
        other[:, 1] += 100
        kernel = make([1.0, 0.0, 2.0, 0.5])
        np.testing.assert_array_equal(kernel(other), kernel(X))
        assert kernel.scaled(kernel.prepare(X)).shape[1] == 3

    @pytest.mark.parametrize("weights", [(1.0, 1e-100, 0.0, 1.0), (0.0,) * 4])
    @pytest.mark.parametrize("make", [kernels.ProductLaplacian, kernels.Gaussian])
    def test_weights_that_single_precision_loses_are_there_for_both_sides(self, make, weights):
        kernel, single = make(2.0, weights), X.astype(np.float32)
        np.testing.assert_allclose(kernel(single, X), kernel(X), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(kernel(csr_array(X), X), kernel(X), rtol=1e-12)

    def test_weights_are_those_of_ard(self):
        weights = [1.0, 0.0, 2.0, 0.5]
        np.testing.assert_allclose(
            kernels.Gaussian(4.0, weights)(X), kernels.ARDGaussian(weights)(X), rtol=1e-12
        )

    def test_product_of_laplacians_is_the_peer(self):
        peer = pairwise.laplacian_kernel(X, Z, gamma=1 / 0.7)
        np.testing.assert_allclose(kernels.ProductLaplacian(0.7)(X, Z), peer, rtol=1e-12)


POSITIVE = {
    "width": kernels.Gaussian,
    "scale": kernels.Laplacian,
    "length": lambda length: kernels.Matern(nu=1.5, length=length),
    "constant": kernels.InverseMultiquadric,
    "amplitude": lambda amplitude: kernels.ARDGaussian([1.0], amplitude=amplitude),
}
every_positive = pytest.mark.parametrize("name", POSITIVE)


class TestParameters:
    @pytest.mark.parametrize("value", [2, np.float32(2), np.float64(2), np.int64(2)])
    def test_become_plain_floats(self, value):
        kernel = kernels.Gaussian(value)
        assert type(kernel.width) is float
        assert repr(kernel) == "Gaussian(width=2.0)"

    def test_degree_becomes_a_plain_int(self):
        kernel = kernels.Polynomial(np.int64(3), np.float32(0.5))
        assert repr(kernel) == "Polynomial(degree=3, constant=0.5)"

    def test_weights_become_a_tuple(self):
        kernel = kernels.ARDGaussian(np.array([1, 2]))
        assert repr(kernel) == "ARDGaussian(weights=(1.0, 2.0), amplitude=1.0, offset=0.0)"
        weighted = kernels.Gaussian(3, np.array([1, 2]))
        assert repr(weighted) == "Gaussian(width=3.0, weights=(1.0, 2.0))"
        assert kernel == kernels.ARDGaussian([1, 2])
        assert hash(kernel) == hash(kernels.ARDGaussian([1, 2]))

    @every_positive
    @pytest.mark.parametrize("value", [0, -1.5, math.inf, math.nan])
    def test_positive_number_wanted(self, name, value):
        message = rf"\w+: {name} must be a positive finite number. Got {float(value)} instead"
        with pytest.raises(InputError, match=message):
            POSITIVE[name](value)

    @every_positive
    @pytest.mark.parametrize("value", [True, "1", None, [1.0], 1j], ids=repr)
    def test_number_wanted(self, name, value):
        message = rf"{name} must be a positive finite number. Got .* of type {type(value).__name__}"
        with pytest.raises(InputTypeError, match=message):
            POSITIVE[name](value)

    @pytest.mark.parametrize("value", [-0.1, math.inf, math.nan])
    def test_number_of_at_least_zero_wanted(self, value):
        message = f"{{}} must be a finite number of at least 0. Got {value} instead"
        with pytest.raises(InputError, match="Polynomial: " + message.format("constant")):
            kernels.Polynomial(2, value)
        with pytest.raises(InputError, match="ARDGaussian: " + message.format("offset")):
            kernels.ARDGaussian([1.0], offset=value)
        with pytest.raises(InputError, match=message.format(r"weights\[1\]")):
            kernels.ARDGaussian([1.0, value])

    @pytest.mark.parametrize("value", [0, -2])
    def test_positive_degree_wanted(self, value):
        message = f"Polynomial: degree must be a positive whole number. Got {value} instead"
        with pytest.raises(InputError, match=message):
            kernels.Polynomial(value)

    @pytest.mark.parametrize("value", [2.0, True, "2"])
    def test_whole_degree_wanted(self, value):
        with pytest.raises(InputTypeError, match="degree must be a positive whole number"):
            kernels.Polynomial(value)

    @pytest.mark.parametrize("nu", [1, 3.5, 0.4])
    def test_nu(self, nu):
        message = f"nu must be one of 0.5, 1.5 and 2.5. Got {float(nu)} instead"
        with pytest.raises(InputError, match=message):
            kernels.Matern(nu, 1.0)

    @pytest.mark.parametrize("weights", [3.0, "12", None], ids=repr)
    def test_weights_of_another_type(self, weights):
        with pytest.raises(InputTypeError, match="weights must be a list of numbers"):
            kernels.ARDGaussian(weights)

    def test_weights_hold_numbers(self):
        with pytest.raises(InputTypeError, match=r"weights\[1\] must be a finite number"):
            kernels.ARDGaussian([1.0, "a"])
        with pytest.raises(InputError, match="at least one number"):
            kernels.ARDGaussian([])

    def test_as_many_weights_as_columns(self):
        for kernel in (kernels.ARDGaussian([1.0, 2.0]), kernels.Laplacian(1.0, [1.0, 2.0])):
            with pytest.raises(InputError, match=r"has 2 weights .* Got X with 4 columns"):
                kernel(X)


def test_new_radial_kernel_needs_its_profile_alone():
    class Cauchy(kernels.Radial):
        def profile(self, squared_distances, *, overwrite=False):
            return 1 / (1 + squared_distances)

    k = Cauchy() + kernels.Linear()
    expected = 1 / (1 + kernels.squared_distances(X)) + X @ X.T
    np.testing.assert_allclose(k(X), expected, rtol=1e-14)
    np.testing.assert_allclose(k.diagonal(X), np.diag(expected), rtol=1e-14)
