"""What is asked: the shell completes options, and a call takes what was given."""

import inspect
import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from commands import refused, run
from reldim import compare, diagnose
from reldim.cli import app
from reldim.cli.outputs import Outputs
from reldim.cli.request import Criterion, Request, Task
from reldim.diagnosis import diagnosis, problem
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
            groups="patient",
            order="day",
            category=("zip", "ward"),
            jobs=2,
            seed=0,
        )
        assert asked.call_arguments() == {
            "task": "regression",
            "kernels": ["linear", "matern"],
            "criterion": "leave-one-out",
            "scale": False,
            "groups": "patient",
            "order": "day",
            "roles": {"zip": "category", "ward": "category"},
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


class TestRowsThatDepend:
    @pytest.fixture
    def visits(self, tmp_path):
        """Visits of patients, whose number tells the label and no new patient's."""
        rng = np.random.default_rng(0)
        patient = np.repeat(np.arange(24), 4)
        frame = pd.DataFrame(rng.normal(size=(96, 2)), columns=["a", "b"])
        frame = frame.assign(patient=patient, day=np.arange(96), ward=rng.integers(1, 4, 96))
        frame["label"] = np.where(rng.random(24) < 0.5, "yes", "no")[patient]
        path = tmp_path / "visits.csv"
        frame.to_csv(path, index=False)
        return path

    @pytest.mark.parametrize("command", READS_ROWS)
    def test_groups_order_and_categories_reach_the_problem(self, visits, command, monkeypatch):
        seen = {}

        def prepare(*_, **given):
            seen.update(given)
            stop()

        monkeypatch.setattr(diagnosis, "prepare_problem", prepare)
        monkeypatch.setattr(problem, "prepare_problem", prepare)
        options = "--target label --groups patient --order day --category ward"
        line = refused(command, visits, *options.split(), *TWO_KERNELS[command])
        assert "stop" in line
        assert (seen["groups"], seen["order"]) == ("patient", "day")
        assert seen["roles"] == {"ward": "category"}

    def test_the_diagnosis_is_that_of_new_units(self, visits):
        options = ("--target", "label", "--groups", "patient", "--category", "ward")
        done = run("diagnose", visits, *options, "--json", "-", "--quiet")
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert found["preparation"][1:3] == [
            "patient: kept apart, it names the unit of each row.",
            "Encoded ward by its 3 most frequent values, a column of 0 and 1 each.",
        ]
        assert found["verdict"]["code"] == "RD001"

    def test_a_column_that_there_is_not(self, visits):
        line = refused("diagnose", visits, "--target", "label", "--groups", "patent")
        assert "patent" in line
        assert "patient" in line


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
