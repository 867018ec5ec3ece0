"""NIPS, Figure 2: spectrum, likelihood and fit of the toy problem."""

from typing import Any

import numpy as np

from reldim.datasets import Dataset
from reldim.spectrum.expansion import Expansion
from reproduction.figures import COLORS, new_figure
from reproduction.nips import ROWS, SEED, fit, toy
from reproduction.pages import Check, Page, Picture, Settings

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Draw the figure."""
    repetitions = settings.count(100, 5)
    data, test = toy(ROWS, SEED), toy(1000, 10_000)
    rd = fit(data)
    most = min(ROWS // 2, rd.spectrum.rank)
    z = rd.coefficients
    index = np.arange(1, most + 1)
    train_error, test_error = (
        np.mean((np.cumsum(components * z[:most], axis=1) > 0) != (y > 0)[:, None], axis=0)
        for components, y in (
            (rd.spectrum.eigenvectors[:, :most], data.y),
            (rd.spectrum.components(test.X, most), test.y),
        )
    )
    figure, axes = new_figure(1, 3, (11.5, 3.7))
    left, middle, right = axes[0]
    left.plot(
        index,
        np.abs(z[:most]) / np.linalg.norm(data.y),
        "o",
        color=COLORS[1],
        markersize=3,
        label="contribution",
    )
    left.plot(index, train_error, color=COLORS[0], linestyle="--", label="training error")
    left.plot(index, test_error, color=COLORS[2], label="test error")
    left.set(title="(a) contributions and errors", xlabel="components", ylabel="share")
    left.legend()
    middle.plot(np.arange(1, len(rd.curve) + 1), rd.curve, color=COLORS[1])
    middle.plot(rd.dimension, rd.curve[rd.dimension - 1], "o", color=COLORS[2])
    middle.annotate(
        f"minimum at {rd.dimension}",
        (rd.dimension, rd.curve[rd.dimension - 1]),
        xytext=(12, 2),
        textcoords="offset points",
        color=COLORS[2],
    )
    middle.set(title="(b) negative log-likelihood", xlabel="dimension d", ylabel="-log l(d) / n")
    _draw_fit(right, data, Expansion.of(rd.spectrum, rd.leading_coefficients, rd.targets.offset))
    found = [fit(toy(ROWS, seed)).dimension for seed in range(repetitions)]
    checks = (
        Check("dimension", "4", str(rd.dimension), rd.dimension == 4, kind="illustration"),
        Check(
            f"dimension in {repetitions} draws: median, 5 and 95 % percentile",
            "4",
            "{1:g} ({0:g} to {2:g})".format(*np.percentile(found, [5, 50, 95])),
            bool(np.median(found) == 4),
            kind="illustration",
        ),
    )
    return Page(
        name="nips-figure2",
        title="NIPS Figure 2: spectrum, likelihood and fit",
        paper="nips",
        text=_TEXT,
        pictures=(Picture("Contributions and errors, likelihood, and the fit.", figure),),
        checks=checks,
        seeds=f"{SEED} for the picture, 0 to {repetitions - 1} for the draws, 10 000 for test rows",
        data={
            "dimensions": found,
            "curve": rd.curve.round(6).tolist(),
            "test_error": test_error.round(5).tolist(),
        },
    )


def _draw_fit(ax: Any, data: Dataset, predict: Expansion) -> None:
    side = np.linspace(-3.2, 3.2, 100)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    values = predict(grid)[:, 0].reshape(100, 100)
    ax.contourf(side, side, values, levels=15, cmap="RdBu_r", alpha=0.6)
    ax.contour(side, side, values, levels=[0.0], colors="black", linewidths=1.5)
    for label, marker, color in ((1, "o", "white"), (-1, "s", "black")):
        chosen = data.y == label
        ax.plot(
            *data.X[chosen].T,
            marker,
            color=color,
            markeredgecolor="black",
            markersize=3.5,
            label=f"class {label:+d}",
        )
    ax.grid(visible=False)
    ax.set(title="(c) fit of the relevant components", xlabel="x₁", ylabel="x₂", aspect="equal")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


_TEXT = """
The problem of [Figure 1](nips-figure1.md). Every component contributes to the labels, but beyond
the fourth only noise: the training error falls on, the error on 1000 test rows rises. The
likelihood has its minimum there, and the fit of the first components separates the classes.
"""
