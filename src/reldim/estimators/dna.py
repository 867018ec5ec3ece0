"""DNA as numbers: scikit-learn transformers from strings to columns."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from reldim.exceptions import InputError, InputTypeError
from reldim.kernels.sequences import as_sequences

__all__ = ["DNANumbers", "DNAOneHot"]

# The letters of the IUPAC code that stand for several bases, X for an unknown one, and gaps.
_AMBIGUOUS_LETTERS = "NRYSWKMBDHVX-."

_AMBIGUOUS, _UNKNOWN = -1, -2


class _DNAEncoder(TransformerMixin, BaseEstimator):
    """Sequences of equal length over a small alphabet, as columns of numbers."""

    def __init__(
        self, alphabet: str = "ACGT", *, ambiguous: Literal["error", "zero"] = "error"
    ) -> None:
        self.alphabet = alphabet
        self.ambiguous = ambiguous

    def fit(self, X: Any, y: Any = None) -> _DNAEncoder:
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
        self.length_ = self._letters(X).shape[1]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Write each sequence as a row of numbers.

        Parameters
        ----------
        X : list, array, Series or one-column DataFrame of strings
            Sequences as long as those of `fit`.

        Returns
        -------
        ndarray of shape (n, columns)
            The numbers.
        """
        check_is_fitted(self)
        letters = self._letters(X)
        if letters.shape[1] != self.length_:
            raise InputError(
                f"{type(self).__name__} was fitted to sequences of length {self.length_}. Got "
                f"length {letters.shape[1]}: cut or pad them to the same positions."
            )
        return self._encode(letters)

    @abstractmethod
    def _encode(self, letters: NDArray[np.intp]) -> NDArray[np.float64]:
        """Turn places in the alphabet (-1: ambiguous) into columns."""

    def _letters(self, X: Any) -> NDArray[np.intp]:
        """Places of all letters in the alphabet, -1 for ambiguous ones."""
        place = self._places()
        codes = as_sequences(X)
        # Codes beyond Latin-1 are no letters of DNA, and neither is the last of Latin-1.
        letters: NDArray[np.intp] = place[np.minimum(codes, 255)]
        refused = letters == _UNKNOWN if self.ambiguous == "zero" else letters < 0
        if refused.any():
            row, column = np.unravel_index(int(np.argmax(refused)), refused.shape)
            is_ambiguous = letters[row, column] == _AMBIGUOUS
            advice = (
                "pass ambiguous='zero', or leave such rows out"
                if is_ambiguous
                else "correct the sequence, or name all letters in alphabet"
            )
            raise InputError(
                f"Sequences must be written in the letters {self.alphabet!r}. Got the "
                f"{'ambiguous' if is_ambiguous else 'unknown'} letter "
                f"{chr(codes[row, column])!r} in row {row}, position {column + 1}: {advice}."
            )
        return letters

    def _places(self) -> NDArray[np.intp]:
        """Check the parameters, and map each code of a letter to its place in the alphabet."""
        if not isinstance(self.alphabet, str):
            raise InputTypeError(
                f"alphabet must be a string of letters, such as 'ACGT'. Got {self.alphabet!r}."
            )
        known = self.alphabet.upper()
        if len(known) < 2 or len(set(known)) != len(known) or not known.isascii():
            raise InputError(
                "alphabet must be at least two different ASCII letters, such as 'ACGT'. "
                f"Got {self.alphabet!r} instead."
            )
        if self.ambiguous not in ("error", "zero"):
            raise InputError(
                f"ambiguous must be 'error' or 'zero'. Got {self.ambiguous!r} instead."
            )
        place = np.full(256, _UNKNOWN, dtype=np.intp)
        for letter in _AMBIGUOUS_LETTERS:
            place[[ord(letter), ord(letter.lower())]] = _AMBIGUOUS
        for i, letter in enumerate(known):
            place[[ord(letter), ord(letter.lower())]] = i
        return place

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


class DNANumbers(_DNAEncoder):
    """Letters as numbers, a column for each position: A, C, G, T become 1, 2, 3, 4.

    Parameters
    ----------
    alphabet : str, default "ACGT"
        The letters, in the order of their numbers. Lower case in the data is accepted.
    ambiguous : {"error", "zero"}, default "error"
        What to do with letters that stand for several bases (N, R, Y, S, W, K, M, B, D, H, V, X)
        and with gaps (-, .): refuse them, or write 0.

    Attributes
    ----------
    length_ : int
        Length of the sequences.

    Examples
    --------
    >>> from reldim.estimators.dna import DNANumbers
    >>> DNANumbers().fit_transform(["GAT", "tac"])
    array([[3., 1., 4.],
           [4., 1., 2.]])
    >>> DNANumbers(ambiguous="zero").fit_transform(["GNT"])
    array([[3., 0., 4.]])
    """

    def _encode(self, letters: NDArray[np.intp]) -> NDArray[np.float64]:
        return (letters + 1).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns ``position_1``, ``position_2`` and so on.

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
        return np.array([f"position_{i + 1}" for i in range(self.length_)], dtype=object)


class DNAOneHot(_DNAEncoder):
    """Letters as unit vectors, a column for each position and letter.

    Parameters
    ----------
    alphabet : str, default "ACGT"
        The letters, in the order of their columns. Lower case in the data is accepted.
    ambiguous : {"error", "zero"}, default "error"
        What to do with letters that stand for several bases (N, R, Y, S, W, K, M, B, D, H, V, X)
        and with gaps (-, .): refuse them, or write the zero vector.

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

    def _encode(self, letters: NDArray[np.intp]) -> NDArray[np.float64]:
        # The row of zeros comes last, where the place -1 of ambiguous letters points to.
        vectors = np.eye(len(self.alphabet) + 1, len(self.alphabet))
        return vectors[letters].reshape(letters.shape[0], -1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns ``position_1_A``, ``position_1_C`` and so on.

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
        return np.array(
            [f"position_{i + 1}_{a}" for i in range(self.length_) for a in self.alphabet.upper()],
            dtype=object,
        )
