"""What was asked: the file, how to read it, and what to try on it."""

import shlex
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from reldim.exceptions import InputError
from reldim.files.options import TableOptions

__all__ = [
    "FAMILIES",
    "Criterion",
    "Request",
    "Task",
    "argument",
    "families_like",
    "option",
    "option_name",
]

#: Fields that say how to compute or how to end, and nothing about data and answer.
NOT_REPEATED = {"jobs", "scheduler", "workers", "fail_on"}

FAMILIES = (
    "A family to try; may be repeated. One of gaussian, laplacian, matern, polynomial, linear, "
    "inverse-multiquadric; weighted-degree for sequences."
)


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
    from reldim.search import families

    return [name for name in families.FAMILIES if name.startswith(incomplete)]


def _checked_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise InputError("--jobs must not be 0. Give 1 for one core, or -1 for all cores.")
    return jobs


def argument(metavar: str, text: str, default: Any = MISSING) -> Any:
    """Declare a field of a dataclass that is an argument of commands."""
    declared = typer.Argument(metavar=metavar, help=text)
    return field(default=default, metadata={"option": declared, "name": None})


def option(default: Any, metavar: str | None, text: str, *names: str, **settings: Any) -> Any:
    """Declare a field of a dataclass that is an option of commands.

    Parameters
    ----------
    default : any value
        What stands where the option is not given.
    metavar : str or None
        What stands for its value in the help.
    text : str
        The help.
    *names : str
        The option as it is typed, where it is not the name of the field.
    **settings : any value
        Passed to typer.
    """
    declared = typer.Option(*names, metavar=metavar, help=text, **settings)
    name = names[0].partition("/")[0] if names else None
    return field(default=default, metadata={"option": declared, "name": name})


def option_name(part: "Field[Any]") -> str:
    """Return the option that fills a field, as it is typed."""
    return part.metadata["name"] or f"--{part.name.replace('_', '-')}"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What all commands that read rows are asked; each field is an argument or an option.

    A command that asks for more, or in other words, derives from it.
    """

    file: Path = argument(
        "FILE",
        "A table (CSV, TSV, TXT, DAT, Parquet, Feather, Excel, JSON, SQLite), arrays (NPY, NPZ) "
        "or sequences (FASTA), also packed (gz, bz2, xz, zip); - for standard input; for diagnose "
        "and forecast also a folder of Parquet or NPY files.",
    )
    target: str | None = option(
        None,
        "NAME",
        "What to explain: a column of a table; a key of an NPZ file (default y); a column number "
        "or another file for NPY; for FASTA a pair in the headers, such as label in label=donor, "
        "or another file.",
    )
    columns: tuple[str, ...] = option(
        (), "NAMES", "Use these columns only: names or patterns such as 'x_*'; may be repeated."
    )
    drop: tuple[str, ...] = option(
        (), "NAMES", "Leave these columns out: names or patterns; may be repeated."
    )
    sep: str | None = option(
        None, "CHARACTER", "What separates the fields of a text file: a character, or tab."
    )
    decimal: str | None = option(None, "MARK", "What stands before fractions: a point or a comma.")
    thousands: str | None = option(
        None, "MARK", "What stands between thousands: a point, comma, blank or apostrophe."
    )
    encoding: str | None = option(None, "NAME", "Encoding of a text file, such as latin-1.")
    skip_rows: int | None = option(
        None,
        "N",
        "Lines above the header of a text file, or rows of a sheet; by default they are found.",
    )
    sheet: str | None = option(
        None, "NAME", "Sheet of an Excel file: its name, or its number from 1."
    )
    table: str | None = option(None, "NAME", "Table of an SQLite file.")
    query: str | None = option(
        None, "SQL", "A select statement for an SQLite file, in place of --table."
    )
    groups: str | None = option(
        None,
        "COLUMN",
        "The column that names the unit of each row, such as a patient with several visits: errors "
        "are then those on new units.",
    )
    order: str | None = option(
        None,
        "COLUMN",
        "The column of times or numbers by which rows are ordered: errors are then those on later "
        "rows.",
    )
    category: tuple[str, ...] = option(
        (), "NAME", "A column of numbers that are names, such as a code; may be repeated."
    )
    task: Task = option(Task.AUTO, None, "Kind of problem.")
    kernel: tuple[str, ...] = option(
        (),
        "NAME",
        FAMILIES,
        autocompletion=families_like,
    )
    criterion: Criterion | None = option(
        None,
        None,
        "What kernel and dimension are chosen by: likelihood by default, for compare "
        "leave-one-out.",
    )
    scale: bool | None = option(
        None,
        None,
        "Bring columns to mean 0 and variance 1. By default done for tables, and not for arrays.",
        "--scale/--no-scale",
    )
    jobs: int | None = option(
        None,
        "N",
        "Cores to use; -1 is all of them, which is the default.",
        callback=_checked_jobs,
    )
    seed: int | None = option(None, "N", "Seed of random choices.", min=0)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are read."""
        return (self.file,)

    @property
    def reading(self) -> TableOptions:
        """How to read the file."""
        return TableOptions(
            **{part.name: getattr(self, part.name) for part in fields(TableOptions)}
        )

    def about_problem(self) -> dict[str, Any]:
        """Return what the preparation of the data takes, by the names of ``diagnose()``.

        What was not asked for is left out, so that it keeps the default of the library.
        """
        asked = {
            "task": self.task.value,
            "kernels": [*self.kernel] or None,
            "scale": self.scale,
            "groups": self.groups,
            "order": self.order,
            "roles": dict.fromkeys(self.category, "category") or None,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def call_arguments(self) -> dict[str, Any]:
        """Return all that ``diagnose()`` and ``compare()`` take, by their names."""
        asked = {
            **self.about_problem(),
            "criterion": self.criterion and self.criterion.value,
            "n_jobs": self.jobs,
            "random_state": self.seed,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def check_single_file(self, command: str) -> None:
        """Refuse a folder, for a command that shows single rows or columns."""
        if self.file.is_dir():
            raise InputError(
                f"{command} takes a single file. Got the folder {self.file}; name a file in it."
            )

    def command_line(self, command: str, *more: str, whole_paths: bool = False) -> str:
        """Write a command that asks the same, as it can be typed.

        Folders are left out of reports: these travel, and folders tell about the machine they came
        from. What the terminal shows takes whole paths, so that it can be typed at once.

        Examples
        --------
        >>> asked = Request(file=Path("data/my file.csv"), target="y", drop=("id",), scale=False)
        >>> asked.command_line("diagnose")
        "reldim diagnose 'my file.csv' --target y --drop id --no-scale"
        >>> asked.command_line("labels", "--all", whole_paths=True)
        "reldim labels 'data/my file.csv' --target y --drop id --no-scale --all"
        """
        files = [str(file) if whole_paths else file.name for file in self.files]
        words = ["reldim", command, *files]
        for part in fields(self):
            value = getattr(self, part.name)
            name = option_name(part)
            if value == part.default or part.name in {*NOT_REPEATED, "file", "others"}:
                continue
            if isinstance(value, bool):
                words.append(name if value else name.replace("--", "--no-"))
            else:
                for item in value if isinstance(value, tuple) else [value]:
                    words += [name, str(item)]
        return shlex.join([*words, *more])
