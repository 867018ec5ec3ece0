"""Relevant dimension: how many leading kernel PCA components carry label information."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.criteria import (
    floor,
    leave_one_out_curve,
    left_out_residual,
    likelihood_curve,
    own_leverage,
    signal_exceeds_noise,
    spread_over_clusters,
)
from reldim.exceptions import InputError, InputTypeError
from reldim.repeats import independent_part
from reldim.significance import (
    dimension_interval,
    dimension_posterior,
    least_p_value,
    no_signal_p_value,
)
from reldim.spectrum import Spectrum
from reldim.targets import Targets, code_targets

__all__ = ["CRITERIA", "RelevantDimension", "estimate", "relevant_dimension"]

Array = NDArray[np.float64]

CRITERIA = ("likelihood", "leave-one-out")
VARIANTS = ("robust", "paper")

#: Signal is believed in where chance alone would produce it in fewer than this share of cases.
SIGNIFICANCE = 0.05

#: Values of a criterion closer than this share of its scale count as equal; the smaller
#: dimension wins, on every machine.
TIE = 1e-6


@dataclass(frozen=True)
class RelevantDimension:
    """The relevant dimension of a data set under a kernel, and what follows from it.

    Attributes
    ----------
    dimension : int
        Number of leading kernel PCA components that carry label information; 0 means that
        no signal was found.
    interval : tuple of int
        Dimensions that hold 90 % of the posterior probability.
    p_value : float
        Probability that targets without any relation to the data look as structured as these.
    curve : ndarray
        The criterion: ``curve[d - 1]`` is its value at dimension d, scaled as in the papers.
        In the robust variant, values inside a cluster of eigenvalues are interpolated.
    coefficients : ndarray of shape (k,) or (k, outputs)
        Kernel PCA coefficients z = U^T y of the coded targets.
    negative_log_likelihood : float
        Eq. (3) at the dimension; the number by which kernels are compared.
    criterion : {"likelihood", "leave-one-out"}
        What was minimised.
    criterion_value : float
        Its value at the dimension.
    variant : {"robust", "paper"}
        How it was minimised.
    posterior : ndarray
        Probability of each dimension 0, 1, ..., len(curve).
    targets : Targets
        The coded targets.
    spectrum : Spectrum
        What the estimate rests on.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import decompose, kernels, relevant_dimension
    >>> x = np.linspace(-3, 3, 100).reshape(-1, 1)
    >>> y = np.sin(x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=100)
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), x), y)
    >>> rd.dimension
    6
    >>> bool(rd.noise_level < 0.03)
    True
    """

    dimension: int
    interval: tuple[int, int]
    p_value: float
    curve: Array = field(repr=False)
    coefficients: Array = field(repr=False)
    negative_log_likelihood: float
    criterion: str
    criterion_value: float
    variant: str
    posterior: Array = field(repr=False)
    targets: Targets = field(repr=False)
    spectrum: Spectrum = field(repr=False)

    @cached_property
    def fitted(self) -> Array:
        """Projection of the coded targets, without their offset; shape (n, outputs)."""
        targets = self.targets
        if self.dimension == 0:
            return np.broadcast_to(targets.mean - targets.offset, targets.values.shape)
        return self.spectrum.basis.combine(self.leading_coefficients)

    @property
    def scores(self) -> Array:
        """Denoised targets on the coded scale, an array of shape (n, outputs)."""
        return self.fitted + self.targets.offset

    @property
    def denoised(self) -> Array:
        """Targets freed of noise: their projection on the relevant components.

        For two classes the sign tells the class; for more classes the largest column does.
        """
        return self.targets.shaped(self.scores)

    @cached_property
    def denoised_labels(self) -> NDArray[Any]:
        """Denoised targets as labels of the given kind; for regression as :attr:`denoised`."""
        return self.targets.labels(self.scores)

    @cached_property
    def noise_level(self) -> float:
        """In-sample difference between given and denoised targets (paper, Eq. 6).

        The share of labels that differ; for regression the normalised mean squared error.
        """
        return self.targets.error(self.fitted)

    @cached_property
    def leverages(self) -> Array:
        r"""Influence of each target on its own fit, :math:`s_i = \sum_{m \le d} [u_m]_i^2`.

        Centring in feature space fits a constant as well, which adds 1/n.
        """
        constant = own_leverage(self.spectrum)
        if self.dimension == 0:
            return np.full(self.targets.n, constant)
        squares = self.spectrum.basis.map_rows(lambda U: np.sum(U**2, axis=1), self.dimension)
        return squares + constant

    @cached_property
    def left_out(self) -> Array:
        """Leave-one-out fits of the coded targets, without their offset; shape (n, outputs).

        They are held to twice the range of the targets.
        """
        values = self.targets.values
        if self.dimension == 0:
            return self.fitted
        residual = left_out_residual(values - self.fitted, values, self.leverages[:, None])
        # Without a row that a component rests on, least squares may predict anything there.
        # A predictor that is held to twice the range of the targets is no worse.
        low, high = values.min(axis=0), values.max(axis=0)
        return np.clip(values - residual, 1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low)

    @property
    def leave_one_out(self) -> Array:
        """Leave-one-out predictions on the coded scale, an array of shape (n, outputs)."""
        return self.left_out + self.targets.offset

    @cached_property
    def error_estimate(self) -> float:
        """Leave-one-out error: what to expect on new rows, in the units of the noise level."""
        return self.targets.error(self.left_out)

    @property
    def leading_coefficients(self) -> Array:
        """Coefficients of the relevant components, an array of shape (dimension, outputs)."""
        return self.coefficients.reshape(len(self.coefficients), -1)[: self.dimension]


def relevant_dimension(
    spectrum: Spectrum,
    y: ArrayLike,
    *,
    criterion: str = "likelihood",
    max_dimension: int | None = None,
    task: str = "auto",
    variant: str = "robust",
    random_state: int | None = None,
) -> RelevantDimension:
    """Estimate how many leading kernel PCA components carry label information.

    Parameters
    ----------
    spectrum : Spectrum
        What :func:`reldim.decompose` returned for the data.
    y : array-like of shape (n,) or (n, outputs)
        Labels of any type, or numbers.
    criterion : {"likelihood", "leave-one-out"}
        Fit of a two-component model to the coefficients (the papers' TCM), or leave-one-out
        squared error in closed form (LOO-CV).
    max_dimension : int, optional
        Largest dimension considered, by default half the number of rows.
    task : {"auto", "classification", "regression"}
        Kind of problem.
    variant : {"robust", "paper"}
        "paper" is the plain minimum over 1, ..., max_dimension of the papers' Algorithm 1.
        "robust" cuts only between clusters of eigenvalues, requires more variance in the
        leading than in the other coefficients, and admits dimension 0 where a test finds no
        signal, so that the answer does not depend on the order of rows or on the machine. Rows
        that were copied with their targets count once.
    random_state : int, optional
        Seed of the draws behind the p-value. None stands for a fixed seed: the same data
        give the same answer.

    Returns
    -------
    RelevantDimension
        The estimate.

    References
    ----------
    M. L. Braun, J. M. Buhmann, K.-R. Müller. On Relevant Dimensions in Kernel Feature Spaces.
    Journal of Machine Learning Research 9, 2008.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, relevant_dimension
    >>> data = datasets.noisy_sinc(200, random_state=0)
    >>> spectrum = decompose(kernels.Gaussian(width=1.0), data.X)
    >>> relevant_dimension(spectrum, data.y).dimension
    7
    """
    if not isinstance(spectrum, Spectrum):
        raise InputTypeError(
            "relevant_dimension takes a Spectrum. Got "
            f"{type(spectrum).__name__}: pass reldim.decompose(kernel, X), for a kernel matrix "
            "reldim.decompose(kernels.Precomputed(), K)."
        )
    targets = code_targets(y, task)
    return estimate(
        spectrum,
        targets,
        criterion=criterion,
        max_dimension=max_dimension,
        variant=variant,
        random_state=random_state,
    )


def estimate(
    spectrum: Spectrum,
    targets: Targets,
    *,
    dimension: int | None = None,
    criterion: str = "likelihood",
    max_dimension: int | None = None,
    variant: str = "robust",
    random_state: int | None = None,
) -> RelevantDimension:
    """Estimate the relevant dimension for coded targets, see :func:`relevant_dimension`.

    A given ``dimension`` is not estimated, but all that follows from it is computed.
    """
    _check_choices(criterion, variant)
    if dimension is not None:
        _check_dimension(dimension, spectrum)
        max_dimension = max(dimension, 1)
    if targets.n != spectrum.n:
        raise InputError(
            f"y must have a target for each of the {spectrum.n} rows of X. Got {targets.n} instead."
        )
    if spectrum.center:
        targets = targets.centred()
    robust = variant == "robust"
    q = targets.degrees_of_freedom
    n, total = targets.n, float(np.sum(targets.values**2))
    if robust:
        n, total = independent_part(targets.values, spectrum.gram.groups)
    most = _largest_dimension(spectrum, n, max_dimension)
    both = spectrum.project(np.column_stack([targets.values, np.ones(targets.n)]))
    z, ones = both[:, :-1], both[:, -1]
    cuts = spectrum.cuts[spectrum.cuts <= most] if robust else np.arange(1, most + 1)
    energies = np.sum(z**2, axis=1)
    if robust:
        energies = spread_over_clusters(energies, spectrum, total, n)
    least = floor(total, n, spectrum.eigenvalues.dtype)
    likelihood = likelihood_curve(energies, total, n, q, most, least)
    signal_first = signal_exceeds_noise(energies, total, n, most)
    p_value = max(
        _p_value(spectrum, targets, z, ones, cuts, n, random_state), least_p_value(targets.codes)
    )
    posterior = dimension_posterior(
        np.cumsum(energies[:most]), total, n, q, _mask(cuts, most) & signal_first
    )
    likelihood_at_zero = float(np.log(total / (n * q)))
    if criterion == "likelihood":
        curve, at_zero = likelihood, likelihood_at_zero
        allowed = cuts[signal_first[cuts - 1]] if robust else cuts
        admit_zero = robust and (p_value > SIGNIFICANCE or not len(allowed))
        best = 0 if admit_zero else _first_minimum(curve, allowed, 1.0 if robust else 0.0)
    else:
        # Dimension 0 predicts the offset: its residuals are the coded targets.
        at_zero = float(np.mean(np.sum(targets.values**2, axis=1)))
        last = int(cuts[-1]) if len(cuts) else 0
        curve = leave_one_out_curve(spectrum, z[:last], targets.values)
        if robust:
            curve = _interpolate(curve, cuts, most, at_zero)
            best = _first_minimum(np.append(at_zero, curve), np.append(1, cuts + 1), at_zero) - 1
        else:
            best = _first_minimum(curve, cuts, 0.0)
    dimension = best if dimension is None else dimension
    return RelevantDimension(
        dimension=dimension,
        interval=dimension_interval(posterior, dimension),
        p_value=p_value,
        curve=curve,
        coefficients=targets.shaped(z),
        negative_log_likelihood=_at(likelihood, dimension, likelihood_at_zero),
        criterion=criterion,
        criterion_value=_at(curve, dimension, at_zero),
        variant=variant,
        posterior=posterior,
        targets=targets,
        spectrum=spectrum,
    )


def _p_value(
    spectrum: Spectrum,
    targets: Targets,
    z: Array,
    ones: Array,
    cuts: NDArray[np.intp],
    n: int,
    random_state: int | None,
) -> float:
    # A constant is no signal: what is tested are the targets less their mean.
    mean = targets.mean - targets.offset
    values = targets.values - mean
    total = float(np.sum(values**2))
    if n < targets.n:
        _, total = independent_part(values, spectrum.gram.groups)
    centred = np.sum((z - ones[:, None] * mean) ** 2, axis=1)
    rows = float(targets.n)
    return no_signal_p_value(
        spread_over_clusters(centred, spectrum, total, n),
        total=total,
        n=n,
        covariance=values.T @ values,
        constant=np.sqrt(spread_over_clusters(ones**2, spectrum, rows, n) / rows),
        cuts=cuts,
        q=targets.degrees_of_freedom,
        random_state=random_state,
    )


def _first_minimum(curve: Array, allowed: NDArray[np.intp], scale: float) -> int:
    values = curve[allowed - 1]
    return int(allowed[np.argmax(values <= values.min() + TIE * scale)])


def _interpolate(curve: Array, cuts: NDArray[np.intp], most: int, nothing: float) -> Array:
    d = np.arange(1, most + 1)
    known = np.append(0, cuts)
    return np.asarray(np.interp(d, known, np.append(nothing, curve[cuts - 1])))


def _at(curve: Array, dimension: int, at_zero: float) -> float:
    return float(curve[dimension - 1]) if dimension else at_zero


def _mask(cuts: NDArray[np.intp], most: int) -> NDArray[np.bool_]:
    mask = np.zeros(most, dtype=bool)
    mask[cuts - 1] = True
    return mask


def _largest_dimension(spectrum: Spectrum, n: int, asked: int | None) -> int:
    k = len(spectrum.eigenvalues)
    if asked is None:
        return max(1, min(n // 2, k))
    if not isinstance(asked, (int, np.integer)) or not 1 <= asked <= min(n - 1, k):
        raise InputError(
            f"max_dimension must be a whole number between 1 and {min(n - 1, k)} (rows less one, "
            f"and the eigenpairs at hand). Got {asked} instead."
        )
    return asked


def _check_dimension(dimension: int, spectrum: Spectrum) -> None:
    most = min(spectrum.rank, spectrum.n - 1)
    if not 0 <= dimension <= most:
        raise InputError(
            f"dimension must lie between 0 and {most}, the numerical rank under "
            f"{spectrum.gram.kernel!r}. Got {dimension} instead."
        )


def _check_choices(criterion: str, variant: str) -> None:
    if criterion not in CRITERIA:
        raise InputError(
            f"criterion must be one of {', '.join(CRITERIA)}. Got {criterion!r} instead."
        )
    if variant not in VARIANTS:
        raise InputError(f"variant must be one of {', '.join(VARIANTS)}. Got {variant!r} instead.")
