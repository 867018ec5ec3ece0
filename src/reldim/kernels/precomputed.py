"""Kernel matrices that the user has computed already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from reldim.exceptions import InputError, KernelMatrixError
from reldim.kernels.base import Domain, Kernel
from reldim.kernels.points import FloatArray, Points, admit

__all__ = ["MatrixRows", "Precomputed"]


@dataclass(frozen=True, eq=False)
class MatrixRows:
    """Points known by their kernel values with all training points.

    Attributes
    ----------
    rows : ndarray of shape (m, n)
        Kernel values of m points with the n training points.
    index : ndarray of shape (m,) or None
        Which training points the rows belong to; None for new points.
    """

    rows: FloatArray
    index: NDArray[np.intp] | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points, and number of training points."""
        return self.rows.shape

    def __getitem__(self, rows: Any) -> MatrixRows:
        return MatrixRows(self.rows[rows], None if self.index is None else self.index[rows])

    @staticmethod
    def below_each_other(parts: Sequence[MatrixRows]) -> MatrixRows:
        """Put rows of several parts into one."""
        index = [part.index for part in parts if part.index is not None]
        return MatrixRows(
            np.concatenate([part.rows for part in parts]), np.concatenate(index) if index else None
        )


@dataclass(frozen=True)
class Precomputed(Kernel):
    """A kernel whose matrix is passed in place of the data.

    For n training points the data is their matrix of shape (n, n); for m new points it is the
    matrix of shape (m, n) between the new points and the training points.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import kernels
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> kernels.Precomputed()(K)
    array([[2., 1.],
           [1., 2.]])
    >>> kernels.Precomputed().normalized()(K)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    matrix_is_new: ClassVar[bool] = False

    @property
    def domain(self) -> Domain:
        """Kernel values."""
        return "precomputed"

    def prepare(self, X: Any, reference: Points = None) -> MatrixRows:
        """Take the matrix of the training points, or the rows of new points beside it."""
        points = X if isinstance(X, MatrixRows) else _matrix_rows(X, square=reference is None)
        if reference is not None and points.rows.shape[1] != reference.rows.shape[1]:
            raise InputError(
                f"A kernel matrix of new points must have {reference.rows.shape[1]} columns, one "
                f"for each training point. Got shape {points.rows.shape} instead."
            )
        return points

    def matrix(self, A: MatrixRows, B: MatrixRows) -> FloatArray:
        """Take the columns of the second points, without a copy where they are all."""
        if B.index is None:
            raise InputError(
                "The kernel between new points is unknown: a precomputed matrix holds their values "
                "with the training points only. Use a kernel that is a function of the data."
            )
        n = A.rows.shape[1]
        if B.index.size == n and np.array_equal(B.index, np.arange(n)):
            return A.rows
        if A.index is not None and B.index.size < A.index.size:
            # Kernel matrices are symmetric: the same numbers, in rows that lie together.
            return B.rows[:, A.index].T
        return A.rows[:, B.index]

    def diagonal_of(self, A: MatrixRows) -> FloatArray:
        """Take the entries of training points with themselves."""
        if A.index is None:
            raise InputError(
                "The diagonal of new points is unknown: a precomputed matrix holds their values "
                "with the training points only. Normalize the matrices before they are passed, or "
                "use a kernel that is a function of the data."
            )
        return A.rows[np.arange(A.index.size), A.index]


def _matrix_rows(X: Any, *, square: bool) -> MatrixRows:
    if sparse.issparse(X):
        raise InputError(
            "A precomputed kernel matrix must be dense. Got a sparse one: pass K.toarray()."
        )
    values: NDArray[Any]
    try:
        values = np.asarray(admit(X))
        if values.dtype.kind == "O":
            values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise KernelMatrixError(
            f"A kernel matrix must hold numbers only. Got entries that are not ({error})."
        ) from error
    if values.dtype.kind not in "biuf":
        raise KernelMatrixError(
            f"A kernel matrix must hold real numbers. Got entries of type {values.dtype} instead."
        )
    if values.ndim != 2 or 0 in values.shape or (square and values.shape[0] != values.shape[1]):
        expected = "(n, n)" if square else "(m, n)"
        raise KernelMatrixError(
            f"A precomputed kernel matrix must have shape {expected}. Got {values.shape} instead: "
            "pass the kernel values of all pairs of points, or choose a kernel of the data, such "
            "as Gaussian(width=1.0)."
        )
    rows: FloatArray = values.astype(
        np.float32 if values.dtype == np.float32 else np.float64, copy=False
    )
    finite = np.isfinite(rows)
    if not finite.all():
        row, column = np.unravel_index(int(np.argmin(finite)), finite.shape)
        raise KernelMatrixError(
            "A kernel matrix must hold finite numbers only. Got NaN or infinity, first in row "
            f"{row}, column {column}: look for overflow or missing values where it was made."
        )
    return MatrixRows(rows, np.arange(rows.shape[0]) if square else None)
