"""ICML 2000, Figure 2: eigenvalues of Gram matrices against theory."""

import numpy as np

from reldim import kernels
from reldim.theory import GaussianDensity, gram_convergence
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings
from reproduction.williams_figure1 import system

__all__ = ["run"]

COUNT = 20


def run(settings: Settings) -> Page:
    """Draw the figure."""
    n = settings.count(500, 100)
    seen = gram_convergence(
        kernels.Gaussian(1 / 6),
        GaussianDensity(1 / 4),
        [n],
        repeats=10,
        count=COUNT,
        random_state=0,
    )
    theory = system(COUNT).eigenvalues
    mean, low, high = (part[0] for part in (seen.mean, seen.lowest, seen.highest))
    index = np.arange(1, COUNT + 1)
    figure, axes = new_figure(1, 1, (6.5, 4.0))
    ax = axes[0, 0]
    ax.plot(index, np.log(theory), color=COLORS[2], label="theory")
    logs = np.log(np.array([low, mean, high]))
    ax.errorbar(
        index,
        logs[1],
        yerr=[logs[1] - logs[0], logs[2] - logs[1]],
        fmt="*",
        color=COLORS[1],
        capsize=3,
        label="ten samples: mean, least and greatest",
    )
    ax.set(xlabel="index of the eigenvalue", ylabel="log eigenvalue", xticks=range(0, 21, 5))
    ax.legend()
    inside = (low <= theory) & (theory <= high)
    relative = np.abs(mean / theory - 1)
    checks = (
        Check(
            "theory inside the range of ten samples, eigenvalues 1 to 5",
            "good agreement for small k",
            f"{int(inside[:5].sum())} of 5",
            bool(inside[:5].all()),
            kind="property",
        ),
        Check(
            "relative error of the mean, eigenvalues 1 to 5 and 16 to 20",
            "grows with k",
            f"{relative[:5].mean():.3f}, {relative[15:].mean():.3f}",
            bool(relative[15:].mean() > relative[:5].mean()),
            kind="property",
        ),
    )
    return Page(
        name="williams-figure2",
        title="Williams and Seeger, Figure 2: Gram eigenvalues against theory",
        paper="icml2000",
        text=_TEXT.format(n=n),
        pictures=(Picture("Eigenvalues of ten Gram matrices, and the straight line.", figure),),
        checks=checks,
        seeds="0",
        data={"theory": theory.tolist(), "eigenvalues": seen.eigenvalues[0].tolist()},
    )


_TEXT = """
Eigenvalues of K/n for ten samples of {n} points from the Gaussian density of
[Figure 1](williams-figure1.md), beside the eigenvalues of the integral operator, which fall
geometrically.
"""
