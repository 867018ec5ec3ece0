"""Draw the pictures of the page "What the theory says" from the functions of reldim.theory.

    python docs/figures/theory.py [folder]

Every picture is made from a fixed seed, so that a picture changes only when the code does.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from reldim import KernelPCRegressor, LowRankGPClassifier, datasets, decompose, kernels, theory
from reldim.cutoffs import CrossValidated, Threshold
from reldim.relevance.estimation import relevant_dimension

FOLDER = Path(__file__).resolve().parents[1] / "images" / "theory"

# The palette of Okabe and Ito, which people with any colour vision can tell apart. Lines differ in
# style as well.
BLACK, ORANGE, SKY, GREEN, BLUE, RED = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00",
)  # fmt: skip
STYLE = {
    "figure.dpi": 110,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


def eigenfunctions() -> Any:
    """First eigenfunctions under one bump, and under two."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2))
    one = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=3)
    x = np.linspace(-1.6, 1.6, 400)
    styles = [(BLUE, "-"), (RED, "--"), (GREEN, "-.")]
    for k, (color, line) in enumerate(styles):
        label = f"$\\psi_{k}$, eigenvalue {one.eigenvalues[k]:.2f}"
        left.plot(x, one.functions(x)[:, k], color=color, ls=line, label=label)
    left.fill_between(x, one.density(x), color="0.85", label="density")
    left.set(title="one Gaussian bump", xlabel="x", ylabel="eigenfunction", ylim=(-2.2, 3.4))
    left.legend(ncols=2, fontsize=8, loc="upper center")
    bumps = [theory.GaussianDensity(0.05, mean) for mean in (-1.5, 1.5)]
    two = theory.GaussianMixture(bumps)
    found = theory.solve(kernels.Gaussian(0.16), two, count=3)
    x = np.linspace(-2.6, 2.6, 500)
    for k, (color, line) in enumerate(styles):
        label = f"$\\psi_{k}$, eigenvalue {found.eigenvalues[k]:.2f}"
        right.plot(x, found.functions(x)[:, k], color=color, ls=line, label=label)
    right.fill_between(x, two(x), color="0.85", label="density")
    right.set(title="two bumps: the second tells them apart", xlabel="x", ylim=(-2.2, 3.4))
    right.legend(ncols=2, fontsize=8, loc="upper center")
    return figure


def gram_eigenvalues() -> Any:
    """Eigenvalues of ten samples around the line of the operator."""
    known = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=30)
    seen = theory.gram_convergence(
        known.kernel, known.density, [50, 500], repeats=10, count=30, random_state=0
    )
    figure, axes = plt.subplots(figsize=(6.2, 3.6))
    k = np.arange(1, 31)
    axes.semilogy(k, known.eigenvalues, color=BLACK, label="operator (closed form)")
    for row, n, color, mark in ((0, 50, ORANGE, "s"), (1, 500, BLUE, "o")):
        mean = seen.mean[row]
        bars = np.abs(np.stack([mean - seen.lowest[row], seen.highest[row] - mean]))
        # Below round-off there is nothing to see.
        shown = seen.lowest[row] > 1e-16
        axes.errorbar(
            (k + 0.15 * row)[shown],
            mean[shown],
            bars[:, shown],
            fmt=mark,
            ms=4,
            lw=1,
            color=color,
            label=f"10 samples of {n} points: mean, lowest, highest",
        )
    axes.set(xlabel="index of the eigenvalue", ylabel="eigenvalue of K/n", ylim=(1e-17, 3))
    axes.legend(fontsize=8)
    return figure


