"""scikit-learn estimators on a kernel spectrum."""

from reldim.estimators.blend import KernelBlendClassifier, KernelBlendRegressor
from reldim.estimators.cutoff import KernelPCClassifier, KernelPCRegressor
from reldim.estimators.gp import LowRankGPClassifier, LowRankGPRegressor
from reldim.estimators.pca import RelevantKernelPCA
from reldim.estimators.ridge import KernelRidgeClassifier, KernelRidgeRegressor

__all__ = [
    "KernelBlendClassifier",
    "KernelBlendRegressor",
    "KernelPCClassifier",
    "KernelPCRegressor",
    "KernelRidgeClassifier",
    "KernelRidgeRegressor",
    "LowRankGPClassifier",
    "LowRankGPRegressor",
    "RelevantKernelPCA",
]
