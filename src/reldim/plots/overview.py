"""The four plots of a diagnosis that matter most, in one figure."""

from typing import TYPE_CHECKING

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.plots.candidates import CandidatesDisplay
from reldim.plots.canvas import literal, new_axes, plural
from reldim.plots.coefficients import CoefficientsDisplay
from reldim.plots.criterion import CriterionDisplay
from reldim.plots.denoised import DenoisedDisplay
from reldim.plots.errorcurve import ErrorCurveDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_overview"]


def draw_overview(diagnosis: Diagnosis) -> "Figure":
    """Draw coefficients, criterion, kernels tried, and denoised targets.

    Where a single kernel was tried, the error curve takes the place of the kernels.
    """
    figure, (first, second, third, fourth) = new_axes(2, 2, (12.0, 9.0))
    relevance, verdict = diagnosis.relevance, diagnosis.verdict
    CoefficientsDisplay.from_relevance(relevance, ax=first)
    CriterionDisplay.from_relevance(relevance, ax=second)
    if len(diagnosis.tried) > 1:
        CandidatesDisplay.from_diagnosis(diagnosis, panels=("errors",), ax=third)
    else:
        ErrorCurveDisplay.from_relevance(relevance, ax=third)
    DenoisedDisplay.from_relevance(relevance, ax=fourth)
    kernel = literal(diagnosis.tried[diagnosis.index].name)
    figure.suptitle(
        f"{verdict.headline}: {plural(relevance.targets.n, 'row')}, {kernel}",
        fontweight="bold",
        wrap=True,
    )
    return figure
