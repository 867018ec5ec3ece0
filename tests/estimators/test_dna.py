"""DNA as numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from reldim.estimators.dna import DNAOneHot
from reldim.exceptions import InputError, InputTypeError

WORDS = ["GATTACA", "CATTAGA", "TTTACGC"]


def one_hot(word, alphabet="ACGT"):
    return [float(letter == a) for letter in word for a in alphabet]


class TestOneHot:
    def test_unit_vectors_in_the_order_of_the_alphabet(self):
        np.testing.assert_array_equal(
            DNAOneHot().fit_transform(WORDS), [one_hot(word) for word in WORDS]
        )
        np.testing.assert_array_equal(
            DNAOneHot("TGCA").fit_transform(WORDS), [one_hot(word, "TGCA") for word in WORDS]
        )

    def test_ambiguous_letters_become_the_zero_vector(self):
        encoded = DNAOneHot(ambiguous="zero").fit_transform(["ANs"])
        np.testing.assert_array_equal(encoded, [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]])

    def test_inner_product_counts_equal_letters(self):
        encoded = DNAOneHot().fit_transform(WORDS)
        expected = [[sum(map(str.__eq__, x, z)) for z in WORDS] for x in WORDS]
        np.testing.assert_array_equal(encoded @ encoded.T, expected)

    def test_names(self):
        names = DNAOneHot("acgt").fit(["AC"]).get_feature_names_out()
        letters = [f"position_{i}_{a}" for i in (1, 2) for a in "ACGT"]
        assert names.tolist() == letters


class TestUse:
    @pytest.mark.parametrize(
        "form",
        [
            tuple,
            np.array,
            pd.Series,
            lambda words: pd.DataFrame({"dna": words}),
            lambda words: np.array(words, dtype=object)[:, None],
            lambda words: [word.lower() for word in words],
            lambda words: [word.encode() for word in words],
            lambda words: [list(word) for word in words],
        ],
    )
    def test_forms_of_strings(self, form):
        expected = DNAOneHot().fit_transform(WORDS)
        encoded = DNAOneHot().fit_transform(form(WORDS))
        assert encoded.dtype == np.float64
        np.testing.assert_array_equal(encoded, expected)

    def test_alphabet_comes_before_ambiguity(self):
        # N is a letter of proteins, and ambiguous in DNA.
        encoded = DNAOneHot("NDR").fit_transform(["NDR"])
        assert encoded.sum() == 3

    def test_ambiguous_letters_are_refused(self):
        message = "ambiguous character 'N' in row 1, position 2: pass ambiguous='zero'"
        with pytest.raises(InputError, match=message):
            DNAOneHot().fit(["ACG", "ANG"])
        fitted = DNAOneHot().fit(["ACG"])
        with pytest.raises(InputError, match="ambiguous character 'r' in row 0, position 3"):
            fitted.transform(["ACr"])

    @pytest.mark.parametrize("ambiguous", ["error", "zero"])
    @pytest.mark.parametrize("letter", ["U", "1", "é", "ÿ", "α", "€"])
    def test_unknown_letters_are_refused(self, ambiguous, letter):
        message = (
            f"characters 'ACGT'. Got the unknown character '{letter}' in row 0, position 3: correct"
        )
        with pytest.raises(InputError, match=message):
            DNAOneHot(ambiguous=ambiguous).fit([f"AC{letter}"])

    def test_other_lengths_are_refused(self):
        fitted = DNAOneHot().fit(WORDS)
        message = "DNAOneHot was fitted to sequences of length 7. Got length 3"
        with pytest.raises(InputError, match=message):
            fitted.transform(["ACG"])
        with pytest.raises(InputError, match="Got 3 in row 0 and 2 in row 1"):
            DNAOneHot().fit(["ACG", "AC"])

    @pytest.mark.parametrize("alphabet", ["", "A", "AA", "Aa", "AΓ"])
    def test_bad_alphabets(self, alphabet):
        message = f"at least two different ASCII characters, .* Got '{alphabet}'"
        with pytest.raises(InputError, match=message):
            DNAOneHot(alphabet).fit(WORDS)

    def test_alphabet_of_another_type(self):
        with pytest.raises(
            InputTypeError, match=r"must be a string of characters.* Got \['A', 'C'\]"
        ):
            DNAOneHot(["A", "C"]).fit(WORDS)

    def test_bad_choice_for_ambiguous_letters(self):
        with pytest.raises(InputError, match="must be 'error' or 'zero'. Got 'drop' instead"):
            DNAOneHot(ambiguous="drop").fit(WORDS)

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            DNAOneHot().transform(WORDS)
        with pytest.raises(NotFittedError):
            DNAOneHot().get_feature_names_out()

    def test_clone_keeps_parameters_and_forgets_the_rest(self):
        fitted = DNAOneHot("TGCA", ambiguous="zero").fit(WORDS)
        twin = clone(fitted)
        assert twin.get_params() == {"alphabet": "TGCA", "ambiguous": "zero"}
        assert not hasattr(twin, "length_")
        assert fitted.length_ == 7

    def test_pandas_out(self):
        frame = pd.DataFrame({"dna": WORDS}, index=[3, 5, 8])
        fitted = DNAOneHot().set_output(transform="pandas")
        encoded = fitted.fit_transform(frame)
        assert encoded.columns.tolist() == fitted.get_feature_names_out().tolist()
        assert encoded.index.tolist() == [3, 5, 8]
        np.testing.assert_array_equal(encoded.to_numpy(), DNAOneHot().fit_transform(WORDS))

    def test_in_a_pipeline(self):
        model = make_pipeline(DNAOneHot(), RidgeClassifier()).fit(WORDS, [0, 1, 1])
        assert model.predict(WORDS).tolist() == [0, 1, 1]
        assert model[:-1].get_feature_names_out()[0].startswith("position_1")

    @pytest.mark.parametrize("column", ["dna", ["dna"]], ids=repr)
    def test_as_one_column_of_a_table(self, column):
        table = pd.DataFrame({"dna": WORDS, "age": [1.0, 2.0, 3.0]})
        transformer = make_column_transformer((DNAOneHot(), column), remainder="passthrough")
        encoded = transformer.fit_transform(table)
        np.testing.assert_array_equal(encoded[:, :-1], DNAOneHot().fit_transform(WORDS))
        np.testing.assert_array_equal(encoded[:, -1], [1.0, 2.0, 3.0])

    def test_tags(self):
        tags = get_tags(DNAOneHot())
        assert tags.input_tags.string
        assert not tags.input_tags.two_d_array
