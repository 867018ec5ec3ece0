"""Spectral cut-off by cross-validation, from one decomposition per fold."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reldim.cutoffs.rules import Cut, CutOff, count_above
from reldim.eigensolvers import decompose_gram
from reldim.exceptions import InputError
from reldim.inputs.cores import side_by_side
from reldim.inputs.random_state import seed_of
from reldim.inputs.targets import Targets, decide
from reldim.spectrum.gram import Gram
from reldim.spectrum.spectrum import Spectrum

__all__ = ["CrossValidated"]

Array = NDArray[np.float64]

LOSSES = ("auto", "squared", "zero-one")


@dataclass(frozen=True)
class CrossValidated(CutOff):
    r"""Components above the threshold that k-fold cross-validation finds best.

    For each fold the kernel matrix of the other rows is decomposed once; the predictions of all
    thresholds are then cumulated sums, :math:`\sum_{m \le d} z_m f_m(x)`. Errors are step functions
    of the threshold, averaged over the folds at all of their steps. The best threshold is applied
    to the spectrum of all rows, as Mosci et al. do.

    Parameters
    ----------
    folds : int
        Number of folds.
    loss : {"auto", "squared", "zero-one"}
        What is averaged; "auto" is the share of wrong classes for a classification.
    random_state : int
        Seed of the assignment of rows to folds; classes are spread evenly.

    References
    ----------
    S. Mosci, L. Rosasco, A. Verri. Dimensionality Reduction and Generalization. ICML 2007,
    section 5.

    Examples
    --------
    >>> from reldim import KernelPCRegressor, datasets, kernels
    >>> from reldim.cutoffs import CrossValidated
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> model = KernelPCRegressor(kernels.Gaussian(1.0), dimension=CrossValidated())
    >>> model.fit(data.X, data.y).dimension_
    8
    """

    folds: int = 5
    loss: str = "auto"
    random_state: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.folds, bool) or not isinstance(self.folds, int) or self.folds < 2:
            raise InputError(
                f"CrossValidated: folds must be a whole number from 2. Got {self.folds!r} instead."
            )
        if self.loss not in LOSSES:
            raise InputError(
                f"CrossValidated: loss must be one of {', '.join(LOSSES)}. Got {self.loss!r}."
            )

    def cut(self, spectrum: Spectrum, targets: Targets) -> Cut:
        """Validate all thresholds on each fold and take the best."""
        loss = self._loss(targets)
        validate = partial(_validate, spectrum, targets, loss)
        steps = [*side_by_side(validate, self._rows(targets))]
        levels = np.unique(np.concatenate([values for values, _ in steps]))[::-1]
        curve = np.zeros(len(levels) + 1)
        for values, errors in steps:
            # At a threshold, as many components are kept as eigenvalues reach it; none above all.
            kept = np.searchsorted(-values, -levels, side="right")
            curve += np.append(errors[0], errors[kept]) / len(steps)
        # The first minimum: of equal errors the fewest components.
        best = int(np.argmax(curve <= curve.min() * (1 + 1e-12)))
        level = math.inf if best == 0 else _between(levels, best - 1)
        return Cut(
            dimension=0 if best == 0 else count_above(spectrum, level),
            threshold=level,
            error=float(curve[best]),
            thresholds=np.append(math.inf, levels),
            errors=curve,
            reason=f"{self.folds}-fold cross-validation",
        )

    def _loss(self, targets: Targets) -> str:
        if self.loss == "auto":
            return "zero-one" if targets.codes is not None else "squared"
        if self.loss == "zero-one" and targets.codes is None:
            raise InputError("CrossValidated: the zero-one loss needs classes. Got numbers.")
        return self.loss

    def _rows(self, targets: Targets) -> list[NDArray[np.intp]]:
        if self.folds > targets.n:
            raise InputError(
                f"CrossValidated: folds must not exceed the {targets.n} rows. Got {self.folds}."
            )
        order = np.random.default_rng(seed_of(self.random_state)).permutation(targets.n)
        if targets.codes is not None:
            order = order[np.argsort(targets.codes[order], kind="stable")]
        return [np.sort(order[fold :: self.folds]) for fold in range(self.folds)]


def _validate(
    spectrum: Spectrum, targets: Targets, loss: str, out: NDArray[np.intp]
) -> tuple[Array, Array]:
    """Fit without the rows ``out``; return eigenvalues, and errors with 0, 1, ... components."""
    rest = np.setdiff1d(np.arange(targets.n), out)
    kernel, points = spectrum.gram.kernel, spectrum.gram.points
    fold = decompose_gram(
        Gram(kernel, points[rest]),
        rank=min(len(spectrum.eigenvalues), len(rest)),
        # What a factor exhausted once it will exhaust again.
        solver="auto" if spectrum.exhausted and spectrum.solver == "dense" else spectrum.solver,
        center=spectrum.center,
    )
    given = targets.values + targets.offset
    # Two classes coded as -1 and +1 are not centred unless the kernel is.
    plain = targets.codes is not None and given.shape[1] == 1 and not spectrum.center
    offset = targets.offset if plain else given[rest].mean(axis=0)
    z = fold.project(given[rest] - offset)[: fold.rank]
    components = np.asarray(fold.components(points[out], fold.rank), dtype=np.float64)
    constant = np.broadcast_to(given[rest].mean(axis=0), given[out].shape)
    errors = [_error(targets, out, constant, given, loss)]
    score = np.broadcast_to(offset, given[out].shape).copy()
    for m in range(fold.rank):
        score += components[:, [m]] * z[m]
        errors.append(_error(targets, out, score, given, loss))
    return fold.eigenvalues[: fold.rank].astype(np.float64), np.array(errors)


def _error(
    targets: Targets, rows: NDArray[np.intp], scores: Array, given: Array, loss: str
) -> float:
    if loss == "zero-one":
        assert targets.codes is not None
        return float(np.mean(decide(scores) != targets.codes[rows]))
    return float(np.mean((given[rows] - scores) ** 2))


def _between(levels: Array, index: int) -> float:
    # A threshold right at an eigenvalue of a fold would be a matter of round-off.
    if index + 1 == len(levels):
        return float(levels[index])
    return float(np.sqrt(levels[index] * levels[index + 1]))
