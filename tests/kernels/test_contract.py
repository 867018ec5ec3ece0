"""What every kernel must do. A new kernel adds a class of a few lines and inherits the rest."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, special
from sklearn.base import clone

from reldim import kernels
from reldim.exceptions import InputError


def dot(x, z):
    return sum(float(a) * float(b) for a, b in zip(x, z, strict=True))


def squared_distance(x, z):
    return sum((float(a) - float(b)) ** 2 for a, b in zip(x, z, strict=True))


def bessel_matern(nu, length, r):
    """The general Matérn formula, with the modified Bessel function."""
    if r == 0:
        return 1.0
    t = math.sqrt(2 * nu) * r / length
    return 2 ** (1 - nu) / math.gamma(nu) * t**nu * special.kv(nu, t)


def cosine_similarity(X, Z):
    norms = np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Z, axis=1))
    return (X @ Z.T) / norms


class Contract:
    """Supply `kernel`, `X`, `Z` and `value`, the formula for two single points."""

    kernel: kernels.Kernel
    domain: str
    other = kernels.Gaussian(width=123.0)
    functions = ()

    def test_matrix_is_the_formula_for_all_pairs(self):
        expected = [[self.value(x, z) for z in self.X] for x in self.X]
        np.testing.assert_allclose(self.kernel(self.X), expected, rtol=1e-12, atol=1e-14)

    def test_rectangular_matrix_is_the_formula_for_all_pairs(self):
        expected = [[self.value(x, z) for z in self.X] for x in self.Z]
        matrix = self.kernel(self.Z, self.X)
        assert matrix.shape == (len(self.Z), len(self.X))
        np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-14)

    def test_second_argument_is_the_first_by_default(self):
        np.testing.assert_array_equal(self.kernel(self.X), self.kernel(self.X, self.X))

    def test_symmetric(self):
        matrix = self.kernel(self.X)
        np.testing.assert_array_equal(matrix, matrix.T)

    def test_positive_semi_definite(self):
        eigenvalues = np.linalg.eigvalsh(self.kernel(self.X))
        assert eigenvalues.min() >= -1e-12 * eigenvalues.max()
        assert eigenvalues.max() > 0

    def test_diagonal_is_that_of_the_matrix(self):
        diagonal = self.kernel.diagonal(self.X)
        assert diagonal.shape == (len(self.X),)
        np.testing.assert_allclose(diagonal, np.diag(self.kernel(self.X)), rtol=1e-14)

    def test_order_of_rows_does_not_matter(self):
        order = np.random.default_rng(3).permutation(len(self.X))
        points = self.kernel.prepare(self.X)
        matrix = self.kernel.matrix(points, points)
        permuted = self.kernel.matrix(points[order], points[order])
        np.testing.assert_allclose(permuted, matrix[np.ix_(order, order)], rtol=1e-13, atol=1e-15)

    def test_prepared_points_can_be_sliced(self):
        points = self.kernel.prepare(self.X)
        assert points.shape[0] == len(self.X)
        some = np.array([4, 0, 2])
        matrix = self.kernel.matrix(points, points)
        part = self.kernel.matrix(points[1:4], points[some])
        np.testing.assert_allclose(part, matrix[1:4][:, some], rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(
            self.kernel.diagonal_of(points[some]), np.diag(matrix)[some], rtol=1e-14
        )

    def test_prepare_is_idempotent(self):
        points = self.kernel.prepare(self.X)
        again = self.kernel.prepare(points)
        assert type(again) is type(points)
        np.testing.assert_array_equal(self.kernel.matrix(again, again), self.kernel(self.X))
        new = self.kernel.prepare(self.Z, reference=points)
        again = self.kernel.prepare(new, reference=points)
        np.testing.assert_array_equal(
            self.kernel.matrix(again, points), self.kernel(self.Z, self.X)
        )

    def test_data_is_left_alone(self):
        before = copy.deepcopy(self.X)
        self.kernel(self.X)
        self.kernel.diagonal(self.X)
        np.testing.assert_array_equal(self.X, before)

    def test_domain(self):
        assert self.kernel.domain == self.domain

    def test_repr_round_trip(self):
        names = {**vars(kernels), **{f.__name__: f for f in self.functions}}
        assert eval(repr(self.kernel), names) == self.kernel  # noqa: S307

    def test_parameters_give_the_kernel_back(self):
        own = self.kernel.get_params(deep=False)
        assert self.kernel.set_params(**own) == self.kernel
        assert type(self.kernel)(**own) == self.kernel
        # Set one by one, those of inner kernels as well.
        for name, value in self.kernel.get_params().items():
            assert self.kernel.set_params(**{name: value}) == self.kernel
        with pytest.raises(InputError, match="has no parameter 'colour'"):
            self.kernel.set_params(colour=1.0)

    def test_scikit_learn_clones_it(self):
        assert clone(self.kernel) == self.kernel

    def test_equality_and_hash(self):
        twin = copy.deepcopy(self.kernel)
        assert twin == self.kernel
        assert hash(twin) == hash(self.kernel)
        assert self.kernel != self.other
        assert len({self.kernel, twin, self.other}) == 2

    def test_pickle(self):
        assert pickle.loads(pickle.dumps(self.kernel)) == self.kernel  # noqa: S301

    def test_immutable(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            self.kernel.anything = 1


class VectorContract(Contract):
    domain = "vectors"
    X = np.random.default_rng(0).normal(size=(9, 3))
    Z = np.random.default_rng(1).normal(size=(5, 3))

    def test_float32_in_float32_out(self):
        X, Z = self.X.astype(np.float32), self.Z.astype(np.float32)
        matrix, diagonal = self.kernel(Z, X), self.kernel.diagonal(X)
        assert matrix.dtype == np.float32
        assert self.kernel(X).dtype == np.float32
        assert diagonal.dtype == np.float32
        np.testing.assert_allclose(matrix, self.kernel(self.Z, self.X), rtol=2e-5, atol=1e-5)
        np.testing.assert_allclose(diagonal, self.kernel.diagonal(self.X), rtol=1e-5)

    @pytest.mark.parametrize("dtype", [np.float16, np.int64, np.uint8, np.bool_])
    def test_other_numbers_become_float64(self, dtype):
        X = np.abs(self.X).round().clip(1, 2).astype(dtype)
        matrix = self.kernel(X)
        assert matrix.dtype == np.float64
        np.testing.assert_array_equal(matrix, self.kernel(X.astype(np.float64)))

    @pytest.mark.parametrize(
        "form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix]
    )
    def test_sparse_equals_dense(self, form):
        X, Z = np.where(np.abs(self.X) > 0.3, self.X, 0.0), np.where(self.Z > -1, self.Z, 0.0)
        np.testing.assert_allclose(self.kernel(form(X)), self.kernel(X), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            self.kernel(form(Z), form(X)), self.kernel(Z, X), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            self.kernel.diagonal(form(X)), self.kernel.diagonal(X), rtol=1e-12
        )

    def test_sparse_float32_stays_float32(self):
        X = sparse.csr_array(self.X.astype(np.float32))
        assert self.kernel(X).dtype == np.float32
        assert self.kernel.diagonal(X).dtype == np.float32

    def test_sparse_beside_dense(self):
        expected = self.kernel(self.Z, self.X)
        mixed = self.kernel(sparse.csr_array(self.Z), self.X)
        np.testing.assert_allclose(mixed, expected, rtol=1e-9, atol=1e-12)
        mixed = self.kernel(self.Z, sparse.csr_array(self.X))
        np.testing.assert_allclose(mixed, expected, rtol=1e-9, atol=1e-12)

    def test_data_frame_and_nested_lists(self):
        expected = self.kernel(self.X)
        frame = pd.DataFrame(self.X, columns=["a", "b", "c"], index=range(100, 109))
        # A frame keeps its columns together, which changes the order of sums.
        np.testing.assert_allclose(self.kernel(frame), expected, rtol=1e-14, atol=1e-15)
        np.testing.assert_array_equal(self.kernel(self.X.tolist()), expected)

    def test_prepared_array_is_not_copied(self):
        assert self.kernel.prepare(self.X) is self.X
        points = sparse.csr_array(self.X)
        assert self.kernel.prepare(points) is points

    def test_number_of_columns_must_fit(self):
        with pytest.raises(InputError, match=r"same number of columns\. Got 2 and 3"):
            self.kernel(self.Z[:, :2], self.X)


class TestGaussian(VectorContract):
    kernel = kernels.Gaussian(width=0.7)

    def value(self, x, z):
        return math.exp(-squared_distance(x, z) / (2 * 0.7))


class TestARDGaussian(VectorContract):
    kernel = kernels.ARDGaussian(weights=(0.5, 0.0, 3.0), amplitude=2.5, offset=0.25)

    def value(self, x, z):
        weighted = sum(w * (a - b) ** 2 for w, a, b in zip((0.5, 0.0, 3.0), x, z, strict=True))
        return 2.5 * math.exp(-weighted / (2 * 3)) + 0.25


class TestLaplacian(VectorContract):
    kernel = kernels.Laplacian(scale=1.3)

    def value(self, x, z):
        return math.exp(-math.dist(x, z) / 1.3)


WEIGHTS = (0.5, 0.0, 3.0)


def weighted_squares(x, z):
    return sum(w * (a - b) ** 2 for w, a, b in zip(WEIGHTS, x, z, strict=True))


class TestWeightedGaussian(VectorContract):
    kernel = kernels.Gaussian(width=0.7, weights=WEIGHTS)

    def value(self, x, z):
        return math.exp(-weighted_squares(x, z) / (2 * 0.7))


class TestWeightedLaplacian(VectorContract):
    kernel = kernels.Laplacian(scale=1.3, weights=WEIGHTS)

    def value(self, x, z):
        return math.exp(-math.sqrt(weighted_squares(x, z)) / 1.3)


class TestWeightedMatern(VectorContract):
    kernel = kernels.Matern(nu=1.5, length=0.8, weights=WEIGHTS)

    def value(self, x, z):
        return bessel_matern(1.5, 0.8, math.sqrt(weighted_squares(x, z)))


class TestProductLaplacian(VectorContract):
    kernel = kernels.ProductLaplacian(scale=1.3)

    def value(self, x, z):
        return math.prod(math.exp(-abs(a - b) / 1.3) for a, b in zip(x, z, strict=True))


class TestWeightedProductLaplacian(VectorContract):
    kernel = kernels.ProductLaplacian(scale=1.3, weights=WEIGHTS)

    def value(self, x, z):
        return math.prod(
            math.exp(-w * abs(a - b) / 1.3) for w, a, b in zip(WEIGHTS, x, z, strict=True)
        )


class TestMatern12(VectorContract):
    kernel = kernels.Matern(nu=0.5, length=0.8)

    def value(self, x, z):
        return bessel_matern(0.5, 0.8, math.dist(x, z))


class TestMatern32(VectorContract):
    kernel = kernels.Matern(nu=1.5, length=0.8)

    def value(self, x, z):
        return bessel_matern(1.5, 0.8, math.dist(x, z))


class TestMatern52(VectorContract):
    kernel = kernels.Matern(nu=2.5, length=0.8)

    def value(self, x, z):
        return bessel_matern(2.5, 0.8, math.dist(x, z))


class TestInverseMultiquadric(VectorContract):
    kernel = kernels.InverseMultiquadric(constant=0.6)

    def value(self, x, z):
        return 1 / math.sqrt(squared_distance(x, z) + 0.6**2)


class TestPolynomial(VectorContract):
    kernel = kernels.Polynomial(degree=3, constant=0.5)

    def value(self, x, z):
        return (dot(x, z) + 0.5) ** 3


class TestHomogeneousPolynomial(VectorContract):
    kernel = kernels.Polynomial(degree=2, constant=0.0)

    def value(self, x, z):
        return dot(x, z) ** 2


class TestLinear(VectorContract):
    kernel = kernels.Linear()

    def value(self, x, z):
        return dot(x, z)


class TestSum(VectorContract):
    kernel = kernels.Linear() + kernels.Gaussian(width=2.0)

    def value(self, x, z):
        return dot(x, z) + math.exp(-squared_distance(x, z) / 4)


class TestProduct(VectorContract):
    kernel = kernels.Linear() * kernels.Laplacian(scale=2.0)

    def value(self, x, z):
        return dot(x, z) * math.exp(-math.dist(x, z) / 2)


class TestScaled(VectorContract):
    kernel = 0.3 * kernels.Polynomial(degree=2)

    def value(self, x, z):
        return 0.3 * (dot(x, z) + 1) ** 2


class TestNormalized(VectorContract):
    kernel = kernels.Polynomial(degree=2).normalized()

    def value(self, x, z):
        return (dot(x, z) + 1) ** 2 / ((dot(x, x) + 1) * (dot(z, z) + 1))


class TestNested(VectorContract):
    kernel = (
        kernels.Linear() + 2.0 * (kernels.Gaussian(width=1.0) * kernels.Polynomial(degree=2))
    ).normalized() * (kernels.Laplacian(scale=1.0) + kernels.Linear())

    def value(self, x, z):
        def inner(x, z):
            return dot(x, z) + 2 * math.exp(-squared_distance(x, z) / 2) * (dot(x, z) + 1) ** 2

        first = inner(x, z) / math.sqrt(inner(x, x) * inner(z, z))
        return first * (math.exp(-math.dist(x, z)) + dot(x, z))


def inner_products(X, Z):
    return X @ Z.T


class TestFunctionBesideKernel(VectorContract):
    kernel = inner_products + kernels.Gaussian(width=2.0)
    functions = (inner_products,)

    def value(self, x, z):
        return dot(x, z) + math.exp(-squared_distance(x, z) / 4)


class TestFunction(Contract):
    kernel = kernels.Function(cosine_similarity)
    domain = "any"
    functions = (cosine_similarity,)
    X, Z = VectorContract.X, VectorContract.Z

    def value(self, x, z):
        return dot(x, z) / math.sqrt(dot(x, x) * dot(z, z))


class SequenceContract(Contract):
    domain = "sequences"
    X = ("GATTACA", "GATCACA", "CATTAGA", "AAAAAAA", "GGTTACC", "gattaca", "TTTTTTT")
    Z = ("GATTAGG", "AAACACA", "CCCCCCC")


def weighted_degree(degree, x, z):
    total = 0
    for j in range(1, degree + 1):
        for start in range(len(x) - j + 1):
            if x[start : start + j] == z[start : start + j]:
                total += degree - j + 1
    return total


class TestWeightedDegree(SequenceContract):
    kernel = kernels.WeightedDegree(degree=3)

    def value(self, x, z):
        return weighted_degree(3, x, z)


class TestNormalizedWeightedDegree(SequenceContract):
    kernel = kernels.WeightedDegree(degree=4).normalized() * kernels.WeightedDegree(degree=1)

    def value(self, x, z):
        normalizer = math.sqrt(weighted_degree(4, x, x) * weighted_degree(4, z, z))
        return weighted_degree(4, x, z) / normalizer * weighted_degree(1, x, z)


def shared_letters(X, Z):
    return [[len(set(x) & set(z)) for z in Z] for x in X]


class TestFunctionBesideWeightedDegree(SequenceContract):
    kernel = 2.0 * (kernels.WeightedDegree(degree=2) + shared_letters) + kernels.WeightedDegree(
        degree=1
    )
    functions = (shared_letters,)

    def value(self, x, z):
        both = weighted_degree(2, x, z) + len(set(x) & set(z))
        return 2 * both + weighted_degree(1, x, z)


class PrecomputedContract(Contract):
    """The points are rows of numbers, so that each row can be found again."""

    domain = "precomputed"
    points = np.random.default_rng(5).normal(size=(8, 4))
    new_points = np.random.default_rng(6).normal(size=(3, 4))
    X = np.exp(-kernels.squared_distances(points))
    Z = np.exp(-kernels.squared_distances(new_points, points))

    def entry(self, x, z):
        """Look up the value between the points whose rows of the matrix are x and z."""
        column = next(j for j, row in enumerate(self.X) if np.array_equal(row, z))
        return x[column]


class TestPrecomputed(PrecomputedContract):
    kernel = kernels.Precomputed()

    def value(self, x, z):
        return self.entry(x, z)


class TestComposedPrecomputed(PrecomputedContract):
    kernel = 2.0 * kernels.Precomputed() + kernels.Precomputed() * kernels.Precomputed()

    def value(self, x, z):
        return 2 * self.entry(x, z) + self.entry(x, z) ** 2
