"""LAPACK without the lock of the interpreter, against scipy's wrappers and full products."""

import threading
import time

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError

from reldim import decompose, kernels
from reldim.eigensolvers import lapack
from reldim.eigensolvers.lapack import (
    cholesky,
    diagonalize,
    inverse_of_factor,
    reduce_to_tridiagonal,
    solve_with_factor,
)


def wilkinson(n):
    """Pairs of eigenvalues that agree in all digits."""
    return np.abs(np.arange(n) - (n - 1) / 2), np.ones(n - 1)


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.normal(size=n - 1)


MATRICES = {
    "drawn": drawn(101),
    "even": (np.full(60, 2.0), np.full(59, -1.0)),
    "wilkinson": wilkinson(63),
    "uncoupled": (np.arange(40.0), np.zeros(39)),
    "zero": (np.zeros(20), np.zeros(19)),
    "one": (np.array([3.0]), np.zeros(0)),
    "two": (np.array([1.0, -2.0]), np.array([-3.0])),
}

both = pytest.mark.parametrize("dtype", [np.float64, np.float32])
published = pytest.mark.parametrize("published", [True, False], ids=["published", "wrapped"])


@pytest.fixture
def as_published(monkeypatch, published):
    """Call LAPACK by its address, or as where scipy does not publish it."""
    if not published:
        monkeypatch.setattr(lapack, "_routine", lambda *_, **__: None)


def symmetric(n, dtype=np.float64, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n)).astype(dtype)
    return A + A.T


def check_eigenpairs(diagonal, below, values, W):
    n, eps = len(diagonal), 20 * np.finfo(diagonal.dtype).eps
    T = np.diag(diagonal) + np.diag(below, 1) + np.diag(below, -1)
    size = max(np.abs(T).max(), 1e-30)
    assert W.dtype == values.dtype == diagonal.dtype
    np.testing.assert_allclose(values, np.linalg.eigvalsh(T), atol=eps * size)
    np.testing.assert_allclose(W.T @ W, np.eye(n), atol=eps)
    np.testing.assert_allclose(T @ W, W * values, atol=eps * size)


@both
@published
@pytest.mark.parametrize("name", MATRICES)
def test_eigenpairs_of_tridiagonal_matrices(as_published, name, dtype):
    diagonal, below = (part.astype(dtype) for part in MATRICES[name])
    before = diagonal.copy(), below.copy()
    values, vectors = diagonalize(diagonal, below)
    check_eigenpairs(diagonal, below, values, vectors)
    np.testing.assert_array_equal(before[0], diagonal)
    np.testing.assert_array_equal(before[1], below)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), n=st.integers(2, 14))
def test_eigenpairs_of_whatever_is_drawn(data, n):
    # Few different numbers, so that many are equal or zero.
    numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1e-8, -1e-15, 1e-30])
    diagonal = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    below = np.array(data.draw(st.lists(numbers, min_size=n - 1, max_size=n - 1)))
    check_eigenpairs(diagonal, below, *diagonalize(diagonal, below))


@both
@published
@pytest.mark.parametrize("n", [1, 2, 3, 40, 150])
def test_a_reduction_has_the_same_eigenvalues_and_the_memory_that_was_given(as_published, n, dtype):
    matrix = np.asfortranarray(symmetric(n, dtype))
    expected = np.linalg.eigvalsh(matrix.astype(np.float64))
    reflectors, diagonal, below, tau = reduce_to_tridiagonal(matrix)
    assert np.shares_memory(reflectors, matrix)
    assert (len(diagonal), len(below), len(tau)) == (n, n - 1, n - 1)
    T = np.diag(diagonal) + np.diag(below, 1) + np.diag(below, -1)
    atol = 50 * np.finfo(dtype).eps * np.abs(expected).max()
    np.testing.assert_allclose(np.linalg.eigvalsh(T.astype(np.float64)), expected, atol=atol)


