"""Where bytes come from: files, packed files and pipes, never more of them than fit into memory."""

import bz2
import gzip
import io
import lzma
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, TypeVar

from reldim.exceptions import FileError, in_one_line
from reldim.inputs.memory import fits
from reldim.tables.columns import listed

__all__ = [
    "MOST_COLUMNS",
    "PACKED",
    "Source",
    "check_cells",
    "check_collected",
    "check_unpacked",
    "collected",
    "expands_too_much",
    "open_source",
]

T = TypeVar("T")

#: How files are unpacked, by the ending of the name; a zip archive has members, hence no entry.
_UNPACK: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
PACKED = (*_UNPACK, ".zip")

#: How the content of a pipe begins, and the ending that a file of it would have. Names of columns
#: may begin with the same letters, but not with the bytes that follow.
_BEGINNINGS = {
    rb"\x1f\x8b": ".gz",
    rb"BZh[1-9]1AY&SY": ".bz2",
    rb"\xfd7zXZ\0": ".xz",
    rb"PK\x03\x04": ".zip",
    rb"PAR1[^\s -~]": ".parquet",
    rb"ARROW1\0\0": ".feather",
    rb"SQLite format 3\0": ".db",
    rb"\x93NUMPY": ".npy",
    rb"(\xef\xbb\xbf)?\s*[{[]": ".json",
    rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ".xls",
    rb"(\xef\xbb\xbf)?\s*>": ".fasta",
}

#: What unpacks to more than this many bytes must not do so by more than this factor: so well
#: compresses only what was made to fill a memory.
LARGE = 2**30
MOST_EXPANSION = 200

#: Memory for a table, in bytes for each byte of its text.
BYTES_PER_BYTE = 10

#: Memory for a cell, in bytes, beside its text.
_CELL = 64

#: Memory for a column of its own type and name, whatever it holds: measured at 5.7 kB.
_COLUMN = 8_000

#: Columns of a table. Each takes 0.1 ms to read and some milliseconds to prepare.
MOST_COLUMNS = 100_000

_PIECE = 2**22


@dataclass(frozen=True, eq=False)
class Source:
    """What is to be read.

    Attributes
    ----------
    name : str
        What it is called in messages.
    ending : str
        The ending that tells its format, in small letters; that of packing is left out.
    path : Path
        The file; for a pipe its name.
    content : bytes or None
        What was unpacked or came through a pipe; None for a file that is to be opened.
    """

    name: str
    ending: str
    path: Path
    content: bytes | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.path.stat().st_size if self.content is None else len(self.content)

    def open(self) -> IO[bytes]:
        """Open it for reading."""
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)

    def read(self, factor: int = BYTES_PER_BYTE) -> bytes:
        """Return all bytes, of what takes so many times as many when it is parsed."""
        if not fits(factor * self.size):
            raise FileError(_too_large(self.name, self.size))
        return self.path.read_bytes() if self.content is None else self.content


def open_source(path: Path) -> Source:
    """Find out what a file is by its ending; unpack it, or read it from a pipe.

    Parameters
    ----------
    path : Path
        A file that exists, a named pipe, or ``-`` for standard input.
    """
    if str(path) == "-":
        # Tests, and some programs that embed Python, have no binary layer below.
        stream: Any = getattr(sys.stdin, "buffer", None)
        content = b"" if stream is None else _gathered(stream, "Standard input")
        return _recognised(content, Path("standard input"))
    if path.exists() and not path.is_file():
        with path.open("rb") as pipe:
            return _recognised(_gathered(pipe, str(path)), path)
    ending = path.suffix.lower()
    if ending not in PACKED:
        return Source(str(path), ending, path)
    inner = Path(path.stem).suffix.lower()
    with path.open("rb") as file:
        return _unpacked(Source(str(path), ending, path), inner, file, path.stat().st_size)


def check_unpacked(size: int, packed: int, name: str, factor: int = 1) -> None:
    """Refuse what unpacks to more than fits into memory, or was made to fill it.

    Parameters
    ----------
    size, packed : int
        Bytes that are unpacked, and that the file takes.
    name : str
        What is unpacked, for messages.
    factor : int
        Bytes of memory for each byte that is unpacked.
    """
    if expands_too_much(size, packed, factor):
        raise FileError(
            f"{name} unpacks to {size / 2**30:.1f} GiB, {size / max(1, packed):.0f} times its size "
            "in the file. That does not fit into memory, or was made to fill it; save fewer rows, "
            "or save them without packing."
        )


def expands_too_much(size: int, packed: int, factor: int = 1) -> bool:
    """Tell whether so much of a file does not fit into memory, or was made to fill it."""
    return not fits(factor * size) or (size > LARGE and size > MOST_EXPANSION * packed)


