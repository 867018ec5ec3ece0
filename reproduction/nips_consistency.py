"""NIPS, "A Note on Consistency": denoising while the dimension grows more slowly than n."""

import math
from typing import Any

import numpy as np

from reldim import datasets, kernels, relevant_dimension
from reldim.relevance.estimation import estimate
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings, Table
from reproduction.sweep import whole_spectrum

__all__ = ["run"]

#: A kernel of full rank, so that there are as many components as a rule asks for.
KERNEL = kernels.Laplacian(scale=3.0)

NOISE = 0.3

#: Errors that fall as the root of n are half as large for four times the rows; this is half way
#: between that and errors that stay.
FALLING = 1.4

#: What is added to the relevant dimension.
RULES = {
    "d": lambda n: 0 * n,
    "d + log n": lambda n: math.ceil(math.log(n)),
    "d + √n": lambda n: math.ceil(math.sqrt(n)),
    "d + n / 10": lambda n: n // 10,
}


def run(settings: Settings) -> Page:
    """Draw the figure."""
    sizes = [100, 200, 400, 800] if settings.quick else [100, 200, 400, 800, 1600]
    count = settings.count(10, 2)
    found = np.array([[denoise(n, seed) for seed in range(count)] for n in sizes]).mean(axis=1)
    figure, axes = new_figure(1, 2, (10.0, 3.8))
    left, right = axes[0]
    for place, name in enumerate(RULES):
        style: dict[str, Any] = {"color": COLORS[place], "marker": "o", "label": name}
        left.loglog(sizes, found[:, place, 0], **style)
        right.loglog(sizes, found[:, place, 1], **style)
    left.set(title="error of the denoised targets", xlabel="n", ylabel="mean squared error")
    right.set(
        title="error of the variance of the noise", xlabel="n", ylabel="share of the variance"
    )
    left.legend()
    falls = found[-3, :, 0] / found[-1, :, 0]
    rows = [
        [name, *(f"{found[row, place, 0]:.2g}" for row in range(len(sizes)))]
        for place, name in enumerate(RULES)
    ]
    checks = tuple(
        Check(
            f"{name}: the error of the denoised targets vanishes",
            "yes" if sublinear else "no, d grows like n",
            f"{falls[place]:.1f} times smaller for four times the rows",
            bool((falls[place] > FALLING) == sublinear),
            kind="property" if sublinear else "other",
        )
        for place, name in enumerate(RULES)
        for sublinear in ["n /" not in name]
    )
    return Page(
        name="nips-consistency",
        title="NIPS, consistency: dimensions that grow more slowly than n",
        paper="nips",
        text=_TEXT.format(count=count, noise=NOISE, least=sizes[0], most=sizes[-1]),
        tables=(Table("**Error of the denoised targets** by n.", ("", *map(str, sizes)), rows),),
        pictures=(Picture("Errors of denoised targets and of the noise against n.", figure),),
        checks=checks,
        seeds=f"0 to {count - 1}",
        data={"sizes": sizes, "errors": found.round(6).tolist()},
    )


def denoise(n: int, seed: int) -> list[tuple[float, float]]:
    """Return for each rule the error of the denoised targets, and that of the noise's variance."""
    data = datasets.noisy_sinc(n, noise=NOISE, random_state=seed)
    spectrum = whole_spectrum(KERNEL, data.X)
    rd = relevant_dimension(spectrum, data.y)
    pairs = []
    for rule in RULES.values():
        d = min(rd.dimension + rule(n), spectrum.rank)
        fit = estimate(spectrum, rd.targets, dimension=d).denoised
        variance = np.mean((data.y - fit) ** 2)
        pairs.append((np.mean((fit - data.truth) ** 2), abs(variance / NOISE**2 - 1.0)))
    return pairs


_TEXT = """
The paper notes that denoised targets and noise level are consistent if the dimension grows more
slowly than n, since each component fits a share 1/n of the noise, and that log n or √n may be
added to the estimate (`Relevant(margin="log")`). Here are means over {count} draws of a sinc
function with noise of standard deviation {noise:g}, n from {least} to {most}, the kernel exp(-|x -
y| / 3), and for comparison a dimension that grows with n: a tenth of the noise then stays in the
fit. An error vanishes here if four times the rows leave less than 1 / 1.4 of it.
"""
