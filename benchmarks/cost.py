"""Cost of one estimate against the number of rows, as a table and a picture."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import Measurement, measure, table
from problems import algorithm_1, smooth

from reldim import kernels
from reldim.inputs.targets import code_targets
from reldim.relevance.estimation import estimate
from reldim.search.growing_rank import Plan, judge_kernel
from reldim.spectrum.gram import Gram

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "benchmarks" / "cost.png"

#: The width that the likelihood chooses for this problem.
WIDTH = 5.0


def with_eigh(n: int) -> Callable[[], Any]:
    """Read Algorithm 1 literally."""
    X, y = smooth(n)
    y = y - y.mean()
    return lambda: algorithm_1(kernels.Gaussian(WIDTH)(X), y)


def with_solver(n: int, solver: str) -> Callable[[], Any]:
    """Estimate, with noise level and leave-one-out error."""
    X, y = smooth(n)
    targets = code_targets(y)

    def run() -> Any:
        found = judge_kernel(
            Gram.of(kernels.Gaussian(WIDTH), X),
            lambda spectrum: estimate(spectrum, targets),
            Plan(solver=solver),
        ).judged
        return (
            found.dimension,
            found.negative_log_likelihood,
            found.noise_level,
            found.error_estimate,
        )

    return run


def cost() -> str:
    """Measure all solvers over a range of n and draw the result."""
    runs: dict[str, dict[int, Measurement]] = {"eigh": {}, "dense": {}, "lowrank": {}}
    for n in (500, 1000, 2000, 4000):
        runs["eigh"][n] = measure(with_eigh, n, n=3)
        runs["dense"][n] = measure(with_solver, n, "dense", n=3)
    for n in (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000):
        runs["lowrank"][n] = measure(with_solver, n, "lowrank", n=3)
    rows = [
        [f"{n:,}", *(_cell(runs[name].get(n)) for name in runs)] for n in sorted(runs["lowrank"])
    ]
    draw({name: {n: run.seconds for n, run in found.items()} for name, found in runs.items()})
    return table(
        "Cost of one estimate against n",
        ["n", "eigh and Algorithm 1: s (MB)", "dense: s (MB)", "low rank: s (MB)"],
        rows,
        f"One Gaussian kernel of width {WIDTH:g}, 5 features: dimension, likelihood, noise level "
        "and leave-one-out error.\n\n![Seconds against rows](images/benchmarks/cost.png)",
    )


def _cell(run: Measurement | None) -> str:
    return "" if run is None else f"{run.seconds:.3f} ({run.megabytes:.0f})"


def draw(seconds: dict[str, dict[int, float]]) -> None:
    """Draw seconds against n on logarithmic axes."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    styles = {
        "eigh": ("numpy.linalg.eigh and Algorithm 1", "#D55E00", "s"),
        "dense": ("reldim, dense", "#0072B2", "o"),
        "lowrank": ("reldim, low rank", "#009E73", "^"),
    }
    for name, found in seconds.items():
        label, colour, marker = styles[name]
        axes.loglog(list(found), list(found.values()), color=colour, marker=marker, label=label)
    axes.set(xlabel="rows n", ylabel="time of one estimate (seconds)")
    axes.set_title("Low rank grows with n, a full decomposition with its cube")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)
    plt.close(figure)
