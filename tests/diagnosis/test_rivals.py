"""Kernels of other families beside the chosen one."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

from reldim import decompose, diagnose, kernels, relevant_dimension
from reldim.diagnosis import rivals
from reldim.diagnosis.rivals import find_rivals
from reldim.eigensolvers.dense import dense_bytes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
BENT = X[:, 0] * X[:, 1] + 0.1 * RNG.normal(size=80)
LINEAR = kernels.Linear()


@pytest.fixture(scope="module")
def of_linear():
    rd = relevant_dimension(decompose(LINEAR, X), BENT)
    return rd, find_rivals(rd, [LINEAR])


def test_every_other_family_has_its_best_kernel(of_linear):
    rd, found = of_linear
    assert [rival.family for rival in found.others] == [
        "gaussian",
        "laplacian",
        "matern",
        "polynomial",
    ]
    assert found.rows == 80
    assert found.chosen.kernel == LINEAR
    assert found.chosen.error_estimate == rd.error_estimate
    for rival in found.others:
        same = relevant_dimension(decompose(rival.kernel, X), BENT)
        assert rival.dimension == same.dimension
        assert rival.error_estimate == pytest.approx(same.error_estimate)
        assert rival.negative_log_likelihood == pytest.approx(same.negative_log_likelihood)


def test_best_is_the_most_likely(of_linear):
    _, found = of_linear
    values = [rival.negative_log_likelihood for rival in found.others]
    assert found.best.negative_log_likelihood == min(values)
    assert found.best.error_estimate < 0.1 < found.chosen.error_estimate


def test_families_that_were_tried_are_left_out():
    rd = relevant_dimension(decompose(kernels.Gaussian(1.0), X), BENT)
    found = find_rivals(rd, [kernels.Gaussian(1.0), kernels.Laplacian(1.0)])
    assert [rival.family for rival in found.others] == ["matern", "polynomial", "linear"]
    everything = [kernels.Matern(1.5, 1.0), kernels.Polynomial(2, 1.0), LINEAR]
    none = find_rivals(rd, [kernels.Gaussian(1.0), kernels.Laplacian(1.0), *everything])
    assert none.others == ()
    assert none.best is None


def test_many_rows_are_thinned_whatever_their_order(monkeypatch):
    monkeypatch.setattr(rivals, "ROWS", 40)
    monkeypatch.setattr(rivals, "MORE_ROWS", 50)
    rd = relevant_dimension(decompose(LINEAR, X), BENT)
    found = find_rivals(rd, [LINEAR])
    assert found.rows == 50
    assert found.chosen.error_estimate != rd.error_estimate
    order = np.random.default_rng(1).permutation(80)
    other = relevant_dimension(decompose(LINEAR, X[order]), BENT[order])
    again = find_rivals(other, [LINEAR])
    assert again.best.kernel == found.best.kernel
    assert again.best.error_estimate == pytest.approx(found.best.error_estimate, rel=1e-6)


def test_what_looks_better_on_few_rows_is_tried_on_more(monkeypatch):
    monkeypatch.setattr(rivals, "ROWS", 50)
    rd = relevant_dimension(decompose(LINEAR, X), BENT)
    found = find_rivals(rd, [LINEAR])
    assert found.rows == 80
    assert found.chosen.relevance is rd
    everything = list(rivals._kernels(X, [LINEAR]))
    assert 1 <= len(found.others) < len(everything) / 2
    for rival in found.others:
        same = relevant_dimension(decompose(rival.kernel, X), BENT)
        assert rival.negative_log_likelihood == pytest.approx(same.negative_log_likelihood)
        assert rival.error_estimate == pytest.approx(same.error_estimate)


def test_what_looks_no_better_on_few_rows_is_left(monkeypatch):
    monkeypatch.setattr(rivals, "ROWS", 50)
    rd = relevant_dimension(decompose(kernels.Polynomial(2, 1.0), X), X[:, 0] * X[:, 1])
    found = find_rivals(rd, [kernels.Polynomial(2, 1.0)])
    assert found.rows == 50
    assert found.ahead < 0
    assert len(found.others) == 4


DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[3] / "shared" / "data"))
BOSTON = DATA.parent / "tables" / "boston.csv.gz"


@pytest.mark.slow
@pytest.mark.skipif(not BOSTON.is_file(), reason="needs tables/boston.csv.gz beside RELDIM_DATA")
def test_the_noise_of_boston_survives_six_rows():
    table = pd.read_csv(BOSTON).to_numpy(dtype=float)
    X, y = StandardScaler().fit_transform(table[:, :-1]), table[:, -1]
    estimates = []
    for seed in range(4):
        dropped = np.random.default_rng(seed).permutation(len(y))[: 6 * (seed > 0)]
        rest = np.setdiff1d(np.arange(len(y)), dropped)
        estimates.append(diagnose(X[rest], y[rest]).noise_estimate)
    for one in estimates:
        low, high = one.interval
        assert all(low <= other.value <= high for other in estimates)


def test_a_second_look_keeps_to_the_memory(monkeypatch):
    monkeypatch.setattr(rivals, "ROWS", 50)
    # Enough for the whole matrix, not for those of rivals beside it.
    enough, few = 3 * dense_bytes(80), dense_bytes(80) * 3 // 2
    assert diagnose(X, BENT, kernels="linear", memory=enough).verdict.figures["rows"] == 80
    assert diagnose(X, BENT, kernels="linear", memory=few).verdict.figures["rows"] == 50


def test_a_rival_that_is_ahead_by_chance_does_not_stay_ahead(monkeypatch):
    # Forty rows bend, the others know nothing of it.
    slope, rows = X @ [1.0, 0.5], rivals._some_rows(X, 40)
    y = slope + 3 * np.random.default_rng(5).normal(size=80)
    y[rows] = (slope + BENT)[rows]
    monkeypatch.setattr(rivals, "ROWS", 40)
    rd = relevant_dimension(decompose(LINEAR, X), y)
    closer = find_rivals(rd, [LINEAR])
    monkeypatch.setattr(rivals, "MORE_ROWS", 40)
    first = find_rivals(rd, [LINEAR])
    assert first.ahead > 100
    assert closer.ahead < 0


def test_a_class_that_thinning_loses(monkeypatch):
    monkeypatch.setattr(rivals, "ROWS", 40)
    y = np.array(["a"] * 78 + ["b"] * 2)
    rd = relevant_dimension(decompose(LINEAR, X), y)
    assert find_rivals(rd, [LINEAR]) is None


def test_other_data_have_no_rivals():
    words = ["ACGT", "AACC", "GGTT", "ACCA", "TTGA", "CAGT"] * 5
    kernel = kernels.WeightedDegree(2)
    rd = relevant_dimension(decompose(kernel, words), np.arange(30) % 2)
    assert find_rivals(rd, [kernel]) is None
    K = kernels.Gaussian(1.0)(X)
    rd = relevant_dimension(decompose(kernels.Precomputed(), K), BENT)
    assert find_rivals(rd, [kernels.Precomputed()]) is None


def test_by_how_much_the_best_is_ahead(of_linear):
    _, found = of_linear
    gain = found.chosen.negative_log_likelihood - found.best.negative_log_likelihood
    assert found.ahead == pytest.approx(80 * gain)
    assert replace(found, others=()).ahead == -np.inf


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_noise_is_not_what_the_chosen_kernel_cannot_see(monkeypatch, task):
    y = BENT if task == "regression" else np.where(BENT > np.median(BENT), "up", "down")
    limited = diagnose(X, y, kernels="linear")
    assert limited.noise_level > 0.2
    assert limited.noise_estimate.value < limited.noise_level / 3
    # A better kernel on some of the rows tells more than the chosen one on all of them.
    monkeypatch.setattr(rivals, "ROWS", 50)
    monkeypatch.setattr(rivals, "MORE_ROWS", 60)
    seen = diagnose(X, y, kernels="linear")
    assert seen.verdict.figures["rows"] == 60
    assert seen.noise_estimate.value < limited.noise_level / 3
    if task == "regression":
        low, high = seen.noise_estimate.interval
        assert low <= 0.01 / np.var(BENT) <= high


def test_noise_without_a_better_kernel_comes_from_all_rows(monkeypatch):
    y = X @ [1.0, 2.0] + np.random.default_rng(2).normal(size=80)
    found = diagnose(X, y, kernels="linear", references=False)
    monkeypatch.setattr(rivals, "ROWS", 50)
    monkeypatch.setattr(rivals, "MORE_ROWS", 60)
    again = diagnose(X, y, kernels="linear", references=False)
    assert again.verdict.code != "RD006"
    assert again.noise_estimate == found.noise_estimate


def test_diagnosis_says_that_the_kernel_limits():
    found = diagnose(X, BENT, kernels="linear")
    assert found.verdict.code == "RD006"
    # Another kind of model does better as well, and then noise is not what limits.
    assert found.findings[0].code == "RD008"
    assert "RD003" not in {one.code for one in found.findings}
    named = found.verdict.advice.split("--kernel ")[1].rstrip(".")
    better = diagnose(X, BENT, kernels=named)
    assert better.error_estimate < 0.5 * found.error_estimate
    assert better.verdict.code != "RD006"


def test_a_good_kernel_has_no_better_rival():
    y = X @ [1.0, 2.0] + np.random.default_rng(3).normal(size=80)
    assert diagnose(X, y).verdict.code != "RD006"


def test_kernels_that_overflow_are_no_rivals(monkeypatch):
    monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)
    # Products of these rows are numbers in single precision, squared distances are not any more.
    far = (X * np.sqrt(2e38 / np.sum(X**2, axis=1).max())).astype(np.float32)
    rd = relevant_dimension(decompose(LINEAR, far), BENT)
    with np.errstate(over="ignore"):
        found = find_rivals(rd, [LINEAR])
    assert {"gaussian", "laplacian", "matern"}.isdisjoint(rival.family for rival in found.others)


def test_a_kernel_that_fits_three_rows_is_no_better():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X = StandardScaler().fit_transform(X[:3])
    assert diagnose(X, y[:3], task="regression").verdict.code == "RD007"
