"""Fits under one kernel: ridge regression for numbers, hinge loss for classes."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.special import expit
from sklearn.svm import SVC

from reldim.eigensolvers.lapack import cholesky, solve_with_factor

__all__ = ["couple", "hinge_weights", "ridge_weights"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


def ridge_weights(K: Array, Y: Array, penalty: float | Array) -> Array:
    """Return the weights of kernel values that fit targets with a ridge.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel matrix.
    Y : ndarray of shape (n, outputs)
        The targets.
    penalty : float or ndarray of shape (n,)
        What is added to the diagonal, above 0: rows may be equal.

    Returns
    -------
    ndarray of shape (n, outputs)
        The weights.
    """
    # A symmetric matrix is the same in Fortran order.
    C = K.copy().T
    C[np.diag_indices(len(C))] += penalty
    if not cholesky(C):
        raise LinAlgError(f"not positive definite with a penalty of {np.min(penalty)}")
    return np.asarray(solve_with_factor(C, Y))


def hinge_weights(
    K: Array, codes: Indices, classes: int, cost: float, counts: Array | None = None
) -> tuple[Array, Array]:
    """Fit support vector machines to all pairs of classes.

    A pair that the rows do not hold is undecided.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel matrix.
    codes : ndarray of int
        The classes of the rows.
    classes : int
        How many classes there are, also where no row has one of them.
    cost : float
        Cost of a mistake over the variance of the kernel, so that widths can be compared.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for, above 0.

    Returns
    -------
    weights : ndarray of shape (n, pairs)
        Weights of kernel values; decisions above 0 are for the first class of a pair.
    constant : ndarray of shape (pairs,)
        What to add.
    """
    pairs = {pair: number for number, pair in enumerate(combinations(range(classes), 2))}
    weights, constant = np.zeros((len(K), len(pairs))), np.zeros(len(pairs))
    if (codes == codes[0]).all():
        for (i, j), number in pairs.items():
            constant[number] = float(codes[0] == i) - float(codes[0] == j)
        return weights, constant
    variance = max(1.0 - float(K.mean()), 1e-6)
    machine = SVC(
        C=cost / variance, kernel="precomputed", tol=1e-2, max_iter=20_000, cache_size=400
    ).fit(K, codes, sample_weight=counts)
    present = machine.classes_.tolist()
    sign = -1.0 if len(present) == 2 else 1.0
    owner = np.repeat(np.arange(len(present)), machine.n_support_)
    for number, (i, j) in enumerate(combinations(range(len(present)), 2)):
        pair = pairs[present[i], present[j]]
        for own, other in ((i, j), (j, i)):
            place = other - 1 if other > own else other
            rows = machine.support_[owner == own]
            weights[rows, pair] = sign * machine.dual_coef_[place, owner == own]
        constant[pair] = sign * machine.intercept_[number]
    return weights, constant


def couple(decisions: Array, classes: int, slope: float) -> Array:
    """Turn decisions between pairs of classes into probabilities of the classes.

    Each decision gives a probability by a logistic curve; those of the pairs of one class are put
    together as Price, Knerr, Personnaz and Dreyfus (1995) do.

    Parameters
    ----------
    decisions : ndarray of shape (rows, pairs)
        Above 0 for the first class of a pair.
    classes : int
        Number of classes.
    slope : float
        Slope of the curve.

    Returns
    -------
    ndarray of shape (rows, classes)
        The probabilities.

    Examples
    --------
    >>> couple(np.array([[0.0], [np.log(3.0)]]), 2, 1.0)
    array([[0.5 , 0.5 ],
           [0.75, 0.25]])
    """
    p = expit(np.clip(slope * decisions, -20.0, 20.0))
    inverse = np.zeros((len(p), classes))
    for pair, (i, j) in enumerate(combinations(range(classes), 2)):
        inverse[:, i] += 1.0 / p[:, pair]
        inverse[:, j] += 1.0 / (1.0 - p[:, pair])
    shares = 1.0 / (inverse - (classes - 2))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
