"""Tables of other programs: Parquet, Feather, Excel, JSON lines and SQLite, each by its library.

What a damaged file makes these libraries raise becomes one kind of error, and what a file claims to
hold, or turns out to hold, is compared with the memory that is there.
"""

import itertools
import json
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import import_module
from typing import Any

import pandas as pd

from reldim.exceptions import FileError, InputError, MissingDependencyError, counted, in_one_line
from reldim.files.databases import read_database
from reldim.files.options import EXCEL, SQLITE, TEXT, TableOptions
from reldim.files.source import Source, check_unpacked, collected
from reldim.files.text import FileTable, decoded, read_table
from reldim.inputs.memory import fits
from reldim.tables.columns import check_names, listed

__all__ = ["TABLES", "read_frame"]

#: Text of a cell of a spreadsheet that stands for no value.
_NO_VALUE = {"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "#N/A"}
_ERRORS = {"#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"}

_Parts = tuple[pd.DataFrame, str]


def read_frame(source: Source, options: TableOptions) -> FileTable:
    """Read a table in the format that its ending names.

    Returns
    -------
    FileTable
        The table, its columns named by texts, and what was done.
    """
    options.check_format(source.ending, source.name)
    if source.ending in TEXT:
        return read_table(source, options)
    try:
        frame, about = _READERS[source.ending](source, options)
    except InputError:
        raise
    except ImportError as error:
        raise MissingDependencyError(*_PACKAGES[source.ending]) from error
    except Exception as error:
        # The libraries, and what they are built on, have dozens of errors for damaged files.
        reason = in_one_line(error).rstrip(".") or type(error).__name__
        what = _NAMES[source.ending]
        raise FileError(
            f"{source.name} cannot be read as {what}: {reason}. It is damaged, or of another "
            "format than its ending says."
        ) from error
    frame.columns = pd.Index([str(name) for name in frame.columns])
    try:
        check_names(frame)
    except InputError as error:
        raise FileError(f"{source.name} cannot be used. {error}") from error
    if frame.empty:
        raise FileError(f"{source.name} has no rows. Expected one row per sample.")
    n, d = frame.shape
    size = f"{counted(n, 'row')} and {counted(d, 'column')}"
    return FileTable(frame, (f"Read {size} from {source.path.name}{about}.",))


# Columns


def _from_parquet(source: Source, _options: TableOptions) -> _Parts:
    parquet = import_module("pyarrow.parquet")
    with source.open() as file:
        about = parquet.ParquetFile(file).metadata
        _check_cells(about.num_rows * about.num_columns, source)
        file.seek(0)
        return pd.read_parquet(file), ""


def _from_feather(source: Source, _options: TableOptions) -> _Parts:
    arrow, ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
    if source.content is None:
        # Counted by the heads of the batches, before any is unpacked.
        found = import_module("pyarrow.dataset").dataset(source.path, format="feather")
        _check_cells(found.count_rows() * len(found.schema), source)
    batches, cells = [], 0
    with source.open() as file, ipc.open_file(file) as reader:
        for number in range(reader.num_record_batches):
            batches.append(reader.get_batch(number))
            # Arrow believes what a file says about places in memory, unless it is asked not to.
            batches[-1].validate(full=True)
            cells += batches[-1].nbytes // 8
            _check_cells(cells, source)
        return arrow.Table.from_batches(batches, reader.schema).to_pandas(), ""


def _check_cells(cells: int, source: Source) -> None:
    if not fits(8 * cells):
        raise FileError(
            f"{source.name} holds {cells} cells, which do not fit into memory. Take a random "
            "subset of its rows."
        )


# Rows


def _from_json(source: Source, options: TableOptions) -> _Parts:
    text, _ = decoded(source.read(), source.name, options.encoding, "a table in lines of JSON")
    records = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FileError(_no_record(source, number, line)) from error
            if not isinstance(record, dict):
                raise FileError(_no_record(source, number, line))
            records.append(record)
    return pd.DataFrame(records), ""


def _no_record(source: Source, number: int, line: str) -> str:
    return (
        f'Every line of {source.name} must hold a JSON object, such as {{"age": 31}}. Got '
        f"{line[:40]!r} in line {number}."
    )


def _from_excel(source: Source, options: TableOptions) -> _Parts:
    openpyxl = import_module("openpyxl")
    with source.open() as file, warnings.catch_warnings():
        # Of parts of a workbook that no table has, such as rules for cells.
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(file) as archive:
            size = sum(info.file_size for info in archive.infolist())
        check_unpacked(size, source.size, source.name, 2)
        with closing(openpyxl.load_workbook(file, read_only=True, data_only=True)) as book:
            sheet = _sheet(book, options.sheet, source)
            # What a file says about the size of a sheet need not be so.
            sheet.reset_dimensions()
            rows = collected(sheet.iter_rows(values_only=True), source)
            about = f", sheet {sheet.title!r}" if len(book.worksheets) > 1 else ""
    return _from_cells(rows, source), about


def _sheet(book: Any, wanted: str | None, source: Source) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if wanted is None:
        # Programs add empty sheets to new workbooks.
        filled = {title: sheet for title, sheet in sheets.items() if _has_cells(sheet)} or sheets
        if len(filled) == 1:
            return next(iter(filled.values()))
        raise FileError(
            f"{source.name} has several sheets: {listed(filled, 20)}. Name one of them by --sheet."
        )
    if wanted in sheets:
        return sheets[wanted]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sheets):
        return [*sheets.values()][int(wanted) - 1]
    raise FileError(f"{source.name} has no sheet {wanted!r}. Its sheets are {listed(sheets, 20)}.")


