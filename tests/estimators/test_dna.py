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

from reldim.estimators.dna import DNANumbers, DNAOneHot
from reldim.exceptions import InputError, InputTypeError

WORDS = ["GATTACA", "CATTAGA", "TTTACGC"]
both = pytest.mark.parametrize("encoder", [DNANumbers, DNAOneHot])


def numbers(word, alphabet="ACGT"):
    return [alphabet.find(letter) + 1 for letter in word]


def one_hot(word, alphabet="ACGT"):
    return [float(letter == a) for letter in word for a in alphabet]


class TestNumbers:
    def test_letters_in_the_order_of_the_alphabet(self):
        np.testing.assert_array_equal(
            DNANumbers().fit_transform(WORDS), [numbers(word) for word in WORDS]
        )
        np.testing.assert_array_equal(
            DNANumbers("TGCA").fit_transform(WORDS), [numbers(word, "TGCA") for word in WORDS]
        )

    def test_ambiguous_letters_become_zero(self):
        encoded = DNANumbers(ambiguous="zero").fit_transform(["ANT", "drG", "A-."])
        np.testing.assert_array_equal(encoded, [[1, 0, 4], [0, 0, 3], [1, 0, 0]])

    def test_names(self):
        names = DNANumbers().fit(["ACG"]).get_feature_names_out()
        assert names.tolist() == ["position_1", "position_2", "position_3"]


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


@both
class TestBoth:
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
    def test_forms_of_strings(self, encoder, form):
        expected = encoder().fit_transform(WORDS)
        encoded = encoder().fit_transform(form(WORDS))
        assert encoded.dtype == np.float64
        np.testing.assert_array_equal(encoded, expected)

    def test_alphabet_comes_before_ambiguity(self, encoder):
        # N is a letter of proteins, and ambiguous in DNA.
        encoded = encoder("NDR").fit_transform(["NDR"])
        assert encoded.sum() == (6 if encoder is DNANumbers else 3)

    def test_ambiguous_letters_are_refused(self, encoder):
        message = "ambiguous character 'N' in row 1, position 2: pass ambiguous='zero'"
        with pytest.raises(InputError, match=message):
            encoder().fit(["ACG", "ANG"])
        fitted = encoder().fit(["ACG"])
        with pytest.raises(InputError, match="ambiguous character 'r' in row 0, position 3"):
            fitted.transform(["ACr"])

    @pytest.mark.parametrize("ambiguous", ["error", "zero"])
    @pytest.mark.parametrize("letter", ["U", "1", "é", "ÿ", "α", "€"])
    def test_unknown_letters_are_refused(self, encoder, ambiguous, letter):
        message = (
            f"characters 'ACGT'. Got the unknown character '{letter}' in row 0, position 3: correct"
        )
        with pytest.raises(InputError, match=message):
            encoder(ambiguous=ambiguous).fit([f"AC{letter}"])

    def test_other_lengths_are_refused(self, encoder):
        fitted = encoder().fit(WORDS)
        message = f"{encoder.__name__} was fitted to sequences of length 7. Got length 3"
        with pytest.raises(InputError, match=message):
            fitted.transform(["ACG"])
        with pytest.raises(InputError, match="Got 3 in row 0 and 2 in row 1"):
            encoder().fit(["ACG", "AC"])

    @pytest.mark.parametrize("alphabet", ["", "A", "AA", "Aa", "AΓ"])
    def test_bad_alphabets(self, encoder, alphabet):
        message = f"at least two different ASCII characters, .* Got '{alphabet}'"
        with pytest.raises(InputError, match=message):
            encoder(alphabet).fit(WORDS)

    def test_alphabet_of_another_type(self, encoder):
        with pytest.raises(
            InputTypeError, match=r"must be a string of characters.* Got \['A', 'C'\]"
        ):
            encoder(["A", "C"]).fit(WORDS)

    def test_bad_choice_for_ambiguous_letters(self, encoder):
        with pytest.raises(InputError, match="must be 'error' or 'zero'. Got 'drop' instead"):
            encoder(ambiguous="drop").fit(WORDS)

    def test_not_fitted(self, encoder):
        with pytest.raises(NotFittedError):
            encoder().transform(WORDS)
        with pytest.raises(NotFittedError):
            encoder().get_feature_names_out()

    def test_clone_keeps_parameters_and_forgets_the_rest(self, encoder):
        fitted = encoder("TGCA", ambiguous="zero").fit(WORDS)
        twin = clone(fitted)
        assert twin.get_params() == {"alphabet": "TGCA", "ambiguous": "zero"}
        assert not hasattr(twin, "length_")
        assert fitted.length_ == 7

    def test_pandas_out(self, encoder):
        frame = pd.DataFrame({"dna": WORDS}, index=[3, 5, 8])
        fitted = encoder().set_output(transform="pandas")
        encoded = fitted.fit_transform(frame)
        assert encoded.columns.tolist() == fitted.get_feature_names_out().tolist()
        assert encoded.index.tolist() == [3, 5, 8]
        np.testing.assert_array_equal(encoded.to_numpy(), encoder().fit_transform(WORDS))

    def test_in_a_pipeline(self, encoder):
        model = make_pipeline(encoder(), RidgeClassifier()).fit(WORDS, [0, 1, 1])
        assert model.predict(WORDS).tolist() == [0, 1, 1]
        assert model[:-1].get_feature_names_out()[0].startswith("position_1")

    @pytest.mark.parametrize("column", ["dna", ["dna"]], ids=repr)
    def test_as_one_column_of_a_table(self, encoder, column):
        table = pd.DataFrame({"dna": WORDS, "age": [1.0, 2.0, 3.0]})
        transformer = make_column_transformer((encoder(), column), remainder="passthrough")
        encoded = transformer.fit_transform(table)
        np.testing.assert_array_equal(encoded[:, :-1], encoder().fit_transform(WORDS))
        np.testing.assert_array_equal(encoded[:, -1], [1.0, 2.0, 3.0])

    def test_tags(self, encoder):
        tags = get_tags(encoder())
        assert tags.input_tags.string
        assert not tags.input_tags.two_d_array
