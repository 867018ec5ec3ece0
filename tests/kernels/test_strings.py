"""Kernels between strings, and the forms in which strings come."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from reldim.exceptions import InputError, InputTypeError
from reldim.kernels import WeightedDegree, strings
from reldim.kernels.strings import as_sequences

WORDS = ["GATTACA", "GATCACA", "CATTAGA"]
CODES = np.array([[ord(letter) for letter in word] for word in WORDS])


def literal(degree, X, Z):
    """The formula as three loops over lengths, positions and letters."""
    values = np.zeros((len(X), len(Z)))
    for i, x in enumerate(X):
        for k, z in enumerate(Z):
            for j in range(1, degree + 1):
                for start in range(len(x) - j + 1):
                    if all(x[start + t] == z[start + t] for t in range(j)):
                        values[i, k] += degree - j + 1
    return values


def random_words(n, length, alphabet="ACGT", seed=0):
    letters = np.random.default_rng(seed).choice(list(alphabet), size=(n, length))
    return ["".join(row) for row in letters]


class TestWeightedDegree:
    # At degree 23 the weights of a run no longer fit into a byte, at 362 not into two.
    @pytest.mark.parametrize("degree", [1, 2, 3, 7, 8, 22, 23, 30, 361, 362, 400])
    def test_equals_three_loops(self, degree):
        X, Z = random_words(6, 26, alphabet="AB"), random_words(4, 26, alphabet="AB", seed=1)
        Z[0] = X[0]
        np.testing.assert_array_equal(WeightedDegree(degree)(X, Z), literal(degree, X, Z))

    @pytest.mark.parametrize("degree", [22, 23])
    def test_long_runs_beyond_the_degree(self, degree):
        X = ["A" * 60, "A" * 30 + "C" + "A" * 29, "C" * 60]
        np.testing.assert_array_equal(WeightedDegree(degree)(X), literal(degree, X, X))

    @pytest.mark.parametrize("degree", [1, 4, 50])
    def test_diagonal(self, degree):
        X = random_words(3, 12)
        np.testing.assert_array_equal(
            WeightedDegree(degree).diagonal(X), np.diag(literal(degree, X, X))
        )

    def test_known_value(self):
        # Letters agree at 1-3 and 5-7: six letters of weight 2, four pairs of weight 1.
        assert WeightedDegree(2)(["GATTACA"], ["GATCACA"]) == 16

    def test_degree_larger_than_the_length(self):
        # w = 9, 8, 7: three letters, two pairs, one triple.
        assert WeightedDegree(9)(["ABC"], ["ABC"]) == 3 * 9 + 2 * 8 + 7

    def test_case_matters(self):
        assert WeightedDegree(1)(["acgt"], ["ACGT"]) == 0

    def test_blocks_fit_together(self, monkeypatch):
        X, Z = random_words(23, 9), random_words(17, 9, seed=1)
        monkeypatch.setattr(strings, "_PAIRS_IN_BLOCK", 5)
        np.testing.assert_array_equal(WeightedDegree(3)(X), literal(3, X, X))
        np.testing.assert_array_equal(WeightedDegree(3)(X, Z), literal(3, X, Z))
        monkeypatch.setattr(strings, "_PAIRS_IN_BLOCK", 60)
        np.testing.assert_array_equal(WeightedDegree(3)(X), literal(3, X, X))

    def test_letters_beyond_one_byte(self):
        X = ["αβγ", "αβδ", "abc"]
        np.testing.assert_array_equal(WeightedDegree(2)(X), literal(2, X, X))
        np.testing.assert_array_equal(WeightedDegree(2)(["abd"], X), literal(2, ["abd"], X))

    def test_float64_out(self):
        assert WeightedDegree(2)(WORDS).dtype == np.float64

    @settings(max_examples=40, deadline=None)
    @given(
        st.integers(1, 6),
        st.integers(1, 8).flatmap(
            lambda n: st.lists(st.text("AC", min_size=n, max_size=n), min_size=1, max_size=5)
        ),
    )
    def test_equals_three_loops_on_any_words(self, degree, words):
        np.testing.assert_array_equal(WeightedDegree(degree)(words), literal(degree, words, words))

    @settings(max_examples=25, deadline=None)
    @given(st.permutations(range(6)))
    def test_permutation_of_rows(self, order):
        X = random_words(6, 10)
        permuted = WeightedDegree(3)([X[i] for i in order])
        np.testing.assert_array_equal(permuted, WeightedDegree(3)(X)[np.ix_(order, order)])

    @pytest.mark.parametrize("degree", [0, -1])
    def test_positive_degree_wanted(self, degree):
        message = f"WeightedDegree: degree must be a positive whole number. Got {degree} instead"
        with pytest.raises(InputError, match=message):
            WeightedDegree(degree)

    @pytest.mark.parametrize("degree", [2.0, True, "3", None], ids=repr)
    def test_whole_degree_wanted(self, degree):
        message = f"degree must be a positive whole number, .* of type {type(degree).__name__}"
        with pytest.raises(InputTypeError, match=message):
            WeightedDegree(degree)

    def test_lengths_must_fit(self):
        with pytest.raises(InputError, match=r"must be of one length\. Got 3 and 7: cut or pad"):
            WeightedDegree(2)(["GAT"], WORDS)


class TestForms:
    @pytest.mark.parametrize(
        "X",
        [
            WORDS,
            tuple(WORDS),
            np.array(WORDS),
            np.array(WORDS, dtype=object),
            np.array(WORDS, dtype="S"),
            np.array(WORDS)[:, None],
            [word.encode() for word in WORDS],
            [WORDS[0], WORDS[1].encode(), np.str_(WORDS[2])],
            pd.Series(WORDS),
            pd.Series(WORDS, dtype="category"),
            pd.Index(WORDS),
            pd.DataFrame({"sequence": WORDS}),
            pd.DataFrame([list(word) for word in WORDS]),
            [list(word) for word in WORDS],
            np.array([list(word) for word in WORDS]),
            np.array([list(word) for word in WORDS], dtype="S1"),
            CODES,
            CODES.astype(np.uint8),
            CODES.astype(object),
            CODES.tolist(),
            pd.DataFrame(CODES),
        ],
        ids=lambda X: f"{type(X).__name__}-{getattr(X, 'dtype', '')}",
    )
    def test_all_give_the_same_codes(self, X):
        codes = as_sequences(X)
        assert codes.dtype == np.uint8
        np.testing.assert_array_equal(codes, CODES)

    @pytest.mark.parametrize("dtype", [np.uint8, np.uint32])
    def test_codes_are_not_copied(self, dtype):
        codes = CODES.astype(dtype)
        assert as_sequences(codes) is codes

    def test_large_codes(self):
        assert as_sequences(["αβ"]).tolist() == [[945, 946]]
        assert as_sequences(np.array([[0, 2**32 - 1]])).dtype == np.uint32

    @pytest.mark.parametrize(
        "X, message",
        [
            (["ACG", "ACG", "AC", "A"], r"Got 3 in row 0 and 2 in row 2: cut or pad them"),
            ([[1, 2], [1, 2], [3]], "Got 2 in row 0 and 1 in row 2"),
            ([[[1], [2]], [[1, 2], [3]]], "Got rows of different shapes instead"),
            (["ACG", ""], "must not be empty. Got an empty string in row 1"),
            ([""], "must not be empty. Got an empty string in row 0"),
            (["ACG", None], "must not be missing. Got a missing value in row 1"),
            ([None, "ACG"], "must not be missing. Got a missing value in row 0"),
            (pd.Series(["A", pd.NA]), "must not be missing. Got a missing value in row 1"),
            (pd.Series(["A", np.nan]), "must not be missing. Got a missing value in row 1"),
            (["ACG", 3], "Got 3 of type int in row 1 instead"),
            ([1.5, "ACG"], "Got 1.5 of type float in row 0 instead"),
            (["ACG", ["A", "C", "G"]], r"Got \['A', 'C', 'G'\] of type list in row 1"),
            (np.ones((2, 3)), "Got entries of type float64 instead: turn them into strings"),
            (np.array([1, 2, 3]), r"single integers \(shape \(3,\)\): pass one row per sequence"),
            (np.ones((2, 2, 2), dtype=int), r"Got an array of shape \(2, 2, 2\) instead"),
            (np.array("ACG"), r"Got an array of shape \(\) instead"),
            (np.array([[1, -1]]), "between 0 and 2.*32 - 1. Got values from -1 to 1: number"),
            (np.array([[1, 2**32]]), "Got values from 1 to 4294967296"),
            ([["AB", "C"], ["A", "C"]], "one per cell. Got 'AB' in row 0: pass whole"),
            (pd.DataFrame({"a": ["A"], "b": [None]}), "Got a missing value in row 0"),
            ([], "Got none, or empty ones"),
            (np.zeros((3, 0), dtype=np.uint8), "Got none, or empty ones"),
        ],
    )
    def test_refusals(self, X, message):
        with pytest.raises(InputError, match=message):
            as_sequences(X)

    @pytest.mark.parametrize("X", ["ACGT", b"ACGT", 3, None, {"A", "C"}, iter(WORDS)], ids=type)
    def test_refused_types(self, X):
        with pytest.raises(InputTypeError, match=f"Got {type(X).__name__} instead"):
            as_sequences(X)

    def test_sparse_is_refused(self):
        with pytest.raises(InputTypeError, match="Got csr_array instead"):
            as_sequences(sparse.csr_array([[1, 2]]))
