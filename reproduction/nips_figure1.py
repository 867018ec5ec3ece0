"""NIPS, Figure 1: six kernel PCA components, with variance and contribution."""

import numpy as np

from reproduction.figures import new_figure
from reproduction.nips import ROWS, SEED, fit, toy
from reproduction.pages import Check, Page, Picture, Settings

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Draw the figure."""
    del settings
    data = toy(ROWS, SEED)
    rd = fit(data)
    z = np.abs(rd.coefficients) / np.linalg.norm(data.y)
    side = np.linspace(-3.2, 3.2, 80)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    components = rd.spectrum.components(grid, 6)
    figure, axes = new_figure(2, 3, (9.5, 6.4))
    for place, ax in enumerate(axes.ravel()):
        values = components[:, place].reshape(80, 80)
        largest = np.abs(values).max()
        drawn = ax.contourf(
            side, side, values, levels=np.linspace(-largest, largest, 15), cmap="RdBu_r", alpha=0.8
        )
        for label, marker, color in ((1, "o", "white"), (-1, "s", "black")):
            chosen = data.y == label
            ax.plot(
                *data.X[chosen].T,
                marker,
                color=color,
                markeredgecolor="black",
                markersize=3.5,
                linestyle="none",
                label=f"class {label:+d}",
            )
        ax.grid(visible=False)
        ax.set(
            title=f"component {place + 1}: variance {rd.spectrum.eigenvalues[place]:.3f},\n"
            f"contribution {z[place]:.2f}",
            xlabel="x₁",
            ylabel="x₂",
            aspect="equal",
        )
        figure.colorbar(drawn, ax=ax, shrink=0.8, format="%.2f")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    top = int(np.argmax(z[:6])) + 1
    others = float(np.delete(z[:6], top - 1).max())
    checks = (
        Check(
            "the one relevant component of the first six",
            "4",
            str(top),
            top == 4,
            kind="illustration",
        ),
        Check(
            "its contribution, and the largest of the other five",
            "only the fourth is significant",
            f"{z[top - 1]:.2f}, {others:.2f}",
            bool(z[top - 1] > 3 * others),
            kind="illustration",
        ),
    )
    return Page(
        name="nips-figure1",
        title="NIPS Figure 1: six kernel PCA components",
        paper="nips",
        text=_TEXT.format(width=rd.spectrum.gram.kernel.width, n=ROWS),
        pictures=(
            Picture("The first six components, their variance and their contribution.", figure),
        ),
        checks=checks,
        seeds=f"{SEED}",
        data={"contributions": z.round(5).tolist()},
    )


_TEXT = """
Contribution is |u·y| / |y|: squares add up to one over all components. The paper's data are not
printed; `reldim.datasets.four_clouds` has the property that the figure shows. The product of the
coordinates tells the classes apart, and it is the fourth component, after the constant and the two
directions of the plane. {n} rows, width {width:.2g} by the likelihood.
"""
