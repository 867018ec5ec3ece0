"""Summary: a diagnosis as plain data. Text, JSON, notebook and page are views of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from reldim.diagnosis.columns import ColumnShare, Droppable
from reldim.diagnosis.diagnosis import Diagnosis
from reldim.diagnosis.settings import Settings
from reldim.diagnosis.verdicts import Verdict
from reldim.kernels import Gaussian
from reldim.relevance.estimation import SIGNIFICANCE
from reldim.relevance.noise import NoisyScales, noisy_scales
from reldim.report.words import percent, plain
from reldim.tables.columns import listed

__all__ = ["Beside", "Figure", "Ranked", "Summary", "Trial", "rank_kernels", "summarise"]

#: Version of the dictionary that to_dict returns.
SCHEMA = "reldim.diagnosis/1"

#: Criteria that differ by less are the same for every purpose.
NO_DIFFERENCE = 1e-3

#: Columns that are named in a line.
SHOWN_COLUMNS = 8

#: Columns that are not needed and are named in a sentence.
DROPPED_COLUMNS = 40

#: Of more of them, those that are kept are named instead, where they are fewer.
NAMED_ONE_BY_ONE = 3


@dataclass(frozen=True)
class Trial:
    """A kernel that was tried, in figures. The fields are those of the table of candidates."""

    kernel: str
    dimension: int
    negative_log_likelihood: float
    noise_level: float
    error_estimate: float
    p_value: float
    criterion_value: float
    rank: int
    rows: int
    settled: bool
    chosen: bool


#: Fields that a candidate has by the same name.
OF_CANDIDATES = {field.name for field in fields(Trial)} - {"kernel", "error_estimate", "chosen"}


@dataclass(frozen=True)
class Beside:
    """Another model beside the predictor; the fields are columns of the table of references."""

    model: str
    error: float
    standard_error: float


@dataclass(frozen=True)
class Figure:
    """A key figure in words.

    Attributes
    ----------
    name : str
        What it is.
    value, unit, note : str
        The figure, what it is counted in, and what goes with it, such as an interval.
    meaning : str
        What it tells, for readers who have not read the papers.
    place : {"card", "line", "picture", "fact"}
        Where a page shows it: on a card at the top, in a line of its own, as a picture, or in the
        list of facts at the end.
    """

    name: str
    value: str
    unit: str = ""
    note: str = ""
    meaning: str = ""
    place: Literal["card", "line", "picture", "fact"] = "fact"

    @property
    def text(self) -> str:
        """The figure in one line."""
        return " ".join(filter(None, (self.value, self.unit, self.note and f"({self.note})")))


@dataclass(frozen=True)
class Summary:
    """A diagnosis in plain data: strings, numbers, and tuples of them.

    Attributes
    ----------
    rows : int
        Number of rows.
    columns : int or None
        Number of columns, where the data are numbers.
    task, task_reason : str
        Kind of problem, and why it was taken for that.
    classes : tuple or None
        The classes.
    criterion, solver, solver_note : str
        What was chosen by, and what the figures were computed from.
    kernel : str
        The best kernel.
    dimension : int
        Relevant dimension.
    interval : tuple of int
        Dimensions that hold 90 % of the posterior probability.
    p_value, noise_level, error_estimate, constant_error, negative_log_likelihood : float
        As in :class:`~reldim.Diagnosis`.
    noise_estimate : float
        What no predictor can explain, in the units of the noise level.
    noise_interval : tuple of float
        Its 90 % interval.
    noise_reached : float or None
        What models reached: noise is no larger.
    noise_repeats : float
        What equal rows with different targets leave to any model: noise is no smaller.
    verdict : Verdict
        The main finding.
    findings : tuple of Verdict
        Further findings.
    preparation : tuple of str
        What was done to the data.
    candidates : tuple of Trial
        The kernels that were tried.
    curve : tuple of float
        The criterion under the best kernel.
    settings : Settings
        What was asked for.
    error_standard_error : float
        How far the expected error may be off by the chance of these rows.
    references : tuple of Beside
        Other models on the same rows.
    column_shares : tuple of ColumnShare
        How much each column matters, the most important first.
    droppable : Droppable or None
        The columns that can be left out together.
    columns_note : str
        Why there are no shares of columns; empty where there are.
    training_residual : float
        The noise level by the name that says what it is: what the relevant components leave
        unexplained of the rows that they were fitted to.
    predictor : str
        What the expected error is that of.
    noisy_scales : NoisyScales or None
        The widths of a Gaussian kernel at which the data are low-dimensional and noisy.
    """

    rows: int
    columns: int | None
    task: str
    task_reason: str
    classes: tuple[Any, ...] | None
    criterion: str
    solver: str
    solver_note: str
    kernel: str
    dimension: int
    interval: tuple[int, int]
    p_value: float
    noise_level: float
    noise_estimate: float
    noise_interval: tuple[float, float]
    noise_reached: float | None
    noise_repeats: float
    error_estimate: float
    constant_error: float
    negative_log_likelihood: float
    verdict: Verdict
    findings: tuple[Verdict, ...]
    preparation: tuple[str, ...]
    candidates: tuple[Trial, ...]
    curve: tuple[float, ...]
    settings: Settings
    error_standard_error: float = 0.0
    references: tuple[Beside, ...] = ()
    column_shares: tuple[ColumnShare, ...] = ()
    droppable: Droppable | None = None
    columns_note: str = ""
    training_residual: float = 0.0
    predictor: str = ""
    noisy_scales: NoisyScales | None = None

    @property
    def columns_that_matter(self) -> tuple[ColumnShare, ...]:
        """The columns that cannot be left out, the most important first."""
        idle = set() if self.droppable is None else {*self.droppable.names}
        return tuple(row for row in self.column_shares if row.name not in idle)

    @property
    def about_columns(self) -> str:
        """Which columns are not needed, or why nothing is known about them: a sentence."""
        if self.droppable is None:
            return self.columns_note
        idle = self.droppable.names[::-1]
        if not idle:
            return "All columns are needed: without any of them the error rises."
        if len(idle) == len(self.column_shares):
            return "No column matters beyond chance."
        with_all, without = percent(self.error_estimate), percent(self.droppable.error_without)
        if with_all == without:
            change = f"stays at {with_all} {self.unit}"
        else:
            change = f"is {without} {self.unit}, not {with_all}"
        kept = [row.name for row in self.columns_that_matter]
        if len(idle) > max(len(kept), NAMED_ONE_BY_ONE):
            needed = listed(kept, DROPPED_COLUMNS)
            return (
                f"As far as these rows tell, all that is needed is {needed}: with these alone the "
                f"expected error {change}."
            )
        one = len(idle) == 1
        are, them = ("is", "it") if one else ("are", "them")
        return (
            f"{listed(idle, DROPPED_COLUMNS)} {are} not needed as far as these rows tell: without "
            f"{them} the expected error {change}."
        )

    @property
    def unit(self) -> str:
        """What shares are shares of."""
        return "of labels" if self.task == "classification" else "of variance"

    @property
    def targets(self) -> str:
        """What is to be explained, in a word."""
        return "labels" if self.task == "classification" else "targets"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The key figures in words."""
        low, high = self.interval
        targets = self.targets
        return (
            Figure("rows", f"{self.rows}, {self.task}", note=self.task_reason),
            Figure(
                "expected error",
                percent(self.error_estimate),
                self.unit,
                f"constant prediction: {percent(self.constant_error)}",
                "What to expect on new rows, from predictions for rows that had no part in a fit.",
                "card",
            ),
            *self._noise,
            *self._noise_by_width,
            *self._beside,
            *self._columns_that_matter,
            Figure(
                "relevant dimension",
                f"{self.dimension}",
                note=f"90% interval {low} to {high}",
                meaning=f"How many directions, as the kernel sees the data, carry the {targets}. "
                "Few mean a simple problem, many for the number of rows a complex one.",
                place="card",
            ),
            Figure(
                "signal",
                f"p = {self.p_value:.3g}",
                meaning=f"How often {targets} without any relation to the data would look as "
                f"structured under the best of {len(self.candidates)} kernels.",
                place="card",
            ),
            Figure("kernel", f"{self.kernel}, best of {len(self.candidates)} by {self.criterion}"),
            Figure("predictor", self.predictor),
            Figure("computed from", self.solver_note),
        )

    @property
    def _noise(self) -> tuple[Figure, ...]:
        """The noise with its interval and what it rests on."""
        low, high = self.noise_interval
        kernels = "a kernel" if len(self.candidates) == 1 else f"{len(self.candidates)} kernels"
        others = f" and {len(self.references)} other models" if self.references else ""
        told = [f"90% interval {percent(low)} to {percent(high)}"]
        if self.noise_reached is not None:
            told.append(f"models reached {percent(self.noise_reached)}")
        if self.noise_repeats > 0:
            told.append(f"equal rows disagree on {percent(self.noise_repeats)}")
        return (
            Figure(
                "noise",
                percent(self.noise_estimate),
                self.unit,
                ", ".join(told),
                f"What no model explains, judged by {kernels}{others} on held-out rows.",
                "card",
            ),
        )

    @property
    def _noise_by_width(self) -> tuple[Figure, ...]:
        if self.noisy_scales is None:
            return ()
        meaning = "Data that are low-dimensional and noisy at every width are likely to be noisy."
        value = self.noisy_scales.sentence.rstrip(".")
        return (Figure("noise by width", value, meaning=meaning, place="line"),)

    @property
    def _beside(self) -> tuple[Figure, ...]:
        if not self.references:
            return ()
        best_first = sorted(self.references, key=lambda one: one.error)
        models = ", ".join(f"{one.model} {percent(one.error)}" for one in best_first)
        meaning = "Errors of other kinds of models on the same rows, each predicted without it."
        return (Figure("other models", models, self.unit, meaning=meaning, place="picture"),)

    @property
    def _columns_that_matter(self) -> tuple[Figure, ...]:
        if not self.column_shares:
            return ()
        matter = self.columns_that_matter
        # A column that matters has some share.
        shares = [f"{row.share:.0%}" if row.share >= 0.005 else "<1%" for row in matter]
        shown = [*zip(matter, shares, strict=True)][:SHOWN_COLUMNS]
        names = ", ".join(f"{row.name} {share}" for row, share in shown)
        if len(matter) > SHOWN_COLUMNS:
            names += f" and {len(matter) - SHOWN_COLUMNS} more"
        meaning = "Shares of the signal that rest on single columns; columns with the same "
        meaning += "information divide its share."
        value = names or "none beyond chance"
        return (Figure("columns that matter", value, meaning=meaning, place="line"),)

    @property
    def criterion_name(self) -> str:
        """What kernels were compared by."""
        by_likelihood = self.criterion == "likelihood"
        return "negative log-likelihood" if by_likelihood else "leave-one-out error"

    def criterion_of(self, trial: Trial) -> float:
        """Return what a kernel was compared by."""
        by_likelihood = self.criterion == "likelihood"
        return trial.negative_log_likelihood if by_likelihood else trial.criterion_value

    def same_result(self, one: Trial, other: Trial) -> bool:
        """Return whether two kernels came to the same on the same rows."""
        apart = abs(self.criterion_of(one) - self.criterion_of(other))
        same_rows, same_dimension = one.rows == other.rows, one.dimension == other.dimension
        return same_rows and same_dimension and apart < NO_DIFFERENCE

    def to_dict(self) -> dict[str, Any]:
        """Return strings, numbers, lists and dictionaries only."""
        from reldim import __version__

        return {"schema": SCHEMA, "version": __version__, **_listed(asdict(self))}


