"""Generators of regression problems whose truth is known."""

import numpy as np
from numpy.typing import NDArray

from reldim.datasets.dataset import Dataset
from reldim.exceptions import InputError
from reldim.inputs.random_state import generator_of

__all__ = ["gaussian_regression", "noisy_sinc", "sine"]


def noisy_sinc(n: int = 100, *, noise: float = 0.3, random_state: int | None = None) -> Dataset:
    r"""Draw the "noisy sinc function" of the papers: simple, but noisy.

    .. math:: y = \frac{\sin \pi x}{\pi x} + \varepsilon, \quad x \sim U[-\pi, \pi], \quad
              \varepsilon \sim N(0, \text{noise}^2)

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
    >>> noisy_sinc(5, random_state=0).X.shape
    (5, 1)
    """
    x, errors = _inputs_and_noise(n, noise, random_state)
    description = f"y = sin(pi x)/(pi x) + noise of standard deviation {noise:g}"
    return _dataset("noisy sinc", x, np.sinc(x), errors, description)


def sine(
    n: int = 100, *, frequency: float = 35.0, noise: float = 0.1, random_state: int | None = None
) -> Dataset:
    r"""Draw a sine of high frequency: almost free of noise, but complex.

    .. math:: y = \sin(\text{frequency} \cdot x) + \varepsilon, \quad x \sim U[-\pi, \pi]

    Parameters
    ----------
    n : int
        Number of rows.
    frequency : float
        Oscillations in 2 pi units of x.
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
    >>> sine(5, random_state=0).y.shape
    (5,)
    """
    if not np.isfinite(frequency):
        raise InputError(f"frequency must be a finite number. Got {frequency} instead.")
    x, errors = _inputs_and_noise(n, noise, random_state)
    description = f"y = sin({frequency:g} x) + noise of standard deviation {noise:g}"
    return _dataset("complex sine", x, np.sin(frequency * x), errors, description)


def gaussian_regression(
    n: int = 100,
    *,
    features: int = 40,
    decay: float = 1.0,
    noise: float = 1.0,
    random_state: int | None = None,
    problem: int = 0,
) -> Dataset:
    r"""Draw a linear regression on Gaussian inputs, after the toy example of Mosci et al. (2007).

    .. math:: y = \beta^\top x + \varepsilon, \quad x \sim N(0, \operatorname{diag}(j^{-2\,
              \text{decay}})), \quad \varepsilon \sim N(0, \text{noise}^2)

    The paper gives 40 features and no more. Here feature j has standard deviation
    :math:`j^{-\text{decay}}`, so that principal components differ in size, and :math:`\beta` is
    drawn once, from :math:`N(0, I)`.

    Parameters
    ----------
    n : int
        Number of rows.
    features : int
        Number of features.
    decay : float
        How fast the spread of the features falls; 0 makes them alike.
    noise : float
        Standard deviation of the noise.
    random_state : int, optional
        Seed of the rows.
    problem : int
        Seed of the coefficients: data of the same problem can be drawn again and again.

    Returns
    -------
    Dataset
        The data.

    Examples
    --------
    >>> train, test = (gaussian_regression(20, random_state=seed) for seed in (0, 1))
    >>> train.X.shape, test.X.shape
    ((20, 40), (20, 40))
    """
    _check(n, noise)
    if features < 1 or not (np.isfinite(decay) and decay >= 0):
        raise InputError(
            "features must be at least 1 and decay a number of 0 or more. "
            f"Got {features} and {decay} instead."
        )
    spread = np.arange(1.0, features + 1.0) ** -decay
    coefficients = np.random.default_rng([problem, features]).standard_normal(features)
    rng = generator_of(random_state)
    X = rng.standard_normal((n, features)) * spread
    truth = X @ coefficients
    return Dataset(
        "Gaussian regression",
        X,
        truth + noise * rng.standard_normal(n),
        truth,
        f"linear in {features} Gaussian features, noise of standard deviation {noise:g}",
    )


def _inputs_and_noise(
    n: int, noise: float, random_state: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    _check(n, noise)
    rng = generator_of(random_state)
    return rng.uniform(-np.pi, np.pi, n), noise * rng.standard_normal(n)


def _check(n: int, noise: float) -> None:
    if n < 2:
        raise InputError(f"n must be at least 2. Got {n} instead.")
    if not (np.isfinite(noise) and noise >= 0):
        raise InputError(f"noise must be a standard deviation of 0 or more. Got {noise} instead.")


def _dataset(
    name: str,
    x: NDArray[np.float64],
    truth: NDArray[np.float64],
    errors: NDArray[np.float64],
    description: str,
) -> Dataset:
    return Dataset(
        name, x[:, None], truth + errors, truth, f"{description}, x uniform in [-pi, pi]"
    )
