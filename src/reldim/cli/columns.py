"""``reldim columns``: which columns of a data file carry the signal."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reldim.cli.application import app, say
from reldim.cli.options import (
    JobsOption,
    NoColorOption,
    ReportOption,
    SeedOption,
    SingleFileArgument,
    TargetOption,
    Task,
    TaskOption,
    checked_outputs,
    command_line,
    given_flags,
    reads_tables,
)
from reldim.cli.pages import write_page
from reldim.cli.running import diagnosed_file
from reldim.exceptions import InputError
from reldim.files.options import TableOptions

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["columns"]

#: Version of what --json writes.
SCHEMA = "reldim.columns/1"


@app.command(
    short_help="Tell which columns carry the signal.",
    epilog="\b\nExamples:\n  reldim columns data.csv --target price\n"
    "  reldim columns data.csv --target label --drop id --csv columns.csv\n"
    "  reldim columns data.csv --target label --report columns.html\n"
    "  reldim columns data.parquet --target label --json - --quiet",
)
@reads_tables
def columns(
    file: SingleFileArgument,
    target: TargetOption = None,
    *,
    options: TableOptions,
    task: TaskOption = Task.AUTO,
    csv_file: Annotated[
        str | None,
        typer.Option("--csv", metavar="OUT", help="Write CSV to this file; - is standard output."),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="OUT", help="Write JSON to this file; - is standard output."
        ),
    ] = None,
    report_file: ReportOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files of --csv, --json and --report.")
    ] = False,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the names of columns that matter.")
    ] = False,
    no_color: NoColorOption = False,
) -> None:
    """Tell which columns of a data file carry the signal, and which can be dropped.

    Each column is shown with its share of the signal and a 90 % interval, the error to expect
    without the column, and the probability that a column that does not matter raises the error by
    as much. Columns with the same information divide its share; that a column matters does not mean
    that it is a cause. In CSV a name that a spreadsheet would run as a formula gets an apostrophe
    in front.

    Exit codes: 0; 2 where the input cannot be used.
    """
    names = {"--csv": csv_file, "--json": json_file, "--report": report_file}
    csv_path, json_path, report = checked_outputs(names, [file], target, force=force)
    if file.is_dir():
        raise InputError(f"columns takes a single file. Got the folder {file}; name a file in it.")
    diagnosis, _ = diagnosed_file(
        file,
        target,
        options,
        task=task.value,
        references=report is not None,
        jobs=jobs,
        seed=seed,
        quiet=quiet,
        conclude=True,
    )
    from reldim.diagnosis.columns import NO_SIGNAL
    from reldim.files.writing import write_text

    if diagnosis.columns_note not in {"", NO_SIGNAL}:
        raise InputError(diagnosis.columns_note)

    outputs = [(csv_file, csv_path, _as_csv), (json_file, json_path, _as_json)]
    for name, path, write in outputs:
        if name is not None and path is None:
            typer.echo(write(diagnosis), nl=False)
        elif path is not None:
            write_text(path, write(diagnosis), overwrite=force)
    if "-" not in (csv_file, json_file):
        _show(diagnosis, quiet=quiet, color=not no_color)
    elif not quiet:
        say(diagnosis.summary.about_columns)
    if report is not None:
        flags = given_flags(target, options, task=task, seed=seed)
        page = _page(diagnosis, name=file.name, command=command_line("columns", [file], flags))
        write_page(report, page, force=force, quiet=quiet)


def _page(diagnosis: "Diagnosis", *, name: str, command: str) -> str:
    from reldim.report.details import effect_pictures
    from reldim.report.page import columns_page

    return columns_page(diagnosis.summary, effect_pictures(diagnosis), name=name, command=command)


def _as_csv(diagnosis: "Diagnosis") -> str:
    from reldim.files.writing import csv_text

    table = diagnosis.columns
    dropped = {*diagnosis.droppable.names} if diagnosis.droppable else set()
    # Further digits say nothing.
    table = table.map(lambda value: float(f"{value:.6g}"))
    table["droppable"] = [name in dropped for name in table.index]
    return csv_text(table, index_label="column")


def _as_json(diagnosis: "Diagnosis") -> str:
    from reldim import __version__

    plain = diagnosis.to_dict()
    figures: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        **{name: plain[name] for name in ("rows", "task", "error_estimate", "constant_error")},
        "columns": plain["column_shares"],
        "droppable": plain["droppable"],
        "note": plain["columns_note"],
    }
    return json.dumps(figures, indent=2, allow_nan=False) + "\n"


def _show(diagnosis: "Diagnosis", *, quiet: bool, color: bool) -> None:
    if quiet:
        for row in diagnosis.summary.columns_that_matter:
            typer.echo(row.name)
        return
    from reldim.cli.console import show, terminal
    from reldim.cli.views import columns_view

    show(terminal(color=color), columns_view(diagnosis.summary))
