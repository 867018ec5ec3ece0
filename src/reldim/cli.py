"""The command line: from arguments to a call, and what comes of it printed or written."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from reldim.exceptions import FileError, InputError, ReldimError

if TYPE_CHECKING:
    from reldim.diagnosis import Diagnosis
    from reldim.files import DataFile

__all__ = ["app", "main"]


class Task(StrEnum):
    """Kinds of problems."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Criterion(StrEnum):
    """What kernel and dimension are chosen by."""

    LIKELIHOOD = "likelihood"
    LEAVE_ONE_OUT = "leave-one-out"


class OneLineErrors(TyperGroup):
    """Commands that report what is wrong in one line, and leave tracebacks to bugs."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and end with exit code 2 where options or arguments are wrong."""
        try:
            code = super().main(args, "reldim", complete_var, False, windows_expand_args, **extra)
        except Exception as error:
            # typer has changed the home of this class of errors; their method stays the same.
            message = getattr(error, "format_message", None)
            if message is None:
                raise
            context = getattr(error, "ctx", None)
            command = context.command_path if context is not None else "reldim"
            _say(f"error: {message().rstrip('.')}. Try: {command} --help")
            sys.exit(2)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and end with exit code 2 where its input cannot be used."""
        try:
            return super().invoke(ctx)
        except ReldimError as error:
            _say(f"error: {error}")
            raise typer.Exit(2) from error
        except KeyboardInterrupt as error:
            _say("interrupted")
            raise typer.Exit(130) from error


app = typer.Typer(
    cls=OneLineErrors,
    # Plain help: it can be piped, compared and put into the documentation.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def main() -> None:
    """Run the command line; the entry point ``reldim``."""
    app()


@app.callback(
    invoke_without_command=True,
    epilog="\b\nExamples:\n  reldim demo\n  reldim diagnose data.csv --target label",
)
def reldim(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Tell what a kernel sees in your data.

    How many dimensions carry the labels, how much of the labels is noise, and what to do next:
    get more data, better labels, or another kernel.
    """
    if version:
        from reldim import __version__

        typer.echo(f"reldim {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog="Example: reldim demo")
def demo(
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
) -> None:
    """Diagnose two small problems that come with the package.

    A learner makes about the same error on both, for opposite reasons.
    """
    from rich.text import Text

    from reldim import datasets, diagnose
    from reldim.console import figures_view, show, terminal, verdict_view

    console = terminal(color=not no_color)
    noisy = datasets.noisy_sinc(100, noise=0.3, random_state=1)
    complicated = datasets.sine(100, frequency=35, noise=0.1, random_state=1)
    for data in (noisy, complicated):
        diagnosis = diagnose(data.X, data.y)
        head = Text(f"{data.name}: {data.description}", style="bold")
        show(console, head, verdict_view(diagnosis.verdict), Text())
        show(console, figures_view(diagnosis), Text())
    show(
        console,
        Text(
            "A learner makes about the same error on both. The first is simple but noisy: a few "
            "dimensions carry all there is to learn, and more rows would not help. The second is "
            "complex: its signal takes so many dimensions that 100 rows do not pin it down; more "
            "rows, or a kernel made for it, would help.",
        ),
        Text("Now try your own data: reldim diagnose your.csv --target column"),
    )


@app.command(
    epilog="\b\nExamples:\n  reldim diagnose data.csv --target label\n"
    "  reldim diagnose data.npz --kernel gaussian --kernel polynomial --json out.json\n"
    "  reldim diagnose data.csv --target label --fail-on RD001 --quiet",
)
def diagnose(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV, TSV, NPY or NPZ file.")],
    target: Annotated[
        str | None,
        typer.Option(
            help="What to explain: a column of a table; a key of an NPZ file (default y); a "
            "column number or another file for NPY.",
        ),
    ] = None,
    task: Annotated[Task, typer.Option(help="Kind of problem.")] = Task.AUTO,
    kernel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A family to try; may be repeated. One of gaussian, laplacian, matern, "
            "polynomial, linear, inverse-multiquadric; weighted-degree for sequences.",
        ),
    ] = None,
    criterion: Annotated[
        Criterion, typer.Option(help="What kernel and dimension are chosen by.")
    ] = Criterion.LIKELIHOOD,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale",
            help="Bring columns to mean 0 and variance 1. By default done for tables, and not "
            "for arrays.",
        ),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="OUT", help="Write all figures to this file; - is standard output."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --json.")] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Exit with 1 on this verdict or finding; may be repeated."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of random choices.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
) -> None:
    """Tell what limits learning from a data file.

    Whether it is the number of rows, noise in the target, or the kernel, and what to do about it.
    Columns with categories, dates, text or gaps are turned into numbers, and the output says how.

    Exit codes: 0; 1 where a code of --fail-on is found; 2 where the input cannot be used.
    """
    codes = _checked_codes(fail_on or [])
    output = _checked_output(json_file, force=force)
    diagnosis = _diagnosed(
        file,
        target,
        scale=scale,
        task=task.value,
        kernels=kernel or None,
        criterion=criterion.value,
        seed=seed,
        quiet=quiet,
    )
    if output is not None:
        diagnosis.to_json(output, overwrite=force)
    _show(diagnosis, as_json=json_file == "-", quiet=quiet, color=not no_color)
    found = [v for v in (diagnosis.verdict, *diagnosis.findings) if v.code in codes]
    if found:
        _say("found " + ", ".join(f"{v.code} {v.title}" for v in found))
        raise typer.Exit(1)


