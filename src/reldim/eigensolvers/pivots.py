r"""Pivots of a randomly pivoted Cholesky factor, wherever its rows are held.

Pivots are rows drawn with probability in proportion to what is left of the diagonal of K - F F^T;
a block of them is proposed at a time, and each is accepted with the probability that drawing one by
one would have given it (accelerated form).

What is left is counted in whole units before it is added up. Sums of whole numbers are the same in
any order, so that rows in one array and rows in blocks on many machines give the same pivots.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from reldim.eigensolvers.dense import NEGATIVE_REPAIRED, refuse_indefinite
from reldim.exceptions import KernelMatrixError
from reldim.inputs.cores import one_blas_thread
from reldim.inputs.random_state import seed_of
from reldim.kernels.points import in_double
from reldim.spectrum.gram import Floats, Gram, symmetrize
from reldim.spectrum.spectrum import RowFunction

__all__ = [
    "BLOCK",
    "Left",
    "PivotedFactor",
    "Step",
    "Taken",
    "count_units",
    "new_columns",
    "squares_of_rows",
]

Array = NDArray[np.float64]

#: Pivots proposed at a time, at the most.
BLOCK = 256

#: Columns of a factor in single precision whose products are taken in double precision.
EXACT = 64

#: What is left of a row is counted in this many bits; 2^32 rows can be added up.
BITS = 31

#: Units are made smaller where the largest number has fallen to this share.
COARSE = 2.0**-8


@dataclass(frozen=True)
class Left:
    """What is left of the diagonal of K - F F^T, over some rows.

    Attributes
    ----------
    units : int
        Its sum in whole units.
    total : float
        Its sum.
    largest : float
        Its largest entry.
    """

    units: int
    total: float
    largest: float

    @classmethod
    def of(cls, left: Array, reference: float) -> "Left":
        """Add up what is left of some rows."""
        return cls(
            int(count_units(left, reference).sum()), float(left.sum()), float(left.max(initial=0.0))
        )

    def __add__(self, other: "Left") -> "Left":
        return Left(
            self.units + other.units, self.total + other.total, max(self.largest, other.largest)
        )


def count_units(left: Array, reference: float) -> NDArray[np.int64]:
    """Count what is left of rows in whole units, of which ``reference`` has about 2^31.

    Parameters
    ----------
    left : ndarray of shape (rows,)
        What is left, none below zero or above the reference.
    reference : float
        A number above zero.

    Examples
    --------
    >>> count_units(np.array([1.0, 0.5, 0.0]), 1.0) / 2**30
    array([1. , 0.5, 0. ])
    """
    _, exponent = np.frexp(reference)
    # A comparison with NaN is false: what is not finite is found in the sum, not here.
    finite = np.where(left <= 2 * reference, left, 0.0)
    return np.ldexp(finite, BITS - int(exponent)).astype(np.int64)


@dataclass(frozen=True)
class Taken:
    """Some rows of the data and of the factor.

    Attributes
    ----------
    rows : ndarray of int
        Their numbers.
    points : points
        The data.
    known : ndarray of shape (rows, rank)
        The rows of F.
    left : ndarray of shape (rows,)
        What is left of the diagonal.
    """

    rows: NDArray[np.intp]
    points: Any = field(repr=False)
    known: Floats = field(repr=False)
    left: Array = field(repr=False)


@dataclass(frozen=True)
class Step:
    """New pivots, and all that new columns of F are made from.

    Attributes
    ----------
    rows : ndarray of int
        The pivots.
    points : points
        Their data.
    known : ndarray of shape (pivots, rank)
        Their rows of F so far, in Fortran order.
    triangle, inverse : ndarray of shape (pivots, pivots)
        Their rows of the new columns, and its inverse, transposed.
    spent : ndarray of int
        Rows of which nothing is left after this step, the pivots among them.
    """

    rows: NDArray[np.intp]
    points: Any = field(repr=False)
    known: Floats = field(repr=False)
    triangle: Array = field(repr=False)
    inverse: Array = field(repr=False)
    spent: NDArray[np.intp] = field(repr=False)


def new_columns(kernel_values: Array, before: Floats, step: Step) -> Array:
    """Return the new columns of F for some rows.

    Parameters
    ----------
    kernel_values : ndarray of shape (rows, pivots)
        The kernel between the rows and the new pivots; overwritten.
    before : ndarray of shape (rows, rank)
        The columns of F so far.
    step : Step
        The new pivots.

    Returns
    -------
    ndarray of shape (rows, pivots)
        The new columns.
    """
    # What the first columns leave is small, and so is the round-off of a product of the others.
    exact = min(EXACT, before.shape[1]) if before.dtype == np.float32 else before.shape[1]
    if exact:
        kernel_values -= in_double(before[:, :exact]) @ in_double(step.known[:, :exact]).T
    if exact < before.shape[1]:
        kernel_values -= before[:, exact:] @ step.known[:, exact:].T
    # A small inverse and a product are quicker than a solve with a wide right-hand side.
    return np.asarray(kernel_values @ step.inverse)


def squares_of_rows(columns: Floats) -> Array:
    """Return the sum of squares of each row, in double precision and always in the same order.

    Parameters
    ----------
    columns : ndarray of shape (rows, pivots)
        New columns of F, in any order of memory.

    Returns
    -------
    ndarray of shape (rows,)
        The sums.
    """
    # What is left may be round-off itself, so the order of the sum is not to depend on the caller.
    columns = np.ascontiguousarray(columns, dtype=np.float64)
    return np.asarray(np.einsum("ij,ij->i", columns, columns))


class PivotedFactor(ABC):
    """A growing factor F with K close to F F^T, its rows in memory or elsewhere.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    dtype : dtype
        Precision of F.
    random_state : int or None
        Seed of the pivots; None stands for 0.
    landmarks : sequence of int, optional
        Rows to use as pivots, in this order, instead of drawing them.
    """

    #: What a spectrum of this factor says about its origin.
    solver = "lowrank"

    def __init__(
        self, gram: Gram, dtype: np.dtype[Any], random_state: int | None, landmarks: Any
    ) -> None:
        self.gram = gram
        self.dtype = dtype
        self.eps = float(np.finfo(dtype).eps)
        self.inner: Array = np.zeros((0, 0))
        self.pivots: list[int] = []
        self.exhausted = False
        self.diagonal_sum = 0.0
        self._rng = np.random.default_rng(seed_of(random_state))
        self._given = None if landmarks is None else np.asarray(landmarks, dtype=np.intp)
        self._largest = self._reference = 0.0
        self._remaining = Left(0, 0.0, 0.0)

    @property
    def place(self) -> str:
        """Where the rows are held, for the note of a spectrum."""
        return ""

    @property
    def rank(self) -> int:
        """Number of columns filled."""
        return len(self.pivots)

    @property
    def residual(self) -> float:
        """Trace of K - F F^T, without rows of which nothing but round-off is left."""
        return self._remaining.total

    @property
    def least(self) -> float:
        r"""What is left of a row, and may be round-off.

        F F^T is wrong by about eps / 2 of the largest entry of K, at random. A matrix of k rows of
        such errors has eigenvalues up to :math:`\varepsilon \sqrt k`: among k pivots of which less
        is left some would be negative, and the columns after them without meaning.
        """
        return self.eps * float(np.sqrt(max(100, self.rank))) * self._largest

    @abstractmethod
    def map(self, function: RowFunction, rank: int, *columns: Any) -> Any:
        """Apply a function to blocks of rows of F, and of columns, and stack the answers."""

    @abstractmethod
    def sum(self, function: RowFunction, rank: int, *columns: Any) -> Array:
        """Apply a function to blocks of rows of F, and of columns, and add up the answers."""

    @abstractmethod
    def triangle(self, rank: int) -> Array:
        """Return L with L L^T = K[pivots, pivots]: the rows of F at the pivots."""

    @abstractmethod
    def points_of_pivots(self, rank: int) -> Any:
        """Return the data at the first pivots, in memory."""

    def known_at(self, rows: NDArray[np.intp]) -> Floats:
        """Return the rows of F at some rows, in ascending order, of the data."""
        return self._taken(rows).known

    @abstractmethod
    def _drawn(self, draws: NDArray[np.int64]) -> Taken:
        """Take the rows in which units of these numbers lie, counted from the first row on."""

    @abstractmethod
    def _taken(self, rows: NDArray[np.intp]) -> Taken:
        """Take these rows."""

    @abstractmethod
    def _fill(self, step: Step) -> Left:
        """Compute the new columns, and what they leave."""

    @abstractmethod
    def _forget(self, rows: NDArray[np.intp]) -> Left:
        """Count these rows as done."""

    @abstractmethod
    def _measured(self) -> Left:
        """Add up what is left, in new units."""

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
        with one_blas_thread():
            while self.rank < rank and not self.exhausted:
                self._advance(rank - self.rank)
                if after_block is not None:
                    after_block(self.rank)
            if self.rank > start:
                self._extend_inner(start)

    def means(self) -> Array:
        """Return the mean of each column of F."""
        sums = self.sum(lambda F: np.sum(F, axis=0, dtype=np.float64), self.rank)
        return sums / self.gram.n

    def products(self, values: Array, rank: int) -> Array:
        """Return F^T ``values`` for the first columns of F, added up in double precision."""
        dtype = self.dtype
        return self.sum(lambda F, y: F.T @ y.astype(dtype), rank, values)

    def combine(self, weights: Array) -> Array:
        """Return F ``weights`` for the first columns of F."""
        narrow = weights.astype(self.dtype)
        combined: Array = self.map(lambda F: (F @ narrow).astype(np.float64), len(weights))
        return combined

    def _begin(self, smallest: float, largest: float) -> None:
        """Check the diagonal of K, and begin with all of it left."""
        if not (np.isfinite(smallest) and np.isfinite(largest)):
            raise KernelMatrixError(
                f"The kernel must be finite, but {self.gram.kernel!r} is NaN or infinite between "
                "some rows and themselves. Check the scale of the data and the parameters."
            )
        refuse_indefinite(smallest, largest, self.dtype, repr(self.gram.kernel), "a diagonal entry")
        self._largest = self._reference = largest
        self._remaining = self._measured()
        self.diagonal_sum = self.residual

    def _advance(self, wanted: int) -> None:
        """Propose a block of pivots, and add the columns of those that are accepted."""
        taken, threshold = self._proposed(wanted)
        points = in_double(taken.points)
        H = symmetrize(
            self.gram.kernel.matrix(points, points), source=repr(self.gram.kernel)
        ).astype(np.float64)
        known = taken.known.astype(np.float64)
        H -= known @ known.T
        kept, spent, triangle = self._eliminate(H, threshold, wanted)
        if len(kept):
            accepted = taken.rows[kept]
            inverse = solve_triangular(triangle, np.eye(len(kept)), lower=True).T
            step = Step(
                rows=accepted,
                points=taken.points[kept],
                known=np.asfortranarray(taken.known[kept]),
                triangle=triangle,
                inverse=inverse,
                spent=np.union1d(accepted, taken.rows[spent]),
            )
            self._remaining = self._fill(step)
            self.pivots.extend(int(row) for row in accepted)
        elif len(spent):
            self._remaining = self._forget(taken.rows[spent])
        if not np.isfinite(self.residual):
            raise KernelMatrixError(
                f"The kernel must be finite, but {self.gram.kernel!r} gave NaN or infinite values. "
                "Check the scale of the data and the parameters of the kernel."
            )
        self.exhausted |= self.residual <= 10 * self.eps * self.diagonal_sum

    def _proposed(self, wanted: int) -> tuple[Taken, Array]:
        """Return a block of rows, and what has to be left of each for it to be accepted."""
        if self._given is not None:
            proposed = self._given[:BLOCK]
            self._given = self._given[BLOCK:]
            self.exhausted = not len(self._given)
            return self._taken(proposed), np.zeros(len(proposed))
        if self._remaining.largest < COARSE * self._reference:
            self._reference = self._remaining.largest
            self._remaining = self._measured()
        size = min(BLOCK, max(16, (self.rank + wanted) // 8))
        units = self._remaining.units
        draws = np.minimum(self._rng.random(size) * units, units - 1).astype(np.int64)
        taken = self._drawn(draws)
        return taken, self._rng.random(size) * taken.left

    def _eliminate(
        self, H: Array, threshold: Array, wanted: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
        """Keep what drawing one by one would have kept, and factor it; tell what is spent."""
        least = self.least
        waiting = least if self._given is None else 0.0
        kept: list[int] = []
        spent: list[int] = []
        rows = np.zeros((min(wanted, len(H)), len(H)))
        left = np.diagonal(H).copy()
        for i in range(len(H)):
            if len(kept) == wanted:
                break
            if left[i] < -NEGATIVE_REPAIRED[self.dtype] * self._largest:
                refuse_indefinite(
                    left[i], self._largest, self.dtype, repr(self.gram.kernel), "a remaining pivot"
                )
            if left[i] <= least:
                # Nothing but round-off: not to be proposed again, or drawing might never end.
                spent.append(i)
            # Round-off in a pivot is multiplied by what is left of others, over what is left of it:
            # what is small beside others waits until they are done.
            if left[i] <= max(least, threshold[i], np.sqrt(waiting * max(left.max(), 0.0))):
                continue
            done = rows[: len(kept)]
            row = (H[i] - done[:, i] @ done) / np.sqrt(left[i])
            rows[len(kept)] = row
            left -= row**2
            kept.append(i)
        triangle = rows[: len(kept)][:, kept].T
        return np.array(kept, dtype=np.intp), np.array(spent, dtype=np.intp), triangle

    def _extend_inner(self, start: int) -> None:
        """Add to F^T F the rows and columns of the new part of F."""
        stop = self.rank
        new = self.sum(lambda F: (F[:, start:].T @ F).astype(np.float64), stop)
        inner = np.zeros((stop, stop))
        inner[:start, :start] = self.inner
        inner[start:] = new
        inner[:start, start:] = new[:, :start].T
        inner[start:, start:] = (new[:, start:] + new[:, start:].T) / 2
        self.inner = inner
