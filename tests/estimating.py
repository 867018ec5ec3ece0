"""Data and kinds of estimators that their tests share."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    RelevantKernelPCA,
    datasets,
    kernels,
)

REGRESSORS = [KernelPCRegressor, KernelRidgeRegressor]


CLASSIFIERS = [KernelPCClassifier, KernelRidgeClassifier]


ALL = [*REGRESSORS, *CLASSIFIERS, RelevantKernelPCA]


SINC = datasets.noisy_sinc(60, noise=0.1, random_state=0)


NEW = np.linspace(-3.0, 3.0, 25)[:, None]


IRIS = load_iris()


FLOWERS, SPECIES = IRIS.data[::2], IRIS.target_names[IRIS.target[::2]]


WORDS = ["".join(word) for word in np.random.default_rng(0).choice(list("ACGT"), size=(60, 6))]


COUNTS = np.array([word.count("A") + 0.5 * (word[0] == "C") for word in WORDS])


GAUSSIAN = kernels.Gaussian(width=0.3)


every_estimator = pytest.mark.parametrize("kind", ALL)


every_predictor = pytest.mark.parametrize("kind", [*REGRESSORS, *CLASSIFIERS])


every_regressor = pytest.mark.parametrize("kind", REGRESSORS)


every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


def targets_of(kind):
    """Give targets for the sinc data that an estimator takes."""
    return np.where(SINC.y > 0.2, "high", "low") if kind in CLASSIFIERS else SINC.y


def output_of(model, X):
    """Give what an estimator makes of new rows, as numbers."""
    if isinstance(model, RelevantKernelPCA):
        return model.transform(X)
    return model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)