def summarise(diagnosis: Diagnosis) -> Summary:
    """Take from a diagnosis what its views show.

    Examples
    --------
    >>> from reldim import datasets, diagnose
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> summary = summarise(diagnose(data.X, data.y))
    >>> summary.dimension, summary.columns, summary.figures[0].value
    (7, 1, '100, regression')
    """
    rd, best = diagnosis.relevance, diagnosis.tried[diagnosis.index]
    targets, points = rd.targets, rd.spectrum.gram.points
    noise = diagnosis.noise_estimate
    classes = targets.classes
    return Summary(
        rows=targets.n,
        columns=points.shape[1] if getattr(points, "ndim", 0) == 2 else None,
        task=targets.task,
        task_reason=targets.reason,
        classes=None if classes is None else tuple(plain(label) for label in classes),
        criterion=rd.criterion,
        solver=rd.spectrum.solver,
        solver_note=rd.spectrum.note,
        kernel=best.name,
        dimension=rd.dimension,
        interval=rd.interval,
        p_value=diagnosis.p_value,
        noise_level=rd.noise_level,
        noise_estimate=noise.value,
        noise_interval=noise.interval,
        noise_reached=noise.reached,
        noise_repeats=noise.repeats,
        error_estimate=diagnosis.error_estimate,
        constant_error=targets.constant_error,
        negative_log_likelihood=rd.negative_log_likelihood,
        verdict=diagnosis.verdict,
        findings=diagnosis.findings,
        preparation=diagnosis.problem.steps,
        candidates=tuple(
            Trial(
                kernel=row.name,
                error_estimate=error,
                chosen=number == diagnosis.index,
                **{name: getattr(row, name) for name in OF_CANDIDATES},
            )
            for number, (row, error) in enumerate(
                zip(diagnosis.tried, diagnosis.candidate_errors, strict=True)
            )
        ),
        curve=tuple(float(value) for value in rd.curve),
        settings=diagnosis.settings,
        error_standard_error=diagnosis.error_standard_error,
        references=tuple(
            Beside(one.model, one.error, one.standard_error) for one in diagnosis.models_beside
        ),
        column_shares=diagnosis.column_shares,
        droppable=diagnosis.droppable,
        columns_note=diagnosis.columns_note,
        training_residual=rd.noise_level,
        predictor=_predictor(diagnosis),
        noisy_scales=_noisy_scales(diagnosis),
    )


