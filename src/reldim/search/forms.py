"""Forms of a kernel: wider, narrower, or smooth on the whole and rough nearby."""

import numpy as np
from numpy.typing import NDArray

from reldim.kernels import Kernel, Matern
from reldim.search.weights import weighted_kernel, weights_of

__all__ = [
    "AS_LEARNED",
    "NARROWER",
    "ROUGH",
    "ROUGHER",
    "WIDER",
    "Form",
    "formed",
    "has_form",
    "kernel_of_form",
]

Array = NDArray[np.float64]

#: A form of a kernel: the powers of it whose mean is taken. A power makes it wider or narrower; the
#: mean of two is smooth on the whole and rough nearby, as where some rows nearly repeat others.
Form = tuple[float, ...]

AS_LEARNED, NARROWER, WIDER, ROUGH, ROUGHER = (1.0,), (3.0,), (0.25,), (1.0, 9.0), (1.0, 81.0)


def formed(K: Array, form: Form) -> Array:
    """Return values of a form of a kernel, given those of the kernel.

    Parameters
    ----------
    K : ndarray
        Values of the kernel.
    form : tuple of float
        The powers whose mean is taken.

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> formed(np.array([1.0, 0.5]), (1.0, 3.0))
    array([1.    , 0.3125])
    """
    if form == AS_LEARNED:
        return K
    total = _raised(K, form[0])
    for power in form[1:]:
        total = total + _raised(K, power)
    return np.asarray(total / len(form))


def _raised(K: Array, power: float) -> Array:
    """Raise to a power of three or a quarter: products and roots are far quicker than powers."""
    if power == WIDER[0]:
        return np.asarray(np.sqrt(np.sqrt(K)))
    while power > 1:
        K, power = K * K * K, power / 3
    return K


def kernel_of_form(kernel: Kernel, form: Form) -> Kernel:
    """Return a form of a kernel with weights.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    form : tuple of float
        The powers whose mean is taken.

    Returns
    -------
    Kernel
        The mean.

    Examples
    --------
    >>> from reldim.kernels import Laplacian
    >>> kernel_of_form(Laplacian(1.0, (0.5, 2.0)), (1.0, 4.0))
    0.5 * (Laplacian(scale=1.0, weights=(0.5, 2.0)) + Laplacian(scale=0.25, weights=(0.5, 2.0)))
    """
    first, *others = (_power(kernel, power) for power in form)
    for other in others:
        first = first + other
    return first * (1 / len(form)) if others else first


def _power(kernel: Kernel, power: float) -> Kernel:
    if power == 1:
        return kernel
    if isinstance(kernel, Matern):
        # A power of it is no other Matérn kernel.
        return kernel * _power(kernel, power - 1)
    kinds = {"ProductLaplacian": "product", "Gaussian": "gaussian", "Laplacian": "laplacian"}
    kind = kinds[type(kernel).__name__]
    return weighted_kernel(kind, weights_of(kernel), power)


def has_form(kernel: Kernel, form: Form) -> bool:
    """Tell whether a form of a kernel is a kernel: a root of a Matérn kernel is none."""
    return not isinstance(kernel, Matern) or form in (AS_LEARNED, NARROWER)
