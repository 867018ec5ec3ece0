"""The page: a summary and its details as one HTML file that needs nothing else."""

import base64
import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.settings import versions
from reldim.inputs.rows import is_lazy
from reldim.report.details import Details, detail
from reldim.report.forecasts import forecast_rows, tabulate_forecast
from reldim.report.rows import RowTable, suspicious_rows
from reldim.report.summary import Summary, percent, summarise
from reldim.report.text import NEXT
from reldim.tables.columns import listed

__all__ = [
    "Part",
    "diagnosis_page",
    "embed_json",
    "notebook_html",
    "render",
    "report_page",
    "split_error",
]

STYLES = ("uPlot.min.css", "report.css")
LIBRARIES = ("uPlot.iife.min.js",)

#: Kernels in the table.
TRIALS = 500

SEVERITIES = {"good": "good news", "info": "for information", "warning": "needs attention"}


@dataclass(frozen=True)
class Part:
    """A part of a bar of length 1000.

    Attributes
    ----------
    name, text, look : str
        What it is, how much in words, and the name of its colour.
    start, width : float
        Where it lies.
    """

    name: str
    text: str
    look: str
    start: float
    width: float


def report_page(
    diagnosis: Diagnosis, *, data: Any = None, name: str = "", command: str = ""
) -> str:
    """Take from a diagnosis what its page shows, and write it.

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


def diagnosis_page(summary: Summary, details: Details, *, name: str = "", command: str = "") -> str:
    """Write a diagnosis as an HTML page.

    Parameters
    ----------
    summary : Summary
        The figures.
    details : Details
        What the pictures show.
    name : str
        What the data are called.
    command : str
        The command that repeats it, by default the call in Python.

    Returns
    -------
    str
        The page.
    """
    contents = [
        ("kernel-view", "Kernel"),
        ("candidates", "Candidates"),
        *([("rows", "Rows")] if details.suspicious else []),
        *([("forecast", "Forecast")] if details.forecast else []),
        ("data-steps", "Data"),
        ("repeat", "Repeat"),
    ]
    return render(
        "diagnosis.html.j2",
        _payload(summary, details),
        scripts=("pictures.js", "page.js", "diagnosis.js"),
        summary=summary,
        details=details,
        name=name,
        command=command,
        contents=contents,
        criterion=_criterion(summary),
        context=_context(summary),
        severity=SEVERITIES[summary.verdict.severity],
        split=split_error(summary),
        trials=summary.candidates[:TRIALS],
        pictured={picture.number for picture in details.kernels},
        candidates_lead=_lead(summary, details),
        facts=_facts(summary),
    )


def notebook_html(summary: Summary) -> str:
    """Write a summary as a small piece of HTML for notebooks, which style it themselves.

    Parameters
    ----------
    summary : Summary
        The figures.

    Returns
    -------
    str
        A ``div``, without scripts.
    """
    return _environment().get_template("notebook.html.j2").render(summary=summary, next=NEXT)


def render(template: str, payload: Any, *, scripts: tuple[str, ...], **values: Any) -> str:
    """Fill a template, with styles, scripts and data inside, and a policy that forbids the rest.

    Parameters
    ----------
    template : str
        Name of the template.
    payload : plain data
        What the scripts draw.
    scripts : tuple of str
        Our own scripts, in order.
    **values
        What the template shows; all of it is escaped.

    Returns
    -------
    str
        The page.
    """
    style = "\n".join(_asset(name) for name in STYLES)
    own = "\n".join(_asset(name) for name in scripts)
    library = "\n".join(_asset(name) for name in LIBRARIES)
    licence = _asset("uPlot.LICENSE")
    script = f'/*! uPlot\n{licence}\n*/\n{library}\n(() => {{\n"use strict";\n{own}}})();\n'
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = (
        _environment()
        .get_template(template)
        .render(
            policy=policy,
            style=Markup(style),  # noqa: S704  Our own files, which hold no data.
            script=Markup(script),  # noqa: S704
            data=Markup(embed_json(payload)),  # noqa: S704  Escaped for this place.
            version=versions()["reldim"],
            **values,
        )
    )
    # A lone surrogate, as in names from a broken encoding, cannot be written.
    return page.encode("utf-8", "replace").decode("utf-8")


def embed_json(payload: Any) -> str:
    r"""Write plain data so that no text in it can end a script element.

    Examples
    --------
    >>> embed_json({"a": "</script>&\u2028"})
    '{"a":"\\u003c/script\\u003e\\u0026\\u2028"}'
    """
    text = json.dumps(payload, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def split_error(summary: Summary) -> tuple[Part, ...]:
    """Tell which part of a constant prediction's error is learned, still open, and noise.

    Nothing where there is no signal: what is noise cannot be told then.
    """
    base = summary.constant_error
    if summary.dimension == 0 or summary.verdict.code == "RD001" or base <= 0:
        return ()
    error = min(summary.error_estimate, base)
    noise = min(summary.noise_estimate, error)
    parts = (
        ("learned", "learned", base - error),
        ("not learned from these rows", "open", error - noise),
        ("noise, or beyond this kernel", "noise", noise),
    )
    start, laid = 0.0, []
    for name, look, size in parts:
        width = 1000 * size / base
        laid.append(Part(name, percent(size), look, round(start, 2), round(width, 2)))
        start += width
    return tuple(laid)


def _suspicious(diagnosis: Diagnosis, data: Any) -> RowTable | None:
    # Rows of a cluster stay there, and so do their labels.
    if is_lazy(diagnosis.relevance.targets.values):
        return None
    return suspicious_rows(diagnosis.label_issues, diagnosis, data)


def _payload(summary: Summary, details: Details) -> dict[str, Any]:
    forecast = details.forecast
    return {
        "targets": summary.targets,
        "unit": summary.unit,
        "criterion": _criterion(summary),
        "classes": None if summary.classes is None else [str(label) for label in summary.classes],
        "shown": details.shown,
        "kernels": [asdict(picture) for picture in details.kernels],
        "axis": details.axis,
        "axis_name": details.axis_name,
        "trials": [
            {
                "name": trial.kernel,
                "value": value,
                "dimension": trial.dimension,
                "noise": trial.noise_level,
                "error": trial.error_estimate,
            }
            for trial, value in zip(summary.candidates, details.values, strict=True)
        ],
        "sample": asdict(details.sample),
        "forecast": None if forecast is None else asdict(forecast),
    }


def _criterion(summary: Summary) -> str:
    by_likelihood = summary.criterion == "likelihood"
    return "negative log-likelihood" if by_likelihood else "leave-one-out error"


def _context(summary: Summary) -> str:
    size = f"{summary.rows} rows"
    if summary.columns is not None:
        size += f" and {summary.columns} {'column' if summary.columns == 1 else 'columns'}"
    task = summary.task
    if summary.classes is not None:
        task += f" with {len(summary.classes)} classes"
    return f"{size}, {task}; {summary.kernel}, best of {len(summary.candidates)}"


def _lead(summary: Summary, details: Details) -> str:
    count, pictured = len(summary.candidates), len(details.kernels)
    if count == 1:
        return "One kernel was given, so that there was nothing to choose."
    text = f"{count} kernels were compared by {_criterion(summary)}; lower is better."
    if pictured < count:
        text += f" The {pictured} best have pictures."
    if count > TRIALS:
        text += f" The first {TRIALS} are listed."
    return f"{text} Choose one in the table to see it above."


def _facts(summary: Summary) -> list[tuple[str, str]]:
    facts = [(figure.name, figure.text) for figure in summary.figures if not figure.meaning]
    if summary.columns is not None:
        facts.insert(1, ("columns", str(summary.columns)))
    if summary.classes is not None:
        facts.insert(2, ("classes", listed(summary.classes, 20)))
    seed = summary.settings.random_state
    facts.append(("seed", "the default" if seed is None else str(seed)))
    facts.append(("versions", ", ".join(f"{name} {text}" for name, text in versions().items())))
    return facts


@cache
def _asset(name: str) -> str:
    return (files("reldim.report") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reldim.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    return environment
