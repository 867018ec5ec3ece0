"""JMLR, Figure 2: the relevant information vector of a classification and of a regression."""

from typing import Any

import numpy as np

from reldim import RelevantDimension, datasets
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.sweep import WIDTHS, choose_width

__all__ = ["run"]

#: Two overlapping classes on a line: centres and common standard deviation.
CENTRE, DEVIATION = 1.0, 0.9
ROWS = 100


def run(settings: Settings) -> Page:
    """Draw the figure."""
    del settings
    figure, axes = new_figure(1, 2, (10.0, 3.8))
    x = np.linspace(-np.pi, np.pi, 400)
    classes, numbers = two_classes(ROWS, 0), datasets.noisy_sinc(ROWS, noise=0.3, random_state=0)
    checks = []
    for ax, data, truth, title in (
        (axes[0, 0], classes, expected_label(x), "classification: P(+1 | x) - P(-1 | x)"),
        (axes[0, 1], numbers, np.sinc(x), "regression: the function"),
    ):
        rd = choose_width(data.X, data.y, WIDTHS)
        ax.plot(x, truth, color=COLORS[5], linewidth=1, label="E(Y | x)")
        ax.plot(data.X[:, 0], data.y, "x", color=COLORS[2], markersize=4, label="targets Y")
        ax.plot(data.X[:, 0], data.truth, "o", color=COLORS[1], markersize=3, label="vector G")
        fitted = rd.targets.offset + rd.spectrum.combine(rd.leading_coefficients)
        ax.plot(data.X[:, 0], fitted, ".", color=COLORS[0], markersize=3, label="estimate")
        ax.set(title=title, xlabel="x", ylabel="y")
        ax.legend()
        checks += _checks(title.partition(":")[0], data, rd, fitted[:, 0])
    return Page(
        name="figure2",
        title="Figure 2: relevant information vectors",
        paper="jmlr",
        text=_TEXT.format(n=ROWS),
        pictures=(Picture("Targets, their expectations, and the estimate of these.", figure),),
        checks=tuple(checks),
        seeds="0",
    )


def two_classes(n: int, seed: int) -> datasets.Dataset:
    """Draw two overlapping Gaussian classes on a line, with the expected label of each row."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.uniform(size=n) < 0.5, 1.0, -1.0)
    x = CENTRE * y + DEVIATION * rng.standard_normal(n)
    return datasets.Dataset("two classes", x[:, None], y, expected_label(x), "drawn")


def expected_label(x: Any) -> Any:
    """Return P(+1 | x) - P(-1 | x) of the two classes."""
    return np.tanh(CENTRE * x / DEVIATION**2)


def _checks(
    name: str, data: datasets.Dataset, rd: RelevantDimension, fitted: np.ndarray
) -> list[Check]:
    G = np.asarray(data.truth)
    before, after = (float(np.mean((each - G) ** 2)) for each in (data.y, fitted))
    return [
        Check(
            f"{name}: mean squared distance to G of the targets, and of their projection on "
            f"{rd.dimension} components",
            "projection denoises",
            f"{before:.3f}, {after:.3f}",
            after < 0.5 * before,
            kind="illustration",
        )
    ]


_TEXT = """
The relevant information vector G holds the expected target of each row: the function itself in a
regression, and in a classification the difference of the class probabilities, whose sign is the
best prediction that can be made. The paper's data are not printed; here are two overlapping
Gaussian classes and the noisy sinc, {n} rows each, with the projection of the targets on the
relevant components, which estimates G.
"""
