"""Parquet files, and folders of Parquet or NPY files: read, and diagnosed on the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reldim.cli import app
from reldim.exceptions import FileError
from reldim.files.reading import read_data
from reldim.inputs.rows import is_lazy


def table(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1.0, 50.0]
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["label"] = np.where(np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n) > 0, "yes", "no")
    return frame


def parts(frame, count=3):
    size = -(-len(frame) // count)
    return [frame.iloc[start : start + size] for start in range(0, len(frame), size)]


@pytest.fixture
def folder(tmp_path):
    """A folder of Parquet files; one has two groups of rows."""
    path = tmp_path / "tables"
    path.mkdir()
    for number, part in enumerate(parts(table())):
        part.to_parquet(path / f"part-{number}.parquet", row_group_size=50)
    return path


@pytest.fixture
def arrays(tmp_path):
    """A folder of NPY files, and one of their targets."""
    X, y = tmp_path / "X", tmp_path / "y"
    frame = table()
    for path, columns in ((X, ["a", "b"]), (y, "label")):
        path.mkdir()
        for number, part in enumerate(parts(frame)):
            values = part[columns].to_numpy()
            np.save(path / f"{number}.npy", values if path is X else values.astype(str))
    return X, y


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


class TestReading:
    def test_one_parquet_file(self, tmp_path):
        frame = table()
        frame.to_parquet(tmp_path / "all.parquet")
        data = read_data(tmp_path / "all.parquet", "label")
        pd.testing.assert_frame_equal(data.X, frame[["a", "b"]])
        assert data.y.tolist() == frame["label"].tolist()
        assert data.steps == ("Read 240 rows and 3 columns from all.parquet.",)

    def test_a_file_that_is_not_parquet(self, tmp_path):
        path = tmp_path / "broken.parquet"
        path.write_bytes(b"PAR1 and nothing more")
        with pytest.raises(FileError, match="cannot be read as a Parquet table"):
            read_data(path, "label")

    def test_a_folder_of_parquet(self, folder):
        data = read_data(folder, "label")
        assert is_lazy(data.X)
        assert is_lazy(data.y)
        assert data.kind == "table"
        frame = table()
        np.testing.assert_array_equal(data.X, frame[["a", "b"]].to_numpy())
        assert np.asarray(data.y).tolist() == frame["label"].tolist()
        assert data.steps == ("Found 3 Parquet files in tables.",)

    def test_a_folder_of_arrays(self, arrays):
        X, y = arrays
        data = read_data(X, str(y))
        np.testing.assert_array_equal(data.X, table()[["a", "b"]].to_numpy())
        assert np.asarray(data.y).tolist() == table()["label"].tolist()
        assert data.X.chunks[0] == data.y.chunks[0]
        data = read_data(X, "1")
        np.testing.assert_array_equal(np.asarray(data.y), table()["b"])
        assert data.X.shape == (240, 1)

    def test_long_files_are_read_in_pieces(self, arrays, monkeypatch):
        monkeypatch.setattr("reldim.eigensolvers.dask.folders.ROWS", 30)
        data = read_data(arrays[0], "0")
        assert max(data.X.chunks[0]) == 30
        np.testing.assert_array_equal(data.X[:, 0], table()["b"])

    def test_rows_without_a_target(self, tmp_path):
        frame = table()
        frame.loc[[3, 100], "label"] = None
        for number, part in enumerate(parts(frame)):
            part.to_parquet(tmp_path / f"{number}.parquet")
        data = read_data(tmp_path, "label")
        assert data.X.shape == (238, 2)
        assert data.steps[-1] == "Left out 2 of 240 rows, which have no target."
        kept = frame.dropna()
        np.testing.assert_array_equal(data.X, kept[["a", "b"]].to_numpy())

    def test_sequences(self, tmp_path):
        words = ["ACGT", "ACCT", "GGGT", "TTTT"] * 5
        pd.DataFrame({"dna": words, "y": [0, 1] * 10}).to_parquet(tmp_path / "0.parquet")
        data = read_data(tmp_path, "y")
        assert data.kind == "sequences"
        assert np.asarray(data.X).tolist() == words


class TestBadFolders:
    def refused(self, path, target, message):
        with pytest.raises(FileError, match=message):
            read_data(path, target)

    def test_names(self, folder, tmp_path):
        self.refused(folder, None, r"target must be named.*a, b, label")
        self.refused(folder, "labels", r"no column 'labels'.*Did you mean 'label'")
        self.refused(tmp_path, "label", r"Parquet files, or NPY files.*holds neither")
        np.save(folder / "more.npy", np.ones(3))
        self.refused(folder, "label", "holds both kinds")

    def test_tables(self, folder, tmp_path):
        pd.DataFrame({"a": [1.0], "label": ["x"]}).to_parquet(folder / "z.parquet")
        self.refused(folder, "label", r"must have the same columns.*z.parquet differs.* in b")
        (folder / "z.parquet").write_bytes(b"nothing")
        self.refused(folder, "label", r"z.parquet cannot be read as a Parquet table")
        other = tmp_path / "other"
        other.mkdir()
        pd.DataFrame({"y": [1.0, 2.0]}).to_parquet(other / "0.parquet")
        self.refused(other, "y", "no column beside the target y")
        pd.DataFrame({"y": [None, None, 1.0], "x": [1.0, 2, 3]}).to_parquet(other / "0.parquet")
        self.refused(other, "y", r"missing in 2 of 3 rows")
        pd.DataFrame({"y": [1, 2], "x": [1, 2], "c": ["a", "b"]}).to_parquet(other / "0.parquet")
        self.refused(other, "y", r"numeric columns beside the target.*values in c: encode")
        pd.DataFrame({"y": [], "x": []}).to_parquet(other / "0.parquet")
        self.refused(other, "y", "hold no rows")

    def test_arrays(self, arrays, tmp_path):
        X, _ = arrays
        self.refused(X, "7", r"a column from 0 to 1, or another .npy folder. Got '7'")
        empty = tmp_path / "empty"
        empty.mkdir()
        self.refused(X, str(empty), "holds no NPY files")
        np.save(empty / "0.npy", np.ones(3))
        self.refused(X, str(empty), r"as many rows each. Got 240 .* and 3")
        self.refused(empty, "0", "with a column beside the target")
        np.save(X / "9.npy", np.ones((4, 5)))
        self.refused(X, "0", r"same columns and type. Got .*9.npy")
        np.save(X / "9.npy", np.ones((0, 2)))
        self.refused(X, "0", r"9.npy holds no rows")
        np.save(X / "9.npy", np.array([{}, {}]), allow_pickle=True)
        self.refused(X, "0", r"pickled objects, which are refused")
        np.save(X / "9.npy", np.ones((4, 2)) * 1j)
        self.refused(X, "0", r"must hold numbers or text. Got complex128")


class TestCommand:
    def test_a_folder_equals_a_file(self, folder, tmp_path):
        table().to_parquet(tmp_path / "all.parquet")
        figures = []
        for path in (folder, tmp_path / "all.parquet"):
            result = run(
                "diagnose", path, "--target", "label", "--kernel", "polynomial", "--json", "-"
            )
            assert result.exit_code == 0
            figures.append(json.loads(result.stdout))
        blocks, memory = figures
        assert blocks["solver"] == "dask"
        assert blocks["dimension"] == memory["dimension"]
        assert blocks["noise_level"] == pytest.approx(memory["noise_level"])
        assert "Scaled 2 columns to mean 0 and variance 1." in blocks["preparation"]

    def test_scaling_is_a_choice(self, arrays):
        X, y = arrays
        shared = ("diagnose", X, "--target", y, "--kernel", "linear", "--json", "-")
        plain = json.loads(run(*shared).stdout)["preparation"]
        scaled = json.loads(run(*shared, "--scale").stdout)["preparation"]
        assert not any("Scaled" in step for step in plain)
        assert any("Scaled 2 columns" in step for step in scaled)

    def test_constant_columns_are_left_out(self, folder):
        for path in folder.glob("*.parquet"):
            frame = pd.read_parquet(path)
            frame["c"] = 3.0
            frame.to_parquet(path)
        result = run("diagnose", folder, "--target", "label", "--kernel", "linear", "--json", "-")
        assert any("Left out 1 constant" in s for s in json.loads(result.stdout)["preparation"])

    @pytest.mark.parametrize(
        "options, message",
        [
            (["--workers", "2", "--scheduler", "tcp://a:1"], "not both"),
            (["--workers", "0"], "At least one worker"),
            (["--scheduler", "tcp://127.0.0.1:9"], "No scheduler answers at tcp://127.0.0.1:9"),
        ],
    )
    def test_a_cluster_that_cannot_be_had(self, folder, options, message, monkeypatch):
        monkeypatch.setattr("reldim.eigensolvers.dask.clients.PATIENCE", 0.5)
        result = run("diagnose", folder, "--target", "label", *options)
        assert result.exit_code == 2
        assert result.stderr.startswith("reldim: error: ")
        assert message in result.stderr
        assert result.stderr.count("\n") == 1

    @pytest.mark.slow
    @pytest.mark.filterwarnings("default")
    def test_workers_are_started(self, folder):
        result = run(
            "diagnose", folder, "--target", "label", "--kernel", "linear", "--workers", "2", "-q"
        )
        assert result.exit_code == 0
        assert result.stdout.startswith("RD00")
