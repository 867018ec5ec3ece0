"""Text files: tables separated by commas, semicolons, tabs or bars, read into a data frame."""

import csv
import io
import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reldim.exceptions import FileError
from reldim.inputs.memory import fits
from reldim.tables.columns import listed

__all__ = ["LONGEST_FIELD", "TextTable", "is_number", "read_table", "read_text"]

#: Letters of a field; more are a quote that was never closed, or no table.
LONGEST_FIELD = 1_000_000

#: What separates fields, the most usual first.
SEPARATORS = ",;\t|"

#: Lines that tell how a table is written.
FIRST_ROWS = 50

#: Memory for a table, in bytes for each byte of the file.
_BYTES_PER_BYTE = 10

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table as a text file holds it.

    Attributes
    ----------
    frame : DataFrame
        The table.
    steps : tuple of str
        What was done, a sentence each.
    """

    frame: pd.DataFrame = field(repr=False)
    steps: tuple[str, ...]


def read_table(path: Path) -> TextTable:
    r"""Read a table from a text file.

    Parameters
    ----------
    path : Path
        The file. In one that ends in ".tsv" tabs separate the fields; in others the separator
        is found out.

    Returns
    -------
    TextTable
        The table and what was done.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "plants.csv")
    ...     _ = path.write_text("height|site\n1|a\n2|b\n")
    ...     table = read_table(path)
    >>> table.steps
    ("Read 2 rows and 2 columns from plants.csv, separated by '|'.",)
    """
    text, encoding = read_text(path)
    separator = "\t" if path.suffix.lower() == ".tsv" else _separator(text)
    names = _column_names(text, separator, path)
    frame = _parsed(text, separator, names, ".", path)
    about = "" if separator in ",\t" else f", separated by {separator!r}"
    if separator != "," and _has_decimal_commas(frame):
        frame = _parsed(text, separator, names, ",", path)
        about += ", with decimal commas"
    if frame.empty:
        raise FileError(f"{path} has a header, but no rows below it. Expected one row a sample.")
    _check_fields(frame, path)
    n, d = frame.shape
    steps = [f"Read {n} rows and {d} columns from {path.name}{about}."]
    if encoding == "latin-1":
        steps.append("Read as Latin-1, for it is not UTF-8; check letters with accents.")
    return TextTable(frame, tuple(steps))


def read_text(path: Path, expected: str = "a table") -> tuple[str, str]:
    """Read a text in whatever encoding it is in.

    Parameters
    ----------
    path : Path
        The file.
    expected : str
        What it should hold, for messages.

    Returns
    -------
    text, encoding : str
        The text, and "utf-8-sig", "utf-16" or "latin-1".
    """
    size = path.stat().st_size
    if not fits(_BYTES_PER_BYTE * size):
        raise FileError(
            f"{path} holds {size / 2**30:.1f} GiB of text, and that does not fit into "
            "memory. Take a random subset of its rows."
        )
    raw = path.read_bytes()
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    if encoding != "utf-16" and b"\0" in raw:
        raise FileError(f"{path} is not a text file. Expected {expected}; check the file's ending.")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-16":
            raise FileError(
                f"{path} begins as UTF-16 and is damaged at byte {error.start}. Save it as UTF-8."
            ) from error
        text, encoding = raw.decode("latin-1"), "latin-1"
    if "\0" in text:
        raise FileError(f"{path} is not a text file. Expected {expected}; check the file's ending.")
    if not text.strip():
        raise FileError(f"{path} is empty. Expected {expected}.")
    return text, encoding


def is_number(text: str) -> bool:
    """Tell whether a text reads as a number.

    Examples
    --------
    >>> is_number("1e3"), is_number("x")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def _separator(text: str) -> str:
    """Return the separator that cuts the first lines into equally many fields, the most."""

    def merit(separator: str) -> tuple[bool, int, int]:
        header, *rows = [len(row) for row in _first_rows(text, separator)] or [0]
        # R leaves the name of its first column out, so that the header is one field shorter.
        regular = len({*rows}) <= 1 and all(0 <= row - header <= 1 for row in rows)
        return regular and max(header, *rows, 0) > 1, header, max(rows, default=0)

    return max(SEPARATORS, key=merit)


def _first_rows(text: str, separator: str) -> list[list[str]]:
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows: list[list[str]] = []
    try:
        for row in reader:
            # A line of blanks is as empty as one without.
            if row and not (len(row) == 1 and not row[0].strip()):
                rows.append(row)
            if len(rows) == FIRST_ROWS:
                break
    except csv.Error:
        # A field beyond the limit of the module: pandas has the last word.
        pass
    return rows


def _too_long(path: Path) -> str:
    return (
        f"{path} has a field that is too long to be one. Expected at most {LONGEST_FIELD} letters "
        f"({csv.field_size_limit()} in the header). Look for a quote that is never "
        "closed; leave out columns that hold whole documents."
    )


def _check_fields(frame: pd.DataFrame, path: Path) -> None:
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            texts = (value for value in frame[name] if isinstance(value, str))
            if any(len(text) > LONGEST_FIELD for text in texts):
                raise FileError(_too_long(path))


def _column_names(text: str, separator: str, path: Path) -> list[str]:
    first = _first_rows(text, separator)
    if not first:
        # There is text, so that the header must have been too long.
        raise FileError(_too_long(path))
    header, *rows = first
    names = [name.strip() for name in header]
    if not _is_header(text, separator, names):
        raise FileError(_irregular(path, "it cannot be told which line is its header"))
    if rows and all(len(row) == len(header) + 1 for row in rows):
        trailing = all(not row[-1].strip() for row in rows)
        names = [*names, ""] if trailing else ["", *names]
    names = [name or f"Unnamed: {i}" for i, name in enumerate(names)]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise FileError(
            f"Each column must have a name of its own. {path} has {listed(twice)} more than once."
        )
    return names


def _is_header(text: str, separator: str, names: list[str]) -> bool:
    """Tell whether pandas takes the same line for the header, such as below a quoted blank."""
    try:
        seen = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None,
            nrows=1,
            dtype=str,
            skipinitialspace=True,
            keep_default_na=False,
        )
    except pd.errors.ParserError:
        # The reading of the whole table says what is wrong.
        return True
    return [str(name).strip() for name in seen.iloc[0]] == names


def _parsed(text: str, separator: str, names: list[str], decimal: str, path: Path) -> pd.DataFrame:
    try:
        with warnings.catch_warnings():
            # Rows that are all longer than the header bring a warning, and a loss of data.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                io.StringIO(text),
                sep=separator,
                decimal=decimal,
                names=names,
                header=0,
                index_col=False,
                na_values=["?"],
                skipinitialspace=True,
                low_memory=False,
            )
    except pd.errors.ParserWarning as error:
        raise FileError(_irregular(path, "its rows have more fields than its header")) from error
    except pd.errors.ParserError as error:
        reason = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
        raise FileError(_irregular(path, reason.rstrip("."))) from error


def _irregular(path: Path, reason: str) -> str:
    return (
        f"{path} is not a regular table: {reason}. Every row must have as many fields as the "
        "header; put text that contains the separator in quotes."
    )


def _has_decimal_commas(frame: pd.DataFrame) -> bool:
    texts = [frame[name].dropna() for name in frame.columns if frame[name].dtype.kind == "O"]
    # Whole numbers among them have no comma, as spreadsheets write them.
    return any(
        any(_DECIMAL_COMMA.fullmatch(str(value)) for value in text)
        and all(_DECIMAL_COMMA.fullmatch(str(v)) or is_number(str(v)) for v in text)
        for text in texts
    )
