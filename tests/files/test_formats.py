"""One table in many formats: the same diagnosis; what is damaged is refused in one line."""

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from commands import refused, run
from reldim.cli import app
from reldim.exceptions import FileError, MissingDependencyError
from reldim.files import frames, source
from reldim.files.options import TableOptions
from reldim.files.reading import read_data

PACKINGS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
BINARY = {".parquet": "pyarrow", ".feather": "pyarrow", ".xlsx": "openpyxl"}


@pytest.fixture(scope="module")
def table():
    """Numbers, categories, dates and missing values."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)).round(3), columns=["width", "height"])
    frame["town"] = rng.choice(["Ulm", "Bonn", "Köln"], 40)
    frame["count"] = rng.integers(0, 9, 40)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 40), "D")
    frame.loc[[3, 7], "height"] = np.nan
    frame["kind"] = np.where(frame["width"] + 0.3 * frame["count"] > 1, "large", "small")
    return frame


def content(table, ending):
    """Return the bytes of a file of this ending."""
    if ending in BINARY:
        pytest.importorskip(BINARY[ending])
    stream = io.BytesIO()
    if ending == ".parquet":
        table.to_parquet(stream)
    elif ending == ".feather":
        table.to_feather(stream)
    elif ending == ".xlsx":
        table.to_excel(stream, index=False)
    elif ending in (".jsonl", ".ndjson"):
        text = table.assign(day=table["day"].astype(str))
        text.to_json(stream, orient="records", lines=True, force_ascii=False)
    elif ending in (".db", ".sqlite"):
        with closing(sqlite3.connect(":memory:")) as connection:
            table.to_sql("plants", connection, index=False)
            stream.write(connection.serialize())
    else:
        separator = {".csv": ",", ".tsv": "\t", ".txt": "|"}[ending]
        stream.write(table.to_csv(index=False, sep=separator).encode())
    return stream.getvalue()


def zipped(data, *names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.fixture
def write(tmp_path):
    def write(data, name):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".feather", ".xlsx", ".jsonl", ".ndjson", ".db")


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
    def test_packed(self, table, expected, write, packing, inner):
        data = PACKINGS[packing](content(table, inner or ".csv"))
        path = write(data, f"data{inner}{packing}")
        assert diagnosed(path) == expected

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


class TestOptions:
    def test_columns_and_drop(self, table, write):
        path = write(content(table, ".csv"), "data.csv")
        kept = read_data(path, "kind", TableOptions(columns=("w*", "town,count"))).X
        assert [*kept.columns] == ["width", "town", "count"]
        dropped = read_data(path, "kind", TableOptions(drop=("[wh]*", "day")))
        assert [*dropped.X.columns] == ["town", "count"]
        assert dropped.steps[1] == "Kept 2 of 5 columns, as asked: town, count."
        both = TableOptions(columns=("w*", "h*"), drop=("height",))
        assert [*read_data(path, "kind", both).X.columns] == ["width"]

    def test_names_that_look_like_patterns(self, write):
        path = write('"x[1]","a,b",y\n1,2,3\n2,1,4\n', "data.csv")
        kept = read_data(path, "y", TableOptions(columns=("x[1]", "a,b"))).X
        assert [*kept.columns] == ["x[1]", "a,b"]

    def test_columns_of_arrays_are_numbers(self, tmp_path):
        X = np.arange(12.0).reshape(3, 4)
        np.save(tmp_path / "a.npy", X)
        np.savez(tmp_path / "a.npz", X=X, y=[0, 1, 0])
        data = read_data(tmp_path / "a.npy", "1", TableOptions(drop=("2",)))
        np.testing.assert_array_equal(data.X, X[:, [0, 3]])
        data = read_data(tmp_path / "a.npz", None, TableOptions(columns=("1", "3")))
        np.testing.assert_array_equal(data.X, X[:, [1, 3]])

    @pytest.mark.parametrize("command", ["diagnose", "labels", "forecast", "compare"])
    def test_every_command_takes_them(self, table, write, command):
        path = write(table.to_csv(index=False, sep="~"), "data.txt")
        options = ["--target", "kind", "--sep", "~", "--drop", "day,town", "--columns", "*"]
        extra = ["--kernel", "linear", "--kernel", "polynomial"] if command == "compare" else []
        result = run(command, path, *options, *extra, "--json", "-", "--quiet")
        assert result.exit_code == 0, result.stderr
        line = refused(command, path, "--target", "kind", "--sep", "~", "--drop", "dya", *extra)
        assert "--drop 'dya' matches no feature" in line
        assert "mean 'day'?" in line

    def test_the_report_repeats_them(self, table, write, tmp_path):
        path = write(table.to_csv(index=False, sep="~"), "data.txt")
        out = tmp_path / "report.html"
        options = ["--target", "kind", "--sep", "~", "--drop", "day", "--kernel", "linear"]
        assert run("diagnose", path, *options, "--report", out).exit_code == 0
        assert "--drop day" in out.read_text(encoding="utf-8")

    def test_encoding(self, write):
        path = write("größe,y\n1,a\n2,b\n".encode("cp850"), "data.csv")
        data = read_data(path, "y", TableOptions(encoding="cp850"))
        assert [*data.X.columns] == ["größe"]
        assert len(data.steps) == 1
        with pytest.raises(FileError, match="not in the encoding ascii: byte 2"):
            read_data(path, "y", TableOptions(encoding="ascii"))

    def test_blanks(self, write):
        path = write("a   b  y\n1   2.5  u\n10  3.5  v\n", "data.txt")
        data = read_data(path, "y", TableOptions(sep="space"))
        assert data.X.to_dict("list") == {"a": [1, 10], "b": [2.5, 3.5]}

    def test_sheets(self, write):
        pytest.importorskip("openpyxl")
        stream = io.BytesIO()
        with pd.ExcelWriter(stream) as book:
            pd.DataFrame().to_excel(book, sheet_name="notes")
            pd.DataFrame({"a": [1, 2], "y": [3, 4]}).to_excel(book, sheet_name="one", index=False)
            pd.DataFrame({"a": [5, 6], "y": [7, 8]}).to_excel(book, sheet_name="two", index=False)
        path = write(stream.getvalue(), "book.xlsx")
        for sheet in ("two", "3"):
            data = read_data(path, "y", TableOptions(sheet=sheet))
            assert data.X["a"].tolist() == [5, 6]
            assert data.steps[0].endswith("book.xlsx, sheet 'two'.")
        with pytest.raises(
            FileError, match="several sheets: one, two. Name one of them by --sheet"
        ):
            read_data(path, "y")
        with pytest.raises(FileError, match="no sheet 'three'. Its sheets are notes, one, two"):
            read_data(path, "y", TableOptions(sheet="three"))

    def test_cells_of_spreadsheets(self, write):
        openpyxl = pytest.importorskip("openpyxl")
        book, stream = openpyxl.Workbook(), io.BytesIO()
        rows = [[], ["a", "b", "y", None], [1, "NA", 5], ["#DIV/0!", 2, 6], [], [3, 4.5, 7]]
        for row in rows:
            book.active.append(row)
        book.save(stream)
        data = read_data(write(stream.getvalue(), "book.xlsx"), "y")
        np.testing.assert_array_equal(data.X, [[1, np.nan], [np.nan, 2], [3, 4.5]])

    def test_tables_and_queries(self, tmp_path):
        path = tmp_path / "data.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(
                "create table one (a, y); insert into one values (1, 2), (3, 4);"
                'create table "odd ""name" (b, y); insert into "odd ""name" values (5, 6), (7, 8);'
            )
        assert read_data(path, "y", TableOptions(table="one")).X["a"].tolist() == [1, 3]
        assert read_data(path, "y", TableOptions(table='odd "name')).X["b"].tolist() == [5, 7]
        query = TableOptions(query="select a + 1 as c, y from one order by a desc")
        assert read_data(path, "y", query).X["c"].tolist() == [4, 2]
        for options, words in (
            ({}, 'has the tables odd "name, one. Name one of them by --table'),
            ({"table": "three"}, "Got --table 'three'"),
            ({"query": "select * from three"}, "no such table: three"),
            ({"query": "drop table one"}, "not authorized"),
            ({"query": f"attach '{tmp_path / 'new.db'}' as other"}, "not authorized"),
            ({"query": "select 1; drop table one"}, "one statement"),
        ):
            with pytest.raises(FileError) as caught:
                read_data(path, "y", TableOptions(**options))
            assert words in str(caught.value)
        assert [file.name for file in tmp_path.iterdir()] == ["data.db"]

    @pytest.mark.parametrize(
        "options, words",
        [
            (["--sep", "ab"], "--sep must be one character, or tab. Got 'ab'"),
            (["--decimal", ";"], "--decimal must be a point or a comma"),
            (["--thousands", "x"], "--thousands must be a point"),
            (["--thousands", ".", "--decimal", "."], "must differ"),
            (["--encoding", "martian"], "--encoding must be the name of an encoding"),
            (["--encoding", "zip"], "--encoding must be the name of an encoding"),
            (["--table", "a", "--query", "b"], "exclude each other"),
            (["--sheet", "a"], "--sheet is for files that end in .xlsx"),
            (["--table", "a"], "--table is for files that end in .db"),
            (["--drop", "*"], "leave no feature"),
            (["--columns", "kind"], "matches no feature"),
        ],
    )
    def test_refused(self, table, write, options, words):
        path = write(content(table, ".csv"), "data.csv")
        assert words in refused("diagnose", path, "--target", "kind", *options)


class TestWrittenNumbers:
    @pytest.mark.parametrize(
        "text, expected",
        [
            ("a;b;y\n17.042;1,5;u\n950;2,5;v\n", [17042, 950]),
            ("a;b;y\n17.042;1,5;u\n18.500;2,5;v\n", [17042, 18500]),
            ("a;b;y\n1.250,75;x;u\n950;z;v\n", [1250.75, 950]),
            ("a;b;y\n17.042;1.55;u\n950;2.5;v\n", [17.042, 950]),
            ("a;b;y\n17.042;x;u\n18.500;z;v\n", [17.042, 18.5]),
            ("a;b;y\n17.042;x;u\n1950;z;v\n", [17.042, 1950]),
            ("a;b;y\n0.042;x;u\n950;z;v\n", [0.042, 950]),
            ("a;b;y\n1,5;x;u\n950;z;v\n", [1.5, 950]),
        ],
    )
    def test_marks_are_told_by_all_columns(self, write, text, expected):
        assert read_data(write(text, "data.csv"), "y").X["a"].tolist() == expected

    def test_it_is_said(self, write):
        data = read_data(write("a;b;y\n17.042;1,5;u\n950;2,5;v\n", "data.csv"), "y")
        assert data.steps[0].endswith("with decimal commas and points between thousands.")

    @pytest.mark.parametrize("mark", ".,")
    def test_what_cannot_be_told_is_asked(self, write, mark):
        path = write(f"a;b;y\n17{mark}042;x;u\n950;z;v\n", "data.csv")
        line = refused("diagnose", path, "--target", "y")
        assert f"'17{mark}042' beside '950', which may be 17042 or 17.042" in line
        assert f"--thousands {mark} or --decimal {mark}" in line
        for option, expected in (("thousands", 17042), ("decimal", 17.042)):
            data = read_data(path, "y", TableOptions(**{option: mark}))
            assert data.X["a"].tolist() == [expected, 950]

    @pytest.mark.parametrize("mark", ["'", " ", "\u202f"])
    def test_other_marks(self, write, mark):
        path = write(f"a;day;y\n17{mark}042;01.02.2024;u\n950;02.02.2024;v\n", "data.csv")
        data = read_data(path, "y", TableOptions(thousands=mark))
        assert data.X["a"].tolist() == [17042, 950]
        assert data.X["day"].tolist() == ["01.02.2024", "02.02.2024"]

    def test_dates_are_no_numbers(self, write):
        path = write("a;day;y\n17.042;01.02.2024;u\n950;02.02.2024;v\n", "data.csv")
        data = read_data(path, "y", TableOptions(thousands="."))
        assert data.X["day"].tolist() == ["01.02.2024", "02.02.2024"]

    @pytest.mark.parametrize(
        "price", ["$24,000;$950;$1,500", "24.000 €;950 €;1.500 €", "24,000.00;950.00;1,500.00"]
    )
    def test_a_target_with_signs_is_a_number(self, write, price):
        rows = "".join(f"{i};{text}\n" for i, text in enumerate(price.split(";")))
        data = read_data(write(f"a;price\n{rows}", "data.csv"), "price")
        assert data.y.tolist() == [24000, 950, 1500]
        assert data.steps[1].startswith("Read the target price as numbers (")


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

    def test_a_view_without_end(self, tmp_path, monkeypatch):
        path = tmp_path / "data.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(
                "create view v as with recursive n(i) as (select 1 union all select i + 1 from n) "
                "select i as a, i as y from n"
            )
        monkeypatch.setattr(frames, "fits", lambda needed: needed < 2**20)
        with pytest.raises(FileError, match="does not fit into memory"):
            read_data(path, "y")
