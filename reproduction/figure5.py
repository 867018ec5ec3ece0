"""JMLR, Figure 5: dimension and noise level against the width of the kernel."""

from typing import Any

import numpy as np

from reldim import relevant_dimension
from reldim.kernels import Gaussian
from reproduction.cache import compute
from reproduction.figures import COLORS, bands, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.sweep import benchmark, source_of, sweep_benchmarks, whole_spectrum
from reproduction.toys import draw, sweep_toys

__all__ = ["PERCENTILES", "percentiles", "run"]

PERCENTILES = (10, 25, 50, 75, 90)

#: Widths below the range of the figure, to find out why noise levels do not fall further.
NARROWER: dict[str, tuple[float, ...]] = {"banana": (1e-4, 1e-3), "sinc": ()}


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
    checks, free = [], {}
    for key, rows in (("banana", banana), ("sinc", sinc)):
        chosen = _chosen(rows)
        narrow = [*NARROWER[key], *rows[0]["width"][:chosen]]
        levels = _noise_of_any_dimension(key, narrow, settings)
        free[key] = {f"{width:.2g}": level for width, level in zip(narrow, levels, strict=True)}
        inside = levels[len(NARROWER[key]) :]
        cause = _CAUSES[key].format(inside=min(inside), beyond=levels[0])
        checks += _checks(key, dimension[key], noise[key], chosen, cause)
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
        notes=_NOTES,
        seeds=f"0 to {count - 1} for the random divisions and for the draws of sinc",
        data={
            "widths": {"banana": banana[0]["width"], "sinc": sinc[0]["width"]},
            "dimension": {key: value.round(5).tolist() for key, value in dimension.items()},
            "noise_level": {key: value.round(5).tolist() for key, value in noise.items()},
            "noise_level_of_any_dimension": free,
        },
    )


def _chosen(rows: list[dict[str, Any]]) -> int:
    """Place of the width that the likelihood chooses most often."""
    return int(np.bincount([int(np.argmin(r["value_tcm"])) for r in rows]).argmax())


def _noise_of_any_dimension(name: str, widths: list[float], settings: Settings) -> list[float]:
    """Return the median noise level at each width where d may be anything from 1 to n - 1."""
    count = settings.count(20)
    kind = f"figure5-1-{source_of('banana') if name == 'banana' else 'drawn'}"
    tasks = [(name, number, f"{width:.6g}") for width in widths for number in range(count)]
    found = compute(noise_of_any_dimension, kind, tasks, jobs=settings.jobs)
    return [float(level) for level in np.median(np.reshape(found, (-1, count)), axis=1)]


def noise_of_any_dimension(name: str, number: int, width: str) -> float:
    """Return the noise level of one resample; for numbers it is not normalised."""
    if name == "banana":
        data = benchmark(name)
        train = data.resamples[number].train
        X, y, unit = data.X[train], data.y[train], 1.0
    else:
        data = draw("noisy", 100, number)
        X, y, unit = data.X, data.y, float(data.y.var())
    spectrum = whole_spectrum(Gaussian(float(width)), X)
    most = min(len(y) - 1, spectrum.rank)
    rd = relevant_dimension(spectrum, y, variant="paper", center_targets=False, max_dimension=most)
    return rd.noise_level * unit


def _checks(
    name: str, dimension: np.ndarray, noise: np.ndarray, chosen: int, cause: str
) -> list[Check]:
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
            "" if quiet else cause,
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


#: Why narrow kernels still see noise; found by letting d go up to n - 1.
_CAUSES = {
    "banana": (
        "the range of widths ends too early, and d is held to n/2: with d up to n - 1 the median "
        "of 20 resamples is at least {inside:.3f} in this range, and {beyond:.3f} at a width of "
        "0.0001, where K is nearly diagonal and a component is a row"
    ),
    "sinc": (
        "the dimension is held to n/2: where K is nearly diagonal a component is a row, and the "
        "rows that are not among the first d stay open; with d up to n - 1 the median of 20 draws "
        "goes down to {inside:.3f}"
    ),
}

_TEXT = """
Dimension (as a share of the rows) and noise level for kernels of 20 widths, over {count} resamples.
A kernel that is too wide makes the problem look simple and noisy; one that is too narrow makes it
look complex and free of noise. Neither number alone chooses a width, and both become erratic at the
ends of the range; the likelihood of [Figure 6](figure6.md) combines them. For sinc the paper's
range of widths is not known; this is that of its section 4.4.
"""

_NOTES = """
**Narrow kernels and round-off.** Under the narrowest kernels for sinc K is the identity but for
round-off, so that components are a matter of chance: with the arithmetic of another processor
(`OPENBLAS_CORETYPE`) single draws have other dimensions there, 48 in place of 15 for the first at a
width of 1e-6. From a width of 3e-4 on they are the same.
"""
