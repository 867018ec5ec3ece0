"""diagnose(): from data to a verdict."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from reldim.candidates import Candidate, Kernels, choose
from reldim.eigensolvers import Progress
from reldim.estimators import KernelPCClassifier, KernelPCRegressor
from reldim.kernels import Kernel
from reldim.problem import Problem, prepare_problem
from reldim.relevance import SIGNIFICANCE, RelevantDimension, estimate
from reldim.verdicts import Verdict, constant_error, grid_edge, judge, scale_gap
from reldim.writing import write_text

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.pipeline import Pipeline

__all__ = ["Diagnosis", "Verdict", "diagnose"]

#: Version of the dictionary that to_dict returns.
SCHEMA = "reldim.diagnosis/1"

#: Columns whose standard deviations differ by more are reported.
SCALE_GAP = 100.0


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
    p_value : float
        Probability that targets without signal look as structured under the best of as many
        kernels.
    verdict : Verdict
        The main finding.
    findings : tuple of Verdict
        Further findings.
    problem : Problem
        The data as they were used, and what was done to them.
    """

    relevance: RelevantDimension = field(repr=False)
    tried: tuple[Candidate, ...] = field(repr=False)
    index: int
    p_value: float
    verdict: Verdict
    problem: Problem = field(repr=False)
    findings: tuple[Verdict, ...] = ()

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
        """In-sample difference between given and denoised targets."""
        return self.relevance.noise_level

    @property
    def error_estimate(self) -> float:
        """Leave-one-out error: what to expect on new rows."""
        return self.relevance.error_estimate

    @property
    def task(self) -> str:
        """Kind of problem: "classification" or "regression"."""
        return self.relevance.targets.task

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.relevance.targets.n

    @property
    def classes(self) -> "np.ndarray[Any, Any] | None":
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
        """What was done to the data, a sentence a step."""
        return self.problem.steps

    @property
    def candidates(self) -> "pd.DataFrame":
        """The kernels that were tried, a row each."""
        import pandas as pd

        rows = [
            {
                "kernel": row.name,
                "dimension": row.dimension,
                "negative_log_likelihood": row.negative_log_likelihood,
                "noise_level": row.noise_level,
                "error_estimate": row.error_estimate,
                "p_value": row.p_value,
                "criterion_value": row.criterion_value,
                "rank": row.rank,
                "settled": row.settled,
                "chosen": number == self.index,
            }
            for number, row in enumerate(self.tried)
        ]
        return pd.DataFrame(rows)

    def predictor(self) -> "KernelPCRegressor | KernelPCClassifier | Pipeline":
        """Return the fitted predictor: least squares on the relevant components.

        Returns
        -------
        KernelPCRegressor, KernelPCClassifier or Pipeline
            A pipeline where a data frame was prepared, so that it takes such frames.
        """
        kind = KernelPCRegressor if self.classes is None else KernelPCClassifier
        model = kind.from_relevance(self.relevance, self.problem.feature_names)
        table = self.problem.table
        if table is None:
            return model
        from sklearn.pipeline import Pipeline

        return Pipeline([("prepare", table.transformer), ("model", model)])

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnosis as plain data.

        Returns
        -------
        dict
            Strings, numbers, lists and dictionaries only.
        """
        from reldim import __version__

        rd = self.relevance
        classes = None if self.classes is None else [_plain(label) for label in self.classes]
        return {
            "schema": SCHEMA,
            "version": __version__,
            "rows": self.n,
            "task": self.task,
            "task_reason": rd.targets.reason,
            "classes": classes,
            "criterion": self.criterion,
            "solver": self.solver,
            "solver_note": rd.spectrum.note,
            "kernel": self.tried[self.index].name,
            "dimension": self.dimension,
            "interval": list(self.interval),
            "p_value": self.p_value,
            "noise_level": self.noise_level,
            "error_estimate": self.error_estimate,
            "constant_error": constant_error(rd),
            "negative_log_likelihood": rd.negative_log_likelihood,
            "verdict": _verdict_dict(self.verdict),
            "findings": [_verdict_dict(finding) for finding in self.findings],
            "preparation": list(self.preparation),
            "candidates": [
                {key: _plain(value) for key, value in row.items()}
                for row in self.candidates.to_dict(orient="records")
            ],
            "curve": [float(value) for value in rd.curve],
        }

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the diagnosis to a file.

        Parameters
        ----------
        path : str or path
            The file; it appears whole or not at all.
        overwrite : bool
            Replace a file that is there already.
        """
        text = json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"
        write_text(Path(path), text, overwrite=overwrite)

    def __str__(self) -> str:
        """Give the diagnosis as plain text."""
        rd, verdict = self.relevance, self.verdict
        low, high = self.interval
        unit = "of labels" if self.task == "classification" else "of variance"
        lines = [
            f"{verdict.code} {verdict.title}",
            f"  {verdict.evidence}",
            f"  {verdict.advice}",
            "",
            f"  rows                {self.n}, {self.task} ({rd.targets.reason})",
            f"  kernel              {self.tried[self.index].name}, best of {len(self.tried)}",
            f"  computed from       {rd.spectrum.note}",
            f"  relevant dimension  {self.dimension} (90% interval {low} to {high})",
            f"  signal              p = {self.p_value:.3g}",
            f"  noise level         {self.noise_level:.1%} {unit}",
            f"  expected error      {self.error_estimate:.1%} {unit}",
            f"  constant prediction {constant_error(rd):.1%} {unit}",
        ]
        lines += [f"  done                {step}" for step in self.preparation]
        lines += [f"  note                {finding}" for finding in self.findings]
        lines += ["", "  see .candidates, .predictor(), .relevance, .to_json(path)"]
        return "\n".join(lines)

    __repr__ = __str__


