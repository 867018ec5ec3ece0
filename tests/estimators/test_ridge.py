"""Kernel ridge regression, against scikit-learn's; weights of rows; probabilities."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimating import COUNTS as LETTERS
from estimating import GAUSSIAN, IRIS, NEW, SINC, WORDS
from reldim import (
    KernelPCClassifier,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    datasets,
    kernels,
    load,
    save,
)
from reldim.exceptions import InputError, InputTypeError
from reldim.relevance import ridge
from reldim.spectrum import gram


class TestRidge:
    @pytest.mark.parametrize("alpha", [1e-4, 0.1])
    def test_equals_that_of_scikit_learn(self, alpha):
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[alpha]).fit(SINC.X, SINC.y)
        mean = SINC.y.mean()
        reference = KernelRidge(alpha=60 * alpha, kernel="rbf", gamma=1 / 0.6)
        reference.fit(SINC.X, SINC.y - mean)
        np.testing.assert_allclose(model.predict(NEW), reference.predict(NEW) + mean, atol=1e-8)
        assert model.alpha_ == alpha

    def test_error_estimate_equals_leave_one_out(self):
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01], center=True).fit(SINC.X, SINC.y)
        # Left out, 59 rows remain, and the penalty 60 alpha is 59 times a larger alpha.
        refit = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01 * 60 / 59], center=True)
        left_out = cross_val_predict(refit, SINC.X, SINC.y, cv=60)
        error = np.sum((SINC.y - left_out) ** 2) / np.sum((SINC.y - SINC.y.mean()) ** 2)
        assert model.error_estimate_ == pytest.approx(error, rel=1e-6)

    def test_kernel_and_parameter_are_chosen_together(self):
        widths = [kernels.Gaussian(w) for w in (0.01, 0.3, 30.0)]
        model = KernelRidgeRegressor(widths).fit(SINC.X, SINC.y)
        errors = [KernelRidgeRegressor(k).fit(SINC.X, SINC.y).error_estimate_ for k in widths]
        assert model.kernel_ == widths[int(np.argmin(errors))]
        assert model.error_estimate_ == pytest.approx(min(errors))

    def test_parameters_are_checked(self):
        with pytest.raises(InputError, match="alphas must be positive numbers"):
            KernelRidgeRegressor(GAUSSIAN, alphas=[0.0]).fit(SINC.X, SINC.y)

    def test_centring_gives_classes_an_intercept(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 1))
        y = X[:, 0] > 1.0
        plain = KernelRidgeClassifier(kernels.Linear()).fit(X, y)
        centred = KernelRidgeClassifier(kernels.Linear(), center=True).fit(X, y)
        assert centred.error_estimate_ < 0.5 * plain.error_estimate_


RNG = np.random.default_rng(7)
ROWS = RNG.normal(size=(60, 3))
NUMBERS = np.sin(ROWS[:, 0]) + 0.3 * RNG.normal(size=60)
CLASSES = np.array(["a", "b", "c"])[np.digitize(NUMBERS, [-0.4, 0.4])]
COUNTS = RNG.integers(0, 4, size=60)
PAIRS = [(KernelRidgeRegressor, NUMBERS), (KernelRidgeClassifier, CLASSES)]


class TestWeights:
    @pytest.mark.parametrize("kind, y", PAIRS)
    @pytest.mark.parametrize("kernel", [None, "laplacian", kernels.Polynomial(2, 1.0)], ids=str)
    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
    def test_whole_weights_are_repeated_rows(self, kind, y, kernel, container):
        weighted = kind(kernel).fit(container(ROWS), y, sample_weight=COUNTS)
        repeated = kind(kernel).fit(container(ROWS.repeat(COUNTS, axis=0)), y.repeat(COUNTS))
        assert weighted.kernel_ == repeated.kernel_
        assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=1e-10)
        assert weighted.error_estimate_ == pytest.approx(repeated.error_estimate_, rel=1e-9)
        method = "predict" if kind is KernelRidgeRegressor else "predict_proba"
        np.testing.assert_allclose(
            getattr(weighted, method)(ROWS), getattr(repeated, method)(ROWS), rtol=1e-7
        )

    @pytest.mark.parametrize("kind, y", PAIRS)
    def test_whole_weights_are_repeated_rows_of_a_matrix(self, kind, y):
        K = GAUSSIAN(ROWS)
        rows = np.arange(60).repeat(COUNTS)
        weighted = kind("precomputed").fit(K, y, sample_weight=COUNTS)
        repeated = kind("precomputed").fit(K[np.ix_(rows, rows)], y[rows])
        assert weighted.error_estimate_ == pytest.approx(repeated.error_estimate_, rel=1e-9)
        np.testing.assert_array_equal(weighted.predict(K) == y, repeated.predict(K[:, rows]) == y)

    def test_whole_weights_are_repeated_sequences(self):
        counts = COUNTS[: len(WORDS)]
        again = [word for word, count in zip(WORDS, counts, strict=True) for _ in range(count)]
        weighted = KernelRidgeRegressor().fit(WORDS, LETTERS, sample_weight=counts)
        repeated = KernelRidgeRegressor().fit(again, LETTERS.repeat(counts))
        assert weighted.kernel_ == repeated.kernel_
        np.testing.assert_allclose(weighted.predict(WORDS), repeated.predict(WORDS), atol=1e-9)

    def test_equals_scikit_learn_with_any_weights(self):
        weights = RNG.uniform(0.1, 3.0, size=60)
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01]).fit(ROWS, NUMBERS, weights)
        mean = np.average(NUMBERS, weights=weights)
        theirs = KernelRidge(alpha=0.01 * weights.sum(), kernel="rbf", gamma=1 / 0.6)
        theirs.fit(ROWS, NUMBERS - mean, sample_weight=weights)
        np.testing.assert_allclose(model.predict(ROWS), theirs.predict(ROWS) + mean, atol=1e-10)

    def test_a_row_is_left_out_with_its_whole_weight(self):
        weights = RNG.uniform(0.1, 3.0, size=60)
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01])
        model.fit(ROWS, NUMBERS, sample_weight=weights)
        # Targets are centred by the mean of all rows, and so they are here.
        mean, total = np.average(NUMBERS, weights=weights), weights.sum()
        squares = []
        for i in range(60):
            rest = np.arange(60) != i
            refit = KernelRidge(alpha=0.01 * total, kernel="rbf", gamma=1 / 0.6)
            refit.fit(ROWS[rest], NUMBERS[rest] - mean, sample_weight=weights[rest])
            squares.append((refit.predict(ROWS[[i]])[0] + mean - NUMBERS[i]) ** 2)
        expected = np.average(squares, weights=weights) / np.average(
            (NUMBERS - mean) ** 2, weights=weights
        )
        assert model.error_estimate_ == pytest.approx(expected, rel=1e-8)

    def test_copies_do_not_predict_each_other(self):
        noise = np.random.default_rng(0).normal(size=80)
        X = np.random.default_rng(1).normal(size=(80, 2))
        model = KernelRidgeRegressor(kernels.Gaussian(1.0))
        once, twice = model.fit(X, noise).error_estimate_, (np.tile(X, (2, 1)), np.tile(noise, 2))
        assert model.fit(*twice).error_estimate_ == pytest.approx(once, rel=1e-9)
        assert once > 0.9

    @pytest.mark.parametrize("weights", [None, COUNTS[:40] + 1, RNG.uniform(0.5, 2, size=40)])
    def test_classes_of_few_kinds_of_rows_tell_each_other(self, weights):
        rng = np.random.default_rng(0)
        X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).repeat(10, axis=0)
        y = (X[:, 0] != X[:, 1]) ^ (rng.random(40) < 0.1)
        model = KernelRidgeClassifier().fit(X, y, weights)
        assert model.error_estimate_ < 0.2
        p = model.predict_proba([[0, 0], [0, 1], [1, 0], [1, 1]])[:, 1]
        np.testing.assert_allclose(p, [0.1, 0.9, 0.9, 0.1], atol=0.15)

    def test_grades_of_few_kinds_of_rows_tell_each_other(self):
        rng = np.random.default_rng(0)
        X = rng.integers(0, 2, size=(200, 2)).astype(float)
        y = ((X[:, 0] != X[:, 1]) ^ (rng.random(200) < 0.1)).astype(float)
        model = KernelRidgeRegressor().fit(X, y)
        assert model.error_estimate_ < 0.5
        predicted = model.predict([[0, 0], [0, 1], [1, 0], [1, 1]])
        np.testing.assert_allclose(predicted, [0, 1, 1, 0], atol=0.2)

    def test_numbers_measured_again_do_not(self):
        rng = np.random.default_rng(0)
        X = rng.integers(0, 12, size=(200, 2)) / 4
        y = np.sin(X[:, 0]) + rng.normal(size=200)
        once = KernelRidgeRegressor().fit(X, y)
        thrice = KernelRidgeRegressor().fit(np.tile(X, (3, 1)), np.tile(y, 3))
        assert thrice.error_estimate_ == pytest.approx(once.error_estimate_, rel=1e-6)

    def test_many_rows_are_weighted_by_the_low_rank_solver(self):
        data = datasets.noisy_sinc(1500, noise=0.2, random_state=0)
        weights = np.random.default_rng(0).uniform(0.5, 2.0, size=1500)
        settings = {"kernel": kernels.Gaussian(0.5), "alphas": [1e-4]}
        fits = [
            KernelRidgeRegressor(**settings, solver=solver).fit(data.X, data.y, weights)
            for solver in ("dense", "lowrank")
        ]
        np.testing.assert_allclose(fits[0].predict(NEW), fits[1].predict(NEW), atol=1e-6)

    def test_equal_weights_change_nothing(self):
        plain = KernelRidgeRegressor().fit(ROWS, NUMBERS)
        for weights in (np.full(60, 3.0), 0.5):
            same = KernelRidgeRegressor().fit(ROWS, NUMBERS, sample_weight=weights)
            np.testing.assert_array_equal(same.predict(ROWS), plain.predict(ROWS))

    def test_single_precision_stays(self):
        model = KernelRidgeRegressor(GAUSSIAN, alphas=[0.01])
        single = model.fit(ROWS.astype(np.float32), NUMBERS, COUNTS).predict(ROWS[:5].astype("f4"))
        assert single.dtype == np.float32

    @pytest.mark.parametrize(
        "weights, message",
        [
            (np.ones(59), r"for each of the 60 rows. Got shape \(59,\)"),
            (np.ones((60, 1)), r"Got shape \(60, 1\)"),
            (-np.ones(60), "Got -1.0 in row 0"),
            (np.full(60, np.nan), "Got nan in row 0"),
            (np.zeros(60), "zero for every row"),
            (["heavy"] * 60, "one number per row"),
        ],
    )
    def test_what_is_no_weight(self, weights, message):
        with pytest.raises((InputError, InputTypeError), match=message):
            KernelRidgeRegressor().fit(ROWS, NUMBERS, sample_weight=weights)

    def test_centring_takes_no_weights(self):
        with pytest.raises(InputError, match="sample_weight and center=True do not go together"):
            KernelRidgeRegressor(center=True).fit(ROWS, NUMBERS, sample_weight=COUNTS)

    def test_in_a_pipeline_and_saved(self, tmp_path):
        pipeline = make_pipeline(StandardScaler(), KernelRidgeClassifier())
        pipeline.fit(ROWS, CLASSES, kernelridgeclassifier__sample_weight=COUNTS)
        save(pipeline, tmp_path / "model.reldim")
        again = load(tmp_path / "model.reldim")
        np.testing.assert_array_equal(again.predict_proba(ROWS), pipeline.predict_proba(ROWS))


class TestProbabilities:
    @pytest.mark.parametrize("kind", [KernelRidgeClassifier, KernelPCClassifier])
    def test_near_those_of_the_density(self, kind):
        train, test = (datasets.twonorm(400, random_state=seed) for seed in (0, 1))
        model = kind().fit(train.X, train.y)
        found = model.predict_proba(test.X)
        # Two normal densities with means 2/sqrt(20) and -2/sqrt(20) in each of 20 columns.
        scores = test.X.sum(axis=1) * (4 / np.sqrt(20))
        truth = 1 / (1 + np.exp(-scores * np.sign(np.corrcoef(scores, test.y)[0, 1])))
        assert np.mean(np.abs(found[:, 1] - truth)) < 0.06
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(test.X))

    @pytest.mark.parametrize("kind", [KernelRidgeClassifier, KernelPCClassifier])
    def test_not_much_worse_than_curves_of_their_own_for_all_classes(self, kind):
        model = kind(kernels.Gaussian(2.0))
        held_out = cross_val_predict(model, IRIS.data, IRIS.target, cv=5, method="predict_proba")
        theirs = cross_val_predict(
            CalibratedClassifierCV(model, ensemble=False), IRIS.data, IRIS.target, cv=5,
            method="predict_proba",
        )  # fmt: skip
        # Theirs fits two numbers per class by folds, ours one slope for all.
        losses = [log_loss(IRIS.target, found) for found in (held_out, theirs)]
        assert losses[0] < 1.4 * losses[1] < 0.2

    @pytest.mark.parametrize("kind", [KernelRidgeClassifier, KernelPCClassifier])
    def test_labels_of_noise_have_their_shares(self, kind):
        y = np.random.default_rng(3).permutation(np.repeat(["no", "yes"], [150, 50]))
        X = np.random.default_rng(4).normal(size=(200, 2))
        found = kind(kernels.Gaussian(3.0)).fit(X, y).predict_proba(X)
        assert found[:, 1].mean() == pytest.approx(0.25, abs=0.08)

    def test_a_model_of_an_earlier_version(self):
        model = KernelRidgeClassifier(GAUSSIAN).fit(ROWS, CLASSES)
        del model._slope
        with pytest.raises(InputError, match="kept no probabilities. Fit it again"):
            model.predict_proba(ROWS)


class TestGradients:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 4)), rng.normal(size=(40, 4))
    y = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1], X[:, 2] ** 2]) + 0.1

    @pytest.mark.parametrize("width", [0.01, 0.3, 5.0])
    @pytest.mark.parametrize("alpha", [1e-2, 1e-5])
    def test_solves_the_same_equations(self, width, alpha):
        kernel = kernels.Gaussian(width)
        model = KernelRidgeRegressor(kernel, alphas=[alpha], solver="gradients")
        model.fit(self.X, self.y)
        mean = self.y.mean(axis=0)
        weights = np.linalg.solve(kernel(self.X) + 300 * alpha * np.eye(300), self.y - mean)
        expected = kernel(self.new, self.X) @ weights + mean
        np.testing.assert_allclose(model.predict(self.new), expected, atol=1e-5)

    def test_chooses_the_parameter_by_rows_that_were_held_out(self):
        kernel, alphas = kernels.Gaussian(1.0), [1e-1, 1e-2, 1e-3, 1e-4]
        model = KernelRidgeRegressor(kernel, alphas=alphas, solver="gradients", random_state=5)
        model.fit(self.X, self.y)
        order = np.random.default_rng(5).permutation(300)
        held, train = order[:30], order[30:]
        y, errors = self.y - self.y.mean(axis=0), []
        for alpha in alphas:
            K = kernel(self.X[train]) + 270 * alpha * np.eye(270)
            fit = kernel(self.X[held], self.X[train]) @ np.linalg.solve(K, y[train])
            errors.append(np.sum((y[held] - fit) ** 2) / np.sum(y[held] ** 2))
        assert model.alpha_ == alphas[int(np.argmin(errors))]
        assert model.error_estimate_ == pytest.approx(min(errors), rel=1e-5)

    def test_blocks_give_the_same_as_the_matrix(self, monkeypatch):
        model = KernelRidgeRegressor(kernels.Gaussian(0.3), solver="gradients").fit(self.X, self.y)
        monkeypatch.setattr(ridge, "fits", lambda *_: False)
        monkeypatch.setattr(gram, "BLOCK_BYTES", 300 * 8 * 7)
        blocks = KernelRidgeRegressor(kernels.Gaussian(0.3), solver="gradients").fit(self.X, self.y)
        assert blocks.alpha_ == model.alpha_
        np.testing.assert_allclose(blocks.predict(self.new), model.predict(self.new), atol=1e-6)

    def test_the_preconditioner_saves_steps(self, monkeypatch):
        # A tail of many equal eigenvalues below a few large ones, which alone make cg slow.
        kernel = 100.0 * kernels.Linear() + kernels.Gaussian(0.05)
        options = {"alphas": [1e-6], "solver": "gradients"}
        few = KernelRidgeRegressor(kernel, **options).fit(self.X, self.y).steps_
        monkeypatch.setattr(ridge, "WORTH", 0)
        many = KernelRidgeRegressor(kernel, **options).fit(self.X, self.y).steps_
        assert few < 0.7 * many

    def test_default_parameters_fit_a_narrow_kernel(self):
        rng = np.random.default_rng(1)
        X = rng.uniform(size=(1000, 1))
        y = np.sin(40 * X[:, 0]) + 0.1 * rng.normal(size=1000)
        model = KernelRidgeRegressor(kernels.Gaussian(1e-4), solver="gradients").fit(X, y)
        new = np.linspace(0.01, 0.99, 200)[:, None]
        assert np.mean((model.predict(new) - np.sin(40 * new[:, 0])) ** 2) < 0.01
        assert 0.005 < model.error_estimate_ < 0.1

    def test_bad_input(self):
        kernel, y = kernels.Gaussian(1.0), self.y[:, 0]
        for options, message in (
            ({"kernel": None}, "takes one kernel"),
            ({"kernel": [kernel, kernel]}, "takes one kernel"),
            ({"kernel": kernel, "center": True}, "neither sample_weight nor center"),
            ({"kernel": kernel, "alphas": [0.0]}, "alphas must be positive"),
        ):
            with pytest.raises(InputError, match=message):
                KernelRidgeRegressor(solver="gradients", **options).fit(self.X, y)
        model = KernelRidgeRegressor(kernel, solver="gradients")
        with pytest.raises(InputError, match="neither sample_weight"):
            model.fit(self.X, y, sample_weight=np.ones(300))
        with pytest.raises(InputError, match="at least 20 rows"):
            model.fit(self.X[:10], y[:10])
        with pytest.raises(InputError, match="solver must be one of"):
            KernelRidgeClassifier(kernel, solver="gradients").fit(self.X, y > 0)
