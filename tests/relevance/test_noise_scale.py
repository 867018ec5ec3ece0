"""The noise that is expected in a row, held against slow computations and known truth."""

import numpy as np
import pytest

from reldim.relevance.noise_scale import NoiseScale, _ridge, prediction_interval


def draw(seed, n=400, slope=0.85, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    spread = 0.3 * np.exp(slope * X[:, 1])
    return X, X[:, 0], spread, spread * rng.normal(size=n)


def test_leaving_a_row_out_is_a_fit_without_it():
    rng = np.random.default_rng(0)
    design, values = rng.normal(size=(30, 4)), rng.normal(size=30)
    values += 2 * design[:, 0]
    weights, constant, left_out = _ridge(design, values)
    # The penalty that was chosen follows from the weights: each is tried by fits without a row.
    for penalty in np.geomspace(1e-3, 1e3, 13):
        middle = design.mean(axis=0)
        gram = (design - middle).T @ (design - middle) + 30 * penalty * np.eye(4)
        direct = np.linalg.solve(gram, (design - middle).T @ (values - values.mean()))
        if not np.allclose(direct, weights):
            continue
        for i in range(30):
            # A target that agrees with its prediction does not change it.
            z = values - values.mean()
            for _ in range(200):
                fit = (design[i] - middle) @ np.linalg.solve(
                    gram, (design - middle).T @ z
                ) + z.mean()
                z[i] = fit
            np.testing.assert_allclose(left_out[i], z[i] + values.mean(), atol=1e-6)
        break
    else:
        pytest.fail("no penalty gives these weights")
    assert constant == pytest.approx(values.mean() - middle @ weights)


def test_uneven_noise_is_followed():
    for seed in range(5):
        X, predicted, spread, residuals = draw(seed)
        found = NoiseScale.of(residuals, predicted, X)
        assert found.p_value < 1e-6
        assert np.argmax(np.abs(found.t_values)) == 2
        assert np.corrcoef(np.log(found.at_rows), np.log(spread))[0, 1] > 0.9
        assert 0.6 < np.median(found.at_rows / spread) < 1.6
        new, prediction, truth, _ = draw(seed + 100)
        assert np.corrcoef(np.log(found(prediction, new)), np.log(truth))[0, 1] > 0.9


@pytest.mark.parametrize("heavy", [False, True])
def test_even_noise_stays_even(heavy):
    p_values, spreads = [], []
    for seed in range(100):
        X, predicted, _, residuals = draw(seed, n=200, slope=0.0)
        if heavy:
            residuals = np.random.default_rng(seed).standard_t(2.5, 200)
        found = NoiseScale.of(residuals, predicted, X)
        p_values.append(found.p_value)
        spreads.append(np.std(np.log(found.at_rows)))
    assert np.mean(np.array(p_values) < 0.05) <= 0.1
    assert np.mean(np.array(p_values) < 0.5) == pytest.approx(0.5, abs=0.15)
    assert np.median(spreads) < 0.1


def test_the_order_of_rows_and_units_do_not_matter():
    X, predicted, _, residuals = draw(0)
    order = np.random.default_rng(1).permutation(400)
    one = NoiseScale.of(residuals, predicted, X)
    other = NoiseScale.of(1e6 * residuals[order], 1e6 * predicted[order], 100 * X[order] + 7)
    np.testing.assert_allclose(1e6 * one.at_rows[order], other.at_rows, rtol=1e-6)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-4)


def test_constant_columns_residuals_of_nothing_and_no_columns():
    X, predicted, _, residuals = draw(0, n=60)
    X[:, 2] = 3.0
    assert np.isfinite(NoiseScale.of(residuals, predicted, X).at_rows).all()
    assert np.isfinite(NoiseScale.of(np.zeros(60), predicted, X).at_rows).all()
    assert NoiseScale.of(np.zeros(60), predicted, X).p_value == 1.0
    assert NoiseScale.of(residuals, np.zeros(60)).p_value == 1.0


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    found = NoiseScale.of(rng.normal(size=60), rng.normal(size=60), rng.normal(size=(60, 200)))
    assert 0.001 < found.p_value <= 1.0
    assert np.isfinite(found.at_rows).all()


@pytest.mark.parametrize("slope", [0.0, 0.85])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_intervals_hold_their_level_and_follow_the_noise(slope, level):
    held, loud, quiet = [], [], []
    for seed in range(20):
        X, predicted, _, residuals = draw(seed, n=200, slope=slope)
        found = NoiseScale.of(residuals, predicted, X)
        new, prediction, truth, off = draw(seed + 1000, slope=slope)
        low, high = prediction_interval(
            prediction, found(prediction, new), residuals, found.at_rows, level
        )
        inside = (low <= prediction + off) & (prediction + off <= high)
        order = np.argsort(truth, kind="stable")
        held.append(inside.mean())
        quiet.append(inside[order[:80]].mean())
        loud.append(inside[order[-80:]].mean())
    assert np.mean(held) == pytest.approx(level, abs=0.025)
    # An interval of one width for all rows would hold nearly all quiet rows, and few loud ones.
    assert np.mean(loud) == pytest.approx(level, abs=0.1)
    assert np.mean(quiet) == pytest.approx(level, abs=0.1)


def test_too_few_residuals_for_a_level_give_no_ends():
    low, high = prediction_interval(np.zeros(1), np.ones(1), np.ones(5), np.ones(5), 0.9)
    assert low[0] == -np.inf
    assert high[0] == np.inf
