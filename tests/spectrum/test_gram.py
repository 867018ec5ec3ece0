"""Kernel matrices of data: entries, symmetry, centring, sharing of distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from reldim import kernels
from reldim.exceptions import InputError, InputTypeError, KernelMatrixError, KernelMatrixWarning
from reldim.spectrum import gram as gram_module
from reldim.spectrum.gram import (
    Gram,
    RadialGram,
    column_means,
    double_center,
    row_blocks,
    symmetrize,
)

X = np.random.default_rng(0).normal(size=(30, 3))
NEW = np.random.default_rng(1).normal(size=(7, 3))


def counted(monkeypatch):
    """Count computations of whole distance matrices."""
    calls = []
    original = gram_module.squared_distances
    monkeypatch.setattr(
        gram_module, "squared_distances", lambda *args: calls.append(1) or original(*args)
    )
    return calls


@given(st.integers(1, 500), st.integers(0, 3 * gram_module.BLOCK_BYTES))
def test_blocks_cover_all_rows_once(n, row_bytes):
    blocks = list(row_blocks(n, row_bytes))
    assert [i for block in blocks for i in range(n)[block]] == list(range(n))
    assert all((b.stop - b.start) * row_bytes <= gram_module.BLOCK_BYTES for b in blocks) or (
        row_bytes > gram_module.BLOCK_BYTES and all(b.stop - b.start == 1 for b in blocks)
    )


class TestEntries:
    @pytest.mark.parametrize(
        "kernel", [kernels.Gaussian(2.0), kernels.Linear(), lambda A, B: A @ B.T + 1.0]
    )
    def test_equal_those_of_the_kernel(self, kernel):
        gram = Gram.of(kernel, X)
        expected = np.array(
            [
                [float(np.asarray(kernel(X[[i]], X[[j]]))[0, 0]) for j in range(30)]
                for i in range(30)
            ]
        )
        assert gram.n == 30
        np.testing.assert_allclose(gram.matrix(), expected, atol=1e-12)
        np.testing.assert_allclose(gram.diagonal(), np.diag(expected), atol=1e-12)
        np.testing.assert_allclose(gram.columns(np.array([4, 2])), expected[:, [4, 2]], atol=1e-12)

    def test_against_new_points_and_landmarks(self):
        gram = Gram.of(kernels.Gaussian(2.0), X)
        expected = kernels.Gaussian(2.0)(NEW, X)
        np.testing.assert_allclose(gram.against(NEW), expected, atol=1e-14)
        some = gram.points[np.array([5, 1])]
        np.testing.assert_allclose(gram.against(NEW, some), expected[:, [5, 1]], atol=1e-14)

    def test_new_points_must_fit(self):
        with pytest.raises(InputError, match="same number of columns. Got 2 and 3"):
            Gram.of(kernels.Gaussian(2.0), X).against(NEW[:, :2])

    def test_what_is_no_kernel(self):
        with pytest.raises(InputTypeError, match="A kernel must be one of"):
            Gram.of(3.0, X)

    def test_single_precision_stays_where_rows_are_many(self, monkeypatch):
        gram = Gram.of(kernels.Gaussian(2.0), X.astype(np.float32))
        monkeypatch.setattr(gram_module, "FEW_ROWS", 29)
        assert gram.matrix().dtype == np.float32
        monkeypatch.setattr(gram_module, "FEW_ROWS", 30)
        assert gram.matrix().dtype == np.float64

    def test_few_rows_in_single_precision_are_the_same_numbers(self):
        single = X.astype(np.float32)
        sharing = kernels.Gaussian(2.0), kernels.Laplacian(1.0), kernels.Linear()
        grams, same = (
            Gram.of(sharing[0], rows).sharing(sharing)
            for rows in (single, single.astype(np.float64))
        )
        for one, other in zip(grams, same, strict=True):
            np.testing.assert_array_equal(one.matrix(), other.matrix())
            np.testing.assert_array_equal(one.diagonal(), other.diagonal())


class TestOwnership:
    """The caller may overwrite a matrix, whoever made it."""

    def test_of_a_precomputed_matrix(self):
        K = kernels.Gaussian(2.0)(X)
        before = K.copy()
        Gram.of(kernels.Precomputed(), K).matrix()[:] = 0.0
        np.testing.assert_array_equal(K, before)

    def test_of_a_user_function_that_returns_its_own_array(self):
        K = kernels.Gaussian(2.0)(X)
        before = K.copy()
        Gram.of(lambda A, B: K, X).matrix()[:] = 0.0
        np.testing.assert_array_equal(K, before)

    def test_of_a_read_only_array(self):
        K = kernels.Gaussian(2.0)(X)
        K.flags.writeable = False
        matrix = Gram.of(lambda A, B: K, X).matrix()
        matrix[0, 0] = 5.0
        assert K[0, 0] == 1.0

    def test_of_a_slice_of_a_precomputed_matrix(self):
        K = kernels.Gaussian(2.0)(X)
        gram = Gram.of(kernels.Precomputed(), K)
        part = Gram(kernels.Precomputed(), gram.points[np.array([3, 8, 2])])
        np.testing.assert_array_equal(part.matrix(), K[np.ix_([3, 8, 2], [3, 8, 2])])

    def test_of_shared_distances(self):
        first, second = Gram.of(kernels.Gaussian(1.0), X).sharing(
            [kernels.Gaussian(1.0), kernels.Gaussian(2.0)]
        )
        first.matrix()[:] = 0.0
        np.testing.assert_allclose(second.matrix(), kernels.Gaussian(2.0)(X), atol=1e-14)


class TestSharing:
    FAMILY = [
        kernels.Gaussian(0.5),
        kernels.Linear(),
        kernels.Laplacian(2.0),
        kernels.Matern(1.5, 1.0),
        kernels.InverseMultiquadric(1.0),
    ]

    def test_changes_no_entry(self):
        for shared, kernel in zip(
            Gram.of(kernels.Linear(), X).sharing(self.FAMILY), self.FAMILY, strict=True
        ):
            assert shared.kernel == kernel
            np.testing.assert_allclose(shared.matrix(), kernel(X), atol=1e-14)

    def test_distances_are_computed_once_and_late(self, monkeypatch):
        calls = counted(monkeypatch)
        gram = Gram.of(kernels.Linear(), X)
        shared = gram.sharing(self.FAMILY) + gram.sharing(self.FAMILY[::2])
        assert calls == []
        for one in shared:
            one.matrix()
        assert len(calls) == 1

    def test_a_single_radial_kernel_keeps_no_distances(self):
        shared = Gram.of(kernels.Linear(), X).sharing([kernels.Gaussian(1.0), kernels.Linear()])
        assert not any(isinstance(one, RadialGram) for one in shared)


class TestEqualRows:
    ROWS = np.array([[1.0, 0.0], [2.0, 0.5], [1.0, -0.0], [2.0, 0.5], [3.0, 0.0]])

    @pytest.mark.parametrize(
        "kernel, data",
        [
            (kernels.Linear(), ROWS),
            (kernels.Linear(), sparse.csr_array(ROWS)),
            (kernels.WeightedDegree(2), ["AC", "GT", "AC", "GT", "CC"]),
            (lambda A, B: np.ones((len(A), len(B))), ["AC", "GT", "AC", "GT", "CC"]),
            (kernels.Precomputed(), ROWS @ ROWS.T),
        ],
        ids=["dense", "sparse", "sequences", "strings", "precomputed"],
    )
    def test_have_equal_numbers(self, kernel, data):
        groups = Gram.of(kernel, data).groups
        assert (groups[0] == groups[2], groups[1] == groups[3]) == (True, True)
        assert len(set(groups)) == 3

    def test_are_kept_where_distances_are_dropped(self):
        gram = Gram.of(kernels.Gaussian(1.0), self.ROWS)
        for shared in gram.sharing([kernels.Gaussian(1.0), kernels.Gaussian(2.0)]):
            shared.matrix()
        groups = gram.groups
        plain = gram.plain()
        assert gram.shared._squared is not None
        assert plain.shared._squared is None
        assert plain.groups is groups

    def test_kernels_over_the_same_rows_compare_them_once(self):
        first, second = Gram.of(kernels.Gaussian(1.0), X).sharing(
            [kernels.Gaussian(1.0), kernels.Gaussian(2.0)]
        )
        assert first.plain().groups is second.plain().groups


class TestSymmetry:
    def test_exact_symmetry_is_left_alone(self):
        K = kernels.Gaussian(1.0)(X)
        before = K.copy()
        assert symmetrize(K) is K
        np.testing.assert_array_equal(K, before)

    @pytest.mark.parametrize(
        "dtype, size", [(np.float64, 1e-14), (np.float32, 1e-6)], ids=["double", "single"]
    )
    def test_round_off_is_averaged_in_silence(self, dtype, size):
        K = kernels.Gaussian(1.0)(X).astype(dtype)
        K[3, 5] += size
        symmetrize(K)
        np.testing.assert_array_equal(K, K.T)

    @pytest.mark.parametrize(
        "dtype, size", [(np.float64, 1e-10), (np.float32, 1e-4)], ids=["double", "single"]
    )
    def test_more_is_averaged_with_a_warning(self, dtype, size):
        K = kernels.Gaussian(1.0)(X).astype(dtype)
        expected = (K[3, 5] + K[5, 3] + size) / 2
        K[3, 5] += size
        with pytest.warns(KernelMatrixWarning, match=r"of the data was not quite symmetric \(rel"):
            symmetrize(K, source="the data")
        np.testing.assert_array_equal(K, K.T)
        assert K[3, 5] == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("row, column", [(3, 5), (29, 0), (0, 29)])
    def test_an_asymmetric_matrix_is_refused(self, row, column):
        K = kernels.Gaussian(1.0)(X)
        K[row, column] += 0.5
        with pytest.raises(
            KernelMatrixError,
            match=r"but mine gave.*differ by 0\.\d+ of the largest.*\(K \+ K\.T\) / 2",
        ):
            symmetrize(K, source="mine")

    def test_asymmetry_is_relative(self):
        K = 1e12 * kernels.Gaussian(1.0)(X)
        K[3, 5] += 1e-3
        symmetrize(K)
        np.testing.assert_array_equal(K, K.T)

    def test_zero_is_symmetric(self):
        np.testing.assert_array_equal(symmetrize(np.zeros((3, 3))), np.zeros((3, 3)))

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("places", [[(1, 2)], [(2, 1)], [(1, 2), (2, 1)], [(0, 0)]])
    def test_entries_that_are_not_finite(self, value, places):
        K = np.eye(4)
        for place in places:
            K[place] = value
        with pytest.raises(KernelMatrixError, match="must be finite, but the kernel gave NaN or"):
            symmetrize(K)

    def test_by_blocks(self, monkeypatch):
        K = kernels.Gaussian(1.0)(X)
        noise = 1e-14 * np.random.default_rng(0).normal(size=K.shape)
        whole = symmetrize(K + noise)
        monkeypatch.setattr(gram_module, "BLOCK_BYTES", 8 * 30 * 7)
        np.testing.assert_array_equal(symmetrize(K + noise), whole)
        bad = K.copy()
        bad[25, 2] += 0.1
        with pytest.raises(KernelMatrixError, match="must be symmetric"):
            symmetrize(bad)

    def test_overflow_of_a_kernel_is_reported(self):
        with pytest.raises(KernelMatrixError, match=r"Polynomial\(degree=2.*gave NaN or infinite"):
            Gram.of(kernels.Polynomial(2, 1.0), 1e120 * X).matrix()
        with pytest.raises(InputError, match="inner products .* too large for float64"):
            Gram.of(kernels.Linear(), 1e200 * X).matrix()

    def test_user_function_that_is_not_symmetric(self):
        with pytest.raises(KernelMatrixError, match=r"Function\(lopsided\) gave entries"):
            Gram.of(lopsided, X).matrix()


def lopsided(A, B):
    return A @ B.T + A[:, [0]]


class TestCentring:
    @given(arrays(np.float64, (6, 4), elements=st.floats(-10, 10)))
    @settings(max_examples=50)
    def test_equals_the_projection(self, points):
        K = points @ points.T
        H = np.eye(6) - 1 / 6
        # Below the smallest normal number there are no digits to agree in.
        limit = 1e-13 * np.abs(K).max() + np.finfo(np.float64).tiny
        np.testing.assert_allclose(double_center(K.copy()), H @ K @ H, atol=limit)

    def test_is_done_in_place(self):
        K = kernels.Gaussian(1.0)(X)
        assert double_center(K) is K

    def test_of_the_linear_kernel_centres_the_data(self):
        centred = X - X.mean(axis=0)
        np.testing.assert_allclose(double_center(X @ X.T), centred @ centred.T, atol=1e-13)

    def test_single_precision_accumulates_in_double(self):
        K = np.full((2000, 2), 0.1, dtype=np.float32)
        means = column_means(K)
        assert means.dtype == np.float64
        np.testing.assert_allclose(means, float(np.float32(0.1)), rtol=1e-12)

    def test_no_rows(self):
        with pytest.raises(InputError, match="at least one row, got none"):
            double_center(np.empty((0, 0)))
