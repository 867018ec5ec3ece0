"""The low-rank solver: pivots, growth, limits, and what it does with bad input."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from reldim import decompose, kernels, relevant_dimension
from reldim.eigensolvers import lowrank, lowrank_capacity
from reldim.eigensolvers.lowrank import Factor, lowrank_bytes, spectrum_of_factor
from reldim.exceptions import InputError, KernelMatrixError
from reldim.inputs.targets import code_targets
from reldim.relevance.estimation import estimate
from reldim.search.growing_rank import (
    Judgement,
    Plan,
    Prospect,
    Standing,
    judge_further,
    judge_kernel,
)
from reldim.spectrum.gram import Gram


def cloud(n=300, features=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, features))


def grown(X, kernel, rank, **settings):
    factor = Factor(Gram.of(kernel, X), rank, **settings)
    factor.grow(rank)
    return factor


def judged_at(rank, value):
    judged = SimpleNamespace(criterion_value=value, dimension=1)
    return Judgement(judged, settled=True, prospect=Prospect(rank, value))


class TestFactor:
    def test_the_approximation_is_exact_on_the_pivots(self):
        X = cloud()
        factor = grown(X, kernels.Gaussian(2.0), 40)
        K = kernels.Gaussian(2.0)(X)
        F = factor.columns[:, :40]
        np.testing.assert_allclose(F @ F[factor.pivots].T, K[:, factor.pivots], atol=1e-10)

    def test_it_equals_the_nystroem_approximation_of_its_pivots(self):
        X = cloud()
        factor = grown(X, kernels.Gaussian(2.0), 25)
        K = kernels.Gaussian(2.0)(X)
        s = factor.pivots
        expected = K[:, s] @ np.linalg.solve(K[np.ix_(s, s)], K[s])
        F = factor.columns[:, :25]
        np.testing.assert_allclose(F @ F.T, expected, atol=1e-8)

    def test_what_is_left_of_the_diagonal_is_known(self):
        X = cloud()
        factor = grown(X, kernels.Gaussian(2.0), 30)
        F = factor.columns[:, :30]
        np.testing.assert_allclose(factor.left, 1 - np.sum(F**2, axis=1), atol=1e-12)
        assert factor.residual == pytest.approx(300 - np.sum(F**2))

    def test_growing_in_steps_keeps_the_first_columns(self):
        factor = Factor(Gram.of(kernels.Gaussian(2.0), cloud()), 60)
        factor.grow(20)
        before, pivots = factor.columns[:, :20].copy(), list(factor.pivots)
        factor.grow(60)
        np.testing.assert_array_equal(factor.columns[:, :20], before)
        assert factor.pivots[:20] == pivots
        F = factor.columns
        np.testing.assert_allclose(factor.inner, F.T @ F, atol=1e-11)

    def test_rows_in_chunks_give_the_same_factor(self, monkeypatch):
        X = cloud(100)
        whole = grown(X, kernels.Gaussian(2.0), 30)
        monkeypatch.setattr(lowrank, "CHUNK", 7)
        chunks = grown(X, kernels.Gaussian(2.0), 30)
        assert chunks.pivots == whole.pivots
        np.testing.assert_allclose(chunks.columns, whole.columns, atol=1e-12)

    def test_seeds_repeat_and_differ(self):
        X = cloud()
        pivots = [
            grown(X, kernels.Gaussian(2.0), 30, random_state=seed).pivots
            for seed in (None, 0, 1, 1)
        ]
        assert pivots[0] == pivots[1]
        assert pivots[2] == pivots[3]
        assert pivots[1] != pivots[2]
        assert all(len(set(some)) == 30 for some in pivots)

    def test_pivots_are_distributed_as_if_drawn_one_by_one(self):
        """Compare the frequency of ordered pairs with the probabilities of drawing them."""
        X = np.array([[0.0], [0.3], [1.0], [3.0]])
        K = kernels.Gaussian(0.5)(X)
        expected = np.zeros((4, 4))
        for i, j in itertools.permutations(range(4), 2):
            left = np.diag(K) - K[:, i] ** 2 / K[i, i]
            left[i] = 0.0
            expected[i, j] = K[i, i] / np.trace(K) * left[j] / left.sum()
        seen = np.zeros((4, 4))
        gram = Gram.of(kernels.Gaussian(0.5), X)
        draws = 1000
        for seed in range(draws):
            factor = Factor(gram, 2, random_state=seed)
            factor.grow(2)
            seen[factor.pivots[0], factor.pivots[1]] += 1
        spread = np.sqrt(draws * expected * (1 - expected))
        assert np.all(np.abs(seen - draws * expected) <= 4.5 * spread + 1e-9)

    def test_duplicated_rows_exhaust_the_rank(self):
        X = np.repeat(cloud(20), 15, axis=0)
        factor = grown(X, kernels.Gaussian(2.0), 100)
        assert factor.exhausted
        assert factor.rank == 20
        spectrum = spectrum_of_factor(factor)
        assert spectrum.is_complete
        assert spectrum.rank == 20

    def test_one_large_row_among_small_ones_ends(self):
        # What is left of each row is round-off beside the large one, but not beside its own.
        X = np.vstack([[1e9, 0.0], 1e-3 * cloud(200, 2)])
        factor = grown(X, kernels.Linear(), 50)
        assert factor.exhausted
        assert factor.rank <= 3

    def test_own_landmarks_in_their_order(self):
        X = cloud()
        factor = Factor(Gram.of(kernels.Gaussian(2.0), X), 5, landmarks=[7, 3, 7, 250, 11])
        factor.grow(5)
        assert factor.pivots == [7, 3, 250, 11]

    @pytest.mark.parametrize("seed", range(3))
    def test_more_landmarks_leave_less(self, seed):
        X = cloud(seed=seed)
        left = [grown(X, kernels.Gaussian(1.0), rank).residual for rank in (10, 40, 160)]
        assert left[0] > left[1] > left[2] > 0


class TestSpectra:
    @pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-3), (np.float32, 1e-3)])
    @pytest.mark.parametrize("center", [False, True])
    def test_likelihood_of_the_dense_solver(self, dtype, tolerance, center):
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


class TestAdaptive:
    def judge(self, y):
        targets = code_targets(y)
        return lambda spectrum: estimate(spectrum, targets)

    def problem(self, n=1500, width=3.0):
        X = cloud(n)
        y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=n)
        return Gram.of(kernels.Gaussian(width), X), y

    def test_settled_judgements_equal_those_of_the_dense_solver(self):
        for width in (0.5, 3.0, 100.0):
            gram, y = self.problem(width=width)
            low = judge_kernel(gram, self.judge(y), Plan())
            dense = judge_kernel(gram, self.judge(y), Plan(solver="dense"))
            assert low.settled
            assert low.judged.dimension == dense.judged.dimension
            assert low.judged.criterion_value == pytest.approx(
                dense.judged.criterion_value, abs=1e-3
            )

    def test_rank_is_grown_where_the_dimension_touches_it(self):
        X = np.sort(np.random.default_rng(0).uniform(-np.pi, np.pi, 3000))[:, None]
        y = np.sin(150 * X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=3000)
        gram = Gram.of(kernels.Gaussian(1e-4), X)
        found = judge_kernel(gram, self.judge(y), Plan(solver="lowrank"))
        assert found.settled
        assert found.judged.dimension > 256
        assert found.rank >= 2 * found.judged.dimension

    def test_hopeless_kernels_are_given_up(self):
        gram, y = self.problem(width=0.02)
        standing = Standing()
        standing.note("other", judged_at(256, -10.0))
        found = judge_kernel(gram, self.judge(y), Plan(), standing=standing)
        assert not found.settled
        assert found.rank == 256
        assert found.prospect.hope > -10.0

    def test_kernels_may_be_compared_at_equal_rank(self):
        standing = Standing()
        path = ((256, -1.0), (512, -1.5))
        standing.note("ahead", replace(judged_at(1024, -2.0), path=path))
        assert standing.least == standing.at(1024) == standing.at(5000) == -2.0
        assert (standing.at(100), standing.at(256), standing.at(600)) == (np.inf, -1.0, -1.5)
        assert standing.allows(Prospect(256, -1.1, at_equal_rank=True))
        assert not standing.allows(Prospect(512, -1.1, at_equal_rank=True))
        assert not standing.allows(Prospect(256, -1.1, at_equal_rank=False))

    def test_the_best_kernel_may_take_all_memory(self):
        gram, y = self.problem(width=0.1)
        plan = Plan(solver="lowrank", memory=lowrank_bytes(gram.n, 600, 8))
        beside = judge_kernel(gram, self.judge(y), plan, standing=Standing())
        assert not beside.settled
        assert beside.rank < beside.capacity <= 600
        further = judge_further(beside, self.judge(y), plan)
        assert further.rank == beside.capacity
        F = further.factor.columns[:, : further.rank]
        given = decompose(kernels.Precomputed(), F @ F.T, solver="dense")
        expected = estimate(given, code_targets(y)).criterion_value
        assert further.judged.criterion_value == pytest.approx(expected, abs=1e-6)
        assert expected < beside.judged.criterion_value
        settled = judge_kernel(self.problem()[0], self.judge(y), plan)
        assert judge_further(settled, self.judge(y), plan) is settled

    def test_few_rows_are_decomposed_whole(self):
        gram, y = self.problem(n=200)
        assert judge_kernel(gram, self.judge(y), Plan()).judged.spectrum.solver == "dense"

    def test_where_no_rank_suffices_the_dense_solver_decides(self):
        gram, y = self.problem(n=1100, width=0.02)
        found = judge_kernel(gram, self.judge(y), Plan())
        assert found.settled
        assert found.judged.spectrum.solver == "dense"

    def test_unknown_solver(self):
        with pytest.raises(InputError, match="solver must be one of"):
            Plan(solver="magic")
