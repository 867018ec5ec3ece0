"""Conclusions: from an estimate to the verdict, the noise and all findings."""

from collections.abc import Sequence
from dataclasses import dataclass

from reldim.candidates import Candidate
from reldim.findings import find_in_data, find_in_residuals, find_scale_gap
from reldim.noise import NoiseEstimate
from reldim.oddtargets import find_in_targets
from reldim.problem import Problem
from reldim.relevance import RelevantDimension
from reldim.rivals import find_rivals
from reldim.verdicts import Verdict, constant_error, grid_edge, judge, kernel_limit

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
        Whether kernels were asked for; whoever does knows about the scale of columns.

    Returns
    -------
    Conclusions
        Verdict, findings and noise.
    """
    rivals = find_rivals(rd, [row.kernel for row in tried])
    limit = kernel_limit(rivals, constant_error(rd))
    profiles, likeliest = [row.profile for row in tried], None
    # What was seen on some of the rows only cannot be compared.
    if rivals is not None and rivals.rows == rd.targets.n:
        profiles += rivals.profiles
        # Where the chosen kernel sees nothing, chance alone may put another one ahead.
        likeliest = rivals.likeliest if rd.dimension > 0 or limit is not None else None
    noise = rd.noise_under(profiles, likeliest)
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
