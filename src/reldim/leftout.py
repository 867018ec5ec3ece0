r"""Leave one row out and compute the basis anew, for every row, from one decomposition.

Without row i the matrix K/n loses a row and a column. Its eigenpairs :math:`(\mu, w)`, with
:math:`w_i = 0`, satisfy :math:`(K/n - \mu) w = c\, e_i`, so that in the basis of all rows

.. math:: w = c \sum_j \frac{U_{ij}}{l_j - \mu} u_j, \qquad
          \sum_j \frac{U_{ij}^2}{l_j - \mu} = 0, \qquad
          c^{-2} = \sum_j \frac{U_{ij}^2}{(l_j - \mu)^2} .

One root lies between any two neighbouring eigenvalues. Since :math:`(K w)_i / n = c`, least squares
on the leading d components of the other rows predicts for row i

.. math:: \hat y_{-i} = \sum_{m \le d} \frac{c_m^2}{\mu_m} \sum_j \frac{U_{ij} z_j}{l_j - \mu_m} ,

which is what n decompositions would give. Eigenvalues far below a root enter by a power series.
"""

import numpy as np
from numpy.typing import NDArray

from reldim.spectrum import Spectrum
from reldim.targets import Targets, decide

__all__ = ["refitted_error", "refitted_predictions", "target_bounds", "within_range"]

Array = NDArray[np.float64]

#: Eigenvalues below this share of a root enter by as many terms of a power series, to 1e-12.
SMALL = 0.02
TERMS = 7

#: A root this close to an eigenvalue, as a share of the gap, is that eigenvalue: the row has no
#: part in its component, and the component none in the prediction.
AT_THE_END = 1e-14

#: Changes at which a root is found, as a share of its distance from an eigenvalue and of the gap,
#: and steps that no root has been seen to need.
FOUND = 1e-8
NEAR = 1e-15
STEPS = 60

#: Numbers that are held at a time.
BATCH = 2**21

#: Rows times roots times eigenvalues that may be summed over; beyond it some rows stand for all.
MOST_WORK = 2e6
FEWEST_ROWS = 64

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
        inside a cluster of eigenvalues, and beyond 5000 rows; where all rows are too much work,
        an estimate from some rows and from the fixed components.
    """
    inside = not np.any(spectrum.cuts == dimension)
    if spectrum.center or inside or targets.n > MOST_ROWS:
        return targets.error(fixed)
    # So few rows fit into memory, wherever they are.
    targets, fixed = targets.in_memory(), np.asarray(fixed)
    before = _losses(targets, fixed, np.arange(targets.n))
    # Evenly from the smallest loss to the largest: rows stand for others like them, whatever
    # their order is.
    order = np.argsort(before, kind="stable")
    count = _affordable(spectrum, dimension, targets.n)
    rows = order[np.linspace(0, targets.n - 1, count).round().astype(np.intp)]
    fits = refitted_predictions(spectrum, targets.values, dimension, rows)
    after = _losses(targets, within_range(fits, targets.values), rows)
    if count == targets.n:
        return float(np.mean(after))
    return max(0.0, _mean_of_all(after, before[rows], before))


def _mean_of_all(known: Array, beside: Array, all_beside: Array) -> float:
    """Estimate the mean over all rows from some of them, with a second figure for every row.

    The second figure counts as far as it goes along with the first, so that it can do no harm.
    """
    spread = float(np.var(beside))
    along = float(np.mean((known - known.mean()) * (beside - beside.mean())))
    slope = min(1.0, max(0.0, along / spread)) if spread > 0.0 else 0.0
    return float(known.mean() + slope * (all_beside.mean() - beside.mean()))


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

    Returns
    -------
    ndarray
        The fits, some of them moved.
    """
    held: Array = np.clip(fits, *target_bounds(values))
    return held


def _losses(targets: Targets, fits: Array, rows: NDArray[np.intp]) -> Array:
    """Return a loss for each row whose mean over all rows is the error of the fits."""
    if targets.codes is not None:
        wrong = decide(fits + targets.offset) != targets.codes[rows]
        return np.asarray(wrong, dtype=np.float64)
    squares = np.sum((targets.values[rows] - fits) ** 2, axis=1)
    return np.asarray(squares * (targets.n / targets.energy))


