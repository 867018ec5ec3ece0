"""Kernels between strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.kernels.base import Domain, Kernel
from reldim.kernels.distances import row_blocks
from reldim.kernels.parameters import positive_integer
from reldim.kernels.points import FloatArray, Points
from reldim.kernels.sequences import as_sequences

__all__ = ["WeightedDegree"]

# One block of pairs with its run lengths stays in the processor's cache while all positions of the
# sequences are walked through.
_PAIRS_IN_BLOCK = 2**17


@dataclass(frozen=True)
class WeightedDegree(Kernel):
    r"""The weighted degree kernel: shared substrings at the same positions.

    .. math::

        k(x, z) = \sum_{j=1}^{p} (p - j + 1) \sum_{l=1}^{L-j+1}
                  [x_l \ldots x_{l+j-1} = z_l \ldots z_{l+j-1}]

    Sequences must be of one length :math:`L`; upper and lower case are different letters. The
    values are whole numbers, computed exactly; ``.normalized()`` brings them to at most 1.

    Parameters
    ----------
    degree : int
        :math:`p \ge 1`, the length of the longest substrings that count. It may be larger than
        the sequences are long.

    Examples
    --------
    >>> from reldim import kernels
    >>> kernels.WeightedDegree(degree=2)(["GATTACA", "GATCACA"])
    array([[20., 16.],
           [16., 20.]])
    """

    degree: int

    def __post_init__(self) -> None:
        degree = positive_integer("WeightedDegree", "degree", self.degree)
        object.__setattr__(self, "degree", degree)

    @property
    def domain(self) -> Domain:
        """Strings of equal length."""
        return "sequences"

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Bring the sequences into a matrix of integer codes."""
        return as_sequences(X, reference)

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Compute the kernel by blocks of pairs; of a symmetric matrix only one half."""
        values = np.empty((A.shape[0], B.shape[0]))
        for rows in row_blocks(A.shape[0], B.shape[0], block_bytes=_PAIRS_IN_BLOCK):
            first = rows.start if A is B else 0
            for columns in row_blocks(B.shape[0] - first, 1, block_bytes=_PAIRS_IN_BLOCK):
                shifted = slice(columns.start + first, columns.stop + first)
                values[rows, shifted] = self._block(A[rows], B[shifted])
            if A is B:
                values[rows.stop :, rows] = values[rows, rows.stop :].T
        return values

    def diagonal_of(self, A: Points) -> FloatArray:
        """Count all substrings, as a sequence matches itself everywhere."""
        length = A.shape[1]
        j = np.arange(1, min(self.degree, length) + 1, dtype=np.float64)
        return np.full(A.shape[0], np.sum((self.degree - j + 1) * (length - j + 1)))

    def _block(self, A: NDArray[Any], B: NDArray[Any]) -> FloatArray:
        """Sum, over positions, the weights of all matches that end there.

        A run of r equal letters ends r matches, of lengths 1 to r; together those of up to `degree`
        letters weigh q(r) = q(r - 1) + (degree + 1 - r), and nothing is added beyond `degree`.
        Runs are therefore cut at degree + 1.
        """
        # The largest q is degree (degree + 1) / 2; one byte is enough up to degree 22. What
        # wraps around in between belongs to pairs that do not match and is set to 0.
        state = np.min_scalar_type(max(self.degree * (self.degree + 1) // 2, self.degree + 2))
        longest = state.type(self.degree + 1)
        run = np.zeros((A.shape[0], B.shape[0]), dtype=state)
        weight = np.zeros_like(run)
        match = np.empty(run.shape, dtype=np.bool_)
        # Whole numbers of the smallest type that holds the sum move through the cache quickest.
        largest = A.shape[1] * (self.degree * (self.degree + 1) // 2)
        total = np.zeros(run.shape, dtype=np.min_scalar_type(largest))
        for a, b in zip(A.T, B.T, strict=True):
            np.equal(a[:, None], b, out=match)
            run += state.type(1)
            np.minimum(run, longest, out=run)
            run *= match
            weight -= run
            weight += longest
            weight *= match
            total += weight
        return total.astype(np.float64)
