r"""Kernel ridge regression on a spectrum, its parameter chosen by leave-one-out.

With K/n = U diag(l) U^T the fit is H y, H = U diag(l / (l + a)) U^T, where a = alpha / n in the
letters of scikit-learn's ``KernelRidge``. Leaving row i out of it changes its residual to

.. math:: y_i - \hat y_{-i} = \frac{y_i - [H y]_i}{1 - H_{ii}},

so all parameters are judged from one decomposition, by two matrix products. Centring in feature
space amounts to an intercept without penalty, which adds 1/n to every entry of H.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.inputs.targets import Targets
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.spectrum import Spectrum

__all__ = ["RidgeFit", "default_alphas", "fit_ridge"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeFit:
    """Kernel ridge regression with the best of several parameters.

    Attributes
    ----------
    alpha : float
        The parameter, on the scale of the eigenvalues of K/n.
    criterion_value : float
        Its leave-one-out mean squared error, on the scale of the coded targets.
    alphas, curve : ndarray
        All parameters and their errors.
    degrees_of_freedom : float
        Trace of H: how many components the fit amounts to.
    error_estimate : float
        Leave-one-out error in the units of the task.
    expansion : Expansion
        The fitted function.
    """

    alpha: float
    criterion_value: float
    alphas: Array = field(repr=False)
    curve: Array = field(repr=False)
    degrees_of_freedom: float
    error_estimate: float
    expansion: Expansion = field(repr=False)

    @property
    def dimension(self) -> int:
        """Degrees of freedom, rounded up."""
        return int(np.ceil(self.degrees_of_freedom))


def default_alphas(spectrum: Spectrum) -> Array:
    """Return a grid from the resolution of the spectrum to its largest eigenvalue."""
    largest = float(spectrum.eigenvalues[0])
    return np.geomspace(largest * 1e-10, largest, 31)


def fit_ridge(spectrum: Spectrum, targets: Targets, alphas: Any = None) -> RidgeFit:
    """Fit kernel ridge regression, the parameter by closed-form leave-one-out.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    targets : Targets
        The coded targets; centred where the spectrum is.
    alphas : array-like, optional
        Parameters to try, on the scale of the eigenvalues of K/n.

    Returns
    -------
    RidgeFit
        The best fit.
    """
    grid = default_alphas(spectrum) if alphas is None else _checked(alphas)
    constant = 0
    if spectrum.center:
        targets, constant = targets.centred(), 1
    rank, n = spectrum.rank, targets.n
    values = spectrum.eigenvalues[:rank].astype(np.float64)
    # The eigenvalues of I - H, which are 1 beyond the rank and 0 for an intercept. Where a is
    # small, 1 - l / (l + a) would cancel.
    kept = grid / (values[:, None] + grid)
    z = spectrum.project(targets.values)[:rank]
    roundoff = n * float(np.finfo(spectrum.eigenvalues.dtype).eps)

    def left_out(U: Array, y: Array) -> Array:
        beyond = 1.0 - constant / n - np.sum(U**2, axis=1)
        inside = (beyond <= roundoff) | (rank + constant == n)
        free = U**2 @ kept + np.where(inside, 0.0, beyond)[:, None]
        residual = np.stack([U @ (kept * z[:, [c]]) for c in range(y.shape[1])], axis=1)
        residual += np.where(inside[:, None], 0.0, y - U @ z)[:, :, None]
        return np.asarray(residual / free[:, None, :])

    curve = spectrum.basis.sum_rows(
        lambda U, y: np.sum(left_out(U, y) ** 2, axis=(0, 1)), rank, targets.values
    )
    best = int(np.argmin(curve))
    kept = kept[:, [best]]
    shrink = values[:, None] / (values[:, None] + grid[best])
    residual = spectrum.basis.map_rows(left_out, rank, targets.values)[:, :, 0]
    return RidgeFit(
        alpha=float(grid[best]),
        criterion_value=float(curve[best]) / targets.n,
        alphas=grid,
        curve=curve / targets.n,
        degrees_of_freedom=float(shrink.sum()),
        error_estimate=targets.error(targets.values - residual),
        expansion=Expansion.of(spectrum, shrink * z, targets.offset),
    )


def _checked(alphas: Any) -> Array:
    try:
        grid = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.empty(0)
    if grid.ndim != 1 or grid.size == 0 or not np.all(np.isfinite(grid) & (grid > 0)):
        raise InputError(
            "alphas must be positive numbers, on the scale of the eigenvalues of K/n. "
            f"Got {alphas!r}."
        )
    return grid
