"""From the name of a data file to a diagnosis, in this process or on a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from reldim.exceptions import InputError
from reldim.files.options import TableOptions

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.files.reading import DataFile
    from reldim.inputs.stages import Progress
    from reldim.search.kernel_arguments import Kernels

__all__ = ["SchedulerOption", "WorkersOption", "diagnosed_file", "on_cluster"]

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

_DEFAULT = TableOptions()


def diagnosed_file(
    file: Path,
    target: str | None,
    options: TableOptions = _DEFAULT,
    *,
    scale: bool | None = None,
    task: str = "auto",
    kernels: list[str] | None = None,
    criterion: str = "likelihood",
    solver: str = "auto",
    jobs: int | None = None,
    references: bool = True,
    seed: int | None = None,
    quiet: bool = False,
    conclude: bool = False,
) -> "tuple[Diagnosis, DataFile]":
    """Read a file and diagnose it, with a progress bar and warnings on standard error.

    Parameters
    ----------
    file : path
        The data file.
    target : str or None
        What to explain, see :func:`~reldim.files.reading.read_data`.
    options : TableOptions
        How to read the file, and which columns to take.
    scale : bool, optional
        Whether to scale columns; by default tables only.
    task, criterion, solver : str
        As in :func:`~reldim.diagnose`.
    kernels : list of str, optional
        Names of families.
    jobs : int, optional
        Tasks that run side by side.
    references : bool
        Whether models of other kinds are tried.
    seed : int, optional
        Seed of random choices.
    quiet : bool
        Show neither progress nor warnings.
    conclude : bool
        Whether verdict and findings will be asked for: they take time, and are found while the
        progress bar is there.

    Returns
    -------
    diagnosis : Diagnosis
        Its list of steps begins with the reading of the file.
    data : DataFile
        What the file holds.
    """
    from reldim.cli.console import collected_warnings, progress_bar, show_warnings
    from reldim.files.reading import read_data
    from reldim.inputs.rows import is_lazy

    # A wrong name is told at run time.
    named = cast("Kernels", kernels)
    with collected_warnings() as caught, progress_bar(wanted=not quiet) as progress:
        begin = _beginning(progress)
        begin("read")
        data = read_data(file, target, options)
        begin("prepare")
        if is_lazy(data.X):
            data, scale = _scaled_later(data, scale=scale), None
        from reldim.diagnosis.diagnosis import diagnose_problem
        from reldim.diagnosis.problem import prepare_problem

        problem = prepare_problem(
            data.X, data.named_target(), task=task, kernels=named, scale=scale, steps=data.steps
        )
        begin("kernels")
        diagnosis = diagnose_problem(
            problem,
            kernels=named,
            task=task,
            criterion=criterion,
            solver=solver,
            scale=scale,
            n_jobs=jobs,
            references=references,
            random_state=seed,
            progress=progress,
        )
        if conclude:
            begin("conclude")
            diagnosis = diagnosis.concluded()
    if not quiet:
        show_warnings(caught, known=[diagnosis.edge])
    return diagnosis, data


def _beginning(progress: "Progress | None") -> Callable[[str], None]:
    """Return what is called where a stage begins whose length is not known yet."""

    def begin(stage: str) -> None:
        if progress is not None:
            progress(stage, 0, 0)

    return begin


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


def _scaled_later(data: "DataFile", *, scale: bool | None) -> "DataFile":
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
