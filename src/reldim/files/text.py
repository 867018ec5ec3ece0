"""Text files: tables separated by commas, semicolons, tabs or bars, read into a data frame."""

import contextlib
import csv
import io
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from reldim.exceptions import FileError, counted, in_one_line
from reldim.files.options import TableOptions
from reldim.files.source import MOST_COLUMNS, Source, check_cells
from reldim.tables.columns import listed
from reldim.tables.written_numbers import grouped, ungrouped

__all__ = [
    "LONGEST_FIELD",
    "FileTable",
    "count_titles",
    "decoded",
    "is_number",
    "named_apart",
    "read_table",
    "told_renamed",
    "told_size",
    "told_titles",
]

#: Characters of a field; more are a quote that was never closed, or no table.
LONGEST_FIELD = 1_000_000

#: What separates fields, the most usual first.
SEPARATORS = ",;\t|"

#: Lines that tell how a table is written.
FIRST_ROWS = 50

_DECIMAL_COMMA = re.compile(r"\s*[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?\s*")

#: Encodings that are tried where a text is not UTF-8, and characters that tell them apart.
_GUESSED = {"latin-1": "Latin-1", "cp1252": "Windows-1252"}
_WINDOWS = re.compile("[\x80-\x9f]")

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_MARKS = {".": "points", ",": "commas", "'": "apostrophes", "\u2019": "apostrophes"}


@dataclass(frozen=True, eq=False)
class FileTable:
    """A table as a file holds it.

    Attributes
    ----------
    frame : DataFrame
        The table.
    steps : tuple of str
        What was done, a sentence each.
    """

    frame: pd.DataFrame = field(repr=False)
    steps: tuple[str, ...]


def read_table(source: Source, options: TableOptions | None = None) -> FileTable:
    r"""Read a table from a text file.

    Parameters
    ----------
    source : Source
        The file. In one that ends in ".tsv" tabs separate the fields; in others the separator
        is found out.
    options : TableOptions, optional
        What is known about it.

    Examples
    --------
    >>> from pathlib import Path
    >>> plants = Source("plants.csv", ".csv", Path("plants.csv"), b"height|site\n1|a\n2|b\n")
    >>> read_table(plants).steps
    ("Read 2 rows and 2 columns from plants.csv, separated by '|'.",)
    """
    options = TableOptions() if options is None else options
    text, encoding = decoded(source.read(), source.name, options.encoding)
    text = _below(text, options.skip_rows or 0)
    known = options.sep or ("\t" if source.ending == ".tsv" else None)
    separator = known or _separator(text, SEPARATORS + " " * (source.ending == ".dat"))
    rows = _first_rows(text, separator)
    if not rows:
        # There is text, so that the header must have been too long.
        raise FileError(_too_long(source.name) if text.strip() else _too_short(source.name))
    titles = 0 if options.skip_rows is not None else count_titles([row.fields for row in rows])
    given = _column_names([row.fields for row in rows[titles:]])
    check_cells(1, len(given), source)
    names = named_apart(given)
    layout = _Layout(text[rows[titles].start :], separator, names, source.name)
    frame, marks = _with_numbers(layout, options)
    about = "" if separator in ",\t" else f", separated by {separator!r}"
    if frame.empty:
        raise FileError(_too_short(source.name))
    _check_fields(frame, source.name)
    below = told_titles(titles, rows[0].fields)
    steps = [told_size(frame, source, f"{about}{marks}{below}"), *told_renamed(given, names)]
    if encoding in _GUESSED and options.encoding is None:
        steps.append(
            f"Read as {_GUESSED[encoding]}, for it is not UTF-8; check characters with accents."
        )
    return FileTable(frame, tuple(steps))


