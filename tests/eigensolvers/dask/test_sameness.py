"""Estimates, diagnoses and estimators on a cluster beside those in memory: the same answers."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from lazily import KERNEL, both, lazy, problem
from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    KernelRidgeClassifier,
    LowRankGPClassifier,
    LowRankGPRegressor,
    RelevantKernelPCA,
    cutoffs,
    diagnose,
    kernels,
    relevant_dimension,
)
from reldim.diagnosis.findings import scale_ratio
from reldim.eigensolvers import in_blocks, make_factor
from reldim.exceptions import InputError
from reldim.inputs.rows import is_lazy
from reldim.inputs.targets import code_targets
from reldim.relevance.estimation import estimate
from reldim.search.families import width_range
from reldim.search.growing_rank import Plan, judge_kernel
from reldim.search.permutation_test import ChoiceTest
from reldim.spectrum.gram import Gram

pytestmark = pytest.mark.usefixtures("small_blocks")


@pytest.fixture(scope="module")
def estimates():
    """Estimates in memory and in blocks, for each kind of targets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reldim.eigensolvers.dask.rows.MULTIPLE", 64)
        X, y = problem()
        memory, blocks = both(X, rank=60)
        kinds = {
            "numbers": y,
            "two outputs": np.column_stack([y, X[:, 0]]),
            "two classes": np.where(y > 0.3, "b", "a"),
            "three classes": np.digitize(y, [-0.5, 0.5]),
            "truth values": y > 0,
            "noise": np.random.default_rng(5).normal(size=len(y)),
        }
        return {
            (kind, criterion): (
                relevant_dimension(memory, values, criterion=criterion),
                relevant_dimension(blocks, lazy(values), criterion=criterion),
            )
            for kind, values in kinds.items()
            for criterion in ("likelihood", "leave-one-out")
        }


every_kind = pytest.mark.parametrize(
    "kind",
    ["numbers", "two outputs", "two classes", "three classes", "truth values", "noise"],
)


@every_kind
@pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
class TestEstimates:
    def test_figures(self, estimates, kind, criterion):
        memory, blocks = estimates[kind, criterion]
        assert blocks.dimension == memory.dimension
        assert blocks.interval == memory.interval
        assert blocks.targets.reason == memory.targets.reason
        for name in ("p_value", "negative_log_likelihood", "noise_level", "error_estimate"):
            assert getattr(blocks, name) == pytest.approx(getattr(memory, name), rel=1e-9)
        np.testing.assert_allclose(blocks.curve, memory.curve, rtol=1e-9)

    def test_rows_are_lazy(self, estimates, kind, criterion):
        memory, blocks = estimates[kind, criterion]
        for name in ("denoised", "denoised_labels", "leave_one_out", "scores", "fitted"):
            assert is_lazy(getattr(blocks, name)), name
        np.testing.assert_allclose(blocks.denoised, memory.denoised, atol=1e-9)
        np.testing.assert_allclose(blocks.leave_one_out, memory.leave_one_out, atol=1e-9)
        np.testing.assert_allclose(blocks.leverages, memory.leverages, atol=1e-9)
        labels = np.asarray(blocks.denoised_labels)
        assert labels.dtype == memory.denoised_labels.dtype
        if memory.targets.classes is not None:
            np.testing.assert_array_equal(labels, memory.denoised_labels)


