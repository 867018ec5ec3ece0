"""compare(): representations of the same rows, or kernels on them, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.diagnosis.comparison import SCORES, Comparison
from reldim.diagnosis.diagnosis import Diagnosis, diagnose
from reldim.eigensolvers import Solver
from reldim.exceptions import InputError, InputTypeError, counted
from reldim.inputs.cores import on_cores
from reldim.inputs.stages import Progress, listening, tell
from reldim.inputs.target_checks import pair_rows
from reldim.inputs.targets import AnyTask, Targets, code_targets
from reldim.kernels import Kernel
from reldim.kernels.points import admit
from reldim.relevance.estimation import Criterion, RelevantDimension
from reldim.search.families import FAMILIES, SKLEARN_NAMES
from reldim.search.kernel_arguments import Kernels
from reldim.tables.column_labels import has_column, is_label
from reldim.tables.columns import library_of
from reldim.tables.targets import split_target

__all__ = ["compare", "comparison_of", "named_entries", "without_target"]

Array = NDArray[np.float64]


def compare(
    representations: Any,
    y: ArrayLike | str,
    *,
    kernels: Kernels = None,
    task: AnyTask = "auto",
    criterion: Criterion = "leave-one-out",
    by: str = "squared_error",
    solver: Solver = "auto",
    scale: bool | None = None,
    groups: Any = None,
    order: Any = None,
    cv: Any = None,
    roles: Mapping[str, str] | None = None,
    n_jobs: int | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare representations of the same rows, or kernels on them, by what they tell about y.

    Every representation is diagnosed by itself. The leave-one-out errors of the same rows are
    then compared pair by pair, so that what all find easy or hard cancels.

    Parameters
    ----------
    representations : mapping or X
        A mapping from names to data: arrays, sparse matrices, data frames or sequences, with
        the same rows in the same order. A pair ``(X, kernels)`` gives one of them kernels of
        its own. Or a single X, to compare the ``kernels``.
    y : array-like of shape (n,) or (n, outputs), or str
        Labels of any type, or numbers; or the label of a column that data frames have.
    kernels : None, str, Kernel, callable, sequence or mapping
        What to try on each representation, as in :func:`reldim.diagnose`. With a single X what
        is compared: a mapping from names to kernels or families, or a sequence of them.
    task : {"auto", "classification", "regression"}
        Kind of problem.
    criterion : {"leave-one-out", "likelihood"}
        What kernel and dimension are chosen by.
    by : str
        What ranks: "squared_error" (leave-one-out), "error_estimate", "evidence",
        "negative_log_likelihood" or "area" (under the error curve).
    solver : str
        Passed to :func:`reldim.decompose`.
    scale : bool, optional
        Bring every column to mean 0 and variance 1; by default data frames only.
    groups, order, cv : array-like, label of a column, or splitter, optional
        How rows depend on each other, as in :func:`reldim.diagnose`. Differences are then tested
        by as many units as there are, and ``by="error_estimate"`` ranks by the error on new units
        or later times; errors of single rows that are left out say less.
    roles : mapping from str to str, optional
        What columns of data frames are, as in :func:`reldim.diagnose`.
    n_jobs : int, optional
        Kernels, or blocks of rows, that are worked on side by side, see :func:`reldim.diagnose`.
    random_state : int, optional
        Seed; None stands for a fixed seed, so that the same data give the same answer.
    progress : callable, optional
        Called as ``progress("representations", done, total)``, and in between as by
        :func:`reldim.diagnose`.

    Returns
    -------
    Comparison
        The figures side by side, and which differences are beyond chance.

    See Also
    --------
    diagnose : What limits learning from one of them.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import compare, datasets
    >>> data = datasets.noisy_sinc(100, noise=0.1, random_state=0)
    >>> found = compare(data.X, data.y, kernels=["gaussian", "linear"])
    >>> found.differences[["first", "second", "beyond_chance"]]
          first  second  beyond_chance
    0  gaussian  linear           True
    """
    _check_score(by)
    library = _library(representations)
    representations, y = without_target(representations, admit(y, "y"))
    targets = code_targets(y, task)
    entries = named_entries(representations, kernels, rows=targets.n)
    # Pairs may come from an iterator, and are needed once per representation.
    cv = cv if cv is None or hasattr(cv, "split") else [*cv]
    found: dict[str, Diagnosis] = {}
    for name, (X, own) in entries.items():
        try:
            found[name] = diagnose(
                X,
                y,
                kernels=own,
                task=task,
                criterion=criterion,
                solver=solver,
                scale=scale,
                groups=groups,
                order=order,
                cv=cv,
                roles=roles,
                n_jobs=n_jobs,
                random_state=random_state,
                progress=progress,
            )
        except (InputError, InputTypeError) as error:
            raise type(error)(f"{name}: {error}") from error
        with listening(progress):
            tell("representations", len(found), len(entries))
    with on_cores(n_jobs):
        return replace(comparison_of(found, targets, by=by), library=library)


