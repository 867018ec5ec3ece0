"""Draw the picture of the page "What the relevant dimension is".

    python docs/figures/idea.py [folder]

It is made from a fixed seed, so that it changes only when the code does.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from reldim import datasets, decompose, kernels, relevant_dimension
from reldim.plots.canvas import BLUE, GREY, LINES, VERMILION, tidy

FOLDER = Path(__file__).resolve().parents[1] / "images"


def idea() -> Any:
    """Draw measurements, the waves they are made of, their sizes, and three fits."""
    data = datasets.noisy_sinc(100, noise=0.2, random_state=2)
    spectrum = decompose(kernels.Gaussian(width=0.1), data.X)
    found = relevant_dimension(spectrum, data.y)
    x = np.linspace(-3.0, 3.0, 400)[:, None]
    order = np.argsort(data.X[:, 0])
    figure, axes = plt.subplots(2, 2, figsize=(11.5, 7.4), layout="constrained")
    (given, waves), (sizes, fits) = axes

    given.plot(data.X, data.y, ".", color=GREY, label="rows")
    given.plot(data.X[order], data.truth[order], color=BLUE, label="what is to be found")
    given.set(title="1. Rows: a signal, and noise", xlabel="x", ylabel="target")

    components = spectrum.components(x)[:, [0, 1, 2, 5]]
    for (color, style), wave, number in zip(LINES, components.T, (1, 2, 3, 6), strict=False):
        label = f"component {number}"
        waves.plot(x, wave / np.abs(wave).max(), color=color, linestyle=style, label=label)
    waves.set(title="2. The kernel's components: waves, slow ones first", xlabel="x", ylabel="")
    waves.set_yticks([])

    size = np.abs(found.coefficients)[:40]
    numbers, d = np.arange(1, len(size) + 1), found.dimension
    sizes.bar(numbers[:d], size[:d], color=BLUE, label="signal and noise")
    sizes.bar(numbers[d:], size[d:], color=GREY, label="noise alone")
    sizes.axvline(d + 0.5, color=VERMILION, label=f"relevant dimension {d}")
    sizes.set(title="3. How much of each is in the targets", xlabel="component", ylabel="size")

    U, z = spectrum.components(x), found.coefficients
    fits.plot(data.X, data.y, ".", color=GREY, alpha=0.5)
    for count, (color, style) in zip((2, d, 30), LINES, strict=False):
        fit = U[:, :count] @ z[:count] + found.targets.offset
        fits.plot(x, fit, color=color, linestyle=style, label=f"{count} components")
    fits.set(title="4. Too few miss the signal, too many draw the noise", xlabel="x")
    fits.set(ylabel="target", ylim=(data.y.min() - 0.3, data.y.max() + 0.3))

    for ax in axes.ravel():
        tidy(ax)
        ax.legend(fontsize="small")
    return figure


def main(folder: Path) -> None:
    """Draw it."""
    mpl.use("agg")
    folder.mkdir(parents=True, exist_ok=True)
    figure = idea()
    figure.savefig(folder / "relevant-dimension.png", dpi=80)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
