"""Least squares on the leading components, against slow computations."""

import numpy as np
import pytest
from scipy import sparse

from estimating import (
    COUNTS,
    FLOWERS,
    GAUSSIAN,
    IRIS,
    NEW,
    SINC,
    SPECIES,
    WORDS,
    output_of,
    targets_of,
)
from oracles import centred_kernels, cutoff_prediction
from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    RelevantKernelPCA,
    diagnose,
    kernels,
)
from reldim.exceptions import InputError


class TestCutOff:
    """Least squares on leading eigenvectors, extended by the Nystroem formula."""

    @pytest.mark.parametrize("center", [False, True])
    @pytest.mark.parametrize("dimension", [1, 6, 12])
    def test_regressor(self, dimension, center):
        model = KernelPCRegressor(GAUSSIAN, dimension=dimension, center=center)
        model.fit(SINC.X, SINC.y)
        K, K_new = GAUSSIAN(SINC.X), GAUSSIAN(NEW, SINC.X)
        if center:
            K, K_new = centred_kernels(K, K_new)
        mean = SINC.y.mean()
        expected = cutoff_prediction(K, SINC.y - mean, dimension, K_new) + mean
        assert model.dimension_ == dimension
        np.testing.assert_allclose(model.predict(NEW), expected, atol=1e-7)
        residual = SINC.y - mean - cutoff_prediction(K, SINC.y - mean, dimension, K)
        assert model.noise_level_ == pytest.approx(
            np.sum(residual**2) / np.sum((SINC.y - mean) ** 2)
        )

    @pytest.mark.parametrize("center", [False, True])
    def test_classifier_of_two(self, center):
        y = targets_of(KernelPCClassifier)
        model = KernelPCClassifier(GAUSSIAN, dimension=5, center=center).fit(SINC.X, y)
        coded = np.where(y == "low", 1.0, -1.0)
        K, K_new = GAUSSIAN(SINC.X), GAUSSIAN(NEW, SINC.X)
        mean = 0.0
        if center:
            K, K_new = centred_kernels(K, K_new)
            mean = coded.mean()
        expected = cutoff_prediction(K, coded - mean, 5, K_new) + mean
        np.testing.assert_allclose(model.decision_function(NEW), expected, atol=1e-7)
        assert model.classes_.tolist() == ["high", "low"]
        assert model.predict(NEW).tolist() == np.where(expected > 0, "low", "high").tolist()

    def test_classifier_of_three(self):
        kernel = kernels.Gaussian(width=2.0)
        model = KernelPCClassifier(kernel, dimension=8).fit(FLOWERS, SPECIES)
        indicators = (SPECIES[:, None] == np.unique(SPECIES)).astype(float)
        shares = indicators.mean(axis=0)
        new = IRIS.data[1::2]
        expected = (
            cutoff_prediction(kernel(FLOWERS), indicators - shares, 8, kernel(new, FLOWERS))
            + shares
        )
        np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-7)
        assert model.predict(new).tolist() == np.unique(SPECIES)[expected.argmax(axis=1)].tolist()
        assert model.score(new, IRIS.target_names[IRIS.target[1::2]]) > 0.9

    def test_estimated_dimension_equals_the_fixed_one(self):
        free = KernelPCRegressor(GAUSSIAN).fit(SINC.X, SINC.y)
        fixed = KernelPCRegressor(GAUSSIAN, dimension=free.dimension_).fit(SINC.X, SINC.y)
        np.testing.assert_array_equal(free.predict(NEW), fixed.predict(NEW))
        assert free.error_estimate_ == fixed.error_estimate_

    def test_predictions_are_held_under_a_bounded_kernel(self):
        # Components of tiny eigenvalues fit the rows, and run wild between and beyond them.
        x = np.sort(np.random.default_rng(1).uniform(-1, 1, 60))[:, None]
        y = np.sin(40 * x[:, 0])
        new = np.linspace(-1.2, 1.2, 500)[:, None]
        kernel = kernels.Gaussian(0.05)
        expected = cutoff_prediction(kernel(x), y - y.mean(), 20, kernel(new, x)) + y.mean()
        low, high = 1.5 * y.min() - 0.5 * y.max(), 1.5 * y.max() - 0.5 * y.min()
        assert expected.min() < 2 * low or expected.max() > 2 * high
        predicted = KernelPCRegressor(kernel, dimension=20).fit(x, y).predict(new)
        np.testing.assert_allclose(predicted, np.clip(expected, low, high), atol=1e-3)

    def test_a_linear_kernel_predicts_beyond_the_range(self):
        x = np.linspace(-1.0, 1.0, 30)[:, None]
        model = KernelPCRegressor(kernels.Linear()).fit(x, 3.0 * x[:, 0])
        assert model.predict([[100.0]])[0] == pytest.approx(300.0)

    @pytest.mark.parametrize("dimension", [-1, 61])
    def test_dimension_out_of_range(self, dimension):
        with pytest.raises(InputError, match=rf"between 0 and \d+.*Gaussian.*Got {dimension}"):
            KernelPCRegressor(GAUSSIAN, dimension=dimension).fit(SINC.X, SINC.y)

    def test_criterion_matters_and_is_checked(self):
        model = KernelPCRegressor(GAUSSIAN, criterion="leave-one-out").fit(SINC.X, SINC.y)
        errors = [
            KernelPCRegressor(GAUSSIAN, dimension=d).fit(SINC.X, SINC.y).error_estimate_
            for d in range(1, 15)
        ]
        assert model.dimension_ == 1 + int(np.argmin(errors))
        with pytest.raises(InputError, match="likelihood, leave-one-out. Got 'aic' instead"):
            KernelPCRegressor(GAUSSIAN, criterion="aic").fit(SINC.X, SINC.y)


