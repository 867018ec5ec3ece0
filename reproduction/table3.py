"""JMLR, Table 3: dimensions, noise levels and test errors on thirteen benchmark sets."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.datasets.catalogue import CATALOGUE
from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import TABLE3, Spread
from reproduction.svm import svm_errors
from reproduction.sweep import sweep_benchmarks

__all__ = ["Measured", "dimension_agrees", "measure", "run"]


@dataclass(frozen=True)
class Measured:
    """Our row of the table.

    Attributes
    ----------
    tcm, loo, literal : float
        Medians of the dimensions: by likelihood; by likelihood under the width that leave-one-out
        chooses; width and dimension both by leave-one-out.
    noise, kpcr, krr, svm : Spread
        Means and standard deviations over resamples, in percent.
    official, random : int
        Numbers of resamples that came with the benchmark, and of those that were drawn.
    width : float
        Median of the chosen widths.
    """

    tcm: float
    loo: float
    literal: float
    noise: Spread
    kpcr: Spread
    krr: Spread
    svm: Spread
    official: int
    random: int
    width: float
    source: str


def measure(name: str, settings: Settings) -> Measured:
    """Compute our row for one benchmark set."""
    count = settings.count(CATALOGUE[name].count or 1)
    results = sweep_benchmarks(name, count, settings.jobs)
    columns = {
        key: np.array([result[key] for result in results])
        for key, value in results[0].items()
        if isinstance(value, list)
    }
    by_likelihood, by_loo, by_ridge = (
        columns[f"value_{name}"].argmin(axis=1) for name in ("tcm", "loo", "krr")
    )
    origins = [result["origin"] for result in results]
    return Measured(
        tcm=float(np.median(_at(columns["dimension_tcm"], by_likelihood))),
        loo=float(np.median(_at(columns["dimension_tcm"], by_loo))),
        literal=float(np.median(_at(columns["dimension_loo"], by_loo))),
        noise=_spread(_at(columns["noise_tcm"], by_likelihood)),
        kpcr=_spread(_at(columns["error_tcm"], by_likelihood)),
        krr=_spread(_at(columns["error_krr"], by_ridge)),
        svm=_spread(np.array(svm_errors(name, count, settings.jobs))),
        official=origins.count("official"),
        random=origins.count("random"),
        width=float(np.median(_at(columns["width"], by_likelihood))),
        source=results[0]["source"],
    )


def dimension_agrees(ours: float, paper: float) -> bool:
    """Tell whether a dimension lies within 20 % of the paper's or within 2 of it."""
    return abs(ours - paper) <= max(2.0, 0.2 * paper)


def run(settings: Settings) -> Page:
    """Compute the table."""
    names = ["thyroid", "heart"] if settings.quick else list(TABLE3)
    measured = {name: measure(name, settings) for name in names}
    checks = [check for name in names for check in _checks(name, measured[name])]
    rows = [_row(name, measured[name]) for name in names]
    columns = (
        "data set",
        "TCM",
        "LOO-CV",
        "LOO-CV literally",
        "noise level",
        "RDE+kPCR",
        "KRR",
        "SVM",
        "width",
        "resamples: official + random",
    )
    counts = _counts(checks)
    summary = "; ".join(f"{what} {agreed} of {total}" for what, (agreed, total) in counts.items())
    return Page(
        name="table3",
        title="Table 3: thirteen benchmark sets",
        paper="jmlr",
        text=_TEXT.format(summary=summary),
        tables=(Table("**Ours**, with the paper's numbers in brackets.", columns, rows),),
        checks=tuple(checks),
        notes=_NOTES,
        data={
            "counts": {what: list(pair) for what, pair in counts.items()},
            "rows": {name: _plain(row) for name, row in measured.items()},
        },
    )


