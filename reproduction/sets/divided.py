"""Data sets with divisions into training and test rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.datasets import Dataset
from reldim.exceptions import InputError
from reldim.inputs.random_state import seed_of

__all__ = ["DividedSet", "Resample", "draw_resample", "official_resamples"]


@dataclass(frozen=True)
class Resample:
    """One division of a data set.

    Attributes
    ----------
    train, test : ndarray of int
        Indices of rows.
    origin : {"official", "random"}
        Whether the division came with the data or was drawn.
    """

    train: NDArray[np.intp] = field(repr=False)
    test: NDArray[np.intp] = field(repr=False)
    origin: Literal["official", "random"] = "official"


@dataclass(frozen=True)
class DividedSet(Dataset):
    """A data set of the papers: where it comes from, and how its rows are divided.

    Attributes
    ----------
    source : str
        Where the rows come from.
    resamples : tuple of Resample
        Divisions into training and test rows that came with the data, or were drawn.
    sizes : tuple of int, optional
        Numbers of training and test rows in the published experiments.
    """

    source: str = "folder"
    resamples: tuple[Resample, ...] = field(default=(), repr=False)
    sizes: tuple[int, int] | None = None

    def resampled(
        self, count: int, *, sizes: tuple[int, int] | None = None, random_state: int = 0
    ) -> Self:
        """Return the data with exactly ``count`` divisions: those at hand first, then random ones.

        Each random division has a seed of its own, so that the first ten of a hundred are the ten
        that would have been drawn alone.

        Parameters
        ----------
        count : int
            Number of divisions.
        sizes : tuple of int, optional
            Numbers of training and test rows, by default :attr:`sizes`.
        random_state : int
            Seed.

        Returns
        -------
        DividedSet
            The same rows, other ``resamples``.

        Examples
        --------
        >>> from reldim import datasets
        >>> drawn = datasets.twonorm(50, random_state=0)
        >>> data = DividedSet("twonorm", drawn.X, drawn.y).resampled(3, sizes=(20, 30))
        >>> [resample.origin for resample in data.resamples]
        ['random', 'random', 'random']
        >>> len(data.resamples[0].train), len(data.resamples[0].test)
        (20, 30)
        """
        sizes = self.sizes if sizes is None else sizes
        at_hand = self.resamples[:count]
        if len(at_hand) < count and sizes is None:
            raise InputError(
                f"The data set {self.name!r} has {len(at_hand)} divisions of its own. Pass sizes, "
                "the numbers of training and test rows, to have more drawn."
            )
        drawn = [
            draw_resample(len(self.y), sizes, (seed_of(random_state), number))
            for number in range(len(at_hand), count)
            if sizes is not None
        ]
        return replace(self, resamples=(*at_hand, *drawn), sizes=sizes)


def draw_resample(n: int, sizes: tuple[int, int], seed: Sequence[int]) -> Resample:
    """Divide ``n`` rows at random into training and test rows of the given numbers."""
    train, test = sizes
    if train < 1 or test < 1 or train + test > n:
        raise InputError(
            f"sizes must be two positive numbers of rows, {n} in all at most. Got {sizes}."
        )
    order = np.random.default_rng(list(seed)).permutation(n)
    return Resample(order[:train], order[train : train + test], "random")


def official_resamples(train: ArrayLike, test: ArrayLike) -> tuple[Resample, ...]:
    """Pair rows of training indices with rows of test indices."""
    pairs = zip(np.atleast_2d(train), np.atleast_2d(test), strict=True)
    return tuple(Resample(a.astype(np.intp), b.astype(np.intp)) for a, b in pairs)
