"""``reldim labels``: rows of a data file whose labels look wrong."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reldim.cli.application import command
from reldim.cli.outputs import SAFE, Outputs
from reldim.cli.request import Request, option
from reldim.cli.running import diagnosed_file
from reldim.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.files.reading import DataFile

__all__ = ["labels"]

#: Columns that hold what was computed.
COMPUTED = ["label_quality", "predicted_label", "q_value", "residual"]

#: Version of what --json writes.
SCHEMA = "reldim.labels/1"


@dataclass(frozen=True, kw_only=True)
class LabelRequest(Request):
    """A file, and how many false alarms may be among its rows."""

    false_discovery_rate: float = option(
        0.1, "SHARE", "Which share of the flagged rows may be right, on average."
    )
    everything: bool = option(
        False, None, "All rows, and not only those that are flagged.", "--all"
    )


@dataclass(frozen=True, kw_only=True)
class LabelOutputs(Outputs):
    """The same outputs; the table is what the command is for."""

    csv: str | None = option(None, "OUT", f"Write the table to this file. {SAFE}", "--output", "-o")


@command(
    "reldim labels data.csv --target label",
    "reldim labels data.csv --target label --output suspicious.csv --report report.html",
    "reldim labels data.xlsx --target label --columns 'x_*'",
    "reldim labels data.csv --target price --task regression --false-discovery-rate 0.05",
    "reldim labels data.csv --target label --all --json labels.json --quiet",
    short_help="List the rows whose labels look wrong.",
    quiet="Print the table only, no summary.",
    without=("no_color",),
)
def labels(request: LabelRequest, outputs: LabelOutputs) -> None:
    """List the rows whose labels, or numbers, look wrong: the other rows contradict them.

    The table is CSV, the most suspicious row first. Its column "row" counts the rows of the file
    from 0, the header not included; the values of the file stand beside. A summary goes to
    standard error.
    """
    rate = request.false_discovery_rate
    outputs.check(request)
    if not 0 < rate < 1:
        raise InputError(
            f"--false-discovery-rate must lie between 0 and 1, such as 0.1. Got {rate:g} instead."
        )
    request.check_single_file("labels")
    diagnosis, data = diagnosed_file(request, outputs, references=outputs.report is not None)
    from reldim.diagnosis.diagnosis import find_label_issues

    issues = find_label_issues(diagnosis, false_discovery_rate=rate)
    listed = _listed(issues, data, everything=request.everything)
    outputs.write_json(_as_dict(issues, listed, diagnosis, rate))
    if outputs.csv is not None or outputs.json is None:
        outputs.write_csv(_beside(listed, data))
    outputs.say(_summary(issues, diagnosis, rate))
    if outputs.report is not None:
        from reldim.report.page import labels_page
        from reldim.report.rows import suspicious_rows

        rows = suspicious_rows(issues, diagnosis, data.X)
        asked = request.command_line("labels")
        name = request.file.name
        outputs.write_page(labels_page(diagnosis, rows, name=name, command=asked))


def _listed(issues: "pd.DataFrame", data: "DataFile", *, everything: bool) -> "pd.DataFrame":
    """Return the rows to show, numbered as in the file, the most suspicious first."""
    rows = data.rows if len(data.rows) else range(len(issues))
    numbered = issues.assign(row=rows)
    wanted = numbered if everything else numbered[numbered["is_label_issue"]]
    columns = ["row", *issues.columns] if everything else ["row", *_plain_columns(issues)]
    ordered = wanted.sort_values("label_quality", kind="stable")[columns]
    ours = ordered.columns.intersection(COMPUTED)
    ordered[ours] = ordered[ours].map(_six_digits)
    return ordered


def _plain_columns(issues: "pd.DataFrame") -> list[str]:
    # These two say the same of all rows that are flagged.
    return [name for name in issues.columns if name not in ("is_label_issue", "can_judge")]


def _beside(listed: "pd.DataFrame", data: "DataFile") -> "pd.DataFrame":
    """Put the values of the file beside, under names of their own."""
    import pandas as pd

    if data.kind == "table":
        values: pd.DataFrame = data.X.iloc[listed.index]
    elif data.kind == "sequences":
        values = pd.DataFrame({"sequence": [data.X[i] for i in listed.index]})
    else:
        array = data.X[listed.index]
        values = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    names = _own_names([str(name) for name in values.columns], [*listed.columns])
    shown = listed.reset_index(drop=True)
    return pd.concat([shown, values.set_axis(names, axis=1).reset_index(drop=True)], axis=1)


def _six_digits(value: Any) -> Any:
    """Round what was computed: further digits say nothing. What the file holds stays."""
    if isinstance(value, tuple):
        return tuple(map(_six_digits, value))
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _own_names(names: list[str], taken: list[str]) -> list[str]:
    """Rename columns of the file that have the names of ours."""
    result: list[str] = []
    for name in names:
        free = name
        while free in taken or (free != name and free in names):
            free += "_in_file"
        result.append(free)
    return result


def _as_dict(
    issues: "pd.DataFrame", listed: "pd.DataFrame", diagnosis: "Diagnosis", rate: float
) -> dict[str, Any]:
    from reldim import __version__
    from reldim.report.words import plain

    return {
        "schema": SCHEMA,
        "version": __version__,
        "rows": len(issues),
        "task": diagnosis.task,
        "kernel": diagnosis.summary.kernel,
        "false_discovery_rate": rate,
        "flagged": int(issues["is_label_issue"].sum()),
        "cannot_judge": int((~issues["can_judge"]).sum()),
        "issues": [
            {
                str(name): [*map(plain, value)] if isinstance(value, tuple) else plain(value)
                for name, value in row.items()
            }
            for row in listed.to_dict(orient="records")
        ],
    }


def _summary(issues: "pd.DataFrame", diagnosis: "Diagnosis", rate: float) -> str:
    what = "labels" if diagnosis.task == "classification" else "numbers"
    flagged, rows = int(issues["is_label_issue"].sum()), len(issues)
    lost = int((~issues["can_judge"]).sum())
    if lost == rows:
        return (
            f"None of the {rows} {what} can be judged: this kernel sees no signal, or no row has "
            "others that are like it. See: reldim diagnose"
        )
    text = f"{flagged or 'None'} of {rows} {what} look{'s' if flagged < 2 else ''} wrong"
    text += f"; up to {rate:.0%} of them may be right, on average." if flagged else "."
    if diagnosis.task == "classification":
        wrong = float((1.0 - issues["label_quality"][issues["can_judge"]]).sum())
        text += f" In all, about {wrong:.0f} may be wrong." if wrong >= 1 else ""
    return f"{text} {lost} row{'s' * (lost > 1)} cannot be judged." if lost else text
