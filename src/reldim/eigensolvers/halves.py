"""Eigenvectors of a tridiagonal matrix, the last step of divide and conquer left undone.

A tridiagonal matrix is two halves and what couples them, T = diag(T1, T2) + r v v^T. In the
eigenvectors of the halves, W1 and W2, it is a diagonal matrix and one of rank one, whose
eigenvectors S follow from the roots of a secular equation (Cuppen; Gu and Eisenstat). LAPACK
multiplies diag(W1, W2) by S, which takes most of its time; a product with a few columns needs no
more than the factors. The eigenvectors of the halves are LAPACK's work.
"""

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import copysign, hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from reldim.eigensolvers.lapack import Routine, laed4_of, lapack_function, product
from reldim.inputs.cores import blas_threads
from reldim.spectrum.gram import Floats

__all__ = ["Halves", "Inner", "Whole", "diagonalize"]

#: From this many rows on the last step is left undone.
MANY_ROWS = 800

#: Roots that are worked on at a time.
BLOCK = 64

Indices = NDArray[np.intp]

#: Two places and the cosine and sine of the angle by which they are turned into each other.
Rotation = tuple[int, int, float, float]


class Inner(ABC):
    """Eigenvectors of a tridiagonal matrix as columns, in ascending order of eigenvalue."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Their precision."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many there are."""

    @abstractmethod
    def project(self, values: Floats) -> Floats:
        """Return the transpose times ``values``."""

    @abstractmethod
    def combine(self, coefficients: Floats) -> Floats:
        """Return the last columns, as many as there are rows of coefficients, times these."""

    @abstractmethod
    def last(self, count: int) -> Floats:
        """Return the last columns as an array."""

    @abstractmethod
    def keep(self, count: int) -> "Inner":
        """Return the last columns in the same form."""


@dataclass(frozen=True)
class Whole(Inner):
    """Eigenvectors as an array.

    Parameters
    ----------
    array : ndarray of shape (n, count)
        In Fortran order.
    """

    array: Floats = field(repr=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Their precision."""
        return self.array.dtype

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.array.shape[1])

    def project(self, values: Floats) -> Floats:
        """Return the transpose times ``values``."""
        return product(self.array, values, transpose=True)

    def combine(self, coefficients: Floats) -> Floats:
        """Return the last columns times coefficients."""
        return product(self.last(len(coefficients)), coefficients)

    def last(self, count: int) -> Floats:
        """Return the last columns."""
        return self.array[:, self.count - count :]

    def keep(self, count: int) -> "Whole":
        """Return the last columns in the same form."""
        return Whole(self.last(count))


@dataclass(frozen=True)
class Halves(Inner):
    """Eigenvectors as products: those of two halves, and how they mix.

    Parameters
    ----------
    upper, lower : ndarray
        Eigenvectors of the halves, as columns.
    order : ndarray of int
        The columns of both in ascending order of eigenvalue.
    rotations : list
        Turns of two columns, by their places in that order, that take one out of the mixing.
    mixed, alone : ndarray of int
        Places in that order of columns that mix, and of those that stay.
    mixing : ndarray of shape (mixed, mixed)
        A row for each eigenvector that is mixed.
    final : ndarray of int
        The eigenvectors, mixed ones first and then the others, in ascending order; some last ones.
    """

    upper: Floats = field(repr=False)
    lower: Floats = field(repr=False)
    order: Indices = field(repr=False)
    rotations: list[Rotation] = field(repr=False)
    mixed: Indices = field(repr=False)
    alone: Indices = field(repr=False)
    mixing: Floats = field(repr=False)
    final: Indices = field(repr=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Their precision."""
        return self.upper.dtype

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.final)

    def project(self, values: Floats) -> Floats:
        """Return the transpose times ``values``."""
        split = len(self.upper)
        parts = [
            product(self.upper, np.asfortranarray(values[:split]), transpose=True),
            product(self.lower, np.asfortranarray(values[split:]), transpose=True),
        ]
        inner = np.concatenate(parts)[self.order]
        for first, second, c, s in self.rotations:
            one, other = inner[first].copy(), inner[second]
            inner[first], inner[second] = c * one + s * other, c * other - s * one
        mixed = product(self.mixing.T, np.asfortranarray(inner[self.mixed]), transpose=True)
        return np.asarray(np.concatenate([mixed, inner[self.alone]])[self.final])

    def combine(self, coefficients: Floats) -> Floats:
        """Return the last columns times coefficients."""
        outer = np.zeros((len(self.order), coefficients.shape[1]), dtype=self.dtype)
        outer[self.final[self.count - len(coefficients) :]] = coefficients
        inner = np.zeros_like(outer)
        inner[self.mixed] = product(self.mixing.T, np.asfortranarray(outer[: len(self.mixed)]))
        inner[self.alone] = outer[len(self.mixed) :]
        return self._out(inner)

    def last(self, count: int) -> Floats:
        """Return the last columns as an array."""
        wanted = self.final[self.count - count :]
        is_mixed = wanted < len(self.mixed)
        inner = np.zeros((len(self.order), count), dtype=self.dtype)
        inner[np.ix_(self.mixed, np.flatnonzero(is_mixed))] = self.mixing[wanted[is_mixed]].T
        alone = self.alone[wanted[~is_mixed] - len(self.mixed)]
        inner[alone, np.flatnonzero(~is_mixed)] = 1.0
        return self._out(inner)

    def keep(self, count: int) -> "Halves":
        """Return the last columns in the same form."""
        return replace(self, final=self.final[self.count - count :])

    def _out(self, inner: Floats) -> Floats:
        """Return the columns of both halves, turned and in ascending order, times ``inner``."""
        for first, second, c, s in reversed(self.rotations):
            one, other = inner[first].copy(), inner[second]
            inner[first], inner[second] = c * one - s * other, c * other + s * one
        split = len(self.upper)
        unsorted = np.empty_like(inner)
        unsorted[self.order] = inner
        result = np.empty(inner.shape, dtype=self.dtype, order="F")
        result[:split] = product(self.upper, unsorted[:split])
        result[split:] = product(self.lower, unsorted[split:])
        return result