def _library(representations: Any) -> str:
    """Tell which library tables come back in: polars where all tables are of polars."""
    given = representations.values() if isinstance(representations, Mapping) else [representations]
    libraries = {library_of(X[0] if _is_pair(X) else X) for X in given}
    return libraries.pop() if len(libraries) == 1 else "pandas"


def comparison_of(
    diagnoses: Mapping[str, Diagnosis], targets: Targets, *, by: str = "squared_error"
) -> Comparison:
    """Put diagnoses of the same rows side by side.

    Parameters
    ----------
    diagnoses : mapping
        The diagnoses by name.
    targets : Targets
        The targets of all rows that were given.
    by : str
        What ranks, see :func:`compare`.
    """
    _check_score(by)
    sources = [found.problem.source for found in diagnoses.values()]
    if any(len(source) != targets.n for source in sources):
        raise InputError(
            "The rows of the representations cannot be matched: rows on a cluster were left out "
            "because they repeat others. Remove such rows from all representations first."
        )
    # What repeats another row under every representation is no further piece of evidence.
    _, rows = np.unique(np.stack(sources), axis=1, return_index=True)
    values = np.asarray(targets.values)[np.sort(rows)]
    scale = float(np.mean(np.sum((values - values.mean(axis=0)) ** 2, axis=1)))
    columns = [
        _squared_errors(found.relevance)[source[np.sort(rows)]] / scale
        for found, source in zip(diagnoses.values(), sources, strict=True)
    ]
    return Comparison(dict(diagnoses), np.column_stack(columns), by)


def _check_score(by: str) -> None:
    if by not in SCORES:
        raise InputError(f"by must be one of {', '.join(SCORES)}. Got {by!r} instead.")


def _squared_errors(rd: RelevantDimension) -> Array:
    residuals: Array = np.asarray(rd.targets.values) - np.asarray(rd.left_out)
    return np.asarray(np.sum(residuals**2, axis=1))


def named_entries(
    representations: Any, kernels: Kernels, *, rows: int
) -> dict[str, tuple[Any, Kernels]]:
    """Name what is to be compared: data, each with the kernels to try on it.

    Parameters
    ----------
    representations : mapping or X
        Data by name, with kernels of their own where they are a pair, or the only data.
    kernels : None, str, Kernel, callable, sequence or mapping
        Kernels for all data, or what is to be compared on the only data.
    rows : int
        How many rows every representation must have.

    Returns
    -------
    dict
        Pairs of data and kernels by name.

    Examples
    --------
    >>> named_entries([[1.0], [2.0]], ["gaussian", "linear"], rows=2)
    {'gaussian': ([[1.0], [2.0]], 'gaussian'), 'linear': ([[1.0], [2.0]], 'linear')}
    """
    if isinstance(representations, Mapping):
        entries = {name: X if _is_pair(X) else (X, kernels) for name, X in representations.items()}
        what = "representations"
    else:
        entries = {name: (representations, kernel) for name, kernel in _named(kernels).items()}
        what = "kernels"
    given = [(f"representations[{name!r}]", X) for name, (X, _) in entries.items()]
    for name, X in given[1:]:
        pair_rows(given[0][1], X, (given[0][0], name))
    for name in entries:
        if not isinstance(name, str) or not name:
            raise InputTypeError(f"Names of {what} must be strings. Got {name!r} instead.")
    if len(entries) < 2:
        got = f"one ({next(iter(entries))})" if entries else "none"
        raise InputError(
            f"Two or more {what} are needed for a comparison. Got {got}; for a single one use "
            "diagnose."
        )
    for name, (X, _) in entries.items():
        _check_rows(name, X, rows)
    return entries


