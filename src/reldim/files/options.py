"""How a table is to be read: what neither the ending of a file nor its content tells."""

import codecs
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from reldim.exceptions import FileError, InputError

__all__ = ["EXCEL", "JSON", "SQLITE", "TEXT", "TableOptions"]

#: Endings of the formats that some of the options are about.
TEXT = (".csv", ".tsv", ".txt", ".dat")
EXCEL = (".xlsx", ".xls")
JSON = (".jsonl", ".ndjson", ".json")
SQLITE = (".db", ".sqlite", ".sqlite3")

_FORMATS = {
    "sep": TEXT,
    "decimal": TEXT,
    "thousands": TEXT,
    "encoding": (*TEXT, *JSON, ".fasta", ".fa"),
    "skip_rows": (*TEXT, *EXCEL),
    "sheet": EXCEL,
    "table": SQLITE,
    "query": SQLITE,
}

_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True)
class TableOptions:
    r"""How a table is to be read; None leaves it to what is found in the file.

    Attributes
    ----------
    sep : str, optional
        What separates the fields of a text file: one character, or "tab".
    decimal : {".", ","}, optional
        What stands before the fraction of a number.
    thousands : str, optional
        What stands between thousands: a point, a comma, an apostrophe or a blank.
    encoding : str, optional
        The encoding of a text file, such as "latin-1".
    skip_rows : int, optional
        How many lines of a text file, or rows of a sheet, stand above the header. Without it they
        are found, where they hold fewer fields than the table; 0 says that there are none.
    sheet : str, optional
        The sheet of an Excel file, by name or by number, from 1.
    table : str, optional
        The table of an SQLite file.
    query : str, optional
        A select statement, in place of a table.
    columns, drop : tuple of str
        Names or shell patterns of features to keep, and to leave out.

    Examples
    --------
    >>> TableOptions(sep="tab").sep
    '\t'
    >>> TableOptions(drop=("x_*",)).kept(["age", "x_1", "x_2"], "data.csv")
    ['age']
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    skip_rows: int | None = None
    sheet: str | None = None
    table: str | None = None
    query: str | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sep is not None:
            object.__setattr__(self, "sep", _SEPARATORS.get(self.sep.lower(), self.sep))
            _one_of("sep", len(self.sep or "") == 1, "one character, or tab", self.sep)
        _one_of("decimal", self.decimal in (None, ".", ","), "a point or a comma", self.decimal)
        known = (None, *".,'_ \u2019\u00a0\u202f")
        expected = "a point, a comma, an apostrophe or a blank"
        _one_of("thousands", self.thousands in known, expected, self.thousands)
        if self.thousands is not None and self.thousands == self.decimal:
            raise InputError(
                f"--thousands and --decimal must differ. Got {self.decimal!r} for both."
            )
        if self.skip_rows is not None and self.skip_rows < 0:
            raise InputError(
                f"--skip-rows must be a number of rows, such as 2. Got {self.skip_rows} instead."
            )
        if self.table is not None and self.query is not None:
            raise InputError("--table and --query exclude each other. Name one of them.")
        if self.encoding is not None:
            _check_encoding(self.encoding)

    def check_format(self, ending: str, name: str) -> None:
        """Refuse options that say nothing about files of a format.

        Parameters
        ----------
        ending : str
            The ending of the file, such as ".csv".
        name : str
            The file, for messages.
        """
        for option, endings in _FORMATS.items():
            if getattr(self, option) is not None and ending not in endings:
                raise FileError(
                    f"{_flag(option)} is for files that end in {', '.join(endings)}. Got it for "
                    f"{name}; leave it out."
                )

    def of_target(self, ending: str) -> "TableOptions":
        """Return what also holds for a file of the target, which may have another format."""
        about = {name: getattr(self, name) for name, ends in _FORMATS.items() if ending in ends}
        return TableOptions(**about)

    def kept(self, names: Sequence[str], source: object) -> list[str]:
        """Return the features that are wanted, in the order of the table."""
        if not self.columns and not self.drop:
            return [*names]
        wanted = _matched(self.columns, names, "columns", source) if self.columns else {*names}
        wanted -= _matched(self.drop, names, "drop", source)
        if not wanted:
            raise FileError(f"--columns and --drop leave no feature of {source}. Keep some.")
        return [name for name in names if name in wanted]


def _flag(name: str) -> str:
    """Write an option as a command line has it."""
    return f"--{name.replace('_', '-')}"


def _matched(
    patterns: Sequence[str], names: Sequence[str], option: str, source: object
) -> set[str]:
    known, found = {*names}, set[str]()
    for given in patterns:
        # A name may hold a comma, or what is a pattern elsewhere.
        for pattern in [given] if given in known else given.split(","):
            exact = {pattern} & known
            matched = exact or {name for name in names if fnmatchcase(name, pattern)}
            if not matched:
                raise FileError(_no_match(pattern, names, option, source))
            found |= matched
    return found


def _no_match(pattern: str, names: Sequence[str], option: str, source: object) -> str:
    from reldim.tables.columns import listed

    near = difflib.get_close_matches(pattern, names, n=1)
    advice = f" Did you mean {near[0]!r}?" if near else f" Its features are {listed(names, 20)}."
    return f"--{option} {pattern!r} matches no feature of {source}.{advice}"


def _one_of(option: str, allowed: bool, expected: str, got: str | None) -> None:  # noqa: FBT001
    if not allowed:
        raise InputError(f"--{option} must be {expected}. Got {got!r} instead.")


def _check_encoding(name: str) -> None:
    try:
        "".encode(name)
        codecs.lookup(name)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"--encoding must be the name of an encoding, such as utf-8, latin-1 or cp1252. Got "
            f"{name!r} instead."
        ) from error
