"""Reports from the command line: written where asked for, and nothing replaced unasked."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from reldim.cli import app
from reporting import HOSTILE, hostile_table, sinc


def run(*arguments):
    """Run a command; a bug would come out as its own exception."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def table(tmp_path):
    frame, y = hostile_table()
    path = tmp_path / "my table.csv"
    frame.assign(label=y).to_csv(path, index=False)
    return path


@pytest.fixture
def numbers(tmp_path):
    data = sinc(40)
    path = tmp_path / "numbers.csv"
    pd.DataFrame({"x": data.X[:, 0], "y": data.y}).to_csv(path, index=False)
    return path


class TestDiagnose:
    def test_writes_a_page_and_says_so(self, table, tmp_path):
        report = tmp_path / "report.html"
        result = run(
            "diagnose", table, "--target", "label", "--kernel", "linear", "--report", report
        )
        assert result.exit_code == 0
        assert result.stderr == f"reldim: wrote {report}\n"
        page = report.read_text(encoding="utf-8")
        assert "my table.csv" in page
        assert "reldim diagnose &#39;my table.csv&#39; --target label --kernel linear" in page
        assert str(tmp_path) not in page
        assert HOSTILE not in page

    def test_options_are_repeated(self, numbers, tmp_path):
        report = tmp_path / "report.html"
        options = "--target y --task regression --criterion leave-one-out --no-scale --seed 7"
        result = run("diagnose", numbers, *options.split(), "--quiet", "--report", report)
        assert result.stderr == ""
        assert f"reldim diagnose numbers.csv {options}" in report.read_text(encoding="utf-8")
        run("diagnose", numbers, "--target", "y", "--scale", "--report", report, "--force")
        assert "numbers.csv --target y --scale" in report.read_text(encoding="utf-8")

    def test_is_refused_before_any_work(self, numbers, tmp_path):
        report = tmp_path / "report.html"
        report.write_text("mine")
        result = run("diagnose", numbers, "--target", "no such column", "--report", report)
        assert result.exit_code == 2
        assert "exists already" in result.stderr
        assert report.read_text() == "mine"

    def test_does_not_go_to_standard_output(self, numbers):
        result = run("diagnose", numbers, "--target", "y", "--report", "-")
        assert result.exit_code == 2
        assert "--report needs the name of a file" in result.stderr


class TestDemo:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def test_writes_a_page_once(self, tmp_path):
        first = run("demo")
        assert "report.html" in first.stdout
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "reldim demo" in page
        (tmp_path / "report.html").write_text("mine")
        second = run("demo")
        assert second.exit_code == 0
        assert "report.html exists already and was left alone" in second.stdout
        assert (tmp_path / "report.html").read_text() == "mine"
        run("demo", "--force")
        assert (tmp_path / "report.html").read_text(encoding="utf-8") == page

    def test_writes_where_asked_for(self, tmp_path):
        assert run("demo", "--report", "other.html").exit_code == 0
        assert (tmp_path / "other.html").exists()
        assert not (tmp_path / "report.html").exists()
        again = run("demo", "--report", "other.html")
        assert again.exit_code == 2
        assert again.stdout == ""

    def test_does_not_fail_where_nothing_can_be_written(self, monkeypatch):
        from reldim.exceptions import FileError
        from reldim.files import writing

        def refuse(*_, **__):
            raise FileError("report.html cannot be written: Read-only file system.")

        monkeypatch.setattr(writing, "write_text", refuse)
        result = run("demo")
        assert result.exit_code == 0
        assert "No report was written. report.html cannot be written" in result.stdout
        assert run("demo", "--report", "other.html").exit_code == 2


class TestCompare:
    def test_writes_a_page_and_says_so(self, numbers, tmp_path):
        report = tmp_path / "report.html"
        options = ["--target", "y", "--kernel", "gaussian", "--kernel", "linear"]
        result = run("compare", numbers, *options, "--by", "evidence", "--report", report)
        assert result.exit_code == 0
        assert result.stderr == f"reldim: wrote {report}\n"
        page = report.read_text(encoding="utf-8")
        command = f"reldim compare numbers.csv {' '.join(options)} --by evidence"
        assert command in page
        assert run("compare", numbers, *options, "--report", report).exit_code == 2


class TestOtherCommands:
    """columns, labels and forecast write pages as diagnose does."""

    @pytest.mark.parametrize(
        "command, options, part",
        [
            ("labels", ["--false-discovery-rate", "0.2"], 'id="rows"'),
            ("forecast", ["--to", "60", "--error", "0.05"], 'id="forecast-curve"'),
        ],
        ids=["labels", "forecast"],
    )
    def test_writes_a_page_and_says_so(self, numbers, tmp_path, command, options, part):
        report = tmp_path / "report.html"
        flags = ["--target", "y", "--kernel", "gaussian", *options]
        result = run(command, numbers, *flags, "--report", report)
        assert result.exit_code == 0
        assert result.stderr.endswith(f"reldim: wrote {report}\n")
        page = report.read_text(encoding="utf-8")
        assert part in page
        # Nothing is to be done about rows of which none looks wrong.
        assert ("What to do." in page) == (command == "labels" and "None of" not in page)
        assert f"reldim {command} numbers.csv {' '.join(flags)}" in page
        assert str(tmp_path) not in page

    @pytest.mark.parametrize("command", ["columns", "labels", "forecast"])
    def test_other_formats_are_refused_before_any_work(self, numbers, tmp_path, command):
        result = run(command, numbers, "--target", "y", "--report", tmp_path / "report.pdf")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "--report writes a page in HTML" in result.stderr
        assert not (tmp_path / "report.pdf").exists()

    def test_rows_of_hostile_tables_are_shown_as_text(self, table, tmp_path):
        report = tmp_path / "report.html"
        flags = ["--target", "label", "--kernel", "gaussian", "--quiet"]
        result = run("labels", table, *flags, "--report", report)
        assert result.exit_code == 0
        assert result.stderr == ""
        assert HOSTILE not in report.read_text(encoding="utf-8")
