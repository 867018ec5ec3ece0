r"""Eigenfunctions of a kernel under a density of inputs.

.. math:: \int k(x, y) \, p(x) \, \psi_i(x) \, dx = \lambda_i \psi_i(y), \qquad
          \int \psi_i(x) \psi_j(x) \, p(x) \, dx = \delta_{ij}

(Williams and Seeger 2000, eq. 3). They are the limit of kernel PCA as the sample grows.
:class:`GaussianEigensystem` and :class:`OrnsteinUhlenbeckEigensystem` are known in closed form; any
other kernel and density is solved by :func:`reldim.theory.solve` and
:func:`reldim.theory.solve_by_sampling`.
"""

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from reldim.exceptions import InputError
from reldim.kernels import Function, Gaussian, Kernel, Laplacian
from reldim.theory.densities import Density, GaussianDensity, UniformDensity, as_points

__all__ = [
    "Eigensystem",
    "FiniteEigensystem",
    "GaussianEigensystem",
    "OrnsteinUhlenbeckEigensystem",
    "cosine_eigensystem",
]

Array = NDArray[np.float64]

#: Eigenvalues below this lose digits, or vanish, in double precision.
SMALLEST = 1e-290

#: Values of k(x, x) that differ by less than this share are one number.
ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False)
class Eigensystem(ABC):
    """The leading eigenvalues and eigenfunctions of a kernel under a density.

    A new kind fills the attributes and supplies :meth:`functions`.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    eigenvalues : ndarray of shape (count,)
        The leading eigenvalues in descending order.
    trace : float
        Sum of all eigenvalues, which is the mean of k(x, x).
    dimensions : int
        Number of columns of a point.
    """

    kernel: Kernel = field(init=False)
    eigenvalues: Array = field(init=False, repr=False)
    trace: float = field(init=False)
    dimensions: int = field(init=False)

    @abstractmethod
    def functions(self, X: ArrayLike, count: int | None = None) -> Array:
        """Evaluate the first ``count`` eigenfunctions at points, a column each."""

    @property
    def count(self) -> int:
        """Number of eigenpairs at hand."""
        return len(self.eigenvalues)

    @property
    def supremum(self) -> float | None:
        """The largest k(x, x) where the density is positive; None where it is not known."""
        return None

    def tail(self, order: int) -> float:
        r"""Sum of all eigenvalues but the first ``order``, :math:`\Lambda_{>r}`."""
        self.check_order(order)
        return max(0.0, self.trace - float(self.eigenvalues[:order].sum()))

    def mercer(self, X: ArrayLike, Z: ArrayLike, count: int | None = None) -> Array:
        r"""Rebuild the kernel from its leading terms.

        .. math:: k_r(x, z) = \sum_{i \le r} \lambda_i \psi_i(x) \psi_i(z)

        Parameters
        ----------
        X, Z : array-like
            Points.
        count : int, optional
            Number of terms, by default all that are at hand.

        Returns
        -------
        ndarray of shape (rows of X, rows of Z)
            The truncated kernel.
        """
        r = self.checked_count(count)
        return np.asarray((self.functions(X, r) * self.eigenvalues[:r]) @ self.functions(Z, r).T)

    def checked_count(self, count: int | None) -> int:
        """Return ``count``, or the number of eigenpairs at hand for None."""
        return self.count if count is None else self.check_order(count)

    def check_order(self, order: int) -> int:
        """Refuse an order for which no eigenpairs are at hand."""
        if not 0 <= order <= self.count:
            raise InputError(
                f"The order must lie between 0 and {self.count}, the number of eigenpairs at hand. "
                f"Got {order} instead: ask for a larger count."
            )
        return order


