"""ICML 2000, Table 1: how many eigenvalues hold 95 and 99 % of the variance."""

from typing import Any

import numpy as np

from reldim.exceptions import FileError, InputError
from reproduction.agreement import draw_agrees, within_two_deviations
from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import VARIANCE_TABLE
from reproduction.processes import LARGEST, SETS, classify_sets, kernels_of_the_paper
from reproduction.usps import spectra

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Compute the table."""
    names = ("wdbc",) if settings.quick else SETS
    rows, checks, data = [], [], {}
    nearest = kernels_of_the_paper(settings)
    for name, near in zip(names, nearest, strict=True):
        results = classify_sets(name, settings)
        lost = [results[0][key]["evidence"] - near["evidence"] for key in ("equal", "fitted")]
        n, d, *paper = VARIANCE_TABLE[name]
        for key, kind in (("fitted", "number"), ("equal", "other")):
            found = [result[key] for result in results]
            ours = [np.array([each[part] for each in found]) for part in ("m95", "m99")]
            words = {"fitted": "a weight each", "equal": "equal weights"}[key]
            bound = sum(each["amplitude"] > 0.99 * LARGEST for each in found)
            stands = f"{bound} of {len(found)}"
            rows.append([name, n, d, words, *map(_range, ours), _words(found[0]), stands])
            for what, mine, theirs in zip(("M95", "M99"), ours, paper, strict=True):
                remark = _REMARKS.get((name, what), _OUTSIDE)
                remark = remark.format(equal=lost[0], own=lost[1], counts=near["counts"])
                checks.append(_check(f"{name}, {words}", what, mine, theirs, kind, remark))
        checks.append(_small(name, n, paper, [result["fitted"] for result in results]))
        data[name] = results
    if not settings.quick:
        more_rows, more_checks, data["usps"] = _usps(settings)
        rows += more_rows
        checks += more_checks
    data["nearest"] = nearest
    columns = (
        "data set",
        "n",
        "d",
        "",
        "M95",
        "M99",
        "kernel of the first training set",
        f"C at its bound of {LARGEST:g}",
    )
    return Page(
        name="williams-table1",
        title="Williams and Seeger, Table 1: eigenvalues that hold the variance",
        paper="icml2000",
        text=_TEXT,
        tables=(
            Table("**Ours.** Medians (and range).", columns, rows),
            _nearest_table(nearest, {name: data[name][0] for name in names}),
        ),
        checks=tuple(checks),
        notes=_NOTES,
        seeds="[0, 2000] to [4, 2000] for the training sets, 2000 for waveform",
        data=data,
    )


def _check(title: str, what: str, mine: Any, paper: int, kind: str, remark: str) -> Check:
    strict, agrees = draw_agrees(mine, paper), within_two_deviations(mine, paper)
    note = "" if strict or kind != "number" else remark
    shown = _range(mine)
    return Check(f"{title}: {what}", str(paper), shown, strict or agrees, note, kind, strict)


def _small(name: str, n: int, paper: list[int], found: list[dict[str, Any]]) -> Check:
    """Hold the counts to what the paper says of all sets."""
    m95, m99 = (float(np.median([each[key] for each in found])) for key in ("m95", "m99"))
    holds = m95 < 0.04 * n and m99 < n / 4
    # Half up, as the paper rounds its percentages.
    theirs = [f"{np.floor(1000 * part / n + 0.5) / 10:.1f} %" for part in paper]
    return Check(
        f"{name}: M95 is less than 4 % of n, and M99 much smaller than n",
        ", ".join(theirs),
        f"{100 * m95 / n:.1f} %, {100 * m99 / n:.1f} %",
        bool(holds),
        "" if holds else _REMARKS.get((name, "small"), ""),
        "property",
    )


def _usps(settings: Settings) -> tuple[list[list[Any]], list[Check], list[dict[str, Any]]]:
    """Rows and checks for the digits, for each scale; none where they are not at hand."""
    try:
        results = spectra(settings.jobs)
    except (FileError, InputError):
        return [], [], []
    rows: list[list[Any]] = []
    checks = []
    n, d, m95, m99 = VARIANCE_TABLE["usps"]
    for result in results:
        given = result["scale"] == "as given"
        scale = f"pixels {result['scale']}, average variance {result['variance']:.2f}"
        rows.append(["usps", n, d, "", result["m95"], result["m99"], scale, ""])
        for what, key, paper in (("M95", "m95", m95), ("M99", "m99", m99)):
            ours = result[key]
            near = bool(abs(ours - paper) <= 0.05 * paper)
            note = _REMARKS["usps", what] if given and ours != paper else ""
            kind = "number" if given else "other"
            exact = ours == paper if given else None
            checks.append(
                Check(f"usps, {scale}: {what}", str(paper), str(ours), near, note, kind, exact)
            )
    return rows, checks, results


def _nearest_table(nearest: list[dict[str, Any]], best: dict[str, Any]) -> Table:
    """Set the kernels that have the paper's counts beside those that the evidence prefers."""
    rows = [
        [
            each["name"],
            ", ".join(map(str, VARIANCE_TABLE[each["name"]][2:])),
            ", ".join(map(str, each["counts"])),
            f"w = {each['weight']:.2g}, v/C = {each['offset']:g}, C = {each['amplitude']:.2g}",
            *(
                f"{best[each['name']][key]['evidence'] - each['evidence']:.1f}"
                for key in ("equal", "fitted")
            ),
        ]
        for each in nearest
    ]
    columns = (
        "data set",
        "M95, M99 of the paper",
        "here",
        "kernel",
        "lost against equal weights",
        "lost against a weight each",
    )
    caption = (
        "**Kernels that have the paper's counts.** The nearest of 21 weights, equal for all "
        "features, and six offsets, on the first training set, C fitted, and the log evidence that "
        "it loses against the fitted kernels of the first table."
    )
    return Table(caption, columns, rows)


