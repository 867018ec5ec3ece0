"""The same table in every format and through a pipe: the same diagnosis."""

import gzip
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reldim.cli import app

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "x": RNG.normal(size=60).round(3),
        "count": RNG.integers(0, 9, size=60),
        "kind": np.array(["ash", "elm"])[RNG.integers(0, 2, size=60)],
    }
)
TABLE["y"] = (np.sin(TABLE["x"]) + 0.2 * TABLE["count"] + 0.1 * RNG.normal(size=60)).round(3)


def diagnosis(arguments, folder, **settings):
    path = folder / "found.json"
    common = ["--target", "y", "--kernel", "linear", "--json", str(path), "--force", "--quiet"]
    done = CliRunner().invoke(app, ["diagnose", *map(str, arguments), *common], **settings)
    assert done.exit_code == 0, done.output
    found = json.loads(path.read_text(encoding="utf-8"))
    # How the file was read, and which command repeats it, is what may differ.
    return {k: v for k, v in found.items() if k not in {"preparation", "settings"}}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("csv")
    TABLE.to_csv(folder / "table.csv", index=False)
    return diagnosis([folder / "table.csv"], folder)


def as_gz(folder):
    with gzip.open(folder / "t.csv.gz", "wt", encoding="utf-8") as file:
        TABLE.to_csv(file, index=False)
    return [folder / "t.csv.gz"]


def as_xlsx(folder):
    pytest.importorskip("openpyxl")
    TABLE.to_excel(folder / "t.xlsx", index=False)
    return [folder / "t.xlsx"]


def as_jsonl(folder):
    TABLE.to_json(folder / "t.jsonl", orient="records", lines=True)
    return [folder / "t.jsonl"]


def as_feather(folder):
    pytest.importorskip("pyarrow")
    TABLE.to_feather(folder / "t.feather")
    return [folder / "t.feather"]


def as_parquet(folder):
    pytest.importorskip("pyarrow")
    TABLE.to_parquet(folder / "t.parquet")
    return [folder / "t.parquet"]


def as_sqlite(folder):
    connection = sqlite3.connect(folder / "t.db")
    TABLE.to_sql("trees", connection, index=False)
    connection.close()
    return [folder / "t.db", "--table", "trees"]


def as_german_text(folder):
    TABLE.to_csv(folder / "t.txt", index=False, sep=";", decimal=",")
    return [folder / "t.txt"]


WAYS = [as_gz, as_xlsx, as_jsonl, as_feather, as_parquet, as_sqlite, as_german_text]


@pytest.mark.parametrize("write", WAYS, ids=lambda way: way.__name__.removeprefix("as_"))
def test_same_diagnosis(write, expected, tmp_path):
    assert diagnosis(write(tmp_path), tmp_path) == expected


def test_same_diagnosis_through_a_pipe(expected, tmp_path):
    assert diagnosis(["-"], tmp_path, input=TABLE.to_csv(index=False)) == expected