@dataclass(frozen=True, eq=False)
class GaussianEigensystem(Eigensystem):
    r"""The Gaussian kernel under a Gaussian density, in closed form.

    In one dimension, with density :math:`p(x) \propto \exp(-2 a x^2)`, kernel
    :math:`\exp(-b (x - y)^2)`, :math:`c = \sqrt{a^2 + 2 a b}`, :math:`A = a + b + c` and
    :math:`B = b / A`,

    .. math:: \lambda_k = \sqrt{2 a / A} \, B^k, \qquad
              \psi_k(x) = \frac{(c / a)^{1/4}}{\sqrt{2^k k!}} \, e^{-(c - a) x^2} H_k(\sqrt{2 c} x)

    for k = 0, 1, ... (eqs. 7 to 9; the factor makes the functions orthonormal). In several
    dimensions eigenvalues and eigenfunctions are products of these. The variance of the density
    is 1 / (4 a), the width of the kernel is 1 / (2 b).

    Parameters
    ----------
    width : float
        Width of the kernel, as in :class:`reldim.kernels.Gaussian`.
    variance : float or sequence of float
        Variances of the density, one per dimension.
    mean : float or sequence of float
        Means of the density.
    terms : int
        Number of eigenpairs.

    References
    ----------
    C. K. I. Williams, M. Seeger. The Effect of the Input Density Distribution on Kernel-based
    Classifiers. ICML 2000, section 2.1.

    Examples
    --------
    The example of the paper has a = 1 and b = 3.

    >>> system = GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=3)
    >>> system.eigenvalues
    array([0.5486, 0.2477, 0.1118])
    >>> system.functions([0.0, 0.5])[:, 0]
    array([1.2754, 0.8452])

    In two dimensions the second eigenvalue is double.

    >>> GaussianEigensystem(width=1 / 6, variance=(1 / 4, 1 / 4), terms=3).degeneracies
    ((0.300..., 1), (0.135..., 2))
    """

    width: float
    variance: Any = 1.0
    mean: Any = 0.0
    terms: int = 20
    density: GaussianDensity = field(init=False, repr=False)
    orders: NDArray[np.intp] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.terms, bool) or not isinstance(self.terms, int) or self.terms < 1:
            raise InputError(f"terms must be a whole number of at least 1. Got {self.terms!r}.")
        kernel = Gaussian(self.width)
        density = GaussianDensity(self.variance, self.mean)
        fill = {"kernel": kernel, "width": kernel.width, "density": density, "trace": 1.0}
        for name, value in {**fill, "dimensions": density.dimensions}.items():
            object.__setattr__(self, name, value)
        _, _, B, first = self._letters
        orders = _best_orders(-np.log(B), self.terms)
        values = np.exp(np.log(first).sum() + orders @ np.log(B))
        object.__setattr__(self, "orders", orders)
        object.__setattr__(self, "eigenvalues", values)
        if values[-1] < SMALLEST:
            raise InputError(
                f"Eigenvalue {self.terms} is {values[-1]:.1g}, beyond double precision: terms must "
                f"stay at or below {int(np.sum(values >= SMALLEST))} for this kernel and density. "
                "Ask for fewer terms, or take a narrower kernel."
            )

    @property
    def supremum(self) -> float:
        """The largest k(x, x), which is 1 everywhere."""
        return 1.0

    @property
    def _letters(self) -> tuple[Array, Array, Array, Array]:
        """Return a, c and B of eq. (9) for each dimension, and the first eigenvalue of eq. (7)."""
        a, b = 1.0 / (4.0 * self.density.variances), 1.0 / (2.0 * self.width)
        c = np.sqrt(a * a + 2.0 * a * b)
        A = a + b + c
        return a, c, b / A, np.sqrt(2.0 * a / A)

    @property
    def degeneracies(self) -> tuple[tuple[float, int], ...]:
        """Distinct eigenvalues with the number of times each occurs.

        With equal variances the k-th occurs binom(k + N - 1, N - 1) times in N dimensions; the
        last one may be cut short by ``terms``.
        """
        logs = np.log(self.eigenvalues)
        ends = np.append(np.flatnonzero(-np.diff(logs) > 1e-9) + 1, self.terms)
        starts = np.concatenate([[0], ends[:-1]])
        return tuple(
            (float(self.eigenvalues[s]), int(e - s)) for s, e in zip(starts, ends, strict=True)
        )

    def tail(self, order: int) -> float:
        """Sum of all eigenvalues but the first ``order``; B to the power of it in one dimension."""
        self.check_order(order)
        if self.dimensions == 1:
            return float(self._letters[2][0] ** order)
        return super().tail(order)

    def functions(self, X: ArrayLike, count: int | None = None) -> Array:
        """Evaluate eq. (8), normalised, by a recurrence that neither overflows nor cancels.

        Parameters
        ----------
        X : array-like of shape (rows, dimensions), or (rows,) in one dimension
            Points.
        count : int, optional
            Number of functions, by default all.

        Returns
        -------
        ndarray of shape (rows, count)
            One column per eigenfunction.
        """
        r = self.checked_count(count)
        points = as_points(X, self.dimensions) - self.density.means
        orders = self.orders[:r]
        a, c = self._letters[:2]
        values = np.ones((len(points), r))
        for j in range(self.dimensions):
            highest = int(orders[:, j].max(initial=0))
            table = _scaled_hermite(points[:, j], float(a[j]), float(c[j]), highest)
            values *= table[:, orders[:, j]]
        return values


