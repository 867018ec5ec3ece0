"""compare(): representations of the same rows, or kernels on them, side by side."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.diagnosis.comparison_text import as_text, conclude
from reldim.diagnosis.diagnosis import Diagnosis, diagnose
from reldim.diagnosis.paired_test import holm, paired_p_value
from reldim.diagnosis.representations import named_entries
from reldim.eigensolvers import Progress
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.targets import Targets, code_targets
from reldim.relevance.error_curve import error_curve
from reldim.relevance.estimation import SIGNIFICANCE, RelevantDimension
from reldim.relevance.gp_evidence import evidence_of
from reldim.search.kernel_arguments import Kernels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCORES", "Comparison", "compare", "comparison_of"]

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

    @cached_property
    def table(self) -> "pd.DataFrame":
        """The figures, a row a representation, best first.

        ``squared_error`` is the leave-one-out squared error relative to a constant prediction,
        ``evidence`` the log evidence a row, ``area`` the mean of the error curve e(d) over
        d = 1, ..., n/2. ``behind`` tells whether the best is better beyond chance.
        """
        pairs = self.differences
        worse = pairs["beyond_chance"] & (pairs["difference"] < 0)
        behind = {*pairs["second"][worse & (pairs["first"] == self.best)]}
        return self._ranked.assign(behind=[name in behind for name in self._ranked["name"]])

    @cached_property
    def differences(self) -> "pd.DataFrame":
        """Differences in leave-one-out squared error, a row a pair, in the order of the table.

        ``difference`` is that of ``first`` less that of ``second``: below 0 the first is
        better; ``error_difference`` is the same for the error estimate. ``p_value`` is from a
        paired t-test on the same rows, ``adjusted_p_value`` from Holm's method over all pairs,
        and ``beyond_chance`` tells whether that is at most 0.05.
        """
        import pandas as pd

        column = {name: self.losses[:, i] for i, name in enumerate(self.diagnoses)}
        error = {name: found.error_estimate for name, found in self.diagnoses.items()}
        pairs = pd.DataFrame(
            {
                "first": first,
                "second": second,
                "difference": float(np.mean(column[first] - column[second])),
                "error_difference": error[first] - error[second],
                "p_value": paired_p_value(column[first], column[second]),
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
        return conclude(self.table, self.by)

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
            "table": _records(self.table),
            "differences": _records(self.differences),
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
            The file; it appears whole or not at all.
        name : str
            What the data are called.
        command : str
            The command that repeats it.
        overwrite : bool
            Replace a file that is there already.
        """
        from reldim.files.writing import write_text
        from reldim.report.comparing import comparison_page, side_by_side

        text = comparison_page(side_by_side(self), name=name, command=command)
        write_text(Path(path), text, overwrite=overwrite)

    def __str__(self) -> str:
        """Give the comparison as plain text."""
        reason = next(iter(self.diagnoses.values())).relevance.targets.reason
        return as_text(self.table, self.by, f"{self.n} rows, {self.task} ({reason})")

    __repr__ = __str__


