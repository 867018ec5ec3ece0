"""What a checker of types finds in a user's code: wrong names, and nothing in right ones."""

import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import reldim
from reldim.eigensolvers import SOLVERS, Solver
from reldim.inputs.targets import TASKS, AnyTask
from reldim.relevance.estimation import CRITERIA, Criterion
from reldim.search.families import FAMILIES, SKLEARN_NAMES, KernelName

ROOT = Path(__file__).parents[1]

BEGINNING = """
import numpy as np
import reldim
from reldim import kernels
X, y = np.eye(3), [1, 2, 3]
found = reldim.diagnose(X, y)
"""

RIGHT = [
    'reldim.diagnose(X, y, kernels=["gaussian", kernels.Linear()], task="regression")',
    'reldim.diagnose(X, y, kernels={"a": kernels.Linear(), "b": "rbf"}, solver="dense")',
    'reldim.diagnose(X, y, kernels=lambda a, b: a @ b.T, criterion="leave-one-out")',
    'reldim.compare(X, y, kernels={"a": ["gaussian", "linear"], "b": ["rbf"]})',
    'reldim.compare({"a": X, "b": (X, "linear")}, y, kernels=kernels.Linear())',
    "found.predictor().predict(X, return_std=True)",
    "found.predictor().fit(X, y).predict(X)",
]

WRONG = [
    'reldim.diagnose(X, y, task="regresion")',
    'reldim.diagnose(X, y, kernels="gausian")',
    'reldim.diagnose(X, y, kernels=["gausian"])',
    'reldim.diagnose(X, y, solver="dens")',
    'reldim.compare({"a": X, "b": X}, y, criterion="loo")',
    'reldim.decompose(kernels.Linear(), X, solver="dens")',
    'reldim.KernelRidgeRegressor("gausian")',
    'reldim.KernelPCRegressor(criterion="loo")',
    "found.predictor().predcit(X)",
]


@pytest.mark.slow
def test_a_typo_is_found(tmp_path):
    pytest.importorskip("mypy")
    code = tmp_path / "typed.py"
    code.write_text(BEGINNING + "\n".join([*RIGHT, *WRONG]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(code)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    first = len(BEGINNING.splitlines()) + 1 + len(RIGHT)
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {first + i for i in range(len(WRONG))}, done.stdout


def test_names_for_checkers_are_those_at_run_time():
    assert {*get_args(KernelName)} == {*FAMILIES, *SKLEARN_NAMES}
    assert (get_args(Solver), get_args(AnyTask)) == (SOLVERS, TASKS)
    for call in (reldim.diagnose, reldim.compare):
        hints = get_type_hints(call)
        assert (hints["task"], hints["solver"]) == (AnyTask, Solver)
        assert hints["criterion"] == Criterion
    assert get_args(Criterion) == CRITERIA


def test_predictors_have_what_the_protocol_names():
    data = reldim.datasets.noisy_sinc(40, random_state=0)
    for kind in (None, "linear"):
        model = reldim.diagnose(data.X, data.y, kernels=kind, references=False).predictor()
        for name in ("fit", "predict", "score"):
            assert callable(getattr(model, name))
