"""The page: a summary and its details as one HTML file that needs nothing else."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reldim.diagnosis.columns import ColumnShare
from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.settings import versions
from reldim.inputs.rows import is_lazy
from reldim.report.details import Details, EffectPicture, detail
from reldim.report.forecasts import ForecastTable, forecast_rows, tabulate_forecast
from reldim.report.glossary import GLOSSARY
from reldim.report.ranking import criterion_name, criterion_of
from reldim.report.rows import RowTable, suspicious_rows
from reldim.report.summary import Figure, Summary, Trial, percent, summarise
from reldim.report.text import NEXT
from reldim.tables.columns import as_pandas, listed

__all__ = [
    "ModelBar",
    "Part",
    "ShareBar",
    "columns_page",
    "diagnosis_page",
    "embed_json",
    "forecast_page",
    "labels_page",
    "models_beside",
    "notebook_html",
    "notebook_table",
    "render",
    "report_page",
    "split_error",
]

STYLES = ("uPlot.min.css", "report.css")
LIBRARIES = ("uPlot.iife.min.js",)

#: Kernels in the table, and columns of the data.
TRIALS = 500
COLUMNS = 50

#: Key figures that stand in cards, the first of them first.
CARDS = ("expected error", "noise", "relevant dimension", "signal")

#: Key figures that have a place of their own.
PICTURED = ("other models",)

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


@dataclass(frozen=True)
class ModelBar:
    """A model beside others, as a bar of length 1000 at most.

    Attributes
    ----------
    name, text : str
        What it is, and its error in words.
    width : float
        Length of the bar.
    own : bool
        Whether it is the predictor of the diagnosis.
    """

    name: str
    text: str
    width: float
    own: bool


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
    """
    contents = [
        *([("columns", "Columns")] if summary.column_shares else []),
        ("kernel-view", "Kernel"),
        ("candidates", "Candidates"),
        *([("rows", "Rows")] if details.suspicious else []),
        *([("forecast", "Forecast")] if details.forecast else []),
        ("data-steps", "Data"),
        ("words", "Glossary"),
        ("repeat", "Repeat"),
    ]
    return render(
        "diagnosis.html.j2",
        _payload(summary, details),
        scripts=("pictures.js", "page.js", "forecast.js", "effects.js", "diagnosis.js"),
        summary=summary,
        details=details,
        name=name,
        command=command,
        contents=contents,
        cards=_in_cards(summary),
        lines=_in_lines(summary),
        beside=models_beside(summary),
        criterion=criterion_name(summary),
        context=_context(summary),
        severity=SEVERITIES[summary.verdict.severity],
        split=split_error(summary),
        trials=_sorted_trials(summary)[:TRIALS],
        in_steps=_in_steps(summary),
        pictured={picture.number for picture in details.kernels},
        candidates_lead=_lead(summary, details),
        forecast_note="" if details.forecast is None else _forecast_note(summary, details.forecast),
        facts=_facts(summary),
        shares=_shares(summary),
    )


def notebook_html(summary: Summary) -> str:
    """Write a summary as a small piece of HTML for notebooks, which style it themselves."""
    return _environment().get_template("notebook.html.j2").render(summary=summary, next=NEXT)


def notebook_table(
    *,
    title: str,
    sentences: Sequence[str],
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str],
    following: str,
) -> str:
    """Write a table as a small piece of HTML for notebooks.

    Parameters
    ----------
    title : str
        What it shows.
    sentences, notes : sequence of str
        What stands above and below the table.
    headings : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        The cells.
    following : str
        What to call next.
    """
    template = _environment().get_template("notebook_table.html.j2")
    return template.render(
        title=title,
        sentences=sentences,
        headings=headings,
        rows=rows,
        notes=notes,
        following=following,
    )


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
        ("noise", "noise", noise),
    )
    start, laid = 0.0, []
    for name, look, size in parts:
        width = 1000 * size / base
        laid.append(Part(name, percent(size), look, round(start, 2), round(width, 2)))
        start += width
    return tuple(laid)


def models_beside(summary: Summary) -> tuple[ModelBar, ...]:
    """Put the predictor and the other models in the order of their errors, as bars."""
    if not summary.references:
        return ()
    own = ("this diagnosis", summary.error_estimate, summary.error_standard_error, True)
    others = [(one.model, one.error, one.standard_error, False) for one in summary.references]
    ordered = sorted([own, *others], key=lambda row: row[1])
    longest = max(row[1] for row in ordered) or 1.0
    return tuple(
        ModelBar(
            name,
            f"{percent(error)} ± {percent(chance)}" if chance else percent(error),
            round(1000 * error / longest, 2),
            mine,
        )
        for name, error, chance, mine in ordered
    )


