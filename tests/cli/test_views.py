"""What the terminal shows of values that are made up."""

import io

from reldim.cli import console
from reldim.cli.views import next_view, verdict_view, words_view
from reldim.diagnosis.verdicts import Verdict
from reldim.report.words import IN_SHORT


def printed(view, width=80):
    terminal = console.terminal(color=False)
    terminal.width, terminal.file = width, io.StringIO()
    console.show(terminal, view)
    return terminal.file.getvalue()


def test_a_verdict_shows_code_title_evidence_and_advice():
    verdict = Verdict("RD009", "Noise", "warning", "Much [bold]varies.", "Measure.")
    text = printed(verdict_view(verdict))
    for part in ("RD009", "Noise", "Much [bold]varies.", "Measure."):
        assert part in text


def test_commands_are_not_broken_into_pieces_that_cannot_be_pasted():
    command = "reldim labels " + "long-name-" * 8 + "data.csv --target y"
    text = printed(next_view([("rows whose labels look wrong", command)]), width=60)
    assert "rows whose labels look wrong" in text
    assert command in [line.strip() for line in text.splitlines()]


def test_words_are_explained():
    text = printed(words_view(), 200)
    for term in IN_SHORT:
        assert term.word in text
        assert term.meaning in text
