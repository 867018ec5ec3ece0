"""Slides of 2007: coefficients of two functions, three spectra, components of an RBF kernel."""

import numpy as np

from reldim import kernels
from reproduction.figure9 import TITLES, binned
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.splice import analyse_splice
from reproduction.sweep import whole_spectrum

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Draw the three figures."""
    coefficients, checks, data = _coefficients()
    return Page(
        name="slides",
        title="Slides: coefficients, spectra, components",
        paper="slides",
        text=_TEXT,
        pictures=(
            Picture(
                "Coefficients of sinc(x) and cos(x) sin(5x) beside the eigenvalues, width 1.",
                coefficients,
            ),
            Picture("The three spectra of the splice data compared.", _spectra(settings)),
            Picture("Eight kernel PCA components of exp(-|x - y|² / 0.1).", _components()),
        ),
        checks=checks,
        seeds="0 and 1",
        data=data,
    )


def _coefficients() -> tuple[object, tuple[Check, ...], dict[str, list[float]]]:
    x = np.random.default_rng(0).uniform(-np.pi, np.pi, 300)
    spectrum = whole_spectrum(kernels.Gaussian(width=1.0), x[:, None])
    index = np.arange(1, 31)
    figure, axes = new_figure(1, 2, (10.0, 3.8))
    functions = {"sinc(x)": np.sinc(x), "cos(x) sin(5x)": np.cos(x) * np.sin(5 * x)}
    reached, data = {}, {}
    for ax, color, (name, values) in zip(axes[0], COLORS[1:3], functions.items(), strict=True):
        z = np.abs(spectrum.project(values[:, None])[:, 0]) / np.sqrt(len(x))
        noisy = values + 0.1 * np.random.default_rng(1).standard_normal(len(x))
        floor = np.abs(spectrum.project(noisy[:, None])[:, 0]) / np.sqrt(len(x))
        ax.semilogy(index, spectrum.eigenvalues[:30], "--", color=COLORS[0], label="eigenvalues")
        ax.semilogy(index, z[:30], "o-", color=color, markersize=4, label="without noise")
        ax.semilogy(index, floor[:30], "x", color=COLORS[3], markersize=5, label="noise added")
        ax.set(title=name, xlabel="component", ylabel="|coefficient| / √n", ylim=(1e-9, 3))
        ax.legend(loc="lower left")
        energy = np.cumsum(z**2) / np.sum(z**2)
        reached[name] = int(np.argmax(energy > 0.999)) + 1
        data[name] = z[:30].tolist()
    check = Check(
        "components that hold 99.9 % of the function: sinc(x), cos(x) sin(5x)",
        "few; more for the second",
        f"{reached['sinc(x)']}, {reached['cos(x) sin(5x)']}",
        reached["sinc(x)"] < reached["cos(x) sin(5x)"] < 20,
        kind="property",
    )
    return figure, (check,), data


def _spectra(settings: Settings) -> object:
    results = analyse_splice(settings.count(20, 1), settings.jobs)
    figure, axes = new_figure(1, 1, (7.0, 3.8))
    ax = axes[0, 0]
    for color, (name, title) in zip(COLORS[1:4], TITLES.items(), strict=True):
        z = np.median([result[name]["coefficients"] for result in results], axis=0)
        ax.plot(*binned(z), color=color, label=title[4:])
    ax.set(
        xlabel="component, by decreasing eigenvalue",
        ylabel="coefficient |z|, means of ten",
        ylim=(0, 2),
        title="splice data, three kernels",
    )
    ax.legend()
    return figure


def _components() -> object:
    rng = np.random.default_rng(0)
    centres = np.array([[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]])
    X = np.repeat(centres, 30, axis=0) + 0.1 * rng.standard_normal((90, 2))
    spectrum = whole_spectrum(kernels.Gaussian(width=0.05), X)
    side = np.linspace(-1.0, 1.0, 90)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    values = spectrum.components(grid, 8)
    figure, axes = new_figure(2, 4, (11.0, 5.4))
    for place, ax in enumerate(axes.ravel()):
        image = values[:, place].reshape(90, 90)
        largest = np.abs(image).max()
        ax.contourf(side, side, image, levels=np.linspace(-largest, largest, 17), cmap="RdBu_r")
        ax.plot(*X.T, ".", color=COLORS[0], markersize=2.5)
        ax.set(
            title=f"{place + 1}: eigenvalue {spectrum.eigenvalues[place]:.3f}",
            xlabel="x₁",
            ylabel="x₂",
            aspect="equal",
            xlim=(-1, 1),
            ylim=(-1, 1),
        )
        ax.grid(visible=False)
    return figure


_TEXT = """
- **Coefficients.** Uniform inputs in [-π, π], Gaussian kernel of width 1. From some component on,
  the coefficients of smooth functions fall with the eigenvalues, down to round-off; noise of
  standard deviation 0.1 spreads evenly over all components.
- **Three spectra.** The better the kernel, the fewer components stand out and the lower the floor:
  as in [Figure 9](figure9.md).
- **Components.** The slides do not give their data; here are three clouds. The first components
  tell the clouds apart, the later ones split each of them.
"""
