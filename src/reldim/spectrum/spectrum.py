"""Spectrum: the leading eigenpairs of a kernel matrix, and all that follows from them alone.

Back ends end here and statistics begin here. A back end hands over a :class:`Basis`, which
may hold the eigenvectors as they are or only what they are made from; what is not asked for
is not computed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.inputs.cores import side_by_side
from reldim.inputs.rows import by_rows
from reldim.spectrum.gram import Floats, Gram, row_blocks

__all__ = [
    "Basis",
    "Spectrum",
    "Vectors",
    "accuracy_of",
    "check_count",
    "extend_from_data",
    "roundoff",
]

#: Eigenvalues whose relative difference is smaller are not told apart.
CLOSE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}

#: A function of a block of rows of the eigenvectors and the same rows of other arrays.
RowFunction = Callable[..., NDArray[np.float64]]


def roundoff(n: int, dtype: np.dtype[Any]) -> float:
    """Return the relative accuracy of eigenvalues of an n x n matrix, on the safe side.

    Errors of the many operations add up like independent ones, as sqrt(n), and not to the n
    that the worst case allows; the factor 30 keeps the components within it accurate to a
    small share. Numbers in single precision are decomposed in double precision: what is left is
    the rounding of the n x n entries themselves, a random matrix, whose eigenvalues are sqrt(n)
    times an entry where those of K are up to n times.
    """
    root, eps = float(np.sqrt(max(n, 100))), float(np.finfo(dtype).eps)
    return 30 * eps / root if dtype == np.float32 else 30 * eps * root


def accuracy_of(n: int, eigenvalues: Floats, trace: float, magnitude: float) -> float:
    """Return the accuracy of eigenvalues as a share of the largest number they were computed from.

    Round-off of a decomposition is in proportion to the largest eigenvalue, the rounding of
    entries in single precision to the entries, so to the trace.

    Parameters
    ----------
    n : int
        Size of the matrix.
    eigenvalues : ndarray
        Eigenvalues of K/n in descending order and in the precision of the data.
    trace : float
        Trace of K/n.
    magnitude : float
        Size of the numbers before centring, see :class:`Spectrum`.
    """
    largest = max(float(eigenvalues[0]), magnitude)
    entries = trace + magnitude if eigenvalues.dtype == np.float32 else largest
    return roundoff(n, eigenvalues.dtype) * max(1.0, entries / largest)


class Basis(ABC):
    """Eigenvectors as a back end keeps them.

    A back end supplies :meth:`project`, :meth:`vectors` and :meth:`extension`; the rest follows.
    """

    @property
    def of_rows(self) -> bool:
        """Whether the eigenvectors are those of the rows' own matrix, which leave-one-out needs."""
        return True

    @abstractmethod
    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return U^T ``values`` for ``values`` of shape (n, columns)."""

    @abstractmethod
    def vectors(self, count: int) -> Floats:
        """Return the first ``count`` eigenvectors as the columns of an array."""

    @abstractmethod
    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return D and s with (f_1(x), ..., f_count(x)) = k(x, landmarks) D - s."""

    def some_rows(self, rows: NDArray[np.intp], count: int) -> Floats:
        """Return some rows, in ascending order, of the first ``count`` eigenvectors."""
        return self.vectors(count)[rows]

    def combine(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the leading eigenvectors, weighted by rows of ``coefficients``."""
        count = len(coefficients)
        return self.map_rows(lambda block: block @ coefficients, count)

    def map_rows(
        self, function: RowFunction, count: int, *columns: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Apply ``function`` to blocks of rows and stack what it returns."""
        return np.concatenate(list(self._blocks(function, count, columns)))

    def sum_rows(
        self, function: RowFunction, count: int, *columns: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Apply ``function`` to blocks of rows and add up what it returns."""
        blocks = list(self._blocks(function, count, columns))
        return np.asarray(np.sum(blocks, axis=0, dtype=np.float64))

    def _blocks(self, function: RowFunction, count: int, columns: Any) -> Any:
        vectors = self.vectors(count)

        def applied(rows: slice) -> Any:
            block = vectors[rows].astype(np.float64, copy=False)
            return function(block, *(column[rows] for column in columns))

        # The criteria keep a few float64 arrays of the block's shape.
        return side_by_side(applied, row_blocks(vectors.shape[0], 8 * 8 * max(1, count)))


@dataclass(frozen=True)
class Vectors(Basis):
    """A basis whose eigenvectors are at hand.

    Parameters
    ----------
    array : ndarray of shape (n, k)
        Unit columns, in descending order of eigenvalue.
    column_means : ndarray of shape (n,), optional
        Means of the columns of K, where the data were centred.
    """

    array: Floats
    column_means: NDArray[np.float64] | None = None

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return U^T ``values``, accumulated in double precision."""
        n, k = self.array.shape
        total = np.zeros((k, values.shape[1]))
        for rows in row_blocks(n, 8 * k):
            total += self.array[rows].astype(np.float64, copy=False).T @ values[rows]
        return total

    def vectors(self, count: int) -> Floats:
        """Return the first ``count`` columns."""
        return self.array[:, : check_count(count, self.array.shape[1])]

    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return the expansion of the components in the data."""
        return extend_from_data(self.vectors(count), eigenvalues, self.column_means)


def check_count(count: int, most: int) -> int:
    """Return a number of eigenvectors; refuse more than there are."""
    if isinstance(count, bool) or not isinstance(count, Integral) or not 0 <= count <= most:
        raise InputError(
            f"count must be a whole number from 0 to {most}, the eigenvectors at hand. Got "
            f"{count!r} instead: ask for fewer, or decompose with a larger rank."
        )
    return int(count)


def extend_from_data(
    vectors: Floats, eigenvalues: Floats, column_means: NDArray[np.float64] | None
) -> tuple[Floats, NDArray[np.float64]]:
    """Return u_m / (n l_m), the expansion of f_m in all of the data, and the shift of centring.

    Parameters
    ----------
    vectors : ndarray of shape (n, count)
        Leading eigenvectors.
    eigenvalues : ndarray
        Eigenvalues of K/n.
    column_means : ndarray of shape (n,) or None
        Means of the columns of K, where the data were centred.

    Returns
    -------
    dual : ndarray of shape (n, count)
        Weights of the kernel values.
    shift : ndarray of shape (count,)
        What to subtract.
    """
    n, count = vectors.shape
    dual = np.asarray(vectors / (n * eigenvalues[:count]))
    if column_means is None:
        return dual, np.zeros(count)
    # Centred eigenvectors sum to zero, so of the centring of k(x, .) only the means of the
    # columns are left. Round-off in small eigenvectors would bring the rest back.
    dual -= dual.mean(axis=0)
    return dual, column_means @ dual.astype(np.float64)


@dataclass(frozen=True)
class Spectrum:
    r"""Leading eigenpairs of the normalised kernel matrix K/n.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Eigenvalues :math:`l_m` of K/n in descending order, none below zero.
    basis : Basis
        The eigenvectors, in the form in which the solver left them.
    gram : Gram
        The kernel and the data.
    trace : float
        Trace of K/n: the whole variance in feature space.
    center : bool
        Whether the data were centred in feature space.
    solver : str
        What computed it: "dense", ...
    note : str
        What was done, in words.
    landmarks : points or None
        The rows through which new points are reached; None means all of the data.
    magnitude : float
        Size of the numbers that the eigenvalues were computed from, where centring cancelled
        much of them; round-off is in proportion to it.
    accuracy : float or None
        Relative accuracy of the eigenvalues; None stands for that of a dense solver.
    separation : float or None
        Relative difference from which on eigenvalues can be told apart; None stands for the
        accuracy.
    exhausted : bool
        Whether nothing but round-off lies beyond the eigenpairs at hand.

    Examples
    --------
    >>> from reldim import decompose, kernels
    >>> spectrum = decompose(kernels.Linear(), [[1.0, 0.0], [0.0, 2.0]])
    >>> spectrum.eigenvalues
    array([2. , 0.5])
    >>> spectrum.trace
    2.5
    """

    eigenvalues: Floats
    basis: Basis = field(repr=False)
    gram: Gram = field(repr=False)
    trace: float
    center: bool = False
    solver: str = "dense"
    note: str = ""
    landmarks: Any = field(default=None, repr=False)
    magnitude: float = 0.0
    accuracy: float | None = None
    separation: float | None = None
    exhausted: bool = False

    def __repr__(self) -> str:
        """Say what the spectrum is of, how large and how accurate it is."""
        leading = ", ".join(f"{value:.3g}" for value in self.eigenvalues[:3])
        more = ", ..." if len(self.eigenvalues) > 3 else ""
        return (
            f"Spectrum({self.gram.kernel!r}, n={self.n}, eigenvalues=[{leading}{more}], "
            f"rank={self.rank}, residual={self.residual:.2g}, solver={self.solver!r})"
        )

    @property
    def n(self) -> int:
        """Number of rows of the data."""
        return self.gram.n

    @property
    def eigenvectors(self) -> Floats:
        """Eigenvectors u_m of K/n as unit columns, an array of shape (n, k).

        A lazy array of Dask where the data are blocks on a cluster.
        """
        vectors: Floats = self.basis.vectors(len(self.eigenvalues))
        return vectors.astype(self.eigenvalues.dtype, copy=False)

    @property
    def resolution(self) -> float:
        """Eigenvalues that differ by less cannot be told apart in this precision.

        A symmetric eigensolver perturbs the matrix by a small multiple of eps * l_1. Vectors
        whose eigenvalues are 30 sqrt(n) eps l_1 apart are then turned into each other by at
        most a small multiple of 0.03 / sqrt(n).
        """
        largest = max(float(self.eigenvalues[0]), self.magnitude)
        accuracy = self.accuracy or roundoff(self.n, self.eigenvalues.dtype)
        return accuracy * largest

    @cached_property
    def rank(self) -> int:
        """Numerical rank: how many eigenvalues stand out from round-off."""
        return int(np.sum(self.eigenvalues > self.resolution))

    @property
    def residual(self) -> float:
        """Part of the trace that the eigenvalues at hand do not cover."""
        covered = float(self.eigenvalues.sum(dtype=np.float64))
        return max(0.0, self.trace - covered)

    @property
    def is_complete(self) -> bool:
        """Whether nothing but a null space lies beyond the eigenpairs at hand."""
        k = len(self.eigenvalues)
        return k == self.n or self.rank < k or self.exhausted

    @cached_property
    def cuts(self) -> NDArray[np.intp]:
        """Dimensions d at which the first d components can be told from the rest.

        A cut lies between two clusters of eigenvalues. Inside a cluster, and inside the
        numerical null space, which is one cluster, the eigenvectors are a matter of chance.
        Eigenvalues that agree in their first nine digits (single precision: five) are a cluster.
        """
        if self.rank == 0:
            return np.zeros(0, dtype=np.intp)
        values = self.eigenvalues[: self.rank].astype(np.float64)
        beyond = np.zeros(1) if self.is_complete else values[-1:]
        if not self.is_complete and len(self.eigenvalues) > self.rank:
            beyond = self.eigenvalues[self.rank : self.rank + 1].astype(np.float64)
        gaps = -np.diff(np.concatenate([values, beyond]))
        absolute = self.resolution
        if self.separation is not None:
            absolute = self.separation * max(float(values[0]), self.magnitude)
        close = np.maximum(absolute, CLOSE[self.eigenvalues.dtype] * values)
        ends = np.flatnonzero(gaps > close) + 1
        return ends[ends < self.n]

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the kernel PCA coefficients z = U^T ``values``, shape (k, columns)."""
        units = self._units(values)
        if units is None:
            return self.basis.project(values)
        return self.basis.project(values / units) * units

    def combine(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the leading eigenvectors, weighted by rows of ``coefficients``."""
        units = self._units(coefficients)
        if units is None:
            return self.basis.combine(coefficients)
        return self.basis.combine(coefficients / units) * units

    def _units(self, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return a power of two near the largest value of each column, for single precision.

        Targets are numbers in double precision, of which single precision holds a small part.
        """
        if self.eigenvalues.dtype != np.float32 or 0 in values.shape:
            return None
        largest = np.asarray(abs(values).max(axis=0))
        return np.asarray(2.0 ** np.floor(np.log2(np.where(largest > 0, largest, 1.0))))

    def components(self, X: Any, count: int | None = None) -> Floats:
        r"""Kernel PCA components at new points (Nyström extension).

        .. math:: f_m(x) = \frac{1}{n l_m} \sum_{i=1}^n k(x, X_i) [u_m]_i

        At the data themselves :math:`f_m(X_i) = [u_m]_i`.

        Parameters
        ----------
        X : array-like
            New points; for a precomputed kernel, rows of kernel values against the data.
        count : int, optional
            How many components, by default and at most ``rank``.

        Returns
        -------
        ndarray of shape (rows of X, count)
            One column per component.
        """
        count = self.rank if count is None else count
        if (
            isinstance(count, bool)
            or not isinstance(count, Integral)
            or not 0 <= count <= self.rank
        ):
            raise InputError(
                f"count must lie between 0 and the numerical rank {self.rank}. Got {count} "
                "instead: components beyond the rank are round-off."
            )
        dual, shift = self.extension(count)
        gram, landmarks = Gram(self.gram.kernel, self.gram.reference), self.landmarks

        def components(rows: Any) -> Floats:
            values = gram.against(rows, landmarks) @ dual - shift
            return np.asarray(values, dtype=self.eigenvalues.dtype)

        found: Floats = by_rows(components, X, dtype=self.eigenvalues.dtype, width=count)
        return found

    def extension(self, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return D and s with (f_1(x), ..., f_count(x)) = k(x, landmarks) D - s.

        Parameters
        ----------
        count : int
            How many components.

        Returns
        -------
        dual : ndarray of shape (landmarks, count)
            Weights of the kernel values.
        shift : ndarray of shape (count,)
            What centring in feature space subtracts, zero without it.
        """
        return self.basis.extension(self.eigenvalues, count)

    def kernel_map(self, X: Any = None, count: int | None = None) -> Floats:
        r"""Empirical kernel map: coordinates whose inner products are K/n.

        .. math:: U L^{1/2}, \qquad U L^{1/2} (U L^{1/2})^\top = K / n

        Parameters
        ----------
        X : array-like, optional
            New points, by default the data.
        count : int, optional
            How many coordinates, by default ``rank``.

        Returns
        -------
        ndarray of shape (rows, count)
            The coordinates.
        """
        count = self.rank if count is None else count
        values = self.basis.vectors(count) if X is None else self.components(X, count)
        roots = np.sqrt(self.eigenvalues[:count])
        return np.asarray(values * roots, dtype=roots.dtype)
