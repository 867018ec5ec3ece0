"""Conclusions: from an estimate to the verdict, the noise and all findings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scipy.stats import norm

from reldim.diagnosis.columns import ColumnShare, column_shares
from reldim.diagnosis.dependence import find_dependence
from reldim.diagnosis.expectation import Expectation, expect
from reldim.diagnosis.findings import (
    find_in_data,
    find_in_residuals,
    find_in_targets,
    find_limit,
    find_scale_gap,
    repeats_disagree,
    scale_ratio,
)
from reldim.diagnosis.forecast import LearningCurve
from reldim.diagnosis.held_out import HeldOut, hold_out, rare_class
from reldim.diagnosis.leaks import leaking_places
from reldim.diagnosis.problem import Problem
from reldim.diagnosis.references import Reference
from reldim.diagnosis.rivals import find_rivals
from reldim.diagnosis.verdicts import (
    Verdict,
    grid_edge,
    judge,
    kernel_limit,
    model_limit,
    weights_limit,
)
from reldim.inputs.random_state import seed_of
from reldim.inputs.stages import tell
from reldim.relevance.estimation import SIGNIFICANCE, RelevantDimension
from reldim.relevance.noise import NoiseEstimate
from reldim.search.blend import Blend, CrossFit
from reldim.search.candidates import Candidate

__all__ = ["Conclusions", "conclude"]

#: Standard errors by which another model must be ahead of kernels, row by row: where kernels see
#: signal, and where they see none.
CLEARLY, BEYOND_DOUBT = 2.0, 4.0

#: Probability with which what models reached is no bound of the noise, by chance.
SURELY = 0.05

#: That noise limits is not true where another kind of model does better.
NOT_BESIDE_BETTER = ("RD003",)

#: What mixed rows do not tell about new units or later times, where rows depend on each other.
NOT_OF_MIXED_ROWS = ("RD002", "RD003", "RD004", "RD005")

#: Before a predictor is used that rests on a column which alone tells the target.
TOO_GOOD = "See RD016 first: {} the target, and may not be known for new rows."


@dataclass(frozen=True)
class Conclusions:
    """What follows from an estimate.

    Attributes
    ----------
    verdict : Verdict
        The main finding.
    findings : tuple of Verdict
        Further findings.
    noise : NoiseEstimate
        The noise in the targets.
    curve : LearningCurve
        The error to expect of the predictor, by the number of rows.
    p_value : float or None
        Of the signal, where learned weights see it; None stands for that of the search.
    references : tuple of Reference
        Other models, on the same rows.
    blend : Blend or None
        The predictor, where it is a blend of kernels with learned weights.
    columns : tuple of ColumnShare
        How much each column of the table matters, the most important first.
    learned : CrossFit or None
        Kernels with learned weights and their folds, which tell what columns do.
    held_out : HeldOut or None
        What the predictor says about rows that had no part in it.
    """

    verdict: Verdict
    findings: tuple[Verdict, ...]
    noise: NoiseEstimate
    curve: LearningCurve = field(repr=False)
    p_value: float | None = None
    references: tuple[Reference, ...] = ()
    blend: Blend | None = field(default=None, repr=False)
    columns: tuple[ColumnShare, ...] = ()
    learned: CrossFit | None = field(default=None, repr=False)
    held_out: HeldOut | None = field(default=None, repr=False)


def conclude(
    problem: Problem,
    rd: RelevantDimension,
    p_value: float,
    tried: Sequence[Candidate],
    *,
    edge: str | None,
    own_kernels: bool,
    references: bool = True,
    random_state: int | None = None,
    memory: int | None = None,
) -> Conclusions:
    """Judge an estimate, and look for what else there is to say.

    Parameters
    ----------
    problem : Problem
        The data as they were used.
    rd : RelevantDimension
        The estimate under the best kernel; of dimension 0 where no signal was found.
    p_value : float
        The p-value after a choice among kernels.
    tried : sequence of Candidate
        The kernels that were chosen among.
    edge : str or None
        Where the best kernel lies at the edge of its range: a sentence about it.
    own_kernels : bool
        Whether the caller named kernels; then no others predict, and columns stay as they are.
    references : bool
        Try models of other kinds.
    random_state : int, optional
        Seed.
    memory : int, optional
        Bytes to keep to, by default what is available.

    Returns
    -------
    Conclusions
        Verdict, findings and noise.
    """
    seen = expect(
        problem,
        rd,
        learn=not own_kernels,
        references=references,
        random_state=random_state,
    )
    p_value = _p_value(p_value, seen)
    # A blend holds kernels of other families already, and they learned what to look at.
    rivals = (
        None
        if seen.blend or seen.dependent
        else find_rivals(rd, [row.kernel for row in tried], memory)
    )
    limit = kernel_limit(rivals, rd.targets.constant_error)
    curve = _curve(rd, p_value, seen)
    rival = None if limit is None or rivals is None else rivals.best
    noise = _noise(rd, curve, seen, None if rival is None else rival.error_estimate)
    held = hold_out(rd, seen)
    better = _better_model(rd, seen)
    own = judge(
        rd,
        p_value,
        curve,
        rare_class(held),
        ruled_out=() if better is None else NOT_BESIDE_BETTER,
    )
    apart = find_dependence(problem.suspects, seen, seed_of(random_state))
    verdict, *second = _in_order(own, limit, better, apart)
    # Where the problem is solved, other kernels have little to add.
    settled = seen.blend is not None or own.code == "RD002"
    further = _further_findings(
        problem,
        rd,
        seen,
        held,
        p_value=p_value,
        edge=None if settled else edge,
        own_kernels=own_kernels,
    )
    leak = next((one for one in further if one.code == "RD016"), None)
    if verdict.code == "RD002" and leak is not None:
        which = "columns tell" if len(leaking_places(leak)) > 1 else "one column alone tells"
        verdict = replace(verdict, advice=f"{TOO_GOOD.format(which)} {verdict.advice}")
    return Conclusions(
        verdict,
        (*second, *further),
        noise,
        curve,
        p_value,
        seen.references,
        blend=seen.blend.blend if seen.blend else None,
        columns=_columns(problem, seen),
        learned=seen.learned,
        held_out=held,
    )


def _better_model(rd: RelevantDimension, seen: Expectation) -> Verdict | None:
    """Tell whether a model of another kind is clearly better."""
    return model_limit(
        seen.error,
        rd.targets.constant_error,
        seen.references,
        seen.ahead,
        clearly=CLEARLY if _sees_signal(rd, seen) else BEYOND_DOUBT,
    )


def _in_order(
    own: Verdict, limit: Verdict | None, better: Verdict | None, apart: Verdict | None
) -> list[Verdict]:
    """Put what limits first, and leave out what is untrue.

    Where rows depend on each other, neither praise nor noise follow from mixed rows.
    """
    untrue = (better is not None and own.code in NOT_BESIDE_BETTER) or (
        apart is not None and own.code in NOT_OF_MIXED_ROWS
    )
    found = [apart, limit, better, None if untrue else own]
    return [verdict for verdict in found if verdict is not None]


def _further_findings(
    problem: Problem,
    rd: RelevantDimension,
    seen: Expectation,
    held: HeldOut | None,
    *,
    p_value: float,
    edge: str | None,
    own_kernels: bool,
) -> list[Verdict]:
    """Find what else there is to say about kernels, columns, targets and rows."""
    ratio = 1.0 if own_kernels else scale_ratio(rd.spectrum.gram.points)
    base = rd.targets.constant_error
    return [
        *([] if edge is None else [grid_edge(edge, ratio)]),
        *weights_limit(seen.error, base, seen.equal_weights, clearly=CLEARLY),
        # A blend does not cut at the dimension.
        *(find_limit(rd) if p_value <= SIGNIFICANCE and seen.blend is None else ()),
        *find_scale_gap(ratio),
        *find_in_targets(rd.targets, seen.error),
        *find_in_residuals(rd, held, problem),
        *find_in_data(problem, rd),
    ]


def _columns(problem: Problem, seen: Expectation) -> tuple[ColumnShare, ...]:
    if seen.learned is None:
        return ()
    tell("columns")
    return column_shares(seen.learned, problem.column_names, seen.error)


def _p_value(p_value: float, seen: Expectation) -> float:
    """Return the p-value of the search, or that of held-out predictions where only these see it."""
    return p_value if p_value <= SIGNIFICANCE or seen.blend is None else seen.signal_p_value


def _curve(rd: RelevantDimension, p_value: float, seen: Expectation) -> LearningCurve:
    """Return the curve that no other model contradicts: noise is no larger than what one errs."""
    curve = seen.curve
    if p_value > SIGNIFICANCE or not _sees_signal(rd, seen):
        return curve.without_signal()
    for model, lead in zip(seen.references, seen.ahead, strict=True):
        if lead > 0:
            difference = model.error - seen.error
            curve = curve.respecting(difference, abs(difference) / lead)
    return curve


def _sees_signal(rd: RelevantDimension, seen: Expectation) -> bool:
    """Tell whether a kernel sees signal; where none does, chance may put another model ahead."""
    return rd.dimension > 0 or seen.blend is not None


def _noise(
    rd: RelevantDimension, curve: LearningCurve, seen: Expectation, rival: float | None
) -> NoiseEstimate:
    """Read the noise: what is left at any number of rows, what was reached, what repeats tell."""
    models = [(rd.targets.constant_error, 0.0), (seen.error, seen.standard_error)]
    models += [(model.error, model.standard_error) for model in seen.references]
    # Where kernels see nothing, another model may all the same.
    better = [
        model.error
        for model, lead in zip(seen.references, seen.ahead, strict=True)
        if lead > BEYOND_DOUBT
    ]
    low, high = curve.floor_interval
    if rival is not None:
        models.append((rival, seen.standard_error))
        better.append(rival)
        # What the chosen kernel leaves says nothing about how little another one does.
        low = 0.0
    # A bound that holds for all models together.
    sure = float(norm.isf(SURELY / len(models)))
    reached = min(error + sure * chance for error, chance in models)
    value = min([curve.floor, *better])
    return NoiseEstimate(
        value, (min(low, value), max(value, min(high, reached))), reached, repeats_disagree(rd)
    )
