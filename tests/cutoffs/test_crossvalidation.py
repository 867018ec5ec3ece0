"""Cross-validated cut-offs against a loop over folds."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from reldim import KernelPCClassifier, KernelPCRegressor, decompose, kernels
from reldim.cutoffs import CrossValidated, Threshold, crossvalidation
from reldim.eigensolvers import decompose_gram
from reldim.inputs.targets import code_targets

KERNEL = kernels.Gaussian(1.0)


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
