"""Seeds: what random_state may be, and what is refused."""

import numpy as np
import pytest

import reldim
from reldim import kernels
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.random_state import generator_of, seed_of

X = np.random.default_rng(0).normal(size=(20, 2))


@pytest.mark.parametrize("given, seed", [(None, 0), (0, 0), (7, 7), (np.int64(3), 3)])
def test_seeds(given, seed):
    assert seed_of(given) == seed
    assert isinstance(seed_of(given), int)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_gives_a_seed_of_its_own(make):
    first = make(5)
    assert seed_of(first) == seed_of(make(5))
    assert seed_of(first) != seed_of(first)


@pytest.mark.parametrize("given", ["a", 1.5, True, [1, 2]])
def test_of_another_type(given):
    with pytest.raises(InputTypeError, match="whole number of at least 0, or a generator"):
        seed_of(given)


def test_below_zero():
    with pytest.raises(InputError, match="at least 0. Got -1 instead"):
        seed_of(-1)


def test_generators_vary_where_nothing_is_asked_for():
    assert generator_of(None).random() != generator_of(None).random()
    own = np.random.default_rng(0)
    assert generator_of(own) is own
    assert generator_of(4).random() == np.random.default_rng(4).random()
    assert generator_of(np.random.RandomState(1)).random() < 1


@pytest.mark.parametrize(
    "call",
    [
        lambda seed: reldim.diagnose(X, X[:, 0], kernels=kernels.Linear(), random_state=seed),
        lambda seed: reldim.decompose(kernels.Linear(), X, solver="lowrank", random_state=seed),
        lambda seed: reldim.relevant_dimension(
            reldim.decompose(kernels.Gaussian(1.0), X), X[:, 0] + X[::-1, 1], random_state=seed
        ),
        lambda seed: reldim.datasets.noisy_sinc(10, random_state=seed),
        lambda seed: reldim.datasets.twonorm(10, random_state=seed),
        lambda seed: reldim.theory.GaussianDensity(1.0).sample(3, random_state=seed),
        lambda seed: reldim.cutoffs.CrossValidated(random_state=seed).cut(
            reldim.decompose(kernels.Gaussian(1.0), X), reldim.inputs.targets.code_targets(X[:, 0])
        ),
    ],
    ids=["diagnose", "decompose", "relevant", "sinc", "twonorm", "density", "cross-validation"],
)
def test_every_entrance_checks_it(call):
    call(3)
    with pytest.raises(InputTypeError, match="random_state must be"):
        call("chance")
