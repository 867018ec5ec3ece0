"""The terminal: what is shown, progress, and warnings in one line each."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from reldim.cli.streams import say, write_out
from reldim.exceptions import ReldimWarning

if TYPE_CHECKING:
    from reldim.inputs.stages import Progress as ProgressCall

__all__ = [
    "collected_warnings",
    "progress_bar",
    "show",
    "show_warnings",
    "terminal",
    "time_left",
]

#: What the stages of long work are called.
STAGES = {
    "read": "Reading the file",
    "prepare": "Preparing the columns",
    "kernels": "Trying kernels",
    "landmarks": "Choosing landmarks",
    "decompose": "Decomposing",
    "weights": "Learning weights of columns",
    "conclude": "Drawing conclusions",
    "references": "Fitting other models",
    "columns": "Asking which columns are needed",
    "effects": "Following the columns",
    "labels": "Judging labels",
    "forecast": "Looking ahead",
}

#: What a stage is called that is through, and goes on: the best kernels get a second look.
AGAIN = {"kernels": "Looking closer at the best"}


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


def show(console: Console, *views: RenderableType) -> None:
    """Print views below each other."""
    with console.capture() as captured:
        # Commands are longer than a narrow terminal is wide: it breaks them where it likes.
        console.print(*views, sep="\n", crop=False)
    # rich fills lines up with blanks, which are in the way where lines are copied or compared.
    lines = (line.rstrip() for line in captured.get().splitlines())
    write_out("\n".join(lines) + "\n", console.file)


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


def show_warnings(caught: Sequence[warnings.WarningMessage], known: Sequence[str | None]) -> None:
    """Write the warnings of reldim in one line each, and pass on all others.

    Parameters
    ----------
    caught : sequence of WarningMessage
        The warnings.
    known : sequence of str or None
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
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[left]}", style="dim"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Stages(bar)


class _Stages:
    """One bar per stage, with its count and the remaining time."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}
        self._done: dict[str, int] = {}
        self._began: dict[str, float] = {}
        self._latest = monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is; a total of 0 stands for one of unknown length."""
        now, before = monotonic(), self._done.get(stage)
        if done == 0:
            self._began[stage] = now
        elif before is None or done < before:
            # Begun anew, as landmarks are for every kernel; the first step took time as well.
            self._began[stage] = self._latest
        self._latest, self._done[stage] = now, done
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task("", total=None, count="", left="")
        if total == 0:
            self._hide_others(stage)
        again = done == before == total
        self._bar.update(
            self._tasks[stage],
            description=(AGAIN if again else STAGES).get(stage, stage),
            completed=done,
            total=total or None,
            visible=True,
            count=f"{done}/{total}" if total else "",
            left=time_left(now - self._began[stage], done, total),
        )

    def _hide_others(self, stage: str) -> None:
        """Take stages of unknown length away: that another one begins says they are over."""
        for other, task in self._tasks.items():
            if other != stage and self._bar.tasks[task].total is None:
                self._bar.update(task, visible=False)


def time_left(elapsed: float, done: int, total: int) -> str:
    """Say how long the rest takes if it goes on as it did so far.

    Parameters
    ----------
    elapsed : float
        Seconds since the stage began.
    done, total : int
        Steps that are done, and in all.

    Returns
    -------
    str
        Such as "about 20 s left"; empty where nothing can be said.

    Examples
    --------
    >>> time_left(10.0, 5, 20)
    'about 30 s left'
    >>> time_left(600.0, 1, 20)
    'about 3 h 10 min left'
    """
    if done <= 0 or done >= total:
        return ""
    seconds = max(1, round(elapsed * (total - done) / done))
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"about {seconds} s left"
    if minutes < 60:
        return f"about {minutes} min left"
    return f"about {minutes // 60} h {minutes % 60} min left"
