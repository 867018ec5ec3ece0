"""The pages say what is so: their code runs, their commands print what is shown.

A block of Python is run, in the order of the page and in one folder, which is empty at first; where
it has the prompt ``>>>``, what follows must be what comes. Of a block of the console the lines are
run that begin with ``$ reldim`` or ``$ python -c``; what is shown below a command must be what it
prints, where ``...`` stands for anything. A comment ``<!-- not run: reason -->`` before a block
leaves it out.
"""

import ast
import doctest
import re
import runpy
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from reldim.cli import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

#: Pages that are made by programs, or speak to developers of the package only.
MADE = {"cli.md", "api.md", "messy-file.md"}
PAGES = [ROOT / "README.md", *sorted(p for p in DOCS.glob("*.md") if p.name not in MADE)]

#: Pages that newcomers read first; the others are slow tests.
FIRST = {"README"}

BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n+)?"
    r"^```(?P<kind>python|console)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<path>[^)]+)\)")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<path>[^)#]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    """A block of a page that is to be run."""

    kind: str
    text: str
    line: int


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["kind"], found["text"], text.count("\n", 0, found.start("text")))
        for found in BLOCK.finditer(text)
        if found["reason"] is None
    ]


def commands_of(block):
    """Split a block of the console into commands and what is shown below each."""
    commands = []
    for line in block.text.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    return [(command, "\n".join(shown)) for command, shown in commands]


LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def same(shown, printed):
    return doctest.OutputChecker().check_output(f"{shown}\n", printed, LOOSELY)


def run_dialogue(block, names, page):
    test = doctest.DocTestParser().get_doctest(block.text, {}, page.stem, str(page), block.line)
    test.globs = names
    report = []
    doctest.DocTestRunner(optionflags=LOOSELY).run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)


def run_command(command, shown):
    arguments = shlex.split(command, comments=True)
    if arguments[:2] == ["python", "-c"]:
        exec(arguments[2], {})  # noqa: S102
    if arguments[0] != "reldim":
        return
    done = CliRunner().invoke(app, arguments[1:], env={"COLUMNS": "100", "NO_COLOR": "1"})
    expected = 2 if "reldim: error:" in shown else 1 if "reldim: found" in shown else 0
    assert done.exit_code == expected, f"{command}\n{done.output}"
    assert not shown.strip() or same(shown, done.output), f"{command}\n{done.output}"


class TestParsing:
    def test_blocks_and_reasons(self, tmp_path):
        page = tmp_path / "page.md"
        page.write_text(
            "a\n```python\nx = 1\n```\n\n<!-- not run: slow -->\n```python\nx = 2\n```\n"
            "```text\nno\n```\n```console\n$ reldim demo \\\n  --force\nout\n$ ls\n```\n"
        )
        python, console = blocks_of(page)
        assert (python.kind, python.text, python.line) == ("python", "x = 1\n", 2)
        assert commands_of(console) == [("reldim demo   --force", "out"), ("ls", "")]

    def test_dialogue_is_compared_and_leaves_its_names(self, tmp_path):
        names = {"x": 1}
        run_dialogue(Block("python", ">>> y = x + 1\n>>> y\n2\n", 0), names, tmp_path / "page.md")
        assert names["y"] == 2
        with pytest.raises(AssertionError, match="Expected:"):
            run_dialogue(Block("python", ">>> x\n2\n", 0), names, tmp_path / "page.md")

    def test_output_is_compared(self):
        run_command("reldim --version", "reldim ...")
        with pytest.raises(AssertionError):
            run_command("reldim --version", "other")
        with pytest.raises(AssertionError):
            run_command("reldim diagnose missing.csv", "")
        run_command("false", "is not ours to run")


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=() if p.stem in FIRST else pytest.mark.slow, id=p.stem) for p in PAGES],
)
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__page__"}
    for block in blocks_of(page):
        if block.kind == "console":
            for command, shown in commands_of(block):
                run_command(command, shown)
        elif block.text.startswith(">>>"):
            run_dialogue(block, names, page)
        else:
            # Line numbers in a traceback are those of the page.
            code = compile("\n" * block.line + block.text, str(page), "exec")
            exec(code, names)  # noqa: S102


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_and_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for picture in PICTURE.finditer(text):
        assert picture["text"], f"{picture['path']} has no text for those who cannot see it"
        assert (page.parent / picture["path"]).is_file(), picture["path"]
    for link in LINK.finditer(text):
        if "://" not in link["path"]:
            assert (page.parent / link["path"]).exists(), link["path"]


def test_pictures_are_small():
    large = [p for p in (DOCS / "images").rglob("*.png") if p.stat().st_size > 150_000]
    assert not large


def strings_of_the_package():
    for path in (ROOT / "src" / "reldim").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", None) for part in node.values)
                yield "".join(part if isinstance(part, str) else "..." for part in parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_messages_of_the_troubleshooting_page_exist():
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    messages = re.findall(r"^`([^`]+)`\n: ", text, re.MULTILINE)
    assert len(messages) >= 4
    known = list(strings_of_the_package())
    for message in messages:
        # What a message names stands in a place of its own.
        plain = re.sub(r"'[^']+'", "'...'", message).replace("A plot", "...")
        assert any(plain in string for string in known), message


class TestCommands:
    def test_page_is_made_from_the_help_texts(self):
        made = runpy.run_path(str(DOCS / "commands.py"))["page"]()
        page = (DOCS / "cli.md").read_text(encoding="utf-8")
        assert page == made, "run: python docs/commands.py"

    @pytest.mark.parametrize("name", get_command(app).commands)
    def test_help_shows_an_example_of_the_command(self, name):
        shown = CliRunner().invoke(app, [name, "--help"]).output
        assert "Example" in shown
        assert f"  reldim {name}" in shown.partition("Example")[2]

    @pytest.mark.parametrize("name", get_command(app).commands)
    def test_options_of_examples_exist(self, name):
        shown = CliRunner().invoke(app, [name, "--help"]).output
        options, _, examples = shown.partition("Example")
        assert set(re.findall(r"--[a-z-]+", examples)) <= set(re.findall(r"--[a-z-]+", options))
