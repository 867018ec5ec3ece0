"""Learned weights: the gradient against differences, and what is found."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reldim.search import weights
from reldim.search.weights import (
    WEIGHTED,
    LearnedKernel,
    learn_weights,
    likeliest,
    promising,
    weighted_kernel,
    weights_of,
)

every_kind = pytest.mark.parametrize("kind", WEIGHTED)


def evidence(kind, groups, X, Y, theta, counts=1.0):
    """The formula of the module's docstring with the prior, by a kernel of the package."""
    w = np.exp(theta[:-1])[groups]
    n = len(X)
    C = weighted_kernel(kind, w)(X) + (np.exp(theta[-1]) / counts + weights.JITTER) * np.eye(n)
    columns = max(1.0, X.var(axis=0).sum())
    equal = np.log((1.0 if kind == "product" else 0.5) / columns)
    energy = sum(float(y @ np.linalg.solve(C, y)) for y in Y.T)
    off = (theta[:-1] - equal) / weights.SPREAD
    prior = 0.5 * (weights.FREEDOM + 1) * np.sum(np.log(1 + off**2 / weights.FREEDOM)) / n
    return 0.5 * np.log(energy / n) + 0.5 * np.linalg.slogdet(C)[1] / n + prior


def problem(kind, seed=0, n=25):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, 4)), rng.normal(size=(n, 2))
    groups = np.array([0, 1, 1, 2])
    return X, Y, groups, rng.normal(scale=0.5, size=4)


def loss(kind, groups, X, Y, theta, counts=None):
    centre = weights._equal_weights(X, groups, kind)
    return weights._loss(theta, centre, weights._Pairs(X, groups, kind, counts), Y)


alike_or_not = pytest.mark.parametrize("counts", [None, 1.0 + np.arange(25.0) % 3])


@every_kind
@alike_or_not
def test_the_loss_is_the_formula(kind, counts):
    X, Y, groups, theta = problem(kind)
    value, _ = loss(kind, groups, X, Y, theta, counts)
    # Single precision holds the distances.
    expected = evidence(kind, groups, X, Y, theta, 1.0 if counts is None else counts)
    assert_allclose(value, expected, rtol=1e-6)


@every_kind
@alike_or_not
def test_the_gradient_is_that_of_the_formula(kind, counts):
    X, Y, groups, theta = problem(kind)
    _, slopes = loss(kind, groups, X, Y, theta, counts)
    step, stands_for = 1e-5, 1.0 if counts is None else counts

    def value(at):
        return evidence(kind, groups, X, Y, at, stands_for)

    expected = [(value(theta + d) - value(theta - d)) / 2 / step for d in step * np.eye(4)]
    assert_allclose(slopes, expected, rtol=2e-4, atol=1e-6)


@every_kind
def test_columns_that_do_not_matter_lose_their_weight(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(250, 6))
    y = np.sin(2 * X[:, 2]) + 0.1 * rng.normal(size=250)
    learned = learn_weights(X, y[:, None], np.arange(6), kind)
    found = np.array(learned.kernel.weights)
    assert found.argmax() == 2
    assert np.delete(found, 2).max() < 0.2 * found[2]


def test_a_group_shares_its_weight():
    X, Y, groups, *_ = problem("gaussian")
    found = learn_weights(X, Y, groups, "gaussian").kernel.weights
    assert found[1] == found[2]
    assert len(set(found)) == 3


