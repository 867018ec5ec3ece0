"""Verdicts: what the figures mean, and what to do about it.

Codes are stable: scripts may rely on them, and docs/verdicts.md has a section for each. The main
verdict follows from the p-value and from the laws of the learning curve: each of them says whether
the problem is solved, flat, quiet or noisy, and the verdict is what most of them say. How often it
is right is measured on problems whose truth is known (docs/calibration.md).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from reldim.diagnosis.forecast import REACH, LearningCurve
from reldim.diagnosis.held_out import RareClass
from reldim.diagnosis.references import Reference
from reldim.diagnosis.rivals import Rivals
from reldim.relevance.estimation import SIGNIFICANCE, RelevantDimension

__all__ = [
    "CODES",
    "Severity",
    "Verdict",
    "finding",
    "grid_edge",
    "judge",
    "kernel_limit",
    "model_limit",
    "scale_gap",
    "weights_limit",
]

Severity = Literal["good", "info", "warning"]

#: An expected error below this share of a constant prediction's error is called solved.
SOLVED = 0.1

#: An expected error above this share of a constant prediction's error is no better than that.
HARDLY_BETTER = 0.95

#: Noise above this share of a constant prediction's error is called noisy.
NOISY = 0.07

#: The verdicts that follow from the curve, and how likely one must be to be named beside another.
LIMITS = ("RD002", "RD003", "RD004", "RD005")
POSSIBLE = 0.25

#: More rows help little where the forecast for ten times as many is at least this share of the
#: expected error.
FLAT = 0.75

#: Columns whose spreads differ by a larger factor are not served by one width.
ONE_WIDTH = 10.0

#: Fewer rows, or rows of the smallest class, than this are too few to rule signal out; nor do so
#: few rows tell kernels apart.
TOO_FEW_ROWS = 30
TOO_FEW_OF_A_CLASS = 5

#: Of fewer rows than this the noise is not known where its interval is as wide as this share of a
#: constant's error. With more rows a wide interval leaves the other figures as they are.
FEW_ROWS, UNTOLD = 100, 0.8

#: What holds for the verdicts that may be named beside them.
OTHERWISE = {
    "RD001": "there is nothing to be learned from these columns",
    "RD002": "there is little left to gain",
    "RD003": "more rows will not help much",
    "RD004": "more rows will help, and better labels will not",
    "RD005": "more rows will help, and so will better labels or features",
    "RD007": "more rows are needed before the predictor is used",
}

#: Rows of a rare class are ranked where chance does as well with at most this probability.
RANKED = 0.001

#: A rival is better where its error is below this share of the chosen kernel's, and its likelihood
#: ahead by this much in all.
LOWER_ERROR = 0.85
LIKELIER_BY = 4.0

CODES = {
    "RD001": "No signal found",
    "RD002": "Well solved",
    "RD003": "Limited by noise",
    "RD004": "Limited by data",
    "RD005": "Complex and noisy",
    "RD006": "Limited by this kernel",
    "RD007": "Too few rows to say",
    "RD008": "Another kind of model does better",
    "RD010": "Best kernel at the edge of the range",
    "RD011": "Columns of very different scale",
    "RD012": "Noise differs from row to row",
    "RD013": "Noise differs from class to class",
    "RD014": "Repeated rows",
    "RD015": "Equal rows with different targets",
    "RD016": "One column tells the target",
    "RD017": "Nearly as many classes as rows",
    "RD018": "Labels look like numbers",
    "RD019": "Targets pile up at one end",
    "RD020": "Rows seem to depend on each other",
    "RD021": "Values that look like mistakes",
    "RD022": "The dimension is at its limit",
}

#: The title of RD006 where equal weights of columns are what limits kernels.
EQUAL_WEIGHTS = "Limited by equal weights"


@dataclass(frozen=True)
class Verdict:
    """A finding with a stable code.

    Attributes
    ----------
    code : str
        Such as "RD003".
    title : str
        The finding in a few words.
    severity : {"good", "info", "warning"}
        How much it matters.
    evidence : str
        What was seen, with the numbers.
    advice : str
        What to do.
    figures : mapping from str to float
        The numbers behind it.
    alternatives : tuple of str
        Codes that would stand here if the expected error or the noise were one standard error
        larger or smaller.
    """

    code: str
    title: str
    severity: Severity
    evidence: str
    advice: str
    figures: Mapping[str, float] = field(default_factory=dict, hash=False, repr=False)
    alternatives: tuple[str, ...] = ()

    @property
    def titles(self) -> str:
        """The title, and those of the alternatives."""
        *first, last = self.title, *(_lowered(CODES[code]) for code in self.alternatives)
        return f"{', '.join(first)}, or {last}" if first else last

    @property
    def headline(self) -> str:
        """The code and the titles."""
        return f"{self.code} {self.titles}"

    def __str__(self) -> str:
        """Give the headline, evidence and advice in one paragraph."""
        return f"{self.headline}. {self.evidence} {self.advice}"


def judge(
    rd: RelevantDimension,
    p_value: float,
    curve: LearningCurve,
    rare: RareClass | None = None,
    ruled_out: Collection[str] = (),
) -> Verdict:
    """Say what limits the result under the chosen kernel.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate under the best kernel.
    p_value : float
        The p-value after a choice among kernels.
    curve : LearningCurve
        The error of the predictor by the number of rows.
    rare : RareClass, optional
        Where one class makes up most rows, how the others are predicted.
    ruled_out : collection of str
        Codes that are not named as alternatives.

    Returns
    -------
    Verdict
        The main finding.
    """
    found = _judge(rd, p_value, curve)
    codes: dict[str, float] = {}
    if found.code in LIMITS:
        codes = _probabilities(curve)
    if rare is not None:
        found = _with_rare_class(found, rd, rare)
    likely = {code for code, probability in codes.items() if probability >= POSSIBLE}
    return _not_firm(found, sorted(likely - {found.code, *ruled_out}))


def _probabilities(curve: LearningCurve) -> dict[str, float]:
    """Return how likely each verdict about limits is: that of the laws of the curve."""
    now, later = curve.laws(curve.n), curve.laws(REACH * curve.n)
    solved = now <= SOLVED * curve.constant
    flat = ~solved & (later >= FLAT * now)
    quiet = ~solved & ~flat & (curve.floors <= NOISY * curve.constant)
    rest = ~(solved | flat | quiet)
    holds = zip(LIMITS, (solved, flat, quiet, rest), strict=True)
    return {code: curve.probability(law) for code, law in holds}


def _with_rare_class(found: Verdict, rd: RelevantDimension, rare: RareClass) -> Verdict:
    """Say how the rows of a rare class are predicted."""
    base = rd.targets.constant_error
    no_better = found.figures.get("expected_error", base) >= HARDLY_BETTER * base
    if found.code == "RD007" and no_better and rare.p_value <= RANKED:
        return _ranked(found, rare)
    evidence = found.evidence if found.code == "RD001" else f"{found.evidence} {rare.sentence}"
    return replace(found, evidence=evidence, figures={**found.figures, **rare.figures})


def _not_firm(found: Verdict, others: Sequence[str]) -> Verdict:
    """Name the verdicts that the figures do not rule out, and what they would mean."""
    if not others:
        return found
    named = " or ".join(f"{code} ({_lowered(CODES[code])})" for code in others)
    return replace(
        found,
        evidence=f"{found.evidence} Not firm: the measured errors leave {named} possible.",
        advice=" ".join([found.advice, *(f"If {one} holds, {OTHERWISE[one]}." for one in others)]),
        alternatives=tuple(others),
    )


def _lowered(title: str) -> str:
    return title[0].lower() + title[1:]


def _judge(rd: RelevantDimension, p_value: float, curve: LearningCurve) -> Verdict:
    n, d = rd.targets.n, rd.dimension
    base, error = curve.constant, float(curve.error(curve.n))
    blind = d == 0 and error >= HARDLY_BETTER * base
    if blind or p_value > SIGNIFICANCE:
        return _nothing(rd, p_value, base)
    figures = {
        "p_value": p_value,
        "expected_error": error,
        "constant_error": base,
        "dimension": float(d),
        "rows": float(n),
    }
    seen = (
        f"Expected error {error:.1%} (a constant prediction: {base:.1%}), "
        f"{d} relevant dimensions for {n} rows."
    )
    if error <= SOLVED * base and (n >= TOO_FEW_ROWS or _surely_solved(rd, error, base)):
        return _solved(seen, error, float(curve.error(REACH * n)), figures)
    figures |= {"noise": curve.floor}
    if error >= HARDLY_BETTER * base:
        return _no_better(error, base, figures)
    low, high = curve.floor_interval
    if n < TOO_FEW_ROWS or (n < FEW_ROWS and high - low >= UNTOLD * base):
        return finding(
            "RD007",
            "warning",
            f"{seen} There is signal (p = {p_value:.1g}), but these rows do not tell noise from "
            f"structure: the noise may be anything from {low:.1%} to {high:.1%}.",
            "Collect more rows before you conclude what limits: the expected error is a rough "
            "figure.",
            figures | {"noise_low": low, "noise_high": high},
        )
    return _limited(rd, curve, seen, figures)


def _solved(seen: str, error: float, later: float, figures: dict[str, float]) -> Verdict:
    """Say that little is left, and whether more rows would leave still less."""
    little = later >= FLAT * error or f"{later:.1%}" == f"{error:.1%}"
    advice = (
        "Use the predictor; better labels, more rows or other kernels have little to add."
        if little
        else "Use the predictor. More rows would still help: with ten times as many "
        f"{later:.1%} is to be expected."
    )
    return finding("RD002", "good", seen, advice, figures | {"forecast_error": later})


def _no_better(error: float, base: float, figures: dict[str, float]) -> Verdict:
    """Say that a fit is no better than a constant."""
    return finding(
        "RD007",
        "warning",
        "Targets look more structured than chance explains, but on new rows the fit would do no "
        f"better than a constant: expected error {error:.1%}, a constant prediction {base:.1%}, "
        f"with {figures['dimension']:.0f} relevant dimensions for {figures['rows']:.0f} rows.",
        "These rows do not pin a relation down: collect more rows, or use a kernel that brings "
        "knowledge of the problem. Do not use the predictor.",
        figures,
    )


def _limited(
    rd: RelevantDimension, curve: LearningCurve, seen: str, figures: dict[str, float]
) -> Verdict:
    """Say whether noise, rows or both limit where there is signal: what most laws say."""
    n, d, noise = rd.targets.n, rd.dimension, curve.floor
    likely = _probabilities(curve)
    code = max(LIMITS[1:], key=lambda one: likely[one])
    later = float(curve.error(REACH * n))
    figures |= {"forecast_error": later}
    forecast = f"With ten times as many rows {later:.1%} is to be expected."
    if code == "RD003":
        return finding(
            "RD003",
            "warning",
            f"{seen} About {noise:.1%} is noise. {forecast}",
            "With these columns, as they are encoded, more rows will barely reduce the error. "
            "First check that dates, codes and text are encoded sensibly, then look for new "
            "columns or better labels.",
            figures,
        )
    if d > 0:
        seen = f"{seen} That leaves {n / d:.1f} rows per dimension."
    if code == "RD004":
        return finding(
            "RD004",
            "warning",
            f"{seen} Little of the error seems to be noise. {forecast}",
            "The problem is complex for this many rows: collect more rows, or use a kernel that "
            "brings knowledge of the problem.",
            figures,
        )
    return finding(
        "RD005",
        "warning",
        f"{seen} About {noise:.1%} is noise. {forecast}",
        "More rows will help, and so will better labels or features.",
        figures,
    )


def _surely_solved(rd: RelevantDimension, error: float, base: float) -> bool:
    """Tell whether a few rows show that the problem is solved, three more mistakes or not."""
    if rd.targets.codes is not None:
        return error + 3.0 / rd.targets.n <= SOLVED * base
    return 3.0 * error <= SOLVED * base


def _ranked(found: Verdict, rare: RareClass) -> Verdict:
    """Say that a predictor which never names a rare class ranks its rows all the same."""
    return Verdict(
        found.code,
        f"Too few rows of {rare.name} to predict it",
        "warning",
        f"Counted mistakes say nothing here: only {rare.rows} rows are {rare.name}, and never to "
        f"predict it errs as little. But the rows are ranked: {rare.sentence}",
        "Use probabilities (predict_proba) with a threshold that follows from what either mistake "
        "costs, not predicted classes; judge by the area under the curve. More rows of "
        f"{rare.name} help most.",
        {**found.figures, **rare.figures},
    )


def _nothing(rd: RelevantDimension, p_value: float, base: float) -> Verdict:
    counts, n = rd.targets.counts, rd.targets.n
    smallest = n if counts is None else int(counts.min())
    figures = {"p_value": p_value, "constant_error": base, "rows": float(n)}
    chance = f"targets drawn at random look as structured with probability {p_value:.2g}."
    if n < TOO_FEW_ROWS or smallest < TOO_FEW_OF_A_CLASS:
        few = f"{n} rows" if n < TOO_FEW_ROWS else f"{smallest} of the rarest class"
        return finding(
            "RD007",
            "warning",
            f"No signal was found, but {few} are too few to rule it out: {chance}",
            "Collect more rows before you conclude anything.",
            figures | {"smallest_class": float(smallest)},
        )
    return finding(
        "RD001",
        "warning",
        "The kernels that were tried see no relation between features and targets: " + chance,
        "Check that rows of features and targets belong together; look for features that matter, "
        "or collect more rows.",
        figures,
    )


def kernel_limit(rivals: Rivals | None, base: float) -> Verdict | None:
    """Say whether a kernel of another family does clearly better on the same rows.

    Parameters
    ----------
    rivals : Rivals or None
        Kernels of other families beside the chosen one.
    base : float
        The error of the best constant.

    Returns
    -------
    Verdict or None
        None where none does, where rows are too few to say, or where the problem is solved already.
    """
    best = None if rivals is None else rivals.best
    if rivals is None or best is None or best.dimension == 0:
        return None
    if rivals.rows < TOO_FEW_ROWS:
        # Some kernel or other fits a handful of rows, whatever their targets are.
        return None
    chosen, ahead = rivals.chosen, rivals.ahead
    if ahead < LIKELIER_BY or chosen.error_estimate <= SOLVED * base:
        return None
    if best.error_estimate > LOWER_ERROR * chosen.error_estimate:
        return None
    rows = f" on {rivals.rows} rows"
    return finding(
        "RD006",
        "warning",
        f"The kernel {best.kernel!r} expects an error of {best.error_estimate:.1%}{rows}, the "
        f"chosen one, {chosen.kernel!r}, {chosen.error_estimate:.1%}.",
        f"Try the family {best.family}: kernels={best.family!r}, on the command line --kernel "
        f"{best.family}.",
        {
            "expected_error": chosen.error_estimate,
            "rival_error": best.error_estimate,
            "likelihood_ahead": ahead,
            "rows": float(rivals.rows),
        },
    )


def weights_limit(
    error: float, base: float, equal_weights: tuple[float, float] | None, *, clearly: float
) -> list[Verdict]:
    """Say whether kernels with learned weights of columns do clearly better than with equal ones.

    Parameters
    ----------
    error : float
        The error to expect of the predictor, which learned weights.
    base : float
        The error of the best constant.
    equal_weights : tuple of float or None
        The error with equal weights, and by how many standard errors the predictor is ahead.
    clearly : float
        By how many it must be ahead.

    Returns
    -------
    list of Verdict
        At most one finding.
    """
    if equal_weights is None:
        return []
    equal, ahead = equal_weights
    if ahead <= clearly or error > LOWER_ERROR * equal or equal <= SOLVED * base:
        return []
    limited = finding(
        "RD006",
        "info",
        f"Kernels that weigh all columns alike err by {equal:.1%} on held-out rows, with learned "
        f"weights by {error:.1%}.",
        "The predictor uses learned weights. Before a method that has none, such as a support "
        "vector machine or nearest neighbours, leave out the columns that carry nothing.",
        {"expected_error": error, "error_with_equal_weights": equal, "standard_errors": ahead},
    )
    return [replace(limited, title=EQUAL_WEIGHTS)]


def model_limit(
    error: float,
    base: float,
    references: Sequence[Reference],
    ahead: Sequence[float],
    *,
    clearly: float,
) -> Verdict | None:
    """Say whether a model of another kind does clearly better on the same rows.

    Parameters
    ----------
    error : float
        The error to expect of the predictor.
    base : float
        The error of the best constant.
    references : sequence of Reference
        Other models.
    ahead : sequence of float
        By how many standard errors each is ahead, row by row.
    clearly : float
        By how many one must be ahead.

    Returns
    -------
    Verdict or None
        None where none does, or where the problem is solved already.
    """
    clear = [
        (model, lead)
        for model, lead in zip(references, ahead, strict=True)
        if lead > clearly and model.error <= LOWER_ERROR * error
    ]
    if not clear or error <= SOLVED * base:
        return None
    best, lead = min(clear, key=lambda pair: pair[0].error)
    return finding(
        "RD008",
        "warning",
        f"On the same rows, each predicted by a fit without it, {best.model} err by "
        f"{best.error:.1%} ± {best.standard_error:.1%}, the kernels by {error:.1%}.",
        f"Use {best.model} of scikit-learn. They see {best.sees}. What they leave is the measure "
        "of noise and of what more rows bring.",
        {
            "expected_error": error,
            "reference_error": best.error,
            "standard_errors_ahead": lead,
        },
    )


def grid_edge(sentence: str, ratio: float = 1.0) -> Verdict:
    """Make the finding that the best kernel lies at the edge of its range.

    Parameters
    ----------
    sentence : str
        Which kernel, of which range.
    ratio : float
        Of the largest to the smallest spread of a column: where it is large, no width serves all
        columns, and scaling is the remedy.

    Returns
    -------
    Verdict
        The finding.
    """
    if ratio <= ONE_WIDTH:
        return finding(
            "RD010", "info", sentence, "Pass kernels with a wider range, or name other families."
        )
    return finding(
        "RD010",
        "info",
        f"{sentence} The scales of the columns differ by a factor of {ratio:.0f}.",
        "Scale the columns, so that one width can serve all of them: scale=True, on the command "
        "line --scale.",
        {"ratio": ratio},
    )


def scale_gap(ratio: float) -> Verdict:
    """Make the finding that one width serves columns of very different scale."""
    return finding(
        "RD011",
        "warning",
        f"The scales of the columns differ by a factor of {ratio:.0f}, and one kernel width "
        "serves all of them: small columns count for little.",
        "Scale the columns: scale=True, on the command line --scale.",
        {"ratio": ratio},
    )


def finding(
    code: str,
    severity: Severity,
    evidence: str,
    advice: str,
    figures: Mapping[str, float] | None = None,
) -> Verdict:
    """Make a verdict of a code; the title follows from it."""
    return Verdict(code, CODES[code], severity, evidence, advice, dict(figures or {}))
