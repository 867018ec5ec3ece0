"""The kernels that were tried: criterion, dimension, noise and leave-one-out error of each."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.exceptions import InputError
from reldim.kernels import Kernel, Normalized
from reldim.plots.canvas import (
    BLACK,
    GREY,
    LINES,
    Array,
    clear_view,
    headline,
    literal,
    percent_axis,
    several_axes,
    tidy,
    whole,
)
from reldim.plots.criterion import criterion_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PANELS", "CandidatesDisplay", "differing_parameter", "place_kernels"]

#: What can be drawn, each in axes of its own.
PANELS = ("criterion", "dimension", "errors")

#: What a parameter is measured in; the Gaussian kernel divides squared distances by its width.
_UNITS = {
    ("Gaussian", "width"): "squared units of X",
    ("Laplacian", "scale"): "units of X",
    ("Matern", "length"): "units of X",
    ("InverseMultiquadric", "constant"): "units of X",
}

_NO_SIGNAL = "No kernel sees more than chance would"


@dataclass(frozen=True)
class _Track:
    """Kernels of one family: their rows, and their places on the axis (None for one alone)."""

    family: str
    rows: NDArray[np.intp]
    x: Array | None


class CandidatesDisplay:
    """Criterion, dimension, noise level and leave-one-out error over the parameter of the kernel.

    A kernel that is too wide makes a problem look simple and noisy, one that is too narrow makes
    it look complex and free of noise; the criterion weighs the two (Figures 5 and 6 of the
    paper).

    Parameters
    ----------
    names : sequence of str
        The kernels in words.
    families : sequence of str
        The family of each; kernels of a family are joined by a line.
    parameters : sequence of float or None
        The number that tells kernels of a family apart, None where a kernel stands alone.
    parameter_names : sequence of str
        What these numbers are.
    criterion_values, dimensions, noise_levels, error_estimates : array-like
        The figures of each kernel.
    chosen : int
        Index of the best kernel.
    criterion : {"likelihood", "leave-one-out"}
        What was chosen by.
    constant_error : float
        The error of a constant prediction.
    task : {"classification", "regression"}
        Whether errors count labels or measure variance.
    signal : bool
        Whether the best of the kernels sees more than chance would.
    settled : array-like of bool, optional
        False for kernels that were given up early, whose figures are rough.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes, one per panel.
    figure_ : Figure
        Their figure.
    lines_ : dict from str to list of Line2D
        The lines by quantity, one line per family.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. On Relevant Dimensions in Kernel Feature Spaces.
    Journal of Machine Learning Research 9, 2008.

    Examples
    --------
    >>> from reldim import datasets, diagnose, plots
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> display = plots.CandidatesDisplay.from_diagnosis(diagnose(data.X, data.y))
    >>> display.axes_[0].get_title(loc="left")
    'Gaussian(width=1.08) is the best of 20 kernels'
    """

    def __init__(
        self,
        *,
        names: Sequence[str],
        families: Sequence[str],
        parameters: Sequence[float | None],
        parameter_names: Sequence[str],
        criterion_values: ArrayLike,
        dimensions: ArrayLike,
        noise_levels: ArrayLike,
        error_estimates: ArrayLike,
        chosen: int,
        criterion: str = "likelihood",
        constant_error: float = 1.0,
        task: str = "regression",
        signal: bool = True,
        settled: ArrayLike | None = None,
    ) -> None:
        self.names = list(names)
        self.families = list(families)
        self.parameters = list(parameters)
        self.parameter_names = list(parameter_names)
        self.criterion_values: Array = np.asarray(criterion_values, dtype=np.float64)
        self.dimensions: Array = np.asarray(dimensions, dtype=np.float64)
        self.noise_levels: Array = np.asarray(noise_levels, dtype=np.float64)
        self.error_estimates: Array = np.asarray(error_estimates, dtype=np.float64)
        self.chosen = chosen
        self.criterion = criterion
        self.constant_error = constant_error
        self.task = task
        self.signal = signal
        self.settled = np.asarray(
            np.ones(len(self.names)) if settled is None else settled, dtype=bool
        )

    @classmethod
    def from_diagnosis(
        cls,
        diagnosis: Diagnosis,
        *,
        panels: Sequence[str] = PANELS,
        ax: "Axes | Sequence[Axes] | None" = None,
    ) -> Self:
        """Draw the kernels that a diagnosis tried.

        Parameters
        ----------
        diagnosis : Diagnosis
            The diagnosis.
        panels : sequence of {"criterion", "dimension", "errors"}
            What to draw.
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per panel, by default on a new figure.

        Returns
        -------
        CandidatesDisplay
            The display.
        """
        tried, relevance = diagnosis.tried, diagnosis.relevance
        names = [row.name for row in tried]
        placed = place_kernels([row.kernel for row in tried], names)
        display = cls(
            names=names,
            families=[
                place.family if row.rows in {0, diagnosis.n} else f"{place.family}, {row.rows} rows"
                for place, row in zip(placed, tried, strict=True)
            ],
            parameters=[place.value for place in placed],
            parameter_names=[place.parameter for place in placed],
            criterion_values=[row.criterion_value for row in tried],
            dimensions=[row.dimension for row in tried],
            noise_levels=[row.noise_level for row in tried],
            error_estimates=diagnosis.candidate_errors,
            chosen=diagnosis.index,
            criterion=relevance.criterion,
            constant_error=relevance.targets.constant_error,
            task=relevance.targets.task,
            signal=relevance.dimension > 0,
            settled=[row.settled for row in tried],
        )
        return display.plot(ax, panels=panels)

    def plot(
        self, ax: "Axes | Sequence[Axes] | None" = None, *, panels: Sequence[str] = PANELS
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw, one axes per panel, by default on a new figure.
        panels : sequence of {"criterion", "dimension", "errors"}
            What to draw.

        Returns
        -------
        CandidatesDisplay
            The display itself.
        """
        unknown = sorted(set(panels).difference(PANELS))
        if unknown or not panels:
            raise InputError(f"panels must be some of {', '.join(PANELS)}. Got {panels} instead.")
        count = len(panels)
        self.figure_, self.axes_ = several_axes(ax, count, 1, (6.4, 1.0 + 2.9 * count))
        self.lines_: dict[str, list[Any]] = {}
        draw = {
            "criterion": self._draw_criterion,
            "dimension": self._draw_dimension,
            "errors": self._draw_errors,
        }
        for number, (panel, axes) in enumerate(zip(panels, self.axes_, strict=True)):
            draw[panel](axes)
            self._parameter_axis(axes, labelled=number == count - 1)
            tidy(axes)
        return self

    def _draw_criterion(self, ax: Any) -> None:
        self._draw_tracks(ax, "criterion", self.criterion_values)
        self._draw_star(ax, self.criterion_values, label="best kernel")
        values = self.criterion_values
        low, high = float(values.min()), float(values.max())
        if self._lined and len(values) > 10:
            # Kernels at the far ends may be so bad that the others could not be told apart.
            middle = float(np.median(values))
            high = min(high, middle + 2 * max(middle - low, 0.005))
        ax.set_ylim(*clear_view(low, high, 0.1, least=0.02))
        ax.set_ylabel(criterion_label(self.criterion).replace(" (", "\n("))
        best, count = literal(self.names[self.chosen], 40), len(self.names)
        found = f"is the best of {count} kernels" if count > 1 else "was the only kernel"
        headline(ax, f"{best} {found}" if self.signal else _NO_SIGNAL)
        ax.legend(fontsize="small", loc="best")

    def _draw_dimension(self, ax: Any) -> None:
        self._draw_tracks(ax, "dimension", self.dimensions)
        self._draw_star(ax, self.dimensions)
        # Logarithmic, but for 0, which stands for no signal.
        ax.set_yscale("symlog", linthresh=1, linscale=0.3)
        highest = max(2.0, float(self.dimensions.max()))
        ax.set_ylim(-0.15, highest * 1.5)
        ax.set_yticks([0, *(s * 10**p for p in range(7) for s in (1, 2, 5) if s * 10**p < highest)])
        ax.yaxis.set_major_formatter(lambda value, _position: whole(value))
        ax.set_ylabel("relevant dimension")
        best = f"Relevant dimension {self.dimensions[self.chosen]:.0f} at the best kernel"
        headline(ax, best if self.signal else "No dimension is relevant")

    def _draw_errors(self, ax: Any) -> None:
        self._draw_two_quantities(ax)
        constant = f"constant prediction ({self.constant_error:.0%})"
        ax.axhline(self.constant_error, color=GREY, linestyle=":", label=constant)
        top = min(1.3 * float(self.error_estimates.max()), 1.4 * self.constant_error)
        ax.set_ylim(-0.03 * top, top)
        percent_axis(ax.yaxis)
        ax.set_ylabel(f"part of the {'labels' if self.task == 'classification' else 'variance'}")
        expected, noise = self.error_estimates[self.chosen], self.noise_levels[self.chosen]
        best = f"Leave-one-out error {expected:.1%}, noise level {noise:.1%} at the best kernel"
        nothing = f"Expected error {self.constant_error:.1%}, that of a constant prediction"
        headline(ax, best if self.signal else nothing)
        ax.legend(fontsize="small", loc="best")

    def _draw_two_quantities(self, ax: Any) -> None:
        """Draw errors as full lines with dots, and noise levels as dashed lines with triangles."""
        full, dashed = {"linestyle": "-"}, {"linestyle": "--", "marker": "^"}
        errors, noise = "leave-one-out error", "noise level"
        if len(self._tracks) == 1:
            self._draw_tracks(ax, "error_estimate", self.error_estimates, [errors], **full)
            dashed["color"] = LINES[1][0]
            labels = [noise]
        else:
            # Colours tell the families apart, so that both lines of one have the same.
            self._draw_tracks(ax, "error_estimate", self.error_estimates, **full)
            labels = [f"{noise} (dashed)"]
        self._draw_star(ax, self.error_estimates, label="best kernel")
        labels += [""] * (len(self._tracks) - 1)
        self._draw_tracks(ax, "noise_level", self.noise_levels, labels, **dashed)
        self._draw_star(ax, self.noise_levels)

    def _draw_tracks(
        self, ax: Any, key: str, values: Array, labels: Sequence[str] | None = None, **look: str
    ) -> None:
        """Draw a quantity: one line per family, and a level for a kernel that stands alone."""
        if labels is None:
            alone = len(self._tracks) == 1
            labels = ["" if alone else literal(track.family) for track in self._tracks]
        drawn = self.lines_.setdefault(key, [])
        for number, (track, label) in enumerate(zip(self._tracks, labels, strict=True)):
            color, linestyle = LINES[number % len(LINES)]
            own: dict[str, Any] = {"color": color, "linestyle": linestyle, "label": label, **look}
            if track.x is None:
                own.pop("marker", None)
                level = np.repeat(values[track.rows], 2)
                drawn += ax.plot([0, 1], level, transform=ax.get_yaxis_transform(), **own)
                continue
            own = {"marker": "o", **own, "markersize": 4.5}
            if not self._lined:
                own["linestyle"] = ""
            y, rough = values[track.rows], ~self.settled[track.rows]
            drawn += ax.plot(track.x, y, **own)
            if rough.any():
                hollow = {**own, "linestyle": "", "label": None, "markerfacecolor": "white"}
                ax.plot(track.x[rough], y[rough], **hollow)

    def _draw_star(self, ax: Any, values: Array, *, label: str | None = None) -> None:
        """Mark the best kernel; where it has no place on the axis its level shows it."""
        for track in self._tracks:
            if track.x is not None and self.chosen in track.rows:
                ax.plot(
                    track.x[track.rows == self.chosen], [values[self.chosen]], color=BLACK,
                    marker="*", markersize=13, linestyle="", markeredgecolor="white",
                    markeredgewidth=0.6, label=label, zorder=5,
                )  # fmt: skip

    @property
    def _lined(self) -> bool:
        """Whether some kernels differ in a number, which then is the axis."""
        return any(value is not None for value in self.parameters)

    @cached_property
    def _tracks(self) -> list[_Track]:
        if not self._lined:
            rows = np.arange(len(self.names))
            return [_Track("", rows, rows.astype(np.float64))]
        return [self._track_of(family) for family in dict.fromkeys(self.families)]

    def _track_of(self, family: str) -> _Track:
        rows = np.array([i for i, own in enumerate(self.families) if own == family])
        parameters = [self.parameters[i] for i in rows]
        if None in parameters:
            return _Track(family, rows, None)
        x = np.array(parameters, dtype=np.float64)
        order = np.argsort(x)
        return _Track(family, rows[order], x[order])

    def _parameter_axis(self, ax: Any, *, labelled: bool) -> None:
        if not self._lined:
            self._name_axis(ax, labelled=labelled)
            return
        ax.set_xscale("log")
        known = {value for value in self.parameters if value is not None}
        if all(value.is_integer() and value < 100 for value in known):
            # Degrees are whole numbers, and few.
            from matplotlib.ticker import FixedLocator, NullLocator

            ax.xaxis.set_major_locator(FixedLocator(sorted(known)))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(lambda value, _position: whole(value))
        if labelled:
            meanings = dict(zip(self.families, self.parameter_names, strict=True))
            shown = {family: meaning for family, meaning in meanings.items() if meaning}
            kernel = " kernel" if len(shown) == 1 else ""
            lines = [f"{family}{kernel}: {meaning}" for family, meaning in shown.items()]
            ax.set_xlabel("\n".join(lines))

    def _name_axis(self, ax: Any, *, labelled: bool) -> None:
        """Put kernels without a common parameter side by side."""
        ax.set_xticks(range(len(self.names)))
        names = [literal(name) if labelled else "" for name in self.names]
        ax.set_xticklabels(names, rotation=30, ha="right")
        ax.set_xlim(-0.6, len(self.names) - 0.4)


