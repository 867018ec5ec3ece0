"""Writing files: whole or not at all, and nothing replaced unasked."""

import os
import tempfile
from pathlib import Path

from reldim.exceptions import FileError

__all__ = ["write_text"]


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file so that it appears whole or not at all, and replaces nothing unasked."""
    if path.exists() and not overwrite:
        raise FileError(f"{path} exists already. Choose another name, or ask to overwrite it.")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp makes a private file; give it the mode that any other file would get.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(f"{path} cannot be written: {error.strerror}.") from error
        raise
