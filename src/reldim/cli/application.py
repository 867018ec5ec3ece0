"""The application: one program, its commands, and its errors in one line each."""

import difflib
import errno
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperGroup

from reldim.cli.streams import say, write_out
from reldim.exceptions import ReldimError

__all__ = ["app", "command", "main"]

#: Exit codes beside 0, and 1 which is that of --fail-on alone: the input cannot be used; the
#: machine, or reldim itself, failed; interrupted.
WRONG_INPUT, FAILED, INTERRUPTED = 2, 3, 130

#: What the operating system says where the machine is to blame, and not the name of a file.
OF_THE_MACHINE = {
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOSPC,
}


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
        """Run, and end with a code that says what kind of error it was."""
        try:
            code = super().main(args, "reldim", complete_var, False, windows_expand_args, **extra)
        except SystemExit as end:
            # What typer answers to a reader that closes the pipe is the code of --fail-on.
            if not isinstance(end.__context__, BrokenPipeError):
                raise
            code = 0
        except Exception as error:
            code = _code_of(error)
            if code is None:
                raise
            if code == FAILED:
                with suppress(OSError):
                    # Or what is left in the buffer fails once more when the process ends.
                    write_out("")
            say(f"error: {_sentence(error)}")
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and say so where it is interrupted."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from error


def _code_of(error: Exception) -> int | None:
    """Return the exit code of an error; a bug has none."""
    if _is_of_the_machine(error):
        return FAILED
    # typer has changed the home of its class of errors; their method stays the same.
    if isinstance(error, ReldimError) or hasattr(error, "format_message"):
        return WRONG_INPUT
    return None


def _is_of_the_machine(error: BaseException | None) -> bool:
    """Return whether there was no space, no memory, or no output to write to."""
    if error is None:
        return False
    if isinstance(error, ImportError):
        return not isinstance(error, ReldimError)
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno in OF_THE_MACHINE)
        or "can't start new thread" in str(error)
        or _is_of_the_machine(error.__cause__)
    )


def _sentence(error: Exception) -> str:
    """Say what went wrong, and what to do."""
    usage = getattr(error, "format_message", None)
    if usage is not None:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "reldim"
        return f"{_with_a_guess(error, usage())} Try: {path} --help"
    if isinstance(error, ReldimError):
        return str(error)
    if isinstance(error, OSError) and error.errno != errno.ENOMEM:
        return f"{error.filename or 'standard output'} cannot be written: {error.strerror}."
    if isinstance(error, ImportError):
        # The first of several errors says what is missing; the others are advice of packages.
        first: BaseException = error
        while (before := first.__cause__ or first.__context__) is not None:
            first = before
        return (
            f"a package cannot be loaded: {first}. Where memory is limited, allow more; else "
            "install reldim anew."
        )
    what = "out of memory" if isinstance(error, MemoryError) else str(error)
    return f"{what}. Use fewer rows or columns, or a machine with more memory."


def _with_a_guess(error: Exception, message: str) -> str:
    """Name the option that may be meant where there is none of the name that was given."""
    option = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    # Some versions of typer say what kind of error it is, which tells the reader nothing.
    message = message.replace("Value error, ", "")
    wrong = re.search(r"(?P<given>'[^']*') is not one of (?P<known>'.*')", message)
    if wrong:
        given, known = (re.findall(r"'([^']*)'", wrong[name]) for name in ("given", "known"))
        near = difflib.get_close_matches(given[0], known, n=1)
        return f"{message.rstrip('.')}.{f' Did you mean {near[0]}?' if near else ''}"
    if not isinstance(option, str) or context is None or "No such option" not in message:
        return message if message.endswith("?") else f"{message.rstrip('.')}."
    known = [name for parameter in context.command.params for name in parameter.opts]
    near = difflib.get_close_matches(option, known, n=1, cutoff=0.7)
    return f"No such option: {option}.{f' Did you mean {near[0]}?' if near else ''}"


app = typer.Typer(
    cls=OneLineErrors,
    # Plain help: it can be piped, compared and put into the documentation.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; the entry point ``reldim``."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception:  # noqa: BLE001
        # A bug: python's own exit code is that of --fail-on.
        traceback.print_exc()
        sys.exit(FAILED)


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

    Exit codes: 0; 1 where diagnose finds a code of --fail-on; 2 where the input cannot be used; 3
    where the machine fails (no space, no memory, no output), or reldim itself; 130 where it is
    interrupted.
    """
    if version:
        from reldim import __version__

        typer.echo(f"reldim {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def command(
    *examples: str, short_help: str | None = None, quiet: str = "", without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command to the application.

    A parameter of the command whose type is a dataclass, such as ``Request``, stands for one
    option per field.

    Parameters
    ----------
    *examples : str
        What the help shows as examples.
    short_help : str, optional
        What the list of commands shows, by default the first line of the docstring.
    quiet : str
        What ``--quiet`` does.
    without : collection of str
        Fields that are no options of this command.
    """

    def add(call: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(call, eval_str=True)
        kinds = {
            parameter.name: parameter.annotation
            for parameter in signature.parameters.values()
            if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
        }

        @wraps(call)
        def with_options(**given: Any) -> None:
            values = {name: _filled(kind, given) for name, kind in kinds.items()}
            call(**values, **given)

        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            kind = kinds.get(parameter.name)
            parameters += [parameter] if kind is None else _options(kind, without, quiet)
        with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {part.name: part.annotation for part in parameters}
        lines = "".join(f"\n  {example}" for example in examples)
        app.command(epilog=f"\b\nExamples:{lines}", short_help=short_help)(with_options)
        return call

    return add


def _options(kind: type, without: Collection[str], quiet: str) -> list[inspect.Parameter]:
    """Return a parameter for each field of a dataclass."""
    parameters = []
    for part in fields(kind):
        if part.name in without:
            continue
        value: Any = part.type
        option = part.metadata["option"]
        if get_origin(value) is tuple:
            # typer gives lists, which no frozen value should hold.
            value = list[get_args(value)[0]] | None  # type: ignore[misc]
        if part.name == "quiet":
            option = typer.Option("--quiet", "-q", help=quiet)
        default = None if part.default == () else part.default
        parameters.append(
            inspect.Parameter(
                part.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is MISSING else default,
                annotation=Annotated[value, option],
            )
        )
    return parameters


def _filled(kind: type, given: dict[str, Any]) -> Any:
    """Make a dataclass of what was given for its fields, and take that away."""
    values = {part.name: given.pop(part.name) for part in fields(kind) if part.name in given}
    defaults = {part.name: part.default for part in fields(kind)}
    return kind(
        **{
            name: tuple(value or ()) if isinstance(defaults[name], tuple) else value
            for name, value in values.items()
        }
    )
