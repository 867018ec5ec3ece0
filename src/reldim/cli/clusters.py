"""Where a command computes: in this process, or on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from reldim.exceptions import InputError

if TYPE_CHECKING:
    from reldim.files.reading import DataFile

__all__ = ["SchedulerOption", "WorkersOption", "on_cluster", "scaled_later"]

SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Compute on a running Dask cluster, such as tcp://host:8786."
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Compute on a Dask cluster of N processes, started on this machine."
    ),
]


@contextmanager
def on_cluster(scheduler: str | None, workers: int | None) -> Iterator[str]:
    """Use a cluster for as long as the block lasts, where one is asked for.

    Parameters
    ----------
    scheduler : str or None
        Address of a running scheduler.
    workers : int or None
        Number of processes to start.

    Yields
    ------
    str
        The solver to use.
    """
    if scheduler is None and workers is None:
        yield "auto"
        return
    from reldim.eigensolvers.dask import cluster

    with cluster(scheduler, workers):
        yield "dask"


def scaled_later(data: "DataFile", *, scale: bool | None) -> "DataFile":
    """Bring the columns of data that Dask reads to a common scale.

    Parameters
    ----------
    data : DataFile
        Features in a Dask collection.
    scale : bool or None
        Whether to scale; None stands for tables only.

    Returns
    -------
    DataFile
        The same data, to be scaled when they are read.
    """
    if data.kind == "sequences" and scale:
        raise InputError("Sequences cannot be scaled. Leave --scale out.")
    if not (data.kind == "table" if scale is None else scale):
        return data
    from reldim.eigensolvers.dask import standardised

    X, step = standardised(data.X)
    return replace(data, X=X, steps=(*data.steps, step))
