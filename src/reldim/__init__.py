"""Relevant dimension estimation: what a kernel sees in a supervised data set.

Names are imported when they are first used, so that ``reldim --help`` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reldim import cutoffs, datasets, exceptions, kernels, plots, theory
    from reldim.comparison import Comparison, compare
    from reldim.diagnosis import Diagnosis, Verdict, diagnose
    from reldim.eigensolvers import decompose
    from reldim.encoders import DNANumbers, DNAOneHot
    from reldim.estimators import (
        KernelPCClassifier,
        KernelPCRegressor,
        KernelRidgeClassifier,
        KernelRidgeRegressor,
        LowRankGPClassifier,
        RelevantKernelPCA,
    )
    from reldim.forecast import Forecast
    from reldim.labels import find_label_issues
    from reldim.noise import NoiseEstimate
    from reldim.relevance import RelevantDimension, relevant_dimension
    from reldim.spectrum import Spectrum
    from reldim.storage import load, save

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "DNANumbers",
    "DNAOneHot",
    "Diagnosis",
    "Forecast",
    "KernelPCClassifier",
    "KernelPCRegressor",
    "KernelRidgeClassifier",
    "KernelRidgeRegressor",
    "LowRankGPClassifier",
    "NoiseEstimate",
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
    "Comparison": "comparison",
    "DNANumbers": "encoders",
    "DNAOneHot": "encoders",
    "Diagnosis": "diagnosis",
    "Forecast": "forecast",
    "KernelPCClassifier": "estimators",
    "KernelPCRegressor": "estimators",
    "KernelRidgeClassifier": "estimators",
    "KernelRidgeRegressor": "estimators",
    "LowRankGPClassifier": "estimators",
    "NoiseEstimate": "noise",
    "RelevantDimension": "relevance",
    "RelevantKernelPCA": "estimators",
    "Spectrum": "spectrum",
    "Verdict": "diagnosis",
    "compare": "comparison",
    "decompose": "eigensolvers",
    "diagnose": "diagnosis",
    "find_label_issues": "labels",
    "load": "storage",
    "relevant_dimension": "relevance",
    "save": "storage",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"reldim.{_HOMES[name]}"), name)
    if name in __all__:
        return import_module(f"reldim.{name}")
    raise AttributeError(f"module 'reldim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
