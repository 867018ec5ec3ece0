"""LAPACK for symmetric matrices, without the lock of the interpreter.

scipy's wrappers of these routines hold the lock, so that decompositions in several threads would
run one after the other. But scipy publishes the addresses of all of LAPACK for Cython
(``scipy.linalg.cython_lapack``), and ``ctypes`` lets other threads run while it calls them.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from scipy.linalg import LinAlgError, cython_lapack, get_lapack_funcs

from reldim.spectrum.gram import Floats

__all__ = [
    "cholesky",
    "diagonalize",
    "inverse_of_factor",
    "lapack_function",
    "reduce_to_tridiagonal",
    "solve_with_factor",
]

#: Reflectors that are collected before they are applied, at the most.
BLOCK = 64


def reduce_to_tridiagonal(matrix: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Reduce a symmetric matrix to tridiagonal form by reflections (sytrd).

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        In Fortran order, destroyed; its lower half is read.

    Returns
    -------
    reflectors : ndarray of shape (n, n)
        The same memory: Householder vectors below the second diagonal.
    diagonal, below, tau : ndarray of shape (n,), (n - 1,) and (n - 1,)
        The tridiagonal matrix, and the factors of the reflectors.
    """
    n, dtype = len(matrix), matrix.dtype
    sytrd = _routine("sytrd", dtype, arguments=10)
    if sytrd is None:
        wrapper = lapack_function("sytrd", (matrix,))
        *reduced, info = wrapper(matrix, lower=1, lwork=BLOCK * n, overwrite_a=1)
        _check("sytrd", info)
        return cast("tuple[Floats, Floats, Floats, Floats]", tuple(reduced))
    diagonal, below, tau = (np.empty(size, dtype) for size in (n, n - 1, n - 1))
    work = np.empty(BLOCK * n, dtype)
    _check("sytrd", sytrd("L", n, matrix, n, diagonal, below, tau, work, work.size))
    return matrix, diagonal, below, tau


def diagonalize(diagonal: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues, in ascending order, and eigenvectors of a tridiagonal matrix (stevd).

    Parameters
    ----------
    diagonal, below : ndarray of shape (n,) and (n - 1,)
        The matrix.

    Returns
    -------
    values : ndarray of shape (n,)
        The eigenvalues.
    vectors : ndarray of shape (n, n)
        The eigenvectors as columns, in Fortran order.
    """
    # stevd, not stemr: the latter fails to converge on narrow kernels (K close to I), where
    # almost all eigenvalues agree, and its vectors are less orthogonal (1e-12 at n = 2000).
    n, dtype = len(diagonal), diagonal.dtype
    if n == 1:
        return diagonal.copy(), np.ones((1, 1), dtype=dtype)
    stevd = _routine("stevd", dtype, arguments=11)
    if stevd is None:
        values, vectors, info = lapack_function("stevd", (diagonal, below))(diagonal, below)
        _check("stevd", info)
        return np.asarray(values), np.asarray(vectors)
    values, destroyed = diagonal.copy(), below.copy()
    vectors = np.empty((n, n), dtype, order="F")
    work, whole = np.empty(1 + 4 * n + n * n, dtype), np.empty(3 + 5 * n, np.intc)
    arguments = (n, values, destroyed, vectors, n, work, work.size, whole, whole.size)
    _check("stevd", stevd("V", *arguments))
    return values, vectors


def cholesky(matrix: Floats) -> bool:
    """Replace the lower half of a symmetric matrix by its Cholesky factor (potrf).

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        In Fortran order, overwritten; its lower half is read.

    Returns
    -------
    bool
        False where the matrix is not positive definite; it is destroyed then.
    """
    n = len(matrix)
    potrf = _routine("potrf", matrix.dtype, arguments=5)
    if potrf is None:
        _, info = lapack_function("potrf", (matrix,))(matrix, lower=1, clean=0, overwrite_a=1)
        return bool(info == 0)
    return potrf("L", n, matrix, n) == 0


def solve_with_factor(factor: Floats, right: Floats) -> Floats:
    """Solve for the right-hand sides of a matrix whose Cholesky factor is known (potrs).

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        What :func:`cholesky` left, in Fortran order.
    right : ndarray of shape (n, columns)
        Right-hand sides.

    Returns
    -------
    ndarray of shape (n, columns)
        The solutions.
    """
    n = len(factor)
    solution = np.array(right, dtype=factor.dtype, order="F", ndmin=2)
    potrs = _routine("potrs", factor.dtype, arguments=8)
    if potrs is None:
        wrapper = lapack_function("potrs", (factor, solution))
        solution, info = wrapper(factor, solution, lower=1, overwrite_b=1)
    else:
        info = potrs("L", n, solution.shape[1], factor, n, solution, n)
    _check("potrs", info)
    return solution


def inverse_of_factor(factor: Floats) -> None:
    """Replace a Cholesky factor by the lower half of the inverse of its matrix (potri).

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        What :func:`cholesky` left, in Fortran order, overwritten.
    """
    n = len(factor)
    potri = _routine("potri", factor.dtype, arguments=5)
    if potri is None:
        _, info = lapack_function("potri", (factor,))(factor, lower=1, overwrite_c=1)
    else:
        info = potri("L", n, factor, n)
    _check("potri", info)


def lapack_function(name: str, arrays: tuple[Floats, ...]) -> Callable[..., Any]:
    """Return scipy's wrapper of a LAPACK routine for the precision of the arrays."""
    (function,) = cast("list[Callable[..., Any]]", get_lapack_funcs((name,), arrays))
    return function


def _check(name: str, info: int) -> None:
    if info != 0:
        raise LinAlgError(f"{name} failed (info={info})")


@cache
def _routine(name: str, dtype: np.dtype[Any], arguments: int) -> Callable[..., int] | None:
    """Return a routine that is called with what C passes by address, and returns ``info``.

    None where scipy does not publish it, or with other arguments or whole numbers of another size.
    """
    published = f"{'s' if dtype == np.float32 else 'd'}{name}"
    capsule = getattr(cython_lapack, "__pyx_capi__", {}).get(published)
    if capsule is None:
        return None
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
        ("PyCapsule_GetName", ctypes.pythonapi)
    )
    address_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    # The name of the capsule is the signature of the routine; it ends with info.
    signature = name_of(capsule)
    types = signature.decode().partition("(")[2].rstrip(")").split(", ")
    if len(types) != arguments or types[-1] != "int *":
        return None
    routine = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address_of(capsule, signature))

    def call(*values: Any) -> int:
        info = ctypes.c_int(0)
        routine(*map(_passed, values), ctypes.byref(info))
        return info.value

    return call


def _passed(value: Any) -> Any:
    """Return what ctypes passes as the address of a value, which lives as long as that."""
    if isinstance(value, np.ndarray):
        return value.ctypes
    return value.encode() if isinstance(value, str) else ctypes.byref(ctypes.c_int(value))
