"""Exhaustion: kernel matrices of low numerical rank, decomposed to round-off by a factor.

Kernels of ours are symmetric and positive definite, so that a factor which leaves nothing of
the diagonal leaves nothing at all. A matrix that was given may be neither, and is held against
its factor.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers.dense import NEGATIVE_SILENT
from reldim.eigensolvers.lowrank import Factor, spectrum_of_factor
from reldim.exceptions import KernelMatrixError
from reldim.kernels import Precomputed
from reldim.spectrum.gram import Floats, Gram
from reldim.spectrum.spectrum import Spectrum

__all__ = ["exhausted_spectrum"]

#: From this many rows on it pays to see whether a kernel matrix is of low numerical rank.
EXHAUST_ROWS = 1000

#: Share of n up to which a factor beats the reduction of the whole matrix.
EXHAUSTIBLE = 0.4

#: Where these shares of n pivots leave more than these shares of the trace, they will not do.
HOPELESS = ((32, 0.3), (16, 1e-3))

#: Each further pivot gains less than the one before: this much more are needed than it seems.
SLOWER = 1.25

#: Random vectors that a given matrix and its factor are applied to.
PROBES = 4


def exhausted_spectrum(gram: Gram, *, rank: int | None, center: bool) -> Spectrum | None:
    """Decompose a kernel matrix by a factor that leaves round-off, where that is quicker.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    rank : int or None
        How many leading pairs to keep.
    center : bool
        Centre in feature space.

    Returns
    -------
    Spectrum or None
        None where the whole matrix has to be reduced.
    """
    if gram.n < EXHAUST_ROWS:
        return None
    if gram.kernel.matrix_is_new:
        factor = _exhausted_factor(gram)
    elif isinstance(gram.kernel, Precomputed):
        factor = _factor_of_given_matrix(gram)
    else:
        return None
    if factor is None:
        return None
    spectrum = spectrum_of_factor(factor, keep=rank, center=center)
    note = f"{spectrum.landmarks.shape[0]} landmarks, which leave nothing but round-off"
    return replace(spectrum, solver="dense", note=note)


def _exhausted_factor(gram: Gram) -> Factor | None:
    """Factor until nothing but round-off is left, or give up as soon as it would take too long."""
    n = gram.n
    most = int(EXHAUSTIBLE * n)
    factor = Factor(gram, most)
    for part, share in HOPELESS:
        factor.grow(n // part)
        if factor.exhausted:
            return factor
        before = factor.residual / factor.diagonal_sum
        if before > share:
            return None
    step = n // 16
    factor.grow(2 * step)
    if factor.exhausted:
        return factor
    left = factor.residual / factor.diagonal_sum
    steps = np.log(10 * factor.eps / left) / min(np.log(left / before), -factor.eps)
    if 2 * step + SLOWER * steps * step > most:
        return None
    factor.grow(most)
    return factor if factor.exhausted else None


def _factor_of_given_matrix(gram: Gram) -> Factor | None:
    matrix = gram.kernel.matrix(gram.points, gram.points)
    if matrix.dtype != np.float64:
        return None
    try:
        factor = _exhausted_factor(gram)
    except KernelMatrixError:
        # The dense solver finds the same and names the eigenvalue.
        return None
    return factor if factor is not None and _agree(factor, matrix) else None


def _agree(factor: Factor, matrix: Floats) -> bool:
    """Tell whether a matrix that was given is symmetric, and what its factor stands for."""
    probes = np.random.default_rng(0).normal(size=(matrix.shape[0], PROBES))
    image = matrix @ probes
    again = factor.combine(factor.products(probes, factor.rank))
    # Less than what the dense solver would report, and far more than round-off.
    negligible = 0.1 * NEGATIVE_SILENT[matrix.dtype] * _size(image)
    return max(_size(matrix.T @ probes - image), _size(again - image)) <= negligible


def _size(values: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(values))
