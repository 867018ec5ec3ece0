"""Kernels made of kernels: sums, products, multiples and normalized kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reldim.exceptions import InputError
from reldim.kernels.base import Domain, Kernel, as_kernel, positive_number
from reldim.kernels.distances import row_blocks
from reldim.kernels.points import FloatArray, Points, concatenated

__all__ = ["Normalized", "Product", "Scaled", "Sum"]


@dataclass(frozen=True)
class _Parallel:
    """The same points in the form of each kernel of a pair, sliced together."""

    left: Points
    right: Points

    @property
    def shape(self) -> tuple[int]:
        return (self.left.shape[0],)

    def __getitem__(self, rows: Any) -> _Parallel:
        return _Parallel(self.left[rows], self.right[rows])

    @staticmethod
    def below_each_other(parts: Sequence[_Parallel]) -> _Parallel:
        """Put the points of several parts into one."""
        left, right = ([getattr(part, side) for part in parts] for side in ("left", "right"))
        return _Parallel(concatenated(left), concatenated(right))


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels over the same data."""

    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", as_kernel(self.left))
        object.__setattr__(self, "right", as_kernel(self.right))
        domains = {self.left.domain, self.right.domain} - {"any"}
        if len(domains) > 1:
            raise InputError(
                f"{type(self).__name__}: both kernels must compare the same kind of data. Got "
                f"{self.left!r} on {self.left.domain} and {self.right!r} on {self.right.domain}: "
                "compute both matrices, combine them and use kernels.Precomputed()."
            )

    @property
    def domain(self) -> Domain:
        """The kind of data that both kernels compare."""
        return self.right.domain if self.left.domain == "any" else self.left.domain

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Prepare the points for both kernels, in one form where both can share it."""
        if not _is_mixed(self):
            # Both look at the data: one of them may need a certain number of columns.
            for kernel in (self.left, self.right):
                if kernel.domain == self.domain:
                    X = kernel.prepare(X, reference)
            return X
        left, right = self._forms(X) if isinstance(X, _Parallel) else (X, X)
        references = (None, None) if reference is None else self._forms(reference)
        return _Parallel(
            self.left.prepare(left, references[0]), self.right.prepare(right, references[1])
        )

    def _forms(self, A: Points) -> tuple[Points, Points]:
        return (A.left, A.right) if _is_mixed(self) else (A, A)

    def _matrices(self, A: Points, B: Points) -> tuple[FloatArray, FloatArray]:
        """Both matrices, the first of them free to be overwritten."""
        left_A, right_A = self._forms(A)
        left_B, right_B = (left_A, right_A) if A is B else self._forms(B)
        left = _new_matrix(self.left, left_A, left_B)
        right = self.right.matrix(right_A, right_B)
        return left.astype(np.result_type(left, right), copy=False), right

    def _diagonals(self, A: Points) -> tuple[FloatArray, FloatArray]:
        left, right = self._forms(A)
        return self.left.diagonal_of(left), self.right.diagonal_of(right)


@dataclass(frozen=True, repr=False)
class Sum(_Pair):
    r"""The sum of two kernels, written ``k1 + k2``.

    .. math:: k(x, z) = k_1(x, z) + k_2(x, z)

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Sum(kernels.Linear(), kernels.Gaussian(width=2.0))
    Linear() + Gaussian(width=2.0)
    """

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Add the matrices of both kernels."""
        left, right = self._matrices(A, B)
        left += right
        return left

    def diagonal_of(self, A: Points) -> FloatArray:
        """Add the diagonals of both kernels."""
        left, right = self._diagonals(A)
        return left + right

    def __repr__(self) -> str:
        return f"{self.left!r} + {_bracketed(self.right, Sum)}"


