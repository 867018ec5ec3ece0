"""Tables that are damaged, too large or of another format: refused in one line."""

import gzip

import pytest

from commands import refused
from formats import BINARY, PACKINGS, content, zipped
from reldim.exceptions import FileError, MissingDependencyError
from reldim.files import frames, source
from reldim.files.reading import read_data


class TestRefused:
    @pytest.mark.parametrize("ending", [*BINARY, ".jsonl", ".db", ".csv", *PACKINGS, ".zip"])
    @pytest.mark.parametrize("damage", ["empty", "cut", "other"])
    def test_damaged_files(self, table, write, ending, damage):
        if ending in PACKINGS:
            data = PACKINGS[ending](content(table, ".csv"))
        elif ending == ".zip":
            data = zipped(content(table, ".csv"), "a.csv")
        else:
            data = content(table, ending)
        data = {"empty": b"", "cut": data[: len(data) // 2], "other": b"\x7fELF\0 no table"}[damage]
        if ending == ".csv" and damage == "cut":
            data = data[: data.rindex(b"\n")] + b"\n1,2,3,4,5,6,7,8\n"
        path = write(data, f"data{'.csv' if ending in PACKINGS else ''}{ending}")
        line = refused("diagnose", path, "--target", "kind")
        assert path.name in line

    @pytest.mark.parametrize(
        "name, data, words",
        [
            ("a.jsonl", '{"a": 1, "y": 2}\n[1, 2]\n', "in line 2"),
            ("a.jsonl", '{"a": 1, "y": 2}\n{"a": 1,\n', "in line 2"),
            ("a.jsonl", "[" * 100_000, "in line 1"),
            ("a.jsonl", '{"a": [1], "y": 2}\n{"a": [2], "y": 3}\n', "Got list in a"),
            ("a.zip", zipped(b"a,y\n1,2\n", "a.csv", "b.csv"), "holds a.csv, b.csv"),
            ("a.zip", zipped(b""), "holds nothing"),
            ("a.zip", zipped(b"x", "a.exe"), "must end in one of"),
            ("a.gz", gzip.compress(gzip.compress(b"a,y\n1,2\n")), "packed more than once"),
            ("a.csv.gz", gzip.compress(b""), "is empty"),
        ],
        # Packed bytes hold the time, and processes that run tests must agree on their names.
        ids=["list", "half", "deep", "nested", "two", "none", "program", "twice", "empty"],
    )
    def test_other_content(self, write, name, data, words):
        assert words in refused("diagnose", write(data, name), "--target", "y")

    def test_a_feather_file_that_claims_too_much(self, table, write):
        whole = content(table[["width", "count"]], ".feather")
        refusals = 0
        for place in range(len(whole) - 900, len(whole), 3):
            changed = whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :]
            try:
                read_data(write(changed, "data.feather"), "count")
            except FileError as error:
                assert "\n" not in str(error)
                refusals += 1
        assert refusals > 0

    def test_an_empty_pipe(self):
        assert "standard input is empty" in refused("diagnose", "-", "--target", "y").lower()

    @pytest.mark.parametrize("ending", [".parquet", ".feather", ".xlsx"])
    def test_missing_packages(self, table, write, monkeypatch, ending):
        path = write(content(table, ending), f"data{ending}")

        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(frames, "import_module", absent)
        extra = "excel" if ending == ".xlsx" else "parquet"
        with pytest.raises(MissingDependencyError, match=rf"pip install 'reldim\[{extra}\]'"):
            read_data(path, "kind")

    @pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.bz2", "a.csv.xz", "a.csv.zip"])
    def test_bombs(self, write, monkeypatch, name):
        data = b"a,y\n" + b"0,0\n" * 300_000
        packed = PACKINGS.get(f".{name.rpartition('.')[2]}", lambda d: zipped(d, "a.csv"))(data)
        path = write(packed, name)
        assert len(packed) < len(data) / 200
        assert len(read_data(path, "y").X) == 300_000
        monkeypatch.setattr(source, "LARGE", 2**20)
        monkeypatch.setattr(source, "_PIECE", 2**16)
        with pytest.raises(FileError, match=r"unpacks to .* made to fill it"):
            read_data(path, "y")
        monkeypatch.setattr(source, "LARGE", 2**30)
        monkeypatch.setattr(source, "fits", lambda needed: needed < 2**20)
        with pytest.raises(FileError, match=r"unpacks to .* does not fit into memory"):
            read_data(path, "y")

    @pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".xlsx", ".jsonl", ".db"])
    def test_tables_that_do_not_fit_into_memory(self, table, write, monkeypatch, ending):
        path = write(content(table, ending), f"data{ending}")
        for module in (source, frames):
            monkeypatch.setattr(module, "fits", lambda needed: needed < 100)
        with pytest.raises(FileError, match="not fit into memory"):
            read_data(path, "kind")
