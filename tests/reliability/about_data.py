"""Promises about the features: numbers of every kind and size, frames, sequences."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from foreign import OnlyArray, OnlyDLPack
from reldim import (
    KernelBlendClassifier,
    KernelPCClassifier,
    KernelRidgeClassifier,
    compare,
    diagnose,
    find_label_issues,
    kernels,
)
from reldim.exceptions import InputTypeError
from reliability.promises import GAUSSIAN, LABELS, NUMBERS, RNG, X, figures, promise, refused, same

N = len(X)


def with_value(value, row=3, column=1):
    data = X.copy()
    data[row, column] = value
    return data


@promise("data", "a NaN", "refused; the message names its row and column")
def nan():
    refused(
        lambda: diagnose(with_value(np.nan), LABELS), "NaN", "row 3, column 1", "missing values"
    )


@promise("data", "an infinite number", "refused; the message names its row and column")
def infinity():
    refused(lambda: diagnose(with_value(-np.inf), LABELS), "infinity", "row 3, column 1")


@promise("data", "a subnormal number in a cell", "taken as the number that it is")
def subnormal_cell():
    same(with_value(5e-324), like=with_value(0.0))


@promise(
    "data",
    "numbers of the size 1e-310 or 1e-200 all over",
    "refused: the squares of differences vanish; change the unit",
)
def vanishing_numbers():
    for unit in (1e-310, 1e-200):
        refused(lambda unit=unit: diagnose(unit * X, LABELS), "squares vanish", "Change the unit")


@promise(
    "data",
    "any unit from 1e-130 to 1e145 (single precision: 1e-16 to 1e18)",
    "the same diagnosis in every unit",
)
def units():
    expected = figures(diagnose(X, LABELS))
    for unit in (1e-130, 1e-40, 1e40, 1e145):
        np.testing.assert_allclose(figures(diagnose(unit * X, LABELS)), expected, rtol=1e-2)
    single = X.astype(np.float32)
    expected = figures(diagnose(single, LABELS))
    for unit in (1e-16, 1e18):
        found = figures(diagnose(single * np.float32(unit), LABELS))
        np.testing.assert_allclose(found, expected, rtol=1e-2)


@promise("data", "numbers of the size 1e300", "refused: distances overflow; change the unit")
def huge_numbers():
    refused(lambda: diagnose(1e300 * X, LABELS), "too large for float64", "Change the unit")
    refused(lambda: diagnose(with_value(1e300), LABELS), "too large for float64")
    # Few rows in single precision are computed with in double precision.
    single = (1e30 * X).astype(np.float32)
    assert figures(diagnose(single, LABELS)) == figures(diagnose(single.astype(float), LABELS))
    refused(lambda: GAUSSIAN(single), "too large for float32", "Change the unit")


@promise(
    "data",
    "a single cell of 1e100, such as a mark for a missing value",
    "the row is far from all others; their widths are tried as without it",
)
def outlier():
    with_outlier = diagnose(with_value(1e100), LABELS)
    assert with_outlier.dimension > 0
    others = np.arange(len(X)) != 3
    without = diagnose(X[others], LABELS[others])
    widths, expected = ([row.kernel.width for row in d.tried] for d in (with_outlier, without))
    assert widths == pytest.approx(expected, rel=0.1)
    assert with_outlier.kernel.width == pytest.approx(without.kernel.width, rel=0.5)


@promise("data", "numbers beside an offset of 1e9", "the digits that are left are used")
def offset():
    same(X + 1e9, rtol=1e-4)


@promise("data", "whole numbers of any width, signed or not", "taken as numbers")
def whole_numbers():
    whole = np.round(2 * X)
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        same(whole.astype(dtype), like=whole)
    shifted = whole + 50
    for dtype in (np.uint8, np.uint64):
        same(shifted.astype(dtype), like=shifted)


@promise("data", "truth values", "taken as 0 and 1")
def truth_values():
    same(X > 0, like=(X > 0).astype(float))


@promise("data", "half, single and extended precision", "computed in single or double precision")
def precisions():
    same(X.astype(np.float16), like=X.astype(np.float16).astype(float))
    same(X.astype(np.float32), rtol=1e-3)
    same(X.astype(np.longdouble))
    same(X.astype(">f8"))


@promise("data", "objects that are numbers", "taken as numbers")
def numbers_as_objects():
    same(X.astype(object))


@promise("data", "text beside numbers in an array", "refused; use a data frame or encode it")
def text_in_arrays():
    mixed = np.array([[1, "a"], [2, "b"], [3, "c"], [4, "d"]], dtype=object)
    refused(lambda: diagnose(mixed, [0, 1, 0, 1]), "numbers only", "encode them")
    refused(lambda: diagnose(X.astype(str), LABELS), "numbers only", "encode them")


@promise("data", "complex numbers and dates in an array", "refused")
def other_numbers():
    refused(lambda: diagnose(X + 1j, LABELS), "real numbers", "real and imaginary parts")
    dates = np.full((N, 2), "2024-01-01", dtype="M8[D]")
    refused(lambda: diagnose(dates, LABELS), "numbers only", "datetime64")


@promise("data", "repeated rows with the same targets", "left out, and the steps say how many")
def copies():
    found = diagnose(np.vstack([X, X]), np.append(LABELS, LABELS), kernels=GAUSSIAN)
    np.testing.assert_allclose(figures(found), figures(diagnose(X, LABELS, kernels=GAUSSIAN)))
    assert "Left out 40 rows that repeat others" in found.preparation[0]


@promise("data", "repeated rows with other targets", "all of them count, as noise")
def contradictions():
    found = diagnose(np.vstack([X, X]), np.append(LABELS, -LABELS), kernels=GAUSSIAN)
    assert found.n == 2 * N
    assert found.dimension == 0


@promise("data", "repeated columns", "as the columns scaled by the root of two")
def repeated_columns():
    same(np.hstack([X, X]), like=np.sqrt(2) * X)


@promise("data", "constant columns", "change nothing")
def constant_columns():
    same(np.hstack([X, np.full((N, 2), 7.0)]))


@promise("data", "only constant columns", "refused: all rows are equal")
def all_constant():
    refused(lambda: diagnose(np.ones((N, 3)), LABELS), "All rows of X are equal")


@promise("data", "no rows, or no columns", "refused")
def nothing():
    refused(lambda: diagnose(X[:0], LABELS[:0]), "empty")
    refused(lambda: diagnose(X[:, :0], LABELS), "at least one row and one column")


@promise("data", "one row", "refused: at least two are needed")
def one_row():
    refused(lambda: diagnose(X[:1], [0.5], task="regression"), "At least two rows")


@promise("data", "two and three rows", "diagnosed; there are too few to see any signal")
def few_rows():
    for n in (2, 3):
        for y in (np.arange(n) % 2, np.linspace(0.1, 1.7, n)):
            found = diagnose(X[:n], y)
            assert found.dimension == 0
            assert found.p_value > 0.05
            assert np.isfinite(figures(found)).all()


@promise("data", "more columns than rows", "diagnosed")
def wide():
    wide = np.hstack([X[:, :1] * np.ones((1, 60)), 0.1 * RNG.normal(size=(N, 60))])
    assert diagnose(wide, LABELS).dimension > 0


@promise("data", "10 000 columns", "diagnosed")
def very_wide():
    wide = RNG.normal(size=(30, 10_000))
    wide[:, :5000] += LABELS[:30, None]
    found = diagnose(wide, LABELS[:30], references=False)
    assert found.dimension > 0
    # No row that was held out is mistaken, which leaves an error of up to 3 in 30 possible.
    assert found.forecast(30).curve.errors == (0.0, 0.0)
    assert found.forecast(30).lower[0] == 0.0
    assert found.error_estimate < 0.1


@promise("data", "a single column", "diagnosed")
def one_column():
    assert diagnose(X[:, :1], LABELS).dimension > 0


@promise("data", "one dimension, or three", "refused; the message says how to reshape")
def dimensions():
    refused(lambda: diagnose(X[:, 0], LABELS), "two dimensions", "X.reshape(-1, 1)")
    refused(lambda: diagnose(X[:, :, None], LABELS), "two dimensions", "X.reshape(len(X), -1)")


@promise("data", "sparse matrices of every format", "as the dense array, without making one")
def sparse_data():
    some = X * (X > 0)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array):
        same(form(some), like=some)
    stored = sparse.csr_matrix(with_value(np.nan))
    refused(lambda: diagnose(stored, LABELS), "NaN or infinity, first in row 3")


@promise("data", "read-only arrays", "read, and never written to")
def read_only():
    frozen = X.copy()
    frozen.flags.writeable = False
    same(frozen)
    K = kernels.Gaussian(2.0)(X)
    K.flags.writeable = False
    assert diagnose(K, LABELS, kernels=kernels.Precomputed()).dimension > 0


@promise("data", "the caller's arrays", "are the same afterwards")
def untouched():
    data, y, K = X.copy(), NUMBERS.copy(), GAUSSIAN(X)
    before = data.tobytes(), y.tobytes(), K.tobytes()
    diagnose(data, y)
    diagnose(K, y, kernels=kernels.Precomputed()).predictor().predict(K)
    assert (data.tobytes(), y.tobytes(), K.tobytes()) == before


@promise("data", "Fortran order, steps and negative steps", "as the same numbers in C order")
def layouts():
    same(np.asfortranarray(X))
    same(np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3])
    same(X[::-1][::-1])


@promise("data", "memory maps", "as the array in memory")
def memory_maps(tmp_path):
    np.save(tmp_path / "X.npy", X)
    same(np.load(tmp_path / "X.npy", mmap_mode="r"))


@promise("data", "lists and tuples", "as arrays")
def lists():
    same(X.tolist(), LABELS.tolist())
    same(tuple(map(tuple, X)))


@promise("data", "rows of unequal length", "refused")
def ragged():
    refused(lambda: diagnose([[1.0, 2.0], [3.0]], [0, 1]), "rows are all of one length")


@promise("data", "masked arrays", "refused where something is masked, else as arrays")
def masked():
    same(np.ma.masked_array(X))
    refused(lambda: diagnose(np.ma.masked_array(X, mask=X > 2), LABELS), "masked entries")


@promise(
    "data",
    "arrays of other libraries (array API, DLPack, `__array__`, torch), of any device and type",
    "the same diagnosis as of the NumPy array, to the bit; refused where they cannot be read",
)
def arrays_of_other_libraries():
    expected = figures(diagnose(X, LABELS, kernels=GAUSSIAN))
    for hold in (OnlyArray, OnlyDLPack, np.ndarray.tolist, memoryview):
        assert figures(diagnose(hold(X), hold(LABELS), kernels=GAUSSIAN)) == expected

    class Closed:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("on another machine")

    refused(lambda: diagnose(Closed(), LABELS), "on another machine", kind=InputTypeError)


@promise("data", "what is no data: None, a number, a text, a dictionary, a generator", "refused")
def no_data():
    for nothing in (None, 3.0, "text", {"a": 1}, (row for row in X)):
        try:
            diagnose(nothing, LABELS)
        except (ValueError, TypeError) as error:
            assert "X must h" in str(error), error  # "must have" or "must hold"
        else:
            raise AssertionError("was not refused")


@promise("data", "another number of targets than rows", "refused with both numbers")
def unequal_lengths():
    refused(lambda: diagnose(X, LABELS[:-1]), "40 and 39")


# Frames

FRAME = pd.DataFrame(X, columns=list("abc"))


@promise(
    "frames",
    "any index, repeated or nested",
    "rows are taken in their order, and the steps say where labels of X and y differ",
)
def odd_indices():
    for index in (
        range(N, 0, -1),
        [0] * N,
        pd.MultiIndex.from_product([[0, 1], range(N // 2)]),
        pd.date_range("2024-01-01", periods=N),
    ):
        frame, labels = FRAME.set_index(pd.Index(index)), pd.Series(LABELS, range(5, N + 5))
        same(frame, labels)
        step = diagnose(frame, labels, kernels=GAUSSIAN).preparation[0]
        assert step.startswith("Paired X and y row by row: "), step


@promise(
    "frames",
    "an index of y, or of another table, with the same labels in another order",
    "refused, with the line that aligns them",
)
def shuffled_indices():
    labels = pd.Series(LABELS)
    other = labels.sample(frac=1, random_state=0)
    refused(lambda: diagnose(FRAME, other), "y = y.loc[X.index]")
    refused(lambda: find_label_issues(FRAME, other), "y = y.loc[X.index]")
    refused(lambda: compare({"a": FRAME, "b": X}, other), "y = y.loc[X.index]")
    refused(
        lambda: compare({"a": FRAME, "b": FRAME.loc[other.index]}, LABELS),
        "representations['b'].loc[representations['a'].index]",
    )
    for model in (KernelRidgeClassifier(), KernelPCClassifier(), KernelBlendClassifier()):
        refused(lambda model=model: model.fit(FRAME, other), "y = y.loc[X.index]")
    assert figures(diagnose(FRAME, other.loc[FRAME.index])) == figures(diagnose(FRAME, LABELS))


@promise("frames", "two columns of the same name", "refused by name")
def repeated_names():
    for frame in (FRAME, FRAME.assign(t="x")):
        twice = pd.concat([frame, frame[["c"]]], axis=1)
        refused(lambda twice=twice: diagnose(twice, LABELS), "Got c more than once")


@promise("frames", "names of columns that are no text", "taken as text")
def strange_names():
    for names in ([0, 1, 2], pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])):
        same(pd.DataFrame(X, columns=names))


@promise("frames", "some names that are text and some that are not", "taken as text")
def mixed_names():
    same(pd.DataFrame(X, columns=["a", 1, 2]))
    twice = pd.DataFrame(X, columns=["1", 1, 2])
    refused(lambda: diagnose(twice, LABELS), "Got 1 more than once")


@promise(
    "frames", "nullable, Arrow and sparse columns", "as plain ones; missing values stay missing"
)
def extension_types():
    same(FRAME.convert_dtypes())
    same(FRAME.astype(pd.SparseDtype("float", 0.0)))
    pytest.importorskip("pyarrow")
    same(FRAME.convert_dtypes(dtype_backend="pyarrow"))


@promise("frames", "polars frames and Arrow tables", "as the pandas frame")
def other_frames():
    pl = pytest.importorskip("polars")
    same(pl.DataFrame(FRAME.to_dict("list")), pl.Series(LABELS))
    pa = pytest.importorskip("pyarrow")
    same(pa.table(FRAME))
    mixed = pl.DataFrame({"a": X[:, 0], "t": ["u", None] * (N // 2)})
    assert "Encoded t as categories" in diagnose(mixed, LABELS, kernels=GAUSSIAN).preparation[0]
    lazy = pl.DataFrame({"a": X[:, 0]}).lazy()
    refused(lambda: diagnose(lazy, LABELS), "collect()", kind=InputTypeError)
    refused(lambda: compare({"lazy": lazy, "X": X}, LABELS), "collect()", kind=InputTypeError)


@promise("frames", "ordered categories of pandas", "their ranks, and the steps name the order")
def ordered_columns():
    sizes = pd.Categorical.from_codes(np.arange(N) % 3, ["s", "m", "l"], ordered=True)
    found = diagnose(FRAME.assign(size=sizes), LABELS, kernels=GAUSSIAN)
    assert "ordered categories in size as ranks: s < m < l." in found.preparation[0]
    ranks = diagnose(FRAME.assign(size=1 + np.arange(N) % 3), LABELS, kernels=GAUSSIAN)
    assert figures(found) == figures(ranks)


@promise("frames", "missing values", "filled with the median and marked, and the steps say so")
def gaps():
    found = diagnose(FRAME.mask(FRAME > 1.5), LABELS)
    assert "with the median; further columns mark them" in found.preparation[0]


@promise("frames", "infinite numbers", "refused")
def infinite_cells():
    refused(lambda: diagnose(FRAME.replace(FRAME.iloc[3, 1], np.inf), LABELS), "finite", "in b")
    mixed = FRAME.replace(FRAME.iloc[3, 1], np.inf).assign(t=["u", "v"] * (N // 2))
    refused(lambda: diagnose(mixed, LABELS), "finite", "in b")


@promise("frames", "categories never seen before", "predicted, as rows of none of the categories")
def unseen_categories():
    frame = FRAME.assign(t=np.where(LABELS > 0, "u", "v"))
    model = diagnose(frame, LABELS, kernels=GAUSSIAN).predictor()
    assert set(model.predict(frame.assign(t="w"))) <= {-1, 1}
    assert set(model.predict(frame.assign(t=None))) <= {-1, 1}


@promise("frames", "numbers beside text in a column", "encoded as categories, and it is said")
def mixed_columns():
    frame = FRAME.assign(t=[1, "x"] * (N // 2))
    assert "Encoded t as categories" in diagnose(frame, LABELS).preparation[0]


@promise(
    "frames",
    'numbers written as text: "12", "$1,234", "12%"',
    "read as numbers, and the steps say how",
)
def written_numbers():
    frame = FRAME.assign(
        a=[f"{v:.3f}" for v in X[:, 0]], b=[f"${1e4 * v + 1e5:,.0f}" for v in X[:, 1]]
    )
    steps = " ".join(diagnose(frame, LABELS, kernels=GAUSSIAN).preparation)
    assert "Read the text in a as numbers" in steps
    assert "Read amounts written as text as numbers: b ('$" in steps


@promise("frames", "empty texts and characters of any script", "categories like others")
def texts():
    frame = FRAME.assign(t=["", "日本", "ß\u0301", "\u202ex"] * (N // 4))
    assert "Encoded t as categories" in diagnose(frame, LABELS).preparation[0]


@promise("frames", "lists, sets or arrays in cells", "refused by the name of the column")
def containers_in_cells():
    for cell in ([1], {1}, np.ones(2)):
        frame = FRAME.assign(t=[cell] * N)
        refused(lambda frame=frame: diagnose(frame, LABELS), "A cell must hold", "in t")


@promise("frames", "columns that only number or name the rows", "left out, and it is said")
def identifiers():
    frame = FRAME.assign(id=range(N), name=[f"n-{i}" for i in range(N)], t=["u", "v"] * (N // 2))
    steps = " ".join(diagnose(frame, LABELS).preparation)
    assert "Left out id: it numbers the rows" in steps
    assert "Left out name: another text in every row" in steps


@promise("frames", "nothing that varies", "refused, with what was left out and why")
def nothing_left():
    frame = pd.DataFrame({"id": range(N), "t": ["x"] * N})
    refused(lambda: diagnose(frame, LABELS), "No column is left to learn from", "same value")


@promise("frames", "new rows without a column that is needed", "refused by the name of the column")
def missing_column():
    model = diagnose(FRAME.assign(t=["u", "v"] * (N // 2)), LABELS).predictor()
    refused(lambda: model.predict(FRAME), "without t")


# Sequences

DNA = ["".join(row) for row in RNG.choice(list("ACGT"), size=(N, 8))]


@promise("sequences", "sequences of unequal length", "refused; the message names a row of each")
def unequal_sequences():
    refused(lambda: diagnose([*DNA[:-1], "ACG"], LABELS), "one length", "row 0", "row 39")


@promise("sequences", "empty or missing sequences", "refused by their row")
def empty_sequences():
    refused(lambda: diagnose(["ACGT", "", "ACGA"], [0, 1, 0]), "empty string in row 1")
    refused(lambda: diagnose(["ACGT", None, "ACGA"], [0, 1, 0]), "missing value in row 1")


@promise("sequences", "numbers among sequences", "refused by their row")
def numbers_among_sequences():
    refused(lambda: diagnose(["ACGT", 3, "ACGA"], [0, 1, 0]), "Got 3 of type int in row 1")


@promise("sequences", "characters of any script, bytes, null characters", "characters like others")
def strange_letters():
    expected = figures(diagnose(DNA, LABELS))
    for letters in ("äß日𝄞", "\0\x01zq"):
        other = [row.translate(str.maketrans("ACGT", letters)) for row in DNA]
        np.testing.assert_allclose(figures(diagnose(other, LABELS)), expected)
    np.testing.assert_allclose(figures(diagnose([r.encode() for r in DNA], LABELS)), expected)


@promise("sequences", "sequences for a kernel of vectors, and the reverse", "refused")
def wrong_kind():
    refused(lambda: diagnose(DNA, LABELS, kernels=GAUSSIAN), "numbers only", "WeightedDegree")
    refused(lambda: diagnose(X, LABELS, kernels=kernels.WeightedDegree(3)), "sequences of equal")


@promise("sequences", "objects that print alike", "are not taken for the same row")
def objects_that_print_alike():
    class Opaque:
        def __init__(self, value):
            self.value = value

        def __repr__(self):
            return "Opaque"

    objects = np.array([Opaque(v) for v in X[:, 0]], dtype=object)

    def kernel(A, B):
        return [[np.exp(-((a.value - b.value) ** 2)) for b in B] for a in A]

    found = diagnose(objects, LABELS, kernels=kernel)
    assert found.n == N
    assert found.dimension > 0