def labels_page(summary: Summary, table: RowTable, *, name: str = "", command: str = "") -> str:
    """Write the rows whose targets look wrong as an HTML page.

    Parameters
    ----------
    summary : Summary
        The figures of the diagnosis that they follow from.
    table : RowTable
        The rows.
    name : str
        What the data are called.
    command : str
        The command that repeats it.
    """
    return render(
        "labels.html.j2",
        {},
        scripts=("pictures.js", "page.js", "labels.js"),
        summary=summary,
        table=table,
        name=name,
        command=command,
        contents=(("rows", "Rows"), ("data-steps", "Data"), ("words", "Glossary")),
        context=_context(summary),
        facts=_facts(summary),
    )


def forecast_page(
    summary: Summary,
    forecast: ForecastTable,
    *,
    answer: str = "",
    name: str = "",
    command: str = "",
) -> str:
    """Write the errors to expect with more rows as an HTML page.

    Parameters
    ----------
    summary : Summary
        The figures of the diagnosis that they follow from.
    forecast : ForecastTable
        The errors.
    answer : str
        The rows that a target error takes, where one was asked for.
    name : str
        What the data are called.
    command : str
        The command that repeats it.
    """
    return render(
        "forecast.html.j2",
        {"unit": summary.unit, "forecast": asdict(forecast)},
        scripts=("pictures.js", "page.js", "forecast.js", "only_forecast.js"),
        summary=summary,
        forecast=forecast,
        answer=answer,
        forecast_note=_forecast_note(summary, forecast),
        name=name,
        command=command,
        contents=(("forecast", "Forecast"), ("data-steps", "Data"), ("words", "Glossary")),
        context=_context(summary),
        facts=_facts(summary),
    )


def columns_page(
    summary: Summary, effects: Sequence[EffectPicture], *, name: str = "", command: str = ""
) -> str:
    """Write which columns carry the signal as an HTML page.

    Parameters
    ----------
    summary : Summary
        The figures of the diagnosis that they follow from.
    effects : sequence of EffectPicture
        What the predictor makes of the columns that matter most.
    name : str
        What the data are called.
    command : str
        The command that repeats it.

    Returns
    -------
    str
        The page.
    """
    shares = _shares(summary)
    matter, total = len(summary.columns_that_matter), len(summary.column_shares)
    return render(
        "columns.html.j2",
        {"effects": [asdict(effect) for effect in effects]},
        scripts=("pictures.js", "page.js", "effects.js", "only_columns.js"),
        summary=summary,
        headline=f"{matter or 'None'} of {total} columns matter{'' if matter > 1 else 's'}"
        if shares
        else "No column carries signal",
        shares=shares,
        effects=effects,
        name=name,
        command=command,
        contents=(
            *((("columns", "Columns"),) if shares else ()),
            ("data-steps", "Data"),
            ("words", "Glossary"),
        ),
        context=_context(summary),
        facts=_facts(summary),
    )


def _suspicious(diagnosis: Diagnosis, data: Any) -> RowTable | None:
    # Rows of a cluster stay there, and so do their labels.
    if is_lazy(diagnosis.relevance.targets.values):
        return None
    return suspicious_rows(as_pandas(diagnosis.label_issues), diagnosis, data)


def _payload(summary: Summary, details: Details) -> dict[str, Any]:
    forecast = details.forecast
    return {
        "targets": summary.targets,
        "unit": summary.unit,
        "criterion": criterion_name(summary),
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
        "effects": [asdict(effect) for effect in details.effects],
    }


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


def _in_cards(summary: Summary) -> list[Figure]:
    named = {figure.name: figure for figure in summary.figures}
    return [named[name] for name in CARDS]


def _in_lines(summary: Summary) -> list[Figure]:
    """Return the figures that take a line: they are explained, but too long for a card."""
    placed = {*CARDS, *PICTURED}
    return [figure for figure in summary.figures if figure.meaning and figure.name not in placed]


def _forecast_note(summary: Summary, forecast: ForecastTable) -> str:
    """Say so where the curve does not begin at the expected error."""
    now, expected = percent(forecast.error[0]), percent(summary.error_estimate)
    if now == expected:
        return ""
    return f" It begins at {now}, the error of a constant: the predictor has {expected} today."


def _sorted_trials(summary: Summary) -> list[tuple[int, Trial]]:
    """Return the kernels with their numbers: most rows, then lowest criterion, then chosen."""
    return sorted(
        enumerate(summary.candidates),
        key=lambda pair: (-pair[1].rows, criterion_of(pair[1], summary), not pair[1].chosen),
    )


def _in_steps(summary: Summary) -> bool:
    """Tell whether some kernels saw more rows than others."""
    return len({trial.rows for trial in summary.candidates}) > 1


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
    text = f"{count} kernels were compared by {criterion_name(summary)}; lower is better."
    if _in_steps(summary):
        text += " Those that were looked at on most rows come first."
    if pictured < count:
        text += f" The {pictured} best have pictures."
    if count > TRIALS:
        text += f" The best {TRIALS} are listed."
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
    environment.globals["glossary_terms"] = GLOSSARY
    return environment
