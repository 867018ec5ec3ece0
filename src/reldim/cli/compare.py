"""``reldim compare``: files of the same rows, or kernels on one file, side by side."""

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from reldim.cli.application import app, say
from reldim.cli.options import (
    Criterion,
    CriterionOption,
    FamilyOption,
    JobsOption,
    NoColorOption,
    ReportOption,
    ScaleOption,
    SeedOption,
    Task,
    TaskOption,
    checked_outputs,
    command_line,
    reads_tables,
)
from reldim.exceptions import FileError, InputError
from reldim.files.options import TableOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reldim.diagnosis.comparison import Comparison
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.files.reading import DataFile
    from reldim.inputs.targets import AnyTask
    from reldim.search.kernel_arguments import Kernels

__all__ = ["compare"]


class Score(StrEnum):
    """What ranks."""

    SQUARED_ERROR = "squared-error"
    ERROR_ESTIMATE = "error-estimate"
    LIKELIHOOD = "negative-log-likelihood"
    EVIDENCE = "evidence"
    AREA = "area"


@app.command(
    short_help="Compare tables or kernels side by side.",
    epilog="\b\nExamples:\n  reldim compare pixels.npy embedding.npy --target y.npy\n"
    "  reldim compare old.csv new.csv --target label --json out.json --report report.html\n"
    "  reldim compare data.csv --target label --kernel gaussian --kernel linear\n"
    "  reldim compare data.xlsx --sheet 1 --target label --drop id --kernel linear --kernel matern",
)
@reads_tables
def compare(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Tables, arrays or sequences of the same rows, in any format that diagnose "
            "takes; or a single file, to compare kernels.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What to explain: a column that all tables have; a key of NPZ files (default "
            "y); or a file of its own, NPY or a table of one column.",
        ),
    ] = None,
    *,
    options: TableOptions,
    task: TaskOption = Task.AUTO,
    kernel: FamilyOption = None,
    criterion: CriterionOption = Criterion.LEAVE_ONE_OUT,
    by: Annotated[Score, typer.Option(help="What ranks.")] = Score.SQUARED_ERROR,
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
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the conclusion only.")
    ] = False,
    no_color: NoColorOption = False,
) -> None:
    """Compare representations of the same rows, or kernels, by what they tell about the target.

    Each file is diagnosed by itself. A paired test on the leave-one-out errors of the same rows
    tells which differences are beyond chance.

    Exit codes: 0; 2 where the input cannot be used.
    """
    outputs = {"--json": json_file, "--report": report_file}
    output, report = checked_outputs(outputs, files, target, force=force)
    names = _names(files)
    if len(files) == 1:
        _check_kernels(kernel or [], files[0])
    comparison = _compared(
        dict(zip(names, files, strict=True)),
        target,
        options,
        kernels=kernel or None,
        scale=scale,
        task=task.value,
        criterion=criterion.value,
        by=by.value.replace("-", "_"),
        jobs=jobs,
        seed=seed,
        quiet=quiet,
    )
    if output is not None:
        comparison.to_json(output, overwrite=force)
    _show(comparison, as_json=json_file == "-", quiet=quiet, color=not no_color)
    if report is not None:
        flags = {
            "--target": target,
            **options.flags(),
            "--task": None if task is Task.AUTO else task.value,
            "--kernel": kernel or None,
            "--criterion": None if criterion is Criterion.LEAVE_ONE_OUT else criterion.value,
            "--by": None if by is Score.SQUARED_ERROR else by.value,
            "--scale": True if scale else None,
            "--no-scale": True if scale is False else None,
            "--seed": seed,
        }
        command = command_line("compare", files, flags)
        comparison.write_report(report, command=command, overwrite=force)
        if not quiet:
            say(f"wrote {report}")


def _names(files: list[Path]) -> list[str]:
    """Name files by their stems, or by their whole paths where stems are not enough."""
    twice = {file for file in files if files.count(file) > 1}
    if twice:
        raise InputError(f"Each file must be named once. Got {min(twice)} more than once.")
    stems = [file.stem for file in files]
    return stems if len({*stems}) == len(stems) else [str(file) for file in files]


