"""Vectors and rows: what is accepted, and what the refusals say."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from foreign import HOLDERS, OnlyArray, OnlyDLPack
from reldim.exceptions import InputError, InputTypeError
from reldim.kernels import Gaussian
from reldim.kernels.points import admit, as_rows, as_vectors

GOOD = np.arange(6.0).reshape(3, 2)


class TestAdmission:
    @pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
    def test_arrays_of_other_libraries(self, hold, dtype):
        array = admit(hold(GOOD.astype(dtype)))
        assert type(array) is np.ndarray
        np.testing.assert_array_equal(array, GOOD)
        if "torch" in str(hold) or hold in (OnlyArray, OnlyDLPack):
            assert array.dtype == dtype

    def test_types_that_numpy_has_not(self):
        torch = pytest.importorskip("torch")
        for tensor in (
            torch.tensor(GOOD, dtype=torch.bfloat16),
            torch.tensor(GOOD, dtype=torch.bfloat16, requires_grad=True),
        ):
            array = admit(tensor)
            assert array.dtype == np.float64
            np.testing.assert_array_equal(array, GOOD)

    @pytest.mark.parametrize(
        "known",
        [
            GOOD,
            pd.DataFrame(GOOD),
            pd.Series([1.0, 2.0]),
            sparse.csr_array(GOOD),
            sparse.coo_matrix(GOOD),
            sparse.dok_array(GOOD),
            ["ACGT", "ACGA"],
            [["A", 1], ["B", 2]],
            [[1.0], [1.0, 2.0]],
            [{"a": 1}],
            [],
            None,
            "label",
            3,
        ],
        ids=lambda known: type(known).__name__,
    )
    def test_what_is_known_stays_as_it_is(self, known):
        assert admit(known) is known

    def test_nothing_is_copied(self):
        for held in (OnlyDLPack(GOOD), memoryview(GOOD), np.ma.masked_array(GOOD)):
            own = getattr(held, "values", GOOD)
            assert np.shares_memory(admit(held), own)

    @pytest.mark.parametrize(
        "data, advice",
        [
            ({"a": [1.0]}, r"Got dict instead: turn it into a table, pd\.DataFrame\(X\)"),
            ({1.0, 2.0}, r"Got set instead: turn it into a list, list\(X\)"),
            ((row for row in GOOD), r"Got generator instead: turn it into a list"),
            (map(float, "12"), r"Got map instead"),
        ],
    )
    def test_what_holds_no_rows(self, data, advice):
        with pytest.raises(InputTypeError, match=advice):
            admit(data)

    def test_arrays_of_xarray(self):
        xarray, da = (pytest.importorskip(name) for name in ("xarray", "dask.array"))
        np.testing.assert_array_equal(admit(xarray.DataArray(GOOD)), GOOD)
        lazy = da.from_array(GOOD)
        assert admit(xarray.DataArray(lazy)) is lazy
        assert admit(lazy) is lazy
        with pytest.raises(InputTypeError, match="Dataset"):
            admit(xarray.Dataset({"a": ("row", GOOD[:, 0])}))

    def test_what_numpy_cannot_read(self):
        class Closed:
            def __array__(self, dtype=None, copy=None):
                raise RuntimeError("not here,\nnot now.")

        with pytest.raises(InputTypeError) as error:
            admit(Closed(), "y")
        assert "y must be an array that NumPy can read" in str(error.value)
        assert "Closed: not here, not now. Pass a NumPy array" in str(error.value)


class TestVectors:
    @pytest.mark.parametrize(
        "X",
        [
            GOOD.tolist(),
            tuple(map(tuple, GOOD)),
            GOOD.astype(int),
            GOOD.astype(object),
            GOOD.astype(np.longdouble),
            np.asfortranarray(GOOD),
            np.ma.masked_array(GOOD, mask=False),
            pd.DataFrame(GOOD),
            pd.DataFrame({"a": [0, 2, 4], "b": [1.0, 3.0, 5.0]}),
            pd.DataFrame(GOOD).astype("Int64"),
            pd.DataFrame(GOOD).astype("Float64"),
        ],
        ids=lambda X: type(X).__name__,
    )
    def test_tables_of_numbers(self, X):
        points = as_vectors(X)
        assert type(points) is np.ndarray
        assert points.dtype == np.float64
        np.testing.assert_array_equal(points, GOOD)

    def test_booleans_in_a_frame(self):
        frame = pd.DataFrame({"a": [True, False], "b": pd.array([True, False], dtype="boolean")})
        np.testing.assert_array_equal(as_vectors(frame), [[1, 1], [0, 0]])

    def test_float32_frame_stays_float32(self):
        assert as_vectors(pd.DataFrame(GOOD.astype(np.float32))).dtype == np.float32

    @pytest.mark.parametrize("form", [sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix])
    def test_sparse_becomes_csr(self, form):
        points = as_vectors(form(GOOD))
        assert isinstance(points, sparse.csr_array)
        assert points.dtype == np.float64
        np.testing.assert_array_equal(points.toarray(), GOOD)

    def test_sparse_integers_become_float64(self):
        assert as_vectors(sparse.csr_array(GOOD.astype(int))).dtype == np.float64

    def test_nothing_is_copied(self):
        for dtype in (np.float32, np.float64):
            X = GOOD.astype(dtype)
            assert as_vectors(X) is X

    @pytest.mark.parametrize(
        "X, message",
        [
            ([1.0, 2.0], r"Got shape \(2,\) instead: reshape .* X\.reshape\(-1, 1\)"),
            (np.float64(3), r"Got shape \(\) instead: pass a table"),
            (np.zeros((2, 3, 4)), r"Got shape \(2, 3, 4\) instead: flatten each point"),
            (np.zeros((0, 3)), r"at least one row and one column\. Got shape \(0, 3\)"),
            (np.zeros((3, 0)), r"at least one row and one column\. Got shape \(3, 0\)"),
            ([[1.0, np.nan]], "NaN or infinity, first in row 0, column 1: fill the missing values"),
            ([[1.0, 2.0], [-np.inf, 3.0]], "NaN or infinity, first in row 1, column 0"),
            ([[1.0, None]], "NaN or infinity, first in row 0, column 1"),
            ([[1.0, 2j]], "real numbers. Got complex ones: pass real and imaginary parts"),
            ([["a", "b"]], "numbers only. Got entries of type <U1: encode them first, or choose"),
            (np.array([["a", 1]], dtype=object), r"numbers only. Got entries that are not \("),
            (np.array([["2020-01-01"]], dtype="M8[D]"), "Got entries of type datetime64"),
            ([[1.0], [1.0, 2.0]], r"rows are all of one length. Got rows that differ \("),
            (np.ma.masked_equal(GOOD, 3), "no missing values. Got a masked array"),
            (None, r"two dimensions, .* Got shape \(\) instead"),
        ],
    )
    def test_refusals(self, X, message):
        with pytest.raises(InputError, match=message):
            as_vectors(X)

    @pytest.mark.parametrize(
        "frame, message",
        [
            ({"a": [1.0], "city": ["Oslo"]}, r"other values in 1 of 2 columns \('city'\): leave"),
            ({"when": pd.to_datetime(["2020-01-01"])}, r"1 of 1 columns \('when'\)"),
            ({"for": pd.to_timedelta([1], unit="s")}, r"1 of 1 columns \('for'\)"),
            ({f"c{i}": ["x"] for i in range(7)}, r"7 of 7 columns \('c0', .* 'c4', \.\.\.\)"),
            ({"a": pd.array([1, None], dtype="Int64")}, "first in row 1, column 0"),
            ({"a": [1.0, np.nan]}, "first in row 1, column 0"),
        ],
    )
    def test_refused_frames(self, frame, message):
        with pytest.raises(InputError, match=message):
            as_vectors(pd.DataFrame(frame))

    @pytest.mark.parametrize(
        "X, message",
        [
            (sparse.csr_array([[1.0, 0.0], [0.0, np.nan]]), "NaN or infinity, first in row 1"),
            (sparse.csr_array([[0.0], [0.0], [np.inf]]), "NaN or infinity, first in row 2"),
            (sparse.csr_array((0, 3)), r"Got shape \(0, 3\)"),
            (sparse.csr_array([[1j]]), "Got complex ones"),
        ],
    )
    def test_refused_sparse(self, X, message):
        with pytest.raises(InputError, match=message):
            as_vectors(X)

    def test_sparse_with_one_dimension(self):
        X = sparse.coo_array(np.array([1.0, 0.0, 2.0]))
        if X.ndim == 2:
            pytest.skip("this version of SciPy has no sparse arrays of one dimension")
        with pytest.raises(InputError, match=r"Got shape \(3,\) instead"):
            as_vectors(X)

    def test_kernels_refuse_likewise(self):
        kernel = Gaussian(width=1.0)
        for call in (kernel, kernel.diagonal, kernel.prepare, lambda X: kernel(GOOD, X)):
            with pytest.raises(InputError, match="NaN or infinity, first in row 0, column 1"):
                call([[1.0, np.nan]])


class TestRows:
    @pytest.mark.parametrize(
        "X", [GOOD, GOOD.tolist(), pd.DataFrame(GOOD), sparse.csc_matrix(GOOD)], ids=type
    )
    def test_numbers_stay_numbers(self, X):
        rows = as_rows(X)
        assert rows.shape == (3, 2)
        part = rows[np.array([2, 0])]
        part = part.toarray() if sparse.issparse(part) else part
        np.testing.assert_array_equal(part, GOOD[[2, 0]])

    @pytest.mark.parametrize(
        "X",
        [
            ["a", "bc"],
            [{"x": 1}, {"x": 2}],
            [[1, 2], [3]],
            [["a", "b"], ["c", "d"]],
            [np.zeros(2), np.zeros(3)],
        ],
        ids=repr,
    )
    def test_other_things_stay_whole(self, X):
        rows = as_rows(X)
        assert rows.shape == (2,)
        assert rows.dtype == object
        assert rows[0] is X[0]
        assert rows[np.array([1])][0] is X[1]

    def test_series(self):
        rows = as_rows(pd.Series(["a", "b"], index=[5, 7]))
        assert rows.tolist() == ["a", "b"]

    @pytest.mark.parametrize("X", [GOOD, sparse.csr_array(GOOD), as_rows(["a", "b"])], ids=type)
    def test_idempotent(self, X):
        assert as_rows(X) is X

    @pytest.mark.parametrize("X", ["abc", b"abc", {"a": 1}, {1, 2}, 3.0, None], ids=repr)
    def test_refused_types(self, X):
        with pytest.raises(InputTypeError, match=f"Got {type(X).__name__} instead: turn it into"):
            as_rows(X)

    @pytest.mark.parametrize("X", [[], np.zeros((0, 2)), np.array(3.0)], ids=repr)
    def test_refused_sizes(self, X):
        with pytest.raises(InputError, match="at least one point"):
            as_rows(X)
