"""Relevant dimension: how many leading kernel PCA components carry label information.

Equations are those of Braun, Buhmann and Müller (JMLR 2008); ``docs/notation.md`` has the letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.duplicates import group_means, independent_part
from reldim.inputs.rows import beside
from reldim.inputs.targets import AnyTask, Targets, code_targets
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

__all__ = ["CRITERIA", "Criterion", "RelevantDimension", "estimate", "relevant_dimension"]

Array = NDArray[np.float64]

#: What a caller may choose a dimension by, and how.
Criterion = Literal["likelihood", "leave-one-out"]
Variant = Literal["robust", "paper"]
CRITERIA: tuple[str, ...] = get_args(Criterion)
VARIANTS: tuple[str, ...] = get_args(Variant)

#: Signal is believed in where chance alone would produce it in fewer than this share of cases.
SIGNIFICANCE = 0.05

#: Values of a criterion closer than this share of its scale count as equal; the smaller
#: dimension wins, on every machine.
TIE = 1e-6


def relevant_dimension(
    spectrum: Spectrum,
    y: ArrayLike,
    *,
    criterion: Criterion = "likelihood",
    max_dimension: int | None = None,
    task: AnyTask = "auto",
    variant: Variant = "robust",
    center_targets: bool = True,
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
        that were copied with their targets count once. Where a row has leverage 1 its
        leave-one-out residual is 0/0: the curve is infinite there in the papers' variant, and the
        robust one takes the target itself, as least squares of smallest norm without the row does.
    center_targets : bool
        Subtract the mean of numbers before they are projected, and add it to what is predicted. The
        papers and their R package do not: with ``variant="paper"`` and False this is their
        Algorithm 1 to the letter. A large mean then takes components of its own. Two classes are
        never centred unless the features are.
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
    if not center_targets and targets.task == "regression":
        targets = targets.uncentred()
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
    _check_rows(spectrum, targets)
    if spectrum.center:
        targets = targets.centred()
    projected = _Projected.of(spectrum, targets, robust=variant == "robust")
    largest = _largest_dimension(projected, max_dimension, dimension)
    cuts = projected.cuts(largest)
    p_value = max(projected.p_value(cuts, random_state), least_p_value(targets.counts))
    likelihood = projected.likelihood(largest)
    if criterion == "likelihood":
        curve, best = likelihood, projected.likeliest(likelihood, cuts, p_value)
    else:
        curve = projected.leave_one_out(largest, cuts)
        best = curve.first_minimum(cuts, admit_zero=projected.robust)
    dimension = best if dimension is None else dimension
    return RelevantDimension(
        dimension=dimension,
        p_value=p_value,
        curve=curve.values,
        coefficients=targets.shaped(projected.z),
        negative_log_likelihood=likelihood.at(dimension),
        criterion=criterion,
        criterion_value=curve.at(dimension),
        variant=variant,
        uncertainty=projected.posterior(largest, random_state),
        targets=targets,
        spectrum=spectrum,
    )


@dataclass(frozen=True)
class _Curve:
    """A criterion as a function of the dimension.

    Attributes
    ----------
    values : ndarray
        Its values at d = 1, 2, ...
    at_zero : float
        Its value without any component.
    tie : float
        Values that differ by less are equal.
    """

    values: Array
    at_zero: float
    tie: float

    def at(self, d: int) -> float:
        return float(self.values[d - 1]) if d else self.at_zero

    def first_minimum(self, cuts: NDArray[np.intp], *, admit_zero: bool) -> int:
        """Return the smallest of the ``cuts`` whose value is as low as any."""
        d = np.append(0, cuts) if admit_zero else cuts
        values = np.append(self.at_zero, self.values)[d]
        return int(d[np.argmax(values <= values.min() + self.tie)])


@dataclass(frozen=True)
class _Projected:
    r"""Targets in the basis of kernel PCA components, Eq. (1): :math:`z_m = u_m^\top Y`.

    Attributes
    ----------
    spectrum, targets : Spectrum, Targets
        What was projected on what.
    robust : bool
        Whether only sums over clusters of eigenvalues count, and copies of rows once.
    z : ndarray of shape (k, outputs)
        The coefficients. What the targets of equal rows differ by is part of those beyond the
        rank alone: round-off, which turns small components into the null space, would share it out.
    ones : ndarray of shape (k,)
        The coefficients of the constant 1.
    energies : ndarray of shape (k,)
        The energies :math:`\|z_m\|^2`.
    n, total : int, float
        Rows that count, and the sum :math:`\|Y\|^2` of their energies.
    """

    spectrum: Spectrum
    targets: Targets
    robust: bool
    z: Array
    ones: Array
    energies: Array
    n: int
    total: float

    @classmethod
    def of(cls, spectrum: Spectrum, targets: Targets, *, robust: bool) -> _Projected:
        """Project targets; the ones that equal rows share and their differences apart."""
        groups = spectrum.gram.groups
        n, total = targets.n, targets.energy
        if robust:
            n, total = independent_part(targets.values, groups)
        shared, ones = group_means(targets.values, groups), np.ones_like(targets.values[:, :1])
        both = spectrum.project(np.concatenate([shared, ones], axis=1))
        z, constant = both[:, :-1], both[:, -1]
        energies = np.sum(z**2, axis=1)
        if shared is not targets.values:
            within = spectrum.project(targets.values - shared)
            within[: spectrum.rank] = 0.0
            z, energies = z + within, energies + np.sum(within**2, axis=1)
        if robust:
            energies = spread_over_clusters(energies, spectrum, total, n)
        return cls(spectrum, targets, robust, z, constant, energies, n, total)

    @property
    def q(self) -> int:
        """Free columns of the targets."""
        return self.targets.degrees_of_freedom

    @property
    def least(self) -> float:
        """Energy that cannot be told from round-off."""
        return floor(self.total, self.n, self.spectrum.eigenvalues.dtype)

    def cuts(self, largest: int) -> NDArray[np.intp]:
        """Return the dimensions to choose from. Components beyond the rank are round-off."""
        if self.robust:
            return self.spectrum.cuts[self.spectrum.cuts <= largest]
        return np.arange(1, min(largest, self.spectrum.rank) + 1)

    def likelihood(self, largest: int) -> _Curve:
        """Evaluate the likelihood, Eq. (3)."""
        values = likelihood_curve(self.energies, self.total, self.n, self.q, largest, self.least)
        return _Curve(values, float(np.log(self.total / (self.n * self.q))), TIE * self.robust)

    def likeliest(self, likelihood: _Curve, cuts: NDArray[np.intp], p_value: float) -> int:
        """Minimise the likelihood, Eq. (4); dimension 0 where a test finds no signal."""
        if not self.robust:
            return likelihood.first_minimum(cuts, admit_zero=False)
        largest = len(likelihood.values)
        falls = signal_exceeds_noise(self.energies, self.total, self.n, largest)
        allowed = cuts[falls[cuts - 1]]
        if p_value > SIGNIFICANCE or not len(allowed):
            return 0
        return likelihood.first_minimum(allowed, admit_zero=False)

    def leave_one_out(self, largest: int, cuts: NDArray[np.intp]) -> _Curve:
        """Evaluate the leave-one-out error, between clusters of eigenvalues by interpolation."""
        # Dimension 0 predicts the offset: its residuals are the coded targets.
        at_zero = self.targets.energy / self.targets.n
        last = (int(cuts[-1]) if len(cuts) else 0) if self.robust else largest
        values = leave_one_out_curve(
            self.spectrum, self.z[:last], self.targets.values, literal=not self.robust
        )
        if self.robust:
            known = np.append(0, cuts)
            at_cuts = np.append(at_zero, values[cuts - 1])
            values = np.asarray(np.interp(np.arange(1, largest + 1), known, at_cuts))
        return _Curve(values, at_zero, TIE * at_zero * self.robust)

    def p_value(self, cuts: NDArray[np.intp], random_state: int | None) -> float:
        """Test that the targets have nothing to do with the data."""
        spectrum, targets, n = self.spectrum, self.targets, self.n
        # A constant is no signal: what is tested are the targets less their mean.
        mean = targets.mean - targets.offset
        values = targets.values - mean
        total = float(np.sum(values**2))
        if n < targets.n:
            _, total = independent_part(values, spectrum.gram.groups)
        centred = np.sum((self.z - self.ones[:, None] * mean) ** 2, axis=1)
        rows = float(targets.n)
        return no_signal_p_value(
            spread_over_clusters(centred, spectrum, total, n),
            total=total,
            n=n,
            covariance=np.asarray(values.T @ values),
            constant=np.sqrt(spread_over_clusters(self.ones**2, spectrum, rows, n) / rows),
            cuts=cuts,
            q=self.q,
            random_state=random_state,
        )

    def posterior(self, largest: int, random_state: int | None) -> DimensionPosterior:
        """Return the posterior of the dimension of least error."""
        rank = min(self.spectrum.rank, self.n)
        signal = SignalPosterior(
            self.energies[:rank],
            self.spectrum.eigenvalues[:rank].astype(np.float64),
            self.total,
            self.n,
            self.q,
            self.least,
        )
        return DimensionPosterior(signal, self.cuts(largest), largest, random_state)


def _largest_dimension(projected: _Projected, asked: int | None, given: int | None) -> int:
    """Return the largest dimension that is considered, n' in Eq. (4): by default half the rows."""
    at_hand = len(projected.spectrum.eigenvalues)
    largest = max(1, min(projected.n // 2, at_hand))
    if asked is not None:
        most = min(projected.n - 1, at_hand)
        if not isinstance(asked, (int, np.integer)) or not 1 <= asked <= most:
            raise InputError(
                f"max_dimension must be a whole number between 1 and {most} (rows less one, "
                f"and the eigenpairs at hand). Got {asked} instead."
            )
        largest = int(asked)
    if given is None:
        return largest
    most = min(projected.spectrum.rank, projected.n - 1)
    if not 0 <= given <= most:
        raise InputError(
            f"dimension must lie between 0 and {most}, the numerical rank under "
            f"{projected.spectrum.gram.kernel!r}. Got {given} instead."
        )
    return max(largest, given)


def _check_rows(spectrum: Spectrum, targets: Targets) -> None:
    if targets.n != spectrum.n:
        raise InputError(
            f"y must have a target for each of the {spectrum.n} rows of X. Got {targets.n} instead."
        )


def _check_choices(criterion: str, variant: str) -> None:
    if criterion not in CRITERIA:
        raise InputError(
            f"criterion must be one of {', '.join(CRITERIA)}. Got {criterion!r} instead."
        )
    if variant not in VARIANTS:
        raise InputError(f"variant must be one of {', '.join(VARIANTS)}. Got {variant!r} instead.")
