"""How much memory there is, asked before it is used."""

import os
from pathlib import Path

from reldim.exceptions import InputError

__all__ = ["available_bytes", "check_memory", "fits", "memory_limit"]


def available_bytes() -> int | None:
    """Return the memory that can be had without swapping, or None where nobody can tell.

    Returns
    -------
    int or None
        Bytes.
    """
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
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
        Bytes; None where nobody can tell.
    """
    if asked is not None:
        if asked <= 0:
            raise InputError(f"memory must be a positive number of bytes. Got {asked} instead.")
        return asked
    available = available_bytes()
    return None if available is None else available * 9 // 10


def fits(needed: int, limit: int | None = None) -> bool:
    """Tell whether work of so many bytes keeps to the limit."""
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
            "random subset of the rows, solver='lowrank', or float32 data; or raise the limit."
        )


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
