"""The estimators of blends: rules of scikit-learn, and what they promise."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks

import reldim
from reldim import KernelBlendClassifier, KernelBlendRegressor
from reldim.exceptions import InputError
from reldim.search import blend

IRIS = load_iris()
FLOWERS, SPECIES = IRIS.data[::2], IRIS.target_names[IRIS.target[::2]]


@parametrize_with_checks([KernelBlendRegressor(), KernelBlendClassifier()])
def test_rules_of_scikit_learn(estimator, check, monkeypatch):
    # They hold for any members; two are quicker than five.
    few = (blend.Member("product"), blend.Member("gaussian", equal=True))
    monkeypatch.setitem(blend.cross_fit.__kwdefaults__, "members", few)
    check(estimator)


def numbers(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.sin(2 * X[:, 0]) * (X[:, 1] > 0) + 0.1 * rng.normal(size=n)


def test_the_error_estimate_is_that_of_new_rows():
    X, y = numbers(200)
    new, truth = numbers(2000, seed=1)
    model = KernelBlendRegressor().fit(X, y)
    true = np.mean((model.predict(new) - truth) ** 2) / truth.var()
    assert 0.8 * true < model.error_estimate_ < 1.4 * true


def test_columns_that_do_not_matter_do_little_harm():
    X, y = numbers(200)
    junk = np.random.default_rng(2).normal(size=(200, 20))
    clean = KernelBlendRegressor().fit(X, y).error_estimate_
    assert KernelBlendRegressor().fit(np.hstack([X, junk]), y).error_estimate_ < 2.0 * clean


def test_probabilities():
    model = KernelBlendClassifier().fit(FLOWERS, SPECIES)
    p = model.predict_proba(FLOWERS)
    assert_allclose(p.sum(axis=1), 1)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(FLOWERS))
    assert model.score(FLOWERS, SPECIES) > 0.95


def test_held_out_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = rng.random(300) < 1 / (1 + np.exp(-3 * X[:, 0]))
    p = cross_val_predict(KernelBlendClassifier(), X, y, cv=3, method="predict_proba")[:, 1]
    for low, high in [(0.0, 0.33), (0.33, 0.67), (0.67, 1.0)]:
        inside = (p >= low) & (p <= high)
        assert abs(y[inside].mean() - p[inside].mean()) < 0.12


def test_many_rows_are_sampled():
    X, y = numbers(120)
    few = KernelBlendRegressor(max_rows=60).fit(X, y)
    assert few._blend.expansions[0].landmarks.shape[0] <= 60
    assert_array_equal(few.predict(X), KernelBlendRegressor(max_rows=60).fit(X, y).predict(X))


def test_sources_share_weights():
    X, y = numbers()
    model = KernelBlendRegressor(sources=["a", "b", "c", "c", "c", "c"]).fit(X, y)
    weights = model._blend.expansions[0].kernel.weights
    assert len({*weights[2:]}) == 1
    with pytest.raises(InputError, match="for each of the 6 columns of X. Got 2 names"):
        KernelBlendRegressor(sources=["a", "b"]).fit(X, y)


def test_names_of_columns_are_remembered():
    X, y = numbers(60)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = KernelBlendRegressor().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcdef")


@pytest.mark.parametrize("kind", [KernelBlendRegressor, KernelBlendClassifier])
def test_can_be_saved(kind, tmp_path):
    X, y = (FLOWERS, SPECIES) if kind is KernelBlendClassifier else numbers(60)
    model = kind().fit(X, y)
    reldim.save(model, tmp_path / "model.reldim")
    assert_array_equal(reldim.load(tmp_path / "model.reldim").predict(X), model.predict(X))
