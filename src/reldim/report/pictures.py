"""Pictures: what the scripts of a page draw, as plain data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.effects import Effect
from reldim.diagnosis.forecast import Forecast
from reldim.kernels import Kernel
from reldim.plots.candidates import differing_parameter
from reldim.report.words import cell_text, numbers, percent
from reldim.search.candidates import Candidate
from reldim.search.thinned import SINGLE, Outline

__all__ = ["KernelPicture", "Pictures", "Sample", "effect_pictures", "forecast_picture"]

#: Kernels that have pictures of their own: the best ones.
PICTURES = 40

#: Columns whose effects have pictures, and the colours of lines there.
EFFECTS = 6
LOOKS = ("signal", "noise", "third", "fourth", "fifth")


@dataclass(frozen=True)
class KernelPicture:
    """What the pictures of a kernel show.

    Attributes
    ----------
    number : int
        The kernel's place among the candidates.
    candidate : Candidate
        The kernel, and what came of it.
    error : float
        The leave-one-out error under it.
    """

    number: int
    candidate: Candidate
    error: float

    @property
    def line(self) -> str:
        """The kernel's figures in a sentence."""
        candidate, (low, high) = self.candidate, self.candidate.outline.interval
        given_up = "" if candidate.settled else " A larger rank might change these figures."
        return (
            f"Relevant dimension {candidate.dimension} (90% interval {low} to {high}), training "
            f"residual {percent(candidate.noise_level)}, leave-one-out error "
            f"{percent(self.error)}, criterion {candidate.criterion_value:.4f}.{given_up}"
        )

    @property
    def titles(self) -> tuple[str, str, str]:
        """What the coefficients, the curve and the denoised targets show."""
        d, (low, high) = self.candidate.dimension, self.candidate.outline.interval
        if d == 0:
            return (
                "No component stands out from noise",
                "The lowest point is no lower than chance makes it",
                "Without relevant components nothing is left but the mean",
            )
        regression = self.candidate.outline.decided is None
        first = "The first component carries" if d == 1 else f"The first {d} components carry"
        spread = f", with 90% probability from {low} to {high}" if low < high else ""
        noise = percent(self.candidate.noise_level)
        return (
            f"{first} the {'targets' if regression else 'labels'}",
            f"The best cut is at {d}{spread}",
            f"Denoised targets leave {noise} of the variance unexplained"
            if regression
            else f"{noise} of the labels differ from their denoised version",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the outline with as many digits as a picture can show."""
        outline = self.candidate.outline
        return {
            "number": self.number,
            "line": self.line,
            "titles": self.titles,
            "dimension": outline.dimension,
            "interval": outline.interval,
            "count": outline.count,
            "noise_floor": outline.noise_floor,
            "first": outline.first.tolist(),
            "shares": numbers(outline.shares),
            "dimensions": outline.dimensions.tolist(),
            "curve": numbers(outline.curve),
            "denoised": numbers(outline.denoised),
            "decided": None if outline.decided is None else outline.decided.tolist(),
        }


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
class Pictures:
    """What the pictures of a diagnosis show.

    Attributes
    ----------
    kernels : tuple of KernelPicture
        The best kernels, in the order of the candidates.
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
    effects : tuple of dict
        What the denoised target does along the columns that matter most.
    """

    kernels: tuple[KernelPicture, ...]
    shown: int
    axis: tuple[float | None, ...] | None
    axis_name: str
    values: tuple[float | None, ...]
    sample: Sample
    effects: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, diagnosis: Diagnosis, names: Sequence[Any] | None = None) -> "Pictures":
        """Take from a diagnosis what its pictures show.

        Parameters
        ----------
        diagnosis : Diagnosis
            The diagnosis.
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
        return cls(
            kernels=tuple(KernelPicture(i, tried[i], errors[i]) for i in kept),
            shown=kept.index(best),
            axis=None if parameter is None else numbers(parameter[1]),
            axis_name="" if parameter is None else parameter[0],
            values=numbers(values),
            sample=_sample(diagnosis, tried[best].outline, names),
            effects=effect_pictures(diagnosis),
        )

    @property
    def best(self) -> KernelPicture:
        """The kernel that is shown first."""
        return self.kernels[self.shown]

    @property
    def grouping(self) -> str:
        """Where components are shown in groups: a sentence about it."""
        if all(picture.candidate.outline.count <= SINGLE for picture in self.kernels):
            return ""
        return f"Beyond {SINGLE} components a dot is the mean of several."

    def to_dict(self) -> dict[str, Any]:
        """Return what the scripts draw."""
        return {
            "shown": self.shown,
            "kernels": [picture.to_dict() for picture in self.kernels],
            "axis": self.axis,
            "axis_name": self.axis_name,
            "sample": asdict(self.sample),
            "effects": self.effects,
        }


def effect_pictures(diagnosis: Diagnosis) -> tuple[dict[str, Any], ...]:
    """Take from a diagnosis what the denoised target does along the columns that matter most.

    Parameters
    ----------
    diagnosis : Diagnosis
        The diagnosis.

    Returns
    -------
    tuple of dict
        At most six.
    """
    return tuple(_effect(curve) for curve in diagnosis.effect_curves[:EFFECTS])


def _effect(curve: Effect) -> dict[str, Any]:
    dates, categories = curve.kind == "dates", curve.kind == "categories"
    # With all digits: five of them are too few for dates.
    places = range(len(curve.places)) if categories else map(float, curve.places)
    return {
        "name": cell_text(curve.name),
        "kind": curve.kind,
        "title": cell_text(curve.finding),
        "quantity": cell_text(curve.quantity),
        "x": [*places],
        "labels": [f"{label:%Y-%m-%d}" if dates else cell_text(label) for label in curve.labels],
        "lines": [
            {
                "name": cell_text(curve.outputs[j]),
                "look": look,
                "values": numbers(curve.values[j]),
                "low": numbers(curve.low[j]),
                "high": numbers(curve.high[j]),
            }
            for j, look in zip(curve.shown, LOOKS, strict=False)
        ],
    }


def forecast_picture(forecast: Forecast) -> dict[str, Any]:
    """Return the curve of a forecast.

    Parameters
    ----------
    forecast : Forecast
        The forecast.
    """
    return {
        "rows": forecast.rows.tolist(),
        "error": forecast.error.tolist(),
        "lower": forecast.lower.tolist(),
        "upper": forecast.upper.tolist(),
        "floor": forecast.floor,
    }


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
