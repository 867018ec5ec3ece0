r"""Kernels with learned weights as candidates: plain kernels of the data as they are.

Weights are learned for columns of mean 0 and variance 1, :math:`z = (x - m) / s`. A weight w of
squared differences of z is one of :math:`w / s^2` for x, a weight of differences one of
:math:`w / s`. So the learned kernel is a kernel of x with weights, which solvers, predictors and
files take as any other.

What is learned from rows does not judge them. Each kind of kernel is cross-fitted by itself: five
folds learn weights and strength without the rows that they hold out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.inputs.targets import Targets
from reldim.kernels import Kernel
from reldim.search.blend import CrossFit, Member, cross_fit
from reldim.search.coordinates import Coordinates
from reldim.search.weights import WEIGHTED, weights_of

__all__ = ["WeightedKernel", "ahead_of_constant", "fit_weighted"]

Array = NDArray[np.float64]

#: Digits of a weight: further ones are round-off.
DIGITS = 4


@dataclass(frozen=True, eq=False)
class WeightedKernel:
    """A kernel with learned weights, and what rows that had no part in it say about it.

    Attributes
    ----------
    kind : str
        The kind of kernel.
    kernel : Kernel
        The kernel of the data, with a weight for each column.
    fit : CrossFit
        Its folds and the predictor.
    p_value : float
        Probability that a kernel without any signal is ahead of a constant by as much.
    """

    kind: str
    kernel: Kernel
    fit: CrossFit = field(repr=False)
    p_value: float


def fit_weighted(
    X: Array,
    targets: Targets,
    sources: Sequence[object] | None = None,
    *,
    kinds: Sequence[str] = WEIGHTED,
    random_state: int | None = None,
) -> tuple[WeightedKernel, ...]:
    """Learn the weights of the columns for each kind of kernel.

    Parameters
    ----------
    X : ndarray of shape (n, columns)
        The data.
    targets : Targets
        Their targets.
    sources : sequence, optional
        The column of the table that each column comes from: those of one share a weight.
    kinds : sequence of str
        Kinds of kernels.
    random_state : int, optional
        Seed.

    Returns
    -------
    tuple of WeightedKernel
        One per kind.

    Examples
    --------
    >>> from reldim.inputs.targets import code_targets
    >>> X = np.random.default_rng(0).normal(size=(100, 2)) * [1.0, 1000.0]
    >>> (found,) = fit_weighted(X, code_targets(X[:, 0] ** 2), kinds=["gaussian"])
    >>> needed, other = found.kernel.weights
    >>> needed > 1e6 * other, found.fit.error < 0.1
    (True, True)
    """
    coordinates = _plain(X, sources)
    fits = [
        cross_fit(X, targets, coordinates, members=(Member(kind),), random_state=random_state)
        for kind in kinds
    ]
    return tuple(
        WeightedKernel(kind, _in_units(fit, kind, coordinates), fit, ahead_of_constant(fit))
        for kind, fit in zip(kinds, fits, strict=True)
    )


def ahead_of_constant(found: CrossFit) -> float:
    """Test whether held-out predictions are ahead of a constant, by squared residuals.

    Parameters
    ----------
    found : CrossFit
        A blend and its held-out predictions.

    Returns
    -------
    float
        The p-value.
    """
    Y = found.rows.Y
    without = np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)
    gain = without - np.sum((Y - found.held_out) ** 2, axis=1)
    spread = float(gain.std(ddof=1)) / np.sqrt(len(gain))
    return float(stats.t.sf(float(gain.mean()) / spread if spread > 0 else 0.0, len(gain) - 1))


def _plain(X: Array, sources: Sequence[object] | None) -> Coordinates:
    """Return coordinates that are scaled and not bent."""
    spread = X.std(axis=0)
    count = X.shape[1]
    return Coordinates(
        X.mean(axis=0),
        np.where(spread > 0, spread, 1.0),
        np.zeros(count),
        np.ones(count),
        np.zeros(count, dtype=np.bool_),
        Coordinates.of(X, sources).groups,
    )


def _in_units(fit: CrossFit, kind: str, coordinates: Coordinates) -> Kernel:
    """Return the learned kernel as one of the data."""
    kernel = fit.kernels[0].kernel
    scale = coordinates.scale if kind == "product" else coordinates.scale**2
    weights = weights_of(kernel) / scale
    rounded = tuple(float(f"{weight:.{DIGITS}g}") for weight in weights)
    return replace(kernel, weights=rounded)  # type: ignore[type-var]