@dataclass(frozen=True, eq=False)
class OrnsteinUhlenbeckEigensystem(Eigensystem):
    r"""The Ornstein-Uhlenbeck kernel under a uniform density on an interval, in closed form.

    On :math:`[m - a, m + a]`, with kernel :math:`\exp(-|x - y| / \ell)`, function k = 0, 1, ... is
    an even or odd wave whose frequency solves an equation in
    :math:`k \pi / 2 < t_k < (k + 1) \pi / 2`,

    .. math:: t_k \sin t_k = \tfrac{a}{\ell} \cos t_k \; (k \text{ even}), \qquad
              t_k \cos t_k = -\tfrac{a}{\ell} \sin t_k \; (k \text{ odd}), \qquad
              \lambda_k = \frac{\ell / a}{1 + (t_k \ell / a)^2},

    :math:`\psi_k(x)` being proportional to the cosine or sine of :math:`t_k (x - m) / a`. So
    eigenvalues fall as :math:`k^{-2}`, the rate of processes without a derivative.

    Parameters
    ----------
    scale : float
        Scale of the kernel, as in :class:`reldim.kernels.Laplacian`.
    low, high : float
        The interval.
    terms : int
        Number of eigenpairs.

    References
    ----------
    H. L. Van Trees. Detection, Estimation, and Modulation Theory, part I. Wiley 1968, section 3.4.

    Examples
    --------
    >>> system = OrnsteinUhlenbeckEigensystem(scale=1.0, terms=3)
    >>> system.eigenvalues
    array([0.5747, 0.1955, 0.0785])
    >>> system.functions([0.0]).round(3)
    array([[1.127, 0.   , 1.362]])
    """

    scale: float
    low: float = -1.0
    high: float = 1.0
    terms: int = 20
    density: UniformDensity = field(init=False, repr=False)
    frequencies: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.terms, bool) or not isinstance(self.terms, int) or self.terms < 1:
            raise InputError(f"terms must be a whole number of at least 1. Got {self.terms!r}.")
        kernel, density = Laplacian(self.scale), UniformDensity([(self.low, self.high)])
        ratio = (self.high - self.low) / (2.0 * kernel.scale)
        t = np.array([_wave_number(k, ratio) for k in range(self.terms)])
        fill = {"kernel": kernel, "density": density, "frequencies": t, "trace": 1.0}
        fill |= {"eigenvalues": ratio / (ratio**2 + t**2), "dimensions": 1}
        for name, value in fill.items():
            object.__setattr__(self, name, value)

    @property
    def supremum(self) -> float:
        """The largest k(x, x), which is 1 everywhere."""
        return 1.0

    def functions(self, X: ArrayLike, count: int | None = None) -> Array:
        """Evaluate the waves, normalised under the density; defined on the interval.

        Parameters
        ----------
        X : array-like of shape (rows,) or (rows, 1)
            Points.
        count : int, optional
            Number of functions, by default all.

        Returns
        -------
        ndarray of shape (rows, count)
            One column per eigenfunction.
        """
        r = self.checked_count(count)
        half, middle = (self.high - self.low) / 2.0, (self.high + self.low) / 2.0
        place = (as_points(X, 1) - middle) / half
        t, odd = self.frequencies[:r], np.arange(r) % 2 == 1
        waves = np.where(odd, np.sin(place * t), np.cos(place * t))
        sign = np.where(odd, -1.0, 1.0)
        return np.asarray(waves / np.sqrt(0.5 * (1.0 + sign * np.sin(2 * t) / (2 * t))))


def _wave_number(k: int, ratio: float) -> float:
    """Solve the equation of the k-th wave, which has one root between its limits."""

    def equation(t: float) -> float:
        if k % 2 == 0:
            return t * math.sin(t) - ratio * math.cos(t)
        return t * math.cos(t) + ratio * math.sin(t)

    return float(brentq(equation, k * math.pi / 2, (k + 1) * math.pi / 2, xtol=1e-14))


