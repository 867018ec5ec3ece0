"""Rows in memory: folded in blocks, with moments that can be merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reldim.inputs import rows
from reldim.inputs.rows import Moments, beside, by_rows, few, fold, picked, row_numbers

X = np.random.default_rng(0).normal(size=(23, 3)) + 1e3


@given(cut=st.integers(1, len(X) - 1))
def test_merged_moments_are_those_of_all_rows(cut):
    whole, merged = Moments.of(X), Moments.of(X[:cut]).merged(Moments.of(X[cut:]))
    assert merged.count == len(X)
    np.testing.assert_allclose(merged.mean, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(merged.spread, X.std(axis=0), rtol=1e-10)
    np.testing.assert_array_equal(merged.lowest, whole.lowest)
    np.testing.assert_array_equal(merged.highest, X.max(axis=0))


@pytest.mark.parametrize("size", [24, 100, 2**20])
def test_a_fold_does_not_depend_on_the_size_of_blocks(monkeypatch, size):
    monkeypatch.setattr(rows, "BLOCK_BYTES", size)
    calls = []

    def product(block, column):
        calls.append(len(block))
        return block.T @ column

    total = fold(X, product, np.add, np.arange(23.0))
    np.testing.assert_allclose(total, X.T @ np.arange(23.0))
    assert sum(calls) == 23
    assert max(calls) <= max(1, size // 24)


def test_rows_in_memory_are_taken_as_they_are():
    assert by_rows(np.sum, X, dtype=float) == X.sum()
    assert beside(X, X) is X
    assert picked(X, [1, 2]).shape == (2, 3)
    assert row_numbers(X).tolist() == [*range(23)]
    assert few([1, 2, 3]) == "1, 2, 3"
