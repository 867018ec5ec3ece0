"""``reldim forecast``: the error to expect with more rows of a data file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reldim.cli.application import command
from reldim.cli.outputs import Outputs
from reldim.cli.request import Request, option
from reldim.cli.running import diagnosed_file
from reldim.cli.streams import write_out

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.diagnosis.forecast import Forecast

__all__ = ["forecast"]


@dataclass(frozen=True, kw_only=True)
class ForecastRequest(Request):
    """A file, and numbers of rows or an error to forecast."""

    to: tuple[int, ...] = option(
        (),
        "ROWS",
        "Rows to forecast for, up to ten times those of the file; may be repeated. By default "
        "twice, four times and ten times as many.",
        min=1,
    )
    error: float | None = option(
        None,
        "SHARE",
        "Tell how many rows this error takes: a share of labels, such as 0.05, or of the variance "
        "of a number.",
        min=0.0,
    )


@command(
    "reldim forecast data.csv --target label --to 10000",
    "reldim forecast data.csv --target label --error 0.05 --report report.html",
    "reldim forecast data.db --table patients --target outcome --drop id",
    "reldim forecast data.csv --target price --to 2000 --to 5000 --json out.json",
    short_help="Forecast the error with more rows.",
    quiet="Print one line only.",
    without=("csv",),
)
def forecast(request: ForecastRequest, outputs: Outputs) -> None:
    """Forecast the error with more rows of the same kind, and the rows that an error takes.

    The error is that of the predictor which reldim diagnose chooses. Each figure comes with its
    90 % interval.
    """
    outputs.check(request)
    diagnosis, _ = diagnosed_file(request, outputs, conclude=outputs.report is not None)
    n = diagnosis.n
    found = diagnosis.forecast(sorted({n, *(request.to or (2 * n, 4 * n, 10 * n))}))
    answer = "" if request.error is None else found.explain(request.error)
    outputs.write_json(_figures(found, request.error, answer))
    if outputs.quiet and not outputs.prints_data:
        last = f"{found.error[-1]:.1%} with {found.rows[-1]} rows"
        write_out(f"{answer or last}\n")
    elif not outputs.prints_data:
        from reldim.cli.views import forecast_view

        outputs.show(forecast_view(found, request.error))
    if outputs.report is not None:
        outputs.write_page(_page(diagnosis, request, answer))


def _figures(found: "Forecast", error: float | None, answer: str) -> dict[str, Any]:
    figures = found.to_dict()
    if error is not None:
        needed = found.rows_needed(error)
        figures |= {"target_error": error, "rows_needed": needed, "answer": answer}
    return figures


def _page(diagnosis: "Diagnosis", request: ForecastRequest, answer: str) -> str:
    from reldim.report.page import forecast_page, forecast_rows

    rows = sorted({*forecast_rows(diagnosis.n).tolist(), *request.to})
    return forecast_page(
        diagnosis,
        diagnosis.forecast(rows),
        answer=answer,
        name=request.file.name,
        command=request.command_line("forecast"),
    )