def _diagnosed(
    file: Path,
    target: str | None,
    *,
    scale: bool | None,
    task: str,
    kernels: list[str] | None,
    criterion: str,
    seed: int | None,
    quiet: bool,
) -> "Diagnosis":
    from reldim.console import collected_warnings, progress_bar, show_warnings
    from reldim.files import read_data

    with collected_warnings() as caught:
        data = read_data(file, target)
        X, table = _features(data, scale=scale)
        from reldim.diagnosis import diagnose as run

        with progress_bar(wanted=not quiet) as progress:
            diagnosis = run(
                X,
                data.y,
                kernels=kernels,
                task=task,
                criterion=criterion,
                random_state=seed,
                progress=progress,
            )
    if not quiet:
        show_warnings(caught, known=[finding.evidence for finding in diagnosis.findings])
    steps = data.steps if table is None else (*data.steps, *table.steps)
    return replace(diagnosis, preparation=(*steps, *diagnosis.preparation), table=table)


def _features(data: "DataFile", *, scale: bool | None) -> tuple[Any, Any]:
    """Return what to diagnose, and the preparation where there was one."""
    from reldim.tables import prepare_table

    if data.kind == "sequences":
        if scale:
            raise InputError("Sequences cannot be scaled. Leave --scale out.")
        return data.X, None
    if data.kind == "array" and not scale:
        return data.X, None
    table = prepare_table(data.X, scale=scale is not False)
    return table.X, table


def _show(diagnosis: "Diagnosis", *, as_json: bool, quiet: bool, color: bool) -> None:
    from reldim.console import diagnosis_view, show, terminal

    if as_json:
        typer.echo(json.dumps(diagnosis.to_dict(), indent=2, allow_nan=False))
    elif quiet:
        typer.echo(f"{diagnosis.verdict.code} {diagnosis.verdict.title}")
    else:
        show(terminal(color=color), diagnosis_view(diagnosis))


def _checked_codes(codes: list[str]) -> set[str]:
    if not codes:
        return set()
    from reldim.verdicts import CODES

    wanted = {code.upper() for code in codes}
    unknown = sorted(wanted.difference(CODES))
    if unknown:
        known = ", ".join(f"{code} ({title})" for code, title in CODES.items())
        raise InputError(f"--fail-on takes one of {known}. Got {unknown[0]!r} instead.")
    return wanted


def _checked_output(name: str | None, *, force: bool) -> Path | None:
    """Refuse a file that could not be written, before any work is done."""
    if name is None or name == "-":
        return None
    path = Path(name)
    if path.is_dir():
        raise FileError(f"--json needs the name of a file. Got the folder {path}.")
    if not path.parent.is_dir():
        raise FileError(f"The folder {path.parent} of --json does not exist. Make it first.")
    if path.exists() and not force:
        raise FileError(f"{path} exists already. Choose another name, or add --force.")
    return path


def _say(message: str) -> None:
    from reldim.console import say

    say(message)
