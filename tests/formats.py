"""One table as a file of any format."""

import bz2
import gzip
import io
import lzma
import sqlite3
import zipfile
from contextlib import closing

import pytest

PACKINGS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
BINARY = {".parquet": "pyarrow", ".feather": "pyarrow", ".xlsx": "openpyxl"}
ENDINGS = (
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".feather",
    ".xlsx",
    ".jsonl",
    ".ndjson",
    ".json",
    ".db",
)


def content(table, ending):
    """Return the bytes of a file of this ending."""
    if ending in BINARY:
        pytest.importorskip(BINARY[ending])
    stream = io.BytesIO()
    if ending == ".parquet":
        table.to_parquet(stream)
    elif ending == ".feather":
        table.to_feather(stream)
    elif ending == ".xlsx":
        table.to_excel(stream, index=False)
    elif ending in (".jsonl", ".ndjson", ".json"):
        text = table.assign(day=table["day"].astype(str))
        text.to_json(stream, orient="records", lines=ending != ".json", force_ascii=False)
    elif ending in (".db", ".sqlite"):
        with closing(sqlite3.connect(":memory:")) as connection:
            table.to_sql("plants", connection, index=False)
            stream.write(connection.serialize())
    else:
        separator = {".csv": ",", ".tsv": "\t", ".txt": "|"}[ending]
        stream.write(table.to_csv(index=False, sep=separator).encode())
    return stream.getvalue()


def zipped(data, *names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return stream.getvalue()
