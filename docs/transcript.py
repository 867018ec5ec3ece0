"""Run the page "A messy file" again, and write what its commands print now.

    python docs/transcript.py

Blocks of Python are run, in one empty folder; below a line that begins with ``$ reldim`` stands
what the command prints. A test compares the page with what comes, all figures aside.
"""

import contextlib
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent / "messy-file.md"

BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(text: str) -> str:
    """Return the text of a page with what its commands print now."""
    names: dict[str, Any] = {"__name__": "__page__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return BLOCK.sub(lambda found: f"```{found[1]}\n{_run(found[1], found[2], names)}```", text)


def _run(kind: str, text: str, names: dict[str, Any]) -> str:
    if kind == "python":
        exec(compile(text, str(PAGE), "exec"), names)  # noqa: S102
        return text
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{_printed(command)}" for command in commands)


def _printed(command: str) -> str:
    from typer.testing import CliRunner

    from reldim.cli import app

    arguments = shlex.split(command.removeprefix("$ "))
    if arguments[0] != "reldim":
        raise ValueError(f"{command}: only reldim is run.")
    done = CliRunner().invoke(app, arguments[1:], env={"COLUMNS": "80", "NO_COLOR": "1"})
    if done.exit_code != 0:
        raise RuntimeError(f"{command}\n{done.output}")
    return "\n".join(line.rstrip() for line in done.output.strip().splitlines()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
