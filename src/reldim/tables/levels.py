"""Levels of categories: one spelling each, and a column each where there are many."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.tables.columns import says_missing
from reldim.tables.written_numbers import OddValues

__all__ = ["frequent_levels", "in_one_spelling", "indicators", "joined_levels", "recurring_levels"]

#: Levels that have a column of their own at most, and rows that such a level must have.
MOST_LEVELS, LEAST_OF_A_LEVEL = 300, 2

#: Levels from which on a category is not skrub's, and how often each must recur on average.
MANY_LEVELS, RECURS = 40, 2.0

#: Different levels of a category that must be left when spellings are joined.
LEAST_LEVELS = 2


def joined_levels(column: "pd.Series") -> tuple[dict[str, str], OddValues] | None:
    """Tell which levels differ only in capitals or blanks, and how each is to be written.

    Parameters
    ----------
    column : Series
        Texts, and missing values.

    Returns
    -------
    spellings : dict
        From each text without capitals and needless blanks to its most frequent spelling.
    odd : OddValues
        How many values are spelled otherwise.

    Notes
    -----
    None where all levels are spelled in one way, where the column is text that hardly repeats, and
    where a single level would be left.

    Examples
    --------
    >>> answers = pd.Series(["Yes", "yes ", "NO", "No", "No", "Yes"], name="smokes")
    >>> spellings, odd = joined_levels(answers)
    >>> spellings
    {'no': 'No', 'yes': 'Yes'}
    >>> str(odd)
    "smokes: 2 of 6 values differ from others in capitals or blanks only: 'yes ' was read as 'Yes'"
    """
    texts = [cell for cell in column if isinstance(cell, str) and not says_missing(cell)]
    counts = Counter(texts)
    spellings: dict[str, str] = {}
    for text, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        spellings.setdefault(_folded(text), text.strip())
    # Spaces around all values of a column are the writing of a file, not a mistake.
    odd = [text for text in texts if spellings[_folded(text)] != text.strip()]
    odd += [text for text in texts if text != text.strip() and text.strip() in counts]
    if not odd or not LEAST_LEVELS <= len(spellings) <= len(texts) / 2:
        return None
    told = (
        f"{'differs' if len(odd) == 1 else 'differ'} from others in capitals or blanks only: "
        f"{odd[0][:50]!r} was read as {spellings[_folded(odd[0])][:50]!r}"
    )
    return spellings, OddValues(str(column.name), len(odd), len(texts), told)


def in_one_spelling(column: "pd.Series", spellings: dict[str, str]) -> "pd.Series":
    """Return a column whose levels are spelled in one way; new levels stay as they are.

    Examples
    --------
    >>> in_one_spelling(pd.Series(["YES", 7, "maybe"]), {"yes": "Yes"}).tolist()
    ['Yes', 7, 'maybe']
    """
    values = [
        spellings.get(_folded(cell), cell) if isinstance(cell, str) else cell
        for cell in column.astype(object)
    ]
    return pd.Series(values, index=column.index, name=column.name, dtype=object)


def frequent_levels(column: "pd.Series") -> tuple[str, ...]:
    """Return the levels of a category that have a column of their own.

    Rows of the others look alike: what a level has in common with all is what is known of it.

    Parameters
    ----------
    column : Series
        The category.

    Returns
    -------
    tuple of str
        Levels of at least two rows, the 300 most frequent ones, in the order of their names.

    Examples
    --------
    >>> frequent_levels(pd.Series([80331, 80331, 10115, 10115.0, 50667]))
    ('10115', '80331')
    """
    counts = Counter(_level_name(cell) for cell in column if not says_missing(cell))
    often = [level for level, count in counts.items() if count >= LEAST_OF_A_LEVEL]
    return tuple(sorted(sorted(often, key=lambda level: (-counts[level], level))[:MOST_LEVELS]))


def recurring_levels(column: "pd.Series") -> bool:
    """Tell whether texts are the levels of a category: many, of which most recur.

    Examples
    --------
    >>> towns = [f"town {i}" for i in range(60)]
    >>> recurring_levels(pd.Series(3 * towns)), recurring_levels(pd.Series(towns))
    (True, False)
    """
    texts = [_level_name(cell) for cell in column if not says_missing(cell)]
    distinct = len({*texts})
    return distinct >= MANY_LEVELS and len(texts) >= RECURS * distinct


def indicators(column: "pd.Series", levels: tuple[str, ...]) -> NDArray[np.float64]:
    """Return a column of 0 and 1 for each level.

    Returns
    -------
    ndarray of shape (n, levels)
        Rows of other levels are 0 throughout, rows without a value NaN.

    Examples
    --------
    >>> indicators(pd.Series(["a", "c", None]), ("a", "b"))
    array([[ 1.,  0.],
           [ 0.,  0.],
           [nan, nan]])
    """
    places = {level: place for place, level in enumerate(levels)}
    found = np.zeros((len(column), len(levels)))
    for row, cell in enumerate(column):
        if says_missing(cell):
            found[row] = np.nan
        elif (place := places.get(_level_name(cell))) is not None:
            found[row, place] = 1.0
    return found


def _level_name(cell: Any) -> str:
    """Write a level as a text; whole numbers have no fraction."""
    whole = isinstance(cell, (float, np.floating)) and float(cell).is_integer()
    return str(int(cell)) if whole else str(cell).strip()


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
