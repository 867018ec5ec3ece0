"""What is fuzzed: functions of arbitrary bytes that may refuse them, and do nothing else wrong.

A target returns whether the bytes were taken, raises a ReldimError of one line where they are
refused, and raises anything else where there is a fault.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

import reldim
from reldim.exceptions import ReldimError
from reldim.files.fasta import read_fasta
from reldim.files.options import TableOptions
from reldim.files.reading import read_data
from reldim.files.source import open_source
from reldim.files.text import read_table

__all__ = ["SEEDS", "TARGETS", "attempt"]

#: Tables that other libraries read, and packed ones.
OTHER_TABLES = (
    ".parquet", ".feather", ".xlsx", ".jsonl", ".json", ".db", ".gz", ".bz2", ".xz", ".zip"
)  # fmt: skip

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.where(X[:, 0] > 0, 1, -1)


class FaultError(AssertionError):
    """Something that must not happen."""


@cache
def _folder() -> Path:
    memory = Path("/dev/shm")  # noqa: S108
    return Path(tempfile.mkdtemp(prefix="reldim-fuzz-", dir=memory if memory.is_dir() else None))


def _file(data: bytes, ending: str) -> Path:
    path = _folder() / f"input{ending}"
    path.write_bytes(data)
    return path


def attempt(target: str, data: bytes) -> bool:
    """Feed bytes to a target; tell whether they were taken, and raise only on a fault."""
    try:
        TARGETS[target](data)
    except ReldimError as error:
        if "\n" in str(error) or not str(error):
            raise FaultError(f"a message of several lines, or none: {error!r}") from error
        return False
    return True


def _text(data: bytes, ending: str) -> None:
    path = _file(data, ending)
    # The other reader skips no titles.
    frame = read_table(open_source(path), TableOptions(skip_rows=0)).frame
    if frame.columns.duplicated().any():
        raise FaultError("two columns of one name")
    separators = "\t" if ending == ".tsv" else ",;\t|"
    if not any(len(frame) in _rows(path, separator) for separator in separators):
        raise FaultError(f"{len(frame)} rows, by another reader {_rows(path, ',')}")
    read_data(path, str(frame.columns[-1]))


def _rows(path: Path, separator: str) -> range:
    """Count the rows below the header with another reader."""
    raw = path.read_bytes()
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = raw.decode("utf-16")
    else:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    # A line of blanks is none, a quoted blank is one; this reader cannot tell one from the other.
    rows = [row for row in reader if row]
    blank = sum(len(row) == 1 and not row[0].strip() for row in rows)
    return range(len(rows) - blank - 1, len(rows))


def _npy(data: bytes) -> None:
    read_data(_file(data, ".npy"), "0")


def _npz(data: bytes) -> None:
    path = _file(data, ".npz")
    found = read_data(path)
    with np.load(path, allow_pickle=False) as arrays:
        y = arrays["y"]
    # Rows without a target are left out.
    if not pd.isna(y).any() and not np.array_equal(found.y, y):
        raise FaultError("another target than NumPy reads")


def _table(ending: str) -> Callable[[bytes], None]:
    return lambda data: _discard(read_data(_file(data, ending), "y"))


def _discard(_value: object) -> None:
    """Nothing is to be said about it but that it came."""


def _fasta(data: bytes) -> None:
    path = _file(data, ".fasta")
    found = read_fasta(open_source(path))
    if len(found.headers) != len(found.rows) or not all(found.rows):
        raise FaultError("headers and sequences that do not belong together")
    read_data(path, "0")


def _storage(data: bytes) -> None:
    path = _file(data, ".reldim")
    model = reldim.load(path)
    if hasattr(model, "predict") and isinstance(model, reldim.KernelPCRegressor):
        answers, expected = model.predict(X), _model().predict(X)
        # Sums find damage: what loads is what was saved.
        if not np.array_equal(answers, expected):
            raise FaultError("a changed model was loaded")


def _report(data: bytes) -> None:
    """Names, labels and titles of any letters in the report, the notebook, JSON and the text."""
    text = data.decode("utf-8", errors="replace")
    parts = [text[i::4] for i in range(4)]
    frame = pd.DataFrame(X, columns=[f"{parts[0]}", f"{parts[0]}2"])
    labels = np.where(Y > 0, f"a{parts[1][:900]}", "b")
    found = reldim.diagnose(frame, labels, kernels={parts[2]: reldim.kernels.Gaussian(1.0)})
    path = _folder() / "report.html"
    found.write_report(path, data=frame, name=parts[3], command=text, overwrite=True)
    page = path.read_text(encoding="utf-8")
    for mark in _tags(text):
        if mark in page.replace(_plain_page(), ""):
            raise FaultError(f"markup of the input in the page: {mark!r}")
    if json.loads(json.dumps(found.to_dict(), allow_nan=False)) != found.to_dict():
        raise FaultError("JSON that is not the same when read")
    str(found)


def _tags(text: str) -> list[str]:
    """List what would be markup if it came through: an opening and what follows it."""
    places = [i for i, letter in enumerate(text) if letter == "<"]
    return [text[i : i + 12] for i in places if text[i + 1 : i + 2].isalpha() and len(text) > i + 6]


@cache
def _plain_page() -> str:
    path = _folder() / "plain.html"
    frame = pd.DataFrame(X, columns=["a", "b"])
    reldim.diagnose(frame, Y, kernels=reldim.kernels.Gaussian(1.0)).write_report(path)
    return path.read_text(encoding="utf-8")


@cache
def _model() -> reldim.KernelPCRegressor:
    return reldim.KernelPCRegressor(reldim.kernels.Gaussian(1.0)).fit(X, np.sin(X[:, 0]))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "csv": lambda data: _text(data, ".csv"),
    "tsv": lambda data: _text(data, ".tsv"),
    "npy": _npy,
    "npz": _npz,
    **{ending.strip("."): _table(ending) for ending in OTHER_TABLES},
    "fasta": _fasta,
    "storage": _storage,
    "report": _report,
}


def _saved(write: Callable[[Path], object], ending: str) -> bytes:
    path = _folder() / f"seed{ending}"
    path.unlink(missing_ok=True)
    write(path)
    return path.read_bytes()


def _npy_bytes(array: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def _npz_bytes(*, packed: bool, **arrays: object) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if packed else 0) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", _npy_bytes(array))
    return stream.getvalue()


TABLES = [
    "a,b,y\n1,2.5,u\n3,4.5,v\n5,1e3,u\n",
    'a;"b;c";y\n1,5;x;2,5\n-2,25;z;1e3\n',
    '"a","y"\n"1",5,6\n"2",7,8\n',
    "id,dna,y\n1,ACGTA,u\n2,CCGTA,v\n3,GGGTT,\n",
    "a|b|y\r\n1|?|u\r\n2|$1,000|v\r\n",
    "größe,y\n12%,ja\n7%,nein\n",
    'a,y\n"line\nbreak",1\n"say ""hi""",2\n',
]


