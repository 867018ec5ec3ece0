"""Checks of kernel parameters: plain Python numbers come out, so that a repr stays readable."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real

from reldim.exceptions import InputError, InputTypeError

__all__ = ["column_weights", "non_negative_number", "positive_integer", "positive_number"]


def positive_number(owner: str, name: str, value: object) -> float:
    """Return `value` as a float; refuse what is not a finite number above zero."""
    number = _number(owner, name, value, "a positive finite number")
    if not (math.isfinite(number) and number > 0):
        raise InputError(f"{owner}: {name} must be a positive finite number. Got {number} instead.")
    return number


def non_negative_number(owner: str, name: str, value: object) -> float:
    """Return `value` as a float; refuse what is not a finite number of at least zero."""
    number = _number(owner, name, value, "a finite number of at least 0")
    if not (math.isfinite(number) and number >= 0):
        raise InputError(
            f"{owner}: {name} must be a finite number of at least 0. Got {number} instead."
        )
    return number


def positive_integer(owner: str, name: str, value: object) -> int:
    """Return `value` as an int; refuse what is not a whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputTypeError(
            f"{owner}: {name} must be a positive whole number, such as 3. "
            f"Got {value!r} of type {type(value).__name__} instead."
        )
    if value < 1:
        raise InputError(f"{owner}: {name} must be a positive whole number. Got {value} instead.")
    return int(value)


def column_weights(owner: str, weights: object) -> tuple[float, ...]:
    """Return the weights of columns as floats; refuse what is not a list of numbers from 0 on."""
    if not isinstance(weights, Collection) or isinstance(weights, str | bytes):
        raise InputTypeError(
            f"{owner}: weights must be a list of numbers, one for each column. "
            f"Got {weights!r} of type {type(weights).__name__} instead."
        )
    checked = tuple(
        non_negative_number(owner, f"weights[{i}]", weight) for i, weight in enumerate(weights)
    )
    if not checked:
        raise InputError(f"{owner}: weights must hold at least one number. Got none.")
    return checked


def _number(owner: str, name: str, value: object, expected: str) -> float:
    # A boolean is a number to Python, but width=True is a slip, never a wish.
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(
            f"{owner}: {name} must be {expected}. "
            f"Got {value!r} of type {type(value).__name__} instead."
        )
    return float(value)
