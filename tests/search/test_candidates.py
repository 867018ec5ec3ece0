"""The kernels to try, and the choice among them."""

import gc
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.eigensolvers.dense import dense_bytes
from reldim.exceptions import GridEdgeWarning, InputError
from reldim.inputs.cores import on_cores
from reldim.inputs.targets import code_targets
from reldim.search import growing_rank
from reldim.search.candidates import choose, search
from reldim.search.families import MORE_STEPS, STEPS, family_of
from reldim.spectrum import gram

SINC = datasets.noisy_sinc(60, noise=0.1, random_state=0)
GAUSSIANS = [kernels.Gaussian(width) for width in (0.01, 0.1, 1.0)]


def linear(X, Z):
    return X @ Z.T


def chosen(X, y, specification=None, **settings):
    return choose(X, code_targets(y), specification, **settings)


class TestChoice:
    @pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
    def test_equals_a_loop_over_the_kernels(self, criterion):
        found = chosen(SINC.X, SINC.y, GAUSSIANS, criterion=criterion)
        loop = [
            relevant_dimension(decompose(kernel, SINC.X), SINC.y, criterion=criterion)
            for kernel in GAUSSIANS
        ]
        best = int(np.argmin([rd.criterion_value for rd in loop]))
        assert found.index == best
        assert found.best.spectrum.gram.kernel == GAUSSIANS[best]
        for row, rd, kernel in zip(found.rows, loop, GAUSSIANS, strict=True):
            assert (row.kernel, row.name) == (kernel, repr(kernel))
            assert row.dimension == rd.dimension
            for name in (
                "negative_log_likelihood",
                "criterion_value",
                "noise_level",
                "p_value",
            ):
                assert getattr(row, name) == pytest.approx(getattr(rd, name), rel=1e-9), name
            assert row.fixed_error == pytest.approx(rd.fixed_error, rel=1e-9)

    def test_settings_reach_the_estimate(self):
        fixed = chosen(SINC.X, SINC.y, GAUSSIANS, dimension=3, center=True)
        assert fixed.best.dimension == 3
        assert all(row.dimension == 3 for row in fixed.rows)
        assert fixed.best.spectrum.center

    def test_the_first_of_equals_wins(self):
        found = chosen(SINC.X, SINC.y, [kernels.Gaussian(0.5), kernels.Gaussian(0.5)])
        assert found.index == 0

    def test_two_classes_are_centred_with_the_kernel(self):
        # Without an offset a centred kernel gives away what the larger class is known by.
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 2))
        y = np.where(X[:, 0] > 1.0, "rare", "often")
        found = chosen(X, y, kernels.Gaussian(2.0), center=True)
        np.testing.assert_allclose(found.best.targets.values.mean(), 0.0, atol=1e-12)
        assert found.best.error_estimate < 0.5 * np.mean(y == "rare")

    def test_progress_counts_every_kernel(self):
        calls = []
        found = chosen(SINC.X, SINC.y, GAUSSIANS, progress=lambda *call: calls.append(call))
        assert calls == [("kernels", done, 3) for done in (1, 2, 3)]
        assert len(found.rows) == 3

    def test_only_the_best_is_held(self):
        judged = []

        class Judged:
            criterion_error = 0.0

            def __init__(self, spectrum):
                self.criterion_value = abs(spectrum.gram.kernel.width - 0.1)

        def judge(spectrum):
            made = Judged(spectrum)
            judged.append(weakref.ref(made))
            return made

        found = search(
            SINC.X,
            code_targets(SINC.y),
            GAUSSIANS,
            judge=judge,
            keep=lambda name, kernel, judgement: (
                name,
                kernel,
                judgement.judged.criterion_value,
            ),
            tolerance=1.0,
        )
        gc.collect()
        assert [reference() is not None for reference in judged] == [False, True, False]
        assert judged[1]() is found.best
        assert found.rows[found.index] == ("Gaussian(width=0.1)", GAUSSIANS[1], 0.0)

    def test_lengths_of_X_and_y(self):
        with pytest.raises(InputError, match=r"the same number of rows. Got 59 and 60\."):
            chosen(SINC.X[1:], SINC.y)


def figures(found):
    """Return all numbers that a search came to, as bytes."""
    columns = [
        (row.dimension, row.criterion_value, row.noise_level, row.fixed_error, row.rank)
        for row in found.rows
    ]
    best = found.best.coefficients.tobytes()
    return np.array(columns).tobytes(), best, found.index, found.p_value


