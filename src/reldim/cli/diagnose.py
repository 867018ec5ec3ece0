"""``reldim diagnose``: what limits learning from a data file, and what to do next."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from reldim.cli.application import command
from reldim.cli.explain import code_of, codes_like
from reldim.cli.outputs import Outputs
from reldim.cli.request import Request, option
from reldim.cli.running import diagnosed_file
from reldim.cli.streams import say, write_out

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["DiagnoseRequest", "diagnose", "next_steps"]


@dataclass(frozen=True, kw_only=True)
class DiagnoseRequest(Request):
    """A file, the codes that are errors, and a cluster to work on."""

    fail_on: tuple[str, ...] = option(
        (),
        "CODE",
        "Exit with 1 on this verdict or finding, by code or by name, such as RD003 or "
        "limited-by-noise, but not where it is only named beside another; may be repeated.",
        autocompletion=codes_like,
    )
    scheduler: str | None = option(
        None, "ADDRESS", "Compute on a running Dask cluster, such as tcp://host:8786."
    )
    workers: int | None = option(
        None, "N", "Compute on a Dask cluster of N processes, started on this machine."
    )

    @contextmanager
    def solver(self) -> Iterator[str]:
        """Yield the solver to use; a cluster is there for as long as the block lasts."""
        if self.scheduler is None and self.workers is None:
            yield "auto"
            return
        from reldim.eigensolvers.dask import cluster

        with cluster(self.scheduler, self.workers):
            yield "dask"


@command(
    "reldim diagnose data.csv --target label",
    "reldim diagnose data.csv --target label --report report.html",
    "reldim diagnose data.npz --kernel gaussian --kernel polynomial --json out.json",
    "reldim diagnose sales.xlsx --sheet 2024 --target price --drop id --drop 'note_*'",
    "reldim diagnose data.db --query 'select * from patients' --target outcome",
    "gzip -dc data.csv.gz | reldim diagnose - --target label",
    "reldim diagnose data.csv --target label --fail-on RD001 --quiet",
    "reldim diagnose folder --target label --workers 4",
    quiet="Print the verdict only.",
    without=("csv",),
)
def diagnose(request: DiagnoseRequest, outputs: Outputs) -> None:
    """Tell what limits learning from a data file.

    Whether it is the number of rows, noise in the target, or the kernel, and what to do about it.
    Columns with categories, dates, text or missing values are turned into numbers, and the output
    says how.
    """
    codes = {code_of(typed, "--fail-on") for typed in request.fail_on}
    outputs.check(request)
    with request.solver() as solver:
        diagnosis, data = diagnosed_file(request, outputs, solver=solver)
        outputs.write_json(diagnosis.to_dict())
        _show(diagnosis, request, outputs)
        if outputs.report is not None:
            diagnosis.write_report(
                outputs.report,
                data=data.X,
                name=request.file.name,
                command=request.command_line("diagnose"),
                overwrite=outputs.force,
            )
            outputs.say(f"wrote {outputs.report}")
    found = [v for v in (diagnosis.verdict, *diagnosis.findings) if v.code in codes]
    if found:
        say("found " + ", ".join(one.headline for one in found))
        raise typer.Exit(1)


def _show(diagnosis: "Diagnosis", request: Request, outputs: Outputs) -> None:
    if outputs.prints_data:
        return
    if outputs.quiet:
        write_out(f"{diagnosis.verdict.headline}\n")
        return
    from reldim.cli.views import diagnosis_view

    steps = next_steps(diagnosis, request, reported=outputs.report is not None)
    outputs.show(diagnosis_view(diagnosis, steps))


def next_steps(
    diagnosis: "Diagnosis", request: Request, *, reported: bool
) -> Sequence[tuple[str, str]]:
    """List what can be done next, and the command that does it.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    request : Request
        What was asked.
    reported : bool
        Whether a report was written already.

    Returns
    -------
    list of pairs of str
        What matters most under the verdict first; where no signal was found, only the report.
    """
    labels = "labels" if diagnosis.task == "classification" else "numbers"
    # Which takes no options about single kernels.
    of_columns = replace(request, kernel=(), criterion=None, scale=None)
    steps = {
        "columns": ("which columns carry the signal", of_columns),
        "labels": (f"rows whose {labels} look wrong", request),
        "forecast": ("the error with more rows", request),
    }
    chosen = [*steps]
    if not diagnosis.column_shares:
        chosen.remove("columns")
    verdict = diagnosis.verdict
    if not {"RD004", "RD005"}.isdisjoint((verdict.code, *verdict.alternatives)):
        chosen.sort(key="forecast".__ne__)
    if request.file.is_dir() or verdict.code in {"RD001", "RD007"}:
        chosen = []
    proposed = [(steps[name][0], _typed(steps[name][1], name)) for name in chosen]
    leaks = _leaking_columns(diagnosis)
    if leaks:
        from reldim.tables.columns import listed

        # Whatever else was found follows from these columns.
        without = replace(request, drop=(*request.drop, *leaks))
        named = listed(leaks)
        proposed.insert(0, (f"the same without {named}", _typed(without, "diagnose")))
    if not reported:
        report = ("diagnose", "--report", "report.html")
        proposed.append(("all of it with pictures", _typed(request, *report)))
    return proposed


def _leaking_columns(diagnosis: "Diagnosis") -> tuple[str, ...]:
    """Return the columns of the table that tell the target."""
    from reldim.diagnosis.leaks import leaking_places

    table = diagnosis.problem.table
    if table is None or not table.sources:
        return ()
    leaks = [one for one in diagnosis.findings if one.code == "RD016"]
    places = [place for leak in leaks for place in leaking_places(leak)]
    return tuple(dict.fromkeys(table.sources[place] for place in places))


def _typed(request: Request, *words: str) -> str:
    text = request.command_line(*words, whole_paths=True)
    # What was piped is gone: it has to be piped again.
    return f"... | {text}" if str(request.file) == "-" else text
