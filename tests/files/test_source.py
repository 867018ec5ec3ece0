"""One table in many formats, packed and through pipes: the same diagnosis."""

import gzip
import json
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from commands import run
from formats import ENDINGS, PACKINGS, content, zipped
from reldim.cli import app
from reldim.exceptions import FileError
from reldim.files.reading import read_data


def diagnosed(name, data=None):
    """Diagnose a file, or what comes through a pipe; give the figures without the first step."""
    options = ["--target", "kind", "--kernel", "linear", "--json", "-"]
    result = CliRunner().invoke(app, ["diagnose", str(name), *options], input=data)
    assert result.exit_code == 0, result.stderr
    return without_reading(json.loads(result.stdout), name)


def without_reading(figures, name):
    read, *figures["preparation"] = figures["preparation"]
    short = "standard input" if name == "-" else name.name
    assert read.startswith(f"Read 40 rows and 6 columns from {short}")
    return figures


@pytest.fixture(scope="module")
def expected(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "data.csv"
    path.write_bytes(content(table, ".csv"))
    return diagnosed(path)


class TestSameDiagnosis:
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_formats(self, table, expected, write, ending):
        path = write(content(table, ending), f"data{ending}")
        assert diagnosed(path) == expected

    @pytest.mark.parametrize("packing", PACKINGS)
    @pytest.mark.parametrize("inner", [".csv", ".jsonl", ".parquet", ""])
    def test_packed(self, table, write, packing, inner):
        data = content(table, inner or ".csv")
        plain = read_data(write(data, f"plain{inner or '.csv'}"), "kind")
        packed = read_data(write(PACKINGS[packing](data), f"data{inner}{packing}"), "kind")
        pd.testing.assert_frame_equal(packed.X, plain.X)
        assert packed.y.tolist() == plain.y.tolist()

    def test_a_member_of_a_zip_without_a_name(self, table, write):
        # A name ends at its first null character.
        data = zipped(content(table, ".csv"), "no-name").replace(b"no-name", bytes(7))
        path = write(data, "data.csv.zip")
        assert len(read_data(path, table.columns[-1]).y) == len(table)

    def test_a_zip_whose_names_cannot_be_decoded(self, table, write):
        data = bytearray(zipped(content(table, ".csv"), "x\u00e4y.csv"))
        place = bytes(data).index("x\u00e4y".encode())
        data[place + 1] = 0x9F
        with pytest.raises(FileError, match="cannot be unpacked"):
            read_data(write(bytes(data), "data.zip"), table.columns[-1])

    @pytest.mark.parametrize("name", ["data.zip", "data.csv.zip"])
    def test_zip(self, table, expected, write, name):
        path = write(zipped(content(table, ".csv"), "table.csv"), name)
        assert diagnosed(path) == expected

    @pytest.mark.parametrize("ending", [*ENDINGS, *PACKINGS])
    def test_pipes(self, table, expected, ending):
        packed = PACKINGS.get(ending, lambda data: data)
        data = packed(content(table, ".csv" if ending in PACKINGS else ending))
        assert diagnosed("-", data) == expected

    def test_a_pipe_between_processes(self, table, write):
        data = table[["width", "count", "kind"]].to_csv(index=False)
        command = ["--target", "kind", "--kernel", "linear", "--quiet"]
        done = subprocess.run(
            [sys.executable, "-m", "reldim", "diagnose", "-", *command],
            input=gzip.compress(data.encode()), capture_output=True, check=True,
        )  # fmt: skip
        assert done.stdout.decode() == run("diagnose", write(data, "data.csv"), *command).stdout
