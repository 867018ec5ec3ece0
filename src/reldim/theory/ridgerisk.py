r"""The error of kernel ridge regression for any number of rows, from the spectrum alone.

For eigenvalues :math:`\lambda_i` of the operator, coefficients :math:`v_i` of the target function
in its eigenfunctions, noise variance :math:`\sigma^2` and the ridge :math:`\delta` that is added to
the diagonal of K, the effective ridge :math:`\kappa` solves

.. math:: n = \sum_i \frac{\lambda_i}{\lambda_i + \kappa} + \frac{\delta}{\kappa} .

Mode i is then learned up to a share :math:`L_i = \lambda_i / (\lambda_i + \kappa)`, and the
expected squared error on new rows, their noise included, is

.. math:: E(n) = \frac{n}{n - \sum_i L_i^2}
          \left( \sum_i (1 - L_i)^2 v_i^2 + \sigma^2 \right) .

The formula is asymptotic: eigenfunctions are treated like independent normal features.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from reldim.exceptions import InputError

__all__ = ["RidgeRisk", "ridge_risk"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeRisk:
    """The expected error of kernel ridge regression.

    Attributes
    ----------
    n : int
        Number of rows.
    ridge : float
        What is added to the diagonal of K.
    effective_ridge : float
        Eigenvalues well above it are learned, those well below are not.
    learned : ndarray
        The share of each mode that is learned, from 0 to 1.
    unlearned : float
        Variance of the target function that is not learned.
    noise : float
        Variance of the noise.
    inflation : float
        By how much both grow, since modes are fitted to noise and to each other.
    """

    n: int
    ridge: float
    effective_ridge: float
    learned: Array = field(repr=False)
    unlearned: float
    noise: float
    inflation: float

    @property
    def error(self) -> float:
        """Expected squared error on new rows, their noise included."""
        return self.inflation * (self.unlearned + self.noise)


def ridge_risk(
    eigenvalues: ArrayLike, energies: ArrayLike, *, noise: float, n: int, ridge: float
) -> RidgeRisk:
    """Compute the expected error of kernel ridge regression on n rows.

    Parameters
    ----------
    eigenvalues : array-like
        Eigenvalues of the operator, in any order; those of K/n stand for them.
    energies : array-like
        Squared coefficients of the target function, one for each eigenvalue.
    noise : float
        Variance of the noise.
    n : int
        Number of rows.
    ridge : float
        What is added to the diagonal of K, above 0.

    Returns
    -------
    RidgeRisk
        The error and its parts.

    References
    ----------
    J. B. Simon, M. Dickens, D. Karkada, M. R. DeWeese. The Eigenlearning Framework: A Conservation
    Law Perspective on Kernel Ridge Regression and Wide Neural Networks. Transactions on Machine
    Learning Research 2023.

    Examples
    --------
    >>> risk = ridge_risk([1.0, 0.01], [1.0, 0.5], noise=0.1, n=50, ridge=1.0)
    >>> risk.learned.round(2)
    array([0.98, 0.33])
    >>> round(risk.error, 3)
    0.334
    """
    values, squares = _checked("eigenvalues", eigenvalues), _checked("energies", energies)
    if len(values) != len(squares):
        raise InputError(
            "There must be an energy for each eigenvalue. Got "
            f"{len(squares)} and {len(values)} of them."
        )
    for name, number, least in (("noise", noise, 0.0), ("ridge", ridge, None), ("n", n, None)):
        if not math.isfinite(number) or number < 0 or (least is None and number == 0):
            above = "at least" if least is not None else "above"
            raise InputError(f"{name} must be a finite number {above} 0. Got {number} instead.")

    def surplus(logarithm: float) -> float:
        kappa = math.exp(logarithm)
        return float(np.sum(values / (values + kappa))) + ridge / kappa - n

    # No mode takes more than one of n, nor more than its eigenvalue over kappa.
    low, high = math.log(ridge / n), math.log((ridge + float(values.sum())) / n)
    kappa = math.exp(brentq(surplus, low, high + 1e-9, xtol=1e-13)) if high > low else ridge / n
    learned = values / (values + kappa)
    return RidgeRisk(
        n=n,
        ridge=float(ridge),
        effective_ridge=kappa,
        learned=learned,
        unlearned=float(np.sum((1.0 - learned) ** 2 * squares)),
        noise=float(noise),
        inflation=n / (n - float(np.sum(learned**2))),
    )


def _checked(name: str, numbers: ArrayLike) -> Array:
    try:
        values = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty((0, 0))
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values) & (values >= 0)):
        raise InputError(f"{name} must be finite numbers of at least 0. Got {numbers!r} instead.")
    return values
