"""Rules of spectral cut-off against plain definitions."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from reldim import KernelPCRegressor, decompose, kernels
from reldim.cutoffs import (
    CrossValidated,
    ExplainedVariance,
    Relevant,
    Threshold,
)
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.targets import code_targets
from reldim.relevance.estimation import estimate
from reldim.theory import threshold

KERNEL = kernels.Gaussian(1.0)


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

    def test_the_threshold_of_the_theorem_keeps_components_once_rows_are_many(self):
        X = np.linspace(-1, 1, 1500)[:, None]
        rule = Threshold(threshold(1500))
        model = KernelPCRegressor(kernels.Gaussian(10.0), dimension=rule)
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
