"""Relevant dimension estimation: what a kernel sees in a supervised data set.

Names are imported when they are first used, so that ``reldim --help`` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reldim import cutoffs, datasets, exceptions, kernels, plots, theory
    from reldim.diagnosis.comparison import Comparison
    from reldim.diagnosis.diagnosis import Diagnosis, Predictor, diagnose, find_label_issues
    from reldim.diagnosis.forecast import Forecast
    from reldim.diagnosis.label_review import LabelReview
    from reldim.diagnosis.representations import compare
    from reldim.eigensolvers import decompose
    from reldim.estimators import (
        KernelBlendClassifier,
        KernelBlendRegressor,
        KernelPCClassifier,
        KernelPCRegressor,
        KernelRidgeClassifier,
        KernelRidgeRegressor,
        LowRankGPClassifier,
        LowRankGPRegressor,
        RelevantKernelPCA,
    )
    from reldim.estimators.dna import DNAOneHot
    from reldim.files.storage import load, save
    from reldim.relevance.estimation import RelevantDimension, relevant_dimension
    from reldim.relevance.noise import NoiseEstimate
    from reldim.spectrum.spectrum import Spectrum

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "DNAOneHot",
    "Diagnosis",
    "Forecast",
    "KernelBlendClassifier",
    "KernelBlendRegressor",
    "KernelPCClassifier",
    "KernelPCRegressor",
    "KernelRidgeClassifier",
    "KernelRidgeRegressor",
    "LabelReview",
    "LowRankGPClassifier",
    "LowRankGPRegressor",
    "NoiseEstimate",
    "Predictor",
    "RelevantDimension",
    "RelevantKernelPCA",
    "Spectrum",
    "Verdict",
    "__version__",
    "compare",
    "cutoffs",
    "datasets",
    "decompose",
    "diagnose",
    "exceptions",
    "find_label_issues",
    "kernels",
    "load",
    "plots",
    "relevant_dimension",
    "save",
    "theory",
]

_HOMES = {
    "Comparison": "diagnosis.comparison",
    "DNAOneHot": "estimators.dna",
    "Diagnosis": "diagnosis.diagnosis",
    "Forecast": "diagnosis.forecast",
    "KernelBlendClassifier": "estimators",
    "KernelBlendRegressor": "estimators",
    "KernelPCClassifier": "estimators",
    "KernelPCRegressor": "estimators",
    "KernelRidgeClassifier": "estimators",
    "KernelRidgeRegressor": "estimators",
    "LabelReview": "diagnosis.label_review",
    "LowRankGPClassifier": "estimators",
    "LowRankGPRegressor": "estimators",
    "NoiseEstimate": "relevance.noise",
    "Predictor": "diagnosis.diagnosis",
    "RelevantDimension": "relevance.estimation",
    "RelevantKernelPCA": "estimators",
    "Spectrum": "spectrum.spectrum",
    "Verdict": "diagnosis.verdicts",
    "compare": "diagnosis.representations",
    "decompose": "eigensolvers",
    "diagnose": "diagnosis.diagnosis",
    "find_label_issues": "diagnosis.diagnosis",
    "load": "files.storage",
    "relevant_dimension": "relevance.estimation",
    "save": "files.storage",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"reldim.{_HOMES[name]}"), name)
    if name in __all__:
        return import_module(f"reldim.{name}")
    raise AttributeError(f"module 'reldim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
