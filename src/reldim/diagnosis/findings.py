"""Findings about data and targets: repeated rows, odd values, uneven noise, scales, classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.held_out import HeldOut
from reldim.diagnosis.label_issues import columns_of, wrong_shares
from reldim.diagnosis.leaks import find_leak
from reldim.diagnosis.problem import Problem
from reldim.diagnosis.verdicts import Verdict, finding, scale_gap
from reldim.inputs.duplicates import group_rows
from reldim.inputs.rows import Moments, RowBlocks, fold
from reldim.inputs.targets import Targets
from reldim.relevance.estimation import RelevantDimension
from reldim.relevance.noise_scale import NoiseScale

__all__ = [
    "find_in_data",
    "find_in_residuals",
    "find_in_targets",
    "find_limit",
    "find_scale_gap",
    "repeats_disagree",
    "scale_ratio",
]

Array = NDArray[np.float64]

#: A test must be this sure before it becomes a finding, since there are several of them.
SURE = 0.001

#: Rows below which residuals tell little about noise.
LEAST_ROWS = 50

#: Ratio of the variances of noise in the noisiest and the quietest fifth of the rows from which on
#: the logarithm is advised, by how much it must bring the ratio down, and the ratio to be reported
#: in any case. Residuals of more than so many medians count as if they were as large as that.
UNEVEN, EVENED_BY, VERY_UNEVEN = 4.0, 2.5, 9.0
OUTLIERS = 10.0

#: Ratio and difference of the shares of wrong labels in two classes to be reported, by how many
#: standard errors they must differ, and rows that a class must have.
UNEVEN_CLASSES, LEAST_GAP, SURELY_UNEVEN = 2.0, 0.05, 2.5
LEAST_OF_A_CLASS = 30

#: Mistakes that tell grades from classes, by how much more often close grades must be confused, and
#: how rare the grades at both ends must be beside the most frequent one.
LEAST_MISTAKES, CLOSER, RARE_ENDS = 20, 1.5, 4.0

#: Smaller p-values are written as this one.
LEAST_P = 1e-6

#: Columns that are named beside uneven noise at most.
MOST_NAMED = 3

#: Shares of repeated rows, and of error that equal rows cause, to be reported.
REPEATED = 0.01
CONFLICT = 0.005

#: Rows at the largest or smallest target to be reported, their share, by how many times they must
#: outnumber those of the nearest values on average, and distinct values that make a pile unusual.
LEAST_AT_AN_END, AT_AN_END, PILED, NEAREST = 10, 0.02, 5.0, 10
LEAST_VALUES = 20

#: Columns with values that look like mistakes that are described.
ODD_COLUMNS = 4

#: Rows with hardly any value are odd where they are at most this share of all.
NEARLY_EMPTY = 0.01

#: Columns whose standard deviations differ by more are reported.
SCALE_GAP = 100.0

#: Classes from which on labels may be numbers in disguise, and rows per class that are too few.
MANY_CLASSES = 5
FEW_PER_CLASS = 3


def find_scale_gap(ratio: float) -> Iterator[Verdict]:
    """Yield whether one kernel width serves columns of very different scale.

    Parameters
    ----------
    ratio : float
        Of the largest to the smallest spread of a column, see :func:`scale_ratio`.

    Yields
    ------
    Verdict
        The finding.
    """
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
    # Round-off gives a constant column a spread above zero, and a tiny one none.
    moments = fold(points, Moments.of, Moments.merged)
    spread = moments.spread[(moments.highest > moments.lowest) & (moments.spread > 0)]
    return float(spread.max() / spread.min()) if len(spread) else 1.0


def find_in_residuals(
    rd: RelevantDimension, held: HeldOut | None, problem: Problem | None = None
) -> Iterator[Verdict]:
    """Yield whether noise differs from row to row, or from class to class, so that it matters.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate.
    held : HeldOut or None
        Held-out predictions of the predictor.
    problem : Problem, optional
        The data, which name the columns.

    Yields
    ------
    Verdict
        Findings.
    """
    if held is None or not isinstance(rd.targets.values, np.ndarray):
        return
    grades = _grades(held)
    if grades is not None:
        yield grades
    if held.targets.n < LEAST_ROWS or np.ptp(held.predicted, axis=0).max() == 0:
        return
    found = (
        _uneven_rows(rd, held, problem) if held.targets.codes is None else _uneven_classes(rd, held)
    )
    if found is not None:
        yield found


def _uneven_rows(rd: RelevantDimension, held: HeldOut, problem: Problem | None) -> Verdict | None:
    """Tell where noise differs so much from row to row that something is to be done about it.

    Either the logarithm of the target makes it even, or the mean error says nothing about a row.
    """
    if held.targets.values.shape[1] > 1:
        return None
    predicted, columns = held.predicted[:, 0], columns_of(rd.spectrum)
    columns = None if columns is None else columns[held.rows]
    noise = _UnevenNoise.of(held.residuals[:, 0], predicted, columns)
    if noise.p_value > SURE or not noise.ratio < np.inf:
        return None
    given = held.targets.values[:, 0] + held.targets.offset[0]
    logs = None
    if noise.ratio >= UNEVEN and noise.where == "high" and given.min() > 0:
        clipped = np.maximum(predicted + held.targets.offset[0], given.min())
        logs = _UnevenNoise.of(np.log(given) - np.log(clipped), predicted, columns)
    if logs is not None and logs.ratio < noise.ratio / EVENED_BY:
        advice = (
            "Learn the logarithm of the target, np.log(y): between the noisiest and the quietest "
            f"fifth the variance of its noise differs by a factor of {logs.ratio:.3g}, not "
            f"{noise.ratio:.3g}. Turn predictions back by np.exp."
        )
    elif noise.ratio >= VERY_UNEVEN:
        advice = (
            "Do not quote one error for all rows: give predictions intervals that follow the "
            "noise (predict_interval of a blend), and weigh quiet rows more (sample_weight)."
        )
    else:
        return None
    goes_with = _goes_with(noise.t_values[1:], problem)
    return finding(
        "RD012",
        "info",
        f"Held-out predictions are off by ±{noise.loud:.3g} in the noisiest fifth of the rows, "
        f"{noise.described}, and by ±{noise.quiet:.3g} in the quietest "
        f"(p {_at_least(noise.p_value)}).{goes_with}",
        advice,
        {
            "ratio": noise.ratio,
            "p_value": noise.p_value,
            "loud": noise.loud,
            "quiet": noise.quiet,
            **({} if logs is None else {"ratio_of_logarithms": logs.ratio}),
        },
    )


def _at_least(p_value: float) -> str:
    """Write a p-value: what so few rows can tell ends at one in a million."""
    return f"= {p_value:.1g}" if p_value >= LEAST_P else f"< {LEAST_P:g}"


def _goes_with(t_values: Array, problem: Problem | None) -> str:
    """Name the columns that the size of the noise goes with, the closest first."""
    if problem is None:
        return ""
    sources = problem.table.sources if problem.table is not None else ()
    names = sources or problem.column_names
    level = stats.norm.isf(SURE / (2.0 * max(len(t_values), 1)))
    if len(names) != len(t_values):
        return ""
    order = np.argsort(-np.abs(t_values), kind="stable")
    clear = dict.fromkeys(str(names[j]) for j in order if abs(t_values[j]) > level)
    if not clear:
        return ""
    some = list(clear)[:MOST_NAMED]
    return f" The size of the noise goes with {', '.join(some)}."


@dataclass(frozen=True)
class _UnevenNoise:
    """How the size of the noise goes with the prediction and the columns.

    Attributes
    ----------
    p_value : float
        Probability that even noise looks as uneven.
    loud, quiet : float
        Root mean square of the residuals in the fifths of the rows where most and least noise is
        expected, without a look at their own residuals.
    where : {"high", "low", "some"}
        Fitted values of the noisiest rows.
    t_values : ndarray
        How closely it goes with the prediction and each column.
    """

    p_value: float
    loud: float
    quiet: float
    where: str
    t_values: Array

    @classmethod
    def of(cls, residuals: Array, predicted: Array, columns: Array | None) -> "_UnevenNoise":
        """Learn the scale of the noise, and look at the outer fifths of the rows."""
        scale = NoiseScale.of(residuals, predicted, columns)
        # A few gross mistakes are no uneven noise: squares end at those of ten medians of all rows.
        ratio = np.median(np.abs(residuals) / scale.at_rows)
        squares = np.minimum(residuals**2, (OUTLIERS * ratio * scale.at_rows) ** 2)
        order = np.argsort(scale.at_rows, kind="stable")
        fifth = len(order) // 5
        quiet, loud = (
            float(np.sqrt(np.mean(squares[part]))) for part in (order[:fifth], order[-fifth:])
        )
        high = stats.spearmanr(scale.at_rows, predicted).statistic
        where = "high" if high > 0.5 else "low" if high < -0.5 else "some"
        return cls(scale.p_value, loud, quiet, where, scale.t_values)

    @property
    def ratio(self) -> float:
        """Ratio of the variances of the noise."""
        return (self.loud / self.quiet) ** 2 if self.quiet > 0 else np.inf

    @property
    def described(self) -> str:
        return f"those with {self.where} predictions" if self.where != "some" else "some of them"


def _uneven_classes(rd: RelevantDimension, held: HeldOut) -> Verdict | None:
    """Compare the shares of wrong labels among rows that look like each class."""
    classes = held.targets.classes
    assert classes is not None
    shares = wrong_shares(rd, held, LEAST_OF_A_CLASS)
    if len(shares) < 2:
        return None
    worst, best = (pick(shares, key=lambda c: shares[c].share) for pick in (max, min))
    most, least = shares[worst], shares[best]
    gap = most.share - least.share
    lead = gap / max(float(np.hypot(most.spread, least.spread)), 1e-12)
    if lead < SURELY_UNEVEN or most.share < UNEVEN_CLASSES * least.share or gap < LEAST_GAP:
        return None
    if not most.flagged:
        # What no row can be blamed for is overlap as well as mistakes.
        return None
    return finding(
        "RD013",
        "info",
        f"Of the rows that look like {classes[worst]!s}, about {most.share:.1%} ± "
        f"{most.spread:.1%} seem to carry a wrong label, of those that look like "
        f"{classes[best]!s} {least.share:.1%} ± {least.spread:.1%}; rows that lie between classes "
        "are not counted.",
        f"Check how labels were given to rows that look like {classes[worst]!s}: label_issues (on "
        "the command line: reldim labels) puts the most suspicious first.",
        {
            "largest": most.share,
            "smallest": least.share,
            "standard_errors": lead,
            "flagged": float(most.flagged),
        },
    )


def _grades(held: HeldOut) -> Verdict | None:
    """Tell whether classes are grades or counts: whole numbers, of which close ones are alike."""
    targets = held.targets
    codes, classes = targets.codes, targets.classes
    if codes is None or classes is None or classes.dtype.kind not in "iuf":
        return None
    if len(classes) < MANY_CLASSES or targets.reason == "as asked":
        return None
    if not np.equal(classes, np.round(classes)).all():
        return None
    numbers = f"The {len(classes)} classes are the whole numbers {classes[0]:g} to {classes[-1]:g}"
    advice = (
        "If they are grades or counts, choose the task regression, which takes "
        f"{classes[0]:g} to be close to {classes[1]:g}: task='regression', on the command line "
        "--task regression."
    )
    mistakes = _close_mistakes(held.decided, codes)
    if mistakes is not None:
        share, expected, p_value = mistakes
        return finding(
            "RD018",
            "info",
            f"{numbers}, and {share:.0%} of the mistakes are off by one step; by chance it would "
            f"be {expected:.0%}.",
            advice,
            {"share": share, "expected": expected, "p_value": p_value},
        )
    if not _one_hump(np.asarray(targets.counts), classes.astype(np.float64)):
        return None
    return finding(
        "RD018",
        "info",
        f"{numbers}, most frequent in the middle and rare at both ends, as grades are.",
        advice,
        {"classes": float(len(classes))},
    )


def _close_mistakes(
    decided: NDArray[np.intp], codes: NDArray[np.intp]
) -> tuple[float, float, float] | None:
    """Return the share of mistakes by one step, the share by chance, and its p-value."""
    wrong = np.flatnonzero(decided != codes)
    if len(wrong) < LEAST_MISTAKES:
        return None
    close = np.abs(decided[wrong] - codes[wrong]) == 1
    # If mistakes fell on the other classes as these are predicted:
    counts = np.bincount(decided, minlength=int(codes.max()) + 1).astype(np.float64)
    padded = np.concatenate([[0.0], counts, [0.0]])
    beside = (padded[:-2] + padded[2:])[codes[wrong]]
    expected = float(np.mean(beside / (len(codes) - counts[codes[wrong]])))
    share = float(np.mean(close))
    p_value = float(stats.binomtest(int(close.sum()), len(wrong), expected, "greater").pvalue)
    # Where most classes are neighbours, it is the far mistakes that are missing.
    marked = share >= CLOSER * expected or 1.0 - share <= (1.0 - expected) / CLOSER
    return (share, expected, p_value) if p_value <= SURE and marked else None


def _one_hump(counts: NDArray[np.intp], classes: Array) -> bool:
    """Tell whether consecutive numbers are frequent in the middle and rare at both ends."""
    top = int(np.argmax(counts))
    steps = np.diff(counts)
    humped = bool((steps[:top] > 0).all() and (steps[top:] < 0).all())
    rare = max(counts[0], counts[-1]) <= counts[top] / RARE_ENDS
    return humped and rare and bool((np.diff(classes) == 1).all())


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
            f"{copies} of {len(problem.source)} rows ({share:.1%}) {_repeats(copies)} left out.",
            "Keep copies on one side when you divide rows into training and test rows, or the test "
            "error will look better than it is.",
            {"repeated": float(copies), "share": share},
        )
    yield from _odd_values(problem)
    if not isinstance(rd.targets.values, np.ndarray):
        return
    if rd.spectrum.gram.kernel.domain != "precomputed":
        conflict = _conflicts(rd, np.asarray(group_rows(points)))
        if conflict is not None:
            yield conflict
    yield from find_leak(problem, points, rd.targets)


def _odd_values(problem: Problem) -> Iterator[Verdict]:
    """Yield which values of the table look like mistakes, and what was made of them."""
    odd = () if problem.table is None else problem.table.odd
    rows = _nearly_empty_rows(problem)
    if not odd and not len(rows):
        return
    more = len(odd) - ODD_COLUMNS
    described = [str(one) for one in odd[:ODD_COLUMNS]]
    described += [f"and {more} more"] if more > 0 else []
    if len(rows):
        which = f"row {rows[0]}" if len(rows) == 1 else f"{len(rows)} rows, such as row {rows[0]},"
        has = "has" if len(rows) == 1 else "have"
        described.append(
            f"{which} (counted from 0) {has} a target and hardly any other value, as a line of "
            "totals below a table has"
        )
    evidence = "; ".join(described)
    yield finding(
        "RD021",
        "warning",
        f"{evidence[0].upper() if not odd else evidence[0]}{evidence[1:]}.",
        "Correct them in the table, or mark them as missing, and leave out rows that are none; if "
        "values are right as they are, declare what the column is (roles).",
        {
            "columns": float(len({one.column for one in odd})),
            "values": float(sum(one.count for one in odd)),
            "rows": float(len(rows)),
        },
    )


def _nearly_empty_rows(problem: Problem) -> NDArray[np.intp]:
    """Return the few rows with a value in one column at most, where others have many more."""
    table = problem.table
    if table is None or not table.missing:
        return np.zeros(0, dtype=np.intp)
    present = len(problem.column_names) - np.sum([*table.missing.values()], axis=0)
    rows = np.flatnonzero((present <= 1) & (present <= np.median(present) - 2))
    return rows if len(rows) <= max(1.0, NEARLY_EMPTY * len(present)) else rows[:0]


def _repeats(copies: int) -> str:
    if copies == 1:
        return "repeats another, features and target alike. It was"
    return "repeat others, features and target alike. They were"


def _conflicts(rd: RelevantDimension, groups: NDArray[np.intp]) -> Verdict | None:
    """Find equal rows whose targets differ, and the error that they make unavoidable."""
    targets = rd.targets
    least, rows = _unexplainable(targets, groups)
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


def repeats_disagree(rd: RelevantDimension) -> float:
    """Return the error that equal rows with different targets leave to any model.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate.

    Returns
    -------
    float
        The error; 0 where there are no equal rows, and for rows that are not in memory.
    """
    gram = rd.spectrum.gram
    if gram.kernel.domain == "precomputed" or not isinstance(rd.targets.values, np.ndarray):
        return 0.0
    return _unexplainable(rd.targets, np.asarray(group_rows(gram.points)))[0]


def _unexplainable(targets: Targets, groups: NDArray[np.intp]) -> tuple[float, int]:
    """Return the error that equal rows leave, and how many rows have equals that differ."""
    sizes = np.bincount(groups)
    if sizes.max() == 1:
        return 0.0, 0
    if targets.codes is not None and targets.classes is not None:
        pairs = np.zeros((len(sizes), len(targets.classes)))
        np.add.at(pairs, (groups, targets.codes), 1.0)
        mistakes = targets.n - pairs.max(axis=1).sum()
        return float(mistakes) / targets.n, int(sizes[(pairs > 0).sum(axis=1) > 1].sum())
    sums = np.zeros((len(sizes), targets.values.shape[1]))
    np.add.at(sums, groups, targets.values)
    apart = targets.values - (sums / sizes[:, None])[groups]
    return float(np.sum(apart**2)) / targets.energy, int(sizes[sizes > 1].sum())


def find_limit(rd: RelevantDimension) -> Iterator[Verdict]:
    """Yield whether the dimension is the largest that was considered.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate; its components are what predicts.

    Yields
    ------
    Verdict
        At most one finding.
    """
    if not rd.at_limit:
        return
    n, d = rd.targets.n, rd.dimension
    yield finding(
        "RD022",
        "info",
        f"The relevant dimension, {d}, is the largest that was considered for {n} rows: the "
        "criterion may be lower beyond it. Under this kernel the structure takes more components "
        "than these rows can tell from noise, so do not read dimension and noise as properties of "
        "the problem.",
        "Collect more rows, or try a wider kernel or one that brings knowledge of the problem; "
        "relevant_dimension(..., max_dimension=...) looks beyond the limit.",
        {"dimension": float(d), "rows": float(n)},
    )


def find_in_targets(targets: Targets, error: float) -> Iterator[Verdict]:
    """Yield what is odd about the targets: too many classes, numbers as text, a pile at one end.

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
    if classes is None:
        yield from _capped(targets)
        return
    if len(classes) < MANY_CLASSES:
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


