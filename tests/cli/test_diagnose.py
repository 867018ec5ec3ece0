"""The command diagnose: what it prints, what it writes, and how it ends."""

import json
import os
import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from commands import refused, run
from reldim.cli import app
from reldim.cli.diagnose import next_steps
from reldim.cli.request import Request
from reldim.diagnosis.verdicts import CODES

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[3] / "shared" / "data"))


needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="no data folder: set RELDIM_DATA to run this test"
)


class TestDiagnose:
    def test_output(self, noisy):
        result = run("diagnose", noisy, "--target", "y")
        assert result.exit_code == 0
        assert result.stderr == ""
        assert result.stdout.startswith("RD003 Limited by noise, or complex and noisy\n")
        for part in ("80, regression", "best of 20 by likelihood", "relevant dimension", "p = "):
            assert part in result.stdout
        assert "more rows are in the output of --json and in the report." in result.stdout
        assert "  - Read 80 rows and 2 columns from noisy.csv." in result.stdout
        assert "  - Scaled the column to mean 0 and variance 1." in result.stdout

    def test_best_candidate_is_marked_once(self, noisy):
        marked = [
            line
            for line in run("diagnose", noisy, "--target", "y").stdout.splitlines()
            if line.startswith(" * ")
        ]
        assert len(marked) == 1
        chosen = json.loads(run("diagnose", noisy, "--target", "y", "--json", "-").stdout)["kernel"]
        assert chosen in marked[0]

    def test_few_candidates_are_all_shown(self, noisy):
        result = run("diagnose", noisy, "--target", "y", "--kernel", "linear")
        assert "best of 1" in result.stdout
        assert "more rows are" not in result.stdout

    def test_kernels_are_sorted_and_agree_with_the_headline(self, noisy):
        """The best comes first; what its error leaves out is said beside that of the headline."""
        text = run("diagnose", noisy, "--target", "y").stdout
        lines = text.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("Kernels tried, by"))
        rows = [line.split() for line in lines[head + 2 : head + 10]]
        assert rows[0][0] == "*"
        assert all("Gaussian(width=" in " ".join(row) for row in rows)
        values = [float(row[3 if row[0] == "*" else 2]) for row in rows]
        assert values == sorted(values)
        expected = next(line for line in lines if "expected error  " in line).split()[2]
        found = json.loads(run("diagnose", noisy, "--target", "y", "--json", "-").stdout)
        (best,) = (row for row in found["candidates"] if row["chosen"])
        assert rows[0][4] == f"{best['error_estimate']:.1%}"
        assert expected == f"{found['error_estimate']:.1%}"
        assert f"counts no choice among kernels; the predictor has {expected}." in " ".join(
            text.split()
        )

    def test_one_noise_figure(self, noisy):
        text = run("diagnose", noisy, "--target", "y").stdout
        residual = json.loads(run("diagnose", noisy, "--target", "y", "--json", "-").stdout)
        assert f"{residual['training_residual']:.1%}" not in text
        assert "noise level" not in text

    def test_columns_of_the_same_name_are_told_apart(self, noisy):
        lines = noisy.read_text(encoding="utf-8").splitlines()
        rows = [f"{line.partition(',')[0]},{line}" for line in lines]
        noisy.write_text("\n".join(rows), encoding="utf-8")
        result = run("diagnose", noisy, "--target", "y", "--kernel", "linear")
        assert result.exit_code == 0
        assert "Renamed columns that had the name of another: x is now x.1." in result.stdout

    def test_words_are_explained(self, noisy):
        text = run("diagnose", noisy, "--target", "y").stdout
        for word in ("kernel   ", "relevant dimension  how many", "signal   "):
            assert word in text.partition("What the words mean")[2]

    def test_mixed_table(self, mixed):
        result = run("diagnose", mixed, "--target", "label")
        assert result.exit_code == 0
        assert "58, classification (2 distinct labels)" in result.stdout
        for step in (
            "Left out 1 of 60 rows, which has no target.",
            "Left out 1 row that repeats another, features and target alike.",
            "Left out id: it numbers the rows.",
            "Encoded town as categories",
            "Filled 2 missing values in x",
        ):
            assert step in result.stdout

    def test_same_output_twice(self, mixed):
        command = ["diagnose", mixed, "--target", "label", "--kernel", "polynomial"]
        first, second = (run(*command).stdout for _ in range(2))
        assert first == second

    def test_sequences(self, tmp_path):
        letters = np.random.default_rng(0).choice(list("ACGT"), (60, 8))
        frame = pd.DataFrame({"dna": ["".join(row) for row in letters], "y": letters[:, 2] == "A"})
        frame.to_csv(tmp_path / "dna.csv", index=False)
        result = run("diagnose", tmp_path / "dna.csv", "--target", "y")
        assert result.exit_code == 0
        assert "WeightedDegree" in result.stdout
        assert "Took dna as sequences of 8 letters." in result.stdout

    def test_several_kernels_and_other_criterion(self, noisy):
        kernels = ["--kernel", "linear", "--kernel", "polynomial"]
        options = ["--criterion", "leave-one-out", "--seed", "3", "--json", "-"]
        result = run("diagnose", noisy, "--target", "y", *kernels, *options)
        assert result.exit_code == 0
        figures = json.loads(result.stdout)
        assert figures["criterion"] == "leave-one-out"
        tried = {row["kernel"].partition("(")[0] for row in figures["candidates"]}
        assert tried == {"Linear", "Polynomial"}

    def test_numbers_of_cores(self, noisy):
        one, two = (run("diagnose", noisy, "--target", "y", "--jobs", n) for n in ("1", "2"))
        assert one.exit_code == two.exit_code == 0
        assert one.stdout == two.stdout
        zero = run("diagnose", noisy, "--target", "y", "--jobs", "0")
        assert (zero.exit_code, zero.stdout) == (2, "")
        assert "error: --jobs must not be 0. Give 1 for one core" in zero.stderr

    def test_task(self, noisy):
        assert (
            "regression (as asked)"
            in run("diagnose", noisy, "--target", "y", "--task", "regression").stdout
        )

    def test_arrays_are_taken_as_they_are(self, arrays):
        result = run("diagnose", arrays)
        assert "RD011 Columns of very different scale" in result.stdout
        assert "Scaled" not in result.stdout

    def test_arrays_are_scaled_on_request(self, arrays):
        result = run("diagnose", arrays, "--scale")
        assert "RD011" not in result.stdout
        assert "Scaled all 2 columns" in result.stdout

    def test_tables_are_not_scaled_on_request(self, noisy):
        command = ["diagnose", noisy, "--target", "y", "--kernel", "linear"]
        assert "Scaled" not in run(*command, "--no-scale").stdout

    def test_quiet(self, noisy):
        result = run("diagnose", noisy, "--target", "y", "--quiet")
        assert result.stdout == "RD003 Limited by noise, or complex and noisy\n"

    def test_colours_and_their_absence(self, noisy, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.delenv("NO_COLOR", raising=False)
        command = ["diagnose", noisy, "--target", "y", "--kernel", "linear"]
        assert "\x1b[1;33m" in run(*command).stdout
        assert "\x1b[1;33m" not in run(*command, "--no-color").stdout

    def test_names_are_printed_literally(self, tmp_path):
        frame = pd.DataFrame({"[red]a": [1, 1, 1, 1], "b": [1, 2, 3, 5], "y": [1, 2, 3, 5.5]})
        frame.to_csv(tmp_path / "t.csv", index=False)
        assert "Left out [red]a:" in run("diagnose", tmp_path / "t.csv", "--target", "y").stdout


def next_commands(stdout):
    """Return the commands at the end of what was printed."""
    lines = stdout.partition("\nNext\n")[2].splitlines()
    return [line.strip() for line in lines if line.startswith("    ")]


class TestNext:
    def test_commands_can_be_typed(self, tmp_path):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 3))
        frame = pd.DataFrame(X, columns=["a b", "c", "id no"])
        frame["the y"] = np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
        file = tmp_path / "a file.csv"
        frame.to_csv(file, index=False)
        told = next_commands(
            run("diagnose", file, "--target", "the y", "--drop", "id no", "--seed", "3").stdout
        )
        names = [shlex.split(command)[1] for command in told]
        assert {"labels", "forecast", "diagnose"} <= {*names}
        for command in told:
            program, *arguments = shlex.split(command)
            assert program == "reldim"
            if arguments[0] == "diagnose":
                arguments[-1] = tmp_path / "report.html"
            assert run(*arguments).exit_code == 0
            assert "'the y'" in command
            assert "'id no'" in command

    def test_a_column_that_tells_the_target_is_left_out_first(self, tmp_path):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "junk"])
        frame["y"] = frame["a"] + rng.normal(size=60)
        frame["net, y"] = 0.81 * frame["y"]
        file = tmp_path / "leak.csv"
        frame.to_csv(file, index=False)
        flags = ["--target", "y", "--drop", "junk", "--kernel", "linear"]
        told = next_commands(run("diagnose", file, *flags).stdout)
        assert told[0] == (
            f"reldim diagnose {file} --target y --drop junk --drop 'net, y' --kernel linear"
        )
        result = run(*shlex.split(told[0])[1:])
        assert result.exit_code == 0
        assert "RD016" not in result.stdout
        assert "without" not in result.stdout.partition("Next")[2]

    def test_no_line_is_broken_in_a_narrow_terminal(self, noisy, monkeypatch):
        monkeypatch.setenv("COLUMNS", "40")
        told = next_commands(run("diagnose", noisy, "--target", "y").stdout)
        assert f"reldim labels {noisy} --target y" in told
        assert f"reldim diagnose {noisy} --target y --report report.html" in told

    def test_report_is_not_proposed_twice(self, noisy, tmp_path):
        report = tmp_path / "r.html"
        told = next_commands(run("diagnose", noisy, "--target", "y", "--report", report).stdout)
        assert not [command for command in told if "--report" in command]

    def test_only_the_report_where_there_is_no_signal(self, tmp_path):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.choice(["a", "b"], 60)})
        frame.to_csv(tmp_path / "n.csv", index=False)
        result = run("diagnose", tmp_path / "n.csv", "--target", "y")
        assert result.stdout.startswith("RD001")
        (command,) = next_commands(result.stdout)
        assert command.endswith("--report report.html")

    def test_what_was_piped_is_piped_again(self, noisy):
        result = CliRunner().invoke(
            app, ["diagnose", "-", "--target", "y"], input=noisy.read_text(encoding="utf-8")
        )
        assert "... | reldim labels - --target y" in next_commands(result.stdout)


