r"""Leave one row out and compute the basis anew, for every row, from one decomposition.

Without row i the matrix K/n loses a row and a column. Its eigenpairs :math:`(\mu, w)`, with
:math:`w_i = 0`, satisfy :math:`(K/n - \mu) w = c\, e_i`, so that in the basis of all rows

.. math:: w = c \sum_j \frac{U_{ij}}{l_j - \mu} u_j, \qquad
          A_i(\mu) = \sum_j \frac{U_{ij}^2}{l_j - \mu} = 0, \qquad
          c^{-2} = \sum_j \frac{U_{ij}^2}{(l_j - \mu)^2} .

One root lies between any two neighbouring eigenvalues. Since :math:`(K w)_i / n = c`, least squares
on the leading d components of the other rows predicts for row i

.. math:: \hat y_{-i} = \sum_{m \le d} \frac{c_m^2}{\mu_m} B_i(\mu_m), \qquad
          B_i(\mu) = \sum_j \frac{U_{ij} z_j}{l_j - \mu} ,

which is what n decompositions would give. These are the residues of :math:`B_i / (\mu A_i)` at its
d largest poles. The root between :math:`l_{d+1}` and :math:`l_d` is searched for, one per row. The
others lie on the same sides of that gap for every row: one path through it, closed around
:math:`l_1`, collects them all, with the few products of matrices that its nodes take. The path
and its nodes are those of Hale, Higham and Trefethen (SIAM J. Numer. Anal. 46, 2008, method 1).

Where all components up to the numerical rank are used, the gap is the one above the null space, and
nothing holds the root of a row there from falling into round-off. Least squares on the other rows
would not use such a component, since it lies beyond their rank, and neither is it used here.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipj, ellipk, ellipkm1

from reldim.inputs.duplicates import group_means
from reldim.inputs.targets import Targets
from reldim.spectrum.gram import row_blocks
from reldim.spectrum.spectrum import Spectrum

__all__ = ["refitted_error", "refitted_predictions", "target_bounds", "within_range"]

Array = NDArray[np.float64]

#: A root this close to an eigenvalue, as a share of the gap, is that eigenvalue: the row has no
#: part in its component, and the component none in the prediction.
AT_THE_END = 1e-30

#: What a row has of the null space, in units of the precision, that is nothing but round-off.
NOTHING = 16

#: Change at which a root is found, as a share of its distance from the nearer eigenvalue, and
#: steps that no root has been seen to need.
FOUND = 1e-8
STEPS = 60

#: What the nodes of the path leave of an integral, as a share.
LEFT = 1e-12

#: Beyond this many rows a single one hardly changes the components.
MOST_ROWS = 5000


def refitted_error(spectrum: Spectrum, targets: Targets, dimension: int, fixed: Array) -> float:
    """Return the leave-one-out error with components that are computed without the row.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition of all rows.
    targets : Targets
        The coded targets.
    dimension : int
        How many components.
    fixed : ndarray of shape (n, outputs)
        Leave-one-out fits with fixed components.

    Returns
    -------
    float
        The error. That of the fixed components for data centred in feature space, for a dimension
        inside a cluster of eigenvalues, and beyond 5000 rows. Components that the spectrum does not
        hold are taken for a null space.
    """
    inside = not np.any(spectrum.cuts == dimension)
    if spectrum.center or inside or targets.n > MOST_ROWS:
        return targets.error(fixed)
    # So few rows fit into memory, wherever they are.
    targets = targets.in_memory()
    fits = refitted_predictions(spectrum, targets.values, dimension)
    return targets.error(within_range(fits, targets.values))


def target_bounds(values: Array) -> Array:
    """Return what fits are held to: twice the range of the targets, around its middle.

    Without a row that a component rests on, least squares may predict anything there, and so it
    may between rows. A predictor that is held is no worse.

    Parameters
    ----------
    values : ndarray of shape (rows, outputs)
        The targets.

    Returns
    -------
    ndarray of shape (2, outputs)
        The lower and the upper bounds.
    """
    low, high = np.asarray(values.min(axis=0)), np.asarray(values.max(axis=0))
    return np.stack([1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low])


def within_range(fits: Array, values: Array) -> Array:
    """Hold fits to twice the range of the targets, see :func:`target_bounds`.

    Parameters
    ----------
    fits, values : ndarray of shape (rows, outputs)
        Fits, and the coded targets of all rows.
    """
    held: Array = np.clip(fits, *target_bounds(values))
    return held


def refitted_predictions(spectrum: Spectrum, values: Array, dimension: int) -> Array:
    """Predict each row from all others by least squares on the leading components without it.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition of all rows, not centred in feature space.
    values : ndarray of shape (n, outputs)
        The coded targets.
    dimension : int
        How many components; between 1 and the rank, where the spectrum can be cut.

    Returns
    -------
    ndarray of shape (n, outputs)
        The predictions, without the offset of the targets.

    Examples
    --------
    >>> from reldim import decompose, kernels
    >>> spectrum = decompose(kernels.Linear(), [[1.0], [2.0], [3.0]])
    >>> refitted_predictions(spectrum, np.array([[1.0], [2.0], [5.0]]), 1)
    array([[1.4615],
           [3.2   ],
           [3.    ]])
    """
    rank = spectrum.rank
    z = spectrum.project(group_means(values, spectrum.gram.groups))[:rank]
    vectors = np.asarray(spectrum.basis.vectors(rank))
    leading = spectrum.eigenvalues[:rank].astype(np.float64)
    # The null space is one more eigenvalue.
    gap = _Gap(
        np.append(leading / leading[0], 0.0), dimension, spectrum.resolution / float(leading[0])
    )
    own_part = np.inf if rank == spectrum.n else NOTHING * np.finfo(spectrum.eigenvalues.dtype).eps
    predictions = []
    for rows in row_blocks(spectrum.n, 8 * 8 * (rank + 1)):
        U = vectors[rows].astype(np.float64, copy=False)
        # What the components at hand leave of a row and of its target belongs to the null space.
        beyond = 1.0 - np.sum(U**2, axis=1)
        part = beyond > own_part
        rest = np.where(part[:, None], values[rows] - U @ z, 0.0)
        weights = np.column_stack([U**2, np.where(part, beyond, 0.0)])
        predictions.append(_sum_of_residues(gap, weights, _Products(U, z, rest)))
    return np.concatenate(predictions)


def _sum_of_residues(gap: "_Gap", weights: Array, products: "_Products") -> Array:
    """Add up the residues of B / (mu A) at the root in the gap and at those above it."""
    root = _Root.of(gap, weights)
    residues = root.residues(products)
    # A component that falls below round-off without the row goes with the row.
    kept = np.where(root.mu > gap.least, 1.0, 0.0)[:, None]
    return kept * residues + _integral(gap, weights, products, root, residues)


@dataclass(frozen=True)
class _Root:
    """The root of A in the gap, for every row.

    Attributes
    ----------
    above_lower, mu : ndarray of shape (rows,)
        Where it lies, from the lower end of the gap and from zero.
    inverse : ndarray of shape (rows, eigenvalues)
        The terms 1 / (l_j - mu), in units of the gap.
    squares : ndarray of shape (rows,)
        The square c^2 of its eigenvector's factor, over mu and the unit of the terms; 0 where the
        root is an eigenvalue, in whose component the row has no part.
    """

    above_lower: Array
    mu: Array
    inverse: Array
    squares: Array

    @classmethod
    def of(cls, gap: "_Gap", weights: Array) -> "_Root":
        """Find the roots and what the residues there are made of."""
        x, y = gap.roots(weights)
        inverse = 1.0 / np.concatenate(gap.distances(x, y), axis=1)
        slope = np.sum(weights * inverse**2, axis=1)
        above_lower = y * gap.width
        mu = gap.lower + above_lower
        inside = np.minimum(x, y) > 2 * AT_THE_END
        squares = np.where(inside, gap.width / np.where(inside, slope * mu, 1.0), 0.0)
        return cls(above_lower, mu, inverse, squares)

    def residues(self, products: "_Products") -> Array:
        """Return c^2 B(mu) / mu, an array of shape (rows, outputs)."""
        return self.squares[:, None] * products.along(self.inverse)


def _integral(
    gap: "_Gap", weights: Array, products: "_Products", root: _Root, residues: Array
) -> Array:
    """Add up the residues of B / (mu A) above the gap, by an integral along the path.

    The root in the gap may lie close to the path, on either side: it is taken out of the integral.
    """
    # From the lower end of the gap, which the nodes come close to.
    nodes, steps = _path(gap.width, gap.values[0] - gap.lower)
    terms = 1.0 / ((gap.values - gap.lower)[:, None] - nodes)
    A = _complex_product(weights, terms)
    poles = 1.0 / (nodes - root.above_lower[:, None])
    sums = np.empty_like(residues)
    for output in range(residues.shape[1]):
        B = products.times(terms, output)
        values = B / (A * (gap.lower + nodes)) - residues[:, [output]] * poles
        sums[:, output] = (values @ steps).imag
    return sums


class _Products:
    """The numbers U_ij z_j of some rows, and what is left of their targets."""

    def __init__(self, U: Array, z: Array, rest: Array) -> None:
        self.U, self.z, self.rest = U, z, rest

    def along(self, factors: Array) -> Array:
        """Return their sums with factors for every row and eigenvalue, one per row and output."""
        return (self.U * factors[:, :-1]) @ self.z + self.rest * factors[:, -1:]

    def times(self, terms: NDArray[np.complex128], output: int) -> NDArray[np.complex128]:
        """Return the product with terms for every eigenvalue and node."""
        inner = _complex_product(self.U, self.z[:, [output]] * terms[:-1])
        return np.asarray(inner + self.rest[:, [output]] * terms[-1])


def _complex_product(left: Array, right: NDArray[np.complex128]) -> NDArray[np.complex128]:
    product = left @ np.concatenate([right.real, right.imag], axis=1)
    count = right.shape[1]
    return np.asarray(product[:, :count] + 1j * product[:, count:])


def _path(least: float, most: float) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    r"""Return nodes and factors for the sum of residues at real poles.

    For poles from ``least`` to ``most``, and others below zero that are not to be counted,
    :math:`\sum \mathrm{Res}\, h \approx \mathrm{Im} \sum_k s_k h(z_k)` where h is real on the
    real line. The upper half of the path is the middle of a rectangle, 2 K wide and K' high, which
    :math:`t \mapsto \sqrt{ab}\,(1 + k\,\mathrm{sn}\,t)/(1 - k\,\mathrm{sn}\,t)` maps onto the
    half-plane, its bottom to the interval from a to b, its top to the negative numbers (Hale,
    Higham and Trefethen, section 2, where K, K' and k are these letters too).
    """
    a, b = least, max(most, 2 * least)
    ratio = np.sqrt(b / a)
    k = (ratio - 1) / (ratio + 1)
    # K of k and K' = K of sqrt(1 - k^2), which is known to all digits where k is close to 1.
    other = 4 * ratio / (ratio + 1) ** 2
    K, K_prime = float(ellipkm1(other)), float(ellipk(other))
    count = int(np.ceil(-2 * K / (np.pi * K_prime) * np.log(LEFT)))
    sn, cn, dn = _elliptic_at_half_height(K * (2 * np.arange(count) + 1 - count) / count, k)
    scale = np.sqrt(a * b)
    nodes = scale * (1 + k * sn) / (1 - k * sn)
    slopes = scale * 2 * k * cn * dn / (1 - k * sn) ** 2
    # From left to right along the top is clockwise.
    return nodes, -slopes * 2 * K / (np.pi * count)


def _elliptic_at_half_height(t: Array, k: float) -> tuple[NDArray[np.complex128], ...]:
    """Return sn, cn and dn at t + i K' / 2, by the addition theorem."""
    s, c, d, _ = ellipj(t, k**2)
    s1, c1, d1 = 1 / np.sqrt(1 + k), np.sqrt(k / (1 + k)), np.sqrt(k)
    denominator = c1**2 + k**2 * s**2 * s1**2
    return (
        (s * d1 + 1j * c * d * s1 * c1) / denominator,
        (c * c1 - 1j * s * d * s1 * d1) / denominator,
        (d * c1 * d1 - 1j * k**2 * s * c * s1) / denominator,
    )


class _Gap:
    """The gap between two eigenvalues, in which each row has a root.

    Where it lies is given twice, as its distance x from the upper and y = 1 - x from the lower
    end, in units of the gap: no digits are lost where a root lies close to an eigenvalue.

    Parameters
    ----------
    values : ndarray
        All eigenvalues in descending order.
    count : int
        How many of them lie above the gap.
    least : float
        What is smaller than this is no eigenvalue, but round-off.
    """

    def __init__(self, values: Array, count: int, least: float) -> None:
        self.values, self.count, self.least = values, count, least
        self.lower = float(values[count])
        self.width = float(values[count - 1]) - self.lower
        self.above = (values[:count] - values[count - 1]) / self.width
        self.below = (values[count:] - self.lower) / self.width

    def distances(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return l - mu for the eigenvalues above and below the root, in units of the gap."""
        return self.above + x[:, None], self.below - y[:, None]

    def roots(self, weights: Array) -> Array:
        """Find the root of every row, by fitting a pole at either end (Bunch, Nielsen, Sorensen).

        The sums over eigenvalues above and below are each replaced by a constant and a pole with
        the same value and slope; the root of that is known, and a bracket keeps it in place.
        """
        n = len(weights)
        roots, least = np.full((2, n), 0.5), np.full((2, n), AT_THE_END)
        open_rows = np.arange(n)
        for _ in range(STEPS):
            before = roots[:, open_rows]
            new = self._step(weights[open_rows], before, least, open_rows)
            near = new.argmin(axis=0), np.arange(len(open_rows))
            moved = np.abs(new[near] - before[near]) > FOUND * new[near]
            roots[:, open_rows] = new
            open_rows = open_rows[moved]
            if len(open_rows) == 0:
                break
        return roots

    def _step(self, weights: Array, at: Array, least: Array, rows: NDArray[np.intp]) -> Array:
        x, y = at
        upper, lower = self.distances(x, y)
        ratio_up, ratio_down = weights[:, : self.count] / upper, weights[:, self.count :] / lower
        up, down = ratio_up.sum(axis=1), ratio_down.sum(axis=1)
        slope_up, slope_down = (ratio_up / upper).sum(axis=1), (ratio_down / lower).sum(axis=1)
        # The sum falls with x: where it is positive the root lies further from the upper end.
        positive = up + down > 0
        least_x = least[0, rows] = np.where(positive, x, least[0, rows])
        least_y = least[1, rows] = np.where(positive, least[1, rows], y)
        pole_up, pole_down = slope_up * x**2, slope_down * y**2
        constant = up - slope_up * x + down + slope_down * y
        from_above = _root_of_two_poles(constant, pole_up, pole_down)
        from_below = _root_of_two_poles(-constant, pole_down, pole_up)
        return np.where(
            x < y,
            _both_ways(from_above, least_x, least_y),
            _both_ways(from_below, least_y, least_x)[::-1],
        )


def _both_ways(distance: Array, least: Array, least_other: Array) -> Array:
    """Return a distance from one end, held inside a bracket, and that from the other end."""
    most = 1.0 - least_other
    distance = np.where(np.isfinite(distance), distance, (least + most) / 2)
    held = np.maximum(np.minimum(distance, most), least)
    return np.stack([held, np.maximum(1.0 - held, least_other)])


def _root_of_two_poles(constant: Array, near: Array, far: Array) -> Array:
    """Solve constant + near / x - far / (1 - x) = 0 for x in between; NaN beyond round-off."""
    b = constant - near - far
    root = np.sqrt(np.maximum(b**2 + 4 * constant * near, 0.0))
    numerator = np.where(b <= 0, 2 * near, b + root)
    denominator = np.where(b <= 0, root - b, 2 * constant)
    usable = denominator > 0
    return np.where(usable, numerator / np.where(usable, denominator, 1.0), np.nan)
