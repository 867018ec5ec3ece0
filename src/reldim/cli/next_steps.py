"""What to do after a diagnosis, as commands for the very file that was diagnosed."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reldim.cli.options import command_line

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["next_steps"]

#: Options that only commands take which judge single kernels.
_OF_KERNELS = ("--kernel", "--criterion", "--scale", "--no-scale")


def next_steps(
    diagnosis: "Diagnosis", file: Path, flags: Mapping[str, Any], *, reported: bool
) -> list[tuple[str, str]]:
    """List what can be done next, and the command that does it.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    file : path
        The file that was diagnosed, as it was named.
    flags : mapping from str to any value
        The options that were given to the diagnosis.
    reported : bool
        Whether a report was written already.

    Returns
    -------
    list of pairs of str
        What matters most under the verdict first; where no signal was found, only the report.
    """
    labels = "labels" if diagnosis.task == "classification" else "numbers"
    about_columns = {name: flag for name, flag in flags.items() if name not in _OF_KERNELS}
    steps = {
        "columns": ("which columns carry the signal", about_columns),
        "labels": (f"rows whose {labels} look wrong", flags),
        "forecast": ("the error with more rows", flags),
    }
    chosen = [*steps]
    if not diagnosis.column_shares:
        chosen.remove("columns")
    verdict = diagnosis.verdict
    if not {"RD004", "RD005"}.isdisjoint((verdict.code, *verdict.alternatives)):
        chosen.sort(key="forecast".__ne__)
    if file.is_dir() or verdict.code in {"RD001", "RD007"}:
        chosen = []
    listed = [(steps[name][0], _typed(name, file, steps[name][1])) for name in chosen]
    leak = _leaking_column(diagnosis)
    if leak is not None:
        # Whatever else was found follows from that column.
        without = {**flags, "--drop": [*(flags.get("--drop") or []), leak]}
        listed.insert(0, (f"the same without {leak}", _typed("diagnose", file, without)))
    if not reported:
        with_report = {**flags, "--report": "report.html"}
        listed.append(("all of it with pictures", _typed("diagnose", file, with_report)))
    return listed


def _leaking_column(diagnosis: "Diagnosis") -> str | None:
    """Return the column of the table that alone tells the target, if there is one."""
    table = diagnosis.problem.table
    if table is None or not table.sources:
        return None
    places = (int(one.figures["column"]) for one in diagnosis.findings if one.code == "RD016")
    return next((table.sources[place] for place in places), None)


def _typed(command: str, file: Path, flags: Mapping[str, object]) -> str:
    text = command_line(command, [file], flags, whole_paths=True)
    # What was piped is gone: it has to be piped again.
    return f"... | {text}" if str(file) == "-" else text
