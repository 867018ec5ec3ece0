"""How much memory there is, asked before it is used."""

import os
from collections.abc import Iterator
from numbers import Real
from pathlib import Path
from typing import Any

from reldim.exceptions import InputError, InputTypeError

__all__ = ["available_bytes", "check_memory", "fits", "memory_limit"]

#: Where Linux tells what is free, and what the control group of a container may use: names of
#: the files with its limit and its use, for both versions of control groups.
MEMINFO = Path("/proc/meminfo")
GROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")
_GROUP_FILES = {
    "": ("memory.max", "memory.current"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes"),
}

#: So few bytes are there, or else nothing works at all.
ALWAYS_THERE = 2**24


def available_bytes() -> int | None:
    """Return the memory that can be had without swapping, or None where it is not known.

    Returns
    -------
    int or None
        Bytes: what the machine has left, or less where a control group (a container) or a limit
        of the process's address space allows less.
    """
    known = [part for part in (_machine_bytes(), _group_bytes(), _address_bytes()) if part]
    return min(known, default=None)


def _machine_bytes() -> int | None:
    try:
        with MEMINFO.open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _group_bytes() -> int | None:
    left = []
    for folder, (limit_file, use_file) in _group_folders():
        try:
            limit = int((folder / limit_file).read_text(encoding="ascii"))
            used = int((folder / use_file).read_text(encoding="ascii"))
            left.append(max(1, limit - used + _file_cache(folder)))
        except (OSError, ValueError):
            # No such group, or the word "max": no limit.
            continue
    return min(left, default=None)


def _group_folders() -> Iterator[tuple[Path, tuple[str, str]]]:
    for controller, files in _GROUP_FILES.items():
        yield GROUPS / controller, files
    try:
        lines = OWN_GROUPS.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        _, controllers, own = line.split(":", 2)
        for controller in {*controllers.split(",")} & {*_GROUP_FILES}:
            yield GROUPS / controller / own.lstrip("/"), _GROUP_FILES[controller]


def _file_cache(folder: Path) -> int:
    """Return the part of the used memory that is given back when it is needed."""
    lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))


def _address_bytes() -> int | None:
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return max(1, limit - pages * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, OSError):
        return None


def memory_limit(asked: int | None = None) -> int | None:
    """Return the bytes that work may take: what was asked for, or nine tenths of what is there.

    Parameters
    ----------
    asked : int, optional
        A limit of the user's.

    Returns
    -------
    int or None
        Bytes; None where it is not known.
    """
    if asked is not None:
        return _checked_limit(asked)
    available = available_bytes()
    return None if available is None else available * 9 // 10


def _checked_limit(asked: Any) -> int:
    if isinstance(asked, bool) or not isinstance(asked, Real):
        raise InputTypeError(
            "memory must be a number of bytes, such as 2 * 2**30 for 2 GiB. "
            f"Got {asked!r} of type {type(asked).__name__} instead."
        )
    if not 0 < float(asked) < float("inf"):
        raise InputError(f"memory must be a positive number of bytes. Got {asked} instead.")
    return max(1, int(float(asked)))


def fits(needed: int, limit: int | None = None) -> bool:
    """Tell whether work of so many bytes keeps to the limit."""
    if limit is None and needed <= ALWAYS_THERE:
        # To ask means to read several files, which takes a part of the time of small work.
        return True
    most = memory_limit(limit)
    return most is None or needed <= most


def check_memory(needed: int, limit: int | None = None) -> None:
    """Refuse work that does not fit into memory, before it begins.

    Parameters
    ----------
    needed : int
        Bytes that the work will take.
    limit : int, optional
        Bytes to keep to, by default what is available.

    Raises
    ------
    InputError
        Where it would take more.
    """
    if not fits(needed, limit):
        most = memory_limit(limit) or 0
        raise InputError(
            f"This needs about {_size(needed)} of memory, and {_size(most)} may be used. Use a "
            "random subset of the rows, solver='lowrank', or beyond 32768 rows float32 data; or "
            "raise the limit."
        )


def _size(count: int) -> str:
    units = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
    size, name = next((unit for unit in units if count >= unit[0]), (1, "bytes"))
    return f"{count / size:.1f} {name}" if size > 1 else f"{count} {name}"