def _has_cells(sheet: Any) -> bool:
    rows = itertools.islice(sheet.iter_rows(values_only=True), 100)
    return any(cell is not None for row in rows for cell in row)


def _from_cells(rows: list[Sequence[Any]], source: Source) -> pd.DataFrame:
    table = [[None if cell in _NO_VALUE or cell in _ERRORS else cell for cell in r] for r in rows]
    table = [row for row in table if any(cell is not None for cell in row)]
    width = max((len(row) for row in table), default=0)
    _check_cells(width * len(table), source)
    if len(table) < 2:
        raise FileError(f"{source.name} has no rows below a header. Expected one row per sample.")
    header, *body = [row + [None] * (width - len(row)) for row in table]
    names = [
        f"Unnamed: {i}" if cell is None else str(cell).strip() for i, cell in enumerate(header)
    ]
    frame = pd.DataFrame(body, columns=names)
    # Columns beyond the table, of which only the format of cells is left.
    extra = [cell is None and frame.iloc[:, i].isna().all() for i, cell in enumerate(header)]
    return frame.loc[:, [not left_out for left_out in extra]]


_READERS: dict[str, Callable[[Source, TableOptions], _Parts]] = {
    ".parquet": _from_parquet,
    ".feather": _from_feather,
    ".jsonl": _from_json,
    ".ndjson": _from_json,
    **dict.fromkeys(EXCEL, _from_excel),
    **dict.fromkeys(SQLITE, read_database),
}
_PACKAGES = {
    ".parquet": ("pyarrow", "A Parquet file", "parquet"),
    ".feather": ("pyarrow", "A Feather file", "parquet"),
    ".xlsx": ("openpyxl", "An Excel file", "excel"),
}
_NAMES = {
    ".parquet": "a Parquet table",
    ".feather": "a Feather table",
    ".jsonl": "lines of JSON",
    ".ndjson": "lines of JSON",
    **dict.fromkeys(EXCEL, "an Excel table"),
    **dict.fromkeys(SQLITE, "an SQLite table"),
}

#: Endings of tables.
TABLES = (*TEXT, *_READERS)
