"""What a data file holds: features and a target, and messages about targets that are not there."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import FileError
from reldim.files.text import is_number
from reldim.tables.column_labels import no_such_column
from reldim.tables.columns import listed

__all__ = [
    "DataFile",
    "check_lengths",
    "check_target",
    "column_number",
    "shape_of",
    "told_left_out",
]


@dataclass(frozen=True, eq=False)
class DataFile:
    """Features and target, as a file holds them.

    Attributes
    ----------
    X : DataFrame, ndarray, list of str or Dask collection
        The features: a table, an array, or sequences.
    y : ndarray or Dask collection
        The target, without missing values.
    target : str
        Where the target came from.
    kind : {"table", "array", "sequences"}
        What ``X`` is.
    steps : tuple of str
        What was done, a sentence each.
    rows : ndarray of int
        The place of each row in the file, from 0; empty for what Dask reads.
    """

    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    target: str
    kind: Literal["table", "array", "sequences"]
    steps: tuple[str, ...]
    rows: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)

    def named_target(self) -> Any:
        """Return the target of a table under its name, for messages; any other as it is."""
        if self.kind != "table" or not isinstance(self.y, np.ndarray) or self.y.ndim != 1:
            return self.y
        return pd.Series(self.y, name=self.target)


def check_target(target: str | None, columns: Sequence[str], path: Path) -> str:
    """Return the name of the target; refuse one that is missing, unknown, or the only column.

    Parameters
    ----------
    target : str or None
        The name that was given.
    columns : sequence of str
        The columns of the table.
    path : Path
        Its file, or folder.
    """
    if target is None:
        raise FileError(
            f"A target must be named (on the command line by --target). {path} has the columns "
            f"{listed(columns, 20)}."
        )
    if target not in columns:
        raise FileError(no_such_target(target, columns, path))
    if len(columns) == 1:
        raise FileError(f"{path} has no column beside the target {target}. Expected features.")
    return target


def check_lengths(X: Any, y: Any, features: object, target: object) -> None:
    """Refuse features and a target of different lengths."""
    if len(X) != len(y):
        raise FileError(
            f"Features and target must have as many rows each. Got {len(X)} in {features} and "
            f"{len(y)} in {target}."
        )


def told_left_out(count: int, n: int, target: str, path: Path) -> str:
    """Say how many of n rows are left out because they have no target; refuse most of them."""
    if count > n / 2:
        raise FileError(
            f"The target {target} in {path} is missing in {count} of {n} rows. Expected at most "
            "half of them; fill in more, or name another target."
        )
    return f"Left out {count} of {n} rows, which {'has' if count == 1 else 'have'} no target."


def no_such_target(target: str, columns: Sequence[str], path: Path) -> str:
    """Say that a table has no such column, and what may be wrong with the file."""
    said = no_such_column(target, [*columns], path)
    if said.endswith("?"):
        return said
    if all(is_number(name) for name in columns):
        return f"{said} The first line looks like data: add a line with names above it."
    if path.suffix.lower() == ".tsv" and len(columns) == 1:
        return f"{said} Tabs separate them in a file that ends in .tsv; say by --sep if others do."
    if len(columns) == 1 and re.search(r"\S\s+\S", columns[0]):
        return f"{said} They seem to be separated by blanks: say so by --sep ' ', or use commas."
    return said


def column_number(target: str | None, columns: int, path: Path) -> int:
    """Read the number of a column, which may count from the end."""
    is_number = target is not None and re.fullmatch(r"-?[0-9]{1,18}", target)
    number = int(target) if target is not None and is_number else columns
    if not -columns <= number < columns:
        what = "folder" if path.is_dir() else "file"
        raise FileError(
            f"The target of {path} must be a column from 0 to {columns - 1}, or another .npy "
            f"{what}. Got {target!r} instead."
        )
    return number


def shape_of(array: NDArray[Any]) -> str:
    """Write the shape of an array."""
    return " x ".join(str(size) for size in array.shape) or "a single value"