@every_kind
def test_rows_that_count_for_more_decide_what_matters(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    first = np.arange(120) < 60
    Y = np.where(first, np.sin(2 * X[:, 0]), np.sin(2 * X[:, 1]))[:, None]
    for column, counts in enumerate((np.where(first, 50.0, 0.5), np.where(first, 0.5, 50.0))):
        learned = learn_weights(X, Y, np.arange(2), kind, counts=counts / counts.mean())
        found = weights_of(learned.kernel)
        assert found[column] > 3 * found[1 - column]


def test_equal_weights_are_one_number():
    X, Y, groups, *_ = problem("gaussian")
    assert len(set(learn_weights(X, Y, groups, "gaussian", equal=True).kernel.weights)) == 1


def test_constant_targets_keep_equal_weights():
    X, Y, groups, *_ = problem("product")
    assert len(set(learn_weights(X, 0 * Y + 3.0, groups, "product").kernel.weights)) == 1


def test_many_rows_are_sampled_by_the_seed(monkeypatch):
    X, Y, groups, *_ = problem("gaussian", n=60)
    monkeypatch.setattr(weights, "STAGES", ((40, 5),))
    first, again, other = (learn_weights(X, Y, groups, "gaussian", seed=s) for s in (0, 0, 1))
    assert first == again
    assert first != other


@pytest.mark.parametrize("kind", ["product", "gaussian", "laplacian"])
def test_a_power_of_a_kernel_is_a_narrower_one(kind):
    X = np.random.default_rng(0).normal(size=(10, 3))
    w = np.array([0.5, 0.0, 2.0])
    narrow = weighted_kernel(kind, w, 3.0)(X)
    assert_allclose(narrow, weighted_kernel(kind, w)(X) ** 3, rtol=1e-10)


@pytest.mark.parametrize("kind", ["laplacian", "matern"])
def test_a_gaussian_kernel_is_a_start_that_needs_few_steps(kind, monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 8))
    y = (np.sin(2 * X[:, 1]) * X[:, 3])[:, None]
    groups = np.arange(8)
    start = learn_weights(X, y, groups, "gaussian")
    monkeypatch.setattr(weights, "STAGES", ((200, 3),))
    cold, warm = (learn_weights(X, y, groups, kind, start=one) for one in (None, start))

    def unlikelihood(learned):
        C = learned.kernel(X) + learned.noise * np.eye(200)
        energy = float(np.sum((y - y.mean()) * np.linalg.solve(C, y - y.mean())))
        return 0.5 * (np.log(energy / 200) + np.linalg.slogdet(C)[1] / 200)

    assert unlikelihood(warm) < unlikelihood(cold) - 0.05


def test_many_columns_take_fewer_rows():
    assert weights._most_rows(20) > 500
    n = weights._most_rows(500)
    assert n * (n - 1) // 2 * 500 <= weights.MOST_DISTANCES
    assert weights._most_rows(10**6) == weights.LEAST_ROWS


def test_only_some_coordinates_are_seen():
    X, Y, groups, _ = problem("gaussian", n=60)
    seen = np.array([True, True, True, False])
    learned = learn_weights(X, Y, groups, "gaussian", seen=seen)
    assert learned.kernel.weights[3] == 0
    alone = learn_weights(X[:, :3], Y, groups[:3], "gaussian")
    assert learned.kernel.weights[:3] == alone.kernel.weights
    assert learned.noise == alone.noise


def test_a_start_is_seen_in_part_too():
    X, Y, _, _ = problem("gaussian", n=60)
    start = learn_weights(X, Y, np.arange(4), "gaussian")
    some = np.array([True, False, True, True])
    part = replace(start, kernel=weighted_kernel("gaussian", np.array(start.kernel.weights)[some]))
    found = learn_weights(X, Y, np.arange(4), "laplacian", start=start, seen=some)
    alone = learn_weights(X[:, some], Y, np.arange(3), "laplacian", start=part)
    assert_allclose(np.array(found.kernel.weights)[some], alone.kernel.weights)
    assert found.kernel.weights[1] == 0.0


@pytest.mark.parametrize("most, expected", [(1, [5]), (2, [2, 5]), (3, [0, 2, 3, 5])])
def test_promising_groups_go_with_the_targets_by_themselves(most, expected):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    groups = np.array([0, 1, 2, 0, 3, 4])
    y = 3 * X[:, 5] + 2 * X[:, 2] ** 2 + X[:, 3]
    seen = promising(X, y[:, None], groups, most)
    assert np.flatnonzero(seen).tolist() == expected
    assert promising(X, y[:, None], groups, 5) is None


