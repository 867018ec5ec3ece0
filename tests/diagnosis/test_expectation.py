"""What the predictor errs on new rows: which rows it saw, and which predictor it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    decompose,
    diagnose,
    kernels,
    relevant_dimension,
)
from reldim.diagnosis import expectation
from reldim.inputs.splits import Folds, Splits


def test_a_blend_of_some_rows_predicts_in_the_units_of_all(monkeypatch):
    monkeypatch.setattr(expectation, "MOST_ROWS", 150)
    # The cut-off sees all rows; it is the blend that is asked for here.
    monkeypatch.setattr(expectation, "FLATTERED", 1e9)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 1000 + 50 * X[:, 0] + 20 * np.sin(2 * X[:, 1]) + rng.normal(size=300)
    model = diagnose(X, y, references=False).predictor()
    assert type(model).__name__ == "KernelBlendRegressor"
    # The means of 150 rows and of 300 differ by a few units.
    assert np.mean(model.predict(X) - y) == pytest.approx(0, abs=1.5)


@pytest.mark.parametrize("ahead", [-10.0, 10.0])
def test_least_squares_on_components_predict_only_where_they_are_ahead(monkeypatch, ahead):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 6))
    y = (X.sum(axis=1) + 0.5 * rng.normal(size=150) > 0).astype(int)
    monkeypatch.setattr(expectation, "AHEAD", ahead)
    found = diagnose(X, y, references=False)
    # The border is straight in all columns, so that one width serves as well as learned weights.
    assert isinstance(found.predictor(), KernelPCClassifier) == (ahead < 0)


def test_errors_under_a_matrix_are_those_of_folds_and_have_standard_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=80)
    found = diagnose(kernels.Gaussian(0.5)(X), y, kernels="precomputed")
    curve = found.forecast().curve
    assert curve.rows == (64.0, 32.0, 16.0)
    assert found.error_estimate <= curve.errors[0] < curve.errors[-1]
    assert 0.0 < found.error_standard_error < curve.errors[0]


@pytest.mark.parametrize(
    "kernel, classes",
    [
        (kernels.Gaussian(0.3), False),
        (kernels.Polynomial(3), False),
        (kernels.Gaussian(0.3), True),
    ],
    ids=["held to bounds", "without bounds", "classes"],
)
def test_least_squares_in_folds_are_those_of_as_many_estimators(kernel, classes):
    rng = np.random.default_rng(0)
    # Predictions for the last rows, which lie apart, run wild under the Gaussian kernel.
    X = np.append(rng.uniform(-1, 1, 60) ** 3, [1.3, -1.3, 1.5])[:, None]
    y = np.sin(12 * X[:, 0]) + 0.01 * rng.normal(size=63)
    y = np.array(["a", "b", "c"])[np.digitize(y, [-0.5, 0.5])] if classes else y + 100
    parts = np.arange(63) % 5
    pairs = [(np.flatnonzero(parts != i), np.flatnonzero(parts == i)) for i in range(5)]
    folds = Folds.of(pairs)
    rd = relevant_dimension(decompose(kernel, X), y)
    held = rd.targets
    drawn = expectation._Drawn(np.arange(63), X, held, Splits(63, held.codes), X)
    experiment = expectation._Experiment(rd, drawn, folds, 0)
    own = experiment.losses(experiment.cut_off(folds), folds.judged)

    expected = np.zeros(63)
    for train, test in pairs:
        model = (KernelPCClassifier if classes else KernelPCRegressor)(kernel)
        guess = model.fit(X[train], y[train]).predict(X[test])
        expected[test] = guess != y[test] if classes else (guess - y[test]) ** 2
    assert_allclose(own, expected if classes else expected / np.var(y), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("matter", [1, 10])
def test_equal_weights_limit_where_few_columns_matter(matter):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 10))
    y = np.sin(2 * X[:, :matter].sum(axis=1) / np.sqrt(matter)) + 0.2 * rng.normal(size=160)
    found = diagnose(X, y, references=False)
    said = [one for one in found.findings if one.code == "RD006"]
    assert len(said) == (matter == 1)
    for one in said:
        assert one.figures["expected_error"] == pytest.approx(found.error_estimate)
        assert one.figures["error_with_equal_weights"] > 2 * found.error_estimate


def test_fewer_rows_are_judged_by_enough_folds(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=150)

    def curve():
        return diagnose(X, y, kernels="gaussian", references=False).forecast().curve

    whole = curve()
    monkeypatch.setattr(expectation, "ENOUGH", 60)
    part = curve()
    # The error with all rows of the folds is that of all folds in any case.
    assert part.errors[0] == whole.errors[0]
    assert part.errors[1:] != whole.errors[1:]
    assert part.rows[1:] == pytest.approx(whole.rows[1:])
    assert_allclose(part.errors[:2], whole.errors[:2], atol=4 * whole.standard_error)
