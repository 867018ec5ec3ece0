"""Write the page of commands from their help texts.

    python docs/commands.py

A test compares the page with the help texts.
"""

from pathlib import Path

PAGE = Path(__file__).resolve().parent / "cli.md"

_HEAD = """# Commands

<!-- Made by docs/commands.py from the help texts. Change those, then run it again. -->

All commands take `--help`. Errors are one line on standard error and end with exit code 2; a
command that was interrupted ends with 130. Colours and progress bars are left out where the output
is no terminal, colours also where the environment variable `NO_COLOR` is set.

The shell completes commands, options and their values after

```text
reldim --install-completion
```

which works for bash, zsh, fish and PowerShell; `reldim --show-completion` prints what would be
installed.
"""


def page() -> str:
    """Return the page."""
    from typer.main import get_command
    from typer.testing import CliRunner

    from reldim.cli import app

    names = list(get_command(app).commands)  # type: ignore[attr-defined]
    parts, runner = [_HEAD], CliRunner()
    for arguments in ([], *([name] for name in names)):
        # The width of the terminal decides how help texts are broken.
        shown = runner.invoke(app, [*arguments, "--help"], env={"COLUMNS": "90"})
        command = " ".join(["reldim", *arguments])
        parts.append(f"## {command}\n\n```text\n{shown.output.strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
