"""Figures: one look for all, with colours that colour-blind readers can tell apart."""

import io
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from reldim.exceptions import MissingDependencyError

__all__ = ["COLORS", "bands", "new_figure", "style", "to_png"]

#: The palette of Okabe and Ito: black, blue, vermilion, green, purple, sky, orange.
COLORS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "font.size": 9,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
}


def style() -> AbstractContextManager[Any]:
    """Apply our look to what is drawn inside; without matplotlib, do nothing."""
    try:
        import matplotlib as mpl
    except ImportError:
        return nullcontext()
    mpl.use("Agg")
    return mpl.rc_context(_STYLE)


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its axes, an array of shape (rows, columns)."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingDependencyError("matplotlib", "A figure", "plots") from error
    return plt.subplots(rows, columns, figsize=size, squeeze=False)


def to_png(figure: Any) -> bytes:
    """Draw a figure and let go of it."""
    from matplotlib import pyplot as plt

    buffer = io.BytesIO()
    # No version and no date: the same numbers give the same file.
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def bands(axes: Any, x: Any, percentiles: Any, color: str, label: str) -> None:
    """Draw the 10, 25, 50, 75 and 90 % percentiles (rows) of something over ``x``."""
    axes.fill_between(x, percentiles[0], percentiles[4], color=color, alpha=0.15, linewidth=0)
    axes.fill_between(x, percentiles[1], percentiles[3], color=color, alpha=0.3, linewidth=0)
    axes.plot(x, percentiles[2], color=color, label=label)
