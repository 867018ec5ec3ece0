"""Findings about data and targets: repeated rows, uneven noise, scales, too many classes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.leaks import find_leak
from reldim.diagnosis.problem import Problem
from reldim.diagnosis.verdicts import Verdict, finding, scale_gap
from reldim.inputs.duplicates import group_rows
from reldim.inputs.rows import Moments, RowBlocks, fold
from reldim.inputs.targets import Targets, decide
from reldim.relevance.estimation import RelevantDimension

__all__ = ["find_in_data", "find_in_residuals", "find_in_targets", "find_scale_gap", "scale_ratio"]

Array = NDArray[np.float64]

#: A test must be this sure before it becomes a finding, since there are several of them.
SURE = 0.001

#: Rows, and rows per dimension, below which residuals tell little about noise.
LEAST_ROWS = 50
ROWS_PER_DIMENSION = 4

#: Ratio of noise in the noisiest and the quietest fifth of the rows, or class, to be reported.
UNEVEN = 2.0

#: Components that noise may depend on.
COMPONENTS = 3

#: Shares of repeated rows, and of error that equal rows cause, to be reported.
REPEATED = 0.01
CONFLICT = 0.005

#: Columns whose standard deviations differ by more are reported.
SCALE_GAP = 100.0

#: Classes from which on labels may be numbers in disguise, and rows per class that are too few.
MANY_CLASSES = 5
FEW_PER_CLASS = 3


def find_scale_gap(points: Any) -> Iterator[Verdict]:
    """Yield whether one kernel width serves columns of very different scale.

    Parameters
    ----------
    points : prepared points or RowBlocks
        The data.

    Yields
    ------
    Verdict
        The finding.
    """
    ratio = scale_ratio(points)
    if ratio > SCALE_GAP:
        yield scale_gap(ratio)


def scale_ratio(points: Any) -> float:
    """Return the ratio of the largest to the smallest spread of a column; 1 for other data.

    Parameters
    ----------
    points : prepared points or RowBlocks
        The data.

    Returns
    -------
    float
        The ratio; constant columns do not count.
    """
    vectors = isinstance(points, (np.ndarray, RowBlocks)) and points.dtype.kind == "f"
    if not vectors or points.shape[1] < 2:
        return 1.0
    # Round-off gives a constant column a spread above zero.
    moments = fold(points, Moments.of, Moments.merged)
    spread = moments.spread[moments.highest > moments.lowest]
    return float(spread.max() / spread.min()) if len(spread) else 1.0


def find_in_residuals(rd: RelevantDimension) -> Iterator[Verdict]:
    """Yield whether noise differs from row to row, or from class to class.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate.

    Yields
    ------
    Verdict
        Findings.
    """
    n, d = rd.targets.n, rd.dimension
    in_memory = isinstance(rd.targets.values, np.ndarray)
    if d == 0 or n < max(LEAST_ROWS, ROWS_PER_DIMENSION * d) or not in_memory:
        return
    found = _uneven_rows(rd) if rd.targets.codes is None else _uneven_classes(rd)
    if found is not None:
        yield found
    counts = _close_mistakes(rd)
    if counts is not None:
        yield counts


def _uneven_rows(rd: RelevantDimension) -> Verdict | None:
    """Regress squared residuals on the fit and leading components (Breusch and Pagan, Koenker)."""
    n = rd.targets.n
    free = np.maximum(1.0 - rd.leverages, 1e-3)
    squares = np.sum((rd.targets.values - rd.fitted) ** 2, axis=1) / free
    components = np.asarray(rd.spectrum.basis.vectors(min(COMPONENTS, rd.dimension)))
    design = np.column_stack([np.ones(n), rd.fitted, components.astype(np.float64)])
    weights, _, rank, _ = np.linalg.lstsq(design, squares, rcond=None)
    predicted = design @ weights
    total = float(np.sum((squares - squares.mean()) ** 2))
    if rank < 2 or total == 0.0:
        return None
    explained = 1.0 - float(np.sum((squares - predicted) ** 2)) / total
    p_value = float(stats.chi2.sf(n * explained, rank - 1))
    order = np.argsort(predicted)
    quiet, loud = (float(np.mean(squares[part])) for part in (order[: n // 5], order[-(n // 5) :]))
    ratio = loud / quiet if quiet > 0 else np.inf
    if p_value > SURE or not UNEVEN <= ratio < np.inf:
        return None
    high = np.corrcoef(predicted, rd.fitted[:, 0])[0, 1]
    where = "high" if high > 0.5 else "low" if high < -0.5 else "some"
    return finding(
        "RD012",
        "info",
        f"Squared residuals are {ratio:.1f} times as large in the noisiest fifth of the rows, "
        f"those with {where} fitted values, as in the quietest (p = {p_value:.1g}).",
        "The noise is a mean over unequal rows. Weigh rows, model the variance, or transform the "
        "target, such as by its logarithm.",
        {"ratio": ratio, "p_value": p_value},
    )


def _uneven_classes(rd: RelevantDimension) -> Verdict | None:
    """Compare how often labels differ from confident predictions, class by class."""
    codes, classes = rd.targets.codes, rd.targets.classes
    assert codes is not None
    assert classes is not None
    scores = rd.leave_one_out
    decided = decide(scores)
    ordered = np.sort(scores, axis=1)
    single = scores.shape[1] == 1
    margin = np.abs(scores[:, 0]) if single else ordered[:, -1] - ordered[:, -2]
    # By class: where labels are noisy all scores are lower.
    rows, bad = np.zeros((2, len(classes)))
    for c in np.unique(decided):
        own = decided == c
        clear = own & (margin >= np.median(margin[own]))
        rows[c], bad[c] = np.sum(clear), np.sum(codes[clear] != c)
    usable = rows >= 10
    if usable.sum() < 2 or bad[usable].sum() == 0:
        return None
    table = np.array([bad[usable], (rows - bad)[usable]])
    if (table.sum(axis=1) == 0).any():
        return None
    p_value = float(stats.chi2_contingency(table)[1])
    shares = bad[usable] / rows[usable]
    names = classes[usable]
    worst, best = int(np.argmax(shares)), int(np.argmin(shares))
    gap = shares[worst] - shares[best]
    if p_value > SURE or gap < 0.05 or shares[worst] < UNEVEN * shares[best]:
        return None
    return finding(
        "RD013",
        "info",
        f"Of the rows that clearly look like {names[worst]!s}, {shares[worst]:.1%} are labelled "
        f"otherwise, of those that look like {names[best]!s} {shares[best]:.1%} "
        f"(p = {p_value:.1g}).",
        "Labels of one class may be less reliable: check how they were given, first for rows that "
        f"look like {names[worst]!s}.",
        {"largest": float(shares[worst]), "smallest": float(shares[best]), "p_value": p_value},
    )


def _close_mistakes(rd: RelevantDimension) -> Verdict | None:
    """Tell whether whole numbers that are close are confused more often than others."""
    codes, classes = rd.targets.codes, rd.targets.classes
    if codes is None or classes is None or classes.dtype.kind not in "iuf":
        return None
    if len(classes) < MANY_CLASSES or rd.targets.reason == "as asked":
        return None
    decided = decide(rd.leave_one_out)
    wrong = np.flatnonzero(decided != codes)
    if len(wrong) < 20:
        return None
    close = np.abs(decided[wrong] - codes[wrong]) == 1
    # If mistakes fell on the other classes as these are frequent:
    counts = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    padded = np.concatenate([[0.0], counts, [0.0]])
    beside = (padded[:-2] + padded[2:])[codes[wrong]]
    expected = float(np.mean(beside / (len(codes) - counts[codes[wrong]])))
    share = float(np.mean(close))
    p_value = float(stats.binomtest(int(close.sum()), len(wrong), expected, "greater").pvalue)
    if p_value > SURE or share < 1.5 * expected:
        return None
    return finding(
        "RD018",
        "info",
        f"The {len(classes)} classes are whole numbers, and {share:.0%} of the mistakes are off by "
        f"one step; by chance it would be {expected:.0%}. They look like counts or grades.",
        "Choose the task regression (--task regression), which takes 3 to be close to 4.",
        {"share": share, "expected": expected, "p_value": p_value},
    )


def find_in_data(problem: Problem, rd: RelevantDimension) -> Iterator[Verdict]:
    """Yield what is odd about the rows: repeats, conflicts, a column that tells the target.

    Parameters
    ----------
    problem : Problem
        The data as they were used.
    rd : RelevantDimension
        The estimate.

    Yields
    ------
    Verdict
        Findings.
    """
    n, points = rd.targets.n, rd.spectrum.gram.points
    copies = len(problem.source) - n if isinstance(problem.source, np.ndarray) else 0
    if copies >= max(1.0, REPEATED * len(problem.source)):
        share = copies / len(problem.source)
        yield finding(
            "RD014",
            "info",
            f"{copies} of {len(problem.source)} rows ({share:.1%}) repeat others, features and "
            "target alike. They were left out.",
            "Keep copies on one side when you divide rows into training and test rows, or the test "
            "error will look better than it is.",
            {"repeated": float(copies), "share": share},
        )
    if not isinstance(rd.targets.values, np.ndarray):
        return
    if rd.spectrum.gram.kernel.domain != "precomputed":
        conflict = _conflicts(rd, np.asarray(group_rows(points)))
        if conflict is not None:
            yield conflict
    yield from find_leak(problem, rd)


def _conflicts(rd: RelevantDimension, groups: NDArray[np.intp]) -> Verdict | None:
    """Find equal rows whose targets differ, and the error that they make unavoidable."""
    targets, n = rd.targets, rd.targets.n
    sizes = np.bincount(groups)
    if sizes.max() == 1:
        return None
    if targets.codes is not None and targets.classes is not None:
        pairs = np.zeros((len(sizes), len(targets.classes)))
        np.add.at(pairs, (groups, targets.codes), 1.0)
        least = float(n - pairs.max(axis=1).sum()) / n
        rows = int(sizes[(pairs > 0).sum(axis=1) > 1].sum())
    else:
        sums = np.zeros((len(sizes), targets.values.shape[1]))
        np.add.at(sums, groups, targets.values)
        apart = targets.values - (sums / sizes[:, None])[groups]
        least = float(np.sum(apart**2)) / targets.energy
        rows = int(sizes[sizes > 1].sum())
    if least < CONFLICT:
        return None
    unit = "of the labels" if targets.codes is not None else "of the variance"
    return finding(
        "RD015",
        "warning" if least > 0.5 * rd.error_estimate else "info",
        f"{rows} rows are equal to others but have different targets. No predictor that sees these "
        f"columns can explain {least:.1%} {unit}.",
        "Look for a column that tells these rows apart, or for mistakes in their targets.",
        {"rows": float(rows), "least_error": least},
    )


def find_in_targets(targets: Targets, error: float) -> Iterator[Verdict]:
    """Yield what is odd about the targets: too many classes, or numbers taken for labels.

    Parameters
    ----------
    targets : Targets
        The coded targets.
    error : float
        The expected error.

    Yields
    ------
    Verdict
        Findings.
    """
    classes = targets.classes
    if classes is None or len(classes) < MANY_CLASSES:
        return
    count, n = len(classes), targets.n
    if n < FEW_PER_CLASS * count:
        yield finding(
            "RD017",
            "warning",
            f"{n} rows have {count} classes, which leaves {n / count:.1f} rows per class.",
            "Check that the right column was chosen; if it holds measurements, choose the task "
            "regression (--task regression).",
            {"classes": float(count), "rows": float(n), "expected_error": error},
        )
    example = _number_in(classes)
    if example is not None:
        yield finding(
            "RD018",
            "warning",
            f"The {count} labels are numbers written as text, such as {example}.",
            "If they are measurements, turn them into numbers and choose the task regression.",
            {"classes": float(count)},
        )


def _number_in(classes: NDArray[Any]) -> str | None:
    """Return a label that is a number, where all of them are."""
    if not all(isinstance(label, str) for label in classes.tolist()):
        return None
    import pandas as pd

    texts = pd.Series([str(label) for label in classes])
    numbers = pd.to_numeric(texts, errors="coerce").notna()
    return repr(texts[0]) if bool(numbers.all()) else None