def _affordable(spectrum: Spectrum, dimension: int, n: int) -> int:
    values = spectrum.eigenvalues[: spectrum.rank].astype(np.float64)
    # Eigenvalues descend, so the number above a bound is the place of the bound in the reverse.
    active = len(values) - np.searchsorted(values[::-1], SMALL * values[:dimension])
    return min(n, max(FEWEST_ROWS, int(MOST_WORK / float(np.sum(active)))))


def refitted_predictions(
    spectrum: Spectrum, values: Array, dimension: int, rows: NDArray[np.intp]
) -> Array:
    """Predict rows from all others by least squares on the leading components without them.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition of all rows, not centred in feature space.
    values : ndarray of shape (n, outputs)
        The coded targets.
    dimension : int
        How many components; between 1 and the rank, where the spectrum can be cut.
    rows : ndarray of int
        The rows to predict.

    Returns
    -------
    ndarray of shape (rows, outputs)
        The predictions, without the offset of the targets.

    Examples
    --------
    >>> from reldim import decompose, kernels
    >>> spectrum = decompose(kernels.Linear(), [[1.0], [2.0], [3.0]])
    >>> refitted_predictions(spectrum, np.array([[1.0], [2.0], [5.0]]), 1, np.arange(3))
    array([[1.4615],
           [3.2   ],
           [3.    ]])
    """
    rank = spectrum.rank
    ends = spectrum.cuts[spectrum.cuts < rank]
    starts = np.append(0, ends)
    # Of equal eigenvalues all but one stay as they are, with no part in the prediction.
    sizes = np.diff(np.append(starts, rank))
    leading = spectrum.eigenvalues[:rank].astype(np.float64)
    poles = np.append(np.add.reduceat(leading, starts) / sizes, 0.0)
    count = int(np.searchsorted(starts, dimension))
    z = spectrum.project(values)[:rank]
    vectors = np.asarray(spectrum.basis.vectors(rank))
    full = rank == spectrum.n
    together = max(1, BATCH // (len(poles) * TERMS * (1 + values.shape[1])))
    predictions = [np.zeros((0, values.shape[1]))]
    for first in range(0, len(rows), together):
        some = rows[first : first + together]
        U = vectors[some].astype(np.float64, copy=False)
        weights = np.add.reduceat(U**2, starts, axis=1)
        products = np.add.reduceat(U[:, :, None] * z, starts, axis=1)
        # What the components at hand leave of a row and of its target belongs to the null space.
        beyond = np.where(full, 0.0, np.maximum(1.0 - weights.sum(axis=1), 0.0))
        rest = np.where(full, 0.0, values[some] - products.sum(axis=1))
        weights = np.column_stack([weights, beyond])
        products = np.concatenate([products, rest[:, None, :]], axis=1)
        predictions.append(_predictions(poles / poles[0], weights, products, count))
    return np.concatenate(predictions)


def _predictions(values: Array, weights: Array, products: Array, count: int) -> Array:
    """Add up what the first ``count`` roots contribute, for some rows."""
    powers = values[:, None] ** np.arange(TERMS)
    weight_tails = _from_the_end(weights[:, :, None] * powers)
    product_tails = _from_the_end(products[:, :, :, None] * powers[:, None, :])
    result = np.zeros((len(weights), products.shape[2]))
    for m in range(count):
        active = max(m + 2, int(np.sum(values > SMALL * values[m + 1])))
        between = _Between(values[:active], m, weights[:, :active], weight_tails[:, active])
        x = between.roots()
        mu = between.left - x * between.gap
        inverse = 1.0 / np.concatenate(between.distances(x), axis=1)
        norm = np.sum(between.weights * inverse**2, axis=1)
        norm += between.gap**2 * _series(between.tail, mu)[1]
        sums = np.einsum("ij,ijk->ik", inverse, products[:, :active])
        sums -= between.gap * _series(product_tails[:, active], mu[:, None])[0]
        inside = (x > 2 * AT_THE_END) & (x < 1 - 2 * AT_THE_END)
        scale = between.gap / np.where(inside, norm * mu, 1.0)
        result += np.where(inside, scale, 0.0)[:, None] * sums
    return result


class _Between:
    """The equation of a root between two eigenvalues; x is its distance from the upper one.

    All is measured in units of the gap, and from the nearer end, so that no digits are lost where
    a root lies close to an eigenvalue.
    """

    def __init__(self, values: Array, m: int, weights: Array, tail: Array) -> None:
        self.left, right = values[m], values[m + 1]
        self.gap = self.left - right
        self.m = m
        self.above = (values[: m + 1] - self.left) / self.gap
        self.below = (values[m + 1 :] - right) / self.gap
        self.weights = weights
        self.tail = tail

    def distances(self, x: Array) -> tuple[Array, Array]:
        """Return l - mu for the eigenvalues above and below the root."""
        return self.above + x[:, None], self.below - (1.0 - x)[:, None]

    def roots(self) -> Array:
        """Find the root of every row, by fitting a pole at either end (Bunch, Nielsen, Sorensen).

        The sums over eigenvalues above and below are each replaced by a constant and a pole with
        the same value and slope; the root of that is known, and a bracket keeps it in place.
        """
        n = len(self.weights)
        x = np.full(n, 0.5)
        low, high = np.full(n, AT_THE_END), np.full(n, 1.0 - AT_THE_END)
        open_rows = np.arange(n)
        for _ in range(STEPS):
            new = self._step(x, low, high, open_rows)
            moved = np.abs(new - x[open_rows]) > FOUND * np.minimum(new, 1.0 - new) + NEAR
            x[open_rows] = new
            open_rows = open_rows[moved]
            if len(open_rows) == 0:
                break
        return x

    def _step(self, x: Array, low: Array, high: Array, rows: NDArray[np.intp]) -> Array:
        at, weights, split = x[rows], self.weights[rows], self.m + 1
        upper, lower = self.distances(at)
        ratio_up, ratio_down = weights[:, :split] / upper, weights[:, split:] / lower
        mu = self.left - at * self.gap
        up, down = ratio_up.sum(axis=1), ratio_down.sum(axis=1)
        small, small_slope = _series(self.tail[rows], mu)
        down -= self.gap * small
        slope_up, slope_down = (ratio_up / upper).sum(axis=1), (ratio_down / lower).sum(axis=1)
        slope_down += self.gap**2 * small_slope
        # The sum falls with x: where it is positive the root lies further away.
        positive = up + down > 0
        low[rows] = np.where(positive, at, low[rows])
        high[rows] = np.where(positive, high[rows], at)
        pole_up, pole_down = slope_up * at**2, slope_down * (1.0 - at) ** 2
        constant = up - slope_up * at + down + slope_down * (1.0 - at)
        # From the nearer end, so that no digits are lost where the root lies close to it.
        from_above = _root_of_two_poles(constant, pole_up, pole_down)
        from_below = _root_of_two_poles(-constant, pole_down, pole_up)
        new = np.where(at < 0.5, from_above, 1.0 - from_below)
        new = np.where(np.isfinite(new), new, (low[rows] + high[rows]) / 2)
        return np.clip(new, low[rows], high[rows])


def _root_of_two_poles(constant: Array, near: Array, far: Array) -> Array:
    """Solve constant + near / x - far / (1 - x) = 0 for x in between; NaN beyond round-off."""
    b = constant - near - far
    root = np.sqrt(np.maximum(b**2 + 4 * constant * near, 0.0))
    numerator = np.where(b <= 0, 2 * near, b + root)
    denominator = np.where(b <= 0, root - b, 2 * constant)
    usable = denominator > 0
    return np.where(usable, numerator / np.where(usable, denominator, 1.0), np.nan)


def _series(tail: Array, mu: Array) -> tuple[Array, Array]:
    """Return the sums of w / (mu - l) and w / (mu - l)^2 over small l, from those of w l^p."""
    inverse = 1.0 / mu
    first = np.zeros(tail.shape[:-1])
    second = np.zeros(tail.shape[:-1])
    for p in reversed(range(TERMS)):
        first = first * inverse + tail[..., p]
        second = second * inverse + (p + 1) * tail[..., p]
    return first * inverse, second * inverse**2


def _from_the_end(terms: Array) -> Array:
    """Return sums over all entries of the second axis from each one on, and a last one of zero."""
    sums = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([sums, np.zeros_like(sums[:, :1])], axis=1)