@dataclass(frozen=True)
class _Place:
    """A kernel's place among others.

    Attributes
    ----------
    family : str
        The kernels that it belongs to, or its name where it stands alone.
    parameter : str
        What tells the kernels of the family apart, with its unit; empty where it stands alone.
    value : float or None
        The parameter.
    """

    family: str
    parameter: str
    value: float | None


def place_kernels(kernels: Sequence[Kernel], names: Sequence[str]) -> list[_Place]:
    """Find families: kernels of one type that differ in one number."""
    bare = [kernel.kernel if isinstance(kernel, Normalized) else kernel for kernel in kernels]
    placed = []
    for name, kernel in zip(names, bare, strict=True):
        others = [other for other in bare if type(other) is type(kernel)]
        key = differing_parameter(others)
        if key is None:
            placed.append(_Place(name, "", None))
            continue
        family = type(kernel).__name__
        unit = _UNITS.get((family, key))
        parameter = f"{key} in {unit}" if unit else key
        placed.append(_Place(family, parameter, float(getattr(kernel, key))))
    return placed


def differing_parameter(kernels: Sequence[Any]) -> str | None:
    """Return the one field, a positive number, in which kernels of one type differ.

    Returns
    -------
    str or None
        The name of the field; None where there is no such field, or several.
    """
    first = kernels[0]
    if len(kernels) < 2 or not is_dataclass(first):
        return None
    differing = [
        field.name
        for field in fields(first)
        if any(getattr(k, field.name) != getattr(first, field.name) for k in kernels)
    ]
    if len(differing) != 1:
        return None
    values = [getattr(kernel, differing[0]) for kernel in kernels]
    return differing[0] if all(isinstance(v, int | float) and v > 0 for v in values) else None
