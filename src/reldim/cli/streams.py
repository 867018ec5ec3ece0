"""Standard output and standard error, which may be full or closed."""

import errno
import os
import sys
from contextlib import suppress
from typing import IO

from reldim.exceptions import in_one_line

__all__ = ["say", "write_out"]


def say(message: str) -> None:
    """Write a message to standard error, in one line.

    Parameters
    ----------
    message : str
        The message; line breaks become blanks.
    """
    if sys.stderr is None:
        return
    # Where even this cannot be written, the exit code is all that is left.
    with suppress(OSError):
        # What stands in a file must not move the cursor or change colours.
        sys.stderr.write(f"reldim: {in_one_line(message)}\n")


def write_out(text: str, file: IO[str] | None = None) -> None:
    """Write text to standard output, at once, so that an error of the machine is noticed.

    A reader that has seen enough, such as ``head``, closes the pipe: what follows is thrown away,
    while files are written and codes are looked for all the same.

    Parameters
    ----------
    text : str
        The text.
    file : text file, optional
        Another stream in place of standard output.
    """
    stream = file or sys.stdout
    if stream is None:
        raise OSError(errno.EIO, "it is closed", "standard output")
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What is left in the buffer must not fail again when the process ends.
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, "standard output") from error
