"""The page of a comparison."""

from typing import Any

import numpy as np

from reldim.diagnosis.comparison import Comparison
from reldim.diagnosis.settings import versions
from reldim.relevance.error_curve import error_curve
from reldim.report.page import SECTIONS, render
from reldim.report.words import numbers
from reldim.tables.columns import as_pandas

__all__ = ["comparison_page"]

#: Points of an error curve.
POINTS = 150

#: Colours of the error curves that are drawn: those of the best representations.
LOOKS = ("signal", "noise", "third", "fourth", "fifth", "soft")

#: Pairs that are listed.
PAIRS = 200


def comparison_page(comparison: Comparison, *, name: str = "", command: str = "") -> str:
    """Write a comparison as an HTML page.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    name, command : str
        What the data are called, and the command that repeats it.
    """
    standings = as_pandas(comparison.table).to_dict(orient="records")
    pairs = as_pandas(comparison.differences)
    diagnoses = [comparison.diagnoses[row["name"]] for row in standings]
    summaries = [diagnosis.summary for diagnosis in diagnoses]
    first, *others = (summary.preparation for summary in summaries)
    dimensions, curves = _thinned([error_curve(d.relevance) for d in diagnoses[: len(LOOKS)]])
    return render(
        "comparison.html.j2",
        {
            "standings": standings,
            "dimensions": dimensions,
            "curves": curves,
            "unit": summaries[0].unit,
            "targets": summaries[0].targets,
            "looks": LOOKS,
        },
        scripts=("comparison.js",),
        comparison=comparison,
        headline=_headline(standings),
        standings=standings,
        pairs=pairs.iloc[:PAIRS].to_dict(orient="records"),
        more_pairs=max(0, len(pairs) - PAIRS),
        drawn=len(curves),
        summaries=summaries,
        shared_steps=[step for step in first if all(step in steps for steps in others)],
        name=name,
        command=command,
        first=summaries[0],
        keys=[(look, row["name"]) for look, row in zip(LOOKS, standings, strict=False)],
        contents=(
            ("figures", "Figures"),
            ("pairs", "Pairs"),
            ("verdicts", "Verdicts"),
            *((section, SECTIONS[section]) for section in ("words", "repeat")),
        ),
        versions=", ".join(f"{package} {text}" for package, text in versions().items()),
    )


def _headline(standings: list[Any]) -> str:
    """Say which is best, or which leads where chance may be behind it."""
    best, *others = standings
    equal = [row["name"] for row in others if not row["behind"]]
    if not equal:
        return f"{best['name']} is best"
    which = equal[0] if len(equal) == 1 else f"{len(equal)} others"
    return f"{best['name']} leads; {which} may be as good"


def _thinned(curves: list[Any]) -> tuple[list[int], list[tuple[float | None, ...]]]:
    """Return some dimensions, more of the small ones, and the curves there."""
    most = min(map(len, curves))
    kept = np.unique(np.geomspace(1, most, POINTS).round().astype(np.intp))
    return kept.tolist(), [numbers(curve[kept - 1]) for curve in curves]
