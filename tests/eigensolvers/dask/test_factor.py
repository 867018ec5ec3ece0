"""The factor of a cluster beside the one in memory: the same pivots, the same eigenpairs."""

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lazily import KERNEL, both, lazy, problem
from reldim import decompose, kernels, relevant_dimension
from reldim.eigensolvers import in_blocks, make_factor
from reldim.inputs.rows import is_lazy
from reldim.spectrum.gram import Gram

pytestmark = pytest.mark.usefixtures("small_blocks")


def pivots(spectrum):
    return spectrum.basis.factor.pivots


class TestSameAsInMemory:
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("center", [False, True])
    @pytest.mark.parametrize(
        "kernel",
        [
            KERNEL,
            kernels.Laplacian(1.0),
            kernels.Linear() + kernels.Polynomial(2),
            0.5 * kernels.Matern(1.5, 2.0).normalized(),
            lambda A, B: A @ B.T + 1.0,
        ],
        ids=["gaussian", "laplacian", "sum", "normalized", "callable"],
    )
    def test_pivots_and_eigenvalues(self, dtype, center, kernel, monkeypatch):
        monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)
        X, _ = problem(dtype=dtype)
        memory, blocks = both(X, kernel, rank=40, center=center)
        assert pivots(blocks) == pivots(memory)
        tolerance = 1e-5 if dtype == np.float32 else 1e-12
        np.testing.assert_allclose(
            blocks.eigenvalues, memory.eigenvalues, rtol=0, atol=tolerance * memory.trace
        )
        assert blocks.eigenvalues.dtype == dtype
        assert blocks.trace == pytest.approx(memory.trace)
        assert blocks.rank == memory.rank
        np.testing.assert_array_equal(blocks.landmarks, memory.landmarks)

    def test_a_matrix_that_is_exhausted(self):
        X, _ = problem()
        memory, blocks = both(X, kernels.Gaussian(50.0))
        assert blocks.exhausted
        assert pivots(blocks) == pivots(memory)

    @settings(deadline=None, max_examples=15)
    @given(data=st.data(), n=st.integers(2, 120), seed=st.integers(0, 1000))
    def test_whatever_the_chunks(self, data, n, seed):
        X = np.random.default_rng(seed).normal(size=(n, 2))
        cuts = data.draw(st.sets(st.integers(1, n - 1), max_size=6))
        chunks = np.diff([0, *sorted(cuts), n])
        with pytest.MonkeyPatch.context() as patch:
            # As a reader of files may leave them: blocks of any size.
            patch.setattr(da.Array, "rechunk", lambda array, *_, **__: array)
            blocks = make_factor(
                Gram.of(KERNEL, in_blocks(da.from_array(X, chunks=(tuple(chunks), 2)))), n, seed
            )
            blocks.grow(min(n, 30))
        memory = make_factor(Gram.of(KERNEL, X), n, seed)
        memory.grow(min(n, 30))
        assert blocks.pivots == memory.pivots
        np.testing.assert_allclose(blocks.inner, memory.inner, atol=1e-10)

    def test_own_landmarks(self):
        X, _ = problem()
        memory, blocks = both(X, landmarks=[7, 480, 7, 150, 11])
        assert pivots(blocks) == pivots(memory) == [7, 480, 150, 11]

    def test_eigenvectors_are_lazy_and_orthonormal(self):
        X, _ = problem()
        memory, blocks = both(X, rank=30)
        U = blocks.eigenvectors
        assert is_lazy(U)
        assert U.shape == (500, 30)
        np.testing.assert_allclose(np.asarray(U.T @ U), np.eye(30), atol=1e-10)
        np.testing.assert_allclose(np.abs(np.asarray(U)), np.abs(memory.eigenvectors), atol=1e-9)

    def test_components_of_lazy_points_are_lazy(self):
        X, _ = problem()
        memory, blocks = both(X, rank=20)
        new = X[:90] + 0.1
        components = blocks.components(lazy(new, 40), 5)
        assert is_lazy(components)
        np.testing.assert_allclose(components, memory.components(new, 5), atol=1e-9)

    def test_data_in_memory_can_be_handed_to_a_cluster(self):
        X, y = problem()
        spectrum = decompose(KERNEL, X, solver="dask", rank=30)
        assert spectrum.solver == "dask"
        assert "blocks of rows" in spectrum.note
        rd = relevant_dimension(spectrum, y)
        expected = relevant_dimension(decompose(KERNEL, X, solver="lowrank", rank=30), y)
        assert rd.dimension == expected.dimension
        assert rd.negative_log_likelihood == pytest.approx(expected.negative_log_likelihood)

    def test_sparse_rows_and_sequences(self):
        X, _ = problem(200)
        rows = sparse.csr_array(X * (X > 0))
        memory, blocks = (decompose(KERNEL, rows, solver=s, rank=20) for s in ("lowrank", "dask"))
        assert pivots(memory) == pivots(blocks)
        words = ["".join(row) for row in np.random.default_rng(0).choice([*"ACGT"], (200, 8))]
        expected = decompose(kernels.WeightedDegree(3), words, solver="lowrank", rank=20)
        found = decompose(kernels.WeightedDegree(3), lazy(np.array(words, dtype=object)), rank=20)
        assert pivots(found) == pivots(expected)
        mixed = kernels.WeightedDegree(2) + kernels.Function(
            lambda A, B: np.array([[float(a[0] == b[0]) for b in B] for a in A])
        )
        memory, blocks = (decompose(mixed, words, solver=s, rank=9) for s in ("lowrank", "dask"))
        assert pivots(memory) == pivots(blocks)
