"""``reldim forecast``: the error to expect with more rows of a data file."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reldim.cli.application import app
from reldim.cli.options import (
    Criterion,
    CriterionOption,
    FileArgument,
    JobsOption,
    KernelOption,
    NoColorOption,
    ReportOption,
    ScaleOption,
    SeedOption,
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
from reldim.files.options import TableOptions

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.diagnosis.forecast import Forecast

__all__ = ["forecast"]


@app.command(
    short_help="Forecast the error with more rows.",
    epilog="\b\nExamples:\n  reldim forecast data.csv --target label --to 10000\n"
    "  reldim forecast data.csv --target label --error 0.05 --report report.html\n"
    "  reldim forecast data.db --table patients --target outcome --drop id\n"
    "  reldim forecast data.csv --target price --to 2000 --to 5000 --json out.json",
)
@reads_tables
def forecast(
    file: FileArgument,
    target: TargetOption = None,
    *,
    options: TableOptions,
    to: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            metavar="ROWS",
            help="Rows to forecast for, up to ten times those of the file; may be repeated. By "
            "default twice, four times and ten times as many.",
        ),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SHARE",
            help="Tell how many rows this error takes: a share of labels, such as 0.05, or of the "
            "variance of a number.",
        ),
    ] = None,
    task: TaskOption = Task.AUTO,
    kernel: KernelOption = None,
    criterion: CriterionOption = Criterion.LIKELIHOOD,
    scale: ScaleOption = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="OUT", help="Write all figures to this file; - is standard output."
        ),
    ] = None,
    report_file: ReportOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files of --json and --report.")
    ] = False,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one line only.")] = False,
    no_color: NoColorOption = False,
) -> None:
    """Forecast the error with more rows of the same kind, and the rows that an error takes.

    The error is that of the predictor which reldim diagnose chooses. Each figure comes with its
    90 % interval.

    Exit codes: 0; 2 where the input cannot be used.
    """
    outputs = {"--json": json_file, "--report": report_file}
    output, report = checked_outputs(outputs, [file], target, force=force)
    diagnosis, _ = diagnosed_file(
        file,
        target,
        options,
        scale=scale,
        task=task.value,
        kernels=kernel or None,
        criterion=criterion.value,
        jobs=jobs,
        seed=seed,
        quiet=quiet,
        conclude=report is not None,
    )
    n = diagnosis.n
    found = diagnosis.forecast(sorted({n, *(to or [2 * n, 4 * n, 10 * n])}))
    figures = _figures(found, error)
    if output is not None:
        from reldim.files.writing import write_text

        text = json.dumps(figures, indent=2, allow_nan=False) + "\n"
        write_text(output, text, overwrite=force)
    _show(found, error, figures, as_json=json_file == "-", quiet=quiet, color=not no_color)
    if report is not None:
        flags = given_flags(
            target, options, task=task, kernel=kernel, criterion=criterion, scale=scale, seed=seed
        )
        command = command_line("forecast", [file], {**flags, "--to": to, "--error": error})
        answer = "" if error is None else found.explain(error)
        page = _page(diagnosis, answer, to or [], name=file.name, command=command)
        write_page(report, page, force=force, quiet=quiet)


def _page(diagnosis: "Diagnosis", answer: str, more: list[int], *, name: str, command: str) -> str:
    from reldim.report.page import forecast_page, forecast_rows

    forecast = diagnosis.forecast(sorted({*forecast_rows(diagnosis.n).tolist(), *more}))
    return forecast_page(diagnosis, forecast, answer=answer, name=name, command=command)


def _figures(found: "Forecast", error: float | None) -> dict[str, Any]:
    figures = found.to_dict()
    if error is not None:
        figures["target_error"] = error
        figures["rows_needed"] = found.rows_needed(error)
        figures["answer"] = found.explain(error)
    return figures


def _show(
    found: "Forecast",
    error: float | None,
    figures: dict[str, Any],
    *,
    as_json: bool,
    quiet: bool,
    color: bool,
) -> None:
    if as_json:
        typer.echo(json.dumps(figures, indent=2, allow_nan=False))
    elif quiet:
        last = f"{found.error[-1]:.1%} with {found.rows[-1]} rows"
        typer.echo(found.explain(error) if error is not None else last)
    else:
        from reldim.cli.console import show, terminal
        from reldim.cli.views import forecast_view

        show(terminal(color=color), forecast_view(found, error))