def proposed(
    code="RD002",
    alternatives=(),
    *,
    file="data.csv",
    shares=(1,),
    reported=False,
    leak=None,
    other_leak=None,
):
    places = {"column": leak} | ({} if other_leak is None else {"column_2": other_leak, "share": 1})
    found = SimpleNamespace(
        task="classification",
        column_shares=shares,
        verdict=SimpleNamespace(code=code, alternatives=alternatives),
        findings=[] if leak is None else [SimpleNamespace(code="RD016", figures=places)],
        problem=SimpleNamespace(table=SimpleNamespace(sources=["size", "paid later"])),
    )
    request = Request(file=Path(file), target="y", kernel=("linear",))
    steps = next_steps(found, request, reported=reported)
    return [command for _, command in steps]


def names(commands):
    return [command.split("reldim ")[1].split()[0] for command in commands]


@pytest.mark.parametrize(
    "code, expected",
    [
        ("RD002", ["columns", "labels", "forecast", "diagnose"]),
        ("RD004", ["forecast", "columns", "labels", "diagnose"]),
        ("RD001", ["diagnose"]),
    ],
)
def test_order_follows_the_verdict(code, expected):
    assert names(proposed(code)) == expected


def test_what_more_rows_bring_comes_first_where_it_is_open():
    assert names(proposed("RD003", ("RD005",))) == names(proposed("RD005"))
    assert names(proposed("RD003")) == names(proposed("RD002"))


