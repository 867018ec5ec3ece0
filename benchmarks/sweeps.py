"""Choosing among 20 widths, beside eigh per width and beside what users would pick instead."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from dense import sweep_with_eigh
from harness import Measurement, measure, table
from problems import PROBLEMS, smooth, widths

from reldim import KernelPCRegressor, kernels
from reldim.inputs.targets import code_targets
from reldim.search.candidates import choose


def family() -> list[Any]:
    """Return the kernels of the sweep."""
    return [kernels.Gaussian(width) for width in widths()]


def sweep_with_reldim(problem: str, n: int) -> Callable[[], Any]:
    """Choose among the widths."""
    X, y = PROBLEMS[problem](n)
    targets = code_targets(y, "regression")

    def run() -> Any:
        found = choose(X, targets, family())
        return found.index, [
            (c.dimension, c.negative_log_likelihood, c.noise_level, c.fixed_error, c.settled)
            for c in found.rows
        ]

    return run


def sweep() -> str:
    """Compare a sweep of 20 widths with the same by eigh per width, on two problems."""
    n = 4000
    columns = [_sweep_of(problem, n) for problem in PROBLEMS]
    names = [
        "time, s",
        "ratio",
        "peak memory, MB",
        "width",
        "dimension",
        "likelihood",
        "noise level",
        "leave-one-out error",
        "widths settled / given up",
    ]
    rows = [[name, *columns[0][i], *columns[1][i]] for i, name in enumerate(names)]
    head = ["", *(f"{problem}: {who}" for problem in PROBLEMS for who in ("eigh", "reldim"))]
    return table(
        f"20 widths, n = {n}, 5 features: width, dimension, noise, leave-one-out",
        head,
        rows,
        "One eigh per width. Widths that could not become the best are given up at a small rank.",
    )


def _sweep_of(problem: str, n: int) -> list[tuple[str, str]]:
    """Measure one problem; return pairs of cells."""
    ours = measure(sweep_with_reldim, problem, n, n=3)
    peer = measure(sweep_with_eigh, problem, n, list(widths()), n=1)
    index, found = ours.result
    literal = peer.result
    best = int(np.argmin([row[1] for row in literal]))
    settled = sum(row[4] for row in found)
    return [
        (f"{peer.seconds:.1f}", f"{ours.seconds:.2f}"),
        ("1", f"**{peer.seconds / ours.seconds:.0f}**"),
        (f"{peer.megabytes:.0f}", f"{ours.megabytes:.0f}"),
        (f"{widths()[best]:.3g}", f"{widths()[index]:.3g}"),
        (f"{literal[best][0]}", f"{found[index][0]}"),
        (f"{literal[best][1]:.5f}", f"{found[index][1]:.5f}"),
        (f"{literal[best][2]:.4f}", f"{found[index][2]:.4f}"),
        (f"{literal[best][3]:.4f}", f"{found[index][3]:.4f}"),
        ("", f"{settled} / {20 - settled}"),
    ]


def model_with_reldim(n: int) -> Callable[[], Any]:
    """Choose and predict."""
    X, y = smooth(n)
    new, truth = smooth(2000, seed=1)

    def run() -> Any:
        model = KernelPCRegressor(family()).fit(X, y)
        return (truth - model.predict(new)) ** 2

    return run


def grid_of_kernel_ridge(n: int, some: int) -> Callable[[], Any]:
    """Search a grid of widths and ridge parameters."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    X, y = smooth(n)
    new, truth = smooth(2000, seed=1)
    # The grid is a product, so that time is in proportion to the number of widths.
    step = len(widths()) // some
    gammas = 1 / (2 * widths()[step // 2 :: step])

    def run() -> Any:
        grid = {"gamma": list(gammas), "alpha": list(np.logspace(-6, 3, 10))}
        search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=5)
        search.fit(X, y - y.mean())
        return (truth - y.mean() - search.predict(new)) ** 2

    return run


def gaussian_process(n: int) -> Callable[[], Any]:
    """Maximise the evidence."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    X, y = smooth(n)
    new, truth = smooth(2000, seed=1)

    def run() -> Any:
        kernel = ConstantKernel() * RBF() + WhiteKernel()
        model = GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
        return (truth - model.predict(new)) ** 2

    return run


def support_vectors(n: int, some: int) -> Callable[[], Any]:
    """Search a grid of widths and penalties."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVR

    X, y = smooth(n)
    new, truth = smooth(2000, seed=1)
    step = len(widths()) // some
    gammas = 1 / (2 * widths()[step // 2 :: step])

    def run() -> Any:
        grid = {"gamma": list(gammas), "C": list(np.logspace(-2, 2, 5))}
        search = GridSearchCV(SVR(cache_size=1000), grid, cv=5).fit(X, y)
        return (truth - search.predict(new)) ** 2

    return run


def himalaya_ridge(n: int, some: int) -> Callable[[], Any]:
    """Tune the ridge parameter for each width."""
    from himalaya.kernel_ridge import KernelRidgeCV

    X, y = smooth(n)
    new, truth = smooth(2000, seed=1)
    step = len(widths()) // some
    gammas = 1 / (2 * widths()[step // 2 :: step])

    def run() -> Any:
        # It takes one kernel at a time and tunes alpha by folds.
        best: tuple[float, Any] = (-np.inf, None)
        for gamma in gammas:
            model = KernelRidgeCV(
                alphas=np.logspace(-6, 3, 10), kernel="rbf", kernel_params={"gamma": gamma}, cv=5
            ).fit(X, y - y.mean())
            score = float(np.mean(model.cv_scores_))
            if score > best[0]:
                best = score, model
        return (truth - y.mean() - best[1].predict(new)) ** 2

    return run


def models() -> str:
    """Compare model selection and predictor with what users would pick instead."""
    n, some = 4000, 2
    ours = measure(model_with_reldim, n, n=3)
    grids = 20 / some
    contenders: list[tuple[str, Callable[..., Any], tuple[int, ...], float]] = [
        ("`GridSearchCV(KernelRidge)`, 20 x 10, 5 folds", grid_of_kernel_ridge, (n, some), grids),
        ("`GaussianProcessRegressor`, evidence", gaussian_process, (n,), 1.0),
        ("`GridSearchCV(SVR)`, 20 x 5, 5 folds", support_vectors, (n, some), grids),
        ("himalaya `KernelRidgeCV`, 20 x 10, 5 folds", himalaya_ridge, (n, some), grids),
    ]
    rows = [_model_row("reldim `KernelPCRegressor`, 20 widths", ours, ours, 1.0)]
    for name, run, arguments, factor in contenders:
        if run is himalaya_ridge and find_spec("himalaya") is None:
            rows.append([name, "not installed", "", "", ""])
            continue
        rows.append(_model_row(name, measure(run, *arguments, n=1), ours, factor))
    return table(
        f"Model selection and predictor, n = {n}, 5 features",
        ["what", "time, s", "ratio", "test error (mean squared) ± standard error", "MB"],
        rows,
        f"Grids over widths were run on {some} of the 20 widths and their time multiplied by "
        f"{20 // some}: it is a sum over widths. Their test error is that of the best of those.",
    )


def _model_row(name: str, run: Measurement, ours: Measurement, factor: float) -> list[str]:
    squared = np.asarray(run.result)
    error = f"{squared.mean():.4f} ± {squared.std() / np.sqrt(len(squared)):.4f}"
    ratio = run.seconds * factor / ours.seconds
    return [name, f"{run.seconds * factor:.1f}", f"**{ratio:.0f}**", error, f"{run.megabytes:.0f}"]
