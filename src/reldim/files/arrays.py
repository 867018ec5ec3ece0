"""Array files: NPY and NPZ, read without pickles and never larger than they claim to be.

A file may come from anywhere. Its header is compared with its size before memory is asked for,
an archive may not unpack to more than fits into memory, and whatever a damaged file makes the
parsers of NumPy and Python raise becomes a single kind of error.
"""

import io
import math
import zipfile
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from reldim.exceptions import FileError
from reldim.files.source import Source, check_unpacked
from reldim.inputs.memory import fits

__all__ = ["array_bytes", "checked_members", "read_array", "read_member", "read_npy", "read_npz"]

#: Arrays in an archive.
MOST_MEMBERS = 1000

#: Letters of the header of an array, which holds a type and a shape.
_LONGEST_HEADER = 10_000

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

#: How an archive begins; an empty one has no member, but an end.
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def read_npy(source: Source) -> NDArray[Any]:
    """Read the array of an NPY file.

    Returns
    -------
    ndarray
        The array: numbers, truth values, text or dates, never objects.
    """
    with source.open() as file:
        if file.read(4) in _ZIP:
            raise FileError(f"{source.name} holds another format than its ending says; rename it.")
        file.seek(0)
        return read_array(file, source.size, source.name)


def read_npz(source: Source, wanted: Sequence[str]) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """Read some arrays of an NPZ file.

    Parameters
    ----------
    source : Source
        The file.
    wanted : sequence of str
        The names of the arrays to read.

    Returns
    -------
    names : list of str
        All arrays of the file.
    arrays : dict
        Those wanted that are there.
    """
    with source.open() as file:
        start = file.read(6)
        if start == npy.MAGIC_PREFIX:
            raise FileError(f"{source.name} holds another format than its ending says; rename it.")
        if not start.startswith(_ZIP):
            # zipfile would look for an archive behind anything, NumPy does not.
            raise FileError(_damaged(source.name))
        file.seek(0)
        try:
            with zipfile.ZipFile(file) as archive:
                members = checked_members(archive, source.name)
                arrays = {
                    name: read_member(archive, members[name], source.name)
                    for name in wanted
                    if name in members
                }
        except (FileError, OSError):
            raise
        except Exception as error:
            # zipfile, zlib and others have a dozen errors of their own for damaged archives.
            raise FileError(_damaged(source.name)) from error
    return [*members], arrays


def read_array(stream: IO[bytes], size: int, name: str) -> NDArray[Any]:
    """Read an array in the format of NPY files from a stream.

    Parameters
    ----------
    stream : binary file
        Holds the array and nothing else.
    size : int
        Bytes that the array and its header take.
    name : str
        What is read, for messages.
    """
    try:
        shape, _, dtype = _HEADERS[npy.read_magic(stream)](stream, _LONGEST_HEADER)
        needed = size - stream.tell()
        array: NDArray[Any] | None = None
        # A header may claim anything: what it claims is compared before memory is asked for.
        if _needed_bytes(shape, dtype) == needed and fits(needed):
            stream.seek(0)
            array = npy.read_array(stream, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:
        # The header is parsed as Python text, which fails in as many ways as there are tokens.
        raise FileError(_damaged(name)) from error
    if array is not None:
        return array
    if _needed_bytes(shape, dtype) != needed:
        raise FileError(_damaged(name))
    raise FileError(
        f"{name} holds an array of {' x '.join(map(str, shape))}, which does not fit into memory. "
        "Take a random subset of its rows, or save it as float32."
    )


def array_bytes(array: NDArray[Any]) -> bytes:
    """Return an array in the format of NPY files.

    Parameters
    ----------
    array : ndarray
        Numbers, truth values, text or dates.

    Examples
    --------
    >>> data = array_bytes(np.arange(3.0))
    >>> read_array(io.BytesIO(data), len(data), "an example")
    array([0., 1., 2.])
    """
    stream = io.BytesIO()
    npy.write_array(stream, array, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _needed_bytes(shape: tuple[Any, ...], dtype: np.dtype[Any]) -> int | None:
    """Return the bytes of an array, or None for one that no plain array file holds."""
    if dtype.hasobject or dtype.fields is not None or dtype.subdtype is not None:
        return None
    if not dtype.itemsize or len(shape) > 32 or any(length < 0 for length in shape):
        return None
    return int(math.prod(shape)) * int(dtype.itemsize)


def checked_members(
    archive: zipfile.ZipFile, name: str, most: int | None = None
) -> dict[str, zipfile.ZipInfo]:
    """Return the members of an archive by name; refuse two of one name, and too many.

    Returns
    -------
    dict
        The members, their names without the ending ".npy".
    """
    infos, most = archive.infolist(), MOST_MEMBERS if most is None else most
    if len(infos) > most:
        raise FileError(
            f"{name} must hold at most {most} arrays. Got {len(infos)} instead; save the ones "
            "that matter in a file of their own."
        )
    members = {info.filename.removesuffix(".npy"): info for info in infos}
    if len(members) < len(infos):
        raise FileError(f"{name} has two arrays of the same name. Save each under its own.")
    return members


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> NDArray[Any]:
    """Read an array from an archive, whose checksum of it must match."""
    own = f"{name} ({info.filename})"
    check_unpacked(info.file_size, info.compress_size, own)
    with archive.open(info) as stream:
        array = read_array(stream, info.file_size, own)
        # Only at its end does a member compare its checksum.
        stream.read(1)
    return array


def _damaged(name: str) -> str:
    return (
        f"{name} cannot be read as arrays of numbers or text. It is damaged, or holds pickled "
        "objects, which are refused because they can run any code; save plain arrays."
    )
