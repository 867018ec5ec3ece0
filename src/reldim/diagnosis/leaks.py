"""Leaks: columns that tell the target almost without mistakes, by values or by being there."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.problem import Problem
from reldim.diagnosis.verdicts import Verdict, finding
from reldim.inputs.duplicates import group_rows
from reldim.inputs.targets import Targets

__all__ = ["find_leak", "leaking_places", "left_out_mistakes", "left_out_variance", "on_one_line"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

#: A column tells the target where it leaves at most this share of a constant prediction's error.
TELLS_ALL = 0.01

#: A copy of the classes, and an event such as a value that is missing, tell them where they are
#: right in so many rows and leave at most this share of a constant prediction's mistakes.
RIGHT, LEAVES = 0.98, 0.1

#: Rows in which a value is there, or is missing, tell their class where so many of them are of one,
#: where they are this share of it, and where chance does as much with at most this probability.
PURE, OF_ITS_CLASS, BY_CHANCE = 0.99, 0.5, 1e-6

#: A target is made from a column where it is the same multiple of it in this share of the rows, up
#: to a constant; lines that are tried, how close rows must lie, and distinct targets on a line.
ON_ONE_LINE = 0.5
LINES, EXACT, LEAST_VALUES = 40, 1e-4, 10

#: The same for a sum, difference, product or ratio of two columns; how many columns are paired, and
#: rows that are looked at first.
OF_TWO, LINES_OF_TWO, PAIRED, FIRST_ROWS = 0.9, 12, 30, 200

#: Columns of a sum at most, and by how much their parts may differ.
MOST_PARTS, EQUAL_PARTS = 6, 1e-3

#: Columns that are looked at, and mistakes of a constant prediction below which chance could do it.
MOST_COLUMNS = 1000
LEAST_MISTAKES = 10

#: Columns that are named at most.
NAMED = 8


@dataclass(frozen=True)
class _Telling:
    """Columns that tell the target, by their places in the data, and how."""

    places: tuple[int, ...]
    told: str
    share: float | None = None


def find_leak(problem: Problem, points: Any, targets: Targets) -> Iterator[Verdict]:
    """Yield which columns of the table tell the target.

    A column may do so by its values; by whether it has one; by whether it is at the end of its
    range; and two of them, or a few, by a sum, a difference, a product or a ratio.

    Parameters
    ----------
    problem : Problem
        The data as they were used, which tell what columns are called.
    points : array-like
        The rows as a kernel sees them; nothing is found in what is no matrix of numbers.
    targets : Targets
        Their targets.

    Yields
    ------
    Verdict
        The finding, which names all of the columns.
    """
    if not isinstance(points, np.ndarray) or points.ndim != 2 or points.dtype.kind != "f":
        return
    columns = dict([*_columns(problem, points.shape[1]).items()][:MOST_COLUMNS])
    if len(columns) < 2 or targets.n * targets.constant_error < LEAST_MISTAKES:
        return
    alone = [name for name, own in columns.items() if _tells_all(points[:, own], targets)]
    found = [_Telling((columns[name][0],), name) for name in alone]
    others = {name: own for name, own in columns.items() if name not in alone}
    by_part = [*_by_part(problem, points, targets, others)]
    told = {place for one in by_part for place in one.places}
    left = {name: own for name, own in others.items() if own[0] not in told}
    by_part += _by_several(problem, points, targets, left)
    if not found and not by_part:
        return
    sentences = [*_alone(alone), *(one.told for one in by_part[:NAMED])]
    found += by_part
    places = dict.fromkeys(place for one in found for place in one.places)
    named = ("column", *(f"column_{number}" for number in range(2, len(places) + 1)))
    figures = dict(zip(named, map(float, places), strict=True))
    shares = [one.share for one in found if one.share is not None]
    if shares:
        figures["share"] = shares[0]
    they = "they are" if len(places) > 1 else "it is"
    yield finding(
        "RD016",
        "warning",
        " ".join(sentences),
        f"Check that {they} known before the target is: columns made from the target, or "
        "written down after it, are no use on new rows.",
        figures,
    )


def leaking_places(leak: Verdict) -> tuple[int, ...]:
    """Return the places of all columns that a finding of RD016 names.

    Examples
    --------
    >>> leaking_places(finding("RD016", "warning", "", "", {"column": 3.0, "column_2": 0.0}))
    (3, 0)
    """
    return tuple(
        int(value) for name, value in leak.figures.items() if name.partition("_")[0] == "column"
    )


def _alone(names: list[str]) -> list[str]:
    """Name the columns of which each alone tells the target."""
    if len(names) < 2:
        return [f"{name} alone tells the target almost without mistakes." for name in names]
    bare = [name.removeprefix("The column ").removeprefix("Column ") for name in names]
    more = len(bare) - NAMED
    listed = ", ".join(bare[:NAMED]) + (f" and {more} more" if more > 0 else "")
    return [f"The columns {listed} each tell the target almost without mistakes."]


def _tells_all(values: Array, targets: Targets) -> bool:
    left = _left_unexplained(values, targets)
    return left is not None and left <= TELLS_ALL


# By a copy with mistakes, by values that are missing, and by the end of a range


def _by_part(
    problem: Problem, points: Array, targets: Targets, columns: dict[str, list[int]]
) -> Iterator[_Telling]:
    """Yield columns that tell the target in most rows, or by something else than their values."""
    missing = _missing(problem, targets.n)
    for name, own in columns.items():
        values = points[:, own[0]]
        called = f"{name[0].lower()}{name[1:]}"
        share = on_one_line(values, targets) if len(own) == 1 else 0.0
        if share >= ON_ONE_LINE:
            told = (
                f"In {share:.0%} of the rows the target is a multiple of the same column, "
                f"{called}, up to a constant. The other rows may have been read "
                "in another unit, or with another decimal sign."
            )
            yield _Telling((own[0],), told, share)
            continue
        source = name.removeprefix("The column ")
        if source in missing and _event_tells(missing[source], targets, one_sided=True):
            told = f"Whether {called} has a value tells the target almost without mistakes."
            yield _Telling((own[0],), told)
            continue
        right = _right_copy(points[:, own], targets)
        if right is not None:
            yield _Telling((own[0],), f"{name} tells the target in {right:.1%} of the rows.", right)
            continue
        for word, end in (("largest", values.max()), ("smallest", values.min())):
            if len(np.unique(values)) >= LEAST_VALUES and _event_tells(values == end, targets):
                limit = f"{float(_in_units(problem, own[0], np.array([end]))[0]):g}"
                told = f"Whether {called} has its {word} value, {limit}, tells the target."
                yield _Telling((own[0],), told)
                break


def _missing(problem: Problem, n: int) -> dict[str, NDArray[np.bool_]]:
    """Return which of the rows that were used have no value, by columns."""
    if problem.table is None:
        return {}
    rows = np.unique(problem.source, return_index=True)[1]
    masks = {name: mask[rows] for name, mask in problem.table.missing.items()}
    return {name: mask for name, mask in masks.items() if len(mask) == n}


def _event_tells(event: NDArray[np.bool_], targets: Targets, *, one_sided: bool = False) -> bool:
    """Tell whether an event of a row, or its absence, gives its target away."""
    if min(event.sum(), (~event).sum()) < LEAST_MISTAKES:
        return False
    codes = _codes_of(targets)
    if codes is None:
        return left_out_variance(event[:, None].astype(np.float64), targets.values[:, 0]) <= (
            TELLS_ALL
        )
    wrong = left_out_mistakes(event[:, None].astype(np.float64), codes)
    counts = np.bincount(codes)
    if wrong <= min((1 - RIGHT) * len(codes), LEAVES * (len(codes) - counts.max())):
        return True
    return one_sided and any(_tells_its_class(part, codes, counts) for part in (event, ~event))


def _tells_its_class(rows: NDArray[np.bool_], codes: Codes, counts: Codes) -> bool:
    """Tell whether some rows are of one class, most of it, and more than chance would have."""
    inside = np.bincount(codes[rows], minlength=len(counts))
    top = int(inside.argmax())
    if inside[top] < PURE * rows.sum() or inside[top] < OF_ITS_CLASS * counts[top]:
        return False
    share = counts[top] / len(codes)
    return bool(stats.binom.sf(inside[top] - 1, int(rows.sum()), share) <= BY_CHANCE)


def _codes_of(targets: Targets) -> Codes | None:
    """Return the classes; for numbers whether they lie on a pile such as 0, if there is one."""
    if targets.codes is not None:
        return np.asarray(targets.codes)
    if targets.values.shape[1] > 1:
        return None
    values, place, counts = np.unique(targets.values[:, 0], return_inverse=True, return_counts=True)
    top = int(counts.argmax())
    piled = len(values) >= LEAST_VALUES and counts[top] >= LEAST_MISTAKES + counts.sum() / 10
    return np.asarray(place == top, dtype=np.intp) if piled else None


def _right_copy(values: Array, targets: Targets) -> float | None:
    """Return in which share of the rows a column with as many values as classes tells them."""
    codes = targets.codes
    if codes is None or targets.classes is None:
        return None
    groups = _groups(values)
    if groups.max() + 1 != len(targets.classes):
        return None
    wrong = left_out_mistakes(values, codes)
    few = wrong <= min((1 - RIGHT) * len(codes), LEAVES * len(codes) * targets.constant_error)
    return 1 - wrong / len(codes) if few else None


# By two columns, or by a sum of few


def _by_several(
    problem: Problem, points: Array, targets: Targets, columns: dict[str, list[int]]
) -> Iterator[_Telling]:
    """Yield columns that together give the target, exactly."""
    places = [own[0] for own in columns.values() if len(own) == 1]
    names = {own[0]: name.removeprefix("The column ") for name, own in columns.items()}
    places = [place for place in places if len(np.unique(points[:, place])) > 2]
    if len(places) < 2 or (targets.codes is None and targets.values.shape[1] > 1):
        return
    X = np.column_stack([_in_units(problem, place, points[:, place]) for place in places])
    if targets.codes is not None:
        pairs = _that_compare(X, np.asarray(targets.codes), targets)
    else:
        pairs = _that_combine(X, targets.values[:, 0])
    found = [((places[i], places[j]), how) for i, j, how in pairs]
    for own, how in found:
        first, second = (names[place] for place in own)
        yield _Telling(own, how.format(first, second))
    if targets.codes is None and not found:
        parts = _that_add_up(X, targets.values[:, 0])
        if parts:
            listed = ", ".join(names[places[i]] for i in parts)
            yield _Telling(
                tuple(places[i] for i in parts),
                f"The target is a sum of the columns {listed}, each added or taken off, up to a "
                "constant and a factor.",
            )


def _in_units(problem: Problem, place: int, values: Array) -> Array:
    """Return values of a column in the unit of the table, exact to round-off."""
    if problem.table is None:
        return np.asarray(values, dtype=np.float64)
    units = problem.table.transformer.in_units(place, np.asarray(values, dtype=np.float64))
    return np.asarray([float(f"{value:.12g}") for value in units])


def _that_compare(X: Array, codes: Codes, targets: Targets) -> Iterator[tuple[int, int, str]]:
    """Yield pairs of columns of which the larger one tells the class."""
    most = len(codes) * targets.constant_error * TELLS_ALL
    for i, j in combinations(range(min(X.shape[1], PAIRED)), 2):
        larger = np.sign(X[:, i] - X[:, j])[:, None]
        if np.ptp(larger) > 0 and left_out_mistakes(larger, codes) <= most:
            yield i, j, "Which of the columns {} and {} is larger tells the target."


def _that_combine(X: Array, y: Array) -> Iterator[tuple[int, int, str]]:
    """Yield pairs of columns whose sum, difference, product or ratio is the target."""
    # In an order that depends on what rows hold; columns that go with the target come first.
    order = np.lexsort((*X.T, y))
    X, y = X[order], y[order]
    ranks = np.abs(np.nan_to_num(stats.spearmanr(X, y[:, None])[0])).reshape(X.shape[1] + 1, -1)
    some = np.sort(np.argsort(-ranks[-1, :-1], kind="stable")[:PAIRED])
    few = np.sort(np.random.default_rng(0).permutation(len(y))[:FIRST_ROWS])
    for i, j in combinations(some.tolist(), 2):
        for how, values in _combinations_of(X[:, i], X[:, j]):
            if _share_on_line(values[few], y[few], LINES_OF_TWO) < OF_TWO:
                continue
            if _share_on_line(values, y, LINES_OF_TWO) >= OF_TWO:
                yield i, j, f"The target is {how}, up to a constant and a factor."
                break


def _combinations_of(a: Array, b: Array) -> Iterator[tuple[str, Array]]:
    yield "the sum of the columns {} and {}", a + b
    yield "the difference of the columns {} and {}", a - b
    yield "the product of the columns {} and {}", a * b
    if (b != 0).all():
        yield "the ratio of the columns {} and {}", a / b
    if (a != 0).all():
        yield "the ratio of the columns {1} and {0}", b / a


def _that_add_up(X: Array, y: Array) -> list[int]:
    """Return the few columns whose sum, each added or taken off, is the target."""
    if len(y) <= 2 * (X.shape[1] + 1):
        return []
    centred = X - X.mean(axis=0)
    slopes, _, rank, _ = np.linalg.lstsq(centred, y - y.mean(), rcond=None)
    if rank < X.shape[1]:
        return []
    near = np.abs(y - y.mean() - centred @ slopes) <= EXACT * y.std()
    parts = np.flatnonzero(np.abs(slopes) * X.std(axis=0) > TELLS_ALL * y.std())
    if near.mean() < RIGHT or not 2 < len(parts) <= MOST_PARTS:
        return []
    sizes = np.abs(slopes[parts])
    return parts.tolist() if np.ptp(sizes) <= EQUAL_PARTS * sizes.max() else []


def _columns(problem: Problem, count: int) -> dict[str, list[int]]:
    """Return the columns of the table in words, each with the places of its encoding."""
    if problem.table is None or not problem.table.sources:
        return {f"Column {j}": [j] for j in range(count)}
    columns: dict[str, list[int]] = {}
    for place, source in enumerate(problem.table.sources):
        columns.setdefault(f"The column {source}", []).append(place)
    return columns


def _left_unexplained(values: Array, targets: Targets) -> float | None:
    """Return the share of a constant prediction's error that a column leaves, or None."""
    if targets.codes is not None:
        wrong = left_out_mistakes(values, targets.codes)
        return wrong / (targets.n - int(np.bincount(targets.codes).max()))
    if targets.values.shape[1] > 1 or np.ptp(values) == 0:
        return None
    if values.shape[1] == 1:
        return 1.0 - float(stats.spearmanr(values[:, 0], targets.values[:, 0])[0]) ** 2
    return left_out_variance(values, targets.values[:, 0])


