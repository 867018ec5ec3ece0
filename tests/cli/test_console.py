"""The terminal: progress, warnings and figures."""

import warnings

import pytest
from rich.console import Console
from rich.progress import Progress

from reldim.cli import console
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
        progress("read", 0, 0)
        progress("kernels", 1, 20)
        progress("kernels", 20, 25)
        progress("another stage", 1, 2)
    captured = capsys.readouterr()
    assert "Trying kernels" in captured.err
    assert "another stage" in captured.err
    assert captured.out == ""


class TestStages:
    @pytest.fixture
    def bar(self):
        return Progress(auto_refresh=False, console=Console(quiet=True))

    @pytest.fixture
    def clock(self, monkeypatch):
        """Set a clock that stands still until it is told otherwise."""
        time = [100.0]
        monkeypatch.setattr(console, "monotonic", lambda: time[0])
        return time

    @staticmethod
    def shown(bar):
        return [
            (task.description, task.fields["count"], task.fields["left"])
            for task in bar.tasks
            if task.visible
        ]

    def test_time_left_counts_from_the_beginning_of_the_stage(self, bar, clock):
        progress = console._Stages(bar)
        progress("read", 0, 0)
        clock[0] += 50
        progress("kernels", 0, 0)
        assert self.shown(bar) == [("Trying kernels", "", "")]
        clock[0] += 10
        progress("kernels", 1, 5)
        assert self.shown(bar) == [("Trying kernels", "1/5", "about 40 s left")]
        clock[0] += 30
        progress("kernels", 4, 5)
        assert self.shown(bar) == [("Trying kernels", "4/5", "about 10 s left")]

    def test_stage_that_begins_anew_counts_anew(self, bar, clock):
        progress = console._Stages(bar)
        clock[0] += 4
        progress("landmarks", 1, 2)
        assert self.shown(bar)[0][2] == "about 4 s left"
        progress("landmarks", 2, 2)
        assert self.shown(bar)[0][2] == ""
        clock[0] += 20
        progress("landmarks", 1, 2)
        assert self.shown(bar)[0][2] == "about 20 s left"

    def test_stage_within_another_does_not_hide_it(self, bar, clock):
        progress = console._Stages(bar)
        progress("kernels", 0, 0)
        progress("landmarks", 1, 2)
        assert [name for name, _, _ in self.shown(bar)] == ["Trying kernels", "Choosing landmarks"]

    def test_second_look_has_a_name(self, bar, clock):
        progress = console._Stages(bar)
        progress("kernels", 20, 20)
        assert self.shown(bar)[0][0] == "Trying kernels"
        progress("kernels", 20, 20)
        assert self.shown(bar)[0][0] == "Looking closer at the best"


@pytest.mark.parametrize(
    "elapsed, done, total, said",
    [
        (10.0, 0, 20, ""),
        (10.0, 20, 20, ""),
        (0.0, 1, 20, "about 1 s left"),
        (59.0, 1, 2, "about 59 s left"),
        (60.0, 1, 2, "about 1 min left"),
        (3599.0, 1, 2, "about 1 h 0 min left"),
        (7500.0, 1, 2, "about 2 h 5 min left"),
    ],
)
def test_time_left(elapsed, done, total, said):
    assert console.time_left(elapsed, done, total) == said
