"""Containers: plain data and arrays in one file that can be checked before it is believed.

A container is a ZIP archive of ``manifest.json``, which names the format and counts the arrays,
``document.json`` and ``arrays/*.npy``, none of them packed. There are no pickles, so that reading
runs no code of the file. The checksums of the archive find damage, not forgery: what can write the
file can write them.
"""

import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import FileError
from reldim.files.arrays import array_bytes, checked_members, read_member
from reldim.files.writing import whole_file
from reldim.inputs.memory import fits

__all__ = ["FORMAT", "Container", "read_container", "write_container"]

#: Name and version of the format; a change that older versions cannot read raises the number.
FORMAT = "reldim.container/2"

#: Members of a file.
MOST_MEMBERS = 10_000

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

    members = {
        _MANIFEST: _json_bytes(
            {"format": FORMAT, "version": __version__, "arrays": len(container.arrays)}
        ),
        _DOCUMENT: _json_bytes(container.document),
    }
    for number, array in enumerate(container.arrays):
        members[f"arrays/{number}.npy"] = array_bytes(np.asarray(array))
    with (
        whole_file(path, overwrite=overwrite) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
    ):
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data)


def read_container(path: Path) -> Container:
    """Read a container, and refuse one that is damaged or of another format."""
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
    infos = checked_members(archive, str(path), MOST_MEMBERS)
    if _MANIFEST not in infos:
        raise FileError(
            f"{path} was not written by reldim. Expected a file of Diagnosis.save or reldim.save."
        )
    manifest = _json(archive, infos.pop(_MANIFEST), path)
    if manifest.get("format") != FORMAT:
        raise FileError(
            f"{path} has the format {manifest.get('format')!r} of reldim "
            f"{manifest.get('version')}. Expected {FORMAT!r}; use that version to read it."
        )
    # Where the directory of an archive is damaged, members may be lost without an error.
    names = [f"arrays/{number}" for number in range(manifest["arrays"])]
    if {_DOCUMENT, *names} != {*infos}:
        raise FileError(_damaged(path, "its members are not those of a container"))
    document = _json(archive, infos[_DOCUMENT], path)
    return Container(document, tuple(_array(archive, infos[name], path) for name in names))


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> dict[str, Any]:
    _check(info, _JSON_FACTOR, path)
    found = json.loads(archive.read(info))
    if not isinstance(found, dict):
        raise FileError(_damaged(path, f"{info.filename} holds something else"))
    return found


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    _check(info, 1, path)
    return read_member(archive, info, str(path))


def _check(info: zipfile.ZipInfo, factor: int, path: Path) -> None:
    # What was not packed cannot unpack to more than the file holds.
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise FileError(_damaged(path, f"{info.filename} has another size than it should"))
    if not fits(factor * info.file_size):
        raise FileError(
            f"{path} does not fit into memory: {info.filename} takes {info.file_size} bytes."
        )


def _json_bytes(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def _damaged(path: Path, reason: str) -> str:
    return f"{path} is damaged: {reason}. Copy it again from where it came, or save it again."