def left_out_mistakes(values: Array, codes: NDArray[np.intp]) -> int:
    """Count the rows whose class the other rows do not tell by the values of one column.

    Among equal values the others' majority predicts. A number that occurs once is predicted by the
    two next to it, and counts as a mistake where both predict another class; a category that
    occurs once is always one.

    Parameters
    ----------
    values : ndarray of shape (n, places)
        The column; several places hold the encoding of a category.
    codes : ndarray of shape (n,)
        The classes as whole numbers.

    Returns
    -------
    int
        The number of mistakes.

    Examples
    --------
    >>> values = np.array([[0.0], [0.0], [1.0], [1.0], [1.0], [1.0]])
    >>> left_out_mistakes(values, np.array([0, 0, 1, 1, 1, 0]))
    1
    """
    groups = _groups(values)
    counts = np.zeros((int(groups.max()) + 1, int(codes.max()) + 1), dtype=np.intp)
    np.add.at(counts, (groups, codes), 1)
    own = counts[groups, codes]
    others = counts[groups]
    others[np.arange(len(codes)), codes] = 0
    wrong = own - 1 <= others.max(axis=1)
    if values.shape[1] == 1:
        alone = counts.sum(axis=1)[groups] == 1
        majority = np.concatenate([[-1], counts.argmax(axis=1), [-1]])
        beside = (majority[groups] == codes) | (majority[groups + 2] == codes)
        wrong = np.where(alone, ~beside, wrong)
    return int(wrong.sum())


