"""Problems whose truth is known: families to tune rules on, and others to measure them on.

A family makes problems, a problem draws rows. The same functions serve regression and, cut at
their median, two classes; some families are about classes only.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from reldim import datasets

Array = NDArray[np.float64]
Rng = np.random.Generator

#: A function on the data, and how its arguments are drawn.
Shape = tuple[Callable[[int, Rng], Array], Callable[[Array], Array]]

#: Rows from which the scale of a function is taken.
PILOT = 4000


@dataclass(frozen=True)
class Draw:
    """Rows, targets, and the truth: the noiseless function, or probabilities of the classes."""

    X: Array
    y: NDArray[np.float64] | NDArray[np.intp]
    truth: Array

    @property
    def constant(self) -> float:
        """Error of the best constant."""
        if self.truth.ndim == 1:
            return 1.0
        return float(1.0 - self.truth.mean(axis=0).max())


@dataclass(frozen=True)
class Problem:
    """A way to draw rows, and the least error that any predictor can have.

    For regression the targets have variance 1, and errors are mean squares; for classes errors
    are shares of wrong labels.
    """

    family: str
    task: str
    draw: Callable[[int, Rng], Draw]
    noise: float | None = None

    def least_error(self, test: Draw) -> float:
        """Return noise variance over target variance, or the Bayes error on a test sample."""
        if self.noise is not None:
            return self.noise
        return float(np.mean(1.0 - test.truth.max(axis=1)))

    def error(self, test: Draw, predicted: NDArray[np.generic]) -> float:
        """Return the true error of predictions at the rows of a test sample."""
        if self.noise is not None:
            return float(np.mean((np.asarray(predicted, float) - test.truth) ** 2)) + self.noise
        return float(np.mean(1.0 - test.truth[np.arange(len(test.X)), predicted.astype(np.intp)]))


def regression(family: str, shape: Shape, noise: float, rng: Rng) -> Problem:
    """Make a regression: noise is its share of the variance of the targets."""
    inputs, function = shape
    pilot = function(inputs(PILOT, rng))
    mean, scale = pilot.mean(), pilot.std() / np.sqrt(1.0 - noise)

    def draw(n: int, rng: Rng) -> Draw:
        X = inputs(n, rng)
        truth = (function(X) - mean) / scale
        return Draw(X, truth + np.sqrt(noise) * rng.standard_normal(n), truth)

    return Problem(family, "regression", draw, noise)


def _between(values: Array, share: float) -> float:
    """Return a quantile; of a function with few levels, one that leaves some on both sides."""
    cut = float(np.quantile(values, share))
    if 0.05 <= np.mean(values > cut) <= 0.95:
        return cut
    levels = np.unique(values)
    middles = (levels[1:] + levels[:-1]) / 2
    return float(middles[np.argmin([abs(np.mean(values > middle) - 0.5) for middle in middles])])


def classes(family: str, shape: Shape, flips: float, softness: float, rng: Rng) -> Problem:
    """Make two classes: cut at a quantile, blurred around the cut, some labels flipped."""
    inputs, function = shape
    pilot = function(inputs(PILOT, rng))
    cut, scale = _between(pilot, rng.uniform(0.35, 0.65)), pilot.std()

    def draw(n: int, rng: Rng) -> Draw:
        X = inputs(n, rng)
        height = (function(X) - cut) / scale
        share = expit(height / softness) if softness > 0 else (height > 0).astype(float)
        share = flips + (1.0 - 2.0 * flips) * share
        y = (rng.uniform(size=n) < share).astype(np.intp)
        return Draw(X, y, np.column_stack([1.0 - share, share]))

    return Problem(family, "classification", draw)


def uniform(features: int) -> Callable[[int, Rng], Array]:
    """Draw inputs from a cube."""
    return lambda n, rng: rng.uniform(-1.0, 1.0, (n, features))


def normal(features: int, decay: float = 0.0) -> Callable[[int, Rng], Array]:
    """Draw inputs from a normal distribution, whose spread may fall from feature to feature."""
    spread = np.arange(1.0, features + 1.0) ** -decay
    return lambda n, rng: rng.standard_normal((n, features)) * spread


def fourier(rng: Rng) -> Shape:
    """Add five waves of random direction and frequency."""
    features = int(rng.integers(1, 4))
    pace = np.exp(rng.uniform(np.log(0.3), np.log(6.0 / features)))
    waves = pace * rng.standard_normal((features, 5))
    phases, heights = rng.uniform(0, 2 * np.pi, 5), rng.standard_normal(5)
    return uniform(features), lambda X: np.cos(2 * np.pi * X @ waves + phases) @ heights


def linear(rng: Rng) -> Shape:
    """Weigh features that differ in spread."""
    features = int(np.exp(rng.uniform(np.log(2), np.log(40))))
    slope = rng.standard_normal(features)
    return normal(features, rng.choice([0.0, 0.5, 1.0])), lambda X: X @ slope


def product(rng: Rng) -> Shape:
    """Multiply pairs of features."""
    features = int(rng.choice([2, 4, 6, 10]))
    heights = rng.uniform(0.5, 1.5, features // 2)
    return normal(features), lambda X: (X[:, ::2] * X[:, 1::2]) @ heights


def path(rng: Rng) -> Shape:
    """Follow a random walk: continuous, nowhere smooth."""
    steps = int(rng.choice([64, 512, 4096]))
    walk = np.append(0.0, np.cumsum(rng.standard_normal(steps)))
    grid = np.linspace(-1.0, 1.0, steps + 1)
    return uniform(1), lambda X: np.interp(X[:, 0], grid, walk)


def additive(rng: Rng) -> Shape:
    """Add a bent function of each feature."""
    features = int(rng.integers(2, 9))
    pace, shift = rng.uniform(0.5, 4.0, features), rng.uniform(0, 2 * np.pi, features)
    return uniform(features), lambda X: np.sin(pace * X + shift).sum(axis=1)


def cells(rng: Rng) -> Shape:
    """Give all that is nearest to one of some random points a height."""
    features, count = int(rng.integers(1, 5)), int(rng.integers(3, 20))
    centres, heights = rng.uniform(-1, 1, (count, features)), rng.standard_normal(count)

    def function(X: Array) -> Array:
        squared = ((X[:, None, :] - centres) ** 2).sum(axis=2)
        return np.asarray(heights[np.argmin(squared, axis=1)])

    return uniform(features), function


def sparse(rng: Rng) -> Shape:
    """Bend one to three features of up to sixteen."""
    features, used = int(rng.integers(4, 17)), int(rng.integers(1, 4))
    pace, shift = rng.uniform(0.5, 3.0, used), rng.uniform(0, 2 * np.pi, used)
    return normal(features), lambda X: np.sin(pace * X[:, :used] + shift).prod(axis=1)


def ridge(rng: Rng) -> Shape:
    """Follow a wave along one direction of the data."""
    features = int(rng.integers(1, 9))
    slope = rng.standard_normal(features)
    pace = np.exp(rng.uniform(np.log(0.5), np.log(12.0))) / np.linalg.norm(slope)
    return uniform(features), lambda X: np.cos(pace * X @ slope)


def sine(rng: Rng) -> Shape:
    """Oscillate along one feature."""
    pace = np.exp(rng.uniform(np.log(1.0), np.log(120.0)))
    return uniform(1), lambda X: np.sin(pace * X[:, 0])


def bumps(rng: Rng) -> Shape:
    """Put hills and hollows of one width at random places."""
    features, count = int(rng.integers(1, 4)), int(rng.integers(3, 16))
    centres, heights = rng.uniform(-1, 1, (count, features)), rng.standard_normal(count)
    width = np.exp(rng.uniform(np.log(0.1), np.log(0.6)))

    def function(X: Array) -> Array:
        squared = ((X[:, None, :] - centres) ** 2).sum(axis=2)
        return np.asarray(np.exp(-squared / (2 * width**2)) @ heights)

    return uniform(features), function


def friedman(rng: Rng) -> Shape:
    """Use five features of up to ten, as Friedman's first problem does."""
    features = int(rng.integers(5, 11))

    def function(X: Array) -> Array:
        U = (X + 1.0) / 2.0
        bent = 10 * np.sin(np.pi * U[:, 0] * U[:, 1]) + 20 * (U[:, 2] - 0.5) ** 2
        return np.asarray(bent + 10 * U[:, 3] + 5 * U[:, 4])

    return uniform(features), function


