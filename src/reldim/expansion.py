"""Expansion: a function of new points, written as kernel values times weights."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.gram import Floats, row_blocks
from reldim.kernelcolumns import kernel_values
from reldim.kernels import Kernel
from reldim.spectrum import Spectrum

__all__ = ["Expansion"]


@dataclass(frozen=True)
class Expansion:
    r"""A function of the form :math:`f(x) = k(x, P) A + c`.

    Attributes
    ----------
    kernel : Kernel
        The kernel k.
    reference : points
        The data, which new points must fit to.
    landmarks : points
        The points P that the function is expanded in.
    weights : ndarray of shape (landmarks, outputs)
        The weights A.
    constant : ndarray of shape (outputs,)
        The constant c.
    """

    kernel: Kernel
    reference: Any = field(repr=False)
    landmarks: Any = field(repr=False)
    weights: NDArray[np.float64] = field(repr=False)
    constant: NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(
        cls, spectrum: Spectrum, coefficients: NDArray[np.float64], offset: NDArray[np.float64]
    ) -> "Expansion":
        """Expand the function sum_m f_m(x) ``coefficients``_m + ``offset``.

        Parameters
        ----------
        spectrum : Spectrum
            Where the components f_m come from.
        coefficients : ndarray of shape (count, outputs)
            Their weights.
        offset : ndarray of shape (outputs,)
            A constant.

        Returns
        -------
        Expansion
            The function.
        """
        dual, shift = spectrum.extension(len(coefficients))
        weights = np.asarray(dual.astype(np.float64, copy=False) @ coefficients)
        constant = offset - shift @ coefficients
        points = spectrum.gram.points
        landmarks = points if spectrum.landmarks is None else spectrum.landmarks
        return cls(spectrum.gram.kernel, points, landmarks, weights, constant)

    def __call__(self, X: Any) -> Floats:
        """Evaluate the function at new points.

        Returns
        -------
        ndarray of shape (rows, outputs)
            The values, in the precision of the kernel; sums are taken in double precision.
        """
        new = self.kernel.prepare(X, reference=self.reference)
        blocks = []
        for rows in row_blocks(new.shape[0], 8 * len(self.weights)):
            values = kernel_values(self.kernel, new[rows], self.landmarks)
            blocks.append((values @ self.weights + self.constant).astype(values.dtype))
        return np.concatenate(blocks)
