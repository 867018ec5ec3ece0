"""Targets: what kind of problem y poses, and its coding as numbers."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError, in_one_line
from reldim.inputs.rows import RowBlocks, by_rows, is_lazy, picked
from reldim.inputs.target_checks import (
    about_dates,
    categories_of,
    check_finite,
    checked_targets,
    holds_moments,
)

__all__ = ["TASKS", "AnyTask", "Targets", "code_targets", "decide", "detect_task", "told_of"]

Task = Literal["classification", "regression"]

#: What a caller may ask for.
AnyTask = Literal["auto", "classification", "regression"]
TASKS: tuple[str, ...] = get_args(AnyTask)

#: Scores of classes that are closer than this are equal; labels are coded as -1 and 1.
TIED = 1e-6

#: Whole numbers with at most this many distinct values are taken for classes.
MOST_CLASSES = 20

#: More distinct texts than this are no labels where so large a share of the rows are numbers.
MOST_LABELS = 10
SHARE_OF_NUMBERS = 0.95

#: Targets that are looked at first.
GLANCE = 1000

#: Numbers of this size, and of its inverse, can be squared and summed in double precision.
LARGEST = 1e140


@dataclass(frozen=True)
class Targets:
    """Targets coded as numbers, and the way back.

    Two classes are coded as -1 and +1, as in the papers. More classes are coded by one column per
    class, with the share of the class subtracted. Regression targets are centred. Where the data
    are blocks on a cluster, ``values`` and ``codes`` are lazy arrays.

    Attributes
    ----------
    task : {"classification", "regression"}
        The kind of problem.
    values : ndarray of shape (n, outputs)
        The coded targets.
    offset : ndarray of shape (outputs,)
        What was subtracted, to be added to every prediction.
    mean : ndarray of shape (outputs,)
        The best constant prediction, on the scale of ``values`` + ``offset``.
    classes : ndarray or None
        The classes in sorted order; None for regression.
    codes : ndarray of int or None
        The class of each row as an index into ``classes``.
    flat : bool
        Whether y had one dimension.
    reason : str
        Why the task was chosen.
    """

    task: Task
    values: NDArray[np.float64]
    offset: NDArray[np.float64]
    mean: NDArray[np.float64]
    classes: NDArray[Any] | None
    codes: NDArray[np.intp] | None
    flat: bool
    reason: str

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The coded targets with the offset: numbers as they were given."""
        return self.values + self.offset

    @property
    def degrees_of_freedom(self) -> int:
        """Free columns of the coding: centred class indicators sum to zero."""
        outputs = int(self.values.shape[1])
        return outputs - 1 if self.classes is not None and outputs > 1 else outputs

    @cached_property
    def energy(self) -> float:
        """Sum of squares of the coded values."""
        return float(np.sum(self.values**2))

    @cached_property
    def counts(self) -> NDArray[np.intp] | None:
        """Rows of each class; None for regression."""
        if self.codes is None or self.classes is None:
            return None
        return np.asarray(np.bincount(self.codes, minlength=len(self.classes)))

    @property
    def constant_error(self) -> float:
        """The error of the best constant: 1 for numbers, for classes the share of all but one."""
        if self.counts is None:
            return 1.0
        return (self.n - int(self.counts.max())) / self.n

    def beside(self, points: Any) -> "Targets":
        """Return the targets where the rows of the data are: in memory, or in the same blocks."""
        if not isinstance(points, RowBlocks):
            return self
        place = points.held if is_lazy(self.values) else points.column
        codes = None if self.codes is None else place(self.codes)
        return replace(self, values=place(self.values), codes=codes)

    def in_memory(self) -> "Targets":
        """Return the targets as arrays in memory, wherever the rows of the data are."""
        if not is_lazy(self.values):
            return self
        codes = None if self.codes is None else np.asarray(self.codes)
        return replace(self, values=np.asarray(self.values), codes=codes)

    def centred(self) -> "Targets":
        """Move the mean of the coded values into the offset.

        A kernel that is centred in feature space cannot express a constant, so two classes of
        unequal size need one, as regression targets have it in any case.
        """
        mean = self.mean - self.offset
        return replace(self, values=self.values - mean, offset=self.mean)

    def uncentred(self) -> "Targets":
        """Move the offset back into the coded values."""
        return replace(self, values=self.values + self.offset, offset=np.zeros_like(self.offset))

    def shaped(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Drop the second axis of one-column ``scores`` where y had none."""
        return scores[:, 0] if self.flat and scores.shape[1] == 1 else scores

    def labels(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return classes, or for regression the scores themselves, for ``scores``."""
        if self.classes is None:
            return self.shaped(scores)
        classes = self.classes
        labels: NDArray[Any] = by_rows(
            lambda rows: classes[decide(rows)], scores, dtype=classes.dtype
        )
        return labels

    def coded(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Code the classes that ``scores`` point to: -1 and +1, or one column for each class."""
        count = int(self.values.shape[1])

        def code(rows: NDArray[np.float64]) -> NDArray[np.float64]:
            decided = decide(rows)
            signs = 2.0 * decided[:, None].astype(np.float64) - 1.0
            return signs if count == 1 else np.eye(count)[decided]

        values: NDArray[np.float64] = by_rows(code, scores, dtype=np.dtype(np.float64), width=count)
        return values

    def subset(self, rows: NDArray[np.intp]) -> "Targets":
        """Return the targets of some rows, centred anew where they were centred.

        Parameters
        ----------
        rows : ndarray of int
            The rows to keep; each class must be among them.
        """
        given = picked(self.values, rows) + self.offset
        mean = np.asarray(given.mean(axis=0))
        offset = np.zeros_like(mean) if not np.any(self.offset) else mean
        return replace(
            self,
            values=given - offset,
            offset=offset,
            mean=mean,
            codes=None if self.codes is None else picked(self.codes, rows),
        )

    def as_they_are(self, rows: NDArray[np.intp]) -> "Targets":
        """Return the targets of some rows, not centred anew: predictions add the same offset.

        Parameters
        ----------
        rows : ndarray of int
            The rows to keep; each class must be among them.
        """
        return replace(
            self.subset(rows), values=picked(self.values, rows), offset=self.offset
        ).in_memory()

    def weighted(self, weights: NDArray[np.float64]) -> "Targets":
        """Return the targets, centred by a weighted mean where they were centred.

        Parameters
        ----------
        weights : ndarray of shape (n,)
            How many rows each one stands for.
        """
        given = self.numbers
        mean = np.average(given, axis=0, weights=weights)
        offset = mean if np.any(self.offset) else np.zeros_like(mean)
        return replace(self, values=given - offset, offset=offset, mean=mean)

    def error(
        self, fitted: NDArray[np.float64], weights: NDArray[np.float64] | None = None
    ) -> float:
        r"""Return the error of ``fitted`` (offset not included) against the coded targets.

        The share of wrong classes; for regression the normalised mean squared error
        :math:`\sum (y - \hat y)^2 / \sum (y - \bar y)^2`. With weights every row counts by its own.
        """
        if self.codes is not None:
            wrong = decide(fitted + self.offset) != self.codes
            return float(np.mean(wrong) if weights is None else np.average(wrong, weights=weights))
        # Without the offset, which may be so large that nothing would be left of a residual.
        spread = (self.values - (self.mean - self.offset)) ** 2
        squares = (self.values - fitted) ** 2
        if weights is not None:
            spread, squares = weights[:, None] * spread, weights[:, None] * squares
        return float(np.sum(squares)) / float(np.sum(spread))


def decide(scores: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """Return the class index that each row of ``scores`` (offset included) points to.

    Scores that differ by round-off only are tied, and the first class wins, so that the answer
    does not depend on the order of summation.

    Parameters
    ----------
    scores : ndarray of shape (n, outputs)
        One column for two classes, or one per class.
    """
    if scores.shape[1] == 1:
        return (scores[:, 0] > TIED).astype(np.intp)
    largest = scores.max(axis=1, keepdims=True)
    # Without np.asarray: the scores may be a lazy array, and so is the answer then.
    decided: NDArray[np.intp] = np.argmax(scores >= largest - TIED, axis=1)
    return decided


def detect_task(y: NDArray[Any]) -> tuple[Task, str]:
    """Tell classes from measurements.

    Strings, booleans, two distinct values, and at most 20 distinct whole numbers are classes;
    other numbers are measurements, and so are several columns.

    Returns
    -------
    task : {"classification", "regression"}
        The kind of problem.
    reason : str
        Why, in words for the user.

    Examples
    --------
    >>> detect_task(np.array(["a", "b", "a"]))
    ('classification', '2 distinct labels')
    >>> detect_task(np.array([0.5, 1.25, 3.0]))
    ('regression', 'numbers with fractions')
    """
    if y.ndim == 2:
        return "regression", f"{y.shape[1]} columns of targets"
    if y.dtype.kind not in "iuf":
        return "classification", f"{len(np.asarray(np.unique(y)))} distinct labels"
    fractions = y.dtype.kind == "f" and bool(np.any(y != np.round(y)))
    distinct = len(np.unique(np.asarray(y[:GLANCE])))
    # All values of a long column are sorted only where their number matters.
    if not fractions or distinct <= 2:
        distinct = len(np.asarray(np.unique(y)))
    if distinct <= 2:
        return "classification", f"{distinct} distinct values"
    if fractions:
        return "regression", "numbers with fractions"
    if distinct <= min(MOST_CLASSES, max(2, len(y) // 2)):
        return "classification", f"{distinct} distinct whole numbers"
    return "regression", f"{distinct} distinct whole numbers"


def code_targets(y: ArrayLike, task: str = "auto") -> Targets:
    """Validate targets and code them as numbers.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, outputs)
        Labels of any type, or numbers.
    task : {"auto", "classification", "regression"}
        The kind of problem; "auto" decides by :func:`detect_task`.

    Examples
    --------
    >>> code_targets(["yes", "no", "yes"]).values.ravel()
    array([ 1., -1.,  1.])
    """
    if task not in TASKS:
        raise InputError(f"task must be one of {', '.join(TASKS)}. Got {task!r} instead.")
    name = getattr(y, "name", None) if isinstance(y, pd.Series) else None
    try:
        return _coded_targets(y, task)
    except InputError as error:
        # A column is called as in the table that it comes from.
        raise type(error)(f"{name}: {error}" if isinstance(name, str) else str(error)) from error


def _coded_targets(y: ArrayLike, task: str) -> Targets:
    if y is None:
        raise InputError("y is None: expected a target for each row of X.")
    values = checked_targets(y)
    flat = values.ndim == 1
    if not flat and values.shape[1] == 1:
        values = values[:, 0]
    detected, reason = detect_task(values)
    categories = categories_of(y)
    if categories is not None:
        detected = "classification"
        reason = f"a column of {'ordered ' * bool(categories.ordered)}categories"
    elif task == "auto":
        _check_stray_text(values)
    if task == "regression" or (task == "auto" and categories is None):
        _check_moments(values)
    chosen: Task = detected if task == "auto" else task  # type: ignore[assignment]
    reason = reason if task == "auto" else "as asked"
    if chosen == "regression":
        return _measurements(values, reason, flat=flat)
    if values.ndim == 2:
        raise InputError(
            "Classification expects one column of labels, but y has "
            f"{values.shape[1]} columns. Pass one column, or task='regression'."
        )
    return _classes(values, reason)


def _measurements(values: NDArray[Any], reason: str, *, flat: bool) -> Targets:
    numbers = _settled(_as_numbers(values))
    if len(numbers) < 2:
        raise InputError("At least two rows are needed. Got 1.")
    check_finite(numbers)  # text such as "nan" and "inf" reads as a number
    scale = np.asarray(np.abs(numbers).max(axis=0))
    if scale.max() > LARGEST:
        raise InputError(
            f"y must not exceed {LARGEST:g}, or its squares overflow. Got values up to "
            f"{float(scale.max()):.2g}. Change the unit of y."
        )
    offset = np.asarray(numbers.mean(axis=0))
    centred = numbers - offset
    spread = np.asarray(np.abs(centred).max(axis=0))
    if (spread <= 4 * np.finfo(np.float64).eps * scale).all():
        raise InputError(
            f"y is constant (every target is {float(numbers[0, 0]):g}): there is nothing to "
            "explain. Check that the right column was chosen."
        )
    if spread.max() < 1 / LARGEST:
        raise InputError(
            f"y must vary by more than {1 / LARGEST:g}, or its squares vanish. Got differences up "
            f"to {float(spread.max()):.2g}. Change the unit of y."
        )
    return Targets("regression", centred, offset, offset, None, None, flat, reason)


def _check_moments(values: NDArray[Any]) -> None:
    """Refuse dates and durations that are no classes: too many, or asked for as numbers."""
    if is_lazy(values) or not holds_moments(values):
        return
    if len(np.unique(values)) > MOST_CLASSES:
        raise InputError(about_dates(values.ravel()[0]))


def told_of(y: Any, targets: Targets) -> tuple[str, ...]:
    """Say what is done with targets that are neither one number nor one plain class per row.

    Parameters
    ----------
    y : any
        The targets as they were given.
    targets : Targets
        The same, coded.

    Returns
    -------
    tuple of str
        A sentence where the targets are several labels, look like times and events, or are ordered
        categories.

    Examples
    --------
    >>> y = [[1, 0, 1], [0, 0, 1], [1, 1, 0]]
    >>> told_of(y, code_targets(y))[0][:67]
    'Took the 3 columns of the target, 0 and 1 for labels of which a row'
    """
    categories = categories_of(y)
    if targets.classes is None:
        told = "" if is_lazy(targets.numbers) else _about_several(targets.numbers)
    elif categories is not None and categories.ordered:
        held = {*targets.classes}
        order = " < ".join(in_one_line(one) for one in categories.categories if one in held)
        told = (
            f"Took the ordered categories of the target ({order}) as classes: a mistake counts the "
            "same however far off it is. Pass their ranks, y.cat.codes, with the task 'regression' "
            "for predictions that are close."
        )
    else:
        told = ""
    return (told,) if told else ()


def _about_several(numbers: NDArray[np.float64]) -> str:
    """Say what several columns of numbers look like: labels, a class, times with their marks."""
    count = numbers.shape[1]
    # Centring leaves round-off.
    numbers = np.round(numbers, 9)
    marks = np.isin(numbers, (0.0, 1.0)).all(axis=0)
    if count == 2 and marks.sum() == 1 and numbers.min() >= 0:
        return (
            "Took the target, a number and a mark of 0 or 1, as two numbers. If they are times and "
            "whether the event was seen, this is no survival analysis: a time that was cut off "
            "counts like one that was observed. Pass the times of the rows whose event was seen."
        )
    if count < 2 or not marks.all():
        return ""
    if (numbers.sum(axis=1) == 1).all():
        return (
            f"Took the {count} columns of the target, of which one is 1 in each row, as {count} "
            "numbers. If they stand for one class, pass np.argmax(y, axis=1): then mistakes are "
            "counted."
        )
    return (
        f"Took the {count} columns of the target, 0 and 1 for labels of which a row may have "
        f"several, as {count} numbers that are predicted together. Pass one column by itself for "
        "the mistakes and the verdict of its label."
    )


def _as_numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return one column per output; name the first value that is not a number."""
    if is_lazy(values) and values.dtype.kind not in "biuf":
        raise InputError(
            "Regression needs numbers as targets, but y holds text. Name another column; labels "
            "are for the task 'classification'."
        )
    try:
        numbers = values.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        row, text, _ = _not_a_number(values)
        raise InputError(
            f"Regression needs numbers as targets, but y holds {text!r} (row {row}, counted from "
            "0). Correct it or leave the row out; labels are for the task 'classification'."
        ) from error
    return numbers.reshape(len(numbers), -1)


def _not_a_number(values: NDArray[Any]) -> tuple[int, str, int]:
    """Return row and text of the first value that is not a number, and how many are numbers."""
    row, text, numbers = 0, "", 0
    for i, value in enumerate(values.reshape(len(values), -1)[:, 0]):
        try:
            float(value)
        except (OverflowError, TypeError, ValueError):
            row, text = (row, text) if text else (i, str(value))
        else:
            numbers += 1
    return row, text, numbers


def _check_stray_text(values: NDArray[Any]) -> None:
    """Refuse numbers among which a few texts stand, which would make labels of them all."""
    if is_lazy(values) or values.ndim != 1 or values.dtype.kind != "U":
        return
    if len(np.unique(values)) <= MOST_LABELS:
        return
    row, text, numbers = _not_a_number(values)
    if text and numbers >= SHARE_OF_NUMBERS * len(values):
        raise InputError(
            f"{numbers} of {len(values)} targets are numbers; the first that is not is "
            f"{text[:50]!r} (row {row}, counted from 0). Leave the row out, or correct the cell; "
            "the task 'classification' keeps them as labels."
        )


def _about_text(values: NDArray[Any]) -> str:
    row, text, numbers = _not_a_number(values)
    if not text:
        return "If y holds measurements, choose the task 'regression'."
    if numbers == 0:
        return "Check that the right column was chosen."
    return (
        f"{numbers} of its values are numbers; the first that is not is {text!r} (row {row}, "
        "counted from 0). Correct it for the task 'regression'."
    )


def _settled(values: NDArray[Any]) -> NDArray[Any]:
    """Compute a lazy array where it is: graphs would come to name its blocks differently."""
    return values.persist() if is_lazy(values) else values  # type: ignore[attr-defined]


def _coded(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in sorted order, and the number of each row's class."""
    if not is_lazy(values):
        classes, codes = np.unique(values, return_inverse=True)
        return classes, codes.astype(np.intp)
    classes = np.asarray(np.unique(values))
    return classes, by_rows(classes.searchsorted, values, dtype=np.dtype(np.intp))


def _classes(values: NDArray[Any], reason: str) -> Targets:
    classes, codes = _coded(values)
    if len(values) < 2:
        raise InputError("At least two rows are needed. Got 1.")
    if len(classes) < 2:
        raise InputError(
            f"y holds one class only ({classes[0]}): there is nothing to tell apart. "
            "Check that the right column was chosen."
        )
    if len(classes) == len(values) and len(values) > 2:
        raise InputError(
            f"Every one of the {len(values)} rows has a class of its own, so no class can be "
            f"learned. {_about_text(np.asarray(values[:GLANCE]))}"
        )
    if len(classes) == 2:
        coded = _settled(np.where(codes == 1, 1.0, -1.0)[:, None])
        offset = np.zeros(1)
        mean = np.asarray(coded.mean(axis=0))
    else:
        coded = _settled((codes[:, None] == np.arange(len(classes))).astype(np.float64))
        offset = mean = np.asarray(coded.mean(axis=0))
        coded = coded - offset
    return Targets("classification", coded, offset, mean, classes, codes, flat=True, reason=reason)