class TestSideBySide:
    X = np.random.default_rng(0).normal(size=(300, 2))
    WEAK = 0.15 * X[:, 0] + np.random.default_rng(1).normal(size=300)
    STRONG = np.sin(4 * X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=300)

    @pytest.mark.parametrize("few_rows", [1000, 100], ids=["dense", "low rank"])
    @pytest.mark.parametrize("y", [WEAK, STRONG], ids=["weak", "strong"])
    def test_the_result_has_the_same_bits_on_any_number_of_cores(self, monkeypatch, few_rows, y):
        monkeypatch.setattr(growing_rank, "FEW_ROWS", few_rows)
        monkeypatch.setattr(growing_rank, "FIRST_RANK", 16)
        found = []
        for jobs in (1, 2, 3):
            with on_cores(jobs):
                found.append(figures(chosen(self.X, y)))
        assert found[0] == found[1] == found[2]

    def judge(self, meeting):
        def judge(spectrum):
            meeting(spectrum.gram.kernel.width)
            return ByWidth(spectrum.gram.kernel.width, spectrum.gram.kernel.width)

        return judge

    def searched(self, meeting, **settings):
        with on_cores(3):
            return search(
                SINC.X,
                code_targets(SINC.y),
                GAUSSIANS,
                judge=self.judge(meeting),
                keep=lambda name, kernel, judgement: kernel.width,
                tolerance=1.0,
                **settings,
            )

    def test_kernels_are_judged_at_the_same_time(self):
        together = threading.Barrier(3)
        found = self.searched(lambda _: together.wait(timeout=20))
        assert found.rows == tuple(kernel.width for kernel in GAUSSIANS)

    def test_where_memory_is_short_they_are_judged_one_after_the_other(self):
        threads = set()
        needed = dense_bytes(len(SINC.X))
        self.searched(lambda _: threads.add(threading.get_ident()), memory=4 * needed)
        assert threads == {threading.get_ident()}
        self.searched(lambda _: threads.add(threading.get_ident()), memory=5 * needed)
        assert len(threads) > 1

    def test_progress_is_told_in_the_thread_of_the_caller(self):
        told = []
        self.searched(
            lambda _: None, progress=lambda *call: told.append((*call, threading.get_ident()))
        )
        here = threading.get_ident()
        assert told == [("kernels", done, 3, here) for done in (1, 2, 3)]

    def test_an_error_of_one_kernel_is_that_of_the_search(self):
        def fail(width):
            if width == GAUSSIANS[1].width:
                raise ZeroDivisionError

        threads = threading.active_count()
        with pytest.raises(ZeroDivisionError):
            self.searched(fail)
        assert threading.active_count() == threads


class TestSharing:
    @pytest.fixture
    def calls(self, monkeypatch):
        calls = []
        original = gram.squared_distances
        monkeypatch.setattr(
            gram, "squared_distances", lambda *args: calls.append(1) or original(*args)
        )
        # What a kernel computes for itself would escape the count.
        monkeypatch.setattr(kernels.Radial, "matrix", None)
        return calls

    @pytest.mark.parametrize(
        "specification",
        ["gaussian", ["gaussian", "laplacian"], GAUSSIANS, [*GAUSSIANS, "matern", "linear"]],
        ids=["family", "families", "list", "mixed"],
    )
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_distances_are_computed_once(self, calls, specification, jobs):
        with on_cores(jobs):
            chosen(SINC.X, SINC.y, specification)
        assert len(calls) == 1

    def test_extensions_share_them_too(self, calls):
        with pytest.warns(GridEdgeWarning):
            found = chosen(*a_line(1e-5))
        assert len(found.rows) > STEPS
        assert len(calls) == 1


