"""``reldim compare``: what it prints, what it writes, and what it refuses."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reldim import compare
from reldim.cli import app
from reldim.cli.compare import Score
from reldim.diagnosis.comparison import SCORES
from reldim.search.families import FAMILIES

#: One kernel is enough for most of what is tested here.
QUICK = ("--kernel", "linear")


def run(*arguments):
    """Run a command; a bug would come out as its own exception."""
    result = CliRunner().invoke(app, ["compare", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(*arguments):
    """Run a command that must end with exit code 2 and one line; give the line."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("reldim: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=50) > 0, "yes", "no")


@pytest.fixture
def arrays(data, tmp_path):
    X, y = data
    np.save(tmp_path / "good.npy", X)
    np.save(tmp_path / "bad.npy", X[:, 1:])
    np.save(tmp_path / "y.npy", y)
    return tmp_path


@pytest.fixture
def tables(data, tmp_path):
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.assign(label=y).to_csv(tmp_path / "good.csv", index=False)
    frame[["b", "c"]].assign(label=y).to_csv(tmp_path / "bad.csv", index=False)
    frame.to_csv(tmp_path / "features.csv", index=False)
    pd.DataFrame({"label": y}).to_csv(tmp_path / "labels.csv", index=False)
    return tmp_path


class TestOutput:
    @pytest.mark.parametrize("width", [36, 50, 60, 80])
    def test_narrow_terminals_keep_names_and_whole_figures(self, arrays, width, monkeypatch):
        monkeypatch.setenv("COLUMNS", str(width))
        np.save(arrays / "representation_of_old.npy", np.load(arrays / "bad.npy"))
        files = [arrays / name for name in ("good.npy", "representation_of_old.npy")]
        lines = run(*files, "--target", arrays / "y.npy", *QUICK).stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if line.split()[:1] == ["name"])
        shown = "\n".join(lines[head : head + 4])
        assert "representation_of_ol" in shown
        assert "…" not in shown
        assert ("in a wider terminal" in " ".join(lines)) == (width < 80)

    def test_of_arrays(self, arrays, data):
        good, bad, y = (arrays / name for name in ("good.npy", "bad.npy", "y.npy"))
        result = run(good, bad, "--target", y, *QUICK)
        assert (result.exit_code, result.stderr) == (0, "")
        expected = compare({"good": data[0], "bad": data[0][:, 1:]}, data[1], kernels="linear")
        assert "".join(result.stdout.partition("\n\n")[0].split()) == "".join(
            expected.conclusion.split()
        )
        lines = result.stdout.splitlines()
        assert [line for line in lines if line.split()[:2] == ["<", "bad"]]
        assert f"  - {expected.diagnoses['good'].verdict.code} " in result.stdout
        assert "  - good: Read an array of 50 x 3 from good.npy, the target from" in result.stdout
        assert not [line for line in lines if line != line.rstrip()]

    def test_of_tables_with_a_column_in_common(self, tables):
        result = run(tables / "good.csv", tables / "bad.csv", "--target", "label", *QUICK)
        assert result.exit_code == 0
        assert "  - good: Scaled all 3 columns to mean 0 and variance 1." in result.stdout
        assert "  - bad: Scaled all 2 columns to mean 0 and variance 1." in result.stdout

    def test_of_tables_with_the_target_in_a_file(self, tables, arrays):
        files = (tables / "features.csv", arrays / "bad.npy")
        first = run(*files, "--target", tables / "labels.csv", "--json", "-", *QUICK)
        second = run(*files, "--target", arrays / "y.npy", "--json", "-", *QUICK)
        found, again = json.loads(first.stdout), json.loads(second.stdout)
        assert found["table"] == again["table"]
        assert found["best"] == "features"
        steps = found["diagnoses"]["features"]["preparation"]
        assert "Took the target from labels.csv." in steps

    def test_of_tables_with_the_target_in_a_parquet_file(self, tables):
        pytest.importorskip("pyarrow")
        pd.read_csv(tables / "labels.csv").to_parquet(tables / "labels.parquet")
        files = (tables / "features.csv", tables / "bad.csv")
        result = run(*files, "--target", tables / "labels.parquet", "--quiet", *QUICK)
        assert result.exit_code == 0

    def test_of_kernels_on_one_file(self, arrays):
        file, y = arrays / "good.npy", arrays / "y.npy"
        result = run(file, "--target", y, *QUICK, "--kernel", "polynomial", "--json", "-")
        found = json.loads(result.stdout)
        assert {*found["diagnoses"]} == {"linear", "polynomial"}
        for diagnosis in found["diagnoses"].values():
            assert "Read an array of 50 x 3" in diagnosis["preparation"][0]

    def test_findings_are_listed_with_the_verdicts(self, arrays, data):
        np.save(arrays / "uneven.npy", data[0] * [1, 1, 1e4])
        result = run(arrays / "good.npy", arrays / "uneven.npy", "--target", arrays / "y.npy")
        assert result.stderr == ""
        assert "  - RD011 Columns of very different scale: uneven" in result.stdout

    def test_quiet(self, arrays):
        files = (arrays / "good.npy", arrays / "bad.npy")
        result = run(*files, "--target", arrays / "y.npy", "--quiet", *QUICK)
        assert result.stdout == (
            "good is best by leave-one-out squared error. Beyond chance it is better than bad.\n"
        )

    def test_json(self, arrays):
        files = (arrays / "good.npy", arrays / "bad.npy", "--target", arrays / "y.npy")
        out = arrays / "out.json"
        assert run(*files, *QUICK, "--json", out, "--no-color").exit_code == 0
        written = json.loads(out.read_text())
        assert written["schema"] == "reldim.comparison/1"
        assert "exists already" in refused(*files, *QUICK, "--json", out)
        assert run(*files, *QUICK, "--json", out, "--force").exit_code == 0
        assert json.loads(run(*files, *QUICK, "--json", "-").stdout) == written

    def test_options(self, arrays):
        files = (arrays / "good.npy", arrays / "bad.npy", "--target", arrays / "y.npy")
        options = ("--by", "evidence", "--criterion", "likelihood", "--scale", "--seed", 3)
        found = json.loads(run(*files, *QUICK, *options, "--json", "-").stdout)
        assert found["by"] == "evidence"
        good = found["diagnoses"]["good"]
        assert good["criterion"] == "likelihood"
        assert any("Scaled all 3 columns" in step for step in good["preparation"])

    def test_scores_are_those_of_the_library(self):
        assert [score.value.replace("-", "_") for score in Score] == [*SCORES]

    def test_files_of_the_same_name_go_by_their_paths(self, arrays, tables):
        files = [tables / "features.csv", tables / "other" / "features.csv"]
        files[1].parent.mkdir()
        files[1].write_text(files[0].read_text())
        found = json.loads(run(*files, "--target", arrays / "y.npy", "--json", "-", *QUICK).stdout)
        assert {*found["diagnoses"]} == {str(file) for file in files}
        assert found["differences"][0]["p_value"] == 1.0

    def test_help(self):
        text = run("--help").stdout
        assert "reldim compare pixels.npy embedding.npy --target y.npy" in text
        assert not [name for name in FAMILIES if name not in "".join(text.split())]