class TestNoSignal:
    """Dimension 0 predicts a constant."""

    def test_asked_for(self):
        model = KernelPCRegressor(GAUSSIAN, dimension=0).fit(SINC.X, SINC.y)
        np.testing.assert_allclose(model.predict(NEW), SINC.y.mean())

    def test_mean_of_pure_noise(self):
        y = 7.0 + np.random.default_rng(3).normal(size=60)
        model = KernelPCRegressor().fit(SINC.X, y)
        assert model.dimension_ == 0
        np.testing.assert_allclose(model.predict(NEW), y.mean())
        assert model.noise_level_ == pytest.approx(1.0)

    @pytest.mark.parametrize("center", [False, True])
    def test_most_frequent_of_two_classes(self, center):
        y = np.random.default_rng(3).choice(["often", "rare"], p=[0.7, 0.3], size=60)
        model = KernelPCClassifier(GAUSSIAN, center=center).fit(SINC.X, y)
        assert model.dimension_ == 0
        assert set(model.predict(NEW)) == {"often"}
        assert model.error_estimate_ == pytest.approx(np.mean(y == "rare"))

    def test_most_frequent_of_three_classes(self):
        y = np.random.default_rng(3).choice([1, 2, 3], p=[0.2, 0.5, 0.3], size=60)
        model = KernelPCClassifier(dimension=0).fit(SINC.X, y)
        assert set(model.predict(NEW)) == {2}

    def test_one_component_is_kept_for_a_pipeline(self):
        y = np.random.default_rng(3).normal(size=60)
        transformer = RelevantKernelPCA().fit(SINC.X, y)
        assert transformer.dimension_ == 0
        assert transformer.transform(NEW).shape == (25, 1)


