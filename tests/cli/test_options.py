"""Options: the shell completes them, and no output takes the place of what is read."""

import numpy as np
import pytest
from typer.testing import CliRunner

from commands import refused, run
from reldim.cli import app
from reldim.diagnosis.verdicts import CODES
from reldim.search.families import FAMILIES


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


OUTPUTS = [
    ("diagnose", "--json"),
    ("compare", "--json"),
    ("columns", "--csv"),
    ("columns", "--json"),
    ("labels", "--output"),
    ("labels", "-o"),
    ("labels", "--json"),
    ("forecast", "--json"),
]
PAIRS = [
    ("diagnose", "--json", "--report"),
    ("compare", "--json", "--report"),
    ("columns", "--csv", "--json"),
    ("columns", "--csv", "--report"),
    ("columns", "--json", "--report"),
    ("labels", "--output", "--json"),
    ("labels", "--output", "--report"),
    ("labels", "--json", "--report"),
    ("forecast", "--json", "--report"),
]
# What is refused before the file is read does not get as far as to miss the target.
MISSING = ("--target", "no such column")


class TestWhatIsRead:
    @pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
    @pytest.mark.parametrize("command, option", OUTPUTS)
    def test_is_never_replaced(self, noisy, command, option, force):
        before = noisy.read_bytes()
        line = refused(command, noisy, *MISSING, option, noisy, *force)
        assert f"{noisy} would overwrite {noisy}, which is read. Choose another name." in line
        assert noisy.read_bytes() == before

    def test_is_known_under_another_spelling(self, noisy, monkeypatch):
        monkeypatch.chdir(noisy.parent)
        line = refused(
            "columns", "noisy.csv", *MISSING, "--csv", f"../{noisy.parent.name}/noisy.csv"
        )
        assert "would overwrite noisy.csv, which is read" in line
        (noisy.parent / "link.csv").symlink_to(noisy)
        line = refused("columns", "./noisy.csv", *MISSING, "--csv", "link.csv", "--force")
        assert "--csv link.csv would overwrite noisy.csv" in line

    def test_a_report_as_well(self, noisy):
        page = noisy.rename(noisy.with_suffix(".html"))
        line = refused("diagnose", page, *MISSING, "--report", page, "--force")
        assert f"--report {page} would overwrite" in line

    def test_the_second_file_of_a_comparison(self, noisy, mixed):
        line = refused("compare", noisy, mixed, *MISSING, "--json", mixed, "--force")
        assert f"would overwrite {mixed}" in line

    @pytest.mark.parametrize("name", ["y.npy", "y.csv"])
    def test_a_target_in_a_file_of_its_own(self, noisy, tmp_path, name):
        target = tmp_path / name
        target.write_text("precious")
        line = refused("diagnose", noisy, "--target", target, "--json", target, "--force")
        assert f"would overwrite {target}" in line

    def test_the_files_of_a_folder(self, tmp_path):
        part = tmp_path / "0.npy"
        np.save(part, np.eye(3))
        line = refused("diagnose", tmp_path, "--target", "0", "--json", part, "--force")
        assert f"would overwrite {part}" in line

    def test_a_file_with_the_name_of_the_target_column_is_another(self, noisy, monkeypatch):
        monkeypatch.chdir(noisy.parent)
        (noisy.parent / "y").write_text("old")
        command = ["forecast", "noisy.csv", "--target", "y", "--json", "y", "--force"]
        assert run(*command, "--kernel", "linear").exit_code == 0
        assert (noisy.parent / "y").read_text().startswith("{")

    def test_a_file_that_is_not_there_is_said_to_be_missing(self, tmp_path):
        file = tmp_path / "a.csv"
        assert "does not exist" in refused("diagnose", file, "--target", "y", "--json", file)


class TestTwoOutputs:
    @pytest.mark.parametrize("command, first, second", PAIRS)
    def test_of_one_name(self, noisy, monkeypatch, command, first, second):
        monkeypatch.chdir(noisy.parent)
        out = [first, "out.html", second, "./out.html"]
        line = refused(command, noisy, *MISSING, *out, "--force")
        assert f"{first} and {second} need a file each. Got ./out.html for both" in line
        assert not (noisy.parent / "out.html").exists()

    def test_of_one_file_that_is_there(self, noisy, tmp_path):
        (tmp_path / "a.html").write_text("old")
        (tmp_path / "b.html").symlink_to(tmp_path / "a.html")
        out = ["--json", tmp_path / "a.html", "--report", tmp_path / "b.html", "--force"]
        assert "need a file each" in refused("diagnose", noisy, *MISSING, *out)

    @pytest.mark.parametrize("command, first", [("columns", "--csv"), ("labels", "--output")])
    def test_on_standard_output(self, noisy, command, first):
        line = refused(command, noisy, *MISSING, first, "-", "--json", "-")
        assert f"{first} and --json cannot both go to standard output. Name a file." in line

    def test_devices_take_anything(self, noisy):
        out = ["--json", "/dev/null", "--report", "/dev/null", "--force"]
        assert run("diagnose", noisy, "--target", "y", "--kernel", "linear", *out).exit_code == 0


@pytest.mark.parametrize("command", ["diagnose", "compare", "columns", "labels", "forecast"])
def test_no_cores_at_all(noisy, command):
    line = refused(command, noisy, *MISSING, "--jobs", "0")
    assert "--jobs must not be 0. Give 1 for one core, or -1 for all cores." in line
