"""Tables with categories, dates and missing values: from columns of any kind to numbers."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from reldim.exceptions import InputError
from reldim.tables.columns import (
    as_frame,
    as_numbers,
    holds_sequences,
    listed,
    numbers_rows,
    printable,
    varying,
)
from reldim.tables.text_columns import TextColumns, sort_columns
from reldim.tables.written_dates import Dates, dates_in
from reldim.tables.written_numbers import Amounts, amounts_in, mostly_amounts

__all__ = ["PreparedTable", "TableEncoder", "needs_preparation", "prepare_table"]


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table as numbers.

    Attributes
    ----------
    X : ndarray of shape (n, features)
        The numbers, none missing.
    feature_names : tuple of str
        The columns of ``X``.
    steps : tuple of str
        What was done, one sentence per step.
    transformer : TableEncoder
        The fitted transformer, which does the same to new rows.
    sources : tuple of str
        For each column of ``X`` the column of the table that it comes from.
    """

    X: NDArray[np.float64] = field(repr=False)
    feature_names: tuple[str, ...]
    steps: tuple[str, ...]
    transformer: "TableEncoder"
    sources: tuple[str, ...] = ()


def prepare_table(frame: pd.DataFrame | ArrayLike, *, scale: bool = True) -> PreparedTable:
    """Turn a table with columns of any kind into numbers.

    Parameters
    ----------
    frame : DataFrame or two-dimensional array
        The table, without the target.
    scale : bool
        Bring every column to mean 0 and variance 1.

    Returns
    -------
    PreparedTable
        The numbers, their names, and what was done.

    See Also
    --------
    TableEncoder : The rules by which a column is encoded.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": [1, 2, 3, 4], "age": [31, None, 40, 25]})
    >>> table = prepare_table(frame)
    >>> table.feature_names
    ('age', 'age is missing')
    >>> for step in table.steps:
    ...     print(step)
    Left out id: it numbers the rows.
    Filled 1 missing value in age with the median; a further column marks it.
    Scaled all 2 columns to mean 0 and variance 1.
    """
    encoder = TableEncoder(scale=scale)
    X = np.asarray(encoder.fit_transform(frame), dtype=np.float64)
    return PreparedTable(
        X, tuple(encoder.feature_names_), tuple(encoder.steps_), encoder, tuple(encoder.sources_)
    )


