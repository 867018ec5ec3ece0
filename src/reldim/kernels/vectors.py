"""Kernels between vectors of numbers."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from reldim.exceptions import InputError
from reldim.kernels.base import (
    column_weights,
    non_negative_number,
    positive_integer,
    positive_number,
)
from reldim.kernels.distances import (
    absolute_distances_between,
    row_blocks,
    squared_distances,
    squared_distances_between,
)
from reldim.kernels.points import FloatArray, Points
from reldim.kernels.profiles import InnerProduct, Radial, Weighted, minus_ratio, working_copy

__all__ = [
    "ARDGaussian",
    "Gaussian",
    "InnerProduct",
    "InverseMultiquadric",
    "Laplacian",
    "Linear",
    "Matern",
    "Polynomial",
    "ProductLaplacian",
    "Radial",
    "squared_distances",
]

# Beyond this, exp(-t) is 0 in every precision, while powers of t could overflow and 0 * inf is NaN.
_VANISHED = 1e4


@dataclass(frozen=True, repr=False)
class Gaussian(Radial):
    r"""The Gaussian kernel, with the squared length as its parameter.

    .. math:: k(x, z) = \exp\left(-\frac{\|x - z\|^2}{2 w}\right)

    Parameters
    ----------
    width : float
        :math:`w > 0`. In scikit-learn's RBF it is ``length_scale ** 2``, and its ``gamma`` is
        :math:`1 / (2 w)`.
    weights : collection of floats, optional
        One weight :math:`w_i \ge 0` for each column, by which squared differences are multiplied; a
        column of weight 0 is ignored. None weighs all columns alike.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Gaussian(width=2.0)([[0.0], [2.0]])
    array([[1.        , 0.36787944],
           [0.36787944, 1.        ]])
    """

    width: float
    weights: Collection[float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", positive_number("Gaussian", "width", self.width))
        if self.weights is not None:
            object.__setattr__(self, "weights", column_weights("Gaussian", self.weights))

    def profile(self, squared_distances: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute exp(-D / (2 w)) of squared distances D."""
        values = working_copy(squared_distances, overwrite=overwrite)
        return np.exp(minus_ratio(values, 2.0 * self.width), out=values)


@dataclass(frozen=True, repr=False)
class ARDGaussian(Weighted):
    r"""The Gaussian kernel with a weight for each column (automatic relevance determination).

    .. math:: k(x, z) = C \exp\left(-\frac{1}{2 d} \sum_{i=1}^{d} w_i (x_i - z_i)^2\right) + v

    Parameters
    ----------
    weights : collection of d floats
        :math:`w_i \ge 0`, one for each column; a column of weight 0 is ignored.
    amplitude : float, default 1.0
        :math:`C > 0`.
    offset : float, default 0.0
        :math:`v \ge 0`.

    Examples
    --------
    >>> from reldim import kernels
    >>> k = kernels.ARDGaussian(weights=(4.0, 0.0), offset=1.0)
    >>> k([[0.0, 5.0], [1.0, 7.0]])
    array([[2.        , 1.36787944],
           [1.36787944, 2.        ]])
    """

    weights: Collection[float]
    amplitude: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        name = "ARDGaussian"
        object.__setattr__(self, "weights", column_weights(name, self.weights))
        object.__setattr__(self, "amplitude", positive_number(name, "amplitude", self.amplitude))
        object.__setattr__(self, "offset", non_negative_number(name, "offset", self.offset))

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Compute a Gaussian of the distances between weighted points."""
        left = self.scaled(A)
        values = squared_distances_between(left, left if A is B else self.scaled(B))
        values *= -0.5 / len(self.weights)
        np.exp(values, out=values)
        values *= self.amplitude
        values += self.offset
        return values

    def diagonal_of(self, A: Points) -> FloatArray:
        """Return C + v for each point."""
        return np.full(A.shape[0], self.amplitude + self.offset, dtype=A.dtype)


@dataclass(frozen=True, repr=False)
class Laplacian(Radial):
    r"""The exponential of the distance, covariance of the Ornstein-Uhlenbeck process.

    .. math:: k(x, z) = \exp\left(-\frac{\|x - z\|}{l}\right)

    The norm is the Euclidean one, not the sum of absolute values.

    Parameters
    ----------
    scale : float
        :math:`l > 0`.
    weights : collection of floats, optional
        One weight :math:`w_i \ge 0` for each column, by which squared differences are multiplied; a
        column of weight 0 is ignored. None weighs all columns alike.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Laplacian(scale=5.0)([[0.0, 0.0], [3.0, 4.0]])
    array([[1.        , 0.36787944],
           [0.36787944, 1.        ]])
    """

    scale: float
    weights: Collection[float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_number("Laplacian", "scale", self.scale))
        if self.weights is not None:
            object.__setattr__(self, "weights", column_weights("Laplacian", self.weights))

    def profile(self, squared_distances: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute exp(-sqrt(D) / l) of squared distances D."""
        values = working_copy(squared_distances, overwrite=overwrite)
        np.sqrt(values, out=values)
        return np.exp(minus_ratio(values, self.scale), out=values)


