"""BLAS and LAPACK, where the wrappers of numpy and scipy do not serve.

scipy publishes the addresses of all of LAPACK for Cython (``scipy.linalg.cython_lapack``), with
their signatures; ``ctypes`` calls them, and lets other threads run meanwhile.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from scipy.linalg import cython_lapack, get_blas_funcs, get_lapack_funcs

from reldim.spectrum.gram import Floats

__all__ = ["Routine", "laed4_of", "lapack_function", "product"]

#: A routine that is called with addresses.
Routine = Callable[..., None]

#: What LAPACK's laed4 takes: n, i, d, z, delta, rho, root and info.
ARGUMENTS = 8


def lapack_function(name: str, arrays: tuple[Floats, ...]) -> Callable[..., Any]:
    """Return scipy's wrapper of a LAPACK routine for the precision of the arrays."""
    (function,) = cast("list[Callable[..., Any]]", get_lapack_funcs((name,), arrays))
    return function


def laed4_of(dtype: np.dtype[Any]) -> Routine | None:
    """Return LAPACK's solver of secular equations for a precision, to be called with addresses.

    Parameters
    ----------
    dtype : dtype
        Single or double precision.

    Returns
    -------
    callable or None
        None where scipy does not publish it, or with whole numbers of another size.
    """
    return _routine("slaed4" if dtype == np.float32 else "dlaed4")


@cache
def _routine(name: str) -> Routine | None:
    capsule = getattr(cython_lapack, "__pyx_capi__", {}).get(name)
    if capsule is None:
        return None
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
        ("PyCapsule_GetName", ctypes.pythonapi)
    )
    address_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    # The name of the capsule is the signature of the routine.
    signature = name_of(capsule)
    types = signature.decode().partition("(")[2].rstrip(")").split(", ")
    if len(types) != ARGUMENTS or types[-1] != "int *":
        return None
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * ARGUMENTS)
    return cast("Routine", prototype(address_of(capsule, signature)))


def product(matrix: Floats, values: Floats, *, transpose: bool = False) -> Floats:
    """Return ``matrix``, or its transpose, times ``values`` by the BLAS of scipy.

    numpy and scipy bring a BLAS each, and the idle threads of the one go on spinning on the cores
    where LAPACK's of the other are to work.

    Parameters
    ----------
    matrix : ndarray
        In Fortran order, else it is copied.
    values : ndarray
        Columns.
    transpose : bool
        Whether to multiply by the transpose.

    Returns
    -------
    ndarray
        The product.
    """
    if 0 in (*matrix.shape, values.shape[1]):
        return matrix.T @ values if transpose else matrix @ values
    (gemm,) = cast("list[Callable[..., Any]]", get_blas_funcs(("gemm",), (matrix, values)))
    if values.flags.c_contiguous and not values.flags.f_contiguous:
        return np.asarray(gemm(1.0, matrix, values.T, trans_a=int(transpose), trans_b=1))
    return np.asarray(gemm(1.0, matrix, values, trans_a=int(transpose)))