def test_by_address_and_by_wrapper_agree_to_the_bit(monkeypatch):
    def found():
        _, diagonal, below, _ = reduce_to_tridiagonal(np.asfortranarray(symmetric(200)))
        return [part.tobytes() for part in diagonalize(diagonal, below)]

    by_address = found()
    monkeypatch.setattr(lapack, "_routine", lambda *_, **__: None)
    assert found() == by_address


def test_a_routine_is_called_only_with_the_signature_that_is_known():
    double = np.dtype(np.float64)
    assert lapack._routine("stevd", double, arguments=11) is not None
    assert lapack._routine("stevd", double, arguments=10) is None
    assert lapack._routine("no such routine", double, arguments=11) is None


@pytest.mark.parametrize("name", ["sytrd", "stevd"])
def test_a_failure_is_an_error(monkeypatch, name):
    monkeypatch.setattr(lapack, "_routine", lambda *_, **__: lambda *_: 3)
    run = {
        "sytrd": lambda: reduce_to_tridiagonal(np.asfortranarray(symmetric(5))),
        "stevd": lambda: diagonalize(*drawn(5)),
    }[name]
    with pytest.raises(LinAlgError, match=rf"{name} failed \(info=3\)"):
        run()


def test_other_threads_run_meanwhile():
    begun, over = threading.Event(), threading.Event()
    turns = []

    def take_turns():
        begun.set()
        while not over.is_set():
            time.sleep(0)
            turns.append(time.perf_counter())

    matrix = np.asfortranarray(symmetric(700))
    thread = threading.Thread(target=take_turns)
    thread.start()
    begun.wait()
    start = time.perf_counter()
    _, diagonal, below, _ = reduce_to_tridiagonal(matrix)
    middle = time.perf_counter()
    diagonalize(diagonal, below)
    stop = time.perf_counter()
    over.set()
    thread.join()
    # With the lock held there would be no turn but at the ends.
    assert sum(start < turn < middle for turn in turns) > 20
    assert sum(middle < turn < stop for turn in turns) > 20


@pytest.mark.parametrize("n", [100, 400])
def test_spectra_in_files_that_are_mapped(tmp_path, n):
    # LAPACK changes reflectors on the way, and workers of joblib map large arrays read-only.
    X = np.random.default_rng(0).normal(size=(n, 2))
    spectrum = decompose(kernels.Gaussian(0.3), X, solver="dense")
    joblib.dump(spectrum, tmp_path / "spectrum")
    mapped = joblib.load(tmp_path / "spectrum", mmap_mode="r")
    assert not mapped.basis.reflectors.flags.writeable
    np.testing.assert_array_equal(mapped.project(X), spectrum.project(X))
    np.testing.assert_array_equal(mapped.eigenvectors, spectrum.eigenvectors)


@both
@published
def test_a_cholesky_factor_solves_and_inverts(dtype, as_published):
    A = np.random.default_rng(0).normal(size=(40, 50)).astype(dtype)
    C = np.asfortranarray(A @ A.T)
    right = np.arange(80, dtype=dtype).reshape(40, 2)
    factor, eps = C.copy(order="F"), 1e4 * np.finfo(dtype).eps
    assert cholesky(factor)
    np.testing.assert_allclose(np.tril(factor) @ np.tril(factor).T, C, rtol=eps, atol=100 * eps)
    solution = solve_with_factor(factor, right)
    assert solution.dtype == dtype
    np.testing.assert_allclose(C @ solution, right, atol=100 * eps)
    inverse_of_factor(factor)
    inverse = np.tril(factor) + np.tril(factor, -1).T
    np.testing.assert_allclose(inverse @ C, np.eye(40), atol=10 * eps)


@both
@published
def test_what_is_not_positive_definite_has_no_cholesky_factor(dtype, as_published):
    assert not cholesky(np.asfortranarray(np.diag([1.0, -1.0, 1.0]).astype(dtype)))