@dataclass(frozen=True, repr=False)
class ProductLaplacian(Weighted):
    r"""A product over columns of Laplacian kernels of one column each.

    .. math:: k(x, z) = \prod_i \exp\left(-\frac{w_i |x_i - z_i|}{l}\right)

    It sees steps and interactions of few columns, as trees do, where functions of the Euclidean
    distance blur them. On columns of 0 and 1 it counts categories that differ.

    Parameters
    ----------
    scale : float
        :math:`l > 0`; with equal weights :math:`1 / l` is the ``gamma`` of scikit-learn's
        ``laplacian_kernel``.
    weights : collection of floats, optional
        One weight :math:`w_i \ge 0` for each column; a column of weight 0 is ignored. None weighs
        all columns alike.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.ProductLaplacian(scale=7.0)([[0.0, 0.0], [3.0, 4.0]])
    array([[1.        , 0.36787944],
           [0.36787944, 1.        ]])
    """

    scale: float
    weights: Collection[float] | None = None

    def __post_init__(self) -> None:
        name = "ProductLaplacian"
        object.__setattr__(self, "scale", positive_number(name, "scale", self.scale))
        if self.weights is not None:
            object.__setattr__(self, "weights", column_weights(name, self.weights))

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Compute exp(-D / l) of the sums D of absolute differences."""
        left = self.scaled(A, 1.0)
        values = absolute_distances_between(left, left if A is B else self.scaled(B, 1.0))
        return np.exp(minus_ratio(values, self.scale), out=values)

    def diagonal_of(self, A: Points) -> FloatArray:
        """Return 1 for each point."""
        return np.ones(A.shape[0], dtype=A.dtype)


@dataclass(frozen=True, repr=False)
class Matern(Radial):
    r"""The Matérn kernels whose formula is elementary.

    With :math:`t = \sqrt{2 \nu} \, \|x - z\| / l`

    .. math::

        k(x, z) = e^{-t} \;(\nu = 1/2), \quad
        (1 + t) \, e^{-t} \;(\nu = 3/2), \quad
        (1 + t + t^2 / 3) \, e^{-t} \;(\nu = 5/2).

    Parameters
    ----------
    nu : {0.5, 1.5, 2.5}
        Smoothness: functions of the space have fewer than :math:`\nu` derivatives.
    length : float
        :math:`l > 0`.
    weights : collection of floats, optional
        One weight :math:`w_i \ge 0` for each column, by which squared differences are multiplied; a
        column of weight 0 is ignored. None weighs all columns alike.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Matern(nu=1.5, length=1.0)([[0.0], [1.0]]).round(4)
    array([[1.    , 0.4834],
           [0.4834, 1.    ]])
    """

    nu: float
    length: float
    weights: Collection[float] | None = None

    def __post_init__(self) -> None:
        nu = positive_number("Matern", "nu", self.nu)
        if nu not in (0.5, 1.5, 2.5):
            raise InputError(
                f"Matern: nu must be one of 0.5, 1.5 and 2.5. Got {nu} instead: for smoother "
                "functions use Gaussian, the limit of large nu."
            )
        object.__setattr__(self, "nu", nu)
        object.__setattr__(self, "length", positive_number("Matern", "length", self.length))
        if self.weights is not None:
            object.__setattr__(self, "weights", column_weights("Matern", self.weights))

    def profile(self, squared_distances: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute the formula of `nu` with t = sqrt(2 nu D) / l of squared distances D."""
        values = working_copy(squared_distances, overwrite=overwrite)
        np.sqrt(values, out=values)
        minus_ratio(values, self.length / math.sqrt(2 * self.nu))
        np.maximum(values, -_VANISHED, out=values)
        flat = np.atleast_1d(values)
        # By blocks, because the polynomial needs a second array beside the exponential.
        for rows in row_blocks(flat.shape[0], 8 * flat[0].size if flat.size else 1):
            t = -flat[rows]
            np.exp(flat[rows], out=flat[rows])
            if self.nu == 1.5:
                flat[rows] *= 1.0 + t
            elif self.nu == 2.5:
                flat[rows] *= 1.0 + t + t**2 / 3.0
        return values


