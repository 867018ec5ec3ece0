"""The splice data as letters, under the kernels of the JMLR paper's worked example."""

import functools
from typing import Any

import numpy as np

from reldim import DNAOneHot, kernels, relevant_dimension
from reldim.spectrum.expansion import Expansion
from reproduction import sets
from reproduction.cache import compute
from reproduction.sweep import denoised_coefficients, source_of, whole_spectrum

__all__ = ["KERNELS", "analyse_splice", "slides_kernel"]

#: The width of Table 5, and a degree that the paper does not print.
WIDTH, DEGREE = 50.0, 20

#: The paper's kernels; then what the order of the letters does, and what the degree does.
KERNELS = (
    "rbf",
    "rbf (binary)",
    "wdk",
    "rbf (A, C, G, T)",
    "wdk, degree 5",
    "wdk, degree 10",
    "wdk, degree 30",
    "wdk, range of the slides",
)


@functools.lru_cache(maxsize=1)
def splice_data(count: int) -> sets.DividedSet:
    """Load the sequences without ambiguous letters; +1 is a splice site of either kind."""
    data = sets.load("splice-strings")
    clear = np.array([set(sequence) <= set("ACGT") for sequence in data.X])
    y = np.where(data.y[clear] == "N", -1, 1)
    plain = sets.DividedSet("splice", data.X[clear], y, source=data.source)
    return plain.resampled(count, sizes=(1000, 2175))


def analyse_splice(count: int, jobs: int) -> list[dict[str, Any]]:
    """Analyse several divisions of the data, each under all kernels."""
    kind = f"splice-3-{source_of('splice-strings')}"
    return compute(analyse, kind, [(number, 20) for number in range(count)], jobs=jobs)


def analyse(number: int, count: int) -> dict[str, Any]:
    """Analyse one division: dimension, noise level, test error and coefficients by kernel."""
    data = splice_data(count)
    train, test = data.resamples[number].train, data.resamples[number].test
    result = {}
    for name in KERNELS:
        kernel, X = _representation(name, data.X)
        spectrum = whole_spectrum(kernel, X[train])
        rd = relevant_dimension(spectrum, data.y[train], variant="paper")
        predict = Expansion.of(spectrum, rd.leading_coefficients, rd.targets.offset)
        on_signs = Expansion.of(
            spectrum, denoised_coefficients(spectrum, rd.leading_coefficients), rd.targets.offset
        )
        result[name] = {
            "dimension": rd.dimension,
            "noise_level": rd.noise_level,
            **{
                key: float(np.mean(rd.targets.labels(function(X[test])) != data.y[test]))
                for key, function in (("test_error", predict), ("denoised_error", on_signs))
            },
            "coefficients": np.abs(rd.coefficients).round(4).tolist(),
        }
    return result


def slides_kernel(A: Any, B: Any) -> Any:
    """Compute the weighted-degree kernel as the slides print it: starts up to N - d only.

    The matches that start later are those within the last d letters.
    """
    whole = kernels.WeightedDegree(DEGREE)
    ends = [[sequence[-DEGREE:] for sequence in part] for part in (A, B)]
    return whole(A, B) - whole(*ends)


def _representation(name: str, sequences: Any) -> tuple[kernels.Kernel, Any]:
    if name == "wdk, range of the slides":
        return kernels.Function(slides_kernel), sequences
    if name.startswith("wdk"):
        degree = int(name.rpartition(" ")[2]) if "degree" in name else DEGREE
        return kernels.WeightedDegree(degree), sequences
    if name == "rbf (binary)":
        return kernels.Gaussian(WIDTH), DNAOneHot().fit_transform(sequences)
    # The benchmark numbers the letters in the order A, G, C, T; the paper's text says A, C, G, T.
    order = "ACGT" if "C, G" in name else "AGCT"
    return kernels.Gaussian(WIDTH), as_numbers(sequences, order)


def as_numbers(sequences: Any, order: str) -> Any:
    """Write the letters of DNA as 1 to 4 in a given order, one column per position."""
    vectors = DNAOneHot(order).fit_transform(sequences)
    return vectors.reshape(len(vectors), -1, 4) @ np.arange(1.0, 5.0)
