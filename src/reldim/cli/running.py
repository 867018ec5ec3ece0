"""What commands on a data file share: from its name to a diagnosis."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from reldim.cli.clusters import scaled_later

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.eigensolvers import Progress
    from reldim.files.reading import DataFile

__all__ = ["diagnosed_file"]


def diagnosed_file(
    file: Path,
    target: str | None,
    *,
    scale: bool | None = None,
    task: str = "auto",
    kernels: list[str] | None = None,
    criterion: str = "likelihood",
    solver: str = "auto",
    seed: int | None = None,
    quiet: bool = False,
) -> "tuple[Diagnosis, DataFile]":
    """Read a file and diagnose it, with a progress bar and warnings on standard error.

    Parameters
    ----------
    file : path
        The data file.
    target : str or None
        What to explain, see :func:`~reldim.files.reading.read_data`.
    scale : bool, optional
        Whether to scale columns; by default tables only.
    task, criterion, solver : str
        As in :func:`~reldim.diagnose`.
    kernels : list of str, optional
        Names of families.
    seed : int, optional
        Seed of random choices.
    quiet : bool
        Show neither progress nor warnings.

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

    with collected_warnings() as caught, progress_bar(wanted=not quiet) as progress:
        begin = _beginning(progress)
        begin("read")
        data = read_data(file, target)
        begin("prepare")
        if is_lazy(data.X):
            data, scale = scaled_later(data, scale=scale), None
        from reldim.diagnosis.diagnosis import diagnose_problem
        from reldim.diagnosis.problem import prepare_problem

        problem = prepare_problem(
            data.X, data.y, task=task, kernels=kernels, scale=scale, steps=data.steps
        )
        begin("kernels")
        diagnosis = diagnose_problem(
            problem,
            kernels=kernels,
            task=task,
            criterion=criterion,
            solver=solver,
            scale=scale,
            random_state=seed,
            progress=progress,
        )
        begin("conclude")
        diagnosis = diagnosis.concluded()
    if not quiet:
        show_warnings(caught, known=[finding.evidence for finding in diagnosis.findings])
    return diagnosis, data


def _beginning(progress: "Progress | None") -> Callable[[str], None]:
    """Return what is called where a stage begins whose length is not known yet."""

    def begin(stage: str) -> None:
        if progress is not None:
            progress(stage, 0, 0)

    return begin
