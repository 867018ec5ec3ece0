"""Relevant dimension: how many leading kernel PCA components carry label information."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.duplicates import independent_part
from reldim.inputs.rows import beside
from reldim.inputs.targets import Targets, code_targets
from reldim.relevance.criteria import (
    floor,
    leave_one_out_curve,
    likelihood_curve,
    signal_exceeds_noise,
    spread_over_clusters,
)
from reldim.relevance.dimension import RelevantDimension
from reldim.relevance.posterior import DimensionPosterior, SignalPosterior
from reldim.relevance.significance import least_p_value, no_signal_p_value
from reldim.spectrum.spectrum import Spectrum

__all__ = ["CRITERIA", "RelevantDimension", "estimate", "relevant_dimension"]

Array = NDArray[np.float64]

CRITERIA = ("likelihood", "leave-one-out")
VARIANTS = ("robust", "paper")

#: Signal is believed in where chance alone would produce it in fewer than this share of cases.
SIGNIFICANCE = 0.05

#: Values of a criterion closer than this share of its scale count as equal; the smaller
#: dimension wins, on every machine.
TIE = 1e-6


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
    y : array-like or Dask collection of shape (n,) or (n, outputs)
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
    points = spectrum.gram.points
    targets = code_targets(beside(points, y), task).beside(points)
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
    asked = max_dimension
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
    n, total = targets.n, targets.energy
    if robust:
        n, total = independent_part(targets.values, spectrum.gram.groups)
    most = _largest_dimension(spectrum, n, max_dimension)
    ones = np.ones_like(targets.values[:, :1])
    both = spectrum.project(np.concatenate([targets.values, ones], axis=1))
    z, constant = both[:, :-1], both[:, -1]
    cuts = spectrum.cuts[spectrum.cuts <= most] if robust else np.arange(1, most + 1)
    energies = np.sum(z**2, axis=1)
    if robust:
        energies = spread_over_clusters(energies, spectrum, total, n)
    least = floor(total, n, spectrum.eigenvalues.dtype)
    likelihood = likelihood_curve(energies, total, n, q, most, least)
    signal_first = signal_exceeds_noise(energies, total, n, most)
    p_value = max(
        _p_value(spectrum, targets, z, constant, cuts, n, random_state),
        least_p_value(targets.counts),
    )
    rank = min(spectrum.rank, n)
    reach = most if asked is not None else _largest_dimension(spectrum, n, None)
    likelihood_at_zero = float(np.log(total / (n * q)))
    if criterion == "likelihood":
        curve, at_zero = likelihood, likelihood_at_zero
        allowed = cuts[signal_first[cuts - 1]] if robust else cuts
        admit_zero = robust and (p_value > SIGNIFICANCE or not len(allowed))
        best = 0 if admit_zero else _first_minimum(curve, allowed, 1.0 if robust else 0.0)
    else:
        # Dimension 0 predicts the offset: its residuals are the coded targets.
        at_zero = targets.energy / targets.n
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
        p_value=p_value,
        curve=curve,
        coefficients=targets.shaped(z),
        negative_log_likelihood=_at(likelihood, dimension, likelihood_at_zero),
        criterion=criterion,
        criterion_value=_at(curve, dimension, at_zero),
        variant=variant,
        uncertainty=DimensionPosterior(
            SignalPosterior(
                energies[:rank], spectrum.eigenvalues[:rank].astype(np.float64), total, n, q, least
            ),
            spectrum.cuts if robust else np.arange(1, reach + 1),
            max(reach, most),
            random_state,
        ),
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
        covariance=np.asarray(values.T @ values),
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