def decoded(
    raw: bytes, name: str, encoding: str | None = None, expected: str = "a table"
) -> tuple[str, str]:
    """Decode a text, in an encoding that is known or found out.

    Parameters
    ----------
    raw : bytes
        The text.
    name : str
        The file, for messages.
    encoding : str, optional
        The encoding.
    expected : str
        What it should hold, for messages.

    Returns
    -------
    text, encoding : str
        The text, and the encoding: as given, or "utf-8-sig", "utf-16", "latin-1" or "cp1252".
    """
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    found = encoding or ("utf-16" if marked else "utf-8-sig")
    if encoding is None and not marked and b"\0" in raw:
        raise FileError(f"{name} is not a text file. Expected {expected}; check the file's ending.")
    try:
        text = raw.decode(found)
    except UnicodeDecodeError as error:
        if encoding is not None:
            raise FileError(
                f"{name} is not in the encoding {encoding}: byte {error.start} does not fit. Name "
                "another by --encoding, or leave it out."
            ) from error
        if marked:
            raise FileError(
                f"{name} begins as UTF-16 and is damaged at byte {error.start}. Save it as UTF-8."
            ) from error
        text, found = raw.decode("latin-1"), "latin-1"
        if _WINDOWS.search(text):
            # Latin-1 has control characters where Windows has the euro sign and quotation marks.
            with contextlib.suppress(UnicodeDecodeError):
                text, found = raw.decode("cp1252"), "cp1252"
    if "\0" in text:
        raise FileError(f"{name} is not a text file. Expected {expected}; check the file's ending.")
    if not text.strip():
        raise FileError(f"{name} is empty. Expected {expected}.")
    return text, found


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


def _below(text: str, lines: int) -> str:
    """Leave out the first lines of a text."""
    ends = (match.end() for match in _LINE.finditer(text))
    return text[next(itertools.islice(ends, lines - 1, None), len(text)) :] if lines else text


def _separator(text: str, separators: str) -> str:
    """Return the separator that cuts the first lines into equally many fields, the most."""

    def merit(separator: str) -> tuple[bool, int, int]:
        found = [row.fields for row in _first_rows(text, separator)]
        header, *rows = [len(row) for row in found[count_titles(found) :]] or [0]
        # R leaves the name of its first column out, so that the header is one field shorter.
        regular = len({*rows}) <= 1 and all(0 <= row - header <= 1 for row in rows)
        return regular and max(header, *rows, 0) > 1, header, max(rows, default=0)

    return max(separators, key=merit)


class _Row(NamedTuple):
    """A row of a text: where it begins, and its fields."""

    start: int
    fields: list[str]


def _first_rows(text: str, separator: str) -> list[_Row]:
    end = start = cells = 0

    def lines() -> Iterator[str]:
        nonlocal end
        for match in _LINE.finditer(text):
            end = match.end()
            yield match[0]

    rows: list[_Row] = []
    try:
        for fields in csv.reader(lines(), delimiter=separator, skipinitialspace=True):
            # A line of blanks is as empty as one without.
            if fields and not (len(fields) == 1 and not fields[0].strip()):
                rows.append(_Row(start, fields))
                cells += len(fields)
            start = end
            if len(rows) == FIRST_ROWS or cells > MOST_COLUMNS * 3:
                break
    except csv.Error:
        # A field beyond the limit of the module: pandas has the last word.
        pass
    return rows


def count_titles(rows: Sequence[Sequence[Any]]) -> int:
    """Count the rows above the header that hold a title or remarks, by their few cells.

    Parameters
    ----------
    rows : sequence of rows
        The first rows of a table.

    Examples
    --------
    >>> count_titles([["Sales of 2024"], ["place", "day", "sold"], ["Ulm", "Mon", "3"]])
    1
    """
    lengths = [_filled(row)[-1] + 1 if _filled(row) else 0 for row in rows]
    width = max(Counter(lengths).items(), key=lambda pair: pair[::-1], default=(0, 0))[0]
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        alone = width > 2 and len(_filled(row)) == 1
        if not alone and length >= width - 1:
            # Where the first full row holds numbers, those above it are no titles.
            named = not any(is_number(str(row[i])) for i in _filled(row))
            return number if named and number < len(rows) - 1 else 0
    return 0


def _filled(row: Sequence[Any]) -> list[int]:
    return [i for i, cell in enumerate(row) if cell is not None and str(cell).strip()]


