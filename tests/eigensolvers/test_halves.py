"""Divide and conquer with its last step left undone, against a full decomposition."""

import ctypes

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError

from reldim import decompose, kernels, relevant_dimension
from reldim.eigensolvers import halves, lapack
from reldim.eigensolvers.halves import Halves, Whole, diagonalize


def wilkinson(n):
    """Pairs of eigenvalues that agree in all digits."""
    return np.abs(np.arange(n) - (n - 1) / 2), np.ones(n - 1)


def glued(n):
    """Copies of one matrix, hardly coupled: as many equal eigenvalues as copies."""
    diagonal, below = wilkinson(21)
    copies = n // 21
    joined = np.append(below, 1e-12)
    return np.tile(diagonal, copies), np.tile(joined, copies)[: 21 * copies - 1]


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.normal(size=n - 1)


def graded(n):
    return 10.0 ** -np.linspace(0, 20, n), 0.3 * 10.0 ** -np.linspace(0, 20, n)[1:]


MATRICES = {
    "drawn": drawn(101),
    "even": (np.full(60, 2.0), np.full(59, -1.0)),
    "wilkinson": wilkinson(63),
    "glued": glued(84),
    "graded": graded(80),
    "uncoupled": (np.arange(40.0), np.zeros(39)),
    "equal": (np.ones(30), np.full(29, 1e-17)),
    "zero": (np.zeros(20), np.zeros(19)),
    "half zero": (np.repeat([1.0, 0.0], 20), np.repeat([0.5, 1e-18], 20)[:-1]),
    "large": tuple(1e200 * part for part in drawn(50)),
    "small": tuple(1e-200 * part for part in drawn(50)),
    "two": (np.array([1.0, -2.0]), np.array([-3.0])),
    "three": drawn(3),
    "five": drawn(5),
}


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(halves, "MANY_ROWS", 2)


def check(diagonal, below, values, inner):
    n, dtype = len(diagonal), diagonal.dtype
    size = max(np.abs(diagonal).max(), np.abs(below).max(), np.finfo(dtype).tiny)
    T = np.diag(diagonal) + np.diag(below, 1) + np.diag(below, -1)
    W = inner.last(n)
    assert W.dtype == inner.dtype == values.dtype == dtype
    eps = 20 * np.finfo(dtype).eps
    np.testing.assert_allclose(values / size, np.linalg.eigvalsh(T / size), atol=eps)
    np.testing.assert_allclose(W.T @ W, np.eye(n), atol=eps)
    np.testing.assert_allclose(T / size @ W, W * (values / size), atol=eps)


#: Single precision does not reach as far.
SINGLE = [name for name in MATRICES if name not in {"large", "small"}]


@pytest.mark.parametrize(
    "name, dtype",
    [(name, np.float64) for name in MATRICES] + [(name, np.float32) for name in SINGLE],
)
def test_decomposes(always, name, dtype):
    diagonal, below = (part.astype(dtype) for part in MATRICES[name])
    values, inner = diagonalize(diagonal, below)
    assert isinstance(inner, Halves)
    check(diagonal, below, values, inner)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), n=st.integers(2, 14))
