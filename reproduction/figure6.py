"""JMLR, Figure 6: the likelihood against the test error, over the width of the kernel."""

from typing import Any

import numpy as np
from scipy.stats import spearmanr

from reproduction.figure5 import percentiles
from reproduction.figures import COLORS, bands, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.sweep import sweep_benchmarks
from reproduction.toys import sweep_toys

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Draw the figure."""
    count = settings.count(100)
    banana = sweep_benchmarks("banana", count, settings.jobs)
    sinc = sweep_toys("noisy", 100, count, settings.jobs)
    figure, axes = new_figure(1, 2, (10.0, 3.8))
    checks, data = [], {}
    for ax, name, rows, label in (
        (axes[0, 0], "banana", banana, "test error (share of wrong labels)"),
        (axes[0, 1], "noisy sinc", sinc, "test error (mean squared error)"),
    ):
        width = np.array(rows[0]["width"])
        error = percentiles([np.multiply(r["error_tcm"], r.get("test_variance", 1)) for r in rows])
        likelihood = percentiles([r["value_tcm"] for r in rows])
        scaled = _rescale(likelihood, error)
        bands(ax, width, error, COLORS[2], label)
        bands(ax, width, scaled, COLORS[1], "negative log-likelihood (scaled)")
        ax.set(xscale="log", title=name, xlabel="kernel width w", ylabel="test error")
        ax.set_ylim(0, 1.15 * max(scaled.max(), np.percentile(error[3], 90)))
        ax.legend()
        rank = float(spearmanr(likelihood[2], error[2]).statistic)
        regret = _regret(rows)
        checks.append(
            Check(
                f"{name}: rank correlation of the medians over widths",
                "highly correlated",
                f"{rank:.2f}",
                rank > 0.8,
                kind="property",
            )
        )
        checks.append(
            Check(
                f"{name}: test error at the chosen width over the least of any width, median",
                "",
                f"{regret:.3f}",
                None,
                kind="property",
            )
        )
        data[name] = {
            "widths": width.tolist(),
            "negative_log_likelihood": likelihood.round(5).tolist(),
            "test_error": error.round(5).tolist(),
        }
    return Page(
        name="figure6",
        title="Figure 6: the likelihood follows the test error",
        paper="jmlr",
        text=_TEXT.format(count=count),
        pictures=(
            Picture(
                "10, 25, 50, 75 and 90 % percentiles of test error and scaled likelihood.", figure
            ),
        ),
        checks=tuple(checks),
        seeds="0 to 99 for the random divisions and for the draws of sinc",
        data=data,
    )


def _rescale(values: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Shift and stretch the medians of one quantity to the range of the other's."""
    low, high = values[2].min(), values[2].max()
    bottom, top = target[2].min(), np.percentile(target[2], 90)
    return np.asarray(bottom + (values - low) / (high - low) * (top - bottom))


def _regret(rows: list[dict[str, Any]]) -> float:
    ratios = [r["error_tcm"][int(np.argmin(r["value_tcm"]))] / min(r["error_tcm"]) for r in rows]
    return float(np.median(ratios))


_TEXT = """
Negative log-likelihood at the estimated dimension, shifted and stretched to fit into the plot, and
the test error of least squares on the leading components, for kernels of 20 widths over {count}
resamples. The two fall and rise together, so that the likelihood can choose the width.
"""