def diagonalize(diagonal: Floats, below: Floats) -> tuple[Floats, Inner]:
    """Return eigenvalues, in ascending order, and eigenvectors of a tridiagonal matrix.

    Parameters
    ----------
    diagonal, below : ndarray of shape (n,) and (n - 1,)
        The matrix.

    Returns
    -------
    values : ndarray of shape (n,)
        The eigenvalues.
    vectors : Inner
        The eigenvectors.
    """
    laed4 = laed4_of(diagonal.dtype)
    if len(diagonal) >= MANY_ROWS and laed4 is not None:
        return _merge(diagonal, below, laed4)
    values, vectors = _stevd(diagonal, below)
    return values, Whole(vectors)


def _stevd(diagonal: Floats, below: Floats) -> tuple[Floats, Floats]:
    if len(diagonal) == 1:
        return diagonal.copy(), np.ones((1, 1), dtype=diagonal.dtype)
    # stevd, not stemr: the latter fails to converge on narrow kernels (K close to I), where
    # almost all eigenvalues agree, and its vectors are less orthogonal (1e-12 at n = 2000).
    stevd = lapack_function("stevd", (diagonal, below))
    values, vectors, info = stevd(diagonal, below)
    if info != 0:
        raise LinAlgError(f"stevd failed (info={info})")
    return np.asarray(values), np.asarray(vectors)


def _merge(diagonal: Floats, below: Floats, laed4: Routine) -> tuple[Floats, Halves]:
    scale = float(max(np.abs(diagonal).max(), np.abs(below).max())) or 1.0
    diagonal, below = diagonal / scale, below / scale
    # Couplings that are round-off of the whole are dropped here: a half whose entries are all tiny
    # would be solved to full relative accuracy, which takes long and means nothing.
    below[np.abs(below) <= np.finfo(below.dtype).eps] = 0
    split = len(diagonal) // 2
    coupling = float(below[split - 1])
    diagonal[split - 1 : split + 1] -= abs(coupling)
    # One after the other: BLAS uses the cores already, and its threads idle by spinning.
    low, upper = _stevd(diagonal[:split], below[: split - 1])
    high, lower = _stevd(diagonal[split:], below[split:])
    values = np.concatenate([low, high])
    order = np.argsort(values, kind="stable")
    touch = np.concatenate([upper[-1], copysign(1.0, coupling) * lower[0]])[order]
    values, touch = values[order], touch / np.sqrt(2, dtype=touch.dtype)
    mixed, rotations = _deflate(values, touch, 2 * abs(coupling))
    alone = np.delete(np.arange(len(values)), mixed)
    roots, mixing = _mix(values[mixed], touch[mixed], 2 * abs(coupling), laed4)
    found = np.concatenate([roots, values[alone]])
    final = np.argsort(found, kind="stable")
    vectors = Halves(upper, lower, order, rotations, mixed, alone, mixing, final)
    return np.asarray(found[final] * found.dtype.type(scale)), vectors


