"""The error curve: how much of the targets the leading components leave open."""

import numpy as np
from numpy.typing import NDArray

from reldim.relevance.criteria import spread_over_clusters
from reldim.relevance.estimation import RelevantDimension

__all__ = ["error_curve"]


def error_curve(rd: RelevantDimension) -> NDArray[np.float64]:
    r"""Return how much of the targets the first d components leave open, for d = 1, ..., n/2.

    .. math:: e(d) = 1 - \sum_{m \le d} \|z_m\|^2 / \|y\|^2

    Components of equal eigenvalue share their energy, and beyond the numerical rank nothing is
    explained, so that the curve does not depend on the eigenvectors a solver happens to choose.

    Returns
    -------
    ndarray of shape (n // 2,)
        The curve; its mean is the area under it.

    References
    ----------
    G. Montavon, M. L. Braun, K.-R. Müller. Kernel Analysis of Deep Networks. Journal of Machine
    Learning Research 12, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import decompose, kernels, relevant_dimension
    >>> X = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> rd = relevant_dimension(decompose(kernels.Linear(), X), [1.5, -1.5, 0.5, -0.5])
    >>> error_curve(rd).round(6)
    array([0.1, 0. ])
    """
    spectrum, total = rd.spectrum, rd.targets.energy
    energies = np.sum(rd.coefficients.reshape(len(rd.coefficients), -1) ** 2, axis=1)
    energies = spread_over_clusters(energies, spectrum, total)[: spectrum.rank]
    most = max(1, rd.targets.n // 2)
    explained = np.zeros(most)
    explained[: len(energies)] = energies[:most]
    return np.asarray(np.maximum(0.0, 1.0 - np.cumsum(explained) / total))
