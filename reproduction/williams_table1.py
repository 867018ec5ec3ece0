"""ICML 2000, Table 1: how many eigenvalues hold 95 and 99 % of the variance."""

from typing import Any

import numpy as np

from reldim.exceptions import FileError, InputError
from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import VARIANCE_TABLE
from reproduction.processes import SETS, classify_sets
from reproduction.table3 import dimension_agrees
from reproduction.usps import spectra

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Compute the table."""
    count = settings.count(5, 1)
    names = ("wdbc",) if settings.quick else SETS
    rows, checks, data = [], [], {}
    for name in names:
        results = classify_sets(name, count, settings.jobs)
        n, d, m95, m99 = VARIANCE_TABLE[name]
        ours = [np.array([result[key] for result in results]) for key in ("m95", "m99")]
        first = results[0]
        rows.append(
            [
                name,
                n,
                d,
                _range(ours[0]),
                _range(ours[1]),
                f"w = {first['weight']:g}, v/C = {first['offset']:g}, C = {first['amplitude']:g}",
            ]
        )
        checks += [
            Check(f"{name}: M95", str(m95), _range(ours[0]), None),
            Check(f"{name}: M99", str(m99), _range(ours[1]), None),
            Check(
                f"{name}: M99 is a fraction of n",
                f"{100 * m99 / n:.1f} %",
                f"{100 * np.median(ours[1]) / n:.1f} %",
                bool(np.median(ours[1]) < n / 2),
            ),
        ]
        data[name] = results
    if not settings.quick:
        more_rows, more_checks, data["usps"] = _usps(settings)
        rows += more_rows
        checks += more_checks
    columns = ("data set", "n", "d", "M95", "M99", "kernel of the first training set")
    return Page(
        name="williams-table1",
        title="Williams and Seeger, Table 1: eigenvalues that hold the variance",
        paper="icml2000",
        text=_TEXT.format(count=count),
        tables=(Table("**Ours.** Medians (and range).", columns, rows),),
        checks=tuple(checks),
        notes=_NOTES,
        data=data,
    )


def _usps(settings: Settings) -> tuple[list[list[Any]], list[Check], list[dict[str, Any]]]:
    """Rows and checks for the digits, one a scale; none where they are not at hand."""
    try:
        results = spectra(settings.jobs)
    except (FileError, InputError):
        return [], [], []
    rows: list[list[Any]] = []
    checks = []
    n, d, m95, m99 = VARIANCE_TABLE["usps"]
    for result in results:
        scale = f"pixels {result['scale']}, average variance {result['variance']:.2f}"
        rows.append(["usps", n, d, result["m95"], result["m99"], scale])
        near = all(
            dimension_agrees(result[key], paper) for key, paper in (("m95", m95), ("m99", m99))
        )
        ours = f"{result['m95']}, {result['m99']}"
        checks.append(Check(f"usps, {scale}: M95, M99", f"{m95}, {m99}", ours, near))
    return rows, checks, results


def _range(values: np.ndarray) -> str:
    return f"{np.median(values):g} ({values.min()} to {values.max()})"


_TEXT = """
M95 and M99: how many leading eigenvalues of the kernel matrix add up to 95 and 99 % of its trace.
All features are scaled to mean 0 and variance 1; training sets are picked at random, {count} of
each.

The paper takes the kernel's parameters for the six smaller sets from another paper and does not
print them. Here they are **chosen by evidence**: w (one for all features) from 0.03 to 3, v/C from
0 and 1, C from 1 to 10 000. So M95 and M99 are shown beside the paper's but not held to them. For
the digits the kernel is printed, and the scale of the pixels is not.
"""

_NOTES = """
**Scale of the pixels.** The kernel exp(-|x - y|²/128) is not free of the scale of the pixels, and
the paper says that 0.5 is twice their average variance. In the digits at hand the pixels lie in
[-1, 1] and have an average variance of 0.47: the counts are then ten and three times the paper's.
Shrinking the pixels to the variance of 1/4 does not give the paper's counts, nor does an interval
of length 1. What does is to blur the images until their pixels have the variance of 1/4, which
takes a Gaussian of about three quarters of a pixel. Nothing but the variance was fitted, and both
counts come out within five per cent of the paper's. So its digits seem to have been smoothed; the
paper does not say so.

**Ringnorm.** The evidence prefers a narrower kernel than the paper's, of which a single eigenvalue,
presumably that of the constant v, held 95 %; so its spectrum falls more slowly.
"""
