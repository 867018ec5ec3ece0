"""JMLR, Figure 5: dimension and noise level against the width of the kernel."""

from typing import Any

import numpy as np

from reproduction.figures import COLORS, bands, new_figure
from reproduction.pages import Page, Picture, Settings
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
        data={
            "widths": {"banana": banana[0]["width"], "sinc": sinc[0]["width"]},
            "dimension": {key: value.round(5).tolist() for key, value in dimension.items()},
            "noise_level": {key: value.round(5).tolist() for key, value in noise.items()},
        },
    )


_TEXT = """
Dimension (as a share of the rows) and noise level for kernels of 20 widths, over {count} resamples.
A kernel that is too wide makes the problem look simple and noisy; one that is too narrow makes it
look complex and free of noise. Neither number alone chooses a width, and both become erratic at the
ends of the range; the likelihood of [Figure 6](figure6.md) combines them. For sinc the paper's
range of widths is not known; this is that of its section 4.4.
"""
