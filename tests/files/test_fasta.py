"""FASTA files: sequences, and targets from headers or other files."""

import numpy as np
import pytest
from typer.testing import CliRunner

from reldim.cli import app
from reldim.exceptions import FileError
from reldim.files.fasta import read_fasta
from reldim.files.reading import read_data
from reldim.files.source import open_source

TEXT = """; made for tests
>s1 label=donor 3
ACGTacgt
TT

>s2|label=none|5
acgt acgt
GG
>s3 strand=+ label=donor 4.5
TTTTTTTTTT
"""


@pytest.fixture
def sites(tmp_path):
    path = tmp_path / "sites.fasta"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_sequences(sites):
    found = read_fasta(open_source(sites))
    assert found.rows == ["ACGTACGTTT", "ACGTACGTGG", "TTTTTTTTTT"]
    assert found.names == ["s1", "s2", "s3"]
    assert found.steps == ("Read 3 sequences from sites.fasta.", "Made small letters capitals.")


@pytest.mark.parametrize(
    "target, expected",
    [
        ("label", ["donor", "none", "donor"]),
        ("-1", [3.0, 5.0, 4.5]),
        ("0", ["s1", "s2", "s3"]),
    ],
)
def test_target_from_the_headers(sites, target, expected):
    data = read_data(sites, target)
    assert data.kind == "sequences"
    assert data.y.tolist() == expected


def test_rows_whose_header_has_no_target_are_left_out(sites):
    sites.write_text(TEXT + ">s4\nAAAAAAAAAA\n", encoding="utf-8")
    data = read_data(sites, "label")
    assert data.y.tolist() == ["donor", "none", "donor"]
    assert data.rows.tolist() == [0, 1, 2]
    assert data.steps[-1] == "Left out 1 of 4 rows, which has no target."


@pytest.mark.parametrize(
    "table",
    [
        "name,kind\ns3,c\ns1,a\ns2,b\ns9,d\n",
        "kind\na\nb\nc\n",
    ],
    ids=["by name", "in order"],
)
def test_target_from_a_table(sites, table):
    other = sites.with_name("labels.csv")
    other.write_text(table, encoding="utf-8")
    data = read_data(sites, str(other))
    assert data.y.tolist() == ["a", "b", "c"]
    assert data.target == "labels.csv"
    assert data.steps[-1] == "Took the target from labels.csv."


def test_target_from_an_array(sites):
    other = sites.with_name("y.npy")
    np.save(other, [1.0, 2.0, 3.0])
    assert read_data(sites, str(other)).y.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "text, target, words",
    [
        (TEXT, None, r"must be named.*Got none; pairs in .* are label, strand, .*'s1 label=donor"),
        (TEXT, "kind", "Got 'kind'"),
        (TEXT, "7", "Got '7'"),
        ("ACGT\n>s\nAC\n", "0", r"must begin with a header.*Got 'ACGT' in line 1"),
        (">s1 a\n>s2 b\nACGT\n", "1", r"no letters below the header 's1 a'"),
        (">s1 a\n-.*\n>s2 b\nACGT\n", "1", r"no letters below the header 's1 a'"),
        (">s1 a\nAC7T\n>s2 b\nACGT\n", "1", r"Got '7' below the header 's1 a'"),
        ("; nothing\n", "0", "has no headers"),
        ("\0>a\nAC\n", "0", "not a text file. Expected sequences"),
        (">a b\nACGT\n", "1", "holds one row"),
    ],
)
def test_refuses(tmp_path, text, target, words):
    path = tmp_path / "bad.fa"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=words) as caught:
        read_data(path, target)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "table, words",
    [
        ("name,kind\ns1,a\ns2,b\n", "no target for s3"),
        ("name,kind\ns1,a\ns2,b\ns3,c\ns3,d\n", "names that occur twice"),
        ("kind\na\nb\n", "Got 3 sequences .* and 2 targets"),
        ("a,b,c\n1,2,3\n", "must have one column"),
    ],
)
def test_refuses_targets_that_do_not_belong(sites, table, words):
    other = sites.with_name("labels.csv")
    other.write_text(table, encoding="utf-8")
    with pytest.raises(FileError, match=words):
        read_data(sites, str(other))


def test_command_line(tmp_path):
    rng = np.random.default_rng(0)
    rows = ["".join(row) for row in rng.choice(list("ACGT"), size=(80, 12))]
    lines = [f">r{i} site={row[5] in 'AC'}\n{row}\n" for i, row in enumerate(rows)]
    path = tmp_path / "sites.fa"
    path.write_text("".join(lines), encoding="utf-8")
    result = CliRunner().invoke(app, ["diagnose", str(path), "--target", "site", "--no-color"])
    assert result.exit_code == 0
    assert "Read 80 sequences from sites.fa." in result.stdout
    assert "WeightedDegree" in result.stdout