def test_columns_need_shares_and_take_no_kernels():
    assert "columns" not in names(proposed(shares=()))
    columns, labels, *_ = proposed()
    assert "--kernel" not in columns
    assert "--kernel" in labels
    assert all("--target y" in command for command in (columns, labels))


def test_a_report_is_proposed_once():
    assert "--report report.html" in proposed()[-1]
    assert "diagnose" not in names(proposed(reported=True))


def test_what_was_piped_has_to_be_piped_again(tmp_path):
    assert all(command.startswith("... | ") for command in proposed(file="-"))
    assert names(proposed(file=str(tmp_path))) == ["diagnose"]


def test_a_column_that_tells_the_target_is_left_out_first():
    first, *others = proposed(leak=1)
    assert first == "reldim diagnose data.csv --target y --drop 'paid later' --kernel linear"
    assert others == proposed()


def test_all_columns_that_tell_the_target_are_left_out():
    first, *others = proposed(leak=1, other_leak=0)
    assert first.startswith("reldim diagnose data.csv --target y --drop 'paid later' --drop size ")
    assert others == proposed()


class TestNarrowTerminals:
    @pytest.mark.parametrize("width", [50, 60])
    def test_names_of_kernels_stay_whole(self, noisy, monkeypatch, width):
        monkeypatch.setenv("COLUMNS", str(width))
        text = run("diagnose", noisy, "--target", "y").stdout
        table = text.partition("Kernels tried")[2].partition("What was done")[0]
        assert len(re.findall(r"Gaussian\(width=[\d.]+\)", table)) == 8