def _noisy_scales(diagnosis: Diagnosis) -> NoisyScales | None:
    """Look along the widths of Gaussian kernels that saw all rows, where there is signal."""
    if diagnosis.p_value > SIGNIFICANCE:
        return None
    tried = [
        (row.kernel.width, row)
        for row in diagnosis.tried
        if isinstance(row.kernel, Gaussian) and row.rows == diagnosis.n
    ]
    return noisy_scales(
        [width for width, _ in tried],
        [row.dimension for _, row in tried],
        [row.noise_level for _, row in tried],
        [row.outline.uncertainty.signal for _, row in tried],
    )


def _predictor(diagnosis: Diagnosis) -> str:
    """Say what the expected error is that of."""
    if diagnosis.blends:
        return "a blend of kernels that learned which columns matter"
    d = diagnosis.dimension
    if d == 0:
        return "a constant"
    return f"least squares on {d} component{'s' * (d > 1)} of this kernel"


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_listed(item) for item in value]
    return plain(value)


@dataclass(frozen=True)
class Ranked:
    """A kernel that stands for those beside it with the same dimension and criterion.

    Attributes
    ----------
    trial : Trial
        The chosen kernel where it is among them, else the best of them.
    value : float
        Its criterion.
    alike : tuple of str
        The other kernels.
    """

    trial: Trial
    value: float
    alike: tuple[str, ...] = ()


