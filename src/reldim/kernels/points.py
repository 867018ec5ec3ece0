"""Data as kernels take them: validated once, then sliced without another look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from reldim.exceptions import InputError, InputTypeError, in_one_line

__all__ = [
    "FloatArray",
    "Points",
    "admit",
    "as_rows",
    "as_vectors",
    "concatenated",
    "in_double",
]

FloatArray: TypeAlias = NDArray[np.floating[Any]]

# What `Kernel.prepare` returns depends on the kernel: an array, a CSR array, rows of a matrix.
# Code above the kernels may rely on two things only: `points[index]` with a slice or an array of
# row numbers gives points again, and `points.shape[0]` is their number.
Points: TypeAlias = Any


def admit(data: Any, name: str = "X") -> Any:
    """Turn what a caller passes into one of the few kinds of data that this package knows.

    Arrays of every other library become arrays of NumPy: those with ``__array__``, ``__dlpack__``
    or the array API, also where they live on another device, record gradients, or are of a type
    that NumPy has not (bfloat16). So do lists of numbers, and masked arrays that mask nothing.
    Tables, sparse matrices, Dask collections and sequences are returned as they are.

    Parameters
    ----------
    data : any
        The data, or the targets.
    name : str
        What to call them in messages.

    Returns
    -------
    ndarray, DataFrame, Series, sparse matrix, Dask collection or sequence
        The data. Nothing is copied where NumPy can look at the same memory.

    Examples
    --------
    >>> from reldim.kernels.points import admit
    >>> admit([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    >>> admit(memoryview(b"ab")), admit(["to be", "or not"])
    (array([97, 98], dtype=uint8), ['to be', 'or not'])
    """
    if np.ma.is_masked(data):
        raise InputError(
            f"{name} must have no missing values. Got a masked array with masked entries. Remove "
            "these rows, or fill the entries in (scikit-learn's SimpleImputer fills columns)."
        )
    if isinstance(data, np.ndarray | memoryview):
        return np.asarray(data)
    if sparse.issparse(data):
        # Before all else: one of the formats is a dictionary.
        return data
    if isinstance(data, Mapping | AbstractSet | Iterator):
        mapping = isinstance(data, Mapping)
        advice = f"a table, pd.DataFrame({name})" if mapping else f"a list, list({name})"
        raise InputTypeError(
            f"{name} must hold one row per entry: an array, a table or a list. Got "
            f"{type(data).__name__} instead: turn it into {advice}."
        )
    if _is_foreign(data):
        return _converted(data, name)
    return _without_lists(data, name) if isinstance(data, list | tuple) else data


def _is_foreign(data: Any) -> bool:
    """Tell whether data are an array of a library that this package does not know."""
    pandas = (pd.DataFrame, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
    if isinstance(data, (np.ndarray, np.generic, *pandas)):
        return False
    if hasattr(data, "columns") or sparse.issparse(data):
        return False
    # Arrays of xarray may hold a collection of Dask, and mostly do not.
    if getattr(data, "__dask_graph__", lambda: None)() is not None:
        return hasattr(data, "dims")
    marks = ("__array__", "__dlpack__", "__array_namespace__")
    return any(hasattr(type(data), mark) for mark in marks)


def _converted(data: Any, name: str) -> Any:
    """Return an array of another library as one of NumPy, or as the Dask array that it holds."""
    if hasattr(type(getattr(data, "data", None)), "__dask_graph__"):
        return data.data
    reasons = []
    # Of what has no __array__ NumPy would make an array of one object.
    first = np.asarray if hasattr(data, "__array__") else np.from_dlpack
    for convert in (first, np.from_dlpack, _from_device):
        try:
            array = np.asarray(convert(data))
        # Whatever another library raises, it is no fault of this one.
        except Exception as error:  # noqa: BLE001
            reasons.append(in_one_line(error).rstrip("."))
            continue
        # Types that NumPy does not have, such as bfloat16 of ml_dtypes, are numbers all the same.
        unknown = array.dtype.kind == "V" and array.dtype.names is None
        return array.astype(np.float64) if unknown else array
    kind = type(data)
    raise InputTypeError(
        f"{name} must be an array that NumPy can read. Got {kind.__module__}.{kind.__name__}: "
        f"{reasons[0]}. Pass a NumPy array with the same numbers instead."
    )


def _from_device(data: Any) -> NDArray[Any]:
    """Take an array off its device, and out of what records gradients (as in torch and CuPy)."""
    for leave in ("detach", "cpu", "resolve_conj", "resolve_neg"):
        data = getattr(data, leave, lambda data=data: data)()
    try:
        return np.asarray(data.get() if hasattr(data, "get") else data)
    except TypeError:
        # A type that NumPy does not have.
        return np.asarray(data.double())


def _without_lists(data: Any, name: str) -> Any:
    """Return a list of numbers, or of rows of numbers, as an array, and any other as it is."""
    if not len(data) or isinstance(data[0], str | bytes):
        return data
    if _is_foreign(data[0]):
        data = [_converted(item, name) if _is_foreign(item) else item for item in data]
    try:
        array = np.asarray(data)
    except ValueError:  # points of different sizes
        return data
    return array if array.dtype.kind in "biuf" else data


def as_vectors(X: Any, reference: Points = None) -> Points:
    """Bring numeric data into the form of a float array or a CSR array with one row per point.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n, d)
        Numbers, all finite. float32 is kept, every other type becomes float64.
    reference : array of shape (m, d), optional
        Points to compare with: they must have as many columns.

    Returns
    -------
    ndarray or csr_array of shape (n, d)
        `X` itself where nothing has to be done.

    Examples
    --------
    >>> from reldim.kernels.points import as_vectors
    >>> as_vectors([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    X = admit(X)
    points = _sparse_vectors(X) if sparse.issparse(X) else _dense_vectors(X)
    if reference is not None and points.shape[1] != reference.shape[1]:
        raise InputError(
            f"The points to compare must have the same number of columns. Got {points.shape[1]} "
            f"and {reference.shape[1]}: pass data that was prepared in the same way."
        )
    return points


def as_rows(X: Any) -> Points:
    """Bring any data into rows that can be sliced, without a look at what they hold.

    Numbers become an array or a CSR array; lists and Series of other things (strings, graphs, ...)
    become an array of objects with one entry per point.

    Examples
    --------
    >>> from reldim.kernels.points import as_rows
    >>> as_rows(["to be", "or not"])
    array(['to be', 'or not'], dtype=object)
    """
    rows: Points
    X = admit(X)
    if sparse.issparse(X):
        rows = _compressed(X)
    elif isinstance(X, pd.DataFrame | pd.Series | pd.Index):
        rows = X.to_numpy()
    elif isinstance(X, np.ndarray):
        rows = X
    elif isinstance(X, Sequence) and not isinstance(X, str | bytes):
        rows = _sequence_rows(X)
    else:
        raise InputTypeError(
            "X must hold one point per row: an array, a sparse matrix, a DataFrame, a Series or a "
            f"list. Got {type(X).__name__} instead: turn it into a list first."
        )
    if rows.ndim == 0 or rows.shape[0] == 0:
        raise InputError(f"X must hold at least one point. Got an array of shape {rows.shape}.")
    return rows


def concatenated(parts: Sequence[Points]) -> Points:
    """Put prepared points of one kind below each other.

    Examples
    --------
    >>> from reldim.kernels.points import concatenated
    >>> concatenated([np.array([[1.0]]), np.array([[2.0]])])
    array([[1.],
           [2.]])
    """
    if len(parts) == 1:
        return parts[0]
    if sparse.issparse(parts[0]):
        return sparse.csr_array(sparse.vstack(parts, format="csr"))
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return parts[0].below_each_other(parts)


def in_double(points: Points) -> Points:
    """Return prepared points in single precision as the same numbers in double precision.

    Kernel values are computed from them: what is added up and what cancels keeps its digits.

    Examples
    --------
    >>> from reldim.kernels.points import in_double
    >>> in_double(np.array([[0.5]], dtype=np.float32)).dtype
    dtype('float64')
    """
    # Rows of a matrix that was given have a type as well, but are numbers to be looked up.
    single = getattr(points, "dtype", None) == np.float32 and hasattr(points, "astype")
    return points.astype(np.float64) if single else points


def _sequence_rows(X: Sequence[Any]) -> NDArray[Any]:
    try:
        rows = np.asarray(X)
    except ValueError:  # ragged lists are points of different sizes, which is fine here
        pass
    else:
        if rows.dtype.kind in "biufc":
            return rows
    rows = np.empty(len(X), dtype=object)
    for i, item in enumerate(X):  # an assignment in one go would split nested lists
        rows[i] = item
    return rows


def _compressed(X: Any) -> Points:
    return X if isinstance(X, sparse.csr_array) else sparse.csr_array(X)


def _sparse_vectors(X: Any) -> Points:
    if X.ndim != 2:
        raise InputError(_not_two_dimensional(X.shape))
    _check_kind(X.dtype)
    points = _compressed(X)
    if points.dtype != _float_type(points.dtype):
        points = points.astype(_float_type(points.dtype))
    _check_size(points.shape)
    if not np.isfinite(points.data).all():
        row = int(np.searchsorted(points.indptr, np.argmin(np.isfinite(points.data)), "right")) - 1
        raise InputError(_not_finite(row))
    return points


def _dense_vectors(X: Any) -> FloatArray:
    if isinstance(X, pd.DataFrame):
        X = _frame_values(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(
            "X must be a table of numbers whose rows are all of one length. "
            f"Got rows that differ ({error})."
        ) from error
    if array.dtype.kind == "O":
        array = _numbers_of_objects(array)
    _check_kind(array.dtype)
    if array.ndim != 2:
        raise InputError(_not_two_dimensional(array.shape))
    _check_size(array.shape)
    points = array.astype(_float_type(array.dtype), copy=False)
    finite = np.isfinite(points)
    if not finite.all():
        raise InputError(_not_finite(*np.unravel_index(int(np.argmin(finite)), finite.shape)))
    return points


def _frame_values(X: pd.DataFrame) -> NDArray[Any]:
    others = [
        column
        for column, dtype in zip(X.columns, X.dtypes, strict=True)
        if not pd.api.types.is_numeric_dtype(dtype)
    ]
    if others:
        named = ", ".join(repr(column) for column in others[:5])
        raise InputError(
            f"X must have numeric columns only. Got other values in {len(others)} of "
            f"{X.shape[1]} columns ({named}{', ...' if len(others) > 5 else ''}): leave them out "
            "or encode them first, for example with skrub.TableVectorizer."
        )
    # Nullable columns would come out as objects; their missing values become NaN, which is
    # refused later.
    if any(isinstance(dtype, pd.api.extensions.ExtensionDtype) for dtype in X.dtypes):
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    return X.to_numpy()


def _numbers_of_objects(array: NDArray[Any]) -> NDArray[Any]:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"X must hold numbers only. Got entries that are not ({error}): leave such columns "
            "out or encode them first, for example with skrub.TableVectorizer."
        ) from error


def _check_kind(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise InputError(
            "X must hold real numbers. Got complex ones: pass real and imaginary parts as columns."
        )
    if dtype.kind not in "biuf":
        raise InputError(
            f"X must hold numbers only. Got entries of type {dtype}: encode them first, or choose "
            "a kernel made for such data, such as kernels.WeightedDegree for strings."
        )


def _check_size(shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise InputError(f"X must have at least one row and one column. Got shape {shape} instead.")


def _float_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if dtype == np.float32 else np.float64)


def _not_two_dimensional(shape: tuple[int, ...]) -> str:
    advice = {
        0: "pass a table with one row per point",
        1: "reshape a single feature with X.reshape(-1, 1), a single point with X.reshape(1, -1)",
    }.get(len(shape), "flatten each point with X.reshape(len(X), -1)")
    return f"X must have two dimensions, rows and columns. Got shape {shape} instead: {advice}."


def _not_finite(row: Any, column: Any = None) -> str:
    place = f"row {row}" if column is None else f"row {row}, column {column}"
    return (
        f"X must hold finite numbers only. Got NaN or infinity, first in {place}: fill the "
        "missing values (scikit-learn's SimpleImputer does it) or leave such rows out."
    )
