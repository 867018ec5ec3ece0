"""Tables that are damaged, too large or of another format: refused in one line."""

import base64
import contextlib
import gzip
import json
import zlib

import numpy as np
import pytest

from commands import refused
from formats import BINARY, PACKINGS, content, zipped
from reldim.exceptions import FileError, MissingDependencyError
from reldim.files import frames, source
from reldim.files.reading import read_data


class TestRefused:
    @pytest.mark.parametrize("ending", [*BINARY, ".jsonl", ".db", ".csv", *PACKINGS, ".zip"])
    @pytest.mark.parametrize("damage", ["empty", "cut", "other"])
    def test_damaged_files(self, table, write, ending, damage):
        if ending in PACKINGS:
            data = PACKINGS[ending](content(table, ".csv"))
        elif ending == ".zip":
            data = zipped(content(table, ".csv"), "a.csv")
        else:
            data = content(table, ending)
        data = {"empty": b"", "cut": data[: len(data) // 2], "other": b"\x7fELF\0 no table"}[damage]
        if ending == ".csv" and damage == "cut":
            data = data[: data.rindex(b"\n")] + b"\n1,2,3,4,5,6,7,8\n"
        path = write(data, f"data{'.csv' if ending in PACKINGS else ''}{ending}")
        line = refused("diagnose", path, "--target", "kind")
        assert path.name in line

    @pytest.mark.parametrize(
        "name, data, words",
        [
            ("a.jsonl", '{"a": 1, "y": 2}\n[1, 2]\n', "in line 2"),
            ("a.jsonl", '{"a": 1, "y": 2}\n{"a": 1,\n', "in line 2"),
            ("a.jsonl", "[" * 100_000, "in line 1"),
            ("a.jsonl", '{"a": [1], "y": 2}\n{"a": [2], "y": 3}\n', "Got list in a"),
            ("a.zip", zipped(b"a,y\n1,2\n", "a.csv", "b.csv"), "holds a.csv, b.csv"),
            ("a.zip", zipped(b""), "holds nothing"),
            ("a.zip", zipped(b"x", "a.exe"), "must end in one of"),
            ("a.gz", gzip.compress(gzip.compress(b"a,y\n1,2\n")), "packed more than once"),
            ("a.csv.gz", gzip.compress(b""), "is empty"),
        ],
        # Packed bytes hold the time, and processes that run tests must agree on their names.
        ids=["list", "half", "deep", "nested", "two", "none", "program", "twice", "empty"],
    )
    def test_other_content(self, write, name, data, words):
        assert words in refused("diagnose", write(data, name), "--target", "y")

    def test_a_feather_file_that_claims_too_much(self, table, write):
        whole = content(table[["width", "count"]], ".feather")
        refusals = 0
        for place in range(len(whole) - 900, len(whole), 3):
            changed = whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :]
            try:
                read_data(write(changed, "data.feather"), "count")
            except FileError as error:
                assert "\n" not in str(error)
                refusals += 1
        assert refusals > 0

    def test_a_text_that_parquet_holds_once(self, tmp_path):
        """A file of a few kilobytes, whose table takes 20 GB."""
        arrow, parquet = (pytest.importorskip(f"pyarrow{name}") for name in ("", ".parquet"))
        codes, texts = arrow.array([0] * 20_000, arrow.int32()), arrow.array(["x" * 1_000_000])
        column = arrow.DictionaryArray.from_arrays(codes, texts)
        path = tmp_path / "data.parquet"
        table = arrow.table({"t": column, "y": range(20_000)})
        parquet.write_table(table, path, store_schema=False)
        with pytest.raises(FileError, match="does not fit into memory, or was made to fill it"):
            read_data(path, "y")
        parquet.write_table(table.slice(0, 20), path, store_schema=False)
        assert read_data(path, "y").X["t"].str.len().tolist() == [1_000_000] * 20

    def test_an_empty_pipe(self):
        assert "standard input is empty" in refused("diagnose", "-", "--target", "y").lower()

    @pytest.mark.parametrize("ending", [".parquet", ".feather", ".xlsx", ".xls"])
    def test_missing_packages(self, table, write, monkeypatch, ending):
        path = write(b"old" if ending == ".xls" else content(table, ending), f"data{ending}")

        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(frames, "import_module", absent)
        extra = "excel" if ending.startswith(".xls") else "parquet"
        with pytest.raises(MissingDependencyError, match=rf"pip install 'reldim\[{extra}\]'"):
            read_data(path, "kind")

    @pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.bz2", "a.csv.xz", "a.csv.zip"])
    def test_bombs(self, write, monkeypatch, name):
        data = b"a,y\n" + b"0,0\n" * 300_000
        packed = PACKINGS.get(f".{name.rpartition('.')[2]}", lambda d: zipped(d, "a.csv"))(data)
        path = write(packed, name)
        assert len(packed) < len(data) / 200
        assert len(read_data(path, "y").X) == 300_000
        monkeypatch.setattr(source, "LARGE", 2**20)
        monkeypatch.setattr(source, "_PIECE", 2**16)
        with pytest.raises(FileError, match=r"unpacks to .* made to fill it"):
            read_data(path, "y")
        monkeypatch.setattr(source, "LARGE", 2**30)
        monkeypatch.setattr(source, "fits", lambda needed: needed < 2**20)
        with pytest.raises(FileError, match=r"unpacks to .* does not fit into memory"):
            read_data(path, "y")

    @pytest.mark.parametrize(
        "ending", [".csv", ".parquet", ".feather", ".xlsx", ".jsonl", ".json", ".db"]
    )
    def test_tables_that_do_not_fit_into_memory(self, table, write, monkeypatch, ending):
        path = write(content(table, ending), f"data{ending}")
        monkeypatch.setattr(source, "fits", lambda needed: needed < 100)
        with pytest.raises(FileError, match="not fit into memory"):
            read_data(path, "kind")


PLANTS = [{"a": 1, "y": "u"}, {"a": 2, "y": "v"}, {"a": 3, "y": "u"}]


class TestJson:
    @pytest.mark.parametrize(
        "found",
        [
            PLANTS,
            {"data": PLANTS},
            {"source": "a garden", "count": 3, "results": PLANTS},
            {"schema": {"fields": [{"name": "a"}, {"name": "y"}]}, "data": PLANTS},
            {"a": [1, 2, 3], "y": ["u", "v", "u"]},
            {"a": {"0": 1, "1": 2, "2": 3}, "y": {"0": "u", "1": "v", "2": "u"}},
            {"columns": ["a", "y"], "index": [0, 1, 2], "data": [[1, "u"], [2, "v"], [3, "u"]]},
        ],
        ids=["records", "data", "remarks", "schema", "lists", "columns", "split"],
    )
    def test_shapes(self, write, found):
        for name in ("data.json", "data.jsonl"):
            data = read_data(write(json.dumps(found, indent=1), name), "y")
            assert data.X.to_dict("list") == {"a": [1, 2, 3]}
            assert data.y.tolist() == ["u", "v", "u"]

    def test_lines_under_the_name_of_a_list(self, write):
        lines = "\n".join(map(json.dumps, PLANTS))
        assert read_data(write(lines, "data.json"), "y").y.tolist() == ["u", "v", "u"]

    @pytest.mark.parametrize(
        "content",
        ["[]", "{}", "3", '"a"', "[1, 2]", "[[1, 2], [3, 4]]", '[{"a": 1}', '{"a": [1], "y": []}',
         '{"data": [3], "columns": ["a"]}', '{"data": [], "columns": []}', '[{"a": 1}, 2]'],
    )  # fmt: skip
    def test_other_content(self, write, content):
        assert "data.json" in refused("diagnose", write(content, "data.json"), "--target", "a")


#: A title, names, and rows 1, 2.5, u and a blank, 3.5, v; and an empty sheet. Written by xlwt.
OLD_EXCEL = zlib.decompress(base64.b85decode(
    "c-rk)O=uHA6#iy^@<)><H5FQ+go0IT1+5;uw5x*lWQkrB5j3$Wl*S~)C`3W4HAg}4q<AUx;-%`vA5_qr2ce<|K@bw9r="
    "A1_4{g>rZ+B@DD>P7xE&DC+&6_vx?ab_ZGdsKQXCvjQ$DI{4U=S**rXQXfognf%l`yE?G^Oa2J|fe_x`N+Ff%NEj5q#&"
    "BF_iJHK*1yJ4RPQr(P`u`oXw<SYluTUhJ=t~7!Vreo`U;CA$0J#+L)hXzKQumwtdO`0BdeBA0XSZIE7hbxOcyu$0wC;Z"
    "VM3?c*;JXS+fW2cq{Yx+HGOk>NuDmOQiqLhAyoI)1b%=r822}B3(w5LO6||W(@e@tku^sSHHG;0n-1f*L#=I-%&JR0_I"
    "sE6R|`IIj367Fqckb3KvQUqM}QUj@0>Fp}2ruyhc5oy@<0_EIS(O-`&5Daw9>MBq|bJB)Sxkn>H`<aNQyga_YAbA3-b2"
    "5ncdc+Qt_ieE)DX88^<bW`Z|%Yy00S#|snJr3X2OxJ6?w2j0sbJDK0$yKZ5*lX;Y8L1j<8-4>2avdv9y?V*15GCmsHYU"
    "J%Cm*$T>>neRSc91+XRJk0T`D9F?n_fpF<S(yD^oc%k@2<pi!zqQmQG8+E@yDj&Q^NM#O#2<zibVuij4+oLf@fE6A=pB"
    "4tL8jEtENy*wY`-F?^pJiA{>VZ=2h9h^i$YRv;EWtzpF}s>aw3Jy48=$_A)&Nl{P$)H>Is_39A=-{5AGVSZ}fCXNKjTn"
    "F|*#T)1%I!o>!LJisdU;a%g;4C{#Kwg2lZ5>?&bBpVjTk)^9ZpQVS9p)!wRQ~9$Qx^V6#R_NpWFO)bzz2`BGB#&df>HM"
    "W5zNnqgiXFqNw}hJQzuL?=|8f7n0hliLZ2"
))  # fmt: skip


class TestOldExcel:
    def test_it_is_read(self, write):
        pytest.importorskip("xlrd")
        data = read_data(write(OLD_EXCEL, "data.xls"), "y")
        assert data.X["b"].tolist() == [2.5, 3.5]
        assert data.X["a"].isna().tolist() == [False, True]
        assert data.steps[0].endswith(
            ", sheet 'plants', below 1 line above the header ('Plants of 2024')."
        )

    def test_damaged_files(self, write):
        pytest.importorskip("xlrd")
        for data in (b"no workbook", OLD_EXCEL[:3000]):
            with pytest.raises(FileError, match=r"data\.xls"):
                read_data(write(data, "data.xls"), "y")
        rng = np.random.default_rng(0)
        for _ in range(100):
            changed = bytearray(OLD_EXCEL)
            for place in rng.integers(0, len(changed), 3):
                changed[place] ^= 1 << rng.integers(8)
            with contextlib.suppress(FileError):
                read_data(write(bytes(changed), "data.xls"), "y")
