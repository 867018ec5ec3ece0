"""The estimators of blends: rules of scikit-learn, and what they promise."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GroupKFold, cross_val_predict, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

import reldim
from reldim import KernelBlendClassifier, KernelBlendRegressor
from reldim.exceptions import InputError
from reldim.search import blend

IRIS = load_iris()
FLOWERS, SPECIES = IRIS.data[::2], IRIS.target_names[IRIS.target[::2]]


#: As of scikit-learn's own estimators with folds inside: a row of weight 2 is on one side of each
#: fold, of two equal rows one may be on either side.
BY_FOLDS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence",
    ),
    "folds are divisions of rows, not of their weights",
)


@parametrize_with_checks(
    [KernelBlendRegressor(), KernelBlendClassifier()], expected_failed_checks=lambda _: BY_FOLDS
)
def test_rules_of_scikit_learn(estimator, check, monkeypatch):
    # They hold for any members; two are quicker than five.
    few = (blend.Member("product"), blend.Member("gaussian", equal=True))
    monkeypatch.setitem(blend.cross_fit.__kwdefaults__, "members", few)
    check(estimator)


def numbers(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.sin(2 * X[:, 0]) * (X[:, 1] > 0) + 0.1 * rng.normal(size=n)


def test_error_estimates_are_those_of_new_rows_of_fits_to_a_few_rows_less():
    new, truth = numbers(2000, seed=100)
    ratios = []
    for seed in range(8):
        model = KernelBlendRegressor().fit(*numbers(200, seed))
        true = np.mean((model.predict(new) - truth) ** 2) / truth.var()
        ratios.append(model.error_estimate_ / true)
    # Folds see four fifths of the rows, hence more is expected, and one draw is off by a quarter.
    assert 0.95 < np.exp(np.mean(np.log(ratios))) < 1.45


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


class TestRepeatedMeasurements:
    """Equal rows are no copies of each other where they are what there is to be seen."""

    CELLS = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 25, axis=0).astype(float)

    def test_cells_that_tell_the_class(self):
        labels = np.repeat([*"abbb"], 25)
        model = KernelBlendClassifier().fit(self.CELLS, labels)
        assert model.error_estimate_ == 0
        assert_array_equal(model.predict(self.CELLS), labels)
        numbers = KernelBlendRegressor().fit(self.CELLS, 10.0 * (labels == "b"))
        assert_allclose(numbers.predict(self.CELLS), 10.0 * (labels == "b"), atol=0.1)

    def test_cells_with_noise(self):
        rng = np.random.default_rng(0)
        X = rng.integers(0, 2, size=(400, 3)).astype(float)
        y = (X[:, 0] != X[:, 1]) ^ (rng.random(400) < 0.1)
        model = KernelBlendClassifier().fit(X, y)
        assert 0.05 < model.error_estimate_ < 0.15
        assert_allclose(np.sort(np.unique(model.predict_proba(X)[:, 1].round(1))), [0.1, 0.9])


@pytest.mark.parametrize("most", [0, 9, 2.5, None])
def test_too_few_rows_for_folds_are_refused(most):
    with pytest.raises(InputError, match="max_rows must be a whole number of at least 10"):
        KernelBlendRegressor(max_rows=most).fit(*numbers(60))
    with pytest.raises(InputError, match="max_rows must be a whole number of at least 24"):
        KernelBlendClassifier(max_rows=most).fit(numbers(60)[0], np.arange(60) % 12)


def test_sources_share_weights():
    X, y = numbers()
    model = KernelBlendRegressor(sources=["a", "b", "c", "c", "c", "c"]).fit(X, y)
    weights = model._blend.expansions[0].kernel.weights
    assert len({*weights[2:]}) == 1
    with pytest.raises(InputError, match="for each of the 6 columns of X. Got 2 names"):
        KernelBlendRegressor(sources=["a", "b"]).fit(X, y)


def test_a_clone_of_a_predictor_fits_the_same_again():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=100), "kind": rng.choice([*"abcdef"], size=100)})
    y = frame["size"] * frame["kind"].isin([*"ab"]) + 0.3 * rng.normal(size=100)
    predictor = reldim.diagnose(frame, y, references=False).predictor()
    assert isinstance(predictor[-1], KernelBlendRegressor)
    assert_allclose(clone(predictor).fit(frame, y).predict(frame), predictor.predict(frame))


def test_names_of_columns_are_remembered():
    X, y = numbers(60)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = KernelBlendRegressor().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcdef")


class TestWeights:
    @pytest.mark.parametrize("kind", [KernelBlendRegressor, KernelBlendClassifier])
    def test_rows_without_weight_are_left_out_and_the_order_does_not_matter(self, kind):
        X, y = numbers(80)
        y = y if kind is KernelBlendRegressor else y > 0
        weights, order = np.arange(80) % 4 / 3.0, np.random.default_rng(0).permutation(80)
        some, kept = kind().fit(X, y, weights), weights > 0
        rest = kind().fit(X[kept], y[kept], weights[kept])
        assert_array_equal(some.predict(X), rest.predict(X))
        shuffled = kind().fit(X[order], y[order], weights[order])
        assert_allclose(shuffled.error_estimate_, some.error_estimate_, rtol=1e-6)

    def test_the_order_of_equal_rows_does_not_matter(self):
        rng = np.random.default_rng(0)
        X, y = rng.integers(0, 3, size=(60, 2)).astype(float), rng.integers(0, 3, size=60)
        weights, order = rng.uniform(0.1, 3, size=60), rng.permutation(60)
        once = KernelBlendClassifier().fit(X, y, weights)
        shuffled = KernelBlendClassifier().fit(X[order], y[order], weights[order])
        assert_allclose(shuffled.error_estimate_, once.error_estimate_, rtol=1e-9)

    def test_the_heavier_rows_are_the_nearer_the_fit(self):
        X, y = numbers(80)
        y = y + np.random.default_rng(1).normal(size=80)
        plain = np.abs(KernelBlendRegressor().fit(X, y).predict(X) - y)
        heavy = np.arange(80) < 10
        weighted = KernelBlendRegressor().fit(X, y, np.where(heavy, 30.0, 1.0))
        nearer = np.abs(weighted.predict(X) - y)
        assert nearer[heavy].mean() < 0.7 * plain[heavy].mean()

    def test_the_size_of_weights_does_not_matter(self):
        X, y = numbers(60)
        weights = np.random.default_rng(0).uniform(0.1, 3.0, size=60)
        model = KernelBlendRegressor()
        once = model.fit(X, y, weights).predict(X)
        for size in (5000.0, 1e307, 1e-305):
            assert_array_equal(model.fit(X, y, size * weights).predict(X), once)

    def test_rows_count_by_their_weights(self):
        # Two halves contradict each other: the heavy one is believed.
        X, y = numbers(100)
        X, y, heavy = np.vstack([X, X + 1e-3]), np.concatenate([y, -y]), np.repeat([20.0, 1.0], 100)
        for weights, truth in ((heavy, y[:100]), (heavy[::-1], -y[:100])):
            predicted = KernelBlendRegressor().fit(X, y, weights).predict(X[:100])
            assert np.corrcoef(predicted, truth)[0, 1] > 0.9
        labels = y > 0
        for weights, truth in ((heavy, labels[:100]), (heavy[::-1], ~labels[:100])):
            predicted = KernelBlendClassifier().fit(X, labels, weights).predict(X[:100])
            assert np.mean(predicted == truth) > 0.9

    def test_noisy_rows_of_little_weight_do_little_harm(self):
        X, y = numbers(200)
        loud = np.arange(200) % 2 == 1
        y = y + np.where(loud, 2.0, 0.0) * np.random.default_rng(1).normal(size=200)
        new, truth = numbers(1000, seed=2)

        def error(weights):
            return np.mean((KernelBlendRegressor().fit(X, y, weights).predict(new) - truth) ** 2)

        assert error(np.where(loud, 1 / 400, 1.0)) < 0.5 * error(None)

    def test_a_weight_that_round_off_loses_is_none(self):
        X, y = numbers(100)
        far = np.arange(100) >= 60
        lost = KernelBlendRegressor().fit(X, y, np.where(far, 1e-300, 1.0)).predict(X)
        assert_allclose(lost, KernelBlendRegressor().fit(X[:60], y[:60]).predict(X), rtol=1e-9)

    def test_what_is_refused(self):
        X, y = numbers(60)
        with pytest.raises(InputError, match="-1.0 in row 0"):
            KernelBlendRegressor().fit(X, y, sample_weight=np.arange(60) - 1.0)
        with pytest.raises(InputError, match="sample_weight leaves a single row"):
            KernelBlendClassifier().fit(X, y > 0, sample_weight=np.arange(60) == 3)


@pytest.mark.parametrize("kind", [KernelBlendRegressor, KernelBlendClassifier])
def test_can_be_saved(kind, tmp_path):
    X, y = (FLOWERS, SPECIES) if kind is KernelBlendClassifier else numbers(60)
    model = kind().fit(X, y)
    reldim.save(model, tmp_path / "model.reldim")
    assert_array_equal(reldim.load(tmp_path / "model.reldim").predict(X), model.predict(X))


def uneven(n, rng):
    X = rng.normal(size=(n, 3))
    spread = 0.3 * np.exp(0.85 * X[:, 2])
    return X, X[:, 0] + spread * rng.normal(size=n), spread


@pytest.fixture(scope="module")
def model():
    X, y, _ = uneven(300, np.random.default_rng(0))
    return KernelBlendRegressor().fit(X, y)


class TestIntervals:
    def test_hold_new_rows_where_noise_is_uneven(self, model):
        X, y, spread = uneven(4000, np.random.default_rng(1))
        low, high = model.predict_interval(X)
        held = (low <= y) & (y <= high)
        assert 0.87 < held.mean() < 0.93
        loud = spread > np.quantile(spread, 0.8)
        # One width for all rows would hold about 60 % of these.
        assert held[loud].mean() > 0.8

    def test_follow_the_noise(self, model):
        X, _, spread = uneven(1000, np.random.default_rng(1))
        predicted, expected = model.predict(X, return_std=True)
        assert_array_equal(predicted, model.predict(X))
        assert 0.7 < np.median(expected / spread) < 1.4
        low, high = model.predict_interval(X, level=0.5)
        assert_allclose((low + high) / 2, predicted, atol=1e-12)
        assert np.ptp((high - low) / expected) < 1e-9
        wider = model.predict_interval(X, level=0.95)
        assert (wider[0] < low).all()
        assert (wider[1] > high).all()

    def test_of_several_outputs(self):
        X, y, _ = uneven(100, np.random.default_rng(0))
        low, high = KernelBlendRegressor().fit(X, np.c_[y, 100 * y]).predict_interval(X)
        assert low.shape == high.shape == (100, 2)
        width = (high - low).mean(axis=0)
        assert_allclose(width[1] / width[0], 100, rtol=0.3)

    def test_are_infinite_where_rows_are_too_few(self):
        X, y, _ = uneven(15, np.random.default_rng(0))
        low, high = KernelBlendRegressor().fit(X, y).predict_interval(X, level=0.99)
        assert np.isinf([low, high]).all()

    def test_of_a_diagnosis_are_saved_with_the_predictor(self, tmp_path):
        X, y = numbers(200)
        frame = pd.DataFrame(X, columns=[*"abcdef"])
        pipeline = reldim.diagnose(frame, y, references=False).predictor()
        _, spread = pipeline.predict(frame, return_std=True)
        reldim.save(pipeline, tmp_path / "model.reldim")
        again = reldim.load(tmp_path / "model.reldim")
        assert_array_equal(again.predict(frame, return_std=True)[1], spread)
        new, truth = numbers(1000, seed=1)
        rows = again[:-1].transform(pd.DataFrame(new, columns=[*"abcdef"]))
        low, high = again[-1].predict_interval(rows)
        assert 0.86 < np.mean((low <= truth) & (truth <= high)) < 0.98

    @pytest.mark.parametrize("level", [0.0, 1.0, 90])
    def test_other_levels_are_refused(self, model, level):
        with pytest.raises(InputError, match="between 0 and 1"):
            model.predict_interval(np.zeros((1, 3)), level)


def test_sets_hold_the_right_class_as_often_as_asked():
    rng = np.random.default_rng(0)
    middles = np.array([[0, 0], [2, 0], [1, 2]])

    def draw(n):
        kind = rng.integers(0, 3, n)
        return middles[kind] + rng.normal(size=(n, 2)), np.array(["a", "b", "c"])[kind]

    model = KernelBlendClassifier().fit(*draw(400))
    X, y = draw(4000)
    sets = {level: model.predict_set(X, level) for level in (0.8, 0.9, 0.95)}
    for level, found in sets.items():
        held = found[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean()
        assert abs(held - level) < 0.035, (level, held)
        assert (found[np.arange(len(y)), model.predict_proba(X).argmax(axis=1)]).all()
    assert sets[0.8].sum() < sets[0.9].sum() < sets[0.95].sum()
    assert KernelBlendClassifier().fit(FLOWERS, SPECIES).predict_set(FLOWERS, 0.999).all()


class TestUnits:
    """Rows of one unit are on one side of each fold."""

    UNIT = np.repeat(np.arange(24), 6)

    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch):
        few = (blend.Member("gaussian", equal=True),)
        monkeypatch.setitem(blend.cross_fit.__kwdefaults__, "members", few)

    @pytest.fixture
    def visits(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(24, 4))[self.UNIT] + 0.1 * rng.normal(size=(144, 4))
        # One value per unit, which no column explains.
        return X, rng.normal(size=24)[self.UNIT]

    def test_the_expected_error_is_that_of_new_units(self, visits):
        X, y = visits
        assert KernelBlendRegressor().fit(X, y).error_estimate_ < 0.3
        assert KernelBlendRegressor().fit(X, y, groups=self.UNIT).error_estimate_ > 0.8
        signs = np.where(y > 0, "up", "down")
        assert KernelBlendClassifier().fit(X, signs).error_estimate_ < 0.1
        assert KernelBlendClassifier().fit(X, signs, groups=self.UNIT).error_estimate_ > 0.3

    def test_names_of_units_and_the_order_of_rows_do_not_matter(self, visits):
        X, y = visits
        order = np.random.default_rng(1).permutation(len(y))
        named = np.array([f"patient {unit:02}" for unit in self.UNIT])
        first = KernelBlendRegressor().fit(X, y, groups=self.UNIT)
        other = clone(first).fit(X[order], y[order], groups=named[order])
        assert_allclose(other.error_estimate_, first.error_estimate_)
        assert_allclose(other.predict(X), first.predict(X))

    def test_rows_without_weight_leave_their_units(self, visits):
        X, y = visits
        weights = np.where(self.UNIT < 4, 0.0, 1.0)
        few = self.UNIT >= 4
        model = KernelBlendRegressor().fit(X, y, weights, groups=self.UNIT)
        same = KernelBlendRegressor().fit(X[few], y[few], groups=self.UNIT[few])
        assert model.error_estimate_ == same.error_estimate_
        with pytest.raises(InputError, match="at least two units.*All 6 rows"):
            KernelBlendRegressor().fit(X, y, (self.UNIT == 3) * 1.0, groups=self.UNIT)

    def test_draws_keep_units_whole(self, visits, monkeypatch):
        seen = []
        fit = blend.cross_fit

        def spy(X, *arguments, splits, **others):
            seen.append(np.bincount(splits.groups))
            return fit(X, *arguments, splits=splits, **others)

        monkeypatch.setattr("reldim.estimators.blend.cross_fit", spy)
        KernelBlendRegressor(max_rows=60).fit(*visits, groups=self.UNIT)
        assert set(seen[0][seen[0] > 0]) == {6}

    def test_a_class_of_a_single_unit_is_learned(self, visits):
        X, _ = visits
        names = np.array(["a", "b"])[self.UNIT % 2].astype(object)
        names[self.UNIT == 5] = "only here"
        model = KernelBlendClassifier().fit(X, names, groups=self.UNIT)
        assert model.predict_proba(X).shape == (144, 3)
        assert 0 < model.error_estimate_ < 1

    def test_are_routed_as_scikit_learn_does_it(self, visits):
        X, y = visits
        with config_context(enable_metadata_routing=True):
            model = KernelBlendRegressor().set_fit_request(groups=True)
            assert clone(model).get_metadata_routing().fit.requests["groups"] is True
            found = cross_validate(
                model,
                X,
                y,
                cv=GroupKFold(2),
                params={"groups": self.UNIT},
                return_estimator=True,
            )
        assert min(one.error_estimate_ for one in found["estimator"]) > 0.7

    @pytest.mark.parametrize(
        "groups, why",
        [
            (["one"] * 144, "at least two units.*All 144 rows have the same value"),
            (range(5), "one value for each of the 144 rows. Got 5"),
            ([None, *range(143)], "missing in 1 of 144, first in row 0"),
        ],
    )
    def test_says_what_is_wrong(self, visits, groups, why):
        with pytest.raises(InputError, match=why):
            KernelBlendRegressor().fit(*visits, groups=groups)
