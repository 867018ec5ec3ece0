"""Criterion or distance to the targets over kernel parameter and dimension, as a heat map."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.eigensolvers import Solver, decompose
from reldim.exceptions import InputError
from reldim.inputs.targets import AnyTask, code_targets
from reldim.kernels import Gaussian, Kernel
from reldim.plots.candidates import place_kernels
from reldim.plots.canvas import VERMILION, Array, Display, count_axis, plural
from reldim.plots.criterion import criterion_label, without_components
from reldim.relevance.error_curve import error_curve
from reldim.relevance.estimation import Criterion, RelevantDimension, estimate
from reldim.search.families import family_of
from reldim.spectrum.gram import Gram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CriterionMapDisplay", "Trace"]


@dataclass(frozen=True, eq=False)
class Trace:
    """The criterion under one kernel.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    relevant : int
        The relevant dimension.
    dimensions, curve : ndarray
        The criterion ``curve`` at some ``dimensions``, ascending.
    """

    kernel: Kernel
    relevant: int
    dimensions: NDArray[Any]
    curve: Array


class CriterionMapDisplay(Display):
    """The criterion, or the distance to the targets, over kernel parameter and dimension.

    A narrow valley says that both are pinned down; a long one that a wider kernel with fewer
    dimensions does as well as a narrower one with more.

    Parameters
    ----------
    traces : sequence of Trace
        What to draw, for kernels of one type that differ in one number.
    best : Trace
        The one of the best kernel.
    without : float
        What is worse than this has one colour: the criterion at dimension 0.
    meaning : str
        What the map shows.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    mesh_ : QuadMesh
        The map.
    parameters, dimensions : ndarray
        The parameters of the kernels, and the dimensions at which the criterion is known.
    values : ndarray of shape (kernels, points)
        The criterion; NaN where it is not known.

    Examples
    --------
    >>> from reldim import datasets, plots
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> display = plots.CriterionMapDisplay.from_data(data.X, data.y)
    >>> display.ax_.get_title(loc="left")
    'Best at width 1.08 with 7 dimensions'
    """

    def __init__(
        self, traces: Sequence[Trace], best: Trace, *, without: float, meaning: str
    ) -> None:
        kernels = [trace.kernel for trace in traces]
        places = place_kernels(kernels, [repr(kernel) for kernel in kernels])
        parameters = [place.value for place in places if place.value is not None]
        if len(parameters) < len(places) or len({place.family for place in places}) != 1:
            raise InputError(
                "A map needs two or more kernels of one type that differ in one number, such as "
                f"Gaussian kernels of several widths. Got {', '.join(map(repr, kernels[:3]))}."
            )
        order = np.argsort(parameters)
        self.traces, self.best = [traces[i] for i in order], best
        self.parameters: Array = np.array(parameters)[order]
        self.dimensions = np.unique(np.concatenate([trace.dimensions for trace in traces]))
        self.values = np.array(
            [
                np.interp(self.dimensions, trace.dimensions, trace.curve, right=np.nan)
                for trace in self.traces
            ]
        )
        self.without, self.meaning = without, meaning
        self.place = places[0]

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        kernels: Sequence[Kernel] | str = "gaussian",
        task: AnyTask = "auto",
        criterion: Criterion = "likelihood",
        show: str = "criterion",
        solver: Solver = "auto",
        random_state: int | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Decompose the kernel matrices of a family and draw their criteria.

        Parameters
        ----------
        X, y : array-like
            Data and targets.
        kernels : sequence of Kernel or str
            Kernels of one family, or its name.
        task, criterion, solver, random_state
            As in :func:`reldim.diagnose`.
        show : {"criterion", "distance"}
            Draw the criterion, or the distance between given and denoised targets.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        CriterionMapDisplay
            The display.
        """
        targets = code_targets(y, task)
        if isinstance(kernels, str):
            family = family_of(kernels, Gram.of(Gaussian(1.0), X).points)
            kernels = [family.make(step) for step in range(family.first, family.last + 1)]
        spectra = (decompose(k, X, solver=solver, random_state=random_state) for k in kernels)
        estimates = [
            estimate(spectrum, targets, criterion=criterion, random_state=random_state)
            for spectrum in spectra
        ]
        return cls.from_relevances(estimates, show=show, ax=ax)

    @classmethod
    def from_relevances(
        cls,
        relevances: Sequence[RelevantDimension],
        *,
        show: str = "criterion",
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the criteria behind estimates under kernels of one family.

        Parameters
        ----------
        relevances : sequence of RelevantDimension
            The estimates, for the same data.
        show : {"criterion", "distance"}
            Draw the criterion, or the distance between given and denoised targets.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        CriterionMapDisplay
            The display.
        """
        if show not in ("criterion", "distance"):
            raise InputError(f"show must be 'criterion' or 'distance'. Got {show!r} instead.")
        distance = show == "distance"
        curves = [error_curve(rd) if distance else rd.curve for rd in relevances]
        traces = [
            Trace(rd.spectrum.gram.kernel, rd.dimension, np.arange(1, len(curve) + 1), curve)
            for rd, curve in zip(relevances, curves, strict=True)
        ]
        best = int(np.argmin([rd.criterion_value for rd in relevances]))
        display = cls(
            traces,
            traces[best],
            without=1.0 if distance else without_components(relevances[best]),
            meaning="share of the targets left open"
            if distance
            else criterion_label(relevances[best].criterion),
        )
        return display.plot(ax)

    @classmethod
    def from_diagnosis(cls, diagnosis: Diagnosis, *, ax: "Axes | None" = None) -> Self:
        """Draw the criteria of the kernels that a diagnosis tried.

        Of other families than that of the best kernel nothing is shown.

        Parameters
        ----------
        diagnosis : Diagnosis
            The diagnosis.
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        CriterionMapDisplay
            The display.
        """
        chosen = diagnosis.tried[diagnosis.index]
        same_type = [row for row in diagnosis.tried if type(row.kernel) is type(chosen.kernel)]
        # Of many rows the best kernel alone sees all of them: the map is of those that most see.
        ((rows, _),) = Counter(row.rows for row in same_type).most_common(1)
        tried = [row for row in same_type if row.rows == rows]
        traces = [
            Trace(row.kernel, row.dimension, row.outline.dimensions, row.outline.curve)
            for row in tried
        ]
        best = min(tried, key=lambda row: (row is not chosen, row.criterion_value))
        display = cls(
            traces,
            traces[tried.index(best)],
            without=without_components(diagnosis.relevance),
            meaning=criterion_label(diagnosis.criterion),
        )
        return display.plot(ax)

    def _draw(self, ax: "Axes") -> None:
        most = int(self.dimensions[-1])
        edges = _log_edges(self.parameters)
        middle = (self.dimensions[1:] + self.dimensions[:-1]) / 2
        self.mesh_ = ax.pcolormesh(
            np.concatenate([[0.5], middle, [most + 0.5]]), edges, np.ma.masked_invalid(self.values),
            cmap="cividis", vmax=self.without, rasterized=True,
        )  # fmt: skip
        self.figure_.colorbar(self.mesh_, ax=ax, extend="max").set_label(self.meaning)
        relevant = [trace.relevant for trace in self.traces]
        ax.plot(
            np.maximum(relevant, 0.6), self.parameters, color="white", marker=".",
            linestyle=":", label="best dimension of each kernel",
        )  # fmt: skip
        ax.plot(
            [max(self.best.relevant, 0.6)], [self._best_parameter], color=VERMILION, marker="*",
            markersize=15, linestyle="", markeredgecolor="white", label="best kernel",
        )  # fmt: skip
        count_axis(ax, most)
        ax.set_xlim(0.5, most + 0.5)
        ax.set_yscale("log")
        ax.set_ylim(edges[0], edges[-1])
        # What no kernel was asked for, beyond the rank of its matrix.
        ax.set_facecolor("#cccccc")
        ax.set_xlabel("dimension d (number of leading components)")
        ax.set_ylabel(f"{self.place.family} kernel: {self.place.meaning}")
        legend = ax.legend(fontsize="small", loc="best", facecolor="#333333", framealpha=0.85)
        for text in legend.get_texts():
            text.set_color("white")

    def _finding(self) -> str:
        d = self.best.relevant
        if d == 0:
            return "No kernel of the family sees any signal"
        best = f"Best at {self.place.parameter} {self._best_parameter:.3g}"
        return f"{best} with {plural(d, 'dimension')}"

    @property
    def _best_parameter(self) -> float:
        return float(self.parameters[self.traces.index(self.best)])


def _log_edges(values: Array) -> Array:
    """Return the edges of cells around values that are even on a logarithmic scale."""
    logs = np.log(values)
    middle = (logs[1:] + logs[:-1]) / 2
    ends = (2 * logs[0] - middle[0], 2 * logs[-1] - middle[-1])
    return np.asarray(np.exp(np.concatenate([ends[:1], middle, ends[1:]])))
