"""A spectrum and regression targets."""

import numpy as np
import pytest

from reldim import decompose, kernels


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=80)
    return decompose(kernels.Gaussian(width=1.0), X), y
