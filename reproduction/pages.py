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


#: What is counted, and what its agreement is called.
KINDS = {
    "number": "numbers agree",
    "lenient": "numbers agree leniently",
    "property": "properties hold",
    "derived": "follow from another table",
    "other": "other experiments agree",
    "illustration": "illustrations are alike",
}


#: What the index lists where it does not agree.
COUNTED = ("number", "lenient", "property")

#: Readings of a text, as the tables show them beside the kind.
READINGS = {"both": "", "literal": ", literal reading", "fitting": ", the reading that fits"}


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
        "derived": what follows from numbers that another page counts.
        "other": another experiment than the paper's, such as a second reading of its text.
        "illustration": data of our own that are made to show what the paper shows.
    strict : bool or None
        Whether a number agrees by the rule of its kind, where ``agrees`` is by a more lenient one;
        None where there is only one rule.
    reading : {"both", "literal", "fitting"}
        In which of the two totals a number counts where the paper's text can be read in two ways.
    """

    what: str
    paper: str
    ours: str
    agrees: bool | None
    note: str = ""
    kind: str = "number"
    strict: bool | None = None
    reading: str = "both"

    def __post_init__(self) -> None:
        assert self.kind in KINDS, self.kind
        assert self.reading in READINGS, self.reading

    @property
    def verdicts(self) -> dict[str, bool]:
        """What it adds to which count."""
        if self.agrees is None:
            return {}
        if self.kind != "number":
            return {self.kind: bool(self.agrees)}
        strict = self.agrees if self.strict is None else self.strict
        found = {"number": bool(strict), "lenient": bool(self.agrees)}
        if self.reading != "both":
            del found["lenient" if self.reading == "literal" else "number"]
        return found

    @property
    def failed(self) -> bool:
        """Whether it is a number or property that disagrees, be it by the strict rule alone."""
        counted = {key: agreed for key, agreed in self.verdicts.items() if key in COUNTED}
        return not all(counted.values())


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
    """Count by kind the checks that agree, and those that can; numbers by both rules."""
    verdicts = [check.verdicts for check in checks]
    counts = {}
    for kind in KINDS:
        agreed = [each[kind] for each in verdicts if kind in each]
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


def write_index(
    folder: Path, order: Sequence[str], introduction: str, causes: dict[str, str] | None = None
) -> None:
    """Write the page that leads to all pages in the folder, and lists what disagrees.

    It begins with what agrees and, by ``causes``, one sentence per page, why the rest does not.
    """
    stored = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name in order
        if (path := folder / f"{name}.json").is_file()
    }
    counts = {
        name: agreement(Check(**check) for check in page["checks"]) for name, page in stored.items()
    }
    columns = ("number", "lenient", "property", "other")
    rows = [
        [f"[{page['title']}]({name}.md)", page["paper"], *_counted(counts[name], columns)]
        for name, page in stored.items()
    ]
    totals = {
        kind: [sum(counted.get(kind, (0, 0))[i] for counted in counts.values()) for i in (0, 1)]
        for kind in columns
    }
    rows.append(["**all**", "", *_counted(totals, columns)])
    heads = (
        "table or figure",
        "paper",
        "numbers, strict",
        "numbers, lenient",
        "properties",
        "other experiments",
    )
    apart = [
        f"- [{page['title']}]({name}.md): {check['what']}. Paper: {check['paper']}; here: "
        f"{check['ours']}. {check['note'][:1].upper()}{check['note'][1:]}.".replace("..", ".")
        for name, page in stored.items()
        for check in page["checks"]
        if Check(**check).failed
    ]
    contents = "\n".join(["```{toctree}", ":hidden:", "", *stored, "```"])
    heading, _, rest = introduction.strip().partition("\n\n")
    parts = [
        heading,
        _trust(stored, counts, totals, causes or {}),
        rest,
        _markdown(Table("", heads, rows)),
    ]
    parts += ["## What disagrees", "\n".join(apart) or "Nothing.", contents]
    (folder / "index.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _trust(
    stored: dict[str, Any],
    counts: dict[str, dict[str, tuple[int, int]]],
    totals: dict[str, list[int]],
    causes: dict[str, str],
) -> str:
    """Say what agrees and what does not, one line per page that counts numbers."""
    (strict, numbers), (lenient, _) = totals["number"], totals["lenient"]
    held, properties = totals["property"]
    total = (
        f"**Of {numbers} numbers** that the papers print, **{strict} agree by the strict rule** "
        f"(texts read literally) and **{lenient} by the lenient one** (the reading that fits, "
        f"wider limits). **Of {properties} properties, {held} hold.** Both rules stand below."
    )
    lines = [total, ""]
    for name, page in stored.items():
        if "number" in counts[name]:
            (agreed, of), (widely, _) = counts[name]["number"], counts[name]["lenient"]
            short = page["title"].replace("Williams and Seeger, ", "WS ").partition(":")[0]
            lines.append(
                f"- [{short}]({name}.md): {agreed} of {of}, leniently {widely}. "
                f"{causes.get(name, '')}".rstrip()
            )
    failing = [
        f"[{page['title'].partition(':')[0]}]({name}.md) ({agreed} of {of})"
        for name, page in stored.items()
        for agreed, of in [counts[name].get("property", (0, 0))]
        if agreed < of
    ]
    if failing:
        lines.append(f"- Properties that do not all hold: {', '.join(failing)}.")
    return "\n".join(lines)


def _counted(counts: dict[str, Any], kinds: Sequence[str]) -> list[str]:
    pairs = [counts.get(kind, (0, 0)) for kind in kinds]
    return [f"{agreed} of {judged}" if judged else "" for agreed, judged in pairs]


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _checks_table(checks: Sequence[Check]) -> Table:
    rows = [
        [c.what, c.paper, c.ours, c.kind + READINGS[c.reading], _verdict(c), c.note] for c in checks
    ]
    columns = ["", "paper", "here", "kind", "agrees", "remark"]
    if not any(check.note for check in checks):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    verdict = "; ".join(
        f"{agreed} of {judged} {KINDS[kind]}"
        for kind, (agreed, judged) in agreement(checks).items()
    )
    return Table(f"**Beside the paper.** {verdict}{'.' if verdict else ''}".strip(), columns, rows)


def _verdict(check: Check) -> str:
    if check.agrees and check.strict is False:
        return "leniently"
    return {True: "yes", False: "**no**", None: ""}[check.agrees]


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
