"""Kernels between strings of equal length, as rows of integer codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from reldim.exceptions import InputError, InputTypeError
from reldim.kernels.base import Domain, Kernel, positive_integer
from reldim.kernels.distances import row_blocks
from reldim.kernels.points import FloatArray, Points, admit

__all__ = ["WeightedDegree", "as_sequences"]

# One block of pairs with its run lengths stays in the processor's cache while all positions of the
# sequences are walked through.
_PAIRS_IN_BLOCK = 2**17

_EXPECTED = (
    "X must hold sequences of equal length: a list, an array, a Series or a one-column DataFrame "
    "of strings, or a table with one character or one integer per cell."
)


@dataclass(frozen=True)
class WeightedDegree(Kernel):
    r"""The weighted degree kernel: shared substrings at the same positions.

    .. math::

        k(x, z) = \sum_{j=1}^{p} (p - j + 1) \sum_{l=1}^{L-j+1}
                  [x_l \ldots x_{l+j-1} = z_l \ldots z_{l+j-1}]

    Sequences must be of one length :math:`L`; upper and lower case are different characters. The
    values are whole numbers, computed exactly; ``.normalized()`` brings them to at most 1.

    Parameters
    ----------
    degree : int
        :math:`p \ge 1`, the length of the longest substrings that count. It may be larger than
        the sequences are long.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.WeightedDegree(degree=2)(["GATTACA", "GATCACA"])
    array([[20., 16.],
           [16., 20.]])
    """

    degree: int

    def __post_init__(self) -> None:
        degree = positive_integer("WeightedDegree", "degree", self.degree)
        object.__setattr__(self, "degree", degree)

    @property
    def domain(self) -> Domain:
        """Strings of equal length."""
        return "sequences"

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Bring the sequences into a matrix of integer codes."""
        return as_sequences(X, reference)

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Compute the kernel by blocks of pairs; of a symmetric matrix only one half."""
        values = np.empty((A.shape[0], B.shape[0]))
        for rows in row_blocks(A.shape[0], B.shape[0], block_bytes=_PAIRS_IN_BLOCK):
            first = rows.start if A is B else 0
            for columns in row_blocks(B.shape[0] - first, 1, block_bytes=_PAIRS_IN_BLOCK):
                shifted = slice(columns.start + first, columns.stop + first)
                values[rows, shifted] = self._block(A[rows], B[shifted])
            if A is B:
                values[rows.stop :, rows] = values[rows, rows.stop :].T
        return values

    def diagonal_of(self, A: Points) -> FloatArray:
        """Count all substrings, as a sequence matches itself everywhere."""
        length = A.shape[1]
        j = np.arange(1, min(self.degree, length) + 1, dtype=np.float64)
        return np.full(A.shape[0], np.sum((self.degree - j + 1) * (length - j + 1)))

    def _block(self, A: NDArray[Any], B: NDArray[Any]) -> FloatArray:
        """Sum, over positions, the weights of all matches that end there.

        A run of r equal characters ends r matches, of lengths 1 to r; together those of up to
        `degree` characters weigh q(r) = q(r - 1) + (degree + 1 - r), and nothing is added beyond.
        Runs are therefore cut at degree + 1.
        """
        # The largest q is degree (degree + 1) / 2; one byte is enough up to degree 22. What
        # wraps around in between belongs to pairs that do not match and is set to 0.
        state = np.min_scalar_type(max(self.degree * (self.degree + 1) // 2, self.degree + 2))
        longest = state.type(self.degree + 1)
        run = np.zeros((A.shape[0], B.shape[0]), dtype=state)
        weight = np.zeros_like(run)
        match = np.empty(run.shape, dtype=np.bool_)
        # Whole numbers of the smallest type that holds the sum move through the cache quickest.
        largest = A.shape[1] * (self.degree * (self.degree + 1) // 2)
        total = np.zeros(run.shape, dtype=np.min_scalar_type(largest))
        for a, b in zip(A.T, B.T, strict=True):
            np.equal(a[:, None], b, out=match)
            run += state.type(1)
            np.minimum(run, longest, out=run)
            run *= match
            weight -= run
            weight += longest
            weight *= match
            total += weight
        return total.astype(np.float64)


def as_sequences(X: Any, reference: Points = None) -> NDArray[np.unsignedinteger[Any]]:
    """Bring sequences of equal length into a matrix of integers, one row per sequence.

    Characters become their code points, so that the same one has the same code in every data set.

    Parameters
    ----------
    X : list, array, Series or DataFrame
        Strings (or bytes) of equal length, or a table with one character or one integer per cell.
    reference : array of shape (m, L), optional
        Sequences to compare with: they must be as long.

    Returns
    -------
    ndarray of shape (n, L)
        uint8 where all codes fit, else uint32; `X` itself where it is such an array already.

    Examples
    --------
    >>> from reldim.kernels.strings import as_sequences
    >>> as_sequences(["AC", "GT"])
    array([[65, 67],
           [71, 84]], dtype=uint8)
    """
    table = _table(X)
    if table.size == 0:
        raise InputError(f"{_EXPECTED} Got none, or empty ones (shape {table.shape}).")
    codes = _codes(table)
    if reference is not None and codes.shape[1] != reference.shape[1]:
        raise InputError(
            f"Sequences to compare must be of one length. Got {codes.shape[1]} and "
            f"{reference.shape[1]}: cut or pad them to the same positions."
        )
    return codes


def _table(X: Any) -> NDArray[Any]:
    table: NDArray[Any]
    X = admit(X)
    if sparse.issparse(X) or isinstance(X, str | bytes):
        raise InputTypeError(f"{_EXPECTED} Got {type(X).__name__} instead.")
    if isinstance(X, pd.DataFrame | pd.Series | pd.Index):
        table = X.to_numpy()
    elif isinstance(X, np.ndarray):
        table = X
    elif isinstance(X, Sequence):
        table = _array_of_items(X)
    else:
        raise InputTypeError(f"{_EXPECTED} Got {type(X).__name__} instead.")
    if table.ndim == 2 and table.shape[1] == 1 and table.dtype.kind in "OUST":
        table = table[:, 0]  # a column of strings, as scikit-learn passes them
    if table.ndim not in (1, 2):
        raise InputError(f"{_EXPECTED} Got an array of shape {table.shape} instead.")
    return table


def _array_of_items(X: Sequence[Any]) -> NDArray[Any]:
    """Keep strings whole, and lists of characters or of integers as the rows of a table."""
    if any(isinstance(item, str | bytes) for item in X):
        table = np.empty(len(X), dtype=object)
        for i, item in enumerate(X):
            table[i] = item
        return table
    try:
        return np.asarray(X)
    except ValueError as error:
        _check_lengths([len(item) if isinstance(item, Sequence) else 0 for item in X])
        raise InputError(f"{_EXPECTED} Got rows of different shapes instead ({error}).") from error


def _codes(table: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    if table.dtype.kind in "biu":
        return _integer_codes(table)
    if table.dtype.kind not in "OUST":
        raise InputError(
            f"{_EXPECTED} Got entries of type {table.dtype} instead: turn them into strings, or "
            "into integers if each stands for a character."
        )
    if table.ndim == 2:
        if all(isinstance(value, int | np.integer) for value in table.ravel()):
            return _integer_codes(table.astype(np.int64))
        strings = ["".join(_text(value, i, 1) for value in row) for i, row in enumerate(table)]
    else:
        strings = [_text(value, i) for i, value in enumerate(table)]
    lengths = [len(string) for string in strings]
    _check_lengths(lengths)
    letters = np.array(strings, dtype=f"U{lengths[0]}")
    return _smallest(letters.view(np.uint32).reshape(len(strings), lengths[0]))


def _integer_codes(table: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    if table.ndim != 2:
        raise InputError(
            f"{_EXPECTED} Got a list of single integers (shape {table.shape}): pass one row per "
            "sequence."
        )
    if table.dtype in (np.uint8, np.uint32):
        return table
    if table.min() < 0 or table.max() > np.iinfo(np.uint32).max:
        raise InputError(
            "Integers that stand for characters must lie between 0 and 2**32 - 1. Got values from "
            f"{table.min()} to {table.max()}: number the characters from 0."
        )
    return _smallest(table)


def _smallest(codes: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    return codes.astype(np.uint8 if codes.max() <= np.iinfo(np.uint8).max else np.uint32)


def _text(value: Any, row: int, length: int | None = None) -> str:
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if not isinstance(value, str):
        if pd.api.types.is_scalar(value) and pd.isna(value):
            raise InputError(
                f"Sequences must not be missing. Got a missing value in row {row}: leave such "
                "rows out."
            )
        raise InputError(
            f"{_EXPECTED} Got {value!r} of type {type(value).__name__} in row {row} instead."
        )
    if not value:
        raise InputError(f"Sequences must not be empty. Got an empty string in row {row}.")
    if length is not None and len(value) != length:
        raise InputError(
            f"A table of characters must have one per cell. Got {str(value)!r} in row {row}: "
            "pass whole sequences in a single column instead."
        )
    return str(value)


def _check_lengths(lengths: list[int]) -> None:
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            raise InputError(
                f"Sequences must be of one length. Got {lengths[0]} in row 0 and {length} in row "
                f"{row}: cut or pad them to the same positions."
            )