def test_what_goes_with_the_targets_is_told_by_rows_that_count():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    first = np.arange(100) < 50
    Y = np.where(first, X[:, 0], X[:, 1])[:, None]
    assert promising(X, Y, np.arange(2), 1, np.where(first, 9.0, 1.0)).tolist() == [True, False]
    assert promising(X, Y, np.arange(2), 1, np.where(first, 1.0, 9.0)).tolist() == [False, True]


def test_columns_that_the_evidence_can_do_without_get_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    y = (np.sin(2 * X[:, :1]) + X[:, 1:2]) + 0.2 * rng.normal(size=(200, 1))
    learned = np.array(learn_weights(X, y, np.arange(20), "product").kernel.weights)
    assert learned[:2].all()
    assert np.count_nonzero(learned[2:]) < 9


def test_no_choice_of_columns_by_shares_is_likelier():
    """The columns that are kept have the highest evidence less one per column."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 6))
    Y = X[:, :1] * X[:, 1:2] + 0.1 * rng.normal(size=(80, 1))
    pairs = weights._Pairs(X, np.arange(6), "product")
    theta = np.array([0.0, -0.3, -1.5, -2.5, -4.0, -5.0, -2.0])

    def score(logs):
        C = np.exp(-np.abs(X[:, None] - X) @ np.exp(logs)) + np.exp(-2.0) * np.eye(80)
        energy = float(np.sum(Y * np.linalg.solve(C, Y)))
        evidence = -40 * np.log(energy / 80) - 0.5 * np.linalg.slogdet(C)[1]
        return evidence - np.isfinite(logs).sum()

    choices = {}
    for share in (0.0, *weights.LITTLE_SHARES):
        logs = np.where(np.exp(theta[:-1]) >= share, theta[:-1], -np.inf)
        choices[int(np.isfinite(logs).sum())] = score(logs)
    kept = weights._needed(theta, pairs, Y)[:-1]
    assert int(np.isfinite(kept).sum()) == max(choices, key=choices.__getitem__)


@every_kind
@alike_or_not
@pytest.mark.parametrize("seed", range(5))
def test_the_likeliest_kernel_has_most_evidence_less_one_per_column(kind, seed, counts):
    X, Y, groups, _ = problem(kind, seed)
    rng = np.random.default_rng(seed)
    some = [np.exp(rng.normal(size=3)) * (rng.random(3) < 0.6) for _ in range(6)]
    kernels = [weighted_kernel(kind, own[groups]) for own in some]
    learned = [LearnedKernel(kernel, float(np.exp(rng.normal()))) for kernel in kernels]

    def unlikeliness(one):
        stands_for = np.ones(25) if counts is None else counts
        C = one.kernel(X) + np.diag(one.noise / stands_for + weights.JITTER)
        centred = Y - np.average(Y, axis=0, weights=counts)
        size = np.average(np.mean(centred**2, axis=1), weights=counts)
        energy = np.sum(centred * np.linalg.solve(C, centred)) / size
        columns = len(np.unique(groups[weights_of(one.kernel) > 0]))
        return 0.5 * (25 * np.log(energy / 25) + np.linalg.slogdet(C)[1]) + columns

    found = likeliest(X, Y, groups, kind, learned, counts=counts)
    assert found is min(learned, key=unlikeliness)


def test_the_first_kernel_is_the_likeliest_where_targets_are_all_the_same():
    X, Y, groups, _ = problem("gaussian")
    learned = [LearnedKernel(weighted_kernel("gaussian", w), 0.1) for w in np.eye(4)]
    assert likeliest(X, 0 * Y + 0.1, groups, "gaussian", learned) is learned[0]
