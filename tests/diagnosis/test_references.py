"""References: errors against scikit-learn's own cross-validation."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.model_selection import KFold, cross_val_predict

from reldim import diagnose
from reldim.diagnosis import references
from reldim.diagnosis.references import TREES, compare_models, row_losses
from reldim.inputs.splits import Folds, Splits
from reldim.inputs.targets import code_targets

FOLDS = KFold(3, shuffle=True, random_state=0)


def models(X, targets, split):
    return compare_models(X, targets, Folds.of(split), Splits(len(X)))


def numbers(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + (X[:, 1] > 0) + 0.3 * rng.normal(size=n)


def test_errors_are_those_of_cross_validation():
    X, y = numbers()
    targets = code_targets(y)
    found = {one.model: one for one in models(X, targets, FOLDS.split(X))}
    assert list(found) == ["linear model", "boosted trees", "extra trees"]
    y = targets.values[:, 0]
    predicted = cross_val_predict(ExtraTreesRegressor(TREES, random_state=0), X, y, cv=FOLDS)
    losses = (predicted - y) ** 2 / y.var()
    assert found["extra trees"].error == pytest.approx(losses.mean(), rel=1e-9)
    expected = losses.std(ddof=1) / np.sqrt(len(y))
    assert found["extra trees"].standard_error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-30, 1e8])
def test_units_of_the_target_do_not_matter(unit):
    X, y = numbers()
    plain, scaled = (
        [one.error for one in models(X, code_targets(values), FOLDS.split(X))]
        for values in (y, unit * y)
    )
    np.testing.assert_allclose(scaled, plain, rtol=0.02)


def test_errors_of_classes_are_shares_of_mistakes():
    X, y = load_iris(return_X_y=True)
    targets = code_targets(y)
    found = {one.model: one for one in models(X, targets, FOLDS.split(X))}
    predicted = cross_val_predict(ExtraTreesClassifier(random_state=0), X, y, cv=FOLDS)
    assert found["extra trees"].error == np.mean(predicted != y)


def test_several_targets_have_no_boosted_trees():
    X, y = numbers()
    targets = code_targets(np.column_stack([y, -y]))
    found = models(X, targets, FOLDS.split(X))
    assert [one.model for one in found] == ["linear model", "extra trees"]


def test_losses_of_a_constant_are_one_on_average():
    _, y = numbers()
    targets = code_targets(y)
    assert row_losses(targets, np.zeros((len(y), 1))).mean() == pytest.approx(1.0)


class TestDiagnosis:
    def test_a_data_frame_beside_the_result(self):
        X, y = numbers()
        found = diagnose(X, y)
        assert found.references.columns.tolist() == ["model", "error", "standard_error"]
        assert len(found.references) == 3
        assert "other models" in str(found)
        assert found.to_dict()["references"][0]["model"] == "linear model"

    def test_can_be_left_out(self):
        X, y = numbers()
        found = diagnose(X, y, references=False)
        assert found.references.empty
        assert "other models" not in str(found)

    def test_sequences_have_none(self):
        rng = np.random.default_rng(0)
        words = ["".join(word) for word in rng.choice(list("ACGT"), (40, 6))]
        assert diagnose(
            words, [word.count("A") for word in words], task="regression"
        ).references.empty

    def test_noise_is_not_above_what_any_model_reaches(self):
        # Thresholds in one column of many, which a Gaussian kernel of one width cannot see.
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 12))
        y = np.floor(4 * X[:, 3]) % 2 + 0.05 * rng.normal(size=300)
        found = diagnose(X, y, kernels="gaussian")
        best = found.references["error"].min()
        assert found.noise_estimate.value <= min(best, found.error_estimate)
        assert found.verdict.code == "RD008"
        assert "trees err by" in found.verdict.evidence
        assert "RD003" not in [one.code for one in found.findings]


def test_of_many_columns_each_fold_chooses_some(monkeypatch):
    X, y = numbers()
    targets = code_targets(y)
    split = [(np.arange(45), np.arange(45, 90)), (np.arange(45, 90), np.arange(45))]
    plain = models(X, targets, split)
    noise = np.random.default_rng(1).normal(size=(90, 40))
    monkeypatch.setattr(references, "MOST_COLUMNS", X.shape[1])
    found = models(np.column_stack([noise, X]), targets, split)
    assert found[0].error < 0.5 > plain[0].error
    monkeypatch.setattr(references, "MOST_COLUMNS", 1000)
    assert models(X, targets, split)[0].error == plain[0].error


def test_a_fold_may_hold_all_rows_of_a_class():
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.array([0] * 18 + [1] * 2)
    split = [(np.arange(18), np.arange(18, 20)), (np.arange(2, 20), np.arange(2))]
    for model in models(X, code_targets(y), split):
        # Rows 0, 1, 18 and 19 are held out.
        assert model.losses[2:].tolist() == [1.0, 1.0]
