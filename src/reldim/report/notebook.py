"""Tables for notebooks: a comparison, a forecast and a review of labels."""

from collections.abc import Sequence

from reldim.diagnosis.comparison import Comparison
from reldim.diagnosis.forecast import Forecast
from reldim.diagnosis.label_review import LabelReview
from reldim.report.page import environment
from reldim.report.text import HEADINGS, NOTES, cells
from reldim.report.words import cell_text, percent
from reldim.tables.columns import as_pandas

__all__ = ["comparison_html", "forecast_html", "review_html"]


def comparison_html(comparison: Comparison) -> str:
    """Write a comparison as HTML: the conclusion and the table, best first."""
    table = as_pandas(comparison.table)
    return _table(
        title=f"{len(table)} representations of {comparison.n} rows",
        sentence=comparison.conclusion,
        headings=HEADINGS,
        rows=[cells(row) for _, row in table.iterrows()],
        note=" ".join(NOTES),
        following='see .table, .differences, .diagnoses["name"], .plot(), .write_report(path)',
    )


def forecast_html(forecast: Forecast) -> str:
    """Write a forecast as HTML: one row per number of rows."""
    found = zip(forecast.rows, forecast.error, forecast.lower, forecast.upper, strict=True)
    return _table(
        title=f"Errors to expect with more rows than the {forecast.n} at hand",
        sentence=forecast.reason,
        headings=("rows", "expected error", "90% interval"),
        rows=[
            (str(rows), percent(float(error)), f"{percent(float(low))} to {percent(float(high))}")
            for rows, error, low, high in found
        ],
        following="see .rows_needed(error), .explain(error), .plot(), .to_dict()",
    )


def review_html(review: LabelReview) -> str:
    """Write a review of labels as HTML: the rows that look wrong, the most suspicious first."""
    rows = [
        (str(number), cell_text(given), cell_text(predicted), f"{quality:.2g}")
        for number, given, predicted, quality in review.rows
    ]
    more = len(review.flagged) - len(rows)
    return _table(
        title="Targets that look wrong",
        sentence=review.conclusion,
        headings=("row", "given", "predicted by the other rows", "quality (1: right)"),
        rows=rows,
        note=f"{more} more are in .flagged." if more else "",
        following="see .flagged, .issues, .plot()",
    )


def _table(
    *,
    title: str,
    sentence: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    following: str,
    note: str = "",
) -> str:
    """Write a table with a sentence above and a note below it, and what to call next."""
    return (
        environment()
        .get_template("notebook_table.html.j2")
        .render(
            title=title,
            sentence=sentence,
            headings=headings,
            rows=rows,
            following=following,
            note=note,
        )
    )
