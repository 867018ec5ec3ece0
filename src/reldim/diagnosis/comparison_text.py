"""A comparison in words and as a table of text."""

from typing import TYPE_CHECKING, Any

from reldim.tables.columns import listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HEADINGS", "NOTES", "as_text", "cells", "conclude"]

#: What the scores are called in a sentence.
WORDS = {
    "squared_error": "leave-one-out squared error",
    "error_estimate": "leave-one-out error",
    "negative_log_likelihood": "likelihood",
    "evidence": "evidence",
    "area": "area under the error curve",
}

HEADINGS = ("", "name", "dim.", "90%", "noise", "error", "sq. error", "evidence", "area", "verdict")

#: What the columns hold, for those who see them for the first time.
NOTES = (
    "sq. error: leave-one-out, a constant prediction makes 1; evidence: log, a row;",
    "area: mean of the error curve; < is worse than the best beyond chance.",
)


def conclude(table: "pd.DataFrame", by: str) -> str:
    """Say what a comparison comes to.

    Parameters
    ----------
    table : DataFrame
        The table of the comparison, best first.
    by : str
        What ranks.

    Returns
    -------
    str
        A sentence or two.
    """
    best = table["name"].iloc[0]
    behind = table["name"][table["behind"]].tolist()
    equal = table["name"][~table["behind"]].tolist()[1:]
    if not behind:
        return f"{best} is best by {WORDS[by]}, but no other is worse beyond chance."
    told = f"{best} is best by {WORDS[by]}. Beyond chance it is better than {listed(behind, 8)}"
    return f"{told}; {listed(equal, 8)} may be as good." if equal else f"{told}."


def cells(row: "pd.Series[Any]") -> tuple[str, ...]:
    """Write a row of the table as texts, in the order of the headings.

    Parameters
    ----------
    row : Series
        A row of the table of a comparison.

    Returns
    -------
    tuple of str
        The cells.
    """
    return (
        "<" if row["behind"] else "",
        str(row["name"]),
        str(row["dimension"]),
        f"{row['interval_low']}-{row['interval_high']}",
        f"{row['noise_level']:.1%}",
        f"{row['error_estimate']:.1%}",
        f"{row['squared_error']:.3f}",
        f"{row['evidence']:.3f}",
        f"{row['area']:.3f}",
        str(row["verdict"]),
    )


def as_text(table: "pd.DataFrame", by: str, about: str) -> str:
    """Lay a comparison out as plain text.

    Parameters
    ----------
    table : DataFrame
        The table of the comparison, best first.
    by : str
        What ranks.
    about : str
        What was compared on.

    Returns
    -------
    str
        Lines to print.
    """
    rows = [HEADINGS, *(cells(row) for _, row in table.iterrows())]
    widths = [max(len(row[j]) for row in rows) for j in range(len(HEADINGS))]
    left = {0, 1, len(HEADINGS) - 1}
    lines = [f"{len(table)} representations of {about}", f"  {conclude(table, by)}", ""]
    for row in rows:
        texts = [
            text.ljust(width) if j in left else text.rjust(width)
            for j, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(texts))
    lines += ["", *(f"  {note}" for note in NOTES)]
    lines += ["", '  see .table, .differences, .diagnoses["name"], .to_json(path)']
    return "\n".join(line.rstrip() for line in lines)
