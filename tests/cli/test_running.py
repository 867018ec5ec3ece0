"""From a file to a diagnosis: each step once."""

import numpy as np
import pytest

from commands import run
from reldim.diagnosis import diagnosis


@pytest.fixture
def conclusions(monkeypatch):
    """The conclusions that are drawn, one entry per diagnosis."""
    drawn = []

    def counted(problem, *arguments, **options):
        drawn.append(problem)
        return conclude(problem, *arguments, **options)

    conclude = diagnosis.conclude
    monkeypatch.setattr(diagnosis, "conclude", counted)
    return drawn


@pytest.fixture
def table(tmp_path):
    x = np.random.default_rng(0).normal(size=40)
    rows = [f"{value:.6f},{'high' if value > 0 else 'low'}" for value in x]
    (tmp_path / "table.csv").write_text("\n".join(["x,label", *rows]) + "\n", encoding="utf-8")
    return tmp_path / "table.csv"


def test_diagnose_concludes_once(conclusions, table, tmp_path):
    files = ("--json", tmp_path / "out.json", "--report", tmp_path / "out.html")
    assert run("diagnose", table, "--target", "label", *files).exit_code == 0
    (problem,) = conclusions
    assert problem.table is not None, "findings name the columns of the prepared table"


def test_compare_concludes_once_per_representation(conclusions, table):
    arguments = ("--target", "label", "--kernel", "gaussian", "--kernel", "linear")
    assert run("compare", table, *arguments).exit_code == 0
    assert len(conclusions) == 2


@pytest.mark.parametrize("command", ["labels", "forecast", "columns"])
def test_other_commands_conclude_once(command, conclusions, table):
    run(command, table, "--target", "label")
    assert len(conclusions) == 1
