"""JMLR, Figure 7: the complex and the noisy problem, and their kernel PCA coefficients."""

import numpy as np

from reproduction.figures import COLORS, new_figure
from reproduction.pages import Page, Picture, Settings
from reproduction.sweep import choose_width
from reproduction.toys import WIDTHS, draw

__all__ = ["run"]

SEED = 0


def run(settings: Settings) -> Page:
    """Draw the figure."""
    del settings
    figure, axes = new_figure(2, 2, (9.0, 6.4))
    found = {}
    for column, (problem, title) in enumerate(
        [("complex", "complex: sin(35 x), little noise"), ("noisy", "noisy: sinc(x), much noise")]
    ):
        data = draw(problem, 100, SEED)
        best = choose_width(data.X, data.y, WIDTHS)
        found[problem] = {
            "dimension": best.dimension,
            "noise_level": best.noise_level,
            "kernel": repr(best.spectrum.gram.kernel),
        }
        x = np.linspace(-np.pi, np.pi, 2000)
        truth = np.sin(35 * x) if problem == "complex" else np.sinc(x)
        top, bottom = axes[0, column], axes[1, column]
        top.plot(x, truth, color=COLORS[5], linewidth=0.8, label="truth")
        top.plot(data.X[:, 0], data.y, "o", color=COLORS[0], markersize=3, label="100 data points")
        top.set(title=title, xlabel="x", ylabel="y")
        top.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
        z = np.abs(best.coefficients)
        bottom.vlines(np.arange(1, 101), 0, z, color=COLORS[1], linewidth=1.2)
        bottom.axvline(best.dimension + 0.5, color=COLORS[2], linestyle="--")
        bottom.text(
            best.dimension + 2,
            0.92 * z.max(),
            f"dimension {best.dimension}",
            color=COLORS[2],
        )
        bottom.set(
            xlabel="kernel PCA component, by decreasing eigenvalue",
            ylabel="coefficient |z|",
            title=f"width {best.spectrum.gram.kernel.width:.2g}",
        )
    return Page(
        name="figure7",
        title="Figure 7: a complex and a noisy data set",
        paper="jmlr",
        text=_TEXT,
        pictures=(Picture("Two data sets and their kernel PCA coefficients.", figure),),
        data=found,
    )


_TEXT = """
Above, the two data sets of Table 2. Below, their kernel PCA coefficients under the width that the
likelihood chooses: the noisy problem has few large coefficients and an even floor of noise, the
complex one needs dozens of components. What this looks like over many draws stands in
[Table 2](table2.md).
"""
