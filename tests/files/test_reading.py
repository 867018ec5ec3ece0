"""Data files: what is read, what is said about it, and what is refused."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from reldim.exceptions import FileError, ReldimError
from reldim.files import source, text
from reldim.files.reading import read_data

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="no data folder: set RELDIM_DATA to run this test"
)


@pytest.fixture
def save(tmp_path):
    def save(array, name="data.npy"):
        np.save(tmp_path / name, array)
        return tmp_path / name

    return save


@pytest.fixture
def save_several(tmp_path):
    def save_several(**arrays):
        np.savez(tmp_path / "data.npz", **arrays)
        return tmp_path / "data.npz"

    return save_several


class TestRefusedTables:
    def refuse(self, path, target, *words):
        with pytest.raises(FileError) as caught:
            read_data(path, target)
        message = str(caught.value)
        assert "\n" not in message
        for word in words:
            assert word in message

    def test_missing_file(self, tmp_path):
        self.refuse(tmp_path / "no.csv", "y", "no.csv does not exist")

    def test_name_that_is_nearly_right(self, tmp_path):
        (tmp_path / "diabetes.csv").write_text("x,y\n1,2\n")
        self.refuse(tmp_path / "diabets.csv", "y", "Did you mean 'diabetes.csv'?")
        with pytest.raises(FileError) as raised:
            read_data(tmp_path / "prices.csv", "y")
        assert "Did you mean" not in str(raised.value)

    @pytest.mark.parametrize("asked, there", [("nothere", "three"), ("a", "b"), ("y", "x")])
    def test_names_that_share_little_but_the_ending(self, tmp_path, asked, there):
        (tmp_path / f"{there}.csv").write_text("x,y\n1,2\n")
        with pytest.raises(FileError) as raised:
            read_data(tmp_path / f"{asked}.csv", "y")
        assert "Did you mean" not in str(raised.value)

    @pytest.mark.parametrize("name", ["https://example.org/data.csv", "s3://bucket/data.parquet"])
    def test_addresses(self, name):
        self.refuse(name, "y", "is an address, and reldim uses no network. Download the file")

    def test_folder(self, tmp_path):
        self.refuse(tmp_path, "y", "A folder of data must hold Parquet files, or NPY files")

    @pytest.mark.parametrize("name", ["data.ods", "data.pkl", "data"])
    def test_other_endings(self, write, name):
        self.refuse(write("a", name), "y", ".csv, .tsv, .txt, .dat, .parquet", ".gz", name)

    @pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
    def test_empty_file(self, write, content):
        self.refuse(write(content), "y", "is empty")

    def test_header_only(self, write):
        self.refuse(write("a,b,y\n"), "y", "has a header, but no rows")

    def test_binary_file(self, write):
        self.refuse(write(b"a,y\n\x00\x01\x02"), "y", "is not a text file")

    def test_no_permission(self, write, monkeypatch):
        def forbid(path):
            raise PermissionError(13, "Permission denied")

        path = write("a,y\n1,2\n")
        monkeypatch.setattr(Path, "read_bytes", forbid)
        self.refuse(path, "y", "cannot be read: Permission denied")

    def test_no_target(self, write):
        self.refuse(write("a,y\n1,2\n"), None, "target", "a, y")

    def test_unknown_target_lists_columns_and_suggests(self, write):
        path = write("age,Label\n1,2\n2,3\n")
        self.refuse(path, "lable", "no column 'lable'", "age, Label", "mean 'Label'?")
        self.refuse(path, "qqq", "no column 'qqq'")

    def test_file_without_header(self, write):
        self.refuse(write("1.5,2\n3,4\n"), "y", "first line looks like data")

    def test_only_a_target(self, write):
        self.refuse(write("y\n1\n2\n"), "y", "no column beside the target y")

    @pytest.mark.parametrize(
        "content",
        ["a,b,y\n1,2,3\n1,2,3,4,5\n", "a,b,y\n1,2,3,4,5\n1,2,3,4,5\n", 'a,y\n"1,2\n3,4\n'],
        ids=["one long row", "all rows too long", "open quote"],
    )
    def test_irregular_rows(self, write, content):
        self.refuse(write(content), "y", "data.csv")

    def test_target_missing_in_most_rows(self, write):
        self.refuse(write("a,y\n1,\n2,\n3,v\n"), "y", "missing in 2 of 3 rows")


class TestMemory:
    refuse = TestRefusedTables.refuse

    def test_too_many_columns_are_refused_before_they_are_parsed(self, write, monkeypatch):
        monkeypatch.setattr(source, "MOST_COLUMNS", 100)
        monkeypatch.setattr(text, "MOST_COLUMNS", 100)
        monkeypatch.setattr(pd, "read_csv", None)
        wide = ",".join(f"x{i}" for i in range(101))
        path = write("\n".join([wide, *[",".join("1" * 101)] * 9]))
        self.refuse(path, "x1", "has 101 columns. Expected at most 100", "an array (.npy)")

    def test_columns_count_in_what_is_needed(self, write, monkeypatch):
        wide = ",".join(f"x{i}" for i in range(200))
        path = write("\n".join([wide, *[",".join("1" * 200)] * 9]))
        assert read_data(path, "x1").X.shape == (9, 199)
        monkeypatch.setattr(source, "fits", lambda needed: needed < 100_000)
        self.refuse(path, "x1", "does not fit into memory", "fewer columns")

    def test_records_with_names_of_their_own(self, write, monkeypatch):
        """A table of as many columns as rows is far larger than its file."""
        path = write("\n".join(f'{{"x{i}": 1}}' for i in range(300)), "data.jsonl")
        monkeypatch.setattr(source, "fits", lambda needed: needed < 300 * 300 * 8)
        self.refuse(path, "x1", "300 x 300, which does not fit into memory")

    def test_a_regular_file_is_not_called_irregular(self, write, monkeypatch):
        def fail(*_arguments, **_options):
            raise pd.errors.ParserError("Error tokenizing data. C error: out of memory")

        monkeypatch.setattr(pd, "read_csv", fail)
        with pytest.raises(MemoryError, match="Nothing is wrong with the file") as raised:
            read_data(write("a,y\n1,2\n3,4\n"), "y")
        assert isinstance(raised.value, ReldimError)


class TestArrays:
    def test_column_of_an_array(self, save):
        path = save(np.arange(12.0).reshape(4, 3))
        for target in ("1", "-2"):
            data = read_data(path, target)
            assert data.kind == "array"
            assert_array_equal(data.X, [[0, 2], [3, 5], [6, 8], [9, 11]])
            assert_array_equal(data.y, [1, 4, 7, 10])

    def test_target_in_another_file(self, save):
        path, target = save(np.eye(3)), save(np.array(["u", "v", "u"]), "y.npy")
        data = read_data(path, str(target))
        assert data.X.shape == (3, 3)
        assert data.y.tolist() == ["u", "v", "u"]

    def test_keys(self, save_several):
        path = save_several(X=np.eye(2, dtype=np.float32), y=[0, 1], z=[2, 3])
        assert read_data(path).y.tolist() == [0, 1]
        assert read_data(path, "z").y.tolist() == [2, 3]
        assert read_data(path).X.dtype == np.float32
        assert read_data(path).steps == ("Read arrays X (2 x 2) and y (2) from data.npz.",)

    def test_one_dimension_is_one_feature(self, save_several):
        data = read_data(save_several(X=[1.0, 2.0], y=[0, 1]))
        assert data.X.shape == (2, 1)
        assert "single feature" in data.steps[1]

    def test_truth_values_become_numbers(self, save_several):
        assert read_data(save_several(X=[[True], [False]], y=[0, 1])).X.dtype == np.float64

    @pytest.mark.parametrize(
        "letters",
        [["ACG", "CCT"], [b"ACG", b"CCT"], [list("ACG"), list("CCT")]],
        ids=["text", "bytes", "letters"],
    )
    def test_sequences(self, save_several, letters):
        data = read_data(save_several(X=np.array(letters), y=[0, 1]))
        assert data.kind == "sequences"
        assert data.X == ["ACG", "CCT"]

    def test_rows_without_target_are_left_out(self, save_several):
        data = read_data(save_several(X=np.eye(3), y=[0.5, np.nan, 1.5]))
        assert_array_equal(data.X, np.eye(3)[[0, 2]])
        assert data.steps[-1] == "Left out 1 of 3 rows, which has no target."

    def test_several_targets(self, save_several):
        assert read_data(save_several(X=np.eye(3), y=np.eye(3))).y.shape == (3, 3)


class TestRefusedArrays:
    refuse = TestRefusedTables.refuse

    @pytest.mark.parametrize("target", [None, "3", "-4", "label"])
    def test_wrong_column(self, save, target):
        self.refuse(save(np.eye(3)), target, "column from 0 to 2", repr(target))

    def test_one_dimension(self, save):
        self.refuse(save(np.arange(3)), "0", "Got 3 instead")

    def test_only_a_target(self, save):
        self.refuse(save(np.ones((3, 1))), "0", "no column beside")

    def test_missing_target_file(self, save):
        self.refuse(save(np.eye(3)), "no.npy", "no.npy does not exist")

    def test_missing_key(self, save_several):
        path = save_several(features=np.eye(2), y=[0, 1])
        self.refuse(path, None, "no array 'X'", "features, y")
        self.refuse(save_several(X=np.eye(2), y=[0, 1]), "label", "no array 'label'")

    def test_rows_do_not_match(self, save_several):
        self.refuse(save_several(X=np.eye(3), y=[0, 1]), None, "3 x 3 and 2")

    def test_single_value(self, save_several):
        self.refuse(save_several(X=np.eye(3), y=1), None, "3 x 3 and a single value")

    def test_no_rows(self, save_several):
        self.refuse(save_several(X=np.ones((0, 3)), y=[]), None, "without values (0 x 3)")

    @pytest.mark.parametrize("X", [[1j, 2], ["2020-01-01", "2020-01-02"]])
    def test_neither_numbers_nor_text(self, save_several, X):
        X = np.array(X, dtype="M8[D]") if isinstance(X[0], str) else np.array(X)
        self.refuse(save_several(X=X, y=[0, 1]), None, "numbers or sequences")

    def test_words_in_rows(self, save_several):
        self.refuse(save_several(X=np.array([["ab", "c"]]), y=[0]), None, "numbers or sequences")

    def test_pickles_are_not_loaded(self, save, save_several, write):
        objects = np.array([{}, {}], dtype=object)
        self.refuse(save(objects), "0", "pickled")
        self.refuse(save_several(X=objects, y=[0, 1]), None, "pickled")
        self.refuse(write(pickle.dumps({"a": 1}), "other.npy"), "0", "pickled")

    def test_damaged_files(self, save, save_several):
        for path in (save(np.eye(9)), save_several(X=np.eye(9), y=range(9))):
            path.write_bytes(path.read_bytes()[:200])
            self.refuse(path, "0" if path.suffix == ".npy" else None, "damaged")

    def test_one_format_under_the_name_of_the_other(self, save, save_several):
        array, archive = save(np.eye(3)), save_several(X=np.eye(3), y=[0, 1, 2])
        self.refuse(array.rename(array.with_name("a.npz")), None, "rename it")
        self.refuse(archive.rename(archive.with_name("b.npy")), "0", "rename it")


@needs_data
class TestRealFiles:
    def test_splice_is_sequences(self):
        data = read_data(DATA / "splice_strings" / "splice.csv", "class")
        assert data.kind == "sequences"
        assert len(data.X) == 3190
        assert {len(row) for row in data.X} == {60}

    def test_banana(self):
        data = read_data(DATA / "ida" / "banana.npz")
        assert data.X.shape == (5300, 2)
        assert set(data.y) == {-1, 1}