def coefficient_bound() -> Any:
    """Coefficients of a learnable function below the bound of theorem 1."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True)
    system = theory.GaussianEigensystem(width=0.5, variance=1.0, terms=40)
    alpha = np.array([1.0, -2.0, 1.5, 0.0, 0.7, -0.4, 0.2, 0.1])
    finite = theory.cosine_eigensystem(0.5 ** np.arange(10))
    cases = (
        (left, system, alpha, range(2, 40), 1.0, "Gaussian kernel, Gaussian density"),
        (
            right,
            finite,
            np.ones(10),
            [10],
            2 * finite.trace,
            "kernel of finite rank: no error term",
        ),
    )
    for axes, known, weights, orders, supremum, title in cases:
        X = known.density.sample(500, random_state=0)
        bound = theory.coefficient_bound(known, weights, X, orders=orders, supremum=supremum)
        i = np.arange(1, 41)
        axes.semilogy(i, np.maximum(bound.bound[:40], 1e-19), color=BLACK, label="bound")
        axes.semilogy(i, bound.eigenvalues[:40], color=BLUE, ls="--", label="eigenvalue of K/n")
        axes.semilogy(i, bound.coefficients[:40], "o", ms=4, color=RED, label="coefficient")
        axes.set(title=title, xlabel="component", ylim=(1e-19, 1e3))
    left.set_ylabel("size")
    left.legend(fontsize=8, loc="lower left")
    return figure


def shrinkage() -> Any:
    """Show what a sample of n rows lets through, beside the components that labels use."""
    X = np.random.default_rng(0).uniform(-3, 3, size=(400, 1))
    labels = np.where(np.sin(2 * X[:, 0]) > 0, "a", "b")
    spectrum = decompose(kernels.Gaussian(1.0), X)
    counts = theory.component_counts(relevant_dimension(spectrum, labels))
    figure, axes = plt.subplots(figsize=(6.6, 3.4))
    m = np.arange(1, 21)
    for n, color, line in ((40, ORANGE, ":"), (400, BLUE, "-"), (40_000, GREEN, "--")):
        factors = theory.classification_shrinkage(spectrum.eigenvalues[:20], n)
        axes.plot(m, factors, color=color, ls=line, marker="o", ms=3, label=f"n = {n:,}")
    marks = (
        (counts.explained[0.95], "95 % of the variance", 1.36),
        (counts.explained[0.99], "99 % of the variance", 1.24),
        (counts.relevant, "relevant dimension", 1.12),
    )
    for at, name, height in marks:
        axes.vlines(at, 0, height + 0.05, color="0.6", lw=1)
        axes.annotate(f" {name}: {at}", (at, height), fontsize=8)
    axes.axhline(0.5, color="0.8", lw=1)
    axes.set(xlabel="component", ylabel="share of a coefficient that survives", xticks=m[::2])
    axes.set(yticks=[0, 0.5, 1], ylim=(-0.03, 1.45))
    axes.legend(fontsize=8, loc="center right")
    return figure


def cutoffs() -> Any:
    """Cross-validation over all thresholds, and where the other rules cut."""
    train = datasets.noisy_sinc(200, noise=0.2, random_state=0)
    test = datasets.noisy_sinc(2000, noise=0.2, random_state=1)
    kernel = kernels.Gaussian(0.3)
    spectrum = decompose(kernel, train.X)
    cut = KernelPCRegressor(kernel, dimension=CrossValidated()).fit(train.X, train.y).cut_
    relevant = relevant_dimension(spectrum, train.y).dimension
    dimensions = range(1, 31)
    errors = [
        np.mean((KernelPCRegressor(kernel, dimension=d).fit(train.X, train.y).predict(test.X)
                 - test.y) ** 2)
        for d in dimensions
    ]  # fmt: skip
    figure, axes = plt.subplots(figsize=(6.6, 3.6))
    assert cut.thresholds is not None
    assert cut.errors is not None
    shown = (cut.thresholds < 1) & (cut.thresholds > spectrum.eigenvalues[29])
    axes.semilogx(
        cut.thresholds[shown], cut.errors[shown], color=BLUE, label="5-fold cross-validation"
    )
    levels = spectrum.eigenvalues[:30]
    axes.semilogx(levels, errors, color=RED, ls="--", label="2000 test rows")
    safe = theory.threshold(200)
    marks = (
        (cut.threshold, f"cross-validation: {cut.dimension}", 0.125),
        (float(levels[relevant - 1]), f"relevant dimension: {relevant}", 0.14),
    )
    for at, name, height in marks:
        axes.axvline(at, color="0.6", lw=1)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.annotate(f" {name} components", (at, height), fontsize=8, bbox=box)
    axes.invert_xaxis()
    kept = KernelPCRegressor(kernel, dimension=Threshold(safe)).fit(train.X, train.y)
    axes.annotate(
        f"$\\lambda_n$ = {safe:.2f} of Mosci et al. lies off to the left: "
        f"{kept.dimension_} components",
        (0.35, 0.5),
        xycoords="axes fraction",
        fontsize=8,
    )
    axes.set(
        xlabel="threshold on the eigenvalues of K/n (more components to the right)",
        ylabel="mean squared error",
        ylim=(0.03, 0.16),
    )
    axes.legend(fontsize=8, loc="upper right")
    return figure


def low_rank() -> Any:
    """Show the rank of a Gaussian process classifier, and steps of conjugate gradients."""
    rng = np.random.default_rng(0)

    def draw(n: int) -> tuple[Any, Any]:
        X = rng.standard_normal((n, 2))
        f = np.sin(2 * X[:, 0]) + X[:, 1]
        return X, f + 0.3 * rng.standard_normal(n) > 0

    (X, y), (new, truth) = draw(400), draw(4000)
    kernel = 10.0 * kernels.Gaussian(0.5)
    full = LowRankGPClassifier(kernel, rank=400).fit(X, y)
    ranks = [1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 60, 80, 120]
    models = [LowRankGPClassifier(kernel, rank=M).fit(X, y) for M in ranks]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.3))
    left.semilogx(ranks, [1 - m.score(new, truth) for m in models], "o-", ms=4, color=BLUE)
    left.axhline(1 - full.score(new, truth), color=BLACK, ls="--", lw=1)
    left.annotate("full process", (1, 1 - full.score(new, truth) - 0.018), fontsize=8)
    for fraction, color, side in ((0.95, ORANGE, "right"), (0.99, GREEN, "left")):
        M = LowRankGPClassifier(kernel, rank=fraction).fit(X, y).rank_
        left.axvline(M, color=color, lw=1.2, ls=":")
        left.annotate(f" M{100 * fraction:.0f} = {M} ", (M, 0.4), fontsize=8, ha=side)
    left.set(xlabel="rank M", ylabel="test error", ylim=(0.05, 0.5))
    values = 400 * decompose(kernel, X).eigenvalues
    tolerances = np.geomspace(1e-1, 1e-8, 15)
    steps = [max(theory.iterative_mode(kernel, X, y, tolerance=t).steps) for t in tolerances]
    bound = [theory.luenberger_steps(values, t) for t in tolerances]
    right.semilogx(tolerances, bound, color=BLACK, ls="--", label="Luenberger's bound")
    right.semilogx(tolerances, steps, "o-", ms=4, color=RED, label="steps taken, at most")
    right.axhline(400, color="0.6", lw=1)
    right.annotate("n = 400", (1e-1, 405), fontsize=8)
    right.invert_xaxis()
    right.set(xlabel="relative accuracy", ylabel="conjugate gradient steps", ylim=(0, 440))
    right.legend(fontsize=8, loc="center left")
    return figure


PICTURES = (eigenfunctions, gram_eigenvalues, coefficient_bound, shrinkage, cutoffs, low_rank)


def main(folder: Path) -> None:
    """Draw all pictures into a folder."""
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        for draw in PICTURES:
            figure = draw()
            figure.savefig(folder / f"{draw.__name__}.png", metadata={"Software": None})
            plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