def _capped(targets: Targets) -> Iterator[Verdict]:
    """Yield at which end of their range numbers pile up, as if they had been cut off there."""
    if targets.values.shape[1] > 1 or not isinstance(targets.values, np.ndarray):
        return
    values, counts = np.unique(targets.values[:, 0], return_counts=True)
    if len(values) < LEAST_VALUES:
        return
    for end, beside, word in ((0, counts[1:], "smallest"), (-1, counts[-2::-1], "largest")):
        rows, share = int(counts[end]), counts[end] / targets.n
        # Rounded numbers repeat as well: a pile stands out among all others.
        piled = rows >= PILED * beside[:NEAREST].mean() and rows > beside.max()
        if rows < LEAST_AT_AN_END or share < AT_AN_END or not piled:
            continue
        limit = float(values[end] + targets.offset[0])
        limit = 0.0 if abs(limit) < 1e-9 * np.ptp(values) else limit
        bound = "at least" if word == "largest" else "at most"
        yield finding(
            "RD019",
            "info",
            f"{rows} rows ({share:.1%}) have the {word} target, {limit:.6g}: more than any other "
            "value, and many more than values near it on average.",
            f"If targets were cut off at {limit:.6g}, these rows only say {bound} that much: leave "
            f"them out, or learn whether a row lies at {limit:.6g} apart from how large the others "
            "are, and hold predictions to that limit.",
            {"rows": float(rows), "share": float(share), "limit": limit},
        )


def _number_in(classes: NDArray[Any]) -> str | None:
    """Return a label that is a number, where all of them are."""
    if not all(isinstance(label, str) for label in classes.tolist()):
        return None
    import pandas as pd

    texts = pd.Series([str(label) for label in classes])
    numbers = pd.to_numeric(texts, errors="coerce").notna()
    return repr(texts[0]) if bool(numbers.all()) else None
