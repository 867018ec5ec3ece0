"""Rows whose targets look wrong, with their values, as plain text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.problem import Problem
from reldim.exceptions import InputError, counted
from reldim.kernels.points import admit
from reldim.report.words import cell_text, predicted_text

__all__ = ["RowTable", "SuspiciousRow", "suspicious_rows"]

#: Rows and columns that are shown.
ROWS = 50
COLUMNS = 12


@dataclass(frozen=True)
class SuspiciousRow:
    """A row whose target looks wrong.

    Attributes
    ----------
    name : str
        The row's own name, or its number.
    given, predicted : str
        Its target, and what the other rows make of it.
    quality : float
        How well the two agree, from 0 to 1.
    cells : tuple of str
        Its values.
    """

    name: str
    given: str
    predicted: str
    quality: float
    cells: tuple[str, ...]

    @property
    def quality_text(self) -> str:
        """The quality to two digits that count, so that small ones can be told apart."""
        return f"{self.quality:.2g}"


@dataclass(frozen=True)
class RowTable:
    """Rows whose targets look wrong, the worst first.

    Attributes
    ----------
    found : int
        How many there are.
    total : int
        Of how many rows.
    unjudged : int
        Rows about which the others say too little.
    columns : tuple of str
        Names of the columns that are shown.
    more_columns : int
        How many are not.
    rows : tuple of SuspiciousRow
        The worst rows.
    hint : str
        Why no values are shown, where none are.
    """

    found: int
    total: int
    unjudged: int
    columns: tuple[str, ...]
    more_columns: int
    rows: tuple[SuspiciousRow, ...]
    hint: str = ""


def suspicious_rows(issues: pd.DataFrame, diagnosis: Diagnosis, data: Any = None) -> RowTable:
    """Pick the rows whose targets look wrong, the worst first.

    Parameters
    ----------
    issues : DataFrame
        What :attr:`~reldim.Diagnosis.label_issues` holds: one row per row that was given.
    diagnosis : Diagnosis
        The diagnosis.
    data : DataFrame, array, or sequence, optional
        The data as they were given, by default those of the problem where they are the same.

    Returns
    -------
    RowTable
        At most 50 rows and 12 columns of them.
    """
    total, problem = len(issues), diagnosis.problem
    values, hint = _values(diagnosis, data, total)
    flagged = np.flatnonzero(issues["is_label_issue"].to_numpy())
    quality = issues["label_quality"].to_numpy()
    worst = flagged[np.argsort(quality[flagged], kind="stable")][:ROWS]
    names = _column_names(values, problem)
    shown = tuple(cell_text(name) for name in names[:COLUMNS])
    given, predicted = issues["given_label"].tolist(), issues["predicted_label"].tolist()
    rows = tuple(
        SuspiciousRow(
            name=_row_name(values, row),
            given=cell_text(given[row]),
            predicted=predicted_text(predicted[row]),
            quality=float(quality[row]),
            cells=tuple(cell_text(cell) for cell in _cells(values, row)[: len(shown)]),
        )
        for row in worst.tolist()
    )
    unjudged = total - int(issues["can_judge"].sum())
    return RowTable(
        found=len(flagged),
        total=total,
        unjudged=unjudged,
        columns=shown,
        more_columns=len(names) - len(shown),
        rows=rows,
        hint=hint,
    )


def _values(diagnosis: Diagnosis, data: Any, total: int) -> tuple[Any, str]:
    """Return data with a row for each row that was given, or None and why there are none."""
    if data is not None:
        data = admit(data, "data")
        count = data.shape[0] if hasattr(data, "shape") else len(data)
        if count != total:
            raise InputError(
                f"data must have a row for each of the {total} rows that were diagnosed. Got "
                f"{counted(count, 'row')}. Pass the data as they were before the diagnosis."
            )
        return _indexable(data), ""
    problem = diagnosis.problem
    if problem.table is not None:
        return None, "Pass the table as data to write_report, and the values are shown here."
    points = _indexable(problem.X)
    if hasattr(points, "iloc"):
        return points.iloc[problem.source], ""
    if isinstance(points, list):
        return [points[i] for i in problem.source.tolist()], ""
    if not hasattr(points, "shape") or diagnosis.tried[0].kernel.domain == "precomputed":
        return None, "A kernel matrix was given, or data of an unknown kind: no values to show."
    return points[problem.source], ""


def _indexable(X: Any) -> Any:
    # Of the sparse formats not all give rows.
    return X.tocsr() if hasattr(X, "tocsr") else X


def _column_names(values: Any, problem: Problem) -> Sequence[str]:
    if values is None:
        return ()
    if hasattr(values, "columns"):
        return [str(name) for name in values.columns]
    if getattr(values, "ndim", 1) != 2:
        return ["value"]
    # Of an array that was scaled, constant columns are no features.
    named = problem.feature_names if problem.table is None else None
    return named or [f"column {j}" for j in range(values.shape[1])]


def _row_name(values: Any, row: int) -> str:
    index = getattr(values, "index", None)
    # A list has a method of that name.
    return str(row) if index is None or callable(index) else cell_text(index[row])


def _cells(values: Any, row: int) -> list[Any]:
    if values is None:
        return []
    cells: Any = values.iloc[row] if hasattr(values, "iloc") else values[row]
    if hasattr(cells, "toarray"):
        cells = np.ravel(cells.toarray())
    if isinstance(cells, (str, bytes)) or not hasattr(cells, "__len__"):
        return [cells]
    return list(cells)
