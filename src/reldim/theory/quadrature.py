"""Quadrature over a box, for kernels that may have a kink where their arguments meet."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.kernels import Kernel
from reldim.theory.densities import Density

__all__ = [
    "MASS",
    "RULES",
    "Box",
    "DensityFunction",
    "check_mass",
    "checked_box",
    "density_at",
    "kink_correction",
    "mass_message",
    "rule",
]

Array = NDArray[np.float64]
Intervals = tuple[tuple[float, float], ...]
DensityFunction = Density | Callable[[Array], Any]
Box = Sequence[tuple[float, float]]

#: Rules that are tried in turn, as (panels, nodes a panel) for each dimension. Panels adapt to a
#: density with narrow bumps; in the plane, where nodes are dear, one panel converges fastest.
RULES = {
    1: ((2, 16), (4, 16), (8, 16), (16, 16), (32, 16), (64, 16), (128, 16)),
    2: ((1, 24), (1, 36), (1, 48), (1, 60)),
}

#: How far from 1 the integral of a density may be.
MASS = 1e-6


def checked_box(density: DensityFunction, box: Box | None) -> Intervals:
    """Return the box to integrate over, or say why there is none."""
    if box is None:
        if not isinstance(density, Density):
            raise InputError(
                "A density that is a plain function needs box: an interval (low, high) for each "
                "column, outside of which the density can be neglected."
            )
        box = density.box
    intervals = tuple((float(low), float(high)) for low, high in box)
    if len(intervals) not in RULES:
        raise InputError(
            f"Quadrature works in one and two dimensions. Got {len(intervals)}: draw points from "
            "the density and use solve_by_sampling."
        )
    if not all(np.isfinite(high - low) and low < high for low, high in intervals):
        raise InputError(f"box must hold finite intervals with low < high. Got {box!r} instead.")
    return intervals


def rule(intervals: Intervals, panels: int, panel_nodes: int) -> tuple[Array, Array]:
    """Composite Gauss-Legendre nodes and lengths over a box."""
    base, base_weights = np.polynomial.legendre.leggauss(panel_nodes)
    axes, axis_weights = [], []
    for low, high in intervals:
        step = (high - low) / panels
        starts = low + step * np.arange(panels)
        axes.append((starts[:, None] + step * (base + 1) / 2).ravel())
        axis_weights.append(np.tile(base_weights * step / 2, panels))
    if len(intervals) == 1:
        return axes[0][:, None], axis_weights[0]
    first, second = np.meshgrid(*axes, indexing="ij")
    return np.column_stack([first.ravel(), second.ravel()]), np.outer(*axis_weights).ravel()


def density_at(density: Callable[[Array], Any], nodes: Array) -> Array:
    """Evaluate a density, and refuse values that no density has."""
    values = np.asarray(density(nodes), dtype=np.float64)
    if values.shape == (len(nodes), 1):
        values = values[:, 0]
    if values.shape != (len(nodes),) or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError(
            "density must return a finite number of at least 0 for each row of points. Got values "
            f"of shape {values.shape} for {len(nodes)} rows, "
            f"{int(np.sum(~np.isfinite(values) | (values < 0)))} of them negative or not finite."
        )
    return values


def check_mass(masses: list[float]) -> None:
    """Refuse a density whose integral has settled at another value than 1."""
    # Two rules that agree on a mass other than 1 leave no doubt.
    if len(masses) > 1 and abs(masses[-1] - masses[-2]) < MASS / 10 < abs(masses[-1] - 1.0):
        raise InputError(mass_message(masses[-1]))


def mass_message(mass: float) -> str:
    """Say that a density does not integrate to 1."""
    return (
        f"The density must integrate to 1 over the box. Its integral came out as {mass:.6g}: "
        "divide the density by its integral, widen the box, or check that the density has no pole."
    )


def kink_correction(
    kernel: Kernel, density: DensityFunction, intervals: Intervals, panels: int, panel_nodes: int
) -> Array:
    """Return what the rule misses of the integral of k(x_i, x) p(x), for each node x_i.

    A kernel such as the Laplacian has a kink at x = x_i, which a panel around it does not see.
    Added to the diagonal of the matrix, what is missed by the kernel times a constant is made
    good; what is missed by the kernel times a function that vanishes there is of higher order.
    The panel of the node is split at the node for it. In the plane nothing is done.
    """
    nodes, lengths = rule(intervals, panels, panel_nodes)
    correction = np.zeros(len(nodes))
    if len(intervals) == 2:
        return correction
    base, base_weights = np.polynomial.legendre.leggauss(panel_nodes)
    low, high = intervals[0]
    step = (high - low) / panels
    for panel in range(panels):
        own = slice(panel * panel_nodes, (panel + 1) * panel_nodes)
        x, start = nodes[own], low + step * panel
        left, right = x - start, start + step - x
        fine = np.hstack([start + left * (base + 1) / 2, x + right * (base + 1) / 2])
        parts = np.hstack([left * base_weights / 2, right * base_weights / 2])
        p = density_at(density, fine.reshape(-1, 1)).reshape(fine.shape)
        values = np.stack([kernel(x[[i]], fine[i][:, None])[0] for i in range(panel_nodes)])
        coarse = kernel(x, x) @ (lengths[own] * density_at(density, x))
        correction[own] = np.sum(values * parts * p, axis=1) - coarse
    return correction
