"""A diagnosis and a comparison as plain text."""

from typing import TYPE_CHECKING, Any

from reldim.diagnosis.comparison import Comparison
from reldim.report.summary import Summary
from reldim.tables.columns import as_pandas

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HEADINGS", "NEXT", "NOTES", "cells", "comparison_text", "diagnosis_text"]

#: Where the figures begin.
INDENT = 20

#: What to call next.
NEXT = "see .candidates, .label_issues, .forecast(), .predictor(), .plot(), .write_report(path)"

#: The columns of the table of a comparison.
HEADINGS = ("", "name", "dim.", "90%", "noise", "error", "sq. error", "evidence", "area", "verdict")

#: What the columns hold, for those who see them for the first time.
NOTES = (
    "sq. error: leave-one-out, a constant prediction has 1; evidence: log, per row;",
    "area: mean of the error curve; < is worse than the best beyond chance.",
)


def diagnosis_text(summary: Summary) -> str:
    """Lay out a summary: verdict, figures, what was done, further findings."""
    verdict = summary.verdict
    lines = [verdict.headline, f"  {verdict.evidence}", f"  {verdict.advice}", ""]
    lines += [f"  {figure.name:{INDENT}}{figure.text}" for figure in summary.figures]
    lines += [f"  {'done':{INDENT}}{step}" for step in summary.preparation]
    lines += [f"  {'note':{INDENT}}{finding}" for finding in summary.findings]
    return "\n".join([*lines, "", f"  {NEXT}"])


def comparison_text(comparison: Comparison) -> str:
    """Lay out a comparison: the conclusion and the table."""
    targets = next(iter(comparison.diagnoses.values())).relevance.targets
    about = f"{comparison.n} rows, {comparison.task} ({targets.reason})"
    head = f"{len(comparison.diagnoses)} representations of {about}"
    rows = [HEADINGS, *(cells(row) for _, row in as_pandas(comparison.table).iterrows())]
    widths = [max(len(row[j]) for row in rows) for j in range(len(HEADINGS))]
    left = {0, 1, len(HEADINGS) - 1}
    lines = [head, f"  {comparison.conclusion}", ""]
    for row in rows:
        texts = [
            text.ljust(width) if j in left else text.rjust(width)
            for j, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(texts))
    lines += ["", *(f"  {note}" for note in NOTES)]
    lines += ["", '  see .table, .differences, .diagnoses["name"], .to_json(path)']
    return "\n".join(line.rstrip() for line in lines)


def cells(row: "pd.Series[Any]") -> tuple[str, ...]:
    """Write a row of the table as texts, in the order of the headings.

    Parameters
    ----------
    row : Series
        A row of the table of a comparison.
    """
    return (
        "<" if row["behind"] else "",
        str(row["name"]),
        str(row["dimension"]),
        f"{row['interval_low']}-{row['interval_high']}",
        f"{row['noise_estimate']:.1%}",
        f"{row['error_estimate']:.1%}",
        f"{row['squared_error']:.3f}",
        f"{row['evidence']:.3f}",
        f"{row['area']:.3f}",
        str(row["verdict"]),
    )
