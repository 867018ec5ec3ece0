"""JMLR, Figure 9: kernel PCA coefficients of the splice data under three kernels."""

import numpy as np

from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.splice import analyse_splice

__all__ = ["TITLES", "binned", "run"]

TITLES = {
    "rbf": "(a) Gaussian, letters as numbers",
    "rbf (binary)": "(b) Gaussian, letters as unit vectors",
    "wdk": "(c) weighted-degree kernel",
}


def binned(values: np.ndarray, size: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Replace each ``size`` consecutive values by their mean; return places and means."""
    count = len(values) // size
    means = values[: count * size].reshape(count, size).mean(axis=1)
    return np.arange(count) * size + (size + 1) / 2, means


def run(settings: Settings) -> Page:
    """Draw the figure."""
    count = settings.count(20, 1)
    results = analyse_splice(count, settings.jobs)
    figure, axes = new_figure(2, 2, (10.0, 6.2))
    panels = axes.ravel()
    data = {}
    for place, (name, title) in enumerate(TITLES.items()):
        z = np.array([result[name]["coefficients"] for result in results])
        low, middle, high = np.percentile(z, [5, 50, 95], axis=0)
        index = np.arange(1, z.shape[1] + 1)
        color = COLORS[place + 1]
        ax = panels[place]
        ax.fill_between(
            index, low, high, color=color, alpha=0.3, linewidth=0, label="5 to 95 % percentile"
        )
        ax.plot(index, middle, color=color, linewidth=0.8, label="median")
        dimension = float(np.median([result[name]["dimension"] for result in results]))
        ax.axvline(dimension, color=COLORS[0], linestyle="--", linewidth=1)
        ax.text(dimension + 15, 8.2, f"dimension {dimension:g}")
        ax.set(title=title, ylim=(0, 10))
        ax.legend()
        panels[3].plot(*binned(middle), color=color, label=title[4:])
        data[name] = {"dimension": dimension, "median": middle.round(4).tolist()}
    panels[3].set(title="(d) medians compared, in bins of ten", ylim=(0, 2))
    panels[3].legend()
    for ax in panels:
        ax.set(xlabel="component, by decreasing eigenvalue", ylabel="coefficient |z|")
    floor = {name: float(np.mean(data[name]["median"][500:])) for name in TITLES}
    checks = (
        Check(
            "median dimension, letters as numbers",
            "87.5",
            f"{data['rbf']['dimension']:g}",
            None,
            "counted with Table 5",
        ),
        Check(
            "order of the noise floors (mean of the medians beyond component 500)",
            "numbers > unit vectors > weighted degree",
            ", ".join(f"{value:.2f}" for value in floor.values()),
            floor["rbf"] > floor["rbf (binary)"] > floor["wdk"],
            kind="property",
        ),
    )
    return Page(
        name="figure9",
        title="Figure 9: splice data, three kernels",
        paper="jmlr",
        text=_TEXT.format(count=count),
        pictures=(
            Picture("Kernel PCA coefficients of the splice data under three kernels.", figure),
        ),
        checks=checks,
        seeds="0 to 19 for the divisions",
        data=data,
    )


_TEXT = """
Absolute kernel PCA coefficients over {count} divisions of the splice data, as in
[Table 5](table5.md). A better representation gathers the information in fewer components and lowers
the floor of noise.
"""
