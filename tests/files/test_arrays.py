"""Array files: read as NumPy does, and refused where NumPy would allocate, unpickle or crash."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn

from reldim.exceptions import FileError
from reldim.files import arrays, source
from reldim.files.arrays import array_bytes, read_array
from reldim.files.source import open_source

PLAIN = (
    drawn.floating_dtypes()
    | drawn.integer_dtypes()
    | drawn.unsigned_integer_dtypes()
    | drawn.boolean_dtypes()
    | drawn.unicode_string_dtypes()
    | drawn.datetime64_dtypes()
)
SHAPES = drawn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)


def read_npz(path, wanted):
    return arrays.read_npz(open_source(path), wanted)


def read_npy(path):
    return arrays.read_npy(open_source(path))


def read(data):
    return read_array(io.BytesIO(data), len(data), "the array")


def header(text, data=b"", version=1):
    body = text.encode().ljust(100) + b"\n"
    length = len(body).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + body + data


@settings(deadline=None)
@given(drawn.arrays(PLAIN, SHAPES), st.booleans())
def test_what_is_written_is_read(array, fortran):
    array = np.asfortranarray(array) if fortran else array
    again = read(array_bytes(array))
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.tobytes() == array.tobytes()
    assert again.flags.f_contiguous == array.flags.f_contiguous


@settings(deadline=None)
@given(drawn.arrays(PLAIN, SHAPES))
def test_files_of_numpy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    np.testing.assert_array_equal(read(stream.getvalue()), array)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damage_is_refused_or_gives_an_array_of_the_same_size(data):
    whole = array_bytes(np.arange(12.0).reshape(3, 4))
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(whole)] * 3 + [*range(len(whole))]))
    try:
        array = read(bytes(damaged[:cut]))
    except FileError as error:
        assert "damaged" in str(error)
    else:
        assert array.nbytes == 96


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (1000000000000000,)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000000,)}",
        "{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (1,)}",
        "__import__('os').abort()",
        "{'descr': '<f8', 'fortran_order': False",
        "\n\t'''",
        "",
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_headers_that_lie(text, version):
    with pytest.raises(FileError, match="cannot be read as arrays"):
        read(header(text, b"1234567", version))


@pytest.mark.parametrize(
    "data",
    [b"", b"\x93NUMPY", b"\x93NUMPY\x03\x00\x10\x00\x00\x00" + b" " * 16, b"\x80\x04\x95",
     b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100],
    ids=["empty", "magic only", "later version", "pickle", "huge header"],
)  # fmt: skip
def test_other_beginnings(data):
    with pytest.raises(FileError, match="cannot be read as arrays"):
        read(data)


def test_arrays_that_do_not_fit_into_memory(monkeypatch):
    monkeypatch.setattr(arrays, "fits", lambda needed: needed < 50)
    assert read(array_bytes(np.arange(3.0))).shape == (3,)
    with pytest.raises(FileError, match=r"array of 10 x 2, which does not fit into memory"):
        read(array_bytes(np.zeros((10, 2))))


class TestArchives:
    @pytest.fixture
    def archive(self, tmp_path):
        def write(members, method=zipfile.ZIP_DEFLATED):
            path = tmp_path / "a.npz"
            with zipfile.ZipFile(path, "w", method) as file:
                for name, data in members:
                    file.writestr(name, data)
            return path

        return write

    def test_reads_only_what_is_wanted(self, archive):
        path = archive([("X.npy", array_bytes(np.eye(2))), ("bad.npy", b"nothing")])
        names, found = read_npz(path, ["X", "y"])
        assert names == ["X", "bad"]
        assert [*found] == ["X"]
        np.testing.assert_array_equal(found["X"], np.eye(2))

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_two_of_a_name(self, archive):
        path = archive([("X.npy", array_bytes(np.eye(2))), ("X.npy", array_bytes(np.eye(3)))])
        with pytest.raises(FileError, match="two arrays of the same name"):
            read_npz(path, ["X"])

    def test_too_many(self, archive, monkeypatch):
        monkeypatch.setattr(arrays, "MOST_MEMBERS", 3)
        path = archive([(f"{i}.npy", b"") for i in range(4)])
        with pytest.raises(FileError, match="at most 3 arrays. Got 4 instead"):
            read_npz(path, ["X"])

    def test_bombs(self, archive, monkeypatch):
        path = archive([("X.npy", array_bytes(np.zeros(100_000)))])
        assert path.stat().st_size < 2000
        assert read_npz(path, ["X"])[1]["X"].shape == (100_000,)
        monkeypatch.setattr(source, "LARGE", 100_000)
        with pytest.raises(FileError, match=r"X.npy\) unpacks to .* made to fill it"):
            read_npz(path, ["X"])

    def test_larger_than_memory(self, archive, monkeypatch):
        path = archive([("X.npy", array_bytes(np.random.default_rng(0).random(1000)))])
        monkeypatch.setattr(source, "fits", lambda needed: needed < 5000)
        with pytest.raises(FileError, match="does not fit into memory"):
            read_npz(path, ["X"])

    @pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    def test_every_flipped_byte_is_noticed_or_changes_nothing(self, archive, method):
        X = np.random.default_rng(0).random(20)
        path = archive([("X.npy", array_bytes(X))], method)
        whole = path.read_bytes()
        places = range(35, whole.rindex(b"PK\x01\x02"), 3)
        noticed = 0
        for place in places:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            try:
                _, found = read_npz(path, ["X"])
            except FileError:
                noticed += 1
            else:
                # The last byte of what was packed has bits that mean nothing.
                np.testing.assert_array_equal(found["X"], X)
        assert noticed >= len(places) - 1

    @pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.99])
    def test_truncated(self, archive, share):
        path = archive([("X.npy", array_bytes(np.eye(9)))])
        whole = path.read_bytes()
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(FileError, match="damaged"):
            read_npz(path, ["X"])

    def test_one_format_under_the_name_of_the_other(self, archive, tmp_path):
        (tmp_path / "b.npz").write_bytes(array_bytes(np.eye(2)))
        with pytest.raises(FileError, match="another format"):
            read_npz(tmp_path / "b.npz", ["X"])
        with pytest.raises(FileError, match="another format"):
            read_npy(archive([("X.npy", array_bytes(np.eye(2)))]))

    @pytest.mark.parametrize("before", [b"6666", b"PKPK"])
    def test_an_archive_behind_other_bytes(self, archive, before):
        path = archive([("X.npy", array_bytes(np.eye(2)))])
        path.write_bytes(before + path.read_bytes())
        with pytest.raises(FileError, match="damaged"):
            read_npz(path, ["X"])
