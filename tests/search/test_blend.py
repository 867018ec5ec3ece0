"""The blend: fits against their definitions, and nothing that judges what it was learned from."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reldim.inputs.targets import code_targets
from reldim.search import blend
from reldim.search.blend import Member, blend_parts, cross_fit, rows_of
from reldim.search.coordinates import Coordinates
from reldim.search.weights import learn_weights, promising

FEW = (Member("product"), Member("gaussian", equal=True))


def numbers(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)


def fitted(X, y, task="auto", **options):
    targets = code_targets(y, task)
    options = {"members": FEW, **options}
    return cross_fit(X, targets, Coordinates.of(X), **options), targets


class TestParts:
    def test_equal_members_count_alike(self):
        _, y = numbers()
        Y = y[:, None]
        assert_allclose(blend_parts(np.stack([Y + 0.1, Y - 0.1]), Y), [0.5, 0.5])

    def test_few_rows_give_an_average_and_many_a_choice(self):
        rng = np.random.default_rng(0)
        parts = {}
        for n in (30, 30_000):
            Y = rng.normal(size=(n, 1))
            good, bad = Y + 0.3 * rng.normal(size=(n, 1)), Y + 0.5 * rng.normal(size=(n, 1))
            parts[n] = blend_parts(np.stack([good, bad]), Y)
        assert 0.5 <= parts[30][0] < 0.6 < parts[30_000][0]

    def test_rows_count_for_as_many_as_they_stand_for(self):
        rng = np.random.default_rng(0)
        Y = rng.normal(size=(400, 2))
        predictions = np.stack([Y + s * rng.normal(size=Y.shape) for s in (0.3, 0.4, 0.5)])
        counts = np.repeat([1.9, 0.1], 200)
        counting = blend_parts(predictions, Y, counts)
        assert_allclose(blend_parts(predictions, Y, np.ones(400)), blend_parts(predictions, Y))
        assert_allclose(counting, blend_parts(predictions[:, :200], Y[:200]), atol=0.05)
        assert np.abs(counting - blend_parts(predictions[:, 200:], Y[200:])).max() > 0.05


class TestCrossFit:
    def test_held_out_rows_have_no_part_in_their_predictions(self):
        X, y = numbers()
        found, targets = fitted(X, y)
        fold = found.folds[0]
        other = y.copy()
        other[fold.held_out] += 100.0
        # The same kernels, strengths and parts: what was learned without the rows is the same.
        again = learn_weights(
            found.rows.X[fold.learned_from],
            targets.values[fold.learned_from],
            found.rows.groups,
            "product",
        )
        assert again == fold.kernels[0]
        assert not set(fold.held_out) & set(fold.learned_from)

    def test_a_gaussian_member_does_not_depend_on_what_others_see(self):
        X, y = numbers()
        both, _ = fitted(X, y, members=(Member("product"), Member("gaussian")))
        alone, _ = fitted(X, y, members=(Member("gaussian"),))
        assert both.kernels[1] == alone.kernels[0]
        assert [fold.kernels[1] for fold in both.folds] == [fold.kernels[0] for fold in alone.folds]

    def test_what_a_fold_finds_predicts_where_all_rows_miss_it(self, monkeypatch):
        X, y = numbers()
        learn = blend.learn_weights

        def blind(points, Y, groups, kind, **options):
            blinkers = {"seen": np.array([False, True, True])} if len(points) == 80 else {}
            return learn(points, Y, groups, kind, **{**options, **blinkers})

        own, _ = fitted(X, y, members=(Member("gaussian"),))
        monkeypatch.setattr(blend, "learn_weights", blind)
        found, _ = fitted(X, y, members=(Member("gaussian"),))
        assert found.kernels[0] in [fold.kernels[0] for fold in found.folds]
        assert_allclose(found.held_out, own.held_out)

    def test_a_member_is_ridge_regression(self):
        X, y = numbers()
        found, targets = fitted(X, y)
        rows = rows_of(X, targets, Coordinates.of(X))
        learned = found.kernels[0]
        for form, strength in blend.PENALTIES:
            expansion = blend._expansion(rows, learned, (form, strength))
            K = np.mean([learned.kernel(rows.X) ** power for power in form], axis=0)
            dual = np.linalg.solve(K + learned.noise * strength * np.eye(80), targets.values)
            assert_allclose(expansion(rows.X), K @ dual, atol=1e-6)

    def test_roots_of_matern_kernels_are_not_tried(self):
        X, y = numbers()
        targets = code_targets(y)
        fit = blend.cross_fit(X, targets, Coordinates.of(X), members=[Member("matern")])
        rows = rows_of(X, targets, Coordinates.of(X))
        values = [
            blend._Loss.of(rows, raw).value
            for raw in blend._held_out(rows, fit.folds, 80, [[0, 1, 2, 3, 4]], 1000, 0)[0]
        ]
        found = np.mean((fit.held_out - targets.values) ** 2)
        assert found == pytest.approx(min(values))

    def test_rows_that_nearly_repeat_others_are_seen_beside_a_smooth_whole(self, monkeypatch):
        rng = np.random.default_rng(1)
        some = rng.normal(size=(100, 2))
        repeats = some + 1e-3 * rng.normal(size=some.shape)
        X = np.vstack([some, repeats, rng.normal(size=(200, 2))])
        own = np.concatenate([np.tile(rng.normal(size=100), 2), rng.normal(size=200)])
        y = 2 * np.sin(X[:, 0]) + X[:, 1] + own
        with_rough = fitted(X, y)[0].error
        rough = (blend.ROUGH, blend.ROUGHER)
        monkeypatch.setattr(
            blend, "PENALTIES", tuple(one for one in blend.PENALTIES if one[0] not in rough)
        )
        assert with_rough < 0.9 * fitted(X, y)[0].error

    def test_errors_are_those_of_held_out_predictions(self):
        X, y = numbers()
        found, _ = fitted(X, y)
        assert found.error == pytest.approx(
            np.mean((found.held_out[:, 0] + y.mean() - y) ** 2) / y.var()
        )
        labels = np.where(y > 0, "up", "down")
        found, targets = fitted(X, labels)
        decided = targets.classes[found.held_out.argmax(axis=1)]
        assert found.error == np.mean(decided != labels)

    def test_errors_are_means_over_what_rows_stand_for(self):
        X, y = numbers()
        counts = np.random.default_rng(1).uniform(0.2, 3.0, size=len(y))
        found, _ = fitted(X, y, counts=7.0 * counts)
        mean = np.average(y, weights=counts)
        variance = np.average((y - mean) ** 2, weights=counts)
        squares = (found.held_out[:, 0] + y.mean() - y) ** 2
        assert found.error == pytest.approx(np.average(squares, weights=counts) / variance)

    @pytest.mark.parametrize("classes", [False, True])
    def test_rows_count_in_every_step(self, monkeypatch, classes):
        X, y = numbers()
        y = y > 0 if classes else y
        given = np.random.default_rng(1).uniform(0.2, 3.0, size=len(y))
        relative, seen = given / given.mean(), {}
        # All rows, and those of four folds.
        parts = [relative[fold.learned_from] for fold in fitted(X, y)[0].folds]
        known = [relative, *parts]
        monkeypatch.setattr(blend, "MOST_COLUMNS", 2)

        def watch(name, where):
            step = getattr(blend, name)

            def watched(*arguments, **options):
                bound = inspect.signature(step).bind(*arguments, **options).arguments
                seen.setdefault(name, []).append(where(bound))
                return step(*arguments, **options)

            monkeypatch.setattr(blend, name, watched)

        for name in ("learn_weights", "likeliest", "promising", "blend_parts"):
            watch(name, lambda bound: bound.get("counts"))
        fitted(X, y, counts=given)
        for name, counts in seen.items():
            for own in counts:
                assert any(len(own) == len(k) and np.allclose(own, k) for k in known), name
        assert {*seen} == {"learn_weights", "likeliest", "promising", "blend_parts"}
        assert len(seen["blend_parts"]) == 1 + 5

    @pytest.mark.parametrize("classes", [False, True])
    def test_losses_and_fits_are_those_of_repeated_rows(self, classes):
        X, y = numbers(40)
        y = y > 0 if classes else y
        counts = np.random.default_rng(1).integers(1, 4, size=40)
        again = np.arange(40).repeat(counts)
        targets, coordinates = code_targets(y, "auto"), Coordinates.of(X)
        rows = rows_of(X, targets, coordinates, counts)
        repeated = rows_of(X, targets, coordinates).take(again)
        raw = np.random.default_rng(2).normal(size=(40, 1))
        once, often = blend._Loss.of(rows, raw), blend._Loss.of(repeated, raw[again])
        assert (once.value, once.slope) == pytest.approx((often.value, often.slope), rel=1e-6)
        if not classes:
            K = np.exp(-np.abs(X[:, :1] - X[:, 0]))
            # Weights are as shares of the mean, and so is the ridge.
            weights, constant = blend._fit(rows, K, 0.1, 1.0)
            other, same = blend._fit(repeated, K[np.ix_(again, again)], 0.1 * counts.mean(), 1.0)
            assert_allclose(constant, same)
            assert_allclose(K @ weights, K[:, again] @ other, atol=1e-9)

    def test_weights_at_the_bound_are_at_the_bound_of_each_row(self):
        X, y = numbers(4)
        counts = np.array([1.0, 2.0, 3.0, 2.0])
        rows = rows_of(X, code_targets(y, "auto"), Coordinates.of(X), counts)
        assert blend._share_at_bound(rows, np.array([[1.0], [2.0], [-3.0], [1.0]])) == 0.75

    def test_members_with_equal_weights_alone_are_a_blend_of_their_own(self):
        X, _ = numbers()
        y = np.sin(X.sum(axis=1))
        found, targets = fitted(X, y)
        alone = cross_fit(X, targets, Coordinates.of(X), members=FEW[1:])
        assert_allclose(found.losses_with_equal_weights, alone.losses, rtol=1e-9)
        assert fitted(X, y, members=FEW[:1])[0].losses_with_equal_weights is None

    def test_of_many_columns_the_promising_ones_get_weights(self, monkeypatch):
        monkeypatch.setattr(blend, "MOST_COLUMNS", 3)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100, 9))
        y = X[:, 4] + np.abs(X[:, 7])
        found, targets = fitted(X, y)
        for fold in found.folds:
            weights = np.array(fold.kernels[0].kernel.weights)
            assert weights[[4, 7]].all()
            rows, values = found.rows.X[fold.learned_from], targets.values[fold.learned_from]
            some = promising(rows, values, np.arange(9), 3)
            assert not weights[~some].any()
            again = learn_weights(rows[:, some], values, np.arange(3), "product")
            assert_allclose(weights[some], again.kernel.weights)

    def test_noise_is_not_learned(self):
        rng = np.random.default_rng(0)
        found, _ = fitted(rng.normal(size=(100, 5)), rng.normal(size=100))
        assert 0.9 < found.error < 1.3

    def test_the_same_on_any_number_of_cores(self):
        from reldim.inputs.cores import on_cores

        X, y = numbers()
        with on_cores(1):
            alone, _ = fitted(X, y)
        with on_cores(2):
            beside, _ = fitted(X, y)
        assert_allclose(beside.held_out, alone.held_out, rtol=0, atol=0)

    def test_columns_may_be_shifted_and_scaled(self):
        X, y = numbers()
        first, _ = fitted(X, y)
        second, _ = fitted(1000.0 * X + 7.0, y)
        assert_allclose(second.held_out, first.held_out, atol=1e-4)

    def test_a_class_with_few_rows(self):
        X, y = numbers(40)
        labels = np.digitize(y, [-0.5, 0.5])
        labels[:2] = 7
        found, targets = fitted(X, labels)
        assert found.held_out.shape == (40, 4)
        assert_allclose(found.held_out.sum(axis=1), 1)
        assert found.blend(X).shape == (40, 4)
        assert len(targets.classes) == 4

    def test_several_outputs(self):
        X, y = numbers()
        found, _ = fitted(X, np.column_stack([y, -y]))
        assert_allclose(found.held_out[:, 0], -found.held_out[:, 1], atol=1e-8)


def test_equal_weights_leave_out_columns_of_noise_where_they_are_many():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 22))
    y = np.sin(2 * X[:, 0]) + X[:, 1]
    equal = (Member("product", equal=True),)

    def seen(columns):
        part = X[:, :columns]
        found = cross_fit(part, code_targets(y), Coordinates.of(part), members=equal)
        return np.flatnonzero(found.kernels[0].kernel.weights), found.error

    all_of_two, without_noise = seen(2)
    some_of_many, with_noise = seen(22)
    assert set(all_of_two) == {0, 1}
    assert {0, 1} <= set(some_of_many) < set(range(22))
    assert with_noise < 1.5 * without_noise
