"""JMLR, Table 3, column LOO-CV: what it may have been computed by."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reldim import kernels, relevant_dimension
from reldim.relevance.criteria import left_out_residual
from reldim.spectrum.spectrum import Spectrum
from reproduction.cache import compute
from reproduction.pages import Page, Settings, Table
from reproduction.papers import TABLE3
from reproduction.sets import CATALOGUE
from reproduction.sweep import WIDTHS, benchmark, source_of, sweep_benchmarks, whole_spectrum

__all__ = ["run"]

Array = NDArray[np.float64]

#: How the dimension is chosen: a curve over d from the residuals r, the leave-one-out residuals e,
#: the leverages s (a column a dimension each), and the targets y.
CRITERIA: dict[str, Callable[[Array, Array, Array, Array], Array]] = {
    "closed form, share of wrong signs": lambda _r, e, _s, y: np.mean(
        (y - e > 0) != (y > 0), axis=0
    ),
    "closed form, absolute loss": lambda _r, e, _s, _y: np.mean(np.abs(e), axis=0),
    "residuals divided by (1 - S)² instead of 1 - S": lambda _r, e, s, _y: np.mean(
        (e / (1 - s)) ** 2, axis=0
    ),
    "generalised cross-validation": lambda r, _e, s, _y: (
        np.mean(r**2, axis=0) / (1 - np.mean(s, axis=0)) ** 2
    ),
}

ONE_ERROR = ("closed form, least d within one standard error", "likelihood", "n/2")
TEN_FOLD = ("ten-fold cross-validation with new eigenvectors", "likelihood", "n/2")
LITERAL = ("closed form", "itself", "n/2")

#: Readings that the sweeps of Table 3 answer, on all resamples: which of their columns tells the
#: dimension, and whose minimum the width.
SWEPT = {
    ("the likelihood", "likelihood", "n/2"): ("dimension_tcm", "value_tcm"),
    ("the likelihood", "closed form", "n/2"): ("dimension_tcm", "value_loo"),
    ("closed form", "likelihood", "n/2"): ("dimension_loo", "value_tcm"),
    ("closed form", "likelihood", "n - 1"): ("dimension_loo_full", "value_tcm"),
    LITERAL: ("dimension_loo", "value_loo"),
    ("closed form", "itself", "n - 1"): ("dimension_loo_full", "value_loo_full"),
    ("the likelihood", "kernel ridge regression", "n/2"): ("dimension_tcm", "value_krr"),
}

TRIED = (
    *((name, "likelihood", "n/2") for name in CRITERIA),
    *((name, "itself", "n/2") for name in CRITERIA),
    ONE_ERROR,
    TEN_FOLD,
)


def run(settings: Settings) -> Page:
    """Compare readings of the column."""
    names = ["thyroid", "heart"] if settings.quick else list(TABLE3)
    found = {name: _medians(name, settings) for name in names}
    rows = []
    for reading in (*SWEPT, *TRIED):
        pairs = [(found[name][reading], TABLE3[name].loo) for name in names]
        factor = np.exp(np.mean([abs(np.log(ours / paper)) for ours, paper in pairs]))
        agreeing = sum(_near(ours, paper) for ours, paper in pairs)
        resamples = "all" if reading in SWEPT else "first ten"
        rows.append([*reading, resamples, f"{factor:.2f}", f"{agreeing} of {len(names)}"])
    rows.sort(key=lambda row: float(row[4]))
    columns = ("dimension by", "width by", "d up to", "resamples", "typical factor", "agree")
    nearest = [(row[0], row[1], row[2]) for row in rows[:3]]
    detail = [
        [
            name,
            TABLE3[name].loo,
            *(f"{found[name][reading]:g}" for reading in (LITERAL, *nearest)),
        ]
        for name in names
    ]
    caption = "; ".join(
        f"({place + 1}) dimension by {reading[0]}, width by {reading[1]}"
        for place, reading in enumerate(nearest)
    )
    return Page(
        name="table3-loo",
        title="Table 3, LOO-CV: readings of one column",
        paper="jmlr",
        text=_TEXT,
        tables=(
            Table("**Readings**, the nearest first.", columns, rows),
            Table(
                f"**The nearest three**, set by set: {caption}.",
                ("data set", "paper", "closed form, literally", "(1)", "(2)", "(3)"),
                detail,
            ),
        ),
        notes=_NOTES,
        seeds="0 to 99 for the random divisions; the number of the resample for folds",
        data={
            "medians": {
                name: {" / ".join(reading): value for reading, value in medians.items()}
                for name, medians in found.items()
            }
        },
    )


def _near(ours: float, paper: float) -> bool:
    return abs(ours - paper) <= max(2.0, 0.2 * paper)


def _medians(name: str, settings: Settings) -> dict[tuple[str, str, str], float]:
    """Median dimensions of a set, by reading."""
    medians = {}
    swept = sweep_benchmarks(name, settings.count(CATALOGUE[name].count or 1), settings.jobs)
    for reading, (dimension, value) in SWEPT.items():
        chosen = [result[dimension][int(np.argmin(result[value]))] for result in swept]
        medians[reading] = float(np.median(chosen))
    count = settings.count(3 if name in {"image", "splice"} else 10)
    tasks = [(name, number) for number in range(count)]
    tried = compute(read_all, f"loo-3-{source_of(name)}", tasks, jobs=settings.jobs)
    for place, reading in enumerate(TRIED):
        medians[reading] = float(np.median([dimensions[place] for dimensions in tried]))
    return medians


def read_all(name: str, number: int) -> list[int]:
    """Estimate the dimension of one resample by every reading that is tried."""
    data = benchmark(name)
    train = data.resamples[number].train
    X, y = data.X[train], data.y[train].astype(np.float64)
    under_likelihood: dict[tuple[str, str, str], int] = {}
    best: dict[str, tuple[float, int]] = {}
    likelihood = np.inf
    for width in WIDTHS:
        kernel = kernels.Gaussian(float(width))
        spectrum = whole_spectrum(kernel, X)
        rd = relevant_dimension(spectrum, y, variant="paper")
        r, e, s = _parts(spectrum, y)
        curves = {key: criterion(r, e, s, y[:, None]) for key, criterion in CRITERIA.items()}
        minima = {key: int(np.argmin(curve)) for key, curve in curves.items()}
        for key, place in minima.items():
            best[key] = min(best.get(key, (np.inf, 0)), (float(curves[key][place]), place + 1))
        if rd.negative_log_likelihood < likelihood:
            likelihood, chosen = rd.negative_log_likelihood, kernel
            for key, place in minima.items():
                under_likelihood[key, "likelihood", "n/2"] = place + 1
            under_likelihood[ONE_ERROR] = _within_one_error(e)
    under_likelihood[TEN_FOLD] = _ten_fold(chosen, X, y, number)
    own = {(key, "itself", "n/2"): d for key, (_, d) in best.items()}
    return [{**under_likelihood, **own}[reading] for reading in TRIED]


def _parts(spectrum: Spectrum, y: Array) -> tuple[Array, Array, Array]:
    """Residuals, leave-one-out residuals and leverages for d = 1, ..., n/2 (columns)."""
    U = np.asarray(spectrum.basis.vectors(len(y) // 2), dtype=np.float64)
    leverages = np.cumsum(U**2, axis=1)
    residuals = y[:, None] - np.cumsum(U * (U.T @ y), axis=1)
    left_out = left_out_residual(residuals, y[:, None], leverages)
    return residuals, left_out, np.minimum(leverages, 1 - 1e-10)


def _within_one_error(left_out: Array) -> int:
    losses = left_out**2
    mean, error = losses.mean(axis=0), losses.std(axis=0) / np.sqrt(len(losses))
    best = int(np.argmin(mean))
    return int(np.argmax(mean <= mean[best] + error[best])) + 1


def _ten_fold(kernel: kernels.Kernel, X: Array, y: Array, seed: int) -> int:
    folds = np.random.default_rng(seed).permutation(len(y)) % 10
    half = len(y) // 2
    total = np.zeros(half)
    for fold in range(10):
        inside, outside = folds != fold, folds == fold
        spectrum = whole_spectrum(kernel, X[inside])
        most = min(half, spectrum.rank)
        z = spectrum.project(y[inside, None])[:most, 0]
        scores = np.cumsum(spectrum.components(X[outside], most) * z, axis=1)
        # Components beyond the rank add nothing.
        scores = np.column_stack([scores, *[scores[:, -1:]] * (half - most)])
        total += np.sum((scores - y[outside, None]) ** 2, axis=0)
    return int(np.argmin(total)) + 1


_TEXT = """
The column LOO-CV of [Table 3](table3.md) is not what the closed form of the leave-one-out error
gives when it is read literally, width and dimension both chosen by it: on some sets the paper's
dimensions are about half of ours. This page tries other readings: another way to choose the width,
another range of d, another loss, other formulas. Those that the sweeps of Table 3 answer are on all
resamples, the others on the first ten (image and splice: three).

The typical factor is the geometric mean over the sets of the ratio between our median dimension and
the paper's, the larger over the smaller; 1 would be equality. "Agree" counts sets within 20 % or 2,
a rough rule, to rank the readings by.
"""

_NOTES = """
**The nearest reading.** The *width* is chosen by the leave-one-out error, and the *dimension* under
this width by the likelihood. On all resamples it is near to the paper's column in all sets, and by
the interval of a median in all but heart ([Table 3](table3.md)). That is our inference from the
numbers, the paper does not say so, and it was found by trying the readings above. On most sets the
column is so close to TCM that many readings would do; what singles this one out are image (paper:
TCM 272, LOO-CV 368), waveform (14, 23), titanic (4, 6) and banana (24, 26), where it moves as the
paper's column does.

If it is right, the column shows that both criteria choose widths under which the likelihood finds
much the same dimension, not that the minima of the two criteria agree. They do not: read literally,
leave-one-out gives up to twice the dimension.
"""
