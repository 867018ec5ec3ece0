"""Columns of a kernel matrix, chunk by chunk, at the speed of matrix products."""

from typing import Any

import numpy as np

from reldim.gram import Floats, Gram
from reldim.kernels import Gaussian, InverseMultiquadric, Radial

__all__ = ["KernelColumns"]


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
        smooth = isinstance(gram.kernel, (Gaussian, InverseMultiquadric))
        if smooth and isinstance(points, np.ndarray):
            centred = points - points.mean(axis=0, dtype=np.float64).astype(points.dtype)
            squares = np.einsum("ij,ij->i", centred, centred)
            ones = np.ones(len(points), dtype=points.dtype)
            self._rows = np.column_stack([centred, squares, ones])
        self.dtype: np.dtype[Any] = np.dtype(
            np.float32 if getattr(points, "dtype", None) == np.float32 else np.float64
        )

    def points_of(self, index: Any) -> Any:
        """Return the data of some rows, as the kernel prepared them."""
        return self._gram.points[np.asarray(index, dtype=np.intp)]

    def landmarks(self, index: Any) -> Any:
        """Prepare landmarks for :meth:`against`."""
        if self._rows is None:
            return self.points_of(index)
        rows = self._rows[index]
        return np.column_stack([-2 * rows[:, :-2], rows[:, -1], rows[:, -2]]).T

    def against(self, rows: slice, landmarks: Any) -> Floats:
        """Return the kernel between a chunk of rows and landmarks, free to be changed."""
        kernel = self._gram.kernel
        if self._rows is None:
            values = kernel.matrix(self._gram.points[rows], landmarks)
            return np.array(values, dtype=self.dtype)
        squared = self._rows[rows] @ landmarks
        np.maximum(squared, 0, out=squared)
        assert isinstance(kernel, Radial)
        return kernel.profile(squared, overwrite=True)

    def between(self, first: Any, second: Any) -> Floats:
        """Return the exact kernel between some rows and some others."""
        return self._gram.kernel.matrix(self.points_of(first), self.points_of(second))
