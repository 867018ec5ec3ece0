"""Promises: for every kind of bad or extreme input, what happens.

Each row of the table in ``docs/reliability.md`` is one promise here, and one test. The page is
written from this file: ``make reliability``.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reldim import diagnose, kernels
from reldim.exceptions import InputError, ReldimError

__all__ = ["AREAS", "GAUSSIAN", "LABELS", "NUMBERS", "PROMISES", "Promise", "X", "promise"]

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NUMBERS = X[:, 0] + 0.3 * RNG.normal(size=40)
LABELS = np.where(NUMBERS > 0, 1, -1)
GAUSSIAN = kernels.Gaussian(2.0)

AREAS = {
    "data": "Data",
    "frames": "Data frames and other tables",
    "sequences": "Sequences",
    "targets": "Targets",
    "kernels": "Kernels and kernel matrices",
    "options": "Options",
    "features": "Forecasts, label issues, comparisons, pictures",
    "text files": "Text files",
    "array files": "Array files and saved results",
    "writing": "Writing",
    "resources": "Memory, interruption, network",
}


@dataclass(frozen=True)
class Promise:
    """What happens with a kind of input, and the test of it."""

    area: str
    name: str
    given: str
    outcome: str
    test: Callable[..., None]


PROMISES: list[Promise] = []


def promise(area: str, given: str, outcome: str) -> Callable[[Callable[..., None]], Any]:
    """Make a function the test of a promise; its name names the test."""

    def enter(test: Callable[..., None]) -> Callable[..., None]:
        assert area in AREAS
        assert test.__name__ not in {known.name for known in PROMISES}, test.__name__
        PROMISES.append(Promise(area, test.__name__, given, outcome, test))
        return test

    return enter


def refused(call: Callable[[], Any], *words: str, kind: type[ReldimError] = InputError) -> None:
    """Check that a call is refused with a message of one line that holds some words."""
    try:
        call()
    except kind as error:
        message = str(error)
        assert "\n" not in message, message
        for word in words:
            assert word in message, message
    else:
        raise AssertionError("was not refused")


def figures(diagnosis: Any) -> list[float]:
    """Return what a diagnosis says."""
    return [
        diagnosis.dimension,
        *diagnosis.interval,
        diagnosis.p_value,
        diagnosis.noise_level,
        diagnosis.error_estimate,
        diagnosis.tried[diagnosis.index].negative_log_likelihood,
    ]


def same(data: Any, targets: Any = None, *, like: Any = None, rtol: float = 1e-7) -> None:
    """Check that data give the diagnosis of the plain array, without a warning.

    To the digit with kernels alone. Trees draw columns and split at ties, and how far down other
    models come tells what is noise: beside them the error is the same up to its standard error.
    """
    targets = LABELS if targets is None else targets
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = diagnose(data, targets, kernels=GAUSSIAN, scale=False, references=False)
        beside = diagnose(data, targets, kernels=GAUSSIAN, scale=False)
    plain = X if like is None else like
    expected = diagnose(plain, LABELS, kernels=GAUSSIAN, references=False)
    assert expected.dimension > 0
    np.testing.assert_allclose(figures(found), figures(expected), rtol=rtol, atol=1e-9)
    error = diagnose(plain, LABELS, kernels=GAUSSIAN).error_estimate
    assert abs(beside.error_estimate - error) < beside.error_standard_error
    assert np.mean(found.predictor().predict(data) == np.asarray(targets)) > 0.8
