"""Odd targets: too many classes, or numbers that are taken for labels."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from reldim.diagnosis.verdicts import Verdict, finding
from reldim.inputs.targets import Targets
from reldim.tables.written_numbers import amounts_in

__all__ = ["MANY_CLASSES", "find_in_targets"]

#: Classes from which on labels may be numbers in disguise, and rows a class that are too few.
MANY_CLASSES = 5
FEW_A_CLASS = 3


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
    if n < FEW_A_CLASS * count:
        yield finding(
            "RD017",
            "warning",
            f"{n} rows have {count} classes, which leaves {n / count:.1f} rows a class.",
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
    texts = pd.Series([str(label) for label in classes])
    amounts = amounts_in(texts)
    if amounts is not None:
        return amounts.example
    numbers = pd.to_numeric(texts, errors="coerce").notna()
    return repr(texts[0]) if bool(numbers.all()) else None
