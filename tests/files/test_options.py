"""Options of reading: columns, sheets, tables, encodings."""

import io
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from commands import refused, run
from formats import content
from reldim.exceptions import FileError
from reldim.files.options import TableOptions
from reldim.files.reading import read_data


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
