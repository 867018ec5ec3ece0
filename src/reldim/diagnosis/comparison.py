"""Comparison: diagnoses of the same rows side by side, and which differences are beyond chance."""

import json
import os
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reldim.diagnosis.diagnosis import Diagnosis
from reldim.inputs.splits import Splits
from reldim.relevance.error_curve import error_curve
from reldim.relevance.estimation import SIGNIFICANCE
from reldim.relevance.gp_evidence import evidence_of
from reldim.tables.columns import as_given, listed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from reldim.plots.comparison import ComparisonDisplay

__all__ = ["SCORES", "Comparison", "holm", "paired_p_value"]

Array = NDArray[np.float64]

#: Version of the dictionary that to_dict returns.
SCHEMA = "reldim.comparison/1"

#: What representations can be ranked by, and in which direction they are better.
SCORES = {
    "squared_error": "lower",
    "error_estimate": "lower",
    "negative_log_likelihood": "lower",
    "evidence": "higher",
    "area": "lower",
}

#: What the scores are called in a sentence.
WORDS = {
    "squared_error": "leave-one-out squared error",
    "error_estimate": "leave-one-out error",
    "negative_log_likelihood": "likelihood",
    "evidence": "evidence",
    "area": "area under the error curve",
}

#: Differences below this share of the losses themselves are round-off.
ROUNDOFF = 1e-9