class TestDiagnose:
    def test_the_same_sweep(self):
        X, y = problem(1500)
        family = [kernels.Gaussian(width) for width in (0.3, 3.0, 30.0)]
        memory = diagnose(X, y, kernels=family, solver="lowrank")
        blocks = diagnose(lazy(X, 400), lazy(y, 400), kernels=family)
        assert blocks.solver == "dask"
        assert blocks.kernel == memory.kernel
        assert (blocks.verdict.code, blocks.verdict.evidence) == (
            memory.verdict.code,
            memory.verdict.evidence,
        )
        pd.testing.assert_frame_equal(blocks.candidates, memory.candidates)
        new = X[:50] + 0.01
        np.testing.assert_allclose(
            blocks.predictor().predict(lazy(new, 20)), memory.predictor().predict(new), atol=1e-8
        )

    def test_the_grid_follows_the_data(self):
        X, y = problem(300)
        memory, blocks = (
            diagnose(data, labels, kernels=["polynomial", "linear"], solver=solver)
            for data, labels, solver in (
                (X, np.where(y > 0, "b", "a"), "lowrank"),
                (lazy(X), lazy(np.where(y > 0, "b", "a")), "dask"),
            )
        )
        pd.testing.assert_frame_equal(blocks.candidates, memory.candidates)
        assert blocks.classes.tolist() == ["a", "b"]

    def test_data_in_memory_on_a_cluster(self):
        X, y = problem(300)
        found = diagnose(X, y, kernels=KERNEL, solver="dask")
        assert found.solver == "dask"
        assert found.dimension == diagnose(X, y, kernels=KERNEL, solver="lowrank").dimension

    def test_copies_are_left_out(self, monkeypatch):
        X, y = problem(300)
        order = np.random.default_rng(1).permutation(420)
        X, y = np.concatenate([X, X[:120]])[order], np.concatenate([y, y[:120]])[order]
        # Several buckets of keys.
        monkeypatch.setattr("reldim.eigensolvers.dask.buckets.BUCKET_ROWS", 100)
        memory = diagnose(X, y, kernels=KERNEL, solver="lowrank")
        blocks = diagnose(lazy(X, 50), lazy(y, 50), kernels=KERNEL)
        assert blocks.n == memory.n == 300
        assert blocks.preparation == memory.preparation
        assert "120 rows that repeat others" in blocks.preparation[0]
        assert blocks.dimension == memory.dimension
        assert blocks.relevance.negative_log_likelihood == pytest.approx(
            memory.relevance.negative_log_likelihood
        )
        kept = np.asarray(blocks.problem.X.take(np.arange(300)))
        np.testing.assert_array_equal(kept, memory.problem.X)

    def test_equal_rows_with_different_targets_are_no_copies(self):
        X = np.repeat(np.arange(40.0)[:, None], 2, axis=0)
        y = np.where(X[:, 0] > 20, "b", "a")
        y[1] = "c"
        memory = diagnose(X, y, kernels=KERNEL, solver="lowrank")
        blocks = diagnose(lazy(X, 30), lazy(y, 30), kernels=KERNEL)
        assert blocks.n == memory.n == 41
        assert blocks.preparation == memory.preparation
        assert "Left out 39 rows" in memory.preparation[0]

    @pytest.mark.parametrize("way", ["blocks", pytest.param("memory", marks=pytest.mark.slow)])
    def test_the_whole_diagnosis(self, way):
        X, y = problem(150)
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        memory = diagnose(X, y, solver="lowrank")
        data = (dd.from_pandas(frame, npartitions=3), lazy(y, 50)) if way == "blocks" else (X, y)
        blocks = diagnose(*data, solver="dask")
        assert blocks.solver == "dask"
        assert blocks.verdict.code == memory.verdict.code
        assert blocks.error_estimate == pytest.approx(memory.error_estimate, rel=1e-6)
        assert blocks.noise_estimate.value == pytest.approx(memory.noise_estimate.value, rel=1e-6)
        found = [list(one.references["error"]) for one in (blocks, memory)]
        assert len(found[0]) == 3
        # Trees split at other places where the mean of the targets differs in its last digit.
        np.testing.assert_allclose(*found, rtol=0.02)
        shares = [one.columns["share"].to_numpy() for one in (blocks, memory)]
        np.testing.assert_allclose(*shares, atol=1e-6)
        if way == "blocks":
            assert set(blocks.columns.index) == set(frame.columns)
        places = [one.effects["effect"].to_numpy() for one in (blocks, memory)]
        np.testing.assert_allclose(np.sort(places[0]), np.sort(places[1]), rtol=1e-4)
        predicted = blocks.predictor().predict(lazy(X[:50], 20))
        assert is_lazy(predicted)
        np.testing.assert_allclose(predicted, memory.predictor().predict(X[:50]), rtol=1e-6)

    def test_classes_of_a_blend(self):
        X, y = problem(150)
        X = np.column_stack([X, np.random.default_rng(2).normal(size=150)])
        labels = np.where(y > 0.3, "b", "a")
        memory = diagnose(X, labels, solver="lowrank", references=False).predictor()
        blocks = diagnose(lazy(X, 50), lazy(labels, 50), references=False).predictor()
        new = lazy(X[:50], 20)
        np.testing.assert_array_equal(blocks.predict(new), memory.predict(X[:50]))
        np.testing.assert_allclose(
            blocks.predict_proba(new), memory.predict_proba(X[:50]), atol=1e-6
        )

    def test_a_draw_of_many_rows(self, monkeypatch):
        monkeypatch.setattr("reldim.diagnosis.expectation.MOST_ROWS", 100)
        X, y = problem(300)
        X = np.column_stack([X, np.random.default_rng(2).normal(size=300)])
        found = diagnose(lazy(X, 100), lazy(y, 100))
        assert len(found.references) == 3
        assert found.columns["share"].sum() == pytest.approx(1.0)

    def test_repeated_measurements_are_kept(self):
        X, _ = problem(100)
        X = np.repeat(X, 3, axis=0)
        y = np.random.default_rng(3).normal(size=300)
        assert diagnose(lazy(X), lazy(y), kernels=KERNEL).n == 300

    def test_columns_of_very_different_scale(self):
        X, _ = problem(300)
        X = np.column_stack([X * [1.0, 1.0, 1e4], np.full(300, 7.0)])
        blocks = in_blocks(lazy(X)).prepared(KERNEL)
        spread = X[:, :3].std(axis=0)
        for points in (X, blocks):
            assert scale_ratio(points) == pytest.approx(spread.max() / spread.min())

    def test_rank_grows_where_a_judgement_needs_it(self):
        X = np.sort(np.random.default_rng(0).uniform(-np.pi, np.pi, 1500))[:, None]
        y = np.sin(80 * X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=1500)
        kernel, plan = kernels.Gaussian(1e-3), Plan(solver="dask")
        blocks = in_blocks(lazy(X, 500))
        targets = code_targets(blocks.column(y))
        found = judge_kernel(Gram.of(kernel, blocks), lambda s: estimate(s, targets), plan)
        assert found.rank > 256
        targets = code_targets(y)
        memory = judge_kernel(
            Gram.of(kernel, X), lambda s: estimate(s, targets), Plan(solver="lowrank")
        )
        assert (found.rank, found.judged.dimension) == (memory.rank, memory.judged.dimension)

    def test_progress(self):
        seen = []
        X, y = problem(300)
        diagnose(lazy(X), lazy(y), kernels=KERNEL, progress=lambda stage, *_: seen.append(stage))
        assert {"landmarks", "kernels"} <= {*seen}


