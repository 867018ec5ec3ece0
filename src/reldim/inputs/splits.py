"""Splits: how rows are divided, exchanged and counted; the only place that knows what depends.

Rows of one unit, such as the visits of a patient, stay on one side of every fold. Rows in an order,
such as the days of a series, are predicted from earlier ones. What is exchangeable when targets
have nothing to do with the data, and what losses may be added up as if they were independent,
follows from the same knowledge.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from reldim.exceptions import InputError

__all__ = ["Folds", "Splits"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Pair = tuple[Indices, Indices]

FOLDS = 5

#: Rows left out between earlier rows and those that they predict, as a share of the latter.
GAP = 0.2

#: Stretches of time whose losses are added up before a standard error is taken.
STRETCHES = 20


@dataclass(frozen=True, eq=False)
class Folds:
    """Rows to learn from and rows to predict.

    Attributes
    ----------
    pairs : tuple of pairs of ndarray
        For each fold the rows that it learns from, and those that it holds out.
    judged : ndarray of int
        All rows that are held out, in ascending order; a row that is held out twice stands twice.
    places : tuple of ndarray
        Where the rows of each fold stand among those that are judged.
    """

    pairs: tuple[Pair, ...]
    judged: Indices
    places: tuple[Indices, ...]

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> "Folds":
        """Take note of the rows that are held out."""
        pairs = tuple(pairs)
        held_out = np.concatenate([test for _, test in pairs])
        order = np.argsort(held_out, kind="stable")
        ends = np.cumsum([len(test) for _, test in pairs])[:-1]
        places = np.split(np.argsort(order, kind="stable"), ends)
        return cls(pairs, held_out[order], tuple(places))

    @property
    def rows_learned_from(self) -> float:
        """Mean number of rows that a fold learns from."""
        return float(np.mean([len(train) for train, _ in self.pairs]))


@dataclass(frozen=True, eq=False)
class Splits:
    """How rows depend on each other, and what follows for folds, exchanges and standard errors.

    Attributes
    ----------
    n : int
        Number of rows.
    codes : ndarray of int or None
        Their classes, whose shares folds keep where they can.
    groups : ndarray of int or None
        The unit of each row.
    order : ndarray or None
        Numbers that ascend with time.
    given : tuple of pairs of ndarray
        Folds of the caller, in place of our own.

    Examples
    --------
    >>> splits = Splits(6, groups=np.array([0, 0, 1, 1, 2, 2]))
    >>> [test.tolist() for _, test in splits.folds(0).pairs]
    [[4, 5], [2, 3], [0, 1]]
    """

    n: int
    codes: Indices | None = None
    groups: Indices | None = None
    order: Array | None = None
    given: tuple[Pair, ...] = ()

    @property
    def dependent(self) -> bool:
        """Whether rows are not exchanged one by one."""
        return self.groups is not None or self.order is not None or bool(self.given)

    @classmethod
    def of(
        cls,
        n: int,
        codes: Indices | None,
        *,
        groups: Any = None,
        order: Any = None,
        cv: Any = None,
    ) -> "Splits | None":
        """Read what a caller says about the dependence of rows; None where nothing was said.

        Parameters
        ----------
        n : int
            Number of rows.
        codes : ndarray of int or None
            Their classes.
        groups : array-like of shape (n,), optional
            The unit of each row, of any type.
        order : array-like of shape (n,), optional
            Numbers, or dates, that ascend with time.
        cv : splitter of scikit-learn, or iterable of pairs of row numbers, optional
            Folds of the caller.

        Returns
        -------
        Splits or None
            The splits. Units of a single row each are as if none were named.

        Examples
        --------
        >>> Splits.of(4, None, groups=["a", "a", "b", "b"]).groups
        array([0, 0, 1, 1])
        """
        if groups is None and order is None and cv is None:
            return None
        units = None if groups is None else _units_of(groups, n)
        moments = None if order is None else _moments_of(order, n)
        pairs = () if cv is None else _pairs_of(cv, n, codes, units)
        if units is not None and units.max() == n - 1:
            units = None
        said = cls(n, codes, units, moments, pairs)
        return said if said.dependent else None

    def take(self, rows: Indices) -> "Splits":
        """Return the splits of some rows, in the order in which they are named."""
        place = np.full(self.n, -1, dtype=np.intp)
        place[rows] = np.arange(len(rows))
        given = [
            tuple(place[part][place[part] >= 0] for part in (train, test))
            for train, test in self.given
        ]
        return replace(
            self,
            n=len(rows),
            codes=None if self.codes is None else self.codes[rows],
            groups=None if self.groups is None else self.groups[rows],
            order=None if self.order is None else self.order[rows],
            given=tuple((train, test) for train, test in given if len(train) and len(test)),
        )

    def folds(self, seed: int) -> Folds:
        """Divide rows into five folds, alike in the shares of classes where these are large enough.

        Parameters
        ----------
        seed : int
            Seed of the draw.

        Returns
        -------
        Folds
            Rows to learn from, and rows that are held out; the first stretch of rows in an order
            is not held out.
        """
        if self.given:
            return Folds.of(self.given)
        if self.order is not None:
            return Folds.of(self._later(self.order))
        rows, codes = np.zeros((self.n, 1)), self.codes
        units = self.n if self.groups is None else int(np.unique(self.groups).size)
        count = min(FOLDS, units)
        few = codes is None or np.bincount(codes)[np.unique(codes)].min() < count
        kind: Any
        if self.groups is None:
            kind = KFold if few else StratifiedKFold
        else:
            kind = GroupKFold if few else StratifiedGroupKFold
        divide = kind(count, shuffle=True, random_state=seed)
        return Folds.of(divide.split(rows, None if few else codes, self.groups))

    def smaller(self, folds: Folds, divisor: int, seed: int) -> Folds:
        """Return the same folds, each learning from so many times fewer rows, whole units of them.

        Parameters
        ----------
        folds : Folds
            The folds.
        divisor : int
            By what the number of rows is divided; of rows in an order the latest stay.
        seed : int
            Seed of the draw: the rows of a larger divisor are among those of a smaller one.

        Returns
        -------
        Folds
            The folds.
        """
        fewer = [self._some(train, len(train) // divisor, seed) for train, _ in folds.pairs]
        pairs = tuple((some, test) for some, (_, test) in zip(fewer, folds.pairs, strict=True))
        return Folds(pairs, folds.judged, folds.places)

    def draw(self, most: int, seed: int) -> Indices:
        """Draw rows by their places, whole units of them, and at least two of each class.

        Parameters
        ----------
        most : int
            How many rows to draw at most.
        seed : int
            Seed.

        Returns
        -------
        ndarray of int
            Rows in ascending order.
        """
        rows = np.arange(self.n)
        return rows if self.n <= most else np.sort(self._drawn(rows, seed)[:most])

    def exchanged(self, rng: np.random.Generator) -> Indices:
        """Draw an order of the targets that is as likely where these have nothing to do with rows.

        Single rows change places, or whole units; rows in an order are shifted in a circle. Rows of
        a unit get targets of a single one, over again where it has fewer rows: spread over several
        units, permuted targets would be less alike within a unit than those that were observed.

        Parameters
        ----------
        rng : Generator
            What draws.

        Returns
        -------
        ndarray of int
            For each row the row whose target it gets.
        """
        if self.order is None and self.groups is None:
            return np.asarray(rng.permutation(self.n))
        answer = np.empty(self.n, dtype=np.intp)
        if self.order is not None:
            rows = np.argsort(self.order, kind="stable")
            answer[rows] = np.roll(rows, int(rng.integers(1, self.n)))
            return answer
        by_unit = self._by_unit(np.arange(self.n))
        for rows, other in zip(by_unit, rng.permutation(len(by_unit)), strict=True):
            answer[rows] = np.resize(by_unit[other], len(rows))
        return answer

    def covariance(self, losses: Array, rows: Indices | None = None) -> Array:
        """Return the covariance of mean losses, those of one unit added up first.

        Parameters
        ----------
        losses : ndarray of shape (means, k)
            Losses of the same rows, one line per mean.
        rows : ndarray of shape (k,), optional
            Whose losses they are, by default those of all rows.

        Returns
        -------
        ndarray of shape (means, means)
            The covariance; 0 for a single unit.
        """
        units = self._units(np.arange(self.n) if rows is None else rows)
        centred = losses - losses.mean(axis=1, keepdims=True)
        sums = np.array([np.bincount(units, weights=line) for line in centred])
        count = sums.shape[1]
        return np.asarray(sums @ sums.T * (count / max(1, count - 1) / losses.shape[1] ** 2))

    def standard_error(self, losses: Array, rows: Indices | None = None) -> float:
        """Return the standard error of a mean of losses, those of one unit added up first."""
        return float(np.sqrt(self.covariance(losses[None], rows)[0, 0]))

    def lead(self, gain: Array, rows: Indices | None = None) -> float:
        """Return how many standard errors a mean lies above zero."""
        spread = self.standard_error(gain, rows)
        return float(gain.mean()) / spread if spread > 0 else 0.0

    def p_value(self, gain: Array, rows: Indices | None = None) -> float:
        """Test that a mean gain is no more than chance, by as many units as there are."""
        units = self._units(np.arange(self.n) if rows is None else rows)
        return float(stats.t.sf(self.lead(gain, rows), max(1, len(np.unique(units)) - 1)))

    def _units(self, rows: Indices) -> Indices:
        """Return numbers of what is independent: units, stretches of time, or single rows."""
        if self.groups is not None:
            labels = self.groups[rows]
        elif self.order is not None:
            rank = np.argsort(np.argsort(self.order[rows], kind="stable"), kind="stable")
            labels = rank * min(STRETCHES, len(rows)) // len(rows)
        else:
            labels = rows
        return np.unique(labels, return_inverse=True)[1].astype(np.intp)

    def _later(self, order: Array) -> Iterable[Pair]:
        """Yield stretches of time and the rows before each of them, less a gap."""
        rows = np.argsort(order, kind="stable")
        size = self.n / (FOLDS + 1)
        for number in range(1, FOLDS + 1):
            first, last = round(number * size), round((number + 1) * size)
            # Rows of one moment stay together.
            begin, end = order[rows[first]], order[rows[last]] if last < self.n else np.inf
            until = order[rows[max(1, round(first - GAP * size)) - 1]]
            test = np.flatnonzero((order >= begin) & (order < end))
            train = np.flatnonzero((order <= until) & (order < begin))
            if len(test) and len(train) > 1:
                yield train, test

    def _some(self, rows: Indices, most: int, seed: int) -> Indices:
        if self.order is None:
            return np.sort(self._drawn(rows, seed)[:most])
        latest = np.argsort(self.order[rows], kind="stable")[-most:]
        return np.sort(rows[latest])

    def _drawn(self, rows: Indices, seed: int) -> Indices:
        """Return rows in a random order, unit by unit, two of each class first."""
        rng = np.random.default_rng(seed)
        if self.groups is None:
            order = rows[rng.permutation(len(rows))]
        else:
            by_unit = self._by_unit(rows)
            order = np.concatenate([by_unit[unit] for unit in rng.permutation(len(by_unit))])
        if self.codes is None:
            return order
        codes = self.codes[order]
        rank = np.zeros(len(order), dtype=np.intp)
        for code in np.unique(codes):
            rank[np.flatnonzero(codes == code)[2:]] = 1
        return order[np.argsort(rank, kind="stable")]

    def _by_unit(self, rows: Indices) -> Sequence[Indices]:
        assert self.groups is not None
        groups = self.groups[rows]
        order = np.argsort(groups, kind="stable")
        return np.split(rows[order], np.flatnonzero(np.diff(groups[order])) + 1)


def _column(values: Any, n: int, parameter: str) -> "pd.Series[Any]":
    """Return one value per row, none of them missing."""
    column = pd.Series(np.asarray(values).ravel() if np.ndim(values) > 1 else values)
    column = column.reset_index(drop=True)
    if len(column) != n:
        raise InputError(
            f"{parameter} must have one value for each of the {n} rows. Got {len(column)}."
        )
    if column.isna().any():
        row = int(np.flatnonzero(column.isna())[0])
        raise InputError(
            f"{parameter} must have a value for each row. It is missing in "
            f"{int(column.isna().sum())} of {n}, first in row {row} (counted from 0): leave these "
            "rows out, or fill it in."
        )
    return column


def _units_of(groups: Any, n: int) -> Indices:
    column = _column(groups, n, "groups")
    try:
        codes = np.unique(column.to_numpy(), return_inverse=True)[1]
    except TypeError:
        codes = np.unique(column.astype(str).to_numpy(), return_inverse=True)[1]
    if codes.max(initial=0) == 0:
        raise InputError(
            "groups must name at least two units: what one unit tells about others cannot be seen "
            f"in a single one. All {n} rows have the same value."
        )
    return codes.astype(np.intp)


def _moments_of(order: Any, n: int) -> Array:
    column = _column(order, n, "order")
    if not pd.api.types.is_numeric_dtype(column):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # A format that pandas has to guess.
                column = pd.to_datetime(column)
        except (TypeError, ValueError, UserWarning) as error:
            raise InputError(
                "order must hold numbers or dates that ascend with time. Got "
                f"{str(column.iloc[0])!r} in row 0."
            ) from error
        column = column.astype("int64")
    moments = column.to_numpy(dtype=np.float64)
    if len(np.unique(moments)) < 2 * FOLDS:
        raise InputError(
            f"order must have at least {2 * FOLDS} different moments, so that later rows can be "
            f"predicted from earlier ones. Got {len(np.unique(moments))}."
        )
    return moments


def _pairs_of(cv: Any, n: int, codes: Indices | None, units: Indices | None) -> tuple[Pair, ...]:
    rows = np.zeros((n, 1))
    try:
        found = cv.split(rows, codes, units) if hasattr(cv, "split") else cv
        pairs = tuple(
            (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
            for train, test in found
        )
    except (TypeError, ValueError) as error:
        raise InputError(
            "cv must be a splitter of scikit-learn, or pairs of row numbers: those to learn from "
            f"and those to predict. {error}"
        ) from error
    numbers = [part for pair in pairs for part in pair]
    if not pairs or any(len(part) == 0 or part.min() < 0 or part.max() >= n for part in numbers):
        raise InputError(
            f"Each fold of cv must name rows to learn from and rows to predict, from 0 to {n - 1}. "
            f"Got {len(pairs)} folds."
        )
    if any(np.isin(test, train).any() for train, test in pairs):
        raise InputError("A fold of cv predicts rows that it learns from. Keep the two apart.")
    return pairs
