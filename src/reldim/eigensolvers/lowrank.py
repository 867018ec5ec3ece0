r"""Low-rank solver: randomly pivoted Cholesky, never an n x n matrix.

K is approximated by F F^T with F of shape (n, k). Pivots are rows drawn with probability in
proportion to what is left of the diagonal; a block of them is proposed at a time, and each is
accepted with the probability that drawing one by one would have given it (accelerated form).
The eigenpairs of F F^T / n follow from the k x k matrix F^T F.

F is filled by chunks of rows on all cores, so besides the 2 n k^2 operations of the products
there is little else to wait for.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from threadpoolctl import threadpool_limits

from reldim.eigensolvers.dense import (
    NEGATIVE_REPAIRED,
    Tridiagonal,
    refuse_indefinite,
    tridiagonalize,
)
from reldim.exceptions import InputError, KernelMatrixError
from reldim.gram import Floats, Gram, symmetrize
from reldim.kernelcolumns import KernelColumns
from reldim.spectrum import Basis, RowFunction, Spectrum, roundoff

__all__ = ["Factor", "LowRank", "exhaust", "lowrank_bytes", "spectrum_of_factor"]

Array = NDArray[np.float64]

#: Rows of a chunk: its part of a block of columns stays in the cache.
CHUNK = 4096

#: Up to this many rows eigenvalues are as accurate as those of the dense solver.
SAME_ACCURACY = 5000

#: Share of n up to which a factor beats the reduction of the whole matrix.
EXHAUSTIBLE = 0.75

#: Pivots proposed at a time, at the most.
BLOCK = 256


def lowrank_bytes(n: int, rank: int, itemsize: int) -> int:
    """Memory of a factor of a given rank, with the workspace of the chunks."""
    return n * rank * itemsize + 4 * CHUNK * max(BLOCK, rank) * itemsize + 6 * rank * rank * 8


class Factor:
    """A growing factor F with K close to F F^T.

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
        self,
        gram: Gram,
        capacity: int,
        random_state: int | None = None,
        landmarks: Any = None,
    ) -> None:
        self.gram = gram
        self.kernel_columns = KernelColumns(gram)
        diagonal = _checked_diagonal(gram, self.kernel_columns.dtype)
        self.diagonal_sum = float(diagonal.sum())
        self.left = diagonal
        self.dtype = self.kernel_columns.dtype
        self.eps = float(np.finfo(self.dtype).eps)
        # In Fortran order a column that is not used yet takes no memory.
        self.columns: Floats = np.empty((gram.n, capacity), dtype=self.dtype, order="F")
        self.inner: Array = np.zeros((0, 0))
        self.pivots: list[int] = []
        self.exhausted = False
        self._rng = np.random.default_rng(0 if random_state is None else random_state)
        self._given = None if landmarks is None else np.asarray(landmarks, dtype=np.intp)
        self._largest = float(diagonal.max())

    @property
    def rank(self) -> int:
        """Number of columns filled."""
        return len(self.pivots)

    @property
    def residual(self) -> float:
        """Trace of K - F F^T."""
        return float(self.left.sum())

    def grow(self, rank: int, after_block: Callable[[int], None] | None = None) -> None:
        """Add pivots until there are ``rank``, or nothing is left to approximate.

        Parameters
        ----------
        rank : int
            The rank to reach, at most the capacity.
        after_block : callable, optional
            Told the rank after each block.
        """
        start = self.rank
        with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(_cores()) as pool:
            while self.rank < rank and not self.exhausted:
                accepted, triangle = self._propose(rank - self.rank)
                if len(accepted):
                    self._fill(pool, accepted, triangle)
                if after_block is not None:
                    after_block(self.rank)
            if self.rank > start:
                self._extend_inner(pool, start)

    def means(self) -> Array:
        """Return the mean of each column of F."""
        return np.asarray(self.columns[:, : self.rank].mean(axis=0, dtype=np.float64))

    def triangle(self, rank: int) -> Array:
        """Return L with L L^T = K[pivots, pivots]: the rows of F at the pivots."""
        return np.tril(self.columns[self.pivots[:rank], :rank].astype(np.float64))

    def products(self, values: Array, rank: int) -> Array:
        """Return F^T ``values`` for the first columns of F, added up in double precision."""
        total = np.zeros((rank, values.shape[1]))
        for rows in _chunks(self.gram.n):
            total += self.columns[rows, :rank].T @ values[rows].astype(self.dtype)
        return total

    def combine(self, weights: Array) -> Array:
        """Return F ``weights`` for the first columns of F."""
        narrow = weights.astype(self.dtype)
        parts = [self.columns[rows, : len(weights)] @ narrow for rows in _chunks(self.gram.n)]
        return np.concatenate(parts).astype(np.float64)

    def _propose(self, wanted: int) -> tuple[NDArray[np.intp], Array]:
        """Draw a block, keep what drawing one by one would have kept, factor it."""
        self._see_whether_exhausted()
        if self.exhausted:
            return np.zeros(0, dtype=np.intp), np.zeros((0, 0))
        if self._given is not None:
            proposed = self._given[:BLOCK]
            self._given = self._given[BLOCK:]
            self.exhausted = not len(self._given)
            threshold = np.zeros(len(proposed))
        else:
            size = min(BLOCK, max(16, (self.rank + wanted) // 8))
            cumulated = np.cumsum(self.left)
            draws = self._rng.random(size) * cumulated[-1]
            proposed = np.searchsorted(cumulated, draws, side="right").astype(np.intp)
            threshold = self._rng.random(size) * self.left[proposed]
        H = symmetrize(
            self.kernel_columns.between(proposed, proposed), source=repr(self.gram.kernel)
        ).astype(np.float64)
        known = self.columns[proposed, : self.rank].astype(np.float64)
        H -= known @ known.T
        return self._eliminate(proposed, H, threshold, wanted)

    def _eliminate(
        self, proposed: NDArray[np.intp], H: Array, threshold: Array, wanted: int
    ) -> tuple[NDArray[np.intp], Array]:
        least = 10 * self.eps * self._largest
        kept: list[int] = []
        rows = np.zeros((min(wanted, len(proposed)), len(proposed)))
        left = np.diagonal(H).copy()
        for i in range(len(proposed)):
            if len(kept) == wanted:
                break
            if left[i] < -NEGATIVE_REPAIRED[self.dtype] * self._largest:
                refuse_indefinite(
                    left[i], self._largest, self.dtype, repr(self.gram.kernel), "a remaining pivot"
                )
            if left[i] <= least:
                # Nothing but round-off: not to be proposed again, or drawing might never end.
                self.left[proposed[i]] = 0.0
            if left[i] <= max(least, threshold[i]):
                continue
            done = rows[: len(kept)]
            row = (H[i] - done[:, i] @ done) / np.sqrt(left[i])
            rows[len(kept)] = row
            left -= row**2
            kept.append(i)
        return proposed[kept], rows[: len(kept)][:, kept].T

    def _fill(self, pool: ThreadPoolExecutor, accepted: NDArray[np.intp], triangle: Array) -> None:
        start, stop = self.rank, self.rank + len(accepted)
        # A small inverse and a product are quicker than a solve with a wide right-hand side.
        inverse = solve_triangular(triangle, np.eye(len(accepted)), lower=True).T
        inverse = inverse.astype(self.dtype)
        known = np.asfortranarray(self.columns[accepted, :start])
        landmarks = self.kernel_columns.landmarks(accepted)

        def fill(rows: slice) -> None:
            block = self.kernel_columns.against(rows, landmarks)
            if start:
                block -= self.columns[rows, :start] @ known.T
            new = block @ inverse
            self.columns[rows, start:stop] = new
            self.left[rows] -= np.einsum("ij,ij->i", new, new)

        list(pool.map(fill, _chunks(self.gram.n)))
        if not np.isfinite(self.residual):
            raise KernelMatrixError(
                f"The kernel must be finite, but {self.gram.kernel!r} gave NaN or infinite values. "
                "Check the scale of the data and the parameters of the kernel."
            )
        self.pivots.extend(int(row) for row in accepted)
        self.left[accepted] = 0.0
        self._see_whether_exhausted()

    def _see_whether_exhausted(self) -> None:
        self.left[self.left < 0] = 0.0
        self.exhausted |= self.residual <= 10 * self.eps * self.diagonal_sum

    def _extend_inner(self, pool: ThreadPoolExecutor, start: int) -> None:
        """Add to F^T F the rows and columns of the new part of F."""
        stop = self.rank

        def part(rows: slice) -> Array:
            chunk = self.columns[rows, :stop]
            return np.asarray(chunk[:, start:].T @ chunk, dtype=np.float64)

        new = np.zeros((stop - start, stop))
        for product in pool.map(part, _chunks(self.gram.n)):
            new += product
        inner = np.zeros((stop, stop))
        inner[:start, :start] = self.inner
        inner[start:] = new
        inner[:start, start:] = new[:, :start].T
        inner[start:, start:] = (new[:, start:] + new[:, start:].T) / 2
        self.inner = inner


@dataclass(frozen=True)
class LowRank(Basis):
    """Eigenvectors U = (F - 1 m^T) V S^-1, kept as F and what the small matrices are made from.

    Parameters
    ----------
    factor : Factor
        Holds F.
    inner : Tridiagonal
        Eigenvectors V of (F - 1 m^T)^T (F - 1 m^T).
    scales : ndarray of shape (k,)
        Diagonal of S, the singular values of F - 1 m^T.
    means : ndarray of shape (rank,)
        m, the means of the columns of F where the data are centred, otherwise zero.
    """

    factor: Factor = field(repr=False)
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
        products -= np.outer(self.means, values.sum(axis=0))
        return np.asarray(self.inner.project(products)[: len(self.scales)] / self.scales[:, None])

    def combine(self, coefficients: Array) -> Array:
        """Return F (V S^-1 ``coefficients``) less its mean, without the eigenvectors."""
        count = len(coefficients)
        weights = self.inner.combine(coefficients / self.scales[:count, None])
        return self.factor.combine(weights) - self.means @ weights

    def vectors(self, count: int) -> Floats:
        """Return the first ``count`` eigenvectors."""
        result = np.empty((self.factor.gram.n, count), dtype=self.factor.dtype)
        for rows, block in self._chunks(count):
            result[rows] = block
        return result

    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, Array]:
        """Return D = L^-T V S^-1 and m^T V S^-1: the way through the landmarks, whatever n."""
        del eigenvalues  # S contains them
        mixing = self._mixing(count)
        dual = solve_triangular(self.factor.triangle(self.rank), mixing, lower=True, trans="T")
        return dual.astype(self.factor.dtype), self.means @ mixing

    def _mixing(self, count: int) -> Array:
        return np.asarray(self.inner.vectors(count) / self.scales[:count])

    def _chunks(self, count: int) -> Iterator[tuple[slice, Floats]]:
        exact = self._mixing(count)
        mixing = exact.astype(self.factor.dtype)
        shift = (self.means @ exact).astype(self.factor.dtype)
        for rows in _chunks(self.factor.gram.n):
            yield rows, self.factor.columns[rows, : self.rank] @ mixing - shift

    def _blocks(self, function: RowFunction, count: int, columns: Any) -> Any:
        for rows, block in self._chunks(count):
            yield function(
                block.astype(np.float64, copy=False), *(column[rows] for column in columns)
            )


def spectrum_of_factor(
    factor: Factor, *, rank: int | None = None, keep: int | None = None, center: bool = False
) -> Spectrum:
    """Turn a factor, or its first columns, into a spectrum.

    Parameters
    ----------
    factor : Factor
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
    # As for the dense solver, where both may be used. In single precision round-off in F is
    # random, and its products are added up in double precision: little of it is left.
    single = factor.dtype == np.float32
    accuracy = 4 * factor.eps if single else roundoff(min(n, SAME_ACCURACY), factor.dtype)
    found = int(np.sum(values > accuracy * max(float(values[0]), magnitude)))
    found = min(found, rank if keep is None else keep)
    trace = factor.diagonal_sum / n - magnitude
    left = max(0.0, trace - float(values.sum()))
    return Spectrum(
        eigenvalues=values[:found].astype(factor.dtype),
        basis=LowRank(factor, vectors, np.sqrt(n * values[:found]), means),
        gram=factor.gram.plain(),
        trace=trace,
        center=center,
        solver="lowrank",
        note=(
            f"{rank} landmarks, which leave {left / trace:.1e} of the trace of the kernel matrix"
        ),
        landmarks=factor.kernel_columns.points_of(factor.pivots[:rank]),
        magnitude=magnitude,
        accuracy=accuracy,
        # The eigenvalues of F^T F are those of a matrix in double precision.
        separation=roundoff(min(n, SAME_ACCURACY), np.dtype(np.float64)),
        exhausted=factor.exhausted and rank == factor.rank,
    )


def exhaust(gram: Gram, *, keep: int | None = None, center: bool = False) -> Spectrum | None:
    """Decompose a kernel matrix of low numerical rank to full accuracy, or give up early.

    A smooth kernel leaves nothing but round-off after far fewer than n pivots. Its eigenpairs
    then follow from a factor as accurately as from the whole matrix, and sooner.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    keep : int, optional
        Keep this many leading pairs.
    center : bool
        Centre in feature space.

    Returns
    -------
    Spectrum or None
        None where the rank is too high for that.
    """
    n = gram.n
    factor = Factor(gram, int(EXHAUSTIBLE * n))
    left = []
    for rank in (n // 8, n // 4):
        factor.grow(rank)
        left.append(factor.residual / factor.diagonal_sum)
        if factor.exhausted:
            return spectrum_of_factor(factor, keep=keep, center=center)
    if left[1] >= left[0]:
        return None
    # What is left falls no faster than before. Each n / 8 pivots gain the last ratio at best.
    steps = np.log(10 * factor.eps / left[1]) / np.log(left[1] / left[0])
    if n / 4 + steps * n / 8 > EXHAUSTIBLE * n:
        return None
    factor.grow(int(EXHAUSTIBLE * n))
    return spectrum_of_factor(factor, keep=keep, center=center) if factor.exhausted else None


def _checked_diagonal(gram: Gram, dtype: np.dtype[Any]) -> Array:
    diagonal = np.array(gram.diagonal(), dtype=np.float64)
    if not np.all(np.isfinite(diagonal)):
        raise KernelMatrixError(
            f"The kernel must be finite, but {gram.kernel!r} is NaN or infinite between some "
            "rows and themselves. Check the scale of the data and the parameters."
        )
    smallest, largest = float(diagonal.min()), float(diagonal.max())
    refuse_indefinite(smallest, largest, dtype, repr(gram.kernel), "a diagonal entry")
    return np.maximum(diagonal, 0.0)


def _chunks(n: int) -> Iterator[slice]:
    for start in range(0, n, CHUNK):
        yield slice(start, min(start + CHUNK, n))


def _cores() -> int:
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
