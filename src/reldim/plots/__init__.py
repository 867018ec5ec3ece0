"""Plots in the manner of scikit-learn's displays: ``from_*`` computes and draws.

matplotlib is imported when something is drawn, and not before.
"""

from reldim.plots.candidates import CandidatesDisplay
from reldim.plots.coefficients import CoefficientsDisplay
from reldim.plots.columns import ColumnsDisplay, EffectsDisplay
from reldim.plots.comparison import ComparisonDisplay
from reldim.plots.components import ComponentsDisplay
from reldim.plots.criterion import CriterionDisplay
from reldim.plots.criterionmap import CriterionMapDisplay
from reldim.plots.denoised import DenoisedDisplay
from reldim.plots.errorcurve import ErrorCurveDisplay
from reldim.plots.forecast import ForecastDisplay
from reldim.plots.labels import LabelIssuesDisplay
from reldim.plots.spectra import SpectraDisplay

__all__ = [
    "CandidatesDisplay",
    "CoefficientsDisplay",
    "ColumnsDisplay",
    "ComparisonDisplay",
    "ComponentsDisplay",
    "CriterionDisplay",
    "CriterionMapDisplay",
    "DenoisedDisplay",
    "EffectsDisplay",
    "ErrorCurveDisplay",
    "ForecastDisplay",
    "LabelIssuesDisplay",
    "SpectraDisplay",
]
