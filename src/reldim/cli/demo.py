"""``reldim demo``: two small problems that come with the package."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reldim.cli.application import command
from reldim.cli.outputs import Outputs
from reldim.cli.request import option
from reldim.exceptions import FileError

if TYPE_CHECKING:
    from reldim.diagnosis.diagnosis import Diagnosis

__all__ = ["demo"]

#: The report, where no other name is given.
REPORT = Path("report.html")


@dataclass(frozen=True, kw_only=True)
class DemoOutputs(Outputs):
    """A report is written also where none is named."""

    report: str | None = option(
        None, "OUT", "Where to write the report on the first problem (report.html)."
    )


@command(
    "reldim demo",
    "reldim demo --report demo.html --force",
    without=("csv", "json", "quiet"),
)
def demo(outputs: DemoOutputs) -> None:
    """Diagnose two small problems that come with the package.

    A learner errs on both, for opposite reasons. A report on the first is written to report.html; a
    file of that name is left alone.
    """
    if outputs.report is not None:
        outputs.check_file("--report", outputs.report)
    from rich.text import Text

    from reldim import datasets, diagnose
    from reldim.cli.views import figures_view, verdict_view, words_view
    from reldim.report.words import percent

    noisy = datasets.noisy_sinc(200, noise=0.3, random_state=1)
    complicated = datasets.sine(100, frequency=35, noise=0.03, random_state=1)
    diagnoses = [diagnose(data.X, data.y) for data in (noisy, complicated)]
    for data, diagnosis in zip((noisy, complicated), diagnoses, strict=True):
        head = Text(f"{data.name}: {data.description}", style="bold")
        outputs.show(head, verdict_view(diagnosis.verdict), Text())
        outputs.show(figures_view(diagnosis), Text())
    first, second = (percent(diagnosis.error_estimate) for diagnosis in diagnoses)
    few, many = (diagnosis.dimension for diagnosis in diagnoses)
    outputs.show(
        Text(
            f"Errors of {first} and {second} leave much to explain, for opposite reasons. The "
            f"first problem is simple but noisy: {few} dimensions carry all there is to learn, and "
            "most of the error would stay with any number of rows. The second is complex and has "
            f"little noise: its signal takes {many} dimensions, which 100 rows do not pin down; "
            "more rows, or a kernel made for it, would help.",
        ),
        Text(),
        words_view(),
        Text(),
        Text(f"{_written(diagnoses[0], noisy.name, outputs)}\n"),
        Text("Now try your own data: reldim diagnose your.csv --target column"),
    )


def _written(diagnosis: "Diagnosis", name: str, outputs: Outputs) -> str:
    """Write the report and say where it is; a demonstration does not fail for want of a place."""
    path = Path(outputs.report or REPORT)
    if outputs.report is None and REPORT.exists() and not outputs.force:
        return f"{REPORT} exists already and was left alone: --force replaces it."
    try:
        diagnosis.write_report(path, name=name, command="reldim demo", overwrite=outputs.force)
    except FileError as error:
        if outputs.report is not None:
            raise
        return f"No report was written. {error}"
    return f"The first of them to look at, with pictures: {path}"
