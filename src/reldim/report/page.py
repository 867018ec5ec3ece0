"""The page: a diagnosis as one HTML file that needs nothing else."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from reldim.diagnosis.columns import ColumnShare
from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.forecast import REACH, Forecast
from reldim.diagnosis.settings import versions
from reldim.diagnosis.verdicts import Verdict
from reldim.inputs.rows import is_lazy
from reldim.report.pictures import Pictures, effect_pictures, forecast_picture
from reldim.report.rows import RowTable, suspicious_rows
from reldim.report.summary import Summary, Trial
from reldim.report.text import NEXT
from reldim.report.words import GLOSSARY, percent
from reldim.tables.columns import as_pandas, listed

__all__ = [
    "Bar",
    "ShareBar",
    "columns_page",
    "diagnosis_page",
    "embed_json",
    "environment",
    "errors_of",
    "forecast_page",
    "forecast_rows",
    "labels_page",
    "models_beside",
    "notebook_html",
    "render",
    "report_page",
    "split_error",
]

STYLES = ("uPlot.min.css", "report.css")
LIBRARIES = ("uPlot.iife.min.js",)

#: Kernels in the table, and columns of the data.
TRIALS = 500
COLUMNS = 50

#: Numbers of rows that a forecast is shown for.
STEPS = 25

#: The sections of pages by the names of their elements, in the order in which they stand.
SECTIONS = {
    "columns": "Columns",
    "kernel-view": "Kernel",
    "candidates": "Candidates",
    "rows": "Rows",
    "forecast": "Forecast",
    "data-steps": "Data",
    "words": "Glossary",
    "repeat": "Repeat",
}

SEVERITIES = {"good": "good news", "info": "for information", "warning": "needs attention"}


@dataclass(frozen=True)
class Bar:
    """A bar, or a part of one, that is 1000 long at most.

    Attributes
    ----------
    name, text : str
        What it is, and how much in words.
    look : {"learned", "open", "noise", "other"}
        The name of its colour.
    width, start : float
        How long it is, and where it begins.
    """

    name: str
    text: str
    look: str
    width: float
    start: float = 0.0


@dataclass(frozen=True)
class ShareBar:
    """A column of the table, and its bar of length 1000.

    Attributes
    ----------
    column : ColumnShare
        The column.
    matters : bool
        Whether it cannot be left out.
    width, low, high : float
        How long the bar is, and where its interval ends.
    """

    column: ColumnShare
    matters: bool
    width: float
    low: float
    high: float


def report_page(
    diagnosis: Diagnosis, *, data: Any = None, name: str = "", command: str = ""
) -> str:
    """Write a diagnosis as an HTML page, with rows that look wrong and a forecast.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    data : DataFrame, array or sequence, optional
        The data as they were given.
    name : str
        What the data are called.
    command : str
        The command that repeats it, by default the call in Python.
    """
    suspicious = None
    # Rows of a cluster stay there, and so do their labels.
    if not is_lazy(diagnosis.relevance.targets.values):
        suspicious = suspicious_rows(as_pandas(diagnosis.label_issues), diagnosis, data)
    index = getattr(data, "index", None)
    return diagnosis_page(
        diagnosis,
        suspicious=suspicious,
        forecast=diagnosis.forecast(forecast_rows(diagnosis.n)),
        # A list has a method of that name.
        names=None if index is None or callable(index) else index,
        name=name,
        command=command,
    )


def diagnosis_page(
    diagnosis: Diagnosis,
    *,
    suspicious: RowTable | None = None,
    forecast: Forecast | None = None,
    names: Sequence[Any] | None = None,
    name: str = "",
    command: str = "",
) -> str:
    """Write a diagnosis as an HTML page.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    suspicious : RowTable, optional
        Rows whose targets look wrong.
    forecast : Forecast, optional
        Errors to expect with other numbers of rows.
    names : sequence, optional
        Names of the rows that were given, by default their numbers.
    name, command : str
        What the data are called, and the command that repeats it.
    """
    summary, pictures = diagnosis.summary, Pictures.of(diagnosis, names)
    absent = {
        *(() if summary.column_shares else ("columns",)),
        *(() if suspicious else ("rows",)),
        *(() if forecast else ("forecast",)),
    }
    drawn = {
        **pictures.to_dict(),
        "targets": summary.targets,
        "criterion": summary.criterion_name,
        "classes": None if summary.classes is None else [str(label) for label in summary.classes],
        "trials": [
            {
                "name": trial.kernel,
                "value": value,
                "dimension": trial.dimension,
                "noise": trial.noise_level,
                "error": trial.error_estimate,
            }
            for trial, value in zip(summary.candidates, pictures.values, strict=True)
        ],
        "forecast": None if forecast is None else forecast_picture(forecast),
    }
    return _page(
        "diagnosis",
        summary,
        drawn,
        scripts=("forecast.js", "effects.js", "diagnosis.js"),
        sections=[section for section in SECTIONS if section not in absent],
        name=name,
        command=command,
        pictures=pictures,
        suspicious=suspicious,
        forecast=forecast,
        beside=models_beside(summary),
        findings=[(finding, errors_of(finding)) for finding in summary.findings],
        severity=SEVERITIES[summary.verdict.severity],
        split=split_error(summary),
        trials=_sorted_trials(summary)[:TRIALS],
        in_steps=_in_steps(summary),
        pictured={picture.number for picture in pictures.kernels},
        candidates_lead=_lead(summary, pictures),
        shares=_shares(summary),
        **_about_forecast(summary, forecast),
    )


def notebook_html(summary: Summary) -> str:
    """Write a summary as a small piece of HTML for notebooks, which style it themselves."""
    return environment().get_template("notebook.html.j2").render(summary=summary, next=NEXT)


def render(template: str, payload: Any, *, scripts: Sequence[str], **values: Any) -> str:
    """Fill a template, with styles, scripts and data inside, and a policy that forbids the rest.

    Parameters
    ----------
    template : str
        Name of the template.
    payload : plain data
        What the scripts draw.
    scripts : sequence of str
        Our own scripts beside those that every page has, in order.
    **values
        What the template shows; all of it is escaped.
    """
    style = "\n".join(_asset(name) for name in STYLES)
    own = "\n".join(_asset(name) for name in ("pictures.js", "page.js", *scripts))
    library = "\n".join(_asset(name) for name in LIBRARIES)
    licence = _asset("uPlot.LICENSE")
    script = f'/*! uPlot\n{licence}\n*/\n{library}\n(() => {{\n"use strict";\n{own}}})();\n'
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = (
        environment()
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


def split_error(summary: Summary) -> tuple[Bar, ...]:
    """Divide a constant prediction's error: what is learned, still open, and noise.

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
        ("noise", "noise", noise),
    )
    start, bars = 0.0, []
    for name, look, size in parts:
        width = 1000 * size / base
        bars.append(Bar(name, percent(size), look, round(width, 2), round(start, 2)))
        start += width
    return tuple(bars)


