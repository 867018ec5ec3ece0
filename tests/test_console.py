"""The terminal: progress, warnings and figures."""

import warnings

import pytest

from reldim import console
from reldim.exceptions import ReldimWarning


def test_warning_that_the_output_holds_is_not_repeated(capsys):
    with console.collected_warnings() as caught:
        warnings.warn("said", ReldimWarning, stacklevel=1)
        warnings.warn("not said", ReldimWarning, stacklevel=1)
    console.show_warnings(caught, known=["said"])
    assert capsys.readouterr().err == "reldim: warning: not said\n"


def test_warning_of_others_is_passed_on():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("theirs", RuntimeWarning, stacklevel=1)
    with pytest.warns(RuntimeWarning, match="theirs"):
        console.show_warnings(caught, known=[])


def test_progress_only_on_a_terminal():
    with console.progress_bar(wanted=True) as progress:
        assert progress is None


def test_progress_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with console.progress_bar(wanted=False) as progress:
        assert progress is None
    with console.progress_bar(wanted=True) as progress:
        progress("kernels", 1, 20)
        progress("kernels", 20, 25)
    captured = capsys.readouterr()
    assert "kernels" in captured.err
    assert captured.out == ""


def test_huge_errors_are_only_called_large():
    assert console._percent(2976430.0) == "over 1000%"
    assert console._percent(0.1234) == "12.3%"
