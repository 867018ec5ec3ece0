"""The terminal: a comparison to read."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reldim.diagnosis.comparison_text import HEADINGS, NOTES, cells
from reldim.tables.columns import listed

if TYPE_CHECKING:
    from reldim.diagnosis.comparison import Comparison

__all__ = ["comparison_view"]


def comparison_view(comparison: "Comparison") -> RenderableType:
    """Lay out a comparison: the conclusion, the table, verdicts, what was done.

    Parameters
    ----------
    comparison : Comparison
        The comparison.

    Returns
    -------
    renderable
        What a console prints.
    """
    parts = [
        Text(comparison.conclusion, style="bold"),
        Text(),
        _figures(comparison),
        Text(),
        *(Text(f"  {note}", style="dim") for note in NOTES),
        Text(),
        Text("Verdicts", style="bold"),
        *(_verdicts(comparison)),
    ]
    notes = [
        f"{name}: {step}"
        for name, found in comparison.diagnoses.items()
        for step in found.preparation
    ]
    if notes:
        parts += [Text(), Text("What was done to the data", style="bold")]
        parts += [_hanging("  -", note) for note in notes]
    return Group(*parts)


def _figures(comparison: "Comparison") -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 1), collapse_padding=True)
    for heading in HEADINGS:
        left = heading in {"", "name", "verdict"}
        table.add_column(
            heading,
            justify="left" if left else "right",
            header_style="dim",
            overflow="fold" if heading == "name" else "ellipsis",
            no_wrap=heading != "name",
        )
    for _, row in comparison.table.iterrows():
        *figures, verdict = cells(row)
        # The titles of the verdicts follow below the table, which then fits into 80 columns.
        texts = [Text(text) for text in (*figures, verdict.split()[0])]
        table.add_row(*texts, style="bold" if row["name"] == comparison.best else None)
    return table


def _verdicts(comparison: "Comparison") -> list[RenderableType]:
    """List every verdict and finding once, with those that have it."""
    names: dict[str, list[str]] = {}
    for name in comparison.table["name"]:
        found = comparison.diagnoses[name]
        for verdict in (found.verdict, *found.findings):
            names.setdefault(f"{verdict.code} {verdict.title}", []).append(name)
    return [_hanging("  -", f"{verdict}: {listed(names[verdict], 8)}") for verdict in sorted(names)]


def _hanging(mark: str, sentence: str) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(mark, Text(sentence))
    return grid