def told_titles(count: int, first: Sequence[Any]) -> str:
    """Say that there are rows above the header, and what the first of them holds."""
    shown = " ".join(str(first[i]).strip() for i in _filled(first))[:60]
    return f", below {counted(count, 'line')} above the header ({shown!r})" if count else ""


def told_size(frame: pd.DataFrame, source: Source, about: str) -> str:
    """Say how much was read."""
    n, d = frame.shape
    size = f"{counted(n, 'row')} and {counted(d, 'column')}"
    return f"Read {size} from {source.path.name}{about}."


def named_apart(names: Sequence[str]) -> list[str]:
    """Give each column a name of its own, with a number behind one that comes again.

    Examples
    --------
    >>> named_apart(["a", "b", "a", "a.1", "a"])
    ['a', 'b', 'a.2', 'a.1', 'a.3']
    """
    taken, again = {*names}, Counter[str]()
    result = []
    for name in names:
        free = name
        while again[name] and free in taken:
            free = f"{name}.{again[name]}"
            again[name] += free in taken
        again[name] += 1
        taken.add(free)
        result.append(free)
    return result


def told_renamed(given: Sequence[str], names: Sequence[str]) -> list[str]:
    """Say which columns had the name of another."""
    pairs = zip(given, names, strict=True)
    renamed = [f"{old} is now {new}" for old, new in pairs if old != new]
    if not renamed:
        return []
    return [f"Renamed columns that had the name of another: {listed(renamed, 5)}."]


def _too_short(name: str) -> str:
    return f"{name} has a header, but no rows below it. Expected one row per sample."


def _too_long(name: str) -> str:
    return (
        f"{name} has a field that is too long to be one. Expected at most {LONGEST_FIELD} "
        f"characters ({csv.field_size_limit()} in the header). Look for a quote that is never "
        "closed; leave out columns that hold whole documents."
    )


def _check_fields(frame: pd.DataFrame, name: str) -> None:
    for column in _not_numeric(frame):
        texts = (value for value in frame[column] if isinstance(value, str))
        if any(len(text) > LONGEST_FIELD for text in texts):
            raise FileError(_too_long(name))


def _column_names(first: Sequence[Sequence[str]]) -> list[str]:
    header, *rows = first
    names = [name.strip() for name in header]
    if rows and all(len(row) == len(header) + 1 for row in rows):
        trailing = all(not row[-1].strip() for row in rows)
        names = [*names, ""] if trailing else ["", *names]
    return [name or f"Unnamed: {i}" for i, name in enumerate(names)]


@dataclass(frozen=True)
class _Layout:
    """A text, and how it is cut into fields."""

    text: str = field(repr=False)
    separator: str
    names: list[str]
    source: str

    def parsed(self, decimal: str = ".", **options: Any) -> pd.DataFrame:
        try:
            with warnings.catch_warnings():
                # Rows that are all longer than the header bring a warning, and a loss of data.
                warnings.simplefilter("error", pd.errors.ParserWarning)
                frame: pd.DataFrame = pd.read_csv(
                    io.StringIO(self.text),
                    sep=self.separator,
                    decimal=decimal,
                    names=self.names,
                    header=0,
                    index_col=False,
                    na_values=["?"],
                    skipinitialspace=True,
                    low_memory=False,
                    **options,
                )
                return frame
        except pd.errors.ParserWarning as error:
            reason = "its rows have more fields than its header"
            raise FileError(_irregular(self.source, reason)) from error
        except pd.errors.ParserError as error:
            reason = in_one_line(error).removeprefix("Error tokenizing data. C error: ")
            if reason == "out of memory":
                raise MemoryError from error
            raise FileError(_irregular(self.source, reason.rstrip("."))) from error

    def texts(self, column: str, **options: Any) -> "pd.Series[str]":
        return self.parsed(usecols=[column], dtype={column: str}, **options)[column].dropna()


def _irregular(name: str, reason: str) -> str:
    return (
        f"{name} is not a regular table: {reason}. Every row must have as many fields as the "
        "header; put text that contains the separator in quotes."
    )


# How numbers are written


