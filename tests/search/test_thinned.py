"""Outlines: thinned, and still true to what they are taken from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.inputs.targets import decide
from reldim.search.thinned import (
    POINTS,
    ROWS,
    SINGLE,
    Outline,
    _agreement,
    _edges,
    _kept,
    sampled_rows,
)

GAUSSIAN = kernels.Gaussian(1.0)


def estimated(n, kernel, *, classes=None):
    data = datasets.noisy_sinc(n, noise=0.3, random_state=0)
    y = data.y
    if classes is not None:
        edges = np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1])
        y = np.array(list("abcdefgh"))[np.searchsorted(edges, y)]
    spectrum = decompose(kernel, data.X, solver="dense")
    return relevant_dimension(spectrum, y)


@pytest.fixture(scope="module")
def large():
    return estimated(1200, kernels.Laplacian(1.0))


class TestSmallData:
    def test_nothing_is_left_out(self):
        rd = estimated(100, GAUSSIAN)
        outline = Outline.of(rd)
        assert np.array_equal(outline.first, np.arange(1, outline.count + 1))
        assert np.allclose(outline.shares, rd.coefficients**2 / np.sum(rd.targets.values**2))
        assert np.array_equal(outline.dimensions, np.arange(1, 51))
        assert np.array_equal(outline.curve, rd.curve)
        assert np.array_equal(outline.rows, np.arange(100))
        assert np.allclose(outline.denoised, rd.denoised)
        assert outline.decided is None
        assert (outline.dimension, outline.interval) == (rd.dimension, rd.interval)

    def test_noise_floor_is_the_mean_share_beyond_the_cut(self):
        rd = estimated(100, GAUSSIAN)
        beyond = Outline.of(rd).shares[rd.dimension :]
        assert Outline.of(rd).noise_floor == pytest.approx(beyond.mean())

    @pytest.mark.parametrize("classes", [2, 4])
    def test_agreement_is_negative_where_the_label_changes(self, classes):
        rd = estimated(150, GAUSSIAN, classes=classes)
        outline = Outline.of(rd)
        changed = rd.denoised_labels != rd.targets.classes[rd.targets.codes]
        assert 0 < changed.sum() < 150
        assert np.array_equal(outline.denoised < 0, changed)
        assert np.array_equal(rd.targets.classes[outline.decided], rd.denoised_labels)

    def test_two_classes_agree_by_the_product_with_the_code(self):
        rd = estimated(60, GAUSSIAN, classes=2)
        product = rd.denoised * rd.targets.values[:, 0]
        assert np.allclose(Outline.of(rd).denoised, product)


class TestLargeData:
    def test_sizes_are_bounded(self, large):
        outline = Outline.of(large)
        assert len(large.coefficients) == 1200
        assert len(outline.first) == len(outline.shares) <= POINTS
        assert len(outline.dimensions) == len(outline.curve) <= POINTS
        assert len(outline.rows) == len(outline.denoised) == ROWS

    def test_leading_components_stand_alone_and_groups_hold_the_rest(self, large):
        outline = Outline.of(large)
        shares = large.coefficients**2 / np.sum(large.targets.values**2)
        assert np.allclose(outline.shares[:SINGLE], shares[:SINGLE])
        sizes = np.diff(np.append(outline.first, outline.count + 1))
        assert sizes.sum() == outline.count == len(shares)
        assert np.sum(sizes * outline.shares) == pytest.approx(shares.sum())

    def test_points_of_the_curve_are_those_of_the_whole_curve(self, large):
        outline = Outline.of(large)
        assert np.array_equal(outline.curve, large.curve[outline.dimensions - 1])
        assert large.dimension in outline.dimensions

    def test_rows_are_those_of_the_whole(self, large):
        outline = Outline.of(large)
        assert np.allclose(outline.denoised, large.denoised[outline.rows])


def test_no_signal():
    rng = np.random.default_rng(0)
    spectrum = decompose(kernels.Gaussian(1.0), rng.normal(size=(60, 1)))
    rd = relevant_dimension(spectrum, rng.normal(size=60))
    assert rd.dimension == 0
    outline = Outline.of(rd)
    assert outline.noise_floor == pytest.approx(1 / 60)
    assert np.allclose(outline.denoised, rd.targets.mean)


def test_several_outputs_show_the_first():
    data = datasets.noisy_sinc(50, random_state=0)
    both = np.column_stack([data.y, -data.y])
    rd = relevant_dimension(decompose(kernels.Gaussian(1.0), data.X), both)
    outline = Outline.of(rd)
    assert np.allclose(outline.denoised, rd.denoised[:, 0])
    assert outline.shares.sum() == pytest.approx(1.0)


@given(st.integers(1, 200_000))
def test_edges_cover_all_components_once(count):
    edges = _edges(count)
    assert edges[0] == 0
    assert edges[-1] == count
    assert np.all(np.diff(edges) > 0)
    assert len(edges) <= POINTS + 1


@given(st.integers(1, 200_000), st.integers(0, 200_000))
def test_kept_dimensions_ascend_and_hold_what_is_marked(length, marked):
    kept = _kept(length, marked)
    assert np.all(np.diff(kept) > 0)
    assert (kept[0], kept[-1]) == (1, length)
    assert len(kept) <= POINTS
    assert marked in kept or not 1 <= marked <= length


@given(st.integers(1, 30_000))
def test_sampled_rows_ascend(n):
    rows = sampled_rows(n)
    assert len(rows) == min(n, ROWS)
    assert np.all(np.diff(rows) > 0)
    assert 0 <= rows[0]
    assert rows[-1] < n


@given(st.integers(2, 5), st.integers(0, 1000))
def test_agreement_has_the_sign_of_the_decision(classes, seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(20, 1 if classes == 2 else classes))
    codes = rng.integers(classes, size=20)
    assert np.array_equal(_agreement(scores, codes) > 0, decide(scores) == codes)
