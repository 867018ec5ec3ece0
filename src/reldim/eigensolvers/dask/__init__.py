"""The cluster solver: low-rank factors whose rows stay on the workers of Dask.

No other part of the package imports Dask.
"""

from reldim.exceptions import MissingDependencyError

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise MissingDependencyError("dask", "solver='dask'", "dask") from error

from reldim.eigensolvers.dask.clients import check_workers, cluster
from reldim.eigensolvers.dask.folders import ParquetFolder, lazy_npy, standardised
from reldim.eigensolvers.dask.frames import lazy_array
from reldim.eigensolvers.dask.rows import DaskBlocks

__all__ = [
    "DaskBlocks",
    "ParquetFolder",
    "check_workers",
    "cluster",
    "lazy_array",
    "lazy_npy",
    "standardised",
]
