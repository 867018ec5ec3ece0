"""How much of the targets the leading components leave open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import leading_components
from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.relevance.error_curve import error_curve

SINC = datasets.noisy_sinc(60, noise=0.2, random_state=0)
LABELS = {
    "regression": SINC.y,
    "two classes": np.where(SINC.y > 0.2, 1, -1),
    "three classes": np.digitize(SINC.y, [0.0, 0.5]),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS.keys())
def test_is_the_residual_of_projections(y):
    kernel = kernels.Laplacian(scale=1.0)
    rd = relevant_dimension(decompose(kernel, SINC.X), y)
    U, Y = leading_components(kernel(SINC.X), 60), rd.targets.values
    expected = [np.sum((Y - U[:, :d] @ (U[:, :d].T @ Y)) ** 2) / np.sum(Y**2) for d in range(1, 31)]
    np.testing.assert_allclose(error_curve(rd), expected, atol=1e-9)


def test_is_flat_beyond_the_rank():
    X = np.column_stack([SINC.X, SINC.X**2])
    rd = relevant_dimension(decompose(kernels.Linear(), X), SINC.y)
    curve = error_curve(rd)
    assert len(curve) == 30
    np.testing.assert_array_equal(curve[1:], curve[1])
    assert curve[1] > 0.1


def test_low_rank_agrees_and_is_as_long():
    kernel = kernels.Gaussian(width=0.5)
    whole = relevant_dimension(decompose(kernel, SINC.X), SINC.y)
    low = decompose(kernel, SINC.X, solver="lowrank", rank=20, random_state=0)
    curve = error_curve(relevant_dimension(low, SINC.y))
    assert len(curve) == 30
    np.testing.assert_allclose(curve[:8], error_curve(whole)[:8], atol=1e-4)


@given(st.integers(0, 2**31))
@settings(max_examples=20, deadline=None)
def test_falls_and_does_not_depend_on_the_order_of_rows(seed):
    order = np.random.default_rng(seed).permutation(60)
    kernel = kernels.Gaussian(width=0.01)
    first = error_curve(relevant_dimension(decompose(kernel, SINC.X), SINC.y))
    second = error_curve(relevant_dimension(decompose(kernel, SINC.X[order]), SINC.y[order]))
    np.testing.assert_allclose(first, second, atol=1e-6)
    assert (np.diff(first) <= 1e-12).all()
    assert 0 <= first[-1] <= first[0] <= 1


def test_a_cluster_of_eigenvalues_is_passed_evenly():
    rd = relevant_dimension(decompose(kernels.Precomputed(), np.eye(12)), np.arange(12) + 0.5)
    np.testing.assert_allclose(error_curve(rd), 1 - np.arange(1, 7) / 12)
