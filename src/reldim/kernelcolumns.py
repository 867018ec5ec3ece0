"""Columns of a kernel matrix, chunk by chunk, at the speed of matrix products."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.gram import Floats, Gram
from reldim.kernels import Gaussian, InverseMultiquadric, Kernel, Radial

__all__ = ["KernelColumns", "kernel_values"]


class KernelColumns:
    r"""Kernel values between chunks of the data and landmarks.

    For kernels that are smooth functions of the squared distance on dense data, one matrix
    product gives the distances: rows :math:`(x, \|x\|^2, 1)` times :math:`(-2z, 1, \|z\|^2)`.
    It is wrong by round-off in the squared norms, which is too much for kernels with a kink at
    distance 0; those, and all others, are asked for their values as usual.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    """

    def __init__(self, gram: Gram) -> None:
        self._gram = gram
        self._rows: Floats | None = None
        points = gram.points
        if _is_smooth(gram.kernel, points):
            self._rows = _left(points, _centre(points))
        self.dtype: np.dtype[Any] = np.dtype(
            np.float32 if getattr(points, "dtype", None) == np.float32 else np.float64
        )

    def points_of(self, index: Any) -> Any:
        """Return the data of some rows, as the kernel prepared them."""
        return self._gram.points[np.asarray(index, dtype=np.intp)]

    def landmarks(self, index: Any) -> Any:
        """Prepare landmarks for :meth:`against`."""
        return self.points_of(index) if self._rows is None else _right(self._rows[index])

    def against(self, rows: slice, landmarks: Any) -> Floats:
        """Return the kernel between a chunk of rows and landmarks, free to be changed."""
        kernel = self._gram.kernel
        if self._rows is None:
            values = kernel.matrix(self._gram.points[rows], landmarks)
            return np.array(values, dtype=self.dtype)
        return _profile(kernel, self._rows[rows] @ landmarks)

    def between(self, first: Any, second: Any) -> Floats:
        """Return the exact kernel between some rows and some others."""
        return self._gram.kernel.matrix(self.points_of(first), self.points_of(second))


def kernel_values(kernel: Kernel, new: Any, landmarks: Any) -> Floats:
    """Return the kernel between prepared points, by matrix products where that is possible.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    new, landmarks : prepared points
        Both sets.

    Returns
    -------
    ndarray of shape (new, landmarks)
        The kernel values.
    """
    if not (_is_smooth(kernel, landmarks) and _is_smooth(kernel, new)):
        return kernel.matrix(new, landmarks)
    centre = _centre(landmarks)
    return _profile(kernel, _left(new, centre) @ _right(_left(landmarks, centre)))


def _is_smooth(kernel: Kernel, points: Any) -> bool:
    return isinstance(kernel, (Gaussian, InverseMultiquadric)) and isinstance(points, np.ndarray)


def _centre(points: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(points.mean(axis=0, dtype=np.float64))


def _left(points: NDArray[Any], centre: NDArray[np.float64]) -> Floats:
    centred = points - centre.astype(points.dtype)
    squares = np.einsum("ij,ij->i", centred, centred)
    return np.column_stack([centred, squares, np.ones(len(points), dtype=points.dtype)])


def _right(rows: Floats) -> Floats:
    return np.column_stack([-2 * rows[:, :-2], rows[:, -1], rows[:, -2]]).T


def _profile(kernel: Kernel, squared: Floats) -> Floats:
    assert isinstance(kernel, Radial)
    np.maximum(squared, 0, out=squared)
    return kernel.profile(squared, overwrite=True)
