"""The kernels that were tried: criterion, dimension, noise and leave-one-out error of each."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

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

__all__ = ["CandidatesDisplay", "Place", "differing_parameter", "place_kernels"]

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
    diagnosis : Diagnosis
        The diagnosis.

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

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.diagnosis, self.tried = diagnosis, diagnosis.tried
        self.places = place_kernels(
            [row.kernel for row in self.tried], [row.name for row in self.tried]
        )
        #: Kernels that were looked at on fewer rows have lines of their own.
        self.families = [
            place.family if row.rows in {0, diagnosis.n} else f"{place.family}, {row.rows} rows"
            for place, row in zip(self.places, self.tried, strict=True)
        ]

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
        return cls(diagnosis).plot(ax, panels=panels)

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
        values = np.array([row.criterion_value for row in self.tried])
        self._draw_tracks(ax, "criterion", values)
        self._draw_star(ax, values, label="best kernel")
        low, high = float(values.min()), float(values.max())
        if self._known and len(values) > 10:
            # Kernels at the far ends may be so bad that the others could not be told apart.
            middle = float(np.median(values))
            high = min(high, middle + 2 * max(middle - low, 0.005))
        ax.set_ylim(*clear_view(low, high, 0.1, least=0.02))
        ax.set_ylabel(criterion_label(self.diagnosis.criterion).replace(" (", "\n("))
        best, count = literal(self.tried[self.diagnosis.index].name, 40), len(values)
        found = f"is the best of {count} kernels" if count > 1 else "was the only kernel"
        headline(ax, f"{best} {found}" if self.diagnosis.dimension else _NO_SIGNAL)

    def _draw_dimension(self, ax: Any) -> None:
        dimensions = np.array([row.dimension for row in self.tried], dtype=np.float64)
        self._draw_tracks(ax, "dimension", dimensions)
        self._draw_star(ax, dimensions)
        # Logarithmic, but for 0, which stands for no signal.
        ax.set_yscale("symlog", linthresh=1, linscale=0.3)
        highest = max(2.0, float(dimensions.max()))
        ax.set_ylim(-0.15, highest * 1.5)
        ax.set_yticks([0, *(s * 10**p for p in range(7) for s in (1, 2, 5) if s * 10**p < highest)])
        ax.yaxis.set_major_formatter(lambda value, _position: whole(value))
        ax.set_ylabel("relevant dimension")
        best = f"Relevant dimension {self.tried[self.diagnosis.index].dimension} at the best kernel"
        headline(ax, best if self.diagnosis.dimension else "No dimension is relevant")

    def _draw_errors(self, ax: Any) -> None:
        targets, chosen = self.diagnosis.relevance.targets, self.diagnosis.index
        errors = np.array(self.diagnosis.candidate_errors)
        noise = np.array([row.noise_level for row in self.tried])
        alone = len(self._tracks) == 1
        dashed: dict[str, Any] = {"linestyle": "--", "marker": "^"}
        if alone:
            dashed["color"] = LINES[1][0]
        # Colours tell several families apart, so that both lines of one have the same.
        self._draw_tracks(ax, "error_estimate", errors, "leave-one-out error", linestyle="-")
        self._draw_star(ax, errors, label="best kernel")
        label = "noise level" if alone else "noise level (dashed)"
        self._draw_tracks(ax, "noise_level", noise, label, named=False, **dashed)
        self._draw_star(ax, noise)
        constant = targets.constant_error
        label = f"constant prediction ({constant:.0%})"
        ax.axhline(constant, color=GREY, linestyle=":", label=label)
        top = min(1.3 * float(errors.max()), 1.4 * constant)
        ax.set_ylim(-0.03 * top, top)
        percent_axis(ax.yaxis)
        ax.set_ylabel(f"part of the {'labels' if targets.codes is not None else 'variance'}")
        best = (
            f"Leave-one-out error {errors[chosen]:.1%}, noise level {noise[chosen]:.1%} at the "
            "best kernel"
        )
        nothing = f"Expected error {constant:.1%}, that of a constant prediction"
        headline(ax, best if self.diagnosis.dimension else nothing)

    def _draw_tracks(
        self,
        ax: Any,
        key: str,
        values: Array,
        quantity: str = "",
        *,
        named: bool = True,
        **look: str,
    ) -> None:
        """Draw a quantity: one line per family, and a level for a kernel that stands alone.

        Several lines have the names of their families; a single one, or the first of lines that
        are not ``named``, that of the ``quantity``.
        """
        drawn = self.lines_.setdefault(key, [])
        for number, track in enumerate(self._tracks):
            label = quantity if number == 0 else ""
            if named and len(self._tracks) > 1:
                label = literal(track.family)
            color, linestyle = LINES[number % len(LINES)]
            own: dict[str, Any] = {"color": color, "linestyle": linestyle, "label": label, **look}
            if track.x is None:
                own.pop("marker", None)
                level = np.repeat(values[track.rows], 2)
                drawn += ax.plot([0, 1], level, transform=ax.get_yaxis_transform(), **own)
                continue
            own = {"marker": "o", **own, "markersize": 4.5}
            if not self._known:
                own["linestyle"] = ""
            y = values[track.rows]
            rough = np.array([not self.tried[i].settled for i in track.rows])
            drawn += ax.plot(track.x, y, **own)
            if rough.any():
                hollow = {**own, "linestyle": "", "label": None, "markerfacecolor": "white"}
                ax.plot(track.x[rough], y[rough], **hollow)

    def _draw_star(self, ax: Any, values: Array, *, label: str | None = None) -> None:
        """Mark the best kernel; where it has no place on the axis its level shows it."""
        chosen = self.diagnosis.index
        for track in self._tracks:
            if track.x is not None and chosen in track.rows:
                ax.plot(
                    track.x[track.rows == chosen], [values[chosen]], color=BLACK, marker="*",
                    markersize=13, linestyle="", markeredgecolor="white", markeredgewidth=0.6,
                    label=label, zorder=5,
                )  # fmt: skip

    @cached_property
    def _known(self) -> list[float]:
        """The numbers in which some kernels differ, which then are the axis."""
        return sorted({place.value for place in self.places if place.value is not None})

    @cached_property
    def _tracks(self) -> list[_Track]:
        if not self._known:
            rows = np.arange(len(self.tried))
            return [_Track("", rows, rows.astype(np.float64))]
        return [self._track_of(family) for family in dict.fromkeys(self.families)]

    def _track_of(self, family: str) -> _Track:
        rows = np.array([i for i, own in enumerate(self.families) if own == family])
        parameters = [self.places[i].value for i in rows]
        if None in parameters:
            return _Track(family, rows, None)
        x = np.array(parameters, dtype=np.float64)
        order = np.argsort(x)
        return _Track(family, rows[order], x[order])

    def _parameter_axis(self, ax: Any, *, labelled: bool) -> None:
        if not self._known:
            # Kernels without a common parameter stand side by side.
            names = [literal(row.name) if labelled else "" for row in self.tried]
            ax.set_xticks(range(len(names)), names, rotation=30, ha="right")
            ax.set_xlim(-0.6, len(names) - 0.4)
            return
        ax.set_xscale("log")
        if all(value.is_integer() and value < 100 for value in self._known):
            # Degrees are whole numbers, and few.
            from matplotlib.ticker import FixedLocator, NullLocator

            ax.xaxis.set_major_locator(FixedLocator(self._known))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(lambda value, _position: whole(value))
        if labelled:
            shown = {
                family: place.meaning
                for family, place in zip(self.families, self.places, strict=True)
                if place.meaning
            }
            kernel = " kernel" if len(shown) == 1 else ""
            lines = [f"{family}{kernel}: {meaning}" for family, meaning in shown.items()]
            ax.set_xlabel("\n".join(lines))


@dataclass(frozen=True)
class Place:
    """A kernel's place among others.

    Attributes
    ----------
    family : str
        The kernels that it belongs to, or its name where it stands alone.
    parameter : str
        What tells the kernels of the family apart; empty where it stands alone.
    value : float or None
        The parameter.
    """

    family: str
    parameter: str = ""
    value: float | None = None

    @property
    def meaning(self) -> str:
        """The parameter with its unit."""
        unit = _UNITS.get((self.family, self.parameter))
        return f"{self.parameter} in {unit}" if unit else self.parameter


def place_kernels(kernels: Sequence[Kernel], names: Sequence[str]) -> list[Place]:
    """Find families: kernels of one type that differ in one number."""
    bare = [kernel.kernel if isinstance(kernel, Normalized) else kernel for kernel in kernels]
    placed = []
    for name, kernel in zip(names, bare, strict=True):
        key = differing_parameter([other for other in bare if type(other) is type(kernel)])
        if key is None:
            placed.append(Place(name))
        else:
            placed.append(Place(type(kernel).__name__, key, float(getattr(kernel, key))))
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