@dataclass(frozen=True)
class InverseMultiquadric(Radial):
    r"""The inverse multiquadric kernel, with tails heavier than any exponential.

    .. math:: k(x, z) = \frac{1}{\sqrt{\|x - z\|^2 + c^2}}

    Parameters
    ----------
    constant : float
        :math:`c > 0`.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.InverseMultiquadric(constant=3.0)([[0.0], [4.0]])
    array([[0.33333333, 0.2       ],
           [0.2       , 0.33333333]])
    """

    constant: float

    def __post_init__(self) -> None:
        constant = positive_number("InverseMultiquadric", "constant", self.constant)
        object.__setattr__(self, "constant", constant)

    def profile(self, squared_distances: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute 1 / sqrt(D + c^2) of squared distances D."""
        values = working_copy(squared_distances, overwrite=overwrite)
        values += self.constant**2
        np.sqrt(values, out=values)
        return np.reciprocal(values, out=values)


@dataclass(frozen=True)
class Polynomial(InnerProduct):
    r"""All products of up to `degree` columns.

    .. math:: k(x, z) = (\langle x, z \rangle + c)^p

    Parameters
    ----------
    degree : int
        :math:`p \ge 1`.
    constant : float, default 1.0
        :math:`c \ge 0`. With 0, only products of exactly `degree` columns.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Polynomial(degree=2)([[1.0, 0.0], [1.0, 1.0]])
    array([[4., 4.],
           [4., 9.]])
    """

    degree: int
    constant: float = 1.0

    def __post_init__(self) -> None:
        name = "Polynomial"
        object.__setattr__(self, "degree", positive_integer(name, "degree", self.degree))
        object.__setattr__(self, "constant", non_negative_number(name, "constant", self.constant))

    def profile(self, inner_products: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Compute (G + c)^p of inner products G."""
        values = working_copy(inner_products, overwrite=overwrite)
        values += self.constant
        # Too large a power is refused with the matrix, where the message says what to do.
        with np.errstate(over="ignore"):
            return np.power(values, self.degree, out=values)


@dataclass(frozen=True)
class Linear(InnerProduct):
    r"""The inner product itself: kernel methods become linear ones.

    .. math:: k(x, z) = \langle x, z \rangle

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.Linear()([[1.0, 2.0]], [[3.0, 4.0], [0.0, 1.0]])
    array([[11.,  2.]])
    """

    def profile(self, inner_products: FloatArray, *, overwrite: bool = False) -> FloatArray:
        """Return the inner products."""
        return working_copy(inner_products, overwrite=overwrite)
