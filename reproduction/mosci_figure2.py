"""ICML 2007, Figure 2: test error against threshold for growing samples; ridge does not help."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim import datasets, decompose, kernels
from reldim.inputs.targets import code_targets
from reproduction.cache import compute
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings, Table

__all__ = ["run"]

Array = NDArray[np.float64]

SIZES = (25, 50, 100, 400, 10_000)
FEATURES = 40

#: Thresholds on the eigenvalues, as shares of the largest; ridge parameters on the same scale.
THRESHOLDS = np.geomspace(1e-5, 0.9, 40)
RIDGES = np.geomspace(1e-6, 1.0, 25)


def run(settings: Settings) -> Page:
    """Draw the figure."""
    count = settings.count(50, 3)
    figure, axes = new_figure(1, 2, (10.5, 4.0))
    left, right = axes[0]
    rows, gains, best_counts = [], [], []
    data = {}
    styles = ("-", "--", "-.", ":", (0, (5, 1)))
    for color, line, n in zip(COLORS[1:6], styles, SIZES, strict=True):
        draws = compute(
            one_draw, "mosci-2-3", [(n, seed) for seed in range(count)], jobs=settings.jobs
        )
        cut = np.mean([draw["cut_off"] for draw in draws], axis=0)
        ridge = np.mean([draw["ridge"] for draw in draws], axis=0)
        plain = float(np.mean([draw["plain"] for draw in draws]))
        best = int(np.argmin(cut))
        components = float(np.median([draw["components"] for draw in draws]))
        best_counts.append(components)
        gain = float(np.median([min(draw["ridge"]) / draw["plain"] for draw in draws]))
        gains.append(gain)
        left.plot(THRESHOLDS, cut, color=color, linestyle=line, label=f"n = {n}")
        left.plot(THRESHOLDS[best], cut[best], "o", color=color, markersize=5)
        right.plot(RIDGES, ridge, color=color, linestyle=line, label=f"n = {n}")
        right.plot(RIDGES[0] / 3, plain, "o", color=color, markersize=5)
        rows.append([n, f"{components:g}", f"{plain:.3f}", f"{gain:.3f}"])
        data[str(n)] = {"cut_off": cut.tolist(), "ridge": ridge.tolist(), "plain": plain}
    left.set(
        title="spectral cut-off (minimum of the mean marked)",
        xlabel="threshold λ, share of the largest eigenvalue",
        ylabel="test error (mean squared)",
    )
    right.set(
        title="ridge on the best components (dot: no ridge)",
        xlabel="ridge parameter, share of the largest eigenvalue",
        ylabel="test error (mean squared)",
    )
    left.set_ylim(0.9, 4.0)
    for ax in (left, right):
        ax.set(xscale="log")
        ax.legend()
    checks = (
        Check(
            "components at the minimum grow with n, and reach all 40 for large n only",
            "yes",
            ", ".join(f"{value:g}" for value in best_counts),
            bool(
                best_counts[-1] == FEATURES
                and np.all(np.diff(best_counts) >= 0)
                and best_counts[0] < FEATURES / 2
            ),
            kind="property",
        ),
        Check(
            "least error of ridge on the best components over that without ridge, median",
            "about 1: no gain",
            ", ".join(f"{value:.3f}" for value in gains),
            bool(min(gains) > 0.95),
            kind="property",
        ),
    )
    columns = ("n", "components at the minimum", "least test error", "ridge / no ridge")
    return Page(
        name="mosci-figure2",
        title="Mosci et al., Figure 2: growing samples, and ridge on top",
        paper="icml2007",
        text=_TEXT.format(count=count),
        tables=(Table("**Ours**, means over draws.", columns, rows),),
        pictures=(
            Picture("Test error against threshold, and against a ridge parameter on top.", figure),
        ),
        checks=checks,
        seeds=f"0 to {count - 1}; 10 000 more for test rows",
        data={"thresholds": THRESHOLDS.tolist(), "ridges": RIDGES.tolist(), "results": data},
    )


def one_draw(n: int, seed: int) -> dict[str, Any]:
    """Fit one sample with all thresholds, and ridge on the components of the best of them."""
    train = datasets.gaussian_regression(n, features=FEATURES, random_state=seed)
    test = datasets.gaussian_regression(5000, features=FEATURES, random_state=10_000 + seed)
    # The rank is at most 40: no need of the whole matrix.
    spectrum = decompose(kernels.Linear(), train.X, center=True, solver="lowrank")
    targets = code_targets(train.y, "regression")
    z = spectrum.project(targets.values)[: spectrum.rank, 0]
    parts = spectrum.components(test.X) * z
    values = spectrum.eigenvalues[: spectrum.rank]
    counts = np.sum(values[:, None] > THRESHOLDS * values[0], axis=0)
    scores = np.cumsum(parts, axis=1) + targets.offset
    cut_off = np.array([np.mean((scores[:, m - 1] - test.y) ** 2) for m in counts])
    best = int(counts[np.argmin(cut_off)])
    leading = values[:best, None]
    shrink = leading / (leading + RIDGES * values[0])
    ridge = np.mean((parts[:, :best] @ shrink + targets.offset - test.y[:, None]) ** 2, axis=0)
    return {
        "cut_off": cut_off.tolist(),
        "components": best,
        "ridge": ridge.tolist(),
        "plain": float(cut_off.min()),
    }


_TEXT = """
Linear regression on 40 Gaussian features (`reldim.datasets.gaussian_regression`; the paper gives no
more than the number of features, here their spread falls as 1/j), samples of growing size, 5000
test rows, means over {count} draws. Left: least squares on the components above a threshold. Right:
ridge regression on the components that are best on the left, as the paper does to ask whether more
regularisation helps. The minimum is that of each draw, on its test rows: its components (median
over draws), its error (mean), and the components that ridge works on. The dots on the left mark the
minimum of the mean curve.
"""
