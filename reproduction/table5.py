"""JMLR, Table 5: three kernels for the splice data."""

import numpy as np

from reproduction.agreement import mean_agrees, median_agrees, median_interval, spread
from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import SPLICE_KERNELS, Spread
from reproduction.splice import KERNELS, analyse_splice

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Compute the table."""
    count = settings.count(20, 1)
    results = analyse_splice(count, settings.jobs)
    checks, rows, data = [], [], {}
    for name in KERNELS:
        dimensions = np.array([r[name]["dimension"] for r in results])
        noise, error, on_signs = (
            spread([r[name][key] for r in results])
            for key in ("noise_level", "test_error", "denoised_error")
        )
        middle = float(np.median(dimensions))
        shown = f"{middle:g} ({dimensions.min()} to {dimensions.max()})"
        interval = "{:g} to {:g}".format(*median_interval(dimensions, 20))
        rows.append([name, shown, interval, noise, error, on_signs])
        data[name] = {
            "dimensions": dimensions.tolist(),
            "noise_level": vars(noise),
            "test_error": vars(error),
            "denoised_error": vars(on_signs),
        }
        if name in SPLICE_KERNELS:
            checks += _checks(name, dimensions, noise, error, on_signs)
    columns = (
        "kernel",
        "dimension",
        "95 % interval of a median of 20",
        "noise level in %",
        "RDE+kPCR on y in %",
        "RDE+kPCR, denoised, in %",
    )
    return Page(
        name="table5",
        title="Table 5: three kernels for splice sites",
        paper="jmlr",
        text=_TEXT.format(count=count),
        tables=(Table("**Ours.** Medians (and range) of dimensions.", columns, rows),),
        checks=tuple(checks),
        notes=_NOTES,
        seeds="0 to 19 for the divisions",
        data=data,
    )


def _checks(
    name: str, dimensions: np.ndarray, noise: Spread, error: Spread, on_signs: Spread
) -> list[Check]:
    dimension, level, paper = SPLICE_KERNELS[name]
    middle = f"{np.median(dimensions):g}"
    notes = _REMARKS.get(name, {})
    agree = {
        "dimension": median_agrees(dimensions, dimension, 20),
        "noise level": mean_agrees(noise, level),
        "RDE+kPCR on y": mean_agrees(error, paper),
        "RDE+kPCR, denoised": mean_agrees(on_signs, paper),
    }
    shown = {
        "dimension": (str(dimension), middle, "both"),
        "noise level": (str(level), str(noise), "both"),
        "RDE+kPCR on y": (str(paper), str(error), "literal"),
        "RDE+kPCR, denoised": (str(paper), str(on_signs), "fitting"),
    }
    return [
        Check(
            f"{name}: {what}",
            theirs,
            ours,
            agree[what],
            "" if agree[what] else notes.get(what, ""),
            reading=reading,
        )
        for what, (theirs, ours, reading) in shown.items()
    ]


#: Disagreements, and what was tried.
_REMARKS = {
    "rbf": {
        "RDE+kPCR, denoised": "least squares of the labels as they are gives it, while Table 3 has "
        "the error of the denoised ones for nearly the same widths",
    }
}

_TEXT = """
The worked example of appendix C: does a string of DNA hold a splice site? Three representations of
the same sequences, {count} random divisions into 1000 training and 2175 test rows (the official
ones are not to be had for the letters): numbers 1 to 4 under a Gaussian kernel of width 50; unit
vectors under the same kernel; and the weighted-degree kernel. The paper does not print the degree
of the latter; here it is 20. The 15 sequences with ambiguous letters are left out, as in the
benchmark.

The rows below the third are not in the paper. The fourth numbers the letters in the order A, C, G,
T that the paper's text names; the benchmark's own order is A, G, C, T. The next three show what the
degree does. The last has the kernel as the slides print it, where substrings start at the places 1
to N - d; `kernels.WeightedDegree` counts all places where they fit.

Errors are those of least squares on the labels as they are, the literal reading, and on the
denoised labels, the reading that fits [Table 3](table3.md). An error agrees within two standard
errors of the difference of the means, a dimension if it lies in the 95 % interval of a median of
20.
"""

_NOTES = """
**Dimensions** are medians of 20 numbers that spread over a factor of five and more from division to
division, so that their intervals are wide; the divisions are not the paper's. The kernel as the
slides print it has a median of 30, next to the paper's 29. The degree is not known.

**Errors.** For letters as numbers the paper's 12.9 is that of least squares on y, while its Table 3
has 13.8 on the same data, next to that of the denoised labels.
"""
