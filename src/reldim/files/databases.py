"""SQLite files: one table, or what a query selects, and no more work than the file can be worth.

A file may come from anywhere, and a view in it is a program. It may read this file, and nothing
else: no writing, no other files, no extensions. Sorting stays in memory, so that no disk fills up.
Memory and processor time have a budget that grows with the file.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from time import thread_time

import pandas as pd

from reldim.exceptions import FileError
from reldim.files.options import TableOptions
from reldim.files.source import Source, collected, expands_too_much
from reldim.files.text import LONGEST_FIELD
from reldim.tables.columns import listed

__all__ = ["read_database"]

#: Seconds of processor time for any file, and for each byte of it: thirty times what reading takes.
SECONDS = 30.0
SECONDS_PER_BYTE = 1e-6

#: Steps of SQLite's machine between two looks at the budget. A step may take a second where a file
#: is made for it, and a look costs less than a hundred usual steps.
_STEPS = 100

#: Processor time between two looks at the memory, which cost more.
_BETWEEN_LOOKS = 0.01

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def read_database(source: Source, options: TableOptions) -> tuple[pd.DataFrame, str]:
    """Read a table of an SQLite file, or what a query selects.

    Parameters
    ----------
    source : Source
        The file.
    options : TableOptions
        The table, or the query.

    Returns
    -------
    frame : DataFrame
        The rows.
    about : str
        Where they come from, for the list of steps.
    """
    watch = _Watch(source)
    with closing(_connected(source)) as connection:
        _restrict(connection, source)
        connection.set_progress_handler(watch.is_spent, _STEPS)
        query, about = options.query, ", by a query"
        if query is None:
            table = _table(connection, options.table, source)
            quoted = table.replace('"', '""')
            query, about = f'SELECT * FROM "{quoted}"', f", table {table!r}"  # noqa: S608
        connection.set_authorizer(watch.allows)
        try:
            cursor = connection.execute(query)
            names = [part[0] for part in cursor.description or ()]
            return pd.DataFrame(collected(cursor, source), columns=names), about
        except (sqlite3.Error, sqlite3.Warning) as error:
            if watch.stopped_by is not None:
                raise watch.stopped_by from error
            if options.query is None:
                raise
            raise FileError(
                f"--query cannot be answered by {source.name}: {error}. Expected a select "
                f"statement; its tables are {listed(_tables(connection), 20) or 'none'}."
            ) from error


class _Watch:
    """What SQLite asks while it works: whether it may go on.

    Parameters
    ----------
    source : Source
        The file that is read.
    """

    def __init__(self, source: Source) -> None:
        self.stopped_by: BaseException | None = None
        self._source = source
        self._resident = _resident_bytes()
        now = thread_time()
        self._seconds = max(SECONDS, SECONDS_PER_BYTE * source.size)
        self._end, self._next_look = now + self._seconds, now

    def allows(self, action: int, *about: str | None) -> int:
        """Allow a part of a query while it is understood: views may grow with each other."""
        loads = action == sqlite3.SQLITE_FUNCTION and about[1] == "load_extension"
        allowed = action in _ALLOWED and not loads and not self.is_spent()
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def is_spent(self) -> bool:
        """Tell whether the budget is spent; also called so that Python notices an interruption."""
        try:
            self._look()
        except BaseException as error:  # noqa: BLE001
            # SQLite would swallow it.
            self.stopped_by = self.stopped_by or error
        return self.stopped_by is not None

    def _look(self) -> None:
        now = thread_time()
        if now > self._end:
            self._refuse(f"is not read after {self._seconds:.0f} s of work")
        if now >= self._next_look:
            self._next_look = now + _BETWEEN_LOOKS
            taken = _resident_bytes() - self._resident
            if expands_too_much(taken, self._source.size):
                self._refuse(f"takes {taken / 2**30:.1f} GiB of memory, and more was to come")

    def _refuse(self, what: str) -> None:
        raise FileError(
            f"{self._source.name} {what}: a view or a query in it works out more than the file "
            "holds. Name a table by --table, or select less by --query."
        )


def _resident_bytes() -> int:
    """Return the memory of this process, or 0 where the system does not tell."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize()
    except (ImportError, OSError):
        return 0


def _connected(source: Source) -> sqlite3.Connection:
    if source.content is None:
        path = source.path.resolve()
        # One with a log of its own gets two files beside it, even where it is only read.
        with source.open() as file:
            logs = file.read(20)[18:] == b"\2\2"
        unused = logs and not Path(f"{path}-wal").exists()
        mode = "&immutable=1" if unused else ""
        return sqlite3.connect(f"{path.as_uri()}?mode=ro{mode}", uri=True)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(source.content)
    return connection


def _restrict(connection: sqlite3.Connection, source: Source) -> None:
    # No value that a row of the file could not hold, and no pattern that takes for ever to match.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(LONGEST_FIELD, source.size))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100)
    for setting in ("temp_store = MEMORY", "trusted_schema = OFF", "query_only = ON"):
        connection.execute(f"PRAGMA {setting}")


def _tables(connection: sqlite3.Connection) -> list[str]:
    names = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    return [name for (name,) in connection.execute(names) if not name.startswith("sqlite_")]


def _table(connection: sqlite3.Connection, wanted: str | None, source: Source) -> str:
    tables = _tables(connection)
    if wanted is not None and wanted in tables:
        return wanted
    if wanted is None and len(tables) == 1:
        return tables[0]
    got = "Name one of them by --table." if wanted is None else f"Got --table {wanted!r}."
    raise FileError(f"{source.name} has the tables {listed(tables, 20) or 'none'}. {got}")
