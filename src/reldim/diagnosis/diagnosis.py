"""diagnose(): from data to a verdict."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reldim.diagnosis.columns import (
    ColumnShare,
    Droppable,
    droppable_columns,
    why_no_shares,
)
from reldim.diagnosis.conclusions import Conclusions, conclude
from reldim.diagnosis.effects import Effect, column_effects
from reldim.diagnosis.forecast import Forecast
from reldim.diagnosis.held_out import predictions_without
from reldim.diagnosis.label_issues import judge_labels
from reldim.diagnosis.label_review import LabelReview
from reldim.diagnosis.problem import Problem, prepare_problem
from reldim.diagnosis.references import Reference
from reldim.diagnosis.settings import Settings
from reldim.diagnosis.verdicts import Verdict
from reldim.eigensolvers import Solver
from reldim.exceptions import InputTypeError
from reldim.inputs.cores import on_cores
from reldim.inputs.random_state import seed_of
from reldim.inputs.stages import LOG, Progress, listening, tell
from reldim.inputs.targets import AnyTask
from reldim.kernels import Kernel
from reldim.relevance.estimation import SIGNIFICANCE, Criterion, RelevantDimension, estimate
from reldim.relevance.noise import NoiseEstimate
from reldim.search.candidates import Candidate, choose
from reldim.search.kernel_arguments import Kernels
from reldim.tables.columns import as_given, as_pandas

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from reldim.report.summary import Summary

__all__ = ["Diagnosis", "Predictor", "diagnose", "diagnose_problem", "find_label_issues"]


class Predictor(Protocol):
    """What :meth:`Diagnosis.predictor` returns: a fitted estimator, in the terms of scikit-learn.

    A type for checkers; nothing derives from it. What it is at run time has more methods, such as
    ``predict_proba`` for classes.
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to other rows, with the same choices."""

    def predict(self, X: Any, *args: Any, **options: Any) -> Any:
        """Predict new rows; options are those of the estimator."""

    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy for classes, and the explained share of the variance for numbers."""


#: Columns whose effects are looked at: the most important ones.
EFFECTS = 12


