"""Rules of spectral cut-off against plain definitions, and kernel PCR against spectral cut-off."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV

from reldim import KernelPCClassifier, KernelPCRegressor, datasets, decompose, kernels
from reldim.cutoffs import (
    ConsistentThreshold,
    CrossValidated,
    ExplainedVariance,
    Relevant,
    Threshold,
    as_cutoff,
    crossvalidation,
    fit_cutoff,
)
from reldim.eigensolvers import decompose_gram
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.targets import code_targets
from reldim.relevance.estimation import estimate

KERNEL = kernels.Gaussian(1.0)


@pytest.fixture(scope="module")
def sinc():
    return datasets.noisy_sinc(120, random_state=0), datasets.noisy_sinc(60, random_state=1)


@pytest.fixture(scope="module")
def spectrum(sinc):
    return decompose(KERNEL, sinc[0].X)


def spectral_cutoff(K, K_new, y, m, *, center):
    """Truncated singular value decomposition in feature space (Mosci et al., eq. 9)."""
    n = len(K)
    if center:
        H = np.eye(n) - 1 / n
        K_new = (K_new - K.mean(axis=0)) @ H
        K = H @ K @ H
    sigma, U = np.linalg.eigh(K / n)
    sigma, U = sigma[::-1], U[:, ::-1]
    alpha = sum(U[:, j] * (U[:, j] @ y) / (n * sigma[j]) for j in range(m))
    return K_new @ alpha


class TestEquivalence:
    @pytest.mark.parametrize("center", [False, True])
    @pytest.mark.parametrize("m", [1, 4, 9])
    def test_kernel_pcr_equals_spectral_cutoff(self, sinc, m, center):
        train, new = sinc
        model = KernelPCRegressor(KERNEL, dimension=m, center=center).fit(train.X, train.y)
        expected = spectral_cutoff(
            KERNEL(train.X), KERNEL(new.X, train.X), train.y - train.y.mean(), m, center=center
        )
        np.testing.assert_allclose(model.predict(new.X), expected + train.y.mean(), atol=1e-10)

    @pytest.mark.parametrize("m", [1, 4, 9])
    def test_centred_it_equals_least_squares_on_kernel_pca(self, sinc, m):
        train, new = sinc
        pca = KernelPCA(m, kernel="precomputed").fit(KERNEL(train.X))
        linear = LinearRegression().fit(pca.transform(KERNEL(train.X)), train.y)
        expected = linear.predict(pca.transform(KERNEL(new.X, train.X)))
        model = KernelPCRegressor(KERNEL, dimension=m, center=True).fit(train.X, train.y)
        np.testing.assert_allclose(model.predict(new.X), expected, atol=1e-9)

    def test_uncentred_it_equals_least_squares_on_projected_features(self):
        """A polynomial kernel has features that can be written down."""
        rng = np.random.default_rng(0)
        X, new = rng.standard_normal((50, 2)), rng.standard_normal((20, 2))
        y = X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(50)

        def features(X):
            a, b = X.T
            r = math.sqrt(2)
            return np.column_stack([np.ones(len(X)), r * a, r * b, a**2, b**2, r * a * b])

        _, _, V = np.linalg.svd(features(X), full_matrices=False)
        projected = features(X) @ V[:3].T
        w, *_ = np.linalg.lstsq(projected, y - y.mean(), rcond=None)
        model = KernelPCRegressor(kernels.Polynomial(2), dimension=3).fit(X, y)
        expected = features(new) @ V[:3].T @ w + y.mean()
        np.testing.assert_allclose(model.predict(new), expected, atol=1e-10)

    @pytest.mark.parametrize("ridge", [1e-3, 0.1])
    def test_ridge_after_projection(self, sinc, ridge):
        train, new = sinc
        n, m = 120, 6
        pca = KernelPCA(m, kernel="precomputed").fit(KERNEL(train.X))
        linear = Ridge(alpha=n * ridge).fit(pca.transform(KERNEL(train.X)), train.y)
        expected = linear.predict(pca.transform(KERNEL(new.X, train.X)))
        model = KernelPCRegressor(KERNEL, dimension=m, center=True, ridge=ridge)
        model.fit(train.X, train.y)
        np.testing.assert_allclose(model.predict(new.X), expected, atol=1e-9)
        fitted = model.predict(train.X)
        nmse = np.sum((train.y - fitted) ** 2) / np.sum((train.y - train.y.mean()) ** 2)
        assert model.noise_level_ == pytest.approx(nmse)
        assert model.noise_level_ < model.error_estimate_

    def test_ridge_left_out_in_closed_form(self, sinc):
        """The shortcut equals refits on a basis that is held fixed."""
        train, _ = sinc
        ridge, m = 0.01, 5
        spectrum = decompose(KERNEL, train.X)
        targets = code_targets(train.y, "regression")
        fit = fit_cutoff(spectrum, targets, as_cutoff(m), ridge=ridge)
        U, l = spectrum.eigenvectors[:, :m], spectrum.eigenvalues[:m]
        scaled = U * np.sqrt(120 * l)
        y = targets.values[:, 0]
        wrong = 0.0
        for i in range(120):
            rest = np.arange(120) != i
            inner = scaled[rest].T @ scaled[rest] + 120 * ridge * np.eye(m)
            w = np.linalg.solve(inner, scaled[rest].T @ y[rest])
            wrong += (y[i] - scaled[i] @ w) ** 2
        assert fit.error_estimate == pytest.approx(wrong / np.sum(y**2))


class TestRules:
    def test_threshold_counts_eigenvalues(self, spectrum, sinc):
        targets = code_targets(sinc[0].y)
        for value in (0.5, 0.05, 1e-4):
            cut = Threshold(value).cut(spectrum, targets)
            assert cut.dimension == sum(l >= value for l in spectrum.eigenvalues)
            assert cut.threshold == value
        largest = spectrum.eigenvalues[0]
        assert Threshold(0.5 / largest, relative=True).cut(spectrum, targets).dimension == (
            Threshold(0.5).cut(spectrum, targets).dimension
        )

    def test_threshold_above_all_predicts_the_mean(self, sinc):
        train, new = sinc
        model = KernelPCRegressor(KERNEL, dimension=Threshold(2.0)).fit(train.X, train.y)
        assert model.dimension_ == 0
        np.testing.assert_allclose(model.predict(new.X), train.y.mean())

    def test_threshold_takes_a_cluster_as_a_whole(self):
        X = np.repeat(np.eye(4), 5, axis=0)
        spectrum = decompose(kernels.Linear(), X)
        level = float(spectrum.eigenvalues[2])
        targets = code_targets(np.arange(20.0) % 7)
        assert Threshold(level).cut(spectrum, targets).dimension == 4

    def test_consistent_threshold_is_lambda_n(self, sinc):
        train, _ = sinc
        kernel = 1e-2 * kernels.Linear()
        spectrum = decompose(kernel, train.X)
        kappa2 = 0.01 * float(np.max(train.X**2))
        cut = ConsistentThreshold(eta=0.1).cut(spectrum, code_targets(train.y))
        expected = 2 * math.sqrt(2) * kappa2 * math.log(40) / math.sqrt(120)
        assert cut.threshold == pytest.approx(expected)
        assert cut.dimension == int(spectrum.eigenvalues[0] >= expected)

    def test_consistent_threshold_keeps_components_once_rows_are_many(self):
        X = np.linspace(-1, 1, 1500)[:, None]
        model = KernelPCRegressor(kernels.Gaussian(10.0), dimension=ConsistentThreshold())
        assert model.fit(X, X[:, 0]).dimension_ == 1

    @pytest.mark.parametrize("fraction", [0.5, 0.95, 0.99])
    def test_explained_variance(self, spectrum, sinc, fraction):
        cut = ExplainedVariance(fraction).cut(spectrum, code_targets(sinc[0].y))
        covered = np.cumsum(spectrum.eigenvalues) / spectrum.trace
        assert cut.dimension == int(np.argmax(covered >= fraction)) + 1

    @pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
    def test_relevant_dimension_with_margins(self, spectrum, sinc, criterion):
        targets = code_targets(sinc[0].y)
        d = estimate(spectrum, targets, criterion=criterion).dimension
        n = spectrum.n
        for margin, more in (("none", 0), ("log", math.ceil(math.log(n)))):
            assert Relevant(criterion, margin).cut(spectrum, targets).dimension == d + more
        root = Relevant(criterion, "sqrt").cut(spectrum, targets).dimension
        assert root == min(d + math.ceil(math.sqrt(n)), spectrum.rank)

    def test_no_margin_without_a_signal(self, spectrum):
        noise = np.random.default_rng(5).standard_normal(120)
        targets = code_targets(noise)
        assert estimate(spectrum, targets).dimension == 0
        assert Relevant(margin="sqrt").cut(spectrum, targets).dimension == 0

    def test_the_old_parameters_mean_what_they_did(self, sinc):
        train, new = sinc
        for criterion in ("likelihood", "leave-one-out"):
            plain = KernelPCRegressor(KERNEL, criterion=criterion).fit(train.X, train.y)
            ruled = KernelPCRegressor(KERNEL, dimension=Relevant(criterion)).fit(train.X, train.y)
            assert plain.dimension_ == ruled.dimension_
            np.testing.assert_allclose(plain.predict(new.X), ruled.predict(new.X))


class TestCrossValidation:
    @pytest.mark.parametrize("center", [False, True])
    def test_curve_against_refits(self, sinc, center):
        """Every threshold, every fold: decompose, cut, predict."""
        train, _ = sinc
        rule = CrossValidated(folds=4, random_state=3)
        spectrum = decompose(KERNEL, train.X, center=center)
        targets = code_targets(train.y, "regression")
        cut = rule.cut(spectrum, targets)
        folds = rule._rows(targets)
        # Further down, round-off decides what the components are.
        sure = np.flatnonzero(cut.thresholds > 1e-9)
        for index in sure[::5]:
            errors = []
            for out in folds:
                rest = np.setdiff1d(np.arange(120), out)
                model = KernelPCRegressor(
                    KERNEL, center=center, dimension=Threshold(min(cut.thresholds[index], 1e300))
                ).fit(train.X[rest], train.y[rest])
                errors.append(np.mean((model.predict(train.X[out]) - train.y[out]) ** 2))
            assert cut.errors[index] == pytest.approx(np.mean(errors), rel=1e-6)

    def test_best_threshold_is_applied_to_all_rows(self, sinc):
        train, new = sinc
        model = KernelPCRegressor(KERNEL, dimension=CrossValidated()).fit(train.X, train.y)
        cut = model.cut_
        assert cut.error == cut.errors.min()
        l = decompose(KERNEL, train.X).eigenvalues
        assert model.dimension_ == np.sum(l >= cut.threshold)
        assert model.score(new.X, new.truth) > 0.8

    def test_folds_cover_the_rows_and_spread_the_classes(self):
        y = np.array(["a"] * 7 + ["b"] * 33)
        targets = code_targets(y)
        folds = CrossValidated(folds=7)._rows(targets)
        assert sorted(np.concatenate(folds)) == list(range(40))
        assert all(np.sum(y[rows] == "a") == 1 for rows in folds)

    def test_folds_are_decomposed_as_the_whole_was(self, monkeypatch):
        asked = []

        def spy(gram, **options):
            asked.append(options["solver"])
            return decompose_gram(gram, **options)

        monkeypatch.setattr(crossvalidation, "decompose_gram", spy)
        X = np.random.default_rng(0).normal(size=(1000, 2))
        targets = code_targets(X[:, 0] + X[:, 1] ** 2)
        exhausted = decompose(kernels.Gaussian(20.0), X)
        assert exhausted.exhausted
        CrossValidated(folds=2).cut(exhausted, targets)
        CrossValidated(folds=2).cut(decompose(kernels.Linear(), X, solver="dense"), targets)
        assert asked == ["auto", "auto", "dense", "dense"]

    @pytest.mark.parametrize("loss", ["auto", "squared", "zero-one"])
    def test_classes(self, loss):
        X, y = load_iris(return_X_y=True)
        rule = CrossValidated(loss=loss)
        model = KernelPCClassifier(kernels.Gaussian(5.0), dimension=rule).fit(X, y)
        assert model.score(X, y) > 0.94
        assert 0 < model.cut_.error < 0.05

    def test_two_classes_of_unequal_size(self):
        X, y = load_iris(return_X_y=True)
        rare = y == 2
        for center in (False, True):
            model = KernelPCClassifier(
                kernels.Gaussian(5.0), dimension=CrossValidated(), center=center
            ).fit(X, rare)
            assert model.score(X, rare) > 0.93

    def test_chooses_among_kernels_by_its_error(self, sinc):
        train, _ = sinc
        several = [kernels.Gaussian(w) for w in (1e-4, 0.5, 1e4)]
        model = KernelPCRegressor(several, dimension=CrossValidated()).fit(train.X, train.y)
        assert model.kernel_ == kernels.Gaussian(0.5)

    def test_precomputed_kernels_and_strings(self, sinc):
        train, new = sinc
        rule = CrossValidated(folds=3)
        direct = KernelPCRegressor(KERNEL, dimension=rule).fit(train.X, train.y)
        model = KernelPCRegressor(kernels.Precomputed(), dimension=rule)
        model.fit(KERNEL(train.X), train.y)
        assert model.dimension_ == direct.dimension_
        np.testing.assert_allclose(
            model.predict(KERNEL(new.X, train.X)), direct.predict(new.X), atol=1e-9
        )
        words = ["AAC", "AAG", "ACC", "TTC", "TTG", "TCC"] * 4
        starts = [word[0] for word in words]
        model = KernelPCClassifier(kernels.WeightedDegree(2), dimension=rule).fit(words, starts)
        assert model.score(words, starts) == 1.0


class TestLowRankSolver:
    """Rules ask for more eigenpairs where a few do not do."""

    @pytest.fixture(scope="class")
    @staticmethod
    def many():
        return datasets.noisy_sinc(1200, noise=0.2, random_state=0)

    @pytest.mark.parametrize("rule", [12, 300, Threshold(1e-3), ExplainedVariance(0.9)], ids=repr)
    def test_same_cut_as_the_dense_solver(self, many, rule):
        kernel = kernels.Gaussian(1e-5)
        dense, low = (
            KernelPCRegressor(kernel, dimension=rule, solver=solver).fit(many.X, many.y)
            for solver in ("dense", "lowrank")
        )
        assert low.dimension_ == pytest.approx(dense.dimension_, abs=2)
        assert low.score(many.X, many.y) == pytest.approx(dense.score(many.X, many.y), abs=0.01)

    def test_cross_validation(self, many):
        rule = CrossValidated(folds=3)
        dense, low = (
            KernelPCRegressor(KERNEL, dimension=rule, solver=solver).fit(many.X, many.y)
            for solver in ("dense", "lowrank")
        )
        assert low.cut_.error == pytest.approx(dense.cut_.error, rel=1e-3)


class TestBadInput:
    @pytest.mark.parametrize("dimension", ["many", 2.5, True, [3]])
    def test_dimension_of_the_wrong_type(self, sinc, dimension):
        train, _ = sinc
        with pytest.raises(InputTypeError, match="a rule of reldim.cutoffs"):
            KernelPCRegressor(KERNEL, dimension=dimension).fit(train.X, train.y)

    @pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf])
    def test_ridge_out_of_range(self, sinc, ridge):
        train, _ = sinc
        with pytest.raises(InputError, match="ridge must be"):
            KernelPCRegressor(KERNEL, ridge=ridge).fit(train.X, train.y)

    @pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
    def test_thresholds_out_of_range(self, value):
        with pytest.raises(InputError, match="value must be positive"):
            Threshold(value)

    @pytest.mark.parametrize("fraction", [0.0, 1.0, -0.5, np.nan])
    def test_fractions_out_of_range(self, fraction):
        with pytest.raises(InputError, match="share of the variance"):
            ExplainedVariance(fraction)

    def test_names_of_criteria_margins_and_losses(self):
        with pytest.raises(InputError, match="criterion must be one of"):
            Relevant("aic")
        with pytest.raises(InputError, match="margin must be one of"):
            Relevant(margin="linear")
        with pytest.raises(InputError, match="loss must be one of"):
            CrossValidated(loss="hinge")

    @pytest.mark.parametrize("folds", [1, 0, 2.0, True])
    def test_folds_out_of_range(self, folds):
        with pytest.raises(InputError, match="folds must be a whole number"):
            CrossValidated(folds=folds)

    def test_more_folds_than_rows(self, spectrum, sinc):
        with pytest.raises(InputError, match="must not exceed the 120 rows"):
            CrossValidated(folds=121).cut(spectrum, code_targets(sinc[0].y))

    def test_zero_one_loss_of_numbers(self, spectrum, sinc):
        with pytest.raises(InputError, match="needs classes"):
            CrossValidated(loss="zero-one").cut(spectrum, code_targets(sinc[0].y))


def test_rules_can_be_cloned_and_searched_over(sinc):
    train, _ = sinc
    rules = [3, Threshold(0.01), Relevant(margin="log")]
    model = KernelPCRegressor(KERNEL, dimension=rules[1])
    assert clone(model).dimension == rules[1]
    search = GridSearchCV(model, {"dimension": rules}, cv=3).fit(train.X, train.y)
    assert search.best_params_["dimension"] in rules