def _checks(name: str, ours: Measured) -> list[Check]:
    paper = TABLE3[name]
    dimensions = (
        ("TCM", ours.tcm, paper.tcm),
        ("LOO-CV", ours.loo, paper.loo),
        ("LOO-CV literally", ours.literal, paper.loo),
    )
    checks = [
        Check(
            f"{name}: dimension, {what}", str(theirs), f"{mine:g}", dimension_agrees(mine, theirs)
        )
        for what, mine, theirs in dimensions
    ]
    for label, key in _ERRORS.items():
        theirs, mine = getattr(paper, key), getattr(ours, key)
        checks.append(Check(f"{name}: {label}", str(theirs), str(mine), theirs.holds(mine.mean)))
    return checks


def _counts(checks: list[Check]) -> dict[str, tuple[int, int]]:
    kinds: dict[str, list[bool]] = {}
    for check in checks:
        kinds.setdefault(check.what.split(": ", 1)[1], []).append(bool(check.agrees))
    return {kind: (sum(agreed), len(agreed)) for kind, agreed in kinds.items()}


def _row(name: str, ours: Measured) -> list[Any]:
    paper = TABLE3[name]
    return [
        name,
        f"{ours.tcm:g} ({paper.tcm})",
        f"{ours.loo:g} ({paper.loo})",
        f"{ours.literal:g}",
        *(f"{getattr(ours, key)} ({getattr(paper, key)})" for key in _ERRORS.values()),
        f"{ours.width:.2g}",
        f"{ours.official} + {ours.random}",
    ]


def _at(values: NDArray[Any], chosen: NDArray[np.intp]) -> NDArray[Any]:
    return np.asarray(values[np.arange(len(values)), chosen])


def _spread(errors: NDArray[np.float64]) -> Spread:
    return Spread(100 * float(errors.mean()), 100 * float(errors.std(ddof=1)))


def _plain(row: Measured) -> dict[str, Any]:
    return {
        key: {"mean": round(value.mean, 3), "deviation": round(value.deviation, 3)}
        if isinstance(value, Spread)
        else value
        for key, value in vars(row).items()
    }


_ERRORS = {"noise level": "noise", "RDE+kPCR": "kpcr", "KRR": "krr", "SVM": "svm"}

_TEXT = """
For each resample the width of a Gaussian kernel is chosen among 20, from 0.01 to 10 000, by the
likelihood; dimension, noise level and the test error of least squares on the leading components
(RDE+kPCR) follow from it (`relevant_dimension(..., variant="paper")`). Dimensions are medians over
the resamples, errors are means and standard deviations, in percent.

An error agrees if it lies within one standard deviation of the paper's, a dimension if it lies
within 20 % of the paper's or within 2 of it. In agreement: {summary}.

- **LOO-CV literally**: width and dimension both by the closed-form leave-one-out error, as the NIPS
  paper describes it. This does not give the paper's column.
- **LOO-CV**: the width by the leave-one-out error, and the dimension under this width by the
  likelihood. This does give the paper's column, and is our inference; the other readings that were
  tried are [on a page of their own](table3-loo.md).
- **KRR**: kernel ridge regression; width among the same 20 and ridge parameter among ten from 1e-6
  to 1e3, by closed-form leave-one-out.
- **SVM**: the paper quotes the error rates of Rätsch et al. (2001). Here they are computed: cost
  and width by five-fold cross-validation on each of the first five resamples, then the median of
  the five.
- **Resamples**: the official ones that are at hand first, then random divisions of the same sizes
  with fixed seeds, 100 in all (20 for image and splice). Without a data folder all are random.
"""

_NOTES = """
**Splice.** The test error of RDE+kPCR is a point below the paper's, with dimension, noise level and
KRR as the paper has them. The paper's own Table 5 has 12.9 ± 0.9 for the same data at width 50,
next to the widths that the likelihood chooses here (30 and 62), and agrees with ours. Over all
widths from 30 up our mean error lies between 12.6 and 13.4, so that no choice of width gives 13.8.
What differs is that 19 of the 20 divisions are not the paper's.

**SVM.** On banana and twonorm our machines do better than the rates that the paper quotes, by more
than its spread. The grid of parameters of the original experiment is not known to us.

**Titanic.** There are about a dozen different rows among the 150, so that most of the spectrum is
round-off. Where the estimated dimension exceeds the numerical rank, predictions use the components
up to the rank: those beyond cannot be carried over to new points.
"""