def _range(values: np.ndarray) -> str:
    return f"{np.median(values):g} ({values.min()} to {values.max()})"


def _words(found: dict[str, Any]) -> str:
    low, high = min(found["weights"]), max(found["weights"])
    weights = f"w = {low:.2g}" if low == high else f"w from {low:.2g} to {high:.2g}"
    return f"{weights}, v/C = {found['offset']:.2g}, C = {found['amplitude']:.2g}"


_SCALE = "the scale of the pixels is not the paper's; others are tried on the page"

_NARROWER = (
    "narrower than the evidence has it: the kernel with equal weights nearest to the paper's "
    "counts, {counts}, loses {equal:.1f} of log evidence against the best with equal "
    "weights, {own:.1f} against a weight each; the paper's parameters are not known"
)

_OUTSIDE = "outside the range of ours, within two deviations of their median"

#: Disagreements, and what was tried.
_REMARKS: dict[tuple[str, str], str] = {
    ("usps", "M95"): _SCALE,
    ("usps", "M99"): _SCALE,
    ("waveform", "M95"): _NARROWER,
    ("waveform", "M99"): _NARROWER,
    ("pima", "small"): "the median is the limit itself; training sets range from 1.5 to 7 %",
}

_TEXT = """
M95 and M99: how many leading eigenvalues of the kernel matrix add up to 95 and 99 % of its trace.
All features are scaled to mean 0 and variance 1; training sets are picked at random, five of each
(waveform: two).

The paper takes the kernel's parameters for the six smaller sets from another paper and does not
print them. Here they are **fitted by evidence** (Laplace's approximation): from the best of a grid
(w from 0.03 to 3, v/C of 0, 1 and 15, C of 1, 10 and 100) L-BFGS climbs first with one w for all
features, then with a weight for each (Eq. 11), C and v with it, 40 steps each.

**C is held to at most 300**, and the last column says how often it stands there. The bound is a
choice, and the counts of crabs, twonorm and wdbc depend on it: with C up to 1e6 (`LARGEST` in
`reproduction/processes.py`) the evidence still rises, by 3 to 5 for crabs and by up to 2.3 for the
other two, the kernel widens, crabs have M95 1 and M99 2, twonorm M95 1, and 6 instead of 10 of the
14 numbers agree leniently. At 300 latent values have a deviation of 17, which calls nearly every
row certain. A weight of 1e-6 and less is at its bound too: the feature is left out.

The paper has one training set, so its number agrees if it lies in the range of ours, and leniently
if it lies within two deviations (median absolute ones, scaled to normal draws) of one more training
set from the median of ours.
Waveform are the classes 1 and 2 of three, drawn by `reldim.datasets.waveform(pair=(1, 2))`: with
these the errors of [Table 2](williams-table2.md) are the paper's.

For the digits the kernel is printed, and the scale of the pixels is not; nothing is drawn, so that
a count agrees if it is the paper's, and leniently within five per cent.
"""

_NOTES = """
**Kernels.** For all six sets there is a kernel with equal weights whose counts are those of the
paper or near to them, and the evidence loses no more than one or two by it against the best with
equal weights. Against a weight for each feature it loses more, up to 16 for waveform; but those are
fitted to the same rows, and err more on others ([Table 2](williams-table2.md)). The evidence does
not determine the width well enough to reproduce counts that depend on it.

**Scale of the pixels.** The kernel exp(-|x - y|²/128) is not free of the scale of the pixels, and
the paper says that 0.5 is twice their average variance. In the digits at hand the pixels lie in
[-1, 1] and have an average variance of 0.47: the counts are then ten and three times the paper's.
Shrinking the pixels to the variance of 1/4 does not give the paper's counts, nor does an interval
of length 1. What does is to blur the images until their pixels have the variance of 1/4, which
takes a Gaussian of about three quarters of a pixel. Nothing but the variance was fitted, and both
counts come out within five per cent of the paper's. So its digits seem to have been smoothed; the
paper does not say so.
"""
