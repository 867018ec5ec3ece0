"""From the name of a data file to a diagnosis, with progress on standard error."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from reldim.cli.outputs import Outputs
from reldim.cli.request import Request
from reldim.exceptions import InputError

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.files.reading import DataFile
    from reldim.inputs.stages import Progress

__all__ = ["diagnosed_file"]


def diagnosed_file(
    request: Request,
    outputs: Outputs,
    *,
    solver: str = "auto",
    references: bool = True,
    conclude: bool = True,
) -> "tuple[Diagnosis, DataFile]":
    """Read a file and diagnose it, with a progress bar and warnings on standard error.

    Parameters
    ----------
    request : Request
        The file, how to read it, and what to try.
    outputs : Outputs
        Whether progress and warnings are shown.
    solver : str
        As in :func:`~reldim.diagnose`.
    references : bool
        Whether models of other kinds are tried.
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

    with collected_warnings() as caught, progress_bar(wanted=not outputs.quiet) as progress:
        begin = _beginning(progress)
        begin("read")
        data = read_data(request.file, request.target, request.reading)
        begin("prepare")
        if is_lazy(data.X):
            data = _scaled_later(data, scale=request.scale)
            request = replace(request, scale=None)
        from reldim.diagnosis.diagnosis import diagnose_problem
        from reldim.diagnosis.problem import prepare_problem

        problem = prepare_problem(
            data.X, data.named_target(), steps=data.steps, **request.about_problem()
        )
        # The problem holds what these say.
        request = replace(request, groups=None, order=None, category=())
        begin("kernels")
        diagnosis = diagnose_problem(
            problem,
            solver=solver,
            references=references,
            progress=progress,
            **request.call_arguments(),
        )
        if conclude:
            begin("conclude")
            diagnosis = diagnosis.concluded()
    if not outputs.quiet:
        show_warnings(caught, known=[diagnosis.edge])
    return diagnosis, data


def _beginning(progress: "Progress | None") -> Callable[[str], None]:
    """Return what is called where a stage begins whose length is not known yet."""

    def begin(stage: str) -> None:
        if progress is not None:
            progress(stage, 0, 0)

    return begin


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
