"""The Laplace approximation against its equations, and the logistic integral against quadrature."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from reldim.estimators.laplace import fit_laplace, logistic_gaussian
from reldim.exceptions import InputError

#: The error of scikit-learn's own approximation of the logistic-Gaussian integral by error
#: functions, see test_scikit_learn_approximates_the_integral.
THEIR_ERROR = 5e-4


class TestLaplace:
    def test_mode_solves_its_equation(self):
        rng = np.random.default_rng(0)
        F, positive = 30 * rng.standard_normal((60, 8)), rng.random(60) < 0.3
        fit = fit_laplace(F, positive)
        gradient = F.T @ (positive - special.expit(F @ fit.weights)) - fit.weights
        np.testing.assert_allclose(gradient, 0.0, atol=1e-5)
        pi = special.expit(F @ fit.weights)
        H = np.eye(8) + F.T @ np.diag(pi * (1 - pi)) @ F
        np.testing.assert_allclose(fit.factor @ fit.factor.T, H, rtol=1e-6)

    def test_evidence_against_the_formula_in_function_space(self):
        rng = np.random.default_rng(1)
        F, positive = rng.standard_normal((20, 30)), rng.random(20) < 0.5
        fit = fit_laplace(F, positive)
        K, f, y = F @ F.T, fit.latent, np.where(positive, 1.0, -1.0)
        w = special.expit(f) * special.expit(-f)
        B = np.eye(20) + np.sqrt(np.outer(w, w)) * K
        expected = (
            np.sum(special.log_expit(y * f))
            - f @ np.linalg.solve(K, f) / 2
            - np.linalg.slogdet(B)[1] / 2
        )
        assert fit.evidence == pytest.approx(expected)
        assert fit.evidence == fit.log_likelihood - fit.penalty - fit.log_determinant

    def test_huge_amplitudes_converge(self):
        X = np.linspace(-1, 1, 40)
        F = 1e4 * np.column_stack([X, X**2])
        fit = fit_laplace(F, X > 0)
        assert np.isfinite(fit.evidence)
        assert fit.steps < 100

    def test_a_start_far_away_leads_to_the_same_mode(self):
        """Where the logistic is flat a full Newton step overshoots."""
        rng = np.random.default_rng(0)
        F, positive = 10 * rng.standard_normal((40, 3)), rng.random(40) < 0.5
        near = fit_laplace(F, positive)
        far = fit_laplace(F, positive, start=np.full(3, 40.0))
        np.testing.assert_allclose(far.weights, near.weights, atol=1e-6)

    def test_shapes(self):
        with pytest.raises(InputError, match="a row"):
            fit_laplace(np.ones((3, 1)), [True, False])


class TestIntegral:
    @pytest.mark.parametrize("mean", [-30.0, -3.0, 0.0, 0.5, 7.0])
    @pytest.mark.parametrize("variance", [0.0, 1e-6, 0.5, 0.999, 1.0, 4.0, 100.0, 1e6])
    def test_against_quadrature(self, mean, variance):
        s = np.sqrt(variance)
        at = np.clip(-mean / s, -11, 11) if s else 0.0
        exact, _ = integrate.quad(
            lambda t: special.expit(mean + s * t) * stats.norm.pdf(t),
            -12,
            12,
            points=[at],
            epsabs=1e-13,
            limit=500,
        )
        assert logistic_gaussian(mean, variance)[0] == pytest.approx(exact, abs=1e-11)

    def test_scikit_learn_approximates_the_integral(self):
        """Five error functions stand for the logistic function there: worth some 4e-4."""
        from sklearn.gaussian_process import _gpc

        mean, variance = (v.ravel() for v in np.meshgrid(np.linspace(-8, 8, 81), [1e-3, 0.1, 1, 9]))
        scale = _gpc.LAMBDAS / np.sqrt(1 + 2 * variance * _gpc.LAMBDAS**2)
        parts = (1 + special.erf(scale * mean)) / 2
        theirs = np.sum(_gpc.COEFS * parts, axis=0)
        gap = np.abs(theirs - logistic_gaussian(mean, variance)).max()
        assert 1e-4 < gap < THEIR_ERROR
