"""Spectral cut-off: rules that say how many components to keep, and the fit that follows."""

from reldim.cutoffs.crossvalidation import CrossValidated
from reldim.cutoffs.fit import CutOffFit, as_cutoff, fit_cutoff
from reldim.cutoffs.rules import (
    Cut,
    CutOff,
    ExplainedVariance,
    Fixed,
    Relevant,
    Threshold,
)

__all__ = [
    "CrossValidated",
    "Cut",
    "CutOff",
    "CutOffFit",
    "ExplainedVariance",
    "Fixed",
    "Relevant",
    "Threshold",
    "as_cutoff",
    "fit_cutoff",
]
