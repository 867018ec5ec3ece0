"""Files appear whole or not at all, and replace nothing unasked."""

import io
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import run
from reldim.exceptions import FileError
from reldim.files import writing
from reldim.files.writing import check_page, csv_text, whole_file, write_text


@pytest.fixture(params=["nameless", "named", "without links"], autouse=True)
def way(request, monkeypatch):
    """Every test runs on systems with files without names, without them, and without links."""
    if request.param != "nameless":
        monkeypatch.setattr(writing, "_opened", lambda draft: draft.open("xb"))
    if request.param == "without links":

        def unsupported(*_arguments, **_options):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", unsupported)
    return request.param


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file(tmp_path):
    write_text(tmp_path / "a.txt", "grün\n", overwrite=False)
    assert (tmp_path / "a.txt").read_bytes() == "grün\n".encode()
    assert names(tmp_path) == ["a.txt"]


def test_the_mode_is_that_of_any_other_file(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a.txt", "x", overwrite=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_an_existing_file_is_kept_unless_asked(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(FileError, match=r"exists already\. .* or pass overwrite=True \(--force"):
        write_text(path, "new", overwrite=False)
    assert path.read_text() == "old"
    write_text(path, "new", overwrite=True)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(FileError, match="exists already"), whole_file(path, overwrite=False) as f:
        f.write(b"mine")
        path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
@pytest.mark.parametrize("existing", [False, True])
def test_an_interruption_leaves_all_as_it_was(tmp_path, error, existing):
    path = tmp_path / "a.txt"
    if existing:
        path.write_text("old")
    with pytest.raises(error), whole_file(path, overwrite=True) as file:
        file.write(b"half")
        raise error
    assert names(tmp_path) == (["a.txt"] if existing else [])
    assert not existing or path.read_text() == "old"


def test_a_full_disk_leaves_all_as_it_was(tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        write_text(path, "new", overwrite=True)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["no/such/folder/a.txt", "x" * 300])
def test_where_nothing_can_be_written(tmp_path, name):
    with pytest.raises(FileError, match="cannot be written: "):
        write_text(tmp_path / name, "x", overwrite=True)
    assert names(tmp_path) == []


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written: Is a directory"):
        write_text(tmp_path / "folder", "x", overwrite=True)


def test_through_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real.txt")
    write_text(link, "new", overwrite=True)
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_devices_are_written_to_and_never_replaced():
    write_text(Path("/dev/null"), "x", overwrite=False)
    with pytest.raises(FileError, match="No space left on device"):
        write_text(Path("/dev/full"), "x", overwrite=True)
    assert Path("/dev/null").is_char_device()
    assert Path("/dev/full").is_char_device()


def test_of_many_writers_one_wins(tmp_path, way):
    if way == "without links":
        pytest.skip("the look and the step are two there")
    path = tmp_path / "a.txt"
    outcomes = []

    def write(number):
        try:
            write_text(path, str(number) * 1000, overwrite=False)
        except FileError:
            outcomes.append("refused")
        else:
            outcomes.append(number)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if outcome != "refused"]
    assert path.read_text() == str(winner) * 1000
    assert names(tmp_path) == ["a.txt"]


def test_a_file_system_without_files_without_names(tmp_path, monkeypatch, way):
    if way != "nameless":
        pytest.skip("that is what the other ways are for")

    def unsupported(*_arguments):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(writing.os, "open", unsupported)
    write_text(tmp_path / "a.txt", "x", overwrite=False)
    assert names(tmp_path) == ["a.txt"]


def test_names_of_pages():
    for name in ["report", "report.html", "REPORT.HTM"]:
        check_page(Path(name), "write_report")
    with pytest.raises(FileError, match=r"^--report writes a page in HTML.* Got x\.pdf; a browser"):
        check_page("x.pdf", "--report")


class TestCsv:
    @pytest.fixture(autouse=True)
    def way(self):
        """One is enough here."""

    @pytest.mark.parametrize(
        "text",
        ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\r=1", " =1", "+x", "-A1"],
    )
    def test_formulas_get_an_apostrophe(self, text):
        table = pd.DataFrame({text: [text, None], "b": pd.Categorical([text, "x"])})
        found = pd.read_csv(io.StringIO(csv_text(table)), lineterminator="\n")
        assert [*found.columns] == [f"'{text}", "b"]
        assert found.iloc[0].tolist() == [f"'{text}"] * 2
        assert pd.isna(found.iloc[1, 0])

    @pytest.mark.parametrize("text", ["-3", "+1.5e-3", "-1.234,50", "-", "a=1", "x@y.z", "", "'=1"])
    def test_other_text_stays(self, text):
        table = pd.DataFrame({"a": [text, "b"], "n": [-1.5, 2]})
        assert csv_text(table) == table.to_csv(index=False, lineterminator="\n")

    @pytest.mark.parametrize("table", [pd.DataFrame({"a": []}), pd.DataFrame(index=[0, 1])])
    def test_no_rows_and_no_columns(self, table):
        assert csv_text(table) == table.to_csv(index=False, lineterminator="\n")

    def test_two_columns_of_one_name(self):
        twice = pd.DataFrame([["=1", "=2"]], columns=["x", "x"])
        assert csv_text(twice) == "x,x\n'=1,'=2\n"

    def test_the_table_itself_stays(self):
        table = pd.DataFrame({"=a": ["=1"]})
        csv_text(table)
        assert table.to_dict("list") == {"=a": ["=1"]}

    def test_commands_write_by_it(self, tmp_path):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"=A1": rng.normal(size=40), "note": ["=HYPERLINK(1)", "@SUM"] * 20})
        frame["y"] = np.where(frame["=A1"] > 0, "=u", "+v")
        path, out = tmp_path / "data.csv", tmp_path / "out.csv"
        frame.to_csv(path, index=False)
        assert run("labels", path, "--target", "y", "--all", "--output", out).exit_code == 0
        found = pd.read_csv(out)
        assert {*found["note"]} == {"'=HYPERLINK(1)", "'@SUM"}
        assert {*found["given_label"]} == {"'=u", "'+v"}
        assert "'=A1" in found.columns
        found = run("columns", path, "--target", "y", "--csv", "-").stdout
        assert "\n'=A1," in found
