"""JMLR, Table 5: three kernels for the splice data."""

import numpy as np

from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import SPLICE_KERNELS, Spread
from reproduction.splice import KERNELS, analyse_splice
from reproduction.table3 import dimension_agrees

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Compute the table."""
    count = settings.count(20, 1)
    results = analyse_splice(count, settings.jobs)
    checks, rows, data = [], [], {}
    for name in KERNELS:
        dimensions = np.array([r[name]["dimension"] for r in results])
        noise, error = (
            _spread([r[name][key] for r in results]) for key in ("noise_level", "test_error")
        )
        middle = float(np.median(dimensions))
        shown = f"{middle:g} ({dimensions.min()} to {dimensions.max()})"
        rows.append([name, shown, _interval(dimensions), noise, error])
        data[name] = {
            "dimensions": dimensions.tolist(),
            "noise_level": vars(noise),
            "test_error": vars(error),
        }
        if name in SPLICE_KERNELS:
            paper = SPLICE_KERNELS[name]
            checks += [
                Check(
                    f"{name}: dimension",
                    str(paper[0]),
                    f"{middle:g}",
                    dimension_agrees(middle, paper[0]),
                ),
                Check(
                    f"{name}: noise level", str(paper[1]), str(noise), paper[1].holds(noise.mean)
                ),
                Check(f"{name}: RDE+kPCR", str(paper[2]), str(error), paper[2].holds(error.mean)),
            ]
    columns = (
        "kernel",
        "dimension",
        "90 % interval of its median",
        "noise level in %",
        "RDE+kPCR in %",
    )
    return Page(
        name="table5",
        title="Table 5: three kernels for splice sites",
        paper="jmlr",
        text=_TEXT.format(count=count),
        tables=(Table("**Ours.** Medians (and range) of dimensions.", columns, rows),),
        checks=tuple(checks),
        notes=_NOTES,
        data=data,
    )


def _interval(dimensions: np.ndarray) -> str:
    draws = np.random.default_rng(0).choice(dimensions, size=(10_000, len(dimensions)))
    low, high = np.percentile(np.median(draws, axis=1), [5, 95])
    return f"{low:g} to {high:g}"


def _spread(values: list[float]) -> Spread:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Spread(100 * float(np.mean(values)), 100 * deviation)


_TEXT = """
The worked example of appendix C: does a string of DNA hold a splice site? Three representations of
the same sequences, {count} random divisions into 1000 training and 2175 test rows (the official
ones are not to be had for the letters): numbers 1 to 4 under a Gaussian kernel of width 50; unit
vectors under the same kernel; and the weighted-degree kernel. The paper does not print the degree
of the latter; here it is 20. The 15 sequences with ambiguous letters are left out, as in the
benchmark.

The rows below the third are not in the paper. The fourth numbers the letters in the order A, C, G,
T that the paper's text names; the benchmark's own order is A, G, C, T. The others show what the
degree does.
"""

_NOTES = """
**Dimensions.** Noise levels and errors agree, and so does the dimension under the plain Gaussian
kernel. The other two dimensions are larger than the paper's by more than a fifth. They are medians
of 20 numbers that spread over a factor of five and more from division to division, and the
divisions are not the paper's. For unit vectors the paper's 11 lies inside the 90 % interval of our
median (by bootstrap). For the weighted-degree kernel the paper's 29 lies between our medians at
degree 10 and at degree 20.
"""
