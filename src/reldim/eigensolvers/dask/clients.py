"""The cluster: who computes, how much memory there is, and what to say when it fails."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import dask
from dask.base import compute, get_scheduler, persist

from reldim import __version__
from reldim.eigensolvers.dask.tasks import Graph, Part
from reldim.exceptions import ClusterError, InputError, MissingDependencyError
from reldim.inputs.cores import one_blas_thread, usable_cores
from reldim.inputs.memory import memory_limit

# Its defaults come with its import. Inside of dask.config.set they would be taken out at the end,
# and the next computation would fail.
with suppress(ImportError):
    import distributed  # noqa: F401

__all__ = [
    "check_workers",
    "cluster",
    "computed",
    "current_client",
    "factor_bytes",
    "homes",
    "persisted",
    "threads",
]

#: Share of the workers' memory that data and factors may take; beyond 60 % Dask writes to disk.
SHARE = 0.5

#: Blocks are of equal size, and a factor is many times larger than the data: to move a part of it
#: to a worker that is idle for a moment takes longer than to wait.
_STAY = {"distributed.scheduler.work-stealing": False}

#: Seconds to wait for a scheduler.
PATIENCE = 10

#: Numbers of a step go to the workers as a part of its graph, so that they can be had again when a
#: worker dies. They are a few MB at the most, and no reason for a warning.
_LARGE_GRAPH = {"distributed.admin.large-graph-warning-threshold": "1GB"}


def current_client() -> Any:
    """Return the client of the cluster that computes, or None where this process does."""
    owner = getattr(get_scheduler(), "__self__", None)
    return owner if hasattr(owner, "scheduler_info") else None


def threads() -> int:
    """Return how many tasks can run at a time."""
    client = current_client()
    if client is None:
        return usable_cores()
    return max(1, int(sum(client.ncores().values())))


def factor_bytes(asked: int | None) -> int | None:
    """Return the bytes that a factor may take, over all workers.

    Parameters
    ----------
    asked : int or None
        A limit of the user's.

    Returns
    -------
    int or None
        Bytes; None where it is not known.
    """
    client = current_client()
    if client is None or asked is not None:
        return memory_limit(asked)
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] or 0 for worker in workers]
    return int(SHARE * sum(limits)) if limits and all(limits) else None


def persisted(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Have parts computed, and hold them where they were computed."""
    held: tuple[Part, ...] = _run(persist, Graph(parts))
    return held


def computed(parts: Sequence[Part]) -> tuple[Any, ...]:
    """Have parts computed, and bring them into this process."""
    values: tuple[Any, ...] = _run(compute, Graph(parts))
    return values


def _run(work: Any, collection: Any) -> Any:
    with _translated(), dask.config.set(_LARGE_GRAPH), _one_thread_a_task():
        return work(collection)[0]


def homes(count: int) -> tuple[str | None, ...]:
    """Return a worker for each of so many blocks: neighbours together, shares by threads.

    Returns
    -------
    tuple of str or None
        Addresses; None where this process computes.
    """
    client = current_client()
    if client is None:
        return (None,) * count
    with _translated():
        own = sorted(client.ncores().items())
    slots = [address for address, threads_there in own for _ in range(threads_there)]
    if not slots:
        return (None,) * count
    return tuple(slots[block * len(slots) // count] for block in range(count))


def check_workers() -> None:
    """Refuse a cluster whose workers lack reldim, or have another version of it."""
    client = current_client()
    if client is None:
        return
    name = __name__.partition(".")[0]

    # A function within a function travels as code: workers without the package can run it.
    def version_here() -> str | None:
        from importlib import import_module

        try:
            return str(import_module(name).__version__)
        except ImportError:
            return None

    with _translated():
        found = client.run(version_here)
    if not found:
        raise ClusterError(
            f"The cluster at {client.scheduler.address} has no workers. Start some, for example "
            f"with: dask worker {client.scheduler.address}"
        )
    lacking = sorted(str(address) for address, version in found.items() if version is None)
    if lacking:
        raise ClusterError(
            f"reldim is not installed on {len(lacking)} of {len(found)} workers, such as "
            f"{lacking[0]}. Install reldim {__version__} in the environment of every worker."
        )
    others = sorted({version for version in found.values() if version != __version__})
    if others:
        raise ClusterError(
            f"All workers must have reldim {__version__}, as this process has. Got "
            f"{', '.join(others)} on some. Install the same version everywhere."
        )


@contextmanager
def cluster(
    scheduler: str | None = None, workers: int | None = None, memory: str = "auto"
) -> Iterator[Any]:
    """Use a running cluster, or start one on this machine, for as long as the block lasts.

    Parameters
    ----------
    scheduler : str, optional
        Address of a running scheduler, such as ``tcp://10.0.0.1:8786``.
    workers : int, optional
        Number of processes to start on this machine instead, a thread each.
    memory : str
        Memory of each process, as Dask writes it: ``"4GB"``.

    Yields
    ------
    distributed.Client or None
        The client; None where neither was asked for.
    """
    if scheduler is not None and workers is not None:
        raise InputError(
            "Name either a running scheduler or a number of workers to start, not both."
        )
    if scheduler is None and workers is None:
        yield None
        return
    if workers is not None and workers < 1:
        raise InputError(f"At least one worker is needed. Got {workers}.")
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingDependencyError("distributed", "A cluster", "dask") from error
    if workers is not None:
        with (
            dask.config.set(_STAY),
            LocalCluster(
                n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address=None
            ) as local,
            Client(local) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"No scheduler answers at {scheduler}. Check the address, which looks like "
            "tcp://host:8786, and that the scheduler runs: dask scheduler"
        ) from error
    with client:
        yield client


@contextmanager
def _one_thread_a_task() -> Iterator[None]:
    """Keep BLAS to one thread where tasks share the cores of this process."""
    if current_client() is not None:
        yield
        return
    with one_blas_thread():
        yield


@contextmanager
def _translated() -> Iterator[None]:
    """Say what the failures of a cluster mean."""
    try:
        yield
    except MemoryError as error:
        raise ClusterError(
            "The workers have too little memory. Use more workers, a lower rank, or float32 data."
        ) from error
    except Exception as error:
        # By name: distributed need not be installed for work in this process.
        kind = type(error).__name__
        if kind == "KilledWorker":
            raise ClusterError(
                "Workers died again and again on the same work, most likely for lack of memory. "
                "Use more workers, a lower rank, or float32 data; see the logs of the workers."
            ) from error
        if kind in {
            "CommClosedError",
            "CancelledError",
            "FutureCancelledError",
            "FuturesCancelledError",
        }:
            raise ClusterError(
                "The connection to the scheduler was lost, or data that cannot be computed again. "
                "Check that the scheduler runs; pass data that are read from files rather than "
                "scattered."
            ) from error
        raise