def models_beside(summary: Summary) -> tuple[Bar, ...]:
    """Put the predictor and the other models in the order of their errors, as bars."""
    if not summary.references:
        return ()
    own = ("this diagnosis", "learned", summary.error_estimate, summary.error_standard_error)
    others = [(one.model, "other", one.error, one.standard_error) for one in summary.references]
    return _bars(sorted([own, *others], key=lambda row: row[2]))


def errors_of(finding: Verdict) -> tuple[Bar, ...]:
    """Put the errors that a finding compares side by side, as bars.

    These are its figures whose names begin with ``error_``, where there are several.

    Examples
    --------
    >>> figures = {"rows": 100.0, "error_mixed": 0.1, "error_apart": 0.4}
    >>> for bar in errors_of(Verdict("RD020", "Rows depend", "warning", "", "", figures)):
    ...     print(bar.name, bar.text, bar.width)
    mixed 10.0% 250.0
    apart 40.0% 1000.0
    """
    errors = [
        (name.removeprefix("error_").replace("_", " "), "other", error, 0.0)
        for name, error in finding.figures.items()
        if name.startswith("error_")
    ]
    return _bars(errors) if len(errors) > 1 else ()


def _bars(errors: Sequence[tuple[str, str, float, float]]) -> tuple[Bar, ...]:
    """Draw errors, each with its name, its colour and its standard error; the largest is 1000."""
    longest = max(error for *_, error, _ in errors) or 1.0
    return tuple(
        Bar(
            name,
            f"{percent(error)} ± {percent(chance)}" if chance else percent(error),
            look,
            round(1000 * error / longest, 2),
        )
        for name, look, error, chance in errors
    )


def forecast_rows(n: int) -> NDArray[np.intp]:
    """Return numbers of rows to forecast for, from n to as far as forecasts reach.

    Parameters
    ----------
    n : int
        The number of rows at hand.

    Returns
    -------
    ndarray of int
        In ascending order; the double of n is among them.

    Examples
    --------
    >>> rows = forecast_rows(200)
    >>> int(rows[0]), 400 in rows, int(rows[-1])
    (200, True, 2000)
    """
    spaced = np.geomspace(n, REACH * n, STEPS).round()
    return np.unique(np.append(spaced, 2 * n).astype(np.intp))


def labels_page(diagnosis: Diagnosis, table: RowTable, *, name: str = "", command: str = "") -> str:
    """Write the rows whose targets look wrong as an HTML page.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis that they follow from.
    table : RowTable
        The rows.
    name, command : str
        What the data are called, and the command that repeats it.
    """
    return _page(
        "labels",
        diagnosis.summary,
        {},
        scripts=("labels.js",),
        sections=("rows", "data-steps", "words"),
        name=name,
        command=command,
        table=table,
    )


