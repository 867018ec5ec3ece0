"""The low-rank Gaussian processes against scikit-learn's full ones."""

import numpy as np
import pytest
from benchmarks import gp_classifier
from scipy import integrate, special, stats
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from reldim import (
    LowRankGPClassifier,
    LowRankGPRegressor,
    datasets,
    decompose,
    kernels,
    relevant_dimension,
)
from reldim.exceptions import InputError, InputTypeError
from reldim.theory import explained_variance_count

KERNEL = 5.0 * kernels.Gaussian(0.5)
#: The error of scikit-learn's own approximation of the logistic-Gaussian integral by error
#: functions, see test_scikit_learn_approximates_the_integral.
THEIR_ERROR = 5e-4


def reference(X, y):
    kernel = ConstantKernel(5.0) * RBF(np.sqrt(0.5))
    return GaussianProcessClassifier(kernel, optimizer=None).fit(X, y)


def latent_of(base, X):
    """Mean and variance of the latent function of scikit-learn's two-class process."""
    k = base.kernel_(X, base.X_train_)
    v = np.linalg.solve(base.L_, base.W_sr_[:, None] * k.T)
    return k @ (base.y_train_ - base.pi_), base.kernel_.diag(X) - np.sum(v**2, axis=0)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((150, 2)), rng.standard_normal((80, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(150) > 0
    return X, np.where(y, "yes", "no"), new


class TestAgainstTheFullProcess:
    def test_mode_evidence_and_moments_at_full_rank(self, data):
        X, y, new = data
        full = reference(X, y)
        model = LowRankGPClassifier(KERNEL, rank=150).fit(X, y)
        assert model.evidence_ == pytest.approx(full.log_marginal_likelihood_value_, abs=1e-6)
        for points in (X, new):
            mean, variance = model.latent(points)
            theirs, their_variance = latent_of(full.base_estimator_, points)
            np.testing.assert_allclose(mean, theirs, atol=1e-6)
            np.testing.assert_allclose(variance, their_variance, atol=1e-6)

    def test_probabilities_at_full_rank(self, data):
        X, y, new = data
        full = reference(X, y)
        model = LowRankGPClassifier(KERNEL, rank=150).fit(X, y)
        ours, theirs = model.predict_proba(new), full.predict_proba(new)
        np.testing.assert_allclose(ours, theirs, atol=THEIR_ERROR)
        mean, variance = latent_of(full.base_estimator_, new)
        exact = [
            integrate.quad(
                lambda t, m=m, s=s: special.expit(m + s * t) * stats.norm.pdf(t), -12, 12
            )[0]
            for m, s in zip(mean, np.sqrt(variance), strict=True)
        ]
        np.testing.assert_allclose(ours[:, 1], exact, atol=1e-7)

    def test_several_classes_are_told_apart_as_scikit_learn_does(self):
        X, y = load_iris(return_X_y=True)
        full = reference(X, y)
        model = LowRankGPClassifier(KERNEL, rank=150).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba(X), full.predict_proba(X), atol=3 * THEIR_ERROR
        )
        # scikit-learn reports the mean over the classes.
        assert model.evidence_ / 3 == pytest.approx(full.log_marginal_likelihood_value_, abs=1e-6)
        assert (model.predict(X) == full.predict(X)).all()

    def test_labels_hardly_change_at_99_percent_of_the_variance(self, data):
        X, y, new = data
        low = LowRankGPClassifier(KERNEL, rank=0.99).fit(X, y)
        full = reference(X, y)
        assert low.rank_ < 50
        assert np.mean(low.predict(new) != full.predict(new)) <= 0.02
        np.testing.assert_allclose(low.predict_proba(new), full.predict_proba(new), atol=0.05)

    def test_evidence_grows_towards_that_of_the_full_process(self, data):
        X, y, _ = data
        full = reference(X, y).log_marginal_likelihood_value_
        gaps = [
            abs(LowRankGPClassifier(KERNEL, rank=M).fit(X, y).evidence_ - full)
            for M in (5, 20, 60, 150)
        ]
        assert gaps == sorted(gaps, reverse=True)


class TestRank:
    def test_number_of_components(self, data):
        X, y, _ = data
        model = LowRankGPClassifier(KERNEL, rank=np.int64(7)).fit(X, y)
        assert model.rank_ == 7
        covered = decompose(KERNEL, X).eigenvalues[:7].sum() / 5.0
        assert model.explained_variance_ == pytest.approx(covered)

    @pytest.mark.parametrize("fraction", [0.5, 0.95, 0.999])
    def test_share_of_the_variance(self, data, fraction):
        X, y, _ = data
        model = LowRankGPClassifier(KERNEL, rank=fraction).fit(X, y)
        assert model.rank_ == explained_variance_count(decompose(KERNEL, X), fraction)
        assert model.explained_variance_ >= fraction

    def test_relevant_dimension(self, data):
        X, y, _ = data
        model = LowRankGPClassifier(KERNEL, rank="relevant").fit(X, y)
        assert model.rank_ == relevant_dimension(decompose(KERNEL, X), y).dimension

    def test_no_relevant_component_leaves_one(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((60, 3)), np.arange(60) % 2
        model = LowRankGPClassifier(kernels.Gaussian(1.0), rank="relevant").fit(X, y)
        assert model.rank_ >= 1

    def test_more_components_than_the_rank_are_not_used(self):
        X, y = np.repeat([[0.0], [1.0]], 5, axis=0), [0, 1] * 5
        assert LowRankGPClassifier(kernels.Linear(), rank=9).fit(X, y).rank_ == 1

    @pytest.mark.parametrize("rank", [0, -1, 0.0, 1.0, 1.5, np.nan, "all"])
    def test_out_of_range(self, data, rank):
        X, y, _ = data
        with pytest.raises(InputError, match="rank must be"):
            LowRankGPClassifier(KERNEL, rank=rank).fit(X, y)

    @pytest.mark.parametrize("rank", [True, None, [3]])
    def test_of_the_wrong_type(self, data, rank):
        X, y, _ = data
        with pytest.raises(InputTypeError, match="rank must be"):
            LowRankGPClassifier(KERNEL, rank=rank).fit(X, y)


class TestChoice:
    def test_kernel_of_the_best_evidence(self, data):
        X, y, _ = data
        several = [10.0 * kernels.Gaussian(w) for w in (1e-3, 0.5, 1e3)]
        model = LowRankGPClassifier(several, amplitudes=[1.0]).fit(X, y)
        each = [LowRankGPClassifier(kernel).fit(X, y).evidence_ for kernel in several]
        assert model.evidence_ == pytest.approx(max(each))
        assert model.kernel_ == several[int(np.argmax(each))]

    def test_amplitude_of_the_best_evidence(self, data):
        X, y, new = data
        amplitudes = [0.1, 1.0, 10.0, 100.0]
        plain = kernels.Gaussian(0.5)
        model = LowRankGPClassifier(plain, amplitudes=amplitudes).fit(X, y)
        each = [LowRankGPClassifier(a * plain).fit(X, y) for a in amplitudes]
        best = max(each, key=lambda m: m.evidence_)
        assert model.evidence_ == pytest.approx(best.evidence_)
        assert model.amplitude_ == amplitudes[each.index(best)]
        np.testing.assert_allclose(model.predict_proba(new), best.predict_proba(new), atol=1e-9)

    def test_a_single_kernel_is_taken_as_it_is(self, data):
        X, y, _ = data
        assert LowRankGPClassifier(KERNEL).fit(X, y).amplitude_ == 1.0

    def test_without_a_kernel_widths_and_amplitudes_are_tried(self):
        X, y = load_wine(return_X_y=True)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        model = LowRankGPClassifier().fit(X[::2], y[::2])
        assert isinstance(model.kernel_, kernels.Gaussian)
        assert model.score(X[1::2], y[1::2]) > 0.95

    @pytest.mark.parametrize("amplitudes", [[], [0.0], [-1.0], [np.nan], [[1.0]]])
    def test_amplitudes_out_of_range(self, data, amplitudes):
        X, y, _ = data
        with pytest.raises(InputError, match="amplitudes must be"):
            LowRankGPClassifier(KERNEL, amplitudes=amplitudes).fit(X, y)


class TestPrediction:
    def test_far_from_the_data_it_does_not_know(self, data):
        X, y, _ = data
        model = LowRankGPClassifier(KERNEL).fit(X, y)
        far = np.full((1, 2), 50.0)
        np.testing.assert_allclose(model.predict_proba(far), 0.5, atol=1e-6)
        assert model.latent(far)[1] == pytest.approx(5.0)

    def test_score_and_probability_point_the_same_way(self):
        X, y = load_iris(return_X_y=True)
        model = LowRankGPClassifier(KERNEL).fit(X, y)
        p = model.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert (p.argmax(axis=1) == model.decision_function(X).argmax(axis=1)).all()

    def test_strings_and_precomputed_kernels(self, data):
        words = ["AAC", "AAG", "ACC", "TTC", "TTG", "TCC"] * 4
        starts = [word[0] for word in words]
        model = LowRankGPClassifier(10.0 * kernels.WeightedDegree(2)).fit(words, starts)
        assert model.score(words, starts) == 1.0
        X, y, new = data
        given = LowRankGPClassifier(kernels.Precomputed(), rank=20).fit(KERNEL(X), y)
        direct = LowRankGPClassifier(KERNEL, rank=20).fit(X, y)
        assert given.evidence_ == pytest.approx(direct.evidence_)
        K = KERNEL(new, X)
        np.testing.assert_allclose(given.latent(K)[0], direct.latent(new)[0], atol=1e-9)
        assert (given.latent(K)[1] <= direct.latent(new)[1] + 1e-9).all()

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            LowRankGPClassifier().predict_proba([[0.0]])

    def test_clone_keeps_the_parameters(self):
        model = clone(LowRankGPClassifier(KERNEL, rank=0.9, amplitudes=[1.0, 2.0]))
        assert (model.kernel, model.rank, model.amplitudes) == (KERNEL, 0.9, [1.0, 2.0])


def test_low_rank_solver_gives_the_same_posterior():
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((1200, 3)), rng.standard_normal((300, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(1200) > 0
    kernel = 10.0 * kernels.Gaussian(3.0)
    dense, low = (
        LowRankGPClassifier(kernel, solver=solver).fit(X, y) for solver in ("dense", "lowrank")
    )
    assert low.rank_ == pytest.approx(dense.rank_, abs=3)
    assert low.evidence_ == pytest.approx(dense.evidence_, rel=1e-2)
    np.testing.assert_allclose(low.predict_proba(new), dense.predict_proba(new), atol=0.03)


class TestRegressor:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(25, 2))
    y = 3.0 + np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=60)
    kernel = kernels.Gaussian(1.0)

    def full(self, model, y):
        kernel = ConstantKernel(model.amplitude_) * RBF(1.0)
        process = GaussianProcessRegressor(kernel, alpha=model.noise_variance_, optimizer=None)
        return process.fit(self.X, y - y.mean(axis=0))

    def test_at_full_rank_is_the_full_process(self):
        model = LowRankGPRegressor(self.kernel, rank=60).fit(self.X, self.y)
        full = self.full(model, self.y)
        mean, deviation = full.predict(self.new, return_std=True)
        ours, variance = model.latent(self.new)
        np.testing.assert_allclose(ours, mean + self.y.mean(), atol=1e-10)
        np.testing.assert_allclose(np.sqrt(variance), deviation, atol=1e-8)
        assert model.evidence_ == pytest.approx(full.log_marginal_likelihood_value_)
        noisy = model.predict(self.new, return_std=True)
        np.testing.assert_allclose(noisy[0], ours)
        np.testing.assert_allclose(noisy[1] ** 2, variance + model.noise_variance_)

    def test_amplitude_and_noise_have_the_largest_evidence(self):
        model = LowRankGPRegressor(self.kernel, rank=60).fit(self.X, self.y)
        K, y = self.kernel(self.X), self.y - self.y.mean()
        for C, v in ((0.9, 1.0), (1.1, 1.0), (1.0, 0.9), (1.0, 1.1), (1.1, 0.9)):
            covariance = C * model.amplitude_ * K + v * model.noise_variance_ * np.eye(60)
            other = multivariate_normal(np.zeros(60), covariance).logpdf(y)
            assert other < model.evidence_

    @pytest.mark.parametrize("rank", [1, 5, 12])
    def test_at_low_rank_is_bayes_on_the_leading_features(self, rank):
        model = LowRankGPRegressor(self.kernel, rank=rank).fit(self.X, self.y)
        spectrum = decompose(self.kernel, self.X)
        scale = np.sqrt(model.amplitude_ * 60 * spectrum.eigenvalues[:rank])
        features = spectrum.eigenvectors[:, :rank] * scale
        at_new = spectrum.components(self.new, rank) * scale
        v, y = model.noise_variance_, self.y - self.y.mean()
        inverse = np.linalg.inv(features.T @ features / v + np.eye(rank))
        mean, variance = model.latent(self.new)
        np.testing.assert_allclose(mean, self.y.mean() + at_new @ inverse @ features.T @ y / v)
        rest = model.amplitude_ - np.sum(at_new**2, axis=1)
        expected = np.einsum("im,mk,ik->i", at_new, inverse, at_new) + rest
        np.testing.assert_allclose(variance, expected, atol=1e-10)
        covariance = features @ features.T + v * np.eye(60)
        density = multivariate_normal(np.zeros(60), covariance).logpdf(y)
        assert model.evidence_ == pytest.approx(density)

    def test_several_columns_share_amplitude_and_noise(self):
        Y = np.column_stack([self.y, -2.0 * self.y])
        model = LowRankGPRegressor(self.kernel, rank=60).fit(self.X, Y)
        mean = self.full(model, Y).predict(self.new) + Y.mean(axis=0)
        np.testing.assert_allclose(model.predict(self.new), mean, atol=1e-9)
        assert model.latent(self.new)[1].shape == (25,)

    def test_intervals_hold_as_often_as_they_say(self):
        train, test = (datasets.noisy_sinc(n, noise=0.3, random_state=n) for n in (300, 3000))
        mean, deviation = (
            LowRankGPRegressor().fit(train.X, train.y).predict(test.X, return_std=True)
        )
        inside = np.mean(np.abs(test.y - mean) <= 1.645 * deviation)
        assert 0.87 <= inside <= 0.93

    def test_low_rank_solver_gives_the_same_process(self):
        rng = np.random.default_rng(0)
        X, new = rng.normal(size=(1500, 3)), rng.normal(size=(200, 3))
        y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=1500)
        dense, low = (
            LowRankGPRegressor(kernels.Gaussian(5.0), rank=0.99, solver=solver).fit(X, y)
            for solver in ("dense", "lowrank")
        )
        np.testing.assert_allclose(low.predict(new), dense.predict(new), atol=0.01)
        np.testing.assert_allclose(low.latent(new)[1], dense.latent(new)[1], atol=0.01)

    def test_a_precomputed_kernel_leaves_out_what_it_does_not_know(self):
        K = self.kernel(self.X)
        given = LowRankGPRegressor(kernels.Precomputed(), rank=10).fit(K, self.y)
        model = LowRankGPRegressor(self.kernel, rank=10).fit(self.X, self.y)
        across = self.kernel(self.new, self.X)
        np.testing.assert_allclose(given.predict(across), model.predict(self.new), atol=1e-9)
        assert np.all(given.latent(across)[1] <= model.latent(self.new)[1] + 1e-12)

    def test_bad_input(self):
        for rank, error in ((0, InputError), (1.5, InputError), (True, InputTypeError)):
            with pytest.raises(error, match="rank must be"):
                LowRankGPRegressor(self.kernel, rank=rank).fit(self.X, self.y)


@pytest.mark.slow
class TestPromises:
    """What the benchmark reports, as assertions."""

    def test_twenty_times_as_fast_at_4000_rows(self):
        full, low = (
            gp_classifier.measure_apart(method, 4000, 1) for method in ("scikit-learn", "reldim")
        )
        assert full["fit_cpu"] / low["fit_cpu"] >= 20
        assert low["error"] == pytest.approx(full["error"], abs=0.01)
        assert low["peak_mb"] < full["peak_mb"]


@parametrize_with_checks(
    [
        LowRankGPClassifier(kernels.Gaussian(1.0)),
        LowRankGPClassifier(10.0 * kernels.Gaussian(1.0), rank="relevant"),
        LowRankGPClassifier(kernels.Gaussian(1.0), rank=20, amplitudes=[1.0, 10.0]),
        LowRankGPRegressor(kernels.Gaussian(1.0)),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
