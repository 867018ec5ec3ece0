"""Denoised targets and other losses, against least squares and minimisers written out."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from reldim import KernelPCClassifier, KernelPCRegressor, datasets, decompose, kernels
from reldim.cutoffs import as_cutoff, fit_cutoff
from reldim.cutoffs.losses import VANISHING
from reldim.exceptions import InputError
from reldim.inputs.targets import code_targets

KERNEL = kernels.Gaussian(0.3)
TRAIN, NEW = (datasets.bananas(n, random_state=seed) for n, seed in ((150, 0), (40, 1)))
IRIS = load_iris()
D = 9


@parametrize_with_checks(
    [
        KernelPCClassifier(targets="denoised"),
        KernelPCClassifier(loss="logistic"),
        KernelPCClassifier(loss="hinge"),
    ]
)
@pytest.mark.filterwarnings("ignore::reldim.exceptions.GridEdgeWarning")
def test_rules_of_scikit_learn(estimator, check):
    check(estimator)


def components(kernel, X, new, d):
    """Leading eigenvectors of K/n, and the components at new points."""
    n = len(X)
    values, U = np.linalg.eigh(kernel(X) / n)
    values, U = values[::-1][:d], U[:, ::-1][:, :d]
    return values, U, kernel(new, X) @ U / (n * values)


class TestDenoised:
    def test_two_classes_are_least_squares_of_the_signs_of_the_fit(self):
        _, U, F = components(KERNEL, TRAIN.X, NEW.X, D)
        signs = np.sign(U @ (U.T @ TRAIN.y))
        assert 0 < np.sum(signs != TRAIN.y) < 75
        expected = F @ np.linalg.lstsq(U, signs, rcond=None)[0]
        model = KernelPCClassifier(KERNEL, dimension=D, targets="denoised").fit(TRAIN.X, TRAIN.y)
        np.testing.assert_allclose(model.decision_function(NEW.X), expected, atol=1e-8)
        plain = clone(model).set_params(targets="given").fit(TRAIN.X, TRAIN.y)
        assert not np.allclose(plain.decision_function(NEW.X), expected, atol=1e-3)
        assert model.error_estimate_ == plain.error_estimate_

    def test_noise_level_is_the_error_of_the_predictor_on_its_rows(self):
        model = KernelPCClassifier(KERNEL, dimension=D, targets="denoised").fit(TRAIN.X, TRAIN.y)
        assert model.noise_level_ == pytest.approx(1 - model.score(TRAIN.X, TRAIN.y))

    def test_many_classes_are_least_squares_of_the_largest_column(self):
        X, y = IRIS.data, IRIS.target
        _, U, F = components(KERNEL, X, X + 0.1, 5)
        shares = np.eye(3).mean(axis=0)
        first = U @ (U.T @ (np.eye(3)[y] - shares)) + shares
        denoised = np.eye(3)[first.argmax(axis=1)]
        mean = denoised.mean(axis=0)
        expected = F @ (U.T @ (denoised - mean)) + mean
        model = KernelPCClassifier(KERNEL, dimension=5, targets="denoised").fit(X, y)
        np.testing.assert_allclose(model.decision_function(X + 0.1), expected, atol=1e-8)

    def test_centred_features_fit_the_mean_of_the_signs(self):
        y = np.where(TRAIN.X[:, 0] + 0.3 * TRAIN.y > 0.3, 1.0, -1.0)
        model = KernelPCClassifier(KERNEL, dimension=4, center=True, targets="denoised")
        model.fit(TRAIN.X, y)
        plain = KernelPCClassifier(KERNEL, dimension=4, center=True).fit(TRAIN.X, y)
        signs = plain.predict(TRAIN.X)
        again = KernelPCClassifier(KERNEL, dimension=4, center=True).fit(TRAIN.X, signs)
        np.testing.assert_allclose(
            model.decision_function(NEW.X), again.decision_function(NEW.X), atol=1e-9
        )

    def test_numbers_are_their_own_fit(self):
        data = datasets.noisy_sinc(80, random_state=0)
        given, denoised = (
            KernelPCRegressor(KERNEL, targets=targets).fit(data.X, data.y).predict(data.X)
            for targets in ("given", "denoised")
        )
        np.testing.assert_array_equal(given, denoised)


def objective(loss, U, values, ridge, y, parameters):
    """Evaluate the formula of the module for two classes."""
    b, z = parameters[0], parameters[1:]
    margins = y * (b + U @ z)
    losses = np.logaddexp(0, -margins) if loss == "logistic" else np.maximum(0, 1 - margins)
    return losses.sum() + 0.5 * np.sum((ridge / values + VANISHING) * z**2)


class TestLosses:
    @pytest.mark.parametrize("ridge", [0.0, 0.01])
    def test_logistic_loss_against_a_general_minimiser(self, ridge):
        values, U, F = components(KERNEL, TRAIN.X, NEW.X, D)
        found = minimize(
            lambda p: objective("logistic", U, values, ridge, TRAIN.y, p),
            np.zeros(D + 1),
            method="BFGS",
            options={"gtol": 1e-7},
        )
        expected = found.x[0] + F @ found.x[1:]
        model = KernelPCClassifier(KERNEL, dimension=D, loss="logistic", ridge=ridge)
        model.fit(TRAIN.X, TRAIN.y)
        np.testing.assert_allclose(model.decision_function(NEW.X), expected, atol=2e-3)
        probabilities = model.predict_proba(NEW.X)
        np.testing.assert_allclose(probabilities[:, 1], expit(expected), atol=1e-3)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)

    def test_hinge_loss_has_no_better_neighbour(self):
        spectrum = decompose(KERNEL, TRAIN.X, solver="dense")
        targets = code_targets(TRAIN.y)
        fit = fit_cutoff(spectrum, targets, as_cutoff(D), loss="hinge")
        z, b = fit._solution
        U, values = spectrum.eigenvectors[:, :D], spectrum.eigenvalues[:D]
        best = np.append(b, z[:, 0])
        least = objective("hinge", U, values, 0.0, TRAIN.y, best)
        rng = np.random.default_rng(0)
        for size in (1e-3, 1e-2, 0.1, 1.0):
            for _ in range(50):
                step = size * rng.standard_normal(D + 1)
                step[0] /= np.sqrt(150)
                other = objective("hinge", U, values, 0.0, TRAIN.y, best + step)
                assert other >= least - 1e-3 * least

    def test_multinomial_loss_of_three_classes(self):
        X, y = IRIS.data, IRIS.target
        _, U, F = components(KERNEL, X, X[::7] + 0.1, 4)

        def total(p):
            b, z = p[:3], p[3:].reshape(4, 3)
            scores = b + U @ z
            own = scores[np.arange(150), y]
            return np.sum(logsumexp(scores, axis=1) - own) + 0.5 * VANISHING * np.sum(z**2)

        found = minimize(total, np.zeros(15), method="BFGS", options={"gtol": 1e-6}).x
        scores = found[:3] + F @ found[3:].reshape(4, 3)
        expected = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        model = KernelPCClassifier(KERNEL, dimension=4, loss="logistic").fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X[::7] + 0.1), expected, atol=5e-3)

    @pytest.mark.parametrize("loss", ["logistic", "hinge"])
    def test_separable_classes_have_a_finite_solution(self, loss):
        X = np.concatenate([np.linspace(-2, -1, 20), np.linspace(1, 2, 20)])[:, None]
        y = np.repeat(["a", "b"], 20)
        model = KernelPCClassifier(kernels.Gaussian(1.0), dimension=3, loss=loss).fit(X, y)
        assert model.score(X, y) == 1.0
        assert np.abs(model.decision_function(X)).max() < 50

    def test_denoised_classes_under_another_loss(self):
        plain = KernelPCClassifier(KERNEL, dimension=D).fit(TRAIN.X, TRAIN.y)
        on_signs = KernelPCClassifier(KERNEL, dimension=D, loss="logistic")
        on_signs.fit(TRAIN.X, plain.predict(TRAIN.X))
        model = KernelPCClassifier(KERNEL, dimension=D, loss="logistic", targets="denoised")
        model.fit(TRAIN.X, TRAIN.y)
        np.testing.assert_allclose(
            model.predict_proba(NEW.X), on_signs.predict_proba(NEW.X), atol=1e-6
        )

    def test_no_signal_predicts_the_larger_class(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((60, 3)), np.repeat([0, 1], [40, 20])
        model = KernelPCClassifier(kernels.Gaussian(3.0), dimension=0, loss="logistic").fit(X, y)
        assert set(model.predict(X)) == {0}
        np.testing.assert_allclose(model.predict_proba(X), [[2 / 3, 1 / 3]] * 60)
        three = KernelPCClassifier(kernels.Gaussian(3.0), dimension=0, loss="logistic")
        three.fit(X, np.repeat([0, 1, 2], [30, 20, 10]))
        np.testing.assert_allclose(three.predict_proba(X[:1]), [[1 / 2, 1 / 3, 1 / 6]])


class TestMistakes:
    @pytest.mark.parametrize(
        "parameters, message",
        [
            ({"targets": "clean"}, "targets must be one of given, denoised. Got 'clean'"),
            ({"loss": "absolute"}, "loss must be one of squared, logistic, hinge. Got 'absolute'"),
            (
                {"average": True, "targets": "denoised"},
                "on the given targets. Got denoised targets",
            ),
            ({"average": True, "loss": "hinge"}, "Got loss='hinge': leave average out"),
        ],
    )
    def test_choices(self, parameters, message):
        with pytest.raises(InputError, match=message):
            KernelPCClassifier(KERNEL, **parameters).fit(TRAIN.X, TRAIN.y)

    def test_the_hinge_loss_has_no_probabilities(self):
        model = KernelPCClassifier(KERNEL, loss="hinge").fit(TRAIN.X, TRAIN.y)
        assert not hasattr(model, "predict_proba")
        with pytest.raises(AttributeError, match="predict_proba"):
            model.predict_proba(NEW.X)
