"""Conclusions: from an estimate to the verdict, the noise and all findings."""

from collections.abc import Sequence
from dataclasses import dataclass

from reldim.diagnosis.findings import (
    find_in_data,
    find_in_residuals,
    find_in_targets,
    find_scale_gap,
)
from reldim.diagnosis.problem import Problem
from reldim.diagnosis.rivals import Rivals, find_rivals
from reldim.diagnosis.verdicts import Verdict, constant_error, grid_edge, judge, kernel_limit
from reldim.relevance.estimation import RelevantDimension
from reldim.relevance.noise import NoiseEstimate, NoiseProfile
from reldim.search.candidates import Candidate

__all__ = ["Conclusions", "conclude"]


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
    """

    verdict: Verdict
    findings: tuple[Verdict, ...]
    noise: NoiseEstimate


def conclude(
    problem: Problem,
    rd: RelevantDimension,
    p_value: float,
    tried: Sequence[Candidate],
    *,
    edge: str | None,
    own_kernels: bool,
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
        Whether kernels were asked for: then the scale of columns is taken to be known.
    memory : int, optional
        Bytes to keep to, by default what is available.

    Returns
    -------
    Conclusions
        Verdict, findings and noise.
    """
    rivals = find_rivals(rd, [row.kernel for row in tried], memory)
    limit = kernel_limit(rivals, constant_error(rd))
    noise = _noise(rd, tried, rivals, limited=limit is not None)
    verdict = judge(rd, p_value, noise)
    findings = [] if edge is None else [grid_edge(edge)]
    if limit is not None:
        # What limits under the chosen kernel is still true, but comes second.
        verdict, findings = limit, [verdict, *findings]
    if not own_kernels:
        findings += find_scale_gap(rd.spectrum.gram.points)
    findings += [
        *find_in_targets(rd.targets, rd.error_estimate),
        *find_in_residuals(rd),
        *find_in_data(problem, rd),
    ]
    return Conclusions(verdict, tuple(findings), noise)


def _noise(
    rd: RelevantDimension, tried: Sequence[Candidate], rivals: Rivals | None, *, limited: bool
) -> NoiseEstimate:
    """Estimate the noise from all kernels that saw the same rows."""
    if rivals is not None and rivals.rows < rd.targets.n and limited:
        # Some of the rows, seen by a better kernel, tell more than all of them.
        chosen = rivals.chosen.relevance
        return chosen.noise_under(
            [NoiseProfile.of(chosen.signal), *rivals.profiles], rivals.likeliest
        )
    profiles, likeliest = [row.profile for row in tried], None
    if rivals is not None and rivals.rows == rd.targets.n:
        profiles += rivals.profiles
        # Where the chosen kernel sees nothing, chance alone may put another one ahead.
        likeliest = rivals.likeliest if rd.dimension > 0 or limited else None
    return rd.noise_under(profiles, likeliest)
