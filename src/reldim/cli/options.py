"""What the commands have in common: choices, input and output."""

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from enum import StrEnum
from functools import wraps
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from reldim.exceptions import FileError, InputError
from reldim.files.options import TableOptions
from reldim.files.writing import check_page

__all__ = [
    "Criterion",
    "CriterionOption",
    "FamilyOption",
    "FileArgument",
    "JobsOption",
    "KernelOption",
    "NoColorOption",
    "ReportOption",
    "ScaleOption",
    "SeedOption",
    "SingleFileArgument",
    "TargetOption",
    "Task",
    "TaskOption",
    "checked_outputs",
    "checked_report",
    "codes_like",
    "command_line",
    "families_like",
    "given_flags",
    "name_of",
    "reads_tables",
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
    """Return the codes, or names, that begin with what was typed and their titles."""
    from reldim.diagnosis.verdicts import CODES

    names = [(name_of(title), title) for title in CODES.values() if incomplete]
    return [pair for pair in (*CODES.items(), *names) if pair[0].startswith(incomplete)]


def name_of(title: str) -> str:
    """Return the title of a verdict as it is typed.

    Examples
    --------
    >>> name_of("Limited by noise")
    'limited-by-noise'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


_FILES = (
    "A table (CSV, TSV, TXT, Parquet, Feather, Excel, JSON lines, SQLite), arrays (NPY, NPZ) or "
    "sequences (FASTA), also packed (gz, bz2, xz, zip)"
)
FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{_FILES}; a folder of Parquet or NPY files; - for standard input.",
    ),
]
SingleFileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help=f"{_FILES}; - for standard input.")
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What to explain: a column of a table; a key of an NPZ file (default y); a "
        "column number or another file for NPY; for FASTA a pair in the headers, such as label "
        "in label=donor, or another file.",
    ),
]
TaskOption = Annotated[Task, typer.Option(help="Kind of problem.")]
_FAMILIES = (
    "A family to try; may be repeated. One of gaussian, laplacian, matern, polynomial, linear, "
    "inverse-multiquadric; weighted-degree for sequences."
)
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", autocompletion=families_like, help=_FAMILIES),
]
KernelOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        autocompletion=families_like,
        help=f"{_FAMILIES}",
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


def _checked_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise InputError("--jobs must not be 0. Give 1 for one core, or -1 for all cores.")
    return jobs


JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        callback=_checked_jobs,
        help="Cores to use; -1 is all of them, which is the default.",
    ),
]
SeedOption = Annotated[int | None, typer.Option(min=0, metavar="N", help="Seed of random choices.")]
NoColorOption = Annotated[bool, typer.Option("--no-color", help="Print without colours.")]


#: Options about tables: metavar and help, by the fields of TableOptions.
_ABOUT_TABLES = {
    "columns": (
        "NAMES",
        "Use these columns only: names or patterns such as 'x_*'; may be repeated.",
    ),
    "drop": ("NAMES", "Leave these columns out: names or patterns; may be repeated."),
    "sep": ("CHARACTER", "What separates the fields of a text file: a character, or tab."),
    "decimal": ("MARK", "What stands before fractions: a point or a comma."),
    "thousands": ("MARK", "What stands between thousands: a point, comma, blank or apostrophe."),
    "encoding": ("NAME", "Encoding of a text file, such as latin-1."),
    "sheet": ("NAME", "Sheet of an Excel file: its name, or its number from 1."),
    "table": ("NAME", "Table of an SQLite file."),
    "query": ("SQL", "A select statement for an SQLite file, in place of --table."),
}


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all options about tables, which it takes as one value, ``options``.

    Parameters
    ----------
    command : callable
        A command with a parameter ``options``.

    Returns
    -------
    callable
        The command with a parameter for each option in the place of that one.
    """

    @wraps(command)
    def with_options(**given: Any) -> None:
        about = {name: given.pop(name) for name in _ABOUT_TABLES}
        about |= {name: tuple(about[name] or ()) for name in ("columns", "drop")}
        command(**given, options=TableOptions(**about))

    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        several = _table_parameters() if parameter.name == "options" else [parameter]
        parameters += several
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {part.name: part.annotation for part in parameters}
    return with_options


def _table_parameters() -> list[inspect.Parameter]:
    assert {*_ABOUT_TABLES} == {part.name for part in fields(TableOptions)}
    kinds = {"columns": list[str] | None, "drop": list[str] | None}
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                kinds.get(name, str | None), typer.Option(f"--{name}", metavar=mark, help=text)
            ],
        )
        for name, (mark, text) in _ABOUT_TABLES.items()
    ]