class TestBadInput:
    def test_one_file(self, arrays):
        message = refused(arrays / "good.npy", "--target", arrays / "y.npy")
        assert "Name two or more files" in message
        assert "two or more by --kernel" in message
        assert "Name two or more" in refused(arrays / "good.npy", "--target", "0", *QUICK)

    def test_the_same_file_twice(self, arrays):
        message = refused(arrays / "good.npy", arrays / "good.npy", "--target", arrays / "y.npy")
        assert "good.npy more than once" in message

    def test_the_same_kernel_twice(self, arrays):
        message = refused(arrays / "good.npy", "--target", arrays / "y.npy", *QUICK, *QUICK)
        assert "Got linear more than once" in message

    def test_unknown_file(self, arrays):
        message = refused(arrays / "good.npy", arrays / "no.npy", "--target", arrays / "y.npy")
        assert "no.npy does not exist" in message

    def test_different_numbers_of_rows(self, tables):
        frame = pd.read_csv(tables / "good.csv")
        frame.iloc[:30].to_csv(tables / "short.csv", index=False)
        message = refused(tables / "good.csv", tables / "short.csv", "--target", "label")
        assert "the same rows in the same order. Got 50 rows with a target in good" in message
        assert "30 in short" in message

    def test_features_with_other_rows_than_the_target(self, arrays, tables):
        np.save(arrays / "short.npy", np.zeros((30, 2)))
        files = (arrays / "good.npy", arrays / "short.npy")
        assert "as many rows each" in refused(*files, "--target", arrays / "y.npy")
        pd.DataFrame({"label": ["a", "b"]}).to_csv(tables / "few.csv", index=False)
        message = refused(
            tables / "features.csv", arrays / "bad.npy", "--target", tables / "few.csv"
        )
        assert "Got 50 in " in message
        assert "and 2 in few.csv" in message

    def test_rows_in_another_order(self, tables, data):
        frame = pd.read_csv(tables / "good.csv")
        frame.iloc[::-1].to_csv(tables / "turned.csv", index=False)
        row = int(np.argmax(data[1] != data[1][::-1]))
        message = refused(tables / "good.csv", tables / "turned.csv", "--target", "label")
        assert f"row {row} (counted from 0) has {data[1][row]} in good" in message

    def test_targets_of_another_kind(self, arrays, data):
        X = data[0]
        np.savez(arrays / "one.npz", X=X, y=X[:, 0])
        np.savez(arrays / "two.npz", X=X, y=X[:, :2])
        assert "their targets differ" in refused(arrays / "one.npz", arrays / "two.npz")

    def test_numbers_may_have_been_rounded(self, arrays, data):
        X = data[0]
        np.savez(arrays / "one.npz", X=X, y=X[:, 0])
        np.savez(arrays / "two.npz", X=X, y=X[:, 0].astype(np.float32))
        assert run(arrays / "one.npz", arrays / "two.npz", *QUICK).exit_code == 0

    def test_a_target_file_of_several_columns(self, tables):
        files = (tables / "features.csv", tables / "bad.csv")
        message = refused(*files, "--target", tables / "good.csv")
        assert "must have one column" in message
        assert "a, b, c, label" in message

    def test_no_target(self, tables):
        assert "A target must be named" in refused(tables / "good.csv", tables / "bad.csv")
