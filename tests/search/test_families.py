"""Families: grids that follow the scale of the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from reldim import kernels
from reldim.exceptions import InputError
from reldim.search.families import (
    FAMILIES,
    MORE_STEPS,
    SAMPLE,
    STEPS,
    Family,
    family_of,
    width_range,
)

X = np.random.default_rng(0).normal(size=(80, 3))


def widths(family):
    return [family.make(step).width for step in range(family.first, family.last + 1)]


class TestWidthRange:
    def test_from_neighbours_to_far_beyond_the_data(self):
        squared = np.array([[np.sum((a - b) ** 2) for b in X] for a in X])
        np.fill_diagonal(squared, np.nan)
        nearest = np.median(np.nanmin(squared, axis=1))
        typical = np.nanmedian(squared)
        assert width_range(X) == pytest.approx((min(nearest / 10, typical / 100), 100 * typical))

    @given(st.randoms(use_true_random=False))
    @settings(max_examples=10)
    def test_order_of_rows_does_not_matter(self, random):
        order = random.sample(range(80), 80)
        assert width_range(X[order]) == pytest.approx(width_range(X), rel=1e-12)

    def test_order_does_not_matter_where_only_some_rows_are_looked_at(self):
        many = np.random.default_rng(1).normal(size=(3 * SAMPLE, 2))
        order = np.random.default_rng(2).permutation(len(many))
        assert width_range(many[order]) == pytest.approx(width_range(many), rel=1e-12)

    @pytest.mark.parametrize("factor", [1e-6, 1e6])
    def test_follows_the_unit_of_the_data(self, factor):
        expected = np.array(width_range(X)) * factor**2
        np.testing.assert_allclose(width_range(factor * X), expected, rtol=1e-9)

    def test_duplicated_rows_change_little(self):
        low, high = width_range(X)
        low_twice, high_twice = width_range(np.concatenate([X, X]))
        assert low_twice == pytest.approx(low)
        assert high_twice == pytest.approx(high, rel=0.05)

    def test_sparse_equals_dense(self):
        data = X * (X > 0.5)
        assert width_range(sparse.csr_array(data)) == pytest.approx(width_range(data))

    def test_equal_rows(self):
        with pytest.raises(InputError, match="All rows of X are equal.*Check the features"):
            width_range(np.ones((5, 2)))

    def test_distances_that_overflow(self):
        with pytest.raises(InputError, match="too large for float64. Change the unit of X"):
            width_range(1e200 * X)

    def test_a_single_row_far_off_does_not_hide_the_others(self):
        with_outlier = np.vstack([X, 1e100 * np.ones((1, X.shape[1]))])
        low, high = width_range(X)
        low_with, high_with = width_range(with_outlier)
        assert low / 2 < low_with < 2 * low
        assert high / 2 < high_with < 2 * high

    def test_distances_that_vanish(self):
        with pytest.raises(InputError, match="as small as .*e-3.*Change the unit of X"):
            width_range(1e-155 * X)


class TestGrids:
    def test_gaussian_widths_are_logarithmic_over_the_range(self):
        grid = np.array(widths(family_of("gaussian", X)))
        low, high = width_range(X)
        assert len(grid) == STEPS
        np.testing.assert_allclose(grid, np.geomspace(low, high, STEPS), rtol=5e-3)

    def test_a_grid_continues_on_both_sides(self):
        family = family_of("gaussian", X)
        assert (family.lowest, family.highest) == (-MORE_STEPS, STEPS - 1 + MORE_STEPS)
        first, second = (family.make(step).width for step in (-2, -1))
        assert first < second < family.make(0).width

    def test_parameters_have_three_digits(self):
        assert all(width == float(f"{width:.3g}") for width in widths(family_of("gaussian", X)))

    @pytest.mark.parametrize(
        "name, parameter",
        [("laplacian", "scale"), ("matern", "length"), ("inverse-multiquadric", "constant")],
    )
    def test_other_lengths_are_roots_of_the_widths(self, name, parameter):
        family = family_of(name, X)
        lengths = [getattr(family.make(step), parameter) for step in range(STEPS)]
        low, high = width_range(X)
        expected = np.sqrt(np.geomspace(low, high, STEPS))
        np.testing.assert_allclose(lengths, expected, rtol=5e-3)

    def test_polynomials_have_a_constant_of_the_scale_of_the_data(self):
        family = family_of("polynomial", X)
        members = [family.make(step) for step in range(family.first, family.last + 1)]
        assert [member.degree for member in members] == [1, 2, 3, 4, 5, 6]
        typical = np.mean(np.sum(X**2, axis=1))
        assert {member.constant for member in members} == {float(f"{typical:.3g}")}
        assert family_of("polynomial", sparse.csr_array(X)).make(2) == family.make(2)

    def test_linear_is_alone(self):
        family = family_of("linear", X)
        assert (family.first, family.last, family.make(0)) == (0, 0, kernels.Linear())

    def test_degrees_fit_the_length_of_the_sequences(self):
        family = family_of("weighted-degree", np.zeros((4, 6), dtype=np.uint8))
        members = [family.make(step) for step in range(family.first, family.last + 1)]
        assert members == [kernels.WeightedDegree(d).normalized() for d in (1, 2, 3, 5)]

    @pytest.mark.parametrize("name", [name for name in FAMILIES if name != "weighted-degree"])
    def test_every_family_makes_kernels_of_the_data(self, name):
        family = family_of(name, X)
        assert family.name == name
        K = family.make(family.last)(X)
        np.testing.assert_allclose(K, K.T)
        assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.linalg.eigvalsh(K)[-1]

    def test_unknown_name(self):
        with pytest.raises(InputError, match="one of gaussian, laplacian, .*Got 'rbf'"):
            family_of("rbf", X)

    def test_a_list_cannot_be_extended(self):
        family = Family.of_list("mine", [kernels.Gaussian(1.0), kernels.Gaussian(2.0)])
        assert (family.first, family.last) == (family.lowest, family.highest) == (0, 1)
        assert family.make(1) == kernels.Gaussian(2.0)
