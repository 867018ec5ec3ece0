"""Containers: plain data and arrays in one file that can be checked before it is believed.

A container is a ZIP archive of ``manifest.json``, ``document.json`` and ``arrays/*.npy``. The
manifest names the format, and size and SHA-256 of every other member; a member that is not named,
or differs, makes the file unreadable. There are no pickles, so that reading runs no code of the
file. The sums find damage, not forgery: a program that writes the file can write its sums.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import FileError
from reldim.files.arrays import array_bytes, read_array
from reldim.files.writing import whole_file
from reldim.inputs.memory import fits

__all__ = ["FORMAT", "Container", "read_container", "write_container"]

#: Name and version of the format; a change that older versions cannot read raises the number.
FORMAT = "reldim.container/1"

#: Members of a file, and bytes of its manifest.
MOST_MEMBERS = 10_000
LARGEST_MANIFEST = 4 * 2**20

#: JSON text takes so many times its size in memory.
_JSON_FACTOR = 10

_MANIFEST, _DOCUMENT = "manifest.json", "document.json"

#: No date, so that the same data give the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class Container:
    """Plain data, and the arrays that they refer to by number.

    Attributes
    ----------
    document : dict
        Strings, numbers, lists and dictionaries.
    arrays : tuple of ndarray
        The arrays.
    """

    document: dict[str, Any]
    arrays: tuple[NDArray[Any], ...] = field(repr=False)


def write_container(path: Path, container: Container, *, overwrite: bool) -> None:
    """Write a container; the file appears whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    container : Container
        What it is to hold.
    overwrite : bool
        Replace a file that is there already.
    """
    from reldim import __version__

    members = {_DOCUMENT: _json_bytes(container.document)}
    for number, array in enumerate(container.arrays):
        members[_array_name(number)] = array_bytes(np.asarray(array))
    manifest = {
        "format": FORMAT,
        "version": __version__,
        "members": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in members.items()
        },
    }
    with (
        whole_file(path, overwrite=overwrite) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
    ):
        for name, data in {_MANIFEST: _json_bytes(manifest), **members}.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data)


def read_container(path: Path) -> Container:
    """Read a container, and refuse one that is damaged or of another format.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Container
        What it holds.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            return _read(archive, path)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
    except Exception as error:
        # zipfile, zlib and json have a dozen errors of their own for damaged files.
        raise FileError(_damaged(path, "it cannot be unpacked")) from error


def _read(archive: zipfile.ZipFile, path: Path) -> Container:
    infos = {info.filename: info for info in archive.infolist()}
    if not len(infos) == len(archive.infolist()) <= MOST_MEMBERS:
        raise FileError(_damaged(path, "it has too many members, or two of one name"))
    if _MANIFEST not in infos or infos[_MANIFEST].file_size > LARGEST_MANIFEST:
        raise FileError(
            f"{path} was not written by reldim. Expected a file of Diagnosis.save or reldim.save."
        )
    manifest = json.loads(archive.read(infos.pop(_MANIFEST)))
    if manifest.get("format") != FORMAT:
        raise FileError(
            f"{path} has the format {manifest.get('format')!r} of reldim "
            f"{manifest.get('version')}. Expected {FORMAT!r}; use that version to read it."
        )
    sums = manifest["members"]
    if {*sums} != {*infos}:
        raise FileError(_damaged(path, "its members are not those of its manifest"))
    document = json.loads(_member(archive, infos.pop(_DOCUMENT), sums[_DOCUMENT], path))
    names = [_array_name(number) for number in range(len(infos))]
    if {*names} != {*infos} or not isinstance(document, dict):
        raise FileError(_damaged(path, "its members are not those of a container"))
    arrays = []
    for name in names:
        data = _member(archive, infos[name], sums[name], path)
        arrays.append(read_array(io.BytesIO(data), len(data), f"{path} ({name})"))
    return Container(document, tuple(arrays))


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, sums: Any, path: Path) -> bytes:
    size = info.file_size
    # What was not packed cannot unpack to more than the file holds.
    if size != sums["bytes"] or info.compress_type != zipfile.ZIP_STORED:
        raise FileError(_damaged(path, f"{info.filename} has another size than it should"))
    if not fits(_JSON_FACTOR * size if info.filename == _DOCUMENT else 2 * size):
        raise FileError(f"{path} does not fit into memory: {info.filename} takes {size} bytes.")
    data = archive.read(info)
    if hashlib.sha256(data).hexdigest() != sums["sha256"]:
        raise FileError(_damaged(path, f"the checksum of {info.filename} does not match"))
    return data


def _array_name(number: int) -> str:
    return f"arrays/{number}.npy"


def _json_bytes(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def _damaged(path: Path, reason: str) -> str:
    return f"{path} is damaged: {reason}. Copy it again from where it came, or save it again."
