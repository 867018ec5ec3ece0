"""Diagnoses that several views are tested on."""

import numpy as np
import pytest

from reldim import diagnose
from reporting import sinc, two_moons


@pytest.fixture(scope="session")
def of_sinc():
    data = sinc()
    return diagnose(data.X, data.y)


@pytest.fixture(scope="session")
def of_moons():
    return diagnose(*two_moons())


@pytest.fixture(scope="session")
def of_noise():
    rng = np.random.default_rng(0)
    return diagnose(rng.normal(size=(60, 2)), rng.choice(["yes", "no"], 60))