def collected(rows: Iterable[Sequence[Any]], source: Source) -> list[Sequence[Any]]:
    """Gather rows as long as they fit into memory, beside the table that is made of them.

    Parameters
    ----------
    rows : iterable of sequences
        The rows, which may have no end.
    source : Source
        The file that they come from.
    """
    found: list[Sequence[Any]] = []
    taken = checked = 0
    for row in rows:
        found.append(row)
        taken += _CELL * len(row) + sum(len(c) for c in row if isinstance(c, (str, bytes)))
        if taken - checked > _PIECE:
            checked = taken
            check_collected(taken, source)
    check_collected(taken, source)
    return found


def check_collected(taken: int, source: Source) -> None:
    """Refuse a table that takes more memory than there is, or than its file can be worth."""
    if expands_too_much(taken, source.size):
        raise FileError(
            f"{source.name} holds a table that does not fit into memory, or was made to fill it. "
            "Take a random subset of its rows."
        )


def check_cells(rows: int, columns: int, source: Source) -> None:
    """Refuse a table that would not fit into memory, or that nothing can be made of for its width.

    Parameters
    ----------
    rows, columns : int
        What the file holds, or claims to.
    source : Source
        The file.
    """
    if columns > MOST_COLUMNS:
        raise FileError(
            f"{source.name} has {columns} columns. Expected at most {MOST_COLUMNS} in a table; "
            "save the numbers as an array (.npy), with the target in a file of its own, or fewer "
            "of the columns."
        )
    if not fits(columns * (8 * rows + _COLUMN)):
        raise FileError(
            f"{source.name} holds a table of {rows} x {columns}, which does not fit into memory. "
            "Take a random subset of its rows, or fewer columns."
        )


def _gathered(stream: IO[bytes], name: str, packed: int | None = None) -> bytes:
    """Read a stream to its end, piece by piece, and stop where it does not fit into memory."""
    pieces: list[bytes] = []
    total = 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        total += len(piece)
        if packed is not None:
            check_unpacked(total, packed, name, BYTES_PER_BYTE)
        elif not fits(BYTES_PER_BYTE * total):
            raise FileError(_too_large(name, total))
    return b"".join(pieces)


def _recognised(content: bytes, path: Path) -> Source:
    ending = next((end for begin, end in _BEGINNINGS.items() if re.match(begin, content)), ".csv")
    found = Source(str(path), ending, path, content)
    if ending == ".zip":
        names = _unpacking(found.name, lambda: zipfile.ZipFile(io.BytesIO(content)).namelist())
        # A workbook and a file of arrays are archives too.
        if "xl/workbook.xml" in names or all(name.endswith(".npy") for name in names):
            return replace(found, ending=".xlsx" if "xl/workbook.xml" in names else ".npz")
    if ending in PACKED:
        return _unpacked(found, "", io.BytesIO(content), len(content))
    return found


def _unpacked(source: Source, inner: str, file: IO[bytes], packed: int) -> Source:
    def gathered() -> tuple[str, bytes]:
        if source.ending == ".zip":
            return _member(file, source.name, inner)
        with _UNPACK[source.ending](file) as stream:
            return inner, _gathered(stream, source.name, packed)

    ending, content = _unpacking(source.name, gathered)
    if not content:
        raise FileError(f"{source.name} is empty. Expected a table or arrays.")
    found = replace(source, ending=ending, content=content)
    if not ending and any(re.match(begin, content) for begin in [*_BEGINNINGS][: len(PACKED)]):
        # Some archives unpack to themselves.
        raise FileError(f"{source.name} is packed more than once. Unpack it, then name the rest.")
    return found if ending else _recognised(content, source.path)


#: What Python's readers of packed files raise on damaged ones: for names and headers that cannot be
#: decoded as well, for a password (RuntimeError) and for another method (NotImplementedError).
_DAMAGED = (
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.error,
)


def _unpacking(name: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except FileError:
        raise
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = in_one_line(error).rstrip(".")
        raise FileError(
            f"{name} cannot be unpacked: {reason}. It is damaged, locked, or of another format "
            "than its ending says."
        ) from error


def _member(file: IO[bytes], name: str, inner: str) -> tuple[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        members = [
            info
            for info in archive.infolist()
            # Not by is_dir, which fails on a member without a name.
            if not info.filename.endswith("/") and not info.filename.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            names = listed([info.filename for info in members]) or "nothing"
            raise FileError(
                f"A zip archive must hold one file. {name} holds {names}; unpack it, and name one "
                "of them."
            )
        (member,) = members
        check_unpacked(member.file_size, member.compress_size, name, BYTES_PER_BYTE)
        with archive.open(member) as stream:
            content = _gathered(stream, name, member.compress_size)
    return inner or Path(member.filename).suffix.lower(), content


def _too_large(name: str, size: int) -> str:
    return (
        f"{name} holds {size / 2**30:.1f} GiB, and a table of that does not fit into memory. Take "
        "a random subset of its rows."
    )
