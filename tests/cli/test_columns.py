"""The command that tells which columns matter: its table, CSV and JSON, and how it ends."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import reldim
from commands import refused, run


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Two columns that matter and two that do not, as CSV."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 4)), columns=["slope", "wave", "junk", "[noise]"])
    frame["y"] = frame["slope"] + np.sin(2 * frame["wave"]) + 0.2 * rng.normal(size=120)
    path = tmp_path_factory.mktemp("columns") / "table.csv"
    frame.to_csv(path, index=False)
    return path


class TestTable:
    def test_columns_by_share(self, table):
        result = run("columns", table, "--target", "y")
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        assert "not needed as far as these rows tell" in lines[0]
        assert {"junk", "[noise]"} == {*lines[0].partition(" are")[0].split(", ")}
        names = [line.split()[0] for line in lines if "█" in line]
        assert {*names[:2]} == {"slope", "wave"}
        assert "90% interval" in result.stdout
        assert "<0.001" in result.stdout

    @pytest.mark.parametrize("width", [40, 60])
    def test_narrow_terminals_keep_names_shares_and_errors(self, table, width, monkeypatch):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("columns", table, "--target", "y").stdout.splitlines()
        assert max(len(line) for line in lines) <= width
        row = next(line for line in lines if line.split()[:1] == ["slope"])
        assert row.count("%") >= 2

    def test_report(self, table, tmp_path):
        report = tmp_path / "report.html"
        result = run("columns", table, "--target", "y", "--quiet", "--report", report)
        assert (result.exit_code, result.stderr) == (0, "")
        page = report.read_text(encoding="utf-8")
        assert "2 of 4 columns matter</h1>" in page
        assert "reldim columns table.csv --target y" in page
        assert 'id="effect-1"' in page
        assert 'id="kernel-view"' not in page
        assert str(tmp_path) not in page

    def test_quiet(self, table):
        result = run("columns", table, "--target", "y", "--quiet")
        assert sorted(result.stdout.split()) == ["slope", "wave"]
        assert result.stderr == ""

    def test_no_signal(self, tmp_path):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcy"))
        frame.to_csv(tmp_path / "noise.csv", index=False)
        report = tmp_path / "report.html"
        result = run("columns", tmp_path / "noise.csv", "--target", "y", "--report", report)
        assert result.exit_code == 0
        assert result.stdout.startswith("No column carries signal")
        assert "No column carries signal</h1>" in report.read_text(encoding="utf-8")
        found = run("columns", tmp_path / "noise.csv", "--target", "y", "--json", "-", "-q")
        assert json.loads(found.stdout)["columns"] == []


class TestMachines:
    def test_csv(self, table):
        result = run("columns", table, "--target", "y", "--csv", "-")
        found = pd.read_csv(io.StringIO(result.stdout))
        assert found.columns.tolist() == [
            "column", "share", "low", "high", "error_without", "p_value", "droppable",
        ]  # fmt: skip
        assert {*found["column"][~found["droppable"]]} == {"slope", "wave"}
        assert found["share"].sum() == pytest.approx(1.0, abs=1e-4)
        assert "not needed as far as these rows tell" in result.stderr

    def test_no_spreadsheet_runs_the_name_of_a_column(self, table, tmp_path):
        path = tmp_path / "formulas.csv"
        pd.read_csv(table).rename(columns={"slope": "=1+1", "wave": "-5"}).to_csv(path, index=False)
        result = run("columns", path, "--target", "y", "--csv", "-", "--quiet")
        names = pd.read_csv(io.StringIO(result.stdout))["column"].tolist()
        assert {*names[:2]} == {"'=1+1", "-5"}

    def test_files_beside_the_table(self, table, tmp_path):
        paths = tmp_path / "c.csv", tmp_path / "c.json"
        arguments = ["columns", table, "--target", "y", "--csv", paths[0], "--json", paths[1]]
        assert "are not needed as far" in run(*arguments).stdout
        found = json.loads(paths[1].read_text())
        assert found["schema"] == "reldim.columns/1"
        assert found["version"] == reldim.__version__
        assert (found["rows"], found["task"], found["note"]) == (120, "regression", "")
        assert {*found["droppable"]["names"]} == {"junk", "[noise]"}
        names = [column["name"] for column in found["columns"]]
        assert names == pd.read_csv(paths[0])["column"].tolist()
        assert "exists already" in refused(*arguments)
        assert run(*arguments, "--force").exit_code == 0


class TestBadInput:
    def test_one_column(self, table):
        line = refused("columns", table, "--target", "y", "--columns", "slope", "--quiet")
        assert "single column" in line

    def test_sequences(self, tmp_path):
        rng = np.random.default_rng(0)
        rows = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(30)]
        frame = pd.DataFrame({"dna": rows, "label": np.arange(30) % 2})
        frame.to_csv(tmp_path / "dna.csv", index=False)
        line = refused("columns", tmp_path / "dna.csv", "--target", "label", "--quiet")
        assert "Kernels of sequences" in line

    def test_few_rows(self, table, tmp_path):
        pd.read_csv(table).head(12).to_csv(tmp_path / "few.csv", index=False)
        assert "Too few rows" in refused("columns", tmp_path / "few.csv", "--target", "y", "-q")

    def test_folder(self, tmp_path):
        assert "Got the folder" in refused("columns", tmp_path, "--target", "y")

    def test_two_outputs_on_one_stream(self, table):
        line = refused("columns", table, "--target", "y", "--csv", "-", "--json", "-")
        assert "cannot both" in line

    def test_help_has_an_example(self):
        assert "reldim columns data.csv" in run("columns", "--help").stdout.partition("Examples")[2]
