"""Problem: the data as a diagnosis uses them, and what was done to them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from reldim.candidates import Kernels, domain_of
from reldim.repeats import group_rows, independent_part
from reldim.tables import PreparedTable, needs_preparation, prepare_table
from reldim.targets import Targets, code_targets

__all__ = ["Problem", "prepare_problem"]


@dataclass(frozen=True)
class Problem:
    """Data and targets, ready to be diagnosed.

    Attributes
    ----------
    X : array-like
        The data: numbers, sequences or a kernel matrix.
    targets : Targets
        The targets of the rows of X.
    steps : tuple of str
        What was done to the data, a sentence a step.
    table : PreparedTable or None
        The preparation of a data frame.
    feature_names : tuple of str or None
        The columns of a data frame that needed no preparation.
    source : ndarray of int
        For each row that was given, the row of X that stands for it.
    """

    X: Any = field(repr=False)
    targets: Targets = field(repr=False)
    steps: tuple[str, ...] = ()
    table: PreparedTable | None = field(default=None, repr=False)
    feature_names: tuple[str, ...] | None = None
    source: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)


def prepare_problem(
    X: Any, y: ArrayLike, *, task: str = "auto", kernels: Kernels = None
) -> Problem:
    """Turn tables into numbers, code the targets, and leave out rows that repeat others.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or list of sequences
        The data.
    y : array-like
        The targets.
    task : {"auto", "classification", "regression"}
        Kind of problem.
    kernels : None, str, Kernel, callable, sequence or mapping
        What will be tried; a kernel matrix is left as it is.

    Returns
    -------
    Problem
        The data as they are to be used.
    """
    targets = code_targets(y, task)
    table = prepare_table(X) if needs_preparation(X) else None
    data = X if table is None else table.X
    steps = () if table is None else table.steps
    source = np.arange(targets.n)
    if domain_of(kernels, data) != "precomputed":
        data, targets, source, copied = _without_copies(data, targets)
        steps += copied
    names = _feature_names(X) if table is None else None
    return Problem(data, targets, steps, table, names, source)


def _without_copies(
    X: Any, targets: Targets
) -> tuple[Any, Targets, NDArray[np.intp], tuple[str, ...]]:
    """Leave out rows that repeat others together with their targets.

    Copies would vouch for each other: a row that is left out would still be there.
    """
    same = np.arange(targets.n)
    points: Any = np.asarray(X) if isinstance(X, list) else getattr(X, "values", X)
    comparable = issparse(points) or (
        isinstance(points, np.ndarray) and (points.ndim == 1 or points.dtype != object)
    )
    if not comparable or points.shape[0] != targets.n:
        return X, targets, same, ()
    groups = group_rows(points)
    independent, _ = independent_part(targets.values, groups)
    _, first = np.unique(groups, return_index=True)
    kept = np.sort(first)
    codes = targets.codes
    if independent == targets.n or (
        codes is not None and len(np.unique(codes[kept])) < len(np.unique(codes))
    ):
        return X, targets, same, ()
    count = targets.n - len(kept)
    rows = "1 row that repeats another" if count == 1 else f"{count} rows that repeat others"
    source = np.searchsorted(kept, first[groups])
    step = f"Left out {rows}, features and target alike."
    return points[kept], targets.subset(kept), source, (step,)


def _feature_names(X: Any) -> tuple[str, ...] | None:
    # As scikit-learn has it: names are strings, other labels of columns are none.
    names = tuple(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None
