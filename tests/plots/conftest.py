"""Data and diagnoses that several plots are tested on."""

import numpy as np
import pytest

import reldim
from reldim import datasets, decompose, kernels, relevant_dimension


@pytest.fixture(scope="session")
def sinc():
    data = datasets.noisy_sinc(80, random_state=1)
    return relevant_dimension(decompose(kernels.Gaussian(width=1.0), data.X), data.y)


@pytest.fixture(scope="session")
def bananas():
    data = datasets.bananas(90, random_state=0)
    y = np.where(data.y > 0, "up", "down")
    return relevant_dimension(decompose(kernels.Gaussian(width=0.5), data.X), y)


@pytest.fixture(scope="session")
def clouds():
    rng = np.random.default_rng(0)
    y = np.repeat(["red", "green", "blue"], 25)
    X = rng.normal(size=(75, 2)) + np.repeat([[0, 0], [0, 3], [3, 0]], 25, axis=0)
    return relevant_dimension(decompose(kernels.Gaussian(width=2.0), X), y)


@pytest.fixture(scope="session")
def nothing():
    rng = np.random.default_rng(3)
    return reldim.diagnose(rng.normal(size=(60, 3)), rng.normal(size=60), random_state=0)


@pytest.fixture(scope="session")
def diagnosis():
    data = datasets.noisy_sinc(60, random_state=1)
    return reldim.diagnose(data.X, data.y, random_state=0)
