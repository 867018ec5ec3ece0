"""A summary as plain text."""

from reldim.report.summary import Summary

__all__ = ["as_text"]

#: Where the figures begin.
INDENT = 20

#: What to call next.
NEXT = "see .candidates, .label_issues, .forecast(n), .predictor(), .plot(), .write_report(path)"


def as_text(summary: Summary) -> str:
    """Lay out a summary: verdict, figures, what was done, further findings.

    Parameters
    ----------
    summary : Summary
        The summary.

    Returns
    -------
    str
        Lines of text.
    """
    verdict = summary.verdict
    lines = [f"{verdict.code} {verdict.title}", f"  {verdict.evidence}", f"  {verdict.advice}", ""]
    lines += [f"  {figure.name:{INDENT}}{figure.text}" for figure in summary.figures]
    lines += [f"  {'done':{INDENT}}{step}" for step in summary.preparation]
    lines += [f"  {'note':{INDENT}}{finding}" for finding in summary.findings]
    return "\n".join([*lines, "", f"  {NEXT}"])
