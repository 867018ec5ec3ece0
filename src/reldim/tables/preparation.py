"""Tables with categories, dates and missing values: from columns of any kind to numbers."""

from collections.abc import Mapping, Sequence
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
    says_missing,
    varying,
)
from reldim.tables.levels import (
    frequent_levels,
    in_one_spelling,
    indicators,
    joined_levels,
    recurring_levels,
)
from reldim.tables.roles import ColumnRole, check_roles, code_reason
from reldim.tables.text_columns import TextColumns, sort_columns
from reldim.tables.written_dates import Dates, date_parts, dates_in
from reldim.tables.written_numbers import (
    Amounts,
    OddValues,
    amounts_in,
    mostly_amounts,
    sentinels_in,
)

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
    roles : tuple of ColumnRole
        What each column of the table was taken for, and why.
    odd : tuple of OddValues
        Values that look like mistakes, and what was made of them.
    missing : dict of ndarray of bool
        For columns with missing values, the rows without one.
    """

    X: NDArray[np.float64] = field(repr=False)
    feature_names: tuple[str, ...]
    steps: tuple[str, ...]
    transformer: "TableEncoder"
    sources: tuple[str, ...] = ()
    roles: tuple[ColumnRole, ...] = ()
    odd: tuple[OddValues, ...] = ()
    missing: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict, repr=False)


def prepare_table(
    frame: pd.DataFrame | ArrayLike,
    *,
    scale: bool = True,
    roles: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
) -> PreparedTable:
    """Turn a table with columns of any kind into numbers.

    Parameters
    ----------
    frame : DataFrame or two-dimensional array
        The table, without the target.
    scale : bool
        Bring every column to mean 0 and variance 1.
    roles : mapping from str to str, optional
        What columns are, where it is known better: "number", "category", "code", "date", "text",
        "identifier" or "group"; the last two are left out.
    drop : sequence of str
        Columns to leave out.

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
    >>> for role in table.roles:
    ...     print(role)
    id: identifier (it numbers the rows)
    age: number (numbers)
    """
    frame = as_frame(frame)
    encoder = TableEncoder(scale=scale, roles=roles, drop=drop)
    X = np.asarray(encoder.fit_transform(frame), dtype=np.float64)
    return PreparedTable(
        X,
        tuple(encoder.feature_names_),
        tuple(encoder.steps_),
        encoder,
        tuple(encoder.sources_),
        tuple(encoder.roles_),
        tuple(encoder.odd_),
        encoder.missing_in(frame),
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
      are written as text, such as "$1,234", "12%" and "5 kg". Missing values are filled with the
      median, and a further column marks where. A number that stands for a missing value, such as
      -999 at the edge of the range, is one.
    - Where at least 90 % of a text column (and 10 cells) are numbers, or dates, the other cells
      count as missing.
    - Ordered categories of pandas become their ranks, from 1 on.
    - A date becomes the seconds since 1970, its places in the year and in the day, each on a
      circle, and its weekday, a column of 0 and 1 each.
    - Digits that are names (leading zeros, or equal lengths and many repeats), and categories with
      40 or more levels that recur, become a column of 0 and 1 for each of the 300 most
      frequent levels, which together are scaled as one column.
    - Other text goes through skrub's ``TableVectorizer``: up to 39 distinct values become a column
      of 0 and 1 each, more of them 30 columns of character n-grams. Levels that differ in capitals
      or blanks only are one.
    - Left out are columns without values, with a single value, that number the rows, or with
      a short text that is different in every row.

    Parameters
    ----------
    scale : bool
        Bring every column to mean 0 and variance 1.
    roles : mapping from str to str, optional
        What columns are, where it is known better; see :func:`prepare_table`.
    drop : sequence of str
        Columns to leave out.

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
    roles_ : list of ColumnRole
        What each column was taken for, in the order of the table.
    odd_ : list of OddValues
        Values that look like mistakes.

    Examples
    --------
    >>> encoder = TableEncoder(scale=False).fit(pd.DataFrame({"a": [1, 2, 4], "b": [5, 5, 5]}))
    >>> encoder.get_feature_names_out()
    array(['a'], dtype=object)
    >>> encoder.transform(pd.DataFrame({"a": [3, None], "b": [5, 6]}))
    array([[3.],
           [2.]])
    """

    def __init__(
        self,
        *,
        scale: bool = True,
        roles: Mapping[str, str] | None = None,
        drop: Sequence[str] = (),
    ) -> None:
        self.scale = scale
        self.roles = roles
        self.drop = drop

    def fit(self, X: pd.DataFrame | ArrayLike, y: Any = None) -> Self:
        """Learn how to encode the columns."""
        frame = as_frame(X)
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        check_roles(self.roles, self.drop, [*frame.columns])
        self.steps_: list[str] = []
        self.odd_: list[OddValues] = []
        self._role_of: dict[str, ColumnRole] = {}
        self._sentinels: dict[str, tuple[float, ...]] = {}
        self._spellings: dict[str, dict[str, str]] = {}
        self._levels: dict[str, tuple[str, ...]] = {}
        self._dates: dict[str, Dates] = {}
        self._taken_apart: list[str] = []
        self._marked_texts: list[str] = []
        kept = self._leave_out(frame)
        self._ranks = self._find_ranks(frame, kept)
        self._find_codes(frame, kept)
        self._find_numbers(frame, [name for name in kept if name not in self._levels])
        known = {*self._numeric, *self._levels}
        others = [name for name in kept if name not in known]
        self._texts = self._fit_texts(frame, others) if others else None
        self._fit_columns(self._encode(frame), kept)
        self.roles_ = [self._role_of[name] for name in frame.columns if name in self._role_of]
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
        needed = [*needed, *self._part("_taken_apart", []), *self._part("_levels", {})]
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

    def missing_in(self, X: pd.DataFrame | ArrayLike) -> dict[str, NDArray[np.bool_]]:
        """Tell which rows have no value, for columns in which some have none."""
        frame = as_frame(X)
        masks: dict[str, NDArray[np.bool_]] = {}
        for name in dict.fromkeys(self._sources_before_scaling):
            numbers = self._numbers(frame[name]) if name in self._numeric else None
            if numbers is None:
                masks[name] = np.array([says_missing(cell) for cell in frame[name]])
            else:
                masks[name] = np.isnan(numbers)
        return {name: mask for name, mask in masks.items() if mask.any()}

    def _part(self, name: str, default: Any) -> Any:
        # Files of earlier versions have none.
        return getattr(self, name, default)

    def _declared(self, name: str) -> str | None:
        return (self.roles or {}).get(name)

    def _set_role(self, names: Sequence[str], role: str, reason: str) -> None:
        for name in names:
            declared = self._declared(name)
            own = ColumnRole(name, role, reason)
            self._role_of[name] = (
                own if declared is None else ColumnRole(name, declared, "declared")
            )

    def _leave_out(self, frame: pd.DataFrame) -> list[str]:
        dropped = [name for name in frame.columns if name in {*self.drop}]
        empty = [name for name in frame.columns if frame[name].isna().all()]
        counters = [
            name
            for name in frame.columns
            if self._declared(name) is None and numbers_rows(frame[name])
        ]
        declared = {
            role: [name for name in frame.columns if self._declared(name) == role]
            for role in ("identifier", "group")
        }
        they_number = "it numbers" if len(counters) == 1 else "they number"
        out: dict[str, str] = {}
        for names, role, reason, told in (
            (dropped, "dropped", "as asked", "as asked"),
            (empty, "constant", "no values", "no values"),
            (counters, "identifier", "it numbers the rows", f"{they_number} the rows"),
            (declared["identifier"], "identifier", "declared", "declared as identifiers"),
            (declared["group"], "group", "declared", "declared as groups of rows"),
        ):
            new = [name for name in names if name not in out]
            if new:
                self.steps_.append(f"Left out {listed(new)}: {told}.")
                self._role_of |= {name: ColumnRole(name, role, reason) for name in new}
                out |= dict.fromkeys(new, role)
        return [name for name in frame.columns if name not in out]

    def _find_ranks(self, frame: pd.DataFrame, kept: list[str]) -> dict[str, list[Any]]:
        """Return the categories of columns whose order was declared, from the lowest on."""
        dtypes = {name: frame[name].dtype for name in kept if self._declared(name) is None}
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

    def _find_codes(self, frame: pd.DataFrame, kept: list[str]) -> None:
        """Find digits that are names, and columns that are declared to be categories."""
        for name in kept:
            declared = self._declared(name)
            if declared in {"category", "code"}:
                self._take_levels(frame[name], declared, "declared")
            elif declared is None and _is_text(frame[name]):
                reason = code_reason(frame[name])
                if reason is not None:
                    self._take_levels(frame[name], "code", reason)
                    self.steps_.append(
                        f"Took the digits in {name} for names: {reason}. If they are numbers, "
                        "declare the role number."
                    )

    def _take_levels(self, column: "pd.Series", role: str, reason: str) -> None:
        name = str(column.name)
        levels = frequent_levels(self._spelled(column))
        self._levels[name] = levels
        self._set_role([name], role, reason)
        self.steps_.append(
            f"Encoded {name} by its {len(levels)} most frequent values, a column of 0 and 1 each."
        )

    def _find_numbers(self, frame: pd.DataFrame, names: list[str]) -> None:
        """Find columns of numbers, and numbers that stand for missing values."""
        maybe = [name for name in names if self._declared(name) in {None, "number"}]
        self._amounts = self._find_amounts(frame, maybe)
        self._numeric = [name for name in maybe if self._numbers(frame[name]) is not None]
        for name in self._numeric:
            written, ranked = name in self._amounts, name in self._ranks
            reason = "text that reads as numbers" if written else "numbers"
            self._set_role([name], "number", "ordered categories, by rank" if ranked else reason)
            if written:
                self.odd_ += self._amounts[name].odd_in(frame[name])
            numbers = self._numbers(frame[name])
            if numbers is None or ranked or self._declared(name) is not None:
                continue
            self._sentinels[name] = sentinels_in(numbers)
            for value in self._sentinels[name]:
                count = int((numbers == value).sum())
                are = "is" if count == 1 else "are"
                told = f"{are} {value:g}, apart from the others, and taken for missing"
                self.odd_.append(OddValues(name, count, len(numbers), told))
                self.steps_.append(
                    f"Took {value:g} in {name} for a missing value, in {count} of {len(numbers)} "
                    "rows. If it is a number, declare the role number."
                )

    def _find_amounts(self, frame: pd.DataFrame, kept: list[str]) -> dict[str, Amounts]:
        found = {name: amounts_in(frame[name]) for name in kept if _is_text(frame[name])}
        amounts = {name: how for name, how in found.items() if how is not None}
        if amounts:
            how_read = listed(f"{name} ({how.example})" for name, how in amounts.items())
            self.steps_.append(f"Read amounts written as text as numbers: {how_read}.")
        for name in [name for name, how in found.items() if how is None]:
            declared = self._declared(name) == "number"
            mostly = mostly_amounts(frame[name], declared=declared)
            if mostly is None and declared:
                raise InputError(
                    f"The column {name} is declared as a number, and it cannot be read as numbers. "
                    f"Got {str(frame[name].dropna().iloc[0])[:50]!r}; leave the role out."
                )
            if mostly is not None and (declared or not _is_counter(frame[name], mostly[0])):
                amounts[name] = mostly[0]
                self.steps_.append(mostly[1])
        return amounts

    def _find_dates(self, frame: pd.DataFrame, others: list[str]) -> dict[str, str]:
        """Tell how to read dates; return one of each column whose order cannot be told."""
        unsure: dict[str, str] = {}
        for name in others:
            if self._declared(name) not in {None, "date"}:
                continue
            if pd.api.types.is_datetime64_any_dtype(frame[name].dtype):
                self._taken_apart.append(name)
                continue
            dates, said = dates_in(frame[name]) if _is_text(frame[name]) else (None, None)
            if dates is None:
                unsure |= {} if said is None else {name: said}
                continue
            self._dates[name] = dates
            self._taken_apart.append(name)
            if said is not None:
                self.steps_.append(said)
                self.odd_ += dates.odd_in(frame[name])
        for name in others:
            if self._declared(name) == "date" and name not in self._taken_apart:
                raise InputError(
                    f"The column {name} is declared as a date, and it cannot be told how to read "
                    f"{str(frame[name].dropna().iloc[0])[:50]!r}. Write dates as 2020-01-31."
                )
        return unsure

    def _read(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Read dates that are written as text, and write levels in one spelling."""
        dates: dict[str, Dates] = self._part("_dates", {})
        frame = frame.copy(deep=False)
        for name, how in dates.items():
            frame[name] = how.read(frame[name])
        for name in self._part("_spellings", {}):
            frame[name] = self._spelled(frame[name])
        return frame

    def _spelled(self, column: "pd.Series") -> "pd.Series":
        spellings: dict[str, dict[str, str]] = self._part("_spellings", {})
        if column.name not in spellings:
            return column
        return in_one_spelling(column, spellings[str(column.name)])

    def _numbers(self, column: "pd.Series") -> NDArray[np.float64] | None:
        order = self._part("_ranks", {}).get(column.name)
        if order is not None:
            places = pd.Index(order).get_indexer(pd.Index(column.astype(object)))
            return np.where(places < 0, np.nan, places + 1.0)
        numbers = as_numbers(column)
        if numbers is None and column.name in self._amounts:
            numbers = self._amounts[str(column.name)].read(column)
        marks: tuple[float, ...] = self._part("_sentinels", {}).get(column.name, ())
        if numbers is None or not marks:
            return numbers
        return np.where(np.isin(numbers, marks), np.nan, numbers)

    def _fit_texts(self, frame: pd.DataFrame, others: list[str]) -> TextColumns | None:
        """Take dates apart, and let skrub encode text and categories, all but identifiers."""
        unsure = self._find_dates(frame, others)
        self._set_role(self._taken_apart, "date", "dates")
        others = [name for name in others if name not in self._taken_apart]
        if self._taken_apart:
            self.steps_.append(
                "Took dates apart into seconds, the time of the year, the weekday and the time of "
                f"the day: {listed(self._taken_apart)}."
            )
        if not others:
            return None
        self._join_levels(frame, others)
        frame = self._read(frame)
        kept = self._identified(frame, others)
        for name in kept:
            if self._declared(name) is None and recurring_levels(frame[name]):
                self._take_levels(frame[name], "category", "many levels that recur")
        kept = [name for name in kept if name not in self._levels]
        texts = TextColumns(frame[kept]) if kept else None
        if texts is not None:
            self.steps_.extend(texts.steps())
            for role, reason, found in texts.roles():
                self._set_role(found, role, reason)
                if role == "text":
                    self._marked_texts = [n for n in found if frame[n].map(says_missing).any()]
        self._tell_unsure(unsure, set() if texts is None else {*texts.dates})
        return texts

    def _join_levels(self, frame: pd.DataFrame, others: list[str]) -> None:
        for name in others:
            joined = joined_levels(frame[name]) if _is_text(frame[name]) else None
            if joined is not None:
                self._spellings[name], odd = joined
                self.odd_.append(odd)
                self.steps_.append(f"Joined levels of {odd}.")

    def _identified(self, frame: pd.DataFrame, others: list[str]) -> list[str]:
        """Leave out columns without values, and identifiers; return the others."""
        _, empty, names = sort_columns(frame[others])
        names = [name for name in names if self._declared(name) is None]
        if empty:
            self.steps_.append(f"Left out {listed(empty)}: no values.")
            self._set_role(empty, "constant", "no values")
        if names:
            self.steps_.append(f"Left out {listed(names)}: another text in every row.")
            self._set_role(names, "identifier", "another text in every row")
        out = {*empty, *names}
        return [name for name in others if name not in out]

    def _tell_unsure(self, unsure: dict[str, str], read: set[str]) -> None:
        for name, example in unsure.items():
            about = f"{name} looks like dates such as {example!r}, of which day and month cannot be"
            how = "were read with the month first" if name in read else "were not read as dates"
            self.steps_.append(f"{about} told apart: they {how}. Write them as 2020-01-31.")

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
        read = self._read(frame)
        for name in self._part("_taken_apart", []):
            parts.extend(date_parts(read[name]).values())
        for name, levels in self._part("_levels", {}).items():
            parts.extend(indicators(read[name], levels).T)
        if self._texts is not None:
            parts.extend(self._encode_texts(self._texts, read))
        return np.column_stack(parts) if parts else np.empty((len(frame), 0))

    def _encode_texts(self, texts: TextColumns, frame: pd.DataFrame) -> list[NDArray[np.float64]]:
        marked = self._part("_marked_texts", [])
        absent = {name: frame[name].map(says_missing).to_numpy(np.bool_) for name in marked}
        return [
            np.where(absent[source], np.nan, values) if source in absent else values
            for values, source in zip(texts.encode(frame), texts.sources.values(), strict=True)
        ]

    def _fit_columns(self, encoded: NDArray[np.float64], kept: list[str]) -> None:
        """Settle the order of the columns, the filling of missing values, and the scaling."""
        names, sources = [*self._numeric], [*self._numeric]
        parts = date_parts(pd.Series([pd.Timestamp(0)]))
        for source in self._taken_apart:
            names += [f"{source}: {part}" for part in parts]
            sources += [source] * len(parts)
        for source, levels in self._levels.items():
            names += [f"{source} = {level}" for level in levels]
            sources += [source] * len(levels)
        if self._texts is not None:
            names += self._texts.names_out
            sources += self._texts.sources.values()
        place = {source: i for i, source in enumerate(kept)}
        self._sources_before_scaling = sources
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
        # Dates without times, or all of a year, are nothing to tell of.
        apart = {sources[j] for j in np.flatnonzero(self._varying)} & {*self._taken_apart}
        constant = [names[j] for j in np.flatnonzero(~self._varying) if sources[j] not in apart]
        if constant:
            self.steps_.append(f"Left out {listed(constant)}: the same value in every row.")
        self.feature_names_ = [names[j] for j in np.flatnonzero(self._varying)]
        self.sources_ = [sources[j] for j in np.flatnonzero(self._varying)]
        self._set_role([*{*sources} - {*self.sources_}], "constant", "the same value in every row")
        if not self.feature_names_:
            raise InputError(" ".join(["No column is left to learn from.", *self.steps_]))
        if self.scale:
            self._scaler = StandardScaler().fit(values[:, self._varying])
            self._scale_levels_together()
            many = len(self.feature_names_)
            which = "the column" if many == 1 else f"all {many} columns"
            self.steps_.append(f"Scaled {which} to mean 0 and variance 1.")

    def _scale_levels_together(self) -> None:
        """Scale the columns of a category alike, so that together they have variance 1."""
        levels = [(name, f"{name} = ") for name in self._levels]
        weekdays = [(name, f"{name}: weekday = ") for name in self._taken_apart]
        for source, start in [*levels, *weekdays]:
            own = [
                j
                for j, feature in enumerate(self.feature_names_)
                if self.sources_[j] == source and feature.startswith(start)
            ]
            if own:
                self._scaler.scale_[own] = np.sqrt(np.sum(self._scaler.var_[own]))

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