class TestChoice:
    def seen(self, points, y, **options):
        targets = code_targets(y)
        test = ChoiceTest(targets, **options)
        for width in (0.5, 5.0):
            gram = Gram.of(kernels.Gaussian(width), points)
            factor = make_factor(gram, 60)
            factor.grow(60)
            from reldim.eigensolvers.lowrank import spectrum_of_factor

            test.see(spectrum_of_factor(factor))
        return test

    @pytest.mark.parametrize("many", [100, 10_000], ids=["stand-ins", "permutations"])
    @pytest.mark.parametrize("outputs", [1, 2])
    def test_same_as_in_memory(self, monkeypatch, many, outputs):
        monkeypatch.setattr("reldim.search.permutation_test.MANY", many)
        monkeypatch.setattr("reldim.search.permutation_test.CHUNK", 90)
        X, _ = problem(400)
        y = np.random.default_rng(2).normal(size=(400, outputs)) + 0.1 * X[:, :outputs]
        memory = self.seen(X, y, random_state=3)
        blocks = in_blocks(lazy(X)).prepared(KERNEL)
        found = self.seen(blocks, blocks.column(y), random_state=3)
        assert found.p_value == memory.p_value
        np.testing.assert_allclose(found._permuted, memory._permuted, rtol=1e-8)

    def test_stand_ins_keep_the_level(self, monkeypatch):
        """Hold the p-values of normal stand-ins against those of permutations."""
        X, _ = problem(300)
        rng = np.random.default_rng(4)
        noise = [rng.exponential(size=300) for _ in range(40)]
        by_permutation = [self.seen(X, y).p_value for y in noise]
        monkeypatch.setattr("reldim.search.permutation_test.MANY", 100)
        by_stand_in = [self.seen(X, y).p_value for y in noise]
        assert np.corrcoef(by_permutation, by_stand_in)[0, 1] > 0.95
        assert np.abs(np.subtract(by_permutation, by_stand_in)).max() < 0.15

    def test_stand_ins_do_not_depend_on_what_is_drawn_together(self, monkeypatch):
        from reldim.search.permutation_test import normal_rows

        monkeypatch.setattr("reldim.search.permutation_test.CHUNK", 32)
        options = {"n": 100, "seed": 1, "groups": range(2), "root": np.diag([1.0, 3.0])}
        whole = normal_rows(np.arange(100), **options)
        parts = [normal_rows(np.arange(a, b), **options) for a, b in ((0, 7), (7, 64), (64, 100))]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
        np.testing.assert_allclose(whole.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(whole.std(axis=0), np.tile([1.0, 3.0], 16))


class TestWidths:
    def test_many_rows_give_the_same_range_in_blocks(self, monkeypatch):
        monkeypatch.setattr("reldim.search.families.MANY", 1000)
        X, _ = problem(3000)
        order = np.random.default_rng(1).permutation(3000)
        low, high = width_range(X)
        assert width_range(X[order]) == pytest.approx((low, high), rel=1e-12)
        blocks = in_blocks(lazy(X, 700)).prepared(KERNEL)
        assert width_range(blocks) == pytest.approx((low, high), rel=1e-12)

    def test_a_sample_gives_about_the_range_of_all_rows(self, monkeypatch):
        X, _ = problem(8000)
        expected = width_range(X)
        monkeypatch.setattr("reldim.search.families.MANY", 1000)
        monkeypatch.setattr("reldim.search.families.SOME", 2000)
        assert width_range(X) == pytest.approx(expected, rel=0.3)


class TestEstimators:
    @pytest.mark.parametrize(
        "make, labels",
        [
            (KernelPCRegressor, "numbers"),
            (KernelPCClassifier, "classes"),
            (KernelRidgeClassifier, "classes"),
            (lambda *given, **kw: LowRankGPClassifier(*given, rank=12, **kw), "classes"),
            (lambda *given, **kw: LowRankGPRegressor(*given, rank=12, **kw), "numbers"),
        ],
        ids=["regressor", "classifier", "ridge", "process", "process of numbers"],
    )
    def test_fit_and_predict(self, make, labels):
        X, y = problem(400)
        y = y if labels == "numbers" else np.where(y > 0.4, "c", np.where(y < 0, "a", "b"))
        memory = make(KERNEL, solver="lowrank").fit(X, y)
        blocks = make(KERNEL).fit(lazy(X), lazy(y))
        predicted = blocks.predict(lazy(X))
        assert is_lazy(predicted)
        assert predicted.dtype == np.asarray(predicted).dtype
        expected = memory.predict(X)
        if labels == "numbers":
            np.testing.assert_allclose(predicted, expected, atol=1e-8)
        else:
            np.testing.assert_array_equal(predicted, expected)
            scores = blocks.decision_function(lazy(X))
            assert is_lazy(scores)
            np.testing.assert_allclose(scores, memory.decision_function(X), atol=1e-7)
        # New points may be in memory all the same.
        assert isinstance(blocks.predict(X), np.ndarray)

    def test_probabilities_of_a_process(self):
        X, y = problem(400)
        labels = np.where(y > 0, "b", "a")
        model = LowRankGPClassifier(KERNEL, rank=12).fit(lazy(X), lazy(labels))
        memory = LowRankGPClassifier(KERNEL, rank=12, solver="lowrank").fit(X, labels)
        assert model.evidence_ == pytest.approx(memory.evidence_)
        found = model.predict_proba(lazy(X))
        assert is_lazy(found)
        np.testing.assert_allclose(found, memory.predict_proba(X), atol=1e-9)
        for part, expected in zip(model.latent(lazy(X)), memory.latent(X), strict=True):
            np.testing.assert_allclose(part, expected, atol=1e-8)

    def test_components(self):
        X, y = problem(400)
        memory = RelevantKernelPCA(KERNEL, solver="lowrank").fit(X, y)
        blocks = RelevantKernelPCA(KERNEL).fit(lazy(X), lazy(y))
        np.testing.assert_allclose(blocks.transform(lazy(X)), memory.transform(X), atol=1e-7)

    def test_data_frames(self):
        X, y = problem(300)
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        frame["y"], frame["kind"] = y, pd.Categorical(np.where(y > 0, 7, 3))
        lazy_frame = dd.from_pandas(frame, npartitions=3)
        features = ["a", "b", "c"]
        model = KernelPCRegressor(KERNEL).fit(lazy_frame[features], lazy_frame["y"])
        assert model.feature_names_in_.tolist() == features
        predicted = model.predict(lazy_frame[features])
        assert is_lazy(predicted)
        expected = KernelPCRegressor(KERNEL, solver="lowrank").fit(frame[features], y)
        np.testing.assert_allclose(predicted, expected.predict(frame[features]), atol=1e-8)
        single = lazy_frame[features].astype(np.float32)
        model = KernelPCRegressor(KERNEL, dimension=3).fit(single, lazy_frame["y"])
        assert model._expansion.landmarks.dtype == np.float32
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(lazy_frame[["b", "a", "c"]])
        # Categories are labels, whatever they are made of.
        model = KernelPCClassifier(KERNEL, dimension=3)
        model.fit(lazy_frame[features], lazy_frame["kind"])
        assert model.classes_.tolist() == ["3", "7"]

    def test_a_rule_that_needs_memory_says_so(self):
        X, y = problem(100)
        model = KernelPCRegressor(KERNEL, dimension=cutoffs.CrossValidated())
        with pytest.raises(InputError, match="needs the data in memory"):
            model.fit(lazy(X), lazy(y))
