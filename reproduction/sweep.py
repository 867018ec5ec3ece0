"""A data set under twenty Gaussian kernels: what the JMLR paper's tables and figures rest on."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers.dense import decompose_dense
from reldim.inputs.targets import Targets, code_targets, decide
from reldim.kernels import Gaussian, Kernel, squared_distances
from reldim.relevance.criteria import leave_one_out_curve
from reldim.relevance.estimation import RelevantDimension, estimate, relevant_dimension
from reldim.relevance.ridge import fit_ridge
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Gram
from reldim.spectrum.spectrum import Spectrum
from reproduction import sets
from reproduction.cache import compute

__all__ = [
    "RIDGES",
    "WIDTHS",
    "benchmark",
    "choose_width",
    "denoised_coefficients",
    "source_of",
    "sweep",
    "sweep_benchmarks",
    "whole_spectrum",
]

#: Version of the cached results; to be changed with what `sweep` computes.
VERSION = 3

#: Section 5.1 of the JMLR paper.
WIDTHS = np.geomspace(1e-2, 1e4, 20)

#: Section 4.4, where the paper says which ridge parameters it tries.
RIDGES = np.geomspace(1e-6, 1e3, 10)

Array = NDArray[np.float64]


@functools.lru_cache(maxsize=1)
def benchmark(name: str) -> sets.DividedSet:
    """Load a benchmark set with as many divisions as the paper's: official, then random ones."""
    return sets.load(name).resampled(sets.CATALOGUE[name].count or 1)


def sweep_benchmarks(name: str, count: int, jobs: int) -> list[dict[str, Any]]:
    """Sweep the first divisions of a benchmark set, or read what an earlier run made of them."""
    # The rows of another source stand in another order, so that divisions differ.
    kind = f"sweep-{VERSION}-{source_of(name)}"
    tasks = [(name, number) for number in range(count)]
    return compute(sweep_benchmark, kind, tasks, jobs=jobs)


def source_of(name: str) -> str:
    """Name where a data set will come from."""
    return "folder" if sets.holds(sets.data_folder(), name) else str(sets.CATALOGUE[name].package)


def sweep_benchmark(name: str, number: int) -> dict[str, Any]:
    """Sweep one division of a benchmark set."""
    data = benchmark(name)
    resample = data.resamples[number]
    train, test = resample.train, resample.test
    rows = sweep(data.X[train], data.y[train], data.X[test], data.y[test], WIDTHS)
    return {"origin": resample.origin, "source": data.source, **rows}


def whole_spectrum(kernel: Kernel, X: Any) -> Spectrum:
    """Decompose the whole kernel matrix, null space and all, as the papers do."""
    return decompose_dense(Gram.of(kernel, X))


def choose_width(X: Array, y: Array, widths: Array) -> RelevantDimension:
    """Return the estimate under the Gaussian kernel that the likelihood prefers."""
    spectra = (whole_spectrum(Gaussian(float(width)), X) for width in widths)
    return min(
        (
            relevant_dimension(
                spectrum,
                y,
                variant="paper",
                center_targets=False,
                max_dimension=min(len(y) // 2, spectrum.rank),
            )
            for spectrum in spectra
        ),
        key=lambda rd: rd.negative_log_likelihood,
    )


def sweep(X: Array, y: Array, X_test: Array, y_test: Array, widths: Array) -> dict[str, list[Any]]:
    """Try Gaussian kernels on a data set; for each keep dimensions, noise and test errors.

    Parameters
    ----------
    X, y, X_test, y_test : ndarray
        Training and test rows.
    widths : ndarray
        Widths of the kernel.

    Returns
    -------
    dict
        Lists, an entry a width. ``dimension_*`` and ``value_*`` are the place and value of a
        criterion's minimum; ``_full`` searches 1, ..., n - 1, all others 1, ..., n/2, at most the
        numerical rank.
    """
    targets = code_targets(y)
    if targets.classes is None:
        # The paper does not centre numbers.
        targets = targets.uncentred()
    grams = Gram.of(Gaussian(1.0), X).sharing([Gaussian(float(width)) for width in widths])
    between = squared_distances(X_test, X)
    rows = []
    for gram in grams:
        spectrum = decompose_dense(gram)
        row, expansions = _judge(spectrum, targets)
        # All predictors share one kernel matrix of the test rows.
        kernel = gram.kernel
        assert isinstance(kernel, Gaussian)
        weights = np.column_stack([expansion.weights for expansion in expansions.values()])
        constants = np.concatenate([expansion.constant for expansion in expansions.values()])
        scores = kernel.profile(between) @ weights + constants
        for place, name in enumerate(expansions):
            row[f"error_{name}"] = _error(targets, scores[:, place], y_test)
        rows.append(row)
    return {key: [row[key] for row in rows] for key in rows[0]}


def _judge(spectrum: Spectrum, targets: Targets) -> tuple[dict[str, Any], dict[str, Expansion]]:
    n = targets.n
    # Components beyond the numerical rank cannot be carried over to new points.
    most = min(n // 2, spectrum.rank)
    rd = estimate(spectrum, targets, variant="paper", max_dimension=most)
    ridge = fit_ridge(spectrum, targets, RIDGES / n)
    z = spectrum.project(targets.values)[: n - 1]
    curve = leave_one_out_curve(spectrum, z, targets.values, literal=True)
    row: dict[str, Any] = {
        "width": spectrum.gram.kernel.width,
        "rank": spectrum.rank,
        "dimension_tcm": rd.dimension,
        "value_tcm": rd.negative_log_likelihood,
        "noise_tcm": rd.noise_level,
        "value_krr": ridge.criterion_value,
        "ridge": ridge.alpha * n,
    }
    for suffix, part in (("", curve[:most]), ("_full", curve)):
        best = int(np.argmin(part))
        row[f"dimension_loo{suffix}"] = best + 1
        row[f"value_loo{suffix}"] = float(part[best])
    by_loo = z[: row["dimension_loo"]]
    row["noise_loo"] = targets.error(spectrum.combine(by_loo))
    coefficients = {"tcm": rd.leading_coefficients, "loo": by_loo}
    if targets.classes is not None:
        coefficients["denoised"] = denoised_coefficients(spectrum, rd.leading_coefficients)
    expansions = {
        name: Expansion.of(spectrum, leading, targets.offset)
        for name, leading in coefficients.items()
    }
    return row, {**expansions, "krr": ridge.expansion}


def denoised_coefficients(spectrum: Spectrum, leading: Array) -> Array:
    """Fit the same components to the signs of the fit, the paper's Eq. (5), instead of y."""
    signs = 2.0 * decide(spectrum.combine(leading))[:, None] - 1.0
    return np.asarray(spectrum.project(signs)[: len(leading)])


def _error(targets: Targets, scores: Array, y_test: Array) -> float:
    if targets.classes is not None:
        return float(np.mean(targets.labels(scores[:, None]) != y_test))
    return float(np.sum((y_test - scores) ** 2) / np.sum((y_test - y_test.mean()) ** 2))
