"""``reldim diagnose``: what limits learning from a data file."""

import difflib
import json
from typing import TYPE_CHECKING, Annotated

import typer

from reldim.cli.application import app, say
from reldim.cli.next_steps import next_steps
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
    codes_like,
    command_line,
    given_flags,
    name_of,
    reads_tables,
)
from reldim.cli.running import SchedulerOption, WorkersOption, diagnosed_file, on_cluster
from reldim.exceptions import InputError
from reldim.files.options import TableOptions

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["diagnose"]


@app.command(
    epilog="\b\nExamples:\n  reldim diagnose data.csv --target label\n"
    "  reldim diagnose data.csv --target label --report report.html\n"
    "  reldim diagnose data.npz --kernel gaussian --kernel polynomial --json out.json\n"
    "  reldim diagnose sales.xlsx --sheet 2024 --target price --drop id --drop 'note_*'\n"
    "  reldim diagnose data.db --query 'select * from patients' --target outcome\n"
    "  gzip -dc data.csv.gz | reldim diagnose - --target label\n"
    "  reldim diagnose data.csv --target label --fail-on RD001 --quiet\n"
    "  reldim diagnose folder --target label --workers 4",
)
@reads_tables
def diagnose(
    file: FileArgument,
    target: TargetOption = None,
    *,
    options: TableOptions,
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
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Exit with 1 on this verdict or finding, by code or by name, such as RD003 or "
            "limited-by-noise, but not where it is only named beside another; may be repeated.",
            autocompletion=codes_like,
        ),
    ] = None,
    scheduler: SchedulerOption = None,
    workers: WorkersOption = None,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
    no_color: NoColorOption = False,
) -> None:
    """Tell what limits learning from a data file.

    Whether it is the number of rows, noise in the target, or the kernel, and what to do about it.
    Columns with categories, dates, text or missing values are turned into numbers, and the output
    says how.

    Exit codes: 0; 1 where a code of --fail-on is found; 2 where the input cannot be used.
    """
    codes = _checked_codes(fail_on or [])
    outputs = {"--json": json_file, "--report": report_file}
    output, report = checked_outputs(outputs, [file], target, force=force)
    with on_cluster(scheduler, workers) as solver:
        diagnosis, data = diagnosed_file(
            file,
            target,
            options,
            scale=scale,
            task=task.value,
            kernels=kernel or None,
            criterion=criterion.value,
            solver=solver,
            jobs=jobs,
            seed=seed,
            quiet=quiet,
            conclude=True,
        )
        flags = given_flags(
            target, options, task=task, kernel=kernel, criterion=criterion, scale=scale, seed=seed
        )
        if output is not None:
            diagnosis.to_json(output, overwrite=force)
        if json_file == "-":
            typer.echo(json.dumps(diagnosis.to_dict(), indent=2, allow_nan=False))
        elif quiet:
            typer.echo(diagnosis.verdict.headline)
        else:
            steps = next_steps(diagnosis, file, flags, reported=report is not None)
            _show(diagnosis, steps, color=not no_color)
        if report is not None:
            diagnosis.write_report(
                report,
                data=data.X,
                name=file.name,
                command=command_line("diagnose", [file], flags),
                overwrite=force,
            )
            if not quiet:
                say(f"wrote {report}")
    found = [v for v in (diagnosis.verdict, *diagnosis.findings) if v.code in codes]
    if found:
        say("found " + ", ".join(one.headline for one in found))
        raise typer.Exit(1)


def _show(diagnosis: "Diagnosis", steps: list[tuple[str, str]], *, color: bool) -> None:
    from reldim.cli.console import show, terminal
    from reldim.cli.views import diagnosis_view

    show(terminal(color=color), diagnosis_view(diagnosis, steps))


def _checked_codes(codes: list[str]) -> set[str]:
    if not codes:
        return set()
    from reldim.diagnosis.verdicts import CODES

    names = {name_of(title): code for code, title in CODES.items()}
    wanted = {names.get(name_of(code), code.upper()): code for code in codes}
    unknown = sorted(typed for code, typed in wanted.items() if code not in CODES)
    if unknown:
        near = difflib.get_close_matches(unknown[0].lower(), names, n=1)
        guess = f" Did you mean {near[0]}?" if near else ""
        known = ", ".join(f"{code} ({name})" for name, code in names.items())
        raise InputError(f"--fail-on takes one of {known}. Got {unknown[0]!r} instead.{guess}")
    return {*wanted}
