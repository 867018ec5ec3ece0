"""The corrected estimate of noise, against simulation."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from reldim import datasets, decompose, diagnose, kernels, relevant_dimension
from reldim.diagnosis.rivals import find_rivals
from reldim.relevance.noise import (
    HELD_OUT_NOISE,
    HELD_OUT_RATIOS,
    NoiseEstimate,
    NoiseProfile,
    NoisyScales,
    bayes_error,
    flipped_share,
    held_out_losses,
    noise_share,
    noisy_scales,
    unexplained,
)


def profile(losses, variances):
    return NoiseProfile(np.asarray(losses, dtype=float), np.asarray(variances, dtype=float))


class TestNumbers:
    def test_one_certain_variance_has_the_quantiles_of_its_own_distribution(self):
        found = noise_share(profile([0.0, 900.0], [0.4, 0.9]), 50, 50.0)
        assert found.value == pytest.approx(0.4)
        expected = 0.4 * 50 / stats.chi2.ppf([0.95, 0.05], 50)
        np.testing.assert_allclose(found.interval, expected, rtol=1e-6)

    def test_doubt_about_the_variance_widens_the_interval(self):
        sure = noise_share(profile([0.0, 50.0], [0.2, 0.6]), 200, 200.0)
        doubtful = noise_share(profile([0.0, 3.0], [0.2, 0.6]), 200, 200.0)
        assert np.ptp(doubtful.interval) > 2 * np.ptp(sure.interval)

    def test_is_a_share(self):
        low, high = noise_share(profile([0.0], [3.0]), 20, 20.0).interval
        found = noise_share(profile([0.0], [3.0]), 20, 20.0)
        assert found.value == 1.0
        assert low <= high == 1.0

    @pytest.mark.parametrize("noise", [0.3, 0.5])
    def test_is_nearer_to_the_truth_than_the_papers_figure(self, noise):
        # Many dimensions for few rows: the fit has eaten part of the noise.
        misses = []
        for seed in range(20):
            data = datasets.sine(80, frequency=8.0, noise=noise, random_state=seed)
            rd = relevant_dimension(decompose(kernels.Gaussian(0.03), data.X), data.y)
            truth = noise**2 / (0.5 + noise**2)
            misses.append([abs(rd.noise_level - truth), abs(rd.noise_estimate.value - truth)])
        in_sample, corrected = np.mean(misses, axis=0)
        assert corrected < 0.9 * in_sample

    def test_what_a_narrow_kernel_calls_signal_is_noise(self):
        # Under a kernel matrix close to the identity signal and noise look alike.
        rng = np.random.default_rng(0)
        spectrum = decompose(kernels.Gaussian(1e-6), rng.normal(size=(60, 2)))
        rd = relevant_dimension(spectrum, rng.normal(size=60))
        np.testing.assert_allclose(NoiseProfile.of(rd.signal).variances, 1.0, rtol=0.4)

    def test_units_and_offset_of_the_targets_do_not_matter(self):
        data = datasets.noisy_sinc(80, random_state=0)
        spectrum = decompose(kernels.Gaussian(1.0), data.X)
        one = relevant_dimension(spectrum, data.y).noise_estimate
        other = relevant_dimension(spectrum, 1000.0 - 50.0 * data.y).noise_estimate
        assert other.value == pytest.approx(one.value, rel=1e-6)
        assert other.interval == pytest.approx(one.interval, rel=1e-6)


class TestGrid:
    """Below the smallest eigenvalue of a rough kernel all ratios stand for one variance."""

    def rough(self, points):
        falling = profile([0.0, 0.5, 5.0, 20.0], [0.0131, 0.014, 0.02, 0.04])
        return profile(
            np.concatenate([np.zeros(points), falling.losses]),
            np.concatenate([np.full(points, 0.013), falling.variances]),
        )

    def test_points_of_the_grid_that_mean_the_same_count_once(self):
        few, many = (noise_share(self.rough(points), 500, 500.0) for points in (2, 40))
        assert few.value == pytest.approx(many.value, rel=1e-6)
        assert few.interval == pytest.approx(many.interval, rel=1e-6)


class TestClasses:
    def test_is_the_mean_of_mistakes_and_flips(self):
        found = bayes_error(0.1, 0.2, 0.25, 100)
        assert found.value == pytest.approx(0.2)
        low, high = found.interval
        assert low < 0.1
        assert high > 0.2
        assert bayes_error(0.2, 0.1, 0.25, 100) == found

    def test_interval_holds_the_estimate(self):
        found = bayes_error(0.0, 0.0, 0.4, 100)
        assert found == NoiseEstimate(0.2, (0.0, 0.2))

    @pytest.mark.parametrize("classes", [2, 3, 7])
    @pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
    def test_flips_are_read_from_the_variance_that_they_make(self, classes, share):
        rng = np.random.default_rng(0)
        n = 20_000
        flips = rng.uniform(size=n) < share
        drawn = np.where(flips, rng.integers(1, classes, n), 0)
        variance = float(np.eye(classes)[drawn].var(axis=0).sum())
        assert flipped_share(variance, classes) == pytest.approx(share, abs=0.01)

    def test_labels_cannot_be_more_than_random(self):
        assert flipped_share(0.9, 2) == 0.5
        assert flipped_share(0.9, 3) == pytest.approx(2 / 3)

    def test_without_a_mistake_begins_at_zero(self):
        found = bayes_error(0.0, 0.0, 0.0, 50)
        assert found.value == 0.0
        assert found.interval[0] == 0.0
        assert 0.0 < found.interval[1] < 0.1

    @pytest.mark.parametrize("inside, outside", [(0.1, 0.2), (0.01, 0.01), (0.3, 0.02)])
    def test_interval_is_that_of_jeffreys(self, inside, outside):
        # Of the posterior of a share, under Jeffreys' prior, a twentieth lies beyond either end.
        n = 100
        low, high = bayes_error(inside, outside, (inside + outside) / 2, n).interval

        def mass(share, start, stop):
            seen, others = share * n - 0.5, (1 - share) * n - 0.5
            return quad(lambda p: p**seen * (1 - p) ** others, start, stop, epsabs=0)[0]

        lower, upper = sorted((inside, outside))
        assert mass(lower, 0, low) / mass(lower, 0, 1) == pytest.approx(0.05, rel=1e-3)
        assert mass(upper, high, 1) / mass(upper, 0, 1) == pytest.approx(0.05, rel=1e-3)

    def test_less_than_one_mistake_begins_at_zero(self):
        assert bayes_error(0.0099, 0.1, 0.05, 100).interval[0] == 0.0
        assert bayes_error(0.01, 0.1, 0.05, 100).interval[0] > 0.0

    def test_interval_narrows_with_rows(self):
        few, many = (np.ptp(bayes_error(0.1, 0.1, 0.1, n).interval) for n in (50, 5000))
        assert many < 0.2 * few

    @pytest.mark.slow
    def test_holds_the_bayes_error(self):
        held = 0
        big = datasets.bananas(4000, noise=0.4, random_state=99)
        truth = np.mean((1 - np.abs(big.truth)) / 2)
        for seed in range(20):
            data = datasets.bananas(150, noise=0.4, random_state=seed)
            found = diagnose(data.X, data.y).noise_estimate
            held += found.interval[0] <= truth <= found.interval[1]
        assert held >= 16


def test_without_signal_all_is_noise():
    found = unexplained(0.4, NoiseEstimate(0.3, (0.2, 0.35)))
    assert found == NoiseEstimate(0.4, (0.2, 0.4))
    rng = np.random.default_rng(0)
    diagnosis = diagnose(rng.normal(size=(60, 2)), rng.normal(size=60))
    assert diagnosis.dimension == 0
    assert diagnosis.noise_estimate.value == pytest.approx(1.0)
    assert diagnosis.noise_estimate.interval[1] == pytest.approx(1.0)


def test_reaches_the_plain_data():
    data = datasets.noisy_sinc(80, random_state=0)
    found = diagnose(data.X, data.y)
    assert found.to_dict()["noise_estimate"] == found.noise_estimate.value


def test_without_signal_no_rival_is_asked():
    # Under a kernel of another family these targets look structured, but none is clearly better.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4))
    y = rng.normal(size=60) + 0.3 * X[:, 0]
    found = diagnose(X, y)
    rivals = find_rivals(found.relevance, [row.kernel for row in found.tried])
    assert found.verdict.code == "RD001"
    assert rivals.best.dimension > 0
    assert found.noise_estimate.value == pytest.approx(1.0)


class TestNoisyScales:
    widths = np.geomspace(1e-4, 1e3, 12)

    def estimates(self, noise, widths=widths):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(150, 2))
        y = np.where(X[:, 0] + noise * rng.normal(size=150) > 0, "b", "a")
        return [relevant_dimension(decompose(kernels.Gaussian(w), X), y) for w in widths], X

    def find(self, widths, rds):
        return noisy_scales(
            widths,
            [rd.dimension for rd in rds],
            [rd.noise_level for rd in rds],
            [rd.signal for rd in rds],
        )

    def test_noisy_labels_at_every_width_where_rows_resemble_each_other(self):
        rds, X = self.estimates(2.0)
        found = self.find(self.widths, rds)
        near = []
        for width in self.widths:
            K = kernels.Gaussian(width)(X)
            others = sum(K[i, j] ** 2 for i in range(150) for j in range(150) if i != j) / 150
            near.append(others <= 1.0)
        assert 0 < sum(near) < 12
        assert found.first == self.widths[np.argmin(near)]
        assert found.last == self.widths[-1]
        assert found.everywhere
        assert "at every width where rows resemble" in found.sentence

    def test_order_of_widths_does_not_matter(self):
        rds, _ = self.estimates(2.0)
        backwards = self.find(self.widths[::-1], rds[::-1])
        assert backwards == self.find(self.widths, rds)

    def test_clear_labels_are_not_noisy(self):
        widths = np.geomspace(0.1, 100, 5)
        assert self.find(widths, self.estimates(0.0, widths)[0]) is None

    def test_a_part_of_the_widths(self):
        rds, _ = self.estimates(2.0)
        signals = [rds[-1].signal] * 5
        found = noisy_scales([1, 2, 3, 4, 5], [3, 40, 3, 0, 4], [0.2] * 5, signals)
        assert found == NoisyScales(3.0, 5.0, everywhere=False)
        assert "not at every width" in found.sentence
        assert noisy_scales([1, 2, 3], [3, 40, 3], [0.2] * 3, signals[:3]) is None
        assert noisy_scales([1, 2], [0, 0], [0.5] * 2, signals[:2]) is None
        assert noisy_scales([], [], [], []) is None


def test_held_out_losses_are_those_of_a_normal_distribution():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    kernel, a, h = kernels.Gaussian(1.0), np.arange(20), np.arange(20, 30)
    K = kernel(X)
    found = held_out_losses(K[np.ix_(a, a)], K[np.ix_(a, h)], K[np.ix_(h, h)], Y[a], Y[h])
    for i, ratio in enumerate(HELD_OUT_RATIOS):
        for j in (0, 30, 59):
            noise = HELD_OUT_NOISE[j] * np.mean(Y[a] ** 2)
            # Signal and noise of all rows at once, conditioned block by block.
            C = noise / ratio * (K + ratio * np.eye(30))
            inner = C[np.ix_(h, a)] @ np.linalg.inv(C[np.ix_(a, a)])
            rest = C[np.ix_(h, h)] - inner @ C[np.ix_(a, h)]
            expected = -sum(
                stats.multivariate_normal(inner @ Y[a, q], rest).logpdf(Y[h, q]) for q in (0, 1)
            )
            constant = len(h) * 2 * 0.5 * np.log(2 * np.pi)
            assert found[i, j] == pytest.approx(expected - constant, rel=1e-6)
