"""JMLR, Figure 5: dimension and noise level against the width of the kernel."""

from typing import Any

import numpy as np

from reproduction.figures import COLORS, bands, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.sweep import sweep_benchmarks
from reproduction.toys import sweep_toys

__all__ = ["PERCENTILES", "percentiles", "run"]

PERCENTILES = (10, 25, 50, 75, 90)


def percentiles(values: Any) -> np.ndarray:
    """Percentiles over resamples (rows) for each width (columns)."""
    rows = np.asarray(values, dtype=float)
    return np.asarray(np.percentile(rows, PERCENTILES, axis=0))


def run(settings: Settings) -> Page:
    """Draw the figure."""
    count = settings.count(100)
    banana = sweep_benchmarks("banana", count, settings.jobs)
    sinc = sweep_toys("noisy", 100, count, settings.jobs)
    figure, axes = new_figure(1, 2, (10.0, 3.8))
    left, right = axes[0]
    dimension = {
        "banana": percentiles([np.divide(r["dimension_tcm"], 400) for r in banana]),
        "sinc": percentiles([np.divide(r["dimension_tcm"], 100) for r in sinc]),
    }
    noise = {
        "banana": percentiles([r["noise_tcm"] for r in banana]),
        "sinc": percentiles([np.multiply(r["noise_tcm"], r["variance"]) for r in sinc]),
    }
    for ax, key, rows, title, loss in (
        (left, "banana", banana, "classification: banana", "share of wrong labels"),
        (right, "sinc", sinc, "regression: noisy sinc", "mean squared error"),
    ):
        width = rows[0]["width"]
        bands(ax, width, dimension[key], COLORS[1], "dimension / rows")
        bands(ax, width, noise[key], COLORS[2], f"noise level ({loss})")
        ax.set(xscale="log", title=title, xlabel="kernel width w", ylabel="estimate")
        ax.set_ylim(bottom=0)
        ax.legend()
    checks = [
        check
        for key, rows in (("banana", banana), ("sinc", sinc))
        for check in _checks(key, dimension[key], noise[key], _chosen(rows))
    ]
    return Page(
        name="figure5",
        title="Figure 5: dimension and noise level against kernel width",
        paper="jmlr",
        text=_TEXT.format(count=count),
        pictures=(
            Picture(
                "10, 25, 50, 75 and 90 % percentiles of dimension and noise level over resamples.",
                figure,
            ),
        ),
        checks=tuple(checks),
        seeds=f"0 to {count - 1} for the random divisions and for the draws of sinc",
        data={
            "widths": {"banana": banana[0]["width"], "sinc": sinc[0]["width"]},
            "dimension": {key: value.round(5).tolist() for key, value in dimension.items()},
            "noise_level": {key: value.round(5).tolist() for key, value in noise.items()},
        },
    )


def _chosen(rows: list[dict[str, Any]]) -> int:
    """Place of the width that the likelihood chooses most often."""
    return int(np.bincount([int(np.argmin(r["value_tcm"])) for r in rows]).argmax())


def _checks(name: str, dimension: np.ndarray, noise: np.ndarray, chosen: int) -> list[Check]:
    """Hold the medians on both sides of the chosen width to what the paper says of them."""
    share, level = dimension[2], noise[2]
    at_best = f"at the width most often chosen {share[chosen]:.2f}, {level[chosen]:.3f}"
    most, least = share[:chosen].max(), level[:chosen].min()
    spreads = (dimension[4] - dimension[0])[[0, chosen]]
    quiet = bool(least < 0.5 * level[chosen])
    unstable = (
        f"10 to 90 % of resamples span {spreads[0]:.2f}, at the chosen width {spreads[1]:.2f}"
    )
    properties = (
        (
            "the widest kernel sees a low dimension and more noise",
            f"{share[-1]:.2f}, {level[-1]:.3f}; {at_best}",
            bool(share[-1] <= share[chosen] and level[-1] > level[chosen]),
            "",
        ),
        (
            "narrow kernels see a complex problem",
            f"dimension up to {most:.2f}",
            bool(most > 3 * share[chosen]),
            "",
        ),
        (
            "narrow kernels see almost no noise",
            f"noise down to {least:.3f}",
            quiet,
            "" if quiet else _CAUSE,
        ),
        (
            "the dimension becomes unstable for narrow kernels",
            unstable,
            bool(spreads[0] > spreads[1]),
            "",
        ),
    )
    return [
        Check(f"{name}: {what}", "yes", ours, holds, note, "property")
        for what, ours, holds, note in properties
    ]


_CAUSE = (
    "it falls by a quarter only, since d is held to n/2: where the kernel matrix is nearly "
    "diagonal a component is a row, and the rows that are not among the first d stay open"
)

_TEXT = """
Dimension (as a share of the rows) and noise level for kernels of 20 widths, over {count} resamples.
A kernel that is too wide makes the problem look simple and noisy; one that is too narrow makes it
look complex and free of noise. Neither number alone chooses a width, and both become erratic at the
ends of the range; the likelihood of [Figure 6](figure6.md) combines them. For sinc the paper's
range of widths is not known; this is that of its section 4.4.
"""
