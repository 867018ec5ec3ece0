"""Slides of 2007: what they draw, but for the brain-computer interface."""

import numpy as np

from reldim import datasets, kernels, relevant_dimension
from reproduction import sets
from reproduction.figure9 import TITLES, binned
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.splice import analyse_splice
from reproduction.sweep import whole_spectrum

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Draw the figures."""
    coefficients, checks, data = _coefficients()
    second, second_check = _second_direction()
    rotated, noise_check = _rotated_noise()
    return Page(
        name="slides",
        title="Slides: feature map, noise, coefficients, spectra, components",
        paper="slides",
        text=_TEXT,
        pictures=(
            Picture("Handwritten digits in feature space, rows by digit.", _feature_map()),
            Picture("Two classes that differ in the second direction.", second),
            Picture("Noise before and after the rotation by the eigenvectors.", rotated),
            Picture("Fit of the two-component model to a noisy sinc function.", _two_components()),
            Picture(
                "Coefficients of sinc(x) and cos(x) sin(5x) beside the eigenvalues, width 1.",
                coefficients,
            ),
            Picture("The three spectra of the splice data compared.", _spectra(settings)),
            Picture("Eight kernel PCA components of exp(-|x - y|² / 0.1).", _components()),
        ),
        checks=(*checks, second_check, noise_check),
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


def _feature_map() -> object:
    """Draw U L^(1/2) of 300 digits: columns are dimensions in feature space, rows are digits."""
    data = sets.load("usps")
    rows = np.random.default_rng(0).permutation(data.resamples[0].train)[:300]
    rows = rows[np.argsort(data.y[rows], kind="stable")]
    spectrum = whole_spectrum(kernels.Gaussian(width=64.0), data.X[rows].astype(np.float64))
    features = spectrum.kernel_map(count=40) * np.sqrt(len(rows))
    figure, axes = new_figure(1, 1, (7.0, 4.2))
    ax = axes[0, 0]
    largest = float(np.abs(features).max())
    image = ax.imshow(
        features,
        aspect="auto",
        cmap="RdBu_r",
        vmin=-largest,
        vmax=largest,
        extent=(0.5, 40.5, len(rows) - 0.5, -0.5),
    )
    starts = np.flatnonzero(np.diff(data.y[rows], prepend=-1))
    ax.set_yticks(starts, [f"{data.y[rows][start]:g}" for start in starts])
    ax.set(xlabel="dimension in feature space", ylabel="digits, by class", title="USPS digits")
    ax.grid(visible=False)
    figure.colorbar(image)
    return figure


def _second_direction() -> tuple[object, Check]:
    """Draw classes that differ across the direction of the largest variance."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 50)
    X = np.diag([3.0, 1.0, *0.6 ** np.arange(1, 9)]) @ rng.standard_normal((10, 100))
    X[1] = 1.5 * y + 0.5 * X[1]
    spectrum = whole_spectrum(kernels.Linear(), X.T)
    s = np.abs(spectrum.project(y[:, None])[:10, 0])
    figure, axes = new_figure(1, 2, (10.0, 3.6))
    left, right = axes[0]
    for label, marker, color in ((1, "o", COLORS[2]), (-1, "x", COLORS[1])):
        left.plot(*X[:2, y == label], marker, color=color, markersize=4, label=f"class {label:+d}")
    left.set(xlabel="x₁", ylabel="x₂", aspect="equal", title="ten dimensions, the first two")
    left.legend()
    right.bar(np.arange(1, 11), s, color=COLORS[1])
    right.set(xlabel="principal direction", ylabel="|s|", title="contributions to the labels")
    share = float(s[1] ** 2 / np.sum(y**2))
    check = Check(
        "class membership is concentrated in direction 2",
        "yes",
        f"{share:.0%} of the labels there, {float(s[0] ** 2 / np.sum(y**2)):.0%} in direction 1",
        share > 0.5,
        kind="property",
    )
    return figure, check


def _rotated_noise() -> tuple[object, Check]:
    """Draw noise by row, and by component."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-np.pi, np.pi, (200, 1))
    noise = rng.standard_normal(200)
    rotated = whole_spectrum(kernels.Gaussian(width=1.0), x).project(noise[:, None])[:, 0]
    figure, axes = new_figure(1, 2, (10.0, 3.0))
    for ax, values, title in zip(
        axes[0], (noise, rotated), ("noise by row", "noise by component"), strict=True
    ):
        ax.plot(np.arange(1, 201), values, ".", color=COLORS[1])
        ax.set(title=title, ylim=(-4, 4), xlabel="row" if values is noise else "component")
    halves = [float(half.std()) for half in np.split(rotated, 2)]
    check = Check(
        "the rotation leaves noise as it is: deviation in the first and second half of components",
        "the same",
        f"{halves[0]:.2f}, {halves[1]:.2f}",
        # The ratio of two sample variances of 100 rows lies between these in 99 of 100 cases.
        0.59 < halves[0] ** 2 / halves[1] ** 2 < 1.69,
        kind="property",
    )
    return figure, check


def _two_components() -> object:
    """Draw coefficients with both deviations, and the negative log-likelihood of the cut."""
    data = datasets.noisy_sinc(100, noise=0.2, random_state=0)
    spectrum = whole_spectrum(kernels.Gaussian(width=1.0), data.X)
    rd = relevant_dimension(spectrum, data.y, variant="paper", center_targets=False)
    z, d = np.abs(spectrum.project(data.y[:, None])[:, 0]), rd.dimension
    figure, axes = new_figure(1, 2, (10.0, 3.6))
    left, right = axes[0]
    left.plot(np.arange(1, 101), z, ".", color=COLORS[1])
    for start, stop, color in ((0, d, COLORS[2]), (d, 100, COLORS[3])):
        sigma = float(np.sqrt(np.mean(z[start:stop] ** 2)))
        label = f"deviation {sigma:.2g}"
        left.hlines(sigma, start + 0.5, stop + 0.5, color=color, linewidth=2, label=label)
    left.set(xlabel="component", ylabel="|s|", title="two zero-mean Gaussians")
    left.legend()
    right.plot(np.arange(1, len(rd.curve) + 1), rd.curve, color=COLORS[1])
    right.axvline(d, color=COLORS[2], linestyle=":", label=f"minimum at {d}")
    right.set(xlabel="d", ylabel="negative log-likelihood", title="cut between them")
    right.legend()
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
- **Feature map.** 300 of the digits, whose rows of U L^(1/2) have the kernel as their scalar
  products; the variance falls from dimension to dimension.
- **Second direction.** Large principal directions need not be informative. The slides do not give
  their data; here are two classes that differ across the direction of the largest variance.
- **Noise.** The eigenvectors are a rotation, and noise looks the same after it.
- **Two components.** Coefficients, the two deviations that fit best, and the likelihood of the cut.
- **Coefficients.** Uniform inputs in [-π, π], Gaussian kernel of width 1. From some component on,
  the coefficients of smooth functions fall with the eigenvalues, down to round-off; noise of
  standard deviation 0.1 spreads evenly over all components.
- **Three spectra.** The better the kernel, the fewer components stand out and the lower the floor:
  as in [Figure 9](figure9.md).
- **Components.** The slides do not give their data; here are three clouds. The first components
  tell the clouds apart, the later ones split each of them.
"""
