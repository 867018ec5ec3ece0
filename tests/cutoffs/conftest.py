"""A regression and its spectrum."""

import pytest

from reldim import datasets, decompose, kernels


@pytest.fixture(scope="module")
def sinc():
    return datasets.noisy_sinc(120, random_state=0), datasets.noisy_sinc(60, random_state=1)


@pytest.fixture(scope="module")
def spectrum(sinc):
    return decompose(kernels.Gaussian(1.0), sinc[0].X)
