"""Gaussian process classifiers on the data sets of Williams and Seeger (2000)."""

from typing import Any

import numpy as np

from reldim import LowRankGPClassifier, datasets, kernels
from reldim.theory import explained_variance_count
from reproduction.cache import compute
from reproduction.papers import VARIANCE_TABLE
from reproduction.sweep import source_of, whole_spectrum

__all__ = ["SETS", "classify_sets"]

SETS = tuple(name for name in VARIANCE_TABLE if name != "usps")

#: Parameters w (the same for all features), v / C, and C of the paper's eq. (11).
WEIGHTS = (0.03, 0.1, 0.3, 1.0, 3.0)
OFFSETS = (0.0, 1.0)
AMPLITUDES = (1.0, 10.0, 100.0, 1e3, 1e4)


def classify_sets(name: str, count: int, jobs: int) -> list[dict[str, Any]]:
    """Choose a kernel by evidence and classify, for several training sets picked at random."""
    kind = f"processes-3-{source_of(name)}"
    return compute(classify, kind, [(name, number) for number in range(count)], jobs=jobs)


def classify(name: str, number: int) -> dict[str, Any]:
    """Classify with one training set.

    By the whole kernel matrix, by eigenvectors that hold 99 % of its variance, and by as many
    eigenvectors as the paper had for 99 %.
    """
    data = datasets.load(name)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    order = np.random.default_rng([number, 2000]).permutation(len(X))
    n, d = VARIANCE_TABLE[name][:2]
    assert d == X.shape[1]
    train, test = order[:n], order[n:]
    tried = [
        kernels.ARDGaussian((w,) * d, amplitude=1.0, offset=v) for w in WEIGHTS for v in OFFSETS
    ]
    full = LowRankGPClassifier(tried, rank=n, amplitudes=AMPLITUDES, solver="dense").fit(
        X[train], data.y[train]
    )
    kernel, amplitude = full.kernel_, [full.amplitude_]
    models = [full] + [
        LowRankGPClassifier(kernel, rank=rank, amplitudes=amplitude, solver="dense").fit(
            X[train], data.y[train]
        )
        for rank in (0.99, VARIANCE_TABLE[name][3])
    ]
    spectrum = whole_spectrum(kernel, X[train])
    errors = [int(np.sum(model.predict(X[test]) != data.y[test])) for model in models]
    return {
        "weight": kernel.weights[0],
        "offset": kernel.offset,
        "amplitude": full.amplitude_,
        "evidence": full.evidence_,
        "m95": explained_variance_count(spectrum, 0.95),
        "m99": explained_variance_count(spectrum, 0.99),
        "errors": errors,
        "tests": len(test),
    }
