"""What is asked: the shell completes options, and a call takes what was given."""

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

from commands import refused
from reldim import compare, diagnose
from reldim.cli import app
from reldim.cli.outputs import Outputs
from reldim.cli.request import Criterion, Request, Task
from reldim.diagnosis.problem import prepare_problem
from reldim.diagnosis.verdicts import CODES
from reldim.exceptions import InputError
from reldim.files import reading
from reldim.files.options import TableOptions
from reldim.search.families import FAMILIES

READS_ROWS = ["columns", "compare", "diagnose", "forecast", "labels"]

#: A single file is compared with itself under two kernels.
TWO_KERNELS = dict.fromkeys(READS_ROWS, ()) | {
    "compare": ("--kernel", "linear", "--kernel", "matern")
}

# What is refused before the file is read does not get as far as to miss the target.
MISSING = ("--target", "no such column")


def stop(*_):
    raise InputError("stop")


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
    expected = [name for name in FAMILIES if name.startswith(begin)]
    assert completed(f"reldim diagnose --kernel {begin}") == expected


def test_codes():
    assert set(completed("reldim diagnose --fail-on RD")) == set(CODES)


def test_completion_can_be_installed():
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "--install-completion" in shown
    assert "--show-completion" in shown


@pytest.mark.parametrize("command", ["diagnose", "compare", "columns", "labels", "forecast"])
def test_no_cores_at_all(noisy, command):
    line = refused(command, noisy, *MISSING, "--jobs", "0")
    assert "--jobs must not be 0. Give 1 for one core, or -1 for all cores." in line


class TestCallArguments:
    def test_what_was_not_asked_keeps_the_default_of_the_library(self):
        assert Request(file=Path("a.csv")).call_arguments() == {"task": "auto"}

    def test_everything_goes_by_the_names_of_the_library(self):
        asked = Request(
            file=Path("a.csv"),
            task=Task.REGRESSION,
            kernel=("linear", "matern"),
            criterion=Criterion.LEAVE_ONE_OUT,
            scale=False,
            jobs=2,
            seed=0,
        )
        assert asked.call_arguments() == {
            "task": "regression",
            "kernels": ["linear", "matern"],
            "criterion": "leave-one-out",
            "scale": False,
            "n_jobs": 2,
            "random_state": 0,
        }
        for function in (diagnose, compare):
            assert {*asked.call_arguments()} <= {*inspect.signature(function).parameters}
        assert {*asked.about_problem()} < {*inspect.signature(prepare_problem).parameters}

    def test_every_way_to_read_a_table_is_an_option(self):
        assert {part.name for part in fields(TableOptions)} <= {
            part.name for part in fields(Request)
        }
        asked = Request(file=Path("a.csv"), sep="tab", drop=("id",))
        assert asked.reading == TableOptions(sep="tab", drop=("id",))

    @pytest.mark.parametrize("command", READS_ROWS)
    def test_columns_can_be_left_out_everywhere(self, mixed, command):
        line = refused(command, mixed, "--target", "label", "--drop", "tow", *TWO_KERNELS[command])
        assert "--drop 'tow' matches no feature" in line
        assert "Did you mean 'town'?" in line


class TestCommandLine:
    def test_what_was_given_and_nothing_else(self):
        asked = Request(
            file=Path("some folder/a.csv"),
            target="the y",
            columns=("x_*",),
            drop=("id", "note"),
            sep="tab",
            scale=True,
            seed=0,
            jobs=3,
        )
        assert asked.command_line("labels") == (
            "reldim labels a.csv --target 'the y' --columns 'x_*' --drop id --drop note "
            "--sep tab --scale --seed 0"
        )
        assert "'some folder/a.csv'" in asked.command_line("labels", whole_paths=True)

    @pytest.mark.parametrize("command", READS_ROWS)
    def test_can_be_typed(self, noisy, command):
        """What a report shows is understood by the command line, option by option."""
        options = "--target y --columns x --encoding utf-8 --task regression --seed 7"
        kernels = " ".join(TWO_KERNELS[command])
        parsed = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Outputs, "check", lambda _, request: parsed.append(request))
            patch.setattr(reading, "read_data", stop)
            refused(command, noisy, *options.split(), *kernels.split())
        line = parsed[0].command_line(command, whole_paths=True)
        expected = f"reldim {command} {noisy} {options.replace(' --seed 7', '')} {kernels}".strip()
        assert line == f"{expected} --seed 7"
