"""Which number tells the kernels of a family apart."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from reldim.kernels import Kernel, Normalized

__all__ = ["Placed", "place_kernels"]

#: What a parameter is measured in; the Gaussian kernel divides squared distances by its width.
_UNITS = {
    ("Gaussian", "width"): "squared units of X",
    ("Laplacian", "scale"): "units of X",
    ("Matern", "length"): "units of X",
    ("InverseMultiquadric", "constant"): "units of X",
}


@dataclass(frozen=True)
class Placed:
    """A kernel's place among others.

    Attributes
    ----------
    family : str
        The kernels that it belongs to, or its name where it stands alone.
    parameter : str
        What tells the kernels of the family apart, with its unit; empty where it stands alone.
    value : float or None
        The parameter.
    """

    family: str
    parameter: str
    value: float | None


def place_kernels(kernels: Sequence[Kernel], names: Sequence[str]) -> list[Placed]:
    """Find families: kernels of one type that differ in one number.

    Parameters
    ----------
    kernels : sequence of Kernel
        The kernels.
    names : sequence of str
        Their names.

    Returns
    -------
    list of Placed
        The place of each.
    """
    bare = [kernel.kernel if isinstance(kernel, Normalized) else kernel for kernel in kernels]
    placed = []
    for name, kernel in zip(names, bare, strict=True):
        others = [other for other in bare if type(other) is type(kernel)]
        key = _distinguishing(others)
        if key is None:
            placed.append(Placed(name, "", None))
            continue
        family = type(kernel).__name__
        unit = _UNITS.get((family, key))
        parameter = f"{key} in {unit}" if unit else key
        placed.append(Placed(family, parameter, float(getattr(kernel, key))))
    return placed


def _distinguishing(kernels: list[Any]) -> str | None:
    """Return the one field, a positive number, in which the kernels differ."""
    first = kernels[0]
    if len(kernels) < 2 or not is_dataclass(first):
        return None
    differing = [
        field.name
        for field in fields(first)
        if any(getattr(k, field.name) != getattr(first, field.name) for k in kernels)
    ]
    if len(differing) != 1:
        return None
    values = [getattr(kernel, differing[0]) for kernel in kernels]
    return differing[0] if all(isinstance(v, int | float) and v > 0 for v in values) else None
