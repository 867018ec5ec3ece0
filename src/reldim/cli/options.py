"""What the commands have in common: choices, input and output."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reldim.exceptions import FileError, InputError

if TYPE_CHECKING:
    from reldim.files import DataFile

__all__ = ["Criterion", "Task", "checked_output", "features"]


class Task(StrEnum):
    """Kinds of problems."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Criterion(StrEnum):
    """What kernel and dimension are chosen by."""

    LIKELIHOOD = "likelihood"
    LEAVE_ONE_OUT = "leave-one-out"


def features(data: "DataFile", *, scale: bool | None) -> tuple[Any, Any]:
    """Return what to diagnose, and the preparation where there was one."""
    from reldim.tables import prepare_table

    if data.kind == "sequences":
        if scale:
            raise InputError("Sequences cannot be scaled. Leave --scale out.")
        return data.X, None
    if data.kind == "array" and not scale:
        return data.X, None
    table = prepare_table(data.X, scale=scale is not False)
    return table.X, table


def checked_output(name: str | None, *, force: bool, option: str = "--json") -> Path | None:
    """Refuse a file that could not be written, before any work is done."""
    if name is None or name == "-":
        return None
    path = Path(name)
    if path.is_dir():
        raise FileError(f"{option} needs the name of a file. Got the folder {path}.")
    if not path.parent.is_dir():
        raise FileError(f"The folder {path.parent} of {option} does not exist. Make it first.")
    if path.exists() and not force:
        raise FileError(f"{path} exists already. Choose another name, or add --force.")
    return path
