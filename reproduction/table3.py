"""JMLR, Table 3: dimensions, noise levels and test errors on thirteen benchmark sets."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.agreement import mean_agrees, median_agrees, spread
from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import TABLE3, Benchmark, Spread
from reproduction.sets import CATALOGUE
from reproduction.svm import svm_errors
from reproduction.sweep import sweep_benchmarks

__all__ = ["Measured", "measure", "page_of", "run"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Measured:
    """Our row of the table.

    Attributes
    ----------
    tcm, literal, loo : ndarray
        Dimensions of all resamples: by likelihood; width and dimension both by leave-one-out; by
        likelihood under the width that leave-one-out chooses.
    noise, denoised, kpcr, krr : Spread
        Means and standard deviations over resamples, in percent. ``denoised`` is least squares on
        the signs of the fit, ``kpcr`` on the labels.
    official, random : int
        Numbers of resamples that came with the benchmark, and of those that were drawn.
    width : float
        Median of the chosen widths.
    """

    tcm: Array
    literal: Array
    loo: Array
    noise: Spread
    denoised: Spread
    kpcr: Spread
    krr: Spread
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
        tcm=_at(columns["dimension_tcm"], by_likelihood),
        literal=_at(columns["dimension_loo"], by_loo),
        loo=_at(columns["dimension_tcm"], by_loo),
        noise=spread(_at(columns["noise_tcm"], by_likelihood)),
        denoised=spread(_at(columns["error_denoised"], by_likelihood)),
        kpcr=spread(_at(columns["error_tcm"], by_likelihood)),
        krr=spread(_at(columns["error_krr"], by_ridge)),
        official=origins.count("official"),
        random=origins.count("random"),
        width=float(np.median(_at(columns["width"], by_likelihood))),
        source=results[0]["source"],
    )


def run(settings: Settings) -> Page:
    """Compute the table."""
    names = ["thyroid", "heart"] if settings.quick else list(TABLE3)
    measured = {name: measure(name, settings) for name in names}
    machines = {
        name: spread(svm_errors(name, len(measured[name].tcm), settings.jobs)) for name in names
    }
    return page_of(measured, machines)


def page_of(measured: dict[str, Measured], machines: dict[str, Spread]) -> Page:
    """Set what was measured beside the paper."""
    names = list(measured)
    checks = [check for name in names for check in _checks(name, measured[name], machines[name])]
    rows = [_row(name, measured[name], machines[name]) for name in names]
    counts = _counts(checks)
    summary = "; ".join(f"{what} {agreed} of {total}" for what, (agreed, total) in counts.items())
    return Page(
        name="table3",
        title="Table 3: thirteen benchmark sets",
        paper="jmlr",
        text=_TEXT.format(summary=summary),
        tables=(Table("**Ours**, with the paper's numbers in brackets.", _COLUMNS, rows),),
        checks=(*checks, *_statements(measured)),
        notes=_NOTES,
        seeds="0 to 99 for the random divisions, one each",
        data={
            "counts": {what: list(pair) for what, pair in counts.items()},
            "rows": {
                name: _plain({**vars(row), "svm": machines[name]}) for name, row in measured.items()
            },
        },
    )


def _checks(name: str, ours: Measured, machine: Spread) -> list[Check]:
    paper = TABLE3[name]
    checks = []
    for what, mine, theirs, reading in (
        ("TCM", ours.tcm, paper.tcm, "both"),
        ("LOO-CV", ours.literal, paper.loo, "literal"),
        ("LOO-CV as inferred", ours.loo, paper.loo, "fitting"),
    ):
        agrees = median_agrees(mine, theirs, paper.count)
        note = "" if agrees else _REMARKS.get(what, _REMARKS["dimension"])
        shown = f"{np.median(mine):g}"
        checks.append(Check(f"{name}: {what}", str(theirs), shown, agrees, note, reading=reading))
    for what, theirs, mine, kind, reading in (
        ("noise level", paper.noise, ours.noise, "number", "both"),
        ("RDE+kPCR on y", paper.kpcr, ours.kpcr, "number", "literal"),
        ("RDE+kPCR, denoised", paper.kpcr, ours.denoised, "number", "fitting"),
        ("KRR", paper.krr, ours.krr, "number", "both"),
        ("SVM", paper.svm, machine, "other", "both"),
    ):
        agrees = mean_agrees(mine, theirs)
        note = "" if agrees or kind == "other" else _REMARKS.get(what, _REMARKS["mean"])
        checks.append(
            Check(f"{name}: {what}", str(theirs), str(mine), agrees, note, kind, reading=reading)
        )
    return checks


def _statements(measured: dict[str, Measured]) -> list[Check]:
    """Judge what section 5.1 says of the columns, on ours and on the paper's own."""
    rows = measured.values()
    papers = [TABLE3[name] for name in measured]
    beside = [(row.kpcr, row.denoised, row.krr, row.noise) for row in rows]
    printed = [(row.kpcr, row.krr, row.noise) for row in papers]
    worse, clearly = _above((denoised, ridge) for _, denoised, ridge, _ in beside)
    plain, plainly = _above((kpcr, ridge) for kpcr, _, ridge, _ in beside)
    theirs, their_clearly = _above((kpcr, ridge) for kpcr, ridge, _ in printed)
    below = [denoised.mean - noise.mean for _, denoised, _, noise in beside]
    far = sum(noise.mean < 0.9 * denoised.mean for _, denoised, _, noise in beside)
    their_far = sum(noise.mean < 0.9 * kpcr.mean for kpcr, _, noise in printed)
    their_below = sum(noise.mean < kpcr.mean for kpcr, _, noise in printed)
    total = len(papers)
    return [
        Check(
            "least squares on the reduced features is on par with kernel ridge regression",
            "yes",
            f"denoised, worse on {worse} of {total}, by more than two standard errors on "
            f"{clearly}; on y {plain} and {plainly}",
            clearly == 0,
            f"the paper's own columns: worse on {theirs}, clearly on {their_clearly}; the distance "
            "is large on image and splice only, where many components are kept",
            "property",
        ),
        Check(
            "the noise level matches the error, with a slight tendency to under-estimate it",
            "yes",
            f"below it on {sum(each > 0 for each in below)} of {total}, by more than a tenth of it "
            f"on {far}",
            far == 0,
            f"the paper's own columns: below on {their_below}, by more than a tenth on "
            f"{their_far}; it is the error on the rows that were fitted, a lower bound",
            "property",
        ),
    ]


