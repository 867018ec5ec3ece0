r"""The integral equation of any kernel under any density, by quadrature or by sampling.

With nodes :math:`x_i` and weights :math:`w_i` for integrals against the density, the equation
becomes the eigenproblem of :math:`W^{1/2} K W^{1/2}`, and an eigenfunction is known everywhere by

.. math:: \psi(y) = \frac{1}{\lambda} \sum_i w_i \, k(y, x_i) \, \psi(x_i)

(Nyström; Williams and Seeger 2000, eqs. 5 and 6, where :math:`w_i = 1/n`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from scipy.sparse.linalg import eigsh

from reldim.eigensolvers import Solver, decompose
from reldim.exceptions import InputError
from reldim.kernels import Function, Kernel, as_kernel
from reldim.theory.densities import as_points
from reldim.theory.eigenfunctions import ROUND_OFF, Eigensystem
from reldim.theory.quadrature import (
    MASS,
    RULES,
    Box,
    DensityFunction,
    check_mass,
    checked_box,
    density_at,
    kink_correction,
    mass_message,
    rule,
)

__all__ = ["NystroemEigensystem", "solve", "solve_by_sampling", "symmetrised_kernel"]

Array = NDArray[np.float64]

#: From this size on the leading eigenpairs are found by iteration.
ITERATE = 600

#: Nodes of less weight than this cannot be seen in the eigenvalues.
NEGLIGIBLE = 1e-18


@dataclass(frozen=True, eq=False)
class NystroemEigensystem(Eigensystem):
    """Eigenfunctions known at nodes, and by Nyström's formula everywhere.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    eigenvalues : ndarray of shape (count,)
        The leading eigenvalues.
    trace : float
        Sum of all eigenvalues.
    nodes : ndarray of shape (nodes, columns)
        The nodes.
    weights : ndarray of shape (nodes,)
        Their weights, the density included; they sum to 1.
    values : ndarray of shape (nodes, count)
        The eigenfunctions at the nodes.
    accuracy : float or None
        By how much of the largest the eigenvalues changed when the nodes were last refined;
        None for a sample, whose error is random.
    """

    kernel: Kernel
    eigenvalues: Array
    trace: float
    nodes: Array = field(repr=False)
    weights: Array = field(repr=False)
    values: Array = field(repr=False)
    accuracy: float | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", int(self.nodes.shape[1]))

    @property
    def supremum(self) -> float | None:
        """The k(x, x) of all nodes where it is one number, and None where it varies."""
        diagonal = self.kernel.diagonal(self.nodes)
        largest = float(diagonal.max())
        return largest if np.ptp(diagonal) <= ROUND_OFF * largest else None

    def functions(self, X: ArrayLike, count: int | None = None) -> Array:
        """Evaluate the eigenfunctions by Nyström's formula.

        Parameters
        ----------
        X : array-like
            Points.
        count : int, optional
            Number of functions, by default all.

        Returns
        -------
        ndarray of shape (rows, count)
            One column per eigenfunction.
        """
        r = self.checked_count(count)
        dual = self.weights[:, None] * self.values[:, :r] / self.eigenvalues[:r]
        return np.asarray(self.kernel(as_points(X, self.dimensions), self.nodes) @ dual)


def solve(
    kernel: Kernel | Callable[..., Any],
    density: DensityFunction,
    *,
    count: int = 10,
    box: Box | None = None,
    accuracy: float = 1e-6,
) -> NystroemEigensystem:
    """Solve the integral equation of a kernel under a density in one or two dimensions.

    Composite Gauss-Legendre quadrature; the panels are refined until the eigenvalues settle.

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel.
    density : Density or callable
        The density; a callable takes points of shape (rows, columns), and needs ``box``.
    count : int
        Number of eigenpairs.
    box : sequence of pairs, optional
        Where to integrate, an interval a column; by default the box of the density.
    accuracy : float
        Refine until the eigenvalues change by less than this share of the largest.

    Returns
    -------
    NystroemEigensystem
        The eigenvalues and eigenfunctions.

    Raises
    ------
    InputError
        Where the density does not integrate to 1 over the box, where the kernel is too narrow for
        the nodes, or where the eigenvalues asked for are below round-off.

    Examples
    --------
    >>> from reldim import kernels
    >>> from reldim.theory import GaussianDensity, GaussianEigensystem, solve
    >>> found = solve(kernels.Gaussian(width=1 / 6), GaussianDensity(1 / 4), count=5)
    >>> known = GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=5)
    >>> bool(abs(found.eigenvalues - known.eigenvalues).max() < 1e-12)
    True
    """
    kernel = as_kernel(kernel)
    intervals = checked_box(density, box)
    if not (np.isfinite(accuracy) and accuracy > 0):
        raise InputError(f"accuracy must be a positive number. Got {accuracy} instead.")
    earlier: Array | None = None
    masses: list[float] = []
    change = np.inf
    for panels, panel_nodes in RULES[len(intervals)]:
        nodes, lengths = rule(intervals, panels, panel_nodes)
        weights = lengths * density_at(density, nodes)
        masses.append(float(weights.sum()))
        check_mass(masses)
        if abs(masses[-1] - 1.0) > MASS or int(np.sum(weights > 0)) <= count:
            continue
        correction = kink_correction(kernel, density, intervals, panels, panel_nodes)
        system = _solve_on(kernel, nodes, weights / masses[-1], correction, count)
        if earlier is not None:
            change = float(np.abs(system[0] - earlier).max() / system[0][0])
            if change <= accuracy:
                values, seen, kept, functions, trace = system
                return NystroemEigensystem(kernel, values, trace, seen, kept, functions, change)
        earlier = system[0]
    if abs(masses[-1] - 1.0) > MASS:
        raise InputError(mass_message(masses[-1]))
    raise InputError(
        f"The leading {count} eigenvalues of {kernel!r} did not settle: with {len(nodes)} nodes "
        f"they still change by {change:.1g} of the largest, more than accuracy={accuracy:g}. The "
        "kernel is too narrow, or too rough, for quadrature over this density: take a wider one, "
        "fewer eigenpairs or a lower accuracy, or use solve_by_sampling."
    )


def solve_by_sampling(
    kernel: Kernel | Callable[..., Any], X: ArrayLike, *, count: int = 10, solver: Solver = "auto"
) -> NystroemEigensystem:
    """Solve the integral equation by a sample, in any number of dimensions.

    The eigenvalues of K/n estimate those of the operator; their error is of the order of
    n^(-1/2), and the small ones are estimated worst.

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel.
    X : array-like of shape (n, columns)
        Points drawn from the density, such as a data set.
    count : int
        Number of eigenpairs.
    solver : str
        Passed to :func:`reldim.decompose`.

    Returns
    -------
    NystroemEigensystem
        The estimated eigenvalues and eigenfunctions.

    Examples
    --------
    >>> from reldim import kernels
    >>> from reldim.theory import GaussianDensity, solve_by_sampling
    >>> X = GaussianDensity([1.0] * 5).sample(200, random_state=0)
    >>> system = solve_by_sampling(kernels.Gaussian(width=5.0), X, count=3)
    >>> system.functions(X).shape
    (200, 3)
    """
    kernel = as_kernel(kernel)
    points = np.asarray(X, dtype=np.float64)
    points = as_points(points, points.shape[1] if points.ndim == 2 else 1)
    n = len(points)
    spectrum = decompose(kernel, points, solver=solver)
    _check_resolved(count, spectrum.rank)
    vectors = np.asarray(spectrum.basis.vectors(count), dtype=np.float64)
    return NystroemEigensystem(
        kernel=kernel,
        eigenvalues=spectrum.eigenvalues[:count].astype(np.float64),
        nodes=points,
        weights=np.full(n, 1.0 / n),
        values=np.sqrt(n) * vectors * _signs(vectors),
        trace=spectrum.trace,
        accuracy=None,
    )


def symmetrised_kernel(
    kernel: Kernel | Callable[..., Any], density: Callable[[Array], Any]
) -> Kernel:
    r"""Build the density into the kernel.

    .. math:: \tilde k(x, y) = p(x)^{1/2} \, k(x, y) \, p(y)^{1/2}

    Its eigenvalues under no weight at all are those of k under p, its eigenfunctions are
    :math:`p^{1/2} \psi_i` (Williams and Seeger 2000, eq. 4).

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel.
    density : Density or callable
        The density.

    Returns
    -------
    Kernel
        The symmetrised kernel.

    Examples
    --------
    >>> from reldim import kernels
    >>> from reldim.theory import UniformDensity, symmetrised_kernel
    >>> k = symmetrised_kernel(kernels.Linear(), UniformDensity([(0.0, 2.0)]))
    >>> k([[2.0]])
    array([[2.]])
    """
    inner = as_kernel(kernel)

    def symmetrised(A: Any, B: Any) -> Array:
        roots = [
            np.sqrt(density_at(density, np.asarray(part, dtype=np.float64))) for part in (A, B)
        ]
        return np.asarray(roots[0][:, None] * inner(A, B) * roots[1])

    return Function(symmetrised)


def _solve_on(
    kernel: Kernel, nodes: Array, weights: Array, correction: Array, count: int
) -> tuple[Array, Array, Array, Array, float]:
    seen = weights > NEGLIGIBLE * weights.max()
    nodes, weights, correction = nodes[seen], weights[seen], correction[seen]
    root = np.sqrt(weights)
    matrix = np.asarray(kernel(nodes), dtype=np.float64)
    trace = float(weights @ np.diag(matrix))
    size = len(nodes)
    weighted = root[:, None] * matrix * root
    weighted[np.diag_indices(size)] += correction
    if size > ITERATE and count < size // 10:
        # A start that is fixed, and not symmetric as the nodes are, reaches every function.
        start = np.random.default_rng(0).standard_normal(size)
        values, vectors = eigsh(weighted, k=count, v0=start)
    else:
        values, vectors = linalg.eigh(weighted, subset_by_index=(max(0, size - count), size - 1))
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order] * _signs(vectors[:, order])
    resolved = int(np.sum(values > size * np.finfo(np.float64).eps * values[0]))
    _check_resolved(count, resolved)
    return values, nodes, weights, vectors / root[:, None], trace


def _signs(vectors: Array) -> Array:
    # The sign of an eigenvector is a matter of chance; its largest entry is made positive.
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)


def _check_resolved(count: int, resolved: int) -> None:
    if not 1 <= count <= resolved:
        raise InputError(
            f"count must lie between 1 and {resolved}, the number of eigenvalues that stand out "
            f"from round-off. Got {count} instead: take a narrower kernel, or ask for fewer."
        )
