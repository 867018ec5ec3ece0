"""Dense solver: the whole kernel matrix, reduced to tridiagonal form.

K/n = Q T Q^T with T tridiagonal (LAPACK's sytrd) and T = W diag(l) W^T (stevd, divide and conquer)
give U = Q W. The product, half of the work of a full eigendecomposition, is only formed for the
columns that a caller asks for: the coefficients z = W^T (Q^T y) need none of them.
"""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from reldim.eigensolvers.lapack import diagonalize, lapack_function, reduce_to_tridiagonal
from reldim.exceptions import KernelMatrixError, KernelMatrixWarning
from reldim.inputs.cores import one_blas_thread
from reldim.spectrum.gram import Floats, Gram, column_means, double_center
from reldim.spectrum.spectrum import (
    Basis,
    Spectrum,
    accuracy_of,
    check_count,
    extend_from_data,
    roundoff,
)

__all__ = [
    "Tridiagonal",
    "check_eigenvalues",
    "decompose_dense",
    "dense_bytes",
    "refuse_indefinite",
    "tridiagonalize",
]

#: Negative eigenvalues up to this share of the largest are set to zero, with a warning once
#: they exceed round-off. Beyond it the kernel is not positive semi-definite and is refused.
NEGATIVE_SILENT = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-4}
NEGATIVE_REPAIRED = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-3}

#: Reflectors that LAPACK applies at a time, at most, and columns from which on that pays.
BLOCK = 64
BLOCKED = 12


def dense_bytes(n: int, itemsize: int = 8) -> int:
    """Memory of a dense decomposition: matrix, reflectors, inner vectors and workspace."""
    return 4 * n * n * itemsize


