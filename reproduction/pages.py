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
    "Check",
    "Page",
    "Picture",
    "Settings",
    "Table",
    "agreement",
    "write_index",
    "write_page",
]


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
    """A number beside the paper's.

    Attributes
    ----------
    what : str
        What is compared.
    paper, ours : str
        Both numbers as they are to be read, with their spread where there is one.
    agrees : bool or None
        None where the paper gives nothing to be held to.
    note : str
        What explains a difference.
    """

    what: str
    paper: str
    ours: str
    agrees: bool | None
    note: str = ""


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
    data: dict[str, Any] = field(default_factory=dict)


def agreement(checks: Iterable[Check]) -> tuple[int, int]:
    """Count the checks that agree, and those that can."""
    judged = [check.agrees for check in checks if check.agrees is not None]
    return sum(judged), len(judged)


def write_page(page: Page, folder: Path, settings: Settings) -> None:
    """Write a page as Markdown, JSON and CSV, with its figures as PNG."""
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
    parts.append(
        f"Computed by `python -m reproduction {page.name}`. The numbers for machines: "
        f"{', '.join(files)} in this folder."
    )
    (folder / f"{page.name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    (folder / f"{page.name}.json").write_text(_json(page, settings), encoding="utf-8")


def write_index(folder: Path, order: Sequence[str], introduction: str) -> None:
    """Write the page that leads to all pages in the folder."""
    rows, names = [], []
    for name in order:
        path = folder / f"{name}.json"
        if not path.is_file():
            continue
        stored = json.loads(path.read_text(encoding="utf-8"))
        agreed, judged = stored["agrees"], stored["compared"]
        result = f"{agreed} of {judged} numbers agree" if judged else "to be looked at"
        rows.append([f"[{stored['title']}]({name}.md)", stored["paper"], result])
        names.append(name)
    table = Table("", ("table or figure", "paper", "result"), rows)
    contents = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    text = "\n\n".join([introduction.strip(), _markdown(table), contents])
    (folder / "index.md").write_text(text + "\n", encoding="utf-8")


def _checks_table(checks: Sequence[Check]) -> Table:
    words = {True: "yes", False: "**no**", None: ""}
    rows = [[c.what, c.paper, c.ours, words[c.agrees], c.note] for c in checks]
    columns = ["", "paper", "here", "agrees", "remark"]
    if not any(check.note for check in checks):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    agreed, judged = agreement(checks)
    verdict = f" {agreed} of {judged} agree." if judged else ""
    return Table(f"**Beside the paper.**{verdict}", columns, rows)


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


def _json(page: Page, settings: Settings) -> str:
    agreed, judged = agreement(page.checks)
    value = {
        "title": page.title,
        "paper": SHORT[page.paper],
        "quick": settings.quick,
        "agrees": agreed,
        "compared": judged,
        "checks": [vars(check) for check in page.checks],
        **page.data,
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