def forecast_page(
    diagnosis: Diagnosis,
    forecast: Forecast,
    *,
    answer: str = "",
    name: str = "",
    command: str = "",
) -> str:
    """Write the errors to expect with more rows as an HTML page.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis that they follow from.
    forecast : Forecast
        The errors, for :func:`forecast_rows` and any others.
    answer : str
        The rows that a target error takes, where one was asked for.
    name, command : str
        What the data are called, and the command that repeats it.
    """
    return _page(
        "forecast",
        diagnosis.summary,
        {"forecast": forecast_picture(forecast)},
        scripts=("forecast.js", "only_forecast.js"),
        sections=("forecast", "data-steps", "words"),
        name=name,
        command=command,
        forecast=forecast,
        answer=answer,
        **_about_forecast(diagnosis.summary, forecast),
    )


def columns_page(diagnosis: Diagnosis, *, name: str = "", command: str = "") -> str:
    """Write which columns carry the signal as an HTML page.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    name, command : str
        What the data are called, and the command that repeats it.
    """
    summary, effects = diagnosis.summary, effect_pictures(diagnosis)
    shares = _shares(summary)
    matter, total = len(summary.columns_that_matter), len(summary.column_shares)
    headline = f"{matter or 'None'} of {total} columns matter{'' if matter > 1 else 's'}"
    return _page(
        "columns",
        summary,
        {"effects": effects},
        scripts=("effects.js", "only_columns.js"),
        sections=(*(("columns",) if shares else ()), "data-steps", "words"),
        name=name,
        command=command,
        headline=headline if shares else "No column carries signal",
        shares=shares,
        effects=effects,
    )


def _page(
    template: str,
    summary: Summary,
    drawn: dict[str, Any],
    *,
    scripts: Sequence[str],
    sections: Sequence[str],
    **values: Any,
) -> str:
    """Fill the template of a page about one diagnosis."""
    return render(
        f"{template}.html.j2",
        {"unit": summary.unit, **drawn},
        scripts=scripts,
        contents=[(section, SECTIONS[section]) for section in sections],
        summary=summary,
        context=_context(summary),
        facts=_facts(summary),
        **values,
    )


def _shares(summary: Summary) -> list[ShareBar]:
    """Return the rows of the table of columns; the longest interval fills its cell."""
    rows = summary.column_shares[:COLUMNS]
    longest = max((row.high for row in rows), default=1.0) or 1.0
    kept = {row.name for row in summary.columns_that_matter}
    return [
        ShareBar(
            row,
            row.name in kept,
            *(round(1000 * value / longest, 1) for value in (row.share, row.low, row.high)),
        )
        for row in rows
    ]


def _about_forecast(summary: Summary, forecast: Forecast | None) -> dict[str, str]:
    """Say what twice the rows would bring, and where the curve begins at another error."""
    if forecast is None:
        return {}
    now, double = (
        percent(float(forecast.error[np.searchsorted(forecast.rows, rows)]))
        for rows in (forecast.n, 2 * forecast.n)
    )
    title = (
        f"Twice as many rows would bring the error from {now} to {double}"
        if double != now
        else f"Twice as many rows would leave the error at {now}"
    )
    expected = percent(summary.error_estimate)
    note = f" It begins at {now}, the error of a constant: the predictor has {expected} today."
    return {"forecast_title": title, "forecast_note": "" if now == expected else note}


def _sorted_trials(summary: Summary) -> list[tuple[int, Trial]]:
    """Return the kernels with their numbers: most rows, then lowest criterion, then chosen."""
    return sorted(
        enumerate(summary.candidates),
        key=lambda pair: (-pair[1].rows, summary.criterion_of(pair[1]), not pair[1].chosen),
    )


def _in_steps(summary: Summary) -> bool:
    """Return whether some kernels saw more rows than others."""
    return len({trial.rows for trial in summary.candidates}) > 1


def _context(summary: Summary) -> str:
    size = f"{summary.rows} rows"
    if summary.columns is not None:
        size += f" and {summary.columns} {'column' if summary.columns == 1 else 'columns'}"
    task = summary.task
    if summary.classes is not None:
        task += f" with {len(summary.classes)} classes"
    return f"{size}, {task}; {summary.kernel}, best of {len(summary.candidates)}"


def _lead(summary: Summary, pictures: Pictures) -> str:
    count, pictured = len(summary.candidates), len(pictures.kernels)
    if count == 1:
        return "One kernel was given, so that there was nothing to choose."
    text = f"{count} kernels were compared by {summary.criterion_name}; lower is better."
    if _in_steps(summary):
        text += " Those that were looked at on most rows come first."
    if pictured < count:
        text += f" The {pictured} best have pictures."
    if count > TRIALS:
        text += f" The best {TRIALS} are listed."
    return f"{text} Choose one in the table to see it above."


def _facts(summary: Summary) -> list[tuple[str, str]]:
    facts = [(figure.name, figure.text) for figure in summary.figures if figure.place == "fact"]
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
def environment() -> Environment:
    """Return the templates."""
    environment = Environment(
        loader=PackageLoader("reldim.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    environment.globals["glossary_terms"] = GLOSSARY
    return environment
