r"""Worst-case rates of the error terms of theorem 1, by how fast eigenvalues fall.

Appendix B.4 of Braun, Buhmann and Müller (2008), constants left out: for r terms and n rows

.. math:: \|\tilde\Psi^+\| = 1 + O(r \lambda_r^{-1/4} n^{-1/4}), \qquad
          \|\tilde E\| = \Lambda_{\ge r} + O(\Lambda_{>r}^{1/2} n^{-1/2}), \qquad
          E(r, n) = 2 r \tilde a \|\tilde\Psi^+\| \|\tilde E\|

with :math:`\tilde a = O(\sqrt r)`. With eigenvalues :math:`r^{-d}` the slowest term of the last is
:math:`O(r^{3 - d/4})`, whatever n: it vanishes with growing r if d > 12.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from scipy.special import zeta

from reldim.exceptions import InputError

__all__ = ["Decay", "ErrorRates", "ExponentialDecay", "PolynomialDecay", "error_rates"]


class Decay(ABC):
    """How eigenvalues fall."""

    @abstractmethod
    def eigenvalue(self, order: int) -> float:
        r"""Return :math:`\lambda_r`."""

    @abstractmethod
    def tail(self, order: int) -> float:
        r"""Return :math:`\Lambda_{>r}`, the sum of the eigenvalues after the r-th."""


@dataclass(frozen=True)
class PolynomialDecay(Decay):
    r"""Eigenvalues :math:`\lambda_r = r^{-d}`, whose tails are :math:`O(r^{1 - d})`.

    Parameters
    ----------
    exponent : float
        d > 1.

    Examples
    --------
    >>> PolynomialDecay(2.0).tail(10)
    0.0951...
    """

    exponent: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.exponent) and self.exponent > 1):
            raise InputError(f"exponent must be a number above 1. Got {self.exponent} instead.")

    def eigenvalue(self, order: int) -> float:
        """Return the power."""
        return float(_checked(order) ** -self.exponent)

    def tail(self, order: int) -> float:
        """Return Hurwitz' zeta function."""
        return float(zeta(self.exponent, _checked(order) + 1))

    @property
    def slowest_exponent(self) -> float:
        """The power 3 - d/4 of r in the term of E(r, n) that falls slowest."""
        return 3.0 - self.exponent / 4.0

    @property
    def vanishes(self) -> bool:
        """Whether E(r, n) vanishes with growing r, whatever n: d > 12."""
        return self.slowest_exponent < 0

    @property
    def assumption(self) -> bool:
        """Assumption (A3): eigenvalues fall faster than r to the power of -5/2."""
        return self.exponent > 2.5


@dataclass(frozen=True)
class ExponentialDecay(Decay):
    r"""Eigenvalues :math:`\lambda_r = e^{-c r}`, whose tails are :math:`O(e^{-c r})`.

    Parameters
    ----------
    rate : float
        c > 0.

    Examples
    --------
    >>> ExponentialDecay(1.0).tail(3)
    0.0289...
    """

    rate: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise InputError(f"rate must be a positive number. Got {self.rate} instead.")

    def eigenvalue(self, order: int) -> float:
        """Return the power of e."""
        return math.exp(-self.rate * _checked(order))

    def tail(self, order: int) -> float:
        """Return the sum of the geometric series."""
        return math.exp(-self.rate * (_checked(order) + 1)) / -math.expm1(-self.rate)


@dataclass(frozen=True)
class ErrorRates:
    r"""Orders of magnitude of the terms of theorem 1, constants left out.

    Attributes
    ----------
    order, n : int
        Number of terms r and of rows.
    pseudo_inverse : float
        :math:`1 + r \lambda_r^{-1/4} n^{-1/4}`.
    kernel_error : float
        :math:`\Lambda_{\ge r} + \Lambda_{>r}^{1/2} n^{-1/2}`.
    additive : float
        :math:`E = 2 r^{3/2}` times the product of both.
    limit : float
        What is left of it for infinitely many rows, :math:`2 r^{3/2} \Lambda_{\ge r}`.
    """

    order: int
    n: int
    pseudo_inverse: float
    kernel_error: float
    additive: float
    limit: float


def error_rates(decay: Decay, order: int, n: int) -> ErrorRates:
    """Evaluate the rates of appendix B.4.

    Parameters
    ----------
    decay : Decay
        How eigenvalues fall.
    order : int
        Number of terms r.
    n : int
        Number of rows.

    Returns
    -------
    ErrorRates
        The rates.

    Examples
    --------
    >>> rates = error_rates(ExponentialDecay(1.0), order=20, n=1000)
    >>> bool(rates.limit < rates.additive)
    True
    """
    value, tail = decay.eigenvalue(order), decay.tail(order)
    if n < 1:
        raise InputError(f"n must be a number of rows of at least 1. Got {n} instead.")
    inverse = 1.0 + order * value**-0.25 * n**-0.25
    kernel_error = value + tail + math.sqrt(tail / n)
    size = 2.0 * order**1.5
    return ErrorRates(
        order, n, inverse, kernel_error, size * inverse * kernel_error, size * (value + tail)
    )


def _checked(order: int) -> int:
    if order < 1:
        raise InputError(f"The order must be at least 1. Got {order} instead.")
    return order
