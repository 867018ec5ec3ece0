"""The kernel matrix of a data set: entries by blocks, centring, checks, memory."""

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError, KernelMatrixError, KernelMatrixWarning
from reldim.inputs.duplicates import group_rows
from reldim.inputs.rows import RowBlocks
from reldim.kernels import Kernel, Radial, as_kernel, distances, squared_distances
from reldim.kernels.points import in_double

__all__ = [
    "Equals",
    "Gram",
    "RadialGram",
    "Shared",
    "column_means",
    "double_center",
    "precision_of",
    "row_blocks",
    "symmetrize",
]

Floats = NDArray[np.floating[Any]]

#: Held while distances are computed.
_DISTANCES = threading.Lock()

#: Rows of a block hold about this many bytes.
BLOCK_BYTES = 2**26

#: Up to this many rows in single precision are computed with in double precision: a factor of rank
#: 1024 takes no more than a quarter of a gigabyte then.
FEW_ROWS = 2**15

#: Edge of the squares in which a matrix is compared with its transpose.
TILE = 256

#: Largest relative asymmetry that is taken for round-off (repaired without a word), and
#: the largest that is repaired with a warning. Beyond it the matrix is refused.
SYMMETRY_SILENT = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-5}
SYMMETRY_REPAIRED = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-3}


def precision_of(points: Any) -> np.dtype[Any]:
    """Return the precision of a kernel matrix of points, and of a factor of it.

    Double precision, except for many rows in single precision. Entries in single precision hide all
    eigenvalues below some 1e-8 of the trace, and wide kernels hold much of what they know there.

    Examples
    --------
    >>> precision_of(np.zeros((100, 2), dtype=np.float32))
    dtype('float64')
    >>> precision_of(np.zeros((100_000, 2), dtype=np.float32))
    dtype('float32')
    """
    single = getattr(points, "dtype", None) == np.float32 and points.shape[0] > FEW_ROWS
    return np.dtype(np.float32 if single else np.float64)


def row_blocks(n: int, row_bytes: int) -> Iterator[slice]:
    """Slices that cover ``range(n)``, each of about ``BLOCK_BYTES``."""
    return distances.row_blocks(n, row_bytes, block_bytes=BLOCK_BYTES)


