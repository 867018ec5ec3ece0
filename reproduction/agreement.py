"""When a number agrees with the paper's: the rules, each by the spread of what both numbers are.

A mean over resamples varies by its standard error, which is a tenth of the spread of a single
resample where there are a hundred of them. A median has an interval, by bootstrap. A number of
which the paper has a single draw is held to the spread of single draws.
"""

import numpy as np
from numpy.typing import ArrayLike

from reproduction.papers import Spread

__all__ = [
    "draw_agrees",
    "mean_agrees",
    "median_agrees",
    "median_interval",
    "spread",
    "within_two_deviations",
]

#: Half of the last digit that the papers print, of percentages and of medians.
DIGIT, WHOLE = 0.05, 0.5

#: Fewer draws than this have no 5 % percentile apart from their smallest.
FEW = 20


def spread(values: ArrayLike) -> Spread:
    """Summarise shares over resamples as a mean and a standard deviation, in percent."""
    shares = 100.0 * np.asarray(values, dtype=np.float64)
    deviation = float(shares.std(ddof=1)) if len(shares) > 1 else 0.0
    return Spread(float(shares.mean()), deviation, len(shares))


def mean_agrees(ours: Spread, paper: Spread) -> bool:
    """Tell whether two means differ by at most two standard errors of their difference."""
    error = float(np.hypot(ours.standard_error, paper.standard_error))
    return round(abs(ours.mean - paper.mean), 6) <= 2.0 * error + DIGIT


def median_interval(values: ArrayLike, count: int) -> tuple[float, float]:
    """Return where 95 % of medians of ``count`` further resamples lie, if they are like ours.

    Both medians vary, the paper's and ours: the interval is that of our median plus the
    difference of two medians of draws with replacement from our values.
    """
    found = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(0)
    theirs, ours = (
        np.median(rng.choice(found, size=(10_000, size)), axis=1) for size in (count, len(found))
    )
    low, high = np.percentile(theirs - ours, [2.5, 97.5]) + np.median(found)
    return float(low), float(high)


def median_agrees(values: ArrayLike, paper: float, count: int) -> bool:
    """Tell whether the paper's median, rounded to a whole number, lies in its interval."""
    low, high = median_interval(values, count)
    return low - WHOLE <= paper <= high + WHOLE


def draw_agrees(values: ArrayLike, paper: float) -> bool:
    """Tell whether a single draw lies between the 5 and 95 % percentiles of many.

    Of fewer than twenty draws the percentiles lie inside of all that was drawn, so that the
    smallest and the largest take their place.
    """
    found = np.asarray(values, dtype=np.float64)
    low, high = np.percentile(found, [5, 95] if len(found) >= FEW else [0, 100])
    return bool(low <= paper <= high)


def within_two_deviations(values: ArrayLike, paper: float) -> bool:
    """Tell whether one more draw of a few lies within two deviations of their median.

    The deviation is the median absolute one, scaled to that of normal draws, so that one draw that
    is far from the others does not excuse everything.
    """
    found = np.asarray(values, dtype=np.float64)
    middle = float(np.median(found))
    deviation = 1.4826 * float(np.median(np.abs(found - middle)))
    return abs(middle - paper) <= 2.0 * deviation * (1 + 1 / len(found)) ** 0.5 + WHOLE
