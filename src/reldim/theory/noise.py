r"""How noise in the targets spreads over kernel PCA components.

Eigenvectors are functions of the inputs alone, so noise N that is independent between rows has

.. math:: \operatorname{Var}(u_i^\top N) = \sum_j [u_i]_j^2 \operatorname{Var}(N_j)
          \le \max_j \operatorname{Var}(N_j)

(Braun, Buhmann and Müller 2008, section 3.3): no component gathers more of it than the noisiest row
has, and all have the same share where all rows have.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError
from reldim.spectrum.spectrum import Spectrum

__all__ = ["NoiseSpread", "label_variances", "noise_spread"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NoiseSpread:
    """Variance of the noise in each component.

    Attributes
    ----------
    variances : ndarray of shape (k,)
        Variance of the noise in the coefficient of each component.
    bound : float
        The largest variance of a row, which none exceeds.
    mean : float
        Their mean over all n components, that of the rows.
    """

    variances: Array = field(repr=False)
    bound: float
    mean: float


def noise_spread(spectrum: Spectrum, variances: ArrayLike) -> NoiseSpread:
    """Carry the variances of the noise from rows to components.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    variances : array-like of shape (n,)
        Variance of the noise in each target, such as :func:`label_variances` of the expected
        labels.

    Returns
    -------
    NoiseSpread
        The variances of the coefficients and their bound.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import datasets, decompose, kernels
    >>> data = datasets.bananas(200, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=1.0), data.X)
    >>> spread = noise_spread(spectrum, label_variances(data.truth))
    >>> bool(np.all(spread.variances <= spread.bound))
    True
    """
    rows = np.asarray(variances, dtype=np.float64)
    if rows.shape != (spectrum.n,) or not np.all(np.isfinite(rows)) or np.any(rows < 0):
        raise InputError(
            f"variances must be {spectrum.n} finite numbers of at least 0, one for each row. Got "
            f"an array of shape {rows.shape}."
        )
    k = len(spectrum.eigenvalues)
    found = spectrum.basis.sum_rows(lambda U, v: np.sum(U**2 * v, axis=0), k, rows[:, None])
    return NoiseSpread(np.asarray(found), float(rows.max()), float(rows.mean()))


def label_variances(expected: ArrayLike) -> Array:
    r"""Return the variances of labels -1 and +1 about their expectations, :math:`1 - g(x)^2`.

    Parameters
    ----------
    expected : array-like
        Expected labels g(x), from -1 to 1.

    Returns
    -------
    ndarray
        The variances.

    Examples
    --------
    >>> label_variances([0.0, 1.0])
    array([1., 0.])
    """
    g = np.asarray(expected, dtype=np.float64)
    if not np.all(np.abs(g) <= 1.0):
        raise InputError("Expected labels must lie between -1 and 1.")
    return np.asarray(1.0 - g**2)
