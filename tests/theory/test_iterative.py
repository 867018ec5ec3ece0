"""Conjugate gradients against Cholesky, and their steps against the bound."""

import numpy as np
import pytest
from scipy.sparse.linalg import cg
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from reldim import decompose, kernels
from reldim.exceptions import InputError
from reldim.theory import iterative_mode, luenberger_factors, luenberger_steps

KERNEL = 5.0 * kernels.Gaussian(0.5)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(150) > 0


def test_mode_is_that_of_the_full_process(data):
    X, positive = data
    mode = iterative_mode(KERNEL, X, positive, tolerance=1e-12)
    reference = GaussianProcessClassifier(
        ConstantKernel(5.0) * RBF(np.sqrt(0.5)), optimizer=None
    ).fit(X, positive)
    base = reference.base_estimator_
    np.testing.assert_allclose(mode.gradient, base.y_train_ - base.pi_, atol=1e-7)
    np.testing.assert_allclose(mode.latent, KERNEL(X) @ mode.gradient, atol=1e-6)


def test_takes_fewer_steps_than_rows_and_than_the_bound(data):
    X, positive = data
    spectrum = decompose(KERNEL, X)
    mode = iterative_mode(KERNEL, X, positive, tolerance=1e-6, spectrum=spectrum)
    assert mode.newton_steps == len(mode.steps) == len(mode.slopes)
    for steps, slope, bound in zip(mode.steps, mode.slopes, mode.bounds, strict=True):
        assert bound == luenberger_steps(150 * spectrum.eigenvalues, 1e-6, slope)
        assert steps <= bound <= 150
    assert iterative_mode(KERNEL, X, positive).bounds is None


def test_energy_of_the_error_stays_below_the_bound_at_every_step(data):
    X, _ = data
    K = KERNEL(X)
    w = np.random.default_rng(1).uniform(0.01, 0.25, size=150)
    B = np.eye(150) + np.sqrt(w)[:, None] * K * np.sqrt(w)
    right = np.random.default_rng(2).standard_normal(150)
    exact = np.linalg.solve(B, right)
    energies = []
    cg(
        B,
        right,
        rtol=1e-10,
        callback=lambda x: energies.append((x - exact) @ B @ (x - exact)),
    )
    factors = luenberger_factors(np.linalg.eigvalsh(K)[::-1], slope=w.max())
    start = exact @ B @ exact
    assert np.all(np.array(energies) <= factors[: len(energies)] * start * (1 + 1e-8))


def test_bound_of_a_flat_spectrum_is_all_steps():
    assert luenberger_steps(np.full(20, 1e6)) == 20


def test_bad_input(data):
    X, positive = data
    with pytest.raises(InputError, match="tolerance"):
        iterative_mode(KERNEL, X, positive, tolerance=0.0)
    with pytest.raises(InputError, match="150 entries"):
        iterative_mode(KERNEL, X, positive[:-1])
    with pytest.raises(InputError, match="descending"):
        luenberger_factors([1.0, 2.0])
    with pytest.raises(InputError, match="slope"):
        luenberger_factors([1.0], slope=0.5)
