"""What all estimators share: scikit-learn's rules, kinds of data and of targets."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimating import (
    ALL,
    CLASSIFIERS,
    COUNTS,
    FLOWERS,
    GAUSSIAN,
    IRIS,
    NEW,
    REGRESSORS,
    SINC,
    SPECIES,
    WORDS,
    every_classifier,
    every_estimator,
    every_predictor,
    every_regressor,
    output_of,
    targets_of,
)
from reldim import (
    KernelPCRegressor,
    KernelRidgeClassifier,
    RelevantKernelPCA,
    kernels,
)
from reldim.exceptions import InputError, InputTypeError


@parametrize_with_checks([kind() for kind in ALL])
# Some checks pose problems that no Gaussian kernel suits; that it says so is right.
@pytest.mark.filterwarnings("ignore::reldim.exceptions.GridEdgeWarning")
def test_rules_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ALL)
def test_predictions_do_not_depend_on_the_number_of_cores(kind):
    y = IRIS.target[::2]
    models = [kind(n_jobs=jobs).fit(FLOWERS, y) for jobs in (1, 2)]
    found = [getattr(m, "predict", getattr(m, "transform", None))(FLOWERS) for m in models]
    assert np.asarray(found[0]).tobytes() == np.asarray(found[1]).tobytes()
    with pytest.raises(InputTypeError, match="n_jobs must be None or a whole number"):
        kind(n_jobs="all").fit(FLOWERS, y)


def letters(X, Z):
    return [[1.0 + sum(a == b for a, b in zip(x, z, strict=True)) for z in Z] for x in X]


def user_gaussian(X, Z):
    return np.exp(-((X[:, None] - Z[None]) ** 2).sum(axis=2) / 0.6)


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
        with pytest.raises(
            ValueError, match=r"inconsistent numbers of samples|same number of rows"
        ):
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

    @every_predictor
    def test_grid_search_over_parameters_of_the_kernel(self, kind):
        y = targets_of(kind)
        widths = [0.003, 0.3, 300.0]
        single = GridSearchCV(kind(GAUSSIAN), {"kernel__width": widths}, cv=3).fit(SINC.X, y)
        whole = {"kernel": [kernels.Gaussian(width) for width in widths]}
        several = GridSearchCV(kind(), whole, cv=3).fit(SINC.X, y)
        for key in ("mean_test_score", "std_test_score"):
            np.testing.assert_array_equal(single.cv_results_[key], several.cv_results_[key])
        assert single.best_estimator_.kernel == several.best_estimator_.kernel
        assert GAUSSIAN == kernels.Gaussian(0.3), "the kernel that was given stays as it is"

    @every_estimator
    def test_parameters_of_the_kernel_inside_a_pipeline(self, kind):
        pipeline = make_pipeline(StandardScaler(), kind(2.0 * GAUSSIAN + kernels.Linear()))
        name = f"{kind.__name__.lower()}__kernel__left__kernel__width"
        assert pipeline.get_params()[name] == 0.3
        twin = clone(pipeline).set_params(**{name: 7.0})
        assert twin[-1].kernel == 2.0 * kernels.Gaussian(7.0) + kernels.Linear()
        assert pipeline.get_params()[name] == 0.3
        twin[-1].set_params(kernel__width=0.5, kernel=kernels.Gaussian(1.0))
        assert twin[-1].kernel == kernels.Gaussian(0.5)

    @every_estimator
    def test_parameters_of_what_is_no_kernel(self, kind):
        with pytest.raises(InputError, match=r"kernel__width: .* has kernel='rbf', which has no"):
            kind("rbf").set_params(kernel__width=1.0)
        with pytest.raises(InputError, match="Gaussian has no parameter 'gamma'. It has width, "):
            kind(GAUSSIAN).set_params(kernel__gamma=1.0)
        with pytest.raises(ValueError, match="Invalid parameter 'gamma'"):
            kind(GAUSSIAN).set_params(gamma=1.0)

    @every_estimator
    @pytest.mark.parametrize(
        "name, ours",
        [("rbf", "gaussian"), ("poly", "polynomial"), ("cosine", kernels.Linear().normalized())],
    )
    @pytest.mark.filterwarnings("ignore::reldim.exceptions.GridEdgeWarning")
    def test_names_of_scikit_learn(self, kind, name, ours):
        y = FLOWERS[:, 0] if kind in REGRESSORS else SPECIES
        theirs, own = kind(name).fit(FLOWERS, y), kind(ours).fit(FLOWERS, y)
        assert theirs.kernel_ == own.kernel_
        np.testing.assert_array_equal(output_of(theirs, FLOWERS), output_of(own, FLOWERS))

    @every_predictor
    def test_precomputed_by_its_name(self, kind):
        y, folds = targets_of(kind), KFold(3, shuffle=True, random_state=0)
        assert get_tags(kind("precomputed")).input_tags.pairwise
        given = cross_val_score(kind("precomputed"), GAUSSIAN(SINC.X), y, cv=folds)
        np.testing.assert_allclose(
            given, cross_val_score(kind(GAUSSIAN), SINC.X, y, cv=folds), atol=1e-6
        )

    @every_estimator
    @pytest.mark.parametrize(
        "name, message",
        [
            ("sigmoid", "kernel='sigmoid': the sigmoid function is not positive semi-definite"),
            ("chi2", "pass the function, sklearn.metrics.pairwise.chi2_kernel"),
        ],
    )
    def test_names_of_what_is_no_kernel(self, kind, name, message):
        with pytest.raises(InputError, match=message):
            kind(name).fit(SINC.X, targets_of(kind))

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
