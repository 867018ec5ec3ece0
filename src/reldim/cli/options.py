"""What the commands have in common: choices, input and output."""

import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reldim.exceptions import FileError

__all__ = [
    "Criterion",
    "CriterionOption",
    "FileArgument",
    "JobsOption",
    "KernelOption",
    "NoColorOption",
    "ReportOption",
    "ScaleOption",
    "SeedOption",
    "TargetOption",
    "Task",
    "TaskOption",
    "checked_output",
    "checked_report",
    "codes_like",
    "command_line",
    "families_like",
]


class Task(StrEnum):
    """Kinds of problems."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Criterion(StrEnum):
    """What kernel and dimension are chosen by."""

    LIKELIHOOD = "likelihood"
    LEAVE_ONE_OUT = "leave-one-out"


def families_like(incomplete: str) -> list[str]:
    """Return the names of families that begin with what was typed, for the shell to complete."""
    from reldim.search.families import FAMILIES

    return [name for name in FAMILIES if name.startswith(incomplete)]


def codes_like(incomplete: str) -> list[tuple[str, str]]:
    """Return the codes that begin with what was typed and their titles, for the shell."""
    from reldim.diagnosis.verdicts import CODES

    return [pair for pair in CODES.items() if pair[0].startswith(incomplete)]


FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A CSV, TSV, Parquet, NPY, NPZ or FASTA file, or a folder of Parquet or NPY files.",
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        help="What to explain: a column of a table; a key of an NPZ file (default y); a "
        "column number or another file for NPY; for FASTA a pair in the headers, such as label "
        "in label=donor, or another file.",
    ),
]
TaskOption = Annotated[Task, typer.Option(help="Kind of problem.")]
KernelOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        autocompletion=families_like,
        help="A family to try; may be repeated. One of gaussian, laplacian, matern, "
        "polynomial, linear, inverse-multiquadric; weighted-degree for sequences.",
    ),
]
CriterionOption = Annotated[
    Criterion, typer.Option(help="What kernel and dimension are chosen by.")
]
ScaleOption = Annotated[
    bool | None,
    typer.Option(
        "--scale/--no-scale",
        help="Bring columns to mean 0 and variance 1. By default done for tables, and not "
        "for arrays.",
    ),
]
ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="OUT", help="Write an HTML page with pictures to this file."),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", help="Cores to use; -1 is all of them, which is the default."
    ),
]
SeedOption = Annotated[int | None, typer.Option(min=0, help="Seed of random choices.")]
NoColorOption = Annotated[bool, typer.Option("--no-color", help="Print without colours.")]


def checked_output(name: str | None, *, force: bool, option: str = "--json") -> Path | None:
    """Refuse a file that could not be written, before any work is done."""
    if name is None or name == "-":
        return None
    path = Path(name)
    if path.is_dir():
        raise FileError(f"{option} needs the name of a file. Got the folder {path}.")
    if not path.parent.is_dir():
        raise FileError(f"The folder {path.parent} of {option} does not exist. Make it first.")
    if path.exists() and not force:
        raise FileError(f"{path} exists already. Choose another name, or add --force.")
    return path


def checked_report(name: str | None, *, force: bool) -> Path | None:
    """Refuse a report that could not be written, before any work is done."""
    if name == "-":
        raise FileError("--report needs the name of a file. Got - instead, such as report.html.")
    return checked_output(name, force=force, option="--report")


def command_line(command: str, files: list[Path], options: Mapping[str, object]) -> str:
    """Write a command as it can be typed, without options that were not given.

    Folders are left out: a report travels, and they tell about the machine it came from.

    Examples
    --------
    >>> command_line("diagnose", [Path("my data.csv")], {"--target": "y", "--seed": None})
    "reldim diagnose 'my data.csv' --target y"
    """
    words = ["reldim", command, *(file.name for file in files)]
    for option, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                words.append(option)
            elif item is not None:
                words += [option, str(item)]
    return shlex.join(words)