def diagnose(
    X: Any,
    y: ArrayLike,
    *,
    kernels: Kernels = None,
    task: str = "auto",
    criterion: str = "likelihood",
    solver: str = "auto",
    random_state: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Diagnosis:
    """Tell what limits learning from a data set: its size, its noise, or the kernel.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or list of sequences
        The data. Numbers are taken as they are. A data frame with categories, dates, text or
        gaps is prepared, which includes scaling of its columns, and the diagnosis says how. Rows
        that repeat others, target and all, are left out.
    y : array-like of shape (n,) or (n, outputs)
        Labels of any type, or numbers. Several columns are judged together in the units that
        they have: scale them first if they are to weigh the same.
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
    random_state : int, optional
        Seed; None stands for a fixed seed, so that the same data give the same answer.
    progress : callable, optional
        Called as ``progress("kernels", done, total)``, and for large data in between as
        ``progress("landmarks", done, total)``.
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
    """
    problem = prepare_problem(X, y, task=task, kernels=kernels)
    found = choose(
        problem.X,
        problem.targets,
        kernels,
        criterion=criterion,
        solver=solver,
        random_state=random_state,
        progress=progress,
        memory=memory,
    )
    findings = []
    if found.edge is not None:
        findings.append(grid_edge(found.edge))
    gap = _scale_gap(found.best.spectrum.gram.points) if kernels is None else 1.0
    if gap > SCALE_GAP:
        findings.append(scale_gap(gap))
    assert found.p_value is not None
    best = found.best
    if found.p_value > SIGNIFICANCE and best.dimension > 0:
        # Signal under the best of many kernels, but no more than noise would show.
        best = estimate(best.spectrum, best.targets, dimension=0, criterion=criterion)
    return Diagnosis(
        relevance=best,
        tried=found.rows,
        index=found.index,
        p_value=found.p_value,
        verdict=judge(best, found.p_value),
        findings=tuple(findings),
        problem=problem,
    )


def _scale_gap(points: Any) -> float:
    if not isinstance(points, np.ndarray) or points.dtype.kind != "f" or points.shape[1] < 2:
        return 1.0
    # Round-off gives a constant column a spread above zero.
    spread = points.std(axis=0)[np.ptp(points, axis=0) > 0]
    return float(spread.max() / spread.min()) if len(spread) else 1.0


def _plain(value: Any) -> Any:
    item: Callable[[], Any] | None = getattr(value, "item", None)
    plain = item() if item is not None else value
    return plain if isinstance(plain, (str, int, float, bool)) or plain is None else str(plain)


def _verdict_dict(verdict: Verdict) -> dict[str, str]:
    return {
        "code": verdict.code,
        "title": verdict.title,
        "severity": verdict.severity,
        "evidence": verdict.evidence,
        "advice": verdict.advice,
    }
