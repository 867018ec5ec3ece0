"""SQLite files: what a view or a query may not do, and how long it may take."""

import sqlite3
from contextlib import closing

import pytest

from reldim.exceptions import FileError
from reldim.files import databases, source
from reldim.files.options import TableOptions
from reldim.files.reading import read_data


def endless(select, rest=""):
    """Return a view on rows that are counted for ever."""
    numbers = "with recursive n(i) as (select 1 union all select i + 1 from n)"
    return f"create view v as {numbers} {select} as y from n {rest}"


@pytest.fixture
def database(tmp_path):
    def database(*statements):
        path = tmp_path / "data.db"
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return path

    return database


@pytest.fixture
def table(database):
    return database("create table t (a, y)", "insert into t values (1, 2), (3, 4)")


class TestBudget:
    @pytest.mark.parametrize(
        "select, rest",
        [
            ("select i as a, i", ""),
            ("select i as a, hex(zeroblob(5000)) as t, i", "order by random()"),
            ("select group_concat(hex(zeroblob(40000))) as a, i", "group by i % 100000"),
        ],
        ids=["rows", "sorting", "grouping"],
    )
    def test_memory(self, database, monkeypatch, select, rest):
        monkeypatch.setattr(source, "LARGE", 2**26)
        with pytest.raises(FileError, match=r"file holds\. Name a table|made to fill it"):
            read_data(database(endless(select, rest)), "y")

    def test_rows_where_the_system_does_not_tell_memory(self, database, monkeypatch):
        monkeypatch.setattr(source, "LARGE", 2**26)
        monkeypatch.setattr(databases, "_resident_bytes", lambda: 0)
        with pytest.raises(FileError, match="does not fit into memory, or was made to fill it"):
            read_data(database(endless("select i as a, i")), "y")

    def test_work(self, database, monkeypatch):
        monkeypatch.setattr(databases, "SECONDS", 0.2)
        path = database(endless("select count(*) as a, 1"))
        with pytest.raises(FileError, match=r"is not read after 0 s of work.* by --table"):
            read_data(path, "y")

    def test_work_of_understanding(self, database, monkeypatch):
        """Each view doubles the one before, and all are written out before the first step."""
        before = "select a, y from v{0}"
        views = [
            f"create view v{k} as {before} union all {before}".format(k - 1) for k in range(1, 15)
        ]
        path = database("create table v0 (a, y)", "insert into v0 values (1, 2)", *views)
        assert len(read_data(path, "y", TableOptions(table="v6")).X) == 64
        monkeypatch.setattr(databases, "SECONDS", 0.0)
        with pytest.raises(FileError, match="is not read after 0 s of work"):
            read_data(path, "y", TableOptions(table="v14"))

    def test_values_are_no_longer_than_the_file(self, database):
        path = database("create view v as select length(zeroblob(5000000)) as a, 1 as y")
        with pytest.raises(FileError, match="too big"):
            read_data(path, "y")
        path.unlink()
        values = "insert into t values (hex(zeroblob(1000000)), 1), ('', 2)"
        path = database("create table t (a, y)", values)
        assert read_data(path, "y").X["a"].str.len().tolist() == [2_000_000, 0]

    def test_interruption(self, table, monkeypatch):
        def interrupt(self):
            raise KeyboardInterrupt

        monkeypatch.setattr(databases._Watch, "_look", interrupt)
        with pytest.raises(KeyboardInterrupt):
            read_data(table, "y")


class TestReading:
    def test_no_extensions(self, table):
        query = TableOptions(query="select load_extension('x') as a, y from t")
        with pytest.raises(FileError, match="--query cannot be answered by .*load_extension"):
            read_data(table, "y", query)

    def test_nothing_is_left_beside_a_database_that_keeps_a_log(self, table):
        with closing(sqlite3.connect(table)) as connection:
            connection.execute("pragma journal_mode = wal")
        assert read_data(table, "y").y.tolist() == [2, 4]
        assert [path.name for path in table.parent.iterdir()] == ["data.db"]

    def test_rows_in_the_log_are_read(self, table):
        with closing(sqlite3.connect(table)) as connection:
            connection.execute("pragma journal_mode = wal")
            connection.execute("insert into t values (5, 6)")
            connection.commit()
            assert read_data(table, "y").y.tolist() == [2, 4, 6]
