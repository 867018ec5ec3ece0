"""ICML 2000, section 4: "4 against the rest" with 256 and 1024 eigenvectors."""

from reproduction.cache import compute
from reproduction.pages import Check, Page, Settings, Table
from reproduction.usps import full_errors, lowrank_errors, spectra

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Run the experiment."""
    scales = ("as given",) if settings.quick else ("as given", "smoothed")
    ranks = (256,) if settings.quick else (256, 1024)
    rows, checks, data = [], [], {}
    # All eigenvalues of the whole matrix: minutes that the quick mode does not take.
    counted = [] if settings.quick else spectra(settings.jobs)
    shares = {
        (each["scale"], str(rank)): f"{100 * each[f'share{rank}']:.1f} %"
        for each in counted
        for rank in ranks
    }
    for scale in scales:
        tasks = [(scale, rank) for rank in ranks]
        reduced = compute(lowrank_errors, "usps-lowrank-1-folder", tasks, jobs=settings.jobs)
        found = {f"{rank} eigenvectors": each for rank, each in zip(ranks, reduced, strict=True)}
        if not settings.quick:
            (full,) = compute(full_errors, "usps-full-1-folder", [(scale,)], jobs=settings.jobs)
            found["whole matrix"] = full
            for rank, each in zip(ranks, reduced, strict=True):
                checks.append(
                    Check(
                        f"pixels {scale}: errors, {rank} eigenvectors and the whole matrix",
                        "equal",
                        f"{each['errors']}, {full['errors']} of {full['tests']}",
                        abs(each["errors"] - full["errors"]) <= 3,
                        _REMARKS.get((scale, rank), ""),
                        "property" if scale == "as given" else "other",
                    )
                )
        for what, each in found.items():
            rate = 100 * each["errors"] / each["tests"]
            held = shares.get((scale, what.split()[0]), "")
            rows.append([f"pixels {scale}", what, held, each["errors"], f"{rate:.2f} %"])
        data[scale] = found
    return Page(
        name="williams-usps",
        title="Williams and Seeger, section 4: fours among digits",
        paper="icml2000",
        text=_TEXT,
        tables=(
            Table(
                "**Ours**",
                ("scale", "kernel matrix", "variance held", "errors", "error rate"),
                rows,
            ),
        ),
        checks=tuple(checks),
        notes=_NOTES,
        seeds="0",
        data=data,
    )


#: Disagreements, and what was tried.
_REMARKS = {
    ("as given", 256): "the scale of the pixels is not the paper's, whose 256 eigenvectors hold "
    "nearly 95 % of the variance; on the smoothed digits, which give its M95 and M99, they agree",
}

_TEXT = """
Telling fours from other digits, 7291 training and 2007 test rows, with the kernel
exp(-|x - y|²/128). The paper reports that 256 and 1024 eigenvectors have the error rate of the
whole matrix, and does not print it; equal means here a difference of at most three digits. The
whole matrix is handled by Cholesky factors, independently of the package's low-rank code. For the
scale of the pixels see [Table 1](williams-table1.md).
"""

_NOTES = """
With the pixels as given the kernel is narrower for the data than the paper's: 256 eigenvectors hold
much less than the 95 % that the paper speaks of, and a few more digits are mistaken.
"""
