"""scikit-learn estimators on a kernel spectrum."""

from reldim.estimators.cutoff import KernelPCClassifier, KernelPCRegressor
from reldim.estimators.gp import LowRankGPClassifier
from reldim.estimators.pca import RelevantKernelPCA
from reldim.estimators.ridge import KernelRidgeClassifier, KernelRidgeRegressor

__all__ = [
    "KernelPCClassifier",
    "KernelPCRegressor",
    "KernelRidgeClassifier",
    "KernelRidgeRegressor",
    "LowRankGPClassifier",
    "RelevantKernelPCA",
]
