"""Storage: diagnoses and fitted models in files that cannot run code.

What may be in a file is written down here, class by class. A class that is not listed is refused
when it is saved and when it is read, and so are functions of the user: a file that could hold them
could hold anything.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from reldim import cutoffs, estimators, kernels
from reldim.diagnosis import (
    columns,
    conclusions,
    diagnosis,
    forecast,
    held_out,
    problem,
    references,
    settings,
    suspects,
    verdicts,
)
from reldim.eigensolvers import decompose_gram
from reldim.eigensolvers.lowrank import LowRank
from reldim.estimators import laplace
from reldim.estimators.dna import DNAOneHot
from reldim.exceptions import FileError, InputError, InputTypeError
from reldim.files.container import Container, read_container, write_container
from reldim.files.plain_data import PlainReader, PlainWriter
from reldim.inputs import splits, targets
from reldim.kernels import Function, Kernel, precomputed
from reldim.relevance import noise, noise_scale, posterior
from reldim.relevance.estimation import RelevantDimension
from reldim.search import blend, candidates, coordinates, thinned, weights
from reldim.spectrum import expansion
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import Floats, Gram
from reldim.spectrum.spectrum import Basis, Spectrum
from reldim.tables import preparation, roles, written_dates, written_numbers
from reldim.tables.text_columns import TextColumns

__all__ = ["StoredBasis", "load", "save"]

#: Modules whose public dataclasses are values: their fields are all there is to them.
_VALUES = (
    blend,
    candidates,
    columns,
    conclusions,
    coordinates,
    cutoffs,
    diagnosis,
    expansion,
    forecast,
    held_out,
    kernels,
    laplace,
    noise,
    noise_scale,
    posterior,
    precomputed,
    preparation,
    problem,
    references,
    roles,
    settings,
    splits,
    suspects,
    targets,
    thinned,
    verdicts,
    weights,
    written_dates,
    written_numbers,
)

#: Estimators, which are their parameters and what was fitted.
_ESTIMATORS = (
    estimators.KernelBlendClassifier,
    estimators.KernelBlendRegressor,
    estimators.KernelPCClassifier,
    estimators.KernelPCRegressor,
    estimators.KernelRidgeClassifier,
    estimators.KernelRidgeRegressor,
    estimators.LowRankGPClassifier,
    estimators.LowRankGPRegressor,
    estimators.RelevantKernelPCA,
    DNAOneHot,
    preparation.TableEncoder,
    StandardScaler,
)


def save(value: Any, path: str | PathLike[str], *, overwrite: bool = False) -> None:
    """Save a diagnosis or a fitted model to a file that :func:`load` reads.

    Parameters
    ----------
    value : Diagnosis, estimator or pipeline
        A diagnosis; a fitted estimator of reldim; or a pipeline of such estimators, encoders of
        reldim and ``StandardScaler``.
    path : str or path
        The file; it appears whole or not at all.
    overwrite : bool
        Replace a file that is there already.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import reldim
    >>> data = reldim.datasets.noisy_sinc(50, random_state=0)
    >>> model = reldim.KernelPCRegressor().fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reldim.save(model, f"{folder}/sinc.reldim")
    ...     again = reldim.load(f"{folder}/sinc.reldim")
    >>> np.array_equal(again.predict(data.X), model.predict(data.X))
    True
    """
    if not isinstance(value, (_values()["Diagnosis"], BaseEstimator)):
        raise InputTypeError(
            "save takes a diagnosis, a fitted estimator or a pipeline. Got "
            f"{type(value).__name__} instead."
        )
    if isinstance(value, BaseEstimator):
        check_is_fitted(value)
    else:
        value = value.concluded()
    writer = PlainWriter(_form)
    document = {"value": writer.plain(value)}
    write_container(Path(path), Container(document, tuple(writer.arrays)), overwrite=overwrite)


def load(path: str | PathLike[str]) -> Any:
    """Load what :func:`save` or ``Diagnosis.save`` wrote.

    Nothing in the file is run. A file that is damaged or incomplete is refused.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Diagnosis, estimator or pipeline
        As it was saved. Predictions are the same to the last bit.
    """
    path = Path(path)
    if not path.is_file():
        raise FileError(f"{path} is no file. Expected one of Diagnosis.save or reldim.save.")
    container = read_container(path)
    try:
        return PlainReader(container.arrays, _forms()).value(container.document["value"])
    except FileError as error:
        raise FileError(f"{path} cannot be loaded: {error}") from error
    except Exception as error:
        # Parts that are not there, or do not fit together, may fail anywhere.
        raise FileError(
            f"{path} cannot be loaded: what it holds does not fit together ({error}). It was "
            "changed, or written by a version of reldim that differs from this one."
        ) from error


def _form(value: Any) -> tuple[str, dict[str, Any]] | None:
    """Return name and parts of what is not plain data, or None."""
    name = type(value).__name__
    for kind, special, parts in _SPECIAL:
        if type(value) is kind:
            return special, parts(value)
    if type(value) is _values().get(name):
        return name, _fields_of(value)
    if type(value) is _estimators().get(name):
        return name, _estimator_parts(value)
    _refuse(value)
    return None


def _refuse(value: Any) -> None:
    name = type(value).__name__
    if isinstance(value, Kernel) or callable(value):
        what = repr(value) if isinstance(value, Function) else f"A {name} of your own"
        raise InputTypeError(
            f"{what} cannot be saved, for that would need code in the file. Use a kernel of "
            "reldim.kernels, or kernels.Precomputed() with its matrix."
        )
    if isinstance(value, BaseEstimator):
        raise InputTypeError(
            f"A step of type {name} cannot be saved. Save the step of reldim by itself, and the "
            "others by other means."
        )


def _fields_of(value: Any) -> dict[str, Any]:
    kept = [part.name for part in fields(value) if part.init and part.metadata.get("kept", True)]
    return {name: getattr(value, name) for name in kept}


def _estimator_parts(value: BaseEstimator) -> dict[str, Any]:
    parameters = value.get_params(deep=False)
    fitted = {name: part for name, part in vars(value).items() if name not in parameters}
    return {"parameters": parameters, "fitted": fitted}


@cache
def _values() -> dict[str, Any]:
    public = {name: getattr(module, name) for module in _VALUES for name in module.__all__}
    # A function of the user's is code, and an abstract kernel is none.
    return {
        name: value
        for name, value in public.items()
        if isinstance(value, type) and is_dataclass(value) and value is not Function
    }


@cache
def _estimators() -> dict[str, Any]:
    return {kind.__name__: kind for kind in _ESTIMATORS}


def _forms() -> dict[str, Callable[[dict[str, Any]], Any]]:
    return {
        **{name: partial(_read_value, kind) for name, kind in _values().items()},
        **{name: partial(_read_estimator, kind) for name, kind in _estimators().items()},
        "RelevantDimension": _read_relevance,
        "Gram": lambda parts: Gram(parts["kernel"], parts["points"]),
        "TextColumns": TextColumns.from_parts,
        "Pipeline": lambda parts: Pipeline([tuple(step) for step in parts["steps"]]),
    }


def _read_value(kind: Any, parts: dict[str, Any]) -> Any:
    value = kind(**parts)
    if isinstance(value, Expansion):
        _check_expansion(value)
    return value


def _read_estimator(kind: Any, parts: dict[str, Any]) -> Any:
    model = kind(**parts["parameters"])
    for key, part in parts["fitted"].items():
        if not key.isidentifier() or key.startswith("__") or callable(getattr(kind, key, None)):
            raise FileError(f"{kind.__name__} has no attribute {key[:50]!r}.")
        setattr(model, key, part)
    return model


def _check_expansion(expansion: Expansion) -> None:
    weights, constant = expansion.weights, expansion.constant
    fits = weights.ndim == 2 and constant.shape == weights.shape[1:]
    if not fits or len(weights) != expansion.landmarks.shape[0]:
        raise FileError("its weights do not match its landmarks.")
    if not (np.isfinite(weights).all() and np.isfinite(constant).all()):
        raise FileError("its weights are not finite.")


# Spectra


@dataclass(frozen=True)
class StoredBasis(Basis):
    """The relevant eigenvectors, as a file holds them; others are computed again when asked for.

    Parameters
    ----------
    leading : ndarray of shape (n, count)
        The first eigenvectors.
    dual : ndarray of shape (landmarks, count)
        Their expansion.
    shift : ndarray of shape (count,)
        What centring subtracts.
    again : callable
        Computes all of them.
    """

    leading: Floats = field(repr=False)
    dual: Floats = field(repr=False)
    shift: NDArray[np.float64] = field(repr=False)
    again: Callable[[], Spectrum] = field(repr=False)

    @cached_property
    def _all(self) -> Basis:
        return self.again().basis

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return U^T ``values``."""
        return self._all.project(values)

    def vectors(self, count: int) -> Floats:
        """Return the first ``count`` eigenvectors."""
        if 0 <= count <= self.leading.shape[1]:
            return self.leading[:, :count]
        return self._all.vectors(count)

    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return the expansion of the components in the landmarks."""
        if 0 <= count <= self.leading.shape[1]:
            return self.dual[:, :count], self.shift[:count]
        return self._all.extension(eigenvalues, count)


#: What an estimate computes when it is asked, and a file holds, so that it is the same to the bit.
#: Its function follows from the spectrum, whose landmarks it holds, as it does in the estimate.
_KEPT = [
    name
    for name, value in vars(RelevantDimension).items()
    if isinstance(value, cached_property) and name != "expansion"
]


def _relevance_parts(rd: RelevantDimension) -> dict[str, Any]:
    spectrum, basis, count = rd.spectrum, rd.spectrum.basis, rd.dimension
    if not isinstance(spectrum.eigenvalues, np.ndarray) or not isinstance(
        rd.targets.values, np.ndarray
    ):
        raise InputError(
            "A diagnosis of data that a cluster holds cannot be saved: the data are not here. Save "
            "its predictor() instead."
        )
    # First: eigenvectors that are computed for these replace leading ones, to round-off.
    kept = {name: getattr(rd, name) for name in _KEPT}
    dual, shift = spectrum.extension(count)
    pivots = basis.factor.pivots[: basis.rank] if isinstance(basis, LowRank) else None
    parts = {**_fields_of(rd), **{f"spectrum_{k}": v for k, v in _fields_of(spectrum).items()}}
    del parts["spectrum"], parts["spectrum_basis"]
    points = spectrum.gram.points
    if pivots is not None and _is_rows(spectrum.landmarks, points, pivots):
        # They are in the file as rows of the data.
        del parts["spectrum_landmarks"]
    leading = np.asarray(basis.vectors(count))
    return {
        **parts,
        "kept": kept,
        "leading": leading,
        "dual": dual,
        "shift": shift,
        "pivots": pivots,
    }


#: What takes more than its fields.
_SPECIAL: list[tuple[Any, str, Callable[[Any], dict[str, Any]]]] = [
    (RelevantDimension, "RelevantDimension", _relevance_parts),
    (Gram, "Gram", lambda gram: {"kernel": gram.kernel, "points": gram.points}),
    (TextColumns, "TextColumns", TextColumns.parts),
    (Pipeline, "Pipeline", lambda pipeline: {"steps": [*pipeline.steps]}),
]


def _is_rows(landmarks: Any, points: Any, rows: list[int]) -> bool:
    if not isinstance(landmarks, np.ndarray) or not isinstance(points, np.ndarray):
        return False
    return landmarks.dtype == points.dtype and np.array_equal(landmarks, points[rows])


def _read_relevance(parts: dict[str, Any]) -> RelevantDimension:
    pivots = parts.pop("pivots")
    leading, dual, shift = (parts.pop(name) for name in ("leading", "dual", "shift"))
    kept = parts.pop("kept")
    mark = "spectrum_"
    own = {k.removeprefix(mark): parts.pop(k) for k in [*parts] if k.startswith(mark)}
    if "landmarks" not in own:
        own["landmarks"] = own["gram"].points[pivots]

    def again() -> Spectrum:
        computed = decompose_gram(
            own["gram"],
            rank=len(own["eigenvalues"]),
            solver="dense" if pivots is None else "lowrank",
            center=own["center"],
            landmarks=pivots,
        )
        if len(computed.eigenvalues) < len(own["eigenvalues"]):
            raise InputError(
                f"The file holds {leading.shape[1]} eigenvectors, and the others cannot be "
                "computed again to the same accuracy. Diagnose the data anew."
            )
        return computed

    spectrum = Spectrum(basis=StoredBasis(leading, dual, shift, again), **own)
    rd = RelevantDimension(spectrum=spectrum, **parts)
    vars(rd).update({name: kept[name] for name in _KEPT})
    return rd