class TestAveraging:
    def test_predicts_the_averaged_targets_at_the_data(self):
        found = diagnose(SINC.X, SINC.y)
        model = found.predictor(average=True)
        np.testing.assert_allclose(model.predict(SINC.X), found.relevance.averaged, atol=1e-6)
        refit = KernelPCRegressor(found.kernel, average=True).fit(SINC.X, SINC.y)
        np.testing.assert_allclose(model.predict(SINC.X), refit.predict(SINC.X), atol=1e-6)
        assert model.get_params()["average"] is True
        inside, outside = found.relevance.averaged_errors
        assert (model.noise_level_, model.error_estimate_) == (inside, outside)

    def test_errs_less_than_the_cut_on_average(self):
        cut, averaged = [], []
        new = np.random.default_rng(0).normal(size=(400, 2))
        for seed in range(15):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(80, 2))
            y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=80)
            found = diagnose(X, y, kernels=kernels.Gaussian(1.0), references=False)
            truth = np.sin(2 * new[:, 0]) * new[:, 1]
            for average, errors in ((False, cut), (True, averaged)):
                predicted = found.predictor(average=average).predict(new)
                errors.append(np.mean((predicted - truth) ** 2))
        assert np.mean(averaged) < np.mean(cut)

    def test_without_signal_is_a_constant(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        model = KernelPCRegressor(kernels.Gaussian(1.0), average=True).fit(X, y)
        assert model.dimension_ == 0
        np.testing.assert_allclose(model.predict(X), y.mean())

    def test_takes_no_ridge_beside_it(self):
        model = KernelPCRegressor(GAUSSIAN, average=True, ridge=0.1)
        with pytest.raises(InputError, match="takes no ridge beside it"):
            model.fit(SINC.X, SINC.y)


class TestWeights:
    """Weights count rows: they are the same as rows that were repeated."""

    COUNTS = np.arange(60) % 4

    @pytest.mark.parametrize("kind", [KernelPCRegressor, KernelPCClassifier])
    @pytest.mark.parametrize("options", [{}, {"average": True}, {"center": True}], ids=str)
    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
    def test_whole_weights_are_repeated_rows(self, kind, options, container):
        y, order = targets_of(kind), np.random.default_rng(0).permutation(60)
        model = kind(GAUSSIAN, **options)
        model.fit(container(SINC.X[order]), y[order], sample_weight=self.COUNTS[order])
        rows = np.arange(60).repeat(self.COUNTS)
        same = kind(GAUSSIAN, **options).fit(container(SINC.X[rows]), y[rows])
        assert model.dimension_ == same.dimension_ > 0
        assert model.error_estimate_ == pytest.approx(same.error_estimate_, rel=1e-8)
        np.testing.assert_allclose(output_of(model, NEW), output_of(same, NEW), atol=1e-8)

    def test_sequences_are_repeated_too(self):
        weighted = KernelPCRegressor().fit(WORDS, COUNTS, sample_weight=self.COUNTS)
        again = [word for word, n in zip(WORDS, self.COUNTS, strict=True) for _ in range(n)]
        repeated = KernelPCRegressor().fit(again, COUNTS.repeat(self.COUNTS))
        np.testing.assert_allclose(weighted.predict(WORDS), repeated.predict(WORDS), atol=1e-9)

    def test_a_common_factor_changes_nothing(self):
        model = KernelPCRegressor(GAUSSIAN)
        once = model.fit(SINC.X, SINC.y, sample_weight=self.COUNTS).predict(NEW)
        thrice = model.fit(SINC.X, SINC.y, sample_weight=3000 * self.COUNTS).predict(NEW)
        np.testing.assert_array_equal(once, thrice)

    @pytest.mark.parametrize(
        "weights, message",
        [
            (np.append(0.5, np.ones(59)), "whole numbers here.* Got 0.5 in row 0"),
            (np.append(1e5, np.ones(59)), "100 on average.* Got 1.67e"),
            (np.append(1e300, np.ones(59)), "100 on average"),
            (np.append(1, np.zeros(59)), "leaves a single row"),
            (np.append(-1, np.ones(59)), "Got -1.0 in row 0"),
        ],
    )
    def test_what_cannot_be_counted_is_refused(self, weights, message):
        with pytest.raises(InputError, match=message):
            KernelPCRegressor(GAUSSIAN).fit(SINC.X, SINC.y, sample_weight=weights)

    def test_a_matrix_is_not_repeated(self):
        with pytest.raises(InputError, match="rows and columns, yourself"):
            KernelPCRegressor("precomputed").fit(
                GAUSSIAN(SINC.X), SINC.y, sample_weight=self.COUNTS
            )
