"""Where results go: nothing that is read, and nothing unasked, is replaced."""

import numpy as np
import pandas as pd
import pytest

from commands import refused, run
from reporting import HOSTILE, hostile_table, sinc

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
