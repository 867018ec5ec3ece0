"""ICML 2000, Figure 1: eigenfunctions of the RBF kernel under a Gaussian density."""

import numpy as np

from reldim.theory import GaussianEigensystem, zero_crossings
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings

__all__ = ["run", "system"]


def system(terms: int) -> GaussianEigensystem:
    """Return the paper's example, a = 1 and b = 3: variance 1/(4a), width 1/(2b)."""
    return GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=terms)


def run(settings: Settings) -> Page:
    """Draw the figure."""
    del settings
    found = system(3)
    x = np.linspace(-2.0, 2.0, 401)
    values = found.functions(x[:, None], 3)
    density = found.density(x[:, None])
    figure, axes = new_figure(1, 1, (6.5, 4.0))
    ax = axes[0, 0]
    for k, style in enumerate(("-", "-.", ":")):
        ax.plot(x, values[:, k], style, color=COLORS[k + 1], label=f"k = {k}")
    ax.plot(x, density / density.max(), "--", color=COLORS[0], label="density (scaled)")
    ax.set(xlabel="x", ylabel="eigenfunction", title="a = 1, b = 3")
    ax.legend()
    crossings = zero_crossings(found, found.density)
    step = x[1] - x[0]
    overlap = (values * density[:, None]).T @ values * step
    worst = float(np.abs(overlap - np.eye(3)).max())
    checks = (
        Check(
            "zero crossings of the functions 0, 1, 2",
            "0, 1, 2",
            ", ".join(str(c) for c in crossings),
            crossings.tolist() == [0, 1, 2],
            kind="property",
        ),
        Check(
            "largest deviation from orthonormality",
            "0",
            f"{worst:.1e}",
            worst < 1e-3,
            kind="property",
        ),
    )
    return Page(
        name="williams-figure1",
        title="Williams and Seeger, Figure 1: eigenfunctions under a Gaussian density",
        paper="icml2000",
        text=_TEXT,
        pictures=(Picture("The first three eigenfunctions, and the density.", figure),),
        checks=checks,
    )


_TEXT = """
The first three eigenfunctions of exp(-3 (x - y)²) under a Gaussian density of variance 1/4, in
closed form (`reldim.theory.GaussianEigensystem`). Function k crosses zero k times.
"""
