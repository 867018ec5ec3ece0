"""The command that forecasts."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from reldim import datasets, diagnose
from reldim.cli import app


@pytest.fixture(scope="module")
def data():
    return datasets.bananas(100, random_state=0)


@pytest.fixture
def file(tmp_path, data):
    path = tmp_path / "data.npz"
    np.savez(path, X=data.X, y=data.y)
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, ["forecast", *arguments])


def test_prints_a_line_for_each_number_of_rows(file, data):
    done = run(file, "--no-color")
    forecast = diagnose(data.X, data.y).forecast([100, 200, 400, 1000])
    assert done.exit_code == 0
    for rows, error in zip(forecast.rows, forecast.error, strict=True):
        assert any(
            line.split()[:2] == [str(rows), f"{error:.1%}"] for line in done.stdout.split("\n")
        )
    assert "of labels" in done.stdout
    assert "With the 100 rows at hand" in done.stdout


@pytest.mark.parametrize("width", [40, 50])
def test_bars_end_where_a_narrow_terminal_does(file, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run(file, "--no-color").stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert not [line for line in lines if "…" in line]


def test_answers_how_many_rows_an_error_takes(file, data):
    forecast = diagnose(data.X, data.y).forecast(100)
    middle = float(forecast.floor + (forecast.error[0] - forecast.floor) / 2)
    done = run(file, "--error", str(middle), "--quiet")
    assert done.exit_code == 0
    assert done.stdout.strip() == forecast.explain(middle)
    shown = run(file, "--error", "0", "--no-color")
    assert "not to be expected of these kernels" in " ".join(shown.stdout.split())


def test_quiet_prints_one_line(file):
    done = run(file, "--to", "500", "-q")
    assert done.exit_code == 0
    assert done.stdout.strip().endswith("with 500 rows")
    assert len(done.stdout.splitlines()) == 1


def test_json_to_standard_output(file, data):
    done = run(file, "--to", "300", "--to", "900", "--error", "0.5", "--json", "-")
    figures = json.loads(done.stdout)
    assert figures["rows"] == [100, 300, 900]
    assert figures["rows_needed"] == 100
    assert figures["target_error"] == 0.5
    expected = diagnose(data.X, data.y).forecast([100, 300, 900])
    np.testing.assert_allclose(figures["error"], expected.error)


def test_json_to_a_file_that_is_not_replaced_unasked(file, tmp_path):
    out = tmp_path / "out.json"
    assert run(file, "--quiet", "--json", str(out)).exit_code == 0
    assert "rows_needed" not in json.loads(out.read_text())
    refused = run(file, "--json", str(out))
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr
    assert run(file, "--quiet", "--json", str(out), "--force").exit_code == 0


def test_numbers_and_no_signal(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.npz"
    np.savez(path, X=rng.normal(size=(60, 2)), y=rng.normal(size=60))
    done = run(str(path), "--no-color")
    assert done.exit_code == 0
    assert "of variance" in done.stdout
    assert "a constant prediction is all there is" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "options, said",
    [
        (["--to", "50"], "begins with the 100 rows at hand"),
        (["--to", "5000"], "up to ten times as many, 1000"),
        (["--to", "many"], "--to"),
        (["--to", "0"], "--to"),
        (["--error", "-1"], "--error"),
        (["--error", "nan"], "--error|target error"),
    ],
)
def test_bad_questions_end_with_one_line(file, options, said):
    done = run(file, *options)
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert any(part in done.stderr for part in said.split("|"))
