"""Seeds: what callers may pass as ``random_state``, checked before it is used."""

from numbers import Integral
from typing import Any

import numpy as np

from reldim.exceptions import InputError, InputTypeError

__all__ = ["generator_of", "seed_of"]

#: Seeds that are drawn lie below.
_DRAWN_BELOW = 2**31


def seed_of(random_state: Any) -> int:
    """Return the seed that a ``random_state`` stands for.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        A seed; None stands for 0, so that the same data give the same answer. From a generator
        of NumPy one number is drawn.

    Examples
    --------
    >>> seed_of(None), seed_of(7)
    (0, 7)
    >>> seed_of(np.random.default_rng(0)) == seed_of(np.random.default_rng(0))
    True
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_DRAWN_BELOW))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_DRAWN_BELOW))
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise InputTypeError(
            "random_state must be None, a whole number of at least 0, or a generator of NumPy. "
            f"Got {random_state!r} of type {type(random_state).__name__} instead."
        )
    if random_state < 0:
        raise InputError(f"random_state must be at least 0. Got {random_state} instead.")
    return int(random_state)


def generator_of(random_state: Any) -> np.random.Generator:
    """Return the generator that a ``random_state`` stands for, for draws that are to vary.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        A seed; None gives other draws each time, and a generator of NumPy is used as it is.

    Examples
    --------
    >>> bool(generator_of(3).random() == generator_of(3).random())
    True
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    return np.random.default_rng(seed_of(random_state))
