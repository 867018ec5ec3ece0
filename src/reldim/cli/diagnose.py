"""``reldim diagnose``: what limits learning from a data file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reldim.cli.application import app, say
from reldim.cli.options import Criterion, Task, checked_output, features
from reldim.exceptions import InputError

if TYPE_CHECKING:
    from reldim.diagnosis import Diagnosis

__all__ = ["diagnose"]


@app.command(
    epilog="\b\nExamples:\n  reldim diagnose data.csv --target label\n"
    "  reldim diagnose data.npz --kernel gaussian --kernel polynomial --json out.json\n"
    "  reldim diagnose data.csv --target label --fail-on RD001 --quiet",
)
def diagnose(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV, TSV, NPY or NPZ file.")],
    target: Annotated[
        str | None,
        typer.Option(
            help="What to explain: a column of a table; a key of an NPZ file (default y); a "
            "column number or another file for NPY.",
        ),
    ] = None,
    task: Annotated[Task, typer.Option(help="Kind of problem.")] = Task.AUTO,
    kernel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A family to try; may be repeated. One of gaussian, laplacian, matern, "
            "polynomial, linear, inverse-multiquadric; weighted-degree for sequences.",
        ),
    ] = None,
    criterion: Annotated[
        Criterion, typer.Option(help="What kernel and dimension are chosen by.")
    ] = Criterion.LIKELIHOOD,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale",
            help="Bring columns to mean 0 and variance 1. By default done for tables, and not "
            "for arrays.",
        ),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="OUT", help="Write all figures to this file; - is standard output."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --json.")] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Exit with 1 on this verdict or finding; may be repeated."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of random choices.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
) -> None:
    """Tell what limits learning from a data file.

    Whether it is the number of rows, noise in the target, or the kernel, and what to do about it.
    Columns with categories, dates, text or gaps are turned into numbers, and the output says how.

    Exit codes: 0; 1 where a code of --fail-on is found; 2 where the input cannot be used.
    """
    codes = _checked_codes(fail_on or [])
    output = checked_output(json_file, force=force)
    diagnosis = _diagnosed(
        file,
        target,
        scale=scale,
        task=task.value,
        kernels=kernel or None,
        criterion=criterion.value,
        seed=seed,
        quiet=quiet,
    )
    if output is not None:
        diagnosis.to_json(output, overwrite=force)
    _show(diagnosis, as_json=json_file == "-", quiet=quiet, color=not no_color)
    found = [v for v in (diagnosis.verdict, *diagnosis.findings) if v.code in codes]
    if found:
        say("found " + ", ".join(f"{v.code} {v.title}" for v in found))
        raise typer.Exit(1)


def _diagnosed(
    file: Path,
    target: str | None,
    *,
    scale: bool | None,
    task: str,
    kernels: list[str] | None,
    criterion: str,
    seed: int | None,
    quiet: bool,
) -> "Diagnosis":
    from reldim.console import collected_warnings, progress_bar, show_warnings
    from reldim.files import read_data

    with collected_warnings() as caught:
        data = read_data(file, target)
        X, table = features(data, scale=scale)
        from reldim.diagnosis import diagnose as run

        with progress_bar(wanted=not quiet) as progress:
            diagnosis = run(
                X,
                data.y,
                kernels=kernels,
                task=task,
                criterion=criterion,
                random_state=seed,
                progress=progress,
            )
    if not quiet:
        show_warnings(caught, known=[finding.evidence for finding in diagnosis.findings])
    steps = data.steps if table is None else (*data.steps, *table.steps)
    problem = replace(diagnosis.problem, steps=(*steps, *diagnosis.preparation), table=table)
    return replace(diagnosis, problem=problem)


def _show(diagnosis: "Diagnosis", *, as_json: bool, quiet: bool, color: bool) -> None:
    from reldim.console import diagnosis_view, show, terminal

    if as_json:
        typer.echo(json.dumps(diagnosis.to_dict(), indent=2, allow_nan=False))
    elif quiet:
        typer.echo(f"{diagnosis.verdict.code} {diagnosis.verdict.title}")
    else:
        show(terminal(color=color), diagnosis_view(diagnosis))


def _checked_codes(codes: list[str]) -> set[str]:
    if not codes:
        return set()
    from reldim.verdicts import CODES

    wanted = {code.upper() for code in codes}
    unknown = sorted(wanted.difference(CODES))
    if unknown:
        known = ", ".join(f"{code} ({title})" for code, title in CODES.items())
        raise InputError(f"--fail-on takes one of {known}. Got {unknown[0]!r} instead.")
    return wanted