@dataclass(frozen=True)
class Diagnosis:
    """What a kernel sees in a data set, and what limits the result.

    Attributes
    ----------
    relevance : RelevantDimension
        The estimate under the best kernel.
    tried : tuple of Candidate
        All kernels that were tried.
    index : int
        Which of them is the best.
    choice_p_value : float
        Probability that targets without signal look as structured under the best of as many
        kernels.
    problem : Problem
        The data as they were used, and what was done to them.
    edge : str or None
        Where the best kernel lies at the edge of its range: a sentence about it.
    settings : Settings
        What was asked for.
    conclusions : Conclusions or None
        Verdict, findings and noise where they are known; else they are found when asked for.
    memory : int or None
        Bytes that finding them keeps to, None for what is available.
    n_jobs : int or None
        How many tasks run side by side where something is computed later.
    progress : callable or None
        Who is told of stages that are computed later; neither saved nor pickled.
    """

    relevance: RelevantDimension = field(repr=False)
    tried: tuple[Candidate, ...] = field(repr=False)
    index: int
    choice_p_value: float
    problem: Problem = field(repr=False)
    edge: str | None = field(default=None, repr=False)
    settings: Settings = field(default_factory=Settings, repr=False)
    conclusions: Conclusions | None = field(default=None, repr=False)
    memory: int | None = field(default=None, repr=False)
    n_jobs: int | None = field(default=None, repr=False)
    progress: Progress | None = field(
        default=None, repr=False, compare=False, metadata={"kept": False}
    )

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds."""
        return {**vars(self), "progress": None}

    @contextmanager
    def _at_work(self, stage: str) -> Iterator[None]:
        """Spread a stage that a caller asked for over cores, and tell that it begins."""
        with on_cores(self.n_jobs), listening(self.progress):
            tell(stage)
            yield

    @cached_property
    def _concluded(self) -> Conclusions:
        if self.conclusions is not None:
            return self.conclusions
        # Other families of kernels are tried for it, so that it waits until a caller asks.
        with self._at_work("conclude"):
            found = conclude(
                self.problem,
                self.relevance,
                self.choice_p_value,
                self.tried,
                edge=self.edge,
                own_kernels=self.settings.kernels != "None",
                references=self.settings.references,
                random_state=self.settings.random_state,
                memory=self.memory,
            )
        LOG.debug("verdict: %s", found.verdict.headline)
        LOG.debug("predictor: %s", "least squares" if found.blend is None else "a blend of kernels")
        return found

    @property
    def verdict(self) -> Verdict:
        """The main finding."""
        return self._concluded.verdict

    @property
    def findings(self) -> tuple[Verdict, ...]:
        """Further findings."""
        return self._concluded.findings

    @property
    def noise_estimate(self) -> NoiseEstimate:
        """The noise in the targets: what no predictor can explain, with an interval."""
        return self._concluded.noise

    def concluded(self) -> Diagnosis:
        """Return the same diagnosis with its conclusions drawn."""
        return replace(self, conclusions=self._concluded)

    @property
    def kernel(self) -> Kernel:
        """The best kernel."""
        return self.tried[self.index].kernel

    @property
    def dimension(self) -> int:
        """Relevant dimension under the best kernel."""
        return self.relevance.dimension

    @property
    def interval(self) -> tuple[int, int]:
        """Dimensions that hold 90 % of the posterior probability."""
        return self.relevance.interval

    @property
    def noise_level(self) -> float:
        """The training residual: in-sample difference between given and denoised targets.

        The papers call it the noise level; ``noise_estimate`` is the noise that views show.
        """
        return self.relevance.noise_level

    @property
    def p_value(self) -> float:
        """Probability that targets without signal would look as structured."""
        found = self._concluded.p_value
        return self.choice_p_value if found is None else found

    @property
    def error_estimate(self) -> float:
        """The error to expect of the predictor on new rows, from rows that it had not seen."""
        curve = self._concluded.curve
        return float(curve.error(curve.n))

    @property
    def candidate_errors(self) -> tuple[float, ...]:
        """Leave-one-out error of least squares under each kernel that was tried.

        Under the best kernel the components are computed anew without each row. Under the others
        they are held fixed, which costs no further decomposition and reads a little low for few
        rows.
        """
        errors = [row.fixed_error for row in self.tried]
        with on_cores(self.n_jobs):
            errors[self.index] = self.relevance.error_estimate
        return tuple(errors)

    @property
    def error_standard_error(self) -> float:
        """How far the expected error may be off by the chance of these rows."""
        return self._concluded.curve.standard_error

    @property
    def blends(self) -> bool:
        """Whether the predictor is a blend of kernels with learned weights of columns."""
        return self._concluded.blend is not None

    @property
    def column_shares(self) -> tuple[ColumnShare, ...]:
        """How much each column of the table matters, see ``columns``."""
        return self._concluded.columns

    @property
    def columns(self) -> pd.DataFrame:
        """How much each column of the table matters, the most important first.

        Indexed by the names of the columns: ``share`` of the signal with the ends ``low`` and
        ``high`` of its 90 % interval, ``error_without`` the column, and ``p_value``. Empty where no
        weights were learned: for a single column, for kernels that were named, and where no
        signal was found; ``columns_note`` says why.
        """
        import pandas as pd

        frame = pd.DataFrame(
            [asdict(row) for row in self.column_shares],
            columns=["name", "share", "low", "high", "error_without", "p_value"],
        )
        return self._given(frame.set_index("name"))

    @cached_property
    def droppable(self) -> Droppable | None:
        """The columns that can be left out together, without a larger error; None without shares.

        Of two columns that tell the same, neither seems to matter by itself. One of them can be
        left out, and is here; the other is not.
        """
        learned = self._concluded.learned
        if learned is None or not self.column_shares:
            return None
        with self._at_work("columns"):
            return droppable_columns(
                learned, self.problem.column_names, self.column_shares, self.error_estimate
            )

    @cached_property
    def effect_curves(self) -> tuple[Effect, ...]:
        """What the denoised target does along the columns that matter, see ``effects``."""
        learned = self._concluded.learned
        if learned is None:
            return ()
        names = [row.name for row in self.summary.columns_that_matter[:EFFECTS]]
        with self._at_work("effects"):
            return column_effects(learned, self.problem, names, seed_of(self.settings.random_state))

    @property
    def effects(self) -> pd.DataFrame:
        """What the denoised target does along the columns that matter.

        One row per place along a column and output: the name of the ``column``, its ``value``
        there, the ``output`` ("target", or a class), the predicted ``effect`` (a number in the unit
        of the target, or the probability of the class) with the ends ``low`` and ``high`` of its
        90 % band, and the number of ``rows`` around it.
        """
        import pandas as pd

        rows = [
            (curve.name, place, output, *figures, count)
            for curve in self.effect_curves
            for output, *lines in zip(
                curve.outputs, curve.values, curve.low, curve.high, strict=True
            )
            for place, *figures, count in zip(curve.labels, *lines, curve.rows, strict=True)
        ]
        names = ["column", "value", "output", "effect", "low", "high", "rows"]
        return self._given(pd.DataFrame(rows, columns=names))

    @property
    def columns_note(self) -> str:
        """Why there are no shares of columns: a sentence, empty where there are."""
        if self.column_shares:
            return ""
        named = self.settings.kernels != "None"
        return why_no_shares(self.problem, self.kernel, named=named)

    @property
    def models_beside(self) -> tuple[Reference, ...]:
        """Other models beside the predictor, see ``references``."""
        return self._concluded.references

    @property
    def references(self) -> pd.DataFrame:
        """Other models beside the predictor, cross-validated on the same rows."""
        import pandas as pd

        frame = pd.DataFrame(
            [
                {"model": one.model, "error": one.error, "standard_error": one.standard_error}
                for one in self.models_beside
            ],
            columns=["model", "error", "standard_error"],
        )
        return self._given(frame)

    @property
    def task(self) -> str:
        """Kind of problem: "classification" or "regression"."""
        return self.relevance.targets.task

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.relevance.targets.n

    @property
    def classes(self) -> np.ndarray[Any, Any] | None:
        """The classes, or None for regression."""
        return self.relevance.targets.classes

    @property
    def criterion(self) -> str:
        """What kernel and dimension were chosen by."""
        return self.relevance.criterion

    @property
    def solver(self) -> str:
        """What decomposed the kernel matrix."""
        return self.relevance.spectrum.solver

    @property
    def preparation(self) -> tuple[str, ...]:
        """What was done to the data, one sentence per step."""
        return self.problem.steps

    @cached_property
    def summary(self) -> Summary:
        """The diagnosis as plain data, which text, JSON, notebook and report show."""
        from reldim.report.summary import summarise

        with on_cores(self.n_jobs):
            return summarise(self)

    @property
    def candidates(self) -> pd.DataFrame:
        """The kernels that were tried, a row each."""
        import pandas as pd

        return self._given(pd.DataFrame([asdict(trial) for trial in self.summary.candidates]))

    @cached_property
    def label_issues(self) -> pd.DataFrame:
        """Rows whose targets look wrong: one row per row that was given, in the same order.

        As many rows as X had, numbered from 0 whatever the index of X; the columns are those of
        :func:`~reldim.find_label_issues`, which takes another false discovery rate than 10 %.
        """
        return self._judged_labels(0.1)

    def _judged_labels(self, false_discovery_rate: float) -> pd.DataFrame:
        found = self._concluded
        with self._at_work("labels"):
            issues = judge_labels(
                self.relevance,
                self.problem,
                predictions_without(found.held_out, found.blend, self.problem, self.relevance),
                false_discovery_rate=false_discovery_rate,
            )
        return self._given(issues)

    def _given(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame of the library that the data came in."""
        return as_given(frame, self.problem.library)

    def review_labels(self) -> LabelReview:
        """Show the targets that look wrong, the most suspicious first.

        Returns
        -------
        LabelReview
            The rows to look at, as text, in a notebook, or drawn by ``plot()``.
        """
        return LabelReview(as_pandas(self.label_issues))

    def forecast(self, n: int | Sequence[int] | NDArray[np.intp] | None = None) -> Forecast:
        """Forecast the error of the predictor with more rows of the same kind.

        Parameters
        ----------
        n : int or sequence of int, optional
            Numbers of rows, from those at hand to ten times as many; by default those at hand and
            2, 3, 5 and 10 times as many.

        Returns
        -------
        Forecast
            Errors with intervals, what is estimated to be left at any number of rows, and the rows
            that a target error takes.

        Examples
        --------
        >>> from reldim import datasets, diagnose
        >>> data = datasets.bananas(150, random_state=3)
        >>> forecast = diagnose(data.X, data.y).forecast([150, 600])
        >>> bool(forecast.error[1] < forecast.error[0])
        True
        >>> forecast.explain(0.0)[:34]
        'An error of 0.0% is not to be expe'
        """
        curve = self._concluded.curve
        with self._at_work("forecast"):
            return curve.forecast(n)

    def predictor(self, *, average: bool = False) -> Predictor:
        """Return the fitted predictor.

        A blend of kernels that learned which columns to look at, or least squares on the relevant
        components where kernels were named or where that errs less.

        Parameters
        ----------
        average : bool
            Average over the posterior instead of cutting at the dimension; asks for least squares
            on the components in any case.

        Returns
        -------
        KernelBlendRegressor, KernelPCRegressor, their classifiers, or Pipeline
            A pipeline where a data frame was prepared, so that it takes such frames.
        """
        from reldim import estimators

        blend, table = None if average else self._concluded.blend, self.problem.table
        model: Predictor
        if blend is None:
            cut = (
                estimators.KernelPCRegressor
                if self.classes is None
                else estimators.KernelPCClassifier
            )
            model = cut.from_relevance(self.relevance, average=average)
        else:
            held = self._concluded.held_out
            assert held is not None
            kind = (
                estimators.KernelBlendRegressor
                if self.classes is None
                else estimators.KernelBlendClassifier
            )
            model = kind.from_blend(
                blend,
                self.relevance.targets,
                self.error_estimate,
                (self.problem.rows_at(held.rows), held.targets, held.predicted),
                sources=None if table is None else table.sources,
                random_state=self.settings.random_state,
            )
        if table is None:
            return model
        from sklearn.pipeline import Pipeline

        fitted: Predictor = Pipeline([("prepare", table.transformer), ("model", model)])
        return fitted

    def plot(self) -> Figure:
        """Draw the four plots that matter most: signal and noise, criterion, kernels, denoising.

        A notebook shows the figure once. Others are in :mod:`reldim.plots`.

        Returns
        -------
        Figure
            The figure; ``figure.savefig("overview.png")`` keeps it.
        """
        from reldim.plots.overview import draw_overview

        return draw_overview(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnosis as plain data.

        Returns
        -------
        dict
            Strings, numbers, lists and dictionaries only.
        """
        effects = json.loads(json.dumps([asdict(curve) for curve in self.effect_curves]))
        return {**self.summary.to_dict(), "effects": effects}

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the diagnosis to a file.

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
        data: Any = None,
        name: str = "",
        command: str = "",
        overwrite: bool = False,
    ) -> None:
        """Write a report: one HTML file that opens in any browser, without a network.

        Parameters
        ----------
        path : str or path
            The file, such as report.html; it appears whole or not at all.
        data : DataFrame, array or sequence, optional
            The data as they were given, for the values of rows that look wrong. Needed only
            for tables that were prepared.
        name : str
            What the data are called.
        command : str
            The command that repeats it, by default the call in Python.
        overwrite : bool
            Replace a file that is there already.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from reldim import datasets, diagnose
        >>> data = datasets.noisy_sinc(60, random_state=0)
        >>> path = Path(tempfile.mkdtemp()) / "report.html"
        >>> diagnose(data.X, data.y).write_report(path)
        >>> path.stat().st_size < 3e6
        True
        """
        from reldim.files.writing import check_page, write_text
        from reldim.report.page import report_page

        check_page(path, "write_report")
        with on_cores(self.n_jobs):
            text = report_page(self, data=data, name=name, command=command)
        write_text(Path(path), text, overwrite=overwrite)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Save the diagnosis with its data, to be read by :func:`reldim.load`.

        Parameters
        ----------
        path : str or path
            The file; it appears whole or not at all. It holds plain data and arrays, no code.
        overwrite : bool
            Replace a file that is there already.
        """
        from reldim.files.storage import save

        save(self, path, overwrite=overwrite)

    def _repr_html_(self) -> str:
        from reldim.report.page import notebook_html

        return notebook_html(self.summary)

    def __str__(self) -> str:
        """Give the diagnosis as plain text."""
        from reldim.report.text import diagnosis_text

        return diagnosis_text(self.summary)

    __repr__ = __str__


def diagnose(
    X: Any,
    y: ArrayLike | str,
    *,
    kernels: Kernels = None,
    task: AnyTask = "auto",
    criterion: Criterion = "likelihood",
    solver: Solver = "auto",
    scale: bool | None = None,
    groups: Any = None,
    order: Any = None,
    cv: Any = None,
    roles: Mapping[str, str] | None = None,
    n_jobs: int | None = None,
    references: bool = True,
    random_state: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Diagnosis:
    """Tell what limits learning from a data set: its size, its noise, or the kernel.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or list of sequences
        The data. Arrays of any library (NumPy, the array API, DLPack, torch) are taken as they are.
        A data frame is prepared: its columns are scaled, categories, dates, text and missing values
        become numbers, identifiers are left out, and the diagnosis says how. Rows that repeat
        others, target and all, are left out. For a frame of polars the tables of the diagnosis are
        frames of polars as well.
    y : array-like of shape (n,) or (n, outputs), or str
        Labels of any type, or numbers; or the label of a column of X, a text or a number. Several
        columns are judged together in the units that they have: scale them first if they are to
        weigh the same. Rows of X and y are paired in their order; indices of pandas with the same
        labels in another order are refused.
    kernels : None, str, Kernel, callable, sequence or mapping
        What to try: kernels, names of families such as "gaussian", or a mapping from names to
        kernels. By default Gaussian kernels on a grid of widths that follows the data, for
        sequences weighted-degree kernels.
    task : {"auto", "classification", "regression"}
        Kind of problem.
    criterion : {"likelihood", "leave-one-out"}
        What kernel and dimension are chosen by.
    solver : str
        Passed to :func:`reldim.decompose`.
    scale : bool, optional
        Bring every column to mean 0 and variance 1. By default data frames are scaled, and
        arrays are not.
    groups : str or array-like of shape (n,), optional
        The unit of each row, such as the patient whose visits are rows: a column of X, or values.
        Rows of one unit stay together in all that is held out, drawn or exchanged, and errors
        are those on new units. The column is no feature.
    order : str or array-like of shape (n,), optional
        Numbers or dates that ascend with time: a column of X, or values. Rows are then predicted
        from earlier ones.
    cv : splitter of scikit-learn or iterable of pairs, optional
        Folds to use in place of five that are drawn.
    roles : mapping from str to str, optional
        What columns of a data frame are, where it is known better than its values tell: "number",
        "category", "code", "date", "text", "identifier" or "group", such as
        ``{"zip": "category"}``. The last two are left out.
    n_jobs : int, optional
        Kernels, or blocks of rows, that are worked on side by side; -1 stands for one per core. By
        default one per core that the process may use, and 1 in workers of joblib or Dask, in
        child processes and in threads. The result does not depend on it.
    references : bool
        Cross-validate a linear model, boosted trees and extra trees on the same rows.
    random_state : int, optional
        Seed; None stands for a fixed seed, so that the same data give the same answer.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` where a stage begins or goes on; a total of 0
        stands for a stage of unknown length. The stages are "prepare", "weights" (where they are
        learned), "kernels", for large data with "landmarks" in between, and when they are asked
        for "conclude" with "references", "labels", "columns", "effects" and "forecast". The log of
        ``logging.getLogger("reldim")`` has the same, and at the level DEBUG what was decided.
    memory : int, optional
        Bytes to keep to, by default what is available.

    Returns
    -------
    Diagnosis
        The figures, the verdict, and the predictor.

    Examples
    --------
    >>> from reldim import datasets, diagnose
    >>> noisy = datasets.noisy_sinc(200, random_state=0)
    >>> diagnose(noisy.X, noisy.y).verdict.title
    'Limited by noise'

    A column of a data frame is named:

    >>> from sklearn.datasets import load_iris
    >>> frame = load_iris(as_frame=True).frame
    >>> diagnose(frame, "target").verdict.title
    'Well solved'
    """
    with on_cores(n_jobs), listening(progress):
        tell("prepare")
        problem = prepare_problem(
            X,
            y,
            task=task,
            kernels=kernels,
            scale=scale,
            groups=groups,
            order=order,
            cv=cv,
            roles=roles,
        )
    return diagnose_problem(
        problem,
        kernels=kernels,
        task=task,
        criterion=criterion,
        solver=solver,
        scale=scale,
        n_jobs=n_jobs,
        references=references,
        random_state=random_state,
        progress=progress,
        memory=memory,
    )


def diagnose_problem(
    problem: Problem,
    *,
    kernels: Kernels = None,
    task: str = "auto",
    criterion: str = "likelihood",
    solver: str = "auto",
    scale: bool | None = None,
    n_jobs: int | None = None,
    references: bool = True,
    random_state: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Diagnosis:
    """Diagnose data that were prepared; parameters are those of :func:`diagnose`."""
    # One number of a generator: what is drawn twice must be the same.
    random_state = None if random_state is None else seed_of(random_state)
    with on_cores(n_jobs), listening(progress):
        found = choose(
            problem.X,
            problem.targets,
            kernels,
            criterion=criterion,
            solver=solver,
            random_state=random_state,
            memory=memory,
            splits=problem.dependence,
        )
        best = found.best
        rows, p_value = found.rows, found.p_value
        assert p_value is not None
        if p_value > SIGNIFICANCE and best.dimension > 0:
            # Signal under the best of many kernels, but no more than noise would show.
            best = estimate(best.spectrum, best.targets, dimension=0, criterion=criterion)
            rows = tuple(
                row.without_signal(best) if i == found.index else row for i, row in enumerate(rows)
            )
    LOG.debug("kernel: %s, dimension %d, p = %.2g", rows[found.index].name, best.dimension, p_value)
    return Diagnosis(
        relevance=best,
        tried=rows,
        index=found.index,
        choice_p_value=p_value,
        problem=problem,
        edge=found.edge,
        settings=Settings.of(
            kernels,
            task=task,
            criterion=criterion,
            solver=solver,
            scale=scale,
            references=references,
            random_state=random_state,
        ),
        memory=memory,
        n_jobs=n_jobs,
        progress=progress,
    )


def find_label_issues(
    X: Any,
    y: ArrayLike | str | Problem | None = None,
    *,
    groups: Any = None,
    order: Any = None,
    cv: Any = None,
    false_discovery_rate: float = 0.1,
) -> pd.DataFrame:
    """Find rows whose targets look wrong.

    Parameters
    ----------
    X : RelevantDimension, Diagnosis, or data
        What :func:`reldim.relevant_dimension` or :func:`reldim.diagnose` returned; or data, which
        are diagnosed first. A diagnosis knows more than its relevance: what its predictor says
        about rows that had no part in it.
    y : array-like, str or Problem, optional
        The targets of data, or the name of a column of a data frame. For a RelevantDimension the
        ``problem`` of its diagnosis: rows that were left out of it because they repeat others then
        have a row in the answer as well.
    groups, order, cv : array-like, label of a column, or splitter, optional
        How rows of data depend on each other, as in :func:`~reldim.diagnose`.
    false_discovery_rate : float
        Which share of the rows that are flagged may be right after all, on average.

    Returns
    -------
    DataFrame
        One row for each row, in the order of the data and numbered from 0, with the columns

        - ``is_label_issue``: whether the target looks wrong;
        - ``label_quality``: from 0 (wrong) to 1, the probability that the target is right;
        - ``given_label`` and ``predicted_label``: the target, and what all other rows make of it;
        - ``q_value``: the false discovery rate at which the row would just be flagged;
        - ``can_judge``: False where the other rows say too little: nothing in the data is like the
          row, its class has no other member, or there is no signal at all;
        - ``residual``, for numbers: given less predicted.

        Several columns of numbers are tuples in the columns of labels and residuals.

    Examples
    --------
    >>> from reldim import datasets, decompose, kernels, relevant_dimension
    >>> data = datasets.twonorm(200, random_state=2)
    >>> y = data.y.copy()
    >>> y[:5] = -y[:5]
    >>> rd = relevant_dimension(decompose(kernels.Gaussian(width=50.0), data.X), y)
    >>> issues = find_label_issues(rd)
    >>> issues.index[issues["is_label_issue"]].tolist()
    [0, 1, 2, 3, 4]
    """
    if isinstance(X, Diagnosis):
        return X._judged_labels(false_discovery_rate)  # noqa: SLF001
    if not isinstance(X, RelevantDimension):
        if y is None or isinstance(y, Problem):
            raise InputTypeError(
                "find_label_issues takes a RelevantDimension, a Diagnosis, or data and their "
                f"targets. Got {type(X).__name__} and no targets."
            )
        found = diagnose(X, y, references=False, groups=groups, order=order, cv=cv)
        return found._judged_labels(false_discovery_rate)  # noqa: SLF001
    if y is not None and not isinstance(y, Problem):
        raise InputTypeError(
            "The targets are part of a RelevantDimension already. Leave y out, or pass the problem "
            f"of its diagnosis. Got {type(y).__name__}."
        )
    issues = judge_labels(X, y, false_discovery_rate=false_discovery_rate)
    return issues if y is None else as_given(issues, y.library)