def a_line(noise):
    """Draw a problem to which a Gaussian suits the better, the wider it is and the less noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    X -= X.mean()
    return X, X[:, 0] + noise * rng.normal(size=60)


@dataclass(frozen=True)
class ByWidth:
    """A criterion that is lowest at one width."""

    width: float
    criterion_value: float
    criterion_error: float = 0.0


def nearest_to(width, specification="gaussian", tolerance=1.0, **settings):
    def judge(spectrum):
        found = spectrum.gram.kernel.width
        return ByWidth(found, abs(float(np.log(found / width))))

    return search(
        SINC.X,
        code_targets(SINC.y),
        specification,
        judge=judge,
        keep=lambda name, kernel, judgement: kernel.width,
        tolerance=tolerance,
        **settings,
    )


FAMILY = family_of("gaussian", SINC.X)


class TestRoundOff:
    def test_of_equal_kernels_the_one_whose_value_is_certain_is_chosen(self):
        def judge(spectrum):
            width = spectrum.gram.kernel.width
            # Equal up to round-off, which the widest have most of.
            return ByWidth(width, -1e-9 * width, 1e-7 * width)

        found = search(
            SINC.X,
            code_targets(SINC.y),
            GAUSSIANS,
            judge=judge,
            keep=lambda name, kernel, judgement: kernel.width,
            tolerance=1.0,
        )
        assert found.best.width == min(kernel.width for kernel in GAUSSIANS)

    def test_wide_kernels_are_not_told_apart_by_round_off(self):
        # Under wide kernels a parabola is a parabola: 1e5 and 1e6 differ in the last digits.
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 3))
        y = X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=80)
        widths = np.logspace(1, 6, 11)
        found = chosen(X, y, [kernels.Gaussian(width) for width in widths])
        assert found.best.criterion_error < 1e-5
        assert [row.criterion_value for row in found.rows][found.index] == pytest.approx(
            min(row.criterion_value for row in found.rows), abs=1e-3
        )


class TestEdges:
    def test_inside_the_grid_nothing_is_added(self):
        found = nearest_to(FAMILY.make(9).width)
        assert found.rows == tuple(FAMILY.make(step).width for step in range(STEPS))
        assert (found.index, found.edge) == (9, None)

    @pytest.mark.parametrize("step, first, last", [(STEPS + 3, 0, STEPS + 4), (-4, -5, STEPS - 1)])
    def test_grid_is_extended_beyond_its_edge(self, step, first, last):
        found = nearest_to(FAMILY.make(step).width)
        assert found.rows == tuple(FAMILY.make(s).width for s in range(first, last + 1))
        assert found.best.width == found.rows[found.index] == FAMILY.make(step).width
        assert found.edge is None

    @pytest.mark.parametrize(
        "width, last",
        [(1e12, STEPS - 1 + MORE_STEPS), (1e-12, -MORE_STEPS)],
        ids=["wide", "narrow"],
    )
    def test_warning_where_that_does_not_help(self, width, last):
        with pytest.warns(
            GridEdgeWarning,
            match=r"gaussian family, Gaussian\(width=.*\), lies at the edge.*another",
        ):
            found = nearest_to(width)
        assert len(found.rows) == STEPS + MORE_STEPS
        assert found.best.width == FAMILY.make(last).width
        assert repr(kernels.Gaussian(found.best.width)) in found.edge

    def test_no_warning_where_the_criterion_is_flat(self):
        assert nearest_to(1e12, tolerance=1e4).edge is None

    def test_progress_total_grows(self):
        calls = []
        nearest_to(FAMILY.make(STEPS + 3).width, progress=lambda *call: calls.append(call))
        assert [done for _, done, _ in calls] == list(range(1, STEPS + 6))
        assert all(done <= total for _, done, total in calls)

    def test_only_the_family_of_the_best_is_extended(self):
        found = chosen(*a_line(1e-2), ["gaussian", "linear"])
        assert found.best.spectrum.gram.kernel == kernels.Linear()
        assert len(found.rows) == STEPS + 1

    def test_a_list_of_kernels_has_no_edge(self):
        found = nearest_to(1e12, GAUSSIANS)
        assert found.best.width == 1.0
        assert found.edge is None

    def test_of_a_line(self):
        assert len(chosen(*a_line(0.1)).rows) == STEPS
        extended = chosen(*a_line(1e-2))
        assert STEPS <= extended.index < len(extended.rows) - 1
        with pytest.warns(GridEdgeWarning, match="lies at the edge of the range that was tried"):
            found = chosen(*a_line(1e-5))
        assert found.index == len(found.rows) - 1 == STEPS - 1 + MORE_STEPS


class TestInvariance:
    """The same data in another order or unit: the same kernel and dimension."""

    BASE = chosen(SINC.X, SINC.y)

    def same(self, found):
        assert found.best.spectrum.gram.kernel == self.BASE.best.spectrum.gram.kernel
        assert found.best.dimension == self.BASE.best.dimension
        assert [row.name for row in found.rows] == [row.name for row in self.BASE.rows]

    @given(st.permutations(range(60)))
    @settings(max_examples=10, deadline=None)
    def test_order_of_rows(self, order):
        self.same(chosen(SINC.X[order], SINC.y[order]))

    @given(st.floats(-8, 8), st.sampled_from([-1.0, 1.0]), st.floats(-100, 100))
    @settings(max_examples=10, deadline=None)
    def test_unit_and_origin_of_y(self, log_scale, sign, shift):
        scale = sign * 10**log_scale
        found = chosen(SINC.X, scale * (SINC.y + shift))
        self.same(found)
        assert found.best.noise_level == pytest.approx(self.BASE.best.noise_level, rel=1e-6)

    @given(st.integers(-8, 8))
    @settings(max_examples=6, deadline=None)
    def test_unit_of_X(self, power):
        # The rounding of widths to three digits is not free of the unit, the choice nearly is.
        found = chosen(10.0**power * SINC.X, SINC.y)
        assert found.index == self.BASE.index
        assert found.best.dimension == self.BASE.best.dimension

    def test_names_of_classes(self):
        y = SINC.y > np.median(SINC.y)
        assert (
            chosen(SINC.X, y).best.dimension
            == chosen(SINC.X, np.where(y, "low", "high")).best.dimension
        )
