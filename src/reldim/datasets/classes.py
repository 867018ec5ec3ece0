r"""Generators of classification problems whose Bayes rule is known.

The labels are -1 and +1, and ``truth`` is :math:`E(y | x) = P(+1 | x) - P(-1 | x)`, whose sign is
the best possible classifier. Twonorm, ringnorm and waveform are those of Breiman.

References
----------
L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and Regression Trees. 1984 (waveform).
L. Breiman. Bias, Variance, and Arcing Classifiers. Technical report 460, Berkeley, 1996 (twonorm
and ringnorm).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from reldim.datasets.dataset import Dataset
from reldim.exceptions import InputError, counted
from reldim.inputs.random_state import generator_of

__all__ = ["bananas", "four_clouds", "mixture", "ringnorm", "twonorm", "waveform"]

Array = NDArray[np.float64]


def twonorm(n: int = 400, *, features: int = 20, random_state: int | None = None) -> Dataset:
    r"""Draw two Gaussian classes with unit covariance and means :math:`\pm a (1, \dots, 1)`.

    .. math:: a = 2 / \sqrt{\text{features}}

    The Bayes error is :math:`\Phi(-2) = 2.3\,\%`.

    Parameters
    ----------
    n : int
        Number of rows.
    features : int
        Number of features, in the benchmark 20.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset
        The data.

    Examples
    --------
    >>> data = twonorm(1000, random_state=0)
    >>> bool(np.mean(np.sign(data.truth) != data.y) < 0.05)
    True
    """
    _check(n, features)
    rng = generator_of(random_state)
    y = _labels(n, rng)
    a = 2.0 / np.sqrt(features)
    X = rng.standard_normal((n, features)) + a * y[:, None]
    truth = np.tanh(a * X.sum(axis=1))
    return Dataset("twonorm", X, y, truth, f"two Gaussians in {features} dimensions")


def ringnorm(n: int = 400, *, features: int = 20, random_state: int | None = None) -> Dataset:
    r"""Draw a narrow Gaussian class inside a wide one.

    Class +1 has mean 0 and covariance 4 I, class -1 mean :math:`a (1, \dots, 1)` and covariance I,
    :math:`a = 2 / \sqrt{\text{features}}`, as in the benchmark.

    Parameters
    ----------
    n : int
        Number of rows.
    features : int
        Number of features, in the benchmark 20.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset
        The data.

    Examples
    --------
    >>> ringnorm(10, random_state=0).X.shape
    (10, 20)
    """
    _check(n, features)
    rng = generator_of(random_state)
    y = _labels(n, rng)
    a = 2.0 / np.sqrt(features)
    Z = rng.standard_normal((n, features))
    X = np.where(y[:, None] > 0, 2.0 * Z, Z + a)
    wide = -features * np.log(2.0) - np.sum(X**2, axis=1) / 8
    narrow = -np.sum((X - a) ** 2, axis=1) / 2
    truth = np.tanh((wide - narrow) / 2)
    return Dataset("ringnorm", X, y, truth, f"one Gaussian inside another, {features} dimensions")


def waveform(
    n: int = 400, *, pair: tuple[int, int] | None = None, random_state: int | None = None
) -> Dataset:
    r"""Draw noisy waves of 21 points, one of Breiman's three classes against the two others.

    A wave is a random mixture of two of three triangles, with unit Gaussian noise added:

    .. math:: x_j = u\, h_a(j) + (1 - u)\, h_b(j) + \varepsilon_j, \quad u \sim U[0, 1], \quad
              h_1(j) = \max(6 - |j - 11|, 0)

    with :math:`h_2(j) = h_1(j - 4)`, :math:`h_3(j) = h_1(j + 4)`, and (a, b) = (1, 2), (1, 3),
    (2, 3) for the classes 0, 1 and 2. Label +1 is class 1, as in the benchmark.

    Parameters
    ----------
    n : int
        Number of rows.
    pair : tuple of two int, optional
        Two of the classes 0, 1 and 2, to tell the first (+1) from the second (-1) alone.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset
        The data.

    Examples
    --------
    >>> waveform(10, random_state=0).X.shape
    (10, 21)
    """
    _check(n, 1)
    rng = generator_of(random_state)
    j = np.arange(1, 22)
    h = np.array([np.maximum(6.0 - np.abs(j - centre), 0.0) for centre in (11, 15, 7)])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    positive, negative = _wave_classes(pair)
    drawn = np.array([positive, *negative])
    kind = rng.integers(0, 3, n) if pair is None else drawn[rng.integers(0, 2, n)]
    u = rng.uniform(size=(n, 1))
    X = u * h[pairs[kind, 0]] + (1 - u) * h[pairs[kind, 1]] + rng.standard_normal((n, 21))
    # The density of a class is an integral over u, here by the midpoint rule.
    grid = (np.arange(200) + 0.5) / 200
    logs = np.array([_log_wave_density(X, h[a], h[b], grid) for a, b in pairs])
    share = np.exp(logs[positive] - logsumexp(logs[drawn], axis=0))
    return Dataset(
        "waveform",
        X,
        np.where(kind == positive, 1.0, -1.0),
        2.0 * share - 1.0,
        "noisy waves of 21 points, one kind against "
        + ("two others" if pair is None else "another"),
    )


def _wave_classes(pair: tuple[int, int] | None) -> tuple[int, list[int]]:
    if pair is None:
        return 1, [0, 2]
    if len(pair) != 2 or len(set(pair)) != 2 or not set(pair) <= {0, 1, 2}:
        raise InputError(f"pair must be two of the classes 0, 1 and 2. Got {pair!r} instead.")
    return pair[0], [pair[1]]


def four_clouds(
    n: int = 100, *, distance: float = 1.0, spread: float = 0.6, random_state: int | None = None
) -> Dataset:
    """Draw four clouds of equal size in the plane; those at opposite corners share a class.

    It stands for the toy problem of the NIPS paper, whose data are not printed: the classes
    overlap, and one kernel PCA component of middling variance, the fourth, carries nearly all
    that tells them apart.

    Parameters
    ----------
    n : int
        Number of rows.
    distance : float
        Distance of the centres from the axes.
    spread : float
        Standard deviation of a cloud.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset
        The data.

    Examples
    --------
    >>> four_clouds(10, random_state=0).X.shape
    (10, 2)
    """
    _check(n, 1)
    rng = generator_of(random_state)
    places = rng.permutation(n) % 4
    corners = np.column_stack([1.0 - 2.0 * (places % 2), 1.0 - 2.0 * (places // 2)])
    X = distance * corners + spread * rng.standard_normal((n, 2))
    rate = distance / spread**2
    truth = np.tanh(rate * X[:, 0]) * np.tanh(rate * X[:, 1])
    return Dataset(
        "four clouds", X, corners[:, 0] * corners[:, 1], truth, "four clouds, two per class"
    )


def bananas(n: int = 400, *, noise: float = 0.3, random_state: int | None = None) -> Dataset:
    r"""Draw two bent clouds that interlock, in the manner of the banana benchmark.

    The points lie on two half circles around (-1/2, -1/4) and (1/2, 1/4), and are blurred by
    Gaussian noise.

    Parameters
    ----------
    n : int
        Number of rows.
    noise : float
        Standard deviation of the noise.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset
        The data.

    Examples
    --------
    >>> bananas(10, random_state=0).X.shape
    (10, 2)
    """
    _check(n, 1)
    if not (np.isfinite(noise) and noise > 0):
        raise InputError(f"noise must be a positive standard deviation. Got {noise} instead.")
    rng = generator_of(random_state)
    y = _labels(n, rng)
    angle = np.pi * rng.uniform(size=n)
    X = _arc(angle, y) + noise * rng.standard_normal((n, 2))
    grid = np.pi * (np.arange(200) + 0.5) / 200
    upper, lower = (
        logsumexp(
            -np.sum((X[:, None, :] - _arc(grid, np.full(200, sign))[None]) ** 2, axis=2)
            / (2 * noise**2),
            axis=1,
        )
        for sign in (1.0, -1.0)
    )
    return Dataset("bananas", X, y, np.tanh((upper - lower) / 2), "two bent clouds that interlock")


def mixture(
    n: int = 500,
    *,
    means: ArrayLike = (-1.5, 1.5),
    variances: ArrayLike = 0.05,
    weights: Sequence[float] | None = None,
    random_state: int | None = None,
) -> Dataset:
    """Draw from a mixture of Gaussians on the line; the label is the component.

    The defaults are those of section 3.1 of Williams and Seeger (2000).

    Parameters
    ----------
    n : int
        Number of rows.
    means, variances : array-like
        Of the components.
    weights : sequence of float, optional
        Shares of the components, by default equal.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset
        The data; ``truth`` is given for two components.

    Examples
    --------
    >>> sorted(set(mixture(50, random_state=0).y.tolist()))
    [-1.0, 1.0]
    """
    _check(n, 1)
    centres = np.atleast_1d(np.asarray(means, dtype=np.float64))
    squares = np.broadcast_to(np.asarray(variances, dtype=np.float64), centres.shape)
    share = np.full(len(centres), 1 / len(centres)) if weights is None else np.asarray(weights)
    if not (np.all(squares > 0) and len(share) == len(centres) and np.isclose(share.sum(), 1.0)):
        raise InputError(
            "means, variances and weights must describe as many components each, with positive "
            f"variances, and weights that add up to 1. Got {means!r}, {variances!r}, {weights!r}."
        )
    spread = np.sqrt(squares)
    rng = generator_of(random_state)
    component = rng.choice(len(centres), size=n, p=share)
    x = centres[component] + spread[component] * rng.standard_normal(n)
    what = f"mixture of {len(centres)} Gaussians"
    if len(centres) != 2:
        return Dataset("mixture", x[:, None], component.astype(np.float64), None, what)
    logs = np.log(share) - np.log(spread) - ((x[:, None] - centres) / spread) ** 2 / 2
    truth = np.tanh((logs[:, 1] - logs[:, 0]) / 2)
    return Dataset("mixture", x[:, None], 2.0 * component - 1.0, truth, what)


def _arc(angle: Array, y: Array) -> Array:
    centre = np.column_stack([-y / 2, -y / 4])
    return np.column_stack([np.cos(angle), np.sin(angle)]) * y[:, None] + centre


def _log_wave_density(X: Array, first: Array, second: Array, grid: Array) -> Array:
    # |x - second - u (first - second)|^2 is a parabola in u.
    step = first - second
    rest = X - second
    squared = (
        np.sum(rest**2, axis=1)[:, None] - 2 * np.outer(rest @ step, grid) + step @ step * grid**2
    )
    return np.asarray(logsumexp(-squared / 2, axis=1))


def _labels(n: int, rng: np.random.Generator) -> Array:
    return rng.choice([-1.0, 1.0], size=n)


def _check(n: int, features: int) -> None:
    if n < 2 or features < 1:
        raise InputError(
            "At least two rows and one feature are needed. Got "
            f"{counted(n, 'row')}, {counted(features, 'feature')}."
        )
