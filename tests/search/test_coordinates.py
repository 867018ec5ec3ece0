"""Coordinates: what does not change them, and what they are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from reldim.search.coordinates import Coordinates


def columns(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.normal(size=n), np.exp(2 * rng.normal(size=n)), rng.integers(0, 2, n), np.ones(n)]
    )


@settings(deadline=None)
@given(
    st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=4),
    st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4),
)
def test_do_not_change_where_columns_were_shifted_or_scaled(scale, shift):
    X = columns()
    other = X * scale + shift
    assert_allclose(Coordinates.of(other)(other), Coordinates.of(X)(X), atol=1e-6)


def test_numbers_have_mean_0_and_variance_1():
    X = columns()
    found = Coordinates.of(X)(X)
    assert_allclose(found[:, :2].mean(axis=0), 0, atol=1e-8)
    assert_allclose(found[:, :2].std(axis=0), 1, rtol=1e-8)


def test_far_values_are_bent_inwards():
    X = columns()
    assert (
        Coordinates.of(X)(X)[:, 1].max()
        < ((X - X.mean(axis=0)) / X.std(axis=0).clip(1e-9))[:, 1].max()
    )


def test_categories_are_as_far_apart_whatever_their_number():
    values = np.array([0, 1, 2, 0, 1, 2])
    one_hot, single = np.eye(3)[values], (values[:, None] == 0).astype(float)
    many = Coordinates.of(one_hot, ["a", "a", "a"])(one_hot)
    two = Coordinates.of(single, ["b"])(single)
    assert_allclose(np.linalg.norm(many[0] - many[1]), np.linalg.norm(two[0] - two[1]))


def test_groups_follow_the_sources():
    assert Coordinates.of(columns(), ["b", "a", "a", "c"]).groups.tolist() == [0, 1, 1, 2]
    assert Coordinates.of(columns()).groups.tolist() == [0, 1, 2, 3]


def test_constant_columns_are_zero():
    X = columns()
    assert_allclose(Coordinates.of(X)(X)[:, 3], 0)
