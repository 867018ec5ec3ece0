"""JMLR, Table 2: a complex and a noisy problem, told apart by dimension and noise level."""

from typing import Any

import numpy as np

from reproduction.agreement import draw_agrees
from reproduction.pages import Check, Page, Settings, Table
from reproduction.papers import TABLE2
from reproduction.toys import sweep_toys

__all__ = ["run"]


def run(settings: Settings) -> Page:
    """Compute the table."""
    count, large = settings.count(100, 5), settings.count(10, 1)
    checks, rows, data = [], [], {}
    for problem in ("complex", "noisy"):
        draws = sweep_toys(problem, 100, count, settings.jobs)
        for method, key in (("TCM", "tcm"), ("LOO-CV", "loo")):
            found = [_at_best(draw, key) for draw in draws]
            dimensions, levels = np.array(found).T
            paper = TABLE2[problem, method]
            name = f"{problem} data set, {method}"
            checks.append(_check(f"{name}: dimension", paper[0], dimensions, "{:.0f}"))
            checks.append(_check(f"{name}: noise level", paper[1], levels, "{:.1f} %"))
            rows.append([problem, method, _range(dimensions, "{:.0f}"), _range(levels, "{:.1f}")])
            data[name] = {"dimensions": dimensions.tolist(), "noise_levels": levels.tolist()}
        errors = np.array([_ridge_error(draw) for draw in draws])
        paper_error = {"complex": 43.7, "noisy": 44.4}[problem]
        checks.append(
            _check(f"{problem} data set: test error of KRR", paper_error, errors, "{:.1f} %")
        )
    if not settings.quick:
        draws = sweep_toys("complex", 1000, large, settings.jobs)
        dimensions, levels = np.array([_at_best(draw, "tcm") for draw in draws]).T
        errors = np.array([_ridge_error(draw) for draw in draws])
        name = "complex data set with 1000 rows"
        checks += [
            _check(f"{name}: dimension", 142, dimensions, "{:.0f}"),
            _check(f"{name}: noise level", 1.96, levels, "{:.2f} %"),
            _check(f"{name}: test error of KRR", 2.4, errors, "{:.2f} %"),
            *_kept_width(draws, sweep_toys("complex", 100, count, settings.jobs)),
        ]
    columns = ("data set", "method", "dimension", "noise level in %")
    return Page(
        name="table2",
        title="Table 2: complex or noisy?",
        paper="jmlr",
        text=_TEXT.format(count=count, large=large),
        tables=(
            Table("**Ours**: median, and in brackets the 5 and 95 % percentiles.", columns, rows),
        ),
        checks=tuple(checks),
        notes=_NOTES,
        seeds=f"0 to {count - 1}; 10 000 more for test rows",
        data=data,
    )


def _kept_width(large: list[dict[str, Any]], small: list[dict[str, Any]]) -> list[Check]:
    """Analyse 1000 rows under the widths that 100 rows choose most often."""
    checks = []
    for what, criterion, key, scale, paper, form in (
        ("dimension", "tcm", "dimension_tcm", 1, 142, "{:.0f}"),
        ("noise level", "tcm", "noise_tcm", 100, 1.96, "{:.2f} %"),
        ("test error of KRR", "krr", "error_krr", 100, 2.4, "{:.2f} %"),
    ):
        chosen = [int(np.argmin(draw[f"value_{criterion}"])) for draw in small]
        place = int(np.bincount(chosen).argmax())
        name = (
            f"1000 rows, the width that 100 rows choose most often, {small[0]['width'][place]:.2g}"
        )
        values = [scale * draw[key][place] for draw in large]
        agrees = draw_agrees(values, paper)
        shown = _range(values, form)
        checks.append(Check(f"{name}: {what}", f"{paper:g}", shown, agrees, kind="other"))
    return checks


def _at_best(draw: dict[str, Any], key: str) -> tuple[float, float]:
    best = int(np.argmin(draw[f"value_{key}"]))
    return draw[f"dimension_{key}"][best], 100 * draw[f"noise_{key}"][best]


def _ridge_error(draw: dict[str, Any]) -> float:
    return 100 * float(draw["error_krr"][int(np.argmin(draw["value_krr"]))])


def _check(what: str, paper: float, values: Any, form: str) -> Check:
    agrees = draw_agrees(values, paper)
    note = "" if agrees else _REMARKS.get(what, "")
    return Check(what, f"{paper:g}", _range(values, form), agrees, note)


def _range(values: Any, form: str) -> str:
    low, middle, high = (form.format(v) for v in np.percentile(values, [5, 50, 95]))
    return f"{middle} ({low} to {high})"


#: Disagreements, and what was tried.
_REMARKS = {
    "noisy data set, TCM: dimension": "fewer than one of twenty draws have so many; with centred "
    "targets the percentiles are 5 and 9",
    "complex data set with 1000 rows: dimension": "the paper's is what comes out if the width is "
    "kept from the 100 rows, as the page shows",
    "complex data set with 1000 rows: test error of KRR": "the paper's is what comes out if the "
    "width is kept from the 100 rows, as the page shows",
}

_TEXT = """
Two regression problems with 100 rows: sin(35 x), nearly free of noise, and sinc(x) with much noise.
Kernel ridge regression does equally badly on both; dimension and noise level tell why. Width of the
Gaussian kernel among 20 from 1e-6 to 100, by the likelihood (TCM) or by leave-one-out (LOO-CV).

The paper shows one draw. Here are {count} draws ({large} of 1000 rows), each with 1000 test rows;
the paper's number agrees if it lies between the 5 and 95 % percentiles of ours. Noise levels and
errors are normalised mean squared errors; targets are not centred, as the paper's are not
(`center_targets=False`).
"""

_NOTES = """
**1000 rows.** The likelihood then chooses a wider kernel, under which 84 components suffice, two
for each of the 35 oscillations and a few for the ends. Dimension, noise level and the error of
ridge regression are all as the paper has them if the width is not chosen again but kept from the
100 rows: the last three rows of the table.

**Round-off.** Under the narrowest kernels K is the identity but for round-off, and Algorithm 1
takes components that are a matter of chance, see [Figure 5](figure5.md). Where the likelihood
chooses such a width, a draw depends on the processor: in two runs of this page the 5 % percentile
of the complex set's dimension was 23 and 26, its median noise level by LOO-CV 40.8 and 41.4 %.
"""
