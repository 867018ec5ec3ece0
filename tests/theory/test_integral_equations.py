"""Integral equations solved by quadrature and by sampling, against closed forms."""

import math

import numpy as np
import pytest
from scipy import optimize

from reldim import kernels
from reldim.theory import (
    GaussianDensity,
    GaussianEigensystem,
    GaussianMixture,
    UniformDensity,
    solve,
    solve_by_sampling,
    symmetrised_kernel,
)

TWO_BUMPS = GaussianMixture([GaussianDensity(0.05, -1.5), GaussianDensity(0.05, 1.5)])


class TestQuadrature:
    @pytest.mark.parametrize("width, variance", [(1 / 6, 1 / 4), (1.0, 1.0), (0.05, 2.0)])
    def test_agrees_with_the_closed_form_in_one_dimension(self, width, variance):
        known = GaussianEigensystem(width, variance, terms=10)
        found = solve(kernels.Gaussian(width), known.density, count=10)
        np.testing.assert_allclose(found.eigenvalues, known.eigenvalues, rtol=0, atol=1e-10)
        x = np.linspace(-2, 2, 11) * math.sqrt(variance)
        ours, theirs = found.functions(x), known.functions(x)
        signs = np.sign(np.sum(ours * theirs, axis=0))
        np.testing.assert_allclose(ours * signs, theirs, atol=1e-8)

    def test_agrees_with_the_closed_form_in_two_dimensions(self):
        known = GaussianEigensystem(width=1.0, variance=(1.0, 0.5), terms=12)
        found = solve(kernels.Gaussian(1.0), known.density, count=12)
        np.testing.assert_allclose(found.eigenvalues, known.eigenvalues, rtol=0, atol=1e-10)
        assert found.trace == pytest.approx(1.0, abs=1e-12)

    def test_a_density_may_return_a_column(self):
        found = solve(kernels.Gaussian(1.0), np.ones_like, box=[(0.0, 1.0)], count=3)
        known = solve(kernels.Gaussian(1.0), UniformDensity([(0.0, 1.0)]), count=3)
        np.testing.assert_allclose(found.eigenvalues, known.eigenvalues)

    def test_kernel_of_the_brownian_bridge(self):
        """min(x, y) - x y on [0, 1] has eigenvalues 1 / (pi k)^2 and sines."""

        def bridge(A, B):
            return np.minimum(A, B.T) - A * B.T

        found = solve(bridge, UniformDensity([(0.0, 1.0)]), count=5)
        np.testing.assert_allclose(found.eigenvalues, (np.pi * np.arange(1, 6)) ** -2.0, rtol=1e-6)
        sine = np.sqrt(2) * np.sin(2 * np.pi * 0.3)
        assert abs(found.functions([0.3])[0, 1]) == pytest.approx(abs(sine), rel=1e-3)

    def test_symmetrised_kernel_has_the_same_eigenvalues(self):
        weighted = solve(kernels.Gaussian(0.04), TWO_BUMPS, count=6)
        low, high = TWO_BUMPS.box[0]
        plain = solve(
            symmetrised_kernel(kernels.Gaussian(0.04), TWO_BUMPS),
            UniformDensity([(low, high)]),
            count=6,
        )
        np.testing.assert_allclose(
            plain.eigenvalues * (high - low), weighted.eigenvalues, atol=1e-12
        )

    def test_first_two_functions_of_two_bumps_tell_them_apart(self):
        found = solve(kernels.Gaussian(0.16), TWO_BUMPS, count=2)
        values = found.functions([-1.5, 1.5])
        assert values[0, 0] * values[1, 0] > 0 > values[0, 1] * values[1, 1]

    def test_a_kernel_with_a_kink(self):
        """exp(-|x - y| / l) on [0, 1]: eigenvalues 2 l / (1 + l^2 w^2), w by tangents."""
        l = 0.2
        found = solve(kernels.Laplacian(l), UniformDensity([(0.0, 1.0)]), count=6)

        def even_and_odd(w):
            return (1 / l - w * np.tan(w / 2)) * (w + np.tan(w / 2) / l)

        # Between the poles of the tangent, at odd multiples of pi, lie one even and one odd root.
        grid = np.linspace(1e-6, 12 * np.pi, 200_001)
        values = even_and_odd(grid)
        change = (values[1:] * values[:-1] < 0) & (np.abs(values[1:] - values[:-1]) < 100)
        roots = [optimize.brentq(even_and_odd, *grid[i : i + 2]) for i in np.flatnonzero(change)][
            :6
        ]
        expected = 2 * l / (1 + (l * np.array(roots)) ** 2)
        np.testing.assert_allclose(found.eigenvalues, expected, rtol=1e-5)

    def test_the_second_function_of_a_rough_kernel_tells_two_bumps_apart(self):
        found = solve(kernels.Laplacian(0.2), TWO_BUMPS, count=2)
        values = found.functions([-1.5, 1.5])
        assert values[0, 0] * values[1, 0] > 0 > values[0, 1] * values[1, 1]

    def test_two_bumps_need_fewer_functions_than_one_of_the_same_variance(self):
        two = solve(kernels.Gaussian(0.04), TWO_BUMPS, count=8)
        one = solve(kernels.Gaussian(0.04), GaussianDensity(0.05 + 1.5**2), count=8)
        assert np.all(np.cumsum(two.eigenvalues) > np.cumsum(one.eigenvalues))

    def test_nystroem_gives_back_the_values_at_the_nodes(self):
        found = solve(kernels.Matern(2.5, 1.0), GaussianDensity(1.0), count=4)
        near = found.weights > 1e-8
        ours = found.functions(found.nodes[near])
        np.testing.assert_allclose(ours, found.values[near], atol=1e-7)


class TestSampling:
    def test_nystroem_of_a_sample_is_the_kernel_pca_component(self):
        X = GaussianDensity([1.0] * 4).sample(60, random_state=0)
        found = solve_by_sampling(kernels.Gaussian(4.0), X, count=5)
        products = found.functions(X).T @ found.functions(X) / 60
        np.testing.assert_allclose(products, np.eye(5), atol=1e-9)
        np.testing.assert_allclose(found.functions(X), found.values, atol=1e-9)

    def test_in_many_dimensions_it_comes_near_the_closed_form(self):
        known = GaussianEigensystem(width=5.0, variance=(1.0,) * 5, terms=6)
        found = solve_by_sampling(known.kernel, known.density.sample(1500, random_state=0), count=6)
        np.testing.assert_allclose(found.eigenvalues, known.eigenvalues, rtol=0.1)
