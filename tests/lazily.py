"""A problem whose rows are in blocks of Dask, beside the same rows in memory."""

import dask.array as da
import numpy as np

from reldim import decompose, kernels

KERNEL = kernels.Gaussian(3.0)


def problem(n=500, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(dtype)
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=n)


def lazy(array, rows=150):
    """Cut an array into chunks of rows."""
    return da.from_array(array, chunks=(rows, *array.shape[1:]))


def both(X, kernel=KERNEL, **options):
    """Decompose in memory and in blocks."""
    return (
        decompose(kernel, X, solver="lowrank", **options),
        decompose(kernel, lazy(X), **options),
    )
