"""The application: help, errors in one line, and bugs with a traceback."""

import errno
import json
import warnings

import pytest
from typer.main import get_command

import reldim
from commands import refused, run, the_line
from reldim.cli import app
from reldim.exceptions import FileError, MissingDependencyError, ReldimWarning
from reldim.files import reading
from reldim.search.families import FAMILIES

COMMANDS = [[], *([name] for name in get_command(app).commands)]


class TestHelp:
    def test_version(self):
        result = run("--version")
        assert result.exit_code == 0
        assert result.stdout == f"reldim {reldim.__version__}\n"

    def test_no_arguments_show_the_help(self):
        assert run().stdout == run("--help").stdout

    @pytest.mark.parametrize("command", COMMANDS, ids=str)
    def test_every_help_has_an_example(self, command):
        result = run(*command, "--help")
        assert result.exit_code == 0
        assert run(*command, "-h").stdout == result.stdout
        assert "Example" in result.stdout
        assert " ".join(["reldim", *command]) in result.stdout.partition("Example")[2]

    def test_no_sentence_is_cut(self):
        commands = run("--help").stdout.partition("Commands:")[2].partition("Examples:")[0]
        lines = commands.strip().splitlines()
        assert len(lines) == len(COMMANDS) - 1
        assert [line for line in lines if not line.endswith(".") or "..." in line] == []

    def test_names_of_kernels_are_up_to_date(self):
        text = "".join(run("diagnose", "--help").stdout.split())
        assert [name for name in FAMILIES if name not in text] == []


class TestGuesses:
    def test_choice_that_is_nearly_right(self, noisy):
        line = refused("diagnose", noisy, "--target", "y", "--task", "regresion")
        assert "'regresion' is not one of 'auto', 'classification', 'regression'." in line
        assert "Did you mean regression?" in line
        assert "Value error" not in line
        assert "Did you mean" not in refused("diagnose", noisy, "--target", "y", "--task", "xyz")


class TestOtherEnds:
    def test_interrupt(self, noisy, monkeypatch):
        def interrupt(path, target, options):
            raise KeyboardInterrupt

        monkeypatch.setattr(reading, "read_data", interrupt)
        result = run("diagnose", noisy, "--target", "y")
        assert result.exit_code == 130
        assert result.stderr == "reldim: interrupted\n"

    @pytest.mark.parametrize(
        "error, words",
        [
            (MemoryError(), "out of memory. Use fewer rows"),
            (OSError(errno.ENOMEM, "Cannot allocate memory"), "Use fewer rows"),
            (OSError(errno.ENOSPC, "No space left", "a.csv"), "a.csv cannot be written"),
            (RuntimeError("can't start new thread"), "can't start new thread. Use fewer rows"),
            (ImportError("lib.so: failed to map"), "cannot be loaded: lib.so: failed to map."),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
    )
    def test_faults_of_the_machine(self, noisy, monkeypatch, error, words):
        def fail(path, target, options):
            raise error

        monkeypatch.setattr(reading, "read_data", fail)
        result = run("diagnose", noisy, "--target", "y")
        assert result.exit_code == 3
        assert words in the_line(result.stderr)

    def test_faults_of_the_machine_under_a_message_of_ours(self, noisy, monkeypatch):
        def fail(path, target, options):
            raise FileError("a.csv cannot be read.") from MemoryError()

        monkeypatch.setattr(reading, "read_data", fail)
        result = run("diagnose", noisy, "--target", "y")
        assert (result.exit_code, result.stderr) == (3, "reldim: error: a.csv cannot be read.\n")

    def test_a_package_to_install_is_no_fault(self, noisy, monkeypatch):
        def fail(path, target, options):
            raise MissingDependencyError("dask", "This", "dask")

        monkeypatch.setattr(reading, "read_data", fail)
        assert "pip install" in refused("diagnose", noisy, "--target", "y")

    def test_bugs_come_with_a_traceback(self, noisy, monkeypatch):
        def fail(path, target, options):
            raise ZeroDivisionError

        monkeypatch.setattr(reading, "read_data", fail)
        with pytest.raises(ZeroDivisionError):
            run("diagnose", noisy, "--target", "y")

    def test_warning_in_one_line(self, noisy, monkeypatch):
        read = reading.read_data

        def warn(path, target, options):
            warnings.warn("take\ncare", ReldimWarning, stacklevel=1)
            return read(path, target, options)

        monkeypatch.setattr(reading, "read_data", warn)
        command = ["diagnose", noisy, "--target", "y", "--kernel", "linear"]
        result = run(*command, "--json", "-")
        assert result.stderr == "reldim: warning: take care\n"
        assert json.loads(result.stdout)
        assert run(*command, "--quiet").stderr == ""

    def test_standalone_mode_off_returns_the_code(self, noisy):
        assert app(["--version"], standalone_mode=False) is None
        command = ["diagnose", str(noisy), "--target", "z"]
        assert app(command, standalone_mode=False) == 2
