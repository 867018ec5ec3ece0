"""Closed forms of eigenfunctions against quadrature, and what is refused."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from reldim import kernels
from reldim.exceptions import InputError
from reldim.theory import (
    FiniteEigensystem,
    GaussianDensity,
    GaussianEigensystem,
    GaussianMixture,
    OrnsteinUhlenbeckEigensystem,
    UniformDensity,
    cosine_eigensystem,
    gram_convergence,
    solve,
    zero_crossings,
)

# a = 1 and b = 3, the example of Williams and Seeger.
PAPER = {"width": 1 / 6, "variance": 1 / 4}


def hermite_rule(density, nodes=120):
    """Gauss-Hermite nodes and weights for integrals against a one-dimensional Gaussian."""
    t, w = np.polynomial.hermite_e.hermegauss(nodes)
    return density.means[0] + np.sqrt(density.variances[0]) * t, w / np.sqrt(2 * np.pi)


class TestClosedForm:
    def test_eigenvalues_are_those_of_equation_7(self):
        system = GaussianEigensystem(**PAPER, terms=4)
        c = math.sqrt(7)
        A = 4 + c
        expected = [math.sqrt(2 / A) * (3 / A) ** k for k in range(4)]
        np.testing.assert_allclose(system.eigenvalues, expected, rtol=1e-14)

    def test_functions_are_those_of_equation_8_but_for_their_norm(self):
        system = GaussianEigensystem(**PAPER, terms=6)
        x = np.linspace(-2, 2, 9)
        c = math.sqrt(7)
        for k, column in enumerate(system.functions(x).T):
            plain = np.exp(-(c - 1) * x**2) * special.eval_hermite(k, np.sqrt(2 * c) * x)
            ratio = column[plain != 0] / plain[plain != 0]
            np.testing.assert_allclose(ratio, ratio[0], rtol=1e-10)

    @pytest.mark.parametrize("width, variance, mean", [(1 / 6, 1 / 4, 0.0), (2.0, 1.5, -3.0)])
    def test_functions_are_orthonormal(self, width, variance, mean):
        system = GaussianEigensystem(width, variance, mean, terms=20)
        x, w = hermite_rule(system.density)
        values = system.functions(x)
        np.testing.assert_allclose(values.T @ (w[:, None] * values), np.eye(20), atol=1e-10)

    def test_functions_solve_the_integral_equation(self):
        system = GaussianEigensystem(**PAPER, mean=0.5, terms=8)
        for y in (-0.3, 0.9):

            def product(x, k, y=y):
                point = np.array([[x]])
                value = system.kernel([[y]], point)[0, 0] * system.density(point)[0]
                return value * system.functions(point)[0, k]

            for k in (0, 3, 7):
                left, _ = integrate.quad(product, -4.5, 5.5, args=(k,), epsabs=1e-12)
                right = system.eigenvalues[k] * system.functions([y])[0, k]
                assert left == pytest.approx(right, abs=1e-9)

    def test_mercer_sum_rebuilds_the_kernel(self):
        system = GaussianEigensystem(**PAPER, terms=120)
        x = np.linspace(-1.5, 1.5, 31)
        rebuilt = system.mercer(x, x)
        np.testing.assert_allclose(rebuilt, system.kernel(x[:, None]), atol=1e-10)

    def test_high_orders_stay_orthonormal(self):
        system = GaussianEigensystem(width=0.05, variance=1.0, terms=800)
        x = np.linspace(-24, 24, 6001)
        leading = np.sqrt(system.density(x)) * system.functions(x)[:, [700, 750, 799]].T
        products = leading @ leading.T * (x[1] - x[0])
        np.testing.assert_allclose(products, np.eye(3), atol=1e-9)

    def test_the_highest_order_is_finite_everywhere(self):
        system = GaussianEigensystem(**PAPER, terms=839)
        assert np.isfinite(system.functions([0.0, 5.0, 20.0, 100.0, 1e6])).all()
        assert system.functions([100.0])[0, -1] == 0.0

    def test_all_eigenvalues_sum_to_one(self):
        system = GaussianEigensystem(**PAPER, terms=60)
        assert system.eigenvalues.sum() == pytest.approx(1.0, abs=1e-14)
        for order in (1, 7):
            beyond = system.eigenvalues[order:].sum()
            assert system.tail(order) == pytest.approx(beyond, rel=1e-10)

    def test_tail_in_the_plane(self):
        system = GaussianEigensystem(width=1.0, variance=(1.0, 1.0), terms=300)
        assert system.tail(5) == pytest.approx(system.eigenvalues[5:].sum(), abs=1e-6)

    @pytest.mark.parametrize("N", [2, 3, 4])
    def test_degeneracies_are_binomial(self, N):
        levels = [math.comb(k + N - 1, N - 1) for k in range(4)]
        system = GaussianEigensystem(**{**PAPER, "variance": (1 / 4,) * N}, terms=sum(levels))
        assert [times for _, times in system.degeneracies] == levels
        one = GaussianEigensystem(**PAPER, terms=4)
        expected = one.eigenvalues[0] ** N * (one.eigenvalues[1] / one.eigenvalues[0]) ** np.arange(
            4
        )
        np.testing.assert_allclose(
            [value for value, _ in system.degeneracies], expected, rtol=1e-12
        )

    def test_product_form_in_two_dimensions(self):
        system = GaussianEigensystem(width=0.8, variance=(1.0, 0.3), mean=(0.5, 0.0), terms=15)
        pair = [GaussianEigensystem(0.8, v, m, terms=15) for v, m in ((1.0, 0.5), (0.3, 0.0))]
        every = np.outer(pair[0].eigenvalues, pair[1].eigenvalues).ravel()
        np.testing.assert_allclose(system.eigenvalues, np.sort(every)[::-1][:15], rtol=1e-12)
        X = system.density.sample(5, random_state=0)
        tables = [one.functions(X[:, j]) for j, one in enumerate(pair)]
        for column, (i, j) in zip(system.functions(X).T, system.orders, strict=True):
            np.testing.assert_allclose(column, tables[0][:, i] * tables[1][:, j], rtol=1e-12)


class TestBadInput:
    def test_density_that_does_not_integrate_to_one(self):
        with pytest.raises(InputError, match="must integrate to 1 over the box.*0.5"):
            solve(kernels.Gaussian(1.0), lambda X: np.full(len(X), 0.25), box=[(0.0, 2.0)])

    def test_density_with_a_pole(self):
        with pytest.raises(InputError, match="integrate to 1"):
            solve(kernels.Gaussian(1.0), lambda X: 1 / X[:, 0], box=[(0.0, 1.0)])

    @pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
    def test_density_that_is_negative_or_not_finite(self, bad):
        with pytest.raises(InputError, match="finite number of at least 0"):
            solve(kernels.Gaussian(1.0), lambda X: np.full(len(X), bad), box=[(0.0, 1.0)])

    def test_density_without_a_box(self):
        with pytest.raises(InputError, match="needs box"):
            solve(kernels.Gaussian(1.0), lambda X: np.ones(len(X)))

    def test_kernel_too_narrow_for_quadrature(self):
        with pytest.raises(InputError, match="too narrow.*solve_by_sampling"):
            solve(kernels.Gaussian(1e-8), GaussianDensity((1.0, 1.0)), count=5)

    def test_kernel_so_wide_that_eigenvalues_vanish(self):
        with pytest.raises(InputError, match="stand out from round-off"):
            solve(kernels.Gaussian(1e6), GaussianDensity(1.0), count=10)

    def test_accuracy_and_box_out_of_range(self):
        with pytest.raises(InputError, match="accuracy must be"):
            solve(kernels.Gaussian(1.0), GaussianDensity(1.0), accuracy=0.0)
        with pytest.raises(InputError, match="finite intervals"):
            solve(kernels.Gaussian(1.0), GaussianDensity(1.0), box=[(0.0, np.inf)])

    def test_means_that_do_not_fit_the_variances(self):
        with pytest.raises(InputError, match="one for each of the 2 variances"):
            GaussianDensity((1.0, 1.0), mean=(0.0, 0.0, 0.0))

    def test_three_dimensions_are_for_sampling(self):
        with pytest.raises(InputError, match="solve_by_sampling"):
            solve(kernels.Gaussian(1.0), GaussianDensity((1.0, 1.0, 1.0)))

    def test_orders_beyond_double_precision(self):
        with pytest.raises(InputError, match="beyond double precision.*at or below 21"):
            GaussianEigensystem(width=1e14, variance=1.0, terms=60)

    @pytest.mark.parametrize("width", [0.0, -1.0, np.nan, np.inf])
    def test_widths_out_of_range(self, width):
        with pytest.raises(InputError, match="width must be a positive finite number"):
            GaussianEigensystem(width=width)

    @pytest.mark.parametrize("variance", [0.0, -1.0, np.inf, (1.0, np.nan)])
    def test_variances_out_of_range(self, variance):
        with pytest.raises(InputError, match="variance must be positive"):
            GaussianDensity(variance)

    @pytest.mark.parametrize("terms", [0, -3, 2.5, True])
    def test_terms_out_of_range(self, terms):
        with pytest.raises(InputError, match="terms must be a whole number"):
            GaussianEigensystem(width=1.0, terms=terms)

    def test_more_terms_than_at_hand(self):
        system = GaussianEigensystem(**PAPER, terms=3)
        with pytest.raises(InputError, match="larger count"):
            system.functions([0.0], 4)

    def test_points_of_the_wrong_shape(self):
        system = GaussianEigensystem(1.0, (1.0, 1.0))
        with pytest.raises(InputError, match="2 columns"):
            system.functions([[0.0]])
        with pytest.raises(InputError, match="finite numbers only"):
            system.functions([[0.0, np.nan]])

    def test_values_of_a_finite_system(self):
        for values in ([], [0.5, 1.0], [1.0, 0.0]):
            with pytest.raises(InputError, match="descending order"):
                FiniteEigensystem(values, lambda X: X, UniformDensity([(0.0, 1.0)]))

    def test_mixture_weights(self):
        with pytest.raises(InputError, match="sum to 1"):
            GaussianMixture([GaussianDensity(1.0)], weights=[0.5])
        with pytest.raises(InputError, match="as many columns"):
            GaussianMixture([GaussianDensity(1.0), GaussianDensity((1.0, 1.0))])

    def test_intervals_of_a_uniform_density(self):
        with pytest.raises(InputError, match="low < high"):
            UniformDensity([(1.0, 0.0)])

    def test_sample_smaller_than_the_count(self):
        with pytest.raises(InputError, match="at least count=10"):
            gram_convergence(kernels.Gaussian(1.0), GaussianDensity(1.0), [5])

    def test_zero_crossings_in_the_plane(self):
        system = GaussianEigensystem(1.0, (1.0, 1.0))
        with pytest.raises(InputError, match="along a line"):
            zero_crossings(system, system.density)


def test_cosines_are_orthonormal_and_make_their_kernel():
    system = cosine_eigensystem([1.0, 0.5, 0.1])
    found = solve(system.kernel, system.density, count=3)
    np.testing.assert_allclose(found.eigenvalues, [1.0, 0.5, 0.1], atol=1e-12)


class TestOrnsteinUhlenbeck:
    """The other closed form: waves on an interval."""

    system = OrnsteinUhlenbeckEigensystem(scale=0.4, low=-0.5, high=1.5, terms=1000)

    def test_integral_equation(self):
        nodes, weights = np.polynomial.legendre.leggauss(2000)
        x = 0.5 + nodes
        psi = self.system.functions(x, 5)
        points = np.array([-0.4, 0.2, 0.9, 1.5])
        image = self.system.kernel(points[:, None], x[:, None]) @ (psi * weights[:, None] / 2)
        expected = self.system.functions(points, 5) * self.system.eigenvalues[:5]
        np.testing.assert_allclose(image, expected, atol=1e-5)
        np.testing.assert_allclose((psi * weights[:, None] / 2).T @ psi, np.eye(5), atol=1e-12)

    def test_quadrature_finds_the_same(self):
        found = solve(self.system.kernel, self.system.density, count=4, accuracy=1e-4)
        np.testing.assert_allclose(found.eigenvalues, self.system.eigenvalues[:4], rtol=1e-3)
        x = np.linspace(-0.5, 1.5, 9)
        np.testing.assert_allclose(
            np.abs(found.functions(x)), np.abs(self.system.functions(x, 4)), atol=5e-3
        )

    def test_mercer_sum_and_trace(self):
        points = np.array([[0.0], [0.3], [1.0]])
        rebuilt = self.system.mercer(points, points)
        np.testing.assert_allclose(rebuilt, self.system.kernel(points), atol=5e-3)
        assert self.system.trace - self.system.eigenvalues.sum() == pytest.approx(
            self.system.tail(1000)
        )
        assert self.system.tail(1000) < 2e-3

    def test_function_k_crosses_zero_k_times(self):
        short = OrnsteinUhlenbeckEigensystem(scale=0.4, terms=6)
        assert zero_crossings(short, short.density).tolist() == [0, 1, 2, 3, 4, 5]

    def test_terms_are_checked(self):
        with pytest.raises(InputError, match="terms must be"):
            OrnsteinUhlenbeckEigensystem(scale=1.0, terms=0)