def steps(rng: Rng) -> Shape:
    """Give each box of a random grid a height."""
    features = int(rng.integers(1, 4))
    count = int(rng.integers(2, 9 if features == 1 else 5))
    edges = np.sort(rng.uniform(-1, 1, (features, count)), axis=1)
    heights = rng.standard_normal((count + 1,) * features)

    def function(X: Array) -> Array:
        box = tuple(np.searchsorted(edges[j], X[:, j]) for j in range(features))
        return np.asarray(heights[box])

    return uniform(features), function


def radial(rng: Rng) -> Shape:
    """Oscillate with the distance from the centre."""
    features = int(rng.integers(2, 6))
    pace = np.exp(rng.uniform(np.log(1.5), np.log(8.0)))
    return normal(features), lambda X: np.cos(pace * np.linalg.norm(X, axis=1) / np.sqrt(features))


def quadratic(rng: Rng) -> Shape:
    """Take a quadratic form of the features, and a linear one."""
    features = int(rng.integers(2, 9))
    form, slope = rng.standard_normal((features, features)), rng.standard_normal(features)
    return normal(features), lambda X: np.einsum("ij,jk,ik->i", X, form, X) + X @ slope


def clouds(rng: Rng) -> Problem:
    """Give each of two to four classes some clouds."""
    features, count = int(rng.integers(2, 11)), int(rng.integers(2, 5))
    each = int(rng.integers(1, 4))
    centres = rng.uniform(0.6, 2.5) * rng.standard_normal((count, each, features))
    flips = rng.choice([0.0, 0.0, 0.1, 0.2])

    def draw(n: int, rng: Rng) -> Draw:
        kind, which = rng.integers(0, count, n), rng.integers(0, each, n)
        X = centres[kind, which] + rng.standard_normal((n, features))
        squared = ((X[:, None, None, :] - centres) ** 2).sum(axis=3)
        least = squared.min(axis=(1, 2), keepdims=True)
        density = np.exp(-(squared - least) / 2).sum(axis=2)
        share = density / density.sum(axis=1, keepdims=True)
        return _with_flips(X, share, kind, flips, rng)

    return Problem("clouds", "classification", draw)


