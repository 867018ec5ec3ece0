"""p-values against simulation and brute force."""

import numpy as np
import pytest
from scipy import stats

from reldim import decompose, kernels, relevant_dimension
from reldim.relevance import significance
from reldim.relevance.significance import (
    beyond_doubt,
    least_p_value,
    likelihood_ratio,
    no_signal_p_value,
)


def test_likelihood_ratio_equals_the_formula_by_loop():
    rng = np.random.default_rng(0)
    n, q = 30, 2
    energies = rng.chisquare(2, size=n) * np.where(np.arange(n) < 4, 10.0, 1.0)
    best = 0.0
    for d in range(1, 16):
        s1, s2 = energies[:d].sum() / (d * q), energies[d:].sum() / ((n - d) * q)
        if s1 > s2:
            one = n * np.log(energies.sum() / (n * q))
            best = max(best, q * (one - d * np.log(s1) - (n - d) * np.log(s2)))
    cuts = np.arange(1, 16)
    leading = np.cumsum(energies)[cuts - 1]
    assert likelihood_ratio(leading, energies.sum(), n, q, cuts) == pytest.approx(best)


def test_likelihood_ratio_of_no_remainder_is_finite():
    # All energy before the cut: what is beyond it counts as round-off of the whole.
    eps = np.finfo(np.float64).eps
    found = likelihood_ratio(np.array([4.0]), 4.0, 8, 1, np.array([2]))
    expected = 8 * np.log(4.0 / 8) - 2 * np.log(4.0 / 2) - 6 * np.log(4.0 * eps / 6)
    assert found == pytest.approx(expected)


def test_likelihood_ratio_is_zero_where_no_cut_has_more_variance_before_it():
    cuts = np.array([1, 2])
    assert likelihood_ratio(np.array([1.0, 2.0]), 4.0, 4, 1, cuts) == 0.0
    assert likelihood_ratio(np.array([0.0, 0.0]), 4.0, 4, 1, cuts) == 0.0


def test_likelihood_ratio_is_zero_without_cuts():
    assert likelihood_ratio(np.zeros(0), 4.0, 4, 1, np.zeros(0, dtype=np.intp)) == 0.0


def test_beyond_doubt_by_its_formula():
    assert beyond_doubt(100) == pytest.approx(30 + 2 * np.log(100))


@pytest.mark.parametrize("counts", [[2, 2], [1, 9], [3, 4, 5]])
def test_least_p_value_is_one_over_the_arrangements(counts):
    arrangements = stats.multinomial(sum(counts), [1 / len(counts)] * len(counts)).pmf(
        counts
    ) * len(counts) ** sum(counts)
    assert least_p_value(np.array(counts)) == pytest.approx(1 / arrangements)


def test_numbers_can_be_arranged_in_any_way():
    assert least_p_value(None) == 0.0


class TestNullDistribution:
    """Draws without signal, against vectors of n numbers from which their mean is taken."""

    n, count = 12, 40_000
    variances = np.array([0.3, 0.7])

    def drawn_literally(self, rng, constant):
        """Draw targets of n rows and remove the constant vector, whose first parts are given."""
        left = np.full(self.n - len(constant), 1.0)
        left *= np.sqrt((1 - np.sum(constant**2)) / len(left))
        c = np.concatenate([constant, left])
        energies = np.zeros((self.count, self.n))
        for variance in self.variances:
            g = rng.standard_normal((self.count, self.n))
            energies += variance * (g - (g @ c)[:, None] * c) ** 2
        return np.cumsum(energies, axis=1)[:, : len(constant)], energies.sum(axis=1)[:, None]

    @pytest.mark.parametrize("constant", [[0.8, 0.1, 0.5], [0.0, 0.0, 0.0], [0.6, 0.0, 0.8]])
    def test_moments(self, constant):
        constant = np.array(constant)
        found = significance._draw(
            np.random.default_rng(0), self.count, self.n, constant, self.variances
        )
        expected = self.drawn_literally(np.random.default_rng(1), constant)
        assert [part.shape for part in found] == [(self.count, 3), (self.count, 1)]
        ours, theirs = (np.hstack(pair) for pair in (found, expected))
        # By expectation, and by a simulation of the definition.
        energy = np.cumsum(1 - constant**2)
        np.testing.assert_allclose(ours.mean(axis=0), [*energy, self.n - 1], rtol=0.02, atol=1e-3)
        np.testing.assert_allclose(np.cov(ours.T), np.cov(theirs.T), rtol=0.08, atol=0.05)

    @pytest.mark.parametrize("k", [2, 3])
    def test_few_rows_beyond_the_last_cut(self, k):
        rng, constant = np.random.default_rng(2), np.full(4, 0.5)[:k]
        leading, totals = significance._draw(rng, self.count, 4, constant, np.ones(1))
        np.testing.assert_allclose(leading.mean(axis=0), 0.75 * np.arange(1, k + 1), rtol=0.02)
        # Three degrees of freedom are left of four rows: mean 3, variance 6.
        assert totals.mean() == pytest.approx(3.0, rel=0.02)
        assert totals.var() == pytest.approx(6.0, rel=0.05)