def _above(pairs: Iterable[tuple[Spread, Spread]]) -> tuple[int, int]:
    """Count where the first mean is the larger, and where by more than two standard errors."""
    larger = [(first, second) for first, second in pairs if first.mean > second.mean]
    return len(larger), sum(not mean_agrees(*pair) for pair in larger)


def _counts(checks: list[Check]) -> dict[str, tuple[int, int]]:
    kinds: dict[str, list[bool]] = {}
    for check in checks:
        kinds.setdefault(check.what.split(": ", 1)[1], []).append(bool(check.agrees))
    return {kind: (sum(agreed), len(agreed)) for kind, agreed in kinds.items()}


def _row(name: str, ours: Measured, machine: Spread) -> list[Any]:
    paper: Benchmark = TABLE3[name]
    return [
        name,
        f"{np.median(ours.tcm):g} ({paper.tcm})",
        f"{np.median(ours.literal):g} ({paper.loo})",
        f"{np.median(ours.loo):g}",
        f"{ours.noise} ({paper.noise})",
        f"{ours.denoised} ({paper.kpcr})",
        f"{ours.kpcr}",
        f"{ours.krr} ({paper.krr})",
        f"{machine} ({paper.svm})",
        f"{ours.width:.2g}",
        f"{ours.official} + {ours.random}",
    ]


