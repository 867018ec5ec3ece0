"""Details: what the pictures and tables of a page show, as plain data."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.effects import Effect
from reldim.kernels import Kernel
from reldim.plots.candidates import differing_parameter
from reldim.report.forecasts import ForecastTable
from reldim.report.rows import RowTable, cell_text
from reldim.report.summary import percent
from reldim.search.candidates import Candidate
from reldim.search.thinned import SINGLE, Outline

__all__ = [
    "Details",
    "EffectLine",
    "EffectPicture",
    "KernelPicture",
    "Sample",
    "detail",
    "effect_pictures",
    "numbers",
]

#: Kernels that have pictures of their own: the best ones.
PICTURES = 40

#: Columns whose effects have pictures, and the colours of lines there.
EFFECTS = 6
LOOKS = ("signal", "noise", "third", "fourth", "fifth")

#: Digits of a number in a picture.
DIGITS = 5


@dataclass(frozen=True)
class KernelPicture:
    """What the pictures of a kernel show; the fields of its outline, and their titles.

    Attributes
    ----------
    number : int
        The kernel's place among the candidates.
    name, line : str
        The kernel, and its figures in a sentence.
    titles : tuple of str
        What the coefficients, the curve and the denoised targets show.
    dimension, interval, count, noise_floor
        As in :class:`~reldim.search.thinned.Outline`.
    first, shares, dimensions, curve, denoised, decided : tuple
        As in :class:`~reldim.search.thinned.Outline`, to five digits.
    """

    number: int
    name: str
    line: str
    titles: tuple[str, str, str]
    dimension: int
    interval: tuple[int, int]
    count: int
    noise_floor: float
    first: tuple[int, ...]
    shares: tuple[float | None, ...]
    dimensions: tuple[int, ...]
    curve: tuple[float | None, ...]
    denoised: tuple[float | None, ...]
    decided: tuple[int, ...] | None


@dataclass(frozen=True)
class Sample:
    """The rows that are shown one by one.

    Attributes
    ----------
    names : tuple of str
        The rows' own names, or their numbers.
    given : tuple
        Their targets: numbers, or indices into the classes.
    x : tuple of float or None
        Their places, where the data have one column.
    x_name : str
        The name of that column.
    note : str
        Where rows were left out: a sentence about it.
    """

    names: tuple[str, ...]
    given: tuple[float | None, ...]
    x: tuple[float | None, ...] | None
    x_name: str
    note: str


@dataclass(frozen=True)
class EffectLine:
    """A line of a picture: an output, its values and their band, and the name of its colour."""

    name: str
    look: str
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


@dataclass(frozen=True)
class EffectPicture:
    """What the denoised target does along a column.

    Attributes
    ----------
    name, kind, title, quantity : str
        The column, what it holds, what happens along it, and what is predicted.
    x : tuple of float or None
        Places: numbers, seconds since 1970, or the numbers of categories.
    labels : tuple of str
        The places in words.
    lines : tuple of EffectLine
        One per output that is shown.
    """

    name: str
    kind: str
    title: str
    quantity: str
    x: tuple[float | None, ...]
    labels: tuple[str, ...]
    lines: tuple[EffectLine, ...]


@dataclass(frozen=True)
class Details:
    """What a page shows beyond the summary.

    Attributes
    ----------
    kernels : tuple of KernelPicture
        The pictures, in the order of the candidates.
    shown : int
        Which of them to show first.
    axis : tuple of float or None
        A parameter by which the candidates differ.
    axis_name : str
        Its name.
    values : tuple of float
        The criterion of each candidate.
    sample : Sample
        Rows.
    suspicious : RowTable or None
        Rows whose targets look wrong.
    forecast : ForecastTable or None
        Errors to expect with other numbers of rows.
    effects : tuple of EffectPicture
        What the denoised target does along the columns that matter most.
    """

    kernels: tuple[KernelPicture, ...]
    shown: int
    axis: tuple[float | None, ...] | None
    axis_name: str
    values: tuple[float | None, ...]
    sample: Sample
    suspicious: RowTable | None
    forecast: ForecastTable | None
    effects: tuple[EffectPicture, ...] = ()

    @property
    def grouping(self) -> str:
        """Where components are shown in groups: a sentence about it."""
        if all(kernel.count <= SINGLE for kernel in self.kernels):
            return ""
        return f"Beyond {SINGLE} components a dot is the mean of several."


def numbers(values: Iterable[float]) -> tuple[float | None, ...]:
    """Write numbers with as many digits as a picture can show; JSON has no infinity."""
    return tuple(float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None for value in values)


def detail(
    diagnosis: Diagnosis,
    *,
    suspicious: RowTable | None = None,
    forecast: ForecastTable | None = None,
    names: Sequence[Any] | None = None,
) -> Details:
    """Take from a diagnosis what its pictures show.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.
    suspicious : RowTable, optional
        Rows whose targets look wrong.
    forecast : ForecastTable, optional
        Errors to expect with other numbers of rows.
    names : sequence, optional
        Names of the rows that were given, by default their numbers.
    """
    tried, errors, best = diagnosis.tried, diagnosis.candidate_errors, diagnosis.index
    values = [row.criterion_value for row in tried]
    # The chosen one leads, since among equals it need not come first.
    # Pictures show the same rows under every kernel.
    whole = [i for i, row in enumerate(tried) if row.rows == tried[best].rows]
    order = sorted(whole, key=lambda i: (i != best, values[i]))
    kept = sorted(order[:PICTURES])
    parameter = _parameter([row.kernel for row in tried])
    regression = diagnosis.relevance.targets.codes is None
    return Details(
        kernels=tuple(_picture(tried[i], errors[i], i, regression=regression) for i in kept),
        shown=kept.index(best),
        axis=None if parameter is None else numbers(parameter[1]),
        axis_name="" if parameter is None else parameter[0],
        values=numbers(values),
        sample=_sample(diagnosis, tried[best].outline, names),
        suspicious=suspicious,
        forecast=forecast,
        effects=effect_pictures(diagnosis),
    )


def effect_pictures(diagnosis: Diagnosis) -> tuple[EffectPicture, ...]:
    """Take from a diagnosis what the denoised target does along the columns that matter most.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.

    Returns
    -------
    tuple of EffectPicture
        At most six.
    """
    return tuple(_effect(curve) for curve in diagnosis.effect_curves[:EFFECTS])


def _effect(curve: Effect) -> EffectPicture:
    count = len(curve.places)
    categories = curve.kind == "categories"
    labels = [
        f"{label:%Y-%m-%d}" if curve.kind == "dates" else cell_text(label) for label in curve.labels
    ]
    return EffectPicture(
        name=cell_text(curve.name),
        kind=curve.kind,
        title=cell_text(curve.finding),
        quantity=cell_text(curve.quantity),
        x=tuple(float(i) for i in range(count))
        if categories
        # With all digits: five of them are too few for dates.
        else tuple(float(place) for place in curve.places),
        labels=tuple(labels),
        lines=tuple(
            EffectLine(
                cell_text(curve.outputs[j]),
                look,
                numbers(curve.values[j]),
                numbers(curve.low[j]),
                numbers(curve.high[j]),
            )
            for j, look in zip(curve.shown, LOOKS, strict=False)
        ),
    )


def _picture(candidate: Candidate, error: float, number: int, *, regression: bool) -> KernelPicture:
    outline = candidate.outline
    return KernelPicture(
        number=number,
        name=candidate.name,
        line=_line(candidate, error),
        titles=_titles(candidate, regression=regression),
        dimension=outline.dimension,
        interval=outline.interval,
        count=outline.count,
        noise_floor=outline.noise_floor,
        first=tuple(outline.first.tolist()),
        shares=numbers(outline.shares),
        dimensions=tuple(outline.dimensions.tolist()),
        curve=numbers(outline.curve),
        denoised=numbers(outline.denoised),
        decided=None if outline.decided is None else tuple(outline.decided.tolist()),
    )


def _line(candidate: Candidate, error: float) -> str:
    low, high = candidate.outline.interval
    given_up = "" if candidate.settled else " A larger rank might change these figures."
    return (
        f"Relevant dimension {candidate.dimension} (90% interval {low} to {high}), training "
        f"residual {percent(candidate.noise_level)}, leave-one-out error "
        f"{percent(error)}, criterion {candidate.criterion_value:.4f}.{given_up}"
    )


def _titles(candidate: Candidate, *, regression: bool) -> tuple[str, str, str]:
    d, (low, high) = candidate.dimension, candidate.outline.interval
    targets = "targets" if regression else "labels"
    noise = percent(candidate.noise_level)
    if d == 0:
        coefficients = "No component stands out from noise"
        curve = "The lowest point is no lower than chance makes it"
    else:
        first = "The first component carries" if d == 1 else f"The first {d} components carry"
        coefficients = f"{first} the {targets}"
        spread = f", with 90% probability from {low} to {high}" if low < high else ""
        curve = f"The best cut is at {d}{spread}"
    if d == 0:
        return coefficients, curve, "Without relevant components nothing is left but the mean"
    denoised = (
        f"Denoised targets leave {noise} of the variance unexplained"
        if regression
        else f"{noise} of the labels differ from their denoised version"
    )
    return coefficients, curve, denoised


def _sample(diagnosis: Diagnosis, outline: Outline, names: Sequence[Any] | None) -> Sample:
    targets, problem = diagnosis.relevance.targets, diagnosis.problem
    rows = outline.rows
    places = rows.tolist()
    if isinstance(problem.source, np.ndarray) and len(problem.source):
        # The row that was given first stands for its copies.
        _, first = np.unique(problem.source, return_index=True)
        places = first[rows].tolist()
    points = diagnosis.relevance.spectrum.gram.points
    single = isinstance(points, np.ndarray) and points.ndim == 2 and points.shape[1] == 1
    if targets.codes is not None:
        given = np.asarray(targets.codes[rows])
    else:
        given = np.asarray(targets.values[rows])[:, 0] + targets.offset[0]
    note = ""
    if len(rows) < targets.n:
        note = (
            f"{len(rows)} of {targets.n} rows are shown, drawn at random; all figures are "
            "computed from all rows."
        )
    if targets.codes is None and targets.values.shape[1] > 1:
        note += f" Of {targets.values.shape[1]} targets the first is shown."
    named = problem.feature_names
    x = np.asarray(points[rows, 0]) if single else None
    if x is not None and problem.table is not None:
        x = problem.table.transformer.in_units(0, x)
    return Sample(
        names=tuple(str(i) if names is None else cell_text(names[i]) for i in places),
        given=numbers(given),
        x=None if x is None else numbers(x),
        x_name=named[0] if single and named else "x",
        note=note,
    )


def _parameter(kernels: Sequence[Kernel]) -> tuple[str, list[float]] | None:
    """Return the one parameter by which kernels of one class differ, where it is above zero."""
    if len({type(kernel) for kernel in kernels}) > 1:
        return None
    name = differing_parameter(kernels)
    return None if name is None else (name, [float(getattr(k, name)) for k in kernels])
