"""A data set: inputs, targets, and what is known about them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError

__all__ = ["Dataset"]


@dataclass(frozen=True)
class Dataset:
    """Inputs and targets, with the truth behind them where it is known.

    Attributes
    ----------
    name : str
        A short name.
    X : ndarray of shape (n, features), or of n strings
        The inputs.
    y : ndarray of shape (n,)
        The targets.
    truth : ndarray of shape (n,), optional
        The targets without noise, where they are known: the expected target given the inputs.
    description : str
        What the data are, or how they were made.
    """

    name: str
    X: NDArray[Any] = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    truth: NDArray[np.float64] | None = field(default=None, repr=False)
    description: str = ""

    def __post_init__(self) -> None:
        if len(self.X) != len(self.y):
            raise InputError(
                f"X and y must have the same number of rows. Got {len(self.X)} and {len(self.y)}."
            )
