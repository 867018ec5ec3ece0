r"""Probabilities of classes from scores of least squares.

Scores rise with the probability of a class, but are no probabilities: they may lie outside 0 and
1. With one column :math:`s_c` for each class (two classes coded as -1 and +1 have -s/2 and s/2),
class c has the probability :math:`p_c \propto e^{b s_c}`. The slope b is the only unknown, so that
the most probable class is the one that is predicted. It is fitted to leave-one-out scores: those
of the fit itself are too sure.

As in Platt (1999), a row of class c counts as :math:`(n_c + 1) / (n_c + C)` of a row of its class,
and as :math:`1 / (n_c + C)` of each other class, :math:`n_c` being the rows of the class and C the
number of classes. So the slope is finite where all scores are right.

J. Platt. Probabilistic outputs for support vector machines and comparisons to regularized
likelihood methods. Advances in Large Margin Classifiers, 1999.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

__all__ = ["class_probabilities", "fit_slope"]

Array = NDArray[np.float64]

#: Slopes that are considered, as logarithms; scores lie mostly between 0 and 1.
LOGARITHMS = (np.log(1e-3), np.log(1e4))

#: One number is fitted, and so many rows tell it well enough.
ENOUGH_ROWS = 20_000


def fit_slope(scores: Any, codes: Any, weights: Array | None = None) -> float:
    """Find the slope of the logistic curve through leave-one-out scores.

    Parameters
    ----------
    scores : ndarray of shape (n, outputs)
        Scores of rows that had no part in the fit, offset included; one column for two classes.
    codes : ndarray of int
        The class of each row.
    weights : ndarray of shape (n,), optional
        How many rows each one stands for.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.uniform(-1, 1, size=(5000, 1))
    >>> codes = (rng.random(5000) < 1 / (1 + np.exp(-4 * scores[:, 0]))).astype(int)
    >>> bool(3.6 < fit_slope(scores, codes) < 4.4)
    True
    """
    # Evenly over all rows, and in memory: those of a cluster are lazy.
    step = max(1, len(scores) // ENOUGH_ROWS)
    scores = _by_class(np.asarray(scores[::step], dtype=np.float64))
    codes = np.asarray(codes[::step])
    weights = np.ones(len(codes)) if weights is None else weights[::step]
    classes = scores.shape[1]
    counts = np.bincount(codes, weights, minlength=classes)
    softened = (np.eye(classes) * counts + 1.0) / (counts + classes)
    wanted = softened[codes] * weights[:, None]

    def loss(logarithm: float) -> float:
        return -float(np.sum(wanted * log_softmax(np.exp(logarithm) * scores, axis=1)))

    found = minimize_scalar(loss, bounds=LOGARITHMS, method="bounded", options={"xatol": 1e-9})
    return float(np.exp(found.x))


def class_probabilities(scores: NDArray[Any], slope: float) -> NDArray[Any]:
    """Return the probability of each class.

    Parameters
    ----------
    scores : ndarray of shape (n, outputs)
        Scores, offset included; one column for two classes.
    slope : float
        The slope that :func:`fit_slope` found.

    Returns
    -------
    ndarray of shape (n, classes)
        The probabilities.

    Examples
    --------
    >>> class_probabilities(np.array([[0.0], [1.0]]), 2.0).round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """
    return np.asarray(softmax(slope * _by_class(scores), axis=1))


def _by_class(scores: NDArray[Any]) -> NDArray[Any]:
    """Return one column per class."""
    return np.hstack([-scores, scores]) / 2 if scores.shape[1] == 1 else scores
