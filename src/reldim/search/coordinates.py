"""Coordinates: columns as kernels with learned weights see them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Coordinates"]

Array = NDArray[np.float64]

#: Quartiles of a normal column lie 1.349 standard deviations apart.
QUARTILES_APART = 1.349

#: Digits of a coordinate.
DIGITS = 9

#: The scale of a column is at least this share of its standard deviation: quartiles may be equal.
LEAST_SCALE = 0.05


@dataclass(frozen=True, eq=False)
class Coordinates:
    r"""Columns on a common scale, far values bent inwards.

    A column of numbers becomes :math:`\mathrm{asinh}((x - m) / s)` with the median m and the spread
    s of its quartiles, brought to mean 0 and variance 1. A column of two values becomes 0 and 1.
    Neither changes where a column was shifted or scaled before. Targets have no part in it.

    Attributes
    ----------
    centre, scale, shift, factor : ndarray of shape (columns,)
        Numbers m and s, and what brings the result to mean 0 and variance 1.
    bent : ndarray of bool
        Which columns are bent.
    groups : ndarray of int
        For each column the column of the table that it comes from: they share a weight.
    """

    centre: Array
    scale: Array
    shift: Array
    factor: Array
    bent: NDArray[np.bool_]
    groups: NDArray[np.intp]

    @classmethod
    def of(cls, X: Array, sources: Sequence[object] | None = None) -> "Coordinates":
        """Read the scales of the columns of a data set.

        Parameters
        ----------
        X : ndarray of shape (n, columns)
            The data.
        sources : sequence, optional
            The column of the table that each column comes from, by default itself.

        Returns
        -------
        Coordinates
            What does the same to new rows.

        Examples
        --------
        >>> X = np.column_stack([np.arange(6.0) ** 3, [3.0, 5.0, 5.0, 3.0, 3.0, 3.0]])
        >>> Coordinates.of(X)(X).round(2)
        array([[-0.93,  0.  ],
               [-0.9 ,  1.41],
               [-0.69,  1.41],
               [-0.09,  0.  ],
               [ 0.86,  0.  ],
               [ 1.76,  0.  ]])
        """
        X = np.asarray(X, dtype=np.float64)
        low, high = X.min(axis=0), X.max(axis=0)
        two = np.array([len(np.unique(column)) <= 2 for column in X.T])
        quartiles = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
        spread = X.std(axis=0)
        robust = np.maximum((quartiles[2] - quartiles[0]) / QUARTILES_APART, LEAST_SCALE * spread)
        scale = np.where(two, high - low, robust)
        scale[scale == 0] = 1.0
        groups = _numbered(range(X.shape[1]) if sources is None else sources)
        plain = cls(
            np.where(two, low, quartiles[1]),
            scale,
            np.zeros(X.shape[1]),
            np.ones(X.shape[1]),
            ~two,
            groups,
        )
        bent = plain(X)
        # A category with two values has one column, others one for each value: as far apart.
        alone = np.where(np.bincount(groups)[groups] == 1, np.sqrt(2.0), 1.0)
        deviation = bent.std(axis=0)
        deviation[deviation == 0] = 1.0
        return cls(
            plain.centre,
            scale,
            np.where(two, 0.0, bent.mean(axis=0)),
            np.where(two, alone, 1.0 / deviation),
            plain.bent,
            groups,
        )

    def __call__(self, X: Array) -> Array:
        """Return the coordinates of rows."""
        z = (np.asarray(X, dtype=np.float64) - self.centre) / self.scale
        bent = np.where(self.bent, np.arcsinh(z), z)
        # Rounded: what is learned from coordinates amplifies round-off, which depends on the order
        # in which rows were added up and on the machine.
        return np.asarray(np.round((bent - self.shift) * self.factor, DIGITS))


def _numbered(sources: Sequence[object]) -> NDArray[np.intp]:
    """Give equal sources equal numbers, in the order of their first appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(source, len(numbers)) for source in sources], dtype=np.intp)
