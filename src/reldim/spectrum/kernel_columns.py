"""Columns of a kernel matrix, chunk by chunk, at the speed of matrix products."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.rows import fold
from reldim.kernels import Gaussian, InverseMultiquadric, Kernel, Radial
from reldim.kernels.points import in_double
from reldim.kernels.weighted_rows import RowWeighted
from reldim.spectrum.gram import Floats

__all__ = ["KernelColumns", "centre_of", "float_type", "is_smooth", "kernel_values"]


class KernelColumns:
    r"""Kernel values between chunks of the data and landmarks.

    For kernels that are smooth functions of the squared distance on dense data, one matrix
    product gives the distances: rows :math:`(x, \|x\|^2, 1)` times :math:`(-2z, 1, \|z\|^2)`.
    It is wrong by round-off in the squared norms, which is too much for kernels with a kink at
    distance 0; those, and all others, are asked for their values as usual. Values are computed in
    double precision, whatever the precision of the points: what a factor leaves of a kernel matrix
    is a difference of numbers that agree in most of their digits.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    points : prepared points
        The data, or a block of their rows.
    centre : ndarray of shape (features,), optional
        The centre of all data that :func:`centre_of` gives, by default that of these points.
    """

    def __init__(
        self, kernel: Kernel, points: Any, centre: NDArray[np.float64] | None = None
    ) -> None:
        self._factors: NDArray[np.float64] | None = None
        if isinstance(kernel, RowWeighted):
            # Distances are those of the points, and the factors come last.
            self._factors = points.factors
            kernel, points = kernel.kernel, points.points
        self._kernel = kernel
        self._points = points
        self._centre: NDArray[np.float64] | None = None
        if is_smooth(kernel, points):
            self._centre = centre_of(points) if centre is None else centre

    def landmarks(self, points: Any) -> Any:
        """Bring points into the form that :meth:`against` takes."""
        if self._factors is not None:
            return self._inner_landmarks(points.points), points.factors
        return self._inner_landmarks(points)

    def _inner_landmarks(self, points: Any) -> Any:
        if self._centre is None:
            return in_double(points)
        return _right(_left(self._kernel, points, self._centre))

    def against(self, rows: slice, landmarks: Any) -> NDArray[np.float64]:
        """Return the kernel between a chunk of rows and landmarks, free to be changed."""
        if self._factors is None:
            return self._inner_values(rows, landmarks)
        inner, factors = landmarks
        values = self._inner_values(rows, inner)
        values *= np.multiply.outer(self._factors[rows], factors)
        return values

    def _inner_values(self, rows: slice, landmarks: Any) -> NDArray[np.float64]:
        if self._centre is None:
            values = self._kernel.matrix(in_double(self._points[rows]), landmarks)
            return np.array(values, dtype=np.float64)
        left = _left(self._kernel, self._points[rows], self._centre)
        return np.asarray(_profile(self._kernel, left @ landmarks), dtype=np.float64)


def float_type(points: Any) -> np.dtype[Any]:
    """Return the precision of points, and of what is made of them."""
    single = getattr(points, "dtype", None) == np.float32
    return np.dtype(np.float32 if single else np.float64)


def kernel_values(kernel: Kernel, new: Any, landmarks: Any) -> Floats:
    """Return the kernel between prepared points, in double precision, by products where possible.

    Returns
    -------
    ndarray of shape (new, landmarks)
        The kernel values.
    """
    if not (is_smooth(kernel, landmarks) and is_smooth(kernel, new)):
        return kernel.matrix(in_double(new), in_double(landmarks))
    centre = centre_of(landmarks)
    left, right = (_left(kernel, points, centre) for points in (new, landmarks))
    return _profile(kernel, left @ _right(right))


def is_smooth(kernel: Kernel, points: Any) -> bool:
    """Tell whether matrix products give the values of a kernel to good accuracy."""
    return isinstance(kernel, (Gaussian, InverseMultiquadric)) and isinstance(points, np.ndarray)


def centre_of(points: Any) -> NDArray[np.float64]:
    """Return the middle of the data, near enough for distances to keep their digits.

    It is rounded to 24 bits of the largest number of each column, so that it does not depend on the
    order in which rows are added up, nor on the blocks in which they are held.

    Parameters
    ----------
    points : ndarray of shape (n, features) or RowBlocks
        The data.

    Returns
    -------
    ndarray of shape (features,)
        The centre.
    """
    sums, largest = fold(
        points,
        lambda rows: (rows.sum(axis=0, dtype=np.float64), np.abs(rows).max(axis=0)),
        lambda a, b: (a[0] + b[0], np.maximum(a[1], b[1])),
    )
    _, exponent = np.frexp(largest.astype(np.float64))
    bits = 24 - exponent
    return np.asarray(np.ldexp(np.round(np.ldexp(sums / points.shape[0], bits)), -bits))


def _left(kernel: Kernel, points: NDArray[Any], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    assert isinstance(kernel, Radial)
    centred = kernel.scaled(points - centre)
    squares = np.einsum("ij,ij->i", centred, centred)
    return np.column_stack([centred, squares, np.ones(len(points))])


def _right(rows: Floats) -> Floats:
    return np.column_stack([-2 * rows[:, :-2], rows[:, -1], rows[:, -2]]).T


def _profile(kernel: Kernel, squared: Floats) -> Floats:
    assert isinstance(kernel, Radial)
    np.maximum(squared, 0, out=squared)
    return kernel.profile(squared, overwrite=True)
