"""Verdicts: what the figures mean, and what to do about it.

Codes are stable: scripts may rely on them. Thresholds are plain rules on three figures:
the p-value, the expected error relative to a constant prediction, and rows a dimension.
"""

from dataclasses import dataclass
from typing import Literal

from reldim.relevance import SIGNIFICANCE, RelevantDimension

__all__ = ["CODES", "Verdict", "grid_edge", "judge", "scale_gap"]

Severity = Literal["good", "info", "warning"]

#: An expected error below this share of a constant prediction's error is called solved.
SOLVED = 0.1

#: A noise level above this share of a constant prediction's error is called noisy.
NOISY = 0.1

#: Relevant dimensions a row: above the first a problem is complex for its size; above the
#: second so complex that its noise cannot be told from structure not yet learned.
COMPLEX = 0.1
TOO_COMPLEX_TO_TELL = 0.2

CODES = {
    "RD001": "No signal found",
    "RD002": "Well solved",
    "RD003": "Limited by noise",
    "RD004": "Limited by data",
    "RD005": "Complex and noisy",
    "RD010": "Best kernel at the edge of the range",
    "RD011": "Columns of very different scale",
}


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
    """

    code: str
    title: str
    severity: Severity
    evidence: str
    advice: str

    def __str__(self) -> str:
        """Give code, title, evidence and advice in one paragraph."""
        return f"{self.code} {self.title}. {self.evidence} {self.advice}"


def judge(rd: RelevantDimension, p_value: float | None = None) -> Verdict:
    """Say what limits the result.

    Parameters
    ----------
    rd : RelevantDimension
        The estimate under the best kernel.
    p_value : float, optional
        The p-value after a choice among kernels, by default that of the estimate.

    Returns
    -------
    Verdict
        The main finding.
    """
    n, d = rd.targets.n, rd.dimension
    p_value = rd.p_value if p_value is None else p_value
    base = constant_error(rd)
    expected, noise = rd.error_estimate / base, rd.noise_level / (1 - d / n) / base
    figures = (
        f"Expected error {rd.error_estimate:.1%} (a constant prediction: {base:.1%}), "
        f"{d} relevant dimensions for {n} rows."
    )
    if d == 0 or p_value > SIGNIFICANCE:
        return _verdict(
            "RD001",
            "warning",
            "The kernels that were tried see no relation between features and targets: targets "
            f"drawn at random look as structured with probability {p_value:.2g}.",
            "Check that rows of features and targets belong together; look for features that "
            "matter, or collect more rows.",
        )
    if expected <= SOLVED:
        return _verdict(
            "RD002",
            "good",
            figures,
            "Use the predictor; better labels, more rows or other kernels have little to add.",
        )
    if expected >= 1.0:
        return _verdict(
            "RD004",
            "warning",
            f"There is signal, but on new rows it would do worse than a constant: expected error "
            f"{rd.error_estimate:.1%}, a constant prediction {base:.1%}, with {d} relevant "
            f"dimensions for {n} rows.",
            "These rows do not pin the relation down: collect more rows, or use a kernel that "
            "brings knowledge of the problem. Do not use the predictor.",
        )
    if d / n > TOO_COMPLEX_TO_TELL or (d / n > COMPLEX and noise <= NOISY):
        return _verdict(
            "RD004",
            "warning",
            f"{figures} That leaves {n / d:.1f} rows a dimension.",
            "The problem is complex for this many rows: collect more rows, or use a kernel that "
            "brings knowledge of the problem. How much of the rest is noise cannot be told yet.",
        )
    if d / n > COMPLEX:
        return _verdict(
            "RD005",
            "warning",
            f"{figures} That leaves {n / d:.1f} rows a dimension, and a noise level of "
            f"{rd.noise_level:.1%}.",
            "More rows will help, and so will better labels or features; try other kernels first.",
        )
    return _verdict(
        "RD003",
        "warning",
        f"{figures} The targets differ from their denoised version by {rd.noise_level:.1%}.",
        "The structure that this kernel can see is simple and is learned: more rows of the same "
        "kind will not help much. Look for better labels or more informative features, or for a "
        "kernel that sees more.",
    )


def constant_error(rd: RelevantDimension) -> float:
    """Return the error of the best constant prediction, in the units of the noise level."""
    targets = rd.targets
    if targets.codes is None or targets.classes is None:
        return 1.0
    counts = [int((targets.codes == code).sum()) for code in range(len(targets.classes))]
    return (targets.n - max(counts)) / targets.n


def grid_edge(sentence: str) -> Verdict:
    """Make the finding that the best kernel lies at the edge of its range."""
    return _verdict(
        "RD010", "info", sentence, "Pass kernels with a wider range, or name other families."
    )


def scale_gap(ratio: float) -> Verdict:
    """Make the finding that one width serves columns of very different scale."""
    return _verdict(
        "RD011",
        "warning",
        f"The scales of the columns differ by a factor of {ratio:.0f}, and one kernel width "
        "serves all of them: small columns count for little.",
        "Standardise the columns first: on the command line by --scale, in Python by "
        "sklearn.preprocessing.StandardScaler.",
    )


def _verdict(code: str, severity: Severity, evidence: str, advice: str) -> Verdict:
    return Verdict(code, CODES[code], severity, evidence, advice)
