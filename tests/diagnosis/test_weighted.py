"""A diagnosis by kernels with learned weights."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import reldim
from commands import refused, run
from reldim import diagnose
from reldim.exceptions import InputError
from reldim.inputs.random_state import seed_of


def problem(n=100, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=n)


@pytest.fixture(scope="module")
def found():
    return diagnose(*problem(), kernels="weighted", references=False)


def test_candidates_are_plain_kernels(found):
    names = found.candidates["kernel"].tolist()
    assert names == [f"weighted {kind}" for kind in ("product", "gaussian", "laplacian", "matern")]
    assert len(found.kernel.weights) == 6
    assert {*np.argsort(found.kernel.weights)[-2:]} == {0, 1}
    # It can be used as any other.
    again = diagnose(*problem(), kernels=found.kernel, references=False)
    assert again.dimension == found.dimension


def test_held_out_rows_judge(found):
    assert found.error_estimate == found.weighted.error
    assert found.candidates["error_estimate"][found.index] == found.error_estimate
    X, y = problem(2000, seed=1)
    error = np.mean((found.predictor().predict(X) - y) ** 2) / y.var()
    assert found.error_estimate == pytest.approx(error, rel=0.5)


def test_rows_that_weights_were_learned_from_would_say_less():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20))
    found = diagnose(X, X[:, 0] + 0.8 * rng.normal(size=60), kernels="weighted", references=False)
    assert found.relevance.error_estimate < found.error_estimate


def test_shares_and_effects_come_along(found):
    assert {*found.columns.index[:2]} == {"0", "1"}
    assert {*found.effects["column"]} == {"0", "1"}
    assert found.columns_note == ""
    assert found.settings.call.endswith("kernels='weighted', references=False)")


def test_saved_and_loaded(found, tmp_path):
    found.save(tmp_path / "found.reldim")
    again = reldim.load(tmp_path / "found.reldim")
    assert again.error_estimate == found.error_estimate
    assert again.candidate_errors == found.candidate_errors


def test_noise_has_no_signal():
    rng = np.random.default_rng(3)
    found = diagnose(rng.normal(size=(60, 8)), rng.normal(size=60), kernels="weighted")
    assert found.verdict.code == "RD001"
    assert found.p_value > 0.05
    assert found.columns.empty
    assert "no better than chance" in found.columns_note


def test_more_columns_than_rows_and_classes():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(50, 60)), np.ones(50)])
    found = diagnose(X, np.where(X[:, 0] > 0, "a", "b"), kernels="weighted", references=False)
    assert found.columns.index[0] == "0"
    assert found.error_estimate < 0.35


@pytest.mark.parametrize(
    "data, said",
    [
        (lambda X: X[:, :1], "single column"),
        (csr_array, "sparse data"),
        (lambda X: X[:15], "Too few rows"),
    ],
    ids=["one column", "sparse", "few rows"],
)
def test_what_has_no_weights_is_refused(data, said):
    X, y = problem()
    with pytest.raises(InputError, match=f"learns weights of columns.*{said}"):
        diagnose(data(X), y[: data(X).shape[0]], kernels="weighted")


def test_it_stands_alone():
    X, y = problem(40)
    with pytest.raises(InputError, match="stands alone"):
        diagnose(X, y, kernels=["weighted", "gaussian"])
    with pytest.raises(InputError, match="KernelBlendRegressor"):
        reldim.KernelPCRegressor(kernel="weighted").fit(X, y)
    with pytest.raises(InputError, match="stands alone"):
        reldim.compare({"a": X, "b": X[:, :3]}, y, kernels="weighted")


def test_on_the_command_line(tmp_path):
    X, y = problem(60)
    pd.DataFrame(X, columns=[*"abcdef"]).assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    result = run("diagnose", tmp_path / "t.csv", "--target", "y", "--kernel", "weighted")
    assert result.exit_code == 0
    assert "weighted gaussian" in result.stdout
    line = refused("diagnose", tmp_path / "t.csv", "--target", "y", "--kernel", "weighted",
                   "--columns", "a", "--quiet")  # fmt: skip
    assert "single column" in line


def test_many_rows_have_one_offset(monkeypatch):
    for module in ("diagnosis", "expectation"):
        monkeypatch.setattr(f"reldim.diagnosis.{module}.MOST_ROWS", 100)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = 10 + X[:, 0] + 0.1 * rng.normal(size=400)
    found = diagnose(X, y, kernels="weighted", references=False)
    assert np.mean(found.predictor().predict(X) - y) == pytest.approx(0.0, abs=0.02)


def test_a_generator_is_asked_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    first, second = (
        diagnose(X, y, kernels="weighted", references=False, random_state=state)
        for state in (np.random.default_rng(5), seed_of(np.random.default_rng(5)))
    )
    assert first.error_estimate == second.error_estimate