def checked_outputs(
    names: Mapping[str, str | None], files: list[Path], target: str | None, *, force: bool
) -> list[Path | None]:
    """Refuse what could not be written, or would replace what is read, before any work is done.

    Parameters
    ----------
    names : mapping
        What was given for each option that names an output.
    files : list of path
        The data files.
    target : str or None
        The target, which may be a file as well.
    force : bool
        Whether files that are there may be replaced: never those that are read.

    Returns
    -------
    list of path or None
        The files to write, in the order of the options; None for standard output, and where
        nothing was given.
    """
    _check_two_names(names)
    sources = [*_sources(files, target)]
    for option, name in names.items():
        if name is not None and name != "-":
            _check_spares(sources, Path(name), option)
    return [
        checked_report(name, force=force)
        if option == "--report"
        else _checked_output(name, force=force, option=option)
        for option, name in names.items()
    ]


def _check_two_names(names: Mapping[str, str | None]) -> None:
    given = [(option, name) for option, name in names.items() if name is not None]
    for (first, name), (second, other) in combinations(given, 2):
        if name == other == "-":
            raise InputError(
                f"{first} and {second} cannot both go to standard output. Name a file."
            )
        if "-" not in {name, other} and _same_file(Path(name), Path(other)):
            raise FileError(
                f"{first} and {second} need a file each. Got {other} for both; choose another name."
            )


def _check_spares(sources: list[Path], output: Path, option: str) -> None:
    for source in sources:
        if _same_file(output, source):
            raise FileError(
                f"{option} {output} would overwrite {source}, which is read. Choose another name."
            )


def _sources(files: list[Path], target: str | None) -> Iterator[Path]:
    """Return the files that are read: those of the data, and those of the target."""
    named = [file for file in files if str(file) != "-"]
    if target is not None and Path(target).exists():
        from reldim.files.reading import names_file

        # A column may have the name of some file.
        named += [Path(target)] if names_file(target) or Path(target).is_dir() else []
    for path in named:
        if path.is_dir():
            from reldim.files.folders import files_of_rows

            for parts in files_of_rows(path):
                yield from parts
        elif path.exists():
            yield path


def _same_file(first: Path, second: Path) -> bool:
    """Tell whether two names, however spelled, are of one file; devices hold nothing to lose."""
    if first.exists() and second.exists():
        return first.is_file() and first.samefile(second)
    return os.path.realpath(first) == os.path.realpath(second)


def _checked_output(name: str | None, *, force: bool, option: str) -> Path | None:
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
    if name is not None:
        check_page(name, "--report")
    return _checked_output(name, force=force, option="--report")


def given_flags(
    target: str | None,
    options: TableOptions,
    *,
    task: Task,
    kernel: list[str] | None = None,
    criterion: Criterion = Criterion.LIKELIHOOD,
    scale: bool | None = None,
    seed: int | None = None,
) -> dict[str, object]:
    """Return what a command was given about data and kernels, as :func:`command_line` takes it.

    Examples
    --------
    >>> flags = given_flags("y", TableOptions(), task=Task.AUTO, scale=False)
    >>> command_line("labels", [Path("a.csv")], flags)
    'reldim labels a.csv --target y --no-scale'
    """
    return {
        "--target": target,
        **options.flags(),
        "--task": None if task is Task.AUTO else task.value,
        "--kernel": kernel or None,
        "--criterion": None if criterion is Criterion.LIKELIHOOD else criterion.value,
        "--scale": True if scale else None,
        "--no-scale": True if scale is False else None,
        "--seed": seed,
    }


def command_line(
    command: str, files: list[Path], options: Mapping[str, object], *, whole_paths: bool = False
) -> str:
    """Write a command as it can be typed, without options that were not given.

    Folders are left out of reports: these travel, and folders tell about the machine they came
    from. What the terminal shows takes whole paths, so that it can be typed at once.

    Examples
    --------
    >>> command_line("diagnose", [Path("my data.csv")], {"--target": "y", "--seed": None})
    "reldim diagnose 'my data.csv' --target y"
    >>> command_line("labels", [Path("data/a.csv")], {"--target": "y"}, whole_paths=True)
    'reldim labels data/a.csv --target y'
    """
    words = ["reldim", command, *(str(file) if whole_paths else file.name for file in files)]
    for option, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                words.append(option)
            elif item is not None:
                words += [option, str(item)]
    return shlex.join(words)