def compare(
    representations: Any,
    y: ArrayLike,
    *,
    kernels: Kernels = None,
    task: str = "auto",
    criterion: str = "leave-one-out",
    by: str = "squared_error",
    solver: str = "auto",
    scale: bool | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare representations of the same rows, or kernels on them, by what they tell about y.

    Every representation is diagnosed by itself. The leave-one-out errors of the same rows are
    then compared pair by pair, so that what all find easy or hard cancels.

    Parameters
    ----------
    representations : mapping or X
        A mapping from names to data: arrays, sparse matrices, data frames or sequences, with
        the same rows in the same order. A pair ``(X, kernels)`` gives one of them kernels of
        its own. Or a single X, to compare the ``kernels``.
    y : array-like of shape (n,) or (n, outputs)
        Labels of any type, or numbers.
    kernels : None, str, Kernel, callable, sequence or mapping
        What to try on each representation, as in :func:`reldim.diagnose`. With a single X what
        is compared: a mapping from names to kernels or families, or a sequence of them.
    task : {"auto", "classification", "regression"}
        Kind of problem.
    criterion : {"leave-one-out", "likelihood"}
        What kernel and dimension are chosen by.
    by : str
        What ranks: "squared_error" (leave-one-out), "error_estimate", "evidence",
        "negative_log_likelihood" or "area" (under the error curve).
    solver : str
        Passed to :func:`reldim.decompose`.
    scale : bool, optional
        Bring every column to mean 0 and variance 1; by default data frames only.
    random_state : int, optional
        Seed; None stands for a fixed seed, so that the same data give the same answer.
    progress : callable, optional
        Called as ``progress("representations", done, total)``, and in between as by
        :func:`reldim.diagnose`.

    Returns
    -------
    Comparison
        The figures side by side, and which differences are beyond chance.

    See Also
    --------
    diagnose : What limits learning from one of them.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import compare, datasets
    >>> data = datasets.noisy_sinc(100, noise=0.1, random_state=0)
    >>> found = compare(data.X, data.y, kernels=["gaussian", "linear"])
    >>> found.differences[["first", "second", "beyond_chance"]]
          first  second  beyond_chance
    0  gaussian  linear           True
    """
    _check_score(by)
    targets = code_targets(y, task)
    entries = named_entries(representations, kernels, rows=targets.n)
    found: dict[str, Diagnosis] = {}
    for name, (X, own) in entries.items():
        try:
            found[name] = diagnose(
                X,
                y,
                kernels=own,
                task=task,
                criterion=criterion,
                solver=solver,
                scale=scale,
                random_state=random_state,
                progress=progress,
            )
        except (InputError, InputTypeError) as error:
            raise type(error)(f"{name}: {error}") from error
        if progress is not None:
            progress("representations", len(found), len(entries))
    return comparison_of(found, targets, by=by)


def comparison_of(
    diagnoses: Mapping[str, Diagnosis], targets: Targets, *, by: str = "squared_error"
) -> Comparison:
    """Put diagnoses of the same rows side by side.

    Parameters
    ----------
    diagnoses : mapping
        The diagnoses by name.
    targets : Targets
        The targets of all rows that were given.
    by : str
        What ranks, see :func:`compare`.

    Returns
    -------
    Comparison
        The comparison.
    """
    _check_score(by)
    sources = [found.problem.source for found in diagnoses.values()]
    if any(len(source) != targets.n for source in sources):
        raise InputError(
            "The rows of the representations cannot be matched: rows on a cluster were left out "
            "because they repeat others. Remove such rows from all representations first."
        )
    # What repeats another row under every representation is no further piece of evidence.
    _, rows = np.unique(np.stack(sources), axis=1, return_index=True)
    values = np.asarray(targets.values)[np.sort(rows)]
    scale = float(np.mean(np.sum((values - values.mean(axis=0)) ** 2, axis=1)))
    columns = [
        _squared_errors(found.relevance)[source[np.sort(rows)]] / scale
        for found, source in zip(diagnoses.values(), sources, strict=True)
    ]
    return Comparison(dict(diagnoses), np.column_stack(columns), by)


def _check_score(by: str) -> None:
    if by not in SCORES:
        raise InputError(f"by must be one of {', '.join(SCORES)}. Got {by!r} instead.")


def _records(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    from reldim.report.summary import plain

    rows = frame.to_dict(orient="records")
    return [{str(key): plain(value) for key, value in row.items()} for row in rows]


def _squared_errors(rd: RelevantDimension) -> Array:
    residuals: Array = np.asarray(rd.targets.values) - np.asarray(rd.left_out)
    return np.asarray(np.sum(residuals**2, axis=1))


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
        "verdict": f"{diagnosis.verdict.code} {diagnosis.verdict.title}",
        "kernel": repr(diagnosis.kernel),
    }
