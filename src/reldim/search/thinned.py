"""Outline: what a kernel shows about the targets, thinned to what a picture needs.

The spectra of all kernels but the best are let go. Their outlines are small enough to keep, and
are made of what the choice among kernels computes anyway.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.targets import decide
from reldim.relevance.estimation import RelevantDimension
from reldim.relevance.posterior import DimensionPosterior

__all__ = ["Outline", "sampled_rows"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

#: Points of a curve.
POINTS = 400

#: Components that are shown one by one; further ones are grouped.
SINGLE = 200

#: Rows whose denoised targets are kept.
ROWS = 500


@dataclass(frozen=True)
class Outline:
    """What a kernel shows about the targets, in a few hundred numbers.

    Attributes
    ----------
    dimension : int
        Relevant dimension.
    uncertainty : DimensionPosterior
        What the interval of the dimension is computed from.
    count : int
        Number of components at hand.
    first : ndarray of int
        The first component of each group, counted from 1; a group ends where the next begins.
    shares : ndarray
        Mean share of the components of a group in the sum of squares of the targets.
    noise_floor : float
        Mean share of the components beyond the relevant dimension.
    dimensions, curve : ndarray
        The criterion ``curve`` at some ``dimensions``.
    rows : ndarray of int
        Some rows, the same for every kernel.
    denoised : ndarray
        Their denoised targets: for regression the first output; for classes how much the
        denoised label speaks for the given one, negative where another class is ahead.
    decided : ndarray of int or None
        The classes of their denoised labels.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, relevant_dimension
    >>> data = datasets.noisy_sinc(2000, random_state=0)
    >>> outline = Outline.of(relevant_dimension(decompose(kernels.Gaussian(1.0), data.X), data.y))
    >>> outline.dimension, len(outline.rows), len(outline.denoised)
    (7, 500, 500)
    """

    dimension: int
    uncertainty: DimensionPosterior = field(repr=False)
    count: int
    first: Places = field(repr=False)
    shares: Array = field(repr=False)
    noise_floor: float
    dimensions: Places = field(repr=False)
    curve: Array = field(repr=False)
    rows: Places = field(repr=False)
    denoised: Array = field(repr=False)
    decided: Places | None = field(repr=False)

    @cached_property
    def interval(self) -> tuple[int, int]:
        """Dimensions that hold 90 % of the posterior probability, widened to hold the estimate."""
        return self.uncertainty.interval(self.dimension)

    @classmethod
    def of(cls, rd: RelevantDimension) -> "Outline":
        """Keep of an estimate what a picture needs."""
        targets, d = rd.targets, rd.dimension
        count = len(rd.coefficients)
        squares = np.sum(rd.coefficients.reshape(count, -1) ** 2, axis=1)
        shares = squares / targets.energy
        edges = _edges(count)
        starts = edges[:-1]
        kept = _kept(len(rd.curve), d)
        rows = sampled_rows(targets.n)
        # Of a lazy array these few rows are computed, and brought into memory.
        scores = np.asarray(rd.fitted[rows]) + targets.offset
        return cls(
            dimension=d,
            uncertainty=rd.uncertainty,
            count=count,
            first=starts + 1,
            shares=np.add.reduceat(shares, starts) / np.diff(edges),
            noise_floor=max(0.0, float(1 - shares[:d].sum())) / (targets.n - d),
            dimensions=kept,
            curve=rd.curve[kept - 1],
            rows=rows,
            denoised=(
                scores[:, 0]
                if targets.codes is None
                else _agreement(scores, np.asarray(targets.codes[rows]))
            ),
            decided=None if targets.codes is None else decide(scores),
        )


@lru_cache(maxsize=8)
def sampled_rows(n: int) -> Places:
    """Return at most 500 rows of n, drawn at random, always the same.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    ndarray of int
        Rows in ascending order.

    Examples
    --------
    >>> len(sampled_rows(20)), len(sampled_rows(20_000))
    (20, 500)
    """
    if n <= ROWS:
        rows = np.arange(n)
    else:
        rows = np.sort(np.random.default_rng(0).choice(n, ROWS, replace=False))
    rows.setflags(write=False)
    return rows


def _edges(count: int) -> Places:
    """Return where groups of components begin, and where the last one ends."""
    single = np.arange(min(count, SINGLE))
    if count <= SINGLE:
        return np.append(single, count)
    further = np.geomspace(SINGLE, count, POINTS - SINGLE + 1).round().astype(np.intp)
    return np.append(single, np.unique(further))


def _kept(length: int, marked: int) -> Places:
    """Return at most 400 of the dimensions 1, ..., length: small ones all, and a marked one."""
    if length <= POINTS:
        return np.arange(1, length + 1)
    spaced = np.geomspace(SINGLE, length, POINTS - SINGLE - 1).round()
    kept = np.concatenate([np.arange(1, SINGLE + 1), spaced, [marked]]).astype(np.intp)
    return np.unique(kept[(kept >= 1) & (kept <= length)])


def _agreement(scores: Array, codes: Places) -> Array:
    """Return how much scores speak for the given classes: negative where another one is ahead."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    at = np.arange(len(codes))
    others = scores.copy()
    others[at, codes] = -np.inf
    return np.asarray(scores[at, codes] - others.max(axis=1))
