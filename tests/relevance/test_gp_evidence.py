"""Evidence, held against the density of the normal distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from reldim import datasets, decompose, kernels
from reldim.inputs.targets import code_targets
from reldim.relevance.gp_evidence import evidence_of

SINC = datasets.noisy_sinc(40, noise=0.2, random_state=0)
GAUSSIAN = kernels.Gaussian(width=0.5)


def density(K, columns, signal, noise):
    """Add up log densities of columns, a row and column."""
    n, q = columns.shape
    model = multivariate_normal(cov=signal * K / n + noise * np.eye(n), allow_singular=False)
    return sum(model.logpdf(column) for column in columns.T) / (n * q)


def free_columns(targets):
    """Write centred indicators of classes in coordinates that do not sum to zero."""
    values = targets.values
    if targets.degrees_of_freedom == values.shape[1]:
        return values
    classes = values.shape[1]
    rotation = np.linalg.qr(np.column_stack([np.ones(classes), np.eye(classes)[:, 1:]]))[0]
    return values @ rotation[:, 1:]


def largest_by_search(K, columns):
    """Search for both variances from several starts."""
    found = [
        minimize(lambda logs: -density(K, columns, *np.exp(logs)), start, method="Nelder-Mead").fun
        for start in ([0.0, 0.0], [2.0, -2.0], [-2.0, 0.0])
    ]
    return -min(found)


TARGETS = {
    "regression": code_targets(SINC.y),
    "two columns": code_targets(np.column_stack([SINC.y, SINC.X[:, 0] ** 2])),
    "two classes": code_targets(np.where(SINC.y > 0.2, "high", "low")),
    "three classes": code_targets(np.digitize(SINC.y, [0.0, 0.5])),
}
every_target = pytest.mark.parametrize("targets", TARGETS.values(), ids=TARGETS.keys())


class TestValue:
    @every_target
    def test_is_the_density_at_its_variances(self, targets):
        found = evidence_of(decompose(GAUSSIAN, SINC.X), targets)
        K = GAUSSIAN(SINC.X)
        expected = density(K, free_columns(targets), found.signal, found.noise)
        assert found.value == pytest.approx(expected, abs=1e-8)

    @every_target
    def test_is_the_largest_over_both_variances(self, targets):
        found = evidence_of(decompose(GAUSSIAN, SINC.X), targets)
        searched = largest_by_search(GAUSSIAN(SINC.X), free_columns(targets))
        assert found.value == pytest.approx(searched, abs=1e-5)

    def test_is_what_the_fixed_point_of_logme_converges_to(self):
        X = np.column_stack([SINC.X, SINC.X**2, np.ones(40)])
        targets = code_targets(SINC.X[:, 0] + SINC.X[:, 0] ** 2 + SINC.y)
        y = targets.values[:, 0]
        spectrum = decompose(kernels.Linear(), X)
        l, z = spectrum.eigenvalues[:3], spectrum.project(y[:, None])[:3, 0]
        alpha = beta = 1.0
        for _ in range(1000):
            t = alpha / beta
            gamma = np.sum(l / (l + t))
            alpha = gamma / np.sum(l * z**2 / (t + l) ** 2)
            residual = np.sum(z**2 / (1 + l / t) ** 2) + y @ y - z @ z
            beta = (40 - gamma) / residual
        found = evidence_of(spectrum, targets)
        assert found.noise == pytest.approx(1 / beta, rel=1e-5)
        assert found.signal == pytest.approx(1 / alpha, rel=1e-4)

    def test_tells_noise_apart(self):
        data = datasets.noisy_sinc(200, noise=0.3, random_state=1)
        found = evidence_of(decompose(kernels.Gaussian(width=1.0), data.X), code_targets(data.y))
        assert np.sqrt(found.noise) == pytest.approx(0.3, rel=0.15)

    def test_prefers_the_kernel_that_fits(self):
        targets = TARGETS["regression"]
        values = [
            evidence_of(decompose(kernels.Gaussian(width), SINC.X), targets).value
            for width in (1e-6, 0.5, 1e4)
        ]
        assert values[1] > max(values[0], values[2]) + 0.1

    def test_of_pure_noise_is_that_of_noise_alone(self):
        y = np.random.default_rng(0).normal(size=40)
        targets = code_targets(y)
        found = evidence_of(decompose(kernels.Gaussian(1e-9), SINC.X), targets)
        alone = -0.5 * (np.log(2 * np.pi * np.mean(targets.values**2)) + 1)
        assert found.value == pytest.approx(alone, abs=1e-4)


class TestSpectra:
    def test_low_rank_comes_close(self):
        data = datasets.noisy_sinc(300, random_state=0)
        targets = code_targets(data.y)
        kernel = kernels.Gaussian(width=0.5)
        exact = evidence_of(decompose(kernel, data.X), targets).value
        low = decompose(kernel, data.X, solver="lowrank", rank=30, random_state=0)
        assert len(low.eigenvalues) < 300
        assert evidence_of(low, targets).value == pytest.approx(exact, abs=1e-3)

    def test_centred(self):
        targets = TARGETS["two classes"]
        found = evidence_of(decompose(GAUSSIAN, SINC.X, center=True), targets)
        H = np.eye(40) - 1 / 40
        K = H @ GAUSSIAN(SINC.X) @ H
        expected = density(K, targets.centred().values, found.signal, found.noise)
        assert found.value == pytest.approx(expected, abs=1e-8)

    def test_noiseless_targets_of_low_rank_have_a_finite_density(self):
        X = SINC.X - SINC.X.mean()
        found = evidence_of(decompose(kernels.Linear(), X), code_targets(X[:, 0]))
        assert np.isfinite(found.value)
        assert found.value > 2

    @given(st.integers(0, 2**31), st.floats(0.01, 100))
    @settings(max_examples=20, deadline=None)
    def test_depends_neither_on_the_order_of_rows_nor_on_the_unit_of_the_kernel(self, seed, unit):
        order = np.random.default_rng(seed).permutation(40)
        first = evidence_of(decompose(GAUSSIAN, SINC.X), code_targets(SINC.y))
        second = evidence_of(decompose(unit * GAUSSIAN, SINC.X[order]), code_targets(SINC.y[order]))
        assert second.value == pytest.approx(first.value, abs=1e-6)
        assert second.noise == pytest.approx(first.noise, rel=1e-3)

    def test_the_unit_of_the_targets_shifts_it(self):
        spectrum = decompose(GAUSSIAN, SINC.X)
        first = evidence_of(spectrum, code_targets(SINC.y))
        second = evidence_of(spectrum, code_targets(10 * SINC.y))
        assert second.value == pytest.approx(first.value - np.log(10), abs=1e-8)
        assert second.noise == pytest.approx(100 * first.noise, rel=1e-5)
