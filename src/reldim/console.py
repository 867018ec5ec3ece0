"""The terminal: a diagnosis to read, progress, and errors and warnings in one line each."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from reldim.exceptions import ReldimWarning

if TYPE_CHECKING:
    from reldim.diagnosis import Diagnosis
    from reldim.eigensolvers import Progress as ProgressCall
    from reldim.verdicts import Verdict

__all__ = [
    "collected_warnings",
    "diagnosis_view",
    "figures_view",
    "progress_bar",
    "say",
    "show",
    "show_warnings",
    "terminal",
    "verdict_view",
]

#: Rows of the table of candidates that are shown.
SHOWN = 12

#: Errors beyond this multiple of the variance are only said to be large.
LARGE_ERROR = 10.0

_COLORS = {"good": "bold green", "info": "bold cyan", "warning": "bold yellow"}


def terminal(*, color: bool = True) -> Console:
    """Return the console on standard output.

    Parameters
    ----------
    color : bool
        Whether colours may be used; the environment variable NO_COLOR forbids them as well.

    Returns
    -------
    Console
        A console that prints names and figures literally.
    """
    # None leaves the decision to the environment.
    return Console(markup=False, emoji=False, highlight=False, no_color=None if color else True)


def say(message: str) -> None:
    """Write a message to standard error, in one line.

    Parameters
    ----------
    message : str
        The message; line breaks become blanks.
    """
    sys.stderr.write(f"reldim: {' '.join(message.split())}\n")


def show(console: Console, *views: RenderableType) -> None:
    """Print views below each other.

    Parameters
    ----------
    console : Console
        Where to.
    *views : renderable
        What to print.
    """
    with console.capture() as captured:
        console.print(*views, sep="\n")
    # rich fills lines up with blanks, which are in the way of whoever copies or compares them.
    lines = (line.rstrip() for line in captured.get().splitlines())
    console.file.write("\n".join(lines) + "\n")


@contextmanager
def collected_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Collect warnings instead of showing them at once.

    Yields
    ------
    list of WarningMessage
        The warnings, as they come.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReldimWarning)
        yield caught


def show_warnings(caught: Sequence[warnings.WarningMessage], known: Sequence[str]) -> None:
    """Write the warnings of reldim in one line each, and pass on all others.

    Parameters
    ----------
    caught : sequence of WarningMessage
        The warnings.
    known : sequence of str
        What the output says anyway.
    """
    for warning in caught:
        if not issubclass(warning.category, ReldimWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
        elif str(warning.message) not in known:
            say(f"warning: {warning.message}")


@contextmanager
def progress_bar(*, wanted: bool) -> Iterator["ProgressCall | None"]:
    """Show the progress of long work on standard error, where that is a terminal.

    Parameters
    ----------
    wanted : bool
        False keeps it away.

    Yields
    ------
    callable or None
        What :func:`reldim.diagnose` takes as ``progress``.
    """
    console = Console(stderr=True, markup=False)
    if not wanted or not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def advance(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield advance


def diagnosis_view(diagnosis: "Diagnosis") -> RenderableType:
    """Lay out a diagnosis: verdict, figures, kernels, what was done, further findings.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.

    Returns
    -------
    renderable
        What a console prints.
    """
    parts = [verdict_view(diagnosis.verdict), Text(), figures_view(diagnosis), Text()]
    parts.append(_candidates_view(diagnosis))
    if diagnosis.preparation:
        parts += [Text(), Text("What was done to the data", style="bold")]
        parts.append(_bullets(diagnosis.preparation))
    if diagnosis.findings:
        parts += [Text(), Text("Further findings", style="bold")]
        parts += [Padding(verdict_view(finding), (0, 0, 0, 2)) for finding in diagnosis.findings]
    return Group(*parts)


def verdict_view(verdict: "Verdict") -> RenderableType:
    """Lay out a finding: code and title, then evidence and advice.

    Parameters
    ----------
    verdict : Verdict
        The finding.

    Returns
    -------
    renderable
        What a console prints.
    """
    head = Text(f"{verdict.code} {verdict.title}", style=_COLORS[verdict.severity])
    return Group(
        head, *(Padding(Text(t), (0, 0, 0, 2)) for t in (verdict.evidence, verdict.advice))
    )


def figures_view(diagnosis: "Diagnosis") -> RenderableType:
    """Lay out the key figures.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.

    Returns
    -------
    renderable
        What a console prints.
    """
    low, high = diagnosis.interval
    of = "of labels" if diagnosis.task == "classification" else "of variance"
    plain = diagnosis.to_dict()
    figures = {
        "rows": f"{diagnosis.n}, {diagnosis.task} ({plain['task_reason']})",
        "kernel": f"{plain['kernel']}, best of {len(plain['candidates'])} by {plain['criterion']}",
        "computed from": plain["solver_note"],
        "relevant dimension": f"{diagnosis.dimension} (90% interval {low} to {high})",
        "signal": f"p = {diagnosis.p_value:.3g}",
        "noise level": f"{_percent(diagnosis.noise_level)} {of}",
        "expected error": f"{_percent(diagnosis.error_estimate)} {of} "
        f"(constant prediction: {_percent(plain['constant_error'])})",
    }
    table = Table.grid(padding=(0, 2), pad_edge=True)
    for name, figure in figures.items():
        table.add_row(Text(name, style="dim"), Text(figure))
    return table


def _candidates_view(diagnosis: "Diagnosis") -> RenderableType:
    rows = diagnosis.candidates
    first = max(0, min(diagnosis.index - SHOWN // 2, len(rows) - SHOWN))
    by_likelihood = diagnosis.criterion == "likelihood"
    value = "negative_log_likelihood" if by_likelihood else "criterion_value"
    criterion = "negative log-likelihood" if by_likelihood else "leave-one-out error"
    title = f"Kernels tried, by {criterion} (lower is better)"
    table = Table(box=None, pad_edge=True, padding=(0, 1), header_style="dim")
    table.add_column("")
    table.add_column("kernel", overflow="fold")
    # Short headings leave room for long kernels in 80 columns.
    for heading in ("dim.", "criterion", "noise", "error"):
        table.add_column(heading, justify="right")
    for row in rows.iloc[first : first + SHOWN].to_dict(orient="records"):
        table.add_row(
            "*" if row["chosen"] else "",
            Text(str(row["kernel"])),
            str(row["dimension"]),
            f"{row[value]:.4f}",
            _percent(row["noise_level"]),
            _percent(row["error_estimate"]),
            style="bold" if row["chosen"] else None,
        )
    more = len(rows) - SHOWN
    parts: list[RenderableType] = [Text(title, style="bold"), table]
    if more > 0:
        parts.append(Text(f"    and {more} more, all of them in the output of --json", style="dim"))
    return Group(*parts)


def _bullets(sentences: Sequence[str]) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    for sentence in sentences:
        grid.add_row("  -", Text(sentence))
    return grid


def _percent(share: float) -> str:
    return f"over {LARGE_ERROR:.0%}" if share > LARGE_ERROR else f"{share:.1%}"
