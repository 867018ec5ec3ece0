r"""Gaussian process classification by conjugate gradients, and how many steps theory allows.

A Newton step of the full process solves :math:`B x = b` with
:math:`B = I + W^{1/2} K W^{1/2}`. Where the spectrum of K falls fast, B is the identity but for a
few directions, and conjugate gradients need few steps: an iterative method has the advantage of a
low rank without any eigenvectors (Williams and Seeger 2000, section 4).
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.sparse.linalg import LinearOperator, cg

from reldim.exceptions import InputError
from reldim.kernels import Kernel, as_kernel
from reldim.spectrum.spectrum import Spectrum

__all__ = ["IterativeMode", "iterative_mode", "luenberger_factors", "luenberger_steps"]

Array = NDArray[np.float64]

#: Largest slope of the logistic function, and so the largest entry of W.
SLOPE = 0.25

#: Newton steps at the most.
MOST_STEPS = 100


def luenberger_factors(eigenvalues: ArrayLike, slope: float = SLOPE) -> Array:
    r"""Bound the error of conjugate gradients on :math:`I + W^{1/2} K W^{1/2}` by step.

    Where all but M eigenvalues of a positive definite matrix lie in [a, b], M + 1 steps reduce
    :math:`E(x) = (x - x^*)^\top Q (x - x^*)` by

    .. math:: E(x_{M+1}) \le \left( \frac{b - a}{b + a} \right)^2 E(x_0) .

    Here a = 1 and :math:`b = 1 + w \lambda_{M+1}^{mat}` with w the largest entry of W.

    Parameters
    ----------
    eigenvalues : array-like of shape (n,)
        Eigenvalues of K (not of K/n) in descending order.
    slope : float
        The largest entry w of W, at most 1/4 for the logistic function.

    Returns
    -------
    ndarray of shape (n,)
        The factor after 1, 2, ..., n steps; never larger than after fewer.

    References
    ----------
    D. G. Luenberger. Linear and Nonlinear Programming. 1984, section 8.5, as in C. K. I. Williams,
    M. Seeger, ICML 2000, eq. 12.

    Examples
    --------
    >>> luenberger_factors([80.0, 8.0, 0.8]).round(4)
    array([0.8264, 0.25  , 0.0083])
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)) or np.any(np.diff(values) > 0):
        raise InputError("eigenvalues must be finite and in descending order.")
    if not 0 < slope <= SLOPE:
        raise InputError(f"slope must lie between 0 and 1/4. Got {slope} instead.")
    excess = slope * np.maximum(values, 0.0)
    return np.asarray((excess / (2.0 + excess)) ** 2)


def luenberger_steps(eigenvalues: ArrayLike, tolerance: float = 1e-6, slope: float = SLOPE) -> int:
    """Count the steps after which the bound promises an error below a tolerance.

    Parameters
    ----------
    eigenvalues : array-like of shape (n,)
        Eigenvalues of K (not of K/n) in descending order.
    tolerance : float
        Ratio of the error, in the norm of the matrix, to that at the start.
    slope : float
        The largest entry of W.

    Returns
    -------
    int
        The steps, at most n: then conjugate gradients are exact.

    Examples
    --------
    >>> luenberger_steps([80.0, 8.0, 1e-6, 0.0])
    3
    """
    enough = np.sqrt(luenberger_factors(eigenvalues, slope)) <= tolerance
    return int(np.argmax(enough)) + 1 if enough.any() else len(enough)


@dataclass(frozen=True)
class IterativeMode:
    """The posterior mode of a logistic Gaussian process, found without any decomposition.

    Attributes
    ----------
    latent : ndarray of shape (n,)
        The latent values at the mode.
    gradient : ndarray of shape (n,)
        Labels less probabilities at the mode; kernel values times it are latent values at new
        points.
    newton_steps : int
        Newton steps.
    steps : tuple of int
        Conjugate gradient steps of each Newton step.
    slopes : tuple of float
        The largest entry of W in each.
    bounds : tuple of int or None
        What :func:`luenberger_steps` allows for each, where a spectrum was passed.
    """

    latent: Array = field(repr=False)
    gradient: Array = field(repr=False)
    newton_steps: int
    steps: tuple[int, ...]
    slopes: tuple[float, ...]
    bounds: tuple[int, ...] | None


def iterative_mode(
    kernel: Kernel | Any,
    X: Any,
    positive: ArrayLike,
    *,
    tolerance: float = 1e-8,
    spectrum: Spectrum | None = None,
) -> IterativeMode:
    """Find the posterior mode by Newton's method, each step by conjugate gradients.

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel.
    X : array-like
        The data.
    positive : array-like of bool, shape (n,)
        Which rows are of the second class.
    tolerance : float
        Relative residual at which conjugate gradients stop.
    spectrum : Spectrum, optional
        The decomposition, only to put the bound on the steps beside them.

    Returns
    -------
    IterativeMode
        The mode and the number of steps it took.

    Examples
    --------
    >>> from reldim import decompose, kernels
    >>> X = np.linspace(-3, 3, 200)[:, None]
    >>> kernel = 10.0 * kernels.Gaussian(1.0)
    >>> mode = iterative_mode(kernel, X, X[:, 0] > 0, spectrum=decompose(kernel, X))
    >>> max(mode.steps) < 20, all(s <= b for s, b in zip(mode.steps, mode.bounds))
    (True, True)
    """
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance must lie between 0 and 1. Got {tolerance} instead.")
    K = np.asarray(as_kernel(kernel)(X), dtype=np.float64)
    target = np.asarray(positive, dtype=bool)
    if target.shape != (len(K),):
        raise InputError(f"positive must hold {len(K)} entries. Got shape {target.shape} instead.")
    f = np.zeros(len(K))
    value = -math.inf
    steps: list[int] = []
    slopes: list[float] = []
    signs = np.where(target, 1.0, -1.0)
    while len(steps) < MOST_STEPS:
        pi = special.expit(f)
        w = pi * (1.0 - pi)
        right = w * f + target - pi
        a, count = _newton(K, np.sqrt(w), right, tolerance)
        f = K @ a
        steps.append(count)
        slopes.append(float(w.max()))
        reached = float(np.sum(special.log_expit(signs * f)) - a @ f / 2)
        if reached - value < tolerance * max(1.0, abs(reached)):
            break
        value = reached
    bounds: tuple[int, ...] | None = None
    if spectrum is not None:
        values = spectrum.n * spectrum.eigenvalues.astype(np.float64)
        bounds = tuple(luenberger_steps(values, tolerance, slope) for slope in slopes)
    gradient = target - special.expit(f)
    return IterativeMode(f, gradient, len(steps), tuple(steps), tuple(slopes), bounds)


def _newton(K: Array, root: Array, right: Array, tolerance: float) -> tuple[Array, int]:
    """Solve (K + W^-1) a = W^-1 right for a, in the symmetric form of B."""
    count = 0

    def counted(_: Array) -> None:
        nonlocal count
        count += 1

    n = len(K)
    B = LinearOperator((n, n), matvec=lambda v: v + root * (K @ (root * v)), dtype=np.float64)
    x, _ = cg(B, root * (K @ right), rtol=tolerance, maxiter=10 * n, callback=counted)
    return right - root * x, count
