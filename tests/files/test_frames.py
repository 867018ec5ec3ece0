"""Tables that are damaged, too large or of another format: refused in one line."""

import gzip
import json
import struct

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

    @pytest.mark.parametrize("ending", [".parquet", ".feather", ".xlsx", ".xls"])
    def test_missing_packages(self, table, write, monkeypatch, ending):
        path = write(b"old" if ending == ".xls" else content(table, ending), f"data{ending}")

        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(frames, "import_module", absent)
        extra = "excel" if ending.startswith(".xls") else "parquet"
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

    @pytest.mark.parametrize(
        "ending", [".csv", ".parquet", ".feather", ".xlsx", ".jsonl", ".json", ".db"]
    )
    def test_tables_that_do_not_fit_into_memory(self, table, write, monkeypatch, ending):
        path = write(content(table, ending), f"data{ending}")
        monkeypatch.setattr(source, "fits", lambda needed: needed < 100)
        with pytest.raises(FileError, match="not fit into memory"):
            read_data(path, "kind")


PLANTS = [{"a": 1, "y": "u"}, {"a": 2, "y": "v"}, {"a": 3, "y": "u"}]


class TestJson:
    @pytest.mark.parametrize(
        "found",
        [
            PLANTS,
            {"data": PLANTS},
            {"source": "a garden", "count": 3, "results": PLANTS},
            {"schema": {"fields": [{"name": "a"}, {"name": "y"}]}, "data": PLANTS},
            {"a": [1, 2, 3], "y": ["u", "v", "u"]},
            {"a": {"0": 1, "1": 2, "2": 3}, "y": {"0": "u", "1": "v", "2": "u"}},
            {"columns": ["a", "y"], "index": [0, 1, 2], "data": [[1, "u"], [2, "v"], [3, "u"]]},
        ],
        ids=["records", "data", "remarks", "schema", "lists", "columns", "split"],
    )
    def test_shapes(self, write, found):
        for name in ("data.json", "data.jsonl"):
            data = read_data(write(json.dumps(found, indent=1), name), "y")
            assert data.X.to_dict("list") == {"a": [1, 2, 3]}
            assert data.y.tolist() == ["u", "v", "u"]

    def test_lines_under_the_name_of_a_list(self, write):
        lines = "\n".join(map(json.dumps, PLANTS))
        assert read_data(write(lines, "data.json"), "y").y.tolist() == ["u", "v", "u"]

    @pytest.mark.parametrize(
        "content",
        ["[]", "{}", "3", '"a"', "[1, 2]", "[[1, 2], [3, 4]]", '[{"a": 1}', '{"a": [1], "y": []}',
         '{"data": [3], "columns": ["a"]}', '{"data": [], "columns": []}', '[{"a": 1}, 2]'],
    )  # fmt: skip
    def test_other_content(self, write, content):
        assert "data.json" in refused("diagnose", write(content, "data.json"), "--target", "a")


def old_excel(rows):
    """Return rows as a file of Excel 2: a record for each number or text."""

    def record(kind, content):
        return struct.pack("<HH", kind, len(content)) + content

    parts = [record(0x0009, struct.pack("<HH", 2, 0x10))]
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            place = struct.pack("<HH", i, j) + bytes(3)
            if isinstance(value, str):
                letters = value.encode("ascii")
                parts.append(record(0x0004, place + bytes([len(letters)]) + letters))
            elif value is not None:
                parts.append(record(0x0003, place + struct.pack("<d", value)))
    return b"".join(parts) + record(0x000A, b"")


class TestOldExcel:
    ROWS = (["Plants of 2024"], ["a", "b", "y"], [1, 2.5, "u"], [None, 3.5, "v"])

    def test_it_is_read(self, write):
        pytest.importorskip("xlrd")
        data = read_data(write(old_excel(self.ROWS), "data.xls"), "y")
        assert data.X["b"].tolist() == [2.5, 3.5]
        assert data.X["a"].isna().tolist() == [False, True]
        assert data.steps[0].endswith(", below 1 line above the header ('Plants of 2024').")

    def test_damaged_files(self, write):
        pytest.importorskip("xlrd")
        for data in (b"no workbook", old_excel(self.ROWS)[:40]):
            with pytest.raises(FileError, match=r"data\.xls"):
                read_data(write(data, "data.xls"), "y")
