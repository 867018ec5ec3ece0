"""What eigenfunctions look like, and how kernel matrices come close to their operator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.eigensolvers import decompose
from reldim.exceptions import InputError, counted
from reldim.inputs.random_state import generator_of
from reldim.kernels import Kernel
from reldim.theory.densities import Density
from reldim.theory.eigenfunctions import Eigensystem
from reldim.theory.integral_equations import NystroemEigensystem

__all__ = [
    "GramConvergence",
    "approximation_error",
    "decay_exponent",
    "gram_convergence",
    "smoothness_exponent",
    "zero_crossings",
]

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
            f"{counted(system.dimensions, 'column')} and a density of {density.dimensions}."
        )
    grid = np.linspace(*density.box[0], points)[:, None]
    values = np.sqrt(density(grid))[:, None] * system.functions(grid)
    signs = np.where(np.abs(values) > least * np.abs(values).max(axis=0), np.sign(values), 0)
    changes = []
    for column in signs.T:
        sure = column[column != 0]
        changes.append(int(np.sum(sure[1:] != sure[:-1])))
    return np.array(changes, dtype=np.intp)


def approximation_error(
    system: NystroemEigensystem, basis: Callable[[NDArray[np.float64]], ArrayLike]
) -> float:
    r"""Evaluate how much of a random function the span of some functions misses, on average.

    .. math:: J = \int k(x, x) p(x) \, dx - \sum_i \iint \psi_i(x) k(x, y) \psi_i(y) \,
              p(x) p(y) \, dx \, dy

    for functions drawn from a Gaussian process with the kernel as its covariance, and
    :math:`\psi_i` the given functions made orthonormal under the density. No M functions miss less
    than the M leading eigenfunctions, which miss the sum of all other eigenvalues.

    Parameters
    ----------
    system : NystroemEigensystem
        What :func:`reldim.theory.solve` returned for kernel and density; its nodes carry the
        integrals.
    basis : callable
        Takes points of shape (rows, columns) and returns the functions, one column each.

    Returns
    -------
    float
        The mean squared error J.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, appendix A, eq. 15, of whose double sum the terms with i = j are meant.

    Examples
    --------
    >>> from reldim import kernels
    >>> from reldim.theory import UniformDensity, approximation_error, solve
    >>> system = solve(kernels.Gaussian(0.5), UniformDensity([(-1.0, 1.0)]), count=3)
    >>> polynomials = lambda X: np.hstack([X**0, X, X**2])
    >>> approximation_error(system, polynomials), system.tail(3)
    (0.0240..., 0.0129...)
    """
    root = np.sqrt(system.weights)[:, None]
    values = np.asarray(basis(system.nodes), dtype=np.float64)
    if values.ndim != 2 or len(values) != len(system.nodes):
        raise InputError(
            "basis must return one row per point and one column per function. Got an array of "
            f"shape {values.shape} for {len(system.nodes)} points."
        )
    orthonormal = np.linalg.qr(root * values)[0]
    matrix = root * np.asarray(system.kernel(system.nodes)) * root.T
    return float(system.trace - np.sum(orthonormal * (matrix @ orthonormal)))


def smoothness_exponent(derivatives: int) -> int:
    r"""Return the power at which eigenvalues fall, by the smoothness of the process.

    .. math:: \lambda_k \propto k^{-(2 r + 2)}

    for a process on a line with r derivatives in mean square, such as 0, 1 and 2 for Matérn kernels
    of smoothness 1/2 (Ornstein-Uhlenbeck), 3/2 and 5/2.

    Parameters
    ----------
    derivatives : int
        r.

    Returns
    -------
    int
        The exponent 2 r + 2.

    References
    ----------
    K. Ritter, G. W. Wasilkowski, H. Woźniakowski. Multivariate Integration and Approximation of
    Random Fields Satisfying Sacks-Ylvisaker Conditions. Annals of Applied Probability 5, 1995, as
    in Williams and Seeger 2000, section 2.1.

    Examples
    --------
    >>> smoothness_exponent(0)
    2
    """
    if isinstance(derivatives, bool) or not isinstance(derivatives, int) or derivatives < 0:
        raise InputError(f"derivatives must be 0, 1, 2, ... Got {derivatives!r} instead.")
    return 2 * derivatives + 2


def decay_exponent(eigenvalues: ArrayLike, *, first: int = 1) -> float:
    r"""Fit a power :math:`\lambda_k \propto k^{-s}` to eigenvalues, by least squares of logarithms.

    Parameters
    ----------
    eigenvalues : array-like
        Positive eigenvalues in descending order.
    first : int
        The first one that counts; a rate is that of the later ones.

    Returns
    -------
    float
        The exponent s.

    Examples
    --------
    >>> from reldim.theory import OrnsteinUhlenbeckEigensystem, decay_exponent
    >>> decay_exponent(OrnsteinUhlenbeckEigensystem(1.0, terms=2000).eigenvalues, first=500)
    2.00...
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.ndim != 1 or not 1 <= first < len(values) or np.any(values <= 0):
        raise InputError(
            "eigenvalues must be positive, and at least two from first on. Got "
            f"{values.size} of them and first={first}."
        )
    k = np.arange(first, len(values) + 1)
    return -float(np.polyfit(np.log(k), np.log(values[first - 1 :]), 1)[0])


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