def _at(values: Array, chosen: NDArray[np.intp]) -> Array:
    return np.asarray(values[np.arange(len(values)), chosen])


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Spread):
            plain[key] = {"mean": round(value.mean, 3), "deviation": round(value.deviation, 3)}
        else:
            plain[key] = value.tolist() if isinstance(value, np.ndarray) else value
    return plain


_COLUMNS = (
    "data set",
    "TCM",
    "LOO-CV",
    "LOO-CV as inferred",
    "noise level",
    "RDE+kPCR, denoised",
    "RDE+kPCR on y",
    "KRR",
    "SVM",
    "width",
    "resamples: official + random",
)

#: Disagreements, and what was tried.
_REMARKS = {
    "LOO-CV": "as the NIPS paper describes it; of 16 other readings one gives the column, the "
    "likelihood under the width that leave-one-out chooses",
    "RDE+kPCR on y": "as the caption reads; least squares of the denoised labels gives the column",
    "dimension": "no cause found; the divisions are not all the paper's",
    "mean": "no cause found; the divisions are not all the paper's",
}

_TEXT = """
For each resample the width of a Gaussian kernel is chosen among 20, from 0.01 to 10 000, by the
likelihood; dimension, noise level and the test error of least squares on the leading components
(RDE+kPCR) follow from it (`relevant_dimension(..., variant="paper")`). Dimensions are medians over
the resamples, errors are means and standard deviations, in percent.

The paper prints 78 numbers. 13 of them, the SVM column, it quotes from another paper; the other 65
are counted, each once by each rule. An error agrees if the two means differ by at most two standard
errors of their difference and half of the last digit, a dimension if the paper's lies in the 95 %
interval of a median of as many resamples. Two columns can be read in two ways: the strict count
takes the literal reading of both, the lenient one the reading that fits. In agreement: {summary}.

- **LOO-CV**, the literal reading: width and dimension both by the closed-form leave-one-out error,
  as the NIPS paper describes it. On seven sets this does not give the paper's number. Where a row
  has leverage 1 the error is 0/0, and the dimension is not chosen.
- **LOO-CV as inferred**, the reading that fits: the width by the leave-one-out error, and the
  dimension under this width by the likelihood. This is our inference from the numbers; all readings
  that were tried are [on a page of their own](table3-loo.md).
- **RDE+kPCR on y**, the literal reading: least squares of the labels as they are. It errs less on
  most sets, and is what `KernelPCClassifier` does by default.
- **RDE+kPCR, denoised**, the reading that fits: least squares on the same components, but of the
  *denoised* labels, the signs of the fit (`KernelPCClassifier(targets="denoised")`). The slides of
  2007 print the same table with the words that kPCR is least squares on the denoised data, and
  footnote 3 of the paper says that the estimated relevant information vector is used.
- **KRR**: kernel ridge regression; width among the same 20 and ridge parameter among ten from 1e-6
  to 1e3, by closed-form leave-one-out.
- **SVM**: the paper quotes the error rates of Rätsch et al. (2001). Here they are computed: cost
  and width by five-fold cross-validation on each of the first five resamples, then the median of
  the five.
- **Resamples**: the official ones that are at hand first, then random divisions of the same sizes
  with fixed seeds, 100 in all (20 for image and splice). Without a data folder all are random.
"""

_NOTES = """
**Section 5.1** says that the reduced features do on par with the state of the art, and that noise
levels match the errors with a slight tendency to under-estimate them. By these numbers, and by the
paper's own, kernel ridge regression is better on ten of thirteen sets, and the noise level is below
the error on all of them: the last two rows of the table.

**SVM.** On six sets the machines differ from the rates that the paper quotes, in both directions.
The grid of parameters of the original experiment is not known to us.

**Titanic.** There are about a dozen different rows among the 150, so that most of the spectrum is
round-off. Only dimensions up to the numerical rank are considered: components beyond it cannot be
carried over to new points.
"""
