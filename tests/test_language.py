"""Plain English: phrases that read as translated stay out of code, messages and pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in (ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
]
SOURCES = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".j2", ".md"})

#: What is counted, and what it is counted by.
THINGS = (
    "row|dot|line|number|column|sentence|point|bar|test|word|value|figure|panel|decomposition|"
    "formula|table|file|kernel|letter|character|axes|histogram"
)
UNITS = (
    "row|kernel|target|class|dimension|column|cell|panel|point|sequence|step|worker|block|landmark|"
    "file|fold|component|family|page|pair|permutation|draw|core|representation|candidate|stage|"
    "eigenfunction|eigenvector|eigenpair|chunk|number|second|size"
)

PATTERNS = {
    "one row per kernel": rf"\b(?:a|an|one|two) (?:{THINGS}) an? (?:{UNITS})\b",
    "one per row": rf"\bone an? (?:{UNITS})\b",
    "rows per dimension": (
        r"\b(?:rows|bytes|seconds|operations|µs|cores|evidence) "
        r"a (?:dimension|row|kernel|class|cell|block|worker|chunk|relevant|second)\b"
    ),
    "a 90 % interval": r"\bnine (?:cases|times) (?:of|in|out of) ten\b|\bas likely as not\b",
    "code is not a person": r"\b(?:nobody|somebody|anybody|everybody|whoever)\b|\bvouch",
    "missing values": (
        r"\b(?:dates|text|categories|numbers)(?: and|, and| or|, or) gaps\b"
        r"|\bfill(?:ed|ing)?(?: the| of|s)? gaps?\b|\bgaps? in \w+ with\b"
    ),
    "characters": r"\b(?:at most|more than) (?:\d+|a thousand|a million) letters\b",
}


def prose(path: Path) -> str:
    """Return a file with the line breaks of its sentences taken out, quotes and marks as well."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r'["\']?\n\s*(?:#:?|f?["\'])?\s*', " ", text)


def found(text: str) -> list[str]:
    return [
        f"{match[0]!r}: say {better!r}"
        for better, pattern in PATTERNS.items()
        for match in re.finditer(pattern, text, flags=re.IGNORECASE)
    ]


@pytest.mark.parametrize("path", [*PAGES, *SOURCES], ids=lambda path: str(path.relative_to(ROOT)))
def test_says_it_plainly(path):
    assert found(prose(path)) == []


@pytest.mark.parametrize(
    "text",
    [
        "a data frame, a row a kernel",
        "That leaves 4.0 rows a dimension.",
        "Points, one a row.",
        "values that hold the truth in nine cases of ten",
        "what nobody asks for",
        "Copies vouch for each other.",
        "Columns with categories, dates and gaps",
        "Filled gaps in age",
        "texts of more than a thousand letters",
    ],
)
def test_finds_what_it_looks_for(text):
    assert found(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "one row per kernel",
        "how many rows a target takes",
        "a column of 0 and 1 each",
        "the gaps between eigenvalues",
        "the letters of the papers",
        "clouds at opposite corners share a class",
    ],
)
def test_leaves_good_english_alone(text):
    assert found(text) == []
