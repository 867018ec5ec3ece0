"""``reldim labels``: rows of a data file whose labels look wrong."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reldim.cli.application import app, say
from reldim.cli.options import (
    Criterion,
    CriterionOption,
    JobsOption,
    KernelOption,
    ReportOption,
    ScaleOption,
    SeedOption,
    SingleFileArgument,
    TargetOption,
    Task,
    TaskOption,
    checked_outputs,
    command_line,
    given_flags,
    reads_tables,
)
from reldim.cli.pages import write_page
from reldim.cli.running import diagnosed_file
from reldim.exceptions import InputError
from reldim.files.options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.files.reading import DataFile

__all__ = ["labels"]

#: Columns that hold what was computed.
COMPUTED = ["label_quality", "predicted_label", "q_value", "residual"]

#: Version of what --json writes.
SCHEMA = "reldim.labels/1"


@app.command(
    short_help="List the rows whose labels look wrong.",
    epilog="\b\nExamples:\n  reldim labels data.csv --target label\n"
    "  reldim labels data.csv --target label --output suspicious.csv --report report.html\n"
    "  reldim labels data.xlsx --target label --columns 'x_*'\n"
    "  reldim labels data.csv --target price --task regression --false-discovery-rate 0.05\n"
    "  reldim labels data.csv --target label --all --json labels.json --quiet",
)
@reads_tables
def labels(
    file: SingleFileArgument,
    target: TargetOption = None,
    *,
    options: TableOptions,
    task: TaskOption = Task.AUTO,
    kernel: KernelOption = None,
    criterion: CriterionOption = Criterion.LIKELIHOOD,
    scale: ScaleOption = None,
    false_discovery_rate: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Which share of the flagged rows may be right, on average."
        ),
    ] = 0.1,
    everything: Annotated[
        bool, typer.Option("--all", help="All rows, and not only those that are flagged.")
    ] = False,
    output_file: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="Write the table to this file."),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="OUT", help="Write JSON to this file; - is standard output."
        ),
    ] = None,
    report_file: ReportOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files of --output, --json and --report.")
    ] = False,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the table only, no summary.")
    ] = False,
) -> None:
    """List the rows whose labels, or numbers, look wrong: the other rows contradict them.

    The table is CSV, the most suspicious row first. Its column "row" counts the rows of the file
    from 0, the header not included; the values of the file stand beside. Text that a spreadsheet
    would run as a formula gets an apostrophe in front. A summary goes to standard error.

    Exit codes: 0; 2 where the input cannot be used.
    """
    outputs = {"--output": output_file, "--json": json_file, "--report": report_file}
    table_path, json_path, report = checked_outputs(outputs, [file], target, force=force)
    _check_share(false_discovery_rate)
    if file.is_dir():
        raise InputError(f"labels takes a single file. Got the folder {file}; name a file in it.")
    diagnosis, data = diagnosed_file(
        file,
        target,
        options,
        scale=scale,
        task=task.value,
        kernels=kernel or None,
        criterion=criterion.value,
        jobs=jobs,
        seed=seed,
        quiet=quiet,
        conclude=True,
        references=report is not None,
    )
    from reldim.diagnosis.diagnosis import find_label_issues
    from reldim.files.writing import csv_text

    issues = find_label_issues(diagnosis, false_discovery_rate=false_discovery_rate)
    listed = _listed(issues, data, everything=everything)
    if json_file is not None:
        figures = _as_dict(issues, listed, diagnosis, false_discovery_rate)
        _give(json.dumps(figures, indent=2, allow_nan=False) + "\n", json_path, force=force)
    if table_path is not None or json_file is None:
        _give(csv_text(_beside(listed, data)), table_path, force=force)
    if not quiet:
        say(_summary(issues, diagnosis, false_discovery_rate))
    if report is not None:
        flags = given_flags(
            target, options, task=task, kernel=kernel, criterion=criterion, scale=scale, seed=seed
        )
        rate = None if false_discovery_rate == 0.1 else false_discovery_rate
        command = command_line("labels", [file], {**flags, "--false-discovery-rate": rate})
        page = _page(issues, diagnosis, data, name=file.name, command=command)
        write_page(report, page, force=force, quiet=quiet)


def _give(text: str, path: Path | None, *, force: bool) -> None:
    """Write text to a file, or print it where there is none."""
    from reldim.files.writing import write_text

    if path is None:
        typer.echo(text, nl=False)
    else:
        write_text(path, text, overwrite=force)


def _page(
    issues: "pd.DataFrame", diagnosis: "Diagnosis", data: "DataFile", *, name: str, command: str
) -> str:
    from reldim.report.page import labels_page
    from reldim.report.rows import suspicious_rows

    table = suspicious_rows(issues, diagnosis, data.X)
    return labels_page(diagnosis.summary, table, name=name, command=command)


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise InputError(
            f"--false-discovery-rate must lie between 0 and 1, such as 0.1. Got {share:g} instead."
        )


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
    from reldim.report.summary import plain

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