def without_target(representations: Any, y: Any) -> tuple[Any, Any]:
    """Take the target out of all tables that have it, where y names a column.

    Parameters
    ----------
    representations : mapping or X
        What :func:`named_entries` takes.
    y : str, number or array-like
        The label of a column, or the targets.

    Returns
    -------
    representations, y : any
        The same without the target, and the targets.
    """
    if not isinstance(representations, Mapping):
        X, target, _ = split_target(representations, y)
        return X, target
    given = [value[0] if _is_pair(value) else value for value in representations.values()]
    if not is_label(y) and not any(has_column(X, y) for X in given):
        return representations, split_target(None, y)[1]
    found: list[tuple[str, Any]] = []
    rest = {}
    for name, value in representations.items():
        X, *own = value if _is_pair(value) else (value,)
        if has_column(X, y):
            X, target, _ = split_target(X, y)
            found.append((name, target))
        rest[name] = (X, *own) if own else X
    if not found:
        raise InputError(
            f"y names the column {y!r}, which no representation has. Pass the targets themselves, "
            "or data frames."
        )
    (first, target), *others = found
    for name, other in others:
        if not np.array_equal(np.asarray(target, dtype=object), np.asarray(other, dtype=object)):
            raise InputError(
                "Representations must have the same rows in the same order. The column "
                f"{y!r} of {name} differs from that of {first}."
            )
    return rest, target


def _named(kernels: Any) -> dict[Any, Kernels]:
    if isinstance(kernels, Mapping):
        return dict(kernels)
    if not isinstance(kernels, Sequence) or isinstance(kernels, str):
        raise InputTypeError(
            "compare takes a mapping from names to representations, or a single X and several "
            "kernels, as a mapping or a list. Got a single X and "
            f"{'no kernels' if kernels is None else f'kernels={kernels!r}'}."
        )
    names = [kernel if isinstance(kernel, str) else repr(kernel) for kernel in kernels]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"Each kernel must be given once. Got {twice[0]} more than once.")
    return dict(zip(names, kernels, strict=True))


def _is_pair(value: Any) -> bool:
    """Tell a pair of data and kernels from data that happen to be a tuple of two rows."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    kernels = value[1]
    several = isinstance(kernels, (list, tuple)) and len(kernels) > 0
    return isinstance(kernels, Mapping) or all(map(_is_kernel, kernels if several else [kernels]))


def _is_kernel(value: Any) -> bool:
    """Tell whether something is a kernel, a function, or the name of a family."""
    if isinstance(value, str):
        return value in {*FAMILIES, *SKLEARN_NAMES}
    return isinstance(value, Kernel) or callable(value)


def _check_rows(name: str, X: Any, n: int) -> None:
    shape = getattr(X, "shape", None)
    # The data may be of a kind that has no length; then the diagnosis checks it.
    rows = shape[0] if shape else len(X) if hasattr(X, "__len__") else n
    if rows != n:
        raise InputError(
            f"Every representation must have the {n} rows that y has, in the same order. Got "
            f"{counted(rows, 'row')} in {name}."
        )
