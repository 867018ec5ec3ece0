"""``reldim compare``: files of the same rows, or kernels on one file, side by side."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reldim.cli.application import command
from reldim.cli.outputs import Outputs
from reldim.cli.request import FAMILIES, Request, argument, families_like, option
from reldim.cli.streams import write_out
from reldim.exceptions import FileError, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reldim.diagnosis.comparison import Comparison
    from reldim.diagnosis.diagnosis import Diagnosis
    from reldim.files.reading import DataFile

__all__ = ["compare"]


class Score(StrEnum):
    """What ranks."""

    SQUARED_ERROR = "squared-error"
    ERROR_ESTIMATE = "error-estimate"
    LIKELIHOOD = "negative-log-likelihood"
    EVIDENCE = "evidence"
    AREA = "area"


@dataclass(frozen=True, kw_only=True)
class CompareRequest(Request):
    """Files of the same rows, or kernels to compare on one file."""

    others: tuple[Path, ...] = argument(
        "OTHER", "Files of the same rows; none, to compare kernels.", ()
    )
    target: str | None = option(
        None,
        "NAME",
        "What to explain: a column that all tables have; a key of NPZ files (default y); or a file "
        "of its own, NPY or a table of one column.",
    )
    kernel: tuple[str, ...] = option((), "NAME", FAMILIES, autocompletion=families_like)
    by: Score = option(Score.SQUARED_ERROR, None, "What ranks.")

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are read."""
        return (self.file, *self.others)

    @property
    def named_files(self) -> dict[str, Path]:
        """The files by their stems, or by their whole paths where stems are not enough."""
        stems = [file.stem for file in self.files]
        different = len({*stems}) == len(stems)
        names = stems if different else [str(file) for file in self.files]
        return dict(zip(names, self.files, strict=True))

    def check(self) -> None:
        """Refuse a file that is named twice, and a single file without kernels."""
        twice = {file for file in self.files if self.files.count(file) > 1}
        if twice:
            raise InputError(f"Each file must be named once. Got {min(twice)} more than once.")
        if not self.others and len(self.kernel) < 2:
            raise InputError(
                f"Name two or more files to compare. Got {self.file} only; to compare kernels on "
                "it, name two or more by --kernel."
            )


@command(
    "reldim compare pixels.npy embedding.npy --target y.npy",
    "reldim compare old.csv new.csv --target label --json out.json --report report.html",
    "reldim compare data.csv --target label --kernel gaussian --kernel linear",
    "reldim compare data.xlsx --sheet 1 --target label --drop id --kernel linear --kernel matern",
    short_help="Compare tables or kernels side by side.",
    quiet="Print the conclusion only.",
    without=("csv",),
)
def compare(request: CompareRequest, outputs: Outputs) -> None:
    """Compare representations of the same rows, or kernels, by what they tell about the target.

    Each file is diagnosed by itself. A paired test on the leave-one-out errors of the same rows
    tells which differences are beyond chance.
    """
    outputs.check(request)
    request.check()
    comparison = _compared(request, outputs)
    outputs.write_json(comparison.to_dict())
    if outputs.quiet and not outputs.prints_data:
        write_out(f"{comparison.conclusion}\n")
    elif not outputs.prints_data:
        from reldim.cli.views import comparison_view

        outputs.show(comparison_view(comparison))
    if outputs.report is not None:
        asked = request.command_line("compare")
        comparison.write_report(outputs.report, command=asked, overwrite=outputs.force)
        outputs.say(f"wrote {outputs.report}")


def _compared(request: CompareRequest, outputs: Outputs) -> "Comparison":
    from reldim.cli.console import collected_warnings, progress_bar, show_warnings
    from reldim.files.reading import read_data

    with collected_warnings() as caught, progress_bar(wanted=not outputs.quiet) as progress:
        data = {
            name: read_data(file, request.target, request.reading)
            for name, file in request.named_files.items()
        }
        _check_same_rows(data)
        from reldim.diagnosis.representations import compare as run

        first = next(iter(data.values()))
        comparison = run(
            {name: read.X for name, read in data.items()} if request.others else first.X,
            first.named_target(),
            by=request.by.value.replace("-", "_"),
            progress=progress,
            **request.call_arguments(),
        )
        if progress is not None:
            progress("conclude", 0, 0)
        diagnoses = {
            # Kernels on one file are all diagnoses of that file.
            name: _with_steps(found, data.get(name, first))
            for name, found in comparison.diagnoses.items()
        }
    if not outputs.quiet:
        show_warnings(caught, known=[found.edge for found in diagnoses.values()])
    return replace(comparison, diagnoses=diagnoses)


def _check_same_rows(data: "dict[str, DataFile]") -> None:
    import numpy as np

    (first, reference), *others = data.items()
    for name, read in others:
        if len(read.y) != len(reference.y):
            raise FileError(
                "The files must hold the same rows in the same order. Got "
                f"{len(reference.y)} rows with a target in {first} and {len(read.y)} in {name}."
            )
        differing = np.flatnonzero(~_equal(reference.y, read.y))
        if len(differing):
            row = int(differing[0])
            raise FileError(
                "The files must hold the same rows in the same order, but their targets differ: "
                f"row {row} (counted from 0) has {reference.y[row]} in {first} and {read.y[row]} "
                f"in {name}."
            )


def _equal(first: "NDArray[Any]", second: "NDArray[Any]") -> "NDArray[np.bool_]":
    """Compare targets row by row; numbers may have been rounded when they were written."""
    import numpy as np

    if first.ndim != second.ndim or first.shape != second.shape:
        return np.zeros(len(first), dtype=bool)
    if first.dtype.kind in "iuf" and second.dtype.kind in "iuf":
        equal = np.isclose(first, second, rtol=1e-6, atol=0.0)
    else:
        equal = first.astype(str) == second.astype(str)
    return np.asarray(equal.reshape(len(first), -1).all(axis=1))


def _with_steps(diagnosis: "Diagnosis", data: "DataFile") -> "Diagnosis":
    """Say how the file was read, before what was done to the data."""
    problem = replace(diagnosis.problem, steps=(*data.steps, *diagnosis.preparation))
    return replace(diagnosis.concluded(), problem=problem)
