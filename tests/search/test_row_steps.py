"""Rows in steps: what is drawn, and that the choice among kernels and its test stay the same."""

import numpy as np
import pytest

from reldim import datasets, kernels
from reldim.inputs.targets import code_targets
from reldim.search import candidates, row_steps
from reldim.search.candidates import choose


@pytest.fixture
def small_steps(monkeypatch):
    """Steps of few rows, so that tests are quick."""
    monkeypatch.setattr(row_steps, "FEW_ROWS", 90)
    monkeypatch.setattr(row_steps, "FIRST_STEP", 60)
    for module in (row_steps, candidates):
        monkeypatch.setattr(module, "SECOND_STEP", 120)


def problem(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)


class TestRows:
    def test_steps_are_nested_and_do_not_depend_on_the_order(self):
        X, y = problem(2500)
        few, more = row_steps.row_steps(X, code_targets(y))
        assert (len(few), len(more)) == (500, 2000)
        assert set(few) <= set(more)
        turned = row_steps.row_steps(X[::-1].copy(), code_targets(y[::-1]))
        assert set(len(X) - 1 - turned[0]) == set(few)

    def test_rare_numbers_are_there(self):
        X, _ = problem(3000)
        y = np.zeros(3000)
        y[[7, 9]] = 0.5, -0.5
        targets = code_targets(y, "regression")
        for rows in row_steps.row_steps(X, targets):
            assert not row_steps.is_constant(targets.values[rows])

    def test_rare_classes_are_there(self):
        X, _ = problem(3000)
        y = np.zeros(3000, dtype=int)
        y[[7, 1200, 2999]] = 1
        for rows in row_steps.row_steps(X, code_targets(y)):
            assert y[rows].sum() >= 2

    @pytest.mark.parametrize("n", [100, 700])
    def test_few_rows_have_no_steps(self, n):
        X, y = problem(n)
        assert row_steps.row_steps(X, code_targets(y)) == []

    def test_many_classes_have_no_steps(self):
        X, _ = problem(1000)
        targets = code_targets(np.arange(1000) % 200, task="classification")
        assert row_steps.row_steps(X, targets) == []


@pytest.mark.usefixtures("small_steps")
class TestChoice:
    @pytest.mark.parametrize("n", [100, 400])
    def test_only_the_best_sees_all_rows_of_many(self, n):
        X, y = problem(n)
        found = choose(X, code_targets(y))
        assert found.best.targets.n == found.rows[found.index].rows == n
        seen = sorted({row.rows for row in found.rows})
        assert seen == ([60, 100] if n == 100 else [60, 120, 400])
        if n == 400:
            assert sum(row.rows == n for row in found.rows) == 1

    @pytest.mark.parametrize("data", ["noisy_sinc", "twonorm", "waveform"])
    def test_the_kernel_is_about_the_one_that_all_rows_choose(self, data, monkeypatch):
        drawn = getattr(datasets, data)(400, random_state=1)
        targets = code_targets(drawn.y)
        stepped = choose(drawn.X, targets)
        monkeypatch.setattr(row_steps, "FEW_ROWS", 10**6)
        whole = choose(drawn.X, targets)
        assert {row.rows for row in whole.rows} == {400}
        # Of kernels that few rows do not tell apart, one that all rows hardly tell apart.
        lost = stepped.best.negative_log_likelihood - whole.best.negative_log_likelihood
        assert -1e-9 <= lost < 0.03

    def test_kernels_that_were_named_see_all_rows(self):
        X, y = problem(150)
        found = choose(X, code_targets(y), [kernels.Gaussian(w) for w in (0.1, 1.0, 10.0, 100.0)])
        assert {row.rows for row in found.rows} == {150}

    @pytest.mark.slow
    @pytest.mark.parametrize("n", [110, 200])
    def test_the_level_of_the_test_holds(self, n):
        rng = np.random.default_rng(n)
        p_values = [
            choose(rng.normal(size=(n, 2)), code_targets(rng.normal(size=n))).p_value
            for _ in range(60)
        ]
        # 3 are expected at the level of 5 %; more than 8 come with a probability below 1 %.
        assert sum(p <= 0.05 for p in p_values) <= 8

    @pytest.mark.filterwarnings("ignore::reldim.exceptions.GridEdgeWarning")
    def test_rows_beyond_the_second_step_add_power(self):
        rng = np.random.default_rng(5)
        found = []
        for _ in range(8):
            X = rng.normal(size=(1500, 1))
            y = 0.17 * X[:, 0] + rng.normal(size=1500)
            found.append(choose(X, code_targets(y), "gaussian").p_value)
        # The best test on 120 rows alone sees a correlation of 0.17 at this level in a quarter.
        assert sum(p < 0.01 for p in found) >= 6
