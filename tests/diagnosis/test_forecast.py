"""Forecasts: the curve, its interval, the rows that an error takes, and bad questions."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import KernelPCClassifier, KernelPCRegressor, datasets, diagnose, kernels
from reldim.diagnosis.forecast import OFF, OFF_ABOVE, POWER, SPREAD, LearningCurve
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.targets import code_targets


def curve(*, floor=0.1, excess=0.2, power=2 / 3, n=100, signal=True, task="classification"):
    """Make a curve of one law, or of several that are as likely."""
    floors, excesses, powers = np.broadcast_arrays(*map(np.atleast_1d, (floor, excess, power)))
    weights = np.full(len(floors), 1 / len(floors))
    constant = 0.5 if signal else float(floors[0])
    return LearningCurve(n, task, constant, floors, excesses, powers, weights, has_signal=signal)


def curves_of(*, excess):
    return st.builds(
        curve,
        n=st.integers(2, 10_000),
        floor=st.floats(0.0, 0.4),
        excess=excess,
        power=st.floats(0.15, 2.0),
        task=st.sampled_from(["classification", "regression"]),
    )


curves = curves_of(excess=st.floats(0.0, 0.5))


@pytest.fixture(scope="module")
def bananas():
    data = datasets.bananas(150, random_state=3)
    return diagnose(data.X, data.y)


class TestCurve:
    def test_is_a_power_law_above_a_floor(self):
        rows = [100, 200, 1000]
        expected = [0.1 + 0.2 * (100 / m) ** (2 / 3) for m in rows]
        np.testing.assert_allclose(curve().forecast(rows).error, expected)

    @given(curves)
    def test_never_rises_and_stays_above_the_floor(self, found):
        forecast = found.forecast(np.unique(np.linspace(found.n, 10 * found.n, 30).astype(int)))
        assert (np.diff(forecast.error) <= 1e-15).all()
        assert (forecast.error >= found.floor - 1e-15).all()

    @given(curves)
    def test_interval_holds_the_error(self, found):
        forecast = found.forecast([found.n, 3 * found.n, 10 * found.n])
        assert np.isfinite([*forecast.lower, *forecast.upper]).all()
        assert (forecast.lower >= 0.0).all()
        assert (forecast.lower <= forecast.error + 1e-12).all()
        assert (forecast.upper >= forecast.error - 1e-12).all()

    def test_interval_widens_with_distance_relative_to_the_error(self):
        forecast = curve(floor=[0.05, 0.1, 0.2], excess=[0.25, 0.2, 0.1]).forecast([100, 400, 1000])
        assert forecast.lower[0] == pytest.approx(forecast.upper[0]) == 0.3
        assert (np.diff(forecast.error / forecast.lower) > 0).all()

    def test_no_error_at_all(self):
        forecast = curve(floor=0.0, excess=0.0, task="regression")
        forecast = forecast.forecast([100, 500])
        assert forecast.error.tolist() == forecast.upper.tolist() == [0.0, 0.0]


def forecast_of(X, y):
    return diagnose(X, y, kernels=kernels.Gaussian(1.0)).forecast([60, 600])


@pytest.fixture(scope="module")
def plain():
    data = datasets.noisy_sinc(60, random_state=1)
    return forecast_of(data.X, data.y)


class TestFromData:
    def test_passes_through_the_error_estimate_and_ends_at_the_noise(self, bananas):
        forecast = bananas.forecast(bananas.n)
        assert forecast.error[0] == pytest.approx(bananas.error_estimate)
        assert forecast.floor == bananas.noise_estimate.value
        assert forecast.floor_interval == bananas.noise_estimate.interval

    @pytest.mark.slow
    @pytest.mark.parametrize("n, noise", [(100, 0.1), (200, 0.3)])
    def test_noisy_sinc_measured(self, n, noise):
        test = datasets.noisy_sinc(2000, noise=noise, random_state=99)
        pairs = {4: [], 10: []}
        for seed in range(4):
            data = datasets.noisy_sinc(10 * n, noise=noise, random_state=seed)
            found = diagnose(data.X[:n], data.y[:n])
            for k, seen in pairs.items():
                model = KernelPCRegressor(found.kernel).fit(data.X[: k * n], data.y[: k * n])
                missed = np.mean((model.predict(test.X) - test.y) ** 2) / np.var(test.y)
                seen.append((found.forecast(k * n).error[0], missed))
        for seen in pairs.values():
            forecast, measured = np.mean(seen, axis=0)
            assert forecast == pytest.approx(measured, rel=0.25)

    @pytest.mark.slow
    def test_ringnorm_measured(self):
        data, test = (datasets.ringnorm(m, random_state=s) for m, s in ((800, 0), (2000, 1)))
        found = diagnose(data.X[:200], data.y[:200])
        model = KernelPCClassifier().fit(data.X, data.y)
        forecast = found.forecast(800)
        assert forecast.lower[0] <= 1 - model.score(test.X, test.y) <= forecast.upper[0]

    @settings(max_examples=8, deadline=None)
    @given(scale=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3))
    def test_unit_of_the_targets_does_not_matter(self, plain, scale, shift):
        data = datasets.noisy_sinc(60, random_state=1)
        other = forecast_of(data.X, scale * (data.y + shift))
        for name in ("error", "lower", "upper"):
            np.testing.assert_allclose(getattr(other, name), getattr(plain, name), rtol=1e-4)

    def test_order_of_rows_does_not_matter(self, bananas):
        data = datasets.bananas(150, random_state=3)
        order = np.random.default_rng(0).permutation(150)
        turned = diagnose(data.X[order], data.y[order]).forecast([150, 900])
        np.testing.assert_allclose(turned.error, bananas.forecast([150, 900]).error, atol=1e-9)

    def test_noise_has_a_constant_forecast(self):
        rng = np.random.default_rng(0)
        found = diagnose(rng.normal(size=(80, 3)), rng.normal(size=80))
        assert found.dimension == 0
        forecast = found.forecast([80, 800])
        np.testing.assert_allclose(forecast.error, 1.0)
        assert forecast.lower[1] < forecast.lower[0]
        assert "a constant prediction is all there is" in forecast.reason
        assert "it sees no signal" in forecast.explain(0.5)
        assert forecast.rows_needed(0.5) is None

    def test_never_worse_than_a_constant(self):
        rows, errors = [80.0, 40.0], np.array([1.3, 1.2])
        kind = {"n": 100, "task": "regression", "constant": 1.0}
        found = LearningCurve.of(rows, errors, 0.01 * np.eye(2), **kind)
        assert (found.floors + found.excesses <= 1.0 + 1e-12).all()
        assert (found.excesses >= 0.0).all()

    def test_class_with_one_member(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(40, 2))
        labels = np.where(X[:, 0] > 0, "a", "b")
        labels[0] = "c"
        forecast = diagnose(X, labels).forecast([40, 400])
        assert np.isfinite([*forecast.error, *forecast.lower, *forecast.upper]).all()

    def test_noiseless_numbers(self):
        x = np.linspace(-1, 1, 30)
        forecast = diagnose(x[:, None], 2 * x, kernels=kernels.Polynomial(1, 1.0)).forecast(
            [30, 300]
        )
        assert np.isfinite([*forecast.error, *forecast.lower, *forecast.upper]).all()
        assert forecast.upper[0] < 1e-9

    def test_a_handful_of_rows(self):
        forecast = diagnose([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).forecast([4, 40])
        assert np.isfinite([*forecast.error, *forecast.lower, *forecast.upper]).all()

    def test_kernel_matrix_and_several_classes(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(90, 2))
        y = np.argmax(X @ rng.normal(size=(2, 3)), axis=1)
        # Folds are divisions in the order of the content, which a matrix does not show.
        order = np.lexsort((*code_targets(y).values.T, *X.T))
        X, y = X[order], y[order]
        K = kernels.Gaussian(2.0)(X)
        matrix, points = (
            diagnose(data, y, kernels=kernel, references=False).forecast([90, 360])
            for data, kernel in ((K, kernels.Precomputed()), (X, kernels.Gaussian(2.0)))
        )
        np.testing.assert_allclose(matrix.curve.errors, points.curve.errors, atol=1e-9)


class TestMeasured:
    """A curve from errors with several numbers of rows."""

    ROWS = np.array([800.0, 400.0, 200.0, 100.0])

    def measured(self, errors, chance=1e-3, **kind):
        kind = {"n": 1000, "task": "regression", "constant": 1.0, **kind}
        return LearningCurve.of(self.ROWS, errors, chance**2 * np.eye(4), **kind)

    @pytest.mark.parametrize("floor", [0.1, 0.2, 0.5])
    @pytest.mark.parametrize("power", [0.5, 1.0])
    def test_holds_the_law_that_made_the_errors(self, floor, power):
        excess = 0.3 * (self.ROWS / 800) ** -power
        found = self.measured(floor + excess)
        low, high = found.floor_interval
        assert low <= floor + 1e-12 <= high + 1e-12
        low, high = found.interval(10_000)
        assert low <= floor + 0.3 * 12.5**-power <= high

    def test_weights_are_those_of_a_loop_over_laws(self):
        errors, rng = np.array([0.31, 0.36, 0.42, 0.55]), np.random.default_rng(0)
        root = 0.02 * rng.normal(size=(4, 4))
        covariance = root @ root.T + 1e-4 * np.eye(4)
        found = LearningCurve.of(
            self.ROWS, errors, covariance, n=1000, task="regression", constant=1.0
        )
        off = (OFF * errors) ** 2 + (OFF_ABOVE * (errors - errors[0])) ** 2 + 1e-8
        laws = list(zip(found.floors, found.excesses, found.powers, strict=True))
        logs = []
        for floor, excess, power in laws:
            said = floor + excess * (self.ROWS / 1000) ** -power
            missed = said - errors
            log = -0.5 * missed @ np.linalg.solve(covariance + np.diag(off), missed)
            logs.append(log - 0.5 * (math.log(power / POWER) / SPREAD) ** 2)
        expected = np.exp(np.array(logs) - max(logs))
        np.testing.assert_allclose(found.weights, expected / expected.sum(), rtol=1e-9)
        assert len(laws) > 1000

    def test_reads_the_error_with_all_rows_and_not_those_of_a_fold(self):
        found = self.measured(0.1 + 100 / self.ROWS)
        assert 0.19 < float(found.error(1000)) < 0.2125
        some = self.measured(0.1 + 100 / self.ROWS, n=5000, fitted=1000)
        assert float(some.error(5000)) == pytest.approx(float(found.error(1000)))

    def test_chance_in_the_errors_widens_the_intervals(self):
        errors = 0.2 + 20 / self.ROWS
        narrow, wide = (self.measured(errors, chance).floor_interval for chance in (1e-3, 0.05))
        assert np.diff(wide) > np.diff(narrow)

    def test_a_better_model_lowers_the_floor_and_a_worse_one_does_not(self):
        found = self.measured(np.full(4, 0.3))
        better = found.respecting(-0.15, 0.01)
        assert better.probability(better.excesses < 0.06) < 0.01
        assert found.probability(found.excesses < 0.06) > 0.5
        assert found.respecting(-0.01, 0.2).floor == pytest.approx(found.floor, rel=0.1)
        assert found.respecting(0.2, 0.01).floor == pytest.approx(found.floor, rel=1e-3)

    def test_held_out_rows_tell_noise_from_what_is_not_learned_yet(self):
        # Nothing is learned from half of the rows: by errors alone all of it may be noise.
        errors, shares = np.array([0.9, 1.0, 1.0, 1.0]), np.linspace(0.01, 1.0, 100)
        blind = self.measured(errors, 0.05)
        assert blind.floor > 0.7
        for truth in (0.1, 0.8):
            told = self.measured(errors, 0.05, noise=(shares, 200 * np.abs(shares - truth)))
            assert told.floor == pytest.approx(truth, abs=0.15)

    def test_a_likelihood_that_is_astray_does_not_overrule_errors_that_stay(self):
        shares = np.linspace(0.01, 1.0, 100)
        found = self.measured(np.full(4, 0.8), noise=(shares, 500 * np.abs(shares - 0.1)))
        assert found.floor > 0.7

    def test_standard_error(self):
        found = curve(floor=[0.1, 0.1], excess=[0.1, 0.3])
        assert found.standard_error == pytest.approx(0.1)


class TestRowsNeeded:
    # On a flatter curve neighbouring numbers of rows have the same error to the last digits.
    @given(curves_of(excess=st.floats(1e-3, 0.5)), st.floats(1.0, 10.0))
    def test_inverts_the_curve(self, found, multiple):
        rows = min(math.ceil(multiple * found.n), 10 * found.n)
        forecast = found.forecast(rows)
        assert forecast.rows_needed(float(forecast.error[0])) == rows

    def test_smallest_number_that_is_enough(self):
        forecast = curve().forecast(1000)
        rows = forecast.rows_needed(0.16)
        near = forecast.curve.error([rows - 1, rows])
        assert near[0] > 0.16 >= near[1]

    @pytest.mark.parametrize(
        "error, rows, said",
        [
            (0.35, 100, "reached with the 100 rows at hand"),
            (0.2, 283, "takes about 283 rows; there are 100"),
            (0.11, None, "takes more than 1000 rows"),
            (
                0.1,
                None,
                "not to be expected of these kernels: what they leave at any",
            ),
            (0.0, None, "not to be expected of these kernels"),
        ],
    )
    def test_says_why(self, error, rows, said):
        forecast = curve().forecast(100)
        assert forecast.rows_needed(error) == rows
        assert said in forecast.explain(error)

    @pytest.mark.parametrize(
        "floor, error, target, left",
        [
            (0.17131, 0.171, "17.10%", "17.13%"),
            (0.1, 0.1, "10.0%", "10.0%"),
            (0.1, 0.05, "5.0%", "10.0%"),
        ],
    )
    def test_digits_tell_an_error_from_what_is_left(self, floor, error, target, left):
        found = curve(floor=floor).forecast(100)
        said = found.explain(error)
        assert said.startswith(f"An error of {target} is not")
        assert f" {left}." in said

    def test_digits_tell_an_error_from_the_last_that_is_forecast(self):
        found = curve(floor=0.0, excess=0.1).forecast(1000)
        assert f"{found.error[0]:.3%}" == "2.154%"
        said = found.explain(0.02152)
        assert said.startswith("An error of 2.152% takes more than 1000 rows")
        assert said.endswith(": 2.154% is forecast there.")

    def test_just_above_the_floor(self):
        forecast = curve(floor=0.0, excess=0.5).forecast(100)
        assert forecast.rows_needed(5e-324) is None
        assert math.isinf(curve(floor=0.0, excess=0.5).rows_for(0.0))

    @pytest.mark.parametrize("error", ["5%", None, True, 1j])
    def test_refuses_what_is_no_number(self, error):
        with pytest.raises(InputTypeError, match="A target error is a number, such as 0.05"):
            curve().forecast(100).rows_needed(error)

    @pytest.mark.parametrize("error", [-0.1, float("nan"), float("inf")])
    def test_refuses_numbers_out_of_range(self, error):
        with pytest.raises(InputError, match="at least 0"):
            curve().forecast(100).explain(error)


class TestQuestions:
    def test_whole_numbers_of_any_kind(self):
        for rows in (500, np.int32(500), 500.0, [500], np.array([500.0]), (500,)):
            assert curve().forecast(rows).rows.tolist() == [500]

    @pytest.mark.parametrize(
        "rows", ["1000", [], 150.5, [[200]], [200, None], float("nan"), [[1], [2, 3]], True]
    )
    def test_refuses_what_is_no_number_of_rows(self, rows):
        with pytest.raises(InputTypeError, match="takes a whole number of rows"):
            curve().forecast(rows)

    def test_refuses_fewer_rows_than_at_hand(self, bananas):
        with pytest.raises(InputError, match="begins with the 150 rows at hand. Got 149"):
            bananas.forecast([300, 149])

    def test_refuses_more_than_ten_times_as_many(self, bananas):
        with pytest.raises(InputError, match="up to ten times as many, 1500. Got 1501"):
            bananas.forecast(1501)


class TestViews:
    def test_plain_data(self, bananas):
        forecast = bananas.forecast([150, 1500])
        plain = json.loads(json.dumps(forecast.to_dict(), allow_nan=False))
        assert plain["schema"] == "reldim.forecast/1"
        assert plain["rows_at_hand"] == 150
        assert plain["rows"] == [150, 1500]
        assert plain["error"] == forecast.error.tolist()
        assert plain["floor"] == forecast.floor

    def test_text_has_a_line_for_each_number_of_rows(self, bananas):
        forecast = bananas.forecast([150, 600])
        lines = str(forecast).splitlines()
        assert lines[1].split()[:2] == ["150", f"{forecast.error[0]:.1%}"]
        assert lines[2].split()[:2] == ["600", f"{forecast.error[1]:.1%}"]
        assert lines[3] == f"at any number of rows: about {forecast.floor:.1%}"

    def test_reason_names_what_was_measured(self):
        found = LearningCurve.of(
            [80.0, 40.0],
            np.array([0.3, 0.4]),
            1e-4 * np.eye(2),
            n=100,
            task="regression",
            constant=1.0,
        )
        assert "30.0% with 80, 40.0% with 40." in found.forecast(100).reason
