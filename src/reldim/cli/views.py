"""What the commands print: a diagnosis, a comparison, a forecast, as views for the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reldim.report.text import HEADINGS, NOTES, cells
from reldim.report.words import IN_SHORT
from reldim.tables.columns import listed

if TYPE_CHECKING:
    from reldim.diagnosis.comparison import Comparison
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.diagnosis.forecast import Forecast
    from reldim.diagnosis.verdicts import Verdict
    from reldim.report.summary import Summary

__all__ = [
    "columns_view",
    "comparison_view",
    "diagnosis_view",
    "figures_view",
    "forecast_view",
    "next_view",
    "verdict_view",
    "words_view",
]

#: Rows of the table of kernels that are shown.
SHOWN = 8

#: Characters of a bar that stands for an error of the first row, and for the largest share.
BAR = 30
SHARE_BAR, SHORTEST_BAR = 20, 6

#: Columns of a table that are shown at most.
SHOWN_COLUMNS = 30

#: Characters of a name that are kept together in a narrow terminal.
NAME = 24

#: Columns of a comparison that a narrow terminal does without, the first of them first.
_LESS = ("area", "evidence", "90%", "noise", "verdict", "dim.")

_COLORS = {"good": "bold green", "info": "bold cyan", "warning": "bold yellow"}


def diagnosis_view(
    diagnosis: "Diagnosis", commands: Sequence[tuple[str, str]] = ()
) -> RenderableType:
    """Lay out a diagnosis: verdict, figures, findings, kernels, what was done, what comes next.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    commands : sequence of pairs of str
        What can be done next, and the command that does it.
    """
    parts = [verdict_view(diagnosis.verdict), Text(), figures_view(diagnosis)]
    if diagnosis.findings:
        parts += [Text(), Text("Further findings", style="bold")]
        parts += [Padding(verdict_view(finding), (0, 0, 0, 2)) for finding in diagnosis.findings]
    parts += [Text(), _candidates_view(diagnosis)]
    if diagnosis.preparation:
        parts += [Text(), Text("What was done to the data", style="bold")]
        parts.append(_bullets(diagnosis.preparation))
    parts += [Text(), words_view()]
    if commands:
        parts += [Text(), next_view(commands)]
    return Group(*parts)


def words_view() -> RenderableType:
    """Lay out what the three words mean without which the figures cannot be read."""
    table = Table.grid(padding=(0, 2), pad_edge=True)
    for term in IN_SHORT:
        table.add_row(Text(term.word, style="dim"), Text(term.meaning))
    return Group(Text("What the words mean", style="bold"), table)


def next_view(commands: Sequence[tuple[str, str]]) -> RenderableType:
    """Lay out what can be done next, each command in a line of its own that can be copied.

    Parameters
    ----------
    commands : sequence of pairs of str
        What can be done, and the command that does it.
    """
    lines = [Text("Next", style="bold")]
    for what, command in commands:
        lines += [Text(f"  {what}:", style="dim"), Text(f"    {command}", overflow="ignore")]
    for line in lines:
        line.no_wrap = True
    return Group(*lines)


def verdict_view(verdict: "Verdict") -> RenderableType:
    """Lay out a finding: code and title, then evidence and advice."""
    head = Text(verdict.headline, style=_COLORS[verdict.severity])
    return Group(
        head, *(Padding(Text(t), (0, 0, 0, 2)) for t in (verdict.evidence, verdict.advice))
    )


def figures_view(diagnosis: "Diagnosis") -> RenderableType:
    """Lay out the key figures."""
    table = Table.grid(padding=(0, 2), pad_edge=True)
    for figure in diagnosis.summary.figures:
        table.add_row(Text(figure.name, style="dim"), Text(figure.text))
    return table


def _candidates_view(diagnosis: "Diagnosis") -> RenderableType:
    from reldim.report.summary import rank_kernels
    from reldim.report.words import percent

    ranked = rank_kernels(diagnosis)
    title = f"Kernels tried, by {diagnosis.summary.criterion_name} (lower is better)"
    folded = any(row.alike for row in ranked[:SHOWN])
    in_steps = len({row.trial.rows for row in ranked}) > 1
    rows = [
        {
            "": "*" if row.trial.chosen else "",
            "kernel": row.trial.kernel,
            **({"rows": str(row.trial.rows)} if in_steps else {}),
            "dim.": str(row.trial.dimension),
            "criterion": f"{row.value:.4f}",
            "error": percent(row.trial.error_estimate),
            **({"alike": f"+{len(row.alike)}" if row.alike else ""} if folded else {}),
        }
        for row in ranked[:SHOWN]
    ]
    marked = [row.trial.chosen for row in ranked[:SHOWN]]
    table = _FittingTable(
        rows, marked, name="kernel", less=("alike", "criterion", "dim.")[not folded :]
    )
    notes = [f"error: {_error_note(diagnosis)}"]
    if in_steps:
        notes.append("rows: kernels were compared on some rows, and the best then saw all of them")
    if folded:
        notes.append("alike: neighbours with the same dimension and criterion")
    if len(ranked) > SHOWN:
        notes.append(
            f"{len(ranked) - SHOWN} more rows are in the output of --json and in the report"
        )
    foot = [Padding(Text(f"{note}.", style="dim"), (0, 0, 0, 3)) for note in notes]
    return Group(Text(title, style="bold"), table, *foot)


def _error_note(diagnosis: "Diagnosis") -> str:
    from reldim.report.words import percent

    note = "of least squares on the components of one kernel, which counts no choice among kernels"
    predictor = "blend that predicts" if diagnosis.blends else "predictor"
    return f"{note}; the {predictor} has {percent(diagnosis.error_estimate)}"


def comparison_view(comparison: "Comparison") -> RenderableType:
    """Lay out a comparison: the conclusion, the table, verdicts, what was done."""
    parts: list[RenderableType] = [
        Text(comparison.conclusion, style="bold"),
        Text(),
        _comparison_table(comparison),
        Text(),
        *(Text(f"  {note}", style="dim") for note in NOTES),
        Text(),
        Text("Verdicts", style="bold"),
        _bullets(_verdicts(comparison)),
    ]
    notes = _steps({name: found.preparation for name, found in comparison.diagnoses.items()})
    if notes:
        parts += [Text(), Text("What was done to the data", style="bold")]
        parts.append(_bullets(notes))
    return Group(*parts)


def _comparison_table(comparison: "Comparison") -> "_FittingTable":
    rows = []
    for _, row in comparison.table.iterrows():
        *figures, verdict = cells(row)
        # The titles of the verdicts follow below the table, which then fits into 80 columns.
        rows.append(dict(zip(HEADINGS, (*figures, verdict.split()[0]), strict=True)))
    marked = [row["name"] == comparison.best for row in rows]
    return _FittingTable(rows, marked, name="name", less=_LESS)


class _FittingTable:
    """A table that does without the columns that matter least where the terminal is narrow.

    Parameters
    ----------
    rows : sequence of dict
        Texts by heading.
    marked : sequence of bool
        Which rows stand out.
    name : str
        The column of names, which stays whole as far as it goes.
    less : tuple of str
        What is left out, the first of them first.
    bars : sequence of float
        Lengths of bars in the third column, where there is room for them.
    """

    def __init__(
        self,
        rows: Sequence[dict[str, str]],
        marked: Sequence[bool],
        *,
        name: str,
        less: tuple[str, ...],
        bars: Sequence[float] = (),
    ) -> None:
        self._rows, self._marked, self._name, self._less = rows, marked, name, less
        self._bars, self._gap = bars, 2 if bars else 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown, left_out = [*self._rows[0]], list[str]()
        while self._width(shown) > options.max_width and len(left_out) < len(self._less):
            left_out.append(self._less[len(left_out)])
            shown.remove(left_out[-1])
        table = Table(box=None, pad_edge=True, padding=(0, 1), collapse_padding=self._gap == 1)
        room = min(SHARE_BAR, options.max_width - self._width(shown) - 2)
        if self._bars and room >= SHORTEST_BAR:
            shown.insert(2, "")
        for heading in shown:
            name = heading == self._name
            table.add_column(
                heading,
                justify="left" if heading in {"", self._name, "verdict"} else "right",
                header_style="dim",
                overflow="fold" if name else "ellipsis",
                no_wrap=not name,
                min_width=self._name_width() if name else None,
            )
        scale = room / (max(self._bars, default=0.0) or 1.0)
        for i, (row, marked) in enumerate(zip(self._rows, self._marked, strict=True)):
            texts = [
                Text(row[heading])
                if heading in row
                else Text("█" * round(scale * self._bars[i]), style="cyan")
                for heading in shown
            ]
            table.add_row(*texts, style="bold" if marked else "dim" if self._bars else None)
        yield table
        if left_out:
            yield Text(f"   {listed(left_out)}: in a wider terminal, or by --json", style="dim")

    def _name_width(self) -> int:
        return min(NAME, max(len(row[self._name]) for row in self._rows))

    def _width(self, shown: list[str]) -> int:
        widest = {h: max(len(h), *(len(row[h]) for row in self._rows)) for h in shown}
        gaps = self._gap * len(shown) + (self._gap == 1)
        return sum(widest.values()) - widest[self._name] + self._name_width() + gaps


def _steps(preparations: dict[str, tuple[str, ...]]) -> list[str]:
    """List what was done, once where it was done to all."""
    shared = [
        step
        for step in next(iter(preparations.values()))
        if all(step in steps for steps in preparations.values())
    ]
    own = [
        f"{name}: {step}"
        for name, steps in preparations.items()
        for step in steps
        if step not in shared
    ]
    return [*shared, *own]


def _verdicts(comparison: "Comparison") -> list[str]:
    """List every verdict and finding once, with those that have it."""
    names: dict[str, list[str]] = {}
    for name in comparison.table["name"]:
        found = comparison.diagnoses[name]
        for verdict in (found.verdict, *found.findings):
            names.setdefault(verdict.headline, []).append(name)
    return [f"{verdict}: {listed(names[verdict], 8)}" for verdict in sorted(names)]


def forecast_view(forecast: "Forecast", error: float | None = None) -> RenderableType:
    """Lay out a forecast: the answer to a question, the table, what it rests on.

    Parameters
    ----------
    forecast : Forecast
        The forecast.
    error : float, optional
        A target error to answer about.
    """
    unit = "of labels" if forecast.curve.task == "classification" else "of variance"
    parts: list[RenderableType] = []
    if error is not None:
        parts += [Text(forecast.explain(error), style="bold"), Text()]
    parts += [Text(f"Error to expect, {unit}", style="bold"), _forecast_table(forecast), Text()]
    parts.append(Padding(Text(forecast.reason), (0, 0, 0, 2)))
    return Group(*parts)


def _forecast_table(forecast: "Forecast") -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 1), header_style="dim")
    figures = [
        (f"{rows}", f"{error:.1%}", f"{low:.1%} to {high:.1%}")
        for rows, error, low, high in zip(
            forecast.rows, forecast.error, forecast.lower, forecast.upper, strict=True
        )
    ]
    figures.append(("floor", f"{forecast.floor:.1%}", ""))
    for heading, texts in zip(
        ("rows", "error", "90% interval"), zip(*figures, strict=True), strict=True
    ):
        widest = max(len(heading), *map(len, texts))
        table.add_column(heading, justify="right", no_wrap=True, min_width=widest)
    # Bars end where the terminal does; figures stay whole.
    table.add_column("")
    largest = float(forecast.error.max()) or 1.0
    for texts, rows, error in zip(figures, forecast.rows, forecast.error, strict=False):
        bar = "█" * max(1, round(BAR * float(error) / largest))
        style = "bold" if rows == forecast.n else None
        cut = Text(bar, style="cyan", no_wrap=True, overflow="crop")
        table.add_row(*texts, cut, style=style)
    table.add_row(*figures[-1], "", style="dim")
    return table


def columns_view(summary: "Summary") -> RenderableType:
    """Lay out which columns matter: what is not needed, and the table."""
    from reldim.report.words import percent

    about = Text(summary.about_columns, style="bold")
    if not summary.column_shares:
        return about
    error = f"{percent(summary.error_estimate)} {summary.unit}"
    title = f"Share of the signal by column; with all of them the expected error is {error}"
    parts: list[RenderableType] = [about, Text(), Text(title), _columns_table(summary)]
    more = len(summary.column_shares) - SHOWN_COLUMNS
    if more > 0:
        parts.append(Text(f"  and {more} more, all of them by --csv and --json", style="dim"))
    note = "Columns with the same information divide its share. Shares are not causes."
    return Group(*parts, Text(), Text(note, style="dim"))


def _columns_table(summary: "Summary") -> _FittingTable:
    from reldim.report.words import percent

    shares = summary.column_shares[:SHOWN_COLUMNS]
    rows = [
        {
            "column": row.name,
            "share": f"{row.share:.1%}",
            "90% interval": f"{row.low:.1%} to {row.high:.1%}",
            "error without": percent(row.error_without),
            "p-value": f"{row.p_value:.2g}" if row.p_value >= 0.001 else "<0.001",
        }
        for row in shares
    ]
    matter = {row.name for row in summary.columns_that_matter}
    marked = [row.name in matter for row in shares]
    bars = [row.share for row in shares]
    less = ("90% interval", "p-value")
    return _FittingTable(rows, marked, name="column", less=less, bars=bars)


def _bullets(sentences: Sequence[str]) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    for sentence in sentences:
        grid.add_row("  -", Text(sentence))
    return grid
