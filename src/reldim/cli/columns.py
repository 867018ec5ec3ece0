"""``reldim columns``: which columns of a data file carry the signal."""

from typing import TYPE_CHECKING, Any

from reldim.cli.application import command
from reldim.cli.outputs import Outputs
from reldim.cli.request import Request
from reldim.cli.running import diagnosed_file
from reldim.cli.streams import write_out
from reldim.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["columns"]

#: Version of what --json writes.
SCHEMA = "reldim.columns/1"


@command(
    "reldim columns data.csv --target price",
    "reldim columns data.csv --target label --drop id --csv columns.csv",
    "reldim columns data.csv --target label --report columns.html",
    "reldim columns data.parquet --target label --json - --quiet",
    short_help="Tell which columns carry the signal.",
    quiet="Print only the names of columns that matter.",
    # Shares are those of a predictor that weighs all kernels.
    without=("kernel", "criterion", "scale"),
)
def columns(request: Request, outputs: Outputs) -> None:
    """Tell which columns of a data file carry the signal, and which are not needed.

    Each column is shown with its share of the signal and a 90 % interval, the error to expect
    without the column, and the probability that a column that does not matter raises the error by
    as much. Columns with the same information divide its share; that a column matters does not mean
    that it is a cause.
    """
    outputs.check(request)
    request.check_single_file("columns")
    diagnosis, _ = diagnosed_file(request, outputs, references=outputs.report is not None)
    from reldim.diagnosis.columns import NO_SIGNAL

    if diagnosis.columns_note not in {"", NO_SIGNAL}:
        raise InputError(diagnosis.columns_note)
    if outputs.csv is not None:
        outputs.write_csv(_table(diagnosis))
    outputs.write_json(_figures(diagnosis))
    if outputs.prints_data:
        outputs.say(diagnosis.summary.about_columns)
    elif outputs.quiet:
        write_out("".join(f"{row.name}\n" for row in diagnosis.summary.columns_that_matter))
    else:
        from reldim.cli.views import columns_view

        outputs.show(columns_view(diagnosis.summary))
    if outputs.report is not None:
        from reldim.report.page import columns_page

        asked = request.command_line("columns")
        outputs.write_page(columns_page(diagnosis, name=request.file.name, command=asked))


def _table(diagnosis: "Diagnosis") -> "pd.DataFrame":
    dropped = {*diagnosis.droppable.names} if diagnosis.droppable else set()
    # Further digits say nothing.
    table = diagnosis.columns.map(lambda value: float(f"{value:.6g}"))
    table["droppable"] = [name in dropped for name in table.index]
    return table.rename_axis("column").reset_index()


def _figures(diagnosis: "Diagnosis") -> dict[str, Any]:
    from reldim import __version__

    plain = diagnosis.to_dict()
    return {
        "schema": SCHEMA,
        "version": __version__,
        **{name: plain[name] for name in ("rows", "task", "error_estimate", "constant_error")},
        "columns": plain["column_shares"],
        "droppable": plain["droppable"],
        "note": plain["columns_note"],
    }
