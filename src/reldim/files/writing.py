"""Writing files: whole or not at all, and nothing replaced unasked."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from reldim.exceptions import FileError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_page", "csv_text", "whole_file", "write_text"]

#: Text that a spreadsheet runs: blanks before it do not always help. A sign alone is none.
_FORMULA = re.compile(r"[\t\r]|\s*[=+@-].", re.DOTALL)
_NUMBER = re.compile(r"[-+]?[\d.,' ]*\d([eE][-+]?\d+)?")


def check_page(path: str | os.PathLike[str], writer: str) -> None:
    """Refuse a name under which no browser would look for a page.

    Parameters
    ----------
    path : str or path
        The file that is to hold the page.
    writer : str
        What writes it, for the message.

    Examples
    --------
    >>> check_page("report.html", "write_report")
    """
    if Path(path).suffix.lower() not in {"", ".html", ".htm"}:
        raise FileError(
            f"{writer} writes a page in HTML, such as report.html. Got {os.fspath(path)}; a "
            "browser prints the page to PDF."
        )


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file so that it appears whole or not at all, and replaces nothing unasked.

    Parameters
    ----------
    path : Path
        The file.
    text : str
        What it is to hold, in UTF-8.
    overwrite : bool
        Replace a file that is there already.

    Raises
    ------
    FileError
        Where there is a file already, or none can be written.
    """
    with whole_file(path, overwrite=overwrite) as file:
        file.write(text.encode())


def csv_text(table: "pd.DataFrame") -> str:
    r"""Write a table as CSV in which a spreadsheet runs nothing.

    Parameters
    ----------
    table : DataFrame
        What comes from a data file may hold anything. Text that a spreadsheet would take for a
        formula, in cells and names, gets an apostrophe in front; numbers stay, also written ones.
        Its index is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> csv_text(pd.DataFrame({"a": ["=1+1", "-3.5", "x"], "b": [-1, 2, 3]}))
    "a,b\n'=1+1,-1\n-3.5,2\nx,3\n"
    """
    safe = table.rename(columns=_without_formula)
    for number, dtype in enumerate(table.dtypes):
        # Text, objects and categories; numbers and dates hold no formula.
        if dtype.kind == "O":
            cells = table.iloc[:, number].astype(object).map(_without_formula).to_numpy()
            safe.isetitem(number, cells)
    return safe.to_csv(index=False, lineterminator="\n")


def _without_formula(cell: Any) -> Any:
    runs = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


@contextmanager
def whole_file(path: Path, *, overwrite: bool) -> Iterator[BinaryIO]:
    """Open a file that appears under its name when it is complete, and never before.

    Where the work is interrupted, by an error, a full disk, or the end of the process, nothing
    appears and what was there before stays.

    Parameters
    ----------
    path : Path
        The file.
    overwrite : bool
        Replace a file that is there already.

    Yields
    ------
    binary file
        To be written to.

    Raises
    ------
    FileError
        Where there is a file already, or none can be written.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            # A device or a pipe: there is nothing to replace, and nothing to be kept whole.
            with path.open("wb") as stream:
                yield stream
            return
        _check_free(path, overwrite=overwrite)
        # Through a link, as any other program would write.
        path = path.resolve()
        draft = path.parent / f".{secrets.token_hex(8)}.part"
        try:
            with _opened(draft) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if not draft.exists():
                    # Python follows the link to the file only where a folder is named as well.
                    handle = file.fileno()
                    os.link(f"/proc/self/fd/{handle}", draft, src_dir_fd=handle)
            _publish(draft, path, overwrite=overwrite)
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError as error:
        raise FileError(
            f"{path} exists already. Choose another name, or pass overwrite=True (--force on the "
            "command line)."
        ) from error
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_free(path: Path, *, overwrite: bool) -> None:
    if not overwrite and path.exists():
        raise FileExistsError


def _opened(draft: Path) -> BinaryIO:
    """Open a file without a name, which goes away with the process; else one with a name."""
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        # Not every file system has files without names.
        with suppress(OSError):
            return os.fdopen(os.open(draft.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")
    return draft.open("xb")


def _publish(draft: Path, path: Path, *, overwrite: bool) -> None:
    """Give a file its name in one step, which fails where the name is taken."""
    if not overwrite:
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without links: the look and the step are two.
            _check_free(path, overwrite=False)
        else:
            return
    draft.replace(path)