def stripes(rng: Rng) -> Problem:
    """Colour stripes that run across the features."""
    features, flips = int(rng.integers(1, 5)), rng.choice([0.0, 0.05, 0.1, 0.2])
    slope = rng.standard_normal(features)
    slope *= rng.uniform(0.7, 4.0) / np.linalg.norm(slope)
    start = rng.uniform(0.0, 1.0)

    def draw(n: int, rng: Rng) -> Draw:
        X = rng.uniform(-1.0, 1.0, (n, features))
        kind = np.floor(X @ slope + start).astype(np.intp) % 2
        return _with_flips(X, np.eye(2)[kind], kind, flips, rng)

    return Problem("stripes", "classification", draw)


def spirals(rng: Rng) -> Problem:
    """Wind two arms around each other."""
    turns, blur = rng.uniform(0.7, 2.0), np.exp(rng.uniform(np.log(0.01), np.log(0.12)))
    flips = rng.choice([0.0, 0.1, 0.2])
    angle = np.linspace(0.0, 1.0, 400)

    def arm(t: Array, side: Array) -> Array:
        turn = 2 * np.pi * turns * np.sqrt(t) + np.pi * side
        return np.sqrt(t)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])

    def draw(n: int, rng: Rng) -> Draw:
        kind = rng.integers(0, 2, n)
        X = arm(rng.uniform(size=n), kind.astype(float)) + blur * rng.standard_normal((n, 2))
        arms = np.stack([arm(angle, np.full(400, side)) for side in (0.0, 1.0)])
        squared = ((X[:, None, None, :] - arms) ** 2).sum(axis=3) / (2 * blur**2)
        least = squared.min(axis=(1, 2), keepdims=True)
        density = np.exp(-(squared - least)).sum(axis=2)
        share = density / density.sum(axis=1, keepdims=True)
        return _with_flips(X, share, kind, flips, rng)

    return Problem("spirals", "classification", draw)