def rank_kernels(diagnosis: Diagnosis) -> tuple[Ranked, ...]:
    """Fold kernels that come to the same, and sort by the criterion.

    Only neighbours in the order in which kernels were tried are folded, such as widths that
    follow each other; a kernel of another kind keeps its row.

    Returns
    -------
    tuple of Ranked
        The lowest criterion first, of those that saw most rows.

    Examples
    --------
    >>> from reldim import datasets, diagnose
    >>> data = datasets.noisy_sinc(100, random_state=0)
    >>> ranked = rank_kernels(diagnose(data.X, data.y))
    >>> ranked[0].trial.chosen, sum(1 + len(row.alike) for row in ranked)
    (True, 20)
    """
    summary = diagnosis.summary
    groups: list[tuple[type, list[Trial]]] = []
    for trial, candidate in zip(summary.candidates, diagnosis.tried, strict=True):
        kind = type(candidate.kernel)
        if groups and groups[-1][0] is kind and summary.same_result(groups[-1][1][0], trial):
            groups[-1][1].append(trial)
        else:
            groups.append((kind, [trial]))
    ranked = [_stand_in(group, summary) for _, group in groups]
    return tuple(sorted(ranked, key=lambda row: (-row.trial.rows, row.value)))


def _stand_in(group: Sequence[Trial], summary: Summary) -> Ranked:
    best = min(group, key=lambda trial: (not trial.chosen, summary.criterion_of(trial)))
    alike = tuple(trial.kernel for trial in group if trial is not best)
    return Ranked(best, summary.criterion_of(best), alike)
