"""The application: one program, its errors in one line each."""

import difflib
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from reldim.exceptions import ReldimError

__all__ = ["app", "main", "say"]


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
            say(f"error: {_with_a_guess(error, message())} Try: {command} --help")
            sys.exit(2)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and end with exit code 2 where its input cannot be used."""
        try:
            return super().invoke(ctx)
        except ReldimError as error:
            say(f"error: {error}")
            raise typer.Exit(2) from error
        except KeyboardInterrupt as error:
            say("interrupted")
            raise typer.Exit(130) from error


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


def say(message: str) -> None:
    """Write a message to standard error, in one line."""
    from reldim.cli.console import say as write

    write(message)
