"""What commands that write a report share."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from reldim.cli.options import checked_output
from reldim.exceptions import FileError

__all__ = ["ReportOption", "checked_report", "command_line"]

ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="OUT", help="Write an HTML page with pictures to this file."),
]


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
