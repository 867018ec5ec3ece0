"""The low-rank solver: spectra, limits, and what it does with bad input."""

import numpy as np
import pytest

from reldim import decompose, kernels, relevant_dimension
from reldim.eigensolvers import lowrank_capacity
from reldim.eigensolvers.lowrank import lowrank_bytes
from reldim.exceptions import InputError, KernelMatrixError
from reldim.spectrum.gram import Gram


def cloud(n=300, features=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, features))


class TestSpectra:
    @pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-3), (np.float32, 1e-3)])
    @pytest.mark.parametrize("center", [False, True])
    def test_likelihood_of_the_dense_solver(self, dtype, tolerance, center, monkeypatch):
        monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)
        X = cloud(600)
        y = np.sin(X[:, 0]) + 0.3 * np.random.default_rng(1).normal(size=600)
        kernel = kernels.Gaussian(4.0)
        dense = relevant_dimension(decompose(kernel, X, solver="dense", center=center), y)
        spectrum = decompose(kernel, X.astype(dtype), solver="lowrank", rank=100, center=center)
        low = relevant_dimension(spectrum, y)
        assert low.dimension == dense.dimension
        assert low.negative_log_likelihood == pytest.approx(
            dense.negative_log_likelihood, abs=tolerance
        )
        assert low.noise_level == pytest.approx(dense.noise_level, rel=5e-3)
        assert low.error_estimate == pytest.approx(dense.error_estimate, rel=5e-3)
        np.testing.assert_allclose(low.denoised, dense.denoised, atol=0.05)

    def test_leave_one_out_of_the_dense_solver(self):
        X = cloud(400)
        y = np.sign(X[:, 0] + 0.3 * np.random.default_rng(1).normal(size=400))
        curves = [
            relevant_dimension(
                decompose(kernels.Gaussian(4.0), X, solver=solver, rank=120),
                y,
                criterion="leave-one-out",
                max_dimension=40,
            ).curve
            for solver in ("dense", "lowrank")
        ]
        np.testing.assert_allclose(curves[1], curves[0], rtol=5e-3)

    def test_prediction_needs_the_landmarks_only(self):
        X = cloud(500)
        spectrum = decompose(kernels.Gaussian(4.0), X, solver="lowrank", rank=20)
        assert spectrum.landmarks.shape[0] == 52
        np.testing.assert_allclose(
            spectrum.components(X, 10), spectrum.eigenvectors[:, :10], atol=1e-7
        )

    def test_strings_and_callables(self):
        rng = np.random.default_rng(0)
        words = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(80)]
        low = decompose(kernels.WeightedDegree(3), words, solver="lowrank")
        dense = decompose(kernels.WeightedDegree(3), words, solver="dense")
        np.testing.assert_allclose(low.eigenvalues[:20], dense.eigenvalues[:20], rtol=1e-6)
        low = decompose(lambda A, B: (A @ B.T + 1) ** 2, cloud(80), solver="lowrank")
        assert low.rank == 10

    def test_the_spectrum_says_what_was_done(self):
        spectrum = decompose(kernels.Gaussian(1.0), cloud(), solver="lowrank", rank=20)
        assert spectrum.solver == "lowrank"
        assert "52 landmarks" in spectrum.note
        assert "of the trace" in spectrum.note
        assert 0 < spectrum.residual < spectrum.trace


