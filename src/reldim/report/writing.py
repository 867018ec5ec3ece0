"""From a diagnosis to its page."""

from typing import Any

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.inputs.rows import is_lazy
from reldim.report.details import detail
from reldim.report.forecasts import forecast_rows, tabulate_forecast
from reldim.report.page import diagnosis_page
from reldim.report.rows import RowTable, suspicious_rows
from reldim.report.summary import summarise

__all__ = ["report_page"]


def report_page(
    diagnosis: Diagnosis, *, data: Any = None, name: str = "", command: str = ""
) -> str:
    """Make the page of a diagnosis.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    data : DataFrame, array or sequence, optional
        The data as they were given.
    name : str
        What the data are called.
    command : str
        The command that repeats it.

    Returns
    -------
    str
        The page.
    """
    n = diagnosis.relevance.targets.n
    index = getattr(data, "index", None)
    details = detail(
        diagnosis,
        suspicious=_suspicious(diagnosis, data),
        forecast=tabulate_forecast(diagnosis.forecast(forecast_rows(n))),
        # A list has a method of that name.
        names=None if index is None or callable(index) else index,
    )
    return diagnosis_page(summarise(diagnosis), details, name=name, command=command)


def _suspicious(diagnosis: Diagnosis, data: Any) -> RowTable | None:
    # Rows of a cluster stay there, and so do their labels.
    if is_lazy(diagnosis.relevance.targets.values):
        return None
    return suspicious_rows(diagnosis.label_issues, diagnosis, data)
