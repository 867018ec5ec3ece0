"""Figures of the papers, within the spread of resamples."""

import os
from pathlib import Path

import numpy as np
import pytest

from reldim import KernelPCClassifier, datasets, decompose, kernels, relevant_dimension
from reldim.inputs.targets import code_targets
from reldim.search.candidates import choose

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[2] / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="set RELDIM_DATA to a folder with the benchmark data sets"
)


def best(X, y, widths, criterion="likelihood"):
    """Choose the width as the paper does, and estimate with its Algorithm 1."""
    found = []
    for width in widths:
        spectrum = decompose(kernels.Gaussian(width=width), X)
        rd = relevant_dimension(spectrum, y, criterion=criterion, variant="paper")
        found.append((rd.criterion_value, rd))
    return min(found, key=lambda pair: pair[0])[1]


WIDTHS = np.logspace(-6, 2, 20)


@pytest.fixture(scope="module")
def estimates():
    """Estimate by both criteria on 19 draws of each data set of Table 2.

    One draw more, such as the paper's, lies between the least and the largest of 19 in 9 cases of
    10 (18 of the 20 places that it can take among them are inside).
    """
    found = {}
    for name, make in (("complex", datasets.sine), ("noisy", datasets.noisy_sinc)):
        for criterion in ("likelihood", "leave-one-out"):
            found[name, criterion] = [
                best(data.X, data.y, WIDTHS, criterion)
                for data in (make(100, random_state=seed) for seed in range(19))
            ]
    return found


class TestTable2:
    """Section 4.4: the same test error, once from complexity, once from noise (n = 100)."""

    def spread(self, estimates, attribute):
        values = [getattr(rd, attribute) for rd in estimates]
        return min(values), max(values)

    @pytest.mark.parametrize(
        "name, criterion, dimension, noise",
        [
            ("complex", "likelihood", 50, 0.1607),
            ("complex", "leave-one-out", 25, 0.4059),
            ("noisy", "likelihood", 9, 0.4071),
            ("noisy", "leave-one-out", 9, 0.4071),
        ],
    )
    def test_the_paper_lies_within_the_spread(self, estimates, name, criterion, dimension, noise):
        found = estimates[name, criterion]
        low, high = self.spread(found, "dimension")
        assert low <= dimension <= high
        low, high = self.spread(found, "noise_level")
        assert low <= noise <= high

    def test_complex_and_noisy_are_told_apart(self, estimates):
        for criterion in ("likelihood", "leave-one-out"):
            complicated = [rd.dimension for rd in estimates["complex", criterion]]
            simple = [rd.dimension for rd in estimates["noisy", criterion]]
            assert np.quantile(complicated, 0.1) > np.quantile(simple, 0.9)

    def test_more_data_resolve_the_complex_set(self):
        data = datasets.sine(1000, random_state=0)
        rd = best(data.X, data.y, WIDTHS)
        # The paper: noise level 1.96 %. Its dimension of 142 belongs to a narrower kernel than
        # the likelihood chooses on this grid: 35 periods take 2 x 35 waves and a few more.
        assert 0.014 <= rd.noise_level <= 0.0205
        assert 80 <= rd.dimension <= 84


@needs_data
def test_banana_of_table_3():
    """Dimension 24 (median), noise level 8.8 +- 1.5 %, test error 11.3 +- 0.7 %."""
    archive = np.load(DATA / "ida" / "banana.npz")
    X, y = archive["X"], archive["y"]
    family = [kernels.Gaussian(width=width) for width in np.logspace(-2, 4, 20)]
    dimensions, noise, errors = [], [], []
    for train, test in zip(archive["train_idx"], archive["test_idx"], strict=True):
        rd = choose(X[train], code_targets(y[train]), family).best
        model = KernelPCClassifier.from_relevance(rd)
        dimensions.append(rd.dimension)
        noise.append(rd.noise_level)
        errors.append(1 - model.score(X[test], y[test]))
    assert abs(np.median(dimensions) - 24) <= 0.2 * 24
    assert abs(np.mean(noise) - 0.088) <= 0.015
    assert abs(np.mean(errors) - 0.113) <= 0.007