class TestPValue:
    """The share of draws that are as large as what was observed, one added to both."""

    cuts = np.array([1, 3])

    def p_value(self, monkeypatch, ratios, *, energies=(4.0, 1.0, 2.0, 1.0), n=20, **options):
        """Let the draws have given likelihood ratios; return the p-value and the calls."""
        given, calls = iter(ratios), []
        total = float(np.sum(energies)) + 5.0

        def draw(rng, count, n, constant, variances):
            calls.append((count, n, constant.tolist(), variances.tolist()))
            return np.ones((count, len(constant))), np.ones((count, 1))

        def ratio(leading, total, n, q, cuts):
            if leading.ndim == 1:
                return np.float64(options.get("observed", 5.0))
            assert leading.shape[1] == len(cuts)
            return np.array([next(given) for _ in leading])

        monkeypatch.setattr(significance, "_draw", draw)
        monkeypatch.setattr(significance, "likelihood_ratio", ratio)
        p = no_signal_p_value(
            np.array(energies),
            total=total,
            n=n,
            covariance=np.diag(options.get("covariance", [1.0])),
            constant=np.array([0.1, 0.2, 0.3, 0.4]),
            cuts=self.cuts,
            q=1,
            random_state=None,
        )
        return p, calls

    def test_all_draws_are_made_where_few_are_as_large(self, monkeypatch):
        # 19 of the first 99 are too few to stop; 6 more follow.
        ratios = [9.0] * 19 + [1.0] * 80 + [9.0] * 6 + [1.0] * 894
        p, calls = self.p_value(monkeypatch, ratios)
        assert p == 26 / 1000
        assert [count for count, *_ in calls] == [99, 900]
        assert calls[0][1:] == (20, [0.1, 0.2, 0.3], [1.0])

    def test_no_more_draws_where_enough_of_the_first_are_as_large(self, monkeypatch):
        p, calls = self.p_value(monkeypatch, [9.0] * 20 + [1.0] * 79)
        assert p == 21 / 100
        assert len(calls) == 1

    def test_a_tie_is_as_large_in_spite_of_round_off(self, monkeypatch):
        p, _ = self.p_value(monkeypatch, [5.0 * (1 - 1e-13)] * 30 + [4.999] * 69)
        assert p == 31 / 100

    def test_nothing_observed_is_as_small_as_every_draw(self, monkeypatch):
        p, _ = self.p_value(monkeypatch, [0.0] * 99, observed=0.0)
        assert p == 1.0

    def test_draws_come_in_batches(self, monkeypatch):
        monkeypatch.setattr(significance, "BATCH", 4 * 50)
        p, calls = self.p_value(monkeypatch, [9.0] * 10 + [1.0] * 989)
        assert p == 11 / 1000
        assert [count for count, *_ in calls] == [50, 49] + [50] * 18
        monkeypatch.setattr(significance, "BATCH", 1)
        _, calls = self.p_value(monkeypatch, [9.0] * 99)
        assert [count for count, *_ in calls] == [1] * 99

    def test_variances_of_the_targets_without_those_that_are_round_off(self, monkeypatch):
        _, calls = self.p_value(monkeypatch, [9.0] * 99, covariance=[3.0, 1e-13, 1.0])
        assert calls[0][3] == pytest.approx([0.25, 0.75])

    def test_nothing_is_drawn_beyond_doubt(self, monkeypatch):
        p, calls = self.p_value(monkeypatch, [], observed=beyond_doubt(20) + 0.01)
        assert (p, calls) == (0.001, [])
        _, calls = self.p_value(monkeypatch, [1.0] * 999, observed=beyond_doubt(20))
        assert len(calls) == 2

    def test_the_observed_ratio_is_that_of_the_sums_up_to_the_cuts(self):
        energies = np.array([9.0, 1.0, 7.0, 1.0])
        arguments = {
            "total": 40.0,
            "n": 30,
            "covariance": np.eye(1),
            "constant": np.zeros(4),
            "q": 1,
            "random_state": 3,
        }
        p = no_signal_p_value(energies, cuts=self.cuts, **arguments)
        observed = likelihood_ratio(np.array([9.0, 17.0]), 40.0, 30, 1, self.cuts)
        rng = np.random.default_rng(0)
        drawn = np.cumsum(rng.chisquare(1, size=(20_000, 30)), axis=1)
        # The constant lies outside: one of the other 27 degrees of freedom is lost.
        totals = drawn[:, 2:3] + rng.chisquare(26, size=(20_000, 1))
        ratios = likelihood_ratio(drawn[:, [0, 2]], totals, 30, 1, self.cuts)
        assert p == pytest.approx(np.mean(ratios >= observed), abs=0.02)
        assert 0.001 < p < 0.1


