"""Relevant dimension estimation: what a kernel sees in a supervised data set.

Names are imported when they are first used, so that ``reldim --help`` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reldim import cutoffs, datasets, exceptions, kernels, theory
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
    from reldim.relevance import RelevantDimension, relevant_dimension
    from reldim.spectrum import Spectrum

__version__ = "0.1.0"

__all__ = [
    "DNANumbers",
    "DNAOneHot",
    "Diagnosis",
    "KernelPCClassifier",
    "KernelPCRegressor",
    "KernelRidgeClassifier",
    "KernelRidgeRegressor",
    "LowRankGPClassifier",
    "RelevantDimension",
    "RelevantKernelPCA",
    "Spectrum",
    "Verdict",
    "__version__",
    "cutoffs",
    "datasets",
    "decompose",
    "diagnose",
    "exceptions",
    "kernels",
    "relevant_dimension",
    "theory",
]

_HOMES = {
    "DNANumbers": "encoders",
    "DNAOneHot": "encoders",
    "Diagnosis": "diagnosis",
    "KernelPCClassifier": "estimators",
    "KernelPCRegressor": "estimators",
    "KernelRidgeClassifier": "estimators",
    "KernelRidgeRegressor": "estimators",
    "LowRankGPClassifier": "estimators",
    "RelevantDimension": "relevance",
    "RelevantKernelPCA": "estimators",
    "Spectrum": "spectrum",
    "Verdict": "diagnosis",
    "decompose": "eigensolvers",
    "diagnose": "diagnosis",
    "relevant_dimension": "relevance",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"reldim.{_HOMES[name]}"), name)
    if name in __all__:
        return import_module(f"reldim.{name}")
    raise AttributeError(f"module 'reldim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
