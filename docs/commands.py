"""Write the page of commands from their help texts, and that of verdicts from what they say.

    python docs/commands.py

Tests compare the pages with the help texts, and with the text that ``reldim explain`` shows.
"""

from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "cli.md"

_HEAD = """# Commands

<!-- Made by docs/commands.py from the help texts. Change those, then run it again. -->

All commands take `--help`. Errors are one line on standard error. Colours and progress bars are
left out where the output is no terminal, colours also where the environment variable `NO_COLOR` is
set.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | `reldim diagnose --fail-on CODE` found the code; nothing else ends with 1 |
| 2 | the input, or an option, cannot be used |
| 3 | the machine failed (no space, no memory, no output), or reldim itself, with a traceback |
| 130 | interrupted |

A reader that closes the pipe, such as `head`, changes nothing: files are written and codes are
looked for all the same.

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
    shown = DOCS.parent / "src" / "reldim" / "cli" / "verdicts.md"
    (DOCS / "verdicts.md").write_text(shown.read_text(encoding="utf-8"), encoding="utf-8")
