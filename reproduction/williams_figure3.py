"""ICML 2000, Figure 3: eigenfunctions under a density with two bumps."""

import numpy as np
from numpy.typing import NDArray

from reldim import kernels
from reldim.theory import GaussianDensity, GaussianMixture, solve
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings

__all__ = ["run"]

Array = NDArray[np.float64]

BIMODAL = GaussianMixture([GaussianDensity(0.05, -1.5), GaussianDensity(0.05, 1.5)])

#: The length l of the paper's RBF kernel is the root of our width.
KERNELS = {
    "RBF, l = 0.2": kernels.Gaussian(0.04),
    "RBF, l = 0.4": kernels.Gaussian(0.16),
    "OU, l = 0.2": kernels.Laplacian(0.2),
}

PANELS = (
    ("a", "RBF, l = 0.2", 1),
    ("b", "RBF, l = 0.2", 2),
    ("c", "RBF, l = 0.2", 5),
    ("d", "RBF, l = 0.4", 1),
    ("e", "RBF, l = 0.4", 2),
    ("f", "OU, l = 0.2", 2),
)


def run(settings: Settings) -> Page:
    """Draw the figure."""
    del settings
    x = np.linspace(-3.0, 3.0, 601)
    density = BIMODAL(x[:, None])
    systems = {
        name: solve(kernel, BIMODAL, count=6, accuracy=1e-3 if "OU" in name else 1e-6)
        for name, kernel in KERNELS.items()
    }
    values = {
        name: _turned(found.functions(x[:, None], 6), found.eigenvalues, x)
        for name, found in systems.items()
    }
    figure, axes = new_figure(2, 3, (11.0, 5.8))
    for ax, (letter, name, number) in zip(axes.ravel(), PANELS, strict=True):
        shown = values[name][:, number - 1]
        scale = np.abs(shown).max() / density.max()
        ax.plot(x, shown, color=COLORS[1], label="eigenfunction")
        ax.plot(x, scale * density, "--", color=COLORS[0], linewidth=1, label="density (scaled)")
        ax.set(title=f"({letter}) {name}, number {number}", xlabel="x", ylabel="eigenfunction")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    discriminates = values["RBF, l = 0.4"][:, 1]
    left, right = (discriminates[np.argmin(np.abs(x - centre))] for centre in (-1.5, 1.5))
    checks = (
        _localisation("RBF, l = 0.2", values["RBF, l = 0.2"], x),
        Check(
            "RBF, l = 0.4: the second function tells the bumps apart by its sign",
            "yes",
            f"{left:.2f} and {right:.2f} at the bumps",
            bool(left * right < 0),
            kind="property",
        ),
        *_decay(),
    )
    return Page(
        name="williams-figure3",
        title="Williams and Seeger, Figure 3: a density with two bumps",
        paper="icml2000",
        text=_TEXT,
        pictures=(Picture("Eigenfunctions under a mixture of two Gaussians.", figure),),
        checks=checks,
        data={name: found.eigenvalues.tolist() for name, found in systems.items()},
    )


def _turned(functions: Array, eigenvalues: Array, x: Array) -> Array:
    """Turn pairs whose eigenvalues agree to round-off, so that any rotation is as good.

    The second function of the first pair is made to vanish at the left bump; the first function
    of the third pair is made even.
    """
    turned = functions.copy()
    for start, even in ((0, False), (4, True)):
        pair = slice(start, start + 2)
        first, second = eigenvalues[pair]
        if abs(first - second) > 1e-10 * first:
            continue
        left, right = (functions[np.argmin(np.abs(x - c)), pair] for c in (-1.5, 1.5))
        # A rotation of the pair that leaves nothing of its second function of this direction.
        c, s = _unit(left) + _unit(right) if even else left
        c, s = np.array([c, s]) / np.hypot(c, s)
        turned[:, pair] = functions[:, pair] @ np.array([[c, -s], [s, c]])
    return turned


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def _localisation(name: str, functions: Array, x: Array) -> Check:
    weights = BIMODAL(x[:, None])
    shares = []
    for column in range(2):
        energy = functions[:, column] ** 2 * weights
        share = float(energy[x < 0].sum() / energy.sum())
        shares.append(max(share, 1 - share))
    return Check(
        f"{name}: share of functions 1 and 2 under one bump",
        "all",
        ", ".join(f"{share:.3f}" for share in shares),
        min(shares) > 0.99,
        "degenerate to round-off: turned to be seen apart",
        "property",
    )


def _decay() -> tuple[Check, ...]:
    """Compare with a single Gaussian of the same mean and variance."""
    single = GaussianDensity(0.05 + 1.5**2)
    checks = []
    for name in ("RBF, l = 0.2", "RBF, l = 0.4"):
        two, one = (solve(KERNELS[name], p, count=10) for p in (BIMODAL, single))
        shares = [found.eigenvalues.cumsum() / found.trace for found in (two, one)]
        checks.append(
            Check(
                f"{name}: variance held by 10 functions, two bumps and one Gaussian alike in mean "
                "and variance",
                "more for two bumps",
                f"{shares[0][-1]:.3f}, {shares[1][-1]:.3f}",
                bool(np.all(shares[0] > shares[1])),
                kind="property",
            )
        )
    return tuple(checks)


_TEXT = """
Density: two Gaussians of variance 0.05 at ±1.5. The eigenfunctions are found by quadrature
(`reldim.theory.solve`). For l = 0.2 the bumps do not see each other: eigenvalues come in pairs that
agree to round-off, and any rotation within a pair is as good. The paper's sample shows functions 1
and 2 localised and function 5 not; here the pairs are turned to look like that.
"""
