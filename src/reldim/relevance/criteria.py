r"""Criteria of the relevant dimension, as functions of the dimension.

Letters, as in Braun, Buhmann and Müller (2008): n rows, eigenvectors u_m of K/n in descending
order of eigenvalue, coefficients z_m = u_m^T y, C = ||y||^2. With several columns of targets
||z_m||^2 takes the place of z_m^2, and q counts the free columns. Eq. (3) becomes

.. math:: \ell(d) = \frac dn \log \sigma_1^2 + \frac{n-d}{n} \log \sigma_2^2, \quad
          \sigma_1^2 = \frac{1}{dq} \sum_{m \le d} \|z_m\|^2, \quad
          \sigma_2^2 = \frac{1}{(n-d)q} \sum_{m > d} \|z_m\|^2 .
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.spectrum.spectrum import Spectrum

__all__ = [
    "floor",
    "leave_one_out_curve",
    "left_out_residual",
    "likelihood_curve",
    "own_leverage",
    "signal_exceeds_noise",
    "spread_over_clusters",
]

Array = NDArray[np.float64]

#: A leverage this close to 1 is 1: of the residual over the rest few digits would be left.
ALONE = 1e-10


def likelihood_curve(
    energies: Array, total: float, n: int, q: int, most: int, least: float
) -> Array:
    """Evaluate Eq. (3) at d = 1, ..., ``most`` from the energies ||z_m||^2.

    Energy below ``least``, the accuracy of the coefficients, counts as ``least``, so that
    noiseless targets give a finite minimum at the first dimension that explains them.
    """
    d = np.arange(1, most + 1)
    leading = np.maximum(np.cumsum(energies[:most]), least)
    rest = np.maximum(_tail_sums(energies, total, n, most), least)
    s1, s2 = leading / (d * q), rest / ((n - d) * q)
    return np.asarray(d / n * np.log(s1) + (n - d) / n * np.log(s2))


def floor(total: float, n: int, dtype: np.dtype[Any]) -> float:
    """Energy that cannot be told from error: n coefficients, each wrong by eps^(2/3) ||y||.

    An eigenvector is wrong by eps l_1 over the gap to its neighbours, so the coefficients are
    less accurate than eps; two thirds of the digits remain where gaps exceed eps^(1/3) l_1.
    """
    return float(total * n * float(np.finfo(dtype).eps) ** (4 / 3))


def leave_one_out_curve(
    spectrum: Spectrum, z: Array, values: Array, *, literal: bool = False
) -> Array:
    r"""Evaluate the leave-one-out error at d = 1, ..., len(z), O(n) each.

    .. math:: cv(d) = \frac1n \sum_i \left(\frac{[S y]_i - y_i}{1 - S_{ii}}\right)^2,
              \qquad S = \sum_{m \le d} u_m u_m^\top

    S y and the diagonal of S grow by one term from d to d + 1. The basis is held fixed. Where
    the data are centred, the constant is one more column of it.

    A row of leverage 1 makes the fraction 0/0. It is the target itself by the convention of
    :func:`left_out_residual`; ``literal`` has no convention, and the error is infinite, so that
    no such d is the smallest.
    """
    constant = own_leverage(spectrum)
    round_off = spectrum.n * float(np.finfo(spectrum.eigenvalues.dtype).eps)
    alone = round_off if literal else ALONE

    def errors(U: Array, y: Array) -> Array:
        leverage = constant + np.cumsum(U**2, axis=1)
        squared = np.zeros(U.shape[1])
        for column in range(y.shape[1]):
            residual = y[:, column, None] - np.cumsum(U * z[:, column], axis=1)
            left_out = left_out_residual(residual, y[:, column, None], leverage, alone)
            squared += np.sum(left_out**2, axis=0)
        if literal:
            squared[np.any(1.0 - leverage <= alone, axis=0)] = np.inf
        return squared

    if len(z) == 0:
        return np.zeros(0)
    return spectrum.basis.sum_rows(errors, len(z), values) / len(values)


def own_leverage(spectrum: Spectrum) -> float:
    """Return the leverage of the constant that centring in feature space fits."""
    return 1.0 / spectrum.n if spectrum.center else 0.0


def left_out_residual(residual: Array, y: Array, leverage: Array, alone: float = ALONE) -> Array:
    """Turn residuals into leave-one-out residuals, residual / (1 - leverage).

    A row of leverage 1, up to ``alone``, has a direction of its own, about which the other rows say
    nothing: without it the least-squares fit of smallest norm predicts 0 there.
    """
    free = 1.0 - leverage
    own = free <= alone
    return np.where(own, y, residual / np.where(own, 1.0, free))


def spread_over_clusters(
    energies: Array, spectrum: Spectrum, total: float, n: int | None = None
) -> Array:
    """Share the energy of each cluster of eigenvalues evenly among its components.

    Sums over clusters do not depend on the eigenvectors that a solver happens to choose. The
    first axis of ``energies`` runs over components. With ``n`` below the number of rows, the
    null space is smaller by the difference.
    """
    n = spectrum.n if n is None else n
    k = min(len(energies), n)
    starts = np.concatenate([[0], spectrum.cuts[spectrum.cuts < k]])
    sizes = np.diff(np.append(starts, k))
    sums = np.add.reduceat(energies[:k], starts, axis=0)
    members = sizes.astype(np.float64)
    if starts[-1] >= spectrum.rank and not k == n == spectrum.n:
        # The null space is larger than the part of it at hand, or smaller by what is left out
        # of account; its energy is what is left.
        members[-1] = n - starts[-1]
        sums[-1] = np.maximum(0.0, total - np.sum(sums[:-1], axis=0))
    shape = (-1,) + (1,) * (energies.ndim - 1)
    return np.repeat(sums / members.reshape(shape), sizes, axis=0)


def _tail_sums(energies: Array, total: float, n: int, most: int) -> Array:
    # Summing from the small end keeps what subtraction from the total would cancel.
    beyond = max(0.0, total - float(np.sum(energies))) if len(energies) < n else 0.0
    tails = np.cumsum(np.append(beyond, energies[::-1]))[::-1]
    return np.asarray(tails[1 : most + 1])


def signal_exceeds_noise(energies: Array, total: float, n: int, most: int) -> NDArray[np.bool_]:
    """Tell for d = 1, ..., ``most`` whether the leading d coefficients have the larger variance."""
    d = np.arange(1, most + 1)
    leading = np.cumsum(energies[:most])
    return np.asarray(leading / d > _tail_sums(energies, total, n, most) / (n - d))