def _table_seeds(ending: str) -> list[bytes]:
    frame = pd.DataFrame({"a": X[:, 0], "t": ["u", None] * 6, "y": Y})
    text = frame.to_csv(index=False).encode()
    lines = frame.to_json(orient="records", lines=True).encode()
    ways: dict[str, Callable[[Path], object]] = {
        ".parquet": frame.to_parquet,
        ".feather": frame.to_feather,
        ".xlsx": lambda path: frame.to_excel(path, index=False),
        ".jsonl": lambda path: path.write_bytes(lines),
        ".json": lambda path: path.write_text(frame.to_json(orient="columns"), encoding="utf-8"),
        ".db": lambda path: _to_sqlite(frame, path),
        ".gz": lambda path: path.write_bytes(gzip.compress(text)),
        ".bz2": lambda path: path.write_bytes(bz2.compress(text)),
        ".xz": lambda path: path.write_bytes(lzma.compress(lines)),
        ".zip": lambda path: path.write_bytes(_zip_bytes(text)),
    }
    try:
        return [_saved(ways[ending], ending)]
    except ImportError:
        return [b"an optional package is missing"]


def _to_sqlite(frame: pd.DataFrame, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        frame.to_sql("t", connection, index=False)


def _zip_bytes(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", data)
    return stream.getvalue()


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "csv": lambda: [t.encode() for t in TABLES]
    + [TABLES[0].encode("utf-16"), TABLES[5].encode("latin-1")],
    "tsv": lambda: [t.replace(",", "\t").encode() for t in TABLES],
    "npy": lambda: [
        _npy_bytes(np.column_stack([X, Y])), _npy_bytes(X.astype(">f4")),
        _npy_bytes([["a"], ["b"]]),
        _npy_bytes(np.array([{}, 1], dtype=object)), _npy_bytes(np.asfortranarray(X)),
    ],
    "npz": lambda: [
        _npz_bytes(packed=packed, X=X, y=y)
        for packed in (True, False)
        for y in (Y, X[:, 0], np.where(Y > 0, "a", "b"))
    ],
    **{end.strip("."): partial(_table_seeds, end) for end in OTHER_TABLES},
    "fasta": lambda: [
        b">a u\nACGT\n>b v\nacgt\n",
        b";note\n>s1|label=x\r\nAC GT\r\nA-*\r\n>s2|label=y\r\nTTTTTTT\r\n",
        b"ACGT\n", b">\n>\n", ">ä ß\nÄCGT\n>b c\nACGT\n".encode("latin-1"),
    ],
    "storage": lambda: [_saved(lambda path: reldim.save(_model(), path), ".reldim")],
    "report": lambda: [
        b"plain", b"</script><script>alert(1)</script>", b"<img src=x onerror=alert(1)>",
        b"{{ 7*7 }}{% raw %}", "\u202e\u2028\u0000 ']]>--> &amp;".encode(), b"\xff\xfe\\u003c",
    ],
}  # fmt: skip
