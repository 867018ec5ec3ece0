"""ICML 2007, Figure 1: cross-validation error against threshold and number of components."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from reldim import decompose, kernels
from reldim.inputs.targets import code_targets
from reproduction import sets
from reproduction.agreement import spread
from reproduction.cache import compute
from reproduction.figures import COLORS, new_figure
from reproduction.pages import Check, Page, Picture, Settings, Table
from reproduction.sweep import source_of

__all__ = ["run"]

Array = NDArray[np.float64]

#: Thresholds on the eigenvalues, as shares of the largest.
THRESHOLDS = np.geomspace(1e-5, 0.5, 40)

#: Test accuracies of the paper, in percent.
ACCURACY = {"wdbc": 96.0, "spectf": 80.0}

TITLES = {"wdbc": "Wisconsin breast cancer", "spectf": "SPECTF heart"}


def run(settings: Settings) -> Page:
    """Draw the figure."""
    count = settings.count(50, 3)
    figure, axes = new_figure(2, 2, (10.0, 6.6))
    checks, rows, data = [], [], {}
    for line, name in enumerate(TITLES):
        for kernel in ("linear", "gaussian"):
            kind = f"mosci-1-{source_of(name)}"
            splits = compute(
                one_split, kind, [(name, kernel, i) for i in range(count)], jobs=settings.jobs
            )
            accuracy = spread([1 - split["test_error"] for split in splits])
            chosen = np.array([split["components"] for split in splits])
            shown = str(accuracy)
            rows.append([TITLES[name], kernel, shown, f"{np.median(chosen):g}"])
            data[f"{name}, {kernel}"] = {
                "test_accuracy": [round(100 * (1 - split["test_error"]), 3) for split in splits],
                "cv_error": np.mean([split["cv_error"] for split in splits], axis=0).tolist(),
                "count": np.median([split["count"] for split in splits], axis=0).tolist(),
            }
            error = np.sqrt(2.0) * accuracy.standard_error
            agrees = bool(abs(accuracy.mean - ACCURACY[name]) <= 0.5 + 2 * error)
            what = f"{TITLES[name]}, {kernel} kernel"
            paper = f"{ACCURACY[name]:g}"
            checks += [
                Check(f"{what}: test accuracy in %", paper, shown, agrees, kind="other"),
                _optimum(what, data[f"{name}, {kernel}"]),
            ]
            _draw(axes[line], data[f"{name}, {kernel}"], kernel, TITLES[name])
    return Page(
        name="mosci-figure1",
        title="Mosci et al., Figure 1: the number of components regularises",
        paper="icml2007",
        text=_TEXT.format(count=count),
        tables=(
            Table(
                f"**Ours**, {count} divisions.",
                ("data set", "kernel", "test accuracy in %", "components chosen, median"),
                rows,
            ),
        ),
        pictures=(Picture("Five-fold error against threshold and number of components.", figure),),
        checks=tuple(checks),
        notes=_NOTES,
        seeds=f"0 to {count - 1}",
        data={"thresholds": THRESHOLDS.tolist(), "results": data},
    )


def one_split(name: str, kernel: str, number: int) -> dict[str, Any]:
    """Choose the threshold by five-fold cross-validation on one half, and test on the other."""
    data = sets.load(name)
    y = np.where(data.y == np.unique(data.y)[1], 1.0, -1.0)
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.5, stratify=y, random_state=number
    )
    X, y_train = data.X[train], y[train]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=number).split(X, y_train))
    errors, counts = zip(
        *(_errors(kernel, X[a], y_train[a], X[b], y_train[b]) for a, b in folds), strict=True
    )
    weights = [len(b) / len(train) for _, b in folds]
    curve = np.average(errors, axis=0, weights=weights)
    best = _middle_minimum(curve)
    error, count = _errors(kernel, X, y_train, data.X[test], y[test])
    return {
        "cv_error": curve.tolist(),
        "count": np.median(counts, axis=0).tolist(),
        "test_error": float(error[best]),
        "components": int(count[best]),
    }


def _errors(kernel: str, X: Array, y: Array, X_test: Array, y_test: Array) -> tuple[Array, Array]:
    """Test errors and numbers of components of kPCR, one a threshold."""
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    X, X_test = ((rows - mean) / np.where(deviation > 0, deviation, 1.0) for rows in (X, X_test))
    function = kernels.Linear() if kernel == "linear" else kernels.Gaussian(float(X.shape[1]))
    spectrum = decompose(function, X, center=True, solver="dense")
    targets = code_targets(y, "regression")
    z = spectrum.project(targets.values)[: spectrum.rank, 0]
    scores = np.cumsum(spectrum.components(X_test) * z, axis=1) + targets.offset
    scores = np.column_stack([np.full(len(X_test), targets.offset[0]), scores])
    values = spectrum.eigenvalues[: spectrum.rank]
    counts = np.sum(values[:, None] > THRESHOLDS * values[0], axis=0)
    return np.mean((scores[:, counts] > 0) != (y_test > 0)[:, None], axis=0), counts


def _middle_minimum(curve: Array) -> int:
    # The error is a step function of the threshold: take the middle of the lowest step.
    lowest = np.flatnonzero(curve <= curve.min() + 1e-12)
    return int(lowest[len(lowest) // 2])


def _optimum(title: str, result: dict[str, Any]) -> Check:
    curve = np.array(result["cv_error"])
    best = int(np.argmin(curve))
    inside = 0 < best < len(curve) - 1 and curve[0] > curve[best] < curve[-1]
    return Check(
        f"{title}: the mean error has its minimum inside the range of thresholds",
        "yes",
        f"at {result['count'][best]:g} of {result['count'][0]:g} components",
        bool(inside),
        "" if inside else _REMARKS.get(title, ""),
        "property",
    )


def _draw(axes: Any, result: dict[str, Any], kernel: str, title: str) -> None:
    color, mark = {"linear": (COLORS[2], "o"), "gaussian": (COLORS[1], "s")}[kernel]
    error = 100 * np.array(result["cv_error"])
    style = {"color": color, "marker": mark, "markersize": 3, "label": f"{kernel} kernel"}
    axes[0].plot(THRESHOLDS, error, **style)
    axes[1].plot(result["count"], error, **style)
    axes[0].set(xlabel="threshold λ, share of the largest eigenvalue", xscale="log")
    axes[1].set(xlabel="components m kept (median)", xscale="log")
    for ax in axes:
        ax.set(title=title, ylabel="5-fold error in %")
        ax.legend()


#: Disagreements, and what was tried.
_REMARKS = {
    "SPECTF heart, linear kernel": "the few leading components say no more than the larger class "
    "does, so that the error is flat up to its minimum; with the Gaussian kernel the property "
    "holds, and the paper does not name its kernel",
}

_TEXT = """
Kernel principal component regression on ±1 labels: components whose eigenvalue exceeds a threshold
λ are kept, and the threshold is chosen by five-fold cross-validation on one half of the rows; the
error is that on the other half. Mean of {count} balanced divisions.

The paper names neither its kernel nor its scaling. Here features are standardised on the training
rows, data are centred in feature space (remark 1), and two kernels are shown: linear, and Gaussian
with a width equal to the number of features. So its two accuracies are set beside four other
experiments, and agree within half a percent (the paper prints none) and two standard errors of the
difference, for which the paper's spread is taken to be ours.
"""

_NOTES = """
With a linear kernel the few leading components of SPECTF say no more than the larger class does
(79 % of the rows), so that the error is flat up to its minimum; the Gaussian kernel has an optimum
inside the range on both sets, as the paper's figure shows. On Wisconsin breast cancer the paper's
96 % lies between the two kernels.
"""
