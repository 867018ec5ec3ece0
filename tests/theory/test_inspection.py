"""Eigenvalues and functions looked at: convergence, smoothness, approximation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reldim import kernels
from reldim.exceptions import InputError
from reldim.theory import (
    GaussianDensity,
    GaussianEigensystem,
    GaussianMixture,
    OrnsteinUhlenbeckEigensystem,
    UniformDensity,
    approximation_error,
    decay_exponent,
    gram_convergence,
    smoothness_exponent,
    solve,
    zero_crossings,
)

# a = 1 and b = 3, the example of Williams and Seeger.
PAPER = {"width": 1 / 6, "variance": 1 / 4}


class TestConvergence:
    def test_five_hundred_points_scatter_around_the_line_as_in_figure_2(self):
        known = GaussianEigensystem(**PAPER, terms=25)
        seen = gram_convergence(
            known.kernel, known.density, [500], repeats=10, count=25, random_state=1
        )
        inside = (seen.lowest[0] <= known.eigenvalues) & (known.eigenvalues <= seen.highest[0])
        # Small k: the line runs through the bars. The relative spread grows with k.
        assert inside[:8].all()
        spread = np.log(seen.highest[0]) - np.log(seen.lowest[0])
        assert spread[20] > 3 * spread[1]
        np.testing.assert_allclose(seen.mean[0][:6], known.eigenvalues[:6], rtol=0.1)

    def test_trace_of_a_stationary_kernel_is_that_of_the_operator(self):
        known = GaussianEigensystem(**PAPER)
        seen = gram_convergence(known.kernel, known.density, [30], count=30, random_state=0)
        np.testing.assert_allclose(seen.eigenvalues.sum(axis=2), known.trace, rtol=1e-12)

    def test_zero_crossings_count_the_order(self):
        system = GaussianEigensystem(**PAPER, terms=15)
        assert list(zero_crossings(system, system.density)) == list(range(15))

    def test_zero_crossings_see_only_where_the_density_is(self):
        """With a narrow kernel the first two functions keep to a bump each, without a change."""
        pair = GaussianMixture([GaussianDensity(0.05, -3.0), GaussianDensity(0.06, 3.0)])
        found = solve(kernels.Gaussian(0.04), pair, count=2)
        assert list(zero_crossings(found, pair)) == [0, 0]


class TestSmoothness:
    """Ritter's rate: eigenvalues fall with the power 2 r + 2."""

    def test_ornstein_uhlenbeck_to_the_limit(self):
        system = OrnsteinUhlenbeckEigensystem(scale=1.0, terms=4000)
        assert decay_exponent(system.eigenvalues, first=1000) == pytest.approx(
            smoothness_exponent(0), abs=2e-3
        )

    @pytest.mark.parametrize("nu, derivatives", [(1.5, 1), (2.5, 2)])
    def test_matern_kernels(self, nu, derivatives):
        interval = UniformDensity([(-1.0, 1.0)])
        system = solve(kernels.Matern(nu, 0.5), interval, count=24, accuracy=1e-7)
        found = decay_exponent(system.eigenvalues, first=12)
        assert found == pytest.approx(smoothness_exponent(derivatives), rel=0.06)

    def test_mistakes(self):
        with pytest.raises(InputError, match="derivatives"):
            smoothness_exponent(-1)
        with pytest.raises(InputError, match="eigenvalues must be positive"):
            decay_exponent([1.0, 0.0])


class TestApproximation:
    """Appendix A: no functions span more of a random function than the leading eigenfunctions."""

    density = GaussianDensity(0.25)
    system = solve(kernels.Gaussian(1 / 6), density, count=6)

    def test_eigenfunctions_miss_the_other_eigenvalues(self):
        for count in (1, 3, 6):
            missed = approximation_error(
                self.system, lambda X, count=count: self.system.functions(X, count)
            )
            assert missed == pytest.approx(self.system.tail(count), abs=1e-8)

    @given(st.integers(0, 10**6))
    def test_other_functions_miss_more(self, seed):
        mixture = np.random.default_rng(seed).standard_normal((6, 3))
        missed = approximation_error(self.system, lambda X: self.system.functions(X) @ mixture)
        assert missed >= self.system.tail(3) - 1e-10

    def test_functions_of_another_density_miss_more(self):
        other = solve(kernels.Gaussian(1 / 6), UniformDensity([(-1.5, 1.5)]), count=3)
        assert approximation_error(self.system, other.functions) > self.system.tail(3) + 1e-3

    def test_drawn_functions_miss_as_much_on_average(self):
        def basis(X):
            return np.hstack([X**0, X])

        x, w = self.system.nodes, self.system.weights
        values, vectors = np.linalg.eigh(self.system.kernel(x))
        root = vectors * np.sqrt(np.maximum(values, 0))
        draws = root @ np.random.default_rng(0).standard_normal((len(x), 4000))
        scale = np.sqrt(w)[:, None]
        coefficients = np.linalg.lstsq(scale * basis(x), scale * draws, rcond=None)[0]
        missed = np.sum(w[:, None] * (draws - basis(x) @ coefficients) ** 2, axis=0).mean()
        assert approximation_error(self.system, basis) == pytest.approx(missed, rel=0.05)

    def test_shape_is_checked(self):
        with pytest.raises(InputError, match="one row per point"):
            approximation_error(self.system, lambda X: X[:, 0])
