"""Eigensolvers: a kernel and data in, a Spectrum out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from reldim.eigensolvers.dense import decompose_dense, dense_bytes
from reldim.eigensolvers.exhaustion import exhausted_spectrum
from reldim.eigensolvers.lowrank import Factor, lowrank_bytes, spectrum_of_factor
from reldim.eigensolvers.pivots import PivotedFactor
from reldim.eigensolvers.unlabelled import decompose_with_unlabelled
from reldim.exceptions import InputError
from reldim.inputs.memory import check_memory, fits, memory_limit
from reldim.inputs.rows import RowBlocks, is_lazy
from reldim.inputs.stages import LOG, Progress
from reldim.kernels import Kernel
from reldim.spectrum.gram import Gram, precision_of
from reldim.spectrum.spectrum import Spectrum

__all__ = [
    "DENSE_ROWS",
    "SOLVERS",
    "Solver",
    "check_solver",
    "decompose",
    "decompose_gram",
    "held_by",
    "in_blocks",
    "lowrank_capacity",
    "make_factor",
]

#: What a caller may ask for.
Solver = Literal["auto", "dense", "lowrank", "dask"]
SOLVERS: tuple[str, ...] = get_args(Solver)

#: Up to this many rows all eigenpairs are computed where no rank is asked for.
DENSE_ROWS = 5000

#: Largest rank of a low-rank solver that is left to itself.
MOST_RANK = 4000

#: Smallest rank that is worth the name.
LEAST_RANK = 16


def decompose(
    kernel: Kernel | Callable[..., Any],
    X: Any,
    *,
    rank: int | None = None,
    solver: Solver = "auto",
    center: bool = False,
    random_state: int | None = None,
    progress: Progress | None = None,
    landmarks: Any = None,
    memory: int | None = None,
    unlabelled: Any = None,
) -> Spectrum:
    """Compute the leading eigenpairs of the kernel matrix of a data set.

    Parameters
    ----------
    kernel : Kernel or callable
        A kernel of :mod:`reldim.kernels`, or any callable ``k(X, Z)`` that returns the matrix
        of kernel values.
    X : array-like or Dask collection
        The data: rows of numbers, sequences for a string kernel, or for
        :class:`~reldim.kernels.Precomputed` the kernel matrix itself.
    rank : int, optional
        How many leading eigenpairs to keep. By default all; for the low-rank solver as many as
        it takes to leave a millionth of the trace, as far as memory goes.
    solver : {"auto", "dense", "lowrank", "dask"}
        "dense" reduces the whole kernel matrix, "lowrank" never forms it; "auto" takes the
        first up to 5000 rows where it fits into memory, unless a factor of low rank leaves nothing
        but round-off sooner, and the second beyond. "dask" is the second on the workers of a
        cluster, and what "auto" takes for arrays and data frames of Dask.
    center : bool
        Centre the data in feature space. The papers' classification setting is False.
    random_state : int, optional
        Seed of the low-rank solver's landmarks. None stands for a fixed seed.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` when a stage of the work begins or ends.
    landmarks : sequence of int, optional
        Rows that the low-rank solver is to use, instead of drawing them.
    memory : int, optional
        Bytes to keep to, by default what is available.
    unlabelled : array-like, optional
        Further rows without targets, in memory. Components are those of all rows, made orthonormal
        at the rows of X, which the spectrum is of: what is estimated from targets of X rests on
        components that more rows determine.

    Returns
    -------
    Spectrum
        Eigenvalues of K/n, eigenvectors, and what follows from them.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import decompose, kernels
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> decompose(kernels.Gaussian(width=1.0), X).rank
    8
    """
    check_solver(solver)
    if unlabelled is not None:
        if center or landmarks is not None or solver == "dask":
            raise InputError(
                "unlabelled rows go together neither with center=True, nor with landmarks, nor "
                "with solver='dask'. Leave them out, or the other."
            )
        whole = partial(
            decompose_gram,
            rank=rank,
            solver=solver,
            random_state=random_state,
            progress=progress,
            memory=memory,
        )
        return decompose_with_unlabelled(Gram.of(kernel, X), unlabelled, whole)
    gram = Gram.of(kernel, in_blocks(X, solver))
    spectrum = decompose_gram(
        gram,
        rank=rank,
        solver=solver,
        center=center,
        random_state=random_state,
        progress=progress,
        landmarks=landmarks,
        memory=memory,
    )
    # Few rows in single precision are computed with in double, and answered in their own.
    single = getattr(gram.points, "dtype", None) == np.float32
    values = spectrum.eigenvalues
    return replace(spectrum, eigenvalues=values.astype(np.float32)) if single else spectrum


def decompose_gram(
    gram: Gram,
    *,
    rank: int | None = None,
    solver: str = "auto",
    center: bool = False,
    random_state: int | None = None,
    progress: Progress | None = None,
    landmarks: Any = None,
    memory: int | None = None,
) -> Spectrum:
    """Compute the leading eigenpairs for a Gram, see :func:`decompose`."""
    check_solver(solver)
    if gram.n < 2:
        raise InputError(f"At least two rows are needed. Got {gram.n}.")
    if rank is not None and not 1 <= rank <= gram.n:
        raise InputError(
            f"rank must lie between 1 and the number of rows, {gram.n}. Got {rank} instead."
        )
    gram = held_by(solver, gram)
    chosen = landmarks is not None or solver == "lowrank" or isinstance(gram.points, RowBlocks)
    if not chosen and (solver == "dense" or _dense_is_better(gram, memory)):
        LOG.debug("dense solver, %d rows", gram.n)
        check_memory(dense_bytes(gram.n), memory)
        work = decompose_dense if solver == "dense" else _whole
        return _announced(progress, lambda: work(gram, rank=rank, center=center))
    return _lowrank(
        gram,
        rank=rank,
        center=center,
        random_state=random_state,
        progress=progress,
        landmarks=landmarks,
        memory=memory,
    )


def lowrank_capacity(gram: Gram, memory: int | None, factors: int = 1) -> int:
    """Return the largest rank of a low-rank factor that memory allows.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    memory : int or None
        Bytes to keep to, None for what is available.
    factors : int
        How many such factors share the memory.
    """
    itemsize = precision_of(gram.points).itemsize
    least = min(gram.n, LEAST_RANK)
    if isinstance(gram.points, RowBlocks):
        memory = gram.points.memory_limit(memory)
    check_memory(lowrank_bytes(gram.n, least, itemsize), memory)
    limit = memory_limit(memory)
    limit = None if limit is None else limit // factors
    most = min(gram.n, MOST_RANK)
    while limit is not None and most > least and lowrank_bytes(gram.n, most, itemsize) > limit:
        most = max(least, int(most * 0.9))
    return most


def check_solver(solver: str) -> None:
    """Refuse a solver that does not exist."""
    if solver not in SOLVERS:
        raise InputError(f"solver must be one of {', '.join(SOLVERS)}. Got {solver!r} instead.")


def in_blocks(X: Any, solver: str = "auto") -> Any:
    """Return Dask collections as blocks of rows, and all other data as they are.

    Parameters
    ----------
    X : Any
        The data.
    solver : str
        Which solver is asked for; those in memory take no Dask collections.
    """
    if not is_lazy(X):
        return X
    if solver not in {"auto", "dask"}:
        raise InputError(
            f"solver={solver!r} needs the data in memory. Got a Dask collection: pass X.compute(), "
            "or solver='dask'."
        )
    from reldim.eigensolvers.dask import DaskBlocks, check_workers, lazy_array

    check_workers()
    array = lazy_array(X)
    return DaskBlocks.of_array(array, array.chunks[0])


def held_by(solver: str, gram: Gram) -> Gram:
    """Return a Gram with its data where a solver wants them: in memory, or as blocks of rows."""
    if isinstance(gram.points, RowBlocks):
        if solver not in {"auto", "dask"}:
            raise InputError(f"solver={solver!r} needs the data in memory. Got blocks of rows.")
        return gram
    if solver != "dask":
        return gram
    from reldim.eigensolvers.dask import DaskBlocks, check_workers

    check_workers()
    return Gram(gram.kernel, DaskBlocks.of_points(gram.points))


def make_factor(
    gram: Gram, capacity: int, random_state: int | None = None, landmarks: Any = None
) -> PivotedFactor:
    """Begin a factor of a kernel matrix, where the rows of the data are.

    Parameters
    ----------
    gram : Gram
        The kernel and the data.
    capacity : int
        Largest rank that will be asked for.
    random_state : int or None
        Seed of the pivots.
    landmarks : sequence of int, optional
        Rows to use as pivots.

    Returns
    -------
    PivotedFactor
        The factor, without columns yet.
    """
    if isinstance(gram.points, RowBlocks):
        factor: PivotedFactor = gram.points.factor(gram, random_state, landmarks)
        return factor
    return Factor(gram, capacity, random_state, landmarks)


def _dense_is_better(gram: Gram, memory: int | None) -> bool:
    return gram.n <= DENSE_ROWS and fits(dense_bytes(gram.n), memory)


def _whole(gram: Gram, *, rank: int | None, center: bool) -> Spectrum:
    spectrum = exhausted_spectrum(gram, rank=rank, center=center)
    return decompose_dense(gram, rank=rank, center=center) if spectrum is None else spectrum


def _announced(progress: Progress | None, work: Callable[[], Spectrum]) -> Spectrum:
    if progress is not None:
        progress("decompose", 0, 1)
    spectrum = work()
    if progress is not None:
        progress("decompose", 1, 1)
    return spectrum


def _lowrank(
    gram: Gram,
    *,
    rank: int | None,
    center: bool,
    random_state: int | None,
    progress: Progress | None,
    landmarks: Any,
    memory: int | None,
) -> Spectrum:
    limit = lowrank_capacity(gram, memory)
    LOG.debug("low-rank solver, %d rows, rank up to %d", gram.n, limit)
    if landmarks is not None:
        landmarks = _checked_landmarks(landmarks, gram.n)
        limit = len(landmarks)
    elif rank is not None:
        # Landmarks beyond the rank asked for make the pairs within it accurate.
        limit = min(limit, max(2 * rank, rank + 32))
    factor = make_factor(gram, limit, random_state, landmarks)

    def after_block(reached: int) -> None:
        if progress is not None:
            progress("decompose", min(reached, limit), limit)

    if progress is not None:
        progress("decompose", 0, limit)
    target = limit
    if rank is None and landmarks is None:
        target = min(limit, 256)
    while True:
        factor.grow(target, after_block)
        enough = factor.residual <= 1e-6 * factor.diagonal_sum
        if factor.exhausted or target >= limit or enough:
            break
        target = min(2 * target, limit)
    if progress is not None:
        progress("decompose", limit, limit)
    return spectrum_of_factor(factor, keep=rank, center=center)


def _checked_landmarks(landmarks: Any, n: int) -> Any:
    index = np.asarray(landmarks)
    if index.ndim != 1 or index.size == 0 or index.dtype.kind not in "iu":
        raise InputError("landmarks must be a sequence of row numbers, with at least one.")
    if index.min() < 0 or index.max() >= n:
        raise InputError(
            f"landmarks must be row numbers from 0 to {n - 1}. Got {int(index.min())} to "
            f"{int(index.max())}."
        )
    return index