def test_decomposes_whatever_is_drawn(data, n):
    # Few different numbers, so that many are equal or zero.
    numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1e-8, -1e-15, 1e-30])
    diagonal = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    below = np.array(data.draw(st.lists(numbers, min_size=n - 1, max_size=n - 1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(halves, "MANY_ROWS", 2)
        check(diagonal, below, *diagonalize(diagonal, below))


@pytest.mark.parametrize("name", ["drawn", "wilkinson", "glued", "uncoupled", "half zero"])
def test_products_are_those_of_the_columns(always, name):
    diagonal, below = MATRICES[name]
    _, inner = diagonalize(diagonal, below)
    n = inner.count
    W = inner.last(n)
    values = np.random.default_rng(0).normal(size=(n, 3))
    np.testing.assert_allclose(inner.project(values), W.T @ values, atol=1e-13)
    for count in (0, 1, 7, n):
        np.testing.assert_allclose(inner.last(count), W[:, n - count :], atol=1e-15)
        some = inner.keep(count)
        assert some.count == count
        np.testing.assert_allclose(some.project(values), (W.T @ values)[n - count :], atol=1e-13)
        expected = W[:, n - count :] @ values[:count]
        np.testing.assert_allclose(inner.combine(values[:count]), expected, atol=1e-13)
        np.testing.assert_allclose(some.combine(values[:count]), expected, atol=1e-13)


def test_equal_eigenvalues_and_those_out_of_touch_are_not_mixed(always):
    _, pairs = diagonalize(*MATRICES["glued"])
    assert len(pairs.rotations) > 0
    assert len(pairs.mixed) + len(pairs.alone) == 84
    _, apart = diagonalize(*MATRICES["uncoupled"])
    assert len(apart.mixed) == 0
    # Two equal halves: of each two equal eigenvalues one is left.
    _, even = diagonalize(*MATRICES["even"])
    assert len(even.mixed) == len(even.rotations) == 30


def test_few_rows_and_a_scipy_without_the_routine_leave_nothing_undone(monkeypatch):
    diagonal, below = drawn(halves.MANY_ROWS - 1)
    assert isinstance(diagonalize(diagonal, below)[1], Whole)
    diagonal, below = drawn(halves.MANY_ROWS)
    values, inner = diagonalize(diagonal, below)
    assert isinstance(inner, Halves)
    monkeypatch.setattr(halves, "laed4_of", lambda dtype: None)
    others, whole = diagonalize(diagonal, below)
    assert isinstance(whole, Whole)
    np.testing.assert_allclose(values, others, atol=1e-13)
    np.testing.assert_allclose(np.abs(inner.last(9)), np.abs(whole.last(9)), atol=1e-9)


def test_a_routine_is_called_only_with_the_signature_that_is_known():
    assert lapack._routine("dlaed4") is not None
    assert lapack._routine("no such routine") is None
    assert lapack._routine("dstevd") is None


def test_a_secular_equation_without_solution_is_an_error(always, monkeypatch):
    def failing(*addresses):
        ctypes.c_int.from_address(addresses[-1]).value = 1

    monkeypatch.setattr(halves, "laed4_of", lambda dtype: failing)
    with pytest.raises(LinAlgError, match="laed4 failed"):
        diagonalize(*MATRICES["drawn"])


@pytest.mark.parametrize("n", [100, 850])
def test_spectra_in_files_that_are_mapped(tmp_path, n):
    # LAPACK changes reflectors on the way, and workers of joblib map large arrays read-only.
    X = np.random.default_rng(0).normal(size=(n, 2))
    spectrum = decompose(kernels.Gaussian(0.3), X, solver="dense")
    joblib.dump(spectrum, tmp_path / "spectrum")
    mapped = joblib.load(tmp_path / "spectrum", mmap_mode="r")
    assert not mapped.basis.reflectors.flags.writeable
    np.testing.assert_array_equal(mapped.project(X), spectrum.project(X))
    np.testing.assert_array_equal(mapped.eigenvectors, spectrum.eigenvectors)


@pytest.mark.parametrize("width", [0.3, 2.0])
def test_the_estimate_does_not_depend_on_it(monkeypatch, width):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(850, 2))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=850)
    undone = decompose(kernels.Gaussian(width), X)
    few = decompose(kernels.Gaussian(width), X, rank=20)
    assert isinstance(undone.basis.inner, Halves)
    monkeypatch.setattr(halves, "MANY_ROWS", 10**6)
    done = decompose(kernels.Gaussian(width), X)
    first, second = relevant_dimension(undone, y), relevant_dimension(done, y)
    assert first.dimension == second.dimension
    assert first.negative_log_likelihood == pytest.approx(second.negative_log_likelihood, rel=1e-9)
    np.testing.assert_allclose(first.denoised, second.denoised, atol=1e-9)
    assert first.fixed_error == pytest.approx(second.fixed_error, rel=1e-9)
    squares = few.project(first.targets.values) ** 2
    np.testing.assert_allclose(squares[:, 0], second.coefficients[:20] ** 2, atol=1e-9)
