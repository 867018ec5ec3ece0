r"""Kernel ridge regression on a spectrum, its parameter chosen by leave-one-out.

With K/n = U diag(l) U^T the fit is H y, H = U diag(l / (l + a)) U^T, where a = alpha / n in the
letters of scikit-learn's ``KernelRidge``. Leaving row i out of it changes its residual to

.. math:: y_i - \hat y_{-i} = \frac{y_i - [H y]_i}{1 - H_{ii}},

so all parameters are judged from one decomposition, by two matrix products. Centring in feature
space amounts to an intercept without penalty, which adds 1/n to every entry of H.

Rows of weight w have targets and feature vectors times the root of w: the spectrum is that of a
``RowWeighted`` kernel. A row is left out with all of its weight.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from reldim.eigensolvers import decompose_gram
from reldim.exceptions import InputError
from reldim.inputs.cores import side_by_side
from reldim.inputs.memory import fits
from reldim.inputs.targets import Targets
from reldim.relevance.criteria import own_leverage
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Gram, row_blocks
from reldim.spectrum.spectrum import Spectrum

__all__ = ["GradientFit", "RidgeFit", "default_alphas", "fit_ridge", "fit_ridge_by_gradients"]

Array = NDArray[np.float64]

#: The preconditioner may take as long as so many steps of conjugate gradients.
WORTH = 20

#: Relative residual at which conjugate gradients stop, and steps that they may take.
SOLVED = 1e-8
MOST_STEPS = 1000

#: Parameters that are tried by themselves, as shares of the mean of k(x, x).
SHARES = tuple(10.0**power for power in range(-1, -7, -1))

#: Share of the rows that parameters are judged on.
HELD_OUT = 0.1


@dataclass(frozen=True)
class RidgeFit:
    """Kernel ridge regression with the best of several parameters.

    Attributes
    ----------
    alpha : float
        The parameter, on the scale of the eigenvalues of K/n.
    criterion_value : float
        Its leave-one-out mean squared error, on the scale of the coded targets.
    alphas, curve : ndarray
        All parameters and their errors.
    degrees_of_freedom : float
        Trace of H: how many components the fit amounts to.
    error_estimate : float
        Leave-one-out error in the units of the task.
    expansion : Expansion
        The fitted function.
    left_out : ndarray of shape (n, outputs)
        Leave-one-out predictions on the coded scale, offset included.
    """

    alpha: float
    criterion_value: float
    alphas: Array = field(repr=False)
    curve: Array = field(repr=False)
    degrees_of_freedom: float
    error_estimate: float
    expansion: Expansion = field(repr=False)
    left_out: Array = field(repr=False)

    @property
    def criterion_error(self) -> float:
        """What round-off may add to the criterion: nothing, for components fade below the ridge."""
        return 0.0

    @property
    def dimension(self) -> int:
        """Degrees of freedom, rounded up."""
        return int(np.ceil(self.degrees_of_freedom))


def default_alphas(spectrum: Spectrum) -> Array:
    """Return a grid from the resolution of the spectrum to its largest eigenvalue."""
    largest = float(spectrum.eigenvalues[0])
    return np.geomspace(largest * 1e-10, largest, 31)


def fit_ridge(
    spectrum: Spectrum, targets: Targets, alphas: Any = None, weights: Array | None = None
) -> RidgeFit:
    """Fit kernel ridge regression, the parameter by closed-form leave-one-out.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    targets : Targets
        The coded targets; centred where the spectrum is.
    alphas : array-like, optional
        Parameters to try, on the scale of the eigenvalues of K/n.
    weights : ndarray of shape (n,), optional
        The weights of the rows, 1 on average, where the spectrum is that of rows with weights.
    """
    grid = default_alphas(spectrum) if alphas is None else _checked(alphas)
    if spectrum.center:
        targets = targets.centred()
    rank, y = spectrum.rank, targets.values
    if weights is not None:
        targets = targets.weighted(weights)
        y = np.sqrt(weights)[:, None] * targets.values
    values = spectrum.eigenvalues[:rank].astype(np.float64)[:, None]
    z = spectrum.project(y)[:rank]
    # The eigenvalues of I - H, one column per parameter. Where a is small, 1 - l / (l + a) would
    # cancel.
    removed = grid / (values + grid)
    rows = _LeaveOneOut.of(spectrum, z)
    sums = spectrum.basis.sum_rows(
        lambda U, y: np.sum(rows.residual(U, y, removed) ** 2, axis=(0, 1)), rank, y
    )
    curve = sums / targets.n
    best = int(np.argmin(curve))
    residual = spectrum.basis.map_rows(
        lambda U, y: rows.residual(U, y, removed[:, [best]])[:, :, 0], rank, y
    )
    if weights is not None:
        # Rows of weight 0 have no part in anything.
        residual = residual / np.sqrt(np.where(weights > 0, weights, 1.0))[:, None]
    left_out = targets.values - residual
    kept = values / (values + grid[best])
    return RidgeFit(
        alpha=float(grid[best]),
        criterion_value=float(curve[best]),
        alphas=grid,
        curve=curve,
        degrees_of_freedom=float(kept.sum()),
        error_estimate=targets.error(left_out, weights),
        expansion=Expansion.of(spectrum, kept * z, targets.offset).of_rows(),
        left_out=left_out + targets.offset,
    )


@dataclass(frozen=True)
class _LeaveOneOut:
    """Residuals of rows that are left out, from their rows of U.

    Attributes
    ----------
    z : ndarray of shape (rank, outputs)
        Coefficients of the targets.
    intercept : float
        The part of an intercept in the diagonal of H, 1/n or 0.
    complete : bool
        Whether U and the intercept span the space of all targets.
    roundoff : float
        A smaller part of a row outside that span is taken for none.
    """

    z: Array
    intercept: float
    complete: bool
    roundoff: float

    @classmethod
    def of(cls, spectrum: Spectrum, z: Array) -> "_LeaveOneOut":
        n = spectrum.n
        eps = float(np.finfo(spectrum.eigenvalues.dtype).eps)
        complete = spectrum.rank + int(spectrum.center) == n
        return cls(z, intercept=own_leverage(spectrum), complete=complete, roundoff=n * eps)

    def residual(self, U: Array, y: Array, removed: Array) -> Array:
        """Return one residual per row, output and parameter.

        Outside the span of U and the intercept I - H is the identity.
        """
        outside = 1.0 - self.intercept - np.sum(U**2, axis=1)
        inside = (outside <= self.roundoff) | self.complete
        free = U**2 @ removed + np.where(inside, 0.0, outside)[:, None]
        residual = np.stack([U @ (removed * column[:, None]) for column in self.z.T], axis=1)
        residual += np.where(inside[:, None], 0.0, y - U @ self.z)[:, :, None]
        return np.asarray(residual / free[:, None, :])


def _checked(alphas: Any) -> Array:
    try:
        grid = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.empty(0)
    if grid.ndim != 1 or grid.size == 0 or not np.all(np.isfinite(grid) & (grid > 0)):
        raise InputError(
            "alphas must be positive numbers, on the scale of the eigenvalues of K/n. "
            f"Got {alphas!r}."
        )
    return grid


@dataclass(frozen=True)
class GradientFit:
    """Kernel ridge regression without eigenvectors, with the best of several parameters.

    Attributes
    ----------
    alpha : float
        The parameter, on the scale of the eigenvalues of K/n.
    error_estimate : float
        Mean squared error on rows that were held out, over that of the mean.
    steps : int
        Steps of conjugate gradients of the fit to all rows, the most of any output.
    expansion : Expansion
        The fitted function.
    """

    alpha: float
    error_estimate: float
    steps: int
    expansion: Expansion = field(repr=False)


def fit_ridge_by_gradients(
    gram: Gram, targets: Targets, alphas: Any = None, random_state: int = 0
) -> GradientFit:
    r"""Fit kernel ridge regression by conjugate gradients, for kernels of no low rank.

    :math:`(K + n a I) w = y` is solved with the preconditioner

    .. math:: P = U (n L - \delta I) U^\top + (n a + \delta) I, \qquad
              \delta = \frac{n}{n - M} \sum_{m > M} l_m

    of the M leading eigenpairs: it takes large eigenvalues out, which are what conjugate gradients
    are slow at where a is small, and :math:`\delta` stands for the others, which a narrow kernel
    has many of. M is where the eigenpairs take about as long as twenty steps. A step takes
    n^2 operations; the matrix is held where it fits into memory, and else its values are computed
    anew at each step. Parameters are judged on a tenth of the rows, which the fits to the others
    have not seen.

    Parameters
    ----------
    gram : Gram
        Kernel and rows, in memory.
    targets : Targets
        The coded targets.
    alphas : array-like, optional
        Parameters to try, on the scale of the eigenvalues of K/n. By default six, from a tenth
        to a millionth of the mean of k(x, x), divided by n.
    random_state : int
        Seed of the rows that are held out, and of the preconditioner's landmarks.
    """
    if alphas is None:
        grid = np.array(SHARES) * float(np.mean(gram.diagonal())) / gram.n
    else:
        grid = _checked(alphas)
    least = math.ceil(2 / HELD_OUT)
    if gram.n < least:
        raise InputError(
            f"Conjugate gradients need at least {least} rows, of which some are held out. "
            f"Got {gram.n}: pass solver='auto'."
        )
    values = targets.values
    order = np.random.default_rng(random_state).permutation(gram.n)
    held, train = np.split(order, [int(HELD_OUT * gram.n)])
    system = _System.of(Gram(gram.kernel, gram.points[train]), random_state)
    across = gram.kernel.matrix(gram.points[held], gram.points[train]).astype(np.float64)
    error = np.empty(len(grid))
    for place, alpha in enumerate(grid):
        weights, _ = system.solve(values[train], float(alpha))
        error[place] = np.sum((values[held] - across @ weights) ** 2)
    error /= np.sum(values[held] ** 2)
    best = int(np.argmin(error))
    weights, steps = _System.of(gram, random_state).solve(values, float(grid[best]))
    expansion = Expansion(gram.kernel, gram.reference, gram.reference, weights, targets.offset)
    return GradientFit(float(grid[best]), float(error[best]), steps, expansion)


@dataclass(frozen=True)
class _System:
    """The kernel matrix as an operator, and the eigenpairs of its preconditioner."""

    product: Callable[[Array], Array]
    vectors: Array
    values: Array
    rest: float

    @classmethod
    def of(cls, gram: Gram, random_state: int) -> "_System":
        n = gram.n
        rank = max(1, min(n // 2, int(math.sqrt(WORTH * n))))
        spectrum = decompose_gram(gram, rank=rank, solver="lowrank", random_state=random_state)
        M = spectrum.rank
        rest = n * float(spectrum.residual) / (n - M)
        values = n * spectrum.eigenvalues[:M].astype(np.float64)
        vectors = spectrum.basis.vectors(M).astype(np.float64)
        return cls(_product_with(gram), vectors, values, rest)

    def solve(self, targets: Array, alpha: float) -> tuple[Array, int]:
        """Solve for each column of the targets; return the weights and the most steps of any."""
        n, ridge = len(targets), len(targets) * alpha
        shape = (n, n)
        matrix = LinearOperator(shape, matvec=lambda v: self.product(v) + ridge * v, dtype=float)
        floor = self.rest + ridge
        gain = 1.0 / (np.maximum(self.values, self.rest) + ridge) - 1.0 / floor

        def precondition(v: Array) -> Array:
            return np.asarray(v / floor + self.vectors @ (gain * (self.vectors.T @ v)))

        inverse = LinearOperator(shape, matvec=precondition, dtype=float)
        weights, most = np.empty_like(targets), 0
        for column in range(targets.shape[1]):
            steps: list[float] = []
            weights[:, column], unfinished = cg(
                matrix,
                targets[:, column],
                rtol=SOLVED,
                maxiter=MOST_STEPS,
                M=inverse,
                callback=lambda v, steps=steps: steps.append(v[0]),  # type: ignore[misc]
            )
            if unfinished:
                raise InputError(
                    f"Conjugate gradients did not converge in {MOST_STEPS} steps at alpha = "
                    f"{alpha:.3g}: pass larger alphas, or solver='lowrank'."
                )
            most = max(most, len(steps))
        return weights, most


def _product_with(gram: Gram) -> Callable[[Array], Array]:
    """Return the function that multiplies by the kernel matrix, kept or computed in blocks."""
    # Twice: it is made exactly symmetric from a copy.
    if fits(2 * 8 * gram.n**2):
        matrix = gram.matrix().astype(np.float64, copy=False)
        return lambda v: np.asarray(matrix @ v)
    points = gram.points
    blocks = list(row_blocks(gram.n, 8 * gram.n))

    def product(v: Array) -> Array:
        parts = side_by_side(lambda rows: gram.kernel.matrix(points[rows], points) @ v, blocks)
        return np.concatenate(list(parts))

    return product
