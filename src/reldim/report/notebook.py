"""Tables for notebooks: a comparison, a forecast and a review of labels."""

from reldim.diagnosis.comparison import Comparison
from reldim.diagnosis.forecast import Forecast
from reldim.diagnosis.label_review import LabelReview
from reldim.report.page import notebook_table
from reldim.report.rows import cell_text
from reldim.report.summary import percent
from reldim.report.text import HEADINGS, NOTES, cells
from reldim.tables.columns import as_pandas

__all__ = ["comparison_html", "forecast_html", "review_html"]


def comparison_html(comparison: Comparison) -> str:
    """Write a comparison as HTML: the conclusion and the table, best first."""
    table = as_pandas(comparison.table)
    return notebook_table(
        title=f"{len(table)} representations of {comparison.n} rows",
        sentences=[comparison.conclusion],
        headings=HEADINGS,
        rows=[cells(row) for _, row in table.iterrows()],
        notes=[" ".join(NOTES)],
        following='see .table, .differences, .diagnoses["name"], .plot(), .write_report(path)',
    )


def forecast_html(forecast: Forecast) -> str:
    """Write a forecast as HTML: one row per number of rows."""
    found = zip(forecast.rows, forecast.error, forecast.lower, forecast.upper, strict=True)
    return notebook_table(
        title=f"Errors to expect with more rows than the {forecast.n} at hand",
        sentences=[forecast.reason],
        headings=("rows", "expected error", "90% interval"),
        rows=[
            (str(rows), percent(float(error)), f"{percent(float(low))} to {percent(float(high))}")
            for rows, error, low, high in found
        ],
        notes=[],
        following="see .rows_needed(error), .explain(error), .plot(), .to_dict()",
    )


def review_html(review: LabelReview) -> str:
    """Write a review of labels as HTML: the rows that look wrong, the most suspicious first."""
    rows = [
        (str(number), cell_text(given), cell_text(predicted), f"{quality:.2g}")
        for number, given, predicted, quality in review.rows
    ]
    more = len(review.flagged) - len(rows)
    return notebook_table(
        title="Targets that look wrong",
        sentences=[review.conclusion],
        headings=("row", "given", "predicted by the other rows", "quality (1: right)"),
        rows=rows,
        notes=[f"{more} more are in .flagged."] if more else [],
        following="see .flagged, .issues, .plot()",
    )
