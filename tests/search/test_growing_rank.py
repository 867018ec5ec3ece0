"""Ranks that grow until the judgement of a kernel no longer depends on them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from reldim import decompose, kernels
from reldim.eigensolvers.lowrank import lowrank_bytes
from reldim.exceptions import InputError
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


def judged_at(rank, value):
    judged = SimpleNamespace(criterion_value=value, dimension=1)
    return Judgement(judged, settled=True, prospect=Prospect(rank, value))


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