def left_out_variance(values: Array, y: Array) -> float:
    """Return the share of variance that means over equal rows leave, each row left out of its own.

    Parameters
    ----------
    values : ndarray of shape (n, places)
        The encoding of a category.
    y : ndarray of shape (n,)
        The targets.

    Returns
    -------
    float
        The share; a row that is alone with its category is predicted by the mean of all.
    """
    groups = _groups(values)
    sizes, sums = np.bincount(groups), np.bincount(groups, y)
    others = sizes[groups] - 1
    means = np.where(others > 0, (sums[groups] - y) / np.maximum(others, 1), y.mean())
    return float(np.sum((y - means) ** 2) / np.sum((y - y.mean()) ** 2))


def on_one_line(values: Array, targets: Targets) -> float:
    """Return the share of rows whose target is the same linear function of a column, exactly.

    Lines through pairs of rows are tried. Rows count that lie on the line to four digits of the
    spread of the targets, unless few values, or one of them, make up most of them.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The column.
    targets : Targets
        The targets; for classes the share is 0.

    Returns
    -------
    float
        The largest share.

    Examples
    --------
    >>> from reldim.inputs.targets import code_targets
    >>> x = np.arange(1.0, 41.0) ** 1.5
    >>> y = 2.5 * np.where(np.arange(40) % 4 == 0, x / 1000, x)
    >>> on_one_line(x, code_targets(y))
    0.75
    """
    if targets.codes is not None or targets.values.shape[1] > 1:
        return 0.0
    x, y = np.asarray(values, dtype=np.float64), targets.values[:, 0]
    # In an order that depends on what rows hold, not on where they stand.
    order = np.lexsort((y, x))
    return _share_on_line(x[order], y[order], LINES)


def _share_on_line(x: Array, y: Array, lines: int) -> float:
    """Return the largest share of rows on one of the lines through pairs of rows."""
    pairs = np.random.default_rng(0).integers(0, len(x), size=(lines, 2))
    near = EXACT * float(y.std())
    best = 0.0
    for i, j in pairs:
        if x[i] == x[j] or y[i] == y[j]:
            continue
        slope = (y[j] - y[i]) / (x[j] - x[i])
        on = np.abs(y - y[i] - slope * (x - x[i])) <= near
        if on.mean() <= best:
            continue
        counts = np.unique(y[on], return_counts=True)[1]
        if len(counts) >= LEAST_VALUES and counts.max() <= on.sum() / 4:
            best = float(on.mean())
    return best


def _groups(values: Array) -> NDArray[np.intp]:
    """Give equal rows equal numbers; those of a single column ascend with it."""
    if values.shape[1] > 1:
        return np.asarray(group_rows(values))
    return np.unique(values[:, 0], return_inverse=True)[1]