@dataclass(frozen=True, eq=False)
class FiniteEigensystem(Eigensystem):
    r"""A kernel of finite rank, made from functions that are orthonormal under the density.

    .. math:: k(x, z) = \sum_{i=1}^r \lambda_i \psi_i(x) \psi_i(z)

    Parameters
    ----------
    values : sequence of float
        The eigenvalues, positive, in descending order.
    basis : callable
        Takes points of shape (rows, columns) and returns the functions, a column each.
    density : Density
        The density under which the functions are orthonormal.

    Examples
    --------
    >>> system = cosine_eigensystem([1.0, 0.25])
    >>> system.kernel([[0.0], [0.5]])
    array([[ 2.5, -0.5],
           [-0.5,  0.5]])
    """

    values: Any
    basis: Callable[[Array], Array]
    density: Density

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if (
            values.ndim != 1
            or not len(values)
            or np.any(values <= 0)
            or np.any(np.diff(values) > 0)
        ):
            raise InputError(
                "values must be positive eigenvalues in descending order. "
                f"Got {self.values!r} instead."
            )
        fill = {"values": values, "eigenvalues": values, "trace": float(values.sum())}
        fill |= {"kernel": Function(self._matrix), "dimensions": self.density.dimensions}
        for name, value in fill.items():
            object.__setattr__(self, name, value)

    def functions(self, X: ArrayLike, count: int | None = None) -> Array:
        """Evaluate the functions that were given."""
        r = self.checked_count(count)
        return np.asarray(self.basis(as_points(X, self.dimensions)))[:, :r]

    def _matrix(self, A: Any, B: Any) -> Array:
        return self.mercer(A, B)


def cosine_eigensystem(eigenvalues: ArrayLike) -> FiniteEigensystem:
    r"""Make a kernel of finite rank from cosines, for inputs uniform in [0, 1].

    .. math:: k(x, z) = \sum_{i=1}^r \lambda_i \, 2 \cos(\pi i x) \cos(\pi i z)

    Parameters
    ----------
    eigenvalues : array-like
        The eigenvalues in descending order.

    Returns
    -------
    FiniteEigensystem
        The kernel and its eigenfunctions.

    Examples
    --------
    >>> cosine_eigensystem([1.0, 0.5]).functions([0.0])
    array([[1.414..., 1.414...]])
    """
    values = np.atleast_1d(np.asarray(eigenvalues, dtype=np.float64))
    index = np.arange(1, len(values) + 1)
    return FiniteEigensystem(
        values, lambda X: math.sqrt(2.0) * np.cos(np.pi * X * index), UniformDensity([(0.0, 1.0)])
    )


def _best_orders(steps: Array, terms: int) -> NDArray[np.intp]:
    """List the multi-indices with the smallest costs ``steps`` @ index, the cheapest first."""
    dimensions = len(steps)
    if dimensions == 1:
        return np.arange(terms)[:, None]
    start = (0,) * dimensions
    heap, seen = [(0.0, start)], {start}
    found: list[tuple[int, ...]] = []
    while len(found) < terms:
        _, order = heapq.heappop(heap)
        found.append(order)
        for j in range(dimensions):
            following = (*order[:j], order[j] + 1, *order[j + 1 :])
            if following not in seen:
                seen.add(following)
                # Equal eigenvalues differ by round-off. Rounded, they are equal, and their order,
                # by their indices, is the same on every machine.
                heapq.heappush(heap, (round(float(steps @ following), 10), following))
    return np.array(found, dtype=np.intp)


def _scaled_hermite(x: Array, a: float, c: float, highest: int) -> Array:
    """Tabulate psi_0, ..., psi_highest in one dimension, a column each.

    With h_k = H_k / sqrt(2^k k!) the recurrence is
    h_{k+1} = sqrt(2/(k+1)) t h_k - sqrt(k/(k+1)) h_{k-1}. The h_k grow like exp(t^2/2), so they
    are kept as a mantissa and a power of e, and meet the Gaussian factor only at the end. There
    the product stays below exp(a k / c), within double precision for every eigenvalue that is.
    """
    t = math.sqrt(2.0 * c) * x
    front = 0.25 * math.log(c / a) - (c - a) * x * x
    table = np.empty((len(x), highest + 1))
    now, before, exponent = np.ones_like(t), np.zeros_like(t), np.zeros_like(t)
    with np.errstate(over="ignore", under="ignore"):
        for k in range(highest + 1):
            table[:, k] = now * np.exp(front + exponent)
            following = math.sqrt(2.0 / (k + 1)) * t * now - math.sqrt(k / (k + 1)) * before
            before, now = now, following
            large = np.maximum(np.abs(now), np.abs(before))
            scale = np.where(large > 1e100, large, 1.0)
            now, before, exponent = now / scale, before / scale, exponent + np.log(scale)
    return table
