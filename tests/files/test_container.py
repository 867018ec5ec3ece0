"""Containers: what is written is read, and what was changed is refused."""

import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim.exceptions import FileError
from reldim.files import container
from reldim.files.container import FORMAT, Container, read_container, write_container

DOCUMENT = {"a": [1, 2.5, "drei"], "b": None}
ARRAYS = (np.arange(6.0).reshape(2, 3), np.array(["x", "yz"]))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.reldim"
    write_container(path, Container(DOCUMENT, ARRAYS), overwrite=False)
    return path


def rewrite(path, change):
    """Change the members of a container."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_what_is_written_is_read(path):
    again = read_container(path)
    assert again.document == DOCUMENT
    for array, expected in zip(again.arrays, ARRAYS, strict=True):
        np.testing.assert_array_equal(array, expected)


def test_the_same_data_give_the_same_bytes(path, tmp_path):
    write_container(tmp_path / "b.reldim", Container(DOCUMENT, ARRAYS), overwrite=False)
    assert (tmp_path / "b.reldim").read_bytes() == path.read_bytes()


def test_an_existing_file_is_kept(path):
    with pytest.raises(FileError, match="exists already"):
        write_container(path, Container({}, ()), overwrite=False)
    assert read_container(path).document == DOCUMENT


def test_every_flipped_byte_is_noticed_or_changes_nothing(path):
    whole = path.read_bytes()
    noticed = 0
    for place in range(0, len(whole), 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        try:
            again = read_container(path)
        except FileError:
            noticed += 1
        else:
            # Dates and other remarks of the archive may change; what it holds may not.
            assert again.document == DOCUMENT
            np.testing.assert_array_equal(again.arrays[0], ARRAYS[0])
    assert noticed > 0.8 * len(whole) / 5


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_truncated(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("cut") / "a.reldim"
    write_container(path, Container(DOCUMENT, ARRAYS), overwrite=False)
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(FileError, match="damaged"):
        read_container(path)


@pytest.mark.parametrize("name", ["document.json", "arrays/0.npy", "arrays/1.npy"])
def test_a_changed_member(path, name):
    with zipfile.ZipFile(path) as archive:
        data = archive.read(name)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(data, data[:-1] + bytes([data[-1] ^ 1])))
    with pytest.raises(FileError, match="damaged"):
        read_container(path)


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda m: m.pop("manifest.json"), "was not written by reldim"),
        (lambda m: m.pop("document.json"), "not those of a container"),
        (lambda m: m.pop("arrays/0.npy"), "not those of a container"),
        (lambda m: m.update({"extra": b""}), "not those of a container"),
        (lambda m: m.update({"manifest.json": b"[]"}), "holds something else"),
        (lambda m: m.update({"manifest.json": b"{"}), "cannot be unpacked"),
        (lambda m: m.update({"document.json": b"[1]"}), "holds something else"),
        (lambda m: m.update({"document.json": b"[" * 100_000}), "cannot be unpacked"),
        (lambda m: m.update({"arrays/0.npy": b"nothing"}), "cannot be read as arrays"),
    ],
    ids=["manifest", "document", "array", "more", "list", "half", "no dict", "deep", "no array"],
)
def test_what_is_no_container(path, change, reason):
    rewrite(path, change)
    with pytest.raises(FileError, match=reason):
        read_container(path)


def test_a_later_format(path):
    def change(members):
        manifest = json.loads(members["manifest.json"])
        members["manifest.json"] = json.dumps(manifest | {"format": "reldim.container/9"}).encode()

    rewrite(path, change)
    with pytest.raises(FileError, match=rf"format 'reldim.container/9' .*Expected '{FORMAT}'"):
        read_container(path)


def test_packed_members_are_refused(path):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(FileError, match="another size"):
        read_container(path)


def test_larger_than_memory(path, monkeypatch):
    monkeypatch.setattr(container, "fits", lambda needed: needed < 10)
    with pytest.raises(FileError, match="does not fit into memory"):
        read_container(path)


def test_too_many_members(path, monkeypatch):
    monkeypatch.setattr(container, "MOST_MEMBERS", 2)
    with pytest.raises(FileError, match="at most 2 arrays"):
        read_container(path)


def test_a_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_container(tmp_path / "no.reldim")
