"""The page of the theory has a line for every numbered statement of the five documents."""

import re
from pathlib import Path

import pytest

from reldim import theory

PAGE = Path(__file__).parents[2] / "docs" / "theory.md"

#: The numbers that each document prints.
EQUATIONS = {"JMLR 2008": 8, "NIPS 2006": 1, "slides 2007": 0, "ICML 2007": 21, "ICML 2000": 23}
STATEMENTS = {
    "JMLR 2008": {("lemma", 1), ("lemma", 2), ("lemma", 3), ("theorem", 1), ("theorem", 2)},
    "NIPS 2006": {("lemma", 1), ("theorem", 1)},
    "slides 2007": set(),
    "ICML 2007": {("lemma", 1), ("theorem", 1), ("theorem", 2), ("remark", 1)},
    "ICML 2000": set(),
}


def statements():
    """Return the first cells of the table by document, and all second cells."""
    table = PAGE.read_text(encoding="utf-8").partition("## Every statement, and its function")[2]
    document, found, functions = None, {}, []
    lines = r"^\| (?:\*\*(.+?)\*\* )?(.+?) \| (.+?) \|$"
    for title, first, second in re.findall(lines, table, re.MULTILINE):
        document = title or document
        if document is not None:
            found.setdefault(document, []).append(first)
            functions.append(second)
    return found, functions


def numbers(text):
    """Return the numbers of a list such as "11, 12 and 15 to 21"."""
    found = set()
    for low, high in re.findall(r"(\d+)(?: to (\d+))?", text):
        found.update(range(int(low), int(high or low) + 1))
    return found


def numbered(cells, word):
    lists = r"((?:\d+(?: to \d+)?(?:, | and )?)+)"
    return {
        number
        for cell in cells
        for text in re.findall(rf"\b{word}s?\.? {lists}", cell)
        for number in numbers(text)
    }


@pytest.mark.parametrize("document", EQUATIONS)
def test_every_equation_has_a_line(document):
    found = numbered(statements()[0][document], "eq")
    assert found == set(range(1, EQUATIONS[document] + 1))


@pytest.mark.parametrize("document", STATEMENTS)
def test_every_lemma_and_theorem_has_a_line(document):
    cells = statements()[0][document]
    found = {
        (word, number)
        for word in ("lemma", "theorem", "remark")
        for number in numbered(cells, word)
    }
    assert found == STATEMENTS[document]


def test_every_function_exists():
    names = re.findall(r"`~reldim\.theory\.(\w+)`", " ".join(statements()[1]))
    assert len(names) > 20
    assert set(names) <= set(theory.__all__)
