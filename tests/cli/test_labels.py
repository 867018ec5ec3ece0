"""The command that lists suspicious labels: its table, its JSON, and how it ends."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import reldim
from commands import refused, run
from reldim.cli.labels import _own_names


@pytest.fixture
def clouds(tmp_path):
    """Two classes; rows 10 to 14 have the wrong label, rows 3 and 12 have none."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 2)) + 2.5 * np.where(y, 1, -1)[:, None]
    y[10:15] = 1 - y[10:15]
    frame = pd.DataFrame(X, columns=["a", "row"])
    frame["label"] = np.where(y == 1, "yes", "no")
    frame.loc[[3, 12], "label"] = None
    path = tmp_path / "clouds.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def numbers(tmp_path):
    """A smooth function whose first numbers are off, as arrays."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(400, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=400)
    y[:4] += 10.0
    np.savez(tmp_path / "numbers.npz", X=X, y=y)
    return tmp_path / "numbers.npz"


def table(text):
    return pd.read_csv(io.StringIO(text))


class TestTable:
    def test_flagged_rows_by_their_number_in_the_file(self, clouds):
        result = run("labels", clouds, "--target", "label")
        assert result.exit_code == 0
        found = table(result.stdout)
        assert sorted(found["row"]) == [10, 11, 13, 14]
        assert found["label_quality"].is_monotonic_increasing
        source = pd.read_csv(clouds).loc[found["row"]]
        np.testing.assert_allclose(found["a"], source["a"])
        # The file has a column "row" as well.
        np.testing.assert_allclose(found["row_in_file"], source["row"])
        assert found["given_label"].tolist() == source["label"].tolist()
        assert (found["predicted_label"] != found["given_label"]).all()
        assert "4 of 118 labels look wrong" in result.stderr

    def test_all_rows(self, clouds):
        result = run("labels", clouds, "--target", "label", "--all", "--quiet")
        found = table(result.stdout)
        assert sorted(found["row"]) == [i for i in range(120) if i not in (3, 12)]
        assert found["is_label_issue"].sum() == 4
        assert found["can_judge"].all()
        assert result.stderr == ""

    def test_arrays_and_numbers(self, numbers):
        found = table(run("labels", numbers, "--quiet").stdout)
        assert {0, 1, 2, 3} <= {*found["row"]}
        assert {"residual", "x0"} <= {*found.columns}
        np.testing.assert_allclose(found["x0"], np.load(numbers)["X"][found["row"], 0])

    def test_tiny_qualities_are_told_apart(self, numbers):
        """Numbers that are far off have qualities of many zeros, in the table and as JSON."""
        found = table(run("labels", numbers, "--quiet").stdout)
        assert found["label_quality"].is_unique
        assert found["label_quality"].min() < 1e-5
        written = json.loads(run("labels", numbers, "--quiet", "--json", "-").stdout)
        assert [row["label_quality"] for row in written["issues"]] == [*found["label_quality"]]

    def test_computed_figures_have_six_digits(self, numbers):
        text = run("labels", numbers, "--quiet").stdout
        found = pd.read_csv(io.StringIO(text), dtype=str)
        for name in ("label_quality", "predicted_label", "q_value", "residual"):
            digits = found[name].str.partition("e")[0].str.replace(r"[-.]", "", regex=True)
            assert digits.str.lstrip("0").str.len().max() <= 6
        given = found["given_label"].astype(float)
        assert {*given} <= {*np.load(numbers)["y"]}

    def test_sequences(self, tmp_path):
        rng = np.random.default_rng(0)
        label = np.arange(60) % 2
        rows = ["".join(rng.choice(list("ACGT"), 12)) for _ in label]
        rows = [("AAAA" if one else "CCCC") + row for one, row in zip(label, rows, strict=True)]
        label[5] = 1 - label[5]
        path = tmp_path / "dna.csv"
        pd.DataFrame({"dna": rows, "label": label}).to_csv(path, index=False)
        found = table(run("labels", path, "--target", "label", "--all", "--quiet").stdout)
        assert found["row"][0] == 5
        assert found["sequence"][0] == rows[5]

    def test_to_a_file(self, clouds, tmp_path):
        output = tmp_path / "found.csv"
        result = run("labels", clouds, "--target", "label", "--output", output)
        assert result.stdout == ""
        assert output.read_text() == run("labels", clouds, "--target", "label", "-q").stdout
        assert "exists already" in refused(
            "labels", clouds, "--target", "label", "--output", output
        )
        assert run("labels", clouds, "--target", "label", "-o", output, "--force").exit_code == 0

    def test_no_spreadsheet_runs_what_the_file_holds(self, clouds, tmp_path):
        frame = pd.read_csv(clouds)
        frame["label"] = frame["label"].map({"yes": "=1+1", "no": "-3"})
        path, output = tmp_path / "formulas.csv", tmp_path / "found.csv"
        frame.rename(columns={"a": "@a"}).to_csv(path, index=False)
        run("labels", path, "--target", "label", "--task", "classification", "-o", output)
        found = pd.read_csv(output)
        assert "'@a" in found.columns
        # A number stays a number, also where it is a label.
        assert {*found["given_label"]} == {"'=1+1", "-3"}
        written = json.loads(
            run(
                "labels", path, "--target", "label", "--task", "classification", "-q", "--json", "-"
            ).stdout
        )
        assert {row["given_label"] for row in written["issues"]} == {"=1+1", "-3"}

    def test_rate(self, clouds):
        strict, loose = (
            len(
                table(
                    run(
                        "labels", clouds, "--target", "label", "-q", "--false-discovery-rate", rate
                    ).stdout
                )
            )
            for rate in (1e-9, 0.4)
        )
        assert strict < loose

    def test_nothing_found(self, tmp_path):
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
        frame["label"] = np.where(frame["a"] + rng.normal(size=80) > 0, "yes", "no")
        frame.to_csv(tmp_path / "overlap.csv", index=False)
        result = run("labels", tmp_path / "overlap.csv", "--target", "label")
        assert result.exit_code == 0
        assert result.stdout == "row,label_quality,given_label,predicted_label,q_value,a,b\n"
        assert "None of 80 labels looks wrong" in result.stderr

    def test_nothing_to_judge(self, tmp_path):
        rng = np.random.default_rng(2)
        frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
        frame["label"] = np.arange(60) % 2
        frame.to_csv(tmp_path / "noise.csv", index=False)
        result = run("labels", tmp_path / "noise.csv", "--target", "label")
        assert result.exit_code == 0
        assert "None of the 60 labels can be judged" in result.stderr

    def test_rows_that_cannot_be_judged_are_counted(self, clouds, tmp_path):
        frame = pd.read_csv(clouds)
        frame.loc[0, "label"] = "maybe"
        frame.to_csv(tmp_path / "third.csv", index=False)
        result = run("labels", tmp_path / "third.csv", "--target", "label")
        assert "1 row cannot be judged" in result.stderr


class TestJson:
    def test_standard_output(self, clouds):
        result = run("labels", clouds, "--target", "label", "--json", "-", "--quiet")
        found = json.loads(result.stdout)
        assert found["schema"] == "reldim.labels/1"
        assert found["version"] == reldim.__version__
        assert (found["rows"], found["flagged"], found["cannot_judge"]) == (118, 4, 0)
        assert sorted(issue["row"] for issue in found["issues"]) == [10, 11, 13, 14]
        assert {*found["issues"][0]} == {
            "row",
            "label_quality",
            "given_label",
            "predicted_label",
            "q_value",
        }

    def test_file_beside_the_table(self, clouds, tmp_path):
        paths = tmp_path / "l.csv", tmp_path / "l.json"
        run("labels", clouds, "--target", "label", "--output", paths[0], "--json", paths[1])
        issues = json.loads(paths[1].read_text())["issues"]
        assert [issue["row"] for issue in issues] == table(paths[0].read_text())["row"].tolist()

    def test_several_columns_of_numbers(self, tmp_path):
        X = np.linspace(-3, 3, 80)[:, None]
        Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])])
        Y += 0.05 * np.random.default_rng(0).normal(size=Y.shape)
        Y[7] += 4.0
        np.savez(tmp_path / "two.npz", X=X, y=Y)
        result = run("labels", tmp_path / "two.npz", "--json", "-", "--quiet")
        first = json.loads(result.stdout)["issues"][0]
        assert first["row"] == 7
        np.testing.assert_allclose(first["given_label"], Y[7])


class TestBadInput:
    @pytest.mark.parametrize("rate", ["0", "1", "1.5", "nan"])
    def test_rate(self, clouds, rate):
        line = refused("labels", clouds, "--target", "label", "--false-discovery-rate", rate)
        assert "between 0 and 1" in line

    def test_folder(self, tmp_path):
        assert "Got the folder" in refused("labels", tmp_path, "--target", "label")

    def test_no_target(self, clouds):
        assert "A target must be named" in refused("labels", clouds, "--quiet")

    def test_help_has_an_example(self):
        assert "reldim labels data.csv" in run("labels", "--help").stdout.partition("Examples")[2]


def test_names_of_the_file_are_kept_apart_from_ours():
    assert _own_names(["a", "row", "row_in_file"], ["row"]) == [
        "a",
        "row_in_file_in_file",
        "row_in_file",
    ]
