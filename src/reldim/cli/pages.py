"""Pages of single commands: where to, and what is said about it."""

from pathlib import Path

from reldim.cli.application import say

__all__ = ["write_page"]


def write_page(path: Path, text: str, *, force: bool, quiet: bool) -> None:
    """Write a page, and say so on standard error.

    Parameters
    ----------
    path : path
        The file, which :func:`~reldim.cli.options.checked_report` has looked at.
    text : str
        The page.
    force : bool
        Replace a file that is there already.
    quiet : bool
        Say nothing.
    """
    from reldim.files.writing import write_text

    write_text(path, text, overwrite=force)
    if not quiet:
        say(f"wrote {path}")