@dataclass(frozen=True)
class Gram:
    """A kernel over a data set, as the matrix that it stands for.

    Nothing is computed until a method is called, so a Gram of a million rows costs nothing.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    points : Any
        The data as the kernel's ``prepare`` returned them.
    shared : Shared, optional
        What this Gram shares with others over the same points.

    Examples
    --------
    >>> from reldim import kernels
    >>> gram = Gram.of(kernels.Linear(), [[1.0], [2.0]])
    >>> gram.matrix()
    array([[1., 2.],
           [2., 4.]])
    """

    kernel: Kernel
    points: Any
    shared: "Shared" = field(default=None, repr=False, compare=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.shared is None:
            object.__setattr__(self, "shared", Shared(self.points))

    @classmethod
    def of(cls, kernel: Kernel | Callable[..., Any], X: Any) -> "Gram":
        """Validate ``X`` for a kernel and pair the two.

        Parameters
        ----------
        kernel : Kernel or callable
            The kernel, or any callable ``k(X, Z)``.
        X : array-like
            The data.
        """
        kernel = as_kernel(kernel)
        return cls(kernel, X.prepared(kernel) if isinstance(X, RowBlocks) else kernel.prepare(X))

    @property
    def n(self) -> int:
        """Number of rows of the data."""
        return int(self.points.shape[0])

    @property
    def reference(self) -> Any:
        """Points in memory that new data must fit to."""
        return self.points.sample if isinstance(self.points, RowBlocks) else self.points

    def diagonal(self) -> Floats:
        """Return the vector of k(x_i, x_i)."""
        return self.kernel.diagonal_of(_to_compute_with(self.points))

    def columns(self, index: Any) -> Floats:
        """Return the columns of the kernel matrix that ``index`` selects."""
        return self.kernel.matrix(self.points, self.points[index])

    def against(self, X: Any, landmarks: Any = None) -> Floats:
        """Return the kernel between new rows and the data, or some ``landmarks`` of it.

        Parameters
        ----------
        X : array-like
            New rows.
        landmarks : points, optional
            Prepared points, by default those of the Gram.

        Returns
        -------
        ndarray of shape (rows of X, landmarks)
            The kernel values, in double precision: sums of them may cancel.
        """
        landmarks = self.points if landmarks is None else landmarks
        new = self.kernel.prepare(X, reference=self.reference)
        return self.kernel.matrix(in_double(new), in_double(landmarks))

    def matrix(self) -> Floats:
        """Return the whole n x n kernel matrix: finite, symmetric, owned by the caller.

        Returns
        -------
        ndarray of shape (n, n)
            A fresh array.
        """
        points = _to_compute_with(self.points)
        matrix = self.kernel.matrix(points, points)
        if not self.kernel.matrix_is_new:
            # It may be the user's own array, which is not to be changed.
            matrix = matrix.copy()
        return symmetrize(matrix, source=repr(self.kernel))

    def sharing(self, kernels: Sequence[Kernel]) -> "list[Gram]":
        """Pair more kernels with the same points; radial ones without weights share distances.

        Parameters
        ----------
        kernels : sequence of Kernel
            Kernels on the same kind of data.
        """
        radial = [isinstance(kernel, Radial) and kernel.weights is None for kernel in kernels]
        several = sum(radial) > 1
        return [
            (RadialGram if own and several else Gram)(kernel, self.points, self.shared)
            for kernel, own in zip(kernels, radial, strict=True)
        ]

    def plain(self) -> "Gram":
        """Return the Gram without distances that others share, which take n x n numbers."""
        return Gram(self.kernel, self.points, self.shared.without_distances())

    @property
    def groups(self) -> Any:
        """Numbers that are equal for equal rows, see ``reldim.inputs.duplicates``."""
        return self.shared.groups


class Equals:
    """Which rows are equal, found out when first wanted.

    Parameters
    ----------
    points : prepared points
        The data.
    """

    def __init__(self, points: Any) -> None:
        self._points = points

    @cached_property
    def groups(self) -> Any:
        """Numbers that are equal for equal rows."""
        return group_rows(self._points)


class Shared:
    """What kernels over the same points have in common, computed when first wanted.

    Parameters
    ----------
    points : prepared points
        The data.
    equals : Equals, optional
        Which of them are equal.
    """

    def __init__(self, points: Any, equals: Equals | None = None) -> None:
        self._points = points
        self._equals = Equals(points) if equals is None else equals
        self._squared: Floats | None = None

    @property
    def squared(self) -> Floats:
        """Squared distances between all rows, not to be changed."""
        # Kernels that run side by side ask at the same time: n x n numbers are to be there once.
        with _DISTANCES:
            if self._squared is None:
                self._squared = squared_distances(_to_compute_with(self._points))
        return self._squared

    @property
    def groups(self) -> Any:
        """Numbers that are equal for equal rows."""
        return self._equals.groups

    def without_distances(self) -> "Shared":
        """Return the same for those who are not to keep n x n numbers alive."""
        return Shared(self._points, self._equals)


@dataclass(frozen=True)
class RadialGram(Gram):
    """A Gram of a radial kernel whose distances others share."""

    def matrix(self) -> Floats:
        """Return the whole kernel matrix, from the shared distances."""
        assert isinstance(self.kernel, Radial)
        return symmetrize(self.kernel.profile(self.shared.squared), source=repr(self.kernel))


def _to_compute_with(points: Any) -> Any:
    return in_double(points) if precision_of(points) == np.float64 else points


def symmetrize(matrix: Floats, source: str = "the kernel") -> Floats:
    """Make a square matrix exactly symmetric, in place, or refuse it.

    Asymmetry at the level of round-off is averaged away. Up to a relative 1e-8 (1e-3 in
    single precision) that is said in a warning; beyond, the matrix is not a kernel matrix.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Changed in place.
    source : str
        What made the matrix, for messages.

    Raises
    ------
    KernelMatrixError
        Where entries are not finite, or the matrix is not symmetric.
    """
    if _is_symmetric(matrix):
        return matrix
    largest = asymmetry = 0.0
    for rows, columns in _tiles(matrix.shape[0]):
        block, mirror = matrix[rows, columns], matrix[columns, rows].T
        size = max(abs(float(block.max())), abs(float(block.min())))
        # NaN or inf in one of the two makes the difference NaN or inf; in both it would warn.
        difference = float(np.abs(block - mirror).max()) if np.isfinite(size) else size
        if not np.isfinite(difference):
            raise KernelMatrixError(
                f"The kernel matrix must be finite, but {source} gave NaN or infinite entries. "
                "Check the scale of the data and the parameters of the kernel."
            )
        largest, asymmetry = max(largest, size), max(asymmetry, difference)
        if difference > 0.0:
            mean = (block + mirror) / 2
            matrix[rows, columns] = mean
            matrix[columns, rows] = mean.T
    relative = asymmetry / largest if largest > 0.0 else 0.0
    if relative > SYMMETRY_REPAIRED[matrix.dtype]:
        raise KernelMatrixError(
            f"The kernel matrix must be symmetric, but {source} gave entries k(x, z) and k(z, x) "
            f"that differ by {relative:.2g} of the largest entry. If the two should be equal, pass "
            "(K + K.T) / 2."
        )
    if relative > SYMMETRY_SILENT[matrix.dtype]:
        warnings.warn(
            f"The kernel matrix of {source} was not quite symmetric (relative difference "
            f"{relative:.2g}); k(x, z) and k(z, x) were averaged.",
            KernelMatrixWarning,
            stacklevel=4,
        )
    return matrix


def _is_symmetric(matrix: Floats) -> bool:
    """Tell whether a matrix is finite, with sums that are, and exactly symmetric."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = matrix.sum(dtype=np.float64)
    return bool(np.isfinite(total)) and all(
        np.array_equal(matrix[rows, columns], matrix[columns, rows].T)
        for rows, columns in _tiles(matrix.shape[0])
    )


def _tiles(n: int) -> Iterator[tuple[slice, slice]]:
    """Squares that cover the upper half of a matrix, small enough for the cache to turn them."""
    edges = [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]
    for i, rows in enumerate(edges):
        for columns in edges[i:]:
            yield rows, columns


def column_means(matrix: Floats) -> NDArray[np.float64]:
    """Return the mean of each column, accumulated in double precision."""
    return np.asarray(matrix.mean(axis=0, dtype=np.float64))


def double_center(matrix: Floats) -> Floats:
    r"""Centre a kernel matrix in feature space, in place.

    .. math:: K \leftarrow (I - \tfrac1n 1 1^\top) K (I - \tfrac1n 1 1^\top)

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        A symmetric matrix, changed in place.

    Examples
    --------
    >>> double_center(np.array([[1.0, 2.0], [2.0, 4.0]]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    if matrix.shape[0] < 1:
        raise InputError("Expected at least one row, got none.")
    means = column_means(matrix)
    shift = (means - means.mean() / 2).astype(matrix.dtype)
    matrix -= shift[None, :]
    matrix -= shift[:, None]
    return matrix
