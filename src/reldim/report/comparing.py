"""A comparison as plain data, and its page."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from reldim.diagnosis.comparison import Comparison
from reldim.diagnosis.settings import versions
from reldim.relevance.error_curve import error_curve
from reldim.report.details import numbers
from reldim.report.page import render
from reldim.report.summary import Summary, summarise
from reldim.tables.columns import as_pandas

__all__ = ["ComparisonSummary", "Pair", "Standing", "comparison_page", "side_by_side"]

#: Points of an error curve.
POINTS = 150

#: Colours of the error curves that are drawn: those of the best representations.
LOOKS = ("signal", "noise", "third", "fourth", "fifth", "soft")

#: Pairs that are listed.
PAIRS = 200


@dataclass(frozen=True)
class Standing:
    """A representation among others; the fields are columns of the table of a comparison."""

    name: str
    dimension: int
    interval_low: int
    interval_high: int
    noise_estimate: float
    error_estimate: float
    squared_error: float
    evidence: float
    area: float
    verdict: str
    kernel: str
    behind: bool


@dataclass(frozen=True)
class Pair:
    """Two representations; the fields are columns of the differences of a comparison."""

    first: str
    second: str
    difference: float
    adjusted_p_value: float
    beyond_chance: bool


@dataclass(frozen=True)
class ComparisonSummary:
    """A comparison in plain data.

    Attributes
    ----------
    conclusion, by : str
        What it comes to, and what ranks.
    rows : int
        Number of rows.
    standings : tuple of Standing
        The representations, best first.
    pairs : tuple of Pair
        Some pairs of them.
    more_pairs : int
        How many are not listed.
    dimensions : tuple of int
        Where error curves are given.
    curves : tuple of tuple of float
        The error curves of the best representations.
    summaries : tuple of Summary
        The diagnoses, in the order of the standings.
    """

    conclusion: str
    by: str
    rows: int
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    more_pairs: int
    dimensions: tuple[int, ...]
    curves: tuple[tuple[float | None, ...], ...]
    summaries: tuple[Summary, ...]

    @property
    def headline(self) -> str:
        """Which is best, or which leads where chance may be behind it."""
        best, *others = self.standings
        equal = [standing.name for standing in others if not standing.behind]
        if not equal:
            return f"{best.name} is best"
        which = equal[0] if len(equal) == 1 else f"{len(equal)} others"
        return f"{best.name} leads; {which} may be as good"

    @property
    def shared_steps(self) -> tuple[str, ...]:
        """What was done to all of the data."""
        first, *others = (summary.preparation for summary in self.summaries)
        return tuple(step for step in first if all(step in steps for steps in others))


def side_by_side(comparison: Comparison) -> ComparisonSummary:
    """Take from a comparison what its page shows."""
    table, pairs = as_pandas(comparison.table), as_pandas(comparison.differences)
    standings = tuple(_typed(Standing, row) for row in table.to_dict(orient="records"))
    found = [comparison.diagnoses[standing.name] for standing in standings]
    curves = [error_curve(diagnosis.relevance) for diagnosis in found[: len(LOOKS)]]
    most = min(map(len, curves))
    kept = np.unique(np.geomspace(1, most, POINTS).round().astype(np.intp))
    listed = pairs.iloc[:PAIRS].to_dict(orient="records")
    return ComparisonSummary(
        conclusion=comparison.conclusion,
        by=comparison.by,
        rows=comparison.n,
        standings=standings,
        pairs=tuple(_typed(Pair, row) for row in listed),
        more_pairs=len(pairs) - len(listed),
        dimensions=tuple(kept.tolist()),
        curves=tuple(numbers(curve[kept - 1]) for curve in curves),
        summaries=tuple(summarise(diagnosis) for diagnosis in found),
    )


def comparison_page(summary: ComparisonSummary, *, name: str = "", command: str = "") -> str:
    """Write a comparison as an HTML page."""
    first = summary.summaries[0]
    payload = {
        "standings": [asdict(standing) for standing in summary.standings],
        "dimensions": summary.dimensions,
        "curves": summary.curves,
        "unit": first.unit,
        "targets": first.targets,
        "looks": LOOKS,
    }
    return render(
        "comparison.html.j2",
        payload,
        scripts=("pictures.js", "page.js", "comparison.js"),
        summary=summary,
        name=name,
        command=command,
        first=first,
        keys=[(look, s.name) for look, s in zip(LOOKS, summary.standings, strict=False)],
        contents=(
            ("figures", "Figures"),
            ("pairs", "Pairs"),
            ("verdicts", "Verdicts"),
            ("words", "Glossary"),
            ("repeat", "Repeat"),
        ),
        versions=", ".join(f"{package} {text}" for package, text in versions().items()),
    )


def _typed(kind: Any, row: Mapping[Any, Any]) -> Any:
    """Make a value of the columns that it has fields for, in plain types."""
    types = {"str": str, "int": int, "float": float, "bool": bool}
    given = {name: getattr(note, "__name__", note) for name, note in kind.__annotations__.items()}
    return kind(**{name: types[note](row[name]) for name, note in given.items()})
