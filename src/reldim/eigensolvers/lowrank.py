r"""Low-rank solver: randomly pivoted Cholesky, never an n x n matrix.

K is approximated by F F^T with F of shape (n, k); how its pivots are drawn is told in
:mod:`reldim.eigensolvers.pivots`. The eigenpairs of F F^T / n follow from the k x k matrix F^T F.

F is filled by chunks of rows on all cores, so besides the 2 n k^2 operations of the products
there is little else to wait for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from reldim.eigensolvers.dense import Tridiagonal, tridiagonalize
from reldim.eigensolvers.pivots import (
    BLOCK,
    Left,
    PivotedFactor,
    Step,
    Taken,
    count_units,
    new_columns,
    squares_of_rows,
)
from reldim.exceptions import InputError
from reldim.inputs.cores import side_by_side
from reldim.spectrum.gram import Floats, Gram, precision_of
from reldim.spectrum.kernel_columns import KernelColumns
from reldim.spectrum.spectrum import (
    Basis,
    RowFunction,
    Spectrum,
    accuracy_of,
    check_count,
    roundoff,
)

__all__ = ["CHUNK", "Factor", "LowRank", "chunks", "lowrank_bytes", "spectrum_of_factor"]

Array = NDArray[np.float64]

#: Rows of a chunk: its part of a block of columns stays in the cache.
CHUNK = 2048

#: Up to this many rows eigenvalues are as accurate as those of the dense solver.
SAME_ACCURACY = 5000


def lowrank_bytes(n: int, rank: int, itemsize: int) -> int:
    """Memory of a factor of a given rank, with the workspace of the chunks."""
    return n * rank * itemsize + 4 * CHUNK * max(BLOCK, rank) * itemsize + 6 * rank * rank * 8


class Factor(PivotedFactor):
    """A growing factor F with K close to F F^T, in memory.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    capacity : int
        Largest rank that will be asked for; memory is taken as the rank grows.
    random_state : int or None
        Seed of the pivots; None stands for 0.
    landmarks : sequence of int, optional
        Rows to use as pivots, in this order, instead of drawing them.
    """

    def __init__(
        self, gram: Gram, capacity: int, random_state: int | None = None, landmarks: Any = None
    ) -> None:
        super().__init__(gram, precision_of(gram.points), random_state, landmarks)
        self._kernel_columns = KernelColumns(gram.kernel, gram.points)
        diagonal = np.array(gram.diagonal(), dtype=np.float64)
        self.left = np.maximum(diagonal, 0.0)
        # In Fortran order a column that is not used yet takes no memory.
        self.columns: Floats = np.empty((gram.n, capacity), dtype=self.dtype, order="F")
        self._begin(float(diagonal.min()), float(diagonal.max()))

    def map(self, function: RowFunction, rank: int, *columns: Any) -> Any:
        """Apply a function to chunks of rows of F, and of columns, and stack the answers."""
        result: Floats | None = None
        parts = self._by_chunks(function, rank, columns)
        for rows, part in zip(chunks(self.gram.n), parts, strict=True):
            if result is None:
                result = np.empty((self.gram.n, *part.shape[1:]), dtype=part.dtype)
            result[rows] = part
        return result

    def sum(self, function: RowFunction, rank: int, *columns: Any) -> Array:
        """Apply a function to chunks of rows of F, and of columns, and add up the answers."""
        total: Array | None = None
        for part in self._by_chunks(function, rank, columns):
            total = part.astype(np.float64) if total is None else np.add(total, part, out=total)
        assert total is not None
        return total

    def _by_chunks(self, function: RowFunction, rank: int, columns: Any) -> Iterator[Array]:
        def part(rows: slice) -> Array:
            return function(self.columns[rows, :rank], *(column[rows] for column in columns))

        return side_by_side(part, chunks(self.gram.n))

    def triangle(self, rank: int) -> Array:
        """Return L with L L^T = K[pivots, pivots]: the rows of F at the pivots."""
        return np.tril(self.columns[self.pivots[:rank], :rank].astype(np.float64))

    def points_of_pivots(self, rank: int) -> Any:
        """Return the data at the first pivots."""
        return self.gram.points[np.asarray(self.pivots[:rank], dtype=np.intp)]

    def _drawn(self, draws: NDArray[np.int64]) -> Taken:
        cumulated = np.cumsum(count_units(self.left, self._reference))
        return self._taken(np.searchsorted(cumulated, draws, side="right").astype(np.intp))

    def _taken(self, rows: NDArray[np.intp]) -> Taken:
        known = self.columns[rows, : self.rank]
        return Taken(rows, self.gram.points[rows], known, self.left[rows])

    def _fill(self, step: Step) -> Left:
        start, stop = self.rank, self.rank + len(step.rows)
        landmarks = self._kernel_columns.landmarks(step.points)

        def fill(rows: slice) -> None:
            block = self._kernel_columns.against(rows, landmarks)
            self.columns[rows, start:stop] = new_columns(block, self.columns[rows, :start], step)
            # Those of the columns as they are held: the next ones make up for their rounding.
            self.left[rows] -= squares_of_rows(self.columns[rows, start:stop])

        for _ in side_by_side(fill, chunks(self.gram.n)):
            pass
        return self._forget(step.spent)

    def _forget(self, rows: NDArray[np.intp]) -> Left:
        self.left[rows] = 0.0
        # A comparison with NaN is false: it stays, and is found in the sum.
        self.left[self.left <= self.least] = 0.0
        return self._measured()

    def _measured(self) -> Left:
        return Left.of(self.left, self._reference)


@dataclass(frozen=True)
class LowRank(Basis):
    """Eigenvectors U = (F - 1 m^T) V S^-1, kept as F and what the small matrices are made from.

    Parameters
    ----------
    factor : PivotedFactor
        Holds F.
    inner : Tridiagonal
        Eigenvectors V of (F - 1 m^T)^T (F - 1 m^T).
    scales : ndarray of shape (k,)
        Diagonal of S, the singular values of F - 1 m^T.
    means : ndarray of shape (rank,)
        m, the means of the columns of F where the data are centred, otherwise zero.
    """

    factor: PivotedFactor = field(repr=False)
    inner: Tridiagonal = field(repr=False)
    scales: Array = field(repr=False)
    means: Array = field(repr=False)

    @property
    def rank(self) -> int:
        """How many columns of F are used."""
        return len(self.means)

    def project(self, values: Array) -> Array:
        """Return S^-1 V^T (F - 1 m^T)^T ``values``."""
        products = self.factor.products(values, self.rank)
        if self.means.any():
            products -= np.outer(self.means, np.asarray(values.sum(axis=0)))
        return np.asarray(self.inner.project(products)[: len(self.scales)] / self.scales[:, None])

    def combine(self, coefficients: Array) -> Array:
        """Return F (V S^-1 ``coefficients``) less its mean, without the eigenvectors."""
        count = len(coefficients)
        weights = self.inner.combine(coefficients / self.scales[:count, None])
        return self.factor.combine(weights) - self.means @ weights

    def vectors(self, count: int) -> Floats:
        """Return the first ``count`` eigenvectors."""
        check_count(count, len(self.scales))
        vectors: Floats = self.factor.map(self._mixed(count), self.rank)
        return vectors

    def some_rows(self, rows: NDArray[np.intp], count: int) -> Floats:
        """Return some rows, in ascending order, of the first ``count`` eigenvectors."""
        vectors: Floats = self._mixed(count)(self.factor.known_at(rows)[:, : self.rank])
        return vectors

    def map_rows(self, function: RowFunction, count: int, *columns: Any) -> Array:
        """Apply ``function`` to blocks of rows and stack what it returns."""
        mapped: Array = self.factor.map(self._mixed(count, function), self.rank, *columns)
        return mapped

    def sum_rows(self, function: RowFunction, count: int, *columns: Any) -> Array:
        """Apply ``function`` to blocks of rows and add up what it returns."""
        return self.factor.sum(self._mixed(count, function), self.rank, *columns)

    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, Array]:
        """Return D = L^-T V S^-1 and m^T V S^-1: the way through the landmarks, whatever n."""
        del eigenvalues  # S contains them
        mixing = self._mixing(count)
        dual = solve_triangular(self.factor.triangle(self.rank), mixing, lower=True, trans="T")
        return np.asarray(dual), self.means @ mixing

    def _mixing(self, count: int) -> Array:
        check_count(count, len(self.scales))
        return np.asarray(self.inner.vectors(count) / self.scales[:count])

    def _mixed(self, count: int, function: RowFunction | None = None) -> RowFunction:
        """Return a function of rows of F that makes eigenvectors, or applies a function to them."""
        exact = self._mixing(count)
        dtype = self.factor.dtype
        mixing, shift = exact.astype(dtype), (self.means @ exact).astype(dtype)

        def mixed(F: Floats, *columns: Any) -> Any:
            vectors = F @ mixing - shift
            if function is None:
                return vectors
            return function(vectors.astype(np.float64, copy=False), *columns)

        return mixed


def spectrum_of_factor(
    factor: PivotedFactor, *, rank: int | None = None, keep: int | None = None, center: bool = False
) -> Spectrum:
    """Turn a factor, or its first columns, into a spectrum.

    Parameters
    ----------
    factor : PivotedFactor
        The factor.
    rank : int, optional
        Use its first columns only.
    keep : int, optional
        Keep this many leading pairs, by default all that stand out from round-off.
    center : bool
        Centre in feature space.

    Returns
    -------
    Spectrum
        The eigenpairs of F F^T / n.
    """
    n = factor.gram.n
    rank = factor.rank if rank is None else min(rank, factor.rank)
    if rank == 0:
        raise InputError("The kernel matrix has no part that stands out from round-off.")
    inner = factor.inner[:rank, :rank] / n
    means = factor.means()[:rank] if center else np.zeros(rank)
    magnitude = 0.0
    if center:
        magnitude = float(means @ means)
        inner = inner - np.outer(means, means)
    values, vectors = tridiagonalize(np.ascontiguousarray(inner), None)
    values = np.maximum(values, 0.0)
    trace = factor.diagonal_sum / n - magnitude
    # As for the dense solver, where both may be used.
    leading = values[:1].astype(factor.dtype)
    accuracy = accuracy_of(min(n, SAME_ACCURACY), leading, trace, magnitude)
    found = int(np.sum(values > accuracy * max(float(values[0]), magnitude)))
    found = min(found, rank if keep is None else keep)
    left = max(0.0, trace - float(values.sum()))
    return Spectrum(
        eigenvalues=values[:found].astype(factor.dtype),
        basis=LowRank(factor, vectors, np.sqrt(n * values[:found]), means),
        gram=factor.gram.plain(),
        trace=trace,
        center=center,
        solver=factor.solver,
        note=(
            f"{rank} landmarks, which leave {left / trace:.1e} of the trace of the kernel matrix"
            f"{factor.place}"
        ),
        landmarks=factor.points_of_pivots(rank),
        magnitude=magnitude,
        accuracy=accuracy,
        # The eigenvalues of F^T F are those of a matrix in double precision.
        separation=roundoff(min(n, SAME_ACCURACY), np.dtype(np.float64)),
        exhausted=factor.exhausted and rank == factor.rank,
    )


def chunks(n: int) -> Iterator[slice]:
    """Cut ``range(n)`` into chunks of rows."""
    for start in range(0, n, CHUNK):
        yield slice(start, min(start + CHUNK, n))
