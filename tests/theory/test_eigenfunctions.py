"""The closed form against quadrature, and quadrature against what is known otherwise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, special

from reldim import kernels
from reldim.exceptions import InputError
from reldim.theory import (
    FiniteEigensystem,
    GaussianDensity,
    GaussianEigensystem,
    GaussianMixture,
    OrnsteinUhlenbeckEigensystem,
    UniformDensity,
    approximation_error,
    cosine_eigensystem,
    decay_exponent,
    gram_convergence,
    smoothness_exponent,
    solve,
    solve_by_sampling,
    symmetrised_kernel,
    zero_crossings,
)

# a = 1 and b = 3, the example of Williams and Seeger.
PAPER = {"width": 1 / 6, "variance": 1 / 4}
TWO_BUMPS = GaussianMixture([GaussianDensity(0.05, -1.5), GaussianDensity(0.05, 1.5)])


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


@pytest.mark.parametrize("density", [GaussianDensity((1.0, 2.0), 1.0), TWO_BUMPS], ids=repr)
def test_samples_have_the_moments_of_their_density(density):
    X = density.sample(20_000, random_state=0)
    assert X.shape == (20_000, density.dimensions)
    if density.dimensions == 2:
        np.testing.assert_allclose(X.var(axis=0), [1.0, 2.0], rtol=0.05)
        np.testing.assert_allclose(X.mean(axis=0), 1.0, atol=0.05)
    else:
        assert X.var() == pytest.approx(0.05 + 1.5**2, rel=0.05)


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
