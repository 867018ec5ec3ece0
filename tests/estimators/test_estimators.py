"""The estimators: scikit-learn's rules, and slow computations of the same predictions."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracles import centred_kernels, cutoff_prediction, leading_components
from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    RelevantKernelPCA,
    datasets,
    diagnose,
    kernels,
)
from reldim.exceptions import InputError, InputTypeError

REGRESSORS = [KernelPCRegressor, KernelRidgeRegressor]
CLASSIFIERS = [KernelPCClassifier, KernelRidgeClassifier]
ALL = [*REGRESSORS, *CLASSIFIERS, RelevantKernelPCA]


@parametrize_with_checks([kind() for kind in ALL])
# Some checks pose problems that no Gaussian kernel suits; that it says so is right.
@pytest.mark.filterwarnings("ignore::reldim.exceptions.GridEdgeWarning")
def test_rules_of_scikit_learn(estimator, check):
    check(estimator)


SINC = datasets.noisy_sinc(60, noise=0.1, random_state=0)
NEW = np.linspace(-3.0, 3.0, 25)[:, None]
IRIS = load_iris()
FLOWERS, SPECIES = IRIS.data[::2], IRIS.target_names[IRIS.target[::2]]
WORDS = ["".join(word) for word in np.random.default_rng(0).choice(list("ACGT"), size=(60, 6))]
COUNTS = np.array([word.count("A") + 0.5 * (word[0] == "C") for word in WORDS])
GAUSSIAN = kernels.Gaussian(width=0.3)

every_estimator = pytest.mark.parametrize("kind", ALL)
every_predictor = pytest.mark.parametrize("kind", [*REGRESSORS, *CLASSIFIERS])
every_regressor = pytest.mark.parametrize("kind", REGRESSORS)
every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


def targets_of(kind):
    """Give targets for the sinc data that an estimator takes."""
    return np.where(SINC.y > 0.2, "high", "low") if kind in CLASSIFIERS else SINC.y


def output_of(model, X):
    """Give what an estimator makes of new rows, as numbers."""
    if isinstance(model, RelevantKernelPCA):
        return model.transform(X)
    return model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)


def letters(X, Z):
    return [[1.0 + sum(a == b for a, b in zip(x, z, strict=True)) for z in Z] for x in X]


def user_gaussian(X, Z):
    return np.exp(-((X[:, None] - Z[None]) ** 2).sum(axis=2) / 0.6)


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


class TestKernelPCA:
    def test_equals_that_of_scikit_learn(self):
        ours = RelevantKernelPCA(GAUSSIAN, dimension=5, center=True).fit(SINC.X, SINC.y)
        theirs = KernelPCA(5, kernel="rbf", gamma=1 / 0.6).fit(SINC.X)
        for rows in (SINC.X, NEW):
            np.testing.assert_allclose(
                np.abs(ours.transform(rows)), np.abs(theirs.transform(rows)), atol=1e-9
            )
        np.testing.assert_allclose(60 * ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)

    def test_not_centred_equals_scaled_eigenvectors(self):
        ours = RelevantKernelPCA(GAUSSIAN, dimension=4).fit_transform(SINC.X, SINC.y)
        K = GAUSSIAN(SINC.X)
        scale = np.sqrt(np.sort(np.linalg.eigvalsh(K))[::-1][:4])
        np.testing.assert_allclose(
            np.abs(ours), np.abs(leading_components(K, 4)) * scale, atol=1e-9
        )

    def test_signs_do_not_depend_on_chance(self):
        ours = RelevantKernelPCA(GAUSSIAN, dimension=6).fit_transform(SINC.X, SINC.y)
        order = np.random.default_rng(0).permutation(60)
        other = RelevantKernelPCA(GAUSSIAN, dimension=6).fit(SINC.X[order], SINC.y[order])
        np.testing.assert_allclose(other.transform(SINC.X), ours, atol=1e-8)
        assert np.all(ours[np.abs(ours).argmax(axis=0), np.arange(6)] > 0)

    def test_least_squares_on_the_components_is_the_regressor(self):
        pipeline = make_pipeline(
            RelevantKernelPCA(GAUSSIAN), LinearRegression(fit_intercept=False)
        ).fit(SINC.X, SINC.y - SINC.y.mean())
        model = KernelPCRegressor(GAUSSIAN).fit(SINC.X, SINC.y)
        np.testing.assert_allclose(
            pipeline.predict(NEW) + SINC.y.mean(), model.predict(NEW), atol=1e-7
        )

    def test_task_can_be_named(self):
        y = np.digitize(SINC.y, [0.0, 0.3])
        classes = RelevantKernelPCA(GAUSSIAN).fit(SINC.X, y)
        numbers = RelevantKernelPCA(GAUSSIAN, task="regression").fit(SINC.X, y)
        expected = KernelPCRegressor(GAUSSIAN).fit(SINC.X, y)
        assert numbers.dimension_ == expected.dimension_
        assert classes.dimension_ == KernelPCClassifier(GAUSSIAN).fit(SINC.X, y).dimension_

    def test_targets_are_needed(self):
        with pytest.raises(InputError, match="requires y to be passed"):
            RelevantKernelPCA().fit_transform(SINC.X)

    def test_names_and_frames(self):
        frame = pd.DataFrame(SINC.X, columns=["x"], index=range(100, 160))
        transformer = RelevantKernelPCA(GAUSSIAN, dimension=3).set_output(transform="pandas")
        out = transformer.fit_transform(frame, SINC.y)
        names = ["relevantkernelpca0", "relevantkernelpca1", "relevantkernelpca2"]
        assert out.columns.tolist() == names
        assert out.index.tolist() == frame.index.tolist()
        pd.testing.assert_frame_equal(transformer.transform(frame), out)
        assert transformer.get_feature_names_out().tolist() == names


class TestData:
    @every_estimator
    def test_feature_names_are_kept_and_compared(self, kind):
        frame = pd.DataFrame(FLOWERS, columns=list("abcd"))
        y = FLOWERS[:, 0] if kind in REGRESSORS else SPECIES
        model = kind(kernels.Gaussian(2.0)).fit(frame, y)
        assert model.feature_names_in_.tolist() == list("abcd")
        assert model.n_features_in_ == 4
        bare = kind(kernels.Gaussian(2.0)).fit(FLOWERS, y)
        same = output_of(bare, FLOWERS)
        if same.dtype.kind == "f":
            # A frame has its columns one after the other, so that sums run in another order.
            np.testing.assert_allclose(output_of(model, frame), same, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(output_of(model, frame), same)
        with pytest.raises(ValueError, match="feature names should match"):
            output_of(model, frame[["b", "a", "c", "d"]])

    @every_estimator
    @pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_matrix])
    @pytest.mark.parametrize("kernel", [kernels.Gaussian(2.0), kernels.Linear(), "polynomial"])
    def test_sparse_equals_dense(self, kind, container, kernel):
        X = FLOWERS * (FLOWERS > 1.0)
        y = FLOWERS[:, 0] if kind in REGRESSORS else SPECIES
        thin = kind(kernel).fit(container(X), y)
        full = kind(kernel).fit(X, y)
        assert thin.kernel_ == full.kernel_
        np.testing.assert_allclose(output_of(thin, container(X)), output_of(full, X), atol=1e-6)

    @every_estimator
    def test_precomputed_equals_the_kernel(self, kind):
        y = targets_of(kind)
        given = kind(kernels.Precomputed()).fit(GAUSSIAN(SINC.X), y)
        computed = kind(GAUSSIAN).fit(SINC.X, y)
        np.testing.assert_allclose(
            output_of(given, GAUSSIAN(NEW, SINC.X)), output_of(computed, NEW), atol=1e-7
        )

    @every_predictor
    @pytest.mark.parametrize(
        "kernel",
        [kernels.Precomputed(), 2.0 * kernels.Precomputed(), [kernels.Precomputed()]],
        ids=["plain", "scaled", "list"],
    )
    def test_cross_validation_slices_rows_and_columns(self, kind, kernel):
        y = targets_of(kind)
        folds = KFold(3, shuffle=True, random_state=0)
        assert get_tags(kind(kernel)).input_tags.pairwise
        given = cross_val_score(kind(kernel), GAUSSIAN(SINC.X), y, cv=folds)
        factor = 2.0 if isinstance(kernel, kernels.Scaled) else 1.0
        computed = cross_val_score(kind(factor * GAUSSIAN), SINC.X, y, cv=folds)
        np.testing.assert_allclose(given, computed, atol=1e-6)

    @every_estimator
    def test_precomputed_must_be_square(self, kind):
        with pytest.raises(InputError, match=r"must have shape \(n, n\). Got \(60, 1\)"):
            kind(kernels.Precomputed()).fit(SINC.X, targets_of(kind))

    @every_estimator
    def test_asymmetric_matrix(self, kind):
        K = GAUSSIAN(SINC.X)
        K[0, 1] += 0.5
        with pytest.raises(InputError, match="must be symmetric"):
            kind(kernels.Precomputed()).fit(K, targets_of(kind))

    @every_estimator
    def test_indefinite_matrix(self, kind):
        K = GAUSSIAN(SINC.X) - 0.5 * np.eye(60)
        with pytest.raises(InputError, match="must be positive semi-definite"):
            kind(kernels.Precomputed()).fit(K, targets_of(kind))

    @every_estimator
    @pytest.mark.parametrize(
        "kernel",
        [None, "weighted-degree", kernels.WeightedDegree(2), letters, [letters]],
        ids=["default", "family", "kernel", "function", "list"],
    )
    @pytest.mark.parametrize("form", [list, np.array, pd.Series], ids=lambda form: form.__name__)
    def test_strings(self, kind, kernel, form):
        y = COUNTS if kind not in CLASSIFIERS else COUNTS > 1.0
        model = kind(kernel).fit(form(WORDS), y)
        out = output_of(model, form(WORDS[:7]))
        assert out.shape[0] == 7
        np.testing.assert_allclose(out, output_of(model, form(WORDS))[:7], atol=1e-9)
        assert model.dimension_ > 0 if hasattr(model, "dimension_") else model.alpha_ > 0

    def test_strings_are_learned_across_folds(self):
        for form in (WORDS, np.array(WORDS), pd.Series(WORDS)):
            scores = cross_val_score(KernelPCRegressor(), form, COUNTS, cv=3)
            assert scores.min() > 0.7

    @every_estimator
    def test_a_function_equals_the_kernel(self, kind):
        y = targets_of(kind)
        mine = kind(user_gaussian).fit(SINC.X, y)
        ours = kind(GAUSSIAN).fit(SINC.X, y)
        np.testing.assert_allclose(output_of(mine, NEW), output_of(ours, NEW), atol=1e-7)
        assert repr(mine.kernel_) == "Function(user_gaussian)"

    @every_estimator
    def test_a_mapping_of_kernels(self, kind):
        y = targets_of(kind)
        model = kind({"mine": kernels.Precomputed()}).fit(GAUSSIAN(SINC.X), y)
        assert model.kernel_ == kernels.Precomputed()
        assert get_tags(model).input_tags.pairwise

    @every_estimator
    def test_single_precision_stays(self, kind):
        settings = {"dimension": 5} if hasattr(kind(), "dimension") else {"alphas": [0.01]}
        single, double = (
            kind(GAUSSIAN, **settings).fit(X, targets_of(kind))
            for X in (SINC.X.astype(np.float32), SINC.X)
        )
        out = output_of(single, NEW.astype(np.float32))
        assert out.dtype == np.float32
        np.testing.assert_allclose(out, output_of(double, NEW), atol=1e-3)

    @every_estimator
    def test_lists_are_fine(self, kind):
        y = targets_of(kind)
        model = kind(GAUSSIAN).fit(SINC.X.tolist(), y.tolist())
        expected = output_of(kind(GAUSSIAN).fit(SINC.X, y), NEW)
        np.testing.assert_array_equal(output_of(model, NEW.tolist()), expected)


class TestTargets:
    @every_regressor
    def test_several_outputs(self, kind):
        Y = np.column_stack([SINC.y, 3.0 - 2.0 * SINC.X[:, 0], SINC.y])
        model = kind(GAUSSIAN).fit(SINC.X, Y)
        out = model.predict(NEW)
        assert out.shape == (25, 3)
        np.testing.assert_allclose(out[:, 0], out[:, 2])
        np.testing.assert_allclose(out[:, 1], 3.0 - 2.0 * NEW[:, 0], atol=0.3)

    def test_several_outputs_at_a_fixed_dimension_are_single_ones(self):
        Y = np.column_stack([SINC.y, SINC.X[:, 0] ** 2])
        both = KernelPCRegressor(GAUSSIAN, dimension=7).fit(SINC.X, Y).predict(NEW)
        for column in range(2):
            one = KernelPCRegressor(GAUSSIAN, dimension=7).fit(SINC.X, Y[:, column])
            np.testing.assert_allclose(both[:, column], one.predict(NEW), atol=1e-9)

    @every_regressor
    def test_a_column_comes_back_as_a_column(self, kind):
        flat = kind(GAUSSIAN).fit(SINC.X, SINC.y).predict(NEW)
        column = kind(GAUSSIAN).fit(SINC.X, SINC.y[:, None]).predict(NEW)
        assert flat.shape == (25,)
        np.testing.assert_array_equal(column, flat[:, None])

    @every_classifier
    @pytest.mark.parametrize(
        "labels", [[0, 1], [-1, 1], [False, True], ["n", "y"], [2.0, 5.0]], ids=str
    )
    def test_labels_of_any_type(self, kind, labels):
        y = np.array(labels)[(SINC.y > 0.2).astype(int)]
        model = kind(GAUSSIAN).fit(SINC.X, y)
        assert model.classes_.tolist() == labels
        assert model.predict(SINC.X).dtype == y.dtype
        assert model.score(SINC.X, y) > 0.85
        plain = kind(GAUSSIAN).fit(SINC.X, SINC.y > 0.2)
        np.testing.assert_allclose(model.decision_function(NEW), plain.decision_function(NEW))

    @every_classifier
    def test_three_classes_in_words(self, kind):
        model = kind(kernels.Gaussian(2.0)).fit(FLOWERS, SPECIES)
        assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
        assert model.decision_function(FLOWERS).shape == (75, 3)
        assert model.score(IRIS.data[1::2], IRIS.target_names[IRIS.target[1::2]]) > 0.9

    @every_classifier
    def test_a_column_of_classes_is_flattened_with_a_warning(self, kind):
        with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
            kind(GAUSSIAN).fit(SINC.X, targets_of(kind)[:, None])

    @every_classifier
    def test_numbers_are_no_classes(self, kind):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            kind(GAUSSIAN).fit(SINC.X, SINC.y)

    @every_classifier
    def test_one_class(self, kind):
        with pytest.raises(InputError, match="one class only"):
            kind(GAUSSIAN).fit(SINC.X, np.ones(60))

    @every_regressor
    def test_constant(self, kind):
        with pytest.raises(InputError, match="y is constant"):
            kind(GAUSSIAN).fit(SINC.X, np.full(60, 3.3))

    @every_estimator
    @pytest.mark.parametrize("kernel", [GAUSSIAN, user_gaussian], ids=["kernel", "function"])
    def test_lengths(self, kind, kernel):
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples|as many rows"):
            kind(kernel).fit(SINC.X[1:], targets_of(kind))

    @every_estimator
    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, kind, bad):
        X = SINC.X.copy()
        X[3] = bad
        with pytest.raises(ValueError, match="contains (NaN|infinity)"):
            kind(GAUSSIAN).fit(X, targets_of(kind))

    @every_estimator
    def test_missing_targets(self, kind):
        with pytest.raises(InputError, match="requires y to be passed, but the target y is None"):
            kind().fit(SINC.X, None)


class TestConduct:
    @every_estimator
    def test_clone_keeps_parameters_only(self, kind):
        model = kind(kernels.Gaussian(0.3) + kernels.Linear(), center=True, random_state=3)
        model.fit(SINC.X, targets_of(kind))
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            output_of(copy, NEW) if kind not in CLASSIFIERS else copy.predict(NEW)

    @every_estimator
    def test_refitting_forgets(self, kind):
        model = kind(GAUSSIAN).fit(FLOWERS, FLOWERS[:, 0] if kind in REGRESSORS else SPECIES)
        model.fit(SINC.X, targets_of(kind))
        expected = kind(GAUSSIAN).fit(SINC.X, targets_of(kind))
        np.testing.assert_array_equal(output_of(model, NEW), output_of(expected, NEW))

    @every_estimator
    @pytest.mark.parametrize("kernel", [None, GAUSSIAN * kernels.Linear(), user_gaussian])
    def test_pickle(self, kind, kernel):
        model = kind(kernel).fit(SINC.X, targets_of(kind))
        back = pickle.loads(pickle.dumps(model))  # noqa: S301 (made one line above)
        np.testing.assert_array_equal(output_of(back, NEW), output_of(model, NEW))

    @every_predictor
    def test_in_a_pipeline(self, kind):
        y = targets_of(kind)
        pipeline = make_pipeline(StandardScaler(), kind()).fit(1000.0 * SINC.X, y)
        scaled = kind().fit(StandardScaler().fit_transform(SINC.X), y)
        assert pipeline[-1].kernel_ == scaled.kernel_
        assert pipeline.predict(1000.0 * NEW).shape == (25,)

    def test_as_a_step_before_another_classifier(self):
        pipeline = make_pipeline(
            StandardScaler(), RelevantKernelPCA(), LogisticRegression(max_iter=1000)
        )
        assert cross_val_score(pipeline, FLOWERS, SPECIES, cv=3).mean() > 0.9

    def test_grid_search_over_kernels_and_dimensions(self):
        grid = {
            "kernel": [kernels.Gaussian(0.3), kernels.Gaussian(300.0), kernels.Linear()],
            "dimension": [1, None],
        }
        search = GridSearchCV(KernelPCRegressor(), grid, cv=3).fit(SINC.X, SINC.y)
        assert search.best_params_ == {"kernel": kernels.Gaussian(0.3), "dimension": None}
        assert search.best_estimator_.dimension_ > 1
        expected = cross_val_score(KernelPCRegressor(kernels.Gaussian(0.3)), SINC.X, SINC.y, cv=3)
        assert search.best_score_ == pytest.approx(expected.mean())

    def test_grid_search_over_a_pipeline(self):
        pipeline = make_pipeline(StandardScaler(), KernelRidgeClassifier())
        grid = {"kernelridgeclassifier__kernel": ["gaussian", "laplacian", kernels.Linear()]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(FLOWERS, SPECIES)
        assert search.best_score_ > 0.9

    @every_estimator
    def test_what_is_no_kernel(self, kind):
        with pytest.raises(InputTypeError, match="kernels must be a kernel, a callable.*Got int"):
            kind(kernel=3).fit(SINC.X, targets_of(kind))

    @every_estimator
    def test_mixed_domains(self, kind):
        with pytest.raises(InputError, match="same kind of data"):
            kind([GAUSSIAN, kernels.WeightedDegree(2)]).fit(SINC.X, targets_of(kind))

    @every_estimator
    def test_tags_follow_the_kernel(self, kind):
        assert get_tags(kind()).input_tags.sparse
        assert get_tags(kind(kernels.WeightedDegree(2))).input_tags.string
        assert get_tags(kind(["weighted-degree"])).input_tags.string
        assert not get_tags(kind(kernels.Precomputed())).input_tags.sparse
        assert not get_tags(kind()).input_tags.pairwise

    @every_estimator
    def test_repr_shows_what_was_set(self, kind):
        assert repr(kind(GAUSSIAN)) == f"{kind.__name__}(kernel=Gaussian(width=0.3))"


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
            found = diagnose(X, y, kernels=kernels.Gaussian(1.0))
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