@dataclass(frozen=True, repr=False)
class Product(_Pair):
    r"""The product of two kernels, written ``k1 * k2``.

    .. math:: k(x, z) = k_1(x, z) \, k_2(x, z)

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Product(kernels.Linear(), kernels.Gaussian(width=2.0))
    Linear() * Gaussian(width=2.0)
    """

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Multiply the matrices of both kernels, entry by entry."""
        left, right = self._matrices(A, B)
        left *= right
        return left

    def diagonal_of(self, A: Points) -> FloatArray:
        """Multiply the diagonals of both kernels."""
        left, right = self._diagonals(A)
        return left * right

    def __repr__(self) -> str:
        return f"{_bracketed(self.left, Sum)} * {_bracketed(self.right, Sum, Product, Scaled)}"


@dataclass(frozen=True)
class _Around(Kernel):
    """A kernel made of one other kernel, over the same data."""

    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "kernel", as_kernel(self.kernel))

    @property
    def domain(self) -> Domain:
        """The kind of data that the inner kernel compares."""
        return self.kernel.domain

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Prepare the points as the inner kernel takes them."""
        return self.kernel.prepare(X, reference)


@dataclass(frozen=True, repr=False)
class Scaled(_Around):
    r"""A kernel times a positive number, written ``2.0 * k``.

    .. math:: k(x, z) = c \, k_1(x, z)

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Scaled(kernels.Linear(), 2.0)
    2.0 * Linear()
    """

    factor: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "factor", positive_number("Scaled", "factor", self.factor))

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Multiply the matrix of the inner kernel by the factor."""
        values = _new_matrix(self.kernel, A, B)
        values *= self.factor
        return values

    def diagonal_of(self, A: Points) -> FloatArray:
        """Multiply the diagonal of the inner kernel by the factor."""
        return self.kernel.diagonal_of(A) * self.factor

    def __repr__(self) -> str:
        return f"{self.factor!r} * {_bracketed(self.kernel, Sum, Product, Scaled)}"


@dataclass(frozen=True, repr=False)
class Normalized(_Around):
    r"""A kernel between points scaled to length one, written ``k.normalized()``.

    .. math:: k(x, z) = \frac{k_1(x, z)}{\sqrt{k_1(x, x) \, k_1(z, z)}}

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Polynomial(degree=2, constant=0.0).normalized()([[1.0, 0.0], [3.0, 3.0]]).round(2)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Divide the matrix of the inner kernel by the lengths of the points."""
        lengths_A = self._lengths(A)
        lengths_B = lengths_A if A is B else self._lengths(B)
        values = _new_matrix(self.kernel, A, B)
        # One division by the product, not two divisions: the result stays exactly symmetric.
        for rows in row_blocks(A.shape[0], 8 * B.shape[0]):
            values[rows] /= lengths_A[rows, None] * lengths_B
        return values

    def diagonal_of(self, A: Points) -> FloatArray:
        """Return ones, once all points are known to have a length."""
        return np.ones_like(self._lengths(A))

    def _lengths(self, A: Points) -> FloatArray:
        diagonal = self.kernel.diagonal_of(A)
        if not (diagonal > 0).all():
            row = int(np.argmin(diagonal > 0))
            raise InputError(
                "A kernel can be normalized where it is positive between each point and itself. "
                f"Got {diagonal[row]} at row {row} from {self.kernel!r}: leave such rows out, or "
                "add a constant, for example Polynomial(degree=1, constant=1.0) for Linear()."
            )
        lengths: FloatArray = np.sqrt(diagonal)
        return lengths

    def __repr__(self) -> str:
        return f"{_bracketed(self.kernel, Sum, Product, Scaled)}.normalized()"


def _new_matrix(kernel: Kernel, A: Points, B: Points) -> FloatArray:
    """Compute a kernel matrix that may be overwritten."""
    values = kernel.matrix(A, B)
    return values if kernel.matrix_is_new else values.copy()


def _is_mixed(kernel: Kernel) -> bool:
    """Tell whether the parts of a kernel need the points in different forms.

    A user's function of strings must see strings, not the codes of WeightedDegree; a user's
    function of vectors gets the same vectors in either form.
    """
    if isinstance(kernel, _Around):
        return _is_mixed(kernel.kernel)
    if not isinstance(kernel, _Pair) or kernel.domain == "vectors":
        return False
    left, right = kernel.left, kernel.right
    return left.domain != right.domain or _is_mixed(left) or _is_mixed(right)


def _bracketed(kernel: Kernel, *looser: type[Kernel]) -> str:
    return f"({kernel!r})" if isinstance(kernel, looser) else repr(kernel)
