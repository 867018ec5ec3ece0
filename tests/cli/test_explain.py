"""What a code means is said as the documentation says it."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from commands import refused, run
from reldim.cli import explain
from reldim.diagnosis.verdicts import CODES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_the_documentation_is_what_is_shown():
    shown = Path(explain.__file__).with_name("verdicts.md")
    page = DOCS / "verdicts.md"
    assert page.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8"), (
        "change src/reldim/cli/verdicts.md, then run: python docs/commands.py"
    )


def test_pages_are_written_where_they_are_read(tmp_path, monkeypatch):
    page = DOCS / "verdicts.md"
    written = {}
    monkeypatch.setattr(Path, "write_text", lambda path, text, **_: written.update({path: text}))
    runpy.run_path(str(DOCS / "commands.py"), run_name="__main__")
    assert written == {one: one.read_text(encoding="utf-8") for one in (DOCS / "cli.md", page)}


@pytest.mark.parametrize("code", CODES)
def test_every_code_says_what_it_means_and_what_to_do(code):
    result = run("explain", code)
    assert result.exit_code == 0
    head, *lines = result.stdout.splitlines()
    assert head == f"{code} {CODES[code]}"
    text = " ".join(lines)
    assert "What to do. " in text
    assert f"section {code} of docs/verdicts.md" in text
    # No trace of how the page is written.
    assert not {"](", "**", "`", "(rd"} & {
        part for part in ("](", "**", "`", "(rd") if part in text
    }


def test_names_stand_for_codes():
    expected = run("explain", "RD003").stdout
    for typed in ("rd003", "limited-by-noise", "Limited by noise"):
        assert run("explain", typed).stdout == expected


def test_several():
    text = run("explain", "RD001", "well-solved").stdout
    assert text.index("RD001 No signal found") < text.index("RD002 Well solved")


def test_all_are_listed():
    assert run("explain").stdout.splitlines() == [f"{code}  {CODES[code]}" for code in CODES]


def test_unknown_codes_are_answered_with_the_list():
    line = refused("explain", "limited-by-nois")
    assert "Got 'limited-by-nois' instead. Did you mean limited-by-noise?" in line
    assert all(code in line for code in CODES)


def test_nothing_heavy_is_loaded():
    code = (
        "import sys; from reldim.cli import app; app(['explain', 'RD003'], standalone_mode=False);"
        "assert not {'numpy', 'pandas', 'scipy'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
