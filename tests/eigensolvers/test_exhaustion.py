"""Kernel matrices of low numerical rank: quicker, and the same to round-off."""

import numpy as np
import pytest

from reldim import decompose, kernels, relevant_dimension
from reldim.eigensolvers.dense import decompose_dense
from reldim.eigensolvers.exhaustion import EXHAUST_ROWS, exhausted_spectrum
from reldim.exceptions import KernelMatrixError
from reldim.spectrum.gram import Gram

N = EXHAUST_ROWS
X = np.random.default_rng(0).normal(size=(N, 2))
Y = np.sin(X[:, 0]) + 0.3 * np.random.default_rng(1).normal(size=N)
WIDE, NARROW = kernels.Gaussian(20.0), kernels.Gaussian(0.01)


def given(matrix):
    return Gram.of(kernels.Precomputed(), matrix)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("precomputed", [False, True])
class TestAgainstTheWholeMatrix:
    def both(self, precomputed, center):
        gram = given(WIDE(X)) if precomputed else Gram.of(WIDE, X)
        quick = exhausted_spectrum(gram, rank=None, center=center)
        assert quick is not None
        return quick, decompose_dense(gram, center=center)

    def test_eigenvalues(self, precomputed, center):
        quick, whole = self.both(precomputed, center)
        assert quick.rank == whole.rank
        atol = whole.resolution
        k = quick.rank
        np.testing.assert_allclose(quick.eigenvalues[:k], whole.eigenvalues[:k], rtol=0, atol=atol)
        assert quick.trace == pytest.approx(whole.trace, rel=1e-12)

    def test_estimate(self, precomputed, center):
        quick, whole = (relevant_dimension(s, Y) for s in self.both(precomputed, center))
        assert quick.dimension == whole.dimension > 0
        assert quick.negative_log_likelihood == pytest.approx(
            whole.negative_log_likelihood, rel=1e-9
        )
        np.testing.assert_allclose(quick.denoised, whole.denoised, atol=1e-7)

    def test_rank_asked_for(self, precomputed, center):
        gram = given(WIDE(X)) if precomputed else Gram.of(WIDE, X)
        assert len(exhausted_spectrum(gram, rank=5, center=center).eigenvalues) == 5


class TestGivesUp:
    def test_where_the_rank_is_high(self):
        assert exhausted_spectrum(Gram.of(NARROW, X), rank=None, center=False) is None
        assert exhausted_spectrum(given(NARROW(X)), rank=None, center=False) is None

    def test_where_the_factor_would_grow_too_large(self):
        # Both leave little at first, and the wider one little enough to go on.
        wide = np.random.default_rng(2).normal(size=(N, 5))
        found = exhausted_spectrum(Gram.of(kernels.Gaussian(300.0), wide), rank=None, center=False)
        assert N / 4 < found.landmarks.shape[0] < 0.4 * N
        narrower = Gram.of(kernels.Gaussian(150.0), wide)
        assert exhausted_spectrum(narrower, rank=None, center=False) is None

    def test_below_the_size_that_pays(self):
        assert exhausted_spectrum(Gram.of(WIDE, X[:-1]), rank=None, center=False) is None

    def test_for_functions_of_others(self):
        gram = Gram.of(lambda A, B: A @ B.T, X)
        assert exhausted_spectrum(gram, rank=None, center=False) is None

    def test_for_single_precision(self):
        gram = given(WIDE(X).astype(np.float32))
        assert exhausted_spectrum(gram, rank=None, center=False) is None


class TestMatricesThatAreNoKernels:
    """What the diagonal does not show must not be missed: the answer is the dense solver's."""

    def spoilt(self, i, j, by, *, both=True):
        K = WIDE(X)
        K[i, j] += by
        if both:
            K[j, i] += by
        return K

    def test_negative_part_off_the_diagonal(self):
        # Landmarks need not meet the one pair of rows that spoils the matrix.
        K = self.spoilt(3, 700, 0.1)
        assert exhausted_spectrum(given(K), rank=None, center=False) is None
        with pytest.raises(KernelMatrixError, match="positive semi-definite.*an eigenvalue of"):
            decompose(kernels.Precomputed(), K)

    @pytest.mark.parametrize("by", [1e-7, 1e-5])
    def test_small_negative_part(self, by):
        K = self.spoilt(3, 700, by)
        assert exhausted_spectrum(given(K), rank=None, center=False) is None

    def test_asymmetry(self):
        K = self.spoilt(3, 700, 0.1, both=False)
        assert exhausted_spectrum(given(K), rank=None, center=False) is None
        with pytest.raises(KernelMatrixError, match="symmetric"):
            decompose(kernels.Precomputed(), K)

    def test_negative_definite(self):
        with pytest.raises(KernelMatrixError, match="an eigenvalue of"):
            decompose(kernels.Precomputed(), -WIDE(X))


def test_who_asks_for_the_whole_matrix_gets_it():
    assert decompose(WIDE, X).exhausted
    whole = decompose(WIDE, X, solver="dense")
    assert not whole.exhausted
    assert len(whole.eigenvalues) == N
