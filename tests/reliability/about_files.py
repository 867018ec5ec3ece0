"""Promises about files that are read and written."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import sqlite3
import zipfile
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reldim
from reldim.exceptions import FileError
from reldim.files.options import TableOptions
from reldim.files.reading import read_data
from reliability.promises import GAUSSIAN, LABELS, NUMBERS, X, promise, refused

TABLE = "a,b,y\n" + "".join(f"{i},{i * i % 7},{'uv'[i % 2]}\n" for i in range(10))


def reads(tmp_path, content, name="data.csv", target="y"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_data(path, target)


def bad(tmp_path, content, *words, name="data.csv", target="y"):
    refused(lambda: reads(tmp_path, content, name, target), name, *words, kind=FileError)


def expected(data):
    assert data.X.shape == (10, 2)
    assert data.X["a"].tolist() == list(range(10))
    assert data.y.tolist() == ["u", "v"] * 5


@promise("text files", "commas, semicolons, tabs or bars between fields", "found out, and said")
def separators(tmp_path):
    for separator in ",;\t|":
        expected(reads(tmp_path, TABLE.replace(",", separator)))
    expected(reads(tmp_path, TABLE.replace(",", "\t"), "data.tsv"))


@promise("text files", "blanks between fields", "refused; the message names the option")
def blanks(tmp_path):
    bad(tmp_path, TABLE.replace(",", "  "), "separated by blanks", "--sep")


@promise("text files", "a .tsv file without tabs", "refused; the message names the option")
def tsv_without_tabs(tmp_path):
    bad(tmp_path, TABLE, "ends in .tsv", "--sep", name="data.tsv")


@promise("text files", "decimal commas, byte order marks, UTF-16, line ends of any system", "read")
def spellings(tmp_path):
    expected(reads(tmp_path, "\ufeff" + TABLE))
    expected(reads(tmp_path, TABLE.encode("utf-16")))
    for end in ("\r\n", "\r", "\n\n"):
        expected(reads(tmp_path, TABLE.replace("\n", end)))
    assert reads(tmp_path, "a;y\n1,5;u\n2,5;v\n").X["a"].tolist() == [1.5, 2.5]


@promise("text files", "bytes that are no UTF-8", "read as Latin-1, and it is said")
def latin(tmp_path):
    data = reads(tmp_path, TABLE.replace("b", "é", 1).encode("latin-1"))
    assert "Latin-1" in data.steps[1]


@promise("text files", "an empty file, blank lines only, a header only, one row", "refused")
def too_little(tmp_path):
    for content in ("", "\n\n", "\ufeff", "  \n "):
        bad(tmp_path, content, "is empty")
    bad(tmp_path, "a,b,y\n", "no rows below it")
    bad(tmp_path, "a,b,y\n1,2,u\n", "holds one row")


@promise("text files", "a binary file, or half a file in UTF-16", "refused")
def no_text(tmp_path):
    bad(tmp_path, b"\x89PNG\r\n\x1a\n" + bytes(100), "not a text file")
    bad(tmp_path, TABLE.encode("utf-16")[:-1], "damaged at byte")


@promise(
    "text files", "a row with too many fields, a quote that is never closed", "refused by line"
)
def irregular(tmp_path):
    bad(tmp_path, TABLE + "1,2,u,4\n", "not a regular table", "line 12")
    bad(tmp_path, 'a,b,y\n"1,2,u\n3,4,v\n', "not a regular table", "row 1")


@promise("text files", "a title or remarks above the header", "skipped, and it is said")
def titles(tmp_path):
    for above in ("# a remark\n", "Sales of 2024\n\n", '""\n'):
        expected(reads(tmp_path, above + TABLE))
    assert "above the header ('# a remark')" in reads(tmp_path, "# a remark\n" + TABLE).steps[0]


@promise("text files", "a row with too few fields", "the others are missing values")
def short_rows(tmp_path):
    data = reads(tmp_path, "a,b,y\n1,2,u\n3\n4,5,v\n")
    assert data.steps[-1] == "Left out 1 of 3 rows, which has no target."


@promise("text files", "a field of more than a million characters", "refused")
def long_fields(tmp_path):
    bad(tmp_path, f"a,y\n1,u\n{'x' * 1_000_001},v\n", "too long", "never closed")
    bad(tmp_path, "x" * 200_000 + ",y\n1,2\n3,4\n", "too long")


@promise("text files", "20 000 columns, names in any script", "read")
def many_columns(tmp_path):
    names = ",".join(f"größe{i}" for i in range(20_000))
    rows = "".join(",".join(["1"] * 20_000) + f",{i}\n" for i in range(2))
    assert reads(tmp_path, f"{names},y\n{rows}").X.shape == (2, 20_000)


@promise("text files", "more than 100 000 columns", "refused at once, with what to do")
def too_many_columns(tmp_path):
    wide = ",".join(f"x{i}" for i in range(300_000))
    rows = (",".join("1" * 300_000) + "\n") * 20
    bad(tmp_path, f"{wide}\n{rows}", "300000 columns", "at most 100000", "(.npy)")


@promise("text files", "two columns of one name", "the second is renamed, and it is said")
def names_twice(tmp_path):
    data = reads(tmp_path, "a,a,y\n1,2,u\n3,4,v\n")
    assert [*data.X.columns] == ["a", "a.1"]
    assert "a is now a.1" in data.steps[1]


@promise("text files", "a target that is not there", "refused, with the columns and a guess")
def no_such_target(tmp_path):
    bad(tmp_path, TABLE, "no column 'Y'", "a, b, y", "mean 'y'?", target="Y")
    bad(tmp_path, "1,2\n3,4\n", "first line looks like data")


@promise("text files", "targets missing in some rows", "left out and counted; most: refused")
def targets_missing(tmp_path):
    bad(tmp_path, "a,y\n1,\n2,\n3,v\n", "missing in 2 of 3 rows")


@promise("text files", "formulas of spreadsheets in cells", "text like other text")
def formulas(tmp_path):
    content = "=cmd|' /C calc'!A0,b,y\n=1+1,2,u\n=2+2,3,v\n"
    assert reads(tmp_path, content).X.iloc[0, 0] == "=1+1"


@promise("text files", "no such file, a folder, another ending, no permission", "refused")
def no_file(tmp_path):
    refused(lambda: read_data(tmp_path / "no.csv", "y"), "does not exist", kind=FileError)
    refused(lambda: read_data(tmp_path, "y"), "folder", kind=FileError)
    bad(tmp_path, TABLE, "must end in one of", name="data.pkl")
    refused(lambda: read_data(tmp_path / ("x" * 300 + ".csv"), "y"), "x.csv", kind=FileError)


@promise("text files", "control characters in names", "written out in messages, never obeyed")
def control_characters(tmp_path):
    bad(tmp_path, "a\x1b[2J\x07,b,c\n1,2,3\n4,5,6\n", "a\\x1b[2J\\x07")
    arrays = npz(**{"one\ntwo\x1b[31m": X})
    bad(tmp_path, arrays, "one\\ntwo\\x1b[31m", name="a.npz", target=None)


@promise(
    "text files", "files packed by gzip, bzip2, xz or zip, and pipes", "as the files themselves"
)
def packed(tmp_path):
    data = TABLE.encode()
    expected(reads(tmp_path, gzip.compress(data), "data.csv.gz"))
    expected(reads(tmp_path, bz2.compress(data), "data.csv.bz2"))
    expected(reads(tmp_path, lzma.compress(data), "data.csv.xz"))
    expected(reads(tmp_path, zipped(data), "data.zip"))
    bad(tmp_path, gzip.compress(data)[:-9], "cannot be unpacked", name="data.csv.gz")
    bad(tmp_path, data, "cannot be unpacked", name="data.csv.zip")


@promise("text files", "a packed text that unpacks to a thousand times its size", "refused")
def text_bomb(tmp_path):
    path = tmp_path / "data.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(TABLE.encode())
        for _ in range(1100):
            file.write(bytes(2**20))
    refused(lambda: read_data(path, "y"), "unpacks to", kind=FileError)


@promise(
    "text files",
    "points or commas that may stand between thousands or before fractions",
    "told by the other columns, and said; else refused, and the message names the option",
)
def thousands(tmp_path):
    assert reads(tmp_path, "a;b;y\n17.042;1,5;u\n950;2,5;v\n").X["a"].tolist() == [17042, 950]
    bad(tmp_path, "a;y\n17.042;u\n950;v\n", "'17.042' beside '950'", "--thousands .")


@promise("text files", "amounts as targets, such as $24,000", "numbers, and the steps say so")
def written_targets(tmp_path):
    assert reads(tmp_path, 'a,y\n1,"$24,000"\n2,$950\n').y.tolist() == [24000, 950]


@promise("text files", "JSON lines, Excel and SQLite files that are damaged", "refused in one line")
def damaged_tables(tmp_path):
    bad(tmp_path, '{"a": 1, "y": 2}\n{"a"', "in line 2", name="data.jsonl")
    for name in ("data.db", "data.sqlite"):
        bad(tmp_path, b"SQLite format 3\0" + bytes(200), "cannot be read as", name=name)
    if find_spec("openpyxl"):
        bad(tmp_path, zipped(b"no workbook"), "cannot be read as", name="data.xlsx")


@promise(
    "text files", "a query that would write, or open other files", "refused; files are read only"
)
def writing_query(tmp_path):
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("create table t (a, y); insert into t values (1, 2), (3, 4)")
    before = path.read_bytes()
    for query in (
        "delete from t",
        f"attach '{tmp_path / 'other.db'}' as o",
        "pragma user_version=1",
    ):
        options = TableOptions(query=query)
        refused(lambda options=options: read_data(path, "y", options), "not authorized")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["data.db"]


def zipped(data):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("data.csv", data)
    return stream.getvalue()


# Arrays


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


@promise("array files", "pickled objects, in any file", "refused and never unpickled")
def pickles(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "trapped"),)

    trap = np.array([Trap(), Trap()], dtype=object)
    bad(tmp_path, npy(trap), "pickled", name="a.npy", target="0")
    bad(tmp_path, npz(X=trap, y=LABELS[:2]), "pickled", name="a.npz", target=None)
    (tmp_path / "a.reldim").write_bytes(pickle.dumps(Trap()))
    refused(lambda: reldim.load(tmp_path / "a.reldim"), "damaged", kind=FileError)
    assert not (tmp_path / "trapped").exists()


@promise("array files", "a header that claims more than the file holds", "refused, unallocated")
def lying_header(tmp_path):
    content = npy(np.zeros((3, 3))).replace(b"(3, 3), }", b"(10**15,)}")
    bad(tmp_path, content, "damaged", name="a.npy", target="0")
    content = npy(np.zeros((3, 3))).replace(b"(3, 3), }      ", b"(999999, 99999)}")
    bad(tmp_path, content, "damaged", name="a.npy", target="0")


@promise("array files", "an archive that unpacks to a thousand times its size", "refused")
def bomb(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("X.npy", "w", force_zip64=True) as member:
            member.write(npy(np.zeros((1, 10))).replace(b"(1, 10), }       ", b"(20000000, 10), }"))
            for _ in range(1600):
                member.write(bytes(10**6))
        archive.writestr("y.npy", npy(np.zeros(10)))
    refused(lambda: read_data(path), "(X.npy) unpacks to 1.5 GiB", kind=FileError)


@promise("array files", "an archive of more than a thousand arrays", "refused")
def many_members(tmp_path):
    bad(
        tmp_path, npz(**{f"a{i}": np.zeros(1) for i in range(1001)}), "at most 1000 arrays",
        name="a.npz", target=None,
    )  # fmt: skip


@promise("array files", "a file that was cut or changed", "refused, or unharmed")
def damaged_arrays(tmp_path):
    for content, name, target in (
        (npy(X), "a.npy", "0"),
        (npz(X=X, y=NUMBERS), "a.npz", None),
    ):
        for cut in (len(content) - 1, len(content) // 2, 20):
            bad(tmp_path, content[:cut], "damaged", name=name, target=target)
        places = range(40, len(content) - 200, 97)
        for place in places if name == "a.npz" else [7, 12]:
            changed = content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]
            try:
                data = reads(tmp_path, changed, name, target)
            except FileError:
                continue
            # Dates and other remarks of an archive say nothing about what it holds.
            np.testing.assert_array_equal(data.X, X)


@promise("array files", "arrays that do not belong together, dates, complex numbers", "refused")
def other_arrays(tmp_path):
    bad(tmp_path, npz(X=X, y=NUMBERS[:-1]), "40 x 3 and 39", name="a.npz", target=None)
    bad(tmp_path, npz(Z=X), "no array 'X'", "are Z", name="a.npz", target=None)
    for array in (X + 1j, X.astype("M8[s]"), np.zeros(3, dtype=[("a", "f8")])):
        bad(tmp_path, npz(X=array, y=np.zeros(len(array))), name="a.npz", target=None)


@promise(
    "array files",
    "a damaged Parquet file",
    "refused in one line; where only remarks of pandas are damaged, perhaps read as it was",
)
def damaged_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": X[:, 0], "y": LABELS})
    frame.to_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for content in (b"", b"PAR1", whole[:-5], whole[: len(whole) // 2], TABLE.encode()):
        bad(tmp_path, content, name="data.parquet")
    for word in (b"pandas_type", b"numpy_type"):
        try:
            data = reads(tmp_path, whole.replace(word, word[::-1]), "data.parquet")
        except FileError as error:
            assert "\n" not in str(error)
            continue
        np.testing.assert_array_equal(data.X["a"], X[:, 0])
        np.testing.assert_array_equal(data.y, LABELS)


@promise(
    "array files",
    "a Parquet file with two columns of the same name",
    "the second is renamed, and it is said; or refused in one line, as pyarrow has it",
)
def twice_in_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    write = pytest.importorskip("pyarrow.parquet").write_table
    arrays, kind = [X[:, 0], X[:, 1], NUMBERS], {"pandas_type": "float64", "numpy_type": "float64"}
    # Columns of the table, and the names that remarks of pandas give to them.
    for fields, names in (("ayy", "ayy"), ("aby", "ayy"), ("aby", "aay")):
        columns = [{"name": n, "field_name": f, **kind} for n, f in zip(names, fields, strict=True)]
        remarks = {"index_columns": [], "column_indexes": [], "columns": columns}
        table = arrow.Table.from_arrays(arrays, names=[*fields])
        write(table.replace_schema_metadata({"pandas": json.dumps(remarks)}), tmp_path / "made")
        # Some versions of pyarrow refuse it themselves, in other words.
        try:
            data = reads(tmp_path, (tmp_path / "made").read_bytes(), "data.parquet")
        except FileError as error:
            assert "\n" not in str(error)
            continue
        assert data.X.columns.is_unique
        assert data.steps[1].startswith("Renamed columns that had the name of another")


@promise("text files", "FASTA without headers, with digits, or headers without a target", "refused")
def bad_fasta(tmp_path):
    bad(tmp_path, "ACGT\n", "must begin with a header", name="a.fasta", target="0")
    bad(tmp_path, ">s a\nAC1\n>t b\nACG\n", "Got '1'", name="a.fasta", target="1")
    bad(tmp_path, ">s\n>t\nACG\n", "no letters below", name="a.fasta", target="0")
    bad(tmp_path, ">s\nACT\n>t\nACG\n", "Got 'y'", name="a.fasta", target="y")


@promise("array files", "a saved diagnosis or model", "loads as it was; predicts the same bits")
def saved(tmp_path):
    model = reldim.KernelPCRegressor(GAUSSIAN).fit(X, NUMBERS)
    reldim.save(model, tmp_path / "model.reldim")
    again = reldim.load(tmp_path / "model.reldim")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@promise("array files", "a saved file that was cut, or changed anywhere", "refused, or unharmed")
def damaged_storage(tmp_path):
    model = reldim.KernelPCRegressor(GAUSSIAN).fit(X, NUMBERS)
    path = tmp_path / "model.reldim"
    reldim.save(model, path)
    whole, answers = path.read_bytes(), model.predict(X)
    for cut in range(0, len(whole), 101):
        path.write_bytes(whole[:cut])
        refused(lambda: reldim.load(path), "damaged", kind=FileError)
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            again = reldim.load(path)
        except FileError:
            continue
        np.testing.assert_array_equal(again.predict(X), answers)


@promise("array files", "a model with a function of the user's", "not saved: files hold no code")
def functions_are_not_saved(tmp_path):
    model = reldim.KernelPCRegressor(lambda A, B: A @ B.T).fit(X, NUMBERS)
    try:
        reldim.save(model, tmp_path / "model.reldim")
    except TypeError as error:
        assert "code in the file" in str(error)
    assert not [*tmp_path.iterdir()]


# Writing


@pytest.fixture(scope="module")
def diagnosis():
    return reldim.diagnose(X, LABELS, kernels=GAUSSIAN)


def ways(diagnosis):
    return (diagnosis.to_json, diagnosis.write_report, diagnosis.save)


@promise("writing", "a file that exists", "kept, unless it is asked to be replaced")
def existing(tmp_path, diagnosis):
    path = tmp_path / "out"
    for write in ways(diagnosis):
        path.write_text("mine")
        refused(lambda write=write: write(path), "exists already", kind=FileError)
        assert path.read_text() == "mine"
        write(path, overwrite=True)
        assert path.stat().st_size > 100


@promise(
    "writing", "a folder that is missing or not writable, a full disk", "refused with the cause"
)
def unwritable(tmp_path, diagnosis):
    for write in ways(diagnosis):
        for path in (tmp_path / "no" / "out", Path("/proc/out"), tmp_path):
            refused(
                lambda write=write, path=path: write(path, overwrite=True), "cannot be written",
                kind=FileError,
            )  # fmt: skip
        if Path("/dev/full").exists():
            refused(lambda write=write: write("/dev/full"), "No space left", kind=FileError)
    assert not [*tmp_path.iterdir()]


@promise("writing", "JSON", "valid without NaN, in a form that docs/schema describes")
def json_without_nan(tmp_path, diagnosis):
    for found in (
        diagnosis,
        reldim.diagnose(X, np.roll(NUMBERS, 7)),
        reldim.diagnose(X[:2], [0, 1]),
    ):
        found.to_json(tmp_path / "out.json", overwrite=True)
        text = (tmp_path / "out.json").read_text(encoding="utf-8")

        def refuse(constant):
            raise AssertionError(f"{constant} in JSON")

        assert json.loads(text, parse_constant=refuse)["schema"].startswith("reldim.diagnosis/")


@promise("writing", "markup and control characters in names and labels", "escaped in reports")
def escaping(tmp_path):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}"
    frame = pd.DataFrame(X, columns=[f"{evil}{i}" for i in range(3)])
    y = np.where(LABELS > 0, evil, f"'\"&{evil}")
    found = reldim.diagnose(frame, y, kernels={evil: GAUSSIAN})
    found.write_report(tmp_path / "report.html", data=frame, name=evil, command=evil)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    for text in (html, found._repr_html_()):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "</script><script>" not in text.replace("</script>\n<script>", "")
