"""Where results go: files that are checked before the work begins, and standard output."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reldim.cli.request import Request, option, option_name
from reldim.cli.streams import say, write_out
from reldim.exceptions import FileError, InputError
from reldim.files.writing import check_page, csv_text, write_text

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

__all__ = ["SAFE", "Outputs"]

#: What the help of tables says.
SAFE = "Text that a spreadsheet would run as a formula gets a leading apostrophe."

#: The outputs that may be files.
FILES = ("csv", "json", "report")


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where results go; each field is an option."""

    csv: str | None = option(
        None, "OUT", f"Write the table as CSV to this file; - is standard output. {SAFE}"
    )
    json: str | None = option(
        None, "OUT", "Write all figures as JSON to this file; - is standard output."
    )
    report: str | None = option(None, "OUT", "Write an HTML page with pictures to this file.")
    force: bool = option(False, None, "Replace files that are there already.", "--force")
    quiet: bool = option(False, None, "Print the result only.", "--quiet", "-q")
    no_color: bool = option(False, None, "Print without colours.", "--no-color")

    @property
    def prints_data(self) -> bool:
        """Whether standard output is for another program."""
        return "-" in (self.csv, self.json)

    def check(self, request: Request) -> None:
        """Refuse what could not be written, or would replace what is read, before any work."""
        given = {
            option_name(part): name
            for part in fields(self)
            if part.name in FILES and (name := getattr(self, part.name)) is not None
        }
        _check_two_names(given)
        sources = [*_sources(request)]
        for typed, name in given.items():
            if name != "-":
                _check_spares(sources, Path(name), typed)
        for typed, name in given.items():
            self.check_file(typed, name)

    def check_file(self, typed: str, name: str) -> None:
        """Refuse a file that could not be written, by the option that names it."""
        path = Path(name)
        if typed == "--report":
            if name == "-":
                raise FileError(
                    "--report needs the name of a file. Got - instead, such as report.html."
                )
            check_page(name, typed)
        if name == "-":
            return
        if path.is_dir():
            raise FileError(f"{typed} needs the name of a file. Got the folder {path}.")
        if not path.parent.is_dir():
            raise FileError(f"The folder {path.parent} of {typed} does not exist. Make it first.")
        if path.exists() and not self.force:
            raise FileError(f"{path} exists already. Choose another name, or add --force.")

    def write_csv(self, frame: "pd.DataFrame") -> None:
        """Write a table where CSV goes, on standard output where no file is named."""
        self._write(self.csv, csv_text(frame))

    def write_json(self, figures: Mapping[str, Any]) -> None:
        """Write figures where JSON goes, if it was asked for."""
        if self.json is not None:
            self._write(self.json, json.dumps(figures, indent=2, allow_nan=False) + "\n")

    def write_page(self, page: str) -> None:
        """Write the report, and say so on standard error."""
        if self.report is not None:
            self._write(self.report, page)
            self.say(f"wrote {self.report}")

    def _write(self, name: str | None, text: str) -> None:
        if name is None or name == "-":
            write_out(text)
        else:
            write_text(Path(name), text, overwrite=self.force)

    def show(self, *views: "RenderableType") -> None:
        """Print views for people."""
        from reldim.cli.console import show, terminal

        show(terminal(color=not self.no_color), *views)

    def say(self, message: str) -> None:
        """Write a message to standard error, unless there are to be none."""
        if not self.quiet:
            say(message)


def _check_two_names(given: Mapping[str, str]) -> None:
    for (first, name), (second, other) in combinations(given.items(), 2):
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


def _sources(request: Request) -> Iterator[Path]:
    """Return the files that are read: those of the data, and those of the target."""
    named, target = [file for file in request.files if str(file) != "-"], request.target
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
    """Return whether two names are of one file; devices hold nothing to lose."""
    if first.exists() and second.exists():
        return first.is_file() and first.samefile(second)
    return os.path.realpath(first) == os.path.realpath(second)