class TestJson:
    def test_standard_output_holds_nothing_else(self, mixed):
        result = run("diagnose", mixed, "--target", "label", "--json", "-")
        assert result.exit_code == 0
        assert result.stderr == ""
        figures = json.loads(result.stdout)
        assert figures["rows"] == 58
        assert figures["classes"] == ["high", "low"]
        assert figures["preparation"][0] == "Read 60 rows and 4 columns from mixed.csv."

    def test_file(self, noisy, tmp_path):
        out = tmp_path / "out.json"
        result = run("diagnose", noisy, "--target", "y", "--json", out)
        assert result.stdout.startswith("RD003")
        assert json.loads(out.read_text(encoding="utf-8"))["verdict"]["code"] == "RD003"
        assert {path.name for path in tmp_path.iterdir()} == {"noisy.csv", "out.json"}

    def test_file_and_standard_output_agree(self, noisy, tmp_path):
        out = tmp_path / "out.json"
        command = ["diagnose", noisy, "--target", "y", "--kernel", "linear", "--json"]
        run(*command, out)
        printed = run(*command, "-").stdout
        assert printed == out.read_text(encoding="utf-8")

    def test_existing_file_is_kept(self, noisy, tmp_path):
        out = tmp_path / "out.json"
        out.write_text("precious")
        command = ["diagnose", noisy, "--target", "y", "--kernel", "linear", "--json", out]
        assert "exists already" in refused(*command)
        assert out.read_text() == "precious"
        assert run(*command, "--force").exit_code == 0
        assert json.loads(out.read_text())

    def test_folder(self, noisy, tmp_path):
        assert "folder" in refused("diagnose", noisy, "--target", "y", "--json", tmp_path)

    def test_missing_folder(self, noisy, tmp_path):
        out = tmp_path / "no" / "out.json"
        assert "does not exist" in refused("diagnose", noisy, "--target", "y", "--json", out)


class TestFailOn:
    def test_verdict(self, noisy):
        command = ["diagnose", noisy, "--target", "y", "--quiet", "--fail-on"]
        found = run(*command, "rd003")
        assert found.exit_code == 1
        assert found.stdout == "RD003 Limited by noise, or complex and noisy\n"
        assert found.stderr == "reldim: found RD003 Limited by noise, or complex and noisy\n"
        assert run(*command, "RD001").exit_code == 0
        # Which is named beside the verdict only.
        assert run(*command, "RD005").exit_code == 0
        assert run(*command, "RD001", "--fail-on", "RD003").exit_code == 1

    def test_finding(self, arrays):
        assert run("diagnose", arrays, "--fail-on", "RD011").exit_code == 1

    def test_names_stand_for_codes(self, noisy):
        command = ["diagnose", noisy, "--target", "y", "--quiet", "--fail-on"]
        assert run(*command, "limited-by-noise").exit_code == 1
        assert run(*command, "Limited by noise").exit_code == 1
        assert run(*command, "well-solved").exit_code == 0
        line = refused(*command, "limited-by-nois")
        assert "Got 'limited-by-nois' instead. Did you mean limited-by-noise?" in line

    def test_unknown_code(self, noisy):
        line = refused("diagnose", noisy, "--target", "y", "--fail-on", "RD999")
        assert "Got 'RD999'" in line
        assert all(code in line for code in CODES)


