"""Expansion: a function of new points, written as kernel values times weights."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.cores import side_by_side
from reldim.inputs.rows import by_rows
from reldim.kernels import Kernel
from reldim.kernels.weighted_rows import RowWeighted
from reldim.spectrum.gram import Floats, row_blocks
from reldim.spectrum.kernel_columns import float_type, kernel_values
from reldim.spectrum.spectrum import Spectrum

__all__ = ["Expansion"]

#: Functions of a size beyond these, as targets in strange units give them, are evaluated in double
#: precision whatever the precision of the data.
SMALLEST_SINGLE, LARGEST_SINGLE = 1e-25, 1e25


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
        """
        dual, shift = spectrum.extension(len(coefficients))
        weights = np.asarray(dual.astype(np.float64, copy=False) @ coefficients)
        constant = offset - shift @ coefficients
        reference = spectrum.gram.reference
        landmarks = reference if spectrum.landmarks is None else spectrum.landmarks
        return cls(spectrum.gram.kernel, reference, landmarks, weights, constant)

    def of_rows(self) -> "Expansion":
        """Return the same function with the weights of rows, if any, among its own."""
        if not isinstance(self.kernel, RowWeighted):
            return self
        return Expansion(
            self.kernel.kernel,
            self.reference.points,
            self.landmarks.points,
            self.landmarks.factors[:, None] * self.weights,
            self.constant,
        )

    def __call__(self, X: Any) -> Floats:
        """Evaluate the function at new points.

        Returns
        -------
        ndarray or Dask array of shape (rows, outputs)
            The values, in the precision of the kernel; sums are taken in double precision. They
            are computed later where the points are a Dask collection.
        """
        single = self._is_single(X)
        values: Floats = by_rows(
            self._at,
            X,
            dtype=np.dtype(np.float32 if single else np.float64),
            width=self.weights.shape[1],
        )
        return values

    def _at(self, X: Any) -> Floats:
        new = self.kernel.prepare(X, reference=self.reference)
        single = self._is_single(new)

        def at(rows: slice) -> Floats:
            values = kernel_values(self.kernel, new[rows], self.landmarks)
            result = np.asarray(values @ self.weights + self.constant)
            return result.astype(np.float32) if single else result

        return np.concatenate([*side_by_side(at, row_blocks(new.shape[0], 8 * len(self.weights)))])

    def _is_single(self, X: Any) -> bool:
        """Tell whether values at new points are given in single precision."""
        return self._fits_single and float_type(self.landmarks) == float_type(X) == np.float32

    @cached_property
    def _fits_single(self) -> bool:
        """Whether values of this size lie well inside the range of single precision."""
        largest = max(np.abs(part).max(initial=0.0) for part in (self.weights, self.constant))
        return bool(largest == 0.0 or SMALLEST_SINGLE < largest < LARGEST_SINGLE)
