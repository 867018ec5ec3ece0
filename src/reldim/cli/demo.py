"""``reldim demo``: two small problems that come with the package."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reldim.cli.application import app
from reldim.cli.options import checked_report
from reldim.exceptions import FileError

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["demo"]

#: The report, where no other name is given.
REPORT = Path("report.html")


@app.command(epilog="\b\nExamples:\n  reldim demo\n  reldim demo --report demo.html --force")
def demo(
    report: Annotated[
        str | None,
        typer.Option(
            metavar="OUT", help="Where to write the report on the first problem (report.html)."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a report that is there already.")
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
) -> None:
    """Diagnose two small problems that come with the package.

    A learner errs on both, for opposite reasons. A report on the first is written to report.html; a
    file of that name is left alone.
    """
    path = checked_report(report, force=force)
    from rich.text import Text

    from reldim import datasets, diagnose
    from reldim.cli.console import show, terminal
    from reldim.cli.views import figures_view, verdict_view, words_view
    from reldim.report.words import percent

    console = terminal(color=not no_color)
    noisy = datasets.noisy_sinc(100, noise=0.3, random_state=1)
    complicated = datasets.sine(100, frequency=35, noise=0.1, random_state=1)
    diagnoses = [diagnose(data.X, data.y) for data in (noisy, complicated)]
    for data, diagnosis in zip((noisy, complicated), diagnoses, strict=True):
        head = Text(f"{data.name}: {data.description}", style="bold")
        show(console, head, verdict_view(diagnosis.verdict), Text())
        show(console, figures_view(diagnosis), Text())
    first, second = (percent(diagnosis.error_estimate) for diagnosis in diagnoses)
    few, many = (diagnosis.dimension for diagnosis in diagnoses)
    show(
        console,
        Text(
            f"Errors of {first} and {second} leave much to explain, for opposite reasons. The "
            f"first problem is simple but noisy: {few} dimensions carry all there is to learn, and "
            "most of the error would stay with any number of rows. The second is complex and has "
            f"little noise: its signal takes {many} dimensions, which 100 rows do not pin down; "
            "more rows, or a kernel made for it, would help.",
        ),
        Text(),
        words_view(),
        Text(),
        Text(f"{_written(diagnoses[0], noisy.name, path, force=force)}\n"),
        Text("Now try your own data: reldim diagnose your.csv --target column"),
    )


def _written(diagnosis: "Diagnosis", name: str, path: Path | None, *, force: bool) -> str:
    """Write the report and say where it is; a demonstration does not fail for want of a place."""
    if path is None and REPORT.exists() and not force:
        return f"{REPORT} exists already and was left alone: --force replaces it."
    target = REPORT if path is None else path
    try:
        diagnosis.write_report(target, name=name, command="reldim demo", overwrite=force)
    except FileError as error:
        if path is not None:
            raise
        return f"No report was written. {error}"
    return f"The first of them to look at, with pictures: {target}"