def test_null_quantiles_are_those_of_independent_normal_coefficients():
    # Reference values for n = 50 and 200: simulated by the formula, 95 % and 99 % points.
    rng = np.random.default_rng(1)
    for n, expected in ((50, 5.3), (200, 6.5)):
        energies = np.cumsum(rng.normal(size=(4000, n)) ** 2, axis=1)
        cuts = np.arange(1, n // 2 + 1)
        drawn = likelihood_ratio(energies[:, cuts - 1], energies[:, -1:], n, 1, cuts)
        assert np.quantile(drawn, 0.95) == pytest.approx(expected, abs=0.6)


@pytest.mark.parametrize("width", [0.05, 1.0, 50.0])
def test_p_values_of_noise_are_uniform(width):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    spectrum = decompose(kernels.Gaussian(width=width), X)
    p = np.array([relevant_dimension(spectrum, rng.normal(size=60)).p_value for _ in range(200)])
    # Where no cut has more variance before than behind it the p-value is 1, so that only the
    # lower part is uniform.
    for level in (0.05, 0.2, 0.5):
        assert stats.binomtest(int(np.sum(p <= level)), 200, level).pvalue > 1e-3


def test_p_value_falls_as_signal_grows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 1))
    spectrum = decompose(kernels.Gaussian(width=1.0), X)
    noise = rng.normal(size=60)
    p = [
        relevant_dimension(spectrum, a * np.sin(2 * X[:, 0]) + noise).p_value
        for a in (0.0, 0.5, 1.0, 3.0)
    ]
    assert p[0] > 0.05
    assert p[0] > p[1] > p[2] >= p[3] == 0.001


def test_without_a_cut_nothing_is_significant():
    p = no_signal_p_value(
        np.ones(10),
        total=10.0,
        n=10,
        covariance=np.eye(1),
        constant=np.zeros(10),
        cuts=np.zeros(0, dtype=np.intp),
        q=1,
        random_state=None,
    )
    assert p == 1.0


def test_seed_changes_draws_and_repeats():
    rng = np.random.default_rng(4)
    spectrum = decompose(kernels.Gaussian(width=1.0), rng.normal(size=(60, 1)))
    y = rng.normal(size=60) + 0.4 * spectrum.eigenvectors[:, 1] * np.sqrt(60)
    p = [relevant_dimension(spectrum, y, random_state=seed).p_value for seed in (None, 0, 1, 1)]
    assert p[0] == p[1]
    assert p[2] == p[3]
    assert p[1] != p[2]


def test_clear_p_values_take_fewer_draws(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 2))
    spectrum = decompose(kernels.Gaussian(width=1.0), X)
    targets = [rng.normal(size=80) + signal * X[:, 0] for signal in (0.0, 0.0, 0.0, 0.5, 3.0)]
    few = [relevant_dimension(spectrum, y).p_value for y in targets]
    monkeypatch.setattr(significance, "ENOUGH", 1000)
    all_of_them = [relevant_dimension(spectrum, y).p_value for y in targets]
    np.testing.assert_allclose(few, all_of_them, atol=0.15)
    for short, full in zip(few, all_of_them, strict=True):
        # (20 + 1) / (99 + 1) is the smallest that is clear.
        hundredths = 100 * short
        assert short == full or hundredths == pytest.approx(max(21, round(hundredths)))
    assert any(p >= 0.21 for p in few)
    assert any(p < 0.05 for p in few)


def test_beyond_doubt_is_beyond_all_draws_of_noise():
    rng = np.random.default_rng(5)
    for n in (20, 200):
        energies = np.cumsum(rng.normal(size=(4000, n)) ** 2, axis=1)
        cuts = np.arange(1, n // 2 + 1)
        drawn = likelihood_ratio(energies[:, cuts - 1], energies[:, -1:], n, 1, cuts)
        assert drawn.max() < beyond_doubt(n)