def needs_preparation(X: Any) -> bool:
    """Tell whether data are a table, whose columns are encoded and scaled.

    Returns
    -------
    bool
        True for a data frame, unless it is a single column of sequences.

    Examples
    --------
    >>> needs_preparation(pd.DataFrame({"age": [31, 40], "sex": ["M", "F"]}))
    True
    >>> needs_preparation(pd.DataFrame({"dna": ["ACGTA", "CCGTA"]}))
    False
    """
    if not isinstance(X, pd.DataFrame):
        return False
    return X.shape[1] != 1 or not holds_sequences(X.iloc[:, 0])


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode the columns of a table as numbers.

    - Numbers, truth values and durations (in seconds) stay as they are, and so do amounts that
      are written as text, such as "$1,234" and "12%". Their missing values are filled with the
      median, and a further column marks where.
    - Where at least 95 % of a text column (and 10 cells) are numbers, or dates, the other cells
      count as missing.
    - Ordered categories of pandas become their ranks, from 1 on.
    - Text and categories go through skrub's ``TableVectorizer``: up to 39 distinct values
      become a column of 0 and 1 each, more of them 30 columns of character n-grams; text that
      reads as numbers or dates is taken as such; a date becomes year, month, day, hour and seconds.
    - Left out are columns without values, with a single value, that number the rows, or with
      a short text that is different in every row.

    Parameters
    ----------
    scale : bool
        Bring every column to mean 0 and variance 1.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        The columns of the table.
    n_features_in_ : int
        Their number.
    feature_names_ : list of str
        The columns of the result; a category is called "species = Adelie".
    sources_ : list of str
        For each of them the column of the table that it comes from.
    steps_ : list of str
        What was done, a sentence each.

    Examples
    --------
    >>> encoder = TableEncoder(scale=False).fit(pd.DataFrame({"a": [1, 2, 4], "b": [5, 5, 5]}))
    >>> encoder.get_feature_names_out()
    array(['a'], dtype=object)
    >>> encoder.transform(pd.DataFrame({"a": [3, None], "b": [5, 6]}))
    array([[3.],
           [2.]])
    """

    def __init__(self, *, scale: bool = True) -> None:
        self.scale = scale

    def fit(self, X: pd.DataFrame | ArrayLike, y: Any = None) -> Self:
        """Learn how to encode the columns."""
        frame = as_frame(X)
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.steps_: list[str] = []
        kept = self._leave_out(frame)
        self._ranks = self._find_ranks(frame, kept)
        self._amounts = self._find_amounts(frame, kept)
        self._numeric = [name for name in kept if self._numbers(frame[name]) is not None]
        numeric = {*self._numeric}
        others = [name for name in kept if name not in numeric]
        self._dates: dict[str, Dates] = {}
        self._texts = self._fit_texts(frame, others) if others else None
        self._fit_columns(self._encode(frame), kept)
        return self

    def transform(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.float64]:
        """Encode a table that has the columns of the one seen in ``fit``.

        Returns
        -------
        ndarray of shape (n, features)
            The numbers, none missing.
        """
        check_is_fitted(self, "feature_names_")
        frame = as_frame(X)
        needed = self._numeric + ([] if self._texts is None else self._texts.names)
        absent = [name for name in needed if name not in frame.columns]
        if absent:
            raise InputError(
                f"The table must have the columns it had when it was prepared. Got a table "
                f"without {listed(absent)}, with the columns {listed(frame.columns)}."
            )
        return self._finish(self._encode(frame))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of the result."""
        check_is_fitted(self, "feature_names_")
        return np.array(self.feature_names_, dtype=object)

    def in_units(self, feature: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of a column of the result in the unit of the table."""
        if self._scaler is None:
            return values
        return np.asarray(values * self._scaler.scale_[feature] + self._scaler.mean_[feature])

    def _leave_out(self, frame: pd.DataFrame) -> list[str]:
        empty = [name for name in frame.columns if frame[name].isna().all()]
        counters = [name for name in frame.columns if numbers_rows(frame[name])]
        if empty:
            self.steps_.append(f"Left out {listed(empty)}: no values.")
        if counters:
            self.steps_.append(
                f"Left out {listed(counters)}: "
                f"{'it numbers' if len(counters) == 1 else 'they number'} the rows."
            )
        out = {*empty, *counters}
        return [name for name in frame.columns if name not in out]

    def _find_ranks(self, frame: pd.DataFrame, kept: list[str]) -> dict[str, list[Any]]:
        """Return the categories of columns whose order was declared, from the lowest on."""
        dtypes = {name: frame[name].dtype for name in kept}
        ranks = {
            name: [*dtype.categories]
            for name, dtype in dtypes.items()
            if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
        }
        for name, order in ranks.items():
            shown = order if len(order) <= 6 else [*order[:4], "...", order[-1]]
            named = " < ".join(map(printable, shown))
            self.steps_.append(f"Took the ordered categories in {name} as ranks: {named}.")
        return ranks

    def _find_amounts(self, frame: pd.DataFrame, kept: list[str]) -> dict[str, Amounts]:
        found = {name: amounts_in(frame[name]) for name in kept if _is_text(frame[name])}
        amounts = {name: how for name, how in found.items() if how is not None}
        if amounts:
            how_read = listed(f"{name} ({how.example})" for name, how in amounts.items())
            self.steps_.append(f"Read amounts written as text as numbers: {how_read}.")
        for name in [name for name, how in found.items() if how is None]:
            mostly = mostly_amounts(frame[name])
            if mostly is not None and not _is_counter(frame[name], mostly[0]):
                amounts[name] = mostly[0]
                self.steps_.append(mostly[1])
        return amounts

    def _find_dates(self, frame: pd.DataFrame, others: list[str]) -> dict[str, str]:
        """Tell how to read dates; return one of each column whose order cannot be told."""
        unsure: dict[str, str] = {}
        for name in others:
            if not _is_text(frame[name]):
                continue
            dates, said = dates_in(frame[name])
            if dates is None:
                unsure |= {} if said is None else {name: said}
                continue
            self._dates[name] = dates
            if said is not None:
                self.steps_.append(said)
        return unsure

    def _with_dates(self, frame: pd.DataFrame) -> pd.DataFrame:
        # Files of earlier versions have none.
        dates: dict[str, Dates] = getattr(self, "_dates", {})
        frame = frame.copy(deep=False)
        for name, how in dates.items():
            frame[name] = how.read(frame[name])
        return frame

    def _numbers(self, column: "pd.Series") -> NDArray[np.float64] | None:
        # Files of earlier versions have none.
        order = getattr(self, "_ranks", {}).get(column.name)
        if order is not None:
            places = pd.Index(order).get_indexer(pd.Index(column.astype(object)))
            return np.where(places < 0, np.nan, places + 1.0)
        numbers = as_numbers(column)
        if numbers is None and column.name in self._amounts:
            return self._amounts[str(column.name)].read(column)
        return numbers

    def _fit_texts(self, frame: pd.DataFrame, others: list[str]) -> TextColumns | None:
        """Let skrub encode the columns that are not numbers, all but identifiers."""
        unsure = self._find_dates(frame, others)
        frame = self._with_dates(frame)
        kept, empty, names = sort_columns(frame[others])
        if empty:
            self.steps_.append(f"Left out {listed(empty)}: no values.")
        if names:
            self.steps_.append(f"Left out {listed(names)}: another text in every row.")
        texts = TextColumns(frame[kept]) if kept else None
        self.steps_.extend([] if texts is None else texts.steps())
        read = set() if texts is None else {*texts.dates}
        for name, example in unsure.items():
            about = f"{name} looks like dates such as {example!r}, of which day and month cannot be"
            how = "were read with the month first" if name in read else "were not read as dates"
            self.steps_.append(f"{about} told apart: they {how}. Write them as 2020-01-31.")
        return texts

    def _encode(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return all columns as numbers, missing values as NaN."""
        parts: list[NDArray[np.float64]] = []
        for name in self._numeric:
            numbers = self._numbers(frame[name])
            if numbers is None:
                raise InputError(
                    f"The column {name} held numbers when the table was prepared. Got "
                    f"{frame[name].dtype} instead; convert it, or prepare the table anew."
                )
            parts.append(numbers)
        if self._texts is not None:
            parts.extend(self._texts.encode(self._with_dates(frame)))
        return np.column_stack(parts) if parts else np.empty((len(frame), 0))

    def _fit_columns(self, encoded: NDArray[np.float64], kept: list[str]) -> None:
        """Settle the order of the columns, the filling of missing values, and the scaling."""
        names, sources = [*self._numeric], [*self._numeric]
        if self._texts is not None:
            names += self._texts.names_out
            sources += self._texts.sources.values()
        place = {source: i for i, source in enumerate(kept)}
        self._order = sorted(range(len(names)), key=lambda j: place[sources[j]])
        missing = np.isnan(encoded).sum(axis=0)
        # One mark for each column of the table: the parts of a date are missing together.
        first = {sources[j]: j for j in reversed(self._order) if missing[j]}
        self._marked = [first[source] for source in kept if source in first]
        self._medians = np.nanmedian(encoded, axis=0)
        incomplete = [sources[j] for j in self._marked]
        if incomplete:
            self._tell_missing(int(missing[self._marked].sum()), incomplete)
        names = [names[j] for j in self._order] + [f"{name} is missing" for name in incomplete]
        sources = [sources[j] for j in self._order] + incomplete
        self._varying = np.ones(len(names), dtype=np.bool_)
        self._scaler: Any = None
        values = self._finish(encoded)
        self._varying = varying(values)
        constant = [names[j] for j in np.flatnonzero(~self._varying)]
        if constant:
            self.steps_.append(f"Left out {listed(constant)}: the same value in every row.")
        self.feature_names_ = [names[j] for j in np.flatnonzero(self._varying)]
        self.sources_ = [sources[j] for j in np.flatnonzero(self._varying)]
        if not self.feature_names_:
            raise InputError(" ".join(["No column is left to learn from.", *self.steps_]))
        if self.scale:
            self._scaler = StandardScaler().fit(values[:, self._varying])
            many = len(self.feature_names_)
            which = "the column" if many == 1 else f"all {many} columns"
            self.steps_.append(f"Scaled {which} to mean 0 and variance 1.")

    def _tell_missing(self, total: int, sources: list[str]) -> None:
        marks = "a further column marks" if len(sources) == 1 else "further columns mark"
        self.steps_.append(
            f"Filled {total} missing value{'s' * (total > 1)} in {listed(sources)} with the "
            f"median; {marks} {'it' if total == 1 else 'them'}."
        )

    def _finish(self, encoded: NDArray[np.float64]) -> NDArray[np.float64]:
        missing = np.isnan(encoded)
        filled = np.where(missing, self._medians, encoded)
        values = np.hstack([filled[:, self._order], missing[:, self._marked]])[:, self._varying]
        return values if self._scaler is None else np.asarray(self._scaler.transform(values))


def _is_counter(column: "pd.Series", amounts: Amounts) -> bool:
    """Tell whether a column whose cells are almost all numbers numbers the rows."""
    numbers = amounts.read(column)
    known = numbers[~np.isnan(numbers)]
    whole = bool((known == np.round(known)).all() and (np.abs(known) < 2**53).all())
    return whole and numbers_rows(pd.Series(known.astype(np.int64), name=column.name))


def _is_text(column: "pd.Series") -> bool:
    return pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)
