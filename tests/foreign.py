"""The same numbers as other libraries hold them, beside an array of NumPy."""

import numpy as np
import pytest


class OnlyArray:
    """An array of a library that offers ``__array__`` and nothing else."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


class OnlyDLPack:
    """An array of a library that offers DLPack and nothing else."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def strict(values):
    return pytest.importorskip("array_api_strict").asarray(values)


def elsewhere(values):
    xp = pytest.importorskip("array_api_strict")
    return xp.asarray(values, device=xp.Device("device1"))


def tensor(values):
    return pytest.importorskip("torch").tensor(values)


def with_gradients(values):
    made = tensor(values)
    return made.requires_grad_() if made.is_floating_point() else made


#: Ways to hold numbers, by name: each takes an array of NumPy.
HOLDERS = {
    "only __array__": OnlyArray,
    "only DLPack": OnlyDLPack,
    "array API": strict,
    "array API on another device": elsewhere,
    "torch": tensor,
    "torch with gradients": with_gradients,
    "list of torch": lambda values: list(tensor(values)),
    "list": np.ndarray.tolist,
    "tuple": lambda values: tuple(map(tuple, values)) if values.ndim == 2 else tuple(values),
    "memoryview": memoryview,
    "masked": np.ma.masked_array,
}
