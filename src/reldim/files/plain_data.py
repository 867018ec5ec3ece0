"""Plain data: values written as JSON beside numbered arrays, and read back the same.

JSON has no tuples, no NaN and no arrays. What it lacks is written as a dictionary that names its
form under the key "!"; a form that is not known here is refused, so that a file decides about
values, and never about code.
"""

import datetime as dt
import math
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from reldim.exceptions import FileError, InputTypeError

__all__ = ["PlainReader", "PlainWriter"]

#: Types of columns that hold a value of its own in each row.
_OF_VALUES = ("object", "str", "string")


class PlainWriter:
    """Turn values into plain data; arrays are collected, each content once.

    Parameters
    ----------
    form : callable
        Asked for the form of what is not plain: returns a name and a dictionary of parts, or None.

    Examples
    --------
    >>> writer = PlainWriter(lambda value: None)
    >>> writer.plain((1, np.arange(2)))
    {'!': 'tuple', 'items': [1, {'!': 'array', 'number': 0}]}
    >>> PlainReader(writer.arrays, {}).value(writer.plain((1, "a")))
    (1, 'a')
    """

    def __init__(self, form: Callable[[Any], tuple[str, dict[str, Any]] | None]) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._form = form
        self._numbers: dict[tuple[Any, ...], int] = {}

    def plain(self, value: Any) -> Any:
        """Return a value as plain data.

        Parameters
        ----------
        value : any
            Numbers, text, dates, lists, tuples, dictionaries, arrays, data frames, and what the
            writer was given forms for.
        """
        if value is None or isinstance(value, (bool, str)):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, (int, np.integer, np.bool_)):
            return bool(value) if isinstance(value, np.bool_) else int(value)
        if isinstance(value, (float, np.floating)):
            number = float(value)
            return number if math.isfinite(number) else {"!": "float", "text": repr(number)}
        if isinstance(value, list):
            return [self.plain(item) for item in value]
        name, parts = self._parts(value)
        return {"!": name, **{key: self.plain(part) for key, part in parts.items()}}

    def _parts(self, value: Any) -> tuple[str, dict[str, Any]]:
        form = self._form(value)
        if form is not None:
            return form
        if isinstance(value, np.ndarray) and not np.ma.isMaskedArray(value):
            return self._array(value)
        if sparse.issparse(value):
            return "csr", _csr_parts(value)
        for kind, name, parts in _FORMS:
            if isinstance(value, kind):
                return name, parts(value)
        raise InputTypeError(
            f"A value of type {type(value).__name__} cannot be saved. Numbers, text, dates, arrays "
            "and what reldim fits can; objects of other kinds would need code to be read again."
        )

    def _array(self, array: NDArray[Any]) -> tuple[str, dict[str, Any]]:
        if array.dtype.kind == "O":
            return "objects", {"items": [*array.ravel()], "shape": array.shape}
        if array.dtype.fields is not None:
            raise InputTypeError("Arrays with named fields cannot be saved.")
        # By content: a model holds copies of its rows, one for each of its parts.
        content = blake2b(array.tobytes("A")).digest()
        same = (array.dtype.str, array.shape, array.flags.fnc, content)
        if same not in self._numbers:
            self._numbers[same] = len(self.arrays)
            self.arrays.append(np.asarray(array))
        # The number is plain already.
        return "array", {"number": self._numbers[same]}


