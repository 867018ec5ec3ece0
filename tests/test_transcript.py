"""The page of a messy file: its commands print what it shows, all figures aside."""

import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def without_figures(text):
    """Leave of a text what does not depend on round-off: words, and no line breaks."""
    kernels = re.sub(r"\b[A-Z][A-Za-z]+\([a-z_]+=[^)]*\)", "KERNEL", text)
    return re.sub(r"\s+|█+", " ", re.sub(r"[<\d][\d.,e-]*", "0", kernels)).split()


@pytest.fixture(scope="module")
def shown():
    return (DOCS / "messy-file.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def printed(shown):
    return runpy.run_path(str(DOCS / "transcript.py"))["page"](shown)


def test_page_shows_what_is_printed(shown, printed):
    assert without_figures(shown) == without_figures(printed), "run: python docs/transcript.py"


def test_a_newcomer_comes_to_a_decision(printed):
    text = " ".join(printed.split())
    for step in (
        "separated by ';', with decimal commas and points between thousands",
        "Read as Latin-1",
        "Left out Kundennr",
        "Took dates apart into seconds, the time of the year, the weekday and the time of the day",
        "Filled 12 missing values in Warenkorb",
        "The column Rechnung brutto alone tells the target almost without mistakes",
    ):
        assert step in text
    first, second = (part.split("$ reldim", 1)[0] for part in printed.split("$ reldim diag")[1:3])
    assert "RD002" in first
    assert "RD016" in first
    assert "RD003" in second
    assert "RD016" not in second
    shares = re.findall(r"(\w+) (\d+)%", second.split("columns that matter")[1].split("\n\n")[0])
    assert {name for name, _ in shares[:3]} == {"Warenkorb", "Stadt", "Besuche"}