def _deflate(values: Floats, touch: Floats, strength: float) -> tuple[Indices, list[Rotation]]:
    """Return which columns mix, and turns of two that take one of them out.

    Columns that the coupling hardly touches do not mix. Of two whose eigenvalues are all but equal
    one does not, once they are turned so that the other has all of the touch. ``values`` and
    ``touch`` are changed where columns are turned.
    """
    tolerance = 4 * float(np.finfo(values.dtype).eps)
    tolerance *= max(float(np.abs(values).max()), float(np.abs(touch).max()))
    mixed: list[int] = []
    rotations: list[Rotation] = []
    before = one = 0.0
    for place in np.flatnonzero(strength * np.abs(touch) > tolerance).tolist():
        value, other = values.item(place), touch.item(place)
        if mixed:
            both = hypot(one, other)
            c, s = other / both, -one / both
            gap = value - before
            if abs(gap * c * s) <= tolerance:
                last = mixed.pop()
                rotations.append((last, place, c, s))
                value, other = value - gap * s * s, both
                values[last], values[place] = before + gap * s * s, value
                touch[last], touch[place] = 0.0, other
        mixed.append(place)
        before, one = value, other
    return np.array(mixed, dtype=np.intp), rotations


def _mix(values: Floats, touch: Floats, strength: float, laed4: Routine) -> tuple[Floats, Floats]:
    """Return the eigenvalues of diag(values) + strength touch touch^T, and one row per eigenvector.

    The roots of the secular equation are eigenvalues of a matrix with a slightly different touch,
    and with that the eigenvectors are orthogonal to round-off (Gu and Eisenstat).
    """
    count = len(values)
    if count < 3:
        # LAPACK returns something else for these.
        roots, vectors = np.linalg.eigh(np.diag(values) + strength * np.outer(touch, touch))
        return roots.astype(values.dtype), np.ascontiguousarray(vectors.T, dtype=values.dtype)
    roots, differences = np.empty_like(values), np.empty((count, count), dtype=values.dtype)
    threads = blas_threads()
    edges = np.linspace(0, count, threads + 1).astype(int).tolist()
    parts = [range(*edge) for edge in pairwise(edges)]

    def solve(part: range) -> Floats:
        _solve(laed4, values, touch, strength, part, roots, differences)
        return _ratios(values, differences, part)

    def divide(part: range) -> None:
        for rows in _blocks(part):
            block = differences[rows]
            np.divide(new, block, out=block)
            block /= np.sqrt(np.einsum("ij,ij->i", block, block))[:, None]

    with ThreadPoolExecutor(threads) as pool:
        squares = np.prod(list(pool.map(solve, parts)), axis=0)
        new = np.copysign(np.sqrt(np.maximum(-squares, 0)), touch)
        list(pool.map(divide, parts))
    return roots, differences


def _solve(
    laed4: Routine,
    values: Floats,
    touch: Floats,
    strength: float,
    part: range,
    roots: Floats,
    differences: Floats,
) -> None:
    """Solve the secular equation for some roots; keep values minus root, which lose no digits."""
    count, rho = np.array([len(values)], dtype=np.intc), np.array([strength], dtype=values.dtype)
    number, info = np.zeros(1, dtype=np.intc), np.zeros(1, dtype=np.intc)
    shared = [array.ctypes.data for array in (count, number, values, touch, rho, info)]
    count_at, number_at, values_at, touch_at, rho_at, info_at = shared
    row, root = differences.strides[0], roots.strides[0]
    first_row, first_root = differences.ctypes.data, roots.ctypes.data
    for i in part:
        number[0] = i + 1
        laed4(
            *(count_at, number_at, values_at, touch_at, first_row + i * row),
            *(rho_at, first_root + i * root, info_at),
        )
        if info[0] != 0:
            raise LinAlgError(f"laed4 failed (info={info[0]})")


def _ratios(values: Floats, differences: Floats, part: range) -> Floats:
    """Return what some roots contribute to the squares of the new touch, up to the sign."""
    result = np.ones_like(values)
    for rows in _blocks(part):
        gaps = values - values[rows, None]
        # A root against its own value: the difference is a factor, not a ratio.
        own = np.arange(rows.start, rows.stop)
        gaps[own - rows.start, own] = 1.0
        result *= np.prod(differences[rows] / gaps, axis=0)
    return result


def _blocks(part: range) -> list[slice]:
    starts = range(part.start, part.stop, BLOCK)
    return [slice(start, min(start + BLOCK, part.stop)) for start in starts]
