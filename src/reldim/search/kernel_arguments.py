"""Trials: what a caller passes as kernels, and the data in the form that they take."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers import check_solver, held_by, in_blocks
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.rows import RowBlocks, is_lazy
from reldim.kernels import Gaussian, Kernel, WeightedDegree, as_kernel
from reldim.kernels.base import Domain
from reldim.kernels.weighted_rows import RowWeighted, WeightedRows
from reldim.search.families import Family, KernelName, family_of, named_kernel
from reldim.spectrum.gram import Gram

__all__ = ["Kernels", "Source", "domain_of", "held", "looks_like_sequences", "resolve"]

#: A kernel as callers pass it; a wrong name is found by a checker of types.
OneKernel = Kernel | Callable[..., Any] | KernelName

#: What callers may pass as kernels.
Kernels = OneKernel | Sequence[OneKernel] | Mapping[str, OneKernel | Sequence[OneKernel]] | None


def looks_like_sequences(X: Any) -> bool:
    """Tell whether X is a list or column of strings rather than rows of numbers."""
    if isinstance(X, RowBlocks) or is_lazy(X):
        # Sequences that a kernel has seen are whole numbers; numbers are floats to a kernel.
        seen = getattr(X, "ready", False)
        return getattr(getattr(X, "dtype", None), "kind", "") in ("u" if seen else "OUST")
    if isinstance(X, (str, bytes)):
        return False
    if getattr(X, "ndim", 1) == 2:
        if not hasattr(X, "iloc") or X.shape[1] != 1:
            return False
        X = X.iloc[:, 0]
    try:
        first = next(iter(X))
    except (TypeError, StopIteration):
        return False
    return isinstance(first, (str, bytes))


def held(X: Any, kernels: Kernels, solver: str) -> Any:
    """Return data where a solver wants them: as they are, or as blocks of rows.

    Parameters
    ----------
    X : array-like, Dask collection or RowBlocks
        The data.
    kernels : None, str, Kernel, callable, sequence or mapping
        What will be tried.
    solver : str
        Which solver is asked for.

    Returns
    -------
    array-like or RowBlocks
        The data; blocks are validated.
    """
    check_solver(solver)
    X = in_blocks(X, solver)
    if solver != "dask" and not isinstance(X, RowBlocks):
        return X
    probe = _most_particular([_probe(spec) for _, spec in _labelled(kernels, X)])
    return held_by(solver, Gram.of(probe, X)).points


def domain_of(kernels: Kernels, X: Any = None) -> Domain:
    """Tell which kind of data kernels take; where none are named, the data decide."""
    return _most_particular([_probe(spec) for _, spec in _labelled(kernels, X)]).domain


@dataclass(frozen=True, eq=False)
class Source:
    """Kernels to try, and the data in the form that they take.

    Attributes
    ----------
    family : Family
        The kernels.
    points : points
        The data.
    label : str or None
        The name that the caller gave them.
    """

    family: Family
    points: Any
    label: str | None

    def weighted(self, weights: NDArray[np.float64]) -> "Source":
        """Let rows count by their weights, under the same kernels."""
        make = self.family.make
        family = replace(self.family, make=lambda step: RowWeighted(make(step)))
        return replace(self, family=family, points=WeightedRows(self.points, np.sqrt(weights)))


def resolve(kernels: Kernels, X: Any) -> tuple[list[Source], Gram]:
    """Turn what the caller passed into families, and X into the points that most of them take."""
    specifications = list(_labelled(kernels, X))
    probes = [_probe(spec) for _, spec in specifications]
    domains = {probe.domain for probe in probes} - {"any"}
    if len(domains) > 1:
        raise InputError(
            "All kernels must take the same kind of data. Got kernels on "
            f"{', '.join(sorted(domains))}."
        )
    probe = _most_particular(probes)
    gram = Gram.of(probe, X)
    # Vectors are the same to all kernels, which then share distances; sequences are not: a
    # user's function sees the strings.
    data = gram.points if probe.domain == "vectors" else X
    sources = [
        Source(family_of(spec, gram.points), gram.points, None)
        if isinstance(spec, str)
        else Source(Family.of_list(repr(kernel), [kernel]), Gram.of(kernel, data).points, label)
        for (label, spec), kernel in zip(specifications, probes, strict=True)
    ]
    return sources, gram


def _labelled(kernels: Any, X: Any) -> list[tuple[str | None, Any]]:
    """List kernels and names of families, each with the label that a mapping gave it."""
    if kernels is None:
        return [(None, "weighted-degree" if looks_like_sequences(X) else "gaussian")]
    listed: list[tuple[str | None, Any]]
    if isinstance(kernels, Mapping):
        listed = [
            (str(label), named_kernel(kernel) if isinstance(kernel, str) else kernel)
            for label, kernel in kernels.items()
        ]
    elif isinstance(kernels, str):
        return [(None, named_kernel(kernels))]
    elif isinstance(kernels, Kernel) or callable(kernels):
        return [(None, kernels)]
    elif isinstance(kernels, Sequence):
        listed = [pair for kernel in kernels for pair in _labelled(kernel, X)]
    else:
        raise InputTypeError(
            "kernels must be a kernel, a callable, the name of a family, a sequence of these, or "
            f"a mapping from names to kernels. Got {type(kernels).__name__} instead."
        )
    if not listed:
        raise InputError("kernels is empty: pass at least one kernel or name of a family.")
    return listed


def _probe(spec: Any) -> Kernel:
    """Return a kernel that takes the same data as a kernel or family."""
    if isinstance(spec, str):
        return WeightedDegree(1) if spec == "weighted-degree" else Gaussian(1.0)
    return as_kernel(spec)


def _most_particular(probes: list[Kernel]) -> Kernel:
    return next((probe for probe in probes if probe.domain != "any"), probes[0])
