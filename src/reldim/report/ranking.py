"""Kernels that were tried, the best first, with those that come to the same folded into one."""

from collections.abc import Sequence
from dataclasses import dataclass

from reldim.report.summary import Summary, Trial

__all__ = ["Ranked", "criterion_name", "criterion_of", "rank_trials"]

#: Criteria that differ by less are the same for every purpose.
NO_DIFFERENCE = 1e-3


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


def criterion_name(summary: Summary) -> str:
    """Say what kernels were compared by."""
    by_likelihood = summary.criterion == "likelihood"
    return "negative log-likelihood" if by_likelihood else "leave-one-out error"


def criterion_of(trial: Trial, summary: Summary) -> float:
    """Return what a kernel was compared by."""
    by_likelihood = summary.criterion == "likelihood"
    return trial.negative_log_likelihood if by_likelihood else trial.criterion_value


def rank_trials(summary: Summary) -> tuple[Ranked, ...]:
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
    >>> ranked = rank_trials(diagnose(data.X, data.y).summary)
    >>> ranked[0].trial.chosen, sum(1 + len(row.alike) for row in ranked)
    (True, 20)
    """
    groups: list[list[Trial]] = []
    for trial in summary.candidates:
        if groups and _same(groups[-1][0], trial, summary):
            groups[-1].append(trial)
        else:
            groups.append([trial])
    ranked = [_stand_in(group, summary) for group in groups]
    return tuple(sorted(ranked, key=lambda row: (-row.trial.rows, row.value)))


def _same(first: Trial, other: Trial, summary: Summary) -> bool:
    distance = abs(criterion_of(first, summary) - criterion_of(other, summary))
    same_kind = first.kernel.partition("(")[0] == other.kernel.partition("(")[0]
    if first.rows != other.rows:
        return False
    return same_kind and first.dimension == other.dimension and distance < NO_DIFFERENCE


def _stand_in(group: Sequence[Trial], summary: Summary) -> Ranked:
    best = min(group, key=lambda trial: (not trial.chosen, criterion_of(trial, summary)))
    alike = tuple(trial.kernel for trial in group if trial is not best)
    return Ranked(best, criterion_of(best, summary), alike)
