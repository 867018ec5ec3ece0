"""Generators tell the truth about themselves."""

import numpy as np
import pytest

from reldim import datasets
from reldim.exceptions import InputError

CLASSIFICATION = [
    datasets.bananas,
    datasets.four_clouds,
    datasets.mixture,
    datasets.ringnorm,
    datasets.twonorm,
    datasets.waveform,
]
GENERATORS = [*CLASSIFICATION, datasets.gaussian_regression, datasets.noisy_sinc, datasets.sine]
by_name = {"ids": lambda generator: generator.__name__}


@pytest.mark.parametrize("generate", GENERATORS, **by_name)
class TestEveryGenerator:
    def test_same_seed_same_data(self, generate):
        one, two, other = (generate(30, random_state=seed) for seed in (1, 1, 2))
        assert np.array_equal(one.X, two.X)
        assert np.array_equal(one.y, two.y)
        assert not np.array_equal(one.X, other.X)

    def test_shapes_agree(self, generate):
        data = generate(30, random_state=0)
        assert len(data.X) == len(data.y) == len(data.truth) == 30
        assert data.X.ndim == 2
        assert data.description

    def test_too_few_rows_are_refused(self, generate):
        with pytest.raises(InputError, match=r"[Tt]wo|at least 2"):
            generate(1)


@pytest.mark.parametrize("generate", CLASSIFICATION, **by_name)
def test_truth_is_the_expected_label(generate):
    # Among rows of like truth the mean label must be that truth: a wrong posterior shows here.
    data = generate(20_000, random_state=0)
    assert set(np.unique(data.y)) == {-1.0, 1.0}
    assert np.abs(data.truth).max() <= 1.0
    edges = np.linspace(-1, 1, 9)[1:-1]
    cell = np.digitize(data.truth, edges)
    for number in range(8):
        inside = cell == number
        if inside.sum() > 100:
            gap = np.mean(data.y[inside] - data.truth[inside])
            allowed = 4 * np.sqrt(np.mean(1 - data.truth[inside] ** 2) / inside.sum()) + 1e-6
            assert abs(gap) <= allowed, number


@pytest.mark.parametrize("generate", [datasets.gaussian_regression, datasets.noisy_sinc], **by_name)
def test_noise_has_the_deviation_asked_for(generate):
    data = generate(20_000, noise=0.25, random_state=0)
    assert np.std(data.y - data.truth) == pytest.approx(0.25, rel=0.03)
    assert np.array_equal(
        generate(10, noise=0, random_state=0).y, generate(10, noise=0, random_state=0).truth
    )


def test_gaussian_regression_keeps_its_problem():
    one, two = (datasets.gaussian_regression(200, noise=0, random_state=s) for s in (0, 1))
    beta = np.linalg.lstsq(one.X, one.y, rcond=None)[0]
    assert two.X @ beta == pytest.approx(two.y)
    other = datasets.gaussian_regression(200, noise=0, random_state=1, problem=1)
    assert np.abs(other.X @ beta - other.y).max() > 0.1


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.mixture(weights=(0.5, 0.6)),
        lambda: datasets.mixture(variances=(0.1, -0.1)),
        lambda: datasets.bananas(noise=0.0),
        lambda: datasets.noisy_sinc(noise=-1.0),
        lambda: datasets.gaussian_regression(features=0),
        lambda: datasets.gaussian_regression(decay=-1.0),
    ],
)
def test_nonsense_is_refused(call):
    with pytest.raises(InputError, match="Got"):
        call()
