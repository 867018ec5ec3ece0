r"""Evidence: how probable the targets are under a Gaussian process with the kernel.

With K/n = U diag(l) U^T and z = U^T y, the model y ~ N(0, s K/n + v I) has independent
coefficients of variance s l_m + v. Write t = v / s. For a given t the best v is known,

.. math:: v(t) = \frac1n \sum_m \frac{z_m^2}{1 + l_m / t}, \qquad
          \frac1n \log p(y) = -\frac12 \left[\log 2 \pi v(t) + 1
                              + \frac1n \sum_m \log(1 + l_m / t)\right],

which leaves one number to search for, at O(n) per value. It is the maximum that the fixed-point
iteration of LogME (You et al. 2021) walks to, for any kernel in place of the linear one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from reldim.inputs.targets import Targets
from reldim.relevance.criteria import floor
from reldim.spectrum.spectrum import Spectrum

__all__ = ["Evidence", "evidence_of"]

Array = NDArray[np.float64]

#: Values of t that are tried before the best of them is refined.
STEPS = 80


@dataclass(frozen=True)
class Evidence:
    """The largest evidence over the variances of signal and noise.

    Attributes
    ----------
    value : float
        Log evidence, divided by the number of rows and free columns of the coded targets.
    signal : float
        Variance s of the signal, in units of K/n.
    noise : float
        Variance v of the noise, on the scale of the coded targets.
    """

    value: float
    signal: float
    noise: float


def evidence_of(spectrum: Spectrum, targets: Targets, count: int | None = None) -> Evidence:
    """Maximise the evidence of a kernel, or of its leading terms.

    Several columns of targets share the two variances. Beyond the eigenpairs of a low-rank
    spectrum the rest of its trace is taken to be spread evenly; beyond a ``count`` of components
    there is noise alone.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    targets : Targets
        The coded targets; centred where the spectrum is.
    count : int, optional
        Number of leading terms, by default all.

    References
    ----------
    K. You, Y. Liu, J. Wang, M. Long. LogME: Practical Assessment of Pre-trained Models for
    Transfer Learning. ICML 2021.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels
    >>> from reldim.inputs.targets import code_targets
    >>> data = datasets.noisy_sinc(100, noise=0.1, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=1.0), data.X)
    >>> found = evidence_of(spectrum, code_targets(data.y))
    >>> round(found.noise**0.5, 1)
    0.1
    """
    if spectrum.center:
        targets = targets.centred()
    n, rank = spectrum.n, spectrum.rank if count is None else count
    values = spectrum.eigenvalues[:rank].astype(np.float64)
    energies = np.sum(spectrum.project(targets.values)[:rank] ** 2, axis=1)
    total = targets.energy
    # Noiseless targets in few components would have a density without bounds.
    rest = max(total - float(np.sum(energies)), floor(total, n, spectrum.eigenvalues.dtype))
    if rank < n:
        known = spectrum.is_complete or count is not None
        beyond = 0.0 if known else spectrum.residual / (n - rank)
        values, energies = np.append(values, beyond), np.append(energies, rest)
    counts = np.ones(len(values))
    counts[rank:] = n - rank
    return _largest(values, energies, counts, targets.degrees_of_freedom, spectrum.resolution)


def _largest(values: Array, energies: Array, counts: Array, q: int, least: float) -> Evidence:
    n = float(np.sum(counts))

    def noise(t: float) -> float:
        return float(np.sum(energies / (1.0 + values / t))) / (n * q)

    def loss(log_t: float) -> float:
        t = np.exp(log_t)
        return float(np.log(noise(t)) + np.sum(counts * np.log1p(values / t)) / n)

    grid = np.linspace(np.log(least), np.log(1e6 * float(values[0])), STEPS)
    losses = [loss(log_t) for log_t in grid]
    best = int(np.argmin(losses))
    bounds = (grid[max(best - 1, 0)], grid[min(best + 1, STEPS - 1)])
    refined = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    log_t = float(refined.x) if refined.fun < losses[best] else float(grid[best])
    v = noise(np.exp(log_t))
    value = -0.5 * (np.log(2 * np.pi) + 1.0 + loss(log_t))
    return Evidence(value=float(value), signal=float(v / np.exp(log_t)), noise=v)
