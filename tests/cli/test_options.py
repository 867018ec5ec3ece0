"""The shell completes commands, options and their values."""

import pytest
from typer.testing import CliRunner

from reldim.cli import app
from reldim.diagnosis.verdicts import CODES
from reldim.search.families import FAMILIES, LEARNED


def completed(typed):
    """Return what bash offers for what was typed so far."""
    words = typed.split(" ")
    env = {
        "_RELDIM_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = CliRunner().invoke(app, [], env=env)
    assert done.exit_code == 0, done.output
    return done.stdout.split()


def test_commands():
    assert completed("reldim di") == ["diagnose"]


def test_options():
    assert "--kernel" in completed("reldim diagnose --")
    assert completed("reldim diagnose --fail") == ["--fail-on"]


def test_choices():
    assert completed("reldim diagnose --task c") == ["classification"]


@pytest.mark.parametrize("begin", ["", "la", "weighted"])
def test_families_of_kernels(begin):
    expected = [name for name in (*FAMILIES, LEARNED) if name.startswith(begin)]
    assert completed(f"reldim diagnose --kernel {begin}") == expected


def test_codes():
    assert set(completed("reldim diagnose --fail-on RD")) == set(CODES)


def test_completion_can_be_installed():
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "--install-completion" in shown
    assert "--show-completion" in shown
