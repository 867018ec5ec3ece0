r"""Kernel ridge regression on a spectrum, its parameter chosen by leave-one-out.

With K/n = U diag(l) U^T the fit is H y, H = U diag(l / (l + a)) U^T, where a = alpha / n in the
letters of scikit-learn's ``KernelRidge``. Leaving row i out of it changes its residual to

.. math:: y_i - \hat y_{-i} = \frac{y_i - [H y]_i}{1 - H_{ii}},

so all parameters are judged from one decomposition, by two matrix products. Centring in feature
space amounts to an intercept without penalty, which adds 1/n to every entry of H.

Rows of weight w have targets and feature vectors times the root of w: the spectrum is that of a
``RowWeighted`` kernel. A row is left out with all of its weight.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.inputs.targets import Targets
from reldim.relevance.criteria import own_leverage
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
    left_out : ndarray of shape (n, outputs)
        Leave-one-out predictions on the coded scale, offset included.
    """

    alpha: float
    criterion_value: float
    alphas: Array = field(repr=False)
    curve: Array = field(repr=False)
    degrees_of_freedom: float
    error_estimate: float
    expansion: Expansion = field(repr=False)
    left_out: Array = field(repr=False)

    @property
    def criterion_error(self) -> float:
        """What round-off may add to the criterion: nothing, for components fade below the ridge."""
        return 0.0

    @property
    def dimension(self) -> int:
        """Degrees of freedom, rounded up."""
        return int(np.ceil(self.degrees_of_freedom))


def default_alphas(spectrum: Spectrum) -> Array:
    """Return a grid from the resolution of the spectrum to its largest eigenvalue."""
    largest = float(spectrum.eigenvalues[0])
    return np.geomspace(largest * 1e-10, largest, 31)


def fit_ridge(
    spectrum: Spectrum, targets: Targets, alphas: Any = None, weights: Array | None = None
) -> RidgeFit:
    """Fit kernel ridge regression, the parameter by closed-form leave-one-out.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    targets : Targets
        The coded targets; centred where the spectrum is.
    alphas : array-like, optional
        Parameters to try, on the scale of the eigenvalues of K/n.
    weights : ndarray of shape (n,), optional
        The weights of the rows, 1 on average, where the spectrum is that of rows with weights.
    """
    grid = default_alphas(spectrum) if alphas is None else _checked(alphas)
    if spectrum.center:
        targets = targets.centred()
    rank, y = spectrum.rank, targets.values
    if weights is not None:
        targets = targets.weighted(weights)
        y = np.sqrt(weights)[:, None] * targets.values
    values = spectrum.eigenvalues[:rank].astype(np.float64)[:, None]
    z = spectrum.project(y)[:rank]
    # The eigenvalues of I - H, one column per parameter. Where a is small, 1 - l / (l + a) would
    # cancel.
    removed = grid / (values + grid)
    rows = _LeaveOneOut.of(spectrum, z)
    sums = spectrum.basis.sum_rows(
        lambda U, y: np.sum(rows.residual(U, y, removed) ** 2, axis=(0, 1)), rank, y
    )
    curve = sums / targets.n
    best = int(np.argmin(curve))
    residual = spectrum.basis.map_rows(
        lambda U, y: rows.residual(U, y, removed[:, [best]])[:, :, 0], rank, y
    )
    if weights is not None:
        # Rows of weight 0 have no part in anything.
        residual = residual / np.sqrt(np.where(weights > 0, weights, 1.0))[:, None]
    left_out = targets.values - residual
    kept = values / (values + grid[best])
    return RidgeFit(
        alpha=float(grid[best]),
        criterion_value=float(curve[best]),
        alphas=grid,
        curve=curve,
        degrees_of_freedom=float(kept.sum()),
        error_estimate=targets.error(left_out, weights),
        expansion=Expansion.of(spectrum, kept * z, targets.offset).of_rows(),
        left_out=left_out + targets.offset,
    )


@dataclass(frozen=True)
class _LeaveOneOut:
    """Residuals of rows that are left out, from their rows of U.

    Attributes
    ----------
    z : ndarray of shape (rank, outputs)
        Coefficients of the targets.
    intercept : float
        The part of an intercept in the diagonal of H, 1/n or 0.
    complete : bool
        Whether U and the intercept span the space of all targets.
    roundoff : float
        A smaller part of a row outside that span is taken for none.
    """

    z: Array
    intercept: float
    complete: bool
    roundoff: float

    @classmethod
    def of(cls, spectrum: Spectrum, z: Array) -> "_LeaveOneOut":
        n = spectrum.n
        eps = float(np.finfo(spectrum.eigenvalues.dtype).eps)
        complete = spectrum.rank + int(spectrum.center) == n
        return cls(z, intercept=own_leverage(spectrum), complete=complete, roundoff=n * eps)

    def residual(self, U: Array, y: Array, removed: Array) -> Array:
        """Return one residual per row, output and parameter.

        Outside the span of U and the intercept I - H is the identity.
        """
        outside = 1.0 - self.intercept - np.sum(U**2, axis=1)
        inside = (outside <= self.roundoff) | self.complete
        free = U**2 @ removed + np.where(inside, 0.0, outside)[:, None]
        residual = np.stack([U @ (removed * column[:, None]) for column in self.z.T], axis=1)
        residual += np.where(inside[:, None], 0.0, y - U @ self.z)[:, :, None]
        return np.asarray(residual / free[:, None, :])


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
