"""Representations of the same rows: what callers may pass to compare(), and the checks of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from reldim.exceptions import InputError, InputTypeError
from reldim.kernels import Kernel
from reldim.search.families import FAMILIES
from reldim.search.kernel_arguments import Kernels

__all__ = ["named_entries"]


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
    for name in entries:
        if not isinstance(name, str) or not name:
            raise InputTypeError(f"Names of {what} must be texts. Got {name!r} instead.")
    if len(entries) < 2:
        got = f"one ({next(iter(entries))})" if entries else "none"
        raise InputError(
            f"Two or more {what} are needed for a comparison. Got {got}; a single one is a case "
            "for diagnose."
        )
    for name, (X, _) in entries.items():
        _check_rows(name, X, rows)
    return entries


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
        raise InputError(f"Each kernel must be there once. Got {twice[0]} more than once.")
    return dict(zip(names, kernels, strict=True))


def _is_pair(value: Any) -> bool:
    """Tell a pair of data and kernels from data that happen to be a tuple of two rows."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    kernels = value[1]
    return isinstance(kernels, (Kernel, Mapping)) or callable(kernels) or _is_family(kernels)


def _is_family(kernels: Any) -> bool:
    return isinstance(kernels, str) and kernels in FAMILIES


def _check_rows(name: str, X: Any, n: int) -> None:
    shape = getattr(X, "shape", None)
    # The data may be of a kind that has no length; then the diagnosis has the last word.
    rows = shape[0] if shape else len(X) if hasattr(X, "__len__") else n
    if rows != n:
        raise InputError(
            f"Every representation must have the {n} rows that y has, in the same order. Got "
            f"{rows} rows in {name}."
        )