def _with_numbers(layout: _Layout, options: TableOptions) -> tuple[pd.DataFrame, str]:
    """Parse a table, and tell which marks its numbers have; ask where that cannot be told."""
    decimal, thousands = options.decimal, options.thousands
    if decimal is None and thousands in (".", ","):
        decimal = "," if thousands == "." else "."
    frame = layout.parsed(decimal or ".")
    if decimal is None:
        decimal = _decimal_mark(frame, layout)
        frame = layout.parsed(",") if decimal == "," else frame
    about = ", with decimal commas" if decimal == "," else ""
    if thousands is None and decimal == ",":
        thousands = "."
    if thousands is None:
        return frame, about
    changed = False
    for name in _text_columns(frame):
        texts = frame[name].dropna()
        if grouped(texts, thousands):
            frame[name] = ungrouped(frame[name], thousands)
            changed = True
    mark = _MARKS.get(thousands, "blanks")
    joint = " and" if about else ", with"
    return frame, f"{about}{joint} {mark} between thousands" if changed else about


def _decimal_mark(frame: pd.DataFrame, layout: _Layout) -> str:
    """Tell points from commas before fractions, by all columns together."""
    commas = {}
    if layout.separator != ",":
        commas = {name: frame[name].dropna() for name in _comma_columns(frame)}
    either = {name: texts for name, texts in commas.items() if grouped(texts, ",")}
    if len(either) < len(commas):
        return ","
    types = zip(frame.columns, frame.dtypes, strict=True)
    floats = [name for name, dtype in types if dtype.kind == "f"]
    fractions = [name for name in floats if bool((frame[name].dropna() % 1 != 0).any())]
    suspects = [name for name in fractions if _may_be_grouped(frame[name])]
    if len(suspects) < len(fractions):
        return "."
    if any(not grouped(layout.texts(name, nrows=1000), ".") for name in suspects):
        return "."
    for mark, name, texts in (
        *((",", name, texts) for name, texts in either.items()),
        *((".", name, layout.texts(name)) for name in suspects),
    ):
        if grouped(texts, mark):
            _ask_beside(texts, mark, name, layout)
    return "," if either else "."


def _ask_beside(texts: "pd.Series[str]", mark: str, name: str, layout: _Layout) -> None:
    """Ask about three digits behind a mark, where other numbers have neither mark nor fraction."""
    marked = texts.str.contains(mark, regex=False)
    if marked.all():
        # Measured to three digits, as far as one can see.
        return
    one, other = texts[marked].iloc[0].strip(), texts[~marked].iloc[0].strip()
    raise FileError(
        f"The column {name} of {layout.source} has {one!r} beside {other!r}, which may be "
        f"{one.replace(mark, '')} or {one.replace(mark, '.')}. Say which by --thousands {mark} or "
        f"--decimal {mark}"
    )


def _not_numeric(frame: pd.DataFrame) -> list[str]:
    # By the types alone: to take columns out one by one takes a second for ten thousand.
    types = zip(frame.columns, frame.dtypes, strict=True)
    return [name for name, dtype in types if not pd.api.types.is_numeric_dtype(dtype)]


def _text_columns(frame: pd.DataFrame) -> list[str]:
    kinds = {n: pd.api.types.infer_dtype(frame[n], skipna=True) for n in _not_numeric(frame)}
    return [name for name, kind in kinds.items() if kind == "string"]


def _comma_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns in which all values are numbers, some of them with a comma."""
    # Whole numbers among them have no comma, as spreadsheets write them.
    return [
        name
        for name in _text_columns(frame)
        if any(_DECIMAL_COMMA.fullmatch(str(v)) for v in frame[name].dropna())
        and all(_DECIMAL_COMMA.fullmatch(str(v)) or is_number(str(v)) for v in frame[name].dropna())
    ]


def _may_be_grouped(column: "pd.Series[Any]") -> bool:
    """Tell numbers of at most three digits behind the point from others, without their text."""
    values = column.dropna().abs()
    thousandths = values * 1000
    fits = (values < 1000) & ((values >= 1) | (values == 0))
    return bool((fits & ((thousandths - thousandths.round()).abs() < 1e-6)).all())