def _check_kernels(kernels: list[str], file: Path) -> None:
    if len(kernels) < 2:
        raise InputError(
            f"Name two or more files to compare. Got {file} only; to compare kernels on it, name "
            "two or more by --kernel."
        )


def _compared(
    files: dict[str, Path],
    target: str | None,
    options: TableOptions,
    *,
    kernels: list[str] | None,
    scale: bool | None,
    task: str,
    criterion: str,
    by: str,
    jobs: int | None,
    seed: int | None,
    quiet: bool,
) -> "Comparison":
    from reldim.cli.console import collected_warnings, progress_bar, show_warnings
    from reldim.files.reading import read_data

    with collected_warnings() as caught, progress_bar(wanted=not quiet) as progress:
        data = {name: read_data(file, target, options) for name, file in files.items()}
        _check_same_rows(data)
        from reldim.diagnosis.representations import compare as run

        first = next(iter(data))
        comparison = run(
            {name: read.X for name, read in data.items()} if len(files) > 1 else data[first].X,
            data[first].named_target(),
            # Wrong names are told at run time.
            kernels=cast("Kernels", kernels),
            task=cast("AnyTask", task),
            criterion=cast("Any", criterion),
            by=by,
            scale=scale,
            n_jobs=jobs,
            random_state=seed,
            progress=progress,
        )
        if progress is not None:
            progress("conclude", 0, 0)
        diagnoses = {
            # Kernels on one file are all diagnoses of that file.
            name: _with_steps(found, data.get(name, data[first]))
            for name, found in comparison.diagnoses.items()
        }
    if not quiet:
        show_warnings(caught, known=[found.edge for found in diagnoses.values()])
    return replace(comparison, diagnoses=diagnoses)


def _check_same_rows(data: "dict[str, DataFile]") -> None:
    import numpy as np

    (first, reference), *others = data.items()
    for name, read in others:
        if len(read.y) != len(reference.y):
            raise FileError(
                "The files must hold the same rows in the same order. Got "
                f"{len(reference.y)} rows with a target in {first} and {len(read.y)} in {name}."
            )
        differing = np.flatnonzero(~_equal(reference.y, read.y))
        if len(differing):
            row = int(differing[0])
            raise FileError(
                "The files must hold the same rows in the same order, but their targets differ: "
                f"row {row} (counted from 0) has {reference.y[row]} in {first} and {read.y[row]} "
                f"in {name}."
            )


def _equal(first: "NDArray[Any]", second: "NDArray[Any]") -> "NDArray[np.bool_]":
    """Compare targets row by row; numbers may have been rounded when they were written."""
    import numpy as np

    if first.ndim != second.ndim or first.shape != second.shape:
        return np.zeros(len(first), dtype=bool)
    if first.dtype.kind in "iuf" and second.dtype.kind in "iuf":
        equal = np.isclose(first, second, rtol=1e-6, atol=0.0)
    else:
        equal = first.astype(str) == second.astype(str)
    return np.asarray(equal.reshape(len(first), -1).all(axis=1))


def _with_steps(diagnosis: "Diagnosis", data: "DataFile") -> "Diagnosis":
    """Say how the file was read, before what was done to the data."""
    problem = replace(diagnosis.problem, steps=(*data.steps, *diagnosis.preparation))
    return replace(diagnosis.concluded(), problem=problem)


def _show(comparison: "Comparison", *, as_json: bool, quiet: bool, color: bool) -> None:
    from reldim.cli.console import show, terminal
    from reldim.cli.views import comparison_view

    if as_json:
        typer.echo(json.dumps(comparison.to_dict(), indent=2, allow_nan=False))
    elif quiet:
        typer.echo(comparison.conclusion)
    else:
        show(terminal(color=color), comparison_view(comparison))
