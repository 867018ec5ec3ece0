"""Words: how every view writes a value, and what the terms in it mean."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = [
    "GLOSSARY",
    "IN_SHORT",
    "Term",
    "cell_text",
    "numbers",
    "percent",
    "plain",
    "predicted_text",
]

#: Errors beyond this multiple of the variance are only said to be large.
LARGE_ERROR = 10.0

#: Characters of a cell.
CHARACTERS = 80

#: Digits of a number in a picture.
DIGITS = 5


@dataclass(frozen=True)
class Term:
    """A word and what it means.

    Attributes
    ----------
    word : str
        The word, as the views write it.
    meaning : str
        What it means, in a sentence or two.
    """

    word: str
    meaning: str


#: The words of the headline first, then those that only some of the views use.
GLOSSARY = (
    Term(
        "kernel",
        "A measure of how alike two rows are. All that is learned is built from it: rows that it "
        "calls alike get similar predictions.",
    ),
    Term(
        "relevant dimension",
        "How many directions of the data, as the kernel sees them, carry what can be learned about "
        "the target. Few mean a simple problem, many for the number of rows a complex one.",
    ),
    Term(
        "signal",
        "What the target has to do with the columns. Its p is how often a target that has nothing "
        "to do with them would look as structured.",
    ),
    Term(
        "noise",
        "What none of the models that were tried can explain: errors of measurement, wrong labels, "
        "and what depends on things that are not among the columns.",
    ),
    Term(
        "expected error",
        "The error of the predictor on new rows, estimated from rows that had no part in its fit: "
        "the share of wrong labels; for numbers the mean squared error over the variance, so that "
        "predicting the mean has 100 %.",
    ),
    Term(
        "constant prediction",
        "The most frequent class for every row, or the mean: what can be had without learning.",
    ),
    Term(
        "other models",
        "A linear model, boosted trees and extra trees of scikit-learn on the same rows, as a "
        "yardstick that has nothing to do with kernels.",
    ),
    Term(
        "columns that matter",
        "The shares of the signal that rest on single columns. Columns with the same "
        "information divide its share, and a column that matters need not be a cause.",
    ),
    Term(
        "kernel PCA component",
        "One of the directions of the data, as the kernel sees them, the most prominent first. The "
        "first ones, up to the relevant dimension, carry the signal.",
    ),
    Term(
        "criterion",
        "What kernels are compared by: the negative log-likelihood of signal up to the relevant "
        "dimension and noise beyond it, or the leave-one-out error. Lower is better.",
    ),
    Term(
        "leave-one-out error",
        "The error for each row of a fit to all the others.",
    ),
    Term(
        "training residual",
        "What the relevant components leave unexplained of the very rows that they were fitted to; "
        "the papers call it the noise level. It is too low where dimensions are many.",
    ),
    Term(
        "denoised target",
        "The part of a target that lies in the relevant components.",
    ),
    Term(
        "90% interval",
        "It holds the true value in nine of ten cases.",
    ),
    Term(
        "quality of a label",
        "How well a label, or a number, fits what the other rows say about it, from 0 to 1. The "
        "lower, the more likely it is wrong, or the row a special one.",
    ),
    Term(
        "floor",
        "The error that is estimated to be left with any number of rows of the same kind.",
    ),
)

#: The three words without which the figures cannot be read, in a line each.
IN_SHORT = (
    Term("kernel", "how alike two rows are; what is learned is built from it"),
    Term("relevant dimension", "how many directions of the data carry the signal"),
    Term("signal", "p: how often an unrelated target looks as structured"),
)


def percent(share: float) -> str:
    """Write a share in per cent; very large ones are only said to be large."""
    return f"over {LARGE_ERROR:.0%}" if share > LARGE_ERROR else f"{share:.1%}"


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: numbers, strings, booleans and None."""
    item: Callable[[], Any] | None = getattr(value, "item", None)
    single = item() if item is not None and np.ndim(value) == 0 else value
    return single if isinstance(single, (str, int, float, bool)) or single is None else str(single)


def numbers(values: Iterable[float]) -> tuple[float | None, ...]:
    """Write numbers with as many digits as a picture can show; JSON has no infinity."""
    return tuple(float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None for value in values)


def cell_text(value: Any) -> str:
    """Write a cell: numbers to six digits, missing values as a dash, long text cut.

    Examples
    --------
    >>> cell_text(1 / 3), cell_text(float("nan")), cell_text("a" * 100)[-3:]
    ('0.333333', '–', 'aa…')
    """
    if isinstance(value, tuple):
        return ", ".join(cell_text(item) for item in value)
    if np.ndim(value) == 0 and pd.isna(value):
        return "–"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"


def predicted_text(value: Any) -> str:
    """Write what was computed for a row: four digits that count, and no powers of ten.

    Examples
    --------
    >>> predicted_text(27.754512), predicted_text(13270.4), predicted_text("yes")
    ('27.75', '13270', 'yes')
    """
    if isinstance(value, tuple):
        return ", ".join(predicted_text(item) for item in value)
    if not isinstance(value, (float, np.floating)) or not np.isfinite(value):
        return cell_text(value)
    number = float(value)
    return f"{number:.0f}" if abs(number) >= 1e3 else f"{number:.4g}"