class TestBadInput:
    @pytest.mark.parametrize(
        "arguments, words",
        [
            (["diagnose"], "FILE"),
            (["bogus"], "bogus"),
            (["--bogus"], "--bogus"),
            (["diagnose", "a.csv", "b.csv"], "b.csv"),
            (["diagnose", "a.csv", "--target"], "--target"),
            (["diagnose", "a.csv", "--task", "ranking"], "ranking"),
            (["diagnose", "a.csv", "--criterion", "luck"], "luck"),
            (["diagnose", "a.csv", "--seed", "-1"], "--seed"),
            (["diagnose", "a.csv", "--seed", "x"], "--seed"),
        ],
    )
    def test_wrong_usage(self, arguments, words):
        line = refused(*arguments)
        assert words in line
        assert "--help" in line

    @pytest.mark.parametrize(
        "arguments, guess",
        [
            (["diagnose", "a.csv", "--targte", "y"], "Did you mean --target? Try:"),
            (["labels", "a.csv", "--kernal", "y"], "Did you mean --kernel? Try:"),
            (["diganose"], "Did you mean 'diagnose'? Try:"),
            (["diagnose", "a.csv", "--bogus"], "No such option: --bogus. Try:"),
        ],
    )
    def test_near_misses_of_options_and_commands(self, arguments, guess):
        assert guess in refused(*arguments)

    @pytest.mark.parametrize(
        "name, content, words",
        [
            ("empty.csv", "", "is empty"),
            ("header.csv", "a,y\n", "no rows"),
            ("data.ods", "a", ".csv, .tsv, .txt, .dat, .parquet"),
            ("other.csv", "a,z\n1,2\n3,4\n", "no column 'y'"),
            ("alone.csv", "y\n1\n2\n", "no column beside the target"),
            ("long.csv", "a,y\n1,2\n1,2,3,4\n", "not a regular table"),
            ("gaps.csv", "a,y\n1,\n2,\n3,1\n", "missing in 2 of 3 rows"),
            ("infinite.csv", "a,y\n1,1\ninf,2\n3,1\n", "finite"),
            ("constant.csv", "a,y\n1,5\n2,5\n3,5\n", "y"),
            ("one.csv", "a,y\n1,5\n", "row"),
            ("nothing.csv", "a,y\n1,1\n1,2\n1,1\n", "No column is left"),
            ("y.npy", b"no array", "pickled"),
            ("y.npz", b"no archive", "pickled"),
        ],
    )
    def test_wrong_files(self, tmp_path, name, content, words):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        assert words in refused("diagnose", path, "--target", "y")

    def test_missing_file(self, tmp_path):
        assert "does not exist" in refused("diagnose", tmp_path / "no.csv", "--target", "y")

    def test_folder(self, tmp_path):
        message = refused("diagnose", tmp_path, "--target", "y")
        assert "A folder of data must hold Parquet files" in message

    def test_no_target(self, noisy):
        assert "--target" in refused("diagnose", noisy)

    def test_near_miss_of_a_column(self, mixed):
        assert "Did you mean 'label'?" in refused("diagnose", mixed, "--target", "lable")

    def test_unknown_kernel(self, noisy):
        line = refused("diagnose", noisy, "--target", "y", "--kernel", "gausian")
        assert "Did you mean 'gaussian'?" in line

    def test_reports_are_pages(self, noisy, tmp_path):
        line = refused("diagnose", noisy, "--target", "y", "--report", tmp_path / "x.pdf")
        assert "--report writes a page in HTML" in line

    def test_labels_for_a_regression(self, mixed):
        line = refused("diagnose", mixed, "--target", "label", "--task", "regression")
        assert "numbers" in line

    def test_array_with_gaps(self, tmp_path):
        np.savez(tmp_path / "a.npz", X=[[1.0], [np.nan], [3.0]], y=[0, 1, 0])
        assert "NaN" in refused("diagnose", tmp_path / "a.npz")

    def test_scaled_sequences(self, tmp_path):
        (tmp_path / "s.csv").write_text("s,y\nACGTA,1\nCCGTA,2\n")
        line = refused("diagnose", tmp_path / "s.csv", "--target", "y", "--scale")
        assert "Only columns of numbers can be scaled" in line

    def test_table_without_skrub(self, mixed, monkeypatch):
        monkeypatch.setitem(sys.modules, "skrub", None)
        line = refused("diagnose", mixed, "--target", "label")
        assert "pip install 'reldim[tables]'" in line


@needs_data
class TestRealData:
    def test_pima_is_limited_by_noise(self):
        result = run("diagnose", DATA / "mass" / "Pima.tr.csv", "--target", "type", "--json", "-")
        figures = json.loads(result.stdout)
        assert figures["verdict"]["code"] == "RD003"
        assert "Left out rownames: it numbers the rows." in figures["preparation"]

    def test_crabs_with_categories(self):
        result = run("diagnose", DATA / "mass" / "crabs.csv", "--target", "BD", "--quiet")
        assert result.exit_code == 0
        assert result.stdout == "RD002 Well solved\n"
