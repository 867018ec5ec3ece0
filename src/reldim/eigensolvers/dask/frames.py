"""Dask collections as arrays whose chunks are known and hold whole rows."""

import math
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask.utils import is_dataframe_like, is_series_like
from numpy.typing import NDArray

from reldim.eigensolvers.dask.clients import computed, persisted
from reldim.eigensolvers.dask.tasks import Part, lazy_array_of, task
from reldim.exceptions import InputError, counted
from reldim.inputs.rows import whole_rows

__all__ = ["lazy_array", "type_of", "values_of"]


def lazy_array(X: Any, name: str = "X") -> Any:
    """Return a Dask collection as an array whose chunks are known and hold whole rows.

    Parameters
    ----------
    X : Dask array, data frame or series
        The collection.
    name : str
        What to call it in messages.

    Returns
    -------
    Dask array
        The array, of one dimension for a series or a data frame with a single column of text.
    """
    if isinstance(X, da.Array):
        array = X
    elif is_dataframe_like(X) or is_series_like(X):
        array = _array_of_frame(X, name)
    else:
        raise InputError(
            f"{name} must be an array or a data frame of Dask. Got {type(X).__name__} instead."
        )
    if any(math.isnan(size) for size in array.chunks[0]):
        raise InputError(
            f"The sizes of the chunks of {name} must be known. Got unknown ones: call "
            f"{name}.compute_chunk_sizes() first, or pass the data frame."
        )
    whole_rows(array, name)
    if 0 in array.chunks[0]:
        raise InputError(
            f"Each chunk of {name} must hold at least one row. Got none in chunk "
            f"{array.chunks[0].index(0)}, counted from 0: pass {name}.repartition(npartitions=...) "
            f"for a data frame, {name}.rechunk(...) for an array."
        )
    return array


def _array_of_frame(X: Any, name: str) -> Any:
    meta = X._meta  # noqa: SLF001 - an empty frame of the same columns and types
    if meta.ndim == 2:
        others = [column for column, dtype in meta.dtypes.items() if not _is_number(dtype)]
        if others and meta.shape[1] == 1:
            X, meta = X[others[0]], meta[others[0]]
        elif others:
            raise InputError(
                "A data frame of Dask must have numeric columns only. Got other values in "
                f"{counted(len(others), 'column')} of {name}, such as {others[0]!r}: leave them "
                "out, or encode them first, for example by dask.dataframe.get_dummies."
            )
    # Without optimisation, which may join partitions of X and not those of y.
    delayed = X.to_delayed(optimize_graph=False)
    dtype = type_of([*meta.dtypes] if meta.ndim == 2 else [meta.dtype])
    parts = [task(values_of, Part(part.key, source=delayed[0]), dtype) for part in delayed]
    held = persisted(parts)
    sizes = computed([task(len, part) for part in held])
    return lazy_array_of(held, sizes, dtype, meta.shape[1:])


def _is_number(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype)


def type_of(kinds: Sequence[Any]) -> np.dtype[Any]:
    """Return the type of an array that holds columns of some types.

    Returns
    -------
    dtype
        The common type of numbers, in single or double precision where there are several columns;
        that of objects where some hold no numbers.
    """
    if not all(_is_number(kind) for kind in kinds):
        return np.dtype(object)
    if len(kinds) == 1 and isinstance(kinds[0], np.dtype):
        return kinds[0]
    single = all(kind == np.float32 for kind in kinds)
    return np.dtype(np.float32 if single else np.float64)


def values_of(part: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a part of a frame or series as an array.

    Parameters
    ----------
    part : DataFrame or Series
        Some rows.
    dtype : dtype
        What :func:`type_of` gave; objects stand for text.

    Returns
    -------
    ndarray
        Numbers, or text with missing values as they are.
    """
    if dtype.kind != "O":
        missing = np.nan if dtype.kind == "f" else 0
        plain = part.ndim == 1 and part.dtype == dtype
        return np.asarray(part.to_numpy() if plain else part.to_numpy(dtype, na_value=missing))
    # Categories are labels, whatever they are made of.
    values = np.asarray(part.astype(object).to_numpy(dtype=object))
    text = values.astype(str).astype(object)
    text[pd.isna(values)] = None
    return text
