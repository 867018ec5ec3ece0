"""Tables of other programs: Parquet, Feather, Excel, JSON and SQLite, each by its library.

What a damaged file makes these libraries raise becomes one kind of error, and what a file claims to
hold, or turns out to hold, is compared with the memory that is there.
"""

import io
import itertools
import json
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib import import_module
from typing import Any

import pandas as pd

from reldim.exceptions import FileError, InputError, MissingDependencyError, in_one_line
from reldim.files.databases import read_database
from reldim.files.options import EXCEL, JSON, SQLITE, TEXT, TableOptions
from reldim.files.source import (
    Source,
    check_cells,
    check_collected,
    check_unpacked,
    collected,
)
from reldim.files.text import (
    FIRST_ROWS,
    FileTable,
    count_titles,
    decoded,
    named_apart,
    read_table,
    told_renamed,
    told_size,
    told_titles,
)
from reldim.tables.columns import listed

__all__ = ["TABLES", "read_frame"]

#: Text of a cell of a spreadsheet that stands for no value.
_NO_VALUE = {"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "#N/A"}
_ERRORS = {"#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"}

#: Memory for each byte of JSON or of an old Excel file, which has six to a cell.
_FACTOR = 30

_Parts = tuple[pd.DataFrame, str]
_Sheets = Mapping[str, Callable[[], Iterable[Sequence[Any]]]]


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
    except (InputError, MemoryError):
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
    given = [str(name) for name in frame.columns]
    names = named_apart(given)
    frame.columns = pd.Index(names)
    if frame.empty:
        raise FileError(f"{source.name} has no rows. Expected one row per sample.")
    return FileTable(frame, (told_size(frame, source, about), *told_renamed(given, names)))


# Columns


def _from_parquet(source: Source, _options: TableOptions) -> _Parts:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    with source.open() as file:
        found = parquet.ParquetFile(file)
        check_cells(found.metadata.num_rows, found.metadata.num_columns, source)
        schema, batches, taken = found.schema_arrow, [], 0
        # A text that repeats stands in the file once: it is measured before it is written out.
        texts = [part.name for part in schema if part.type in (arrow.string(), arrow.binary())]
        coded = parquet.ParquetFile(file, read_dictionary=texts)
        for batch in coded.iter_batches():
            batches.append(batch)
            taken += sum(_written_bytes(column, arrow) for column in batch.columns)
            check_collected(taken, source)
        return arrow.Table.from_batches(batches, coded.schema_arrow).cast(schema).to_pandas(), ""


def _written_bytes(column: Any, arrow: Any) -> int:
    if not isinstance(column, arrow.DictionaryArray):
        return int(column.nbytes)
    compute = import_module("pyarrow.compute")
    lengths = compute.binary_length(column.dictionary).cast(arrow.int64())
    return compute.sum(lengths.take(column.indices)).as_py() or 0


def _from_feather(source: Source, _options: TableOptions) -> _Parts:
    arrow, ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
    if source.content is None:
        # Counted by the heads of the batches, before any is unpacked.
        found = import_module("pyarrow.dataset").dataset(source.path, format="feather")
        check_cells(found.count_rows(), len(found.schema), source)
    batches, taken = [], 0
    with source.open() as file, ipc.open_file(file) as reader:
        for number in range(reader.num_record_batches):
            batches.append(reader.get_batch(number))
            # Arrow believes what a file says about places in memory, unless it is asked not to.
            batches[-1].validate(full=True)
            taken += batches[-1].nbytes
            check_collected(taken, source)
        return arrow.Table.from_batches(batches, reader.schema).to_pandas(), ""


# Rows


def _from_json(source: Source, options: TableOptions) -> _Parts:
    text, _ = decoded(source.read(_FACTOR), source.name, options.encoding, "a table in JSON")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        lines = enumerate(text.splitlines(), start=1)
        found = [_record(line, number, source) for number, line in lines if line.strip()]
    return _from_values(found, text, source), ""


def _record(line: str, number: int, source: Source) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(_no_records(line, source, f" in line {number}")) from error
    if not isinstance(record, dict):
        raise FileError(_no_records(line, source, f" in line {number}"))
    return record


def _from_values(found: Any, text: str, source: Source) -> pd.DataFrame:
    """Make a table of a list of records, or of columns by their names."""
    names: Any = None
    if isinstance(found, dict):
        lists = [part for part in found.values() if isinstance(part, list)]
        if isinstance(found.get("data"), list) and isinstance(found.get("columns"), list):
            names, found = found["columns"], found["data"]
        elif len(lists) == 1 and all(isinstance(record, dict) for record in lists[0]):
            # Beside the records stand remarks or a schema.
            found = lists[0]
        elif not any(isinstance(part, (list, dict)) for part in found.values()):
            found = [found]
    parts = [*found.values()] if isinstance(found, dict) else found
    if not isinstance(parts, list) or not any(isinstance(part, (list, dict)) for part in parts):
        raise FileError(_no_records(text, source))
    # Records may have names of their own each, so that the table is far larger than the file.
    across = {name for part in parts if isinstance(part, dict) for name in part}
    longest = max(len(part) for part in parts if isinstance(part, (list, dict)))
    sizes = len(parts), max(len(across), longest)
    rows, columns = sizes[::-1] if isinstance(found, dict) else sizes
    check_cells(rows, columns, source)
    check_collected(8 * rows * columns, source)
    if isinstance(found, list) and names is None and not across:
        raise FileError(_no_records(text, source))
    return pd.DataFrame(found, columns=names)


def _no_records(text: str, source: Source, place: str = "") -> str:
    return (
        f'{source.name} must hold JSON objects, such as {{"age": 31}}, in a list or one in each '
        f"line, or lists by the names of columns. Got {text[:40]!r}{place}."
    )


def _from_xlsx(source: Source, options: TableOptions) -> _Parts:
    openpyxl = import_module("openpyxl")
    with source.open() as file, warnings.catch_warnings():
        # Of parts of a workbook that no table has, such as rules for cells.
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(file) as archive:
            size = sum(info.file_size for info in archive.infolist())
        check_unpacked(size, source.size, source.name, 2)
        with closing(openpyxl.load_workbook(file, read_only=True, data_only=True)) as book:
            for sheet in book.worksheets:
                # What a file says about the size of a sheet need not be so.
                sheet.reset_dimensions()
            sheets = {s.title: partial(s.iter_rows, values_only=True) for s in book.worksheets}
            return _from_sheets(sheets, source, options)


def _from_xls(source: Source, options: TableOptions) -> _Parts:
    # By itself: the readers of pandas are deprecated, or end the process on some damaged files.
    xlrd = import_module("xlrd")
    content, quiet = source.read(_FACTOR), io.StringIO()
    with xlrd.open_workbook(file_contents=content, logfile=quiet) as book:
        value = partial(_old_value, xlrd, book.datemode)

        def values(sheet: Any) -> Iterable[Sequence[Any]]:
            return ([value(cell) for cell in row] for row in sheet.get_rows())

        sheets = {sheet.name: partial(values, sheet) for sheet in book.sheets()}
        return _from_sheets(sheets, source, options)


def _old_value(xlrd: Any, datemode: int, cell: Any) -> Any:
    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return int(cell.value) if cell.value.is_integer() else cell.value
    if cell.ctype == xlrd.XL_CELL_DATE:
        return xlrd.xldate_as_datetime(cell.value, datemode)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    return cell.value if cell.ctype == xlrd.XL_CELL_TEXT else None


def _from_sheets(sheets: _Sheets, source: Source, options: TableOptions) -> _Parts:
    title = _chosen(sheets, options.sheet, source)
    about = f", sheet {title!r}" if len(sheets) > 1 else ""
    rows = collected(sheets[title](), source)[options.skip_rows or 0 :]
    table = [[None if cell in _NO_VALUE or cell in _ERRORS else cell for cell in r] for r in rows]
    table = [row for row in table if any(cell is not None for cell in row)]
    titles = 0 if options.skip_rows is not None else count_titles(table[:FIRST_ROWS])
    width = max((len(row) for row in table), default=0)
    check_cells(len(table), width, source)
    if len(table) < 2:
        raise FileError(f"{source.name} has no rows below a header. Expected one row per sample.")
    header, *body = [row + [None] * (width - len(row)) for row in table[titles:]]
    names = [
        f"Unnamed: {i}" if cell is None else str(cell).strip() for i, cell in enumerate(header)
    ]
    frame = pd.DataFrame(body, columns=names)
    # Columns beyond the table, of which only the format of cells is left.
    extra = [cell is None and frame.iloc[:, i].isna().all() for i, cell in enumerate(header)]
    return frame.loc[:, [not left_out for left_out in extra]], about + told_titles(titles, table[0])


def _chosen(sheets: _Sheets, wanted: str | None, source: Source) -> str:
    """Return the title of the sheet that is wanted, or of the only one that is not empty."""
    if wanted is None:
        # Programs add empty sheets to new workbooks.
        filled = [title for title, rows in sheets.items() if _has_cells(rows())] or [*sheets]
        if len(filled) == 1:
            return filled[0]
        raise FileError(
            f"{source.name} has several sheets: {listed(filled, 20)}. Name one of them by --sheet."
        )
    if wanted in sheets:
        return wanted
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sheets):
        return [*sheets][int(wanted) - 1]
    raise FileError(f"{source.name} has no sheet {wanted!r}. Its sheets are {listed(sheets, 20)}.")


def _has_cells(rows: Iterable[Sequence[Any]]) -> bool:
    return any(cell is not None for row in itertools.islice(rows, 100) for cell in row)


_READERS: dict[str, Callable[[Source, TableOptions], _Parts]] = {
    ".parquet": _from_parquet,
    ".feather": _from_feather,
    **dict.fromkeys(JSON, _from_json),
    ".xlsx": _from_xlsx,
    ".xls": _from_xls,
    **dict.fromkeys(SQLITE, read_database),
}
_PACKAGES = {
    ".parquet": ("pyarrow", "A Parquet file", "parquet"),
    ".feather": ("pyarrow", "A Feather file", "parquet"),
    ".xlsx": ("openpyxl", "An Excel file", "excel"),
    ".xls": ("xlrd", "An old Excel file (.xls)", "excel"),
}
_NAMES = {
    ".parquet": "a Parquet table",
    ".feather": "a Feather table",
    **dict.fromkeys(JSON, "JSON"),
    **dict.fromkeys(EXCEL, "an Excel table"),
    **dict.fromkeys(SQLITE, "an SQLite table"),
}

#: Endings of tables.
TABLES = (*TEXT, *_READERS)
