"""Pages: a table or figure of a paper, ours beside it, as data and as Markdown."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reproduction.figures import to_png
from reproduction.papers import CITATIONS, SHORT

__all__ = [
    "KINDS",
    "Check",
    "Page",
    "Picture",
    "Settings",
    "Table",
    "agreement",
    "write_index",
    "write_page",
]


#: What a check may be, and what its agreement is called.
KINDS = {
    "number": "numbers agree",
    "property": "properties hold",
    "other": "other experiments agree",
    "illustration": "illustrations are alike",
}


@dataclass(frozen=True)
class Settings:
    """How to run.

    Attributes
    ----------
    quick : bool
        Few resamples and small samples: to see that all works, not to compare numbers.
    jobs : int
        Number of processes.
    """

    quick: bool = False
    jobs: int = 1

    def count(self, full: int, quick: int = 2) -> int:
        """Choose a number of repetitions."""
        return min(full, quick) if self.quick else full


@dataclass(frozen=True)
class Check:
    """What the paper has, and what we find.

    Attributes
    ----------
    what : str
        What is compared.
    paper, ours : str
        Both as they are to be read, with their spread where there is one.
    agrees : bool or None
        None where the paper gives nothing to be held to.
    note : str
        What explains a difference.
    kind : str
        "number": printed by the paper and held to ours by a rule that the page names.
        "property": something that the paper says of its numbers, which holds or does not.
        "other": another experiment than the paper's, such as a second reading of its text.
        "illustration": data of our own that are made to show what the paper shows.
    """

    what: str
    paper: str
    ours: str
    agrees: bool | None
    note: str = ""
    kind: str = "number"

    def __post_init__(self) -> None:
        assert self.kind in KINDS, self.kind


@dataclass(frozen=True)
class Table:
    """Columns and rows of text."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Picture:
    """A figure of matplotlib, with the words for those who do not see it."""

    caption: str
    figure: Any = field(repr=False)


@dataclass(frozen=True)
class Page:
    """A table or figure of a paper, reproduced.

    Attributes
    ----------
    name : str
        Names the files.
    title : str
        Heading.
    paper : str
        Key of the citation.
    text : str
        What is computed, and how.
    tables, pictures, checks : tuple
        What came of it.
    notes : str
        Where and why it differs from the paper.
    seeds : str
        The seeds of all random choices.
    data : dict
        Results for machines.
    """

    name: str
    title: str
    paper: str
    text: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: str = ""
    seeds: str = "none: nothing is drawn"
    data: dict[str, Any] = field(default_factory=dict)


def agreement(checks: Iterable[Check]) -> dict[str, tuple[int, int]]:
    """Count by kind the checks that agree, and those that can."""
    judged = [check for check in checks if check.agrees is not None]
    counts = {}
    for kind in KINDS:
        agreed = [bool(check.agrees) for check in judged if check.kind == kind]
        if agreed:
            counts[kind] = (sum(agreed), len(agreed))
    return counts


def write_page(page: Page, folder: Path, settings: Settings, seconds: float | None = None) -> None:
    """Write a page as Markdown, JSON and CSV, with its figures as PNG.

    ``seconds`` is the processor time that the page took, or None where it was not measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = [f"# {page.title}", f"{CITATIONS[page.paper]}.", page.text.strip()]
    if settings.quick:
        parts.append("*Quick mode: few resamples; the numbers are not comparable to the paper's.*")
    for number, picture in enumerate(page.pictures):
        file = _numbered(page.name, number, len(page.pictures), "png")
        (folder / file).write_bytes(to_png(picture.figure))
        parts += [f"![{picture.caption}]({file})", f"*{picture.caption}*"]
    tables = [*page.tables, *([_checks_table(page.checks)] if page.checks else [])]
    for number, table in enumerate(tables):
        file = _numbered(page.name, number, len(tables), "csv")
        (folder / file).write_text(_csv(table), encoding="utf-8")
        parts += [table.caption, _markdown(table)]
    if page.notes:
        parts.append(page.notes.strip())
    files = [
        f"`{page.name}.json`",
        *(f"`{_numbered(page.name, i, len(tables), 'csv')}`" for i in range(len(tables))),
    ]
    time = "" if seconds is None else f" Time: {_duration(seconds)} of one core."
    parts.append(
        f"Computed by `python -m reproduction {page.name}`. Seeds: {page.seeds}.{time} The numbers "
        f"for machines: {', '.join(files)} in this folder."
    )
    (folder / f"{page.name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    (folder / f"{page.name}.json").write_text(_json(page, settings, seconds), encoding="utf-8")


def write_index(folder: Path, order: Sequence[str], introduction: str) -> None:
    """Write the page that leads to all pages in the folder, and lists what disagrees."""
    stored = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name in order
        if (path := folder / f"{name}.json").is_file()
    }
    columns = ("number", "property", "other")
    rows = [
        [f"[{page['title']}]({name}.md)", page["paper"], *_counted(page["counted"], columns)]
        for name, page in stored.items()
    ]
    totals = {
        kind: [
            sum(page["counted"].get(kind, [0, 0])[i] for page in stored.values()) for i in (0, 1)
        ]
        for kind in columns
    }
    rows.append(["**all**", "", *_counted(totals, columns)])
    heads = ("table or figure", "paper", "numbers", "properties", "other experiments")
    apart = [
        f"- [{page['title']}]({name}.md): {check['what']}. Paper: {check['paper']}; here: "
        f"{check['ours']}. {check['note'][:1].upper()}{check['note'][1:]}.".replace("..", ".")
        for name, page in stored.items()
        for check in page["checks"]
        if check["kind"] in ("number", "property") and check["agrees"] is False
    ]
    contents = "\n".join(["```{toctree}", ":hidden:", "", *stored, "```"])
    parts = [introduction.strip(), _markdown(Table("", heads, rows)), "## What disagrees"]
    text = "\n\n".join([*parts, "\n".join(apart) or "Nothing.", contents])
    (folder / "index.md").write_text(text + "\n", encoding="utf-8")


def _counted(counts: dict[str, Any], kinds: Sequence[str]) -> list[str]:
    pairs = [counts.get(kind, (0, 0)) for kind in kinds]
    return [f"{agreed} of {judged}" if judged else "" for agreed, judged in pairs]


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _checks_table(checks: Sequence[Check]) -> Table:
    words = {True: "yes", False: "**no**", None: ""}
    rows = [[c.what, c.paper, c.ours, c.kind, words[c.agrees], c.note] for c in checks]
    columns = ["", "paper", "here", "kind", "agrees", "remark"]
    if not any(check.note for check in checks):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    verdict = "; ".join(
        f"{agreed} of {judged} {KINDS[kind]}"
        for kind, (agreed, judged) in agreement(checks).items()
    )
    return Table(f"**Beside the paper.** {verdict}{'.' if verdict else ''}".strip(), columns, rows)


def _numbered(name: str, number: int, count: int, ending: str) -> str:
    return f"{name}.{ending}" if count == 1 else f"{name}-{number + 1}.{ending}"


def _markdown(table: Table) -> str:
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _csv(table: Table) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([[str(cell).replace("**", "") for cell in row] for row in table.rows])
    return buffer.getvalue()


def _json(page: Page, settings: Settings, seconds: float | None) -> str:
    value = {
        "title": page.title,
        "paper": SHORT[page.paper],
        "quick": settings.quick,
        "seconds": None if seconds is None else round(seconds, 1),
        "counted": agreement(page.checks),
        "checks": [vars(check) for check in page.checks],
        **page.data,
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
