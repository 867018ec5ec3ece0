"""Writing files: whole or not at all, and nothing replaced unasked."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from reldim.exceptions import FileError

__all__ = ["whole_file", "write_text"]


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
        if not overwrite:
            _check_free(path)
        # Through a link, as any other program would write.
        path = path.resolve()
        draft = _draft(path.parent)
        try:
            yield draft.file
            draft.file.flush()
            os.fsync(draft.file.fileno())
            draft.publish(path, overwrite=overwrite)
        finally:
            draft.discard()
    except FileExistsError as error:
        raise FileError(
            f"{path} exists already. Choose another name, or ask to overwrite it."
        ) from error
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_free(path: Path) -> None:
    if path.exists():
        raise FileExistsError


class _Draft:
    """A file under a name of its own, until it is complete."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f".{secrets.token_hex(8)}.part"
        handle = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        self.file: BinaryIO = os.fdopen(handle, "wb")

    def publish(self, path: Path, *, overwrite: bool) -> None:
        """Give the file its name in one step, which fails where the name is taken."""
        self.file.close()
        if overwrite:
            self.path.replace(path)
            return
        try:
            os.link(self.path, path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without links: the look and the step are two.
            _check_free(path)
            self.path.replace(path)

    def discard(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            self.file.close()
        self.path.unlink(missing_ok=True)


class _NamelessDraft(_Draft):
    """A file without a name, which goes away with the process, as Linux has it."""

    def __init__(self, folder: Path) -> None:
        handle = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
        self.file = os.fdopen(handle, "wb")
        self.path = folder / f".{secrets.token_hex(8)}.part"

    def publish(self, path: Path, *, overwrite: bool) -> None:
        """Give the file a name; to replace another it takes one beside it first."""
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # With a folder named, Python follows the link to the file that it stands for.
            os.link(
                f"/proc/self/fd/{self.file.fileno()}",
                self.path if overwrite else path,
                src_dir_fd=folder,
                follow_symlinks=True,
            )
        finally:
            os.close(folder)
        if overwrite:
            self.path.replace(path)


def _draft(folder: Path) -> _Draft:
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        # Not every file system has files without names.
        with suppress(OSError):
            return _NamelessDraft(folder)
    return _Draft(folder)