def checkerboard(rng: Rng) -> Problem:
    """Colour a board."""
    fields, flips = int(rng.integers(2, 7)), rng.choice([0.0, 0.05, 0.1, 0.2])

    def draw(n: int, rng: Rng) -> Draw:
        X = rng.uniform(0.0, fields, (n, 2))
        kind = np.floor(X).sum(axis=1).astype(np.intp) % 2
        return _with_flips(X, np.eye(2)[kind], kind, flips, rng)

    return Problem("checkerboard", "classification", draw)


def breiman(rng: Rng) -> Problem:
    """Take one of Breiman's problems, with some labels flipped."""
    make = [datasets.twonorm, datasets.ringnorm, datasets.waveform][int(rng.integers(0, 3))]
    flips = rng.choice([0.0, 0.0, 0.1, 0.2])

    def draw(n: int, rng: Rng) -> Draw:
        data = make(n, random_state=int(rng.integers(2**31)))
        share = np.column_stack([1.0 - data.truth, 1.0 + data.truth]) / 2
        return _with_flips(data.X, share, (data.y > 0).astype(np.intp), flips, rng)

    return Problem("breiman", "classification", draw)


def nothing(rng: Rng) -> Problem:
    """Draw normal features, and normal targets or even classes that ignore them."""
    return _unrelated("nothing", rng, normal(int(rng.integers(1, 11))), heavy=False)


def nothing_uneven(rng: Rng) -> Problem:
    """Draw skewed features, and targets of heavy tails or uneven classes that ignore them."""
    features = int(rng.integers(1, 11))
    return _unrelated(
        "nothing uneven", rng, lambda n, rng: rng.exponential(size=(n, features)), heavy=True
    )


def _unrelated(
    family: str, rng: Rng, inputs: Callable[[int, Rng], Array], *, heavy: bool
) -> Problem:
    share = float(rng.uniform(0.1, 0.4)) if heavy else 0.5

    def numbers(n: int, rng: Rng) -> Draw:
        y = rng.standard_t(5, n) / np.sqrt(5 / 3) if heavy else rng.standard_normal(n)
        return Draw(inputs(n, rng), y, np.zeros(n))

    def labels(n: int, rng: Rng) -> Draw:
        y = (rng.uniform(size=n) < share).astype(np.intp)
        return Draw(inputs(n, rng), y, np.tile([1.0 - share, share], (n, 1)))

    if rng.uniform() < 0.5:
        return Problem(family, "regression", numbers, 1.0)
    return Problem(family, "classification", labels)


def _with_flips(X: Array, share: Array, kind: NDArray[np.intp], flips: float, rng: Rng) -> Draw:
    n, count = share.shape
    other = (kind + rng.integers(1, count, n)) % count
    y = np.where(rng.uniform(size=n) < flips, other, kind)
    truth = (1.0 - flips) * share + flips * (1.0 - share) / (count - 1)
    return Draw(X, y, truth)


def either(family: str, make: Callable[[Rng], Shape]) -> Callable[[Rng], Problem]:
    """Turn a family of functions into one of problems: regression or two classes."""

    def problem(rng: Rng) -> Problem:
        shape = make(rng)
        if rng.uniform() < 0.5:
            noise = rng.choice([0.001, 0.03, 0.1, 0.3, 0.6])
            return regression(family, shape, float(noise), rng)
        flips, softness = rng.choice([0.0, 0.05, 0.1, 0.2]), rng.choice([0.0, 0.0, 0.2])
        return classes(family, shape, float(flips), float(softness), rng)

    return problem


TUNING: dict[str, Callable[[Rng], Problem]] = {
    "fourier": either("fourier", fourier),
    "linear": either("linear", linear),
    "product": either("product", product),
    "path": either("path", path),
    "additive": either("additive", additive),
    "clouds": clouds,
    "nothing": nothing,
    "cells": either("cells", cells),
    "sparse": either("sparse", sparse),
    "ridge": either("ridge", ridge),
    "stripes": stripes,
}

MEASURING: dict[str, Callable[[Rng], Problem]] = {
    "sine": either("sine", sine),
    "bumps": either("bumps", bumps),
    "friedman": either("friedman", friedman),
    "steps": either("steps", steps),
    "radial": either("radial", radial),
    "quadratic": either("quadratic", quadratic),
    "spirals": spirals,
    "checkerboard": checkerboard,
    "breiman": breiman,
    "nothing uneven": nothing_uneven,
}
