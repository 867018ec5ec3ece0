"""Text columns: categories, dates and text, turned into numbers by skrub.

What is learned from columns follows from the columns alone. They are kept, and a copy that is read
from a file learns from them again: a fitted object of skrub is nothing that a file may hold.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reldim.exceptions import FileError, InputError, MissingDependencyError
from reldim.tables.columns import as_numbers, identifies_rows, listed, says_missing

__all__ = ["TextColumns", "sort_columns"]

#: Columns of the encoding of a text column with many distinct values.
TEXT_COMPONENTS = 30


def sort_columns(frame: pd.DataFrame) -> tuple[list[str], list[str], list[str]]:
    """Tell columns that can be encoded from those that say nothing.

    Returns
    -------
    kept, empty, names : list of str
        Columns to encode, columns without values, and columns with another text in every row.
    """
    vectorizer = _skrub(frame.columns).TableVectorizer(
        low_cardinality="drop", high_cardinality="drop"
    )
    kinds = _quietly(vectorizer.fit, frame).kind_to_columns_
    text = {*kinds["low_cardinality"], *kinds["high_cardinality"]}
    held = text.union(*kinds.values())
    empty = [name for name in frame.columns if name not in held]
    names = [name for name in frame.columns if name in text and identifies_rows(frame[name])]
    out = {*empty, *names}
    return [name for name in frame.columns if name not in out], empty, names


class TextColumns:
    """Columns that are not numbers, and how skrub encodes them.

    Parameters
    ----------
    frame : DataFrame
        The columns.

    Attributes
    ----------
    frame : DataFrame
        The columns.
    sources : dict
        From each column of the encoding to the column that it comes from.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        skrub = _skrub(frame.columns)
        encoder = skrub.StringEncoder(n_components=TEXT_COMPONENTS, random_state=0)
        self.frame = frame
        self._vectorizer: Any = skrub.TableVectorizer(high_cardinality=encoder)
        _quietly(self._vectorizer.fit, frame)
        self.sources: dict[str, str] = self._vectorizer.output_to_input_

    @property
    def names(self) -> list[str]:
        """The columns."""
        return [*self.frame.columns]

    @property
    def names_out(self) -> list[str]:
        """The columns of the encoding, in words: "species = Adelie", "born: year"."""
        categories = {*self._vectorizer.kind_to_columns_["low_cardinality"]}
        return [
            source
            if name == source
            else f"{source}{' = ' if source in categories else ': '}{name[len(source) + 1 :]}"
            for name, source in self.sources.items()
        ]

    def encode(self, frame: pd.DataFrame) -> list[NDArray[np.float64]]:
        """Encode a table that has these columns.

        Returns
        -------
        list of ndarray
            A column each, missing values as NaN.
        """
        encoded = _quietly(self._vectorizer.transform, frame[self.names])
        self._check_read(frame, encoded)
        columns = [as_numbers(encoded[name]) for name in self.sources]
        return [numbers for numbers in columns if numbers is not None]

    @property
    def dates(self) -> list[str]:
        """The columns that are dates."""
        return [*self._vectorizer.kind_to_columns_["datetime"]]

    def _check_read(self, frame: pd.DataFrame, encoded: pd.DataFrame) -> None:
        """Refuse cells that were made missing because they are no numbers, or no dates."""
        kinds: dict[str, list[str]] = self._vectorizer.kind_to_columns_
        kind_of = {name: kind for kind in ("numeric", "datetime") for name in kinds[kind]}
        for name, kind in kind_of.items():
            first = self._vectorizer.input_to_outputs_[name][0]
            lost = np.flatnonzero(encoded[first].isna().to_numpy())
            row = next((i for i in lost if not says_missing(frame[name].iloc[i])), None)
            if row is not None:
                known = self.frame[name]
                example = next(str(cell) for cell in known if not says_missing(cell))
                raise InputError(
                    f"The column {name} held {'numbers' if kind == 'numeric' else 'dates'} such as "
                    f"{example!r} when the table was prepared. Got "
                    f"{str(frame[name].iloc[row])[:50]!r} in row {row}; write it in the same way, "
                    "or mark it as missing."
                )

    def steps(self) -> Iterator[str]:
        """Say what was done, a sentence each."""
        kinds: dict[str, list[str]] = self._vectorizer.kind_to_columns_
        if kinds["numeric"]:
            yield f"Read the text in {listed(kinds['numeric'])} as numbers."
        if kinds["datetime"]:
            names = listed(kinds["datetime"])
            yield f"Took dates apart into year, month, day and time: {names}."
        if kinds["low_cardinality"]:
            missing = self.frame[kinds["low_cardinality"]].isna().to_numpy().any()
            yield (
                f"Encoded {listed(kinds['low_cardinality'])} as categories, a column of 0 and 1 "
                f"each{' (a missing value is one too)' if missing else ''}."
            )
        if kinds["high_cardinality"]:
            outputs = self._vectorizer.input_to_outputs_
            total = sum(len(outputs[name]) for name in kinds["high_cardinality"])
            yield (
                f"Encoded the text in {listed(kinds['high_cardinality'])} by its character "
                f"n-grams, in {total} columns."
            )

    def roles(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield roles, why, and the columns that have them."""
        kinds: dict[str, list[str]] = self._vectorizer.kind_to_columns_
        yield "number", "text that reads as numbers", kinds["numeric"]
        yield "date", "dates", kinds["datetime"]
        yield "category", "few distinct values", kinds["low_cardinality"]
        yield "text", "many texts that hardly recur", kinds["high_cardinality"]

    def parts(self) -> dict[str, Any]:
        """Return what a file holds of it: the columns, and a mark of how they are encoded."""
        return {"frame": self.frame, "skrub": version("skrub"), "mark": self._mark()}

    @classmethod
    def from_parts(cls, parts: dict[str, Any]) -> "TextColumns":
        """Learn from columns that a file held, and see whether the encoding is the same."""
        columns = cls(parts["frame"])
        if columns._mark() != parts["mark"]:
            raise FileError(
                f"its text columns were encoded by skrub {parts['skrub']}, and the installed "
                f"{version('skrub')} gives other numbers. Install the former to load it."
            )
        return columns

    def _mark(self) -> str:
        # Ten digits: sums in another order, as another machine has them, are the same encoding.
        encoded = [[f"{value:.10g}" for value in column] for column in self.encode(self.frame)]
        return hashlib.sha256(repr(encoded).encode()).hexdigest()


def _skrub(columns: Iterable[str]) -> Any:
    try:
        return import_module("skrub")
    except ImportError as error:
        purpose = f"A table with columns that are not numbers ({listed(columns)})"
        raise MissingDependencyError("skrub", purpose, extra="tables") from error


def _quietly(call: Callable[[pd.DataFrame], Any], frame: pd.DataFrame) -> Any:
    # skrub warns of its choices, such as zeros for categories not seen before: the steps tell.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(frame)
