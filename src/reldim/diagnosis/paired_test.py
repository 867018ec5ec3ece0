"""Tests on losses of several models on the same rows: which differences are beyond chance."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["holm", "paired_p_value"]

Array = NDArray[np.float64]

#: Differences below this share of the losses themselves are round-off.
ROUNDOFF = 1e-9


def paired_p_value(first: Array, second: Array) -> float:
    """Test whether two models have the same mean loss, from their losses on the same rows.

    A paired t-test. Ranks are no way around it: the differences of squared errors are skewed
    even where their mean is zero, which a signed-rank test takes for a difference.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        A loss for each row, in the same order.

    Returns
    -------
    float
        Two-sided p-value; 1 where the losses are equal up to round-off, or for a single row.

    Examples
    --------
    >>> first = np.array([0.1, 0.3, 0.2, 0.4, 0.1, 0.3])
    >>> second = first + np.array([0.3, 0.2, 0.4, 0.3, 0.2, 0.4])
    >>> bool(paired_p_value(first, second) < 0.001)
    True
    >>> paired_p_value(first, first)
    1.0
    """
    difference = first - second
    scale = float(np.max(np.abs(first) + np.abs(second), initial=0.0))
    if len(difference) < 2 or np.max(np.abs(difference), initial=0.0) <= ROUNDOFF * scale:
        return 1.0
    error = float(np.std(difference, ddof=1)) / np.sqrt(len(difference))
    # A difference that is the same in every row has no error at all.
    ratio = abs(float(np.mean(difference))) / max(error, ROUNDOFF * scale)
    return float(2.0 * stats.t.sf(ratio, len(difference) - 1))


def holm(p_values: Array) -> Array:
    """Adjust p-values for their number, so that the level holds for all of them together.

    Parameters
    ----------
    p_values : ndarray
        The p-values of single tests.

    Returns
    -------
    ndarray
        The adjusted p-values, in the same order: one below 0.05 is beyond chance even as the
        smallest of as many (Holm 1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p_values[order]))
    return adjusted
