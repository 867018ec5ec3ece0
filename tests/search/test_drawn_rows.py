"""Draws of rows: by content, not by place, and none of the classes is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from reldim.inputs.targets import code_targets
from reldim.search.drawn_rows import (
    draw_rows,
    draw_with_rare_rows,
    ordered_by_content,
    rows_to_fit,
)


@given(st.integers(0, 2**32 - 1), st.integers(6, 40))
def test_the_same_rows_in_the_same_order_however_they_are_shuffled(seed, most):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(40, 2)).astype(float), rng.integers(0, 3, size=40)
    order = rng.permutation(40)
    rows = rows_to_fit(X, code_targets(y, "classification"), most, 0)
    again = rows_to_fit(X[order], code_targets(y[order], "classification"), most, 0)
    assert len(rows) == most
    assert_array_equal(X[rows], X[order][again])
    assert_array_equal(y[rows], y[order][again])


def test_rows_are_ordered_by_the_last_column_first_and_equal_ones_by_their_target():
    X = np.array([[1.0, 2.0], [0.0, 2.0], [5.0, 1.0], [0.0, 2.0]])
    targets = code_targets(np.array([3.0, 2.0, 1.0, 0.0]), "regression")
    assert ordered_by_content(X, targets).tolist() == [2, 3, 1, 0]


@given(st.integers(0, 2**32 - 1))
def test_sparse_rows_are_ordered_as_dense_ones(seed):
    rng = np.random.default_rng(seed)
    X, targets = rng.integers(-2, 3, size=(30, 4)) * 1.0, code_targets(rng.normal(size=30))
    X *= rng.random(X.shape) < rng.random()
    found = ordered_by_content(sparse.csr_array(X), targets)
    assert_array_equal(found, ordered_by_content(X, targets))


def test_rows_that_are_equal_are_ordered_by_their_weights():
    targets, weights = code_targets([0.0, 0.0, 1.0], "regression"), np.array([2.0, 1.0, 0.0])
    assert rows_to_fit(np.ones((3, 1)), targets, 3, 0, weights=weights).tolist() == [1, 0, 2]


def test_all_rows_are_drawn_where_they_are_few():
    targets = code_targets(np.arange(7.0), "regression")
    assert draw_rows(targets, 7, 0).tolist() == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("seed", range(5))
def test_two_rows_of_each_class_are_drawn(seed):
    labels = np.repeat([0, 1, 2], [990, 7, 3])
    drawn = draw_rows(code_targets(labels, "classification"), 20, seed)
    assert len(drawn) == len(set(drawn.tolist())) == 20
    assert (np.diff(drawn) > 0).all()
    assert (np.bincount(labels[drawn], minlength=3) >= 2).all()


def test_rows_are_drawn_from_everywhere():
    targets = code_targets(np.arange(10_000.0), "regression")
    drawn = draw_rows(targets, 1000, 0)
    # The mean of 1000 of 10 000 places has a standard error of 87.
    assert abs(drawn.mean() - 4999.5) < 350
    assert not np.array_equal(drawn, draw_rows(targets, 1000, 1))


@given(
    st.lists(st.integers(1, 400), min_size=2, max_size=5),
    st.integers(20, 300),
    st.integers(0, 2**32 - 1),
)
def test_rare_classes_are_kept_and_counts_add_up(sizes, most, seed):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    targets = code_targets(labels, "classification")
    rows, counts = draw_with_rare_rows(targets, most, seed)
    assert len(rows) == min(most, len(labels))
    assert (np.diff(rows) > 0).all()
    drawn = np.bincount(labels[rows], minlength=len(sizes))
    if counts is None:
        assert_array_equal(rows, draw_rows(targets, most, seed))
        return
    part = most // (2 * len(sizes))
    assert (drawn >= np.minimum(sizes, part)).all()
    # Each class stands for all of its rows.
    np.testing.assert_allclose(np.bincount(labels[rows], counts), sizes)


def test_all_frauds_are_drawn():
    labels = np.repeat([0, 1], [19_793, 207])
    rows, counts = draw_with_rare_rows(code_targets(labels, "classification"), 2000, 0)
    assert labels[rows].sum() == 207
    assert_array_equal(counts[labels[rows] == 1], 1.0)


def test_numbers_and_even_classes_are_drawn_as_ever():
    for targets in (
        code_targets(np.arange(500.0), "regression"),
        code_targets(np.arange(500) % 3, "classification"),
    ):
        rows, counts = draw_with_rare_rows(targets, 100, 0)
        assert counts is None
        assert_array_equal(rows, draw_rows(targets, 100, 0))
