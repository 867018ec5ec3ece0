"""``reldim explain``: what a code means, and what to do about it."""

import difflib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated

import typer

from reldim.cli.application import command
from reldim.cli.streams import write_out
from reldim.exceptions import InputError

__all__ = ["code_of", "codes_like", "explain", "name_of"]

SECTION = re.compile(r"^\(rd\d+\)=\n## (RD\d+) (.+)\n\n([\s\S]+?)(?=^\(rd|\Z)", re.MULTILINE)


@cache
def _sections() -> dict[str, tuple[str, str]]:
    """Return the title and the text of each code, from the page of the documentation."""
    page = files("reldim.cli").joinpath("verdicts.md").read_text(encoding="utf-8")
    return {code: (title, text.strip()) for code, title, text in SECTION.findall(page)}


def name_of(title: str) -> str:
    """Return the title of a verdict as it is typed.

    Examples
    --------
    >>> name_of("Limited by noise")
    'limited-by-noise'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def codes_like(incomplete: str) -> list[tuple[str, str]]:
    """Return the codes, or names, that begin with what was typed and their titles."""
    titles = {code: title for code, (title, _) in _sections().items()}
    names = [(name_of(title), title) for title in titles.values() if incomplete]
    return [pair for pair in (*titles.items(), *names) if pair[0].startswith(incomplete)]


def code_of(typed: str, option: str) -> str:
    """Return the code that was typed, as it is or by its name.

    Parameters
    ----------
    typed : str
        Such as "rd003" or "limited-by-noise".
    option : str
        Where it was typed, for the message.

    Examples
    --------
    >>> code_of("Limited by noise", "--fail-on")
    'RD003'
    """
    names = {name_of(title): code for code, (title, _) in _sections().items()}
    code = names.get(name_of(typed), typed.upper())
    if code in _sections():
        return code
    near = difflib.get_close_matches(typed.lower(), names, n=1)
    guess = f" Did you mean {near[0]}?" if near else ""
    known = ", ".join(f"{code} ({name})" for name, code in names.items())
    raise InputError(f"{option} takes one of {known}. Got {typed!r} instead.{guess}")


@command("reldim explain RD003", "reldim explain limited-by-noise", "reldim explain")
def explain(
    codes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CODE...",
            autocompletion=codes_like,
            help="Codes or names of verdicts and findings; none, to list all of them.",
        ),
    ] = None,
) -> None:
    """Tell what a verdict or finding means, and what to do about it."""
    if not codes:
        titles = (f"{code}  {title}\n" for code, (title, _) in _sections().items())
        write_out("".join(titles))
        return
    _show([code_of(typed, "explain") for typed in codes])


def _show(codes: Sequence[str]) -> None:
    from rich.console import RenderableType
    from rich.markdown import Markdown
    from rich.text import Text

    from reldim.cli.console import show, terminal

    views: list[RenderableType] = []
    for code in codes:
        title, text = _sections()[code]
        # Pages that the text refers to are not at hand in a terminal.
        plain = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)
        where = Text(f"More: section {code} of docs/verdicts.md", style="dim")
        views += [Text(f"{code} {title}", style="bold"), Markdown(plain), where, Text()]
    show(terminal(), *views[:-1])