@dataclass(frozen=True)
class Comparison:
    """Representations or kernels side by side, and which differences are beyond chance.

    Attributes
    ----------
    diagnoses : dict
        A :class:`~reldim.Diagnosis` for each name.
    losses : ndarray of shape (rows, representations)
        Leave-one-out squared errors, in units of what a constant prediction makes on average.
        Rows that repeat others under every representation count once.
    by : str
        The column of the table that ranks.
    library : {"pandas", "polars"}
        The library whose frames the tables are.

    Examples
    --------
    >>> from reldim import compare, datasets
    >>> data = datasets.noisy_sinc(100, noise=0.1, random_state=0)
    >>> found = compare({"x": data.X, "x squared": data.X**2, "sign": data.X > 0}, data.y)
    >>> found.best
    'x'
    >>> found.table[["name", "behind"]]
            name  behind
    0          x   False
    1  x squared   False
    2       sign    True
    """

    diagnoses: dict[str, Diagnosis] = field(repr=False)
    losses: Array = field(repr=False)
    by: str = "squared_error"
    library: str = "pandas"

    @property
    def best(self) -> str:
        """The name that ranks first."""
        return str(self._ranked["name"].iloc[0])

    @property
    def n(self) -> int:
        """Number of rows; those that repeat others under every representation count once."""
        return len(self.losses)

    @property
    def task(self) -> str:
        """Kind of problem: "classification" or "regression"."""
        return next(iter(self.diagnoses.values())).task

    @property
    def table(self) -> "pd.DataFrame":
        """The figures, one row per representation, best first.

        ``squared_error`` is the leave-one-out squared error relative to a constant prediction,
        ``evidence`` the log evidence per row, ``area`` the mean of the error curve e(d) over
        d = 1, ..., n/2. ``behind`` tells whether the best is better beyond chance.
        """
        return as_given(self._table, self.library)

    @property
    def names(self) -> list[str]:
        """What was compared, best first."""
        return [str(name) for name in self._table["name"]]

    @property
    def behind(self) -> list[bool]:
        """Whether each, best first, is worse than the best beyond chance."""
        return [bool(behind) for behind in self._table["behind"]]

    @cached_property
    def _table(self) -> "pd.DataFrame":
        pairs = self._differences
        worse = pairs["beyond_chance"] & (pairs["difference"] < 0)
        behind = {*pairs["second"][worse & (pairs["first"] == self.best)]}
        return self._ranked.assign(behind=[name in behind for name in self._ranked["name"]])

    @property
    def differences(self) -> "pd.DataFrame":
        """Differences in leave-one-out squared error, one row per pair, in the order of the table.

        ``difference`` is that of ``first`` less that of ``second``: below 0 the first is
        better; ``error_difference`` is the same for the error estimate. ``p_value`` is from a
        paired t-test on the same rows, or on the units that these are of, ``adjusted_p_value`` from
        Holm's method over all pairs, and ``beyond_chance`` tells whether that is at most 0.05.
        """
        return as_given(self._differences, self.library)

    @cached_property
    def _differences(self) -> "pd.DataFrame":
        import pandas as pd

        column = {name: self.losses[:, i] for i, name in enumerate(self.diagnoses)}
        error = {name: found.error_estimate for name, found in self.diagnoses.items()}
        splits = next(iter(self.diagnoses.values())).problem.dependence
        pairs = pd.DataFrame(
            {
                "first": first,
                "second": second,
                "difference": float(np.mean(column[first] - column[second])),
                "error_difference": error[first] - error[second],
                "p_value": paired_p_value(column[first], column[second], splits),
            }
            for first, second in combinations(self._ranked["name"], 2)
        )
        pairs["adjusted_p_value"] = holm(pairs["p_value"].to_numpy())
        pairs["beyond_chance"] = pairs["adjusted_p_value"] <= SIGNIFICANCE
        return pairs

    @cached_property
    def _ranked(self) -> "pd.DataFrame":
        import pandas as pd

        errors = self.losses.mean(axis=0)
        frame = pd.DataFrame(
            _figures(name, diagnosis, float(error))
            for (name, diagnosis), error in zip(self.diagnoses.items(), errors, strict=True)
        )
        score = frame[self.by] if SCORES[self.by] == "lower" else -frame[self.by]
        # Ties are broken by the squared error, then by the order in which they were given.
        return frame.iloc[np.lexsort((frame["squared_error"], score))].reset_index(drop=True)

    @property
    def conclusion(self) -> str:
        """What the comparison comes to, in a sentence or two."""
        pairs = self._differences
        worse = pairs["beyond_chance"] & (pairs["difference"] > 0) & (pairs["first"] == self.best)
        return _conclude(self._table, self.by, pairs["second"][worse].tolist())

    def plot(self, ax: "Axes | None" = None) -> "ComparisonDisplay":
        """Draw the errors, with intervals of their difference to the best.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw, by default on a new figure.

        Returns
        -------
        ComparisonDisplay
            The display; its figure is ``figure_``.
        """
        from reldim.plots.comparison import ComparisonDisplay

        return ComparisonDisplay.from_comparison(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data.

        Returns
        -------
        dict
            Strings, numbers, lists and dictionaries only.
        """
        from reldim import __version__

        return {
            "schema": SCHEMA,
            "version": __version__,
            "rows": self.n,
            "task": self.task,
            "by": self.by,
            "best": self.best,
            "conclusion": self.conclusion,
            "table": _records(self._table),
            "differences": _records(self._differences),
            "diagnoses": {name: found.to_dict() for name, found in self.diagnoses.items()},
        }

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the comparison to a file.

        Parameters
        ----------
        path : str or path
            The file; it appears whole or not at all.
        overwrite : bool
            Replace a file that is there already.
        """
        from reldim.files.writing import write_text

        text = json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"
        write_text(Path(path), text, overwrite=overwrite)

    def write_report(
        self,
        path: str | os.PathLike[str],
        *,
        name: str = "",
        command: str = "",
        overwrite: bool = False,
    ) -> None:
        """Write a report: one HTML file that opens in any browser, without a network.

        Parameters
        ----------
        path : str or path
            The file, such as report.html; it appears whole or not at all.
        name : str
            What the data are called.
        command : str
            The command that repeats it.
        overwrite : bool
            Replace a file that is there already.
        """
        from reldim.files.writing import check_page, write_text
        from reldim.report.comparison import comparison_page

        check_page(path, "write_report")
        text = comparison_page(self, name=name, command=command)
        write_text(Path(path), text, overwrite=overwrite)

    def _repr_html_(self) -> str:
        from reldim.report.notebook import comparison_html

        return comparison_html(self)

    def __str__(self) -> str:
        """Give the comparison as plain text."""
        from reldim.report.text import comparison_text

        return comparison_text(self)

    __repr__ = __str__


def _conclude(table: "pd.DataFrame", by: str, ahead: list[str]) -> str:
    """Say which is best; ``ahead`` are those with a smaller squared error, beyond chance."""
    best = table["name"].iloc[0]
    behind = table["name"][table["behind"]].tolist()
    equal = table["name"][~table["behind"]].tolist()[1:]
    better = f"Beyond chance it is better than {listed(behind, 8)}" if behind else ""
    if not equal:
        return f"{best} is best by {WORDS[by]}. {better}."
    if ahead:
        return (
            f"{best} leads by {WORDS[by]}, but the squared error of {listed(ahead, 8)} is "
            "smaller beyond chance."
        )
    leads = f"{best} leads by {WORDS[by]}, but {listed(equal, 8)} may be as good"
    return f"{leads}. {better}." if behind else f"{leads}: no difference to it is beyond chance."


def _records(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    from reldim.report.words import plain

    rows = frame.to_dict(orient="records")
    return [{str(key): plain(value) for key, value in row.items()} for row in rows]


def _figures(name: str, diagnosis: Diagnosis, squared_error: float) -> dict[str, Any]:
    rd = diagnosis.relevance
    low, high = diagnosis.interval
    return {
        "name": name,
        "dimension": diagnosis.dimension,
        "interval_low": low,
        "interval_high": high,
        "p_value": diagnosis.p_value,
        "noise_level": diagnosis.noise_level,
        "noise_estimate": diagnosis.noise_estimate.value,
        "error_estimate": diagnosis.error_estimate,
        "squared_error": squared_error,
        "negative_log_likelihood": rd.negative_log_likelihood,
        "evidence": evidence_of(rd.spectrum, rd.targets).value,
        "area": float(error_curve(rd).mean()),
        "verdict": diagnosis.verdict.headline,
        "kernel": repr(diagnosis.kernel),
    }


def paired_p_value(first: Array, second: Array, splits: Splits | None = None) -> float:
    """Test whether two models have the same mean loss, from their losses on the same rows.

    A paired t-test. Ranks are no way around it: the differences of squared errors are skewed
    even where their mean is zero, which a signed-rank test takes for a difference.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        A loss for each row, in the same order.
    splits : Splits, optional
        How rows depend on each other; differences are added up per unit before they are compared.

    Returns
    -------
    float
        Two-sided p-value; 1 where the losses are equal up to round-off, or for a single row.

    Examples
    --------
    >>> first = np.array([0.1, 0.3, 0.2, 0.4, 0.1, 0.3])
    >>> second = first + np.array([0.3, 0.2, 0.4, 0.3, 0.2, 0.4])
    >>> bool(paired_p_value(first, second) < 0.001)
    True
    >>> paired_p_value(first, first)
    1.0
    """
    difference = first - second
    scale = float(np.max(np.abs(first) + np.abs(second), initial=0.0))
    if len(difference) < 2 or np.max(np.abs(difference), initial=0.0) <= ROUNDOFF * scale:
        return 1.0
    if splits is not None:
        return min(1.0, 2 * min(splits.p_value(difference), splits.p_value(-difference)))
    with warnings.catch_warnings():
        # A difference that is the same in every row has no variance but round-off.
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_rel(first, second).pvalue)


def holm(p_values: Array) -> Array:
    """Adjust p-values for their number, so that the level holds for all of them together.

    Returns
    -------
    ndarray
        The adjusted p-values, in the same order: one below 0.05 is beyond chance even as the
        smallest of as many (Holm 1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p_values[order]))
    return adjusted