@dataclass(frozen=True)
class Tridiagonal(Basis):
    """Eigenvectors U = Q W, kept as the reflectors of Q and the eigenvectors W of T.

    Parameters
    ----------
    reflectors : ndarray of shape (n, n - 1)
        Householder vectors below the diagonal, in Fortran order; the last row is not used.
    tau : ndarray of shape (n - 1,)
        Their factors.
    inner : ndarray of shape (n, count)
        The last columns of W, in ascending order of eigenvalue.
    column_means : ndarray of shape (n,), optional
        Means of the columns of K, where the data were centred.
    """

    reflectors: Floats = field(repr=False)
    tau: Floats = field(repr=False)
    inner: Floats = field(repr=False)
    column_means: NDArray[np.float64] | None = field(default=None, repr=False)
    _cache: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return W^T (Q^T ``values``)."""
        rotated = self._apply(values.astype(self.inner.dtype), transpose=True)
        with one_blas_thread():
            return np.asarray((self.inner.T @ rotated)[::-1], dtype=np.float64)

    def vectors(self, count: int) -> Floats:
        """Return Q times the first ``count`` columns of W; the longest answer is kept."""
        most = self.inner.shape[1]
        check_count(count, most)
        known = self._cache.get("vectors")
        if known is None or known.shape[1] < count:
            # Doubling keeps the cost of a caller that asks for one more each time bounded.
            wanted = min(max(count, 0 if known is None else 2 * known.shape[1]), most)
            known = self._apply(self.inner[:, most - wanted :][:, ::-1], transpose=False)
            self._cache["vectors"] = known
        return known[:, :count]

    def combine(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Q (W ``coefficients``), without the eigenvectors where they are not known."""
        known, count = self._cache.get("vectors"), len(coefficients)
        with one_blas_thread():
            if known is not None and known.shape[1] >= count:
                leading = known[:, :count]
                return np.asarray(leading @ coefficients.astype(leading.dtype), dtype=np.float64)
            last = self.inner[:, self.inner.shape[1] - count :]
            combined = last @ coefficients[::-1].astype(last.dtype)
        return self._apply(combined, transpose=False).astype(np.float64)

    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return the expansion of the components in the data."""
        return extend_from_data(self.vectors(count), eigenvalues, self.column_means)

    def _apply(self, values: Floats, *, transpose: bool) -> Floats:
        result = np.array(values, order="F", copy=True)
        if self.tau.size and values.shape[1]:
            ormqr = lapack_function("ormqr", (self.reflectors,))
            reflectors = self.reflectors
            if not reflectors.flags.writeable:
                # LAPACK changes them on the way: a file that is mapped read-only would be a crash.
                reflectors = np.array(reflectors, order="F")
            columns = values.shape[1]
            # LAPACK applies blocks of reflectors where it is given the memory for them, which it
            # pays to withhold for few columns. The wrapper copies what is not in Fortran order.
            workspace = columns if columns < BLOCKED else BLOCK * columns + (BLOCK + 1) * BLOCK
            with one_blas_thread():
                below, _, info = ormqr(
                    "L",
                    "T" if transpose else "N",
                    reflectors,
                    self.tau,
                    np.asfortranarray(result[1:]),
                    workspace,
                    overwrite_c=1,
                )
            if info != 0:
                raise LinAlgError(f"ormqr failed (info={info})")
            result[1:] = below
        return result


def decompose_dense(gram: Gram, *, rank: int | None = None, center: bool = False) -> Spectrum:
    """Decompose the whole kernel matrix.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    rank : int, optional
        How many leading eigenpairs to keep, by default all.
    center : bool
        Centre the data in feature space.
    """
    matrix = gram.matrix()
    dtype = matrix.dtype
    # A reduction in single precision would lose what lies below 1e-4 of the largest eigenvalue.
    matrix = matrix.astype(np.float64, copy=False)
    n = gram.n
    means = column_means(matrix) if center else None
    if center:
        double_center(matrix)
    matrix /= n
    trace = float(np.trace(matrix, dtype=np.float64))
    values, basis = tridiagonalize(matrix, means)
    magnitude = 0.0 if means is None else float(abs(means.mean()) + values[0])
    values = check_eigenvalues(values.astype(dtype), n, magnitude, source=repr(gram.kernel))
    if rank is not None:
        values = values[:rank]
        basis = replace(basis, inner=basis.inner[:, n - rank :])
    return Spectrum(
        eigenvalues=values,
        basis=basis,
        # A plain Gram: distances that a sweep shares are not to live as long as the spectrum.
        gram=gram.plain(),
        trace=trace,
        center=center,
        solver="dense",
        note=f"the whole {n} x {n} kernel matrix",
        magnitude=magnitude,
        accuracy=accuracy_of(n, values, trace, magnitude),
        separation=roundoff(n, matrix.dtype),
    )


def tridiagonalize(matrix: Floats, means: NDArray[np.float64] | None) -> tuple[Floats, Tridiagonal]:
    """Return eigenvalues, in descending order, and the eigenvectors as a product.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        A symmetric matrix in C order, destroyed.
    means : ndarray or None
        Passed to the basis.

    Returns
    -------
    values : ndarray
        All eigenvalues.
    basis : Tridiagonal
        The eigenvectors.
    """
    n = matrix.shape[0]
    with one_blas_thread():
        # The matrix is symmetric: its transpose is the view in Fortran order that LAPACK wants.
        packed, diagonal, below, tau = reduce_to_tridiagonal(matrix.T)
        values, inner = diagonalize(diagonal, below)
    # The reflectors begin one row below: the same memory, read from its second number on.
    reflectors = packed.T.reshape(-1)[1 : 1 + n * (n - 1)].reshape(n - 1, n).T
    # LAPACK sorts upwards, the papers downwards.
    return np.ascontiguousarray(values[::-1]), Tridiagonal(reflectors, tau, inner, means)


def check_eigenvalues(
    values: Floats, n: int, magnitude: float = 0.0, source: str = "the kernel"
) -> Floats:
    """Set round-off below zero to zero; refuse an indefinite matrix.

    Parameters
    ----------
    values : ndarray
        Eigenvalues in descending order.
    n : int
        Size of the matrix.
    magnitude : float
        Size of the numbers before centring, see :class:`~reldim.Spectrum`.
    source : str
        What made the matrix, for messages.

    Raises
    ------
    KernelMatrixError
        Where the most negative eigenvalue exceeds 1e-6 (single precision: 1e-3) of the largest.
    """
    largest, smallest = float(values[0]), float(values[-1])
    scale = max(abs(largest), abs(smallest), magnitude)
    if max(abs(largest), abs(smallest)) <= roundoff(n, values.dtype) * magnitude:
        # Centring has left nothing but round-off.
        largest = smallest = 0.0
    refuse_indefinite(smallest, largest, values.dtype, source, "an eigenvalue", scale)
    return np.maximum(values, 0)


def refuse_indefinite(
    smallest: float,
    largest: float,
    dtype: np.dtype[Any],
    source: str,
    what: str,
    scale: float | None = None,
) -> None:
    """Refuse a kernel matrix that is zero or has a negative part; warn where it is small.

    Parameters
    ----------
    smallest, largest : float
        Eigenvalues, or other numbers that no positive semi-definite matrix has below zero.
    dtype : dtype
        Precision of the matrix.
    source : str
        What made the matrix, for messages.
    what : str
        What the numbers are, for messages.
    scale : float, optional
        What counts as large, by default the larger of the two.
    """
    if largest <= 0.0 <= smallest:
        raise KernelMatrixError(
            f"The kernel matrix of {source} is zero (after centring, if that was asked for), so "
            "it says nothing about the data. Check that the features are not constant, and not so "
            "small that the kernel vanishes."
        )
    scale = max(abs(largest), abs(smallest)) if scale is None else scale
    if -smallest > NEGATIVE_REPAIRED[dtype] * scale:
        raise KernelMatrixError(
            f"The kernel matrix must be positive semi-definite, but the one of {source} has "
            f"{what} of {smallest:.3g} beside the largest of {largest:.3g}. Use a kernel that is "
            "positive definite; if the matrix was made from similarities, clip its negative "
            "eigenvalues first."
        )
    if -smallest > NEGATIVE_SILENT[dtype] * scale:
        warnings.warn(
            f"The kernel matrix of {source} has {what} of {smallest:.2g} (the largest is "
            f"{largest:.2g}); what is below zero was set to zero.",
            KernelMatrixWarning,
            stacklevel=6,
        )
