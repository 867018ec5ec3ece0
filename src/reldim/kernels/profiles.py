"""Kernels of vectors that are functions of a distance or of an inner product."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import fields
from typing import Any

import numpy as np
from scipy import sparse

from reldim.exceptions import InputError, counted
from reldim.kernels.base import Domain, Kernel
from reldim.kernels.distances import (
    inner_products_between,
    squared_distances_between,
    squared_norms,
)
from reldim.kernels.points import FloatArray, Points, as_vectors

__all__ = ["InnerProduct", "Radial", "VectorKernel", "Weighted", "minus_ratio", "working_copy"]


class VectorKernel(Kernel):
    """A kernel between the rows of a numeric table."""

    @property
    def domain(self) -> Domain:
        """Rows of numbers."""
        return "vectors"

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Bring the points into a float array or a CSR array."""
        return as_vectors(X, reference)


class Weighted(VectorKernel):
    """A kernel that may weigh columns: `weights` is None, or one number for each column."""

    #: Weights of the columns; a subclass makes a field of it.
    weights: Collection[float] | None = None

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Bring the points into a float array or a CSR array with a column for each weight."""
        points = as_vectors(X, reference)
        if self.weights is not None and points.shape[1] != len(self.weights):
            weights = counted(len(self.weights), "weight")
            raise InputError(
                f"{type(self).__name__} has {weights} and needs as many columns. "
                f"Got X with {counted(points.shape[1], 'column')}: give a weight for each column."
            )
        return points

    def scaled(self, A: Points, power: float = 0.5) -> Points:
        """Multiply the columns of points by a power of their weights; those of 0 are left out."""
        if self.weights is None:
            return A
        weights = np.array(tuple(self.weights))
        used = weights > 0
        if used.any() and not used.all():
            A, weights = A[:, used], weights[used]
        factors = (weights**power).astype(A.dtype)
        if isinstance(A, sparse.csr_array):
            return sparse.csr_array(A.multiply(factors))
        return A * factors

    def __repr__(self) -> str:
        # Without the word weights where there are none.
        shown = [
            f"{part.name}={getattr(self, part.name)!r}"
            for part in fields(self)  # type: ignore[arg-type]
            if part.name != "weights" or self.weights is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class Radial(Weighted):
    r"""A kernel that is a function of the distance alone.

    .. math:: k(x, z) = \phi(\|x - z\|^2)

    A subclass supplies :meth:`profile`, which is :math:`\phi`. Where it has `weights`, the squared
    distance is :math:`\sum_i w_i (x_i - z_i)^2`. Several radial kernels over the same data can
    share one matrix of distances:

    Examples
    --------
    >>> from reldim import kernels
    >>> distances = kernels.squared_distances([[0.0], [1.0], [2.0]])
    >>> for width in (0.5, 5.0):
    ...     print(kernels.Gaussian(width).profile(distances)[0].round(3))
    [1.    0.368 0.018]
    [1.    0.905 0.67 ]
    """

    @abstractmethod
    def profile(self, squared_distances: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute the kernel from squared distances.

        Parameters
        ----------
        squared_distances : ndarray
            Squared Euclidean distances, in an array of any shape.
        overwrite : bool, default False
            Write the result into `squared_distances`, so that no second array is needed.

        Returns
        -------
        ndarray
            Kernel values, of the same shape.
        """

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Apply the profile to all squared distances."""
        left = self.scaled(A)
        squared = squared_distances_between(left, left if A is B else self.scaled(B))
        return self.profile(squared, overwrite=True)

    def diagonal_of(self, A: Points) -> FloatArray:
        """Apply the profile to distance 0."""
        return self.profile(np.zeros(A.shape[0], dtype=A.dtype), overwrite=True)


class InnerProduct(VectorKernel):
    r"""A kernel that is a function of the inner product alone.

    .. math:: k(x, z) = \phi(\langle x, z \rangle)

    A subclass supplies :meth:`profile`, which is :math:`\phi`.
    """

    @abstractmethod
    def profile(self, inner_products: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute the kernel from inner products.

        Parameters
        ----------
        inner_products : ndarray
            Inner products, in an array of any shape.
        overwrite : bool, default False
            Write the result into `inner_products`, so that no second array is needed.

        Returns
        -------
        ndarray
            Kernel values, of the same shape.
        """

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Apply the profile to all inner products."""
        return self.profile(inner_products_between(A, B), overwrite=True)

    def diagonal_of(self, A: Points) -> FloatArray:
        """Apply the profile to the squared lengths of the points."""
        return self.profile(squared_norms(A), overwrite=True)


def working_copy(values: FloatArray, *, overwrite: bool) -> FloatArray:
    """Return an array of floats that may be overwritten: `values` itself, or a copy."""
    values = np.asarray(values)
    if values.dtype.kind != "f":
        return values.astype(np.float64)
    return values if overwrite else values.copy()


def minus_ratio(values: FloatArray, scale: float) -> FloatArray:
    """Replace `values` by ``-values / scale``, where what overflows is as good as infinite."""
    # A scale below the smallest float32 would become 0, and 0 / 0 is not a number.
    smallest = float(np.finfo(values.dtype).tiny)
    with np.errstate(over="ignore"):
        values /= -max(scale, smallest)
    return values