class TestDecompose:
    def test_large_data_go_to_the_low_rank_solver(self, monkeypatch):
        monkeypatch.setattr("reldim.eigensolvers.DENSE_ROWS", 100)
        assert decompose(kernels.Gaussian(1.0), cloud(101), rank=5).solver == "lowrank"
        assert decompose(kernels.Gaussian(1.0), cloud(100), rank=5).solver == "dense"

    def test_rank_grows_until_little_is_left(self):
        spectrum = decompose(kernels.Gaussian(30.0), cloud(1500), solver="lowrank")
        assert spectrum.residual <= 1e-6 * spectrum.trace
        assert spectrum.landmarks.shape[0] < 600

    def test_n_below_the_block(self):
        spectrum = decompose(kernels.Gaussian(1.0), cloud(5), solver="lowrank")
        dense = decompose(kernels.Gaussian(1.0), cloud(5), solver="dense")
        np.testing.assert_allclose(spectrum.eigenvalues, dense.eigenvalues, atol=1e-12)

    def test_memory_budget_limits_the_rank(self):
        gram = Gram.of(kernels.Gaussian(1.0), cloud(20_000))
        free = lowrank_capacity(gram, None)
        budget = lowrank_bytes(20_000, 300, 8)
        assert free > 1000
        assert 200 <= lowrank_capacity(gram, budget) <= 300
        assert lowrank_bytes(20_000, lowrank_capacity(gram, budget), 8) <= budget

    def test_memory_budget_too_small_for_any_rank(self):
        with pytest.raises(InputError, match=r"needs about .* MiB .* may be used"):
            decompose(kernels.Gaussian(1.0), cloud(), solver="lowrank", memory=1000)
        with pytest.raises(InputError, match=r"memory must be a positive number of bytes. Got 0"):
            decompose(kernels.Gaussian(1.0), cloud(), solver="lowrank", memory=0)

    def test_a_dense_matrix_beyond_the_budget_is_refused_before_it_is_made(self):
        with pytest.raises(InputError, match="solver='lowrank'"):
            decompose(kernels.Gaussian(1.0), cloud(), solver="dense", memory=10_000)

    @pytest.mark.parametrize(
        "landmarks, message",
        [
            ([], "at least one"),
            ([[0, 1]], "sequence of row numbers"),
            ([0.5], "sequence of row numbers"),
            ([0, 300], "from 0 to 299. Got 0 to 300"),
            ([-1], "from 0 to 299. Got -1 to -1"),
        ],
    )
    def test_bad_landmarks(self, landmarks, message):
        with pytest.raises(InputError, match=message):
            decompose(kernels.Gaussian(1.0), cloud(), landmarks=landmarks)

    def test_own_landmarks(self):
        X = cloud()
        spectrum = decompose(kernels.Gaussian(1.0), X, landmarks=range(0, 300, 3))
        assert spectrum.solver == "lowrank"
        np.testing.assert_array_equal(spectrum.landmarks, X[::3])

    @pytest.mark.parametrize(
        "kernel",
        [
            lambda A, B: -(A @ B.T),
            lambda A, B: np.where(A[:, :1] == B[:, 0], 1.0, 2.0),
        ],
        ids=["negative", "indefinite"],
    )
    def test_a_kernel_that_is_not_positive_definite(self, kernel):
        with pytest.raises(KernelMatrixError, match="positive semi-definite"):
            decompose(kernel, cloud(50), solver="lowrank")

    def test_a_kernel_that_returns_nan_off_the_diagonal(self):
        def kernel(A, B):
            same = A[:, :1] == B[:, 0]
            return np.where(same, 1.0, np.nan)

        with pytest.raises(KernelMatrixError, match="finite"):
            decompose(kernel, cloud(50), solver="lowrank")

    def test_a_width_so_small_that_no_rank_suffices(self):
        X = cloud(1200)
        spectrum = decompose(kernels.Gaussian(1e-8), X, solver="lowrank", rank=50)
        rd = relevant_dimension(spectrum, np.sin(X[:, 0]))
        assert rd.dimension == 0
        assert spectrum.residual > 0.8 * spectrum.trace

    def test_an_interrupt_leaves_nothing_behind(self):
        calls = []

        def kernel(A, B):
            calls.append(len(A))
            if len(calls) > 4:
                raise KeyboardInterrupt
            return np.exp(-np.abs(A[:, :1] - B[:, 0]))

        with pytest.raises(KeyboardInterrupt):
            decompose(kernel, cloud(200), solver="lowrank")
        # BLAS threads and the pool are as before: the next call works.
        assert decompose(kernels.Gaussian(1.0), cloud(200), solver="lowrank").rank > 100

    def test_progress_counts_landmarks(self):
        seen = []
        decompose(
            kernels.Gaussian(1.0),
            cloud(),
            solver="lowrank",
            rank=50,
            progress=lambda *call: seen.append(call),
        )
        done = [call[1] for call in seen]
        assert done[0] == 0
        assert done == sorted(done)
        assert len(done) > 3
        assert seen[-1] == ("decompose", 100, 100)
