"""Problem: the data as a diagnosis uses them, and what was done to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from reldim.diagnosis.suspects import Suspect, suspected
from reldim.exceptions import InputError
from reldim.inputs.duplicates import first_of_each, group_rows, independent_part
from reldim.inputs.rows import RowBlocks, beside, is_lazy, row_numbers
from reldim.inputs.splits import Splits
from reldim.inputs.stages import LOG
from reldim.inputs.target_checks import checked_targets, pair_rows
from reldim.inputs.targets import Targets, code_targets, told_of
from reldim.kernels.points import admit, as_vectors
from reldim.search.kernel_arguments import Kernels, domain_of, held, looks_like_sequences
from reldim.tables.columns import as_pandas, library_of
from reldim.tables.preparation import PreparedTable, needs_preparation, prepare_table
from reldim.tables.targets import split_column, split_target

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
        What was done to the data, one sentence per step.
    table : PreparedTable or None
        The preparation of a data frame, or of an array that was scaled.
    feature_names : tuple of str or None
        The columns of X, where they have names.
    source : ndarray of int
        For each row that was given, the row of X that stands for it; empty where rows of blocks
        on a cluster were left out.
    y : ndarray
        The targets of all rows that were given, as they were given.
    library : {"pandas", "polars"}
        The library whose frames answers come back in.
    dependence : Splits or None
        How the rows of X depend on each other, where that was said.
    suspects : tuple of Suspect
        Ways in which they may, where nothing was said.
    """

    X: Any = field(repr=False)
    targets: Targets = field(repr=False)
    steps: tuple[str, ...] = ()
    table: PreparedTable | None = field(default=None, repr=False)
    feature_names: tuple[str, ...] | None = None
    source: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)
    y: NDArray[Any] = field(default_factory=lambda: np.zeros(0), repr=False)
    library: str = "pandas"
    dependence: Splits | None = field(default=None, repr=False)
    suspects: tuple[Suspect, ...] = field(default=(), repr=False)

    @property
    def splits(self) -> Splits:
        """How the rows of X are divided, exchanged and counted."""
        if self.dependence is not None:
            return self.dependence
        codes = None if self.targets.codes is None else np.asarray(self.targets.codes)
        return Splits(self.targets.n, codes)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the table, or numbers of the columns of an array.

        A column that was left out of X is not among them; a category is one of them.
        """
        if self.table is not None and self.table.sources:
            return tuple(dict.fromkeys(self.table.sources))
        if self.table is None and self.feature_names is not None:
            return self.feature_names
        return tuple(str(j) for j in range(self.X.shape[1]))

    def rows_at(self, rows: NDArray[np.intp]) -> Any:
        """Return some rows of X in memory, in the order in which they are named."""
        if not isinstance(self.X, RowBlocks):
            return self.X[rows]
        ascending, places = np.unique(rows, return_inverse=True)
        return self.X.take(ascending)[places]


def prepare_problem(
    X: Any,
    y: ArrayLike | str,
    *,
    task: str = "auto",
    kernels: Kernels = None,
    scale: bool | None = None,
    groups: Any = None,
    order: Any = None,
    cv: Any = None,
    roles: Mapping[str, str] | None = None,
    steps: tuple[str, ...] = (),
) -> Problem:
    """Turn tables into numbers, code the targets, and leave out rows that repeat others.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or list of sequences
        The data.
    y : array-like or str
        The targets, or the label of a column of X: a text or a number.
    task : {"auto", "classification", "regression"}
        Kind of problem.
    kernels : None, str, Kernel, callable, sequence or mapping
        What will be tried; a kernel matrix is left as it is.
    scale : bool, optional
        Bring every column to mean 0 and variance 1; by default data frames only.
    groups, order, cv : array-like, label of a column, or splitter
        How rows depend on each other, as in :func:`~reldim.diagnose`.
    roles : mapping from str to str, optional
        What columns of a data frame are, as in :func:`~reldim.diagnose`.
    steps : tuple of str
        What was done to the data before.

    Returns
    -------
    Problem
        The data as they are to be used.
    """
    library = library_of(X)
    paired = pair_rows(X, y)
    X, y, read = split_target(admit(X), admit(y, "y"))
    steps = (*steps, *paired, *read)
    X = X if is_lazy(X) else as_pandas(X)
    X, groups, order, said = _set_apart(X, groups, order)
    steps = (*steps, *said)
    data = held(X, kernels, "auto")
    given = beside(data, y)
    targets = code_targets(given, task)
    steps += told_of(given, targets)
    coded = targets = targets.beside(data)
    table = _prepared(X, kernels, scale=scale, roles=roles)
    if table is not None:
        data, steps = table.X, (*steps, *table.steps)
    elif domain_of(kernels, data) == "vectors" and not isinstance(data, RowBlocks):
        data = as_vectors(data)
    LOG.debug("task: %s (%s)", targets.task, targets.reason)
    for step in steps:
        LOG.debug("done: %s", step)
    source = row_numbers(data) if isinstance(data, RowBlocks) else np.arange(targets.n)
    if isinstance(data, RowBlocks) and not (groups is None and order is None and cv is None):
        raise InputError(
            "groups, order and cv need rows in memory, and these are in blocks on a cluster. Pass "
            "X.compute(), or a sample of the units."
        )
    dependence = Splits.of(targets.n, targets.codes, groups=groups, order=order, cv=cv)
    if groups is not None and (dependence is None or dependence.groups is None):
        steps += ("Each unit has a single row: rows are divided as if no units were named.",)
    if dependence is None and domain_of(kernels, data) != "precomputed":
        data, targets, source, copied = _without_copies(data, targets)
        steps += copied
    suspects: tuple[Suspect, ...] = ()
    if dependence is None and not is_lazy(targets.values):
        kept = np.unique(source, return_index=True)[1]
        suspects = tuple(one.take(kept) for one in suspected(X, coded.values))
    names = _frame_names(X) if table is None else table.feature_names
    answers = checked_targets(given)
    return Problem(
        data, targets, steps, table, names, source, answers, library, dependence, suspects
    )


def _set_apart(X: Any, groups: Any, order: Any) -> tuple[Any, Any, Any, tuple[str, ...]]:
    """Take columns that tell how rows depend on each other out of a table, and say so.

    Dates that order rows stay a column as well: the day of the week repeats.
    """
    steps = []
    groups = None if groups is None else admit(groups, "groups")
    order = None if order is None else admit(order, "order")
    rest, units = split_column(X, groups, "groups")
    if rest is not X:
        X, steps = rest, [f"{groups}: kept apart, it names the unit of each row."]
    rest, moments = split_column(X, order, "order")
    if rest is not X:
        if pd.api.types.is_numeric_dtype(moments):
            X = rest
            steps.append(f"{order}: kept apart, it orders the rows.")
        else:
            steps.append(f"{order}: orders the rows.")
    return X, units, moments, tuple(steps)


def _frame_names(X: Any) -> tuple[str, ...] | None:
    """Return the columns of a data frame of Dask, which are numbers already."""
    return tuple(str(name) for name in X.columns) if is_lazy(X) and hasattr(X, "columns") else None


def _prepared(
    X: Any, kernels: Kernels, *, scale: bool | None, roles: Mapping[str, str] | None
) -> PreparedTable | None:
    """Turn a table into numbers, and an array that is to be scaled; None for other data."""
    vectors = kernels is None or domain_of(kernels, X) in {"vectors", "any"}
    if vectors and needs_preparation(X):
        return prepare_table(X, scale=scale is not False, roles=roles)
    if roles:
        raise InputError(
            "roles say what columns of a data frame in memory are. Got "
            f"{type(X).__name__}: pass a data frame, or leave roles out."
        )
    if not scale:
        return None
    if not vectors or looks_like_sequences(X):
        raise InputError("Only columns of numbers can be scaled. Leave scale out.")
    if is_lazy(X) or issparse(X):
        raise InputError(
            f"scale=True takes a table or an array in memory. Got {type(X).__name__}: scale its "
            "columns first, and pass scale=False."
        )
    return prepare_table(X)


def _without_copies(
    X: Any, targets: Targets
) -> tuple[Any, Targets, NDArray[np.intp], tuple[str, ...]]:
    """Leave out rows that repeat others together with their targets.

    Copies would predict each other: a row that is left out would still be there.
    """
    if isinstance(X, RowBlocks):
        return _blocks_without_copies(X, targets)
    same = np.arange(targets.n)
    points = _comparable(X)
    if points is None or points.shape[0] != targets.n:
        return X, targets, same, ()
    groups = group_rows(points)
    independent, _ = independent_part(targets.values, groups)
    if independent == targets.n:
        return X, targets, same, ()
    first, copies = first_of_each(groups, targets.values)
    if len(first) == targets.n:
        return X, targets, same, ()
    kept = np.sort(first)
    source = np.searchsorted(kept, first[copies])
    return points[kept], targets.subset(kept), source, (_left_out(targets.n - len(kept)),)


def _blocks_without_copies(
    X: RowBlocks, targets: Targets
) -> tuple[RowBlocks, Targets, Any, tuple[str, ...]]:
    independent, _ = independent_part(targets.values, group_rows(X))
    if independent == targets.n:
        return X, targets, row_numbers(X), ()
    first = X.firsts(targets.values)
    kept = targets.subset(first)
    if kept.n == targets.n:
        return X, targets, row_numbers(X), ()
    return X.selected(first), kept, np.zeros(0, np.intp), (_left_out(targets.n - kept.n),)


def _left_out(count: int) -> str:
    rows = "1 row that repeats another" if count == 1 else f"{count} rows that repeat others"
    return f"Left out {rows}, features and target alike."


def _comparable(X: Any) -> Any:
    """Return rows of numbers, or texts, as an array; None for what the kernel is to judge."""
    if issparse(X):
        rows: Any = X
        return csr_array(rows) if rows.dtype.kind in "biuf" else None
    if isinstance(X, Sequence):
        if not any(isinstance(row, (str, bytes)) for row in X):
            return None
        # As objects: arrays of text would cut off null characters, and write NaN as text.
        texts = np.empty(len(X), dtype=object)
        texts[:] = X
        return texts
    points = np.asarray(X.to_numpy() if isinstance(X, pd.DataFrame) else X)
    if points.ndim == 2 and points.dtype.kind in "biuf" and points.shape[1]:
        return points if points.dtype.itemsize <= 8 else points.astype(np.float64)
    return points if points.ndim == 1 and points.dtype.kind in "OUS" else None
