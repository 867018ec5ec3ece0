"""Rows that count more or less than others, as kernels between scaled feature vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.kernels.base import Domain, Kernel
from reldim.kernels.points import FloatArray, Points, concatenated

__all__ = ["RowWeighted", "WeightedRows"]


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Points, each with a factor for its feature vector.

    Attributes
    ----------
    points : points
        The points, prepared.
    factors : ndarray of shape (n,)
        The factors, roots of weights; 1 for new points.
    """

    points: Points
    factors: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int]:
        """Number of points."""
        return (self.points.shape[0],)

    @property
    def dtype(self) -> Any:
        """Precision of the points, or None where they have none."""
        return getattr(self.points, "dtype", None)

    def __getitem__(self, rows: Any) -> WeightedRows:
        return WeightedRows(self.points[rows], self.factors[rows])

    def astype(self, dtype: Any) -> WeightedRows:
        """Return the points in another precision."""
        return WeightedRows(self.points.astype(dtype), self.factors)

    @staticmethod
    def below_each_other(parts: Sequence[WeightedRows]) -> WeightedRows:
        """Put the rows of several parts into one."""
        return WeightedRows(
            concatenated([part.points for part in parts]),
            np.concatenate([part.factors for part in parts]),
        )


@dataclass(frozen=True)
class RowWeighted(Kernel):
    r"""A kernel between points that count more or less than others.

    .. math:: k((x, a), (z, b)) = a \, k_1(x, z) \, b

    With :math:`a = \sqrt{w}` least squares on its features is weighted least squares: a row of
    weight w counts as w rows.

    Examples
    --------
    >>> from reldim.kernels import Linear
    >>> kernel = RowWeighted(Linear())
    >>> rows = WeightedRows(np.array([[1.0], [3.0]]), np.array([1.0, 2.0]))
    >>> kernel.matrix(rows, rows)
    array([[ 1.,  6.],
           [ 6., 36.]])
    """

    kernel: Kernel

    @property
    def domain(self) -> Domain:
        """The kind of data that the inner kernel compares."""
        return self.kernel.domain

    def prepare(self, X: Any, reference: Points = None) -> WeightedRows:
        """Prepare points as the inner kernel takes them; new points have the factor 1."""
        if isinstance(X, WeightedRows):
            return X
        points = self.kernel.prepare(X, None if reference is None else reference.points)
        return WeightedRows(points, np.ones(points.shape[0]))

    def matrix(self, A: WeightedRows, B: WeightedRows) -> FloatArray:
        """Scale rows and columns of the matrix of the inner kernel."""
        values = self.kernel.matrix(A.points, B.points)
        # One product of the factors, so that the result stays exactly symmetric.
        return values * np.multiply.outer(A.factors, B.factors).astype(values.dtype)

    def diagonal_of(self, A: WeightedRows) -> FloatArray:
        """Scale the diagonal of the inner kernel."""
        values = self.kernel.diagonal_of(A.points)
        return values * (A.factors**2).astype(values.dtype)