class PlainReader:
    """Turn plain data back into values.

    Parameters
    ----------
    arrays : sequence of ndarray
        What plain data refer to by number.
    forms : mapping
        From names of forms to functions of their parts.
    """

    def __init__(self, arrays: Any, forms: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        self._arrays = arrays
        self._forms = {**self._own_forms(), **forms}

    def value(self, plain: Any) -> Any:
        """Return the value that plain data stand for."""
        if isinstance(plain, list):
            return [self.value(item) for item in plain]
        if not isinstance(plain, dict):
            return plain
        name = plain.get("!")
        if not isinstance(name, str) or name not in self._forms:
            raise FileError(f"A form named {str(name)[:50]!r} is not known to this version.")
        parts = {key: self.value(part) for key, part in plain.items() if key != "!"}
        return self._forms[name](parts)

    def _own_forms(self) -> dict[str, Callable[[dict[str, Any]], Any]]:
        return {
            "float": lambda parts: float(parts["text"]),
            "tuple": lambda parts: tuple(parts["items"]),
            "dict": lambda parts: dict(zip(parts["keys"], parts["values"], strict=True)),
            "array": self._numbered,
            "objects": _objects,
            "csr": _csr,
            "frame": _frame,
            "gap": lambda _parts: None,
            "datetime": lambda parts: dt.datetime.fromisoformat(parts["text"]),
            "date": lambda parts: dt.date.fromisoformat(parts["text"]),
        }

    def _numbered(self, parts: dict[str, Any]) -> NDArray[Any]:
        number = parts["number"]
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise FileError(f"There is no array with the number {number}.")
        array: NDArray[Any] = self._arrays[number]
        return array


def _csr_parts(value: Any) -> dict[str, Any]:
    rows: Any = sparse.csr_array(value)
    parts = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr}
    return {**parts, "shape": rows.shape}


def _frame_parts(frame: pd.DataFrame) -> dict[str, Any]:
    columns = [_column(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return {"names": [*frame.columns], "columns": columns}


#: Types, the names of their forms, and their parts; a moment is a date too, so it comes first.
_FORMS: list[tuple[Any, str, Callable[[Any], dict[str, Any]]]] = [
    (tuple, "tuple", lambda value: {"items": [*value]}),
    (Mapping, "dict", lambda value: {"keys": [*value.keys()], "values": [*value.values()]}),
    (pd.DataFrame, "frame", _frame_parts),
    ((type(pd.NaT), type(pd.NA)), "gap", lambda _value: {}),
    (dt.datetime, "datetime", lambda value: {"text": value.isoformat()}),
    (dt.date, "date", lambda value: {"text": value.isoformat()}),
]


def _objects(parts: dict[str, Any]) -> NDArray[Any]:
    array = np.empty(len(parts["items"]), dtype=object)
    array[:] = parts["items"]
    return array.reshape(parts["shape"])


def _csr(parts: dict[str, Any]) -> Any:
    rows: Any = sparse.csr_array(
        (parts["data"], parts["indices"], parts["indptr"]), shape=parts["shape"]
    )
    # Products read memory by these numbers, unchecked.
    rows.check_format(full_check=True)
    return rows


def _column(column: Any) -> dict[str, Any]:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return {
            "kind": "category",
            "categories": [*dtype.categories],
            "codes": column.cat.codes.to_numpy(),
            "ordered": bool(dtype.ordered),
        }
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return {"kind": "zone", "values": moments, "zone": str(dtype.tz)}
    if str(dtype) in _OF_VALUES:
        return {"kind": str(dtype), "values": [None if pd.isna(v) else v for v in column]}
    return {"kind": "array", "values": column.to_numpy()}


def _frame(parts: dict[str, Any]) -> pd.DataFrame:
    columns = [_series(column) for column in parts["columns"]]
    frame = pd.concat(columns, axis=1, ignore_index=True) if columns else pd.DataFrame()
    frame.columns = pd.Index(parts["names"])
    return frame


def _series(column: dict[str, Any]) -> Any:
    kind = column["kind"]
    if kind == "category":
        dtype = pd.CategoricalDtype(column["categories"], ordered=column["ordered"])
        return pd.Series(pd.Categorical.from_codes(column["codes"], dtype=dtype))
    if kind == "zone":
        return pd.Series(column["values"]).dt.tz_localize("UTC").dt.tz_convert(column["zone"])
    if kind in _OF_VALUES:
        return pd.Series(column["values"], dtype=kind)
    return pd.Series(column["values"])
