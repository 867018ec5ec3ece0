"""Criteria as functions of the dimension, against loops over their formulas, and at their ends."""

from types import SimpleNamespace

import numpy as np
import pytest

from reldim import decompose, kernels
from reldim.relevance.criteria import (
    floor,
    leave_one_out_curve,
    left_out_residual,
    likelihood_curve,
    own_leverage,
    signal_exceeds_noise,
    spread_over_clusters,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
Y = RNG.normal(size=(12, 2))


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_leave_one_out_curve(count, center):
    values = Y - Y.mean(axis=0)
    spectrum = decompose(kernels.Gaussian(2.0), X, center=center)
    U = spectrum.eigenvectors[:, :count]
    expected = []
    for d in range(1, count + 1):
        S = U[:, :d] @ U[:, :d].T + (1 / 12 if center else 0)
        residual = (values - S @ values) / (1 - np.diag(S))[:, None]
        expected.append(np.sum(residual**2) / 12)
    found = leave_one_out_curve(spectrum, U.T @ values, values)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.shape == (count,)


def test_a_row_that_stands_alone_is_predicted_by_nothing():
    leverage = np.array([0.5, 1.0, 1.0 - 1e-11, 1.0 - 1e-9])
    found = left_out_residual(np.full(4, 1e-3), np.full(4, 7.0), leverage)
    np.testing.assert_allclose(found, [2e-3, 7.0, 7.0, 1e6], rtol=1e-6)


def test_energy_that_is_error_grows_with_rows_and_falls_with_digits():
    eps = np.finfo(np.float64).eps
    assert floor(3.0, 100, np.dtype(np.float64)) == pytest.approx(300.0 * eps ** (4 / 3))
    single = np.finfo(np.float32).eps
    assert floor(3.0, 100, np.dtype(np.float32)) == pytest.approx(300.0 * single ** (4 / 3))


ENERGIES = np.array([9.0, 5.0, 0.5, 2.0, 0.25, 1.0, 0.75])


class TestLikelihood:
    """Eq. (3), for energies of all components and for the leading ones of more."""

    @pytest.mark.parametrize("n", [7, 20])
    @pytest.mark.parametrize("q", [1, 3])
    def test_equals_the_formula_by_loop(self, n, q):
        total = ENERGIES.sum() + (n - 7) * 0.3
        expected = []
        for d in range(1, 6):
            s1 = ENERGIES[:d].sum() / (d * q)
            s2 = (total - ENERGIES[:d].sum()) / ((n - d) * q)
            expected.append(d / n * np.log(s1) + (n - d) / n * np.log(s2))
        found = likelihood_curve(ENERGIES, total, n, q, 5, least=1e-9)
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_energy_below_the_accuracy_counts_as_the_accuracy(self):
        found = likelihood_curve(np.array([0.0, 4.0, 0.0, 0.0]), 4.0, 4, 1, 3, least=0.5)
        expected = [
            1 / 4 * np.log(0.5) + 3 / 4 * np.log(4.0 / 3),
            2 / 4 * np.log(4.0 / 2) + 2 / 4 * np.log(0.5 / 2),
            3 / 4 * np.log(4.0 / 3) + 1 / 4 * np.log(0.5),
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_what_is_beyond_the_given_components_is_never_negative(self):
        # A total that round-off made smaller than its parts.
        found = likelihood_curve(np.array([3.0, 1.0]), 4.0 - 1e-9, 10, 1, 1, least=1e-30)
        assert found[0] == pytest.approx(0.1 * np.log(3.0) + 0.9 * np.log(1.0 / 9))

    def test_a_total_is_not_needed_where_all_components_are_given(self):
        # Subtracting from the total would put its round-off in the place of small energies.
        energies = np.array([1e20, 1.0, 1.0])
        total = float(np.nextafter(1e20, np.inf))
        found = likelihood_curve(energies, total, 3, 1, 2, least=1e-30)
        assert found[0] == pytest.approx(np.log(1e20) / 3 + 2 / 3 * np.log(1.0))

    @pytest.mark.parametrize("n", [7, 20])
    def test_variance_before_and_beyond_a_cut(self, n):
        total = ENERGIES.sum() + (n - 7) * 4.0
        expected = [
            ENERGIES[:d].sum() / d > (total - ENERGIES[:d].sum()) / (n - d) for d in range(1, 6)
        ]
        found = signal_exceeds_noise(ENERGIES, total, n, 5)
        assert found.tolist() == expected
        assert found.any()
        assert n == 7 or not found.all()

    def test_equal_variances_are_no_signal(self):
        assert not signal_exceeds_noise(np.ones(4), 4.0, 4, 3).any()


class TestClusters:
    """Energy is shared evenly inside a cluster, and inside the null space."""

    @staticmethod
    def spectrum(cuts, rank, n):
        return SimpleNamespace(cuts=np.array(cuts), rank=rank, n=n)

    def test_energy_is_shared_inside_a_cluster(self):
        # Clusters of 1, 2 and 1 components, and a null space of 3.
        found = spread_over_clusters(ENERGIES, self.spectrum([1, 3, 4], 4, 7), 99.0)
        expected = [9.0, 2.75, 2.75, 2.0, *[2.0 / 3] * 3]
        np.testing.assert_allclose(found, expected)

    def test_the_null_space_has_the_rest_of_the_energy_and_of_the_rows(self):
        # Seven components of twelve rows: the null space has eight, three of them at hand.
        found = spread_over_clusters(ENERGIES, self.spectrum([1, 3, 4], 4, 12), 30.0)
        left = (30.0 - 9.0 - 5.5 - 2.0) / 8
        np.testing.assert_allclose(found, [9.0, 2.75, 2.75, 2.0, left, left, left])

    def test_rows_that_do_not_count_make_the_null_space_smaller(self):
        found = spread_over_clusters(ENERGIES, self.spectrum([1, 3, 4], 4, 7), 20.0, n=6)
        left = (20.0 - 9.0 - 5.5 - 2.0) / 2
        np.testing.assert_allclose(found, [9.0, 2.75, 2.75, 2.0, left, left])

    def test_energy_of_the_null_space_is_never_negative(self):
        found = spread_over_clusters(ENERGIES, self.spectrum([1, 3, 4], 4, 12), 16.4)
        assert found[4:].tolist() == [0.0, 0.0, 0.0]

    def test_a_last_cluster_above_the_rank_keeps_its_own_energy(self):
        # Seven leading components of twelve, none of them in the null space.
        found = spread_over_clusters(ENERGIES, self.spectrum([1, 5, 7], 7, 12), 99.0)
        np.testing.assert_allclose(found, [9.0, *[7.75 / 4] * 4, 0.875, 0.875])

    def test_columns_are_shared_by_themselves(self):
        both = np.column_stack([ENERGIES, ENERGIES[::-1]])
        spectrum = self.spectrum([1, 3, 4], 4, 12)
        found = spread_over_clusters(both, spectrum, np.array([30.0, 40.0]))
        for column, total in enumerate((30.0, 40.0)):
            alone = spread_over_clusters(both[:, column], spectrum, total)
            np.testing.assert_allclose(found[:, column], alone)


@pytest.mark.parametrize("center, expected", [(False, 0.0), (True, 0.125)])
def test_centring_has_the_leverage_of_a_constant(center, expected):
    assert own_leverage(SimpleNamespace(center=center, n=8)) == expected
