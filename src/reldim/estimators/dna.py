"""DNA as numbers: a scikit-learn transformer from strings to columns.

``OneHotEncoder`` takes tables with one character per cell, tells upper from lower
case, and does not say which position of which sequence it refuses.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from reldim.exceptions import InputError, InputTypeError
from reldim.kernels.strings import as_sequences

__all__ = ["DNAOneHot"]

# The IUPAC code for several bases, X for an unknown one, and gaps in an alignment.
_AMBIGUOUS_CHARACTERS = "NRYSWKMBDHVX-."

_AMBIGUOUS, _UNKNOWN = -1, -2


class DNAOneHot(TransformerMixin, BaseEstimator):
    """Bases as unit vectors, one column per position and base.

    Parameters
    ----------
    alphabet : str, default "ACGT"
        The characters, in the order of their columns. Lower case in the data is accepted.
    ambiguous : {"error", "zero"}, default "error"
        What to do with characters that stand for several bases (N, R, Y, S, W, K, M, B, D, H, V,
        X) or for a gap in an alignment (-, .): refuse them, or write the zero vector.

    Attributes
    ----------
    length_ : int
        Length of the sequences.

    Examples
    --------
    >>> from reldim.estimators.dna import DNAOneHot
    >>> encoder = DNAOneHot().fit(["GA", "TC"])
    >>> encoder.transform(["GA"])
    array([[0., 0., 1., 0., 1., 0., 0., 0.]])
    >>> encoder.get_feature_names_out()[:3]
    array(['position_1_A', 'position_1_C', 'position_1_G'], dtype=object)
    """

    def __init__(
        self, alphabet: str = "ACGT", *, ambiguous: Literal["error", "zero"] = "error"
    ) -> None:
        self.alphabet = alphabet
        self.ambiguous = ambiguous

    def fit(self, X: Any, y: Any = None) -> DNAOneHot:
        """Learn the length of the sequences.

        Parameters
        ----------
        X : list, array, Series or one-column DataFrame of strings
            Sequences of equal length.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted encoder.
        """
        self.length_ = self._places(X).shape[1]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Write each sequence as a row of zeros and ones.

        Parameters
        ----------
        X : list, array, Series or one-column DataFrame of strings
            Sequences as long as those of `fit`.

        Returns
        -------
        ndarray of shape (n, columns)
            The unit vectors, side by side.
        """
        check_is_fitted(self)
        places = self._places(X)
        if places.shape[1] != self.length_:
            raise InputError(
                f"{type(self).__name__} was fitted to sequences of length {self.length_}. Got "
                f"length {places.shape[1]}: cut or pad them to the same positions."
            )
        # The row of zeros comes last, where the place -1 of ambiguous characters points to.
        vectors = np.eye(len(self.alphabet) + 1, len(self.alphabet))
        return vectors[places].reshape(len(places), -1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns by position and base, as in ``position_1_A``.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            The names.
        """
        check_is_fitted(self)
        bases, positions = self.alphabet.upper(), range(1, self.length_ + 1)
        return np.array([f"position_{i}_{a}" for i in positions for a in bases], dtype=object)

    def _places(self, X: Any) -> NDArray[np.intp]:
        """Return the place of each character in the alphabet, -1 for ambiguous ones."""
        place_of = self._alphabet_places()
        codes = as_sequences(X)
        # Codes beyond Latin-1 are no characters of DNA, and neither is the last of Latin-1.
        places: NDArray[np.intp] = place_of[np.minimum(codes, 255)]
        refused = places == _UNKNOWN if self.ambiguous == "zero" else places < 0
        if refused.any():
            row, column = np.unravel_index(int(np.argmax(refused)), refused.shape)
            kind, advice = (
                ("ambiguous", "pass ambiguous='zero', or leave such rows out")
                if places[row, column] == _AMBIGUOUS
                else ("unknown", "correct the sequence, or name all characters in alphabet")
            )
            raise InputError(
                f"Sequences must be written in the characters {self.alphabet!r}. Got the {kind} "
                f"character {chr(codes[row, column])!r} in row {row}, position {column + 1}: "
                f"{advice}."
            )
        return places

    def _alphabet_places(self) -> NDArray[np.intp]:
        """Check the parameters, and map each code to its place in the alphabet."""
        if not isinstance(self.alphabet, str):
            raise InputTypeError(
                f"alphabet must be a string of characters, such as 'ACGT'. Got {self.alphabet!r}."
            )
        known = self.alphabet.upper()
        if len(known) < 2 or len(set(known)) != len(known) or not known.isascii():
            raise InputError(
                "alphabet must be at least two different ASCII characters, such as 'ACGT'. "
                f"Got {self.alphabet!r} instead."
            )
        if self.ambiguous not in ("error", "zero"):
            raise InputError(
                f"ambiguous must be 'error' or 'zero'. Got {self.ambiguous!r} instead."
            )
        place_of = np.full(256, _UNKNOWN, dtype=np.intp)
        # The alphabet comes last: N is ambiguous in DNA, and no less a character of proteins.
        places = dict.fromkeys(_AMBIGUOUS_CHARACTERS, _AMBIGUOUS)
        places |= {character: place for place, character in enumerate(known)}
        for character, place in places.items():
            place_of[[ord(character), ord(character.lower())]] = place
        return place_of

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
