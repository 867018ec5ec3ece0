"""What eigenfunctions look like, and how kernel matrices come close to their operator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers import decompose
from reldim.exceptions import InputError
from reldim.inputs.random_state import generator_of
from reldim.kernels import Kernel
from reldim.theory.densities import Density
from reldim.theory.eigenfunctions import Eigensystem

__all__ = ["GramConvergence", "gram_convergence", "zero_crossings"]

Array = NDArray[np.float64]


def zero_crossings(
    system: Eigensystem, density: Density, *, points: int = 4001, least: float = 1e-4
) -> NDArray[np.intp]:
    """Count the effective zero crossings of eigenfunctions in one dimension.

    Crossings count where the density is: a function that is next to nothing at one bump of the
    density, on the scale of p^(1/2) psi, has no crossing there.

    Parameters
    ----------
    system : Eigensystem
        The eigenfunctions, of one column.
    density : Density
        The density.
    points : int
        Points of the grid over the box of the density.
    least : float
        Share of the largest absolute value of p^(1/2) psi below which a value has no sign.

    Returns
    -------
    ndarray of int
        One number per eigenfunction. Under a Gaussian density the k-th, from 0, has k.

    Examples
    --------
    >>> from reldim.theory import GaussianEigensystem, zero_crossings
    >>> system = GaussianEigensystem(width=1.0, variance=1.0, terms=4)
    >>> zero_crossings(system, system.density)
    array([0, 1, 2, 3])
    """
    if system.dimensions != 1 or density.dimensions != 1:
        raise InputError(
            "Zero crossings are counted along a line. Got eigenfunctions of "
            f"{system.dimensions} columns and a density of {density.dimensions}."
        )
    grid = np.linspace(*density.box[0], points)[:, None]
    values = np.sqrt(density(grid))[:, None] * system.functions(grid)
    signs = np.where(np.abs(values) > least * np.abs(values).max(axis=0), np.sign(values), 0)
    changes = []
    for column in signs.T:
        sure = column[column != 0]
        changes.append(int(np.sum(sure[1:] != sure[:-1])))
    return np.array(changes, dtype=np.intp)


@dataclass(frozen=True)
class GramConvergence:
    """Eigenvalues of kernel matrices of growing samples.

    Attributes
    ----------
    sizes : tuple of int
        Sizes of the samples.
    eigenvalues : ndarray of shape (sizes, repeats, count)
        Leading eigenvalues of K/n.
    """

    sizes: tuple[int, ...]
    eigenvalues: Array = field(repr=False)

    @property
    def mean(self) -> Array:
        """Mean over the repeats, one row per size."""
        return np.asarray(self.eigenvalues.mean(axis=1))

    @property
    def lowest(self) -> Array:
        """Smallest over the repeats."""
        return np.asarray(self.eigenvalues.min(axis=1))

    @property
    def highest(self) -> Array:
        """Largest over the repeats."""
        return np.asarray(self.eigenvalues.max(axis=1))


def gram_convergence(
    kernel: Kernel | Callable[..., Any],
    density: Density,
    sizes: Sequence[int],
    *,
    repeats: int = 10,
    count: int = 10,
    random_state: int | None = None,
) -> GramConvergence:
    """Watch the eigenvalues of K/n converge to those of the operator.

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel.
    density : Density
        Where samples are drawn from.
    sizes : sequence of int
        Sizes of the samples, each at least ``count``.
    repeats : int
        Samples of each size.
    count : int
        Number of leading eigenvalues.
    random_state : int, optional
        Seed.

    Returns
    -------
    GramConvergence
        The eigenvalues.

    Examples
    --------
    >>> from reldim import kernels
    >>> from reldim.theory import GaussianDensity, gram_convergence
    >>> seen = gram_convergence(
    ...     kernels.Gaussian(1 / 6), GaussianDensity(1 / 4), [50, 400], count=3, random_state=0
    ... )
    >>> spread = seen.highest - seen.lowest
    >>> bool(spread[1, 0] < spread[0, 0])
    True
    """
    if min(sizes, default=0) < count:
        raise InputError(f"sizes must be at least count={count}. Got {tuple(sizes)} instead.")
    rng = generator_of(random_state)
    values = np.array(
        [
            [decompose(kernel, density.sample(n, rng)).eigenvalues[:count] for _ in range(repeats)]
            for n in sizes
        ]
    )
    return GramConvergence(tuple(int(n) for n in sizes), values)
